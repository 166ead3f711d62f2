//! What the user sees: lines on standard output, and on a terminal one line that is kept up to
//! date.

use std::io::{self, IsTerminal, Write};

use super::config::Level;
use super::wire::Transcript;

/// The way out for all lines. That nobody reads them must not end a match.
pub(super) struct Printer {
    /// Where all lines are noted as well.
    transcript: Transcript,
    /// Whether there is a line to keep up to date.
    pub(super) is_terminal: bool,
    has_status: bool,
}

impl Printer {
    pub(super) fn new(transcript: Transcript) -> Self {
        let is_terminal = io::stdout().is_terminal() && io::stderr().is_terminal();
        Self { transcript, is_terminal, has_status: false }
    }

    /// Prints a line, or several.
    pub(super) fn line(&mut self, text: &str) {
        self.clear();
        self.transcript.tell(Level::Info, text);
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }

    /// Prints a warning, on standard error.
    pub(super) fn warning(&mut self, text: &str) {
        self.clear();
        self.transcript.tell(Level::Warn, text);
        let _ = writeln!(io::stderr(), "warning: {text}");
    }

    /// Prints what stops the match, on standard error.
    pub(super) fn error(&mut self, text: &str) {
        self.clear();
        self.transcript.tell(Level::Err, text);
        let _ = writeln!(io::stderr(), "error: {text}");
    }

    /// Replaces the line that is kept up to date.
    pub(super) fn status(&mut self, text: &str) {
        if self.is_terminal {
            self.has_status = true;
            let _ = write!(io::stderr(), "\r\x1b[K{text}");
        }
    }

    fn clear(&mut self) {
        if self.has_status {
            self.has_status = false;
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Printer {
    fn drop(&mut self) {
        self.clear();
    }
}
