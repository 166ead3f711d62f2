//! What the measurements share.

pub mod budget;
pub mod matches;
pub mod opening_set;
pub mod openings;
pub mod plain;
pub mod rng;
pub mod statistics;
pub mod tuning;

use std::sync::mpsc;

use merel_engine::{BestTurn, Engine, Game, Info, Limits, Report, SearchOptions};

/// Searches and waits for the result: the last line of the first rank, and the turn chosen.
pub fn search(
    engine: &mut Engine,
    game: &Game,
    limits: Limits,
    options: SearchOptions,
) -> (Option<Info>, Option<BestTurn>) {
    let mut last = None;
    let best = search_telling(engine, game, limits, options, |info| last = Some(info));
    (last, best)
}

/// As [`search`], and tells every line of the first rank.
pub fn search_telling(
    engine: &mut Engine,
    game: &Game,
    limits: Limits,
    options: SearchOptions,
    mut tell: impl FnMut(Info),
) -> Option<BestTurn> {
    let (sender, reports) = mpsc::channel();
    engine.start(game, limits, options, move |report| {
        // The receiver lives until the last report.
        let _ = sender.send(report);
    });
    let mut best = None;
    for report in reports {
        match report {
            Report::Info(info) if info.multi_pv == 1 => tell(info),
            Report::Info(_) => {}
            Report::Done(result) => best = Some(result),
        }
    }
    best
}
