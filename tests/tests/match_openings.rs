//! The opening set of the project opens matches.

use std::collections::HashSet;

use merel_tests::matches::Place;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/openings/placing.epd");

#[test]
fn a_match_in_any_protocol_takes_the_set() {
    let place = Place::new(env!("CARGO_BIN_EXE_merel-match-under-test"));
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
