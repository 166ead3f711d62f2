//! Slow, independent checks for the engine's tests.
//!
//! [`oracle`] plays by the rules as they are written, [`solver`] works out small positions
//! exhaustively, and [`images`] knows the symmetries of the board; none of them shares code with the
//! engine. [`bridge`] brings the two sides together, [`program`], [`client`] and [`mod@matches`] drive the
//! real programs, and [`referee`] judges the games they play.

pub mod bridge;
pub mod client;
pub mod images;
pub mod matches;
pub mod oracle;
pub mod program;
pub mod referee;
pub mod solver;
