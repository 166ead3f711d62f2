//! The text protocols of Merel, the engine program `merel` that speaks them, and the program
//! `merel-match` that plays matches between engines ([`match_runner`]).
//!
//! [`run`] is that program, and [`converse`] its protocol loop for tests. [`command::parse`] turns a
//! line into a [`command::Command`] and touches nothing else; [`options`] and [`gbgp`] read what
//! commands carry; [`mod@format`] writes what a search tells. [`games`] reads and writes game files.

// Nothing that a peer sends may end the program.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub mod command;
pub mod format;
pub mod games;
pub mod gbgp;
pub mod match_runner;
pub mod options;

mod analyse;
mod board;
mod build_info;
mod input;
mod memory;
mod oneshot;
mod output;
mod program;
mod session;
mod task;
mod text;

pub use program::{converse, run};
