//! Solving a pair of sectors: the value of every position, by retrograde analysis.
//!
//! Levels are distances in plies. A first pass looks at every position's captures, whose values are
//! known, and counts its quiet turns. Then each level is passed on to the next: a position that
//! can move to a lost one is won, one whose every turn is won for the opponent is lost, and what
//! neither ever reaches is a draw.
//!
//! Everything about the larger side is the same all over a block (see
//! [`merel_engine::tablebase::index`]), so the smaller side's moves stay within it and the larger
//! side's lead from block to block under one symmetry each. That is where the speed comes from.

mod captures;
mod codes;
mod edges;
mod even;
mod first_pass;
mod levels;
mod need;
mod pending;
mod undo;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use merel_engine::Point;
use merel_engine::tablebase::Pair;
use merel_engine::tablebase::index::Orbits;

use rayon::prelude::*;

pub use captures::Solved;
use codes::Codes;
pub use codes::DRAW;
use edges::Arrivals;
use levels::Locks;
use merel_engine::tablebase::block::Subsets;
pub use need::memory_needed;
use pending::Pending;

use crate::memory::Bytes;

/// The values of both sectors of a pair, one byte a position: plies to the end, odd when the side
/// to move wins and even when it loses, or [`DRAW`].
#[derive(Debug, PartialEq, Eq)]
pub struct Values {
    /// With the larger side to move.
    pub larger: Bytes,
    /// With the smaller side to move; empty in an even pair.
    pub smaller: Bytes,
    /// One bit for each position of `larger`, from the lowest up: whether a capture wins.
    pub larger_captures: Bytes,
    /// The same for `smaller`; empty in an even pair.
    pub smaller_captures: Bytes,
}

/// Why a pair was not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotSolved {
    /// Whoever watches asked to stop.
    Stopped,
    /// A position is decided in more plies than a byte can tell apart from the rest.
    TooDeep,
    /// The system gave no memory for the values.
    OutOfMemory,
}

/// Told how far the work has come, and asked whether to go on.
pub trait Watch: Sync {
    /// The positions decided so far and the level that comes next.
    fn level(&self, level: u8, decided: u64);
    /// Whether to stop.
    fn is_stopped(&self) -> bool;
}

/// One sector while it is being solved.
struct Side {
    pending: Pending,
    levels: Box<[AtomicBool; 256]>,
}

impl Side {
    fn new(pair: Pair) -> Self {
        Self {
            pending: Pending::new(pair.blocks(), pair.block_len()),
            levels: Box::new([const { AtomicBool::new(false) }; 256]),
        }
    }

    #[inline]
    fn mark(&self, level: u8, chunk: usize) {
        self.pending.mark(level, chunk);
        if !self.any(level) {
            self.levels[usize::from(level)].store(true, Relaxed);
        }
    }

    #[inline]
    fn any(&self, level: u8) -> bool {
        self.levels[usize::from(level)].load(Relaxed)
    }

    /// Whether any chunk was marked with this level since the last time.
    fn take(&self, level: u8) -> bool {
        self.levels[usize::from(level)].swap(false, Relaxed)
    }
}

/// What is the same all over a pair.
struct Job<'a> {
    pair: Pair,
    orbits: &'static Orbits,
    block_len: usize,
    /// How many blocks make a piece of work.
    group: usize,
    codes: Codes,
    subsets: &'static Subsets,
    arrivals: Arrivals,
    after_larger: Option<&'a Solved>,
    after_smaller: Option<&'a Solved>,
    subsets_after_larger: Option<&'static Subsets>,
    subsets_after_smaller: Option<&'static Subsets>,
    /// One for each block of an uneven pair, whose threads write to each other's blocks.
    locks: Locks,
    /// For each block of an even pair whether the larger side's stones have a symmetry.
    symmetric: Vec<bool>,
    larger: Side,
    smaller: Side,
    watch: &'a dyn Watch,
}

impl Job<'_> {
    fn group_len(&self) -> usize {
        self.group * self.block_len
    }

    fn is_stopped(&self) -> bool {
        self.watch.is_stopped()
    }
}

/// The most turns that `stones` can have against `other`.
fn most_turns(stones: u8, other: u8) -> u8 {
    if stones == 3 {
        return 3 * (Point::COUNT as u8 - 3 - other);
    }
    let orbits = Orbits::of(stones);
    let turns = |orbit| {
        let set = orbits.representative(orbit);
        set.into_iter().map(|p| p.neighbours().without(set).len() as u8).sum()
    };
    (0..orbits.len()).map(turns).max().unwrap_or(0)
}

/// Solves a pair. `after_larger` and `after_smaller` are the solved sectors that captures of the
/// larger and the smaller side lead to; `None` where they leave the other side two stones.
///
/// Runs in the current rayon pool.
///
/// # Errors
/// If `watch` asked to stop, or if a distance does not fit.
///
/// # Panics
/// If a solved sector is not the one that the captures lead to.
pub fn solve(
    pair: Pair,
    after_larger: Option<&Solved>,
    after_smaller: Option<&Solved>,
    watch: &dyn Watch,
) -> Result<Values, NotSolved> {
    let (m, n) = (pair.larger(), pair.smaller());
    let lost_one = |m, n| (n >= 3).then_some((m, n));
    let named = |solved: Option<&Solved>| solved.map(|s| (s.pair.larger(), s.pair.smaller()));
    assert_eq!(named(after_larger), lost_one(m, n - 1), "values after captures of the larger side");
    if !pair.is_even() {
        assert_eq!(
            named(after_smaller),
            lost_one(m - 1, n),
            "values after captures of the smaller"
        );
    }
    let (even, block_len) = (pair.is_even(), pair.block_len());
    let job = Job {
        pair,
        orbits: Orbits::of(m),
        block_len,
        group: (32_768 / block_len).max(1),
        codes: Codes::counting(most_turns(m, n).max(most_turns(n, m))),
        subsets: Subsets::of(pair),
        arrivals: if even { Arrivals::default() } else { Arrivals::new(pair) },
        locks: Locks::new(if even { 0 } else { pair.blocks() }),
        symmetric: if even { even::symmetric(pair) } else { Vec::new() },
        after_larger,
        after_smaller,
        subsets_after_larger: after_larger.map(|s| Subsets::of(s.pair)),
        subsets_after_smaller: after_smaller.map(|s| Subsets::of(s.pair)),
        larger: Side::new(pair),
        smaller: Side::new(pair),
        watch,
    };
    let fresh = |len| Bytes::zeroed(len).map_err(|_| NotSolved::OutOfMemory);
    let bits = pair.len().div_ceil(8);
    let mut values = Values {
        larger: fresh(pair.len())?,
        smaller: fresh(pair.len())?,
        larger_captures: fresh(bits)?,
        smaller_captures: fresh(if even { 0 } else { bits })?,
    };
    first_pass::larger(&job, &mut values.larger);
    first_pass::capture_wins(job.codes, &values.larger, &mut values.larger_captures);
    if even {
        even::first_codes(&job, &values.larger, &mut values.smaller);
    } else {
        first_pass::smaller(&job, &mut values.smaller);
        first_pass::capture_wins(job.codes, &values.smaller, &mut values.smaller_captures);
    }
    let mut decided = 0;
    for level in 0..DRAW {
        if watch.is_stopped() {
            return Err(NotSolved::Stopped);
        }
        let codes = job.codes;
        let anything = |side: &Side| {
            side.any(level) && codes.is_decided(level)
                || level.is_multiple_of(2) && side.any(codes.zero())
        };
        if !anything(&job.larger) && !anything(&job.smaller) {
            continue;
        }
        if !codes.is_decided(level + 1) {
            return Err(NotSolved::TooDeep);
        }
        watch.level(level, decided);
        if even {
            decided += even::level(&job, level, &mut values.larger, &mut values.smaller);
        } else {
            decided += levels::from_larger(&job, level, &mut values.larger, &mut values.smaller);
            decided += levels::from_smaller(&job, level, &mut values.larger, &mut values.smaller);
        }
    }
    if even {
        // They have only counted the turns.
        values.smaller = fresh(0)?;
    }
    Ok(finish(&job, values))
}

/// What is still undecided is a draw.
fn finish(job: &Job<'_>, mut values: Values) -> Values {
    let zero = job.codes.zero();
    for side in [&mut values.larger, &mut values.smaller] {
        side.par_chunks_mut(1 << 16).for_each(|chunk| {
            for value in chunk {
                *value = if *value >= zero { DRAW } else { *value };
            }
        });
    }
    values
}
