//! How far the work is, on a terminal.

use std::io::{self, IsTerminal, Write};

/// A line on standard error that is kept up to date, if that is a terminal.
pub(super) struct Progress {
    is_terminal: bool,
    is_shown: bool,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { is_terminal: io::stderr().is_terminal(), is_shown: false }
    }

    /// Tells how many positions of a game were looked at, of how many.
    pub(super) fn tell(&mut self, game: usize, done: usize, all: usize) {
        if self.is_terminal {
            self.is_shown = true;
            // Nothing can be done when it is closed.
            let _ = write!(io::stderr(), "\r\x1b[Kgame {game}: position {done} of {all}");
        }
    }

    /// Takes the line away, before something else is printed.
    pub(super) fn clear(&mut self) {
        if self.is_shown {
            self.is_shown = false;
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
