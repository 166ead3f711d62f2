//! What a search is asked to do, and when it has to end.

use std::time::{Duration, Instant};

use crate::types::Turn;

/// The clock of the side to move in a timed game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Added after each of its turns.
    pub increment: Duration,
    /// Turns to the next time control, or `None` when the time is for the rest of the game.
    pub turns_to_go: Option<u32>,
}

/// The limits of one search. All that are set hold together; the first one reached ends it. With
/// none set the search goes on until it is stopped.
#[derive(Clone, Debug)]
pub struct Limits {
    /// When the request came in: clocks run from here.
    pub start: Instant,
    /// Plies (whole turns).
    pub depth: Option<u32>,
    /// Nodes, over all threads; exact with one.
    pub nodes: Option<u64>,
    /// Time for this turn.
    pub move_time: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// Ends once a win in at most this many own turns is proved.
    pub mate: Option<u32>,
    /// No result before it is stopped, whatever is known.
    pub infinite: bool,
    /// As `infinite` until [`super::Engine::ponder_hit`]; then the other limits hold, with the
    /// time counted from there.
    pub ponder: bool,
    /// Only these turns are considered at the root; all when empty.
    pub search_turns: Vec<Turn>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            depth: None,
            nodes: None,
            move_time: None,
            clock: None,
            mate: None,
            infinite: false,
            ponder: false,
            search_turns: Vec::new(),
        }
    }
}
