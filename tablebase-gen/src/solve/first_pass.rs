//! The first look at every position: its captures, and how many quiet turns it has.

use merel_engine::Bitboard;
use merel_engine::tablebase::block::{Block, Tally, closing_slides, count_closing_flights, slides};
use merel_engine::tablebase::index::compress;
use rayon::prelude::*;

use super::captures::{Best, LargerCaptures, SmallerCaptures, Worth, best_of_smaller};
use super::codes::{Codes, DRAW};
use super::pending::CHUNK;
use super::{Job, Side};

/// The code of a position with so many quiet turns, whose captures are worth `best`.
#[inline]
fn code(codes: Codes, best: Worth, quiet: u32) -> u8 {
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
    let ways = || LargerCaptures::new(job.after_larger, job.subsets_after_larger);
    each_block(job, &job.larger, values, ways, |free, ways, values| {
        ways.set(free);
        let quiet = Tally::of_moves(free, |closes| !closes);
        for (value, &word) in values.iter_mut().zip(&job.subsets.words) {
            let best =
                if ways.is_empty() { Worth::NONE } else { ways.best(word, free.stones(word)) };
            *value = code(job.codes, best, quiet.count(word));
        }
    });
}

/// Gives every position of an uneven pair in which the smaller side is to move its first code.
pub fn smaller(job: &Job<'_>, values: &mut [u8]) {
    let flies = job.pair.smaller() == 3;
    let ways = || SmallerCaptures::new(job.after_smaller, job.subsets_after_smaller);
    each_block(job, &job.smaller, values, ways, |free, ways, values| {
        ways.set(free);
        for (value, &word) in values.iter_mut().zip(&job.subsets.words) {
            let stones = free.stones(word);
            let empty = !(stones | free.larger);
            let quiet = if flies {
                3 * empty.len() - count_closing_flights(stones, empty)
            } else {
                (slides(stones, empty) & !closing_slides(stones, empty)).count_ones()
            };
            let best = best_of_smaller(ways, free, word, stones, flies);
            *value = code(job.codes, best, quiet);
        }
    });
}

/// The first codes of an even pair with the "smaller" side to move: the same position with the
/// sides exchanged is one with the "larger" to move.
pub fn exchanged(job: &Job<'_>, larger: &[u8], values: &mut [u8]) {
    /// Enough that the memory is asked for many places at once.
    const AHEAD: usize = 64;
    each_block(
        job,
        &job.smaller,
        values,
        || (),
        |free, (), values| {
            let words = job.subsets.words.chunks(AHEAD);
            for (values, words) in values.chunks_mut(AHEAD).zip(words) {
                let mut places = [0; AHEAD];
                for (place, &word) in places.iter_mut().zip(words) {
                    *place = exchanged_place(job, free.larger, free.stones(word));
                }
                for (value, place) in values.iter_mut().zip(places) {
                    *value = larger[place];
                }
            }
        },
    );
}

/// Where the position of an even pair with `larger` and `smaller` exchanged is kept.
pub(super) fn exchanged_place(job: &Job<'_>, larger: Bitboard, smaller: Bitboard) -> usize {
    let (block, symmetry) = job.orbits.find(smaller);
    let there = !job.orbits.representative(block);
    block * job.block_len + job.subsets.rank(compress(symmetry.set(larger), there))
}

fn mark_decided(codes: Codes, side: &Side, block: usize, values: &[u8]) {
    for (i, chunk) in values.chunks(CHUNK).enumerate() {
        let mut seen = [false; 256];
        for &code in chunk {
            seen[usize::from(code)] = true;
        }
        for (code, _) in
            seen.iter().enumerate().filter(|(code, seen)| **seen && codes.is_decided(*code as u8))
        {
            side.mark(code as u8, side.pending.first_chunk(block) + i);
        }
    }
}

/// One bit for each position, set where a capture wins: all wins there are after the first look.
pub fn capture_wins(codes: Codes, values: &[u8], bits: &mut [u8]) {
    bits.par_chunks_mut(1 << 13).zip(values.par_chunks(1 << 16)).for_each(|(bits, values)| {
        for (byte, values) in bits.iter_mut().zip(values.chunks(8)) {
            *byte = values.iter().rev().fold(0, |byte, &value| {
                byte << 1 | u8::from(codes.is_decided(value) && value % 2 == 1)
            });
        }
    });
}
