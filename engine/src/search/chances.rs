//! Which of several turns of the same value asks most of an opponent who can err.
//!
//! Against a faultless opponent all of them are equal. One who does not see everything is taken to
//! judge his replies as a shallow search without tables does, and to play a reply the more readily
//! the better it looks there. The chance of a turn is then how likely he is to play a reply that
//! gives something away: a reply that looks good and loses is a trap, one that a look ahead refutes
//! is not. Searches of several depths stand for opponents of several strengths.
//!
//! Between turns that set no trap, or the same, the one counts that looks better to the search
//! itself: a good position is where traps are to come.

use super::Value;
use super::ordering::STONE;
use super::worker::Worker;
use crate::position::Position;
use crate::score::INFINITE;
use crate::tablebase::{self, Tables};
use crate::types::Turn;

/// The depths of the searches by which replies are judged.
const DEPTHS: std::ops::RangeInclusive<i32> = 0..=3;
/// A reply that looks worse by this much is played half as often.
const HALVES: Value = STONE / 3;
/// What a certain error is worth.
const CERTAIN: i64 = 1 << 16;
/// How much it counts against an error, in [`CERTAIN`], that a turn looks better by one unit of value.
const LOOKS: i64 = CERTAIN / (40 * STONE as i64);

/// A turn and the replies to it.
struct Candidate {
    turn: Turn,
    next: Position,
    /// The replies, each with whether it gives something away.
    replies: Vec<(Turn, bool)>,
    chance: i64,
}

impl Worker {
    /// The chances of turns whose value for us is `value`, larger being better. Fewer depths are
    /// looked at when the time or the nodes come to their end; without any, all chances are equal.
    pub(super) fn chances(
        &mut self,
        position: &Position,
        turns: &[Turn],
        value: tablebase::Value,
        tables: &Tables,
        deepest: i32,
    ) -> Vec<(Turn, i64)> {
        let mut candidates = Vec::with_capacity(turns.len());
        for &turn in turns {
            let next = position.after(turn);
            let mut replies = Vec::new();
            for reply in next.legal_turns() {
                if !self.has_time() {
                    return turns.iter().map(|&turn| (turn, 0)).collect();
                }
                let found = tables.wdl_while(&next.after(reply), &|| self.has_time());
                let errs = found.is_some_and(|found| found > value);
                replies.push((reply, errs));
            }
            candidates.push(Candidate { turn, next, replies, chance: 0 });
        }
        // What the search finds has to be what somebody without tables finds.
        let endgame = self.endgame.set_aside();
        for depth in DEPTHS.take_while(|&depth| depth <= deepest) {
            let mut chances = Vec::with_capacity(candidates.len());
            for candidate in &candidates {
                let Some(chance) = self.chance(position, candidate, depth) else { break };
                chances.push(chance);
            }
            // Only depths at which all were looked at say which is better.
            if chances.len() < candidates.len() {
                break;
            }
            for (candidate, chance) in candidates.iter_mut().zip(chances) {
                candidate.chance += chance;
            }
        }
        self.endgame = endgame;
        candidates.into_iter().map(|c| (c.turn, c.chance)).collect()
    }

    /// The chance of one turn against an opponent who looks `depth` plies beyond his reply; `None`
    /// when there was no time for it.
    fn chance(&mut self, position: &Position, candidate: &Candidate, depth: i32) -> Option<i64> {
        let mut next = *position;
        self.push(&mut next, candidate.turn, 0);
        let mut looks = Vec::with_capacity(candidate.replies.len());
        for &(reply, _) in &candidate.replies {
            let mut after = candidate.next;
            self.push(&mut after, reply, 1);
            looks.push(-self.search_to::<false>(&after, -INFINITE, INFINITE, depth, 2, false));
            self.pop();
            if self.stopped {
                break;
            }
        }
        self.pop();
        if self.stopped {
            return None;
        }
        let best = looks.iter().copied().max()?;
        let weights: Vec<i64> = looks.iter().map(|&look| weight(best - look)).collect();
        let all: i64 = weights.iter().sum();
        let errs = candidate.replies.iter().zip(&weights).filter(|((_, errs), _)| *errs);
        let errors: i64 = errs.map(|(_, weight)| weight).sum();
        // Beyond some stones it does not matter how much better a position looks.
        let looks = i64::from((-best).clamp(-6 * STONE, 6 * STONE));
        Some(errors * CERTAIN / all.max(1) + looks * LOOKS)
    }
}

/// How readily a reply is played that looks worse than the best by `by`: half as readily for each
/// [`HALVES`], in a straight line between them.
const fn weight(by: Value) -> i64 {
    const MOST: i64 = 1 << 20;
    let halvings = by / HALVES;
    if halvings >= 20 {
        return 0;
    }
    let within = (by % HALVES) as i64;
    (MOST - MOST / 2 * within / HALVES as i64) >> halvings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_worse_is_played_less() {
        assert_eq!(weight(0), 1 << 20);
        assert_eq!(weight(HALVES), 1 << 19);
        assert_eq!(weight(2 * INFINITE), 0);
        assert!((0..400).all(|by| weight(by) >= weight(by + 1)));
    }
}
