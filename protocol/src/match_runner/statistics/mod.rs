//! What the results of a match say about the difference of two engines.
//!
//! The two games of a pair, one opening with colours exchanged, are not independent, so errors come
//! from the spread of pair results (M. Van den Bergh, *Comments on normalized Elo*). Only where a
//! match has no pairs are single games taken.

mod elo;
mod sprt;

pub(super) use elo::number;
pub use elo::{Estimate, Sample};
pub use sprt::{Decision, Model, Sprt};

use serde::{Deserialize, Serialize};

/// What one player made of a game, or both games of a pair, in half points.
pub type Halves = u8;

/// Complete pairs by what their two games were for the first player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pairs {
    /// Both lost.
    pub ll: u64,
    /// One lost, one drawn.
    pub ld: u64,
    /// One won, one lost.
    pub wl: u64,
    /// Both drawn.
    pub dd: u64,
    /// One won, one drawn.
    pub wd: u64,
    /// Both won.
    pub ww: u64,
}

impl Pairs {
    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.ll + self.ld + self.wl + self.dd + self.wd + self.ww
    }

    /// Pairs by points scored: 0, ½, 1, 1½, 2.
    #[must_use]
    pub const fn by_points(&self) -> [u64; 5] {
        [self.ll, self.ld, self.wl + self.dd, self.wd, self.ww]
    }

    /// Adds a pair by the half points of its games.
    pub const fn add(&mut self, games: [Halves; 2]) {
        match games {
            [0, 0] => self.ll += 1,
            [0, 1] | [1, 0] => self.ld += 1,
            [1, 1] => self.dd += 1,
            [1, _] | [_, 1] => self.wd += 1,
            [0, _] | [_, 0] => self.wl += 1,
            _ => self.ww += 1,
        }
    }

    const fn flipped(&self) -> Self {
        Self { ll: self.ww, ld: self.wd, wl: self.wl, dd: self.dd, wd: self.ld, ww: self.ll }
    }
}

/// Results from the view of the first of two players, or of one against all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games lost.
    pub losses: u64,
    /// Games drawn.
    pub draws: u64,
    /// Complete pairs.
    pub pairs: Pairs,
}

impl Tally {
    /// Games counted.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// Adds a game.
    pub const fn add_game(&mut self, halves: Halves) {
        match halves {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// Points of the first player.
    #[must_use]
    pub const fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The same results from the other player's view.
    #[must_use]
    pub const fn flipped(&self) -> Self {
        Self {
            wins: self.losses,
            losses: self.wins,
            draws: self.draws,
            pairs: self.pairs.flipped(),
        }
    }

    /// Both together.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        let (a, b) = (&self.pairs, &other.pairs);
        Self {
            wins: self.wins + other.wins,
            losses: self.losses + other.losses,
            draws: self.draws + other.draws,
            pairs: Pairs {
                ll: a.ll + b.ll,
                ld: a.ld + b.ld,
                wl: a.wl + b.wl,
                dd: a.dd + b.dd,
                wd: a.wd + b.wd,
                ww: a.ww + b.ww,
            },
        }
    }

    /// The numbers that estimates are made of: pairs, or single games.
    #[must_use]
    pub fn sample(&self, pairs: bool) -> Sample {
        if pairs {
            Sample::of_pairs(self.pairs.by_points())
        } else {
            Sample::of_games([self.losses, self.draws, self.wins])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_results_falls_in_its_class_whichever_came_first() {
        let mut pairs = Pairs::default();
        for first in 0..3 {
            for second in 0..3 {
                pairs.add([first, second]);
            }
        }
        assert_eq!(pairs, Pairs { ll: 1, ld: 2, wl: 2, dd: 1, wd: 2, ww: 1 });
        assert_eq!(pairs.by_points(), [1, 2, 3, 2, 1]);
        assert_eq!(pairs.count(), 9);
    }

    #[test]
    fn turning_a_tally_round_twice_changes_nothing() {
        let pairs = Pairs { ll: 1, ld: 2, wl: 3, dd: 4, wd: 5, ww: 6 };
        let tally = Tally { wins: 7, losses: 8, draws: 9, pairs };
        assert_eq!(tally.flipped().flipped(), tally);
        assert_eq!(tally.flipped().points(), tally.games() as f64 - tally.points());
        let both = tally.plus(&tally.flipped());
        assert_eq!((both.wins, both.pairs.by_points()), (15, [7, 7, 14, 7, 7]));
    }
}
