//! Slow, independent checks for the engine's tests.
//!
//! Nothing here shares code with the engine: [`oracle`] plays by the rules as they are written, and
//! [`solver`] works out small positions exhaustively.

pub mod oracle;
pub mod solver;
