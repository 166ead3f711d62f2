//! Linear maps of sets: each bit goes to a bit of its own, or nowhere.

use crate::types::Point;

/// The most bits of a set: the points of the board.
pub const MAX_BITS: usize = Point::COUNT;
const LOW_BITS: usize = MAX_BITS / 2;

/// Sends the bits of a set to other bits, with two look-ups: a table for the low half of the bits
/// and one for the high half.
#[derive(Clone, Debug)]
pub struct BitMap {
    split: u32,
    low: [u32; 1 << LOW_BITS],
    high: [u32; 1 << LOW_BITS],
}

impl BitMap {
    /// A map that is still to be [`set`](Self::set).
    #[must_use]
    pub fn new() -> Box<Self> {
        Box::new(Self { split: 0, low: [0; 1 << LOW_BITS], high: [0; 1 << LOW_BITS] })
    }

    /// Makes bit `i` go to the bits of `images[i]`.
    ///
    /// # Panics
    /// If there are more than [`MAX_BITS`].
    pub fn set(&mut self, images: &[u32]) {
        debug_assert!(images.len() <= MAX_BITS);
        let split = images.len().div_ceil(2);
        self.split = split as u32;
        let (low, high) = images.split_at(split);
        fill(&mut self.low, low);
        fill(&mut self.high, high);
    }

    /// The image of a set.
    #[inline(always)]
    #[must_use]
    pub fn map(&self, bits: u32) -> u32 {
        let low = bits & ((1 << self.split) - 1);
        // The masks cost nothing and spare the bounds checks.
        self.low[low as usize & (self.low.len() - 1)]
            | self.high[(bits >> self.split) as usize & (self.high.len() - 1)]
    }
}

fn fill(table: &mut [u32], images: &[u32]) {
    table[0] = 0;
    for (i, &image) in images.iter().enumerate() {
        let half = 1 << i;
        for low in 0..half {
            table[half + low] = table[low] | image;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_goes_where_its_bits_go() {
        for bits in [1, 2, 15, 20, 21, 23] {
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
