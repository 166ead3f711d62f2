//! What a search tells while it runs and at its end.

use std::time::Duration;

use super::node::PROVED_PLIES;
use crate::score::Score;
use crate::types::Turn;

/// Whether a score is exact or only known to lie on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The score itself.
    Exact,
    /// At least this.
    Lower,
    /// At most this.
    Upper,
}

/// The state of a search after an iteration (or a part of one that changed its result).
#[derive(Clone, Debug)]
pub struct Info {
    /// Plies (whole turns) searched in full width before reductions.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub selective_depth: u32,
    /// Rank of this line, from 1.
    pub multi_pv: usize,
    /// From the view of the side to move at the root.
    pub score: Score,
    /// What the score is known to be.
    pub bound: Bound,
    /// Chances of the side to move per mille: win, draw, loss; they sum to 1000.
    pub wdl: [u32; 3],
    /// Positions visited by all threads.
    pub nodes: u64,
    /// Since the request.
    pub time: Duration,
    /// How full the transposition table is, per mille.
    pub hash_full: u32,
    /// Positions found in endgame tables.
    pub table_hits: u64,
    /// The line: legal to its end, never empty, never beyond the end of the game.
    pub pv: Vec<Turn>,
}

impl Info {
    /// Whether a win or loss has the very length that the score tells, by this search alone: the
    /// winner has no shorter way and the loser no longer one. Without that, it is over after at
    /// most so many plies.
    #[must_use]
    pub fn has_exact_length(&self) -> bool {
        match self.score {
            Score::WinIn(plies) | Score::LossIn(plies) => {
                plies <= self.depth && plies <= PROVED_PLIES as u32
            }
            Score::Cp(_) => false,
        }
    }
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestTurn {
    /// The turn to play.
    pub best: Turn,
    /// The reply to expect, when one is known.
    pub ponder: Option<Turn>,
}

/// A message from a running search.
#[derive(Clone, Debug)]
pub enum Report {
    /// Progress; at least one comes before the result.
    Info(Info),
    /// The result; exactly one comes, as the last message.
    Done(BestTurn),
}
