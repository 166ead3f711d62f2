//! The transposition table: what the search has found out about positions it met before.
//!
//! All threads share it without locks. An entry is two words, and the first holds the position's
//! key combined with the second, so that an entry half written by one thread and half by another
//! fits no position and is passed over (R. Hyatt, T. Mann, *A lock-less transposition table
//! implementation for parallel search*, 2002).

use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use memmap2::MmapMut;

use crate::score::{MATE_IN_MAX, Value};
use crate::search::Bound;
use crate::types::Turn;

/// What is stored about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The best turn found, or the one that refuted the position.
    pub turn: Option<Turn>,
    /// From the view of the side to move; proved wins count from this position.
    pub value: Value,
    /// How deep it was searched, in plies.
    pub depth: i32,
    /// What the value says.
    pub bound: Bound,
    /// Whether nothing was left out of the search, as a proof of the *shortest* win needs.
    pub exhaustive: bool,
}

// The second word of an entry: turn 20 bits, value 16, depth 8, bound 2, exhaustive 1, generation 5.
const VALUE_SHIFT: u32 = Turn::BITS;
const DEPTH_SHIFT: u32 = VALUE_SHIFT + 16;
const BOUND_SHIFT: u32 = DEPTH_SHIFT + 8;
const EXHAUSTIVE_SHIFT: u32 = BOUND_SHIFT + 2;
const GENERATION_SHIFT: u32 = EXHAUSTIVE_SHIFT + 1;
const GENERATIONS: u64 = 32;
const _: () = assert!(GENERATION_SHIFT + 5 <= 64);

impl Entry {
    fn pack(self, generation: u64) -> u64 {
        let bound = match self.bound {
            Bound::Exact => 3,
            Bound::Lower => 2,
            Bound::Upper => 1,
        };
        u64::from(self.turn.map_or(0, Turn::to_bits))
            | u64::from(self.value as i16 as u16) << VALUE_SHIFT
            | (self.depth.clamp(0, 255) as u64) << DEPTH_SHIFT
            | bound << BOUND_SHIFT
            | u64::from(self.exhaustive) << EXHAUSTIVE_SHIFT
            | generation << GENERATION_SHIFT
    }

    /// `None` for an entry never written.
    fn unpack(data: u64) -> Option<Self> {
        let bound = match data >> BOUND_SHIFT & 3 {
            3 => Bound::Exact,
            2 => Bound::Lower,
            1 => Bound::Upper,
            _ => return None,
        };
        Some(Self {
            turn: Turn::from_bits(data as u32 & ((1 << Turn::BITS) - 1)),
            value: Value::from((data >> VALUE_SHIFT) as u16 as i16),
            depth: i32::from((data >> DEPTH_SHIFT) as u8),
            bound,
            exhaustive: data >> EXHAUSTIVE_SHIFT & 1 == 1,
        })
    }
}

/// Entries that a position may be stored in: as many as fit one cache line.
#[repr(align(64))]
struct Bucket([[AtomicU64; 2]; 4]);

const _: () = assert!(size_of::<Bucket>() == 64);

/// Zeroed memory for buckets, straight from the system: in large pages where the
/// system has them, without which most reads would miss the processor's cache of page addresses.
struct Buckets(MmapMut);

/// The smallest page of any system.
const PAGE: usize = 4096;

impl Buckets {
    fn new(bytes: usize) -> io::Result<Self> {
        let mut memory = MmapMut::map_anon(bytes)?;
        // Only a hint: without large pages the table is slower and no less right.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        // Touched now, so that the system's work of finding the pages does not slow the search.
        memory.iter_mut().step_by(PAGE).for_each(|byte| *byte = 0);
        Ok(Self(memory))
    }
}

impl Deref for Buckets {
    type Target = [Bucket];

    #[inline]
    fn deref(&self) -> &[Bucket] {
        let count = self.0.len() / size_of::<Bucket>();
        // SAFETY: a map begins at a page, so it is aligned for buckets, `count` of them fit in it,
        // and it lives as long as `self`. Any bytes are valid for atomic integers. The map is
        // private to this value, which hands it out in no other way.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast::<Bucket>(), count) }
    }
}

/// The table.
pub(crate) struct Table {
    buckets: Buckets,
    /// Counts searches, so that entries of earlier ones are replaced first.
    generation: AtomicU64,
}

/// The memory for a table could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashError {
    /// The size asked for, in MiB.
    pub mebibytes: usize,
}

impl fmt::Display for HashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no memory for a hash table of {} MiB", self.mebibytes)
    }
}

impl std::error::Error for HashError {}

impl Table {
    /// A table of this many MiB (at least one).
    pub fn new(mebibytes: usize) -> Result<Self, HashError> {
        let bytes = mebibytes.max(1).checked_mul(1 << 20).ok_or(HashError { mebibytes })?;
        let buckets = Buckets::new(bytes).map_err(|_| HashError { mebibytes })?;
        Ok(Self { buckets, generation: AtomicU64::new(0) })
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for word in self.buckets.iter().flat_map(|bucket| &bucket.0).flatten() {
            word.store(0, Relaxed);
        }
        // Or the age of what comes next would depend on searches that are forgotten.
        self.generation.store(0, Relaxed);
    }

    /// Marks what is stored so far as belonging to an earlier search.
    pub fn new_search(&self) {
        self.generation.fetch_add(1, Relaxed);
    }

    fn current_generation(&self) -> u64 {
        self.generation.load(Relaxed) % GENERATIONS
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        // The high half of the product maps the key evenly to any number of buckets.
        &self.buckets[((u128::from(key) * self.buckets.len() as u128) >> 64) as usize]
    }

    /// Asks the processor to have the entry of this key ready soon: reading it without that is the
    /// longest wait of a node.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: SSE is part of every x86-64, and a prefetch has no effect that a program
            // could see, whatever the address; this one is of a live bucket.
            unsafe { _mm_prefetch(std::ptr::from_ref(self.bucket(key)).cast(), _MM_HINT_T0) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is stored about the position with this key, `ply` plies from the root.
    #[inline]
    pub fn get(&self, key: u64, ply: usize) -> Option<Entry> {
        let bucket = self.bucket(key);
        bucket.0.iter().find_map(|[check, data]| {
            let data = data.load(Relaxed);
            if check.load(Relaxed) ^ data != key {
                return None;
            }
            let mut entry = Entry::unpack(data)?;
            entry.value = from_table(entry.value, ply);
            Some(entry)
        })
    }

    /// Stores an entry, in the place of the same position or of the least useful one.
    #[inline]
    pub fn put(&self, key: u64, ply: usize, mut entry: Entry) {
        let generation = self.current_generation();
        let bucket = self.bucket(key);
        let mut slot = &bucket.0[0];
        let mut least = i32::MAX;
        for candidate in &bucket.0 {
            let data = candidate[1].load(Relaxed);
            if candidate[0].load(Relaxed) ^ data == key {
                let Some(old) = Entry::unpack(data) else {
                    slot = candidate;
                    break;
                };
                entry.turn = entry.turn.or(old.turn);
                // A much deeper bound of this search is worth more than a fresh shallow one.
                let current = generation_of(data) == generation;
                if current && entry.bound != Bound::Exact && entry.depth + 3 < old.depth {
                    return;
                }
                slot = candidate;
                break;
            }
            let age = (generation + GENERATIONS - generation_of(data)) % GENERATIONS;
            let worth = (data >> DEPTH_SHIFT & 255) as i32 - 8 * age as i32;
            if worth < least {
                least = worth;
                slot = candidate;
            }
        }
        entry.value = to_table(entry.value, ply);
        let data = entry.pack(generation);
        slot[0].store(key ^ data, Relaxed);
        slot[1].store(data, Relaxed);
    }

    /// How many entries in a thousand belong to the current search.
    pub fn full_per_mille(&self) -> u32 {
        let generation = self.current_generation();
        let sample = self.buckets.iter().take(250).flat_map(|bucket| &bucket.0);
        let current =
            |data: u64| Entry::unpack(data).is_some() && generation_of(data) == generation;
        sample.filter(|entry| current(entry[1].load(Relaxed))).count() as u32
    }
}

const fn generation_of(data: u64) -> u64 {
    data >> GENERATION_SHIFT & (GENERATIONS - 1)
}

/// Proved results count plies from the root in the search, from the position in the table.
fn to_table(value: Value, ply: usize) -> Value {
    if value >= MATE_IN_MAX {
        value + ply as Value
    } else if value <= -MATE_IN_MAX {
        value - ply as Value
    } else {
        value
    }
}

fn from_table(value: Value, ply: usize) -> Value {
    if value >= MATE_IN_MAX {
        value - ply as Value
    } else if value <= -MATE_IN_MAX {
        value + ply as Value
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::MATE;
    use crate::types::Point;

    fn entry(depth: i32) -> Entry {
        let turn = Turn::step(Point::from_index(3), Point::from_index(4));
        let turn =
            Some(turn.with_capture(Point::from_index(23)).with_capture(Point::from_index(0)));
        Entry { turn, value: -321, depth, bound: Bound::Lower, exhaustive: true }
    }

    #[test]
    fn an_entry_comes_back_as_it_was_stored() {
        let table = Table::new(1).unwrap();
        let key = 0x1234_5678_9ABC_DEF0;
        assert_eq!(table.get(key, 0), None);
        table.put(key, 0, entry(17));
        assert_eq!(table.get(key, 0), Some(entry(17)));
        table.clear();
        assert_eq!(table.get(key, 0), None);
        // The key of nothing finds nothing in an empty table.
        assert_eq!(table.get(0, 0), None);
    }

    #[test]
    fn a_proved_win_counts_from_where_it_is_read() {
        let table = Table::new(1).unwrap();
        table.put(5, 3, Entry { value: MATE - 10, ..entry(9) });
        assert_eq!(table.get(5, 1).unwrap().value, MATE - 8);
        table.put(6, 3, Entry { value: 10 - MATE, ..entry(9) });
        assert_eq!(table.get(6, 5).unwrap().value, 12 - MATE);
    }

    #[test]
    fn a_torn_entry_is_passed_over() {
        let table = Table::new(1).unwrap();
        let key = 0xFEDC_BA98_7654_3210;
        table.put(key, 0, entry(5));
        for [_, data] in &table.bucket(key).0 {
            data.fetch_xor(1 << 30, Relaxed);
        }
        assert_eq!(table.get(key, 0), None);
    }

    #[test]
    fn old_and_shallow_entries_are_replaced_first() {
        let table = Table::new(1).unwrap();
        let key = |n: u64| n; // small keys share the first bucket
        for n in 1..=4 {
            table.put(key(n), 0, entry(10 * n as i32));
        }
        table.put(key(5), 0, entry(1));
        assert_eq!(table.get(key(1), 0), None);
        assert!((2..=5).all(|n| table.get(key(n), 0).is_some()));
        for _ in 0..6 {
            table.new_search();
        }
        table.put(key(6), 0, entry(1));
        table.put(key(7), 0, entry(1));
        assert!(table.get(key(6), 0).is_some() && table.get(key(4), 0).is_some());
    }

    #[test]
    fn a_size_that_cannot_be_had_is_an_error() {
        assert!(Table::new(usize::MAX >> 20).is_err());
        assert!(Table::new(usize::MAX).is_err());
    }
}
