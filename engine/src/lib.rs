//! Nine Men's Morris: the rules, their notation, and an engine that plays it.
//!
//! A [`Position`] is what the board, the hands and the turn show under given [`Rules`]; a [`Game`]
//! adds the history that repetition needs. A [`Turn`] is one action with its captures.
//!
//! ```
//! use merel_engine::{Game, Rules};
//!
//! let mut game = Game::start(Rules::default());
//! for turn in ["a7", "b6", "d7", "d6", "g7xb6"] {
//!     game.play_text(turn)?;
//! }
//! assert_eq!(game.position().hand(merel_engine::Color::Black), 7);
//! assert_eq!(game.position().legal_turns().len(), 20);
//! # Ok::<(), merel_engine::TurnError>(())
//! ```

pub mod bench;
pub mod eval;
pub mod perft;
pub mod tablebase;

mod actions;
mod game;
mod movegen;
mod notation;
mod position;
#[cfg(test)]
mod random_play;
mod rules;
mod score;
mod search;
mod table;
mod types;

pub use game::Game;
pub use movegen::{MAX_TURNS, TurnList};
pub use notation::{TurnError, parse_turn, parse_turn_by};
pub use position::{DrawReason, FenError, Field, Outcome, Position, Problem, Setup, WinReason};
pub use rules::{AllInMills, DoubleMill, Preset, Repetition, Rules};
pub use score::Score;
pub use search::{BestTurn, Bound, Clock, Engine, Info, Limits, Report, SearchOptions, Strength};
pub use table::HashError;
pub use types::{Action, Bitboard, Color, NotAPoint, Point, Points, Symmetry, Turn};
