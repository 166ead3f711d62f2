//! Why a line is not a command.

use std::fmt;

use crate::text::{clip, hint};

/// Why a line is not a command: names the word and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandError {
    kind: Kind,
    message: String,
}

/// What the command would have been, as far as it decides what else follows from the refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Go,
    Position,
    Other,
}

impl CommandError {
    /// Whether it was a `go`, which is owed a `bestmove`.
    #[must_use]
    pub fn is_go(&self) -> bool {
        self.kind == Kind::Go
    }

    /// Whether it was a `position`, after which there is no position.
    #[must_use]
    pub fn is_position(&self) -> bool {
        self.kind == Kind::Position
    }

    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// The same error, of a `go`.
    pub(super) fn of_go(self) -> Self {
        Self { kind: Kind::Go, ..self }
    }

    pub(super) fn unknown(word: &str, near: Option<&str>) -> Self {
        let hint = hint(near);
        Self::new(Kind::Other, format!("unknown command '{}'{hint}; try help", clip(word)))
    }

    pub(super) fn surplus(command: &str, word: &str) -> Self {
        let word = clip(word);
        Self::new(
            Kind::Other,
            format!("unknown command '{command} {word}': '{word}' is too much; try help"),
        )
    }

    pub(super) fn option_name_missing(found: Option<&str>) -> Self {
        let found = found.map_or_else(String::new, |word| format!(", not '{}'", clip(word)));
        Self::new(Kind::Other, format!("setoption needs a name{found}: setoption name N [value V]"))
    }

    pub(super) fn position_kind(found: Option<&str>) -> Self {
        let found = found.map_or_else(String::new, |word| format!(", not '{}'", clip(word)));
        Self::new(
            Kind::Position,
            format!("position needs startpos, fen or pos{found}: position startpos [moves M…]"),
        )
    }

    pub(super) fn position_empty(kind: &str) -> Self {
        Self::new(Kind::Position, format!("nothing follows position {kind}"))
    }

    pub(super) fn position_surplus(word: &str) -> Self {
        Self::new(
            Kind::Position,
            format!("position startpos is followed by moves, not by '{}'", clip(word)),
        )
    }

    pub(super) fn perft_depth_missing(command: &str) -> Self {
        Self::new(Kind::Other, format!("{command} needs a depth: {command} 5 [atomic]"))
    }

    pub(super) fn bad_number(parameter: &str, word: &str, wanted: &str) -> Self {
        Self::new(Kind::Other, format!("{parameter} takes {wanted}, not '{}'", clip(word)))
    }

    pub(super) fn go_value_missing(parameter: &str, wanted: &str) -> Self {
        Self::new(Kind::Go, format!("{wanted} is missing after {parameter}"))
    }

    pub(super) fn go_word(word: &str, near: Option<&str>) -> Self {
        let hint = hint(near);
        let message = format!("go has no parameter '{}'{hint}; help lists them", clip(word));
        Self::new(Kind::Go, message)
    }

    pub(super) fn go_perft_surplus(word: &str) -> Self {
        Self::new(Kind::Go, format!("go perft takes a depth and atomic only, not '{}'", clip(word)))
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CommandError {}
