//! Two sets of points worked on at once.

use super::Bitboard;

/// Two sets of points side by side, one in each half of a word, such as the stones of both players:
/// what is done to one is done to the other with the same instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Both(pub(crate) u64);

const ALL: u64 = 0x00FF_FFFF_00FF_FFFF;

impl Both {
    /// The points in the middle of a side, twice.
    const MIDPOINTS: u64 = 0x0055_5555_0055_5555;

    #[inline]
    pub(crate) fn new([first, second]: [Bitboard; 2]) -> Self {
        Self(u64::from(first.bits()) | u64::from(second.bits()) << 32)
    }

    /// The two sets.
    #[inline]
    pub(crate) const fn sets(self) -> [Bitboard; 2] {
        [Bitboard::from_bits(self.0 as u32), Bitboard::from_bits((self.0 >> 32) as u32)]
    }

    /// As [`Bitboard::clockwise`].
    #[inline]
    const fn clockwise<const STEPS: u32>(self) -> u64 {
        const LOWEST: u64 = 0x0001_0101_0001_0101;
        let wrapped = (LOWEST << STEPS) - LOWEST;
        (self.0 << STEPS & ALL & !wrapped) | (self.0 >> (8 - STEPS) & wrapped)
    }

    /// As [`Bitboard::outwards`].
    #[inline]
    const fn outwards(self) -> u64 {
        (self.0 << 8 & ALL) | (self.0 >> 16 & 0x0000_00FF_0000_00FF)
    }

    /// As [`Bitboard::inwards`].
    #[inline]
    const fn inwards(self) -> u64 {
        (self.0 >> 8 & 0x0000_FFFF_0000_FFFF) | (self.0 << 16 & 0x00FF_0000_00FF_0000)
    }

    /// For each of a point's two lines, in the order of [`super::Point::line_partners`], the points
    /// that have one of its other points in the set, and those that have the other one.
    #[inline]
    pub(crate) fn partners(self) -> [[u64; 2]; 2] {
        let [next, after_next] = [self.clockwise::<7>(), self.clockwise::<6>()];
        let [previous, before_previous] = [self.clockwise::<1>(), self.clockwise::<2>()];
        let at =
            |midpoints: u64, corners: u64| midpoints & Self::MIDPOINTS | corners & !Self::MIDPOINTS;
        [
            [next, at(previous, after_next)],
            [at(self.outwards(), previous), at(self.inwards(), before_previous)],
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::numbers;

    #[test]
    fn each_half_goes_its_own_way() {
        for x in numbers() {
            let sets = [x as u32, (x >> 32) as u32].map(Bitboard::from_bits);
            let both = Both::new(sets);
            assert_eq!(both.sets(), sets);
            let agrees = |word: u64, f: fn(Bitboard) -> Bitboard| Both(word).sets() == sets.map(f);
            assert!(agrees(both.clockwise::<1>(), Bitboard::clockwise::<1>));
            assert!(agrees(both.clockwise::<2>(), Bitboard::clockwise::<2>));
            assert!(agrees(both.clockwise::<6>(), Bitboard::clockwise::<6>));
            assert!(agrees(both.clockwise::<7>(), Bitboard::clockwise::<7>));
            assert!(agrees(both.outwards(), Bitboard::outwards));
            assert!(agrees(both.inwards(), Bitboard::inwards));
            let [first, second] = both.partners().map(|[a, b]| Both(a & b).sets());
            assert_eq!([first[0], second[0]], sets[0].completing());
            assert_eq!([first[1], second[1]], sets[1].completing());
        }
    }
}
