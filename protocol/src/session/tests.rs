use crate::program::transcript;

const SANMILL: &str = "setoption name UCI_Dialect value sanmill";
const BLOCKED: &str = "position fen O@O@O@O@/@*@*@*@*/******** w m s 4 0 8 0 0 0 0 0 0 0 0 0 1";

/// The lines that a search always prints and that do not matter here.
fn without_info(lines: &[&str]) -> Vec<String> {
    let mut printed = transcript(lines);
    printed.retain(|line| !line.starts_with("info depth"));
    printed
}

fn count(lines: &[String], prefix: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(prefix)).count()
}

#[test]
fn a_mill_in_the_sanmill_dialect_takes_two_actions() {
    let mill = "position startpos moves a7 b6 d7 d6 g7";
    assert_eq!(
        transcript(&[SANMILL, mill, "fen"]),
        ["fen ********/@******@/OO*****O w p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 3 ids:nodes"]
    );
    let moves = transcript(&[SANMILL, mill, "moves"]);
    assert!(moves == ["moves xd6 xb6"] || moves == ["moves xb6 xd6"], "{moves:?}");
    let before = "position startpos moves a7 b6 d7 d6";
    let go = "go searchmoves g7 depth 1";
    assert_eq!(without_info(&[SANMILL, before, go]), ["bestmove g7"]);
    assert_eq!(without_info(&[before, "go searchmoves g7xd6 depth 1"]), ["bestmove g7xd6"]);
    let refused = without_info(&[before, go]);
    assert!(refused[0].contains("capture missing"), "{refused:?}");
    let captured = transcript(&[SANMILL, "position startpos moves a7 b6 d7 d6 g7 xd6", "fen"]);
    assert_eq!(
        captured,
        ["fen ********/*******@/OO*****O b p p 3 6 1 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes"]
    );
}

#[test]
fn captures_due_are_listed_and_the_last_one_ends_the_game() {
    let all_in_mills = "position fen *@@@****/********/OO*****O w m r 3 0 3 0 1 0 0 0 0 0 0 0 1";
    assert_eq!(transcript(&[SANMILL, all_in_mills, "moves"]), ["moves xe5 xe4 xe3"]);
    assert_eq!(
        transcript(&[SANMILL, &format!("{all_in_mills} moves xe5"), "go", "moves"]),
        [
            "info string result 1-0 White wins: Black has fewer than three stones",
            "info depth 0 score cp 20000",
            "bestmove none",
            "moves"
        ]
    );
    let double = "position fen O*@*@*@*/O*******/*O*****O w p p 4 5 3 6 0 0 0 0 0 0 0 0 5 moves d7";
    let two = "setoption name DoubleMill value two";
    let fen = |rest: &[&str]| transcript(rest).pop().unwrap();
    assert!(fen(&[double, "fen"]).contains("w p r 5 4 3 6 1 0"));
    assert!(fen(&[two, double, "fen"]).contains("w p r 5 4 3 6 2 0"));
    let half = format!("{double} xe4");
    assert!(fen(&[two, &half, "fen"]).contains("w p r 5 4 2 6 1 0"));
}

#[test]
fn a_blocked_player_has_lost_and_hears_so() {
    assert_eq!(
        transcript(&[BLOCKED, "go depth 3", "eval"]),
        [
            "info string result 0-1 Black wins: White has no legal move",
            "info depth 0 score mate 0",
            "bestmove (none)",
            "info string result 0-1 Black wins: White has no legal move",
            "info eval score mate 0"
        ]
    );
    assert_eq!(transcript(&["gbgp", BLOCKED, "go"]).pop().unwrap(), "bestmove none");
}

#[test]
fn a_refused_position_leaves_none() {
    for (position, part) in [
        ("position startpos moves a7 a7", "move 2 'a7': a7 is occupied"),
        ("position startpos moves a7-d7", "move 1 'a7-d7': White has stones still in hand"),
        ("position startpos moves a7 d7 a9", "move 3 'a9': no such point"),
        ("position startpos moves a7 b6 d7 d6 g7 b4", "move 6 'b4': capture missing"),
        ("position fen xyz moves a7", "fen: form: 'xyz' has 1 fields"),
        ("position pos w:w:b:0", "pos: move number"),
        ("position", "position needs startpos, fen or pos"),
    ] {
        let printed = transcript(&[position, "go depth 1", "d", "position startpos", "go depth 1"]);
        assert!(
            printed[0].starts_with("info string error: ") && printed[0].contains(part),
            "{printed:?}"
        );
        assert!(printed[1].starts_with("info string error: no position"), "{printed:?}");
        assert_eq!(printed[2], "bestmove (none)");
        assert!(printed[3].starts_with("info string error: no position"), "{printed:?}");
        assert!(printed.last().unwrap().starts_with("bestmove "));
        assert_eq!(count(&printed, "bestmove"), 2);
    }
}

#[test]
fn other_rules_discard_the_position_and_the_same_rules_do_not() {
    let printed =
        transcript(&["setoption name Rules value playok", "go", "position startpos", "fen"]);
    assert!(printed[0].starts_with("info string error: no position: the rules were changed"));
    assert_eq!(printed[1], "bestmove (none)");
    assert!(printed[2].starts_with("fen "));
    for same in ["Rules value standard", "Rules value millgame", "DoubleMill value one"] {
        let printed = transcript(&[&format!("setoption name {same}"), "fen"]);
        assert!(printed[0].starts_with("fen "), "{same}");
    }
    let new_game = transcript(&["setoption name Rules value ivory", "ucinewgame", "fen"]);
    assert!(new_game[0].starts_with("fen ********"));
}

#[test]
fn every_go_gets_one_bestmove_and_stop_alone_gets_none() {
    assert_eq!(transcript(&["stop", "ponderhit", "isready"]), ["readyok"]);
    let printed = transcript(&["go infinite", "stop", "stop", "go infinite", "go depth x", "go"]);
    assert_eq!(count(&printed, "bestmove"), 4);
    assert_eq!(count(&printed, "bestmove (none)"), 1);
}

#[test]
fn handshakes_announce_what_their_protocol_knows() {
    let uci = transcript(&["uci", "isready"]);
    assert_eq!(uci[0], format!("id name {}", crate::build_info::NAME));
    assert_eq!(uci[uci.len() - 2..], ["uciok", "readyok"]);
    assert_eq!(count(&uci, "option name "), crate::options::OPTIONS.len());
    let gbgp = transcript(&["gbgp", "newgame", "position pos b:wb4,c4:bd2:2", "go depth 2"]);
    assert_eq!(count(&gbgp, "gbgpok"), 1);
    assert_eq!(count(&gbgp, "option name UCI_") + count(&gbgp, "option name MultiPV"), 0);
    let info = gbgp.iter().find(|line| line.starts_with("info depth")).unwrap();
    assert!(info.contains(" score eval ") && !info.contains("tbhits"), "{info}");
}

#[test]
fn a_perft_is_counted_to_its_end_before_what_follows() {
    let printed =
        transcript(&["position startpos moves a7", "perft 2", "go perft 1", "fen", "quit"]);
    assert_eq!(count(&printed, "d7: 22"), 1);
    assert_eq!(count(&printed, "Nodes searched: 506"), 1);
    assert_eq!(count(&printed, "Nodes searched: 23"), 1);
    assert!(printed.last().unwrap().starts_with("fen "));
}

#[test]
fn the_board_tells_all_that_a_position_is() {
    let moves = "position startpos moves d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4 \
                 c4-b4 c3-c4 f6-f4 a7-d7 f4-f6 d7-a7 f6-f4 a7-d7 f4-f6";
    let printed = transcript(&[moves, "d"]);
    for line in ["To move: Black", "In hand: White 0, Black 0", "Occurrences: 2", "Captures due: 0"]
    {
        assert!(printed.iter().any(|printed| printed == line), "{line}: {printed:?}");
    }
    assert_eq!(count(&printed, "Result"), 0);
    let drawn = transcript(&[&format!("{moves} d7-a7"), "d", "go"]);
    assert!(drawn.iter().any(|line| line == "Result: 1/2-1/2 draw: third occurrence"));
    assert_eq!(drawn[drawn.len() - 2..], ["info depth 0 score cp 0", "bestmove (none)"]);
}

#[test]
fn eval_explains_the_very_score_that_it_prints() {
    let position = "position startpos moves a7 b6 d7 d6 g7 xd6";
    let number = |line: &String| -> i32 {
        let mut words = line.split([' ', ',']).filter_map(|word| word.parse().ok());
        words.next_back().expect("a number")
    };
    let explained = transcript(&[position, "eval"]);
    let total = explained.iter().find(|line| line.starts_with("Total: ")).unwrap();
    // White's view; it is Black's turn.
    assert_eq!(number(explained.last().unwrap()), -number(total), "{explained:?}");
    let white = transcript(&[SANMILL, position, "eval"]);
    assert_eq!(number(white.last().unwrap()), number(total), "{white:?}");
}

#[test]
fn a_stop_is_meant_for_all_calculations_that_wait_before_it() {
    let printed = transcript(&["perft 20", "perft 20", "bench", "stop", "perft 1"]);
    assert_eq!(count(&printed, "info string perft stopped"), 2, "{printed:?}");
    assert_eq!(count(&printed, "info string bench stopped"), 1, "{printed:?}");
    assert_eq!(count(&printed, "Nodes searched: 24"), 1, "{printed:?}");
}
