//! The match runner: engine against engine, with the flags, the report and the manners of
//! fastchess.
//!
//! `arguments` makes a `config` of the command line. `tournament` takes the games of a `schedule`
//! to as many `worker`s as play at a time, each of which leads `game`s between two engines at the
//! other end of a `wire`, and keeps results, game file and autosave in step.

pub mod arguments;
pub mod config;
pub mod statistics;
pub mod time_control;

mod adjudication;
mod affinity;
mod breach;
mod clock;
mod compliance;
mod endgame;
mod ending;
mod game;
mod latency;
mod opening;
mod pgn;
mod printer;
mod report;
mod results;
mod save;
mod schedule;
mod tournament;
mod wire;
mod worker;

use std::ffi::OsString;
use std::process::ExitCode;

use arguments::{Changes, Request};
use save::Saved;

/// Runs the match runner with these arguments, the first being the program's name.
///
/// The exit code is 0 when the match was played to its end, 1 when an engine stopped it, 2 for
/// arguments or files that are refused, 130 when it was interrupted.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let request = match arguments::read(arguments) {
        Ok(request) => request,
        Err(code) => return code,
    };
    let done = match request {
        Request::Match(config) => tournament::play(*config),
        Request::Resume { file, changes, keeps_results } => {
            Saved::read(&file).and_then(|mut saved| {
                saved.config.save = file;
                changes.apply(&mut saved);
                if keeps_results {
                    tournament::go_on(saved)
                } else {
                    tournament::play(saved.config)
                }
            })
        }
        Request::Compliance(engine, patience) => Ok(compliance::check(&engine, patience)),
    };
    done.unwrap_or_else(|reason| {
        eprintln!("error: {reason}");
        ExitCode::from(2)
    })
}

impl Changes {
    fn apply(&self, saved: &mut Saved) {
        let config = &mut saved.config;
        config.recover |= self.recover;
        config.concurrency = self.concurrency.unwrap_or(config.concurrency);
        config.rounds = self.rounds.unwrap_or(config.rounds);
        config.rating_interval = self.rating_interval.unwrap_or(config.rating_interval);
        config.score_interval = self.score_interval.unwrap_or(config.score_interval);
    }
}
