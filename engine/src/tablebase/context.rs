//! What is known of a position before its value is read: the context that predicts it.
//!
//! Values are read part by part, in the order of their numbers. The best predictor of a value is
//! that of the positions which one slide of the smaller side away come earlier in the same part;
//! next come whether either side can close a mill and how many moves each has. The encoder and the
//! decoder walk over a part with the same code, so that they see the same contexts.

use std::ops::Range;

use super::block::{Block, Slides, Subsets, Tally, count_closing_flights};
use super::cpu::at_full_speed;
use super::index::{Orbits, Place};
use super::model::Kind;
use super::scan::each_equal;
use super::sector::{Pair, Sector};
use crate::types::Bitboard;

/// The most positions of a part.
pub(super) const PART: usize = 2048;

/// The side to move wins.
pub const WIN: u8 = 0;
/// Neither side can win.
pub const DRAW: u8 = 1;
/// The side to move loses.
pub const LOSS: u8 = 2;

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
    pub fn find(self, Place { block, rank }: Place) -> (usize, usize) {
        if self.parts_per_block == 1 {
            let blocks = self.part_len as u32 / self.block_len as u32;
            let (part, before) = (block / blocks, block % blocks);
            return (part as usize, before as usize * self.block_len + rank as usize);
        }
        let (before, within) = (rank / self.part_len as u32, rank % self.part_len as u32);
        (block as usize * self.parts_per_block + before as usize, within as usize)
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

impl Wdl {
    /// The contexts of a position if there is none but draws before it.
    pub fn after_draws() -> impl Iterator<Item = u32> {
        (0..Self::CONTEXTS).filter(|context| {
            let rest = context / (36 * 2 * 4);
            let (previous, [wins, losses]) = (rest % 3, [rest / 48, rest / 3 % 4]);
            previous == u32::from(DRAW) && wins == 0 && losses == 0
        })
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

/// Positions that are looked at together, step by step, so that a step works on several at once.
const TOGETHER: usize = 32;

/// Three counters of five bits each as three of two bits, which stop at 3.
static FEW: [u8; 1 << 15] = {
    let mut few = [0; 1 << 15];
    let mut counters = 0;
    while counters < few.len() {
        let (wins, draws, losses) = (counters & 0x1F, counters >> 5 & 0x1F, counters >> 10);
        let [wins, draws, losses] = [at_most_3(wins), at_most_3(draws), at_most_3(losses)];
        few[counters] = wins << 4 | draws << 2 | losses;
        counters += 1;
    }
    few
};

const fn at_most_3(count: usize) -> u8 {
    if count < 3 { count as u8 } else { 3 }
}

/// How the smaller side closes mills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum MovesAs {
    /// Both sides place.
    Placing,
    /// It slides.
    Sliding,
    /// It has three stones and flies.
    Flying,
}

impl MovesAs {
    const fn of(sector: Sector) -> Self {
        if sector.is_placing() {
            Self::Placing
        } else if sector.pair().smaller() == 3 {
            Self::Flying
        } else {
            Self::Sliding
        }
    }
}

/// What looks at several positions find.
struct Looks {
    /// The slides of the smaller side to positions with smaller numbers.
    falls: [u32; TOGETHER],
    /// Those to positions with larger numbers.
    rises: [u32; TOGETHER],
    /// Whether the side to move can close a mill.
    we_close: [u32; TOGETHER],
    /// How many mills the other side could close; at most three.
    they_close: [u32; TOGETHER],
    /// How many moves either side has, each in six steps.
    moves: [u32; TOGETHER],
}

/// What positions that are looked at together have that does not depend on the symbols before.
struct Group {
    rises: [u32; TOGETHER],
    /// How many positions one slide earlier there are in the same piece.
    earlier: [u32; TOGETHER],
    /// The part of the contexts that tells of the position alone.
    alone: [u32; TOGETHER],
}

/// What positions tell those one slide later of their symbols.
///
/// In most pieces most symbols are alike. So it is taken for granted that every position tells of the
/// usual symbol, and only the others go to the trouble of saying how they differ.
#[derive(Clone, Copy)]
struct Telling {
    usual: u8,
    /// Of each symbol how it differs, in three counters of five bits: one more of this symbol, one
    /// less of the usual.
    differences: [u16; 3],
}

impl Telling {
    fn new(usual: u8) -> Self {
        let one = |symbol| 1_u16 << (5 * symbol);
        let differences = [WIN, DRAW, LOSS].map(|s| one(s).wrapping_sub(one(usual)));
        Self { usual, differences }
    }
}

/// At least as many as a block of any pair has positions.
const MOST_TOLD: usize = 1 << 15;

/// The context of a position but for the symbol before it.
#[derive(Clone, Copy, Debug)]
pub struct Situation(u32);

impl Situation {
    /// How far the contexts after two symbols lie apart.
    const APART: u32 = 4 * 2 * 36;

    /// The context after a symbol.
    #[inline(always)]
    #[must_use]
    pub const fn after(self, previous: u8) -> u32 {
        self.0 + previous as u32 * Self::APART
    }
}

/// Says the symbol of one position after another. It is handed on by value and back, so that its state
/// stays in the processor's registers on the way through a piece.
pub trait Coder {
    /// The symbol of a position, given its place in the range that is gone over, its situation, and the
    /// symbol before it. Mostly it is the one before it again, but not so often that guessing it would
    /// pay: so nothing should be made to wait for `previous` that can be done for each of the three.
    fn code(&mut self, place: usize, situation: Situation, previous: u8) -> u8;
}

/// By place and context.
impl<F: FnMut(usize, u32) -> u8> Coder for F {
    #[inline(always)]
    fn code(&mut self, place: usize, situation: Situation, previous: u8) -> u8 {
        self(place, situation.after(previous))
    }
}

/// Walks over the positions of a sector in the order of their numbers.
#[derive(Debug)]
pub struct Walk {
    pair: Pair,
    larger_moves: bool,
    moves_as: MovesAs,
    subsets: &'static Subsets,
    block: Block,
    at: Option<usize>,
    /// The moves of the larger side.
    moves: Tally,
    /// Those of them that close a mill.
    closing: Tally,
    /// What each position of a block tells those after it in the same piece, or has been told by those
    /// before it; 0 for all others. Room for more than a block has spares the bounds checks.
    told: Box<[u16; MOST_TOLD]>,
    /// The symbol that most positions of the last piece had.
    usual: u8,
    /// How many neighbours are looked up without a branch: a position rarely has more.
    near: usize,
    /// The places of the losses of a piece, and their words.
    losses: Vec<(u16, u32)>,
}

impl Walk {
    /// For the positions of a sector.
    #[must_use]
    pub fn new(sector: Sector) -> Self {
        let pair = sector.pair();
        Self {
            pair,
            larger_moves: sector.larger_moves(),
            moves_as: MovesAs::of(sector),
            subsets: Subsets::of(pair),
            block: Block::new(),
            at: None,
            moves: Tally::default(),
            closing: Tally::default(),
            told: Box::new([0; MOST_TOLD]),
            usual: DRAW,
            // Each stone has one and a half slides down, some of them barred.
            near: (usize::from(pair.smaller()) + 1).min(6),
            losses: Vec::with_capacity(PART),
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
        self.closing = if self.moves_as == MovesAs::Placing {
            let [first, second] = larger.completing();
            Tally::of_points(&self.block, first | second)
        } else {
            Tally::of_moves(&self.block, |closes| closes)
        };
    }

    /// Looks at the positions of some words of the block.
    fn survey(&self, words: &[u32; TOGETHER]) -> Looks {
        const PLACING: u8 = MovesAs::Placing as u8;
        const SLIDING: u8 = MovesAs::Sliding as u8;
        const FLYING: u8 = MovesAs::Flying as u8;
        at_full_speed!(match (self.larger_moves, self.moves_as) {
            (false, MovesAs::Placing) => self.survey_as::<false, PLACING>(words),
            (false, MovesAs::Sliding) => self.survey_as::<false, SLIDING>(words),
            (false, MovesAs::Flying) => self.survey_as::<false, FLYING>(words),
            (true, MovesAs::Placing) => self.survey_as::<true, PLACING>(words),
            (true, MovesAs::Sliding) => self.survey_as::<true, SLIDING>(words),
            (true, MovesAs::Flying) => self.survey_as::<true, FLYING>(words),
        })
    }

    #[inline(always)]
    fn survey_as<const LARGER_MOVES: bool, const MOVES_AS: u8>(
        &self,
        words: &[u32; TOGETHER],
    ) -> Looks {
        let mut stones = [Bitboard::EMPTY; TOGETHER];
        for (stones, &word) in stones.iter_mut().zip(words) {
            *stones = self.block.stones(word);
        }
        let (larger, all_moves, all_closing) = (self.block.larger, self.moves, self.closing);
        let none = [0; TOGETHER];
        let mut looks =
            Looks { falls: none, rises: none, we_close: none, they_close: none, moves: none };
        for i in 0..TOGETHER {
            let (word, stones) = (words[i], stones[i]);
            let empty = !(stones | larger);
            let slides = Slides::of(stones, empty);
            let (moves, closing) = if MOVES_AS == MovesAs::Flying as u8 {
                (3 * empty.len(), count_closing_flights(stones, empty))
            } else if MOVES_AS == MovesAs::Placing as u8 {
                let [first, second] = stones.completing();
                (slides.all.count_ones(), ((first | second) & empty).len())
            } else {
                (slides.all.count_ones(), slides.closing.count_ones())
            };
            let larger_side = (all_moves.count(word), all_closing.count(word));
            let (us, them) = if LARGER_MOVES {
                (larger_side, (moves, closing))
            } else {
                ((moves, closing), larger_side)
            };
            looks.falls[i] = slides.falls;
            looks.rises[i] = slides.all & !slides.falls;
            looks.we_close[i] = us.1.min(1);
            looks.they_close[i] = them.1.min(3);
            looks.moves[i] = us.0.min(10) / 2 * 6 + them.0.min(10) / 2;
        }
        looks
    }

    /// Calls `hear` with what each position one slide of the smaller side earlier has told, and
    /// perhaps some times with nothing told.
    #[inline(always)]
    fn each_told(&self, word: u32, mut falls: u32, mut hear: impl FnMut(u16)) {
        // Each position has another number of neighbours, and guessing it wrongly costs more than a
        // few idle steps.
        for _ in 0..self.near {
            // Without a slide it is the position itself, which has told nothing yet.
            hear(self.told[self.place(word ^ self.block.first_edge_mask(falls))]);
            falls &= falls.wrapping_sub(1);
        }
        while falls != 0 {
            hear(self.told[self.place(word ^ self.block.first_edge_mask(falls))]);
            falls &= falls - 1;
        }
    }

    /// Where in `told` a position has its place.
    #[inline(always)]
    fn place(&self, word: u32) -> usize {
        self.subsets.rank(word) % MOST_TOLD
    }

    /// Goes over a range of numbers. The coder says each symbol, which also goes to `symbols`.
    ///
    /// # Panics
    /// If `symbols` is longer than the range or the range not within the sector. If it is shorter,
    /// only its beginning is gone over.
    #[inline]
    pub fn wdl(&mut self, range: &Range<usize>, symbols: &mut [u8], coder: impl Coder) {
        self.wdl_on(range, 0, symbols, coder);
    }

    /// The same from some place on; the symbols before that are known. Gives the coder back.
    ///
    /// # Panics
    /// As [`Self::wdl`].
    #[inline]
    pub fn wdl_on<C: Coder>(
        &mut self,
        range: &Range<usize>,
        known: usize,
        symbols: &mut [u8],
        mut coder: C,
    ) -> C {
        let range = range.start..range.start + symbols.len().min(range.len());
        for (block, ranks, offset) in pieces(self.pair.block_len(), &range) {
            let known = known.saturating_sub(offset);
            if known >= ranks.len() {
                continue;
            }
            self.turn_to(block);
            let symbols = &mut symbols[offset..offset + ranks.len()];
            coder = at_full_speed!(self.wdl_piece((ranks, offset), known, symbols, coder));
        }
        coder
    }

    #[inline(always)]
    fn wdl_piece<C: Coder>(
        &mut self,
        (ranks, offset): (Range<usize>, usize),
        known: usize,
        symbols: &mut [u8],
        mut coder: C,
    ) -> C {
        let all = &self.subsets.words[ranks.clone()];
        let telling = Telling::new(self.usual);
        let within = self.block.edges_within(all);
        for (&word, &symbol) in all.iter().zip(&symbols[..known]) {
            if symbol != telling.usual {
                let stones = self.block.stones(word);
                let slides = Slides::of(stones, !(stones | self.block.larger));
                let rises = slides.all & !slides.falls & within;
                self.tell(word, rises, telling.differences[usize::from(symbol)]);
            }
        }
        let mut previous = if known == 0 { DRAW } else { symbols[known - 1] };
        let rest = all[known..].chunks(TOGETHER).zip(symbols[known..].chunks_mut(TOGETHER));
        for (i, (words, symbols)) in rest.enumerate() {
            let group = self.group(words, all[0], within);
            let start = known + i * TOGETHER;
            let told = ranks.start + start;
            for (j, symbol) in symbols.iter_mut().enumerate() {
                let near = self.told[(told + j) % MOST_TOLD]
                    .wrapping_add((group.earlier[j] << (5 * telling.usual)) as u16);
                let near = u32::from(FEW[usize::from(near) & 0x7FFF]);
                let situation = Situation(near * 3 * Situation::APART + group.alone[j]);
                *symbol = coder.code(offset + start + j, situation, previous);
                previous = *symbol;
                if previous != telling.usual {
                    let difference = telling.differences[usize::from(previous)];
                    self.tell(words[j], group.rises[j], difference);
                }
            }
        }
        // Those after the piece have been told things, too.
        self.told[ranks.start..self.pair.block_len()].fill(0);
        self.usual = usual(symbols);
        coder
    }

    /// Looks at the positions of some words of a piece that begins with the word `first` and is left
    /// by all slides but those along the edges `within`.
    #[inline(always)]
    fn group(&self, words: &[u32], first: u32, within: u32) -> Group {
        let filled = filled(words);
        let Looks { falls, mut rises, we_close, they_close, moves } = self.survey(&filled);
        rises.iter_mut().for_each(|rises| *rises &= within);
        let (mut earlier, mut alone) = ([0; TOGETHER], [0; TOGETHER]);
        for i in 0..TOGETHER {
            alone[i] = (they_close[i] * 2 + we_close[i]) * 36 + moves[i];
        }
        if first == self.subsets.words[0] {
            for i in 0..TOGETHER {
                earlier[i] = falls[i].count_ones();
            }
        } else {
            for (edge, mask) in self.block.slides() {
                for i in 0..TOGETHER {
                    let is_within = u32::from((filled[i] ^ mask) as i32 >= first as i32);
                    earlier[i] += falls[i] >> edge & is_within;
                }
            }
        }
        Group { rises, earlier, alone }
    }

    /// Tells the positions that slides lead to.
    #[inline(always)]
    fn tell(&mut self, word: u32, mut slides: u32, what: u16) {
        while slides != 0 {
            let place = self.place(word ^ self.block.first_edge_mask(slides));
            self.told[place] = self.told[place].wrapping_add(what);
            slides &= slides - 1;
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
            let words = &self.subsets.words[ranks.clone()];
            self.losses.clear();
            each_equal(symbols, LOSS, |place| self.losses.push((place as u16, words[place])));
            if self.losses.is_empty() {
                continue;
            }
            self.turn_to(block);
            at_full_speed!(
                self.distance_piece(ranks.start, distances, |place, c| code(offset + place, c))
            );
            self.told[ranks].fill(0);
        }
    }

    #[inline(always)]
    fn distance_piece(
        &mut self,
        start: usize,
        distances: &mut [u8],
        mut code: impl FnMut(usize, u32) -> u8,
    ) {
        let losses = std::mem::take(&mut self.losses);
        // One more than a distance, so that 0 means none.
        let mut previous = 0;
        for losses in losses.chunks(TOGETHER) {
            let mut words = [losses[0].1; TOGETHER];
            for (word, loss) in words.iter_mut().zip(losses) {
                *word = loss.1;
            }
            let looks = self.survey(&words);
            for (i, &(place, word)) in losses.iter().enumerate() {
                let (mut shortest, mut longest) = (0x7F, 0);
                self.each_told(word, looks.falls[i], |told| {
                    let told = u32::from(told);
                    longest = told.max(longest);
                    // Nothing told is no distance.
                    shortest = told.wrapping_sub(1).min(shortest);
                });
                let (shortest, longest) =
                    if longest == 0 { (0, previous) } else { ((shortest + 1).min(0x7F), longest) };
                let context = (shortest << 7 | longest.min(0x7F)) << 3
                    | looks.they_close[i] << 1
                    | looks.we_close[i];
                let distance = code(place.into(), context);
                distances[usize::from(place)] = distance;
                previous = u32::from(distance) + 1;
                self.told[(start + usize::from(place)) % MOST_TOLD] = u16::from(distance) + 1;
            }
        }
        self.losses = losses;
    }
}

/// The symbol that comes most often.
#[inline(always)]
fn usual(symbols: &[u8]) -> u8 {
    let count = |symbol| symbols.iter().map(|&s| u16::from(s == symbol)).sum::<u16>();
    let [wins, draws, losses] = [WIN, DRAW, LOSS].map(count);
    if draws >= wins.max(losses) {
        DRAW
    } else if wins >= losses {
        WIN
    } else {
        LOSS
    }
}

/// The words, and the first of them again in the places that are left.
#[inline(always)]
fn filled(words: &[u32]) -> [u32; TOGETHER] {
    match <[u32; TOGETHER]>::try_from(words) {
        Ok(words) => words,
        Err(_) => {
            let mut all = [words[0]; TOGETHER];
            all[..words.len()].copy_from_slice(words);
            all
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
                assert_eq!(parts.find(pair.split(range.start)), (part, 0));
                assert_eq!(parts.find(pair.split(range.end - 1)), (part, range.len() - 1));
                next = range.end;
            }
            assert_eq!(next, pair.len());
        }
    }
}
