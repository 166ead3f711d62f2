//! The autosave: all that is needed to go on with a match.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::config::MatchConfig;
use super::results::Results;

/// Saves of another version are refused.
const VERSION: u32 = 1;
/// Where a match is saved when nothing is said.
const DEFAULT_NAME: &str = "merel-match";

/// A match as it is saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    pub(super) version: u32,
    pub(super) config: MatchConfig,
    pub(super) results: Results,
    /// Length of the game file with exactly these results, in bytes.
    pub(super) pgn_bytes: Option<u64>,
    /// The same of the file of final positions.
    pub(super) epd_bytes: Option<u64>,
    /// Fingerprint of the file of openings.
    pub(super) openings: u64,
    /// `threads` and `hash` of each engine as reports show them, from when it was first met.
    pub(super) facts: Vec<[String; 2]>,
}

impl Saved {
    /// A match that has not begun.
    pub(super) fn new(config: MatchConfig, results: Results) -> Self {
        let facts = vec![["-".to_owned(), "-".to_owned()]; config.engines.len()];
        Self {
            version: VERSION,
            config,
            results,
            pgn_bytes: None,
            epd_bytes: None,
            openings: 0,
            facts,
        }
    }

    /// Reads a save.
    ///
    /// # Errors
    /// The file and what is wrong with it.
    pub(super) fn read(file: &Path) -> Result<Self, String> {
        let name = file.display();
        let text = fs::read_to_string(file)
            .map_err(|error| format!("-config: '{name}' cannot be read: {error}"))?;
        let saved: Self = serde_json::from_str(&text)
            .map_err(|error| format!("-config: '{name}' is no saved match: {error}"))?;
        if saved.version != VERSION {
            return Err(format!(
                "-config: '{name}' has version {}, and this program knows {VERSION}",
                saved.version
            ));
        }
        let config = &saved.config;
        let range = |n: u64, what: &str, max: u64| {
            if (1..=max).contains(&n) {
                Ok(())
            } else {
                Err(format!("-config: '{name}': {what} {n} is not from 1 to {max}"))
            }
        };
        range(config.games, "games", 2)?;
        range(config.rounds, "rounds", 1_000_000_000)?;
        range(config.concurrency as u64, "concurrency", 100_000)?;
        if config.engines.len() < 2 || config.engines.iter().any(|e| !e.limits.any()) {
            return Err(format!("-config: '{name}' needs two engines with limits"));
        }
        Ok(saved)
    }

    /// Writes the save: the file holds the old one or the new one, never a part.
    ///
    /// # Errors
    /// The file and what went wrong.
    pub(super) fn write(&self) -> Result<(), String> {
        let file = &self.config.save;
        let cannot = |error: &dyn std::fmt::Display| {
            format!("the match cannot be saved to '{}': {error}", file.display())
        };
        let text = serde_json::to_string_pretty(self).map_err(|error| cannot(&error))?;
        let mut beside = file.clone().into_os_string();
        beside.push(".new");
        fs::write(&beside, text)
            .and_then(|()| fs::rename(&beside, file))
            .map_err(|error| cannot(&error))
    }
}

/// The first name that is not taken by another match.
pub(super) fn default_file() -> PathBuf {
    let first = PathBuf::from(format!("{DEFAULT_NAME}.json"));
    if !first.exists() {
        return first;
    }
    let numbered = |n: u32| PathBuf::from(format!("{DEFAULT_NAME}-{n}.json"));
    (2..).map(numbered).find(|file| !file.exists()).unwrap_or(first)
}
