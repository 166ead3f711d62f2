//! The opening set that is shipped.

use std::collections::{HashMap, HashSet};
use std::process::Command;

use merel_benches::opening_set::{Recipe, opening_set, shape};
use merel_engine::{Bitboard, Color, Position, Rules, Symmetry};

const SET: &str = include_str!("../../protocol/openings/placing.epd");

/// FEN, id and score of each line.
fn lines() -> Vec<(Position, &'static str, i32)> {
    let read = |line: &'static str| {
        let parts: Vec<&str> = line.split("; ").collect();
        let [fen, id, score] = parts.as_slice() else { panic!("three parts: {line}") };
        let position =
            Position::from_fen(fen, Rules::default()).unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(position.fen(), *fen, "the FEN says nothing but what the position is");
        let id = id.strip_prefix("id ").expect("an id");
        let score = score.strip_prefix("ce ").expect("a score").parse().expect("a number");
        (position, id, score)
    };
    SET.lines().map(read).collect()
}

#[test]
fn there_are_at_least_500_with_ids_of_their_own() {
    let lines = lines();
    assert_eq!(lines.len(), Recipe::SHIPPED_COUNT);
    assert!(lines.len() >= 500);
    let ids: HashSet<&str> = lines.iter().map(|(_, id, _)| *id).collect();
    assert_eq!(ids.len(), lines.len());
}

/// The least text of the board and the side to move over all images, also with the colours
/// exchanged. Written without the function that makes the set distinct.
fn least_image(position: &Position) -> String {
    let images = [*position, position.flipped()].into_iter().flat_map(|p| {
        Symmetry::all().map(move |s| {
            let fen = p.transformed(s).fen();
            fen.split(' ').take(2).collect::<Vec<_>>().join(" ")
        })
    });
    images.min().expect("there are images")
}

#[test]
fn no_two_are_alike_under_the_symmetries() {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for (position, id, _) in lines() {
        if let Some(other) = seen.insert(least_image(&position), id) {
            panic!("{id} and {other} are the same");
        }
    }
    let same = Position::from_fen(
        "O*******/********/*******@ w p p 1 8 1 8 0 0 -1 -1 -1 -1 0 0 2 ids:nodes",
        Rules::default(),
    );
    let same = same.expect("a position");
    for s in Symmetry::all() {
        for image in [same.transformed(s), same.flipped().transformed(s)] {
            assert_eq!(least_image(&image), least_image(&same));
            assert_eq!(shape(&image), shape(&same));
        }
    }
}

#[test]
fn all_are_4_to_8_placements_from_the_empty_board() {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for (position, id, _) in lines() {
        let [white, black] = Color::ALL.map(|c| position.stones(c).len());
        let plies = white + black;
        *counts.entry(plies).or_default() += 1;
        assert!(white == black || white == black + 1, "{id}");
        let to_move = if white == black { Color::White } else { Color::Black };
        assert_eq!(position.to_move(), to_move, "{id}");
        for (color, stones) in Color::ALL.into_iter().zip([white, black]) {
            assert_eq!(u32::from(position.hand(color)) + stones, 9, "{id}");
            // Without a mill there was no capture, in whatever order the stones were placed.
            assert_eq!(position.stones(color).in_mills(), Bitboard::EMPTY, "{id}");
        }
        assert_eq!(position.captures_due(), 0, "{id}");
        assert_eq!(position.outcome(), None, "{id}");
        assert_eq!(u32::from(position.fullmove()), plies / 2 + 1, "{id}");
        assert_eq!(position.quiet(), 0, "{id}");
    }
    let mut lengths: Vec<u32> = counts.keys().copied().collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [4, 5, 6, 7, 8], "{counts:?}");
    assert!(counts.values().all(|&count| count == Recipe::SHIPPED_COUNT / 5), "{counts:?}");
}

#[test]
fn all_are_balanced_within_the_bound_that_is_stated() {
    for (_, id, score) in lines() {
        assert!(score.abs() <= Recipe::SHIPPED.bound, "{id}: {score}");
    }
}

#[test]
fn the_command_makes_the_same_set_again() {
    let made = Command::new(env!("CARGO_BIN_EXE_openings"))
        .args(["--count", "4"])
        .output()
        .expect("the command runs");
    assert!(made.status.success());
    let made = String::from_utf8(made.stdout).expect("text");
    assert_eq!(made.lines().count(), 4);
    let first: Vec<&str> = SET.lines().take(4).collect();
    assert_eq!(
        made.lines().collect::<Vec<_>>(),
        first,
        "the engine judges otherwise than when the set was made; make it again as \
         CONTRIBUTING.md says"
    );
}

#[test]
fn another_seed_makes_another_set() {
    let set = |seed| {
        let recipe = Recipe { seed, nodes: 500, ..Recipe::SHIPPED };
        opening_set(recipe).take(5).collect::<Vec<_>>()
    };
    assert_eq!(set(1), set(1));
    assert_ne!(set(1), set(2));
}
