//! Game files with the program `merel games`: samples of every form, damaged files, and very many
//! games at random.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use merel_engine::{DoubleMill, Game, Position, Preset, Repetition, Rules, Turn};
use merel_protocol::games::{Entry, Form, Reader, Record, RecordedTurn, Termination, Thought};
use merel_tests::oracle::{OracleRules, splitmix64};
use merel_tests::referee::{GameRules, Referee};
use proptest::prelude::*;

const MEREL: &str = env!("CARGO_BIN_EXE_merel-under-test");

/// What the program wrote, and its exit code.
struct Done {
    out: String,
    err: String,
    code: i32,
}

fn run(arguments: &[&str], input: &[u8]) -> Done {
    let mut child = Command::new(MEREL)
        .arg("games")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.to_vec();
    // That the program ends before it has read everything is no error here.
    let writer = thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    Done {
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
        code: output.status.code().expect("an exit code"),
    }
}

fn sample(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "data", "games", name].iter().collect();
    path.to_str().expect("a path in text").to_owned()
}

fn sample_text(name: &str) -> String {
    std::fs::read_to_string(sample(name)).expect("the sample is there")
}

/// The games of a file that all are right, in our form.
fn converted(arguments: &[&str], name: &str) -> String {
    let Done { out, err, code } = run(&[arguments, &[&sample(name)]].concat(), b"");
    assert_eq!((err.as_str(), code), ("", 0), "{name}");
    out
}

/// The words of the turns of a game in our form, without numbers, comments and result.
fn turns(text: &str) -> Vec<String> {
    let entries: Vec<Entry> = Reader::new(text.as_bytes(), None).map(Result::unwrap).collect();
    let records = entries.into_iter().map(|entry| entry.game.unwrap_or_else(|e| panic!("{e}")));
    records.flat_map(|r| r.turns().iter().map(|t| t.turn.to_string()).collect::<Vec<_>>()).collect()
}

const PLAYOK_TURNS: &str = "d6 e4 d2 b2 f4 f2 c5 d5 d1 d3 c4 c3 e3 b4 b6 f6 a4 a1 d1-g1 a1-d1 \
    g1-g4 d1-a1 g4-g7 e4-e5 e3-e4 a1-d1 d6-d7 d3-e3 a4-a7xd1 d5-d6 c5-d5 c3-d3 c4-c3 b4-a4 b6-b4 \
    d6-b6 d7-d6 a4-a1 g7-g4xa1";

#[test]
fn a_game_of_playok_is_read_and_written_as_the_site_does() {
    let ours = converted(&[], "playok.txt");
    let read = turns(&ours);
    assert_eq!(read.len(), 39);
    let check = converted_check("playok.txt");
    assert_eq!(
        check,
        "game 1, line 1: 39 turns, rules playok, 1-0 White wins: Black has no legal move\n"
    );
    assert!(ours.contains("[GameType \"70,0\"]\n") && ours.contains("[WhiteElo \"1265\"]\n"));
    let numbers = converted(&["--to", "playok"], "playok.txt");
    let words = |text: &str| -> Vec<String> {
        let moves = text.split_once("\n\n").expect("tags, then moves").1;
        moves.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(words(&numbers), words(&sample_text("playok.txt")));
    assert_eq!(read.join(" "), PLAYOK_TURNS);
}

fn converted_check(name: &str) -> String {
    let Done { out, err, code } = run(&["--check", &sample(name)], b"");
    assert_eq!(code, 0, "{err}");
    out
}

#[test]
fn a_game_of_sanmill_in_five_forms_is_the_same_game() {
    let first = turns(&converted(&[], "sanmill.pgn"));
    assert_eq!(first.len(), 40);
    assert_eq!(first.iter().filter(|turn| turn.contains('x')).count(), 7);
    for name in ["sanmill.pgn", "goldtoken.txt", "coordinates.txt", "padded.txt"] {
        let check = converted_check(name);
        let expected = "game 1, line 1: 40 turns, rules standard, 0-1 Black wins: White has fewer \
                        than three stones\n";
        assert_eq!(check, expected, "{name}");
        for form in ["merel", "sanmill", "playok"] {
            let text = converted(&["--to", form], name);
            assert_eq!(turns(&text), first, "{name} as {form}");
        }
    }
    let ours = converted(&[], "sanmill.pgn");
    assert!(ours.contains("[Date \"2026.07.20\"]\n") && !ours.contains("PlyCount"), "{ours}");
    let theirs = converted(&["--to", "sanmill"], "sanmill.pgn");
    assert!(theirs.contains("[PlyCount \"47\"]\n"), "{theirs}");
}

#[test]
fn a_game_with_comments_variations_and_a_set_up_keeps_what_belongs_to_it() {
    let ours = converted(&[], "annotated.pgn");
    assert!(ours.contains("[White \"Joe \\\"the Mill\\\" Doe\"]\n[Black \"?\"]\n"));
    assert!(ours.contains("[Odd_Tag \"kept\"]\n"));
    assert!(
        ours.ends_with(
            "\n\n{First a (harmless) word.} 1. d6 f4 2. d2 b4 {spread over two lines}\n\
         {to the end of the line 3. a1} 3. f6 b2 4. b6xb2 {d6, f6 and b6 are a mill} g4\n\
         1/2-1/2\n\n"
        ),
        "{ours}"
    );
}

#[test]
fn two_captures_are_read_and_written_in_every_form() {
    let ours = converted(&[], "collection.txt");
    let games: Vec<&str> = ours.split("[Event ").skip(1).collect();
    assert_eq!(games.len(), 3);
    assert!(games[0].ends_with("\n\n1. d6 f4 2. d2 b4 *\n\n"));
    for game in &games[1..] {
        assert!(game.contains("[Rules \"playok\"]\n") && game.contains(" 5. g7xe5xd1 d1 "));
    }
    let numbers = converted(&["--to", "playok"], "collection.txt");
    assert_eq!(numbers.matches(" 5. 3x9x23 23 ").count(), 2, "{numbers}");
}

#[test]
fn of_a_damaged_file_the_good_games_come_out_and_the_bad_are_named() {
    let file = sample("damaged.pgn");
    let Done { out, err, code } = run(&[&file], b"");
    assert_eq!(code, 1);
    let events: Vec<&str> = out.lines().filter(|line| line.starts_with("[Event")).collect();
    assert_eq!(events, ["[Event \"good\"]", "[Event \"good again\"]"]);
    let errors: Vec<&str> = err
        .lines()
        .map(|line| line.strip_prefix(&format!("error: {file}: ")).expect("the file is named"))
        .collect();
    let starts = [
        "game 2, line 10, 'd7': turn 3 of Black: d7 is occupied; expected one of ",
        "game 3, line 14, 'g7': turn 3 of White: capture missing: ",
        "game 4, line 18: the comment has no end",
        "game 5, line 23, 'hello': turn 2 of White: not a turn; ",
        "game 6, line 25, '[Event \\\"a damaged tag]': not a tag; expected [Name \"value\"]",
    ];
    assert_eq!(errors.len(), starts.len(), "{err}");
    for (error, start) in errors.iter().zip(starts) {
        assert!(error.starts_with(start), "{error}");
    }

    let Done { out, err, code } = run(&["--check", &file], b"");
    assert_eq!(code, 1);
    assert_eq!(
        out,
        "game 1, line 1: 5 turns, rules standard, *\ngame 7, line 30: 2 turns, rules standard, *\n"
    );
    assert!(err.ends_with(&format!("{file}: 7 games, 2 right, 5 wrong\n")), "{err}");
}

#[test]
fn the_rule_for_a_double_mill_is_named_when_a_game_was_played_by_the_other() {
    let one = b"1. 1 9 2. 2 23 3. 15 11 4. 24 16 5. 3x9 10 1-0";
    let Done { err, code, .. } = run(&["--check", "-"], one);
    assert_eq!(code, 1);
    assert!(err.contains("'3x9': one capture for a double mill, but option DoubleMill is two"));
    assert_eq!(run(&["--check", "--rules", "standard", "-"], one).code, 0);
    let two = b"1. a7 e5 2. d7 d1 3. g4 b4 4. g1 c3 5. g7xe5xd1 *";
    let Done { err, code, .. } = run(&["--check", "-"], two);
    assert_eq!(code, 1);
    assert!(err.contains("two captures for a double mill, but option DoubleMill is one"), "{err}");
    assert_eq!(run(&["--check", "--rules", "playok", "-"], two).code, 0);
}

#[test]
fn a_form_that_cannot_hold_a_game_says_so_and_the_others_come_out() {
    let text =
        "[FEN \"O*@*****/*@******/*******O w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3\"] d6 *\nd6 *";
    let Done { out, err, code } = run(&["--to", "playok", "-"], text.as_bytes());
    assert_eq!(code, 1);
    assert!(out.ends_with("\n\n1. 5 *\n\n"), "{out}");
    assert!(err.contains("game 1, line 1: PlayOK's lists begin with the empty board"), "{err}");
}

#[test]
fn set_ups_in_all_forms_of_fen_are_taken_and_wrong_ones_refused() {
    for tail in
        ["p p 0 9 0 9 0 0 1", "p p 0 9 0 9 0 0 0 1", "p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes"]
    {
        let text = format!("[FEN \"********/********/******** w {tail}\"]\n\n1. d6 f4 *\n");
        assert_eq!(run(&["--check", "-"], text.as_bytes()).code, 0, "{tail}");
    }
    // The counts of this one, which is in use as a sample, are those of no position.
    let text =
        "[FEN \"********/********/******** w p p 9 0 9 0 0 0 0 0 0 0 0 0 1\"]\n\n1. d6 *\n\nf4 *";
    let Done { out, err, code } = run(&["--check", "-"], text.as_bytes());
    assert_eq!(code, 1);
    assert!(
        err.contains("game 1, line 1, '********/") && err.contains("tag FEN: wBoard: "),
        "{err}"
    );
    assert!(out.starts_with("game 2, line 5: 1 turns"), "{out}");
}

#[test]
fn how_a_file_is_encoded_does_not_matter() {
    let text = "\u{feff}[White \"Jos\u{e9}\"]\r\n\r\n1. D6 F4\r\n2. d2\tb4 *\r\n";
    let Done { out, code, .. } = run(&["-"], text.as_bytes());
    assert_eq!(code, 0);
    assert!(
        out.contains("[White \"Jos\u{e9}\"]\n") && out.ends_with("\n\n1. d6 f4 2. d2 b4 *\n\n")
    );
    let Done { out, err, code } = run(&["-"], b"[White \"Jos\xe9\"]\nd6\0 *\n\xff\xfe *\nf4 *");
    assert_eq!(code, 1);
    assert!(out.ends_with("\n\n1. f4 *\n\n"), "{out}");
    assert_eq!(err.lines().count(), 2, "{err}");
    assert!(err.contains("'d6\\0'"), "{err}");
}

#[test]
fn exit_codes_tell_usage_and_input_errors_from_wrong_games() {
    assert_eq!(run(&["-"], b"d6 *").code, 0);
    assert_eq!(run(&["-"], b"d7 d7 *").code, 1);
    let Done { err, code, .. } = run(&["-"], b"");
    assert_eq!((err.as_str(), code), ("error: -: no game found\n", 1));
    for arguments in [
        &[][..],
        &["--to", "chess", "-"],
        &["--to"],
        &["--chekc", "-"],
        &["a", "b"],
        &["--rules", "chess", "-"],
        &["no/such/file"],
        &[env!("CARGO_MANIFEST_DIR")],
    ] {
        let Done { out, err, code } = run(arguments, b"");
        assert_eq!((out.as_str(), code), ("", 2), "{arguments:?}");
        assert!(err.starts_with("error: "), "{arguments:?}: {err}");
    }
    assert!(run(&["--to", "sanmil", "-"], b"").err.contains("sanmill"));
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut child = Command::new(MEREL)
        .args(["games", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("it is piped");
    // More than the pipe and the buffers hold.
    let _ = stdin.write_all("d6 f4 *\n".repeat(100_000).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Rules as the oracle and as the engine know them.
fn rule_sets() -> [(GameRules, Rules); 4] {
    let playok: Rules = Preset::Playok.into();
    let playok_rules = GameRules { turns: OracleRules::PLAYOK, ..GameRules::STANDARD };
    let no_return = OracleRules { no_immediate_return: true, ..OracleRules::PLAYOK };
    [
        (GameRules::STANDARD, Rules::default()),
        (playok_rules, playok),
        (
            GameRules { turns: no_return, repetition: false, ..GameRules::STANDARD },
            Rules { no_immediate_return: true, repetition: Repetition::Off, ..playok },
        ),
        (
            GameRules { quiet_limit: 12, ..GameRules::STANDARD },
            Rules { quiet_limit: 12, ..Rules::default() },
        ),
    ]
}

fn below(random: &mut impl FnMut() -> u64, count: usize) -> usize {
    usize::try_from(random() % u64::try_from(count).expect("small")).expect("below it")
}

/// A game at random, by the oracle.
fn random_game(rules: GameRules, most: usize, random: &mut impl FnMut() -> u64) -> Referee {
    let mut referee = Referee::new(rules);
    while referee.turns().len() < most {
        let legal = referee.legal();
        if legal.is_empty() {
            break;
        }
        assert!(referee.play(&legal[below(random, legal.len())]));
    }
    referee
}

/// A game at random with everything that a record can hold.
fn random_record(rules: Rules, seed: u64) -> Record {
    let mut random = splitmix64(seed);
    let mut start = Game::start(rules);
    let play = |game: &mut Game, random: &mut dyn FnMut() -> u64| -> Option<Turn> {
        let turns = game.position().legal_turns();
        if game.outcome().is_some() {
            return None;
        }
        let index = usize::try_from(random() % u64::try_from(turns.len()).ok()?).ok()?;
        // Two captures are rare, so they are made wherever they can be.
        let double = turns.iter().find(|turn| turn.captures()[1].is_some());
        let turn = *double.unwrap_or(&turns[index]);
        game.play(turn);
        Some(turn)
    };
    if random().is_multiple_of(2) {
        for _ in 0..below(&mut random, 30) {
            play(&mut start, &mut random);
        }
    }
    let start: Position = *start.position();
    let mut record = Record::new(start);
    for (name, value) in [
        ("Event", "a \"b\" \\"),
        ("Site", "x"),
        ("Date", "2026.01.02"),
        ("Round", "1.2"),
        ("White", "merel-a"),
        ("Black", "[b]"),
        ("TimeControl", "10+0.1"),
    ] {
        record.tags.set(name, value);
    }
    record.comments = vec!["before (all) {this".to_owned()];
    let mut game = Game::new(start);
    for _ in 0..below(&mut random, 120) {
        let Some(turn) = play(&mut game, &mut random) else { break };
        let mut turn = RecordedTurn::new(turn);
        if random().is_multiple_of(3) {
            turn.comments.push("+0.35/12 0.512s".to_owned());
            assert!(turn.comments[0].parse::<Thought>().is_ok());
        }
        record.push(turn);
    }
    match game.outcome() {
        Some(outcome) => record.end(outcome),
        None => record.reason = Some("left".to_owned()),
    }
    record.termination = Some(Termination::Interrupted);
    record
}

fn read(text: &str) -> Vec<Entry> {
    Reader::new(text.as_bytes(), None).map(|entry| entry.expect("nothing to fail")).collect()
}

#[test]
fn random_games_of_every_rule_set_read_back_equal_from_every_form() {
    let mut double = 0;
    for seed in 0..100 {
        for (_, rules) in rule_sets() {
            let record = random_record(rules, seed);
            double += record.turns().iter().filter(|t| t.turn.captures()[1].is_some()).count();
            for form in Form::ALL {
                let Ok(text) = form.write(&record) else {
                    assert!(form == Form::Playok && !record.is_from_start());
                    continue;
                };
                let mut expected = record.clone();
                if form == Form::Playok {
                    expected = without_comments(&record);
                }
                let entries = read(&text);
                let [Entry { game: Ok(game), number: 1, line: 1 }] = entries.as_slice() else {
                    panic!("{text}\n{entries:?}")
                };
                assert_eq!(*game, expected, "{text}");
            }
        }
    }
    assert!(double >= 5, "the second capture was hardly tried: {double}");
}

fn without_comments(record: &Record) -> Record {
    let mut bare = Record::new(*record.start());
    bare.tags = record.tags.clone();
    bare.result = record.result;
    bare.reason.clone_from(&record.reason);
    bare.termination.clone_from(&record.termination);
    for turn in record.turns() {
        bare.push(RecordedTurn::new(turn.turn));
    }
    bare
}

/// A game of the oracle with one turn replaced: the reader refuses it at the very turn at which
/// the oracle does, or takes it when the oracle takes all of it.
#[test]
fn a_changed_turn_is_refused_where_the_oracle_refuses_it() {
    let (mut refused, mut taken) = (0, 0);
    for seed in 0..60 {
        for (referee_rules, rules) in rule_sets() {
            let mut random = splitmix64(1000 + seed);
            let game = random_game(referee_rules, 80, &mut random);
            let mut turns: Vec<String> = game.turns().to_vec();
            if seed.is_multiple_of(2) {
                // Two placements of one side change places, which may be legal.
                let from = below(&mut random, 6);
                turns.swap(from, from + 2);
            } else {
                let from = below(&mut random, turns.len());
                let with = below(&mut random, turns.len());
                turns[from] = turns[with].clone();
            }

            let mut referee = Referee::new(referee_rules);
            let fault = turns.iter().position(|turn| !referee.play(turn));
            // One turn a line, so that the line tells which it is.
            let rules = merel_protocol::games::rules_text(rules);
            let text = format!("[Rules \"{rules}\"]\n{}\n*", turns.join("\n"));
            let entries = read(&text);
            let [entry] = entries.as_slice() else { panic!("one game: {entries:?}") };
            match (&entry.game, fault) {
                (Ok(record), None) => {
                    taken += 1;
                    let read: Vec<String> =
                        record.turns().iter().map(|t| t.turn.to_string()).collect();
                    assert_eq!(read, turns);
                }
                (Err(error), Some(fault)) => {
                    refused += 1;
                    assert_eq!(error.line, fault + 2, "{error}\n{text}");
                    assert_eq!(error.token.as_ref(), Some(&turns[fault]), "{error}");
                }
                // The last turn may lack its captures: the game was broken off.
                (Ok(record), Some(fault)) => {
                    let last = record.turns().last().expect("a turn").turn;
                    assert!(fault == turns.len() - 1 && !last.is_capture(), "{text}");
                }
                (Err(error), None) => panic!("{error}\n{text}"),
            }
        }
    }
    assert!(refused > 50 && taken > 20, "{refused} refused, {taken} taken");
}

/// Pieces of game files, in any order.
const PIECES: &str = "1. 2. 1... 7. a7 d7 g7 b6 xb6 g7xb6 a7-a4 x - -> 1 24 25 1-10 3x9x23 { } ( ) ; % $3 \
    !? [ ] [A \"1\"] \" [Event \"x\"] [FEN \"x\"] [Rules \"playok\"] [Result \"1-0\"] 1-0 0-1 1/2 * p Place to \
    A7, take B7 Quick Jump (1,6) -(2,3) (3,8)->(2,8) \u{e9} \0 hello";

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_before_it_a_good_game_comes_out(
        choices in proptest::collection::vec((0..60_usize, any::<bool>()), 0..80),
        bytes in proptest::collection::vec(any::<u8>(), 0..60),
        bytes_first in any::<bool>(),
    ) {
        let pieces: Vec<&str> = PIECES.split(' ').filter(|piece| !piece.is_empty()).collect();
        let soup: String = choices
            .iter()
            .map(|&(index, breaks)| format!("{}{}", pieces[index % pieces.len()], if breaks { "\n" } else { " " }))
            .collect();
        let mut text = if bytes_first { bytes.clone() } else { Vec::new() };
        text.extend_from_slice(soup.as_bytes());
        text.extend_from_slice(if bytes_first { b"" } else { &bytes });
        let rubbish = text.len();
        text.extend_from_slice(b"\n*\n\n[Event \"last\"]\n\n1. d6 f4 *\n");
        let entries: Vec<Entry> =
            Reader::new(text.as_slice(), None).map(|entry| entry.expect("nothing to fail")).collect();
        prop_assert!(entries.len() <= rubbish + 2);
        let numbers: Vec<usize> = entries.iter().map(|entry| entry.number).collect();
        prop_assert_eq!(numbers, (1..=entries.len()).collect::<Vec<_>>());
        let last = entries.last().expect("a game");
        let Ok(record) = &last.game else {
            return Err(TestCaseError::fail(format!("{:?}\n{}", last.game, String::from_utf8_lossy(&text))));
        };
        prop_assert_eq!(record.tags.get("Event"), Some("last"));
        prop_assert_eq!(record.turns().len(), 2);
        // What is read can be written and read again.
        for record in entries.iter().filter_map(|entry| entry.game.as_ref().ok()) {
            for form in Form::ALL {
                let Ok(text) = form.write(record) else {
                    prop_assert!(form == Form::Playok && !record.is_from_start());
                    continue;
                };
                let again = read(&text);
                let [Entry { game: Ok(again), .. }] = again.as_slice() else {
                    return Err(TestCaseError::fail(format!("{again:?}\n{text}")));
                };
                let bare = |record: &Record| record.turns().iter().map(|t| t.turn).collect::<Vec<_>>();
                prop_assert_eq!(bare(again), bare(record), "{}", text);
                // A brace in a comment was changed when it was written, so the texts are compared.
                prop_assert_eq!(form.write(again), Ok(text));
            }
        }
    }
}

#[test]
fn the_rules_of_the_tests_are_the_same_on_both_sides() {
    for (referee, rules) in rule_sets() {
        assert_eq!(referee.turns.no_immediate_return, rules.no_immediate_return);
        assert_eq!(referee.repetition, rules.repetition == Repetition::Third);
        assert_eq!(referee.quiet_limit, u32::from(rules.quiet_limit));
        assert_eq!(referee.turns == OracleRules::STANDARD, rules.double_mill == DoubleMill::One);
    }
}
