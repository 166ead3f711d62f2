//! The opening set of the project opens matches.

use std::collections::HashSet;

use merel_tests::matches::{Finished, Place};

const RUNNER: &str = env!("CARGO_BIN_EXE_merel-match-under-test");
const MEREL: &str = env!("CARGO_BIN_EXE_merel-under-test");
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/openings/placing.epd");

#[test]
fn a_match_in_any_protocol_takes_the_set() {
    let place = Place::new(RUNNER);
    let engine = concat!("cmd=", env!("CARGO_BIN_EXE_merel-under-test"));
    let file = format!("file={FILE}");
    let words = [
        "-engine",
        engine,
        "proto=gbgp",
        "-engine",
        engine,
        "proto=sanmill",
        "-each",
        "depth=1",
        "option.Hash=1",
        "-rounds",
        "5",
        "-maxmoves",
        "10",
        "-openings",
        &file,
        "order=random",
        "seed=3",
        "-pgnout",
        "file=games.pgn",
    ];
    let finished = place.run(&words);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let games = place.games("games.pgn");
    let openings: HashSet<&str> = games.iter().map(|game| game.tag("FEN")).collect();
    assert_eq!((games.len(), openings.len()), (10, 5));
}

/// A match of few and shallow turns.
fn play(place: &Place, more: &str) -> Finished {
    let cmd = format!("cmd={MEREL}");
    let mut words = vec!["-engine", &cmd, "-engine", &cmd, "-each", "depth=2", "option.Hash=1"];
    words.extend("-pgnout file=games.pgn append=false".split(' '));
    words.extend(more.split(' '));
    place.run(&words)
}

#[test]
fn games_of_any_form_open_matches() {
    let place = Place::new(RUNNER);
    place.write(
        "book.pgn",
        "[Event \"x\"]\n[Rules \"playok\"]\n\n1. d6 {a remark} f4 2. d2 b4 3. a1 a7 *\n\n1. 5 13 2. 20 19 3. 14 21 *\n",
    );
    let more = "-openings file=book.pgn plies=4 -rounds 2 -maxmoves 3";
    let finished = play(&place, more);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let begun = |games: &[merel_tests::matches::WrittenGame]| -> Vec<String> {
        games.iter().map(|game| game.turns[..4].join(" ")).collect()
    };
    let games = place.games("games.pgn");
    let [a, b, c, d] = begun(&games).try_into().unwrap();
    assert_eq!((a.as_str(), &a, &c), ("d6 f4 d2 b4", &b, &d));
    assert!(a != c && games.iter().all(|game| game.turns.len() == 10), "{games:?}");
    // What a match has written opens another; `start` goes round.
    let written = std::fs::read_to_string(place.path("games.pgn")).unwrap();
    place.write("own.pgn", &written);
    let more = "-openings file=own.pgn plies=6 start=7 -rounds 1 -maxmoves 3";
    let finished = play(&place, more);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let third = &games[2].turns[..6];
    assert!(place.games("games.pgn").iter().all(|game| game.turns[..6] == *third));
}

#[test]
fn games_that_cannot_open_one_are_refused_with_their_line() {
    let place = Place::new(RUNNER);
    let over = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4";
    for (name, text, part) in [
        ("bad.pgn", "1. a7 b6 2. a7 *", "'bad.pgn': game 1, line 1, 'a7'"),
        ("empty.pgn", "\n", "'empty.pgn' holds no game"),
        ("none.pgn", "", "'none.pgn' cannot be read"),
    ] {
        if name != "none.pgn" {
            place.write(name, text);
        }
        let finished = play(&place, &format!("-openings file={name}"));
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(finished.errors.contains(part), "{finished:?}");
        assert_eq!(finished.errors.lines().count(), 1, "{finished:?}");
    }
    place.write("o.txt", over);
    let finished = play(&place, "-openings file=o.txt -rounds 1 -maxmoves 300");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let written = std::fs::read_to_string(place.path("games.pgn")).unwrap();
    place.write("whole.pgn", &written);
    let finished = play(&place, "-openings file=whole.pgn");
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(
        finished.errors.contains("game 1, line 1: the game is over")
            && finished.errors.contains("plies="),
        "{finished:?}"
    );
}
