//! The first look at every position: its captures, and how many quiet turns it has.

use merel_engine::tablebase::block::{Block, Tally, closing_slides, count_closing_flights, slides};
use merel_engine::{Bitboard, Point, at_full_speed};
use rayon::prelude::*;

use super::captures::{Best, LargerCaptures, SmallerCaptures, Worth, each_closed};
use super::codes::{Codes, DRAW};
use super::pending::CHUNK;
use super::{Job, Side};

/// The code of a position with so many quiet turns, whose captures are worth `best`.
#[inline(always)]
pub fn code(codes: Codes, best: Worth, quiet: u32) -> u8 {
    match best.best() {
        Best::Win(plies) => plies,
        Best::Draw => DRAW,
        Best::Loss(plies) if quiet == 0 => plies,
        Best::None if quiet == 0 => 0,
        Best::Loss(_) | Best::None => codes.open(quiet as u8),
    }
}

/// Gives the positions of a sector their first codes, block by block: `look` writes those of one
/// block, with something of the thread's own that `state` makes.
fn each_block<S>(
    job: &Job<'_>,
    side: &Side,
    values: &mut [u8],
    state: impl Fn() -> S + Send + Sync,
    look: impl Fn(&Block, &mut S, &mut [u8]) + Send + Sync,
) {
    values.par_chunks_mut(job.group_len()).enumerate().for_each_init(
        || (Block::new(), state()),
        |(free, state), (g, group)| {
            for (i, block_values) in group.chunks_mut(job.block_len).enumerate() {
                if job.is_stopped() {
                    return;
                }
                let block = g * job.group + i;
                free.set(job.orbits.representative(block));
                look(free, state, block_values);
                mark_decided(job.codes, side, block, block_values);
            }
        },
    );
}

/// Gives every position in which the larger side is to move its first code.
pub fn larger(job: &Job<'_>, values: &mut [u8]) {
    let state = || {
        let ways = LargerCaptures::new(job.after_larger, job.subsets_after_larger);
        (ways, vec![Worth::NONE; job.block_len])
    };
    each_block(job, &job.larger, values, state, |free, (ways, best), values| {
        ways.set(free);
        let quiet = Tally::of_moves(free, |closes| !closes);
        at_full_speed!({
            ways.all_best(free, &job.subsets.words, best);
            for ((value, &word), &best) in values.iter_mut().zip(&job.subsets.words).zip(&*best) {
                *value = code(job.codes, best, quiet.count(word));
            }
        });
    });
}

/// Positions that are looked at together.
pub const TOGETHER: usize = 32;

/// What the first look at the smaller side's turns needs.
struct Smaller<'a> {
    captures: SmallerCaptures<'a>,
    /// The words with a mill, each with its place.
    closed: Vec<(u32, u32)>,
    /// What closing such a mill is worth, by place.
    worths: Vec<Worth>,
    /// The best that flying stones can close, by place.
    best: Vec<Worth>,
}

/// Gives every position of an uneven pair in which the smaller side is to move its first code.
pub fn smaller(job: &Job<'_>, values: &mut [u8]) {
    let Some((solved, ranks)) = job.after_smaller.zip(job.subsets_after_smaller) else { return };
    let state = || Smaller {
        captures: SmallerCaptures::new(solved, ranks),
        closed: vec![(0, 0); job.block_len + 1],
        worths: vec![Worth::NONE; job.block_len],
        best: vec![Worth::NONE; job.block_len],
    };
    let flies = job.pair.smaller() == 3;
    each_block(job, &job.smaller, values, state, |free, state, values| {
        // Together they would be too long to be compiled into one function.
        if flies {
            state.look_at_flights(job, free);
            at_full_speed!(state.fly(job, free, values));
        } else {
            at_full_speed!(state.look_at_captures(job, free));
            at_full_speed!(state.slide(job, free, values));
        }
    });
}

impl Smaller<'_> {
    /// What a mill is worth does not depend on how it was closed: so it is found once for each set
    /// of stones with a mill, whatever moves lead there.
    #[inline(always)]
    fn look_at_captures(&mut self, job: &Job<'_>, free: &Block) {
        let mut count = 0;
        for (i, words) in job.subsets.words.chunks(TOGETHER).enumerate() {
            let stones = all_stones(free, words);
            let mut mills = [0; TOGETHER];
            for (mills, stones) in mills.iter_mut().zip(stones) {
                *mills = stones.in_mills().bits();
            }
            for (j, (&word, mills)) in words.iter().zip(mills).enumerate() {
                self.closed[count] = ((i * TOGETHER + j) as u32, word);
                count += usize::from(mills != 0);
            }
        }
        self.captures.leave();
        self.captures.all_after(free, &self.closed[..count], &mut self.worths);
    }

    #[inline(always)]
    fn slide(&self, job: &Job<'_>, free: &Block, values: &mut [u8]) {
        for (words, values) in job.subsets.words.chunks(TOGETHER).zip(values.chunks_mut(TOGETHER)) {
            let Turns { stones, closing, quiet } = Turns::of_smaller(free, words);
            for (i, (value, &word)) in values.iter_mut().zip(words).enumerate() {
                let mut best = Worth::NONE;
                if closing[i] != 0 {
                    each_closed(free, word, stones[i], |after| {
                        best = best.max(self.worths[job.subsets.rank(after)]);
                    });
                }
                *value = code(job.codes, best, quiet[i]);
            }
        }
    }

    /// Three stones that have closed a mill are all in it. So there are no more mills to close than
    /// lines, and each is reached from two of its points and any other.
    fn look_at_flights(&mut self, job: &Job<'_>, free: &Block) {
        self.best.fill(Worth::NONE);
        self.captures.leave();
        for line in lines().filter(|&line| (line & free.larger).is_empty()) {
            let mill = free.word(line);
            let worth = self.captures.after(free, mill);
            for other in 0..free.points.len() {
                let other = 1 << other;
                if other & mill != 0 {
                    continue;
                }
                for to in line {
                    let before = (mill ^ free.bit[to.index()]) | other;
                    let best = &mut self.best[job.subsets.rank(before)];
                    *best = worth.max(*best);
                }
            }
        }
    }

    #[inline(always)]
    fn fly(&self, job: &Job<'_>, free: &Block, values: &mut [u8]) {
        let words = job.subsets.words.chunks(TOGETHER);
        let together = values.chunks_mut(TOGETHER).zip(self.best.chunks(TOGETHER)).zip(words);
        for ((values, best), words) in together {
            let Turns { quiet, .. } = Turns::of_smaller(free, words);
            for ((value, &best), quiet) in values.iter_mut().zip(best).zip(quiet) {
                *value = code(job.codes, best, quiet);
            }
        }
    }
}

/// The lines of the board, each once.
fn lines() -> impl Iterator<Item = Bitboard> {
    Point::all().flat_map(|first| {
        let rest = first.line_partners().into_iter();
        let rest = rest.filter(move |rest| rest.into_iter().all(|p| p.index() > first.index()));
        rest.map(move |rest| rest | first.bit())
    })
}

/// The turns of the smaller side in several positions.
pub struct Turns {
    /// Where it stands.
    pub stones: [Bitboard; TOGETHER],
    /// Not 0 where it can close a mill.
    pub closing: [u32; TOGETHER],
    /// How many other turns it has.
    pub quiet: [u32; TOGETHER],
}

impl Turns {
    /// Those of the positions of some words, at most [`TOGETHER`].
    #[inline(always)]
    pub fn of_smaller(free: &Block, words: &[u32]) -> Self {
        let flies = words[0].count_ones() == 3;
        let stones = all_stones(free, words);
        let (mut closing, mut quiet) = ([0; TOGETHER], [0; TOGETHER]);
        for i in 0..TOGETHER {
            let empty = !(stones[i] | free.larger);
            if flies {
                closing[i] = count_closing_flights(stones[i], empty);
                quiet[i] = 3 * empty.len() - closing[i];
            } else {
                closing[i] = closing_slides(stones[i], empty);
                quiet[i] = (slides(stones[i], empty) & !closing[i]).count_ones();
            }
        }
        Self { stones, closing, quiet }
    }
}

/// The points of several words.
#[inline(always)]
fn all_stones(free: &Block, words: &[u32]) -> [Bitboard; TOGETHER] {
    let mut all = [Bitboard::EMPTY; TOGETHER];
    for (stones, &word) in all.iter_mut().zip(words) {
        *stones = free.stones(word);
    }
    all
}

fn mark_decided(codes: Codes, side: &Side, block: usize, values: &[u8]) {
    for (i, chunk) in values.chunks(CHUNK).enumerate() {
        let least = chunk.iter().fold(u8::MAX, |least, &code| least.min(code));
        if !codes.is_decided(least) {
            continue;
        }
        let mut seen = [false; 256];
        for &code in chunk {
            seen[usize::from(code)] = true;
        }
        for code in (least..codes.zero()).filter(|&code| seen[usize::from(code)]) {
            side.mark(code, side.pending.first_chunk(block) + i);
        }
    }
}

/// One bit for each position, set where a capture wins: all wins there are after the first look.
pub fn capture_wins(codes: Codes, values: &[u8], bits: &mut [u8]) {
    bits.par_chunks_mut(1 << 13).zip(values.par_chunks(1 << 16)).for_each(|(bits, values)| {
        for (bits, values) in bits.chunks_mut(8).zip(values.chunks(64)) {
            let mut wins = [0; 64];
            for (win, &value) in wins.iter_mut().zip(values) {
                *win = u8::from(codes.is_decided(value)) & (value % 2);
            }
            for (byte, wins) in bits.iter_mut().zip(wins.as_chunks().0) {
                *byte = joined(*wins);
            }
        }
    });
}

/// The lowest bits of eight bytes in one, which have no other.
#[inline(always)]
const fn joined(bits: [u8; 8]) -> u8 {
    // Moves the lowest bit of byte `i` to bit `56 + i`.
    (u64::from_le_bytes(bits).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bits_are_joined_in_order() {
        for byte in 0..=u8::MAX {
            assert_eq!(joined(std::array::from_fn(|i| byte >> i & 1)), byte);
        }
    }
}
