//! The move generator against the reference counts of leaves.

use merel_engine::perft::{Unit, divide, perft};
use merel_engine::{Position, Preset, Rules, Turn};
use merel_tests::bridge::{data_text, from_fen, played};
use serde_json::Value;

/// Counts above these are left to the long test: turns are counted in bulk, single actions are not.
const MOST_TURNS: u64 = 500_000_000;
const MOST_ACTIONS: u64 = 500_000_000;

/// One entry of the reference.
struct Entry {
    id: String,
    position: Position,
    unit: Unit,
    counts: Vec<u64>,
    /// Counts of turns that do not tell apart the orders of two captures.
    unordered: Option<Vec<u64>>,
}

impl Entry {
    fn read(entry: &Value) -> Entry {
        let text = |name: &str| entry[name].as_str();
        let rules: Rules = match text("rules").expect("rules") {
            "one" => Preset::Standard.into(),
            "two" => Preset::Playok.into(),
            other => panic!("rules {other}"),
        };
        let position = match (text("fen"), text("moves")) {
            (Some(fen), None) => from_fen(fen, rules),
            (None, Some(moves)) => *played(rules, moves).position(),
            _ => panic!("a FEN or moves: {entry}"),
        };
        let unit = match text("unit").expect("a unit") {
            "turn" => Unit::Turn,
            "atomic" => Unit::Atomic,
            other => panic!("unit {other}"),
        };
        let list = |name: &str| -> Option<Vec<u64>> {
            let counts = entry.get(name)?.as_array().expect("a list");
            Some(counts.iter().map(|count| count.as_u64().expect("a count")).collect())
        };
        Entry {
            id: text("id").expect("an id").to_owned(),
            position,
            unit,
            counts: list("counts").expect("counts"),
            unordered: list("counts_if_capture_order_is_ignored"),
        }
    }

    /// Compares the counts up to `most` leaves; how many were compared.
    fn check(&self, most: u64) -> usize {
        let few = self.counts.iter().take_while(|&&count| count <= most);
        let compared = few.clone().count();
        for (depth, &count) in (1..).zip(few) {
            assert_eq!(perft(&self.position, depth, self.unit), count, "{} at {depth}", self.id);
        }
        compared
    }
}

fn entries() -> Vec<Entry> {
    let data: Value = serde_json::from_str(&data_text("perft.json")).expect("JSON");
    data["entries"].as_array().expect("entries").iter().map(Entry::read).collect()
}

fn ceiling(unit: Unit) -> u64 {
    match unit {
        _ if cfg!(debug_assertions) => 300_000,
        Unit::Turn => MOST_TURNS,
        Unit::Atomic => MOST_ACTIONS,
    }
}

#[test]
fn counts_equal_the_reference() {
    for entry in entries() {
        let compared = entry.check(ceiling(entry.unit));
        assert!(compared >= 3, "{} compared at {compared} depths only", entry.id);
    }
}

#[test]
#[ignore = "takes about a minute"]
fn the_deepest_counts_equal_the_reference() {
    for entry in entries() {
        entry.check(u64::MAX);
    }
}

/// Turns that reach the same position by capturing the same two stones are one here.
fn perft_unordered(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let unordered = |turn: &Turn| {
        let mut captures = turn.captures();
        captures.sort();
        (turn.without_captures(), captures)
    };
    let mut turns = position.legal_turns().to_vec();
    turns.sort_by_key(unordered);
    turns.dedup_by_key(|turn| unordered(turn));
    turns.into_iter().map(|turn| perft_unordered(&position.after(turn), depth - 1)).sum()
}

#[test]
fn counts_without_the_order_of_captures_equal_the_reference() {
    let mut compared = 0;
    for entry in entries() {
        for (depth, count) in (1..).zip(entry.unordered.iter().flatten()) {
            assert_eq!(perft_unordered(&entry.position, depth), *count, "{} at {depth}", entry.id);
            compared += 1;
        }
    }
    assert!(compared >= 4, "the entry with such counts has gone");
}

#[test]
fn the_counts_of_the_turns_add_up() {
    for entry in entries() {
        for depth in 1..=3 {
            let parts: Vec<(Turn, u64)> = divide(&entry.position, depth, entry.unit).collect();
            let first = perft(&entry.position, 1, entry.unit);
            assert_eq!(u64::try_from(parts.len()).ok(), Some(first), "{}", entry.id);
            let sum: u64 = parts.iter().map(|(_, count)| count).sum();
            assert_eq!(sum, perft(&entry.position, depth, entry.unit), "{} at {depth}", entry.id);
        }
    }
}

#[test]
fn the_unit_makes_no_difference_while_no_mill_can_be_closed() {
    let start = Position::start(Rules::default());
    for depth in 0..=4 {
        assert_eq!(perft(&start, depth, Unit::Turn), perft(&start, depth, Unit::Atomic));
    }
}

#[test]
fn a_finished_game_is_a_leaf_only_where_it_ends() {
    // Black's last capture has left White with two stones.
    let over = from_fen(
        "O*@*****/O*@*****/*@****** w o ? 2 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        Rules::default(),
    );
    for unit in [Unit::Turn, Unit::Atomic] {
        assert_eq!(perft(&over, 0, unit), 1);
        assert_eq!(perft(&over, 1, unit), 0);
        assert_eq!(perft(&over, 2, unit), 0);
        assert_eq!(divide(&over, 1, unit).count(), 0);
    }
}

#[test]
fn repetition_and_the_quiet_limit_end_no_line() {
    let fen = "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let free = from_fen(fen, Rules::default());
    let limited = from_fen(fen, Rules { quiet_limit: 1, ..Rules::default() });
    for depth in 1..=3 {
        assert_eq!(perft(&free, depth, Unit::Turn), perft(&limited, depth, Unit::Turn));
    }
}
