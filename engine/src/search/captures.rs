//! Turns that capture, best first.

use arrayvec::ArrayVec;

use super::ranks::{Ranks, SPARE};
use crate::actions::Actions;
use crate::position::Position;
use crate::rules::DoubleMill;
use crate::types::{Bitboard, Both, Point, Turn};

/// The capturing turns of a node, given out by what they capture: the best captures with every
/// action that earns them, then the next. So only captures are weighed, not every turn.
pub(super) struct Captures {
    /// What closes a mill; nothing where captures are due already.
    closers: ArrayVec<Option<Turn>, MOST_CLOSERS>,
    /// The stones left to capture one by one, and what each is worth.
    stones: Bitboard,
    worths: Worths,
    /// The pairs of stones to capture at once: their worth, and the bits of the turn.
    pairs: Ranks<{ MOST_PAIRS + SPARE }>,
    /// The captures given out now, and how many of the closers have gone with them.
    take: Option<Turn>,
    given: usize,
}

/// At most a slide for each edge, fewer placements, or flights of three stones to 21 points each.
const MOST_CLOSERS: usize = 64;
/// Two of nine stones, one after the other.
const MOST_PAIRS: usize = 72;
/// How many bits of a turn hold its captures, above those of the action.
const TAKE_BITS: u32 = Turn::BITS - Turn::ACTION_BITS;

impl Captures {
    #[inline]
    pub(super) fn new() -> Self {
        Self {
            closers: ArrayVec::new(),
            stones: Bitboard::EMPTY,
            worths: Worths([Bitboard::EMPTY; WORTH_BITS]),
            pairs: Ranks::new(),
            take: None,
            given: 0,
        }
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
            if let Some(&closer) = self.closers.get(self.given) {
                self.given += 1;
                return self.take.map(|take| take.joined_to(closer));
            }
            if let Some(stone) = self.worths.worthiest(self.stones) {
                self.stones = self.stones.without(stone.bit());
                self.take = Some(Turn::capture_only(stone));
            } else if let Some(pair) = self.pairs.next() {
                self.take =
                    Turn::from_bits((pair as u32 & ((1 << TAKE_BITS) - 1)) << Turn::ACTION_BITS);
            } else {
                if !self.fill(position, actions) {
                    return None;
                }
                continue;
            }
            self.given = 0;
        }
    }

    /// Goes on to the actions that earn two captures, or else to all that are left. Returns whether
    /// there were any.
    // By itself, since its work would otherwise be prepared for at every call.
    #[inline(never)]
    fn fill(&mut self, position: &Position, actions: &mut [&mut Actions; 2]) -> bool {
        let is_first = self.closers.is_empty();
        let mut earned = 1;
        if position.captures_due() > 0 {
            if !is_first {
                return false;
            }
            earned = position.captures_due();
            self.closers.push(None);
        } else {
            self.closers.clear();
            if is_first && position.rules().double_mill == DoubleMill::Two {
                let points = double_points(position);
                for actions in &mut *actions {
                    let mut doubles = actions.split_off(position, points);
                    doubles.take_closing(|action| self.closers.push(Some(action.turn())));
                }
                earned = 2;
            }
            if self.closers.is_empty() {
                for actions in &mut *actions {
                    actions.take_closing(|action| self.closers.push(Some(action.turn())));
                }
                earned = 1;
            }
            if self.closers.is_empty() {
                return false;
            }
        }
        self.given = self.closers.len();
        self.worths = Worths::of(position);
        if earned == 1 {
            self.stones = position.capturable();
        } else {
            self.pairs.fill(|pairs| {
                position.each_capture(earned, |turn| {
                    let bits = (turn.to_bits() >> Turn::ACTION_BITS) as i32;
                    pairs.push(self.worths.captured_by(turn) << TAKE_BITS | bits);
                });
            });
        }
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

/// How much it hurts to lose each stone to the side to move, in binary: the set of the stones whose
/// worth has the digit, from the lowest on. So the worth of all stones is found at once.
///
/// A stone is worth its liberties (neighbours that are empty), and for each of its lines:
///
/// * 16, if the side to move can close it once the stone is gone, having the other two points;
/// * 14, if it has one more stone and an empty point, so that it may be about to be a mill;
/// * 12, if it is a mill.
struct Worths([Bitboard; WORTH_BITS]);

const WORTH_BITS: usize = 6;

impl Worths {
    fn of(position: &Position) -> Self {
        let sides = [position.to_move(), !position.to_move()];
        let stones = Both::new(sides.map(|side| position.stones(side)));
        let [first, second] = stones.partners().map(|[a, b]| {
            let [lost, mill] = Both(a & b).sets();
            let [_, one] = Both(a ^ b).sets();
            let [ours, _] = Both(a | b).sets();
            let open = one.without(ours);
            // What adds 16, 12 and 2.
            [lost, mill | open, open]
        });
        let empty = position.empty();
        let spokes = (empty & Bitboard::MIDPOINTS).bits();
        let [outer, inner] = [spokes << 8, spokes >> 8].map(Bitboard::from_bits);
        let [others, carry] = add([empty.clockwise::<1>(), empty.clockwise::<7>(), outer]);
        let [ones, more] = [others ^ inner, others & inner];
        // A stone with four liberties stands alone on its lines: all else is zero.
        let [two_liberties, four_liberties] = [carry ^ more, carry & more];
        let [twos, carry] = add([two_liberties, first[2], second[2]]);
        let [fours, eight] = add([carry, first[1], second[1]]);
        let [eights, sixteen] = add([eight, first[1], second[1]]);
        let [sixteens, thirty_twos] = add([sixteen, first[0], second[0]]);
        Self([ones, twos, fours | four_liberties, eights, sixteens, thirty_twos])
    }

    /// The worthiest of these stones, of equal ones the last.
    #[inline]
    fn worthiest(&self, mut stones: Bitboard) -> Option<Point> {
        if stones.is_empty() {
            return None;
        }
        for &digit in self.0.iter().rev() {
            let worthier = stones & digit;
            stones = if worthier.any() { worthier } else { stones };
        }
        stones.last()
    }

    /// What the stones that a turn captures are worth in all.
    fn captured_by(&self, turn: Turn) -> i32 {
        let worth = |stone: Point| -> i32 {
            (0..).zip(self.0).map(|(i, digit)| i32::from(digit.contains(stone)) << i).sum()
        };
        turn.captures().into_iter().flatten().map(worth).sum()
    }
}

/// Adds three binary digits of every point: the digit of the sum, and what is carried.
#[inline]
fn add([a, b, c]: [Bitboard; 3]) -> [Bitboard; 2] {
    [a ^ b ^ c, (a & b) | ((a ^ b) & c)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::each_position;
    use crate::rules::Rules;

    /// What [`Worths`] says, stone by stone.
    fn worth(position: &Position, turn: Turn) -> i32 {
        let [us, them] =
            [position.to_move(), !position.to_move()].map(|side| position.stones(side));
        let worth = |stone: Point| {
            let on_line = |line: Bitboard| match [(line & us).len(), (line & them).len()] {
                [2, 0] => 16,
                [0, 1] => 14,
                [0, 2] => 12,
                _ => 0,
            };
            let liberties = (stone.neighbours() & position.empty()).len() as i32;
            liberties + stone.line_partners().map(on_line).iter().sum::<i32>()
        };
        turn.captures().into_iter().flatten().map(worth).sum()
    }

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
                    (turn.captures()[1].is_some(), worth(position, *turn), is_block)
                };
                let rank = |turn: &Turn| (order(turn).0, order(turn).1);
                assert!(found.is_sorted_by(|a, b| rank(a) >= rank(b)), "{}", position.fen());
                let same = |a: &Turn, b: &Turn| a.captures() == b.captures();
                assert!(found.chunk_by(same).all(|c| c.is_sorted_by(|a, b| order(a) >= order(b))));
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{}", position.fen());
            });
        }
    }
}
