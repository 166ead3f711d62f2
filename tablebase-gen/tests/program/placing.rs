//! Sectors with stones in hand.

use std::path::Path;

use merel_engine::DoubleMill;
use merel_engine::tablebase::{Sector, builtin};

use crate::support::{assert_same, files, generate, run};

/// A sector with all it depends on: three plies to the moving phase.
const SECTOR: &str = "2-3+2-1";

#[test]
fn a_sector_with_stones_in_hand_is_made_verified_and_the_same_however_it_is_made() {
    let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    generate(one.path(), &[SECTOR, "--threads", "1", "--quiet"]);
    // In parts, with what the parts have left behind.
    generate(other.path(), &["3-3", "2-3+1-1", "--quiet"]);
    generate(other.path(), &[SECTOR, "--quiet"]);
    assert_same(other.path(), one.path());
    let names: Vec<String> = files(one.path()).into_keys().collect();
    let tables = |name: &String| name.ends_with(".wdl") || name.ends_with(".dtw");
    assert!(names.iter().all(tables), "{names:?}");
    assert!(names.contains(&format!("{SECTOR}.wdl")), "{names:?}");
    let folder = one.path().to_str().unwrap();
    let ran = run(&["verify", folder, "--full"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains(&format!("{SECTOR}: 33,180 positions re-derived, all right")));
}

#[test]
fn a_wrong_value_of_a_position_with_stones_in_hand_is_found() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), &["2-3+1-0", "--quiet"]);
    // Another sector's values, under a right checksum but for the header: nobody is fooled.
    let [from, to] = ["2-3+1-0.wdl", "3-3.wdl"].map(|name| folder.path().join(name));
    std::fs::copy(from, to).unwrap();
    let ran = run(&["verify", folder.path().to_str().unwrap(), "--quick"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("3-3.wdl holds another table than its name says"), "{}", ran.out);
}

#[test]
fn probing_tells_the_value_of_each_placement() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), &[SECTOR, "--quiet"]);
    let fen = "O*O*****/@*@*@***/******** w p p 2 2 3 1 0 0 -1 -1 -1 -1 0 0 10 ids:nodes";
    let ran = run(&["probe", folder.path().to_str().unwrap(), fen, "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let moves = found["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 24 - 5);
    assert!(moves.iter().all(|m| m["wdl"].is_i64() && m["dtw"].is_null()), "{found}");
    assert_eq!(found["wdl"], moves[0]["wdl"]);
    // Hands that no game has are refused, and the reason told.
    let fen = fen.replace("2 2 3 1", "2 1 3 2");
    let ran = run(&["probe", folder.path().to_str().unwrap(), &fen]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("as many stones in hand"), "{}", ran.err);
}

#[test]
fn the_plan_of_the_whole_game_has_every_sector() {
    for (double_mill, sectors) in [("one", 269), ("two", 303)] {
        let ran = run(&["plan", "--phase", "all", "--double-mill", double_mill, "--json"]);
        let plan: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(plan.as_array().unwrap().len(), 28 + sectors);
    }
}

#[test]
fn the_opening_book_agrees_with_itself_by_the_rules() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/book");
    let folder = folder.to_str().unwrap();
    // A sector is derived from those two plies later, which the book must have.
    let deepest = |double_mill| match double_mill {
        DoubleMill::One => 6,
        DoubleMill::Two => 4,
    };
    let placed = |s: &Sector| 18 - s.hands().iter().sum::<u8>();
    let sectors: Vec<String> = builtin::book()
        .iter()
        .filter(|s| placed(s) <= deepest(s.double_mill()))
        .map(ToString::to_string)
        .collect();
    assert!(sectors.len() >= 10, "{sectors:?}");
    let arguments = ["verify", folder, "--full"].into_iter();
    let arguments: Vec<&str> = arguments.chain(sectors.iter().map(String::as_str)).collect();
    let ran = run(&arguments);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(ran.out.lines().count(), sectors.len(), "{}", ran.out);
    // Whatever the tables in the folder, they are those in the program.
    let names: Vec<String> = files(Path::new(folder)).into_keys().collect();
    let tables = names.iter().filter(|name| name.ends_with(".wdl")).count();
    assert_eq!(tables, builtin::book().len(), "{names:?}");
}
