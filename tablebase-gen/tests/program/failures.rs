//! What goes wrong outside the program.

use std::path::Path;

use crate::support::{Ran, assert_same, assert_whole, eight_stones, files, generate, program, run};

/// `generate` where no file may grow beyond so many blocks of 512 bytes: writing fails as on a full
/// disk.
#[cfg(unix)]
fn generate_with_little_room(folder: &Path, blocks: u32) -> Ran {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    std::process::Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_tablebase-gen")])
        .args(["generate", "--max-stones", "8", "--quiet", "--out"])
        .arg(folder)
        .output()
        .expect("the shell starts")
        .into()
}

#[cfg(unix)]
#[test]
fn a_write_that_fails_is_told_in_one_line_and_harms_nothing() {
    // Too little for the first table, for the values of 4-3, for those of 4-4.
    for (blocks, named, finished) in [(4, "3-3.", 0), (1000, "4-3.values", 2), (1700, "", 4)] {
        let folder = tempfile::tempdir().unwrap();
        let ran = generate_with_little_room(folder.path(), blocks);
        if named.is_empty() {
            // With room for all but the largest, which nothing needs, everything succeeds.
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
            assert_same(folder.path(), eight_stones());
            continue;
        }
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        let expected = format!("error: cannot write {}", folder.path().join(named).display());
        assert!(ran.err.starts_with(&expected), "{}", ran.err);
        assert!(ran.err.contains("File too large"), "{}", ran.err);
        assert_eq!(assert_whole(folder.path()), finished);
        assert!(files(folder.path()).keys().all(|name| !name.ends_with(".part")));
        generate(folder.path(), &["--max-stones", "8", "--quiet"]);
        assert_same(folder.path(), eight_stones());
    }
}

#[test]
fn a_folder_that_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, b"").unwrap();
    let inside = file.join("tables");
    let ran = run(&["generate", "3-3", "--out", inside.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("cannot make the folder"), "{}", ran.err);
    for command in ["verify", "stats"] {
        let mut arguments = vec![command, inside.to_str().unwrap()];
        arguments.extend((command == "verify").then_some("--quick"));
        let ran = run(&arguments);
        assert_eq!(ran.code, Some(2), "{command}");
        assert!(ran.err.contains("cannot read the folder"), "{}", ran.err);
        arguments[1] = folder.path().to_str().unwrap();
        let ran = run(&arguments);
        assert_eq!(ran.code, Some(2), "{command}");
        assert!(ran.err.contains("there are no tables in"), "{}", ran.err);
    }
}

#[test]
fn two_runs_do_not_write_in_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let lock = std::fs::File::create(folder.path().join("generate.lock")).unwrap();
    fs4::FileExt::lock(&lock).unwrap();
    let arguments = ["generate", "3-3", "--out", folder.path().to_str().unwrap()];
    let ran = run(&arguments);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("another tablebase-gen is writing"), "{}", ran.err);
    drop(lock);
    assert_eq!(run(&arguments).code, Some(0));
}

#[test]
fn too_little_memory_is_refused_with_the_number_that_is_enough() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let with = |memory: &str| run(&["generate", "3-4", "--memory", memory, "--out", out]);
    let ran = with("10MB");
    assert_eq!(ran.code, Some(2));
    assert!(files(folder.path()).is_empty());
    let number = ran.err.split("--memory ").nth(1).and_then(|rest| rest.split(' ').next());
    let number = number.unwrap_or_else(|| panic!("{}", ran.err));
    let mebibytes: u64 = number.strip_suffix("MiB").unwrap().parse().unwrap();
    assert_eq!(with(&format!("{}MiB", mebibytes - 1)).code, Some(2));
    assert_eq!(with(number).code, Some(0));
}

#[test]
fn bad_arguments_are_named() {
    for (arguments, named) in [
        (vec!["generate", "2-3"], "`2-3` is no sector"),
        (vec!["generate", "4-3+1-2"], "`4-3+1-2` is no sector"),
        (vec!["generate", "--max-stones", "19"], "19 is not in 6..=18"),
        (vec!["generate", "--memory", "lots"], "`lots` is no size"),
        (vec!["generate", "--threads", "0"], "'0'"),
        (vec!["plan", "--out", "x"], "'--out'"),
        (vec!["verify", "x"], "--quick"),
        (vec!["verify", "x", "--quick", "--full"], "cannot be used with"),
        (vec!["verify", "x", "--quick", "--sample", "5"], "cannot be used with"),
        (vec!["probe", "x"], "<FEN>"),
        (vec!["genrate"], "'genrate'"),
        (vec![], "Usage"),
    ] {
        let ran: Ran = program().args(&arguments).output().unwrap().into();
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.err.contains(named), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.out, "");
    }
}
