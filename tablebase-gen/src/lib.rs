//! Endgame tables for Nine Men's Morris by retrograde analysis.
//!
//! The program `tablebase-gen` is a thin shell around [`run`].

mod cli;
pub mod encode;
mod failure;
mod folder;
mod generate;
mod interrupt;
pub mod memory;
mod need;
mod placing;
mod plan;
mod pool;
mod probe;
mod program;
mod progress;
mod scratch;
mod size;
pub mod solve;
mod statistics;
mod stats;
mod usage;
mod verify;

pub use program::run;
