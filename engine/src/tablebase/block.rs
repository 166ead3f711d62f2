//! The points of a block and the moves of both sides within it, in a form that makes looking at
//! one position after another fast. The generator and the decoder share it.

use std::sync::OnceLock;

use super::bit_map::BitMap;
use super::index::{CHOOSE, Orbits, next_set, rank};
use super::sector::{Pair, Sector};
use crate::position::capturable as capturable_under;
use crate::rules::Rules;
use crate::types::{Bitboard, Point, Symmetry};

const FULL: u32 = 0x00FF_FFFF;
/// Where a move along a ring arrives decides which line it can close: a midpoint's spoke, or the
/// other side that meets in a corner.
const MIDPOINTS: u32 = 0x0055_5555;
const CORNERS: u32 = FULL ^ MIDPOINTS;

/// The sets of one size among so many points: in rank order, and the rank of each.
#[derive(Debug)]
pub struct Subsets {
    /// All sets in rank order.
    pub words: Vec<u32>,
    /// The rank of each set, by its bits; other entries mean nothing.
    pub ranks: Vec<u16>,
}

impl Subsets {
    /// The sets with `stones` of `points` points.
    ///
    /// # Panics
    /// If there are more than 65,536 of them, or more points than the board has.
    #[must_use]
    pub fn new(points: usize, stones: u8) -> Self {
        let count = CHOOSE[points][usize::from(stones)];
        let mut ranks = vec![0; 1 << points];
        let mut words = Vec::with_capacity(count as usize);
        let mut bits = (1_u32 << stones) - 1;
        for number in 0..count {
            debug_assert_eq!(rank(bits), number);
            words.push(bits);
            ranks[bits as usize] = u16::try_from(number).expect("at most 19,448 sets");
            if number + 1 < count {
                bits = next_set(bits);
            }
        }
        Self { words, ranks }
    }

    /// Those of the smaller side of a pair among the points of a block; made at the first call.
    #[must_use]
    pub fn of(pair: Pair) -> &'static Self {
        const SIZES: usize = Sector::MOST as usize + 1;
        static ALL: [[OnceLock<Subsets>; SIZES]; SIZES] =
            [const { [const { OnceLock::new() }; SIZES] }; SIZES];
        let (larger, smaller) = (usize::from(pair.larger()), usize::from(pair.smaller()));
        ALL[larger][smaller].get_or_init(|| Self::new(Point::COUNT - larger, pair.smaller()))
    }

    /// The rank of a set.
    #[inline(always)]
    #[must_use]
    pub fn rank(&self, word: u32) -> usize {
        usize::from(self.ranks[word as usize])
    }
}

/// A block: the larger side's stones and the points they leave free, numbered together. A *word* is
/// a set of those.
#[derive(Debug)]
pub struct Block {
    /// The larger side's stones, the same all over the block.
    pub larger: Bitboard,
    /// The free points.
    pub points: Vec<Point>,
    /// For each point of the board its bit in a word, or 0 where a stone of the larger side is.
    pub bit: [u32; Point::COUNT],
    /// From words to sets of points.
    board: Box<BitMap>,
    /// For each slot of [`slots`] the two bits that a move along it changes.
    slot_masks: [u32; 64],
}

impl Default for Block {
    fn default() -> Self {
        Self::new()
    }
}

impl Block {
    /// A block, still to be [`set`](Self::set).
    #[must_use]
    pub fn new() -> Self {
        Self {
            larger: Bitboard::EMPTY,
            points: Vec::with_capacity(21),
            bit: [0; Point::COUNT],
            board: BitMap::new(),
            slot_masks: [0; 64],
        }
    }

    /// Makes it that of the block of these stones.
    pub fn set(&mut self, larger: Bitboard) {
        self.larger = larger;
        self.points.clear();
        self.points.extend(!larger);
        self.bit = [0; Point::COUNT];
        for (i, point) in self.points.iter().enumerate() {
            self.bit[point.index()] = 1 << i;
        }
        let images: Vec<u32> = self.points.iter().map(|p| p.bit().bits()).collect();
        self.board.set(&images);
        for (slot, mask) in self.slot_masks.iter_mut().enumerate() {
            *mask = slot_ends(slot).map_or(0, |(a, b)| self.bit[a] ^ self.bit[b]);
        }
    }

    /// The set of points that a word stands for.
    #[inline(always)]
    #[must_use]
    pub fn stones(&self, word: u32) -> Bitboard {
        Bitboard::from_bits(self.board.map(word))
    }

    /// The word of a set of free points.
    #[must_use]
    pub fn word(&self, set: Bitboard) -> u32 {
        set.into_iter().fold(0, |word, p| word | self.bit[p.index()])
    }

    /// The two bits of a word that a move along a slot changes.
    #[inline(always)]
    #[must_use]
    pub fn slot_mask(&self, slot: u32) -> u32 {
        self.slot_masks[slot as usize & 63]
    }
}

/// The slides of a side from its `stones` to the points of `empty`, one bit each: clockwise (24
/// slots, by the point left), anticlockwise (24), outwards and inwards along a spoke (16,
/// interleaved).
#[inline(always)]
#[must_use]
pub fn slots(stones: Bitboard, empty: Bitboard) -> u64 {
    join(directions(stones, [empty; 3]))
}

/// The slides of a side, in the form that several positions can be worked on at once.
#[derive(Clone, Copy, Debug)]
pub struct Slides {
    clockwise: u32,
    anticlockwise: u32,
    spokes: u32,
    /// How many there are.
    pub moves: u32,
    /// How many of them close a mill.
    pub closing: u32,
}

impl Slides {
    /// Those from `stones` to the points of `empty`.
    #[inline(always)]
    #[must_use]
    pub fn of(stones: Bitboard, empty: Bitboard) -> Self {
        let [clockwise, anticlockwise, spokes] = directions(stones, [empty; 3]);
        let closing = directions(stones, closing_targets(stones, empty));
        let moves = clockwise.count_ones() + anticlockwise.count_ones() + spokes.count_ones();
        let closing = closing.map(u32::count_ones).iter().sum();
        Self { clockwise, anticlockwise, spokes, moves, closing }
    }

    /// As [`slots`].
    #[inline(always)]
    #[must_use]
    pub fn slots(self) -> u64 {
        join([self.clockwise, self.anticlockwise, self.spokes])
    }
}

/// The stones that can slide clockwise, anticlockwise, and outwards or inwards along a spoke, each
/// to the points of its own set.
#[inline(always)]
fn directions(stones: Bitboard, targets: [Bitboard; 3]) -> [u32; 3] {
    let clockwise = stones & targets[0].clockwise::<7>();
    let anticlockwise = stones & targets[1].clockwise::<1>();
    let outwards = stones.bits() & (targets[2].bits() >> 8) & 0x5555;
    let inwards = ((stones.bits() >> 8) & targets[2].bits()) & 0x5555;
    [clockwise.bits(), anticlockwise.bits(), outwards | inwards << 1]
}

/// The empty points at which a slide in each of the [`directions`] closes a mill. The line that a
/// slide runs along does not count.
#[inline(always)]
fn closing_targets(stones: Bitboard, empty: Bitboard) -> [Bitboard; 3] {
    let [first, second] = stones.completing().map(Bitboard::bits);
    [(first & CORNERS) | (second & MIDPOINTS), second, first & MIDPOINTS]
        .map(|points| Bitboard::from_bits(points) & empty)
}

#[inline(always)]
fn join([clockwise, anticlockwise, spokes]: [u32; 3]) -> u64 {
    u64::from(clockwise) | u64::from(anticlockwise) << 24 | u64::from(spokes) << 48
}

/// Where a slide leaves from and goes to, as point numbers; `None` from slot 64 on.
#[must_use]
pub fn slot_ends(slot: usize) -> Option<(usize, usize)> {
    let turned = |point: usize, by: usize| point / 8 * 8 + (point + by) % 8;
    match slot {
        0..24 => Some((slot, turned(slot, 1))),
        24..48 => Some((slot - 24, turned(slot - 24, 7))),
        48..64 => {
            let bit = slot - 48;
            let inner = bit & !1;
            Some(if bit.is_multiple_of(2) { (inner, inner + 8) } else { (inner + 8, inner) })
        }
        _ => None,
    }
}

/// Those of [`slots`] that close a mill.
#[inline(always)]
#[must_use]
pub fn closing_slots(stones: Bitboard, empty: Bitboard) -> u64 {
    join(directions(stones, closing_targets(stones, empty)))
}

/// How many flights of three stones close a mill: each goes to a point whose line the two other
/// stones have begun.
#[inline(always)]
#[must_use]
pub fn count_closing_flights(stones: Bitboard, empty: Bitboard) -> u32 {
    let [first, second] = stones.completing();
    (first & empty).len() + (second & empty).len()
}

/// The flights of three stones that close a mill.
pub fn closing_flights(stones: Bitboard, other: Bitboard) -> impl Iterator<Item = (Point, Point)> {
    let empty = !(stones | other);
    stones.into_iter().flat_map(move |from| {
        let [first, second] = stones.without(from.bit()).completing();
        ((first | second) & empty).into_iter().map(move |to| (from, to))
    })
}

/// The stones of a set that the opponent may capture, under the rules that tables are made for.
#[inline(always)]
#[must_use]
pub fn capturable(stones: Bitboard) -> Bitboard {
    capturable_under(stones, Rules::default())
}

/// A move of the larger side, from the representative of one block to another block.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The point left.
    pub from: Point,
    /// The point reached.
    pub to: Point,
    /// The block reached.
    pub block: usize,
    /// Sends the stones after the move to the representative of that block.
    pub symmetry: Symmetry,
    /// Whether the move closes a mill.
    pub closes: bool,
}

/// The moves of the larger side with these stones, wherever the smaller side may stand.
pub fn edges(larger: Bitboard) -> impl Iterator<Item = Edge> {
    let orbits = Orbits::of(larger.len() as u8);
    let flies = larger.len() == 3;
    larger.into_iter().flat_map(move |from| {
        let rest = larger.without(from.bit());
        let reach = if flies { Bitboard::FULL } else { from.neighbours() };
        reach.without(larger).into_iter().map(move |to| {
            let (block, symmetry) = orbits.find(rest | to.bit());
            let closes = to.line_partners().iter().any(|&line| rest.contains_all(line));
            Edge { from, to, block, symmetry, closes }
        })
    })
}

/// How many moves the larger side has from a block, by the word of the smaller side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// For each free point the number of moves there, in binary: one word for each digit.
    digits: [u32; 3],
}

impl Tally {
    /// Counts the moves that `counted` lets through.
    #[must_use]
    pub fn of_moves(block: &Block, counted: impl Fn(&Edge) -> bool) -> Self {
        let mut moves = [0_u8; Point::COUNT];
        for edge in edges(block.larger).filter(|edge| counted(edge)) {
            moves[edge.to.index()] += 1;
        }
        Self {
            digits: [0, 1, 2].map(|digit| {
                block.word(Point::all().filter(|p| moves[p.index()] >> digit & 1 == 1).collect())
            }),
        }
    }

    /// One for each of these points, where a stone can be placed.
    #[must_use]
    pub fn of_points(block: &Block, points: Bitboard) -> Self {
        Self { digits: [block.word(points), 0, 0] }
    }

    /// How many of them are open when the smaller side stands on this word.
    #[inline(always)]
    #[must_use]
    pub fn count(self, word: u32) -> u32 {
        let [ones, twos, fours] = self.digits.map(|d| (d & !word).count_ones());
        ones + 2 * twos + 4 * fours
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_flights_are_as_many_as_counted() {
        let orbits = Orbits::of(3);
        for i in 0..orbits.len() {
            for j in 0..orbits.len() {
                let stones = orbits.representative(i);
                let other = Symmetry::from_index(j % 16).set(orbits.representative(j));
                let other = other.without(stones);
                let listed = closing_flights(stones, other).count() as u32;
                assert_eq!(count_closing_flights(stones, !(stones | other)), listed);
            }
        }
    }

    #[test]
    fn slots_are_the_slides_and_those_that_close_a_mill() {
        let mut x = 0x1234_5678_9ABC_DEF0_u64;
        for _ in 0..20_000 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            let stones = Bitboard::from_bits((x & (x >> 24)) as u32);
            let other = Bitboard::from_bits((x >> 40) as u32 & (x >> 16) as u32).without(stones);
            let empty = !(stones | other);
            let (all, closing) = (slots(stones, empty), closing_slots(stones, empty));
            let mut expected = Vec::new();
            for from in stones {
                for to in from.neighbours() & empty {
                    let rest = stones.without(from.bit());
                    let closes = to.line_partners().iter().any(|&l| rest.contains_all(l));
                    expected.push((from.index(), to.index(), closes));
                }
            }
            let mut found: Vec<_> = (0..64)
                .filter(|slot| all >> slot & 1 == 1)
                .map(|slot| {
                    let (from, to) = slot_ends(slot).unwrap();
                    (from, to, closing >> slot & 1 == 1)
                })
                .collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected);
            assert_eq!(closing & !all, 0);
        }
    }
}
