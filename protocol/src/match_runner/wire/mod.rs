//! Engines at the other end of pipes.

mod answer;
mod dialect;
mod player;
mod process;
mod transcript;

pub(super) use answer::{Answer, Score};
pub(super) use dialect::{Announced, Dialect};
pub(super) use player::{Failure, FailureKind, Identity, Player, StartError, Thought};
pub(super) use process::{Child, Heard};
pub(super) use transcript::Transcript;
