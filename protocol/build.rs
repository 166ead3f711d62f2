//! Records what the program was built from and with, for `compiler` and `--version`.
//!
//! Reads the commit from the files of `.git` itself, so that neither git nor a checkout is needed.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let commit = git_directory().and_then(|git| commit(&git)).unwrap_or_default();
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = if commit.is_empty() { commit } else { format!(" ({commit})") };
    println!("cargo::rustc-env=MEREL_VERSION={version}{commit}");
    println!("cargo::rustc-env=MEREL_RUSTC={}", compiler().unwrap_or_default());
    println!("cargo::rustc-env=MEREL_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=MEREL_PROFILE={}", std::env::var("PROFILE").unwrap_or_default());
}

fn git_directory() -> Option<PathBuf> {
    let git = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR")?).parent()?.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    // A linked work tree has a file that names the directory.
    let text = std::fs::read_to_string(&git).ok()?;
    let named = PathBuf::from(text.strip_prefix("gitdir:")?.trim());
    Some(if named.is_absolute() { named } else { git.parent()?.join(named) })
}

/// The first digits of the commit checked out.
fn commit(git: &Path) -> Option<String> {
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    println!("cargo::rerun-if-changed={}", git.join("HEAD").display());
    let hash = match head.trim().strip_prefix("ref: ") {
        None => head.trim().to_owned(),
        Some(name) => {
            let shared = std::fs::read_to_string(git.join("commondir"))
                .map_or_else(|_| git.to_owned(), |text| git.join(text.trim()));
            let packed = shared.join("packed-refs");
            let loose = shared.join(name);
            for file in [&packed, &loose] {
                if file.exists() {
                    println!("cargo::rerun-if-changed={}", file.display());
                }
            }
            std::fs::read_to_string(loose).ok().or_else(|| {
                let text = std::fs::read_to_string(packed).ok()?;
                let line = text.lines().find(|line| line.ends_with(&format!(" {name}")))?;
                Some(line.split(' ').next()?.to_owned())
            })?
        }
    };
    let hash = hash.trim();
    let is_hash = hash.len() >= 40 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| hash.chars().take(9).collect())
}

fn compiler() -> Option<String> {
    let output = Command::new(std::env::var_os("RUSTC")?).arg("--version").output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.lines().next()?.trim().to_owned())
}
