//! Slow, independent checks for the engine's tests.
//!
//! [`oracle`] plays by the rules as they are written and [`solver`] works out small positions
//! exhaustively; neither shares code with the engine. [`bridge`] brings the two sides together,
//! [`program`] drives the real programs.

pub mod bridge;
pub mod oracle;
pub mod program;
pub mod solver;
