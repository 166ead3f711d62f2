//! Speed of the rules: perft 6 from the start, in turns and in single actions.
//!
//! `cargo bench -p merel-benches --bench perft`. In turns the last ply is counted without listing.

use std::time::Instant;

use merel_engine::perft::{Unit, perft};
use merel_engine::{Position, Rules};

fn main() {
    let start = Position::start(Rules::default());
    for (unit, name) in [(Unit::Turn, "turns"), (Unit::Atomic, "single actions")] {
        let clock = Instant::now();
        let leaves = perft(&start, 6, unit);
        let seconds = clock.elapsed().as_secs_f64();
        let speed = leaves as f64 / seconds / 1e6;
        println!("perft 6 in {name}: {leaves} leaves, {seconds:.2} s, {speed:.0} million a second");
    }
}
