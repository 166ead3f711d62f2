//! Even pairs, in which either side can be called the larger.
//!
//! They have one sector, whose values are those with the larger side to move. A second array counts
//! the turns of the same positions seen from the other side: so all moves are taken back within
//! blocks, and only what they decide is carried over to the block of the position with the sides
//! exchanged.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use merel_engine::tablebase::Pair;
use merel_engine::tablebase::block::Block;
use merel_engine::tablebase::cpu::Cpu;
use merel_engine::tablebase::index::Orbits;
use merel_engine::{Bitboard, Symmetry, at_full_speed};
use rayon::prelude::*;

use super::Job;
use super::captures::Worth;
use super::first_pass::{TOGETHER, Turns, code};
use super::levels::{Larger, as_atomic};
use super::pending::CHUNK;

/// So many places are found before any of them is looked at: the memory is asked for all of them at
/// once.
const AHEAD: usize = 64;
/// The positions of the blocks whose news are kept together.
const BATCH: usize = 1 << 24;

/// The most bytes that the news of a batch take, with the room that they grow into.
pub fn news_bytes(pair: Pair) -> usize {
    2 * size_of::<u16>() * pair.len().min(BATCH)
}

/// The first codes with the "smaller" side to move. Where it has captures they are those with the
/// "larger" side to move in the position with the sides exchanged.
pub fn first_codes(job: &Job<'_>, larger: &[u8], smaller: &mut [u8]) {
    smaller.par_chunks_mut(job.group_len()).enumerate().for_each_init(
        Block::new,
        |free, (g, group)| {
            for (i, values) in group.chunks_mut(job.block_len).enumerate() {
                if job.is_stopped() {
                    return;
                }
                free.set(job.orbits.representative(g * job.group + i));
                let exchange = Exchange::new(job, free.larger);
                at_full_speed!(cpu => first_codes_of(cpu, job, free, &exchange, larger, values));
            }
        },
    );
}

#[inline(always)]
fn first_codes_of(
    cpu: impl Cpu,
    job: &Job<'_>,
    free: &Block,
    exchange: &Exchange<'_>,
    larger: &[u8],
    values: &mut [u8],
) {
    let words = job.subsets.words.chunks(TOGETHER);
    for (values, words) in values.chunks_mut(TOGETHER).zip(words) {
        let Turns { stones, closing, quiet } = Turns::of_smaller(free, words);
        for (value, quiet) in values.iter_mut().zip(quiet) {
            *value = code(job.codes, Worth::NONE, quiet);
        }
        // All places are found before any is looked at.
        let (mut places, mut count) = ([(0, 0); TOGETHER], 0);
        for i in (0..words.len()).filter(|&i| closing[i] != 0) {
            places[count] = (i, exchange.place(cpu, stones[i]).number);
            count += 1;
        }
        for &(i, place) in &places[..count] {
            values[i] = larger[place];
        }
    }
}

/// Passes the positions at `level` on to their predecessors. Returns how many there were.
pub fn level(job: &Job<'_>, level: u8, larger: &mut [u8], smaller: &mut [u8]) -> u64 {
    let zeros = level.is_multiple_of(2) && job.larger.take(job.codes.zero());
    let batch = (BATCH / job.group_len()).max(1) * job.group_len();
    let mut total = 0;
    for start in (0..larger.len()).step_by(batch) {
        let end = larger.len().min(start + batch);
        let first = start / job.block_len;
        let groups = larger[start..end]
            .par_chunks_mut(job.group_len())
            .zip(smaller[start..end].par_chunks_mut(job.group_len()));
        let news: Vec<News> = groups
            .enumerate()
            .map_init(
                || Larger::new(job),
                |work, (g, (larger, smaller))| {
                    let mut news = News::default();
                    let blocks =
                        larger.chunks_mut(job.block_len).zip(smaller.chunks_mut(job.block_len));
                    for (i, (larger, smaller)) in blocks.enumerate() {
                        let block = first + g * job.group + i;
                        let count = work.pass_on(level, zeros, block, larger, smaller);
                        news.passed_on += count as u64;
                        if count > 0 && !work.room.news().is_empty() {
                            news.places.extend_from_slice(work.room.news());
                            news.ends.push((block as u32, news.places.len()));
                        }
                    }
                    news
                },
            )
            .collect();
        total += news.iter().map(|news| news.passed_on).sum::<u64>();
        let code = if level.is_multiple_of(2) { level + 1 } else { job.codes.zero() };
        let larger = as_atomic(larger);
        news.par_iter().for_each_init(Block::new, |free, news| {
            let mut start = 0;
            for &(block, end) in &news.ends {
                carry_over(job, code, block as usize, &news.places[start..end], free, larger);
                start = end;
            }
        });
    }
    total
}

/// For each block whether the larger side's stones have a symmetry, so that some of the block's
/// positions are kept in several places.
pub fn symmetric(pair: Pair) -> Vec<bool> {
    let orbits = Orbits::of(pair.larger());
    let is_symmetric = |block| {
        let set = orbits.representative(block);
        Symmetry::all().skip(1).any(|s| s.set(set) == set)
    };
    (0..orbits.len()).map(is_symmetric).collect()
}

/// What the blocks of a group have come to.
#[derive(Default)]
struct News {
    passed_on: u64,
    places: Vec<u16>,
    /// Each block with the number of places up to its end.
    ends: Vec<(u32, usize)>,
}

/// Gives the positions of a block at some places their new code, with the sides exchanged.
fn carry_over(
    job: &Job<'_>,
    code: u8,
    block: usize,
    places: &[u16],
    free: &mut Block,
    larger: &[AtomicU8],
) {
    free.set(job.orbits.representative(block));
    let exchange = Exchange::new(job, free.larger);
    at_full_speed!(cpu => {
        for places in places.chunks(AHEAD) {
            let mut there = [Place::default(); AHEAD];
            for (there, &place) in there.iter_mut().zip(places) {
                let word = job.subsets.words[usize::from(place)];
                *there = exchange.place(cpu, free.stones(word));
            }
            for place in &there[..places.len()] {
                let put = |within: usize| {
                    larger[place.block * job.block_len + within].store(code, Relaxed);
                    job.larger.mark(code, job.larger.pending.first_chunk(place.block) + within / CHUNK);
                };
                put(place.number - place.block * job.block_len);
                if job.symmetric[place.block] {
                    exchange.each_other(cpu, place, put);
                }
            }
        }
    });
}

/// Finds the positions of a block with the sides exchanged.
struct Exchange<'a> {
    job: &'a Job<'a>,
    /// The images of the larger side's stones.
    images: [Bitboard; Symmetry::COUNT],
}

/// Where a position is kept.
#[derive(Clone, Copy, Default)]
struct Place {
    block: usize,
    number: usize,
    symmetry: usize,
}

impl<'a> Exchange<'a> {
    fn new(job: &'a Job<'_>, larger: Bitboard) -> Self {
        let mut images = [larger; Symmetry::COUNT];
        for (image, symmetry) in images.iter_mut().zip(Symmetry::all()) {
            *image = symmetry.set(larger);
        }
        Self { job, images }
    }

    /// Where the position of the block with `smaller` as the larger side is kept; the first of
    /// several places where those stones have a symmetry of their own.
    #[inline(always)]
    fn place(&self, cpu: impl Cpu, smaller: Bitboard) -> Place {
        let (block, symmetry) = self.job.orbits.find(smaller);
        let symmetry = symmetry.index();
        let free = !self.job.orbits.representative(block);
        let within = self.job.subsets.rank(cpu.compress(self.images[symmetry], free));
        Place { block, number: block * self.job.block_len + within, symmetry }
    }

    /// The places of the same position under the symmetries of the block itself.
    #[cold]
    fn each_other(&self, cpu: impl Cpu, place: &Place, mut put: impl FnMut(usize)) {
        let there = self.job.orbits.representative(place.block);
        for symmetry in Symmetry::all().filter(|s| s.set(there) == there) {
            let image = symmetry.set(self.images[place.symmetry]);
            put(self.job.subsets.rank(cpu.compress(image, !there)));
        }
    }
}
