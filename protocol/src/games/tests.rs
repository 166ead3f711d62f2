//! What the reader makes of whole texts.

use std::io::{self, BufReader, Read};

use merel_engine::{Color, DoubleMill, Preset, Rules};

use super::*;

fn entries(text: &str) -> Vec<Entry> {
    Reader::new(text.as_bytes(), None).map(Result::unwrap).collect()
}

/// The only game of a text.
fn game(text: &str) -> Record {
    let entries = entries(text);
    let [entry] = entries.as_slice() else { panic!("one game: {entries:?}") };
    entry.game.clone().unwrap_or_else(|error| panic!("{error}"))
}

fn turns(record: &Record) -> String {
    record.turns().iter().map(|t| t.turn.to_string()).collect::<Vec<_>>().join(" ")
}

/// What is said of each game: its turns, or what is wrong.
fn told(text: &str) -> Vec<String> {
    let told = |entry: Entry| entry.game.map_or_else(|e| e.to_string(), |record| turns(&record));
    entries(text).into_iter().map(told).collect()
}

/// What is wrong with the only game of a text.
fn wrong(text: &str) -> String {
    let told = told(text);
    let [error] = told.as_slice() else { panic!("one game: {told:?}") };
    assert!(error.starts_with("game 1, line "), "{error}");
    error.clone()
}

#[test]
fn captures_are_read_joined_or_apart() {
    for text in ["a7 b6 d7 d6 g7xb6", "A7 B6 D7 D6 G7 xB6", "1. a7 b6 2. d7 d6 3. g7\nxb6 *"] {
        assert_eq!(turns(&game(text)), "a7 b6 d7 d6 g7xb6");
    }
    let double = "[Rules \"playok\"] a7 e5 d7 d1 g4 b4 g1 c3 ";
    for capture in ["g7xe5xd1", "g7 xe5 xd1", "g7xe5 xd1", "g7 xe5xd1"] {
        let read = told(&format!("{double}{capture} d1"));
        assert_eq!(read, ["a7 e5 d7 d1 g4 b4 g1 c3 g7xe5xd1 d1"]);
    }
}

#[test]
fn the_rules_are_those_told_then_those_given_then_those_of_the_site() {
    let double_mill = |text: &str, given: Option<Rules>| {
        let entry = Reader::new(text.as_bytes(), given).next().unwrap().unwrap();
        entry.game.unwrap().rules().double_mill
    };
    let playok = Some(Preset::Playok.into());
    assert_eq!(double_mill("a7", None), DoubleMill::One);
    assert_eq!(double_mill("1", None), DoubleMill::Two);
    assert_eq!(double_mill("[Site \"PlayOK\"] *", None), DoubleMill::Two);
    assert_eq!(double_mill("a7", playok), DoubleMill::Two);
    assert_eq!(double_mill("1", Some(Rules::default())), DoubleMill::One);
    assert_eq!(double_mill("[Rules \"ivory\"] 1", playok), DoubleMill::One);
}

#[test]
fn a_missing_or_surplus_turn_shows_in_the_move_numbers() {
    assert!(wrong("1. a7 b6 2. d7 3. d6 g7").contains("'3.': the move number does not fit the 3"));
    assert!(wrong("1. a7 b6 d7 2. d6").contains("'2.'"));
    assert!(wrong("1. a7 b6 3. d7 d6").contains("'3.'"));
    assert_eq!(turns(&game("1. a7 1... b6 2. d7 2... d6 3. g7xb6")), "a7 b6 d7 d6 g7xb6");
    assert_eq!(turns(&game("7. a7 b6 8. d7")), "a7 b6 d7");
    let fen = "[FEN \"O*@*****/*@******/*******O b p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes\"]";
    for numbered in ["3... d6 4. d7 f4 5. g7", "3. d6 4. d7 f4 5. g7", "1. d6 d7 2. f4 g7"] {
        assert_eq!(turns(&game(&format!("{fen} {numbered}"))), "d6 d7 f4 g7");
    }
}

#[test]
fn games_are_parted_by_results_tags_and_the_move_number_one() {
    assert_eq!(told("a7 b6 * d7 1-0 d6"), ["a7 b6", "d7", "d6"]);
    assert_eq!(told("1. a7 b6 2. d7\n1. d6 f4"), ["a7 b6 d7", "d6 f4"]);
    assert_eq!(told("[A \"\"] a7\n[A \"\"] [B \"\"]\n[A \"\"] d7"), ["a7", "", "d7"]);
    assert_eq!(told(""), Vec::<String>::new());
    assert_eq!(told(" \n\n{nothing} ; more\n% and more\n"), Vec::<String>::new());
}

#[test]
fn after_something_wrong_the_next_game_is_read() {
    for (bad, why) in [
        ("1. a7 a7 2. d7 d6 *", "a7 is occupied"),
        ("1. a7 hello 2. d7 d6 *", "not a turn"),
        ("1. a7 5 2. d7 *", "by letters and by numbers"),
        ("1. a7 p *", "a pass"),
        ("1. a7 b6) *", "not a turn"),
        ("[White \"x] 1. a7 b6\n1. d7 *", "not a tag"),
        ("[Variant \"Twelve Men's Morris\"]\n\n1. a7 b6 *", "variant"),
        ("[Rules \"chess\"] a7 *", "chess"),
        ("[Result \"won\"] a7 *", "not a result"),
        ("[Result \"1-0\"] a7 0-1", "the tag Result says 1-0"),
        ("[FEN \"x\"] a7 *", "tag FEN: form: "),
        ("1. a7 b6 {no end\n2. d7", "the comment has no end"),
        ("1. a7 b6 (d6 (f4)\n2. d7", "the variation has no end"),
        ("[White \"x\"]\n{no end", "the comment has no end"),
        ("[White \"x]\n{no end", "not a tag"),
        ("1. a7 b6 2. d7 d6 3. g7 f4 4. f6 *", "capture missing"),
        ("1-0", "a result without a game"),
    ] {
        let text = format!("1. d6 *\n\n{bad}\n\n[Event \"next\"]\n\n1. f4 *\n");
        let told = told(&text);
        let [before, error, after] = told.as_slice() else { panic!("{bad}: {told:?}") };
        assert_eq!([before.as_str(), after.as_str()], ["d6", "f4"]);
        assert!(error.starts_with("game 2, line ") && error.contains(why), "{bad}: {error}");
    }
}

#[test]
fn the_first_wrong_turn_is_named_with_what_was_expected() {
    for (text, error) in [
        (
            "1. a7 b6\n2. d7 b6 3. d7",
            "line 2, 'b6': turn 2 of Black: b6 is occupied; expected one of d5, e5, e4, e3, d3, c3 \
             and 15 more",
        ),
        (
            "1. a7 b6\n2. d7 d6\n3. g7\n\nf4",
            "line 3, 'g7': turn 3 of White: capture missing: a mill was closed, so a stone must be \
             captured; expected one of g7xd6, g7xb6",
        ),
        (
            "1. a7 b6 2. d7 d6 3. g7xb6xd6",
            "line 1, 'g7xb6xd6': turn 3 of White: too many captures: the turn earns 1; expected \
             g7xb6",
        ),
        (
            "1. a7 b6 2. d7 d6 3. g4\nxb6",
            "line 2, 'xb6': turn 3 of White: no mill is closed, so nothing is captured; expected g4",
        ),
        (
            "1. a7 b6 2. a9",
            "line 1, 'a9': turn 2 of White: no such point on the board (a1 to g7); expected one of \
             d5, e5, e4, e3, d3, c3 and 16 more",
        ),
        (
            "1. 1 4 2. 2 5 3. 3x1",
            "line 1, '3x1': turn 3 of White: the stone on a7 is the mover's own; expected one of \
             3x5, 3x4",
        ),
        (
            "1 Place to A7 Place to B6\n2 Place to D7, take B6",
            "line 2, 'Place to D7, take B6': turn 2 of White: no mill is closed, so nothing is \
             captured; expected d7",
        ),
    ] {
        assert_eq!(wrong(text), format!("game 1, {error}"));
    }
}

#[test]
fn one_capture_for_two_and_two_for_one_name_the_rule() {
    let moves = "1. a7 e5 2. d7 d1 3. g4 b4 4. g1 c3";
    let one = wrong(&format!("[Rules \"playok\"] {moves} 5. g7xe5 c4 *"));
    assert!(one.contains("'g7xe5'") && one.contains("DoubleMill is two"), "{one}");
    assert!(one.contains("expected one of g7xe5xc3, g7xe5xb4, g7xe5xd1"), "{one}");
    assert_eq!(one, wrong(&format!("[Rules \"playok\"] {moves} 5. g7xe5 *")));
    let apart = wrong(&format!("[Rules \"playok\"] {moves} 5. g7 xe5 c4 *"));
    assert!(apart.contains("DoubleMill is two"), "{apart}");
    for two in ["g7xe5xd1", "g7 xe5 xd1"] {
        let two = wrong(&format!("{moves} 5. {two} *"));
        assert!(two.contains("DoubleMill is one"), "{two}");
        assert!(two.contains("turn 5 of White"), "{two}");
    }
    let three = wrong(&format!("[Rules \"playok\"] {moves} 5. g7 xe5 xd1 xb4 *"));
    assert!(three.contains("'xb4'") && three.contains("too many captures"), "{three}");
}

#[test]
fn a_second_capture_after_the_win_is_dropped() {
    let fen = "*@******/******@*/O*OO@**O w p p 4 1 3 0 0 0 -1 -1 -1 -1 0 0 9 ids:nodes";
    for capture in ["g7xe5xd1", "g7 xe5 xd1", "g7xe5"] {
        let read = game(&format!("[Rules \"playok\"] [FEN \"{fen}\"] 1. {capture} 1-0"));
        assert_eq!(turns(&read), "g7xe5");
        assert_eq!(read.result, GameResult::Win(Color::White));
    }
}

#[test]
fn a_game_may_end_or_begin_with_a_capture_due() {
    assert_eq!(turns(&game("a7 b6 d7 d6 g7 1-0")), "a7 b6 d7 d6 g7");
    let fen = "********/@******@/OO*****O w p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    assert_eq!(turns(&game(&format!("[FEN \"{fen}\"] 1. xb6 f4"))), "xb6 f4");
}

#[test]
fn the_result_comes_from_tag_end_and_board_which_must_agree() {
    let blocked = "d2 b2 f2 g4 a1 a4 d3 f4 c3 e3 e5 c5 g1 d1 c4 d5 e4 b4";
    for (text, result) in [
        (format!("[Result \"1-0\"] {}", "a7"), "1-0"),
        ("[Result \"1-0\"] a7 *".to_owned(), "1-0"),
        ("[Result \"*\"] a7 1-0".to_owned(), "1-0"),
        ("a7 1/2".to_owned(), "1/2-1/2"),
        ("[Result \"?\"] a7".to_owned(), "*"),
        (blocked.to_owned(), "0-1"),
        (format!("{blocked} *"), "0-1"),
    ] {
        assert_eq!(game(&text).result.text(), result, "{text}");
    }
    let error = wrong(&format!("{blocked}\n1-0"));
    assert!(
        error.contains("line 2, '1-0': the board shows 0-1 Black wins: White has no"),
        "{error}"
    );
    let error = wrong(&format!("{blocked} d2-d1"));
    assert!(error.contains("'d2-d1': turn 10 of White: the game is over, 0-1"), "{error}");
}

#[test]
fn unknown_tags_and_comments_are_kept() {
    let read = game("{before} [Odd_1 \"x\"] {still before} a7 {one} {two} b6 ;three\n*");
    assert_eq!(read.tags.iter().collect::<Vec<_>>(), [("Odd_1", "x")]);
    assert_eq!(read.comments, ["still before"]);
    assert_eq!(read.turns()[0].comments, ["one", "two"]);
    assert_eq!(read.turns()[1].comments, ["three"]);
}

#[test]
fn the_head_and_foot_of_a_page_of_gold_token_are_passed_over() {
    let page = "Nine Men's Morris\nGame 13097650 Anna - Ben\nMove\tAnna\tBen\n\
                1\tPlace to A7\tPlace to B6\n2\tPlace to D7\tPlace to D6\n\
                3\tPlace to G7, take B6\tPlace to F4\nQuick Jump: Games, a7, Players\n\
                Home (c) 2026\n";
    assert_eq!(told(page), ["a7 b6 d7 d6 g7xb6 f4"]);
    // But only where the moves follow.
    assert!(wrong("Nine Men's Morris\nMove\n1. a7\n").contains("line 1, 'Nine'"));
    assert_eq!(told(&format!("{page}\n1. d6 f4")), ["a7 b6 d7 d6 g7xb6 f4", "d6 f4"]);
}

#[test]
fn what_a_reader_keeps_has_limits() {
    let tags: String = (0..201).map(|n| format!("[T{n} \"\"]\n")).collect();
    assert!(wrong(&format!("{tags} a7")).contains("list of tags"));
    let comment = format!("{{{}}}\n", "x".repeat(60 << 10));
    assert!(wrong(&format!("a7 {}", comment.repeat(300))).contains("16 MiB"));
    let start = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4 c4-b4 c3-c4";
    let cycle = " f6-f4 a7-d7 f4-f6 d7-a7";
    let rules = "[Rules \"ivory\"] ";
    assert_eq!(game(&format!("{rules}{start}{}", cycle.repeat(100))).turns().len(), 420);
    let text = format!("{rules}{start}{}", cycle.repeat(25_000).replace(" d7-a7", " d7-a7\n"));
    assert!(wrong(&text).contains("100,000 turns"));
}

/// Input that fails after some bytes.
struct Broken(&'static [u8]);

impl Read for Broken {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(io::Error::other("torn"));
        }
        self.0.read(buffer)
    }
}

#[test]
fn an_error_of_the_input_comes_after_the_games_before_it_and_once() {
    let mut reader = Reader::new(BufReader::new(Broken(b"a7 *\nb6 d6\n")), None);
    assert!(reader.next().unwrap().unwrap().game.is_ok());
    assert_eq!(reader.next().unwrap().unwrap_err().to_string(), "torn");
    assert!(reader.next().is_none());
}
