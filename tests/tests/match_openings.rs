//! The opening set that comes with the match runner is what it says.

use std::collections::HashSet;
use std::path::Path;

use merel_engine::{Color, Position, Rules, Symmetry};
use merel_tests::matches::Place;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/openings/placing.epd");

#[test]
fn openings_are_many_balanced_and_no_two_are_alike() {
    let text = std::fs::read_to_string(Path::new(FILE)).expect("the opening set");
    let mut seen = HashSet::new();
    let mut by_length = [0; 9];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (fen, score) = line.split_once("; cp ").expect("a position and its score");
        let position = Position::from_fen(fen, Rules::default()).unwrap_or_else(|e| panic!("{e}"));
        let counts = Color::ALL.map(|c| position.stones(c).len() as usize);
        let placed = counts[0] + counts[1];
        // Nothing was captured, and the colours took turns.
        assert_eq!(Color::ALL.map(|c| usize::from(position.hand(c))), counts.map(|n| 9 - n));
        assert_eq!(counts[1], placed / 2, "{fen}");
        assert_eq!(position.to_move() == Color::White, placed % 2 == 0, "{fen}");
        by_length[placed] += 1;
        assert!(score.parse::<i32>().unwrap().abs() <= 30, "{line}");
        for symmetry in Symmetry::all() {
            let board = |color| symmetry.set(position.stones(color));
            assert!(!seen.contains(&(board(Color::White), board(Color::Black))), "{fen}");
        }
        seen.insert((position.stones(Color::White), position.stones(Color::Black)));
    }
    assert!(seen.len() >= 500, "{}", seen.len());
    assert!(by_length[..4].iter().all(|&n| n == 0) && by_length[4..].iter().all(|&n| n > 50));
}

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
