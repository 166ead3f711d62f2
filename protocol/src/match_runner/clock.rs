//! The clock of one player, and what it is told of the time.

use std::fmt::Write;
use std::time::Duration;

use merel_engine::Color;

use super::time_control::{Limits, TimeControl};

/// What is left to a player.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    limits: Limits,
    remaining: Duration,
    turns_to_go: Option<u32>,
}

impl Clock {
    pub(super) fn new(limits: Limits) -> Self {
        let base = limits.clock.map_or(0, |c| c.base_ms);
        Self {
            limits,
            remaining: Duration::from_millis(base),
            turns_to_go: limits.clock.and_then(|c| c.moves),
        }
    }

    /// How long the next answer may take, without the margin; `None` when nothing limits it.
    pub(super) fn budget(&self) -> Option<Duration> {
        self.limits
            .move_ms
            .map(Duration::from_millis)
            .or_else(|| self.limits.clock.map(|_| self.remaining))
    }

    /// What is left on a clock; `None` without one.
    pub(super) fn remaining(&self) -> Option<Duration> {
        self.limits.clock.map(|_| self.remaining)
    }

    /// How late an answer may come.
    pub(super) const fn margin(&self) -> Duration {
        Duration::from_millis(self.limits.margin_ms)
    }

    /// Takes off the time of an answer.
    pub(super) fn spend(&mut self, time: Duration) {
        self.remaining = self.remaining.saturating_sub(time);
    }

    /// Adds what a finished turn earns.
    pub(super) fn end_turn(&mut self) {
        let Some(TimeControl { moves, base_ms, increment_ms }) = self.limits.clock else { return };
        self.remaining += Duration::from_millis(increment_ms);
        if let Some(left) = &mut self.turns_to_go {
            *left = left.saturating_sub(1);
            if *left == 0 {
                *left = moves.unwrap_or(1);
                self.remaining += Duration::from_millis(base_ms);
            }
        }
    }
}

/// The `go` for the side to move.
pub(super) fn go(clocks: &[Clock; 2], to_move: Color) -> String {
    let [white, black] = clocks;
    let own = if to_move == Color::White { white } else { black };
    let mut line = String::from("go");
    let mut add = |word: &str, value: u128| {
        // Writing to a string cannot fail.
        let _ = write!(line, " {word} {value}");
    };
    if own.limits.clock.is_some() {
        for (clock, word) in [(white, "wtime"), (black, "btime")] {
            if clock.limits.clock.is_some() {
                add(word, clock.remaining.as_millis());
            }
        }
        for (clock, word) in [(white, "winc"), (black, "binc")] {
            if let Some(control) = clock.limits.clock
                && control.increment_ms > 0
            {
                add(word, control.increment_ms.into());
            }
        }
        if let Some(turns) = own.turns_to_go {
            add("movestogo", turns.into());
        }
    }
    if let Some(ms) = own.limits.move_ms {
        add("movetime", ms.into());
    }
    if let Some(nodes) = own.limits.nodes {
        add("nodes", nodes.into());
    }
    if let Some(depth) = own.limits.depth {
        add("depth", depth.into());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::match_runner::time_control::parse_time_control;

    fn clock(text: &str) -> Clock {
        Clock::new(Limits { clock: Some(parse_time_control(text).unwrap()), ..Limits::default() })
    }

    #[test]
    fn time_runs_down_and_comes_back_by_turns_and_periods() {
        let mut clock = clock("2/1+0.1");
        clock.spend(Duration::from_millis(300));
        clock.end_turn();
        assert_eq!(clock.budget(), Some(Duration::from_millis(800)));
        assert_eq!(clock.turns_to_go, Some(1));
        clock.spend(Duration::from_millis(900));
        clock.end_turn();
        assert_eq!(clock.budget(), Some(Duration::from_millis(1100)));
        assert_eq!(clock.turns_to_go, Some(2));
    }

    #[test]
    fn each_limit_has_its_words() {
        let timed = clock("40/60+0.5");
        let nodes = Clock::new(Limits { nodes: Some(500), depth: Some(9), ..Limits::default() });
        let fixed = Clock::new(Limits { move_ms: Some(50), ..Limits::default() });
        let plain = clock("5");
        assert_eq!(
            go(&[timed, plain], Color::White),
            "go wtime 60000 btime 5000 winc 500 movestogo 40"
        );
        assert_eq!(go(&[timed, plain], Color::Black), "go wtime 60000 btime 5000 winc 500");
        assert_eq!(go(&[timed, nodes], Color::Black), "go nodes 500 depth 9");
        assert_eq!(go(&[timed, nodes], Color::White), "go wtime 60000 winc 500 movestogo 40");
        assert_eq!(go(&[fixed, nodes], Color::White), "go movetime 50");
        assert_eq!((nodes.budget(), fixed.budget()), (None, Some(Duration::from_millis(50))));
    }
}
