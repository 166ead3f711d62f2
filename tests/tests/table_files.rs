//! The engine program and folders with endgame tables, good and bad: it says what it has refused
//! and why, and plays.

use std::path::{Path, PathBuf};

use merel_engine::tablebase::codec;
use merel_tests::program::Program;

/// A win in 3 plies; each side has three stones.
const WON: &str = "O**O*@**/**O*@***/*@****** w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";

/// A folder of this name, empty at first and gone again when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for tests");
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("text")
    }

    /// Puts a good table there.
    fn put(&self, name: &str) -> &Self {
        self.put_bytes(name, &good(name))
    }

    fn put_bytes(&self, name: &str, bytes: &[u8]) -> &Self {
        std::fs::write(self.0.join(name), bytes).expect("the folder can be written");
        self
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn good(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tables");
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A good table but for one byte.
fn flipped(name: &str, at: u64) -> Vec<u8> {
    let mut bytes = good(name);
    bytes[at as usize] ^= 1;
    bytes
}

fn section(name: &str) -> codec::Section {
    codec::decode(&good(name)).expect("a good header").sections[0].clone()
}

fn engine() -> Program {
    let mut engine = Program::start(env!("CARGO_BIN_EXE_merel-under-test"), &[]);
    engine.send("uci");
    engine.until("uciok");
    engine
}

/// Sets the option; what is said of that.
fn open(engine: &mut Program, path: &str) -> Vec<String> {
    let lines = engine.ask(&format!("setoption name TablebasePath value {path}"));
    for line in &lines {
        assert!(line.starts_with("info string endgame table"), "{lines:#?}");
    }
    lines
}

/// Searches a position; the last report and the turn, and what else was said.
fn go(engine: &mut Program, fen: &str, go: &str) -> (String, String, Vec<String>) {
    assert_eq!(engine.ask(&format!("position fen {fen}")), [""; 0]);
    engine.send(go);
    let mut lines = engine.until("bestmove ");
    let best = lines.pop().expect("a turn");
    let said: Vec<String> = lines.extract_if(.., |line| line.starts_with("info string")).collect();
    assert!(best != "bestmove (none)", "{lines:#?}");
    (lines.pop().expect("a report"), best, said)
}

/// The win is seen, in the length it has.
fn assert_plays(engine: &mut Program) {
    let (report, _, said) = go(engine, WON, "go depth 6");
    assert!(report.contains(" score mate 2 "), "{report}");
    assert_eq!(report.split(" pv ").nth(1).map(|pv| pv.split(' ').count()), Some(3), "{report}");
    assert_eq!(said, [""; 0]);
}

fn assert_counts(lines: &[String], wdl: usize, dtw: usize) {
    let expected = format!(
        "info string endgame tables: win/draw/loss for {wdl} of 49 sectors, distances for {dtw}"
    );
    assert_eq!(lines.first(), Some(&expected), "{lines:#?}");
}

fn refused(lines: &[String]) -> Vec<&str> {
    let start = "info string endgame table refused: ";
    lines.iter().filter_map(|line| line.strip_prefix(start)).collect()
}

/// A folder with this one bad file: the program says so in one line with the reason, and plays.
fn assert_refused(name: &str, bytes: &[u8], reason: &str) {
    let folder = Folder::new(&format!("refused {name} {reason}").replace(['/', '`', ';'], " "));
    folder.put_bytes(name, bytes);
    let mut engine = engine();
    let lines = open(&mut engine, folder.path());
    assert_counts(&lines, 0, 0);
    let refused = refused(&lines);
    let [line] = refused.as_slice() else { panic!("{lines:#?}") };
    assert!(line.contains(&format!("{name} {reason}")), "{line}");
    assert!(line.contains("refused"), "the folder is named: {line}");
    assert_plays(&mut engine);
}

#[test]
fn several_folders_are_searched_in_order_and_what_is_missing_is_told() {
    let (first, second) = (Folder::new("tables one"), Folder::new("tables two"));
    first.put("3-3.wdl").put_bytes("4-3.wdl", b"bad");
    second.put("3-3.dtw").put("4-3.wdl").put("4-3.dtw").put("7-3.wdl").put("7-3.dtw");
    let mut engine = engine();
    let lines = open(&mut engine, &format!("{}:{}", first.path(), second.path()));
    assert_counts(&lines, 5, 5);
    let missing = lines.iter().find(|line| line.starts_with("info string endgame tables missing"));
    assert!(missing.is_some_and(|line| line.contains(" 4-4.wdl ")), "{lines:#?}");
    assert!(missing.is_some_and(|line| !line.contains("3-3")), "{lines:#?}");
    // The bad file of the first folder does not stand in the way of the good one of the second.
    assert_eq!(refused(&lines).len(), 1, "{lines:#?}");
    assert_plays(&mut engine);
}

#[test]
fn a_folder_may_have_spaces_and_letters_of_any_language_in_its_name() {
    let folder = Folder::new("tables  für Mühle – 連珠 мельница");
    folder.put("3-3.wdl").put("3-3.dtw");
    let mut engine = engine();
    let lines = open(&mut engine, folder.path());
    assert_counts(&lines, 1, 1);
    assert_eq!(refused(&lines), [""; 0]);
    assert_plays(&mut engine);
}

#[test]
fn a_missing_folder_is_told_and_the_others_are_used() {
    let folder = Folder::new("tables beside a missing folder");
    folder.put("3-3.wdl");
    let missing = format!("{}/nowhere", folder.path());
    let file = format!("{}/3-3.wdl", folder.path());
    let mut engine = engine();
    let lines = open(&mut engine, &format!("{missing}:{file}:{}", folder.path()));
    assert_counts(&lines, 1, 0);
    let refused = refused(&lines);
    assert_eq!(refused.len(), 2, "{lines:#?}");
    assert!(refused[0].contains("nowhere cannot be read: "), "{lines:#?}");
    assert!(refused[1].contains("3-3.wdl cannot be read: "), "{lines:#?}");
    assert_plays(&mut engine);
    // And back to the built-in ones alone.
    assert_eq!(open(&mut engine, "<empty>"), [""; 0]);
    assert_plays(&mut engine);
}

#[test]
fn a_file_that_is_cut_short_is_refused() {
    let bytes = good("3-3.wdl");
    assert_refused("3-3.wdl", &bytes[..bytes.len() - 1], "is damaged (its length)");
    assert_refused("3-3.wdl", &bytes[..40], "is damaged (it ends early)");
    assert_refused("3-3.wdl", &bytes[..12], "is no table file");
}

#[test]
fn a_flipped_byte_in_what_is_read_first_is_told() {
    let (wdl, dtw) = (section("4-3.wdl"), section("3-3.dtw"));
    assert_refused("4-3.wdl", &flipped("4-3.wdl", 40), "is damaged (header)");
    assert_refused("4-3.wdl", &flipped("4-3.wdl", wdl.model.offset + 3), "is damaged (model)");
    assert_refused("4-3.wdl", &flipped("4-3.wdl", wdl.index.offset + 9), "is damaged (index)");
    assert_refused("3-3.dtw", &flipped("3-3.dtw", dtw.model.offset), "is damaged (model)");
    assert_refused("3-3.dtw", &flipped("3-3.dtw", dtw.index.offset), "is damaged (index)");
}

#[test]
fn what_is_no_table_or_another_one_is_told() {
    assert_refused("3-3.wdl", b"", "is no table file");
    assert_refused("3-3.dtw", &[b'x'; 5000], "is no table file");
    assert_refused("3-3.wdl", &good("4-3.wdl"), "holds another table than its name says");
    assert_refused("3-3.wdl", &good("3-3.dtw"), "holds another table than its name says");
    let mut newer = good("3-3.wdl");
    newer[8] = 77;
    assert_refused("3-3.wdl", &newer, "has format 77, this program reads format 1");
}

#[test]
fn a_folder_with_the_name_of_a_table_is_told() {
    let folder = Folder::new("tables that are folders");
    std::fs::create_dir(folder.0.join("3-3.wdl")).expect("a folder");
    let mut engine = engine();
    let lines = open(&mut engine, folder.path());
    assert_counts(&lines, 0, 0);
    let refused = refused(&lines);
    assert!(refused.len() == 1 && refused[0].contains("3-3.wdl cannot be read: "), "{lines:#?}");
    assert_plays(&mut engine);
}

/// A table whose every part is damaged: nothing is seen when it is opened.
fn with_damaged_data(name: &str) -> Vec<u8> {
    let mut bytes = good(name);
    let data = section(name).data;
    for byte in &mut bytes[data.offset as usize..(data.offset + data.len) as usize] {
        *byte ^= 1;
    }
    bytes
}

#[test]
fn damage_that_a_probe_meets_is_told_once_and_the_game_goes_on() {
    for (name, goes) in [("3-3.wdl", "go depth 6"), ("3-3.dtw", "go movetime 50")] {
        let folder = Folder::new(&format!("tables with damaged data {name}"));
        folder.put("3-3.wdl").put("3-3.dtw").put_bytes(name, &with_damaged_data(name));
        let mut engine = engine();
        let lines = open(&mut engine, folder.path());
        assert_counts(&lines, 1, 1);
        assert_eq!(refused(&lines), [""; 0]);
        let (report, _, said) = go(&mut engine, WON, goes);
        let expected = format!("info string endgame table {name} is damaged (data); ");
        let [line] = said.as_slice() else { panic!("{said:#?}") };
        assert!(line.starts_with(&expected), "{line}");
        // Without the table the search finds the win.
        assert!(report.contains(" score mate 2 "), "{report}");
        let (_, _, said) = go(&mut engine, WON, goes);
        assert_eq!(said, [""; 0], "once is enough");
        // Tables opened anew may be damaged anew.
        open(&mut engine, folder.path());
        assert_eq!(go(&mut engine, WON, goes).2.len(), 1);
        let shown = engine.ask("d");
        assert!(shown.iter().any(|line| line.starts_with("Table: ")), "{shown:#?}");
    }
}

#[test]
fn no_table_is_asked_beyond_the_probe_limit() {
    let mut engine = engine();
    let hits = |engine: &mut Program, limit: u32| {
        engine.ask(&format!("setoption name TablebaseProbeLimit value {limit}"));
        let (report, _, _) = go(engine, WON, "go depth 4");
        let words: Vec<&str> = report.split(' ').collect();
        let at = words.iter().position(|&word| word == "tbhits").expect("a count");
        words[at + 1].parse::<u64>().expect("a number")
    };
    assert_eq!(hits(&mut engine, 0), 0);
    assert_eq!(hits(&mut engine, 5), 0);
    assert!(hits(&mut engine, 6) > 0);
    assert!(hits(&mut engine, 18) > 0);
}

#[test]
fn the_position_and_each_turn_are_shown_with_their_value() {
    let mut engine = engine();
    engine.ask(&format!("position fen {WON}"));
    let moves = engine.ask("moves");
    let legal: Vec<&str> = moves[0].split(' ').skip(1).collect();
    let shown = engine.ask("d");
    let at = shown.iter().position(|line| line.starts_with("Table: ")).expect("a value");
    assert_eq!(shown[at], "Table: won in 3 plies");
    let turns: Vec<(&str, &str)> = shown[at + 1..]
        .iter()
        .map_while(|line| line.strip_prefix("  ").and_then(|line| line.split_once(": ")))
        .collect();
    let mut names: Vec<&str> = turns.iter().map(|(turn, _)| *turn).collect();
    assert_eq!(turns[0].1, "won in 3 plies");
    names.sort_unstable();
    let mut sorted = legal.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted);
    // Each is worth what is shown once it is played, seen from the other side.
    for (turn, worth) in [turns[0], turns[turns.len() / 2], turns[turns.len() - 1]] {
        engine.ask(&format!("position fen {WON} moves {turn}"));
        let after = engine.ask("d");
        let after = after.iter().find_map(|line| line.strip_prefix("Table: ")).expect("a value");
        let words: Vec<&str> = worth.split(' ').collect();
        let expected = match words.as_slice() {
            ["won", "in", plies, "plies"] => format!("lost in {} plies", less(plies)),
            ["lost", "in", plies, "plies"] => format!("won in {} plies", less(plies)),
            _ => "drawn".to_owned(),
        };
        assert_eq!(after, expected, "{turn}: {worth}");
    }
    // The start is in the opening book; nothing is known of what comes after it.
    engine.ask("position startpos");
    let start = engine.ask("d");
    assert!(start.contains(&"Table: drawn".to_owned()));
    assert_eq!(start.iter().filter(|line| line.ends_with(": drawn")).count(), 1 + 24);
    engine.ask("position fen O***@***/O*@*O*@*/@*O*@*O* w p p 5 4 5 4 0 0 0 0 0 0 0 0 1");
    assert!(engine.ask("d").contains(&"Table: no value".to_owned()));
}

fn less(plies: &str) -> u32 {
    plies.parse::<u32>().expect("a number") - 1
}
