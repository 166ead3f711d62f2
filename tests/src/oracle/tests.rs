//! Tests of the rules text and of the reference counts.

use super::*;

/// Counts above this are left out, to keep the tests quick.
const MOST_LEAVES: u64 = if cfg!(debug_assertions) { 60_000 } else { 300_000 };

const WITH_RETURN_FORBIDDEN: OracleRules =
    OracleRules { no_immediate_return: true, ..OracleRules::STANDARD };
const WITH_MILLS_SAFE: OracleRules =
    OracleRules { all_in_mills_none: true, ..OracleRules::STANDARD };

fn play_all(mut state: State, moves: &str, rules: OracleRules) -> State {
    for text in moves.split_whitespace() {
        state = state
            .play(text, rules)
            .unwrap_or_else(|| panic!("{text} is not legal in {}", state.fen(rules)));
    }
    state
}

fn texts(list: &[(String, State)]) -> Vec<&str> {
    list.iter().map(|(text, _)| text.as_str()).collect()
}

/// The value of a text field in one line of the fixture file.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("\"{name}\": \""))?;
    rest.split_once('"').map(|(value, _)| value)
}

fn counts(line: &str) -> Vec<u64> {
    let (_, rest) = line.split_once("\"counts\": [").expect("counts");
    let (list, _) = rest.split_once(']').expect("end of counts");
    list.split(", ").map(|count| count.parse().expect("a count")).collect()
}

#[test]
fn board_is_sound() {
    // The edges are the steps along the lines: first to middle and middle to last.
    let steps = |line: &[usize; 3]| [[line[0], line[1]], [line[1], line[2]]];
    let along = |a: usize, b: usize| {
        lines().iter().flat_map(steps).any(|step| step == [a, b] || step == [b, a])
    };
    let points: Vec<usize> = LABELS.iter().filter_map(|label| point(label)).collect();
    assert_eq!(points, (0..24).collect::<Vec<usize>>());
    let mut edges = 0;
    for &a in &points {
        let through = lines().iter().filter(|line| line.contains(&a)).count();
        assert_eq!(through, 2, "lines through {}", LABELS[a]);
        edges += neighbours(a).len();
        for &b in &points {
            assert_eq!(neighbours(a).contains(&b), along(a, b), "{}-{}", LABELS[a], LABELS[b]);
        }
    }
    assert_eq!(edges, 2 * 32);
}

#[test]
fn perft_equals_the_reference() {
    let mut compared = 0;
    for line in include_str!("../../data/perft.json").lines().filter(|line| line.contains("\"id\""))
    {
        let id = field(line, "id").expect("an id");
        let rules = match field(line, "rules").expect("rules") {
            "one" => OracleRules::STANDARD,
            "two" => OracleRules::PLAYOK,
            other => panic!("rules {other}"),
        };
        let unit = match field(line, "unit").expect("unit") {
            "atomic" => Unit::Atomic,
            "turn" => Unit::Turn,
            other => panic!("unit {other}"),
        };
        let state = match (field(line, "fen"), field(line, "moves")) {
            (Some(fen), _) => State::from_fen(fen),
            (None, Some(moves)) => play_all(State::start(), moves, rules),
            (None, None) => panic!("{id} has no position"),
        };
        for (depth, count) in (1..).zip(counts(line)) {
            if count <= MOST_LEAVES {
                assert_eq!(state.perft(rules, unit, depth), count, "{id} at depth {depth}");
                compared += 1;
            }
        }
    }
    assert!(compared > 70, "only {compared} counts were compared");
}

#[test]
fn blocked_straight_after_placing() {
    let moves = "d2 b2 f2 g4 a1 a4 d3 f4 c3 e3 e5 c5 g1 d1 c4 d5 e4 b4";
    for rules in OracleRules::all() {
        let state = play_all(State::start(), moves, rules);
        assert_eq!(state.winner(rules), Some((Side::Black, Reason::Blocked)));
        assert!(state.turns(rules).is_empty() && state.actions(rules).is_empty());
        assert!(state.fen(rules).contains(" w o ? 9 0 9 0 0 0 "), "{}", state.fen(rules));
    }
}

#[test]
fn the_only_move_is_the_immediate_return() {
    let moves = "e3 b4 a4 e4 e5 b2 f2 c3 d3 d1 g4 d7 g1 g7 f4 d5 d2 f6 a4-a7 b4-b6";
    let free = play_all(State::start(), moves, OracleRules::STANDARD);
    assert_eq!(texts(&free.turns(OracleRules::STANDARD)), ["a7-a4"]);
    assert!(free.fen(OracleRules::STANDARD).contains(" -1 -1 -1 -1 0 2 11 ids:nodes"));
    let bound = play_all(State::start(), moves, WITH_RETURN_FORBIDDEN);
    assert_eq!(bound.winner(WITH_RETURN_FORBIDDEN), Some((Side::Black, Reason::Blocked)));
    // a4 is point 22, a7 23, b4 14, b6 15.
    assert!(
        bound
            .fen(WITH_RETURN_FORBIDDEN)
            .contains(" w o ? 9 0 9 0 0 0 22 23 14 15 0 2 11 ids:nodes")
    );
}

#[test]
fn two_captures_in_one_turn() {
    let rules = OracleRules::PLAYOK;
    let state = play_all(State::start(), "d5 d1 d6 a1 d7xd1 b4 b6 a7 f6xb4 a4xd6", rules);
    let turns = state.turns(rules);
    let double =
        texts(&turns).into_iter().filter(|text| text.starts_with("d6")).collect::<Vec<_>>();
    assert_eq!(double, ["d6xa1xa4", "d6xa1xa7", "d6xa4xa1", "d6xa4xa7", "d6xa7xa1", "d6xa7xa4"]);
    let placed = state.play("d6", rules).expect("legal");
    assert_eq!(placed.captures_due(), 2);
    assert_eq!(texts(&placed.turns(rules))[0], "xa1xa4");
    let taken = placed.play("xa1", rules).expect("legal");
    assert_eq!((taken.captures_due(), taken.side()), (1, Side::White));
    assert_eq!(texts(&taken.turns(rules)), ["xa4", "xa7"]);
}

#[test]
fn a_real_game_ends_blocked() {
    let numbers = [
        "a7", "d7", "g7", "b6", "d6", "f6", "c5", "d5", "e5", "a4", "b4", "c4", "e4", "f4", "g4",
        "c3", "d3", "e3", "b2", "d2", "f2", "a1", "d1", "g1",
    ];
    let moves = "5 13 20 19 14 21 7 8 23 17 12 16 18 11 4 6 10 22 23-24 22-23 24-15 \
                 23-22 15-3 13-9 18-13 22-23 5-2 17-18 10-1x23 8-5 7-8 16-17 12-16 \
                 11-10 4-11 5-4 2-5 10-22 3-15x22";
    let label = |number: &str| numbers[number.parse::<usize>().expect("a number") - 1];
    let mut state = State::start();
    let mut turns = 0;
    for text in moves.split_whitespace() {
        let (action, capture) = text.split_once('x').unwrap_or((text, ""));
        let mut turn = action.split('-').map(label).collect::<Vec<_>>().join("-");
        if !capture.is_empty() {
            turn = format!("{turn}x{}", label(capture));
        }
        state =
            state.play(&turn, OracleRules::PLAYOK).unwrap_or_else(|| panic!("{text} is {turn}"));
        turns += 1;
    }
    assert_eq!(turns, 39);
    assert_eq!(state.winner(OracleRules::PLAYOK), Some((Side::White, Reason::Blocked)));
    assert_eq!((state.on_board(Side::White), state.on_board(Side::Black)), (9, 7));
}

#[test]
fn a_mill_may_be_the_only_thing_to_take() {
    let fen = "*@@@****/********/OO*****O w m r 3 0 3 0 1 0 0 0 0 0 0 0 1";
    let state = State::from_fen(fen);
    assert_eq!(texts(&state.turns(OracleRules::STANDARD)), ["xe3", "xe4", "xe5"]);
    for (_, after) in state.turns(OracleRules::STANDARD) {
        assert_eq!(
            after.winner(OracleRules::STANDARD),
            Some((Side::White, Reason::FewerThanThree))
        );
    }
    assert!(!state.captures_possible(WITH_MILLS_SAFE));
    // Under `all_in_mills = none` the mill is closed, nothing is taken and the turn passes.
    let before = State::from_fen("*@@@****/********/OO****O* w m s 3 0 3 0 0 0 0 0 0 0 0 5 1");
    assert_eq!(before.play("a4-a7xe5", WITH_MILLS_SAFE), None);
    let after = before.play("a4-a7", WITH_MILLS_SAFE).expect("legal");
    assert_eq!((after.side(), after.captures_due(), after.quiet()), (Side::Black, 0, 6));
    let loose = State::from_fen("*@@@**@*/********/OO*****O w m r 3 0 4 0 1 0 0 0 0 0 0 0 1");
    assert_eq!(texts(&loose.actions(OracleRules::STANDARD)), ["xc4"]);
}

#[test]
fn captures_are_dropped_when_nothing_is_left_to_take() {
    // d7 closes a7-d7-g7 and d7-d6-d5; Black has one stone on the board and some in hand.
    let one =
        State::from_fen("O*******/O*******/*O**@**O w p p 4 5 1 6 0 0 -1 -1 -1 -1 0 0 5 ids:nodes");
    assert_eq!(
        one.turns(OracleRules::PLAYOK).iter().filter(|(text, _)| text.starts_with("d7")).count(),
        1
    );
    let after = one.play("d7xd1", OracleRules::PLAYOK).expect("legal");
    assert_eq!((after.side(), after.on_board(Side::Black)), (Side::Black, 0));
    // With none on the board the capture is forfeited and the turn is the placement alone.
    let none =
        State::from_fen("O*******/O*******/*O*****O w p p 4 5 0 6 0 0 -1 -1 -1 -1 0 0 5 ids:nodes");
    assert_eq!(none.play("d7", OracleRules::STANDARD).expect("legal").side(), Side::Black);
    // The first capture leaves Black two stones in all, so there is no second.
    let last =
        State::from_fen("O*******/O*******/*O**@@*O w p p 4 5 2 1 0 0 -1 -1 -1 -1 0 0 5 ids:nodes");
    let turns = last.turns(OracleRules::PLAYOK);
    let double: Vec<&str> =
        texts(&turns).into_iter().filter(|text| text.starts_with("d7")).collect();
    assert_eq!(double, ["d7xa1", "d7xd1"]);
    let won = last.play("d7xa1", OracleRules::PLAYOK).expect("legal");
    assert_eq!(won.winner(OracleRules::PLAYOK), Some((Side::White, Reason::FewerThanThree)));
    assert!(won.turns(OracleRules::PLAYOK).is_empty());
}

#[test]
fn few_stones_on_the_board_are_no_loss_with_more_in_hand() {
    let state =
        State::from_fen("O*******/********/***O*@** b p p 2 6 1 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes");
    assert_eq!(state.winner(OracleRules::STANDARD), None);
    assert_eq!(state.turns(OracleRules::STANDARD).len(), 21);
}

#[test]
fn a_way_back_is_forgotten_with_the_stone() {
    let rules = WITH_RETURN_FORBIDDEN;
    // White flies a4-a7 and takes a stone; Black's last move was that of the stone taken.
    let start =
        State::from_fen("*@**@***/@*******/OO*@**O* b m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 9 ids:nodes");
    let moved = play_all(start, "e5-e4", rules);
    assert!(moved.fen(rules).contains(" -1 -1 1 2 0 1 10 "), "{}", moved.fen(rules));
    let taken = play_all(moved.clone(), "a4-a7xe4", rules);
    assert!(taken.fen(rules).contains(" 22 23 -1 -1 0 0 10 "), "{}", taken.fen(rules));
    let spared = play_all(moved, "a4-a7xg1", rules);
    assert!(spared.fen(rules).contains(" 22 23 1 2 0 0 10 "), "{}", spared.fen(rules));
    assert!(!texts(&spared.turns(rules)).contains(&"e4-e5"));
    assert!(texts(&spared.turns(OracleRules::STANDARD)).contains(&"e4-e5"));
    assert_eq!(State::from_fen(&spared.fen(rules)), spared);
}

#[test]
fn both_forms_of_fen_read_the_same() {
    let nodes = "********/O******@/OO*@**@* w m s 3 0 3 0 0 0 15 8 -1 -1 0 2 9 ids:nodes";
    let older = "********/O******@/OO*@**@* w m s 3 0 3 0 0 0 23 16 0 0 0 2 9";
    assert_eq!(State::from_fen(nodes), State::from_fen(older));
    assert_eq!(State::from_fen(older).fen(WITH_RETURN_FORBIDDEN), nodes);
    assert_eq!(
        State::start().fen(OracleRules::STANDARD),
        "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes"
    );
}

#[test]
fn senseless_positions_are_refused() {
    for fen in [
        "********/********/******** w p p 0 9 0 9",
        "********/********/******** w p p 1 8 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "********/********/*******O w p p 1 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "********/********/O******O w m s 2 0 0 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "********/*@****@@/O*****OO w m r 3 0 3 0 1 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "********/********/OO*****O w p r 3 6 0 8 1 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "********/@******@/OO*****O w p r 3 6 2 7 2 0 -1 -1 -1 -1 0 0 3 ids:nodes",
        "********/@******@/OO*****O b p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 3 ids:nodes",
        "********/O*****@@/OO*@**** w m s 3 0 3 0 0 0 15 9 -1 -1 0 2 9 ids:nodes",
    ] {
        assert!(std::panic::catch_unwind(|| State::from_fen(fen)).is_err(), "{fen}");
    }
}

#[test]
fn random_positions_are_sound_and_varied() {
    let mut rng = splitmix64(1);
    let (mut over, mut blocked, mut due, mut flying, mut mixed) = (0, 0, 0, 0, 0);
    for _ in 0..3_000 {
        let state = State::random_setup(&mut rng);
        for rules in OracleRules::all() {
            assert_eq!(State::from_fen(&state.fen(rules)), state);
        }
        let rules = OracleRules::STANDARD;
        let turns = state.turns(rules);
        assert!(
            turns.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "a turn twice in {}",
            state.fen(rules)
        );
        assert!(
            turns.iter().all(|(_, next)| next.side() != state.side() && next.captures_due() == 0)
        );
        assert_eq!(turns.is_empty(), state.winner(rules).is_some());
        over += u32::from(
            state.winner(rules).is_some_and(|(_, reason)| reason == Reason::FewerThanThree),
        );
        blocked +=
            u32::from(state.winner(rules).is_some_and(|(_, reason)| reason == Reason::Blocked));
        due += u32::from(state.captures_due() > 0);
        flying += u32::from(state.hands == [0, 0] && state.on_board(state.side) == 3);
        mixed += u32::from((state.hands[0] == 0) != (state.hands[1] == 0));
    }
    for (count, what) in
        [(over, "over"), (blocked, "blocked"), (due, "due"), (flying, "flying"), (mixed, "mixed")]
    {
        println!("{what}: {count}");
        assert!(count >= 20, "{what}: only {count}");
    }
}
