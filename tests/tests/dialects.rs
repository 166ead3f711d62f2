//! The dialects beside plain UCI, as the clients of other programs speak them.

use std::collections::BTreeSet;

use merel_tests::program::Program;

const BLOCKED: &str = "position fen O@O@O@O@/@*@*@*@*/******** w m s 4 0 8 0 0 0 0 0 0 0 0 0 1";
/// A game in which a position comes up for the third time.
const REPEATED: &str = "position startpos moves d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 \
                        g4 c4-b4 c3-c4 f6-f4 a7-d7 f4-f6 d7-a7 f6-f4 a7-d7 f4-f6 d7-a7";

fn engine() -> Program {
    let mut engine = Program::start(env!("CARGO_BIN_EXE_merel-under-test"), &[]);
    engine.send("uci");
    engine.until("uciok");
    engine
}

fn sanmill() -> Program {
    let mut engine = engine();
    assert_eq!(engine.ask("setoption name UCI_Dialect value sanmill"), [""; 0]);
    engine
}

fn gbgp() -> Program {
    let mut engine = Program::start(env!("CARGO_BIN_EXE_merel-under-test"), &[]);
    engine.send("gbgp");
    engine.until("gbgpok");
    engine.send("newgame");
    engine
}

/// The only line that answers.
fn line(engine: &mut Program, command: &str) -> String {
    let lines = engine.ask(command);
    let [line] = lines.as_slice() else { panic!("{command}: {lines:#?}") };
    line.clone()
}

/// The words after `moves`.
fn moves(engine: &mut Program) -> BTreeSet<String> {
    line(engine, "moves").split(' ').skip(1).map(str::to_owned).collect()
}

/// The answer to a `go`, which comes when it comes.
fn go(engine: &mut Program, go: &str) -> Vec<String> {
    engine.send(go);
    engine.until("bestmove ")
}

/// The word after `bestmove`.
fn best(engine: &mut Program, limits: &str) -> String {
    let lines = go(engine, limits);
    lines.last().and_then(|line| line.split(' ').nth(1)).expect("it is there").to_owned()
}

/// Kind and number of the last score.
fn score(lines: &[String]) -> (String, i32) {
    let line = lines.iter().rfind(|line| line.contains(" score ")).expect("a score");
    let mut words = line.split(' ').skip_while(|&word| word != "score").skip(1);
    let kind = words.next().expect("its kind");
    (kind.to_owned(), words.next().and_then(|n| n.parse().ok()).expect("a number"))
}

#[test]
fn sanmill_clients_get_info_and_bestmove_on_lines_of_their_own() {
    let mut engine = sanmill();
    assert_eq!(
        line(&mut engine, "fen"),
        "fen ********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes"
    );
    assert!(line(&mut engine, "eval").starts_with("info eval score cp "));
    let lines = go(&mut engine, "go depth 4");
    let (best, infos) = lines.split_last().expect("lines");
    assert!(!infos.is_empty());
    for info in infos {
        assert!(info.starts_with("info depth ") && !info.contains("bestmove"), "{info}");
    }
    assert!(!best.contains("info") && !best.contains('x'), "{best}");
}

#[test]
fn a_sanmill_client_is_led_through_a_mill_and_its_capture() {
    let mut engine = sanmill();
    engine.send("position startpos moves a7 b6 d7 d6");
    assert_eq!(best(&mut engine, "go depth 4 searchmoves g7"), "g7");
    engine.send("position startpos moves a7 b6 d7 d6 g7");
    assert_eq!(
        line(&mut engine, "fen"),
        "fen ********/@******@/OO*****O w p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 3 ids:nodes"
    );
    assert_eq!(moves(&mut engine), ["xb6", "xd6"].map(str::to_owned).into());
    let capture = best(&mut engine, "go depth 4");
    assert!(["xb6", "xd6"].contains(&capture.as_str()), "{capture}");
    engine.send("position startpos moves a7 b6 d7 d6 g7 xd6");
    assert_eq!(
        line(&mut engine, "fen"),
        "fen ********/*******@/OO*****O b p p 3 6 1 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes"
    );
    assert_eq!(moves(&mut engine).len(), 20);
    assert!(!best(&mut engine, "go depth 6").contains('x'));
}

#[test]
fn a_double_mill_is_one_removal_or_two_by_the_option() {
    let mut engine = sanmill();
    let before = "position fen O*@*@*@*/O*******/*O*****O w p p 4 5 3 6 0 0 0 0 0 0 0 0 5";
    engine.send(&format!("{before} moves d7"));
    let fen = line(&mut engine, "fen");
    assert!(fen.starts_with("fen O*@*@*@*/O*******/OO*****O w p r 5 4 3 6 1 0 "), "{fen}");
    engine.send("setoption name DoubleMill value two");
    for (played, fen_start, captures) in [
        ("d7", "fen O*@*@*@*/O*******/OO*****O w p r 5 4 3 6 2 0 ", 3),
        ("d7 xe4", "fen O***@*@*/O*******/OO*****O w p r 5 4 2 6 1 0 ", 2),
    ] {
        engine.send(&format!("{before} moves {played}"));
        let fen = line(&mut engine, "fen");
        assert!(fen.starts_with(fen_start), "{fen}");
        assert_eq!(moves(&mut engine).len(), captures);
        assert!(best(&mut engine, "go depth 2").starts_with('x'));
    }
    engine.send(&format!("{before} moves d7 xe4 xd3"));
    let fen = line(&mut engine, "fen");
    assert!(fen.starts_with("fen O*****@*/O*******/OO*****O b p p 5 4 1 6 0 0 "), "{fen}");
}

#[test]
fn what_may_be_removed_are_stones_outside_mills_or_all_in_them() {
    let mut engine = sanmill();
    for (fen, expected) in [
        ("*@@@****/********/OO*****O w m r 3 0 3 0 1 0 0 0 0 0 0 0 1", &["xe3", "xe4", "xe5"][..]),
        ("*@@@**@*/********/OO*****O w m r 3 0 4 0 1 0 0 0 0 0 0 0 1", &["xc4"]),
    ] {
        engine.send(&format!("position fen {fen}"));
        assert_eq!(moves(&mut engine), expected.iter().map(|&m| m.to_owned()).collect());
    }
}

#[test]
fn a_finished_game_is_none_or_draw_for_sanmill_clients() {
    let mut engine = sanmill();
    for (position, result, last) in [
        (BLOCKED, "0-1 Black wins: White has no legal move", "bestmove none"),
        (
            "position fen *@@@****/********/OO*****O w m r 3 0 3 0 1 0 0 0 0 0 0 0 1 moves xe5",
            "1-0 White wins: Black has fewer than three stones",
            "bestmove none",
        ),
        (REPEATED, "1/2-1/2 draw: third occurrence", "bestmove draw"),
    ] {
        engine.send(position);
        for limits in ["go depth 3", "go", "go infinite"] {
            let lines = engine.ask(limits);
            let [said, info, best] = lines.as_slice() else { panic!("{lines:#?}") };
            assert_eq!(said, &format!("info string result {result}"));
            assert!(info.starts_with("info depth 0 score "), "{info}");
            assert_eq!(best, last);
        }
        assert!(moves(&mut engine).is_empty());
    }
    engine.send(BLOCKED);
    let lines = engine.ask("eval");
    assert_eq!(lines.last().expect("a line"), "info eval score mate 0");
    // A refusal ends in a word that is no move either.
    assert_eq!(engine.ask("go depth x").last().expect("a line"), "bestmove none");
}

#[test]
fn a_sanmill_client_may_ask_stop_and_ask_again() {
    let mut engine = sanmill();
    engine.send("go infinite");
    engine.until("info depth");
    assert_eq!(engine.ask("isready").iter().filter(|line| line.starts_with("bestmove")).count(), 0);
    engine.send("stop");
    engine.until("bestmove ");
    assert_eq!(engine.ask("stop"), [""; 0]);
    // Its plain `go` expects an answer.
    go(&mut engine, "go");
}

#[test]
fn scores_in_the_sanmill_dialect_are_whites_whoever_is_to_move() {
    let ahead = "**O*****/O*@*****/*@***O*O";
    for (side, sign) in [("w", 1), ("b", -1)] {
        let position = format!("position fen {ahead} {side} p p 4 4 2 4 0 0 0 0 0 0 0 0 6");
        let [mover, white] = [engine(), sanmill()].map(|mut engine| {
            engine.send(&position);
            let eval = engine.ask("eval");
            (score(&eval), score(&go(&mut engine, "go depth 5")))
        });
        for (mover, white) in [(&mover.0, &white.0), (&mover.1, &white.1)] {
            assert_eq!((mover.0.as_str(), white.0.as_str()), ("cp", "cp"));
            assert_eq!(mover.1 * sign, white.1, "{side}");
            assert!(white.1 > 0, "White is two stones ahead: {side} {white:?}");
        }
    }
    // With a capture due the side has not changed yet, and with the capture made it has.
    let mill = "position fen @@**O@**/**O*O@O*/OO**@**O w m r 7 0 5 0 1 0 0 0 0 0 0 0 20";
    let mut white = sanmill();
    for position in [mill.to_owned(), format!("{mill} moves xd1"), format!("{mill} moves xc3")] {
        white.send(&position);
        let lines = go(&mut white, "go depth 4");
        assert!(score(&lines).1 > 0, "{position}: {lines:#?}");
    }
    // Black to move mates.
    let position = "position fen @*O*****/@*O*****/*O*****@ b m s 3 0 3 0 0 0 0 0 0 0 0 0 1";
    let [mover, white] = [engine(), sanmill()].map(|mut engine| {
        engine.send(position);
        score(&go(&mut engine, "go depth 4"))
    });
    assert_eq!((mover, white), (("mate".to_owned(), 1), ("mate".to_owned(), -1)));
}

#[test]
fn the_greeting_of_gbgp_offers_nothing_it_does_not_know() {
    let mut engine = Program::start(env!("CARGO_BIN_EXE_merel-under-test"), &[]);
    engine.send("gbgp");
    let lines = engine.until("gbgpok");
    assert!(lines[0].starts_with("id name Merel ") && lines[1].starts_with("id author "));
    for line in &lines[2..lines.len() - 1] {
        assert!(line.starts_with("option name "), "{line}");
        assert!(!line.contains("MultiPV") && !line.contains("UCI_"), "{line}");
    }
    assert_eq!(engine.ask("newgame"), [""; 0]);
    // Who greets in the other protocol is answered in it.
    engine.send("uci");
    engine.until("uciok");
    assert!(score(&go(&mut engine, "go depth 2")).0 == "cp");
}

#[test]
fn searches_in_gbgp_use_its_words_only() {
    let mut engine = gbgp();
    // Options of the other protocol do not leak into this one.
    engine.send("setoption name MultiPV value 3");
    engine.send("setoption name UCI_ShowWDL value true");
    engine.send("setoption name UCI_Dialect value sanmill");
    for (position, limits) in [
        ("startpos moves a7 b6 d7 d6", "go depth 4 searchmoves g7xb6"),
        ("pos w:wd5,d6,a7:be4,f4,g7:20", "go depth 4"),
    ] {
        engine.send(&format!("position {position}"));
        let lines = go(&mut engine, limits);
        for word in lines.iter().flat_map(|line| line.split(' ')) {
            assert!(!["multipv", "tbhits", "mate", "cp", "wdl"].contains(&word), "{lines:#?}");
        }
        let capture = lines.last().expect("a bestmove");
        assert!(capture.contains('x'), "a turn is one token: {capture}");
    }
}

#[test]
fn scores_in_gbgp_are_eval_or_win_from_the_side_to_move() {
    let mut engine = gbgp();
    assert_eq!(score(&go(&mut engine, "go depth 3")).0, "eval");
    engine.send("position pos w:wd5,d6,a7:be4,f4,g7:20");
    let lines = go(&mut engine, "go depth 4");
    assert_eq!(score(&lines), ("win".to_owned(), 1));
    assert!(lines.last().expect("a bestmove").starts_with("bestmove a7-d7x"), "{lines:#?}");
    // Each counts his own turns: White wins with his second, after Black has made one.
    let position = "position pos w:wd5,e3,f4:bc3,d2,g7:20";
    engine.send(position);
    let lines = go(&mut engine, "go depth 6");
    assert_eq!(score(&lines), ("win".to_owned(), 2));
    let first = lines.last().and_then(|line| line.split(' ').nth(1)).expect("a turn").to_owned();
    engine.send(&format!("{position} moves {first}"));
    assert_eq!(score(&go(&mut engine, "go depth 6")), ("win".to_owned(), -1));
}

#[test]
fn a_gbgp_position_tells_the_hands_by_its_number() {
    let mut engine = gbgp();
    for (position, fen) in [
        ("b:wb4,c4:bd2:2", "******O*/****@*O*/******** b p p 2 7 1 8 0 0 -1 -1 -1 -1 0 0 2"),
        // A stone on the board has been placed, whatever the number says.
        ("w:wb4,c4:bd2:2", "******O*/****@*O*/******** w p p 2 7 1 8 0 0 -1 -1 -1 -1 0 0 2"),
        ("w:w:b:1", "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1"),
        (
            "w:wa7,d7,g7:bb6,d6,f6,c5:10",
            "*******@/@@*****@/OO*****O w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 10",
        ),
    ] {
        assert_eq!(engine.ask(&format!("position pos {position}")), [""; 0], "{position}");
        assert_eq!(line(&mut engine, "fen"), format!("fen {fen} ids:nodes"));
        assert_ne!(best(&mut engine, "go depth 2"), "none");
    }
    engine.send("position pos b:wb4,c4:bd2:2 moves a7");
    assert!(line(&mut engine, "fen").starts_with("fen ******O*/****@*O*/*******@ w p p 2 7 2 7 "));
}

#[test]
fn a_nonsense_gbgp_position_is_refused_in_one_line() {
    let mut engine = gbgp();
    for (position, part) in [
        ("position pos", "pos"),
        ("position pos w", "1 fields"),
        ("position pos x:w:b:1", "'x'"),
        ("position pos w:b:w:1", "White"),
        ("position pos w:wb7:b:2", "'b7'"),
        ("position pos w:wa7,a7:b:3", "a7"),
        ("position pos w:wa7:ba7:2", "two stones"),
        ("position pos w:w:b:0", "'0'"),
        ("position pos w:w:b:many", "'many'"),
        ("position pos w:wb4:bd2:2 moves b4", "occupied"),
    ] {
        let refusal = line(&mut engine, position);
        assert!(refusal.starts_with("info string error: "), "{position}: {refusal}");
        assert!(refusal.contains(part), "{position}: {refusal}");
        let lines = engine.ask("go depth 2");
        let [reason, best] = lines.as_slice() else { panic!("{lines:#?}") };
        assert!(reason.starts_with("info string error: no position"), "{reason}");
        assert_eq!(best, "bestmove none");
    }
}

#[test]
fn a_gbgp_game_that_is_over_has_no_turn_and_a_bare_go_has_one() {
    let mut engine = gbgp();
    for position in [BLOCKED, REPEATED] {
        engine.send(position);
        assert_eq!(engine.ask("go").last().expect("a line"), "bestmove none");
    }
    engine.send("position startpos");
    assert_ne!(best(&mut engine, "go"), "none");
}
