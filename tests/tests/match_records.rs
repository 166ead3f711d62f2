//! What a match leaves behind besides its report: comments, logs, latencies, where it ran.

use merel_tests::matches::{Finished, Place};

const RUNNER: &str = env!("CARGO_BIN_EXE_merel-match-under-test");
const MEREL: &str = env!("CARGO_BIN_EXE_merel-under-test");
const BAD: &str = env!("CARGO_BIN_EXE_bad-engine");

fn play(place: &Place, program: &str, more: &str) -> Finished {
    let cmd = format!("cmd={program}");
    let mut words = vec!["-engine", &cmd, "name=a", "-engine", &cmd, "name=b"];
    words.extend("-rounds 1 -maxmoves 12".split(' '));
    words.extend(more.split_whitespace());
    place.run(&words)
}

#[test]
fn comments_tell_what_is_asked_for() {
    let place = Place::new(RUNNER);
    let finished = play(
        &place,
        MEREL,
        "-each tc=60+1 nodes=300 option.Hash=1 -pgnout file=games.pgn nodes=true seldepth=true nps=true \
         hashfull=true tbhits=true timeleft=true latency=true",
    );
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let text = std::fs::read_to_string(place.path("games.pgn")).unwrap().replace('\n', " ");
    let comments: Vec<&str> = text.split('{').skip(1).filter_map(|c| c.split('}').next()).collect();
    assert_eq!(comments.len(), 48, "{text}");
    for comment in comments {
        let (thought, rest) = comment.split_once("s, ").unwrap_or_else(|| panic!("{comment}"));
        assert!(thought.contains('/'), "{comment}");
        let keys: Vec<&str> = rest.split(", ").filter_map(|d| d.split('=').next()).collect();
        assert_eq!(keys, ["tl", "latency", "n", "sd", "nps", "hashfull", "tbhits"], "{comment}");
    }
    let checked = std::process::Command::new(MEREL)
        .args(["games", "--check"])
        .arg(place.path("games.pgn"))
        .output()
        .unwrap();
    assert!(checked.status.success(), "{checked:?}");
}

#[test]
fn other_notations_are_written_where_they_can_be() {
    for (notation, sign) in [("sanmill", "[PlyCount "), ("playok", "1. ")] {
        let place = Place::new(RUNNER);
        let more =
            format!("-each depth=2 option.Hash=1 -pgnout file=games.pgn notation={notation}");
        let finished = play(&place, MEREL, &more);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let text = std::fs::read_to_string(place.path("games.pgn")).unwrap();
        assert!(text.contains(sign), "{text}");
        let turns = &place.games("games.pgn")[0].turns;
        let is_number = turns[0].chars().all(|c| c.is_ascii_digit());
        assert_eq!(is_number, notation == "playok", "{turns:?}");
    }
    let place = Place::new(RUNNER);
    let fen = "********/@******@/O******O w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    place.write("o.epd", fen);
    let more = "-each depth=2 -openings file=o.epd -pgnout file=games.pgn notation=playok";
    let finished = play(&place, MEREL, more);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(finished.errors.contains("notation=playok"), "{finished:?}");
}

#[test]
fn the_log_holds_the_lines_that_are_asked_for() {
    let log = |more: &str| {
        let place = Place::new(RUNNER);
        let finished =
            play(&place, MEREL, &format!("-each depth=2 option.Hash=1 -log file=log.txt {more}"));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        std::fs::read_to_string(place.path("log.txt")).unwrap()
    };
    let (go, started) = (" a#1 > go depth 2\n", " match # Started game 1 of 2 (a vs b)\n");
    let all = log("");
    assert!(all.contains(go) && all.contains(started), "{all}");
    // Each line has its time.
    let has_time = |line: &str| line.get(2..3) == Some(":") && line.get(8..9) == Some(".");
    assert!(all.lines().all(has_time), "{all}");
    let few = log("engine=false");
    assert!(!few.contains(go) && few.contains(started), "{few}");
    let engines = log("level=fatal realtime=false");
    assert!(engines.contains(go) && !engines.contains(" match # "), "{engines}");
}

#[test]
fn the_difference_of_measured_and_reported_times_is_told() {
    let place = Place::new(RUNNER);
    let finished = play(&place, MEREL, "-each nodes=300 option.Hash=1 -show-latency");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    for name in ["a", "b"] {
        let start = format!("{name}: measured less reported time: mean ");
        let line = finished.output.lines().find(|line| line.starts_with(&start));
        assert!(line.is_some_and(|l| l.ends_with(" in 24 turns")), "{finished:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn engines_stay_on_the_processor_of_their_game() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let own = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    let first = own.split([',', '-']).next().unwrap();
    let words = format!("-each depth=1 args=processors -log file=log.txt -use-affinity {first}");
    let place = Place::new(RUNNER);
    let finished = play(&place, BAD, &words);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let log = std::fs::read_to_string(place.path("log.txt")).unwrap();
    let told: Vec<&str> = log.lines().filter(|line| line.contains("Cpus_allowed_list")).collect();
    assert!(!told.is_empty());
    let is_bound = |line: &&str| line.ends_with(&format!("Cpus_allowed_list: {first}"));
    assert!(told.iter().all(is_bound), "{told:?}");
    let finished = play(&place, BAD, "-each depth=1 args=good -use-affinity 4000");
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(finished.errors.contains("there is no processor 4000"), "{finished:?}");
}
