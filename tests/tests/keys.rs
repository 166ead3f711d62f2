//! Hash keys: kept up turn by turn as computed from nothing, equal for equal positions, different
//! for different ones.

use std::collections::HashMap;

use merel_engine::{Bitboard, Color, Point, Position, Preset, Rules, Setup, Turn};
use merel_tests::bridge::{engine_rules, from_fen, played, position};
use merel_tests::oracle::{OracleRules, State, splitmix64};

/// Rules under which last moves are part of the position.
fn no_return() -> Rules {
    Rules { no_immediate_return: true, ..Rules::default() }
}

fn point(name: &str) -> Point {
    name.parse().expect("a point")
}

/// All that a key is to stand for.
type Facts = ([u32; 2], [u8; 2], Color, u8, [Option<(Point, Point)>; 2]);

fn facts(position: &Position) -> Facts {
    (
        Color::ALL.map(|color| position.stones(color).bits()),
        Color::ALL.map(|color| position.hand(color)),
        position.to_move(),
        position.captures_due(),
        Color::ALL.map(|color| position.last_move(color)),
    )
}

/// Keys met so far with the facts they stand for.
#[derive(Default)]
struct Known(HashMap<u64, Facts>);

impl Known {
    /// Checks the key of a position on its own and against all others.
    fn check(&mut self, position: &Position) {
        assert_eq!(position.key(), position.computed_key(), "{}", position.fen());
        let facts = facts(position);
        let known = self.0.entry(position.key()).or_insert(facts);
        assert_eq!(*known, facts, "one key for two positions, one of them {}", position.fen());
    }
}

/// Checks all positions of the tree in single actions, so also those with captures due.
fn check_tree(known: &mut Known, position: &Position, depth: u32) {
    known.check(position);
    if depth == 0 {
        return;
    }
    for turn in position.legal_turns() {
        let next = position.after(turn);
        assert_eq!(next.key(), next.computed_key(), "{turn} in {}", position.fen());
    }
    for action in position.legal_actions() {
        check_tree(known, &position.after_part(action), depth - 1);
    }
}

#[test]
fn along_the_tree_of_actions() {
    let depth = if cfg!(debug_assertions) { 2 } else { 3 };
    let mut rng = splitmix64(11);
    for rules in OracleRules::all() {
        let mut known = Known::default();
        check_tree(&mut known, &Position::start(engine_rules(rules)), depth);
        for _ in 0..40 {
            let state = State::random_setup(&mut rng);
            if state.captures_possible(rules) {
                check_tree(&mut known, &position(&state, engine_rules(rules)), depth - 1);
            }
        }
        assert!(known.0.len() > 500, "{} positions", known.0.len());
    }
}

#[test]
fn along_random_games() {
    let mut rng = splitmix64(12);
    for rules in OracleRules::all() {
        let mut known = Known::default();
        for _ in 0..if cfg!(debug_assertions) { 20 } else { 500 } {
            let mut position = Position::start(engine_rules(rules));
            for _ in 0..200 {
                known.check(&position);
                let actions = position.legal_actions();
                if actions.is_empty() {
                    break;
                }
                position = position.after_part(actions[(rng() % actions.len() as u64) as usize]);
            }
        }
    }
}

#[test]
fn a_turn_and_its_parts_lead_to_one_key() {
    let mut rng = splitmix64(13);
    let mut compared = 0;
    while compared < 2_000 {
        let rules = OracleRules::all()[(rng() % 8) as usize];
        let state = State::random_setup(&mut rng);
        if !state.captures_possible(rules) {
            continue;
        }
        let before = position(&state, engine_rules(rules));
        for turn in before.legal_turns().into_iter().filter(|turn| turn.is_capture()) {
            assert_eq!(
                before.after(turn),
                after_parts(&before, turn),
                "{turn} in {}",
                before.fen()
            );
            compared += 1;
        }
    }
}

/// The position after the actions of a turn one by one.
fn after_parts(before: &Position, turn: Turn) -> Position {
    let captures = turn.captures().into_iter().flatten().map(Turn::capture_only);
    let parts = turn.without_captures().into_iter().chain(captures);
    parts.fold(*before, |position, part| position.after_part(part))
}

/// Every set-up that differs from the start in one fact, or in one of each of two kinds.
fn single_facts() -> Vec<Setup> {
    let mut setups = vec![Setup::START];
    for white in 0..=9 {
        for black in 0..=9 {
            setups.push(Setup { hands: [white, black], ..Setup::START });
        }
    }
    for stone in Point::all() {
        setups.push(Setup {
            stones: [stone.bit(), Bitboard::EMPTY],
            hands: [8, 8],
            ..Setup::START
        });
        setups.push(Setup {
            stones: [Bitboard::EMPTY, stone.bit()],
            hands: [8, 8],
            ..Setup::START
        });
    }
    let other_side = |setup: &Setup| Setup { to_move: Color::Black, ..*setup };
    let turned: Vec<Setup> = setups.iter().map(other_side).collect();
    setups.extend(turned);
    setups
}

fn set(names: &str) -> Bitboard {
    names.split_whitespace().map(point).collect()
}

/// Stones that allow two captures for either side, and last moves of both.
fn crossed_mills() -> Setup {
    Setup { stones: [set("a7 d7 g7 d6 d5"), set("a1 d1 g1 d2 d3")], hands: [0, 0], ..Setup::START }
}

#[test]
fn side_hands_and_stones_each_change_the_key() {
    let mut known = Known::default();
    let mut checked = 0;
    for setup in single_facts() {
        if let Ok(position) = setup.check(Rules::default()) {
            known.check(&position);
            checked += 1;
        }
    }
    assert!(checked > 200, "{checked} checked");
}

#[test]
fn captures_due_change_the_key() {
    let mut known = Known::default();
    for color in Color::ALL {
        for due in 0..=2 {
            let mut setup = Setup { to_move: color, ..crossed_mills() };
            setup.captures_due[color.index()] = due;
            known.check(&setup.check(Preset::Playok.into()).expect("a position"));
        }
    }
    assert_eq!(known.0.len(), 6);
}

#[test]
fn every_pair_of_last_moves_changes_the_key() {
    let mut known = Known::default();
    let base = crossed_mills();
    let empty = !(base.stones[0] | base.stones[1]);
    let moves = |color: usize| {
        let to = base.stones[color].into_iter();
        let pairs = to.flat_map(move |to| empty.into_iter().map(move |from| Some((from, to))));
        pairs.chain([None]).collect::<Vec<_>>()
    };
    for white in moves(0) {
        for black in moves(1) {
            let setup = Setup { last_moves: [white, black], ..base };
            known.check(&setup.check(no_return()).expect("a position"));
        }
    }
    assert_eq!(known.0.len(), 71 * 71, "fourteen points left, five stones that moved, or none");
}

#[test]
fn last_moves_count_only_where_the_rule_is_on() {
    let base = crossed_mills();
    let moved = Setup { last_moves: [Some((point("a4"), point("a7"))), None], ..base };
    let key = |setup: Setup, rules| setup.check(rules).expect("a position").key();
    assert_eq!(key(base, Rules::default()), key(moved, Rules::default()));
    assert_ne!(key(base, no_return()), key(moved, no_return()));
}

#[test]
fn the_counters_are_no_part_of_the_key() {
    let late = Setup { quiet: 31, fullmove: 77, ..crossed_mills() };
    let key = |setup: Setup| setup.check(no_return()).expect("a position").key();
    assert_eq!(key(late), key(crossed_mills()));
}

#[test]
fn placements_in_another_order_lead_to_the_same_key() {
    let orders = ["a7 b2 d6 e3 g4 c3", "d6 c3 a7 b2 g4 e3", "g4 e3 d6 b2 a7 c3"];
    for rules in [Rules::default(), Preset::Playok.into(), no_return()] {
        let keys = orders.map(|moves| played(rules, moves).position().key());
        assert_eq!(keys, [keys[0]; 3]);
    }
}

const NINE_EACH: &str = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4 c4-b4 c3-c4";

#[test]
fn moves_in_another_order_lead_to_the_same_key_unless_the_last_one_counts() {
    let key = |rules, moves: &str| played(rules, &format!("{NINE_EACH} {moves}")).position().key();
    let keys = |rules| [key(rules, "f6-f4 a7-d7 d2-f2"), key(rules, "d2-f2 a7-d7 f6-f4")];
    let [one, two] = keys(Rules::default());
    assert_eq!(one, two);
    let [one, two] = keys(no_return());
    assert_ne!(one, two);
}

#[test]
fn going_round_leads_back_to_the_same_key_and_counts_as_an_occurrence() {
    let start = played(Rules::default(), NINE_EACH);
    let round = played(Rules::default(), &format!("{NINE_EACH} f6-f4 a7-d7 f4-f6 d7-a7"));
    assert_eq!(start.position().key(), round.position().key());
    assert_eq!(round.occurrences(), 2);
    assert_ne!(start.position(), round.position(), "the counters have gone on");
}

#[test]
fn an_unfinished_turn_has_a_key_of_its_own() {
    let closed = played(Rules::default(), "a7 b6 d7 d6 g7");
    let finished = played(Rules::default(), "a7 b6 d7 d6 g7 xb6");
    let by_text = from_fen(&closed.position().fen(), Rules::default());
    assert_eq!(closed.position().key(), by_text.key());
    assert_ne!(closed.position().key(), finished.position().key());
    let whole = played(Rules::default(), "a7 b6 d7 d6 g7xb6");
    assert_eq!(whole.position().key(), finished.position().key());
}

#[test]
fn exchanged_colours_change_the_key() {
    let game = played(Rules::default(), "a7 b6 d7");
    assert_ne!(game.position().key(), game.position().flipped().key());
    assert_eq!(game.position().key(), game.position().flipped().flipped().key());
}
