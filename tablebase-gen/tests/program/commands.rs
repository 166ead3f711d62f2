//! The commands that make nothing.

use serde_json::Value;

use crate::support::{eight_stones, files, run};

#[test]
fn a_plan_tells_of_each_pair_what_it_takes() {
    let ran = run(&["plan", "5-4", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let plan: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    let names: Vec<&str> = plan.iter().map(|entry| entry["sectors"][0].as_str().unwrap()).collect();
    assert_eq!(names, ["3-3", "4-3", "4-4", "5-3", "5-4"]);
    assert_eq!(plan[4]["depends_on"], serde_json::json!(["5-3", "4-4"]));
    assert_eq!(plan[1]["positions"], 1_725_960);
    for entry in &plan {
        for number in ["memory_bytes", "disk_bytes", "scratch_bytes"] {
            assert!(entry[number].as_u64().unwrap() > 0, "{entry}");
        }
    }
    // The tables are no larger than planned.
    for (name, bytes) in files(eight_stones()) {
        let entry = plan.iter().find(|e| e["sectors"][0] == name[..3]).unwrap();
        assert!(bytes.len() as u64 <= entry["disk_bytes"].as_u64().unwrap(), "{name}");
    }
    let text = run(&["plan"]).out;
    assert_eq!(text.lines().count(), 30);
    assert!(text.lines().last().unwrap().starts_with("49 sectors, 9,074,932,579 positions"));
}

#[test]
fn a_missing_or_damaged_file_is_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files(eight_stones()).into_iter().filter(|(name, _)| name < &"4-4".into())
    {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let ran = run(&["verify", path, "--quick"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.out, "3-3: the checksums are right\n4-3: the checksums are right\n");
    std::fs::remove_file(folder.path().join("4-3.dtw")).unwrap();
    let damaged = folder.path().join("3-3.wdl");
    let mut bytes = std::fs::read(&damaged).unwrap();
    *bytes.last_mut().unwrap() ^= 0x10;
    std::fs::write(&damaged, bytes).unwrap();
    for how in ["--quick", "--full"] {
        let ran = run(&["verify", path, how]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let lines: Vec<&str> = ran.out.lines().collect();
        assert!(lines[0].starts_with("3-3: 3-3.wdl is damaged (data)"), "{}", ran.out);
        assert_eq!(lines[1..], ["4-3: 4-3.dtw is missing"]);
    }
}

#[test]
fn probing_says_what_is_missing() {
    let folder = eight_stones().to_str().unwrap();
    let fen = |text: &str| format!("{text} 0 0 -1 -1 -1 -1 0 0 1 ids:nodes");
    // 5-4 is not there.
    let ran = run(&["probe", folder, &fen("OOOOO***/@@@@****/******** w m s 5 0 4 0")]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("5-4"), "{}", ran.err);
    let ran = run(&["probe", folder, "rubbish"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("FEN is refused"), "{}", ran.err);
    let ran = run(&["probe", folder, &fen("OOOOO***/@@@@****/******** w p p 5 1 4 2")]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("in hand"), "{}", ran.err);
    // A blocked player has lost; there is nothing to move.
    let ran = run(&["probe", folder, &fen("O@*@O@**/*@******/******** w m s 2 0 4 0"), "--json"]);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&found["wdl"], &found["dtw"]), (&(-1).into(), &0.into()));
    assert_eq!(found["moves"], serde_json::json!([]));
}

#[test]
fn statistics_tell_the_distribution_of_distances() {
    let ran = run(&["stats", eight_stones().to_str().unwrap(), "4-3"]);
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.out.starts_with("4-3: 1,201,560 won, 10,863,360 drawn, 48,720 lost\n"),
        "{}",
        ran.out
    );
    let lost: u64 = ran
        .out
        .lines()
        .filter_map(|line| line.trim().strip_prefix("lost in"))
        .map(|line| line.split(':').nth(1).unwrap().trim().replace(',', "").parse::<u64>().unwrap())
        .sum();
    assert_eq!(lost, 48_720);
}
