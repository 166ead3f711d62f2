//! Which games a match consists of. Each has a number that tells who plays whom and from where, so
//! that a match goes on from the numbers of the games it has had.

use merel_engine::Color;

use super::config::{Format, MatchConfig};

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    /// Its number, from 0.
    pub(super) id: u64,
    /// Its round, from 0: that is its opening.
    pub(super) round: u64,
    /// Its pairing.
    pub(super) pairing: usize,
    /// White's and Black's engine.
    pub(super) engines: [usize; 2],
    /// The colour of the pairing's first engine.
    pub(super) first: Color,
}

/// All games of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Schedule {
    /// The two engines of each pairing.
    pub(super) pairings: Vec<[usize; 2]>,
    rounds: u64,
    games: u64,
    swap: bool,
    reverse: bool,
}

impl Schedule {
    pub(super) fn new(config: &MatchConfig) -> Self {
        let count = config.engines.len();
        let seeds = match config.format {
            Format::RoundRobin => count,
            Format::Gauntlet { seeds } => seeds.min(count),
        };
        // Seeds do not meet each other.
        let opponents = |first: usize| match config.format {
            Format::RoundRobin => first + 1..count,
            Format::Gauntlet { .. } => seeds..count,
        };
        let pairings = (0..seeds).flat_map(|a| opponents(a).map(move |b| [a, b])).collect();
        Self {
            pairings,
            rounds: config.rounds,
            games: config.games,
            swap: config.swap,
            reverse: config.reverse,
        }
    }

    /// How many games there are.
    pub(super) const fn total(&self) -> u64 {
        (self.rounds * self.games).saturating_mul(self.pairings.len() as u64)
    }

    /// The game with this number.
    pub(super) fn task(&self, id: u64) -> Option<Task> {
        if id >= self.total() {
            return None;
        }
        let (encounter, game) = (id / self.games, id % self.games);
        let pairing = (encounter % self.pairings.len() as u64) as usize;
        let &[a, b] = self.pairings.get(pairing)?;
        let is_exchanged = self.reverse != (self.swap && game == 1);
        Some(Task {
            id,
            round: encounter / self.pairings.len() as u64,
            pairing,
            engines: if is_exchanged { [b, a] } else { [a, b] },
            first: if is_exchanged { Color::Black } else { Color::White },
        })
    }

    /// The number of the pair a game belongs to.
    pub(super) const fn pair(&self, id: u64) -> u64 {
        id / self.games
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn schedule(pairings: Vec<[usize; 2]>, swap: bool, reverse: bool) -> Schedule {
        Schedule { pairings, rounds: 3, games: 2, swap, reverse }
    }

    #[test]
    fn each_pairing_plays_each_opening_with_both_colours() {
        let schedule = schedule(vec![[0, 1], [0, 2], [1, 2]], true, false);
        assert_eq!((schedule.total(), schedule.task(18)), (18, None));
        let mut seen: HashMap<_, u32> = HashMap::new();
        for id in 0..18 {
            let task = schedule.task(id).unwrap();
            assert_eq!(task.id, id);
            *seen.entry((task.round, task.engines)).or_default() += 1;
            let partner = schedule.task(id ^ 1).unwrap();
            assert_eq!((partner.round, partner.pairing), (task.round, task.pairing));
            assert_eq!(schedule.pair(id), schedule.pair(id ^ 1));
            assert_eq!(task.engines[task.first.index()], schedule.pairings[task.pairing][0]);
        }
        assert_eq!(seen.len(), 18);
    }

    #[test]
    fn colours_can_be_kept_or_turned_round() {
        let engines = |swap, reverse| {
            let schedule = schedule(vec![[0, 1]], swap, reverse);
            [0, 1].map(|id| schedule.task(id).unwrap().engines)
        };
        assert_eq!(engines(true, false), [[0, 1], [1, 0]]);
        assert_eq!(engines(false, false), [[0, 1], [0, 1]]);
        assert_eq!(engines(true, true), [[1, 0], [0, 1]]);
        assert_eq!(engines(false, true), [[1, 0], [1, 0]]);
    }
}
