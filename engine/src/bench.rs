//! A fixed amount of searching, for speed and as a signature of the search's behaviour.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::game::Game;
use crate::position::Position;
use crate::rules::{DoubleMill, Rules};
use crate::search::{Engine, Limits, Report, SearchOptions};

/// Positions of all phases, under one-capture rules and, where marked, two captures.
pub const POSITIONS: [(&str, DoubleMill); 12] = [
    ("********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes", DoubleMill::One),
    ("****O***/****@***/*O****@* w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes", DoubleMill::Two),
    ("O***@***/O*@*O*@*/@*O*@*O* w p p 5 4 5 4 0 0 -1 -1 -1 -1 0 0 6 ids:nodes", DoubleMill::One),
    ("OO@@@**O/O*O***O@/@O****O@ b p p 8 1 6 2 0 0 -1 -1 -1 -1 0 0 8 ids:nodes", DoubleMill::One),
    ("O*@*@*@*/O*******/*O*****O w p p 4 5 3 6 0 0 -1 -1 -1 -1 0 0 5 ids:nodes", DoubleMill::Two),
    ("O*O*@@**/O@@OO@@O/@@O*@*OO w m s 9 0 9 0 0 0 -1 -1 -1 -1 0 0 10 ids:nodes", DoubleMill::One),
    ("***O****/OO@*@*@@/@OOO@*O* w m s 7 0 6 0 0 0 -1 -1 -1 -1 0 0 15 ids:nodes", DoubleMill::One),
    ("***@*OO*/*O*@*@*O/O****O*@ w m s 6 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes", DoubleMill::One),
    ("O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes", DoubleMill::One),
    ("**O***@*/**O*@***/@**@*O** w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes", DoubleMill::One),
    ("********/@******@/OO*****O w p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 3 ids:nodes", DoubleMill::One),
    ("*OO*@O@*/*@*@*O*O/@*O***@* b m s 6 0 6 0 0 0 -1 -1 -1 -1 0 0 25 ids:nodes", DoubleMill::One),
];

/// How deep each position is searched, in plies.
const DEPTH: u32 = 11;

/// What a run took.
#[derive(Clone, Copy, Debug)]
pub struct BenchResult {
    /// Positions visited: the same number on every machine for the same version.
    pub nodes: u64,
    /// Wall time.
    pub elapsed: Duration,
}

/// Searches every bench position with one thread and an empty table of 16 MiB each. After each
/// one `report` gets its number, from 1, and its nodes; it returns whether to go on.
pub fn run(report: &mut dyn FnMut(usize, u64) -> bool) -> BenchResult {
    let mut engine = Engine::new();
    let start = Instant::now();
    let mut total = 0;
    for (i, (fen, double_mill)) in POSITIONS.iter().enumerate() {
        let rules = Rules { double_mill: *double_mill, ..Rules::default() };
        let Ok(position) = Position::from_fen(fen, rules) else { continue };
        engine.clear_hash();
        let (sender, reports) = mpsc::channel();
        let limits = Limits { depth: Some(DEPTH), ..Limits::default() };
        engine.start(&Game::new(position), limits, SearchOptions::default(), move |report| {
            // The receiver lives until the last report.
            let _ = sender.send(report);
        });
        let mut nodes = 0;
        for report in reports {
            if let Report::Info(info) = report {
                nodes = info.nodes;
            }
        }
        total += nodes;
        if !report(i + 1, nodes) {
            break;
        }
    }
    BenchResult { nodes: total, elapsed: start.elapsed() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bench_position_can_be_read() {
        for (fen, double_mill) in POSITIONS {
            let rules = Rules { double_mill, ..Rules::default() };
            let position = Position::from_fen(fen, rules).unwrap_or_else(|e| panic!("{fen}: {e}"));
            assert_eq!(position.fen(), fen);
            assert_eq!(position.outcome(), None, "{fen}");
        }
    }
}
