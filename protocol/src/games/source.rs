//! The file of a command: opening it, and what is said when it cannot be read or its games cannot
//! be written.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::ExitCode;

/// Why a file was not read to its end.
pub(crate) enum Failure {
    /// It cannot be read.
    Input(io::Error),
    /// What came of it cannot be written.
    Output(io::Error),
}

impl Failure {
    /// Says so on standard error and gives the exit code.
    pub(crate) fn tell(&self, file: &Path) -> ExitCode {
        match self {
            Self::Input(error) => tell(&format!("error: {}: {error}", file.display())),
            // Whoever read the games has seen enough.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Self::Output(error) => tell(&format!("error: the output cannot be written: {error}")),
        }
        ExitCode::from(2)
    }
}

/// Opens a file, or standard input for `-`.
///
/// # Errors
/// When there is no such file, or it may not be read.
pub(crate) fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).map_err(Failure::Input)?;
    Ok(Box::new(BufReader::new(file)))
}

/// A line on standard error. Nothing can be done when that is closed.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
