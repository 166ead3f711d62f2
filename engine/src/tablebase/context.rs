//! What is known of a position before its value is read: the context that predicts it.
//!
//! Values are read part by part, in the order of their numbers. The best predictor of a value is
//! that of the positions which one slide of the smaller side away come earlier in the same part;
//! next come whether either side can close a mill and how many moves each has. The encoder and the
//! decoder walk over a part with the same code, so that they see the same contexts.

use std::ops::Range;

use super::block::{Block, Slides, Subsets, Tally, count_closing_flights};
use super::index::Orbits;
use super::model::Kind;
use super::sector::{Pair, Sector};
use crate::types::Bitboard;

/// The most positions of a part.
const PART: usize = 2048;

/// The side to move wins.
pub const WIN: u8 = 0;
/// Neither side can win.
pub const DRAW: u8 = 1;
/// The side to move loses.
pub const LOSS: u8 = 2;

/// The slides to a point with a smaller number.
const DOWN: u64 = {
    let (mut slot, mut down) = (0, 0);
    while slot < 64 {
        let falls = match slot {
            0..24 => slot % 8 == 7,
            24..48 => slot % 8 != 0,
            _ => slot % 2 == 1,
        };
        if falls {
            down |= 1 << slot;
        }
        slot += 1;
    }
    down
};

/// How a pair's numbers are cut into the parts that are coded each by itself: a block is cut into
/// equal parts, or several small blocks make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    pair: Pair,
    block_len: usize,
    part_len: usize,
    parts_per_block: usize,
}

impl Parts {
    /// Those of a pair.
    #[must_use]
    pub fn of(pair: Pair) -> Self {
        let block_len = pair.block_len();
        let parts_per_block = block_len.div_ceil(PART);
        let part_len = if parts_per_block == 1 {
            PART / block_len * block_len
        } else {
            block_len.div_ceil(parts_per_block)
        };
        Self { pair, block_len, part_len, parts_per_block }
    }

    /// How many there are.
    #[must_use]
    pub fn count(self) -> usize {
        if self.parts_per_block == 1 {
            self.pair.len().div_ceil(self.part_len)
        } else {
            self.pair.blocks() * self.parts_per_block
        }
    }

    /// The part that a number belongs to, and its place there.
    #[inline]
    #[must_use]
    pub fn find(self, number: usize) -> (usize, usize) {
        if self.parts_per_block == 1 {
            return (number / self.part_len, number % self.part_len);
        }
        let (block, within) = (number / self.block_len, number % self.block_len);
        (block * self.parts_per_block + within / self.part_len, within % self.part_len)
    }

    /// The numbers of a part.
    #[must_use]
    pub fn range(self, part: usize) -> Range<usize> {
        if self.parts_per_block == 1 {
            let start = part * self.part_len;
            return start..(start + self.part_len).min(self.pair.len());
        }
        let block = part / self.parts_per_block * self.block_len;
        let start = block + part % self.parts_per_block * self.part_len;
        start..(start + self.part_len).min(block + self.block_len)
    }
}

/// Win, draw or loss: [`WIN`], [`DRAW`] or [`LOSS`].
#[derive(Clone, Copy, Debug)]
pub struct Wdl;

impl Kind for Wdl {
    const CONTEXTS: u32 = 64 * 3 * 4 * 2 * 36;
    const SYMBOLS: u8 = 3;

    fn coarser(context: u32) -> u32 {
        context / 36 * 36
    }
}

/// How far off a loss is, in moves of the side that wins: half the plies.
#[derive(Clone, Copy, Debug)]
pub struct Distance;

impl Kind for Distance {
    const CONTEXTS: u32 = 128 * 128 * 8;
    const SYMBOLS: u8 = 128;

    fn coarser(context: u32) -> u32 {
        // The longest distance alone, and whether there is a shortest.
        let (shortest, longest) = (context >> 10, context >> 3 & 0x7F);
        (u32::from(shortest != 0) << 7 | longest) << 3
    }
}

/// How many neighbours a look finds at once; a position rarely has more.
const NEAR: usize = 6;
/// The place that stands for no neighbour.
const NOWHERE: u16 = PART as u16;

/// What a look at a position finds.
#[derive(Clone, Copy, Debug)]
struct Look {
    /// The places of the positions one slide of the smaller side earlier, the rest [`NOWHERE`].
    near: [u16; NEAR],
    /// Slides that lead to more of them.
    more: u64,
    /// How many mills the side to move can close, and the other could; at most three.
    closing: [u8; 2],
    /// How many moves either side has, each in six steps.
    moves: u8,
}

/// Walks over the positions of a sector in the order of their numbers.
#[derive(Debug)]
pub struct Walk {
    pair: Pair,
    larger_moves: bool,
    /// Whether mills are closed by placing.
    places: bool,
    subsets: &'static Subsets,
    block: Block,
    at: Option<usize>,
    /// The moves of the larger side.
    moves: Tally,
    /// Those of them that close a mill.
    closing: Tally,
    /// What the first look at each position of a piece found.
    looks: Box<[Look]>,
    /// The words of the losses of a piece.
    words: Vec<u32>,
    /// For each place of a piece what its symbol adds to the counts of its neighbours.
    adds: Box<[u32; PART + 1]>,
}

impl Walk {
    /// For the positions of a sector.
    #[must_use]
    pub fn new(sector: Sector) -> Self {
        let pair = sector.pair();
        Self {
            pair,
            larger_moves: sector.larger_moves(),
            places: sector.is_placing(),
            subsets: Subsets::of(pair),
            block: Block::new(),
            at: None,
            moves: Tally::default(),
            closing: Tally::default(),
            looks: vec![Look { near: [NOWHERE; NEAR], more: 0, closing: [0; 2], moves: 0 }; PART]
                .into(),
            words: Vec::with_capacity(PART),
            adds: Box::new([0; PART + 1]),
        }
    }

    fn turn_to(&mut self, block: usize) {
        if self.at == Some(block) {
            return;
        }
        self.at = Some(block);
        let larger = Orbits::of(self.pair.larger()).representative(block);
        self.block.set(larger);
        self.moves = Tally::of_moves(&self.block, |_| true);
        self.closing = if self.places {
            let [first, second] = larger.completing();
            Tally::of_points(&self.block, first | second)
        } else {
            Tally::of_moves(&self.block, |edge| edge.closes)
        };
    }

    /// Looks at the positions of some words of the block; earlier positions count from rank
    /// `start` on.
    fn survey(&self, words: &[u32], start: usize, looks: &mut [Look]) {
        // Some at a time, step by step: the second step then works on several at once.
        const TOGETHER: usize = 16;
        for (words, looks) in words.chunks(TOGETHER).zip(looks.chunks_mut(TOGETHER)) {
            let mut stones = [Bitboard::EMPTY; TOGETHER];
            for (stones, &word) in stones.iter_mut().zip(words) {
                *stones = self.block.stones(word);
            }
            let slides = stones.map(|stones| Slides::of(stones, !(stones | self.block.larger)));
            for (i, (look, &word)) in looks.iter_mut().zip(words).enumerate() {
                *look = self.look(word, stones[i], slides[i], start);
            }
        }
    }

    #[inline(always)]
    fn look(&self, word: u32, stones: Bitboard, slides: Slides, start: usize) -> Look {
        let empty = !(stones | self.block.larger);
        let (moves, closing) = if self.places {
            let [first, second] = stones.completing();
            (slides.moves, ((first | second) & empty).len())
        } else if self.pair.smaller() == 3 {
            (3 * empty.len(), count_closing_flights(stones, empty))
        } else {
            (slides.moves, slides.closing)
        };
        let ([ours, theirs], [we_close, they_close]) = if self.larger_moves {
            ([self.moves.count(word), moves], [self.closing.count(word), closing])
        } else {
            ([moves, self.moves.count(word)], [closing, self.closing.count(word)])
        };
        // A fixed number of steps without branches: each position has other neighbours, and
        // guessing their number wrongly costs more than a few idle steps.
        let mut down = slides.slots() & DOWN;
        let near = [(); NEAR].map(|()| {
            let rank = self.subsets.rank(word ^ self.block.slot_mask(down.trailing_zeros()));
            let found = down != 0 && rank >= start;
            down &= down.wrapping_sub(1);
            if found { (rank - start) as u16 } else { NOWHERE }
        });
        Look {
            near,
            more: down,
            closing: [we_close.min(3) as u8, they_close.min(3) as u8],
            moves: (ours.min(10) / 2 * 6 + theirs.min(10) / 2) as u8,
        }
    }

    /// The places of the neighbours that did not fit in a look.
    fn more(&self, word: u32, start: usize, mut down: u64) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            while down != 0 {
                let rank = self.subsets.rank(word ^ self.block.slot_mask(down.trailing_zeros()));
                down &= down - 1;
                if rank >= start {
                    return Some(rank - start);
                }
            }
            None
        })
    }

    /// Goes over a range of numbers. `code` is given each place in the range and its context, and
    /// says the symbol, which also goes to `symbols`.
    ///
    /// # Panics
    /// If `symbols` is not as long as the range or the range not within the sector.
    #[inline]
    pub fn wdl(
        &mut self,
        range: &Range<usize>,
        symbols: &mut [u8],
        mut code: impl FnMut(usize, u32) -> u8,
    ) {
        for (block, ranks, offset) in pieces(self.pair.block_len(), range) {
            self.turn_to(block);
            let symbols = &mut symbols[offset..offset + ranks.len()];
            let words = &self.subsets.words[ranks.clone()];
            let mut looks = std::mem::take(&mut self.looks);
            self.survey(words, ranks.start, &mut looks[..words.len()]);
            let mut previous = DRAW;
            for (place, (look, symbol)) in looks.iter().zip(symbols).enumerate() {
                // Three counters of eight bits.
                let mut near: u32 =
                    look.near.iter().map(|&near| self.adds[usize::from(near)]).sum();
                if look.more != 0 {
                    let more = self.more(words[place], ranks.start, look.more);
                    near += more.map(|near| self.adds[near]).sum::<u32>();
                }
                let few = |count: u32| (count & 0xFF).min(3);
                let mut context = few(near) * 16 + few(near >> 8) * 4 + few(near >> 16);
                context = context * 3 + u32::from(previous);
                context = context * 4 + u32::from(look.closing[1]);
                context = context * 2 + u32::from(look.closing[0] != 0);
                context = context * 36 + u32::from(look.moves);
                *symbol = code(offset + place, context);
                previous = *symbol;
                self.adds[place] = 1 << (8 * *symbol);
            }
            self.looks = looks;
        }
    }

    /// Goes over the losses of a range of numbers, whose symbols are known. `code` is given each
    /// place in the range and its context, and says half the distance in plies, which also goes to
    /// `distances`.
    ///
    /// # Panics
    /// If `symbols` or `distances` is not as long as the range, or the range not within the sector.
    #[inline]
    pub fn distance(
        &mut self,
        range: &Range<usize>,
        symbols: &[u8],
        distances: &mut [u8],
        mut code: impl FnMut(usize, u32) -> u8,
    ) {
        for (block, ranks, offset) in pieces(self.pair.block_len(), range) {
            let symbols = &symbols[offset..offset + ranks.len()];
            let distances = &mut distances[offset..offset + ranks.len()];
            let losses = || (0..ranks.len()).filter(|&place| symbols[place] == LOSS);
            self.words.clear();
            self.words.extend(losses().map(|place| self.subsets.words[ranks.start + place]));
            if self.words.is_empty() {
                continue;
            }
            self.turn_to(block);
            let mut looks = std::mem::take(&mut self.looks);
            self.survey(&self.words, ranks.start, &mut looks[..self.words.len()]);
            // One more than a distance, so that 0 means none.
            let mut previous = 0;
            for (i, place) in losses().enumerate() {
                let (look, word) = (&looks[i], self.words[i]);
                let (mut shortest, mut longest) = (0x7F, 0);
                let near = look.near.iter().map(|&near| usize::from(near));
                let near = near.filter(|&near| near != usize::from(NOWHERE));
                for near in near.chain(self.more(word, ranks.start, look.more)) {
                    if symbols[near] == LOSS {
                        let distance = u32::from(distances[near]) + 1;
                        shortest = distance.min(shortest);
                        longest = distance.max(longest);
                    }
                }
                if longest == 0 {
                    (shortest, longest) = (0, previous);
                }
                let context = (shortest << 7 | longest.min(0x7F)) << 3
                    | u32::from(look.closing[1]) << 1
                    | u32::from(look.closing[0] != 0);
                let distance = code(offset + place, context);
                distances[place] = distance;
                previous = u32::from(distance) + 1;
            }
            self.looks = looks;
        }
    }
}

/// Cuts a range of numbers at the bounds of blocks: block, ranks, and the place where they begin in
/// the range.
fn pieces(
    block_len: usize,
    range: &Range<usize>,
) -> impl Iterator<Item = (usize, Range<usize>, usize)> + use<> {
    let range = range.clone();
    (range.start / block_len..range.end.div_ceil(block_len)).map(move |block| {
        let first = block * block_len;
        let (start, end) = (range.start.max(first), range.end.min(first + block_len));
        (block, start - first..end - first, start - range.start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_every_number_once() {
        for pair in Pair::all().into_iter().filter(|p| p.total() <= 9 || p.larger() == 9) {
            let parts = Parts::of(pair);
            let mut next = 0;
            for part in 0..parts.count() {
                let range = parts.range(part);
                assert_eq!(range.start, next);
                assert!(!range.is_empty() && range.len() <= PART);
                assert_eq!(parts.find(range.start), (part, 0));
                assert_eq!(parts.find(range.end - 1), (part, range.len() - 1));
                next = range.end;
            }
            assert_eq!(next, pair.len());
        }
    }
}
