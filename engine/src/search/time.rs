//! How long to think.

use std::time::{Duration, Instant};

use super::limits::{Clock, Limits};

/// When a search ends by time.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeManager {
    start: Instant,
    /// No new iteration after this long.
    soft: Option<Duration>,
    /// Ends at once after this long.
    hard: Option<Duration>,
}

/// Turns that a game is assumed to go on for when the time is for the rest of it.
const TURNS_LEFT: u32 = 30;

/// Of a time for one turn no more is kept back than the one in so many: the rest is for thinking,
/// however short it is.
const KEPT_BACK: u32 = 5;

impl TimeManager {
    pub(super) fn new(limits: &Limits, overhead: Duration) -> Self {
        let clock = limits.clock.map(|clock| allotment(clock, overhead));
        let fixed = limits.move_time.map(|time| time - overhead.min(time / KEPT_BACK));
        let hard = [fixed, clock.map(|(_, hard)| hard)].into_iter().flatten().min();
        Self { start: limits.start, soft: clock.map(|(soft, _)| soft), hard }
    }

    /// Counts the time from now on: the opponent has just made the turn that was pondered on.
    pub(super) fn restart(&mut self, at: Instant) {
        self.start = at;
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether the time is used up.
    pub(super) fn is_over(&self) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Whether to start no further iteration. `effort` scales the time meant for the turn: more
    /// while the best turn keeps changing, less once it is settled.
    pub(super) fn is_enough(&self, effort: f64) -> bool {
        self.soft.is_some_and(|soft| self.elapsed() >= soft.mul_f64(effort))
    }

    /// Whether any time limit is set, so that it pays to answer early.
    pub(super) fn is_timed(&self) -> bool {
        self.hard.is_some()
    }
}

/// The time meant for a turn, and the most it may take.
fn allotment(clock: Clock, overhead: Duration) -> (Duration, Duration) {
    let usable = clock.remaining.saturating_sub(overhead);
    let turns = clock.turns_to_go.unwrap_or(TURNS_LEFT).clamp(1, TURNS_LEFT);
    // The increment comes only after the turn, so it is spent a little late.
    let meant = usable / turns + clock.increment.mul_f64(0.7);
    // With a single turn to go nearly all may be used; otherwise enough is kept for the others.
    let share = if turns == 1 { 0.9 } else { 0.4 };
    let most = usable.mul_f64(share);
    (meant.mul_f64(0.6).min(most), meant.mul_f64(3.0).min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(remaining: u64, increment: u64, turns_to_go: Option<u32>) -> Clock {
        Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            turns_to_go,
        }
    }

    #[test]
    fn a_game_played_to_the_limit_every_turn_never_runs_out_of_time() {
        let overhead = Duration::from_millis(10);
        for (base, increment, period) in [(100, 10, None), (100, 0, None), (1000, 0, Some(40))] {
            let mut remaining = Duration::from_millis(base);
            for turn in 0..200 {
                let to_go = period.map(|p| p - turn % p);
                let mut clock = clock(0, increment, to_go);
                clock.remaining = remaining;
                let (soft, hard) = allotment(clock, overhead);
                assert!(soft <= hard && hard < remaining, "{turn}: {hard:?} of {remaining:?}");
                remaining = remaining - hard + clock.increment;
                if to_go == Some(1) {
                    remaining += Duration::from_millis(base);
                }
            }
        }
    }

    #[test]
    fn of_a_time_for_one_turn_little_is_kept_back() {
        let hard = |ms| {
            let time = Some(Duration::from_millis(ms));
            let limits = Limits { move_time: time, ..Limits::default() };
            TimeManager::new(&limits, Duration::from_millis(10)).hard
        };
        for (given, used) in [(0, 0), (5, 4), (50, 40), (100, 90), (5000, 4990)] {
            assert_eq!(hard(given), Some(Duration::from_millis(used)));
        }
    }

    #[test]
    fn no_time_left_asks_for_an_answer_at_once() {
        let (soft, hard) = allotment(clock(0, 0, None), Duration::from_millis(10));
        assert_eq!((soft, hard), (Duration::ZERO, Duration::ZERO));
    }
}
