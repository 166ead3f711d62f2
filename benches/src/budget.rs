//! What a player may spend on a turn.

use std::time::Duration;

use merel_engine::Limits;

/// The end of the search of one turn: the first limit reached. At least one is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Wall time.
    pub time: Option<Duration>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Plies (whole turns).
    pub depth: Option<u32>,
}

impl Budget {
    /// This much wall time.
    #[must_use]
    pub const fn time(time: Duration) -> Self {
        Self { time: Some(time), nodes: None, depth: None }
    }

    /// This many positions.
    #[must_use]
    pub const fn nodes(nodes: u64) -> Self {
        Self { time: None, nodes: Some(nodes), depth: None }
    }

    /// This many plies.
    #[must_use]
    pub const fn depth(depth: u32) -> Self {
        Self { time: None, nodes: None, depth: Some(depth) }
    }

    /// The same for the engine, the time counted from now.
    #[must_use]
    pub fn limits(self) -> Limits {
        Limits { move_time: self.time, nodes: self.nodes, depth: self.depth, ..Limits::default() }
    }
}
