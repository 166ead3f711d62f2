//! Slides as sets of edges of the board.

use super::Bitboard;

/// How many edges the board has: pairs of points that a slide connects.
pub const EDGES: usize = 32;

/// The points that each edge connects, the smaller number first. The edges of the rings come first,
/// by the point that lies further clockwise, then those of the spokes.
pub const EDGE_ENDS: [[usize; 2]; EDGES] = {
    let mut ends = [[0; 2]; EDGES];
    let mut edge = 0;
    while edge < EDGES {
        ends[edge] = match edge {
            0..24 if edge % 8 == 0 => [edge, edge + 7],
            0..24 => [edge - 1, edge],
            // The two inner rings take turns: see `packed`.
            _ => {
                let bit = edge - 24;
                let inner = if bit % 2 == 0 { bit } else { bit + 7 };
                [inner, inner + 8]
            }
        };
        edge += 1;
    }
    ends
};

/// The points at which a ring begins, and so the edges of the rings that lead from the point with
/// the smaller number to the one further *anti*clockwise.
const WRAP: u32 = 0x01_0101;

/// The even ones of sixteen bits, moved together: those of the upper half go between the others.
#[inline(always)]
const fn packed(bits: u32) -> u32 {
    let even = bits & 0x5555;
    (even | even >> 7) & 0xFF
}

/// The slides of a side, as sets of edges: along an edge a side can slide in one direction at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slides {
    /// All.
    pub all: u32,
    /// Those to a point with a smaller number.
    pub falls: u32,
    /// Those that close a mill.
    pub closing: u32,
}

impl Slides {
    /// Those from `stones` to the points of `empty`. It has no branches and looks nothing up, so
    /// that several positions can be worked on at once.
    #[inline(always)]
    #[must_use]
    pub fn of(stones: Bitboard, empty: Bitboard) -> Self {
        let [clockwise, anticlockwise, outwards, inwards] = directions(stones, [empty; 3]);
        Self {
            all: join([clockwise, anticlockwise, outwards, inwards]),
            falls: (clockwise & WRAP) | (anticlockwise & !WRAP) | packed(inwards) << 24,
            closing: closing_slides(stones, empty),
        }
    }
}

/// [`Slides::all`] alone.
#[inline(always)]
#[must_use]
pub fn slides(stones: Bitboard, empty: Bitboard) -> u32 {
    join(directions(stones, [empty; 3]))
}

/// [`Slides::closing`] alone.
#[inline(always)]
#[must_use]
pub fn closing_slides(stones: Bitboard, empty: Bitboard) -> u32 {
    closing_slides_of(stones, stones, empty)
}

/// Those of [`Slides::closing`] that some of the stones can make.
#[inline(always)]
#[must_use]
pub fn closing_slides_of(movers: Bitboard, stones: Bitboard, empty: Bitboard) -> u32 {
    join(directions(movers, closing_targets(stones, empty)))
}

/// Where the slides of [`closing_slides`] lead to.
#[inline]
#[must_use]
pub(crate) fn closed_by_slides(stones: Bitboard, empty: Bitboard) -> Bitboard {
    let [clockwise, anticlockwise, along_spoke] = closing_targets(stones, empty);
    let on_spokes = (stones & Bitboard::MIDPOINTS).bits();
    (stones.clockwise::<1>() & clockwise)
        | (stones.clockwise::<7>() & anticlockwise)
        | (Bitboard::from_bits(on_spokes << 8 | on_spokes >> 8) & along_spoke)
}

/// The empty points where a stone that comes clockwise, anticlockwise or along a spoke closes a mill.
#[inline(always)]
fn closing_targets(stones: Bitboard, empty: Bitboard) -> [Bitboard; 3] {
    let [first, second] = stones.completing();
    let midpoints = Bitboard::MIDPOINTS;
    // The line that a slide runs along does not count: where it arrives decides which it can close,
    // the spoke of a midpoint or the other side that meets in a corner.
    [
        (first.without(midpoints) | (second & midpoints)) & empty,
        second & empty,
        first & midpoints & empty,
    ]
}

/// The slides clockwise and anticlockwise, by edge, and outwards and inwards along a spoke, by the
/// point further in; those clockwise, anticlockwise and along spokes each to the points of its own
/// set.
#[inline(always)]
fn directions(stones: Bitboard, targets: [Bitboard; 3]) -> [u32; 4] {
    let clockwise = stones.clockwise::<1>() & targets[0];
    let anticlockwise = stones & targets[1].clockwise::<1>();
    let (from, to) = (stones.bits(), targets[2].bits());
    [clockwise.bits(), anticlockwise.bits(), from & to >> 8 & 0x5555, from >> 8 & to & 0x5555]
}

#[inline(always)]
fn join([clockwise, anticlockwise, outwards, inwards]: [u32; 4]) -> u32 {
    clockwise | anticlockwise | packed(outwards | inwards) << 24
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::numbers;

    #[test]
    fn slides_are_all_there_are_and_those_that_close_a_mill() {
        for x in numbers() {
            let stones = Bitboard::from_bits((x & (x >> 24)) as u32);
            let other = Bitboard::from_bits((x >> 40) as u32 & (x >> 16) as u32).without(stones);
            let empty = !(stones | other);
            let slides = Slides::of(stones, empty);
            assert_eq!(slides.all, super::slides(stones, empty));
            let movers = stones & Bitboard::from_bits((x >> 8) as u32);
            let is_of_movers = |edge: &usize| {
                EDGE_ENDS[*edge]
                    .iter()
                    .any(|&end| movers.contains(crate::types::Point::from_index(end)))
            };
            let of_movers = (0..EDGES).filter(is_of_movers).fold(0, |set, edge| set | 1 << edge);
            assert_eq!(closing_slides_of(movers, stones, empty), slides.closing & of_movers);
            let mut expected = Vec::new();
            for from in stones {
                for to in from.neighbours() & empty {
                    let rest = stones.without(from.bit());
                    let closes = to.line_partners().iter().any(|&l| rest.contains_all(l));
                    expected.push((from.index(), to.index(), closes));
                }
            }
            let mut found: Vec<_> = (0..EDGES)
                .filter(|edge| slides.all >> edge & 1 == 1)
                .map(|edge| {
                    let [mut from, mut to] = EDGE_ENDS[edge];
                    let falls = slides.falls >> edge & 1 == 1;
                    if falls {
                        (from, to) = (to, from);
                    }
                    (from, to, slides.closing >> edge & 1 == 1)
                })
                .collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected);
            assert_eq!((slides.falls | slides.closing) & !slides.all, 0);
        }
    }
}
