//! The search is the same on every machine: a change of this number is a change of behaviour, and
//! the commit that makes it says so.

use merel_tests::program::Program;

/// Nodes of `merel bench`.
const SIGNATURE: u64 = 850_890;

#[test]
fn the_bench_signature_is_the_recorded_one() {
    let mut bench = Program::start(env!("CARGO_BIN_EXE_merel-under-test"), &["bench"]);
    let (lines, status, _) = bench.end();
    assert!(status.success());
    let last = lines.last().expect("bench prints its total last");
    let words: Vec<&str> = last.split(' ').collect();
    let [nodes, "nodes", nps, "nps"] = words.as_slice() else { panic!("{last}") };
    assert!(nps.parse::<u64>().is_ok_and(|nps| nps > 0), "{last}");
    assert_eq!(nodes.parse(), Ok(SIGNATURE), "{last}");
}
