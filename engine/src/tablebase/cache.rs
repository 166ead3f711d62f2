//! Decoded parts of tables, so that a part is decoded once for many probes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::rans::Paused;

/// What a part takes in memory, roughly: one byte for each of its positions and the bookkeeping.
const PART_BYTES: usize = 2048 + 64;

/// Parts that share a lock.
const WAYS: usize = 4;

/// A decoded part, or the beginning of one.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its values by place.
    pub values: Arc<[u8]>,
    /// Where decoding has stopped.
    pub paused: Option<Paused>,
}

/// A few parts, each with its key.
#[derive(Debug, Default)]
struct Bucket {
    parts: [Option<(u64, Part)>; WAYS],
    /// Which of them goes next.
    oldest: usize,
}

impl Bucket {
    fn find(&mut self, key: u64) -> Option<&mut Part> {
        self.parts.iter_mut().flatten().find(|(found, _)| *found == key).map(|(_, part)| part)
    }
}

/// Keeps decoded parts in a fixed number of buckets: a part goes into the bucket that its key names,
/// in place of the one that has been there longest. Each bucket has a lock of its own, so threads
/// hardly ever meet.
#[derive(Debug)]
pub struct Cache {
    buckets: Box<[Mutex<Bucket>]>,
}

impl Cache {
    /// A cache of at most about so many MiB.
    #[must_use]
    pub fn new(mebibytes: usize) -> Self {
        let buckets = ((mebibytes << 20) / (PART_BYTES * WAYS)).max(1);
        Self { buckets: (0..buckets).map(|_| Mutex::default()).collect() }
    }

    fn bucket(&self, key: u64) -> MutexGuard<'_, Bucket> {
        // The high half of a product with an odd constant spreads neighbouring keys.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let bucket = &self.buckets[(hash as usize * self.buckets.len()) >> 32];
        bucket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One byte of a part, if it is there.
    #[inline]
    #[must_use]
    pub fn byte(&self, key: u64, place: usize) -> Option<u8> {
        self.bucket(key).find(key)?.values.get(place).copied()
    }

    /// As much of a part as is there.
    #[must_use]
    pub fn part(&self, key: u64) -> Option<Part> {
        self.bucket(key).find(key).cloned()
    }

    /// Keeps a part, in place of a shorter beginning of it.
    pub fn keep(&self, key: u64, part: Part) {
        let mut bucket = self.bucket(key);
        match bucket.find(key) {
            Some(known) if known.values.len() < part.values.len() => *known = part,
            // Another thread may have been as quick.
            Some(_) => {}
            None => {
                let oldest = bucket.oldest;
                bucket.parts[oldest] = Some((key, part));
                bucket.oldest = (oldest + 1) % WAYS;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_under_its_key_alone_until_others_take_its_place() {
        let cache = Cache::new(0);
        let part = |values: &[u8]| Part { values: values.into(), paused: None };
        for key in 0..WAYS as u64 {
            cache.keep(key, part(&[key as u8, 8]));
        }
        assert_eq!(
            (cache.byte(0, 1), cache.byte(3, 0), cache.byte(9, 1)),
            (Some(8), Some(3), None)
        );
        cache.keep(9, part(&[9]));
        assert_eq!(
            (cache.byte(0, 1), cache.byte(1, 0), cache.byte(9, 0)),
            (None, Some(1), Some(9))
        );
        cache.keep(9, part(&[9, 7]));
        cache.keep(9, part(&[9]));
        assert_eq!((cache.byte(9, 1), cache.byte(9, 2)), (Some(7), None));
    }
}
