//! Game files: reading the forms in use, checking each game by the rules, and writing them.
//!
//! [`Reader`] gives the games of a file as [`Record`]s; [`write_merel`], [`write_sanmill`] and
//! [`write_playok`] write one.

mod building;
mod command;
mod error;
mod lexer;
mod notation;
mod reader;
mod record;
mod replay;
mod rules_tag;
mod source;
mod tags;
mod thought;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use command::{GamesArguments, run};
pub use error::{GameError, GameProblem};
pub use reader::{Entry, Reader};
pub use record::{GameResult, Record, RecordedTurn, Termination};
pub use rules_tag::{parse_rules, rules_text};
pub(crate) use source::{Failure, open, tell};
pub use tags::Tags;
pub(crate) use thought::score_text;
pub use thought::{NotAThought, Thought};
pub use write::{Form, NotWritable, write_merel, write_playok, write_sanmill};
