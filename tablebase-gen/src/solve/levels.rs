//! From each level to the next: what the positions decided at one distance decide.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use merel_engine::Bitboard;
use merel_engine::tablebase::bit_map::BitMap;
use merel_engine::tablebase::block::{Block, slides};
use merel_engine::tablebase::index::{bit_among, expand};
use rayon::prelude::*;

use super::captures::{Best, LargerCaptures, SmallerCaptures, Worth, best_of_smaller};
use super::codes::Codes;
use super::edges::Arrival;
use super::first_pass::exchanged_place;
use super::pending::{CHUNK, each_equal};
use super::{Job, Side};

/// From this many positions on, filling the tables of a [`BitMap`] costs less than it saves.
const TABLES_PAY: usize = 48;

/// Passes the positions at `level` with the larger side to move on to their predecessors, which
/// are in the same block. Returns how many there were.
pub fn from_larger(job: &Job<'_>, level: u8, larger: &mut [u8], smaller: &mut [u8]) -> u64 {
    let zeros = level.is_multiple_of(2) && job.larger.take(job.codes.zero());
    let ways = || {
        let captures = LargerCaptures::new(job.after_larger, job.subsets_after_larger);
        (Block::new(), captures, Vec::new())
    };
    let groups =
        larger.par_chunks_mut(job.group_len()).zip(smaller.par_chunks_mut(job.group_len()));
    groups
        .enumerate()
        .map_init(ways, |(free, captures, list), (g, (larger, smaller))| {
            let blocks = larger.chunks_mut(job.block_len).zip(smaller.chunks_mut(job.block_len));
            let mut total = 0;
            for (i, (larger, smaller)) in blocks.enumerate() {
                let block = g * job.group + i;
                if zeros {
                    job.larger.settle_zeros(job.codes, block, larger, |fresh, place| {
                        if fresh {
                            free.set(job.orbits.representative(block));
                            captures.set(free);
                        }
                        let word = job.subsets.words[place];
                        lost_at(level, captures.best(word, free.stones(word)))
                    });
                }
                job.larger.list(job, level, block, larger, list);
                if list.is_empty() {
                    continue;
                }
                total += list.len() as u64;
                free.set(job.orbits.representative(block));
                undo_smaller(job, level, block, free, list, smaller);
            }
            total
        })
        .sum()
}

/// Takes back the smaller side's last quiet move from each position of a block.
fn undo_smaller(
    job: &Job<'_>,
    level: u8,
    block: usize,
    free: &Block,
    list: &[u32],
    smaller: &mut [u8],
) {
    let flies = job.pair.smaller() == 3;
    let first_chunk = job.smaller.pending.first_chunk(block);
    let mut reach = |word: u32| {
        let place = job.subsets.rank(word);
        let value = &mut smaller[place];
        if level.is_multiple_of(2) {
            if *value > level + 1 {
                *value = level + 1;
                job.smaller.mark(level + 1, first_chunk + place / CHUNK);
            }
        } else if job.codes.counts(*value) {
            *value -= 1;
            if *value == job.codes.zero() {
                job.smaller.mark(job.codes.zero(), first_chunk + place / CHUNK);
            }
        }
    };
    for &word in list {
        let stones = free.stones(word);
        // A stone that stands in a mill came there with a capture.
        let movable = stones.without(stones.in_mills());
        let empty = !(stones | free.larger);
        if flies {
            for to in movable {
                for from in empty {
                    reach(word ^ free.bit[to.index()] ^ free.bit[from.index()]);
                }
            }
        } else {
            let mut back = slides(movable, empty);
            while back != 0 {
                reach(word ^ free.edge_mask(back.trailing_zeros()));
                back &= back - 1;
            }
        }
    }
}

/// Passes the positions at `level` with the smaller side to move on to their predecessors, which
/// are in the blocks that the larger side's moves come from. Returns how many there were.
pub fn from_smaller(job: &Job<'_>, level: u8, larger: &mut [u8], smaller: &mut [u8]) -> u64 {
    let larger = as_atomic(larger);
    let zeros = level.is_multiple_of(2) && job.smaller.take(job.codes.zero());
    let ways = || {
        let captures = SmallerCaptures::new(job.after_smaller, job.subsets_after_smaller);
        (Block::new(), captures, Vec::new(), BitMap::new())
    };
    let flies = job.pair.smaller() == 3;
    smaller
        .par_chunks_mut(job.group_len())
        .enumerate()
        .map_init(ways, |(free, captures, list, map), (g, smaller)| {
            let mut total = 0;
            for (i, smaller) in smaller.chunks_mut(job.block_len).enumerate() {
                let block = g * job.group + i;
                if zeros {
                    job.smaller.settle_zeros(job.codes, block, smaller, |fresh, place| {
                        let word = job.subsets.words[place];
                        if job.pair.is_even() {
                            // The position with the sides exchanged has been settled just before.
                            let representative = job.orbits.representative(block);
                            let stones = expand(word, !representative);
                            let there = exchanged_place(job, representative, stones);
                            return larger[there].load(Relaxed);
                        }
                        if fresh {
                            free.set(job.orbits.representative(block));
                            captures.set(free);
                        }
                        lost_at(
                            level,
                            best_of_smaller(captures, free, word, free.stones(word), flies),
                        )
                    });
                }
                job.smaller.list(job, level, block, smaller, list);
                if list.is_empty() {
                    continue;
                }
                total += list.len() as u64;
                let here = !job.orbits.representative(block);
                let arrivals = job.arrivals.at(block);
                let much = list.len() > job.block_len / 32;
                for (i, arrival) in arrivals.iter().enumerate() {
                    if let (true, Some(next)) = (much, arrivals.get(i + 1)) {
                        let start = next.block as usize * job.block_len;
                        fetch(&larger[start..start + job.block_len]);
                    }
                    undo_larger(job, level, arrival, here, list, map, larger);
                }
            }
            total
        })
        .sum()
}

/// Takes back one quiet move of the larger side from each position of a block.
fn undo_larger(
    job: &Job<'_>,
    level: u8,
    arrival: &Arrival,
    here: Bitboard,
    list: &[u32],
    map: &mut BitMap,
    larger: &[AtomicU8],
) {
    let block = arrival.block as usize;
    let there = !job.orbits.representative(block);
    let back = arrival.symmetry.inverse();
    let (mut images, mut blocked, mut count) = ([0; 21], 0, 0);
    for point in here {
        let image = back.point(point);
        if image == arrival.from {
            // The larger side's stone came from here, so nothing may stand here now.
            blocked = 1 << count;
        } else {
            images[count] = bit_among(image, there);
        }
        count += 1;
    }
    let values = &larger[block * job.block_len..(block + 1) * job.block_len];
    let first_chunk = job.larger.pending.first_chunk(block);
    let reach = |word: u32| {
        let place = job.subsets.rank(word);
        let value = values[place].load(Relaxed);
        if level.is_multiple_of(2) {
            if value > level + 1 {
                // Whoever else writes here at this level writes the same.
                values[place].store(level + 1, Relaxed);
                job.larger.mark(level + 1, first_chunk + place / CHUNK);
            }
        } else if job.codes.counts(value)
            && values[place].fetch_sub(1, Relaxed) == job.codes.zero() + 1
        {
            job.larger.mark(job.codes.zero(), first_chunk + place / CHUNK);
        }
    };
    if list.len() < TABLES_PAY {
        for &word in list.iter().filter(|&word| word & blocked == 0) {
            let (mut left, mut image) = (word, 0);
            while left != 0 {
                image |= images[left.trailing_zeros() as usize];
                left &= left - 1;
            }
            reach(image);
        }
    } else {
        map.set(&images[..count]);
        for &word in list.iter().filter(|&word| word & blocked == 0) {
            reach(map.map(word));
        }
    }
}

/// Asks for bytes to be brought near, to be there when they are needed.
fn fetch(bytes: &[AtomicU8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(64) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: fetching ahead reads and writes nothing that the program could see.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}

/// The same bytes for several threads to write.
fn as_atomic(values: &mut [u8]) -> &[AtomicU8] {
    // SAFETY: `AtomicU8` has the size, alignment and bit validity of `u8`, and the exclusive borrow
    // lasts as long as the shared one that is returned.
    unsafe { &*(std::ptr::from_mut(values) as *const [AtomicU8]) }
}

/// How long a position lasts that has no quiet turn left to hold it: as long as its captures do.
fn lost_at(level: u8, captures: Worth) -> u8 {
    match captures.best() {
        Best::Loss(plies) => plies.max(level),
        _ => level,
    }
}

impl Side {
    /// Decides the positions of a block that have no open turn left: they are lost, in as many
    /// plies as their longest turn takes. `lost_in` tells that number for a place; its first
    /// argument says whether it is the first call for the block.
    fn settle_zeros(
        &self,
        codes: Codes,
        block: usize,
        values: &mut [u8],
        mut lost_in: impl FnMut(bool, usize) -> u8,
    ) {
        let mut fresh = true;
        for (i, chunk) in values.chunks_mut(CHUNK).enumerate() {
            let number = self.pending.first_chunk(block) + i;
            if !self.pending.take(codes.zero(), number) {
                continue;
            }
            for (j, value) in chunk.iter_mut().enumerate().filter(|(_, v)| **v == codes.zero()) {
                *value = lost_in(fresh, i * CHUNK + j);
                fresh = false;
                self.mark(*value, number);
            }
        }
    }

    /// Lists the words of the positions of a block at a level.
    fn list(&self, job: &Job<'_>, level: u8, block: usize, values: &[u8], list: &mut Vec<u32>) {
        list.clear();
        for (i, chunk) in values.chunks(CHUNK).enumerate() {
            if self.pending.is_marked(level, self.pending.first_chunk(block) + i) {
                let words = &job.subsets.words[i * CHUNK..];
                each_equal(chunk, level, |place| list.push(words[place]));
            }
        }
    }
}
