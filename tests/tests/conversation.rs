//! The engine program in conversation: every state, every command that may come in it.

use std::time::Duration;

use merel_tests::program::Program;

fn engine() -> Program {
    let mut engine = Program::start(env!("CARGO_BIN_EXE_merel-under-test"), &[]);
    engine.send("uci");
    engine.until("uciok");
    engine
}

fn starting(lines: &[String], start: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(start)).count()
}

/// A search is under way once it has said something.
fn go_infinite(engine: &mut Program) {
    engine.send("go infinite");
    engine.until("info depth");
}

#[test]
fn the_greeting_lists_every_option_of_the_interface() {
    let mut engine = Program::start(env!("CARGO_BIN_EXE_merel-under-test"), &[]);
    engine.send("uci");
    let lines = engine.until("uciok");
    assert!(lines[0].starts_with("id name Merel "));
    for option in [
        "Hash type spin default 16",
        "Threads type spin default 1",
        "MultiPV type spin default 1",
        "Ponder type check default false",
        "Move Overhead type spin default 10",
        "Skill Level type spin default 20 min 0 max 20",
        "UCI_LimitStrength type check default false",
        "UCI_Elo type spin",
        "UCI_ShowWDL type check default false",
        "Clear Hash type button",
        "UCI_Dialect type combo default turn var turn var sanmill",
        "Debug Log File type string",
        "Rules type combo default standard var standard var playok var ivory var millgame",
        "DoubleMill type combo default one var one var two",
        "NoImmediateReturn type check default false",
        "Repetition type combo default third var third var off",
        "AllInMills type combo default any var any var none",
        "QuietLimit type spin default 0 min 0 max 1000",
    ] {
        let found = lines.iter().any(|l| l.starts_with(&format!("option name {option}")));
        assert!(found, "{option} in {lines:#?}");
    }
}

#[test]
fn isready_is_answered_during_a_search_which_goes_on() {
    let mut engine = engine();
    go_infinite(&mut engine);
    for _ in 0..1000 {
        engine.send("isready");
    }
    let mut ready = 0;
    while ready < 1000 {
        let line = engine.line().expect("the engine lives");
        assert!(!line.starts_with("bestmove"));
        ready += usize::from(line == "readyok");
    }
    engine.send("stop");
    engine.until("bestmove ");
}

#[test]
fn stop_gives_one_bestmove_and_a_second_stop_none() {
    let mut engine = engine();
    assert_eq!(engine.ask("stop"), [""; 0]);
    go_infinite(&mut engine);
    engine.send("stop");
    engine.send("stop");
    engine.until("bestmove ");
    assert_eq!(starting(&engine.ask("stop"), "bestmove"), 0);
}

#[test]
fn commands_that_change_something_end_the_search_first_and_then_act() {
    for command in [
        "position startpos moves a7",
        "setoption name Hash value 8",
        "setoption name Threads value 2",
        "setoption name Rules value playok",
        "setoption name Clear Hash",
        "ucinewgame",
        "go depth 1",
        "flip",
        "perft 2",
    ] {
        let mut engine = engine();
        go_infinite(&mut engine);
        let lines = engine.ask(command);
        let moves = starting(&lines, "bestmove ");
        // A `go` is owed one of its own, which may come after `readyok`.
        let more = if command.starts_with("go") && moves == 1 {
            engine.until("bestmove").len()
        } else {
            0
        };
        assert!(
            moves == 1 || (more > 0 || moves == 2) && command.starts_with("go"),
            "{command}: {lines:#?}"
        );
        engine.send("quit");
        let (rest, status, _) = engine.end();
        assert_eq!(starting(&rest, "bestmove"), 0, "{command}");
        assert!(status.success());
    }
}

#[test]
fn a_position_sent_while_thinking_is_loaded_with_the_right_hands() {
    let mut engine = engine();
    go_infinite(&mut engine);
    engine.send("position startpos moves d2 b2 b4 f2 f4 b6 d6 d3 g4 d1");
    engine.until("bestmove");
    let fen = engine.ask("fen");
    assert!(fen[0].contains(" w p p 5 4 5 4 0 0 "), "{fen:?}");
}

#[test]
fn quit_and_the_end_of_input_end_the_program_in_every_state() {
    let states: [&[&str]; 7] = [
        &[],
        &["uci"],
        &["go infinite"],
        &["go ponder wtime 1000 btime 1000"],
        &["perft 12"],
        &["setoption name Threads value 2", "go infinite"],
        &["position fen nonsense", "go"],
    ];
    for state in states {
        for quit in [true, false] {
            let mut engine = Program::start(env!("CARGO_BIN_EXE_merel-under-test"), &[]);
            for line in state {
                engine.send(line);
            }
            std::thread::sleep(Duration::from_millis(50));
            if quit {
                engine.send("quit");
            } else {
                engine.close_input();
            }
            let (_, status, _) = engine.end();
            assert!(status.success(), "{state:?} {quit}");
        }
    }
}

#[test]
fn a_go_is_answered_by_at_least_one_line_and_one_bestmove() {
    let mut engine = engine();
    for go in [
        "go depth 3",
        "go nodes 1",
        "go nodes 5000",
        "go movetime 1",
        "go wtime 100",
        "go btime 100 wtime 50 binc 5",
        "go movestogo 1 wtime 60",
        "go movestogo 0 wtime 60",
        "go wtime -5 btime -5",
        "go depth 0",
        "go mate 1",
        "go searchmoves a7 d7 depth 2",
        "go depth 2 searchmoves b4",
    ] {
        engine.send(go);
        let lines = engine.until("bestmove ");
        let infos = lines.iter().filter(|l| l.starts_with("info depth") && l.contains(" pv "));
        assert!(infos.count() >= 1, "{go}: {lines:#?}");
        assert_ne!(lines.last().unwrap(), "bestmove (none)", "{go}");
        assert_eq!(starting(&engine.ask("isready"), "bestmove"), 0);
    }
    engine.send("go depth 2 searchmoves b4");
    assert!(engine.until("bestmove").last().unwrap().starts_with("bestmove b4"));
}

#[test]
fn a_refused_go_gives_one_line_that_names_the_token_and_no_move() {
    let mut engine = engine();
    for (go, token) in [
        ("go depth x", "x"),
        ("go depth", "depth"),
        ("go movetime 1e3", "1e3"),
        ("go wtime soon btime 5", "soon"),
        ("go depth 5 sideways", "sideways"),
        ("go searchmoves a9", "a9"),
        ("go searchmoves a7-a4", "a7-a4"),
    ] {
        let lines = engine.ask(go);
        assert_eq!(lines.len(), 2, "{go}: {lines:#?}");
        assert!(lines[0].starts_with("info string error: "), "{go}: {lines:#?}");
        assert!(lines[0].contains(token), "{go}: {lines:#?}");
        assert_eq!(lines[1], "bestmove (none)");
    }
}

#[test]
fn after_a_refused_position_there_is_none_until_a_good_one_comes() {
    let mut engine = engine();
    for (position, token, reason) in [
        ("position fen xyz moves a7", "xyz", "fields"),
        ("position startpos moves a7 a7", "a7", "occupied"),
        ("position startpos moves a7 b6 a7-d7", "a7-d7", "in hand"),
        ("position startpos moves a9", "a9", "no such point"),
        ("position startpos moves b7", "b7", "no such point"),
        ("position startpos moves a7 b6 d7 d6 g7 b2", "b2", "capture missing"),
        ("position startpos moves a7xb6", "a7xb6", "no mill"),
        ("position startpos moves a7 b6 d7 d6 g7xg7", "g7xg7", "own"),
        ("position startpos moves a7 b6 d7 d6 g7xa1", "g7xa1", "no stone"),
        ("position startpos moves a7 b6 d7 d6 g7xb6xd6", "g7xb6xd6", "captures"),
        ("position", "position", ""),
        ("position somewhere", "somewhere", ""),
        (
            "position fen O*O@O*O@/*@*@***@O/O@O@O@O* b m s 9 0 8 0 0 8 23 moves f4-f2 d6-b6",
            "",
            "board",
        ),
        ("position fen *OOOOOOO/*@O@@OOO/OO@@@@@O b p p 14 -6 8 -4 0 0 17", "-6", "hand"),
    ] {
        let lines = engine.ask(position);
        assert_eq!(lines.len(), 1, "{position}: {lines:#?}");
        assert!(lines[0].starts_with("info string error: "), "{lines:#?}");
        assert!(lines[0].contains(token), "{position}: {lines:#?}");
        assert!(lines[0].to_lowercase().contains(reason), "{position}: {lines:#?}");
        let lines = engine.ask("go depth 3");
        assert_eq!(lines.len(), 2, "{lines:#?}");
        assert!(lines[0].starts_with("info string error: no position"), "{lines:#?}");
        assert_eq!(lines[1], "bestmove (none)");
    }
    assert_eq!(engine.ask("position startpos"), [""; 0]);
    engine.send("go depth 1");
    assert_ne!(engine.until("bestmove").last().unwrap(), "bestmove (none)");
}

#[test]
fn a_change_of_rules_discards_the_position() {
    let mut engine = engine();
    engine.send("position startpos moves a7");
    assert_eq!(engine.ask("setoption name DoubleMill value two"), [""; 0]);
    let lines = engine.ask("go depth 1");
    assert!(lines[0].contains("no position"), "{lines:#?}");
    engine.send("position startpos");
    engine.send("go depth 1");
    engine.until("bestmove ");
}

#[test]
fn a_finished_game_says_so_with_its_reason() {
    let mut engine = engine();
    let cycle = " f6-f4 a7-d7 f4-f6 d7-a7";
    let placed = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4 c4-b4 c3-c4";
    for (position, result, score) in [
        (
            "fen O@O@O@O@/@*@*@*@*/******** w m s 4 0 8 0 0 0 0 0 0 0 0 0 1".to_owned(),
            "0-1 Black wins: White has no legal move",
            "mate 0",
        ),
        (
            "fen O*@*****/O*@*****/*@****** w m s 2 0 3 0 0 0 0 0 0 0 0 0 1".to_owned(),
            "0-1 Black wins: White has fewer than three stones",
            "mate 0",
        ),
        (
            "fen *@@@****/********/OO*****O w m r 3 0 3 0 1 0 0 0 0 0 0 0 1 moves xe5".to_owned(),
            "1-0 White wins: Black has fewer than three stones",
            "mate 0",
        ),
        (format!("startpos moves {placed}{cycle}{cycle}"), "1/2-1/2 ", "cp 0"),
    ] {
        engine.send(&format!("position {position}"));
        let lines = engine.ask("go depth 5");
        let [said, info, best] = lines.as_slice() else { panic!("{lines:#?}") };
        assert!(said.starts_with(&format!("info string result {result}")), "{said}");
        assert_eq!(info, &format!("info depth 0 score {score}"));
        assert_eq!(best, "bestmove (none)");
    }
    // One repetition less and the game goes on.
    engine.send(&format!("position startpos moves {placed}{cycle}"));
    engine.send("go depth 2");
    assert_ne!(engine.until("bestmove").last().unwrap(), "bestmove (none)");
}

#[test]
fn pondering_ends_with_the_hit_or_a_stop() {
    let mut engine = engine();
    engine.send("setoption name Ponder value true");
    engine.send("position startpos moves a7 d7");
    engine.send("go ponder wtime 200 btime 200");
    let waiting = engine.listen(Duration::from_millis(500));
    assert_eq!(starting(&waiting, "bestmove"), 0, "{waiting:#?}");
    engine.send("ponderhit");
    engine.until("bestmove ");
    engine.send("go ponder movetime 1");
    engine.listen(Duration::from_millis(50));
    engine.send("stop");
    engine.until("bestmove ");
}

#[test]
fn an_infinite_search_that_has_its_result_waits_for_stop_without_work() {
    let mut engine = engine();
    engine.send("position fen O*@*****/O*@*****/*@*****O w m r 3 0 3 0 1 0 0 0 0 0 0 0 1");
    engine.send("go infinite depth 4");
    engine.until("info depth ");
    let more = engine.listen(Duration::from_millis(300));
    assert_eq!(starting(&more, "bestmove"), 0, "{more:#?}");
    engine.send("stop");
    engine.until("bestmove ");
}

#[test]
fn bad_options_get_a_line_that_names_the_range_and_change_nothing() {
    let mut engine = engine();
    for (line, words) in [
        ("setoption name Hash value 0", "1"),
        ("setoption name Hash value many", "many"),
        ("setoption name Threads value 100000", "100000"),
        ("setoption name Rules value chess", "standard"),
        ("setoption name NoImmediateReturn value maybe", "true"),
        ("setoption name Has value 16", "Has"),
        ("setoption name QuietLimit value 1001", "1000"),
        ("setoption", "name"),
        ("setoption value 5", "name"),
    ] {
        let lines = engine.ask(line);
        assert_eq!(lines.len(), 1, "{line}: {lines:#?}");
        assert!(lines[0].starts_with("info string error: "), "{lines:#?}");
        assert!(lines[0].contains(words), "{line}: {lines:#?}");
    }
    assert_eq!(engine.ask("setoption name hash value 4"), [""; 0]);
    assert_eq!(engine.ask("setoption name  MOVE   OVERHEAD value 20"), [""; 0]);
}

#[test]
fn multipv_lists_different_first_turns_best_first() {
    let mut engine = engine();
    engine.send("setoption name MultiPV value 20");
    // The opening book would answer by itself.
    engine.send("setoption name TablebaseProbeLimit value 0");
    engine.send("position startpos moves a7 b6 d7 d6");
    engine.send("go depth 6");
    let lines = engine.until("bestmove");
    let last: Vec<&String> = lines.iter().filter(|l| l.starts_with("info depth 6 ")).collect();
    assert_eq!(last.len(), 20, "{lines:#?}");
    let firsts: Vec<&str> =
        last.iter().map(|l| l.split(" pv ").nth(1).unwrap().split(' ').next().unwrap()).collect();
    let mut unique = firsts.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), 20);
    assert!(firsts[0].starts_with("g7x"), "the mill is closed first: {firsts:?}");
    let scores: Vec<i32> = last
        .iter()
        .map(|l| l.split("score cp ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

#[test]
fn with_tables_multipv_lists_every_turn_or_every_one_asked_for_with_its_value() {
    let mut engine = engine();
    engine.send("setoption name MultiPV value 512");
    let fen = "**O****O/****@*O*/*@***O*@ w m s 4 0 3 0 0 0 0 0 0 0 0 0 1";
    engine.send(&format!("position fen {fen}"));
    let board = engine.ask("d");
    let turns: Vec<&String> = board.iter().filter(|line| line.starts_with("  ")).collect();
    assert!(board.contains(&"Table: drawn".to_owned()), "{board:#?}");
    let turns: Vec<&String> = turns.into_iter().filter(|line| line.contains(": ")).collect();
    let lines = |engine: &mut Program, go: &str| -> Vec<String> {
        engine.send(go);
        let lines = engine.until("bestmove");
        let told = |line: &String| {
            let words: Vec<&str> = line.split(' ').collect();
            let after = |name: &str, count: usize| {
                let at = words.iter().position(|word| *word == name).expect("the field");
                words[at + 1..=at + count].join(" ")
            };
            format!("{} {} {}", after("multipv", 1), after("score", 2), after("pv", 1))
        };
        lines.iter().filter(|line| line.starts_with("info depth ")).map(told).collect()
    };
    let all = lines(&mut engine, "go depth 3");
    assert_eq!(all.len(), turns.len(), "{all:#?}");
    assert_eq!(all[..2], ["1 cp 0 a1-a4", "2 mate -13 e4-e5"]);
    let some = lines(&mut engine, "go depth 3 searchmoves e4-e5 a1-a4");
    assert_eq!(some, all[..2]);
}

#[test]
fn info_lines_have_their_fields_in_the_usual_order() {
    let mut engine = engine();
    engine.send("setoption name UCI_ShowWDL value true");
    engine.send("go depth 4");
    let lines = engine.until("bestmove");
    for line in lines.iter().filter(|l| l.starts_with("info depth")) {
        let keys = [
            "depth", "seldepth", "multipv", "score", "wdl", "nodes", "nps", "hashfull", "tbhits",
            "time", "pv",
        ];
        let words: Vec<&str> = line.split(' ').collect();
        let at: Vec<usize> =
            keys.iter().map(|k| words.iter().position(|w| w == k).expect(line)).collect();
        assert!(at.is_sorted(), "{line}");
        let wdl: u32 = words[at[4] + 1..at[4] + 4].iter().map(|w| w.parse::<u32>().unwrap()).sum();
        assert_eq!(wdl, 1000, "{line}");
    }
}

#[test]
fn perft_prints_each_turn_and_the_sum() {
    let mut engine = engine();
    // `isready` is answered while it counts, so the last line tells when it is done.
    let mut perft = |command: &str| {
        engine.send(command);
        engine.until("Nodes searched")
    };
    let lines = perft("go perft 3");
    assert_eq!(lines.len(), 26, "{lines:#?}"); // the unit, 24 turns, the sum
    assert!(lines.contains(&"a7: 506".to_owned()), "{lines:#?}");
    assert_eq!(lines.last().unwrap(), "Nodes searched: 12144");
    engine.send("position startpos moves a7 b6 d7 d6");
    let mut perft = |command: &str| {
        engine.send(command);
        engine.until("Nodes searched")
    };
    let turns = perft("perft 1");
    assert_eq!(turns.last().unwrap(), "Nodes searched: 21");
    let atomic = perft("perft 2 atomic");
    // Nineteen quiet placements with nineteen replies each, and a mill with two captures.
    assert_eq!(atomic.last().unwrap(), "Nodes searched: 363");
}

#[test]
fn unknown_words_point_to_help_and_comments_are_ignored() {
    let mut engine = engine();
    let lines = engine.ask("castle");
    assert!(
        lines.len() == 1
            && lines[0].starts_with("info string error: ")
            && lines[0].contains("help"),
        "{lines:#?}"
    );
    assert_eq!(engine.ask("# a comment"), [""; 0]);
    assert_eq!(engine.ask("   \t "), [""; 0]);
    for command in ["help", "compiler", "d", "eval", "fen", "moves", "license"] {
        assert!(!engine.ask(command).is_empty(), "{command}");
    }
}

#[test]
fn the_drawing_shows_a_stone_where_it_stands() {
    let mut engine = engine();
    engine.send("position startpos moves a7");
    let lines = engine.ask("d");
    assert!(lines[0].starts_with("7  O-----"), "{lines:#?}");
    let key = lines.iter().find(|l| l.starts_with("Key: ")).unwrap();
    assert_eq!(key.len(), "Key: ".len() + 16);
}

#[test]
fn every_printed_turn_is_read_back_in_either_form() {
    let mut engine = engine();
    engine.send("position startpos moves a7 b6 d7 d6 g7xd6");
    let joined = engine.ask("fen");
    for moves in ["a7 b6 d7 d6 g7 xd6", "A7 B6 D7 D6 G7XD6", "a7 b6 d7 d6 G7 xD6"] {
        assert_eq!(engine.ask(&format!("position startpos moves {moves}")), [""; 0], "{moves}");
        assert_eq!(engine.ask("fen"), joined);
    }
    engine.send("position startpos moves a7 b6 d7 d6 g7");
    assert_eq!(engine.ask("moves"), ["moves xd6 xb6"].map(str::to_owned));
    engine.send("go depth 4");
    let best = engine.until("bestmove").pop().unwrap();
    assert!(best.starts_with("bestmove x"), "{best}");
}

#[test]
fn the_same_search_is_repeated_to_the_node() {
    let run = || {
        let mut engine = engine();
        engine.send("setoption name TablebaseProbeLimit value 0");
        engine.send("position startpos moves d6 f4 d2 b4");
        engine.send("go nodes 50000");
        let lines = engine.until("bestmove");
        // Times and speeds differ, nothing else may.
        let strip = |line: &String| {
            let words: Vec<&str> = line.split(' ').collect();
            let skip = |i: usize| i > 0 && ["time", "nps"].contains(&words[i - 1]);
            (0..words.len()).filter(|&i| !skip(i)).map(|i| words[i]).collect::<Vec<_>>().join(" ")
        };
        lines.iter().map(strip).collect::<Vec<_>>()
    };
    let first = run();
    assert!(first[first.len() - 2].contains(" nodes 50000 "), "{first:#?}");
    assert_eq!(run(), first);
}

#[test]
fn weak_levels_answer_with_a_legal_turn() {
    for option in ["Skill Level value 0", "UCI_LimitStrength value true"] {
        let mut engine = engine();
        engine.send(&format!("setoption name {option}"));
        engine.send("position startpos moves a7 b6 d7 d6");
        engine.send("go wtime 10000 btime 10000");
        let lines = engine.until("bestmove ");
        let best = lines.last().unwrap().split(' ').nth(1).unwrap().to_owned();
        let pv = lines.iter().rfind(|l| l.contains(" pv ")).unwrap();
        assert!(pv.contains(&format!(" pv {best}")), "{lines:#?}");
        assert!(engine.ask(&format!("position startpos moves a7 b6 d7 d6 {best}")).is_empty());
    }
}
