//! From each level to the next: what the positions decided at one distance decide.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use merel_engine::Point;
use merel_engine::at_full_speed;
use merel_engine::tablebase::bit_map::BitMap;
use merel_engine::tablebase::block::{Block, Subsets};
use merel_engine::tablebase::scan::each_equal;
use rayon::prelude::*;

use super::captures::{Best, LargerCaptures, SmallerCaptures, Worth};
use super::codes::{Change, Codes, Turns, Wins};
use super::edges::{Arrival, LEFT};
use super::pending::CHUNK;
use super::undo::{Room, undo_smaller};
use super::{Job, Side};

/// For more stones than this, filling the tables of a [`BitMap`] costs less than it saves.
const MANY: usize = 96;

/// Passes the positions at `level` with the larger side to move on to their predecessors, which
/// are in the same block. Returns how many there were.
pub fn from_larger(job: &Job<'_>, level: u8, larger: &mut [u8], smaller: &mut [u8]) -> u64 {
    let zeros = level.is_multiple_of(2) && job.larger.take(job.codes.zero());
    let groups =
        larger.par_chunks_mut(job.group_len()).zip(smaller.par_chunks_mut(job.group_len()));
    groups
        .enumerate()
        .map_init(
            || Larger::new(job),
            |work, (g, (larger, smaller))| {
                let blocks =
                    larger.chunks_mut(job.block_len).zip(smaller.chunks_mut(job.block_len));
                let mut total = 0;
                for (i, (larger, smaller)) in blocks.enumerate() {
                    let block = g * job.group + i;
                    let count = work.pass_on(level, zeros, block, larger, smaller);
                    total += count as u64;
                    if count > 0 {
                        job.smaller.mark_places(work.reached(level), block, work.room.news());
                    }
                }
                total
            },
        )
        .sum()
}

/// What a thread needs to pass on positions with the larger side to move.
pub struct Larger<'a> {
    job: &'a Job<'a>,
    pub free: Block,
    captures: LargerCaptures<'a>,
    list: Vec<u32>,
    pub room: Room,
}

impl<'a> Larger<'a> {
    pub fn new(job: &'a Job<'_>) -> Self {
        Self {
            job,
            free: Block::new(),
            captures: LargerCaptures::new(job.after_larger, job.subsets_after_larger),
            list: Vec::new(),
            room: Room::new(job.block_len),
        }
    }

    /// The code that positions before those of a level come to.
    pub fn reached(&self, level: u8) -> u8 {
        if level.is_multiple_of(2) { level + 1 } else { self.job.codes.zero() }
    }

    /// Passes on the positions of a block. Returns how many there were; if any, the places of those
    /// that have come to [`Self::reached`] are the news in `room`.
    pub fn pass_on(
        &mut self,
        level: u8,
        zeros: bool,
        block: usize,
        larger: &mut [u8],
        smaller: &mut [u8],
    ) -> usize {
        let Self { job, free, captures, list, room } = self;
        if zeros {
            let mut fresh = true;
            job.larger.settle_zeros(job.codes, block, larger, list, |place| {
                if std::mem::take(&mut fresh) {
                    free.set(job.orbits.representative(block));
                    captures.set(free);
                }
                let word = job.subsets.words[place];
                lost_at(level, captures.best(free, word, free.stones(word)))
            });
        }
        job.larger.list(job, level, block, larger, list);
        if list.is_empty() {
            return 0;
        }
        free.set(job.orbits.representative(block));
        if level.is_multiple_of(2) {
            undo_smaller(Wins(level + 1), job.subsets, free, list, smaller, room);
        } else {
            undo_smaller(Turns(job.codes), job.subsets, free, list, smaller, room);
        }
        list.len()
    }
}

/// Passes the positions of an uneven pair at `level` with the smaller side to move on to their
/// predecessors, which are in the blocks that the larger side's moves come from. Returns how many
/// there were.
pub fn from_smaller(job: &Job<'_>, level: u8, larger: &mut [u8], smaller: &mut [u8]) -> u64 {
    let larger = as_atomic(larger);
    let zeros = level.is_multiple_of(2) && job.smaller.take(job.codes.zero());
    let Some((solved, ranks)) = job.after_smaller.zip(job.subsets_after_smaller) else { return 0 };
    let ways = || {
        let captures = SmallerCaptures::new(solved, ranks);
        (Block::new(), captures, Vec::new(), Vec::new(), BitMap::new())
    };
    smaller
        .par_chunks_mut(job.group_len())
        .enumerate()
        .map_init(ways, |(free, captures, list, kept, map), (g, smaller)| {
            let mut total = 0;
            for (i, smaller) in smaller.chunks_mut(job.block_len).enumerate() {
                let block = g * job.group + i;
                let here = job.orbits.representative(block);
                if zeros {
                    let mut fresh = true;
                    job.smaller.settle_zeros(job.codes, block, smaller, list, |place| {
                        if std::mem::take(&mut fresh) {
                            free.set(here);
                            captures.leave();
                        }
                        let word = job.subsets.words[place];
                        lost_at(level, captures.best(free, word, free.stones(word)))
                    });
                }
                job.smaller.list(job, level, block, smaller, list);
                if list.is_empty() {
                    continue;
                }
                total += list.len() as u64;
                let arrivals = job.arrivals.at(block);
                let much = list.len() > job.block_len / 32;
                for (i, arrival) in arrivals.iter().enumerate() {
                    if let (true, Some(next)) = (much, arrivals.get(i + 1)) {
                        let start = next.block as usize * job.block_len;
                        fetch(&larger[start..start + job.block_len]);
                    }
                    if level.is_multiple_of(2) {
                        undo_larger(job, Wins(level + 1), arrival, list, kept, map, larger);
                    } else {
                        let turns = Turns(job.codes);
                        undo_larger(job, turns, arrival, list, kept, map, larger);
                    }
                }
            }
            total
        })
        .sum()
}

/// Takes back one quiet move of the larger side from each position of a block.
fn undo_larger<C: Change>(
    job: &Job<'_>,
    change: C,
    arrival: &Arrival,
    list: &[u32],
    kept: &mut Vec<u32>,
    map: &mut BitMap,
    larger: &[AtomicU8],
) {
    let block = arrival.block as usize;
    let images = &arrival.images;
    let blocked = images.iter().enumerate().fold(0, |blocked, (i, &image)| {
        // A block with fewer points has others at the end, which no word has.
        blocked | u32::from(image == LEFT) << i
    });
    let many = list.len() * usize::from(job.pair.smaller()) > MANY;
    if many {
        let points = Point::COUNT - usize::from(job.pair.larger());
        map.set(&images.map(|image| 1_u32.checked_shl(image.into()).unwrap_or(0))[..points]);
    }
    if kept.len() <= list.len() {
        kept.resize(list.len() + 1, 0);
    }
    let values = &larger[block * job.block_len..(block + 1) * job.block_len];
    let marks = job.locks.with(block, || {
        at_full_speed!({
            let words = unblocked(list, blocked, kept);
            if many {
                undo_all(change, job.subsets, words, |word| map.map(word), values)
            } else {
                undo_all(change, job.subsets, words, |word| image_of(word, images), values)
            }
        })
    });
    job.larger.mark_chunks(change.reached(), block, marks);
}

/// The words that do not have the point that is blocked.
#[inline(always)]
fn unblocked<'a>(list: &[u32], blocked: u32, kept: &'a mut [u32]) -> &'a [u32] {
    let mut count = 0;
    for &word in list {
        // About half are blocked, and which can hardly be guessed.
        kept[count] = word;
        count += usize::from(word & blocked == 0);
    }
    &kept[..count]
}

/// As [`BitMap::map`], bit by bit.
#[inline(always)]
fn image_of(mut word: u32, images: &[u8]) -> u32 {
    let mut image = 0;
    while word != 0 {
        image |= 1 << images[word.trailing_zeros() as usize];
        word &= word - 1;
    }
    image
}

/// The chunks, one bit each, in which something came to what `change` leads to.
#[inline(always)]
fn undo_all<C: Change>(
    change: C,
    subsets: &Subsets,
    words: &[u32],
    image: impl Fn(u32) -> u32,
    values: &[AtomicU8],
) -> u64 {
    let mut marks = 0;
    for &word in words {
        let place = subsets.rank(image(word));
        let (code, is_new) = change.apply(values[place].load(Ordering::Relaxed));
        values[place].store(code, Ordering::Relaxed);
        marks |= u64::from(is_new) << (place / CHUNK);
    }
    marks
}

/// A lock for each block: the threads write to each other's blocks.
#[derive(Debug)]
pub struct Locks(Vec<AtomicBool>);

impl Locks {
    /// All open.
    pub fn new(blocks: usize) -> Self {
        Self((0..blocks).map(|_| AtomicBool::new(false)).collect())
    }

    /// Does `work` while nobody else works on the block.
    fn with<R>(&self, block: usize, work: impl FnOnce() -> R) -> R {
        struct Open<'a>(&'a AtomicBool);
        impl Drop for Open<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Release);
            }
        }
        let lock = &self.0[block];
        // There are so many blocks that two threads hardly ever meet.
        while lock.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        let _open = Open(lock);
        work()
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
pub fn as_atomic(values: &mut [u8]) -> &[AtomicU8] {
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
    /// plies as their longest turn takes. `lost_in` tells that number for a place.
    fn settle_zeros(
        &self,
        codes: Codes,
        block: usize,
        values: &mut [u8],
        places: &mut Vec<u32>,
        mut lost_in: impl FnMut(usize) -> u8,
    ) {
        for (i, chunk) in values.chunks_mut(CHUNK).enumerate() {
            let number = self.pending.first_chunk(block) + i;
            if !self.pending.take(codes.zero(), number) {
                continue;
            }
            places.clear();
            each_equal(chunk, codes.zero(), |place| places.push(place as u32));
            for &place in &*places {
                let place = place as usize;
                chunk[place] = lost_in(i * CHUNK + place);
                self.mark(chunk[place], number);
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

    fn mark_places(&self, level: u8, block: usize, places: &[u16]) {
        let chunks = places.iter().fold(0, |all, &place| all | 1 << (usize::from(place) / CHUNK));
        self.mark_chunks(level, block, chunks);
    }

    /// Marks chunks of a block, one bit each.
    fn mark_chunks(&self, level: u8, block: usize, mut chunks: u64) {
        while chunks != 0 {
            let chunk = chunks.trailing_zeros() as usize;
            self.mark(level, self.pending.first_chunk(block) + chunk);
            chunks &= chunks - 1;
        }
    }
}
