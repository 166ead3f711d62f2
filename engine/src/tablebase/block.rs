//! The points of a block and the moves of both sides within it, in a form that makes looking at
//! one position after another fast. The generator and the decoder share it.

use std::sync::OnceLock;

use super::bit_map::BitMap;
use super::index::{CHOOSE, Orbits, next_set, rank};
use super::sector::{Pair, Sector};
use crate::position::capturable as capturable_under;
use crate::rules::Rules;
use crate::types::{Bitboard, Point, Symmetry};
pub use crate::types::{EDGE_ENDS, EDGES, Slides, closing_slides, slides};

/// The bits of a word that [`Subsets`] looks up together, from the lowest up.
const LOW_BITS: usize = 10;
/// The bits above these.
const HIGH_BITS: usize = Point::COUNT - LOW_BITS;

/// The sets of one size among so many points: in rank order, and the rank of each.
///
/// A rank is a sum over the bits, in which each counts by how many are below it. So it is a sum over
/// the lower bits and over the higher ones: below the higher ones are as many as they leave of the
/// size. Two tables of this kind stay in the nearest cache, one with an entry for each set does not.
#[derive(Debug)]
pub struct Subsets {
    /// All sets in rank order.
    pub words: Vec<u32>,
    low: Box<[u16; 1 << LOW_BITS]>,
    high: Box<[u16; 1 << HIGH_BITS]>,
}

impl Subsets {
    /// The sets with `stones` of `points` points.
    ///
    /// # Panics
    /// If there are more than 65,536 of them, or more points than the board has.
    #[must_use]
    pub fn new(points: usize, stones: u8) -> Self {
        let count = CHOOSE[points][usize::from(stones)];
        assert!(count <= 1 << 16, "at most 19,448 sets");
        let (mut low, mut high) = (Box::new([0; 1 << LOW_BITS]), Box::new([0; 1 << HIGH_BITS]));
        let mut words = Vec::with_capacity(count as usize);
        let mut bits = (1_u32 << stones) - 1;
        for number in 0..count {
            debug_assert_eq!(rank(bits), number);
            words.push(bits);
            let below = bits & ((1 << LOW_BITS) - 1);
            let rank_below = rank(below);
            low[below as usize] = rank_below as u16;
            high[(bits >> LOW_BITS) as usize] = (number - rank_below) as u16;
            if number + 1 < count {
                bits = next_set(bits);
            }
        }
        Self { words, low, high }
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

    /// The rank of a set; of a set of another size the number means nothing.
    #[inline(always)]
    #[must_use]
    pub fn rank(&self, word: u32) -> usize {
        // The masks spare the bounds checks.
        let low = self.low[word as usize & (self.low.len() - 1)];
        let high = self.high[word as usize >> LOW_BITS & (self.high.len() - 1)];
        usize::from(low) + usize::from(high)
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
    /// For each edge of the board the two bits that a slide along it changes, and none for no edge.
    edge_masks: [u32; EDGES + 1],
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
            edge_masks: [0; EDGES + 1],
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
        let mut images = [0; Point::COUNT];
        for (image, point) in images.iter_mut().zip(&self.points) {
            *image = point.bit().bits();
        }
        self.board.set(&images[..self.points.len()]);
        for (mask, [lower, higher]) in self.edge_masks.iter_mut().zip(EDGE_ENDS) {
            *mask = self.bit[lower] | self.bit[higher];
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

    /// The edges along which the smaller side can slide, each with the two bits of a word that change.
    pub fn slides(&self) -> impl Iterator<Item = (usize, u32)> {
        let masks = self.edge_masks.into_iter().enumerate();
        masks.filter(|(_, mask)| mask.count_ones() == 2)
    }

    /// The edges along which a slide can lead from one of these words, which follow one another, to
    /// another of them: those that leave the higher bits alone, where all are the same.
    #[must_use]
    pub fn edges_within(&self, words: &[u32]) -> u32 {
        let (first, last) = (words[0], words[words.len() - 1]);
        let same = u32::MAX.checked_shl(u32::BITS - (first ^ last).leading_zeros()).unwrap_or(0);
        let slides = self.slides().filter(|(_, mask)| mask & same == 0);
        slides.fold(0, |edges, (edge, _)| edges | 1 << edge)
    }

    /// The two bits of a word that a slide along the first of these edges changes; none if there is
    /// no edge.
    #[inline(always)]
    #[must_use]
    pub fn first_edge_mask(&self, edges: u32) -> u32 {
        self.edge_masks[edges.trailing_zeros() as usize]
    }
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
    larger.into_iter().flat_map(move |from| {
        let (reach, closing) = reach(larger, from);
        reach.into_iter().map(move |to| {
            let (block, symmetry) = orbits.find(larger.without(from.bit()) | to.bit());
            Edge { from, to, block, symmetry, closes: closing.contains(to) }
        })
    })
}

/// Where one of the larger side's stones can go, and at which of these points it closes a mill.
fn reach(larger: Bitboard, from: Point) -> (Bitboard, Bitboard) {
    let reach = if larger.len() == 3 { Bitboard::FULL } else { from.neighbours() };
    let reach = reach.without(larger);
    let [first, second] = larger.without(from.bit()).completing();
    (reach, reach & (first | second))
}

/// How many moves the larger side has from a block, by the word of the smaller side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// For each free point the number of moves there, in binary: one word for each digit.
    digits: [u32; 3],
}

impl Tally {
    /// Counts the moves that close a mill, or that do not, as `counted` wants.
    #[must_use]
    pub fn of_moves(block: &Block, counted: impl Fn(bool) -> bool) -> Self {
        let mut digits = [Bitboard::EMPTY; 3];
        for from in block.larger {
            let (all, closing) = reach(block.larger, from);
            let none = Bitboard::EMPTY;
            let mut carry = (if counted(true) { closing } else { none })
                | (if counted(false) { all.without(closing) } else { none });
            for digit in &mut digits {
                (*digit, carry) = (*digit ^ carry, *digit & carry);
            }
        }
        Self { digits: digits.map(|digit| block.word(digit)) }
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
        let [ones, twos, fours] = self.digits;
        let open = |digit: u32| (digit & !word).count_ones();
        open(ones) + 2 * open(twos) + 4 * open(fours)
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
}
