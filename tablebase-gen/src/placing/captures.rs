//! What the captures of a position are worth, by the values of the sectors that they lead to.

use merel_engine::tablebase::Pair;
use merel_engine::tablebase::bit_map::BitMap;
use merel_engine::tablebase::block::{Block, Subsets, capturable};
use merel_engine::tablebase::index::{Orbits, bit_among, compress};
use merel_engine::{Bitboard, Point, Symmetry};

use super::packed::{Code, Packed, at};

/// Where so many captures lead to.
#[derive(Clone, Copy)]
pub enum Captured<'a> {
    /// The opponent is left fewer than three stones.
    EndsTheGame,
    /// To a sector of these values.
    To(Target<'a>),
}

/// The values of a sector with what it takes to find one.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    values: &'a Packed,
    subsets: &'static Subsets,
    orbits: &'static Orbits,
}

impl<'a> Target<'a> {
    /// To find the values of a sector.
    pub fn new(values: &'a Packed) -> Self {
        let pair = values.pair();
        Self { values, subsets: Subsets::of(pair), orbits: Orbits::of(pair.larger()) }
    }

    /// The numbering of the positions.
    pub fn pair(&self) -> Pair {
        self.values.pair()
    }

    /// The ranks of words.
    pub fn subsets(&self) -> &'static Subsets {
        self.subsets
    }

    /// The value of a block at the rank of a word.
    #[inline(always)]
    pub fn get(&self, block: usize, word: u32) -> Code {
        at(self.values.block(block), self.subsets.rank(word))
    }
}

/// A move of the larger side to another block.
pub struct Way {
    /// The bit of the point reached.
    pub to: u32,
    /// The block reached.
    pub block: usize,
    map: Box<BitMap>,
    /// The image of each free point.
    images: [u32; Point::COUNT],
}

impl Default for Way {
    fn default() -> Self {
        Self { to: 0, block: 0, map: BitMap::new(), images: [0; Point::COUNT] }
    }
}

impl Way {
    /// Makes it the move to `to` from the block of `free`, which leads to `block` under `symmetry`.
    pub fn set(
        &mut self,
        free: &Block,
        to: Point,
        (block, symmetry): (usize, Symmetry),
        orbits: &Orbits,
    ) {
        self.to = free.bit[to.index()];
        self.block = block;
        let there = !orbits.representative(block);
        let mut images = [0; Point::COUNT];
        for (i, &point) in free.points.iter().enumerate() {
            // The smaller side is not there when the larger moves there.
            images[i] = if point == to { 0 } else { bit_among(symmetry.point(point), there) };
            self.images[point.index()] = images[i];
        }
        self.map.set(&images[..free.points.len()]);
    }

    /// The word of the smaller side in the block reached.
    #[inline(always)]
    pub fn word(&self, word: u32) -> u32 {
        self.map.map(word)
    }

    /// The best for the larger side of the captures of one stone of the smaller, which stands on
    /// `word` and could lose `victims`.
    #[inline]
    pub fn capture_one(&self, word: u32, victims: Bitboard, captured: Captured<'_>) -> Code {
        let Captured::To(target) = captured else { return Code::Loss };
        let all = self.word(word);
        let mut best = Code::CaptureWins;
        for victim in victims {
            best = best.max(target.get(self.block, all ^ self.images[victim.index()]));
            if best == Code::Loss {
                break;
            }
        }
        best
    }

    /// The same for two captures, one after the other.
    pub fn capture_two(&self, word: u32, stones: Bitboard, captured: Captured<'_>) -> Code {
        let Captured::To(target) = captured else { return Code::Loss };
        let all = self.word(word);
        let mut best = Code::CaptureWins;
        for (first, second) in two_victims(stones) {
            let rest = all ^ self.images[first.index()] ^ self.images[second.index()];
            best = best.max(target.get(self.block, rest));
        }
        best
    }
}

/// All that two captures can take of a set, one after the other; the same two may come twice.
fn two_victims(stones: Bitboard) -> impl Iterator<Item = (Point, Point)> {
    capturable(stones).into_iter().flat_map(move |first| {
        let rest = stones.without(first.bit());
        capturable(rest).into_iter().map(move |second| (first, second))
    })
}

/// Captures by the smaller side from one block: what is left of the larger.
pub struct Losers<'a> {
    captured: Captured<'a>,
    how_many: u8,
    /// Whether the smaller side becomes the larger.
    swaps: bool,
    all: Vec<Loser>,
    used: usize,
    /// The best capture by the rank of the smaller side's word after its move; above a code where
    /// it has not been asked for.
    known: Vec<u8>,
    ranks: &'static Subsets,
}

/// The stones that the larger side has left.
struct Loser {
    left: Bitboard,
    block: usize,
    map: Box<BitMap>,
}

const UNKNOWN: u8 = 4;

impl<'a> Losers<'a> {
    /// For `how_many` captures, which lead to `captured`, by a smaller side that has `stones` after
    /// its move and a larger side that has `larger` before them.
    pub fn new(captured: Captured<'a>, how_many: u8, larger: u8, ranks: &'static Subsets) -> Self {
        let swaps = match &captured {
            Captured::To(target) => target.pair().larger() != larger - how_many,
            Captured::EndsTheGame => false,
        };
        let known = vec![UNKNOWN; ranks.words.len()];
        Self { captured, how_many, swaps, all: Vec::new(), used: 0, known, ranks }
    }

    /// Turns to the block of `free`.
    pub fn set(&mut self, free: &Block) {
        self.used = 0;
        let Captured::To(target) = self.captured else { return };
        self.known.fill(UNKNOWN);
        let mut left: Vec<Bitboard> = match self.how_many {
            1 => {
                capturable(free.larger).into_iter().map(|v| free.larger.without(v.bit())).collect()
            }
            _ => two_victims(free.larger)
                .map(|(one, other)| free.larger.without(one.bit() | other.bit()))
                .collect(),
        };
        left.sort_unstable_by_key(|left| left.bits());
        left.dedup();
        for left in left {
            if self.used == self.all.len() {
                self.all.push(Loser { left, block: 0, map: BitMap::new() });
            }
            let loser = &mut self.all[self.used];
            self.used += 1;
            loser.left = left;
            if self.swaps {
                continue;
            }
            let (block, symmetry) = target.orbits.find(left);
            loser.block = block;
            let there = !target.orbits.representative(block);
            let mut images = [0; Point::COUNT];
            for (image, &point) in images.iter_mut().zip(&free.points) {
                *image = bit_among(symmetry.point(point), there);
            }
            loser.map.set(&images[..free.points.len()]);
        }
    }

    /// The best capture for the smaller side when it stands on `word` after its move.
    #[inline]
    pub fn best(&mut self, free: &Block, word: u32) -> Code {
        let Captured::To(target) = self.captured else { return Code::Loss };
        let rank = self.ranks.rank(word);
        if self.known[rank] != UNKNOWN {
            return Code::of_bits(self.known[rank]);
        }
        let losers = &self.all[..self.used];
        let best = if self.swaps {
            let stones = free.stones(word);
            let (block, symmetry) = target.orbits.find(stones);
            let there = !target.orbits.representative(block);
            best_of(
                losers
                    .iter()
                    .map(|loser| target.get(block, compress(symmetry.set(loser.left), there))),
            )
        } else {
            best_of(losers.iter().map(|loser| target.get(loser.block, loser.map.map(word))))
        };
        self.known[rank] = best as u8;
        best
    }
}

#[inline(always)]
fn best_of(codes: impl Iterator<Item = Code>) -> Code {
    let mut best = Code::CaptureWins;
    for code in codes {
        best = best.max(code);
        if best == Code::Loss {
            break;
        }
    }
    best
}
