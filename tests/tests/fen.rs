//! Positions as text: every form in use is read, every fault is named by its field, and what is
//! written is read back.

use merel_engine::{
    AllInMills, Color, Outcome, Point, Position, Preset, Rules, Setup, Symmetry, WinReason,
};
use merel_tests::bridge::{engine_rules, from_fen, played, position};
use merel_tests::oracle::{OracleRules, State, splitmix64};
use proptest::prelude::*;

const START: &str = "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";

fn standard() -> Rules {
    Rules::default()
}

fn playok() -> Rules {
    Preset::Playok.into()
}

fn no_return() -> Rules {
    Rules { no_immediate_return: true, ..Rules::default() }
}

/// The names of the fields a refusal complains about, each once.
fn refused_fields(fen: &str, rules: Rules) -> Vec<String> {
    let error = match Position::from_fen(fen, rules) {
        Ok(position) => panic!("{fen} was read as {}", position.fen()),
        Err(error) => error,
    };
    assert!(error.problems.iter().all(|problem| !problem.reason.is_empty()), "{fen}: {error:?}");
    let text = error.to_string();
    assert_eq!(text.lines().count(), 1, "one line: {text:?}");
    let mut names: Vec<String> = error.problems.iter().map(|p| p.field.to_string()).collect();
    assert!(names.iter().all(|name| text.contains(&format!("{name}: "))), "{text}");
    names.dedup();
    names
}

/// Asserts that exactly these fields are refused, in this order.
#[track_caller]
fn assert_refused(fen: &str, rules: Rules, fields: &[&str]) {
    assert_eq!(refused_fields(fen, rules), fields, "{fen}");
}

/// Asserts that all these texts are read as one position.
#[track_caller]
fn assert_same(texts: &[&str], rules: Rules) {
    let first = from_fen(texts[0], rules);
    for text in texts {
        assert_eq!(from_fen(text, rules), first, "{text}");
    }
}

mod forms {
    //! The forms in use differ in the fields after the counts.

    use super::*;

    #[test]
    fn the_start_in_every_form() {
        let board = "********/********/********";
        let tails = [
            "w p p 0 9 0 9 0 0 1",
            "w p p 0 9 0 9 0 0 0 1",
            "w p p 0 9 0 9 0 0 0 0 0 0 0 0 1",
            "w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1",
            "w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
            "w r p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
            "w n p 0 9 0 9 0 0 0 0 0 0 0 0 1",
        ];
        for rules in [standard(), no_return()] {
            for tail in tails {
                let start = from_fen(&format!("{board} {tail}"), rules);
                assert_eq!(start, Position::start(rules), "{tail}");
                assert_eq!(start.fen(), START);
            }
        }
    }

    #[test]
    fn black_may_begin() {
        let fen = "********/********/******** b p p 0 9 0 9 0 0 1";
        assert_eq!(from_fen(fen, standard()).to_move(), Color::Black);
    }

    #[test]
    fn the_counters_are_the_last_two_fields_of_every_form() {
        let stones = "***O****/OO@*@*@@/@OOO@*O* w m s 7 0 6 0";
        let tails =
            ["0 3 15", "0 0 3 15", "0 0 0 0 0 0 0 3 15", "0 0 -1 -1 -1 -1 0 3 15 ids:nodes"];
        for tail in tails {
            let position = from_fen(&format!("{stones} {tail}"), standard());
            assert_eq!((position.quiet(), position.fullmove()), (3, 15), "{tail}");
        }
    }

    #[test]
    fn one_count_of_captures_due_is_that_of_the_side_to_move() {
        let white = "********/@******@/OO*****O w p r 3 6 2 7";
        assert_same(&[&format!("{white} 1 0 3"), &format!("{white} 1 0 0 3")], standard());
        let black = "********/O******O/@@*****@ b p r 2 7 3 6";
        assert_same(&[&format!("{black} 1 0 3"), &format!("{black} 0 1 0 3")], standard());
    }

    #[test]
    fn last_moves_by_old_and_by_new_numbers() {
        let stones = "***O****/OO@*@*@@/@OOO@*O* w m s 7 0 6 0 0 0";
        let old = from_fen(&format!("{stones} 15 11 12 20 0 3 15"), no_return());
        let new = from_fen(&format!("{stones} 7 3 4 12 0 3 15 ids:nodes"), no_return());
        assert_eq!(old, new);
        let names = |color| new.last_move(color).map(|(from, to)| format!("{from}-{to}"));
        assert_eq!(names(Color::White).as_deref(), Some("c5-e3"));
        assert_eq!(names(Color::Black).as_deref(), Some("d3-d2"));
    }

    #[test]
    fn last_moves_are_passed_over_where_the_rule_is_off() {
        let stones = "***O****/OO@*@*@@/@OOO@*O* w m s 7 0 6 0 0 0";
        let plain = format!("{stones} 0 0 0 0 0 3 15");
        // The second names stones that are not there: without the rule they mean nothing.
        let others = ["15 11 0 0 0 3 15", "16 17 18 19 0 3 15"].map(|t| format!("{stones} {t}"));
        assert_same(&[&plain, &others[0], &others[1]], standard());
    }

    #[test]
    fn further_tokens_are_passed_over_wherever_they_stand() {
        let plain = "OO@@@**O/O*O***O@/@O****O@ b p p 8 1 6 2 0 0 -1 -1 -1 -1 0 0 8";
        let extended = [
            format!("{plain} ids:nodes c:w-0-|b-0- i:w-0-|b-0- l:w-0-|b-0-"),
            format!("{plain} p:17 s:1 ids:nodes"),
            format!("{plain} s:2"),
            format!("ids:nodes {plain}"),
            format!("{plain} 7"),
        ];
        for text in &extended {
            assert_same(&[plain, text], standard());
        }
    }

    #[test]
    fn the_mills_field_may_be_any_number() {
        let stones = "OO@@@**O/O*O***O@/@O****O@ b p p 8 1 6 2 0 0 -1 -1 -1 -1";
        for mills in ["0", "1", "18446744073709551615", "-1"] {
            let text = format!("{stones} {mills} 0 8 ids:nodes");
            assert_same(&[&format!("{stones} 0 0 8 ids:nodes"), &text], standard());
        }
    }

    #[test]
    fn white_space_does_not_matter() {
        let spaced = format!("  {} \r\n", START.replace(' ', " \t "));
        assert_same(&[START, &spaced], standard());
    }

    #[test]
    fn a_capture_said_by_the_action_alone_is_one_capture() {
        let with = "********/@******@/OO*****O w p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        let without = "********/@******@/OO*****O w p r 3 6 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        assert_same(&[with, without], standard());
    }

    #[test]
    fn a_capture_due_after_the_last_placement_is_placing_or_moving() {
        let moves = "c4 d5 g4 e4 d6 f2 e5 d3 f4 a4 d1 b2 f6 c3 d7 a1 g7 d2";
        let game = played(standard(), moves);
        let fen = game.position().fen();
        assert!(fen.contains(" b m r 9 0 9 0 0 1 "), "{fen}");
        assert_same(&[&fen, &fen.replace(" b m r ", " b p r ")], standard());
    }

    /// Other programs' positions say what is due and leave it at that.
    #[test]
    fn one_capture_may_be_due_without_a_mill_to_show_for_it() {
        let fen = "O*@*****/O*@*****/*@*****O w m r 3 0 3 0 1 0 0 0 0 0 0 0 1";
        assert_eq!(from_fen(fen, standard()).captures_due(), 1);
    }

    #[test]
    fn hands_may_be_unequal() {
        let fen = "O*@*@*@*/O*******/*O*****O w p p 4 5 3 6 0 0 -1 -1 -1 -1 0 0 5 ids:nodes";
        assert_eq!(from_fen(fen, playok()).fen(), fen);
        // White moves while Black still places.
        let fen = "*****@**/*****@@*/**@**OO* w p s 2 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
        let fen = fen.replace("2 0 4 0", "2 1 4 0").replace("w p s", "w p p");
        assert_eq!(from_fen(&fen, standard()).fen(), fen);
        let black = fen.replace("w p p", "b p s");
        assert_eq!(from_fen(&black, standard()).fen(), black);
    }
}

mod finished {
    //! A game that is over, as various programs write it.

    use super::*;

    const WHITE_BLOCKED: &str = "O@O@O@O@/@*@*@*@*/********";
    const BLACK_BLOCKED: &str = "@O@O@O@O/O*O*O*O*/********";

    fn winner(fen: &str) -> Option<(Color, WinReason)> {
        match from_fen(fen, standard()).outcome() {
            Some(Outcome::Win { winner, reason }) => Some((winner, reason)),
            _ => None,
        }
    }

    #[test]
    fn blocked_in_our_form_and_as_if_it_went_on() {
        for middle in ["w m s", "w o ?"] {
            let fen = format!("{WHITE_BLOCKED} {middle} 4 0 8 0 0 0 0 0 0 0 0 0 1");
            assert_eq!(winner(&fen), Some((Color::Black, WinReason::NoLegalMove)), "{fen}");
            assert!(from_fen(&fen, standard()).fen().contains(" w o ? "));
        }
    }

    #[test]
    fn blocked_but_written_with_white_to_move() {
        let fen = format!("{BLACK_BLOCKED} w o ? 8 0 4 0 0 0 0 0 0 0 0 0 9");
        assert_eq!(winner(&fen), Some((Color::White, WinReason::NoLegalMove)));
        let position = from_fen(&fen, standard());
        assert_eq!((position.to_move(), position.fullmove()), (Color::Black, 9));
        assert_eq!(position.key(), position.computed_key());
    }

    #[test]
    fn two_stones_left() {
        let stones = "O*@*****/O*@*****/*@******";
        for middle in ["w m s", "w o ?", "b o ?", "b m s"] {
            let fen = format!("{stones} {middle} 2 0 3 0 0 0 0 0 0 0 0 0 1");
            assert_eq!(winner(&fen), Some((Color::Black, WinReason::FewerThanThree)), "{fen}");
        }
    }

    #[test]
    fn fewer_than_three_counts_the_hand() {
        let fen = "O*******/********/@@@***** w p p 1 2 3 0 0 0 0 0 0 0 0 0 7";
        assert_eq!(winner(fen), None);
        let fen = "O*******/********/@@@***** w p p 1 1 3 0 0 0 0 0 0 0 0 0 7";
        assert_eq!(winner(fen), Some((Color::Black, WinReason::FewerThanThree)));
    }

    #[test]
    fn over_is_refused_of_a_game_that_goes_on() {
        let fen = "O*@*****/O*@*****/*@*****O w o ? 3 0 3 0 0 0 0 0 0 0 0 0 1";
        assert_refused(fen, standard(), &["phase"]);
        let fen = format!("{WHITE_BLOCKED} w o s 4 0 8 0 0 0 0 0 0 0 0 0 1");
        assert_refused(&fen, standard(), &["action"]);
        let fen = format!("{BLACK_BLOCKED} w m ? 8 0 4 0 0 0 0 0 0 0 0 0 1");
        assert_refused(&fen, standard(), &["action"]);
    }

    #[test]
    fn the_quiet_limit_is_an_end_too() {
        let fen = "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 0 0 0 0 0 50 99";
        let rules = Rules { quiet_limit: 50, ..standard() };
        let position = from_fen(fen, rules);
        assert!(matches!(position.outcome(), Some(Outcome::Draw(_))));
        assert_eq!(from_fen(&position.fen(), rules), position);
        assert_eq!(from_fen(fen, standard()).outcome(), None);
    }
}

mod refusals {
    //! One fault at a time, then several.

    use super::*;

    #[test]
    fn unreadable_text() {
        for text in ["", " ", "xyz", "startpos", "O", "********/********/********", ":::", "é"] {
            assert_refused(text, standard(), &["form"]);
        }
    }

    #[test]
    fn a_number_of_fields_that_no_form_has() {
        let fields: Vec<&str> = START.split(' ').collect();
        for count in (0..=16).filter(|count| ![11, 12].contains(count)) {
            assert_refused(&fields[..count].join(" "), standard(), &["form"]);
        }
    }

    #[test]
    fn a_board_of_another_shape() {
        let tail = "w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
        let boards = [
            "************************",
            "********/********",
            "********/********/********/********",
            "*******/********/********",
            "*********/********/*******",
            "//",
            "********/********/*******é*",
        ];
        for board in boards {
            assert_refused(&format!("{board} {tail}"), standard(), &["board"]);
        }
    }

    #[test]
    fn a_letter_that_is_no_stone() {
        for letter in ["X", "o", "0", ".", "é", "W", "w", "#"] {
            let fen = format!("{letter}{}", &START[1..]);
            assert_refused(&fen, standard(), &["board"]);
        }
    }

    /// The start with one field, by its place from 0, replaced.
    fn start_with(at: usize, text: &str) -> String {
        let mut fields: Vec<&str> = START.split(' ').collect();
        fields[at] = text;
        fields.join(" ")
    }

    /// Nothing else is said then: what would be measured against the hand is not known.
    #[test]
    fn a_hand_that_cannot_be_read() {
        for (at, name) in [(5, "wHand"), (7, "bHand")] {
            for text in ["z", "0.5", "-6", "10", "255", "256", "265", "99999999999999999999"] {
                assert_refused(&start_with(at, text), standard(), &[name]);
            }
        }
    }

    #[test]
    fn a_field_that_cannot_be_read() {
        let names = [
            "board",
            "side",
            "phase",
            "action",
            "wBoard",
            "wHand",
            "bBoard",
            "bHand",
            "wRemove",
            "bRemove",
            "wFrom/wTo",
            "wFrom/wTo",
            "bFrom/bTo",
            "bFrom/bTo",
            "mills",
            "quiet",
            "fullmove",
        ];
        // Hands have a test of their own.
        for (at, name) in names.into_iter().enumerate().filter(|(_, name)| !name.ends_with("Hand"))
        {
            for text in ["z", "1x", "0.5", "99999999999999999999999", "é", "--1"] {
                assert_refused(&start_with(at, text), standard(), &[name]);
            }
        }
    }

    #[test]
    fn a_number_out_of_its_range() {
        for (at, text, name) in [
            (4, "-1", "wBoard"),
            (4, "25", "wBoard"),
            (8, "-1", "wRemove"),
            (8, "3", "wRemove"),
            (9, "-1", "bRemove"),
            (9, "258", "bRemove"),
            (15, "-1", "quiet"),
            (15, "65536", "quiet"),
            (16, "-1", "fullmove"),
            (16, "0", "fullmove"),
            (16, "65536", "fullmove"),
        ] {
            assert_refused(&start_with(at, text), standard(), &[name]);
        }
    }

    #[test]
    fn counts_that_differ_from_the_board() {
        let fen = |white: u8, black: u8| {
            format!("O*@*****/O*@*****/*@*****O w m s {white} 0 {black} 0 0 0 0 0 0 0 0 0 1")
        };
        assert_refused(&fen(9, 9), standard(), &["wBoard", "bBoard"]);
        assert_refused(&fen(4, 3), standard(), &["wBoard"]);
        assert_refused(&fen(3, 2), standard(), &["bBoard"]);
        assert_eq!(from_fen(&fen(3, 3), standard()).outcome(), None);
    }

    #[test]
    fn hands_below_zero_and_too_many_stones_on_the_board() {
        let fen = "*OOOOOOO/*@O@@OOO/OO@@@@@O b p p 14 -6 8 -4 0 0 17";
        assert_refused(fen, standard(), &["wHand", "bHand", "wHand"]);
    }

    #[test]
    fn more_than_nine_stones_of_a_side() {
        let fen = "O*@*****/O*@*****/*@*****O w p p 3 7 3 6 0 0 0 0 0 0 0 0 1";
        assert_refused(fen, standard(), &["wHand"]);
        let fen = "O*@*****/O*@*****/*@*****O w p p 3 6 3 7 0 0 0 0 0 0 0 0 1";
        assert_refused(fen, standard(), &["bHand"]);
        let fen = "OOOOOOOO/OO@*****/*@@***** w m s 10 0 3 0 0 0 0 0 0 0 0 0 1";
        assert_refused(fen, standard(), &["wHand"]);
    }

    #[test]
    fn an_action_that_does_not_fit() {
        let fen =
            |middle: &str| format!("O*@*****/O*@*****/*@*****O {middle} 3 6 3 6 0 0 0 0 0 0 0 0 1");
        assert_refused(&fen("w p s"), standard(), &["action"]);
        assert_refused(&fen("w p ?"), standard(), &["action"]);
        assert_refused(&fen("w m p"), standard(), &["phase"]);
        assert_refused(&fen("w m s"), standard(), &["phase", "action"]);
        let fen =
            |middle: &str| format!("O*@*****/O*@*****/*@*****O {middle} 3 0 3 0 0 0 0 0 0 0 0 0 1");
        assert_refused(&fen("w m p"), standard(), &["action"]);
        assert_refused(&fen("w p p"), standard(), &["phase", "action"]);
        assert_refused(&fen("w p s"), standard(), &["phase"]);
        // A capture due, but the action does not say so.
        let fen = "********/@******@/OO*****O w p p 3 6 2 7 1 0 0 0 0 0 0 0 3";
        assert_refused(fen, standard(), &["action"]);
    }

    #[test]
    fn both_sides_without_stones() {
        let fen = "O*@*****/O*@*****/******** w m s 2 0 2 0 0 0 0 0 0 0 0 0 1";
        assert_refused(fen, standard(), &["board"]);
        let fen = "********/********/******** w m s 0 0 0 0 0 0 0 0 0 0 0 0 1";
        assert_refused(fen, standard(), &["board"]);
    }

    #[test]
    fn captures_due_that_cannot_be() {
        // Only the side to move can have captures due.
        let mill = "*@@@****/********/OO*****O";
        let fen = |middle: &str, due: &str| format!("{mill} {middle} 3 0 3 0 {due} 0 0 0 0 0 0 1");
        assert_refused(&fen("w m r", "0 1"), standard(), &["bRemove"]);
        assert_refused(&fen("w m s", "0 1"), standard(), &["bRemove"]);
        assert_refused(&fen("w m r", "1 1"), standard(), &["bRemove"]);
        // Two captures want a stone in two mills, and the rule for it.
        assert_refused(&fen("w m r", "2 0"), standard(), &["wRemove"]);
        assert_refused(&fen("w m r", "2 0"), playok(), &["wRemove"]);
        let crossed = "O@@@****/O*******/OO*****O w m r 5 0 3 0 2 0 0 0 0 0 0 0 1";
        assert_refused(crossed, standard(), &["wRemove"]);
        assert_eq!(from_fen(crossed, playok()).captures_due(), 2);
    }

    #[test]
    fn captures_due_with_nothing_to_take() {
        let safe = Rules { all_in_mills: AllInMills::None, ..standard() };
        let all_in_mills = "*@@@****/********/OO*****O w m r 3 0 3 0 1 0 0 0 0 0 0 0 1";
        assert_refused(all_in_mills, safe, &["wRemove"]);
        assert_eq!(from_fen(all_in_mills, standard()).captures_due(), 1);
        let bare = "********/********/OO*****O w p r 3 5 0 9 1 0 0 0 0 0 0 0 4";
        assert_refused(bare, standard(), &["wRemove"]);
        let lost = "********/********/OO****@O w m r 3 0 1 0 1 0 0 0 0 0 0 0 1";
        assert_refused(lost, standard(), &["wRemove"]);
    }

    #[test]
    fn last_moves_that_cannot_be() {
        let fen = |last: &str, ids: &str| {
            format!("***O****/OO@*@*@@/@OOO@*O* w m s 7 0 6 0 0 0 {last} 0 3 15{ids}")
        };
        for last in ["-1 3 -1 -1", "3 -1 -1 -1", "3 3 -1 -1", "24 3 -1 -1", "-2 -2 -1 -1"] {
            assert_refused(&fen(last, " ids:nodes"), standard(), &["wFrom/wTo"]);
        }
        for last in ["0 0 0 8", "0 0 7 8", "0 0 32 8", "0 0 31 31"] {
            assert_refused(&fen(last, ""), standard(), &["bFrom/bTo"]);
        }
        // No stone where it went; a stone of its own where it came from.
        assert_refused(&fen("3 4 -1 -1", " ids:nodes"), no_return(), &["wFrom/wTo"]);
        assert_refused(&fen("8 3 -1 -1", " ids:nodes"), no_return(), &["wFrom/wTo"]);
        assert_refused(&fen("7 3 4 5", " ids:nodes"), no_return(), &["bFrom/bTo"]);
        // The opponent may have come to the point left.
        let came = from_fen(&fen("10 3 -1 -1", " ids:nodes"), no_return());
        assert!(came.last_move(Color::White).is_some());
        // Nobody moves with stones in hand.
        let placing = "OO@@@**O/O*O***O@/@O****O@ b p p 8 1 6 2 0 0 5 0 -1 -1 0 0 8 ids:nodes";
        assert_refused(placing, no_return(), &["wFrom/wTo"]);
    }

    #[test]
    fn all_faults_are_listed_at_once() {
        let fen = "***O****/OO@*@*@@/@OOO@*O* x y z 1 77 2 -3 9 -9 a b c d e f g";
        let fields = [
            "side",
            "wBoard",
            "wHand",
            "bBoard",
            "bHand",
            "wRemove",
            "bRemove",
            "wFrom/wTo",
            "bFrom/bTo",
            "mills",
            "quiet",
            "fullmove",
            "phase",
            "action",
        ];
        assert_refused(fen, standard(), &fields);
        // An unreadable board hides nothing of the rest but what would be measured against it.
        let fen = "***?****/OO@*@*@@/@OOO@*O* x y z 1 77 2 -3 9 -9 a b c d e f g";
        let fields = [
            "board",
            "side",
            "wHand",
            "bHand",
            "wRemove",
            "bRemove",
            "wFrom/wTo",
            "bFrom/bTo",
            "mills",
            "quiet",
            "fullmove",
            "phase",
            "action",
        ];
        assert_refused(fen, standard(), &fields);
    }

    #[test]
    fn a_long_token_is_not_repeated_in_full() {
        let fen = start_with(1, &"w".repeat(100_000));
        let error = Position::from_fen(&fen, standard()).expect_err("no side");
        assert!(error.to_string().len() < 200);
    }
}

mod round_trips {
    //! What is written is read back.

    use super::*;

    /// Reads the text of a position back, and that of its images.
    fn assert_reads_back(position: &Position, rules: Rules) {
        let fen = position.fen();
        assert_eq!(from_fen(&fen, rules), *position, "{fen}");
        assert_eq!(position.setup().check(rules), Ok(*position), "{fen}");
        assert_eq!(position.flipped().flipped(), *position, "{fen}");
        for symmetry in Symmetry::all() {
            let image = position.transformed(symmetry);
            assert_eq!(from_fen(&image.fen(), rules), image, "{}", image.fen());
            assert_eq!(image.transformed(symmetry.inverse()), *position, "{fen}");
        }
    }

    #[test]
    fn of_random_set_ups() {
        let mut rng = splitmix64(21);
        let mut finished = 0;
        for number in 0..4_000 {
            let rules = OracleRules::all()[number % 8];
            let state = State::random_setup(&mut rng);
            if state.captures_possible(rules) {
                let position = position(&state, engine_rules(rules));
                assert_reads_back(&position, engine_rules(rules));
                finished += usize::from(position.outcome().is_some());
            }
        }
        assert!(finished > 50, "{finished} finished games");
    }

    #[test]
    fn of_positions_in_random_games() {
        let mut rng = splitmix64(22);
        let (mut unfinished, mut with_last_moves) = (0, 0);
        for number in 0..80 {
            let rules = engine_rules(OracleRules::all()[number % 8]);
            let mut position = Position::start(rules);
            loop {
                assert_reads_back(&position, rules);
                unfinished += usize::from(position.captures_due() > 0);
                with_last_moves += usize::from(position.last_move(Color::White).is_some());
                let actions = position.legal_actions();
                if actions.is_empty() || position.fullmove() > 50 {
                    break;
                }
                position = position.after_part(actions[(rng() % actions.len() as u64) as usize]);
            }
        }
        assert!(unfinished > 100 && with_last_moves > 500, "{unfinished} {with_last_moves}");
    }

    #[test]
    fn of_the_largest_counters() {
        let fen = START.replace(" 0 0 1 ids", " 0 65535 65535 ids");
        let full = from_fen(&fen, standard());
        assert_eq!(full.fen(), fen);
        // They stay at the top instead of starting over.
        let fen =
            "***O****/OO@*@*@@/@OOO@*O* b m s 7 0 6 0 0 0 -1 -1 -1 -1 0 65535 65535 ids:nodes";
        let position = from_fen(fen, standard());
        for turn in position.legal_turns() {
            let next = position.after(turn);
            assert!(next.quiet() == 65535 || turn.is_capture());
            assert_eq!(next.fullmove(), 65535);
            assert_reads_back(&next, standard());
        }
    }
}

/// A readable position or a refusal, never a panic; and what was read makes sense.
fn read_anything(text: &str, rules: Rules) {
    match Position::from_fen(text, rules) {
        Ok(position) => {
            assert_eq!(from_fen(&position.fen(), rules), position);
            assert_eq!(position.key(), position.computed_key());
            for turn in position.legal_turns() {
                let _ = position.after(turn).fen();
            }
        }
        Err(error) => {
            assert!(!error.problems.is_empty(), "{text:?}");
            assert!(error.to_string().len() < 4_000);
        }
    }
}

fn any_rules() -> impl Strategy<Value = Rules> {
    (0..8_usize).prop_map(|number| engine_rules(OracleRules::all()[number]))
}

/// Fields that are nearly right: numbers small and large, letters in and out of use.
fn near_fen() -> impl Strategy<Value = String> {
    let board = "[O@*]{8}/[O@*]{8}/[O@*X]{8}";
    let field = prop_oneof![
        4 => (-2..12_i64).prop_map(|n| n.to_string()),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => "[a-z?]{0,2}",
    ];
    let tail = proptest::collection::vec(field, 5..16);
    (board, "[wb]", "[pmo]", "[psr?]", tail, prop_oneof![Just(""), Just(" ids:nodes")]).prop_map(
        |(board, side, phase, action, tail, ids)| {
            format!("{board} {side} {phase} {action} {}{ids}", tail.join(" "))
        },
    )
}

/// A good FEN with one character replaced, removed or doubled.
fn damaged_fen() -> impl Strategy<Value = String> {
    (any::<u64>(), any::<u64>(), any::<char>(), 0..3).prop_map(|(seed, at, new, how)| {
        let state = State::random_setup(&mut splitmix64(seed));
        let mut text: Vec<char> = state.fen(OracleRules::STANDARD).chars().collect();
        let at = (at % text.len() as u64) as usize;
        match how {
            0 => text[at] = new,
            1 => drop(text.remove(at)),
            _ => text.insert(at, text[at]),
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), rules in any_rules()) {
        read_anything(&text, rules);
    }

    #[test]
    fn any_fields_are_read_or_refused(text in near_fen(), rules in any_rules()) {
        read_anything(&text, rules);
    }

    #[test]
    fn any_damaged_text_is_read_or_refused(text in damaged_fen(), rules in any_rules()) {
        read_anything(&text, rules);
    }

    #[test]
    fn a_wrong_count_of_stones_on_the_board_is_always_named(seed in any::<u64>(), count in 0..=9_u32, black in any::<bool>()) {
        let state = State::random_setup(&mut splitmix64(seed));
        let fen = state.fen(OracleRules::STANDARD);
        let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
        let (at, name) = if black { (6, "bBoard") } else { (4, "wBoard") };
        prop_assume!(fields[at] != count.to_string());
        fields[at] = count.to_string();
        prop_assert_eq!(refused_fields(&fields.join(" "), standard()), [name]);
    }
}

/// Any description at all, not only those that a text can hold.
#[test]
fn any_set_up_is_a_position_or_has_its_problems_named() {
    let mut rng = splitmix64(23);
    let mut accepted = 0;
    for number in 0..20_000_u64 {
        let rules = engine_rules(OracleRules::all()[(number % 8) as usize]);
        let mut setup = State::random_setup(&mut rng);
        if !setup.captures_possible(OracleRules::all()[(number % 8) as usize]) {
            setup = State::start();
        }
        let mut setup: Setup = position(&setup, rules).setup();
        damage(&mut setup, &mut rng);
        match setup.check(rules) {
            Ok(position) => {
                accepted += 1;
                assert_eq!(from_fen(&position.fen(), rules), position);
            }
            Err(problems) => assert!(!problems.is_empty()),
        }
    }
    assert!(accepted > 1_000 && accepted < 19_000, "{accepted} accepted");
}

fn damage(setup: &mut Setup, rng: &mut impl FnMut() -> u64) {
    let color = (rng() % 2) as usize;
    let point = |number: u64| Point::from_index((number % 24) as usize);
    match rng() % 6 {
        0 => setup.stones[color] ^= point(rng()).bit(),
        1 => setup.hands[color] = (rng() % 12) as u8,
        2 => setup.to_move = !setup.to_move,
        3 => setup.captures_due[color] = (rng() % 4) as u8,
        4 => setup.last_moves[color] = Some((point(rng()), point(rng()))),
        _ => setup.fullmove = (rng() % 2) as u16,
    }
}
