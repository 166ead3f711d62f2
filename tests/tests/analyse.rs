//! Judging the turns of game files with the program `merel analyse`.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use merel_engine::tablebase::{Distance, Tables};
use merel_engine::{Position, Preset, Rules};
use merel_protocol::games::{Record, write_merel};
use merel_tests::oracle::splitmix64;
use merel_tests::program::PATIENCE;
use serde_json::{Value as Json, json};

const MEREL: &str = env!("CARGO_BIN_EXE_merel-under-test");

/// What the program wrote, and its exit code.
struct Done {
    out: String,
    err: String,
    code: i32,
}

fn run(arguments: &[&str], input: &[u8]) -> Done {
    let mut child = Command::new(MEREL)
        .arg("analyse")
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

/// The games of a file in which nothing is wrong, as JSON.
fn analysed(arguments: &[&str], input: &[u8]) -> Vec<Json> {
    let Done { out, err, code } = run(&[&["--json"], arguments].concat(), input);
    assert_eq!((err.as_str(), code), ("", 0), "{arguments:?}");
    out.lines().map(|line| serde_json::from_str(line).expect("an object on each line")).collect()
}

fn turns(game: &Json) -> &[Json] {
    game["turns"].as_array().expect("a list of turns")
}

/// What has to hold in every analysis.
fn assert_sound(game: &Json) {
    let turns = turns(game);
    for (i, turn) in turns.iter().enumerate() {
        let about = || format!("{turn}");
        let (before, after) = (&turn["before"], &turn["after"]);
        for worth in [before, after] {
            assert_eq!(worth["exact"], json!(worth["wdl"].is_i64()), "{}", about());
            let chance = worth["chance"].as_f64().expect("a number");
            assert!((0.0..=1.0).contains(&chance), "{}", about());
            match worth["wdl"].as_i64() {
                Some(wdl) => assert_eq!(chance, (wdl + 1) as f64 / 2.0, "{}", about()),
                None => assert!(worth["cp"].is_i64() || worth["mate"].is_i64(), "{}", about()),
            }
        }
        assert_eq!(turn["line"][0], turn["best"], "{}", about());
        let loss = turn["loss"].as_f64().expect("a number");
        assert!((0.0..=1.0).contains(&loss), "{}", about());
        if turn["best"] == turn["turn"] {
            assert_eq!((loss, &turn["keeps"]), (0.0, &json!(true)), "{}", about());
        }
        let proved = |worth: &Json| worth["wdl"].as_i64();
        let lets_go = proved(before).zip(proved(after)).is_some_and(|(b, a)| a < b);
        assert_eq!(turn["mark"] == "??", lets_go, "{}", about());
        assert!(proved(before).zip(proved(after)).is_none_or(|(b, a)| a <= b), "{}", about());
        // What a turn leaves is what the next position is worth to the other player.
        if let Some(next) = turns.get(i + 1)
            && let Some(wdl) = proved(after)
        {
            assert_eq!(proved(&next["before"]), Some(-wdl), "{} {next}", about());
        }
    }
    for side in ["white", "black"] {
        let own: Vec<&Json> = turns.iter().filter(|turn| turn["side"] == side).collect();
        let sums = &game["summary"][side];
        let count = |mark: &str| own.iter().filter(|turn| turn["mark"] == mark).count();
        assert_eq!(sums["turns"], json!(own.len()));
        assert_eq!(sums["blunders"], json!(count("??")));
        assert_eq!(sums["mistakes"], json!(count("?")));
        assert_eq!(sums["inaccuracies"], json!(count("?!")));
    }
}

#[test]
fn games_of_every_form_are_judged_turn_by_turn() {
    for (name, games, plies) in [
        ("playok.txt", 1, 39),
        ("sanmill.pgn", 1, 40),
        ("coordinates.txt", 1, 40),
        ("annotated.pgn", 1, 8),
        ("collection.txt", 3, 24),
    ] {
        let analysed = analysed(&["--nodes", "2000", &sample(name)], b"");
        assert_eq!(analysed.len(), games, "{name}");
        assert_eq!(analysed.iter().map(|game| turns(game).len()).sum::<usize>(), plies, "{name}");
        analysed.iter().for_each(assert_sound);
    }
}

#[test]
fn the_same_game_gets_the_same_values_in_any_file_and_form() {
    let arguments = ["--nodes", "3000"];
    let of = |name: &str| analysed(&[&arguments[..], &[&sample(name)]].concat(), b"");
    let alone = of("sanmill.pgn");
    assert_eq!(of("sanmill.pgn"), alone);
    let text = std::fs::read(sample("sanmill.pgn")).expect("the sample is there");
    let other = std::fs::read(sample("playok.txt")).expect("the sample is there");
    let behind = analysed(&[&arguments[..], &["-"]].concat(), &[other, text].concat());
    for game in [&of("goldtoken.txt")[0], &behind[1]] {
        assert_eq!(game["turns"], alone[0]["turns"]);
        assert_eq!(game["summary"], alone[0]["summary"]);
    }
}

#[test]
fn tags_rules_and_result_of_a_game_are_told() {
    let [game] = &analysed(&["--depth", "2", &sample("playok.txt")], b"")[..] else {
        panic!("one game")
    };
    assert_eq!(game["tags"]["White"], "player-a");
    assert_eq!(game["tags"]["WhiteElo"], "1265");
    assert_eq!((&game["rules"], &game["result"]), (&json!("playok"), &json!("1-0")));
    assert_eq!(game["reason"], "White wins: Black has no legal move");
    assert_eq!(game["fen"], Position::start(Preset::Playok.into()).fen());
    let last = &turns(game)[38];
    assert_eq!((&last["number"], &last["side"]), (&json!(20), &json!("white")));
    let won = json!({"exact": true, "wdl": 1, "dtw": 1, "dtw_at_most": null, "cp": null,
        "mate": null, "chance": 1.0});
    assert_eq!((&last["before"], &last["after"]), (&won, &won));
}

/// White wins in 3: with three stones each there is much to let go of.
const ENDING: &str = "O**O*@**/**O*@***/*@****** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 1 9 ids:nodes";
/// Drawn; four stones each slide along the lines.
const SLIDING: &str = "O**@*O**/@*O**@**/*@*O**** w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 1 9 ids:nodes";
/// Only a1-a4 draws.
const NARROW: &str = "**O****O/****@*O*/*@***O*@ w m s 4 0 3 0 0 0 -1 -1 -1 -1 0 1 9 ids:nodes";

/// A game without repetition from an ending. The turns are chosen by how good they are: the best for
/// 0, the worst for 1.
fn ending(fen: &str, mut choice: impl FnMut() -> f64, plies: usize) -> Record {
    let tables = Tables::builtin();
    let start = Position::from_fen(fen, Preset::Ivory.into()).expect("a position");
    let mut position = start;
    let mut turns = Vec::new();
    while turns.len() < plies && position.outcome().is_none() {
        let list = tables.turns(&position).expect("the tables hold it");
        let at = (choice() * (list.len() - 1) as f64) as usize;
        turns.push(list[at].0);
        position = position.after(list[at].0);
    }
    Record::played(start, turns)
}

/// The values of a turn by the tables alone, as the analysis writes them.
fn by_tables(distance: Distance) -> (Json, Json) {
    match distance {
        Distance::Win(plies) => (json!(1), json!(plies)),
        Distance::Draw => (json!(0), Json::Null),
        Distance::Loss(plies) => (json!(-1), json!(plies)),
    }
}

#[test]
fn where_tables_tell_every_value_is_exact_and_blunders_are_those_turns_that_let_go() {
    let tables = Tables::builtin();
    let (mut blunders, mut only) = (0, 0);
    for seed in 0..12 {
        let fen = [ENDING, SLIDING, NARROW][seed as usize % 3];
        let mut random = splitmix64(seed);
        let mut choice = || {
            // Good turns most of the time.
            let is_best = !random().is_multiple_of(3);
            if is_best { 0.0 } else { (random() % 100) as f64 / 100.0 }
        };
        let record = ending(fen, &mut choice, 20);
        let text = write_merel(&record);
        let [game] = &analysed(&["-"], text.as_bytes())[..] else { panic!("one game") };
        assert_sound(game);
        let mut position = *record.start();
        for (judged, played) in turns(game).iter().zip(record.turns()) {
            let list = tables.turns(&position).expect("the tables hold it");
            let worth = |turn: &Json| {
                let found = list.iter().find(|(t, _)| *turn == t.to_string());
                found.unwrap_or_else(|| panic!("{turn} in {}", position.fen())).1
            };
            for (shown, distance) in [("before", list[0].1), ("after", worth(&judged["turn"]))] {
                let shown = &judged[shown];
                assert_eq!((shown["wdl"].clone(), shown["dtw"].clone()), by_tables(distance));
            }
            assert_eq!(worth(&judged["best"]), list[0].1);
            let (best, now) = (list[0].1.value(), worth(&judged["turn"]).value());
            let keeping = list.iter().filter(|(_, worth)| worth.value() == best).count();
            let mark = match (now < best, keeping) {
                (true, _) => Some("??"),
                (false, 1) if list.len() > 1 && list[0].1.rank() >= 0 => Some("!"),
                _ => None,
            };
            assert_eq!(judged["mark"].as_str(), mark, "{judged} in {}", position.fen());
            blunders += usize::from(mark == Some("??"));
            only += usize::from(mark == Some("!"));
            position = position.after(played.turn);
        }
    }
    assert!(blunders > 5 && only > 0, "{blunders} {only}");
}

#[test]
fn under_rules_that_the_tables_do_not_know_nothing_is_taken_from_them() {
    let rules = Rules { no_immediate_return: true, ..Rules::default() };
    let start = Position::from_fen(ENDING, rules).expect("a position");
    let record = Record::played(start, start.legal_turns().into_iter().take(1));
    let [game] = &analysed(&["--depth", "1", "-"], write_merel(&record).as_bytes())[..] else {
        panic!("one game")
    };
    assert_eq!(game["rules"], "standard NoImmediateReturn=true");
    assert_eq!(turns(game)[0]["before"]["exact"], false);
}

#[test]
fn a_third_occurrence_is_a_draw_that_a_winner_throws_away() {
    let text = format!(
        "[SetUp \"1\"]\n[FEN \"{ENDING}\"]\n\n\
         9. d5-d6 d2-d1 10. d6-d5 d1-d2 11. d5-d6 d2-d1 12. d6-d5 d1-d2 1/2-1/2\n"
    );
    let [game] = &analysed(&["-"], text.as_bytes())[..] else { panic!("one game") };
    assert_sound(game);
    assert_eq!(game["result"], "1/2-1/2");
    let last = turns(game).last().expect("a turn");
    let proved = |worth: &str| last[worth]["wdl"].as_i64();
    assert_eq!((proved("before"), proved("after")), (Some(1), Some(0)), "{last}");
    assert_eq!(last["mark"], "??");
}

#[test]
fn a_missed_win_of_the_middle_game_is_marked_by_what_is_proved() {
    let file = sample("sanmill.pgn");
    let [game] = &analysed(&["--nodes", "50000", &file], b"")[..] else { panic!("one game") };
    assert_sound(game);
    // White resigned itself: nobody keeps everything, and the search finds out.
    let bad = turns(game).iter().filter(|turn| turn["mark"].is_string()).count();
    assert!(bad > 0, "{game}");
    assert_eq!(turns(game).last().expect("a turn")["after"]["dtw"], 1);
}

#[test]
fn a_list_for_people_has_a_line_for_each_turn_or_for_each_bad_one() {
    let file = sample("sanmill.pgn");
    let Done { out, err, code } = run(&["--nodes", "5000", &file], b"");
    assert_eq!((err.as_str(), code), ("", 0));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 1 + 40 + 2 + 1, "{out}");
    assert_eq!(
        lines[0],
        "game 1, line 1: Human - AI, rules standard, 40 turns, 0-1 Black wins: White has fewer \
         than three stones"
    );
    assert!(lines[1].starts_with("1.     d2 ") && lines[2].starts_with("1...   d6 "), "{out}");
    assert!(lines[40].starts_with("20...  d2-d3xg1 ") && lines[40].contains("win in 1"), "{out}");
    assert!(lines[41].starts_with("White: 20 turns, ") && lines[42].starts_with("Black: "));

    let Done { out: bad, .. } = run(&["--blunders", "--nodes", "5000", &file], b"");
    let marked: Vec<&str> = lines[1..41]
        .iter()
        .filter(|line| line.get(19..21).is_some_and(|mark| mark.contains('?')))
        .copied()
        .collect();
    assert!(!marked.is_empty(), "{out}");
    assert_eq!(bad.lines().collect::<Vec<_>>(), [&lines[..1], &marked, &lines[41..]].concat());
    let [game] = &analysed(&["--blunders", "--nodes", "5000", &file], b"")[..] else {
        panic!("one game")
    };
    assert_eq!(turns(game).len(), marked.len());
    assert_eq!(game["summary"]["white"]["turns"], 20);
}

#[test]
fn of_a_damaged_file_the_good_games_are_judged_and_the_bad_are_named() {
    let file = sample("damaged.pgn");
    let Done { out, err, code } = run(&["--json", "--nodes", "1000", &file], b"");
    assert_eq!(code, 1);
    let games: Vec<Json> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers: Vec<&Json> = games.iter().map(|game| &game["game"]).collect();
    assert_eq!(numbers, [&json!(1), &json!(7)]);
    let checked = Command::new(MEREL).args(["games", "--check", &file]).output().expect("it runs");
    let checked = String::from_utf8(checked.stderr).expect("text");
    let named: Vec<&str> = checked.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(err.lines().collect::<Vec<_>>(), named);
}

#[test]
fn a_game_that_ends_with_its_capture_due_is_judged_to_its_end() {
    let text = b"1. a7 b6 2. d7 d6 3. g7 *";
    let [game] = &analysed(&["--nodes", "2000", "-"], text)[..] else { panic!("one game") };
    assert_sound(game);
    let last = &turns(game)[4];
    assert_eq!(last["turn"], "g7");
    // The opening book knows what the capture is worth: no more than a draw.
    assert_eq!((&last["after"]["exact"], &last["after"]["wdl"]), (&json!(true), &json!(0)));
    // So is one that begins with it.
    let start = "O*******/@******@/O******O w p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    let text = format!("[FEN \"{start}\"]\n\n1. xb6 b4 *");
    assert_eq!(turns(&analysed(&["--nodes", "500", "-"], text.as_bytes())[0]).len(), 2);
}

#[test]
fn a_game_from_a_set_up_of_black_has_its_numbers() {
    let start = "O*@*****/*@******/*******O b p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    let text = format!("[FEN \"{start}\"]\n\n3... d6 4. d7 f4 *");
    let [game] = &analysed(&["--nodes", "500", "-"], text.as_bytes())[..] else {
        panic!("one game")
    };
    let numbered = |turn: &Json| (turn["number"].clone(), turn["side"].clone());
    let expected = [(3, "black"), (4, "white"), (4, "black")];
    let expected = expected.map(|(number, side)| (json!(number), json!(side)));
    assert_eq!(turns(game).iter().map(numbered).collect::<Vec<_>>(), expected);
    assert_eq!(game["fen"], start);
    let Done { out, .. } = run(&["--nodes", "500", "-"], text.as_bytes());
    assert!(out.contains(&format!("\nfrom {start}\n3...   d6 ")), "{out}");
}

#[test]
fn exit_codes_tell_usage_and_input_errors_from_wrong_games() {
    assert_eq!(run(&["--depth", "1", "-"], b"d6 *").code, 0);
    assert_eq!(run(&["--depth", "1", "-"], b"[Event \"no turn\"]\n\n*").code, 0);
    assert_eq!(run(&["--depth", "1", "-"], b"d7 d7 *").code, 1);
    let Done { err, code, .. } = run(&["-"], b"");
    assert_eq!((err.as_str(), code), ("error: -: no game found\n", 1));
    for arguments in [
        &[][..],
        &["--depth", "0", "-"],
        &["--nodes", "many", "-"],
        &["--movetime", "-1", "-"],
        &["--rules", "chess", "-"],
        &["--tables", "no/such/folder", "-"],
        &["a", "b"],
        &["no/such/file"],
        &[env!("CARGO_MANIFEST_DIR")],
    ] {
        let Done { out, err, code } = run(arguments, b"");
        assert_eq!((out.as_str(), code), ("", 2), "{arguments:?}");
        assert!(err.starts_with("error: "), "{arguments:?}: {err}");
    }
}

#[test]
fn the_rules_of_a_game_without_any_can_be_chosen() {
    let two = b"1. a7 e5 2. d7 d1 3. g4 b4 4. g1 c3 5. g7xe5xd1 *";
    assert_eq!(run(&["--depth", "1", "-"], two).code, 1);
    let [game] = &analysed(&["--depth", "1", "--rules", "playok", "-"], two)[..] else {
        panic!("one game")
    };
    assert_eq!(game["rules"], "playok");
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_program() {
    let mut child = Command::new(MEREL)
        .args(["analyse", "--json", "--nodes", "1000", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("it is piped");
    let _ = stdin.write_all("1. d6 f4 *\n".repeat(50).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", output.stderr.escape_ascii());
}

/// Sends an interrupt as Ctrl-C does.
#[cfg(unix)]
fn interrupt(id: u32) {
    let status = Command::new("kill").args(["-INT", &id.to_string()]).status();
    assert!(status.expect("kill runs").success());
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_the_program_with_the_games_so_far_whole() {
    use std::io::{BufRead, BufReader};
    let mut child = Command::new(MEREL)
        .args(["analyse", "--json", "--movetime", "2000", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // The first game is over at once: every turn of it is in the tables.
    let first = write_merel(&ending(ENDING, || 0.0, 4));
    stdin.write_all(first.as_bytes()).expect("it reads");
    stdin.write_all(b"1. d6 f4 2. d2 b4 3. f6 b2 *\n1. a7 *\n").expect("it reads");
    drop(stdin);
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    output.read_line(&mut line).expect("a game");
    assert!(serde_json::from_str::<Json>(&line).is_ok(), "{line}");
    interrupt(child.id());
    let start = Instant::now();
    let status = child.wait().expect("the program ends");
    assert!(start.elapsed() < PATIENCE);
    assert_eq!(status.code(), Some(130));
    line.clear();
    assert_eq!(output.read_line(&mut line).expect("the end"), 0, "{line}");
}

#[test]
#[cfg(unix)]
fn an_interrupt_while_it_waits_for_input_ends_the_program() {
    let mut child = Command::new(MEREL)
        .args(["analyse", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    // Waiting would close the input, and its end would race with the interrupt.
    let input = child.stdin.take();
    // However early it comes, the program is gone, by its own exit or by the signal.
    thread::sleep(Duration::from_millis(300));
    interrupt(child.id());
    let status = child.wait().expect("the program ends");
    drop(input);
    assert!(matches!(status.code(), None | Some(130)), "{status}");
}
