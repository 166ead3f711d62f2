//! The fast evaluation of ordinary positions: tables over what stands on one ring or one spoke.
//!
//! Most terms are sums over rings and spokes, so their whole share for a ring is looked up by the
//! ring's pattern (each point empty, White or Black), with the weights already worked in. What
//! depends on more than one line is counted on the spot. The values are those of the plain sum in
//! the parent module, which also serves where a side flies.

use std::sync::LazyLock;

use super::TERMS;
use super::features::{Counts, Term};
use super::{Blend, Phase};

/// Patterns of eight points with three states each.
const RING_PATTERNS: usize = 6561;

/// White's shares less Black's.
pub(super) struct Patterns {
    /// For the inner and outer ring, and for the middle one.
    rings: [Box<[Blend; RING_PATTERNS]>; 2],
    /// By White's points on the spoke (inner, middle, outer: bits 0 to 2) and Black's (3 to 5).
    spokes: [Blend; 64],
}

pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(Patterns::new);

/// The sum of `3^i` over the bits `i` of a byte.
static TERNARY: [u16; 256] = {
    let mut sums = [0; 256];
    let mut byte = 1_usize;
    while byte < 256 {
        let low = byte.trailing_zeros();
        sums[byte] = sums[byte & (byte - 1)] + 3_u16.pow(low);
        byte += 1;
    }
    sums
};

#[inline]
fn ring_index(white: u8, black: u8) -> usize {
    usize::from(TERNARY[white as usize]) + 2 * usize::from(TERNARY[black as usize])
}

impl Patterns {
    fn new() -> Self {
        let mut rings = [(); 2].map(|()| Box::new([Blend::default(); RING_PATTERNS]));
        for (middle, table) in rings.iter_mut().enumerate() {
            for white in 0..=u8::MAX {
                for black in (0..=u8::MAX).filter(|black| black & white == 0) {
                    let worth = |own, other| weigh(&ring_counts(own, other, middle == 1));
                    table[ring_index(white, black)] = worth(white, black) - worth(black, white);
                }
            }
        }
        let mut spokes = [Blend::default(); 64];
        for (index, worth) in spokes.iter_mut().enumerate() {
            let (white, black) = (index as u8 & 7, index as u8 >> 3);
            if white & black == 0 {
                *worth = weigh(&spoke_counts(white, black)) - weigh(&spoke_counts(black, white));
            }
        }
        Self { rings, spokes }
    }

    /// The shares of all rings and spokes; White's stones in the low half of `stones`, Black's in
    /// the high half.
    #[inline]
    pub(super) fn sum(&self, stones: u64) -> Blend {
        let [w0, w1, w2, _, b0, b1, b2, _] = stones.to_le_bytes();
        let mut sum = self.rings[0][ring_index(w0, b0)]
            + self.rings[1][ring_index(w1, b1)]
            + self.rings[0][ring_index(w2, b2)];
        for spoke in [0, 2, 4, 6] {
            // The product brings the three points of the spoke together, for each colour.
            let gathered = (stones >> spoke & 0x0001_0101_0001_0101).wrapping_mul(0x1_0204);
            let index = (gathered >> 16 & 7 | gathered >> 45 & 0o70) as usize;
            sum = sum + self.spokes[index];
        }
        sum
    }
}

/// The worth of counts before the last stones are placed and after.
fn weigh(counts: &Counts) -> Blend {
    let sum = |phase: Phase| counts.iter().zip(TERMS[phase as usize]).map(|(c, w)| c * w).sum();
    Blend::new(sum(Phase::Placing), sum(Phase::Moving))
}

/// The counts of one side that lie within a ring.
fn ring_counts(own: u8, other: u8, middle: bool) -> Counts {
    let empty = !(own | other);
    let mut counts = [0; Term::COUNT];
    let mut add = |term: Term, n: u32| counts[term as usize] += n as i32;
    let next_to_empty = [empty.rotate_left(1), empty.rotate_right(1)];
    add(Term::Mobility, next_to_empty.iter().map(|e| (own & e).count_ones()).sum());
    let midpoints = (own & 0x55).count_ones();
    add(if middle { Term::Crossings } else { Term::Junctions }, midpoints);
    for corner in [7, 1, 3, 5] {
        let line = 7_u8.rotate_left(corner);
        add_line(&mut add, (own & line).count_ones(), (other & line).count_ones());
    }
    counts
}

/// The counts of one side that lie within a spoke.
fn spoke_counts(own: u8, other: u8) -> Counts {
    let empty = !(own | other) & 7;
    let mut counts = [0; Term::COUNT];
    let mut add = |term: Term, n: u32| counts[term as usize] += n as i32;
    add(Term::Mobility, (own & empty << 1).count_ones() + (own & empty >> 1).count_ones());
    add_line(&mut add, own.count_ones(), other.count_ones());
    counts
}

fn add_line(add: &mut impl FnMut(Term, u32), own: u32, other: u32) {
    match (own, other) {
        (1, 0) => add(Term::Ones, 1),
        (2, 0) => add(Term::Twos, 1),
        (3, 0) => add(Term::Mills, 1),
        _ => {}
    }
}
