//! Runs that end early, and the runs after them.

use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{assert_same, assert_whole, eight_stones, files, generate, program};

/// These make a chain in which each needs the values of the one before.
const CHAIN: [&str; 3] = ["generate", "4-4", "--quiet"];
/// The same with stones in hand.
const PLACING: [&str; 3] = ["generate", "2-3+2-1", "--quiet"];

fn start(folder: &Path, arguments: &[&str]) -> Child {
    program()
        .args(arguments)
        .arg("--out")
        .arg(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Numbers that look like chance, the same in every run of the test.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((self.0 >> 33) * end) >> 31
    }
}

#[test]
fn killed_at_any_moment_it_goes_on_and_no_file_is_ever_half_there() {
    kill_fifty_times(&CHAIN);
}

#[test]
fn killed_while_it_places_it_goes_on_and_no_file_is_ever_half_there() {
    kill_fifty_times(&PLACING);
}

fn kill_fifty_times(chain: &[&str]) {
    let reference = tempfile::tempdir().unwrap();
    let began = Instant::now();
    generate(reference.path(), &chain[1..]);
    let whole_run = began.elapsed().as_micros() as u64;
    let mut chance = Chance(3);
    let mut folder = tempfile::tempdir().unwrap();
    let (mut kills, mut finished) = (0, 0);
    while kills < 50 {
        let mut run = start(folder.path(), chain);
        sleep(Duration::from_micros(chance.below(whole_run)));
        // `kill -9`; a run that has ended by itself is not counted as killed.
        let ended = run.try_wait().unwrap();
        run.kill().unwrap();
        run.wait().unwrap();
        assert_whole(folder.path());
        match ended {
            None => kills += 1,
            Some(status) => {
                assert!(status.success());
                finished += 1;
                assert_same(folder.path(), reference.path());
                folder = tempfile::tempdir().unwrap();
            }
        }
    }
    generate(folder.path(), &chain[1..]);
    assert_same(folder.path(), reference.path());
    // With moments spread over a whole run some runs come to their end.
    assert!(finished > 0, "every run was killed");
}

#[cfg(unix)]
#[test]
fn asked_to_stop_it_keeps_what_is_finished_and_ends_with_130() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = start(folder.path(), &["generate", "--max-stones", "8", "--quiet"]);
    let deadline = Instant::now() + Duration::from_secs(60);
    while !folder.path().join("4-3.dtw").exists() {
        assert!(Instant::now() < deadline && run.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(2));
    }
    let asked = std::process::Command::new("kill").arg("-INT").arg(run.id().to_string()).status();
    assert!(asked.unwrap().success());
    let began = Instant::now();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(assert_whole(folder.path()) >= 4);
    assert!(files(folder.path()).keys().all(|name| !name.ends_with(".part")));
    generate(folder.path(), &["--max-stones", "8", "--quiet"]);
    assert_same(folder.path(), eight_stones());
}

#[test]
fn values_that_are_not_whole_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files(eight_stones()) {
        if !name.starts_with("5-3") {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
    }
    // What a power cut may leave, and what a killed run may.
    std::fs::write(folder.path().join("4-3.values"), vec![0; 48 + 862_980]).unwrap();
    std::fs::write(folder.path().join("5-3.wdl.part"), b"MERELTAB").unwrap();
    std::fs::write(folder.path().join("film.part"), b"not ours").unwrap();
    let ran = generate(folder.path(), &["5-3"]);
    assert!(ran.err.contains("solved again") && ran.err.contains("4-3"), "{}", ran.err);
    std::fs::remove_file(folder.path().join("film.part")).unwrap();
    assert_same(folder.path(), eight_stones());
}

#[test]
fn a_damaged_table_is_named_and_made_again() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), &["3-3", "--quiet"]);
    let path = folder.path().join("3-3.wdl");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[20] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let ran = generate(folder.path(), &["3-3"]);
    assert!(ran.err.contains("3-3.wdl is damaged"), "{}", ran.err);
    assert!(std::fs::read(path).unwrap() == files(eight_stones())["3-3.wdl"]);
}
