//! Sets of points.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::Point;

/// A set of points: bit `n` stands for the point with number `n`; the top eight bits are zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bitboard(u32);

const ALL: u32 = 0x00FF_FFFF;
/// Even steps: the middle of each side.
const MIDPOINTS: u32 = 0x0055_5555;

impl Bitboard {
    /// No point.
    pub const EMPTY: Self = Self(0);
    /// All 24 points.
    pub const FULL: Self = Self(ALL);
    /// The twelve points in the middle of a side.
    pub const MIDPOINTS: Self = Self(MIDPOINTS);

    /// The four points with four neighbours.
    pub const CROSSINGS: Self = Self(0x0000_5500);

    /// The set with these bits; bits beyond the 24 points are dropped.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits & ALL)
    }

    /// The set as bits.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// How many points are in the set.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether no point is in the set.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether any point is in the set.
    #[inline]
    #[must_use]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the point is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(self, point: Point) -> bool {
        self.0 & point.bit().0 != 0
    }

    /// Whether all of `other` is in the set.
    #[inline]
    #[must_use]
    pub const fn contains_all(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// The set without `other`.
    #[inline]
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The point with the lowest number.
    #[inline]
    #[must_use]
    pub const fn first(self) -> Option<Point> {
        Point::new(self.0.trailing_zeros() as u8)
    }

    /// The point with the highest number.
    #[inline]
    #[must_use]
    pub const fn last(self) -> Option<Point> {
        match self.0.checked_ilog2() {
            Some(number) => Point::new(number as u8),
            None => None,
        }
    }

    /// Every point moved `steps` (1 to 7) clockwise along its ring.
    #[inline]
    #[must_use]
    pub const fn clockwise<const STEPS: u32>(self) -> Self {
        // One mask for the bits that stay in their byte and one for those that wrap round.
        let wrapped = (0x0001_0101 << STEPS) - 0x0001_0101;
        Self(((self.0 << STEPS) & ALL & !wrapped) | ((self.0 >> (8 - STEPS)) & wrapped))
    }

    /// Every point moved one ring outwards; the outer ring comes in again as the inner.
    #[inline]
    #[must_use]
    pub const fn outwards(self) -> Self {
        Self(((self.0 << 8) | (self.0 >> 16)) & ALL)
    }

    /// Every point moved one ring inwards; the inner ring comes in again as the outer.
    #[inline]
    #[must_use]
    pub const fn inwards(self) -> Self {
        Self(((self.0 >> 8) | (self.0 << 16)) & ALL)
    }

    /// All points connected by a line to a point of the set.
    #[inline]
    #[must_use]
    pub const fn neighbours(self) -> Self {
        let spokes = self.0 & MIDPOINTS;
        Self(
            self.clockwise::<1>().0 | self.clockwise::<7>().0 | ((spokes << 8) & ALL) | spokes >> 8,
        )
    }

    /// The stones of the set that stand in a closed mill.
    #[inline]
    #[must_use]
    pub const fn in_mills(self) -> Self {
        let s = self.0;
        // A mill on a ring is known by its midpoint, a mill on a spoke by its inner point.
        let sides = Self(s & self.clockwise::<1>().0 & self.clockwise::<7>().0 & MIDPOINTS);
        let spokes = s & (s >> 8) & (s >> 16) & 0x55;
        Self(
            sides.0
                | sides.clockwise::<1>().0
                | sides.clockwise::<7>().0
                | spokes
                | spokes << 8
                | spokes << 16,
        )
    }

    /// How many mills the set holds.
    #[inline]
    #[must_use]
    pub const fn mill_count(self) -> u32 {
        let s = self.0;
        let sides = s & self.clockwise::<1>().0 & self.clockwise::<7>().0 & MIDPOINTS;
        // The spoke mills sit on even bits of the low byte, shifted here to the odd ones.
        let spokes = s & (s >> 8) & (s >> 16) & 0x55;
        (sides | spokes << 1).count_ones()
    }

    /// For each of a point's two lines, the points whose other two points on that line belong to
    /// the set. The lines come in the order of [`Point::line_partners`]. The points themselves may
    /// or may not be in the set.
    #[inline]
    #[must_use]
    pub const fn completing(self) -> [Self; 2] {
        // "The stone n steps further clockwise" is the set turned n steps back.
        let next = self.clockwise::<7>().0;
        let after_next = self.clockwise::<6>().0;
        let previous = self.clockwise::<1>().0;
        let before_previous = self.clockwise::<2>().0;
        let corners = ALL ^ MIDPOINTS;
        [
            Self(next & ((previous & MIDPOINTS) | (after_next & corners))),
            Self(
                (self.outwards().0 & self.inwards().0 & MIDPOINTS)
                    | (previous & before_previous & corners),
            ),
        ]
    }
}

impl BitOr for Bitboard {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Bitboard {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline]
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl Not for Bitboard {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(!self.0 & ALL)
    }
}

impl FromIterator<Point> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        points.into_iter().fold(Self::EMPTY, |set, p| set | p.bit())
    }
}

/// The points of a set in number order.
#[derive(Clone, Copy, Debug)]
pub struct Points(u32);

impl Iterator for Points {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        let point = Bitboard(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(point)
    }
}

impl IntoIterator for Bitboard {
    type Item = Point;
    type IntoIter = Points;

    #[inline]
    fn into_iter(self) -> Points {
        Points(self.0)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::numbers;

    fn random_sets() -> impl Iterator<Item = Bitboard> {
        numbers().map(|x| Bitboard::from_bits((x & x >> 32) as u32))
    }

    #[test]
    fn set_wide_operations_agree_with_the_point_tables() {
        for set in random_sets() {
            let neighbours = set.into_iter().fold(Bitboard::EMPTY, |acc, p| acc | p.neighbours());
            assert_eq!(set.neighbours(), neighbours);
            let completing = [0, 1].map(|line| {
                Point::all()
                    .filter(|p| set.contains_all(p.line_partners()[line]))
                    .collect::<Bitboard>()
            });
            assert_eq!(set.completing(), completing);
            let in_mills: Bitboard = set
                .into_iter()
                .filter(|p| p.line_partners().iter().any(|&l| set.contains_all(l)))
                .collect();
            assert_eq!(set.in_mills(), in_mills);
            let corners_of_mills: usize = set
                .into_iter()
                .map(|p| p.line_partners().iter().filter(|&&l| set.contains_all(l)).count())
                .sum();
            assert_eq!(set.mill_count() as usize * 3, corners_of_mills);
        }
    }

    #[test]
    fn points_come_in_order_and_once() {
        for set in random_sets().take(100) {
            let points: Vec<Point> = set.into_iter().collect();
            assert_eq!(points.len() as u32, set.len());
            assert!(points.is_sorted());
            assert_eq!(points.into_iter().collect::<Bitboard>(), set);
        }
    }
}
