//! Turns as text: every legal one is printed and read back, every other is refused for its reason.

use merel_engine::{
    AllInMills, Color, Game, Point, Position, Preset, Rules, Turn, TurnError, parse_turn,
};
use merel_tests::bridge::{engine_rules, from_fen, played, position};
use merel_tests::oracle::{OracleRules, State, neighbours, splitmix64};
use proptest::prelude::*;

fn standard() -> Rules {
    Rules::default()
}

fn playok() -> Rules {
    Preset::Playok.into()
}

fn point(name: &str) -> Point {
    name.parse().expect("a point")
}

/// The legal whole turns, sorted, as one text.
fn turns(position: &Position) -> String {
    let mut list: Vec<String> = position.legal_turns().iter().map(ToString::to_string).collect();
    list.sort();
    list.join(" ")
}

/// Asserts that the game refuses the text for this reason and stays as it was.
#[track_caller]
fn assert_refused(game: &Game, text: &str, reason: TurnError) {
    let mut tried = game.clone();
    assert_eq!(tried.play_text(text), Err(reason), "{text}");
    assert_eq!(tried.position(), game.position());
    assert_eq!(tried.reversible_keys(), game.reversible_keys());
    assert_eq!(game.position().parse_turn(text), Err(reason), "{text}");
}

/// As [`assert_refused`], after these moves under `standard`.
#[track_caller]
fn assert_refused_after(moves: &str, text: &str, reason: TurnError) {
    assert_refused(&played(standard(), moves), text, reason);
}

mod refusals {
    //! Each reason with the smallest input that gives it.

    use super::*;

    /// Nine against nine, no mill closed on the way; White to move.
    const NINE_EACH: &str = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4";

    #[test]
    fn text_that_has_not_the_form_of_a_turn() {
        let malformed = [
            "",
            "a",
            "a7a",
            "a7a4",
            "0000",
            "none",
            "draw",
            "pass",
            "(1,6)",
            "a7xb6xc5xd6",
            "xb6xc5xd6",
            "a7 ",
            " a7",
            "a7,",
            "a7+",
        ];
        for text in malformed {
            assert_refused_after("", text, TurnError::Malformed);
        }
    }

    #[test]
    fn points_that_the_board_does_not_have() {
        for text in ["b7", "a9", "d4", "h1", "a0", "17", "a7-b7", "b7-a7", "a7xb7", "xd4", "é"] {
            assert_refused_after("", text, TurnError::NotAPoint);
        }
        for text in ["x", "-", "a7-", "-a7", "a7x", "a7xx", "a7-a4-a1", "a7-a4-"] {
            assert!(matches!(
                Game::start(standard()).play_text(text),
                Err(TurnError::NotAPoint | TurnError::Malformed)
            ));
        }
    }

    #[test]
    fn a_point_that_is_taken() {
        assert_refused_after("a7", "a7", TurnError::Occupied(point("a7")));
        assert_refused_after("a7 b6", "a7", TurnError::Occupied(point("a7")));
        assert_refused_after(NINE_EACH, "g7-g4", TurnError::Occupied(point("g4")));
    }

    #[test]
    fn a_move_with_stones_in_hand() {
        assert_refused_after("", "a7-a4", TurnError::StonesInHand(Color::White));
        assert_refused_after("a7", "b6-b4", TurnError::StonesInHand(Color::Black));
        assert_refused_after("a7 b6", "a7-a4", TurnError::StonesInHand(Color::White));
    }

    #[test]
    fn a_placement_with_an_empty_hand() {
        assert_refused_after(NINE_EACH, "a1", TurnError::HandEmpty(Color::White));
    }

    #[test]
    fn a_move_of_nothing_or_of_the_opponents_stone() {
        assert_refused_after(NINE_EACH, "a1-c5", TurnError::NoStone(point("a1")));
        assert_refused_after(NINE_EACH, "a7-d7", TurnError::NotYours(point("a7")));
    }

    #[test]
    fn a_move_between_points_without_a_line() {
        let refusal = |from, to| TurnError::NotConnected(point(from), point(to));
        assert_refused_after(NINE_EACH, "d6-c5", refusal("d6", "c5"));
        assert_refused_after(NINE_EACH, "g7-a1", refusal("g7", "a1"));
        assert_refused_after(NINE_EACH, "f6-f2", refusal("f6", "f2"));
        // Joined to both, but two steps.
        assert_refused_after(NINE_EACH, "d5-d7", refusal("d5", "d7"));
    }

    #[test]
    fn a_capture_without_a_mill() {
        assert_refused_after("a7", "b6xa7", TurnError::NoMillClosed);
        assert_refused_after("a7", "xa7", TurnError::NoMillClosed);
        assert_refused_after("", "xa7", TurnError::NoMillClosed);
        assert_refused_after(NINE_EACH, "f6-f4xa7", TurnError::NoMillClosed);
    }

    #[test]
    fn another_turn_where_a_capture_is_due() {
        assert_refused_after("a7 b6 d7 d6 g7", "a4", TurnError::CaptureMissing);
        assert_refused_after("a7 b6 d7 d6 g7", "a4xb6", TurnError::CaptureMissing);
        assert_refused_after("a7 b6 d7 d6 g7", "a7-a4", TurnError::CaptureMissing);
        // A whole turn needs its capture; as the beginning of one it is fine.
        let game = played(standard(), "a7 b6 d7 d6");
        assert_eq!(game.position().parse_turn("g7"), Err(TurnError::CaptureMissing));
        assert_eq!(game.position().parse_part("g7").map(|t| t.to_string()), Ok("g7".to_owned()));
    }

    #[test]
    fn too_many_captures() {
        let one = TurnError::TooManyCaptures { mills: 1, earned: 1 };
        assert_refused_after("a7 b6 d7 d6", "g7xb6xd6", one);
        let game = played(standard(), "a7 b6 d7 d6 g7");
        assert!(matches!(
            game.position().parse_turn("xb6xd6"),
            Err(TurnError::TooManyCaptures { earned: 1, .. })
        ));
        let double = "a7 e5 d7 d1 g4 b4 g1 b2";
        assert_refused_after(
            double,
            "g7xe5xd1",
            TurnError::TooManyCaptures { mills: 2, earned: 1 },
        );
        // Three are no turn under any rules.
        assert_refused(&played(playok(), double), "g7xe5xd1xb4", TurnError::Malformed);
    }

    #[test]
    fn a_capture_of_nothing_and_of_an_own_stone() {
        let before = "a7 b6 d7 d6";
        assert_refused_after(before, "g7xa1", TurnError::NoStone(point("a1")));
        assert_refused_after(before, "g7xa7", TurnError::OwnStone(point("a7")));
        assert_refused_after(before, "g7xg7", TurnError::OwnStone(point("g7")));
        let closed = "a7 b6 d7 d6 g7";
        assert_refused_after(closed, "xa1", TurnError::NoStone(point("a1")));
        assert_refused_after(closed, "xa7", TurnError::OwnStone(point("a7")));
        assert_refused_after(closed, "xg7", TurnError::OwnStone(point("g7")));
        // The same stone twice, and the point a stone has just left.
        let double = played(playok(), "a7 e5 d7 d1 g4 b4 g1 b2");
        assert_refused(&double, "g7xe5xe5", TurnError::NoStone(point("e5")));
    }

    /// The stone that closed the mill has left that point.
    #[test]
    fn a_capture_on_the_point_just_left() {
        let fen = "@***@**@/***O****/O*O****O w m s 4 0 3 0 0 0 0 0 0 0 0 0 1";
        let moving = Game::new(from_fen(fen, standard()));
        assert_refused(&moving, "g4-g7xg4", TurnError::NoStone(point("g4")));
    }

    #[test]
    fn a_stone_in_a_mill_while_others_are_loose() {
        let fen = "***OOO**/***@****/@@*****@ w m r 3 0 4 0 1 0 0 0 0 0 0 0 1";
        let game = Game::new(from_fen(fen, standard()));
        for mill in ["a7", "d7", "g7"] {
            assert_refused(&game, &format!("x{mill}"), TurnError::Protected(point(mill)));
        }
    }

    #[test]
    fn a_capture_where_every_stone_is_safe() {
        let rules = Rules { all_in_mills: AllInMills::None, ..standard() };
        let fen = "*@@@****/********/*O*****O w p p 2 7 3 6 0 0 0 0 0 0 0 0 4";
        let game = Game::new(from_fen(fen, rules));
        assert_refused(&game, "d7xe5", TurnError::NothingToCapture);
        assert!(game.position().parse_turn("d7").is_ok());
    }

    #[test]
    fn an_immediate_return() {
        let rules = Rules { no_immediate_return: true, ..standard() };
        let game = played(rules, &format!("{NINE_EACH} f6-f4 a7-d7"));
        let refusal = TurnError::ImmediateReturn(point("f4"), point("f6"));
        assert_refused(&game, "f4-f6", refusal);
        assert_refused(&game, "F4-F6", refusal);
        // Another stone may go there, and this one may a turn later.
        let mut game = played(rules, &format!("{NINE_EACH} f6-f4 a7-d7 d2-f2 b6-b4"));
        assert!(game.play_text("f4-f6").is_ok());
    }

    #[test]
    fn anything_once_the_game_is_over() {
        let moves = "d2 b2 f2 g4 a1 a4 d3 f4 c3 e3 e5 c5 g1 d1 c4 d5 e4 b4";
        let game = played(standard(), moves);
        let over = TurnError::GameOver(game.outcome().expect("White is blocked"));
        for text in ["a7", "d2-d6", "xa4"] {
            assert_refused(&game, text, over);
        }
        let text = over.to_string();
        assert!(text.contains("Black wins") && text.contains("no legal move"), "{text}");
    }

    #[test]
    fn the_text_of_a_refusal_names_point_and_reason() {
        let said = |moves: &str, text: &str| {
            let refused = played(standard(), moves).play_text(text);
            refused.expect_err("a refusal").to_string()
        };
        for (moves, text, words) in [
            ("a7", "a7", "a7 is occupied"),
            (NINE_EACH, "d6-c5", "d6 and c5 are not connected by a line"),
            ("", "a7-a4", "White has stones still in hand"),
            ("a7 b6 d7 d6 g7", "a4", "capture missing"),
            ("a7 d6 d5 b4 c5 c4 e5 xd6 a4", "xe5", "e5 is protected by a mill"),
            (NINE_EACH, "a1-c5", "no stone on a1"),
            ("", "b7", "no such point"),
            ("a7 e5 d7 d1 g4 b4 g1 b2", "g7xe5xd1", "DoubleMill is one"),
        ] {
            let said = said(moves, text);
            assert!(said.contains(words), "{said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
}

mod reading_back {
    //! What is printed is read.

    use super::*;

    /// A turn as single actions, one token each.
    fn tokens(turn: Turn) -> Vec<String> {
        let captures = turn.captures().into_iter().flatten().map(|on| format!("x{on}"));
        turn.without_captures()
            .map(|action| action.to_string())
            .into_iter()
            .chain(captures)
            .collect()
    }

    fn assert_reads_back(position: &Position, turn: Turn) {
        let text = turn.to_string();
        let fen = position.fen();
        assert_eq!(parse_turn(&text), Ok(turn), "{text}");
        assert_eq!(position.parse_turn(&text), Ok(turn), "{text} in {fen}");
        assert_eq!(position.parse_turn(&text.to_uppercase()), Ok(turn), "{text} in {fen}");
        let expected = position.after(turn);
        for upper in [false, true] {
            let mut game = Game::new(*position);
            for token in tokens(turn) {
                let token = if upper { token.to_uppercase() } else { token };
                game.play_text(&token)
                    .unwrap_or_else(|e| panic!("{token} of {text} in {fen}: {e}"));
            }
            assert_eq!(*game.position(), expected, "{text} in {fen}");
        }
        // Whole, and the first action with all captures in the next token.
        let mut game = Game::new(*position);
        game.play_text(&text).expect("a legal turn");
        assert_eq!(*game.position(), expected);
        if let [first, captures @ ..] = &tokens(turn)[..]
            && captures.len() == 2
        {
            let mut game = Game::new(*position);
            game.play_text(first).expect("the action");
            game.play_text(&captures.concat()).expect("both captures");
            assert_eq!(*game.position(), expected);
        }
    }

    #[test]
    fn every_turn_of_random_positions() {
        let mut rng = splitmix64(31);
        let (mut read, mut twice) = (0, 0);
        for number in 0..if cfg!(debug_assertions) { 1_000 } else { 4_000 } {
            let rules = OracleRules::all()[number % 8];
            let state = State::random_setup(&mut rng);
            for state in [state.with_second_capture(), Some(state)].into_iter().flatten() {
                if !state.captures_possible(rules) {
                    continue;
                }
                let position = position(&state, engine_rules(rules));
                for turn in position.legal_turns() {
                    assert_reads_back(&position, turn);
                    read += 1;
                    twice += usize::from(turn.captures()[1].is_some());
                }
            }
        }
        assert!(read > 4_000 && twice > 50, "{read} read, {twice} with two captures");
    }

    #[test]
    fn every_turn_that_can_be_written() {
        // All that has the form of a turn, legal anywhere or not.
        for turn in (0..1 << Turn::BITS).step_by(7).filter_map(Turn::from_bits) {
            let proper = turn.from().is_none() || turn.to().is_some();
            let ordered = turn.captures()[0].is_some() || turn.captures()[1].is_none();
            if proper && ordered {
                assert_eq!(parse_turn(&turn.to_string()), Ok(turn), "{turn}");
            }
        }
    }

    #[test]
    fn exactly_the_legal_turns_are_read() {
        let mut rng = splitmix64(32);
        for number in 0..if cfg!(debug_assertions) { 8 } else { 100 } {
            let rules = OracleRules::all()[number % 8];
            let state = State::random_setup(&mut rng);
            if !state.captures_possible(rules) {
                continue;
            }
            let position = position(&state, engine_rules(rules));
            let legal = position.legal_turns();
            for turn in (0..1 << Turn::BITS).step_by(61).filter_map(Turn::from_bits) {
                if let Ok(read) = position.parse_turn(&turn.to_string()) {
                    assert!(legal.contains(&read), "{turn} read as {read} in {}", position.fen());
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>(), seed in any::<u64>()) {
            read_anything(&text, seed);
        }

        #[test]
        fn any_text_like_a_turn_is_read_or_refused(text in "([a-hA-H][0-9x-]{0,3}[xX]?){0,4}", seed in any::<u64>()) {
            read_anything(&text, seed);
        }
    }

    fn read_anything(text: &str, seed: u64) {
        let state = State::random_setup(&mut splitmix64(seed));
        let mut game = Game::new(position(&state, playok()));
        let before = *game.position();
        match game.play_text(text) {
            Ok(turn) => assert!(parse_turn(&turn.to_string()).is_ok()),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert_eq!(*game.position(), before);
            }
        }
    }
}

mod captures {
    //! Captures in the turn's own token, in tokens of their own, and not yet made.

    use super::*;

    #[test]
    fn in_the_turn_or_in_a_token_of_its_own() {
        for rules in [standard(), playok()] {
            let joined = played(rules, "a7 b6 d7 d6 g7xb6");
            let apart = played(rules, "a7 b6 d7 d6 g7 xb6");
            assert_eq!(joined.position(), apart.position());
            assert_eq!(joined.reversible_keys(), apart.reversible_keys());
        }
    }

    #[test]
    fn a_list_may_end_before_its_capture() {
        let game = played(standard(), "a7 b6 d7 d6 g7");
        let position = game.position();
        assert_eq!((position.to_move(), position.captures_due()), (Color::White, 1));
        assert_eq!(game.outcome(), None);
        assert_eq!(turns(position), "xb6 xd6");
        // What is left of the turn is one turn.
        let after = position.after(position.parse_turn("xb6").expect("a turn"));
        assert_eq!((after.to_move(), after.fullmove()), (Color::Black, 3));
        assert_eq!(after, *played(standard(), "a7 b6 d7 d6 g7xb6").position());
    }

    #[test]
    fn a_list_may_end_between_two_captures() {
        let game = played(playok(), "a7 e5 d7 d1 g4 b4 g1 b2 g7xe5");
        assert_eq!(game.position().captures_due(), 1);
        assert_eq!(turns(game.position()), "xb2 xb4 xd1");
        let whole = played(playok(), "a7 e5 d7 d1 g4 b4 g1 b2 g7xe5xd1");
        let apart = played(playok(), "a7 e5 d7 d1 g4 b4 g1 b2 g7 xe5 xd1");
        let mixed = played(playok(), "a7 e5 d7 d1 g4 b4 g1 b2 g7 xe5xd1");
        assert_eq!(whole.position(), apart.position());
        assert_eq!(whole.position(), mixed.position());
    }

    /// Other programs write the second capture of a double mill even where the first has won.
    #[test]
    fn a_surplus_capture_after_a_decisive_one_is_dropped() {
        // g7 closes a7-d7-g7 and g7-g4-g1.
        let fen = "@*@*@***/********/O*OO***O w p p 4 1 3 0 0 0 0 0 0 0 0 0 1";
        let before = from_fen(fen, playok());
        let turn = before.parse_turn("g7xd5xe4").expect("read");
        assert_eq!(turn.to_string(), "g7xd5");
        assert!(before.after(turn).outcome().is_some());
        assert_eq!(before.parse_turn("g7xd5"), Ok(turn));
        // Under one capture it is surplus in any case.
        let refusal = TurnError::TooManyCaptures { mills: 2, earned: 1 };
        assert_eq!(from_fen(fen, standard()).parse_turn("g7xd5xe4"), Err(refusal));
    }

    #[test]
    fn a_second_capture_with_nothing_left_on_the_board_is_forfeited() {
        let fen = "@*******/********/O*OO***O w p p 4 1 1 8 0 0 0 0 0 0 0 0 1";
        let before = from_fen(fen, playok());
        assert!(turns(&before).contains("g7xd5"));
        let after = before.after(before.parse_turn("g7xd5").expect("a whole turn"));
        assert_eq!((after.to_move(), after.captures_due()), (Color::Black, 0));
        assert!(before.parse_turn("g7xd5xd5").is_err());
    }

    #[test]
    fn the_loose_stone_goes_first_and_then_any() {
        // Black: a mill c5-d5-e5 and the loose e3.
        let fen = "@@*@***@/********/O*OO***O w p p 4 1 4 0 0 0 0 0 0 0 0 0 1";
        let before = from_fen(fen, playok());
        let pairs: Vec<String> =
            turns(&before).split(' ').filter(|t| t.starts_with("g7")).map(str::to_owned).collect();
        assert_eq!(pairs, ["g7xe3xc5", "g7xe3xd5", "g7xe3xe5"]);
        assert_eq!(before.parse_turn("g7xd5xe3"), Err(TurnError::Protected(point("d5"))));
    }

    #[test]
    fn with_none_loose_the_first_sets_the_others_of_its_mill_loose() {
        let game = played(playok(), "d5 d1 d6 a1 d7xd1 b4 b6 a7 f6xb4 a4xd6");
        let pairs = turns(game.position());
        let pairs: Vec<&str> = pairs.split(' ').filter(|turn| turn.starts_with("d6")).collect();
        assert_eq!(pairs, ["d6xa1xa4", "d6xa1xa7", "d6xa4xa1", "d6xa4xa7", "d6xa7xa1", "d6xa7xa4"]);
    }
}

mod symptoms {
    //! What has gone wrong in other programs.

    use super::*;
    use merel_engine::perft::{Unit, perft};
    use merel_engine::{DrawReason, Outcome, WinReason};

    const WHITE_WINS: fn(WinReason) -> Outcome =
        |reason| Outcome::Win { winner: Color::White, reason };
    const BLACK_WINS: fn(WinReason) -> Outcome =
        |reason| Outcome::Win { winner: Color::Black, reason };

    /// A position of nine stones each, from play.
    const NINE_EACH: &str = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4";

    #[test]
    fn slides_to_a7_are_offered() {
        let game = played(standard(), NINE_EACH);
        assert_eq!(perft(game.position(), 3, Unit::Atomic), 447);
        let fen = "@@*@****/********/O*O*O*O* w m s 4 0 3 0 0 0 0 0 0 0 0 0 1";
        let turns = turns(&from_fen(fen, standard()));
        assert!(turns.contains("d7-a7") && turns.contains("a4-a7"), "{turns}");
    }

    #[test]
    fn steps_from_ring_to_ring_are_offered() {
        let fen = "********/O**O*O**/@@***O*@ w m s 4 0 3 0 0 0 0 0 0 0 0 0 1";
        assert!(from_fen(fen, standard()).parse_turn("d6-d5").is_ok());
    }

    #[test]
    fn exactly_the_edges_of_the_board_can_be_slid_along() {
        let mut slides = 0;
        for from in 0..24 {
            // Four stones, so that nobody flies; the opponent keeps out of the way.
            for to in (0..24).filter(|&to| to != from) {
                let others: Vec<usize> = (0..24).filter(|&on| on != from && on != to).collect();
                let mut board = ['*'; 24];
                board[from] = 'O';
                // Not three of a kind on one line: every second point of two rings.
                for &on in others.iter().filter(|&&on| on % 8 == 1 || on % 8 == 4).take(3) {
                    board[on] = 'O';
                }
                for &on in others.iter().filter(|&&on| on % 8 == 2 || on % 8 == 7).take(3) {
                    board[on] = '@';
                }
                let rings: Vec<String> =
                    board.chunks(8).map(|ring| ring.iter().collect()).collect();
                let fen = format!("{} w m s 4 0 3 0 0 0 0 0 0 0 0 0 1", rings.join("/"));
                let position = from_fen(&fen, standard());
                let text = format!("{}-{}", Point::from_index(from), Point::from_index(to));
                let expected = neighbours(from).contains(&to);
                assert_eq!(position.parse_part(&text).is_ok(), expected, "{text} in {fen}");
                slides += usize::from(expected);
            }
        }
        assert_eq!(slides, 2 * 32);
    }

    #[test]
    fn a_side_with_two_stones_has_lost_and_moves_nothing() {
        let fen = "O*@*****/O*@*****/*@****** w m s 2 0 3 0 0 0 0 0 0 0 0 0 1";
        let game = Game::new(from_fen(fen, standard()));
        assert_eq!(turns(game.position()), "");
        let lost = BLACK_WINS(WinReason::FewerThanThree);
        assert_eq!(game.outcome(), Some(lost));
        assert_eq!(lost.to_string(), "0-1 Black wins: White has fewer than three stones");
    }

    #[test]
    fn with_every_stone_in_a_mill_any_may_be_taken() {
        let fen = "*@@@****/********/OO*****O w m r 3 0 3 0 1 0 0 0 0 0 0 0 1";
        let position = from_fen(fen, standard());
        assert_eq!(turns(&position), "xe3 xe4 xe5");
        for turn in position.legal_turns() {
            let end = position.after(turn).outcome();
            assert_eq!(end, Some(WHITE_WINS(WinReason::FewerThanThree)));
        }
    }

    #[test]
    fn no_stone_of_a_mill_is_taken_while_a_loose_one_stands() {
        let fen = "***OOO**/***@****/@@*****@ w m r 3 0 4 0 1 0 0 0 0 0 0 0 1";
        assert_eq!(turns(&from_fen(fen, standard())), "xf2");
    }

    #[test]
    fn a_flight_that_closes_a_mill_captures() {
        let fen = "**O***@*/**O*@***/@**@*O** w m s 3 0 4 0 0 0 0 0 0 0 0 0 1";
        let mut game = Game::new(from_fen(fen, standard()));
        game.play_text("a1-g4").expect("a flight");
        assert_eq!(turns(game.position()), "xc4 xd2 xd7 xg1");
        // And a slide is not listed once more as a flight.
        let fen = "**O***@*/**O*@***/@**@*O** w m s 3 0 4 0 0 0 0 0 0 0 0 0 1";
        let list = from_fen(fen, standard()).legal_turns();
        assert_eq!(list.iter().filter(|turn| turn.to_string() == "a1-a4").count(), 1);
    }

    #[test]
    fn the_player_who_closed_the_mill_captures() {
        let game = played(standard(), "a7 d6 d5 b4 c5 c4 e5 xd6 a4");
        assert_eq!(game.position().to_move(), Color::Black);
        assert_eq!(turns(game.position()), "xa7");
    }

    #[test]
    fn the_capture_earned_by_the_last_placements_is_made_before_anything_else() {
        let moves = "d3 g1 e4 f4 c3 d1 g4 a4 d7 g7 c4 e5 b2 d5 b4 b6 e3";
        let mut game = played(standard(), moves);
        assert_eq!((game.position().to_move(), game.position().captures_due()), (Color::White, 1));
        assert_eq!(game.position().legal_turns().len(), 8);
        game.play(game.position().legal_turns()[0]);
        assert_eq!(game.position().to_move(), Color::Black);
        assert_eq!(game.position().hand(Color::Black), 1);
        assert!(game.position().legal_turns().iter().all(|turn| turn.from().is_none()));

        let moves = "c4 d5 g4 e4 d6 f2 e5 d3 f4 a4 d1 b2 f6 c3 d7 a1 g7 d2";
        let mut game = played(standard(), moves);
        assert_eq!((game.position().to_move(), game.position().captures_due()), (Color::Black, 1));
        assert_eq!(game.position().legal_turns().len(), 9);
        game.play(game.position().legal_turns()[0]);
        assert_eq!(game.position().to_move(), Color::White);
        assert_eq!(Color::ALL.map(|color| game.position().hand(color)), [0, 0]);
        assert!(game.position().legal_turns().iter().all(|turn| turn.from().is_some()));
    }

    #[test]
    fn nothing_slides_while_a_stone_is_in_hand() {
        let moves = "d2 d6 f4 b4 d7 g4 a4 f6 b6 g1 g7 d1 a7 xd1 d3 c4 d1 a1 xd3";
        let game = played(standard(), moves);
        assert_refused(&game, "d2-d3", TurnError::StonesInHand(Color::Black));
        let actions = game.position().legal_actions();
        assert_eq!(actions.len(), 9);
        assert!(actions.iter().all(|action| action.from().is_none()));
    }

    #[test]
    fn two_captures_are_read_under_the_rule_for_them_and_else_refused_by_its_name() {
        let before = "a7 e5 d7 d1 g4 b4 g1 b2";
        assert!(played(playok(), before).play_text("g7xe5xd1").is_ok());
        let refusal = played(standard(), before).play_text("g7xe5xd1").expect_err("one capture");
        assert!(refusal.to_string().contains("DoubleMill"), "{refusal}");
        // And the reverse: one capture leaves another due.
        let mut game = played(playok(), before);
        game.play_text("g7xe5").expect("the first of two");
        assert_refused(&game, "a1", TurnError::CaptureMissing);
    }

    #[test]
    fn a_blocked_player_has_lost() {
        let fen = "O@O@O@O@/@*@*@*@*/******** w m s 4 0 8 0 0 0 0 0 0 0 0 0 1";
        let game = Game::new(from_fen(fen, standard()));
        let lost = BLACK_WINS(WinReason::NoLegalMove);
        assert_eq!(game.outcome(), Some(lost));
        assert_eq!(lost.to_string(), "0-1 Black wins: White has no legal move");
        assert_eq!(turns(game.position()), "");
    }

    #[test]
    fn the_third_occurrence_draws_and_nothing_before_it() {
        let start = format!("{NINE_EACH} c4-b4 c3-c4");
        let cycle = ["f6-f4", "a7-d7", "f4-f6", "d7-a7"];
        let mut game = played(standard(), &start);
        for token in cycle.iter().chain(&cycle) {
            assert_eq!(game.outcome(), None);
            game.play_text(token).expect("a legal turn");
        }
        assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::Repetition)));
        assert_eq!(game.occurrences(), 3);
        assert_eq!(game.outcome().map(Outcome::result), Some("1/2-1/2"));
    }

    #[test]
    fn an_illegal_token_is_refused_and_nothing_played() {
        assert_refused_after("a7", "a7", TurnError::Occupied(point("a7")));
        assert_refused_after("", "a7-d7", TurnError::StonesInHand(Color::White));
        assert_refused_after("", "a9", TurnError::NotAPoint);
        // A token that only repeats what the position already holds.
        let fen = "O*O@O*O@/@*@***@O/O@O@O@O* b m s 9 0 8 0 0 8 23";
        let mut game = Game::new(from_fen(fen, standard()));
        game.play_text("f4-f2").expect("a legal turn");
        assert_refused(&game, "d6-b6", TurnError::NotYours(point("d6")));
    }

    #[test]
    fn points_off_the_board_do_no_harm() {
        for text in ["b7", "b7-a7", "a7xb7", "B7", "z9", "a8", "a\u{0}", "\u{ff}\u{ff}"] {
            assert!(Game::start(standard()).play_text(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn joined_apart_and_upper_case_forms_are_read() {
        let end = played(standard(), "a7 b6 d7 d6 g7xd6");
        for moves in [
            "a7 b6 d7 d6 g7 xd6",
            "A7 B6 D7 D6 G7 XD6",
            "a7 b6 d7 d6 G7xD6",
            "a7 b6 d7 d6 G7XD6",
            "a7 B6 d7 D6 g7Xd6",
        ] {
            assert_eq!(played(standard(), moves).position(), end.position(), "{moves}");
        }
    }
}

mod games {
    //! Real games, and those of the rules.

    use super::*;
    use merel_engine::{Outcome, WinReason};

    /// The points as PlayOK numbers them, from 1, row by row from the top left.
    const PLAYOK_POINTS: [&str; 24] = [
        "a7", "d7", "g7", "b6", "d6", "f6", "c5", "d5", "e5", "a4", "b4", "c4", //
        "e4", "f4", "g4", "c3", "d3", "e3", "b2", "d2", "f2", "a1", "d1", "g1",
    ];

    /// `10-1x23` as `a4-a7xd1`.
    fn from_playok(token: &str) -> String {
        let mut text = String::new();
        let mut number = String::new();
        for c in token.chars().chain([' ']) {
            if c.is_ascii_digit() {
                number.push(c);
                continue;
            }
            let index: usize = number.parse().expect("a number");
            text.push_str(PLAYOK_POINTS[index - 1]);
            number.clear();
            if c != ' ' {
                text.push(c);
            }
        }
        text
    }

    #[test]
    fn a_playok_game_to_its_end() {
        let numbers = "5 13 20 19 14 21 7 8 23 17 12 16 18 11 4 6 10 22 23-24 22-23 24-15 23-22 \
                       15-3 13-9 18-13 22-23 5-2 17-18 10-1x23 8-5 7-8 16-17 12-16 11-10 4-11 5-4 \
                       2-5 10-22 3-15x22";
        let tokens: Vec<String> = numbers.split_whitespace().map(from_playok).collect();
        assert_eq!(tokens.len(), 39);
        assert_eq!(tokens[28], "a4-a7xd1");
        let mut game = Game::start(playok());
        for (at, token) in tokens.iter().enumerate() {
            assert_eq!(game.outcome(), None, "before token {at}");
            game.play_text(token).unwrap_or_else(|error| panic!("{token}: {error}"));
        }
        let expected = Outcome::Win { winner: Color::White, reason: WinReason::NoLegalMove };
        assert_eq!(game.outcome(), Some(expected));
        assert_eq!(Color::ALL.map(|color| game.position().total(color)), [9, 7]);
        // No double mill in it: one capture gives the same game.
        let again = played(standard(), &tokens.join(" "));
        assert_eq!(again.outcome(), game.outcome());
    }

    #[test]
    fn a_sanmill_game_to_its_end() {
        let moves = "d2 d6 f4 f2 b4 d3 f6 e4 g4 a4 c4 c5 d7 e5 d5 e3xd5 d5 c3xd2 b4-b2 d3-d2 \
                     g4-g1 e3-d3 f4-g4 d3-e3xg4 f6-f4 e3-d3 d7-g7 e4-e3xf4 g7-g4 e3-e4 g4-g7 \
                     e4-e3xd5 g7-g4 e3-e4 g4-f4 d3-e3xc4 f4-f6 c5-c4 f6-f4 d2-d3xg1";
        let game = played(standard(), moves);
        let expected = Outcome::Win { winner: Color::Black, reason: WinReason::FewerThanThree };
        assert_eq!(game.outcome(), Some(expected));
        assert_eq!(game.outcome().map(Outcome::result), Some("0-1"));
        assert_eq!(Color::ALL.map(|color| game.position().total(color)), [2, 9]);
        // The captures in tokens of their own, as its clients send them: 47 plies to Sanmill.
        let apart = moves.replace('x', " x");
        assert_eq!(apart.split_whitespace().count(), 47);
        assert_eq!(played(standard(), &apart).position(), game.position());
    }

    #[test]
    fn blocked_straight_after_placing() {
        let moves = "d2 b2 f2 g4 a1 a4 d3 f4 c3 e3 e5 c5 g1 d1 c4 d5 e4 b4";
        for preset in Preset::ALL {
            let expected = Outcome::Win { winner: Color::Black, reason: WinReason::NoLegalMove };
            assert_eq!(played((*preset).into(), moves).outcome(), Some(expected), "{preset}");
        }
    }

    #[test]
    fn the_only_move_is_the_immediate_return() {
        let moves = "e3 b4 a4 e4 e5 b2 f2 c3 d3 d1 g4 d7 g1 g7 f4 d5 d2 f6 a4-a7 b4-b6";
        assert_eq!(turns(played(standard(), moves).position()), "a7-a4");
        let rules = Rules { no_immediate_return: true, ..standard() };
        let expected = Outcome::Win { winner: Color::Black, reason: WinReason::NoLegalMove };
        assert_eq!(played(rules, moves).outcome(), Some(expected));
    }

    #[test]
    fn the_position_a_game_starts_from_counts_as_an_occurrence() {
        let fen = "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";
        let mut game = Game::new(from_fen(fen, standard()));
        let cycle = ["a7-a4", "g7-g1", "a4-a7", "g1-g7"];
        for token in cycle.iter().chain(&cycle) {
            assert_eq!(game.outcome(), None);
            game.play_text(token).expect("a flight");
        }
        assert!(matches!(game.outcome(), Some(Outcome::Draw(_))));
    }

    #[test]
    fn the_same_stones_with_the_other_side_to_move_are_no_repetition() {
        let fen = "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";
        let mut game = Game::new(from_fen(fen, standard()));
        // White takes three turns for what Black does in two, so the sides change.
        for token in ["a7-a4", "g7-g1", "a4-a1", "g1-g7", "a1-a7"] {
            game.play_text(token).expect("a flight");
        }
        assert_eq!(game.position().to_move(), Color::Black);
        assert_eq!(game.occurrences(), 1);
    }

    #[test]
    fn no_rule_no_draw_by_repetition() {
        let fen = "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";
        let mut game = Game::new(from_fen(fen, Preset::Ivory.into()));
        for token in ["a7-a4", "g7-g1", "a4-a7", "g1-g7"].repeat(5) {
            game.play_text(token).expect("a flight");
        }
        assert_eq!(game.outcome(), None);
        assert_eq!(game.occurrences(), 6);
    }

    #[test]
    fn a_win_comes_before_the_quiet_limit() {
        // The last step before the limit walls Black in.
        let fen = "@O@O@O@O/**O*O*O*/O******* w m s 8 0 4 0 0 0 -1 -1 -1 -1 0 49 60 ids:nodes";
        let rules = Rules { quiet_limit: 50, ..standard() };
        let mut won = Game::new(from_fen(fen, rules));
        won.play_text("d7-d6").expect("a slide");
        let expected = Outcome::Win { winner: Color::White, reason: WinReason::NoLegalMove };
        assert_eq!(won.outcome(), Some(expected));
        let mut drawn = Game::new(from_fen(fen, rules));
        drawn.play_text("d7-a7").expect("a slide");
        assert!(matches!(drawn.outcome(), Some(Outcome::Draw(_))));
    }
}
