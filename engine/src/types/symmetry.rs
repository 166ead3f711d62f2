//! The 16 symmetries of the board.

use super::{Bitboard, Point, Turn};

/// A symmetry of the board: a turn by quarters, a reflection, the exchange of the inner and the
/// outer ring, or any sequence of these. All 16 keep edges and lines, so they keep every value.
///
/// (While both sides fly only the lines matter, and there are 48 maps that keep those; the other
/// 32 do not keep the edges and are not listed here.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

const EXCHANGE: u8 = 8;
const REFLECT: u8 = 4;

/// Where each symmetry sends each point.
static MAPS: [[u8; Point::COUNT]; Symmetry::COUNT] = {
    let mut maps = [[0; Point::COUNT]; Symmetry::COUNT];
    let mut s = 0;
    while s < Symmetry::COUNT {
        let mut p = 0;
        while p < Point::COUNT {
            let (mut ring, mut step) = (p / 8, p % 8);
            if s as u8 & REFLECT != 0 {
                step = (8 - step) % 8;
            }
            step = (step + 2 * (s % 4)) % 8;
            if s as u8 & EXCHANGE != 0 {
                ring = 2 - ring;
            }
            maps[s][p] = (ring * 8 + step) as u8;
            p += 1;
        }
        s += 1;
    }
    maps
};

/// The image of every possible ring, for the eight symmetries that stay on a ring.
static RINGS: [[u8; 256]; 8] = {
    let mut rings = [[0; 256]; 8];
    let mut s = 0;
    while s < 8 {
        let mut byte = 0;
        while byte < 256 {
            let mut step = 0;
            while step < 8 {
                if byte >> step & 1 == 1 {
                    rings[s][byte] |= 1 << MAPS[s][step];
                }
                step += 1;
            }
            byte += 1;
        }
        s += 1;
    }
    rings
};

impl Symmetry {
    /// How many there are.
    pub const COUNT: usize = 16;
    /// The one that changes nothing.
    pub const IDENTITY: Self = Self(0);

    /// All symmetries, the identity first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The symmetry with this number.
    ///
    /// # Panics
    /// If `number` is 16 or more.
    #[inline]
    #[must_use]
    pub const fn from_index(number: usize) -> Self {
        assert!(number < Self::COUNT);
        Self(number as u8)
    }

    /// The number, 0 to 15; the identity is 0.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Where the symmetry sends a point.
    #[inline]
    #[must_use]
    pub const fn point(self, point: Point) -> Point {
        Point::from_index(MAPS[self.0 as usize][point.index()] as usize)
    }

    /// Where the symmetry sends a set.
    #[inline]
    #[must_use]
    pub const fn set(self, set: Bitboard) -> Bitboard {
        let [inner, middle, outer, _] = set.bits().to_le_bytes();
        let map = &RINGS[(self.0 % EXCHANGE) as usize];
        let (inner, middle, outer) =
            (map[inner as usize], map[middle as usize], map[outer as usize]);
        Bitboard::from_bits(u32::from_le_bytes(if self.0 & EXCHANGE == 0 {
            [inner, middle, outer, 0]
        } else {
            [outer, middle, inner, 0]
        }))
    }

    /// Where the symmetry sends a turn.
    #[must_use]
    pub fn turn(self, turn: Turn) -> Turn {
        let mut captures = turn.captures().into_iter().flatten().map(|p| self.point(p));
        let base = match (turn.from(), turn.to()) {
            (Some(from), Some(to)) => Some(Turn::step(self.point(from), self.point(to))),
            (None, Some(to)) => Some(Turn::place(self.point(to))),
            _ => captures.next().map(Turn::capture_only),
        };
        // A turn from untrusted bits may be a shape that no position allows; it stays as it is.
        base.map_or(turn, |base| captures.fold(base, Turn::with_capture))
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        if self.0 & REFLECT == 0 {
            Self((self.0 & EXCHANGE) | ((4 - self.0 % 4) % 4))
        } else {
            self // a reflection undoes itself
        }
    }

    /// First this symmetry, then `next`.
    #[must_use]
    pub const fn then(self, next: Self) -> Self {
        // Two different points of one ring fix the turn and the reflection.
        let (zero, one) = (0, 1);
        let z = MAPS[next.0 as usize][MAPS[self.0 as usize][zero] as usize] % 8;
        let o = MAPS[next.0 as usize][MAPS[self.0 as usize][one] as usize] % 8;
        let reflect = if (o + 8 - z) % 8 == 1 { 0 } else { REFLECT };
        Self(((self.0 ^ next.0) & EXCHANGE) | reflect | (z / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_sixteen_different_maps_that_keep_edges_and_lines() {
        let mut images: Vec<Vec<Point>> =
            Symmetry::all().map(|s| Point::all().map(|p| s.point(p)).collect()).collect();
        images.sort();
        images.dedup();
        assert_eq!(images.len(), 16);
        for s in Symmetry::all() {
            for p in Point::all() {
                assert_eq!(s.set(p.neighbours()), s.point(p).neighbours());
                let lines = p.line_partners().map(|l| s.set(l));
                let expected = s.point(p).line_partners();
                assert!(lines == expected || lines == [expected[1], expected[0]]);
            }
        }
    }

    #[test]
    fn they_form_a_group() {
        for s in Symmetry::all() {
            assert_eq!(s.then(s.inverse()), Symmetry::IDENTITY);
            for t in Symmetry::all() {
                for p in Point::all() {
                    assert_eq!(s.then(t).point(p), t.point(s.point(p)));
                }
            }
        }
    }

    #[test]
    fn turns_follow_their_points() {
        let [a, b, c, d] = [1, 2, 17, 22].map(Point::from_index);
        for s in Symmetry::all() {
            let turn = s.turn(Turn::step(a, b).with_capture(c).with_capture(d));
            assert_eq!(turn.from(), Some(s.point(a)));
            assert_eq!(turn.to(), Some(s.point(b)));
            assert_eq!(turn.captures(), [Some(s.point(c)), Some(s.point(d))]);
            assert_eq!(s.turn(Turn::capture_only(c)), Turn::capture_only(s.point(c)));
        }
    }
}
