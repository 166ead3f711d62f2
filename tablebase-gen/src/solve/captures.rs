//! What the captures of a position are worth.
//!
//! A capture leads to a sector with a stone less, solved before; so its worth is known from the
//! start and never changes.

use merel_engine::tablebase::Pair;
use merel_engine::tablebase::bit_map::BitMap;
use merel_engine::tablebase::block::{
    Block, Subsets, capturable, closing_flights, closing_slides, count_closing_flights, edges,
};
use merel_engine::tablebase::index::{Orbits, bit_among};
use merel_engine::{Bitboard, Point};

use super::codes::DRAW;
use crate::memory::Bytes;

/// The finished values of a sector that captures lead to, its side to move being the one that has
/// lost a stone.
#[derive(Debug)]
pub struct Solved {
    /// The pair it belongs to.
    pub pair: Pair,
    /// One byte a position: plies to the end, odd when the side to move wins, or [`DRAW`].
    pub values: Bytes,
}

/// The worth of the best capture, ordered: longer losses, draws, longer wins, shorter wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Worth(u16);

/// What a position is worth, as far as its captures tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Best {
    /// It has no capture.
    None,
    /// All captures lose, the longest in so many plies.
    Loss(u8),
    /// The best capture draws.
    Draw,
    /// The best capture wins in so many plies.
    Win(u8),
}

impl Worth {
    /// No capture at all.
    pub const NONE: Self = Self(0);
    /// A capture that leaves the opponent two stones.
    pub const ENDS_THE_GAME: Self = Self::win(1);

    const fn win(plies: u8) -> Self {
        Self(0x200 + DRAW as u16 - plies as u16)
    }

    /// What a capture is worth by the value of the position that it leads to.
    const fn through(value: u8) -> Self {
        match value {
            DRAW => Self(0x200),
            // The solver makes sure of room above the largest value.
            even if even.is_multiple_of(2) => Self::win(even + 1),
            odd => Self(odd as u16 + 1),
        }
    }

    /// What it means.
    pub const fn best(self) -> Best {
        match self.0 {
            0 => Best::None,
            0x200 => Best::Draw,
            0x201.. => Best::Win((0x200 + DRAW as u16 - self.0) as u8),
            plies => Best::Loss(plies as u8),
        }
    }
}

/// [`Worth::through`] of every value.
static THROUGH: [Worth; 256] = {
    let mut worth = [Worth::NONE; 256];
    let mut value = 0;
    while value < 256 {
        worth[value] = Worth::through(value as u8);
        value += 1;
    }
    worth
};

/// The captures of the larger side in one block.
pub struct LargerCaptures<'a> {
    solved: Option<&'a Solved>,
    ranks: Option<&'a Subsets>,
    ways: Vec<Way>,
    used: usize,
}

/// One mill that the larger side can close.
struct Way {
    to_bit: u32,
    /// Where the block of the values starts.
    start: usize,
    map: Box<BitMap>,
    /// The image of each free point.
    images: [u32; Point::COUNT],
}

impl<'a> LargerCaptures<'a> {
    /// `solved` holds the values that its captures lead to; `None` when they end the game.
    pub fn new(solved: Option<&'a Solved>, ranks: Option<&'a Subsets>) -> Self {
        Self { solved, ranks, ways: Vec::new(), used: 0 }
    }

    /// Turns to the block of `free`.
    pub fn set(&mut self, free: &Block) {
        self.used = 0;
        let orbits = Orbits::of(free.larger.len() as u8);
        for edge in edges(free.larger).filter(|e| e.closes) {
            if self.used == self.ways.len() {
                self.ways.push(Way {
                    to_bit: 0,
                    start: 0,
                    map: BitMap::new(),
                    images: [0; Point::COUNT],
                });
            }
            let way = &mut self.ways[self.used];
            self.used += 1;
            way.to_bit = free.bit[edge.to.index()];
            let Some(solved) = self.solved else { continue };
            way.start = edge.block * solved.pair.block_len();
            let there = !orbits.representative(edge.block);
            way.images = [0; Point::COUNT];
            let mut images = [0; 21];
            for (i, &point) in free.points.iter().enumerate() {
                if point != edge.to {
                    images[i] = bit_among(edge.symmetry.point(point), there);
                    way.images[point.index()] = images[i];
                }
            }
            way.map.set(&images[..free.points.len()]);
        }
    }

    /// Whether the block has no capture at all.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The worth of the best capture with the smaller side on `word`, whose points are `stones`.
    #[inline]
    pub fn best(&self, word: u32, stones: Bitboard) -> Worth {
        let mut best = Worth::NONE;
        let mut victims = None;
        for way in &self.ways[..self.used] {
            if way.to_bit & word != 0 {
                continue;
            }
            let (Some(solved), Some(ranks)) = (self.solved, self.ranks) else {
                return Worth::ENDS_THE_GAME;
            };
            let values = &solved.values[way.start..];
            let all = way.map.map(word);
            for victim in *victims.get_or_insert_with(|| capturable(stones)) {
                let value = values[ranks.rank(all ^ way.images[victim.index()])];
                best = best.max(THROUGH[usize::from(value)]);
            }
        }
        best
    }
}

/// The captures of the smaller side in one block.
pub struct SmallerCaptures<'a> {
    solved: Option<&'a Solved>,
    ranks: Option<&'a Subsets>,
    victims: Vec<Victim>,
    used: usize,
}

/// A stone of the larger side that can be captured.
struct Victim {
    start: usize,
    map: Box<BitMap>,
}

impl<'a> SmallerCaptures<'a> {
    /// `solved` holds the values that its captures lead to, of a pair whose larger side is this
    /// block's with a stone less; `None` when they end the game.
    pub fn new(solved: Option<&'a Solved>, ranks: Option<&'a Subsets>) -> Self {
        Self { solved, ranks, victims: Vec::new(), used: 0 }
    }

    /// Turns to the block of `free`.
    pub fn set(&mut self, free: &Block) {
        self.used = 0;
        let Some(solved) = self.solved else { return };
        let orbits = Orbits::of(free.larger.len() as u8 - 1);
        for victim in capturable(free.larger) {
            if self.used == self.victims.len() {
                self.victims.push(Victim { start: 0, map: BitMap::new() });
            }
            let entry = &mut self.victims[self.used];
            self.used += 1;
            let (block, symmetry) = orbits.find(free.larger.without(victim.bit()));
            entry.start = block * solved.pair.block_len();
            let there = !orbits.representative(block);
            let mut images = [0; 21];
            for (image, &point) in images.iter_mut().zip(&free.points) {
                *image = bit_among(symmetry.point(point), there);
            }
            entry.map.set(&images[..free.points.len()]);
        }
    }

    /// The worth of the best capture after the moves in `closing`, [`closing_slides`] of the smaller
    /// side, which stands on `word`.
    #[inline]
    pub fn best(&self, free: &Block, word: u32, mut closing: u32) -> Worth {
        let mut best = Worth::NONE;
        while closing != 0 {
            let after = word ^ free.edge_mask(closing.trailing_zeros());
            closing &= closing - 1;
            best = best.max(self.after(after));
        }
        best
    }

    /// The same for a smaller side of three stones, which flies.
    pub fn best_flying(&self, free: &Block, word: u32, stones: Bitboard) -> Worth {
        let mut best = Worth::NONE;
        for (from, to) in closing_flights(stones, free.larger) {
            best = best.max(self.after(word ^ free.bit[from.index()] ^ free.bit[to.index()]));
        }
        best
    }

    #[inline]
    fn after(&self, word: u32) -> Worth {
        let (Some(solved), Some(ranks)) = (self.solved, self.ranks) else {
            return Worth::ENDS_THE_GAME;
        };
        let mut best = Worth::NONE;
        for victim in &self.victims[..self.used] {
            let value = solved.values[victim.start + ranks.rank(victim.map.map(word))];
            best = best.max(THROUGH[usize::from(value)]);
        }
        best
    }
}

/// The best capture of the smaller side in a position, whichever way it moves.
#[inline]
pub fn best_of_smaller(
    captures: &SmallerCaptures<'_>,
    free: &Block,
    word: u32,
    stones: Bitboard,
    flies: bool,
) -> Worth {
    if flies {
        // Most positions have none, and counting is faster than looking for them.
        let closing = count_closing_flights(stones, !(stones | free.larger));
        return if closing == 0 { Worth::NONE } else { captures.best_flying(free, word, stones) };
    }
    let closing = closing_slides(stones, !(stones | free.larger));
    if closing == 0 { Worth::NONE } else { captures.best(free, word, closing) }
}
