//! Turns that capture, best first.

use arrayvec::ArrayVec;

use super::ranks::{Ranks, SPARE};
use crate::actions::Actions;
use crate::position::Position;
use crate::rules::DoubleMill;
use crate::types::{Bitboard, Point, Turn};

/// The capturing turns of a node, given out by what they capture: the best captures with every
/// action that earns them, then the next. So only captures are weighed, not every turn.
pub(super) struct Captures {
    /// What closes a mill, as the bits of the turn; 0 where captures are due already.
    closers: ArrayVec<u32, MOST_CLOSERS>,
    /// What is captured: its value, and the bits of the turn.
    takes: Ranks<{ MOST_TAKES + SPARE }>,
    /// The captures given out now, and how many of the closers have gone with them.
    take: u32,
    given: usize,
}

/// At most a slide for each edge, fewer placements, or flights of three stones to 21 points each.
const MOST_CLOSERS: usize = 64;
/// At most two of nine stones, one after the other.
const MOST_TAKES: usize = 72;
/// How many bits of a turn hold its captures, above those of the action.
const TAKE_BITS: u32 = Turn::BITS - Turn::ACTION_BITS;

impl Captures {
    #[inline]
    pub(super) fn new() -> Self {
        Self { closers: ArrayVec::new(), takes: Ranks::new(), take: 0, given: 0 }
    }

    /// The next of the turns that close a mill by one of `actions`, which are used up, or make the
    /// captures that are due. Of those with equal captures, the ones in the first set come first.
    #[inline]
    pub(super) fn next(
        &mut self,
        position: &Position,
        actions: &mut [&mut Actions; 2],
    ) -> Option<Turn> {
        loop {
            if let Some(closer) = self.closers.get(self.given) {
                self.given += 1;
                return Turn::from_bits(closer | self.take);
            }
            if let Some(take) = self.takes.next() {
                self.take = (take as u32 & ((1 << TAKE_BITS) - 1)) << Turn::ACTION_BITS;
                self.given = 0;
            } else if !self.fill(position, actions) {
                return None;
            }
        }
    }

    /// Goes on to the actions that earn two captures, or else to all that are left. Returns whether
    /// there were any.
    fn fill(&mut self, position: &Position, actions: &mut [&mut Actions; 2]) -> bool {
        let is_first = self.closers.is_empty();
        let mut earned = 1;
        if position.captures_due() > 0 {
            if !is_first {
                return false;
            }
            earned = position.captures_due();
            self.closers.push(0);
        } else {
            self.closers.clear();
            if is_first && position.rules().double_mill == DoubleMill::Two {
                let points = double_points(position);
                for actions in &mut *actions {
                    let mut doubles = actions.split_off(position, points);
                    doubles.take_closing(|action| self.closers.push(action.turn().to_bits()));
                }
                earned = 2;
            }
            if self.closers.is_empty() {
                for actions in &mut *actions {
                    actions.take_closing(|action| self.closers.push(action.turn().to_bits()));
                }
                earned = 1;
            }
            if self.closers.is_empty() {
                return false;
            }
        }
        self.given = self.closers.len();
        self.takes.fill(|takes| {
            let mut add = |captures: Turn, value: i32| {
                takes.push(value << TAKE_BITS | (captures.to_bits() >> Turn::ACTION_BITS) as i32);
            };
            if earned == 1 {
                for stone in position.capturable() {
                    add(Turn::capture_only(stone), stone_value(position, stone));
                }
            } else {
                position.each_capture(earned, |turn| add(turn, value(position, turn)));
            }
        });
        true
    }
}

/// The points where a placement completes two mills.
fn double_points(position: &Position) -> Bitboard {
    let side = position.to_move();
    if position.hand(side) == 0 {
        return Bitboard::EMPTY;
    }
    let [first, second] = position.stones(side).completing();
    first & second & position.empty()
}

/// How much it hurts to lose this stone to the side to move.
#[inline]
fn stone_value(position: &Position, stone: Point) -> i32 {
    /// By four times the number of stones of the loser on the other two points of a line, and that
    /// of stones of the side to move: what the capture breaks is a mill, or a line about to be one
    /// if the last point is empty; or it lets the side to move close a line.
    const LINE: [i32; 16] = [0, 0, 16, 0, 14, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0];
    let us = position.stones(position.to_move());
    let them = position.stones(!position.to_move());
    let on_line =
        |line: Bitboard| LINE[(4 * (line & them).len() + (line & us).len()) as usize % 16];
    let [first, second] = stone.line_partners();
    let liberties = (stone.neighbours() & position.empty()).len() as i32;
    liberties + on_line(first) + on_line(second)
}

/// The same for all stones that a turn captures.
#[inline]
fn value(position: &Position, turn: Turn) -> i32 {
    turn.captures().into_iter().flatten().map(|stone| stone_value(position, stone)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::each_position;
    use crate::rules::Rules;

    #[test]
    fn all_capturing_turns_come_once_and_the_best_first() {
        for rules in Rules::all_kinds() {
            each_position(rules, 13, |position| {
                let all = position.legal_turns();
                if all.is_empty() {
                    return;
                }
                let mut expected: Vec<Turn> =
                    all.into_iter().filter(|turn| turn.is_capture()).collect();
                let threatened = position.closing_points(!position.to_move());
                let mut others = Actions::of(position);
                let mut blocks = others.split_off(position, threatened);
                let mut captures = Captures::new();
                let mut found = Vec::new();
                while let Some(turn) = captures.next(position, &mut [&mut blocks, &mut others]) {
                    found.push(turn);
                }
                let order = |turn: &Turn| {
                    let is_block = turn.to().is_some_and(|to| threatened.contains(to));
                    (turn.captures()[1].is_some(), value(position, *turn), is_block)
                };
                let worth = |turn: &Turn| (order(turn).0, order(turn).1);
                assert!(found.is_sorted_by(|a, b| worth(a) >= worth(b)), "{}", position.fen());
                let same = |a: &Turn, b: &Turn| a.captures() == b.captures();
                assert!(found.chunk_by(same).all(|c| c.is_sorted_by(|a, b| order(a) >= order(b))));
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{}", position.fen());
            });
        }
    }
}
