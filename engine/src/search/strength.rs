//! Playing below full strength.
//!
//! A weak player does not calculate far, and judges what he sees inexactly. So a handicapped search
//! gets a small budget of nodes, spends it on all turns alike, and then chooses by the values it
//! found plus an error of judgement, drawn anew for each turn. Errors are of the size of a
//! misjudged position for the better levels, of a stone or more for the lowest.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::ops::RangeInclusive;

use super::report::{BestTurn, Report};
use super::worker::Worker;
use super::{Job, Value};
use crate::position::split_mix;

/// How well to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// As well as possible.
    Full,
    /// A skill level from 0 (beginner) to 20 (full strength).
    Level(u8),
    /// A rating within [`Self::ELO_RANGE`].
    Elo(u32),
}

/// Ratings of some levels, on a scale on which a plain search of four plies by stones and mobility has
/// 1500. From matches of 400 games each, of levels 8, 12 and 16 against that search and of each level
/// against the one before it here (bench `strength`); each difference is known to about 30.
const RATINGS: [(u8, u32); 6] =
    [(0, 930), (4, 1070), (8, 1330), (12, 1570), (16, 1740), (19, 1900)];

impl Strength {
    /// The highest skill level: no handicap.
    pub const MAX_LEVEL: u8 = 20;
    /// The ratings that can be asked for.
    pub const ELO_RANGE: RangeInclusive<u32> = RATINGS[0].1..=RATINGS[RATINGS.len() - 1].1;

    /// The handicap, or `None` at full strength.
    pub(super) fn handicap(self) -> Option<Handicap> {
        let level = match self {
            Self::Full => return None,
            Self::Level(level) if level >= Self::MAX_LEVEL => return None,
            Self::Level(level) => f64::from(level),
            Self::Elo(elo) => level_of(elo),
        };
        Some(Handicap::of_level(level))
    }
}

/// The level with this rating, between the measured ones by a straight line.
fn level_of(elo: u32) -> f64 {
    let elo = f64::from(elo.clamp(*Strength::ELO_RANGE.start(), *Strength::ELO_RANGE.end()));
    let points = RATINGS.map(|(level, elo)| (f64::from(level), f64::from(elo)));
    let mut level = points[0].0;
    for pair in points.windows(2) {
        let [(low, low_elo), (high, high_elo)] = [pair[0], pair[1]];
        if elo >= low_elo {
            level = low + (high - low) * ((elo - low_elo) / (high_elo - low_elo)).min(1.0);
        }
    }
    level
}

/// What makes a search weak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Handicap {
    nodes: u64,
    /// Standard deviation of the error of judgement, in the engine's units.
    error: f64,
}

impl Handicap {
    fn of_level(level: f64) -> Self {
        let missing = f64::from(Strength::MAX_LEVEL) - level;
        Self { nodes: (60.0 * 1.5_f64.powf(level)) as u64, error: 0.35 * missing * missing }
    }
}

impl Worker {
    /// Searches with a handicap and chooses as a weaker player would.
    pub(super) fn search_weakly(
        &mut self,
        job: &Job,
        handicap: Handicap,
        report: &mut dyn FnMut(Report),
    ) -> BestTurn {
        let mut limits = job.limits.clone();
        limits.nodes = Some(limits.nodes.unwrap_or(u64::MAX).min(handicap.nodes));
        limits.mate = None;
        let mut options = job.options;
        options.multi_pv = usize::MAX;
        let weak = Job {
            position: job.position,
            keys: job.keys.clone(),
            limits,
            options,
            table: std::sync::Arc::clone(&job.table),
            tables: std::sync::Arc::clone(&job.tables),
            forget: job.forget,
        };
        self.search(&weak, &mut |_| ());

        // Different every time, as people are.
        let mut state = RandomState::new().hash_one(job.position.key());
        let mut error = || {
            // The sum of twelve uniform numbers less six is close to a normal one.
            let sum: f64 = (0..12)
                .map(|_| {
                    let random;
                    (state, random) = split_mix(state);
                    random as f64 / u64::MAX as f64
                })
                .sum();
            (handicap.error * (sum - 6.0)) as Value
        };
        let chosen = self
            .root_turns
            .iter()
            .enumerate()
            .max_by_key(|(_, root)| self.known_value(&job.position, root) + error())
            .map_or(0, |(i, _)| i);
        let root = &self.root_turns[chosen];
        report(Report::Info(self.info(job, root, 1)));
        root.result()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_map_to_levels_in_order_and_to_their_ends() {
        let range = Strength::ELO_RANGE;
        assert!(level_of(*range.start()).abs() < 1e-9);
        assert!((level_of(*range.end()) - f64::from(RATINGS[RATINGS.len() - 1].0)).abs() < 1e-9);
        let levels: Vec<f64> = range.map(level_of).collect();
        assert!(levels.is_sorted());
    }

    #[test]
    fn the_highest_level_has_no_handicap() {
        assert_eq!(Strength::Level(20).handicap(), None);
        assert!(Strength::Level(19).handicap().is_some());
    }
}
