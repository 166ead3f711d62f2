//! Why a command came to no good end.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a command came to no good end.
#[derive(Debug)]
pub enum Failure {
    /// The user asked to stop.
    Interrupted,
    /// What was asked for cannot be done; why.
    Refused(String),
    /// A file or folder could not be used.
    File {
        /// What was being done to it, such as `write`.
        doing: &'static str,
        /// Which.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl Failure {
    /// For `map_err`: what was being done to which file.
    pub fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::File { doing, path, error }
    }

    /// For `map_err` where results are printed.
    pub fn results(error: io::Error) -> Self {
        Self::File { doing: "write", path: "the results".into(), error }
    }

    /// The exit code of the program.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Interrupted => 130,
            Self::Refused(_) | Self::File { .. } => 2,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("interrupted"),
            Self::Refused(why) => f.write_str(why),
            Self::File { doing, path, error } => {
                write!(f, "cannot {doing} {}: {error}", path.display())
            }
        }
    }
}
