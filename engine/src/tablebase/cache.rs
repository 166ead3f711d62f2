//! Decoded parts of tables, so that a part is decoded once for many probes.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::context::PART;
use super::rans::Paused;

/// Parts that share a bucket.
const WAYS: usize = 4;
/// The low bits of a head hold how many values there are, the others the key.
const LEN_BITS: u32 = 12;
const _: () = assert!(PART < 1 << LEN_BITS);
/// The head of no part.
const NOBODY: u64 = u64::MAX;

/// Keeps decoded parts in a fixed number of buckets: a part goes into the bucket that its key names,
/// in place of the one that has been there longest. A whole part takes so many `WORDS`, so a value
/// takes `WORDS / 32` bits. Keys are below 2⁵².
///
/// Reading takes no lock, so that several reads wait for memory at the same time. By the bucket's
/// version a reader sees whether somebody wrote meanwhile, and then has found nothing (a *sequence
/// lock*).
#[derive(Debug)]
pub struct Cache<const WORDS: usize> {
    buckets: Box<[Bucket<WORDS>]>,
}

/// A few parts. What finding one takes lies in one line of the processor's caches.
#[derive(Debug)]
#[repr(align(64))]
struct Bucket<const WORDS: usize> {
    /// Of each part the key and how many of its values there are, from its beginning.
    heads: [AtomicU64; WAYS],
    /// Made when the first part comes.
    slots: OnceLock<Box<[Slot<WORDS>; WAYS]>>,
    /// Odd while somebody writes.
    version: AtomicU32,
    /// Which part goes next. Held by whoever writes.
    oldest: Mutex<u8>,
}

/// The values of a part.
#[derive(Debug)]
struct Slot<const WORDS: usize> {
    values: [AtomicU64; WORDS],
    /// Where decoding has stopped.
    paused: AtomicU64,
}

impl<const WORDS: usize> Bucket<WORDS> {
    fn new() -> Self {
        Self {
            heads: [const { AtomicU64::new(NOBODY) }; WAYS],
            slots: OnceLock::new(),
            version: AtomicU32::new(0),
            oldest: Mutex::new(0),
        }
    }

    /// Where a part is, and how many of its values there are.
    #[inline]
    fn find(&self, key: u64) -> Option<(usize, usize)> {
        let heads = self.heads.iter().map(|head| head.load(Ordering::Relaxed));
        let (way, head) = heads.enumerate().find(|(_, head)| head >> LEN_BITS == key)?;
        Some((way, head as usize % (1 << LEN_BITS)))
    }
}

impl<const WORDS: usize> Slot<WORDS> {
    const fn empty() -> Self {
        Self { values: [const { AtomicU64::new(0) }; WORDS], paused: AtomicU64::new(0) }
    }
}

impl<const WORDS: usize> Cache<WORDS> {
    const BITS: usize = WORDS * 64 / PART;
    const IN_A_WORD: usize = 64 / Self::BITS;
    const MASK: u64 = (1 << Self::BITS) - 1;

    /// A cache of at most about so many bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let bucket = size_of::<Bucket<WORDS>>() + WAYS * size_of::<Slot<WORDS>>();
        let buckets = (bytes / bucket).max(1);
        Self { buckets: (0..buckets).map(|_| Bucket::new()).collect() }
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket<WORDS> {
        // The high half of a product with an odd constant spreads neighbouring keys.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        &self.buckets[(hash as usize * self.buckets.len()) >> 32]
    }

    /// One value of a part, if it is there.
    #[inline]
    #[must_use]
    pub fn value(&self, key: u64, place: usize) -> Option<u8> {
        let bucket = self.bucket(key);
        let version = bucket.version.load(Ordering::Acquire);
        let (way, _) = bucket.find(key).filter(|&(_, len)| place < len)?;
        let word = bucket.slots.get()?[way].values[place / Self::IN_A_WORD].load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let unchanged =
            version.is_multiple_of(2) && bucket.version.load(Ordering::Relaxed) == version;
        unchanged.then_some((word >> (place % Self::IN_A_WORD * Self::BITS) & Self::MASK) as u8)
    }

    /// Writes as much of a part as is there to `values`, which is cleared before. Returns where
    /// decoding it has stopped.
    pub fn read(&self, key: u64, values: &mut Vec<u8>) -> Option<Paused> {
        values.clear();
        let bucket = self.bucket(key);
        let _nobody_writes = bucket.oldest.lock().unwrap_or_else(PoisonError::into_inner);
        let (way, len) = bucket.find(key)?;
        let slot = &bucket.slots.get()?[way];
        for word in &slot.values[..len.div_ceil(Self::IN_A_WORD)] {
            let word = word.load(Ordering::Relaxed);
            let value = |i| (word >> (i * Self::BITS) & Self::MASK) as u8;
            values.extend((0..Self::IN_A_WORD).map(value));
        }
        values.truncate(len);
        Some(Paused::from_bits(slot.paused.load(Ordering::Relaxed)))
    }

    /// Keeps a part, or the beginning of one up to where decoding has stopped, in place of a shorter
    /// beginning of it. Of values only the low bits are kept.
    ///
    /// # Panics
    /// If there are more values than a part has.
    pub fn keep(&self, key: u64, values: &[u8], paused: Paused) {
        assert!(values.len() <= PART);
        let bucket = self.bucket(key);
        let mut oldest = bucket.oldest.lock().unwrap_or_else(PoisonError::into_inner);
        let way = match bucket.find(key) {
            // Another thread may have been as quick.
            Some((_, len)) if len >= values.len() => return,
            Some((way, _)) => way,
            None => {
                let way = usize::from(*oldest);
                *oldest = (*oldest + 1) % WAYS as u8;
                way
            }
        };
        let slot = &bucket.slots.get_or_init(|| Box::new([const { Slot::empty() }; WAYS]))[way];
        let version = bucket.version.load(Ordering::Relaxed);
        bucket.version.store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        bucket.heads[way].store(key << LEN_BITS | values.len() as u64, Ordering::Relaxed);
        slot.paused.store(paused.to_bits(), Ordering::Relaxed);
        for (word, values) in slot.values.iter().zip(values.chunks(Self::IN_A_WORD)) {
            let put = |word, (i, &value): (usize, &u8)| {
                word | (u64::from(value) & Self::MASK) << (i * Self::BITS)
            };
            word.store(values.iter().enumerate().fold(0, put), Ordering::Relaxed);
        }
        bucket.version.store(version.wrapping_add(2), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of two bits.
    type Small = Cache<{ PART / 32 }>;
    /// Values of a byte.
    type Large = Cache<{ PART / 8 }>;

    #[test]
    fn a_part_is_found_under_its_key_alone_until_others_take_its_place() {
        let cache = Large::new(0);
        for key in 0..WAYS as u64 {
            cache.keep(key, &[key as u8, 8], Paused::default());
        }
        assert_eq!(
            (cache.value(0, 1), cache.value(3, 0), cache.value(9, 1)),
            (Some(8), Some(3), None)
        );
        cache.keep(9, &[9], Paused::default());
        assert_eq!(
            (cache.value(0, 1), cache.value(1, 0), cache.value(9, 0)),
            (None, Some(1), Some(9))
        );
        cache.keep(9, &[9, 7], Paused::default());
        cache.keep(9, &[9], Paused::default());
        assert_eq!((cache.value(9, 1), cache.value(9, 2)), (Some(7), None));
    }

    #[test]
    fn all_values_of_a_part_come_back() {
        let values: Vec<u8> = (0..PART).map(|i| (i * 7 / 3 % 3) as u8).collect();
        let (small, large) = (Small::new(1 << 16), Large::new(1 << 16));
        for len in [1, 31, 32, 33, 1000, PART] {
            small.keep(5, &values[..len], Paused::default());
            large.keep(5, &values[..len], Paused::default());
            let mut read = vec![9];
            small.read(5, &mut read);
            assert_eq!(read, values[..len]);
            large.read(5, &mut read);
            assert_eq!(read, values[..len]);
            for (place, &value) in values.iter().enumerate() {
                let expected = (place < len).then_some(value);
                assert_eq!((small.value(5, place), large.value(5, place)), (expected, expected));
            }
        }
    }

    #[test]
    fn readers_never_see_a_part_that_is_half_written() {
        // All parts share a bucket, and each is full of a value of its own.
        let cache = Small::new(0);
        std::thread::scope(|scope| {
            for writer in 0..2 {
                let cache = &cache;
                scope.spawn(move || {
                    for key in (writer..6).cycle().take(20_000) {
                        cache.keep(key, &[(key % 3) as u8; PART], Paused::default());
                    }
                });
            }
            // Most parts are there when all is written, so this comes to an end.
            let mut found = 0;
            for place in (0..PART).cycle() {
                for key in 0..6 {
                    if let Some(value) = cache.value(key, place) {
                        assert_eq!(u64::from(value), key % 3);
                        found += 1;
                    }
                }
                if found > 1_000_000 {
                    break;
                }
            }
        });
    }
}
