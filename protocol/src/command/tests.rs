use super::*;
use std::time::Duration;

fn go(line: &str) -> Go<'_> {
    match parse(line) {
        Ok(Command::Go(go)) => go,
        other => panic!("{line}: {other:?}"),
    }
}

fn refusal(line: &str) -> String {
    parse(line).unwrap_err().to_string()
}

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[test]
fn every_command_of_the_list_is_known() {
    for (name, _, _) in COMMANDS {
        let line = match *name {
            "setoption" => "setoption name Hash value 1",
            "position" => "position startpos",
            "perft" => "perft 1",
            other => other,
        };
        assert!(parse(line).is_ok(), "{line}");
        assert!(parse(&format!("\t {line} \r")).is_ok(), "{line}");
    }
}

#[test]
fn blank_lines_and_comments_are_nothing() {
    for line in ["", " \t\r", "# quit", "#quit"] {
        assert_eq!(parse(line), Ok(Command::Nothing), "{line}");
    }
}

#[test]
fn unknown_words_are_named_and_helped() {
    assert_eq!(refusal("foo"), "unknown command 'foo'; try help");
    assert_eq!(refusal("isredy"), "unknown command 'isredy'; did you mean 'isready'?; try help");
    assert!(refusal("UCI").starts_with("unknown command 'UCI'"));
    assert!(refusal("isready now").starts_with("unknown command 'isready now'"));
    assert!(refusal("\0\0").starts_with("unknown command '\\0\\0'"));
}

#[test]
fn names_and_values_of_options_hold_spaces() {
    let option = |line| match parse(line) {
        Ok(Command::SetOption(option)) => (option.name, option.value),
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(
        option("setoption name  Debug   Log File value  /tmp/a  b c.log "),
        ("Debug Log File".into(), Some("/tmp/a  b c.log"))
    );
    assert_eq!(option("setoption name Clear Hash"), ("Clear Hash".into(), None));
    assert_eq!(option("setoption name X value"), ("X".into(), Some("")));
    assert!(refusal("setoption Hash 5").contains("not 'Hash'"));
    assert!(refusal("setoption name value 5").contains("needs a name"));
}

#[test]
fn positions_are_split_at_moves() {
    let position = |line| match parse(line) {
        Ok(Command::Position(position)) => position,
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(position("position startpos").base, Base::Start);
    assert_eq!(position("position startpos moves").moves, [""; 0]);
    assert_eq!(position("position startpos moves a7 d7xb6").moves, ["a7", "d7xb6"]);
    let fen = position("position fen x/y/z  w p moves xb4");
    assert_eq!((fen.base, fen.moves), (Base::Fen("x/y/z w p".into()), vec!["xb4"]));
    assert_eq!(position("position pos w:w:b:1").base, Base::Gbgp("w:w:b:1".into()));
    for line in [
        "position",
        "position moves a7",
        "position fen",
        "position pos moves a7",
        "position startpos a7",
        "position FEN x",
    ] {
        let error = parse(line).unwrap_err();
        assert!(error.is_position() && !error.is_go(), "{line}: {error}");
    }
}

#[test]
fn go_takes_its_parameters_in_any_order() {
    let clocks = Go {
        time: [Some(ms(100)), Some(ms(200))],
        increment: [Some(ms(1)), None],
        turns_to_go: Some(7),
        ..Go::default()
    };
    assert_eq!(go("go wtime 100 btime 200 winc 1 movestogo 7"), clocks);
    assert_eq!(go("go movestogo 7 winc 1 btime 200 wtime 100"), clocks);
    assert_eq!(go("go"), Go::default());
    let several = go("go searchmoves a7 d6xb4 depth 3 infinite ponder mate 2 nodes 9 movetime 5");
    assert_eq!(several.search_moves, ["a7", "d6xb4"]);
    assert_eq!((several.depth, several.nodes, several.mate), (Some(3), Some(9), Some(2)));
    assert!(several.infinite && several.ponder && several.move_time == Some(ms(5)));
}

#[test]
fn odd_numbers_are_read_sensibly() {
    assert_eq!(go("go depth 0").depth, Some(1));
    assert_eq!(go("go nodes 0").nodes, Some(1));
    assert_eq!(go("go wtime -5").time, [Some(Duration::ZERO), None]);
    assert_eq!(go("go movestogo 0 wtime 9").turns_to_go, None);
    assert_eq!(go("go depth 99999999999999999999999").depth, Some(u32::MAX));
    assert!(go("go movetime 99999999999999999999").move_time.unwrap() > ms(1_000_000));
}

#[test]
fn bad_numbers_refuse_the_whole_go() {
    for (line, part) in [
        ("go depth x", "depth takes a whole number, 0 or more, not 'x'"),
        ("go depth -1", "not '-1'"),
        ("go depth 3 wtime 1.5", "wtime takes whole milliseconds, not '1.5'"),
        ("go movetime --5", "not '--5'"),
        ("go nodes", "a number is missing after nodes"),
        ("go depth infinite", "not 'infinite'"),
        ("go dpeth 3", "did you mean 'depth'"),
        ("go searchmoves", "a turn is missing"),
        ("go atomic", "no parameter 'atomic'"),
        ("go perft", "needs a depth"),
        ("go perft 3 depth 2", "not 'depth'"),
        ("go perft 101", "a depth from 0 to 100"),
    ] {
        let error = parse(line).unwrap_err();
        assert!(error.is_go() && error.to_string().contains(part), "{line}: {error}");
    }
}

#[test]
fn perft_takes_a_depth_and_a_unit() {
    let turns = Perft { depth: 3, unit: Unit::Turn };
    let atomic = Perft { depth: 3, unit: Unit::Atomic };
    assert_eq!(parse("perft 3"), Ok(Command::Perft(turns)));
    assert_eq!(parse("perft 3 atomic"), Ok(Command::Perft(atomic)));
    assert_eq!(go("go perft 3").perft, Some(turns));
    assert_eq!(go("go perft 3 atomic").perft, Some(atomic));
    assert!(refusal("perft").contains("needs a depth"));
    assert!(refusal("perft 3 4").contains("too much"));
    assert!(!parse("perft x").unwrap_err().is_go());
}
