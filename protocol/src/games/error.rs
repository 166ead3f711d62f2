//! What is wrong with a game.

use std::fmt;

use merel_engine::{Color, FenError, TurnError};

use super::record::GameResult;
use crate::text::clip;

/// The first thing that is wrong with a game in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct GameError {
    /// Number of the game in the file, from 1.
    pub game: usize,
    /// Line of the file, from 1.
    pub line: usize,
    /// The text at fault, where there is one.
    pub token: Option<String>,
    /// What is wrong with it.
    pub problem: GameProblem,
}

/// `game 2, line 14, 'd6xa1': turn 9 of White: …`
impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}, line {}", self.game, self.line)?;
        if let Some(token) = &self.token {
            write!(f, ", '{}'", clip(token))?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for GameError {}

/// Why a game is refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GameProblem {
    /// A `[` that begins no tag `[Name "value"]`.
    NotATag,
    /// The game is another than Nine Men's Morris.
    OtherVariant,
    /// The tag `Rules` names no rules.
    Rules(String),
    /// The tag `Result` is none.
    NotAResult,
    /// The set-up is refused.
    Fen(FenError),
    /// A word that is no part of a game.
    NotATurn,
    /// A pass: no turn may be left out.
    Pass,
    /// A turn that is not legal.
    Turn {
        /// Move number: 1 for the first turn of each side, or that of the set-up.
        number: usize,
        /// Whose turn it is.
        side: Color,
        /// Why it is not legal.
        reason: TurnError,
        /// Legal turns near it, in the notation of the game, and how many more there are.
        expected: (Vec<String>, usize),
    },
    /// One capture is written where the double mill earned two.
    SecondCaptureMissing {
        /// Legal whole turns with the captures written, and how many more there are.
        expected: (Vec<String>, usize),
    },
    /// Points by letters and points by numbers in one game.
    MixedNotations,
    /// The move number does not fit the number of turns before it.
    MoveNumber {
        /// How many turns came before.
        turns: usize,
    },
    /// The result at the end is not that of the tag.
    ResultsDiffer {
        /// What the tag says.
        tag: GameResult,
    },
    /// The result is not what the board shows.
    ResultContradicts {
        /// The result and its reason by the board.
        board: String,
    },
    /// A result without a game before it.
    StrayResult,
    /// A comment or a variation without end.
    Unclosed(&'static str),
    /// Something is longer than a reader keeps; the second is the limit, with its unit.
    TooLong(&'static str, &'static str),
}

impl fmt::Display for GameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATag => f.write_str("not a tag; expected [Name \"value\"]"),
            Self::OtherVariant => {
                f.write_str("this variant is not read; expected Nine Men's Morris")
            }
            Self::Rules(reason) => write!(f, "tag Rules: {reason}"),
            Self::NotAResult => f.write_str("not a result; expected 1-0, 0-1, 1/2-1/2 or *"),
            Self::Fen(error) => write!(f, "tag FEN: {error}"),
            Self::NotATurn => f.write_str(
                "not a turn; expected points a7 or 1 to 24, as in a7, a7-a4, a7-a4xb6 or 1-10x4",
            ),
            Self::Pass => f.write_str("a pass; a player who can move has to, expected a turn"),
            Self::Turn { number, side, reason, expected } => {
                write!(f, "turn {number} of {side}: {reason}")?;
                write_expected(f, expected)
            }
            Self::SecondCaptureMissing { expected } => {
                f.write_str("one capture for a double mill, but option DoubleMill is two")?;
                write_expected(f, expected)
            }
            Self::MixedNotations => {
                f.write_str("points by letters and by numbers in one game; expected one of them")
            }
            Self::MoveNumber { turns } => write!(
                f,
                "the move number does not fit the {turns} turns before it; one is missing or too \
                 many"
            ),
            Self::ResultsDiffer { tag } => write!(f, "the tag Result says {tag}"),
            Self::ResultContradicts { board } => write!(f, "the board shows {board}"),
            Self::StrayResult => f.write_str("a result without a game"),
            Self::Unclosed(what) => write!(f, "the {what} has no end"),
            Self::TooLong(what, limit) => write!(f, "{what} is too long; the limit is {limit}"),
        }
    }
}

fn write_expected(f: &mut fmt::Formatter<'_>, (turns, more): &(Vec<String>, usize)) -> fmt::Result {
    match turns.as_slice() {
        [] => Ok(()),
        [turn] => write!(f, "; expected {turn}"),
        turns => {
            write!(f, "; expected one of {}", turns.join(", "))?;
            if *more > 0 { write!(f, " and {more} more") } else { Ok(()) }
        }
    }
}
