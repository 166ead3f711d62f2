//! What the tables say, and that they are the same however they are made.

use std::path::Path;

use serde_json::Value;

use crate::support::{assert_same, eight_stones, files, generate, nine_stones, run};

#[test]
fn totals_and_longest_distances_are_the_published_ones() {
    let folder = nine_stones().to_str().unwrap();
    let ran = run(&["stats", folder, "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let found: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    let mut lines = include_str!("../data/sectors.csv").lines();
    assert_eq!(lines.next(), Some("to_move,other,win,draw,loss,max_win_plies,max_loss_plies"));
    let mut compared = 0;
    for line in lines {
        let numbers: Vec<u64> = line.split(',').map(|n| n.parse().unwrap()).collect();
        let [mover, other, win, draw, loss, max_win, max_loss] = numbers[..] else {
            panic!("{line}");
        };
        let name = format!("{mover}-{other}");
        let sector = found.iter().find(|s| s["sector"] == name.as_str()).unwrap();
        let longest = |count: u64, plies: u64| (count > 0).then_some(plies).into();
        assert_eq!(sector["win"], win, "{name}");
        assert_eq!(sector["draw"], draw, "{name}");
        assert_eq!(sector["loss"], loss, "{name}");
        let expected: [Value; 2] = [longest(win, max_win), longest(loss, max_loss)];
        assert_eq!([&sector["max_win_plies"], &sector["max_loss_plies"]], expected.each_ref());
        for (plies, fen) in
            [("max_win_plies", "longest_win_fen"), ("max_loss_plies", "longest_loss_fen")]
        {
            assert_eq!(sector[plies].is_null(), sector[fen].is_null(), "{name}");
            let Some(fen) = sector[fen].as_str() else { continue };
            let ran = run(&["probe", folder, fen, "--json"]);
            let probed: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(probed["fen"], fen);
            assert_eq!(probed["dtw"], sector[plies], "{name}: {fen}");
        }
        compared += 1;
    }
    assert_eq!((compared, found.len()), (10, 10));
}

#[test]
fn the_tables_inside_the_engine_are_those_that_the_generator_makes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    // The command that CONTRIBUTING tells.
    let ran = run(&["generate", "7-3", "5-5", "--out", out, "--quiet"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_same(folder.path(), Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tables")));
}

#[test]
fn positions_with_known_distances_have_them() {
    let folder = nine_stones().to_str().unwrap();
    let known = [
        ("a4 d7 g4", "d1 g1 g7", -1, 26),
        ("a4 a7 g4", "a1 d6 e5 f6", 1, 33),
        ("b6 c4 g4 g7", "d6 d7 g1", -1, 32),
    ];
    for (us, them, wdl, dtw) in known {
        let ran = run(&["probe", folder, &fen(us, them), "--json"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let found: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((&found["wdl"], &found["dtw"]), (&wdl.into(), &dtw.into()), "{us} v {them}");
        // The best turn keeps the value and the distance, which is counted from here.
        let moves = found["moves"].as_array().unwrap();
        assert_eq!((&moves[0]["wdl"], &moves[0]["dtw"]), (&wdl.into(), &dtw.into()));
        // Wins first, the shortest before the others; then draws; then losses, the longest first.
        let order: Vec<i64> = moves
            .iter()
            .map(|m| m["wdl"].as_i64().unwrap() * (1000 - m["dtw"].as_i64().unwrap_or(1000)))
            .collect();
        assert!(order.is_sorted_by(|a, b| a >= b), "{order:?}");
    }
}

/// The moving-phase FEN with these stones of White, who is to move, and of Black.
fn fen(white: &str, black: &str) -> String {
    let point = |name: &str| name.parse::<merel_engine::Point>().unwrap().index();
    let mut board = ['*'; 24];
    white.split(' ').for_each(|name| board[point(name)] = 'O');
    black.split(' ').for_each(|name| board[point(name)] = '@');
    let rings: Vec<String> = board.chunks(8).map(|ring| ring.iter().collect()).collect();
    let count = |stones: &str| stones.split(' ').count();
    format!(
        "{} w m s {} 0 {} 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        rings.join("/"),
        count(white),
        count(black)
    )
}

#[test]
fn the_bytes_do_not_depend_on_threads_memory_or_order() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rounds) in [
        ("one", vec![vec!["--max-stones", "8", "--threads", "1"]]),
        ("three", vec![vec!["--max-stones", "8", "--threads", "3", "--memory", "200MB"]]),
        // What is finished is not made again, but its values are needed again.
        ("piecemeal", vec![vec!["3-4"], vec!["4-4", "--threads", "1"], vec!["--max-stones", "8"]]),
    ] {
        let path = folder.path().join(name);
        for (i, arguments) in rounds.iter().enumerate() {
            let ran = generate(&path, arguments);
            assert_eq!(ran.err.contains("solved again"), i > 0, "{}", ran.err);
            assert_eq!(ran.out, "");
        }
        assert_same(&path, eight_stones());
    }
}

#[test]
fn a_finished_folder_holds_tables_alone_and_is_left_as_it_is() {
    let names: Vec<String> = files(eight_stones()).into_keys().collect();
    let expected: Vec<String> = ["3-3", "4-3", "4-4", "5-3"]
        .iter()
        .flat_map(|pair| [format!("{pair}.dtw"), format!("{pair}.wdl")])
        .collect();
    assert_eq!(names, expected);
    let modified =
        |name: &String| eight_stones().join(name).metadata().unwrap().modified().unwrap();
    let before: Vec<_> = names.iter().map(modified).collect();
    let ran = generate(eight_stones(), &["5-3", "4-4"]);
    assert!(ran.err.contains("0 of 4 pairs"), "{}", ran.err);
    assert_eq!(Vec::from_iter(names.iter().map(modified)), before);
}

#[test]
fn every_value_follows_from_its_successors() {
    let folder = eight_stones().to_str().unwrap();
    let ran = run(&["verify", folder, "--full"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let expected = "3-3: 210,140 positions re-derived, all right\n\
                    4-3: 1,725,960 positions re-derived, all right\n\
                    4-4: 3,667,665 positions re-derived, all right\n\
                    5-3: 5,484,540 positions re-derived, all right\n";
    assert_eq!(ran.out, expected);
    let folder = nine_stones().to_str().unwrap();
    let ran = run(&["verify", folder, "--full", "--sample", "20000", "--seed", "7"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(ran.out.lines().count(), 6);
    assert!(ran.out.ends_with("6-3: 40,000 positions re-derived, all right\n"), "{}", ran.out);
}
