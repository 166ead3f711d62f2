//! Decoded parts of tables, so that a part is decoded once for many probes.

use std::sync::{Arc, Mutex, PoisonError};

/// What a part takes in memory, roughly: one byte for each of its positions and the bookkeeping.
const PART_BYTES: usize = 2048 + 64;

/// A key and the part with that key.
type Slot = Mutex<Option<(u64, Arc<[u8]>)>>;

/// Keeps decoded parts in a fixed number of slots; a part goes into the slot that its key names,
/// and whatever was there goes. Each slot has a lock of its own, so threads hardly ever meet.
#[derive(Debug)]
pub struct Cache {
    slots: Box<[Slot]>,
}

impl Cache {
    /// A cache of at most about so many MiB.
    #[must_use]
    pub fn new(mebibytes: usize) -> Self {
        let slots = ((mebibytes << 20) / PART_BYTES).max(1);
        Self { slots: (0..slots).map(|_| Mutex::new(None)).collect() }
    }

    fn slot(&self, key: u64) -> &Slot {
        // The high half of a product with an odd constant spreads neighbouring keys.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        &self.slots[(hash as usize * self.slots.len()) >> 32]
    }

    /// One byte of a part, if the part is there.
    #[inline]
    #[must_use]
    pub fn byte(&self, key: u64, place: usize) -> Option<u8> {
        let slot = self.slot(key).lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Some((found, part)) if *found == key => Some(part[place]),
            _ => None,
        }
    }

    /// A part, if it is there.
    #[must_use]
    pub fn part(&self, key: u64) -> Option<Arc<[u8]>> {
        let slot = self.slot(key).lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref().filter(|(found, _)| *found == key).map(|(_, part)| part.clone())
    }

    /// Keeps a part.
    pub fn keep(&self, key: u64, part: Arc<[u8]>) {
        *self.slot(key).lock().unwrap_or_else(PoisonError::into_inner) = Some((key, part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_under_its_key_alone_until_another_takes_its_slot() {
        let cache = Cache::new(0);
        cache.keep(1, Arc::from([7, 8]));
        assert_eq!((cache.byte(1, 1), cache.byte(2, 1)), (Some(8), None));
        cache.keep(2, Arc::from([9]));
        assert_eq!((cache.byte(1, 1), cache.byte(2, 0)), (None, Some(9)));
    }
}
