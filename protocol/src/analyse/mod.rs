//! `merel analyse`: what each turn of a game was worth, and what would have been better.
//!
//! A value is *exact* when the rules, the tables or a proved win tell it, and else an estimate of
//! the search. [`exact`] finds the first kind, going through the game forwards, since repetition
//! counts; [`analyst`] searches for the second, going backwards, so that what the search has learnt
//! of later positions helps with earlier ones. [`assess`] makes marks and sums of them, [`text`] and
//! [`json`] print.

mod analyst;
mod assess;
mod command;
mod exact;
mod interrupt;
mod json;
mod progress;
mod text;
mod worth;

pub(crate) use command::{AnalyseArguments, run};
