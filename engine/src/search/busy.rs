//! Which positions the threads of a search are at work on.
//!
//! Threads that share nothing but the transposition table mostly do the same work at the same time.
//! A thread that finds another one at work on the position after a turn leaves that turn for later,
//! when its result is likely to be in the table (J.-C. Weill, *The ABDADA distributed minimax search
//! algorithm*, 1996; in the form without counters in the table due to T. Kerrigan).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A set of position keys that forgets: a lost or a stray key costs time, never a result.
#[derive(Debug)]
pub(super) struct Busy([AtomicU64; Self::SLOTS]);

impl Busy {
    const SLOTS: usize = 1 << 12;

    pub(super) const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; Self::SLOTS])
    }

    #[inline]
    const fn slot(&self, key: u64) -> &AtomicU64 {
        &self.0[key as usize % Self::SLOTS]
    }

    /// Whether a thread is at work on the position with this key.
    #[inline]
    pub(super) fn contains(&self, key: u64) -> bool {
        self.slot(key).load(Relaxed) == key
    }

    /// Notes that a thread has begun to work on the position.
    #[inline]
    pub(super) fn begin(&self, key: u64) {
        self.slot(key).store(key, Relaxed);
    }

    /// Notes that it has ended.
    #[inline]
    pub(super) fn end(&self, key: u64) {
        // Another position may have taken the place meanwhile.
        let _ = self.slot(key).compare_exchange(key, 0, Relaxed, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_busy_from_beginning_to_end() {
        let busy = Busy::new();
        let other = 5 + Busy::SLOTS as u64;
        assert!(!busy.contains(5));
        busy.begin(5);
        assert!(busy.contains(5) && !busy.contains(other));
        busy.begin(other);
        busy.end(5);
        assert!(busy.contains(other) && !busy.contains(5));
        busy.end(other);
        assert!(!busy.contains(other));
    }
}
