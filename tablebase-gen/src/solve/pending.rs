//! Which stretches of a sector hold positions of a level.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The most positions of a chunk.
pub const CHUNK: usize = 512;
/// One set for every code below this.
const LEVELS: usize = 256;

/// For each level the chunks that may hold a position of that level, so that a level that few
/// positions have costs little. A block is cut into chunks of its own.
#[derive(Debug)]
pub struct Pending {
    chunks_per_block: usize,
    words_per_level: usize,
    bits: Vec<AtomicU64>,
}

impl Pending {
    /// No chunk holds anything yet.
    pub fn new(blocks: usize, block_len: usize) -> Self {
        let chunks_per_block = block_len.div_ceil(CHUNK);
        let words_per_level = (blocks * chunks_per_block).div_ceil(64);
        let bits = (0..words_per_level * LEVELS).map(|_| AtomicU64::new(0)).collect();
        Self { chunks_per_block, words_per_level, bits }
    }

    /// The number of the first chunk of a block.
    #[inline]
    pub fn first_chunk(&self, block: usize) -> usize {
        block * self.chunks_per_block
    }

    /// Says that the chunk holds a position of this level.
    #[inline]
    pub fn mark(&self, level: u8, chunk: usize) {
        let word = &self.bits[usize::from(level) * self.words_per_level + chunk / 64];
        let bit = 1 << (chunk % 64);
        // Looking first spares the locked write, nearly always.
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    /// Whether the chunk may hold a position of this level.
    #[inline]
    pub fn is_marked(&self, level: u8, chunk: usize) -> bool {
        let word = &self.bits[usize::from(level) * self.words_per_level + chunk / 64];
        word.load(Relaxed) >> (chunk % 64) & 1 == 1
    }

    /// Whether the chunk was marked; it is no longer.
    #[inline]
    pub fn take(&self, level: u8, chunk: usize) -> bool {
        let word = &self.bits[usize::from(level) * self.words_per_level + chunk / 64];
        let bit = 1 << (chunk % 64);
        word.load(Relaxed) & bit != 0 && word.fetch_and(!bit, Relaxed) & bit != 0
    }

    /// How many bytes one of this shape takes.
    pub fn bytes(blocks: usize, block_len: usize) -> usize {
        (blocks * block_len.div_ceil(CHUNK)).div_ceil(64) * LEVELS * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_that_of_its_level_and_chunk() {
        let pending = Pending::new(3, 1100);
        pending.mark(7, pending.first_chunk(2) + 1);
        let marked: Vec<usize> = (0..9).filter(|&c| pending.is_marked(7, c)).collect();
        assert_eq!(marked, [7]);
        assert!(!pending.take(6, 7) && pending.take(7, 7) && !pending.take(7, 7));
    }
}
