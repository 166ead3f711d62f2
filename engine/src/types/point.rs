//! The 24 points of the board, their names, neighbours and lines.

use std::fmt;
use std::str::FromStr;

use super::Bitboard;

/// One of the 24 points.
///
/// The number is `8 × ring + step`: rings inner (0), middle (1), outer (2); steps clockwise from
/// 12 o'clock. Even steps are the midpoints of a side, odd steps its corners. This is also the
/// order of the characters in a FEN and of its `ids:nodes` numbers, and it makes each ring one
/// byte of a [`Bitboard`], so that a step along every ring at once is a rotation of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u8);

/// Names in number order.
const NAMES: [&str; Point::COUNT] = [
    "d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5", //
    "d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6", //
    "d7", "g7", "g4", "g1", "d1", "a1", "a4", "a7",
];

impl Point {
    /// How many points the board has.
    pub const COUNT: usize = 24;

    /// The point with this number, or `None` from 24 on.
    #[inline]
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < Self::COUNT { Some(Self(number)) } else { None }
    }

    /// The point with this number.
    ///
    /// # Panics
    /// If `number` is 24 or more.
    #[inline]
    #[must_use]
    pub const fn from_index(number: usize) -> Self {
        assert!(number < Self::COUNT);
        Self(number as u8)
    }

    /// All points in number order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The number, 0 to 23.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The set that holds only this point.
    #[inline]
    #[must_use]
    pub const fn bit(self) -> Bitboard {
        Bitboard::from_bits(1 << self.0)
    }

    /// The name, such as `a7`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        NAMES[self.0 as usize]
    }

    /// The points connected to this one by a line of the board.
    #[inline]
    #[must_use]
    pub const fn neighbours(self) -> Bitboard {
        NEIGHBOURS[self.0 as usize]
    }

    /// The two lines through this point, each as the set of its *other* two points.
    ///
    /// For a midpoint the first is the side of its ring and the second the spoke; for a corner
    /// the first is the side that follows clockwise and the second the one before.
    #[inline]
    #[must_use]
    pub const fn line_partners(self) -> [Bitboard; 2] {
        LINE_PARTNERS[self.0 as usize]
    }
}

/// The point `steps` further clockwise on the same ring.
const fn along_ring(point: usize, steps: usize) -> usize {
    point / 8 * 8 + (point + steps) % 8
}

/// The point at the same step, `rings` rings further out, wrapping round.
const fn across_rings(point: usize, rings: usize) -> usize {
    (point + 8 * rings) % 24
}

const fn pair(a: usize, b: usize) -> Bitboard {
    Bitboard::from_bits(1 << a | 1 << b)
}

const LINE_PARTNERS: [[Bitboard; 2]; Point::COUNT] = {
    let mut lines = [[Bitboard::EMPTY; 2]; Point::COUNT];
    let mut p = 0;
    while p < Point::COUNT {
        lines[p] = if p % 2 == 0 {
            [pair(along_ring(p, 1), along_ring(p, 7)), pair(across_rings(p, 1), across_rings(p, 2))]
        } else {
            [pair(along_ring(p, 1), along_ring(p, 2)), pair(along_ring(p, 7), along_ring(p, 6))]
        };
        p += 1;
    }
    lines
};

const NEIGHBOURS: [Bitboard; Point::COUNT] = {
    let mut sets = [Bitboard::EMPTY; Point::COUNT];
    let mut p = 0;
    while p < Point::COUNT {
        let mut bits = pair(along_ring(p, 1), along_ring(p, 7)).bits();
        if p % 2 == 0 {
            if p < 16 {
                bits |= 1 << (p + 8);
            }
            if p >= 8 {
                bits |= 1 << (p - 8);
            }
        }
        sets[p] = Bitboard::from_bits(bits);
        p += 1;
    }
    sets
};

/// The text is not the name of one of the 24 points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAPoint;

impl fmt::Display for NotAPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a point of the board; the points are a1 a4 a7 b2 b4 b6 c3 c4 c5 d1 d2 d3 d5 d6 d7 e3 e4 e5 f2 f4 f6 g1 g4 g7")
    }
}

impl std::error::Error for NotAPoint {}

impl FromStr for Point {
    type Err = NotAPoint;

    /// Reads a name in either case.
    fn from_str(text: &str) -> Result<Self, NotAPoint> {
        NAMES
            .iter()
            .position(|name| name.eq_ignore_ascii_case(text))
            .map(Self::from_index)
            .ok_or(NotAPoint)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_in_either_case() {
        for p in Point::all() {
            assert_eq!(p.name().parse(), Ok(p));
            assert_eq!(p.name().to_uppercase().parse(), Ok(p));
        }
        for bad in ["", "b7", "a", "a77", "d4", "h1", "é7"] {
            assert_eq!(bad.parse::<Point>(), Err(NotAPoint), "{bad}");
        }
    }

    #[test]
    fn the_board_has_32_edges_and_16_lines() {
        let edges: u32 = Point::all().map(|p| p.neighbours().len()).sum();
        assert_eq!(edges, 2 * 32);
        for p in Point::all() {
            for q in p.neighbours() {
                assert!(q.neighbours().contains(p), "{p} {q}");
            }
        }
        let mut lines: Vec<u32> =
            Point::all().flat_map(|p| p.line_partners().map(|l| (l | p.bit()).bits())).collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), 16);
        assert!(lines.iter().all(|l| l.count_ones() == 3));
    }

    #[test]
    fn ring_to_ring_steps_exist_only_on_the_four_spokes() {
        let p = |s: &str| s.parse::<Point>().unwrap();
        assert!(p("d6").neighbours().contains(p("d5")));
        assert!(p("f4").neighbours().contains(p("e4")));
        assert!(!p("d5").neighbours().contains(p("d3")));
        assert!(!p("a7").neighbours().contains(p("b6")));
        assert!(!p("d7").neighbours().contains(p("d5")));
    }
}
