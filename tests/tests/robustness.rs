//! Bad input, bad peers and bad luck: the engine program lives on, or ends quietly.

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use merel_tests::program::{PATIENCE, Program};

const MEREL: &str = env!("CARGO_BIN_EXE_merel-under-test");

fn engine() -> Program {
    let mut engine = Program::start(MEREL, &[]);
    engine.send("uci");
    engine.until("uciok");
    engine
}

/// The engine with all three pipes in the test's hands.
fn bare_engine() -> Child {
    Command::new(MEREL)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Waits for the end: the exit code, and what was written on standard error.
fn end(mut engine: Child) -> (Option<i32>, String) {
    let mut stderr = engine.stderr.take().expect("it is piped");
    let (sender, said) = channel();
    thread::spawn(move || {
        let mut text = String::new();
        let _ = stderr.read_to_string(&mut text);
        let _ = sender.send(text);
    });
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = engine.try_wait().expect("it can be waited for") {
            let text = said.recv_timeout(PATIENCE).expect("standard error ends with the program");
            return (status.code(), text);
        }
        thread::yield_now();
    }
    let _ = engine.kill();
    panic!("the program does not end");
}

/// What the engine answers to these bytes, followed by the end of input.
fn answers(input: &[u8]) -> Vec<String> {
    let mut engine = Program::start(MEREL, &[]);
    engine.send_bytes(input);
    engine.close_input();
    let (lines, status, _) = engine.end();
    assert!(status.success(), "{status}");
    lines
}

fn run(arguments: &[&str]) -> Output {
    Command::new(MEREL).args(arguments).stdin(Stdio::null()).output().expect("the program runs")
}

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder in the target folder");
    path
}

#[test]
fn line_ends_of_other_systems_and_stray_blanks_change_nothing() {
    let plain = answers(b"position startpos moves a7 b6\nfen\nmoves\n");
    for variant in [
        &b"position startpos moves a7 b6\r\nfen\r\nmoves\r\n"[..],
        b"\tposition\tstartpos \t moves\ta7\t b6  \n \t fen\t\n   moves \t \r\n",
        b"\n\r\n  \nposition startpos moves a7 b6\nfen\nmoves",
        b"\xef\xbb\xbfposition startpos moves a7 b6\nfen\nmoves\n",
        b"   position   startpos   moves a7 b6   \nfen\n# fen\nmoves\nquit",
    ] {
        assert_eq!(answers(variant), plain, "{}", variant.escape_ascii());
    }
}

#[test]
fn a_last_line_without_its_end_is_obeyed() {
    let lines = answers(b"position startpos\ngo depth 3");
    assert!(lines.last().expect("an answer").starts_with("bestmove "), "{lines:#?}");
    assert_eq!(answers(b"isready"), ["readyok"]);
    assert_eq!(answers(b"isready\nquit"), ["readyok"]);
    assert_eq!(answers(b""), [""; 0]);
}

#[test]
fn bytes_that_are_no_text_get_one_line_each_and_harm_nothing() {
    let mut engine = engine();
    engine.send("position startpos moves a7");
    let fen = engine.ask("fen");
    for line in [
        &b"\xff\xfe\xfd"[..],
        b"go\xff depth 3",
        b"\0",
        b"isready\0",
        b"fen\0fen",
        b"\xc3\x28 \xe2\x82",
        b"\x1b[31mfen",
        "\u{6bb5}\u{843d}".as_bytes(),
    ] {
        engine.send_bytes(line);
        let lines = engine.ask("");
        assert_eq!(lines.len(), 1, "{}: {lines:#?}", line.escape_ascii());
        assert!(lines[0].starts_with("info string error: "), "{lines:#?}");
        assert!(!lines[0].contains(char::is_control), "{lines:?}");
        assert_eq!(engine.ask("fen"), fen);
    }
}

#[test]
fn a_line_of_a_hundred_kilobytes_gets_a_short_answer() {
    let mut engine = engine();
    let long = "x".repeat(100_000);
    let many = " a7".repeat(33_000);
    for line in [
        long.clone(),
        format!("position {long}"),
        format!("position fen {long}"),
        format!("position fen{many}"),
        format!("position startpos moves{many}"),
        format!("position pos {long}"),
        format!("setoption name {long} value 1"),
        format!("setoption name{many} value 1"),
        format!("setoption name Hash value {}", "9".repeat(100_000)),
        format!("perft {long}"),
        format!("isready{many}"),
    ] {
        let lines = engine.ask(&line);
        assert_eq!(lines.len(), 1, "{}", &line[..30]);
        assert!(lines[0].starts_with("info string error: "), "{}: {lines:#?}", &line[..30]);
        assert!(lines[0].len() < 1000, "{}: {} bytes", &line[..30], lines[0].len());
    }
    engine.send("position startpos");
    for line in
        [format!("go {long}"), format!("go depth {long}"), format!("go searchmoves{many} x")]
    {
        let lines = engine.ask(&line);
        assert_eq!(lines.len(), 2, "{}", &line[..20]);
        assert!(lines[0].len() < 1000 && lines[1] == "bestmove (none)", "{lines:#?}");
    }
    // Long only by its blanks.
    assert_eq!(engine.ask(&format!("{}fen{}", " ".repeat(50_000), " ".repeat(50_000))).len(), 1);
}

#[test]
fn a_line_too_long_to_keep_is_passed_over_and_the_next_one_obeyed() {
    let mut engine = engine();
    let lines = engine.ask(&"go ".repeat(700_000));
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("info string error: ") && lines[0].contains("1 MiB"), "{lines:?}");
    engine.send("go depth 2");
    engine.until("bestmove ");
}

#[test]
fn a_peer_that_closes_its_end_of_the_output_gets_a_quiet_exit() {
    for input in ["uci\n", "go infinite\n", "perft 12\n", "bench\n", "isready\nisready\nfen\nd\n"] {
        let mut engine = bare_engine();
        drop(engine.stdout.take());
        let mut stdin = engine.stdin.take().expect("it is piped");
        let _ = stdin.write_all(input.as_bytes());
        // The input stays open: the closed output is all the engine can notice.
        assert_eq!(end(engine), (Some(0), String::new()), "{input}");
        drop(stdin);
    }
    for arguments in [&["bench"][..], &["perft", "3"], &["go", "depth", "5"], &["--help"]] {
        let mut command = Command::new(MEREL);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut engine = command.spawn().expect("the program starts");
        drop(engine.stdout.take());
        assert_eq!(end(engine).1, "", "{arguments:?}");
    }
}

#[test]
fn a_peer_that_never_reads_and_goes_away_leaves_no_orphan() {
    for (first, closes_output) in
        [("", false), ("go infinite\n", false), ("perft 12\n", false), ("go infinite\n", true)]
    {
        let mut engine = bare_engine();
        let mut stdin = engine.stdin.take().expect("it is piped");
        let output = engine.stdout.take();
        stdin.write_all(first.as_bytes()).expect("the engine reads");
        // More answers than a pipe holds.
        stdin.write_all("isready\n".repeat(50_000).as_bytes()).expect("the engine goes on reading");
        let kept = if closes_output { None } else { output };
        drop(stdin);
        assert_eq!(end(engine), (Some(0), String::new()), "{first:?} {closes_output}");
        drop(kept);
    }
}

#[test]
fn a_storm_of_questions_in_a_search_is_answered_to_the_last() {
    let mut engine = engine();
    engine.send("go infinite");
    engine.until("info depth");
    let mut storm = String::new();
    for _ in 0..2000 {
        storm.push_str("isready\nmoves\nfen\n");
    }
    storm.push_str("stop\nisready\n");
    // Sent in one go; the harness reads while it writes.
    engine.send_bytes(storm.as_bytes());
    let mut ready = 0;
    let mut best = 0;
    while ready < 2001 {
        let line = engine.line().expect("the engine lives");
        ready += usize::from(line == "readyok");
        best += usize::from(line.starts_with("bestmove "));
    }
    assert_eq!(best, 1);
}

/// Memory that the system could give, in MiB, where it can be asked.
fn available_mebibytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kibibytes| kibibytes >> 10)
}

/// How many nodes a search of the start position takes: that depends on what the table holds.
fn nodes(engine: &mut Program) -> u64 {
    engine.send("position startpos");
    engine.send("go depth 9");
    let lines = engine.until("bestmove ");
    let line = lines.iter().rfind(|line| line.contains(" nodes ")).expect("an info line");
    let mut words = line.split(' ').skip_while(|&word| word != "nodes").skip(1);
    words.next().and_then(|number| number.parse().ok()).expect("a number")
}

/// Refused for lack of memory, the old table with all it holds being kept.
fn assert_table_is_kept(tested: &mut Program, line: &str) {
    let mut undisturbed = engine();
    for engine in [&mut *tested, &mut undisturbed] {
        engine.send("setoption name Hash value 1");
    }
    let first = nodes(&mut undisturbed);
    let again = nodes(&mut undisturbed);
    assert_ne!(first, again, "or the table could not be told from an empty one");
    assert_eq!(nodes(tested), first);
    let lines = tested.ask(line);
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].starts_with("info string error: option Hash: "), "{lines:#?}");
    assert!(lines[0].ends_with("the table of 1 MiB is kept"), "{lines:#?}");
    assert_eq!(nodes(tested), again, "{line}");
}

#[test]
fn a_table_larger_than_the_memory_is_refused_and_the_old_one_kept() {
    if available_mebibytes().is_none_or(|available| available > 60_000) {
        return; // It could be had, or nobody knows.
    }
    assert_table_is_kept(&mut engine(), "setoption name Hash value 65536");
}

#[cfg(target_os = "linux")]
#[test]
fn an_allocation_that_fails_is_refused_and_the_old_table_kept() {
    // An address space too small for what the system as a whole could give.
    let limited = format!("ulimit -v 700000; exec '{MEREL}'");
    let mut engine = Program::start("/bin/sh", &["-c", &limited]);
    engine.send("uci");
    engine.until("uciok");
    assert_table_is_kept(&mut engine, "setoption name Hash value 1024");
    // Neither are more threads begun than fit.
    let lines = engine.ask("setoption name Threads value 256");
    if let [line] = lines.as_slice() {
        assert!(line.starts_with("info string error: option Threads: "), "{line}");
        assert!(line.ends_with("1 are kept"), "{line}");
    }
    engine.send("go depth 3");
    engine.until("bestmove ");
}

#[test]
fn a_debug_log_goes_to_a_path_with_blanks_and_is_appended_to() {
    let folder = folder("debug log f\u{fc}r M\u{fc}hle");
    let path = folder.join("the  log.txt");
    let shown = path.to_str().expect("text");
    for round in 1..=2 {
        let mut engine = engine();
        assert_eq!(engine.ask(&format!("setoption name Debug Log File value {shown}")), [""; 0]);
        engine.send("position startpos moves a7");
        engine.ask("fen");
        assert_eq!(engine.ask("setoption name Debug Log File value <empty>"), [""; 0]);
        engine.ask("moves");
        let log = fs::read_to_string(&path).expect("it was written");
        let count = |part: &str| log.lines().filter(|line| line.contains(part)).count();
        assert_eq!(count(">> position startpos moves a7"), round, "{log}");
        assert_eq!(count("<< fen "), round, "{log}");
        assert_eq!(count("moves d7"), 0, "{log}");
    }
    let mut engine = engine();
    for bad in [folder.to_str().expect("text"), "/nowhere at all/log.txt", "a\0b"] {
        let lines = engine.ask(&format!("setoption name Debug Log File value {bad}"));
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert!(lines[0].starts_with("info string error: option Debug Log File: "), "{lines:#?}");
    }
}

#[test]
fn undoing_moves_while_it_thinks_leaves_a_sound_position() {
    let mut engine = engine();
    engine.send("position startpos moves d2 b2 b4 f2 f4 b6 d6 d3 g4 d1");
    engine.send("go infinite");
    engine.until("info depth");
    for (moves, hands) in [
        ("d2 b2 b4 f2 f4 b6 d6 d3", " w p p 4 5 4 5 "),
        ("d2 b2", " w p p 1 8 1 8 "),
        ("", " w p p 0 9 0 9 "),
        ("d2 b2 b4 f2 f4 b6 d6 d3 g4 d1", " w p p 5 4 5 4 "),
    ] {
        engine.send(&format!("position startpos moves {moves}"));
        engine.until("bestmove ");
        let fen = engine.ask("fen");
        assert!(fen.len() == 1 && fen[0].contains(hands), "{fen:?}");
        engine.send("go infinite");
        engine.until("info depth");
    }
}

/// The settings at either end of what `uci` says an option takes, and last its default.
fn ends_of_range(option: &str) -> Vec<String> {
    let (name, rest) = option.split_once(" type ").expect("a type");
    let words: Vec<&str> = rest.split(' ').collect();
    let after = |key: &str| {
        let at = words.iter().position(|&word| word == key).expect(key);
        words[at + 1].to_owned()
    };
    let values = match words[0] {
        "spin" => {
            // What fits into a machine is for the machine to say.
            let most = match name {
                "Hash" => "64".to_owned(),
                "Threads" => "8".to_owned(),
                _ => after("max"),
            };
            vec![after("min"), most, after("default")]
        }
        "check" => vec!["true".to_owned(), "false".to_owned(), after("default")],
        "combo" => {
            let named = words.windows(2).filter(|pair| pair[0] == "var");
            named.map(|pair| pair[1].to_owned()).chain([after("default")]).collect()
        }
        "string" => vec![String::new(), "<empty>".to_owned()],
        "button" => return vec![format!("name {name}")],
        other => panic!("no type {other}"),
    };
    values.iter().map(|value| format!("name {name} value {value}")).collect()
}

#[test]
fn every_printed_option_works_in_its_printed_range() {
    let mut engine = Program::start(MEREL, &[]);
    engine.send("uci");
    let lines = engine.until("uciok");
    let options: Vec<&str> = lines.iter().filter_map(|l| l.strip_prefix("option name ")).collect();
    assert!(options.len() >= 18, "{options:#?}");
    for option in options {
        for setting in ends_of_range(option) {
            assert_eq!(engine.ask(&format!("setoption {setting}")), [""; 0], "{setting}");
            engine.send("position startpos moves a7 b6 d7 d6");
            engine.send("go depth 3");
            let lines = engine.until("bestmove ");
            let turn = lines.last().and_then(|line| line.split(' ').nth(1)).expect("a turn");
            let position = format!("position startpos moves a7 b6 d7 d6 {turn}");
            assert_eq!(engine.ask(&position), [""; 0], "{setting}");
        }
    }
}

#[test]
fn options_beyond_their_printed_range_are_refused() {
    let mut engine = Program::start(MEREL, &[]);
    engine.send("uci");
    for line in engine.until("uciok") {
        let Some((name, range)) =
            line.strip_prefix("option name ").and_then(|l| l.split_once(" type spin "))
        else {
            continue;
        };
        let words: Vec<i64> = range.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [_, min, max] = words.as_slice() else { panic!("{line}") };
        for value in [min - 1, max + 1, i64::MAX] {
            let lines = engine.ask(&format!("setoption name {name} value {value}"));
            assert_eq!(lines.len(), 1, "{name} {value}: {lines:#?}");
            assert!(lines[0].contains(&format!("from {min} to {max}")), "{lines:#?}");
        }
    }
}

/// The scores, with their kind, of all lines of a search.
fn scores(engine: &mut Program, position: &str, go: &str) -> (Vec<String>, String) {
    engine.send("ucinewgame");
    assert_eq!(engine.ask(&format!("position {position}")), [""; 0]);
    engine.send(go);
    let lines = engine.until("bestmove ");
    let score = |line: &String| {
        let words = line.split(' ').skip_while(|&word| word != "score").skip(1);
        words.take(2).collect::<Vec<_>>().join(" ")
    };
    let scores = lines.iter().filter(|line| line.contains(" score ")).map(score).collect();
    (scores, lines.last().expect("a bestmove").clone())
}

const BOTH_FLY: &str = "O*@*****/O*@*****/*@*****O w m";

#[test]
fn a_winning_capture_is_mate_in_one_for_the_one_who_makes_it() {
    let mut engine = engine();
    let due = format!("fen {BOTH_FLY} r 3 0 3 0 1 0 0 0 0 0 0 0 1");
    let (scores, best) = scores(&mut engine, &due, "go depth 4");
    assert_eq!(scores.last().expect("a score"), "mate 1");
    assert!(best.starts_with("bestmove x"), "{best}");
}

#[test]
fn a_mate_distance_does_not_drift_with_the_depth() {
    let mut engine = engine();
    for depth in [4, 10, 20, 35] {
        let position = "fen O**O*@**/**O*@***/*@****** w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";
        let (scores, _) = scores(&mut engine, position, &format!("go depth {depth}"));
        assert_eq!(scores.last().expect("a score"), "mate 2", "{depth}");
    }
}

#[test]
fn turns_that_close_a_mill_come_first() {
    let mut engine = engine();
    engine.send("setoption name MultiPV value 20");
    let before = format!("fen {BOTH_FLY} s 3 0 3 0 0 0 0 0 0 0 0 0 1");
    let (scores, best) = scores(&mut engine, &before, "go depth 4");
    assert!(scores.iter().any(|score| score == "mate 1"), "{scores:?}");
    assert!(best.starts_with("bestmove a7-d7x"), "{best}");
}

#[test]
fn one_command_from_the_arguments_is_done_and_the_program_ends() {
    let last = |arguments: &[&str]| {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(output.stderr.is_empty(), "{arguments:?}: {}", output.stderr.escape_ascii());
        let text = String::from_utf8(output.stdout).expect("text");
        text.lines().last().expect("a line").to_owned()
    };
    let bench = last(&["bench"]);
    let words: Vec<&str> = bench.split(' ').collect();
    let [nodes, "nodes", speed, "nps"] = words.as_slice() else { panic!("{bench}") };
    assert!([nodes, speed].iter().all(|number| number.parse::<u64>().is_ok()), "{bench}");
    assert_eq!(last(&["perft", "4", "--atomic"]), "Nodes searched: 255024");
    assert_eq!(last(&["perft", "4"]), "Nodes searched: 255024");
    let mill = ["--moves", "a7 b6 d7 d6"];
    assert_eq!(last(&[&["perft", "1"], &mill[..]].concat()), "Nodes searched: 21");
    assert_eq!(last(&[&["perft", "1", "--atomic"], &mill[..]].concat()), "Nodes searched: 20");
    assert!(last(&["go", "depth", "6"]).starts_with("bestmove "));
    assert!(last(&["go", "--rules", "playok", "nodes", "500"]).starts_with("bestmove "));
    assert!(last(&["--version"]).starts_with("merel "));
    assert!(last(&["--help"]).contains("--version"));
}

#[test]
fn an_unknown_argument_is_named_on_standard_error_and_exits_with_two() {
    for (arguments, named) in [
        (&["--frobnicate"][..], "--frobnicate"),
        (&["frobnicate"], "frobnicate"),
        (&["bench", "now"], "now"),
        (&["perft"], "DEPTH"),
        (&["perft", "many"], "many"),
        (&["perft", "2", "--rules", "chess"], "chess"),
        (&["perft", "2", "--fen", "xyz"], "xyz"),
        (&["go", "depth"], "depth"),
        (&["go", "infinite"], "limit"),
        (&["go", "depth", "3", "sideways"], "sideways"),
        (&["d", "--moves", "a7 a7"], "a7"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}: {}", output.stdout.escape_ascii());
        let text = String::from_utf8(output.stderr).expect("text");
        assert!(text.starts_with("error: "), "{arguments:?}: {text}");
        assert!(text.lines().any(|line| line.contains(named)), "{arguments:?}: {text}");
    }
}
