//! What a match has come to so far.

use std::collections::{BTreeMap, BTreeSet};

use merel_engine::Color;
use serde::{Deserialize, Serialize};

use super::ending::Ending;
use super::schedule::{Schedule, Task};
use super::statistics::{Halves, Tally};

/// What went wrong with an engine, by how often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mishaps {
    pub(super) timeouts: u64,
    pub(super) illegal_moves: u64,
    pub(super) stalls: u64,
    pub(super) disconnects: u64,
}

/// Results of all games counted. Games that were interrupted are not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Results {
    /// By pairing, from the view of its first engine.
    pub(super) tallies: Vec<Tally>,
    /// By engine.
    pub(super) mishaps: Vec<Mishaps>,
    /// All games with a smaller number are done.
    done_below: u64,
    /// And these.
    done: BTreeSet<u64>,
    /// The first result of each pair that lacks the other, in half points of the first engine.
    half_pairs: BTreeMap<u64, Halves>,
}

impl Results {
    pub(super) fn new(pairings: usize, engines: usize) -> Self {
        Self {
            tallies: vec![Tally::default(); pairings],
            mishaps: vec![Mishaps::default(); engines],
            ..Self::default()
        }
    }

    /// Games counted.
    pub(super) fn games(&self) -> u64 {
        self.done_below + self.done.len() as u64
    }

    pub(super) fn is_done(&self, id: u64) -> bool {
        id < self.done_below || self.done.contains(&id)
    }

    /// Whether these can be results of such a match.
    pub(super) fn fits(&self, schedule: &Schedule, engines: usize) -> bool {
        let counted: u64 = self.tallies.iter().map(Tally::games).sum();
        self.tallies.len() == schedule.pairings.len()
            && self.mishaps.len() == engines
            && counted == self.games()
            && self.done_below <= schedule.total()
            && self.done.iter().all(|&id| id < schedule.total())
    }

    /// Counts a game.
    pub(super) fn add(
        &mut self,
        schedule: &Schedule,
        task: &Task,
        ending: &Ending,
        has_pairs: bool,
    ) {
        if *ending == Ending::Interrupted || self.is_done(task.id) {
            return;
        }
        let halves = match ending.winner() {
            None => 1,
            Some(winner) if winner == task.first => 2,
            Some(_) => 0,
        };
        if let Some(tally) = self.tallies.get_mut(task.pairing) {
            tally.add_game(halves);
            if has_pairs {
                match self.half_pairs.remove(&schedule.pair(task.id)) {
                    Some(other) => tally.pairs.add([other, halves]),
                    None => {
                        self.half_pairs.insert(schedule.pair(task.id), halves);
                    }
                }
            }
        }
        self.count_mishap(task, ending);
        self.done.insert(task.id);
        while self.done.remove(&self.done_below) {
            self.done_below += 1;
        }
    }

    fn count_mishap(&mut self, task: &Task, ending: &Ending) {
        let [white, black] = task.engines;
        let loser = match ending.winner() {
            Some(Color::White) => black,
            _ => white,
        };
        let Some(mishaps) = self.mishaps.get_mut(loser) else { return };
        match ending {
            Ending::TimeForfeit { .. } => mishaps.timeouts += 1,
            Ending::IllegalMove { .. } => mishaps.illegal_moves += 1,
            Ending::Stall { .. } => mishaps.stalls += 1,
            Ending::Disconnect { .. } => mishaps.disconnects += 1,
            Ending::Normal(_) | Ending::Adjudication { .. } | Ending::Interrupted => {}
        }
    }

    /// The results of an engine against all others.
    pub(super) fn of_engine(&self, schedule: &Schedule, engine: usize) -> Tally {
        schedule.pairings.iter().zip(&self.tallies).fold(Tally::default(), |sum, (&[a, b], t)| {
            if a == engine {
                sum.plus(t)
            } else if b == engine {
                sum.plus(&t.flipped())
            } else {
                sum
            }
        })
    }
}
