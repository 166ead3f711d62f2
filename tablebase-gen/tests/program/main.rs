//! The program `tablebase-gen` as its users run it.

mod commands;
mod failures;
mod interruptions;
mod placing;
mod support;
mod tables;
