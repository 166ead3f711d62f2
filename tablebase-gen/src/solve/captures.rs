//! What the captures of a position are worth.
//!
//! A capture leads to a sector with a stone less, solved before; so its worth is known from the
//! start and never changes.

use merel_engine::tablebase::bit_map::BitMap;
use merel_engine::tablebase::block::{
    Block, Edge, Subsets, capturable, closing_flights, closing_slides, count_closing_flights, edges,
};
use merel_engine::tablebase::index::{Orbits, bit_among};
use merel_engine::tablebase::{Pair, Sector};
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

/// The most stones that can be captured from.
const MOST_STONES: usize = Sector::MOST as usize;

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
    /// The points at which it closes mills, for [`Self::all_best`].
    targets: Vec<Target>,
}

/// A point at which the larger side can close a mill.
struct Target {
    to_bit: u32,
    /// The best worth of the ways to close it, by what the smaller side has left.
    worths: Vec<Worth>,
}

/// One mill that the larger side can close.
struct Way {
    edge: Edge,
    to_bit: u32,
    /// Whether the rest is that of this block.
    is_ready: bool,
    /// Where the block of the values starts.
    start: usize,
    map: Box<BitMap>,
    /// The image of each free point.
    images: [u32; Point::COUNT],
}

impl Way {
    fn prepare(&mut self, solved: &Solved, free: &Block) {
        self.is_ready = true;
        self.start = self.edge.block * solved.pair.block_len();
        let there = !Orbits::of(solved.pair.larger()).representative(self.edge.block);
        let mut images = [0; Point::COUNT];
        for (i, &point) in free.points.iter().enumerate() {
            let image = if point == self.edge.to {
                0
            } else {
                bit_among(self.edge.symmetry.point(point), there)
            };
            images[i] = image;
            self.images[point.index()] = image;
        }
        self.map.set(&images[..free.points.len()]);
    }
}

impl<'a> LargerCaptures<'a> {
    /// `solved` holds the values that its captures lead to; `None` when they end the game.
    pub fn new(solved: Option<&'a Solved>, ranks: Option<&'a Subsets>) -> Self {
        Self { solved, ranks, ways: Vec::new(), used: 0, targets: Vec::new() }
    }

    /// Turns to the block of `free`.
    pub fn set(&mut self, free: &Block) {
        self.used = 0;
        for edge in edges(free.larger).filter(|e| e.closes) {
            let to_bit = free.bit[edge.to.index()];
            match self.ways.get_mut(self.used) {
                Some(way) => (way.edge, way.to_bit, way.is_ready) = (edge, to_bit, false),
                None => self.ways.push(Way {
                    edge,
                    to_bit,
                    is_ready: false,
                    start: 0,
                    map: BitMap::new(),
                    images: [0; Point::COUNT],
                }),
            }
            self.used += 1;
        }
    }

    /// The worth of the best capture with the smaller side on `word`, whose points are `stones`.
    #[inline(always)]
    pub fn best(&mut self, free: &Block, word: u32, stones: Bitboard) -> Worth {
        let mut best = Worth::NONE;
        let mut victims = None;
        for way in &mut self.ways[..self.used] {
            if way.to_bit & word != 0 {
                continue;
            }
            let (Some(solved), Some(ranks)) = (self.solved, self.ranks) else {
                return Worth::ENDS_THE_GAME;
            };
            if !way.is_ready {
                way.prepare(solved, free);
            }
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

impl LargerCaptures<'_> {
    /// [`Self::best`] for all words of the block, which are `words`; `best` is as long.
    ///
    /// What a capture is worth depends on the mill and on the stones that are left, of which there
    /// are fewer sets than of those before: so it is found once for each of them.
    #[inline(always)]
    pub fn all_best(&mut self, free: &Block, words: &[u32], best: &mut [Worth]) {
        let all_targets = self.ways[..self.used].iter().fold(0, |all, way| all | way.to_bit);
        let (Some(solved), Some(ranks)) = (self.solved, self.ranks) else {
            for (best, &word) in best.iter_mut().zip(words) {
                let is_open = all_targets & !word != 0;
                *best = if is_open { Worth::ENDS_THE_GAME } else { Worth::NONE };
            }
            return;
        };
        if all_targets == 0 {
            best.fill(Worth::NONE);
            return;
        }
        self.find_targets(solved, ranks, free, all_targets);
        let targets = &self.targets[..all_targets.count_ones() as usize];
        for (best, &word) in best.iter_mut().zip(words) {
            *best = Worth::NONE;
            if all_targets & !word == 0 {
                continue;
            }
            let (mut left, mut count) = ([0; MOST_STONES], 0);
            for victim in capturable(free.stones(word)) {
                left[count] = ranks.rank(word ^ free.bit[victim.index()]);
                count += 1;
            }
            for target in targets.iter().filter(|target| target.to_bit & word == 0) {
                for &left in &left[..count] {
                    *best = target.worths[left].max(*best);
                }
            }
        }
    }

    /// Finds what all captures in the block are worth, by the point at which a mill is closed.
    #[inline(always)]
    fn find_targets(&mut self, solved: &Solved, ranks: &Subsets, free: &Block, all_targets: u32) {
        let count = all_targets.count_ones() as usize;
        if self.targets.len() < count {
            let fresh = || Target { to_bit: 0, worths: vec![Worth::NONE; ranks.words.len()] };
            self.targets.resize_with(count, fresh);
        }
        let mut rest = all_targets;
        for target in &mut self.targets[..count] {
            target.to_bit = rest & rest.wrapping_neg();
            rest &= rest - 1;
            target.worths.fill(Worth::NONE);
            let ways = self.ways[..self.used].iter_mut();
            for way in ways.filter(|way| way.to_bit == target.to_bit) {
                way.prepare(solved, free);
                let values = &solved.values[way.start..way.start + ranks.words.len()];
                for (worth, &left) in target.worths.iter_mut().zip(&ranks.words) {
                    if left & target.to_bit != 0 {
                        continue;
                    }
                    let through = THROUGH[usize::from(values[ranks.rank(way.map.map(left))])];
                    *worth = through.max(*worth);
                }
            }
        }
    }
}

/// The captures of the smaller side of an uneven pair in one block.
pub struct SmallerCaptures<'a> {
    solved: &'a Solved,
    ranks: &'a Subsets,
    victims: Vec<Victim>,
    /// How many there are in this block; `None` before they are looked for.
    used: Option<usize>,
}

/// A stone of the larger side that can be captured.
struct Victim {
    start: usize,
    map: Box<BitMap>,
}

impl<'a> SmallerCaptures<'a> {
    /// `solved` holds the values that its captures lead to, of a pair whose larger side is this
    /// block's with a stone less.
    pub fn new(solved: &'a Solved, ranks: &'a Subsets) -> Self {
        Self { solved, ranks, victims: Vec::new(), used: None }
    }

    /// Turns to another block.
    pub fn leave(&mut self) {
        self.used = None;
    }

    fn victims(&mut self, free: &Block) -> &[Victim] {
        let used = self.used.unwrap_or_else(|| self.find_victims(free));
        self.used = Some(used);
        &self.victims[..used]
    }

    #[cold]
    fn find_victims(&mut self, free: &Block) -> usize {
        let orbits = Orbits::of(self.solved.pair.larger());
        let mut used = 0;
        for victim in capturable(free.larger) {
            if used == self.victims.len() {
                self.victims.push(Victim { start: 0, map: BitMap::new() });
            }
            let entry = &mut self.victims[used];
            used += 1;
            let (block, symmetry) = orbits.find(free.larger.without(victim.bit()));
            entry.start = block * self.solved.pair.block_len();
            let there = !orbits.representative(block);
            let mut images = [0; Point::COUNT];
            for (image, &point) in images.iter_mut().zip(&free.points) {
                *image = bit_among(symmetry.point(point), there);
            }
            entry.map.set(&images[..free.points.len()]);
        }
        used
    }

    /// The worth of the best capture in a position.
    pub fn best(&mut self, free: &Block, word: u32, stones: Bitboard) -> Worth {
        let mut best = Worth::NONE;
        each_closed(free, word, stones, |after| best = best.max(self.after(free, after)));
        best
    }

    /// The worth of the best capture when a mill has been closed.
    pub fn after(&mut self, free: &Block, word: u32) -> Worth {
        let (values, ranks) = (&self.solved.values, self.ranks);
        let worth = |victim: &Victim| {
            THROUGH[usize::from(values[victim.start + ranks.rank(victim.map.map(word))])]
        };
        self.victims(free).iter().map(worth).max().unwrap_or(Worth::NONE)
    }

    /// [`Self::after`] for all words with a mill, which are `closed`, each with its place. It goes to
    /// that place of `worths`.
    #[inline(always)]
    pub fn all_after(&mut self, free: &Block, closed: &[(u32, u32)], worths: &mut [Worth]) {
        for &(place, _) in closed {
            worths[place as usize] = Worth::NONE;
        }
        let (solved, ranks) = (self.solved, self.ranks);
        for victim in self.victims(free) {
            let values = &solved.values[victim.start..];
            for &(place, word) in closed {
                let worth = THROUGH[usize::from(values[ranks.rank(victim.map.map(word))])];
                let best = &mut worths[place as usize];
                *best = worth.max(*best);
            }
        }
    }
}

/// Calls `closed` with the word after each of the smaller side's moves that close a mill.
#[inline(always)]
pub fn each_closed(free: &Block, word: u32, stones: Bitboard, mut closed: impl FnMut(u32)) {
    let empty = !(stones | free.larger);
    if word.count_ones() == 3 {
        // Most positions have none, and counting is faster than looking for them.
        if count_closing_flights(stones, empty) > 0 {
            for (from, to) in closing_flights(stones, free.larger) {
                closed(word ^ free.bit[from.index()] ^ free.bit[to.index()]);
            }
        }
        return;
    }
    let mut closing = closing_slides(stones, empty);
    while closing != 0 {
        closed(word ^ free.first_edge_mask(closing));
        closing &= closing - 1;
    }
}
