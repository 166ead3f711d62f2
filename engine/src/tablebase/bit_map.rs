//! Linear maps of sets: each bit goes to a bit of its own, or nowhere.

use crate::types::Point;

/// The most bits of a set: the points of the board.
pub const MAX_BITS: usize = Point::COUNT;
const PART_BITS: usize = MAX_BITS / 3;

/// Sends the bits of a set to other bits with three look-ups, one for each third of the bits: few
/// enough entries that making a map pays for a few dozen sets, and that several maps stay at hand.
#[derive(Clone, Debug)]
pub struct BitMap {
    split: u32,
    parts: [[u32; 1 << PART_BITS]; 3],
}

impl BitMap {
    /// A map that is still to be [`set`](Self::set).
    #[must_use]
    pub fn new() -> Box<Self> {
        Box::new(Self { split: 0, parts: [[0; 1 << PART_BITS]; 3] })
    }

    /// Makes bit `i` go to the bits of `images[i]`.
    ///
    /// # Panics
    /// If there are more than [`MAX_BITS`].
    pub fn set(&mut self, images: &[u32]) {
        debug_assert!(images.len() <= MAX_BITS);
        let split = images.len().div_ceil(3);
        self.split = split as u32;
        for (i, part) in self.parts.iter_mut().enumerate() {
            fill(part, &images[images.len().min(i * split)..images.len().min((i + 1) * split)]);
        }
    }

    /// The image of a set.
    #[inline(always)]
    #[must_use]
    pub fn map(&self, bits: u32) -> u32 {
        let [low, middle, high] = &self.parts;
        let mask = (1 << self.split) - 1;
        // The conversions cost nothing and spare the bounds checks.
        low[usize::from((bits & mask) as u8)]
            | middle[usize::from((bits >> self.split & mask) as u8)]
            | high[usize::from((bits >> (2 * self.split)) as u8)]
    }
}

fn fill(table: &mut [u32], images: &[u32]) {
    table[0] = 0;
    for (i, &image) in images.iter().enumerate() {
        let (half, rest) = table.split_at_mut(1 << i);
        for (with, without) in rest.iter_mut().zip(half) {
            *with = *without | image;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_goes_where_its_bits_go() {
        for bits in [1, 2, 4, 15, 20, 21, 23] {
            let images: Vec<u32> = (0..bits).map(|i| 1 << ((i * 5 + 3) % 23)).collect();
            let mut map = BitMap::new();
            map.set(&images);
            for set in (0..1 << bits).step_by(37) {
                let expected = (0..bits)
                    .filter(|i| set >> i & 1 == 1)
                    .fold(0, |acc, i| acc | images[i as usize]);
                assert_eq!(map.map(set), expected);
            }
        }
    }
}
