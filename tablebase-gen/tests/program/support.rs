//! Running the program and looking at what it left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use merel_engine::tablebase::file::{self, Access};
use merel_engine::tablebase::table_files;

/// What a run of the program printed, and its exit code.
#[derive(Debug)]
pub struct Ran {
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// `None` when a signal ended it.
    pub code: Option<i32>,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the program prints UTF-8");
        Self { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
    }
}

/// The program, to be given arguments.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tablebase-gen"))
}

/// Runs the program.
pub fn run(arguments: &[&str]) -> Ran {
    program().args(arguments).output().expect("the program starts").into()
}

/// `generate` into a folder, which has to go well.
pub fn generate(folder: &Path, arguments: &[&str]) -> Ran {
    let ran: Ran = program()
        .arg("generate")
        .args(arguments)
        .arg("--out")
        .arg(folder)
        .output()
        .expect("the program starts")
        .into();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran
}

/// Every file of a folder but the lock, with its bytes.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
        })
        .filter(|(name, _)| name != "generate.lock")
        .collect()
}

/// Asserts that two folders hold the same; bytes are too many to be printed.
pub fn assert_same(found: &Path, expected: &Path) {
    let (found, expected) = (files(found), files(expected));
    assert_eq!(Vec::from_iter(found.keys()), Vec::from_iter(expected.keys()));
    for (name, bytes) in &found {
        assert!(*bytes == expected[name], "{name} differs");
    }
}

/// Asserts that every table file that has its name is whole. Returns how many there are.
pub fn assert_whole(folder: &Path) -> usize {
    let files = table_files(folder).unwrap();
    for &(sector, kind) in &files {
        let path = folder.join(kind.file_name(sector));
        let tables = file::open(&path, sector, kind, Access::Read);
        for table in tables.unwrap_or_else(|e| panic!("{} {e}", path.display())) {
            table.check_data().unwrap_or_else(|e| panic!("{} {e}", path.display()));
        }
    }
    files.len()
}

/// The tables of up to nine stones, made once for all tests.
pub fn nine_stones() -> &'static Path {
    made_once("nine", "9")
}

/// The tables of up to eight stones, made once for all tests.
pub fn eight_stones() -> &'static Path {
    made_once("eight", "8")
}

fn made_once(name: &'static str, stones: &str) -> &'static Path {
    static MADE: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
    MADE[usize::from(name == "eight")].get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        generate(&folder, &["--max-stones", stones, "--quiet"]);
        folder
    })
}
