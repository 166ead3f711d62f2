//! The fast evaluation of ordinary positions: tables over what stands on one ring or one side.
//!
//! Nearly every term is a sum over parts of the board, so the whole share of a part is looked up by
//! its pattern (each point empty, ours or theirs), with the weights already worked in:
//!
//! * a ring knows the sides of its square, its steps, and all about its four corners;
//! * a side of the board, that is the three lines one behind the other there and the spoke through
//!   them, knows the spoke and all about its three midpoints.
//!
//! Only double mills depend on more. The values are those of the plain sum in the parent module,
//! which also serves where a side flies.

use std::sync::LazyLock;

use super::TERMS;
use super::features::{Counts, Term};
use super::{Blend, Phase};

/// Patterns of the eight points of a ring with three states each.
const RING_PATTERNS: usize = 3_usize.pow(8);
/// Patterns of the nine points of a side.
const SIDE_PATTERNS: usize = 3_usize.pow(9);

/// The shares of the side to move less those of the other.
pub(super) struct Patterns {
    rings: Box<[Blend; RING_PATTERNS]>,
    sides: Box<[Blend; SIDE_PATTERNS]>,
}

/// By whether each player, the one to move first, slides: has no stones in hand.
static PATTERNS: [[LazyLock<Patterns>; 2]; 2] = [
    [
        LazyLock::new(|| Patterns::new([false, false])),
        LazyLock::new(|| Patterns::new([false, true])),
    ],
    [LazyLock::new(|| Patterns::new([true, false])), LazyLock::new(|| Patterns::new([true, true]))],
];

/// The sum of `3^i` over the bits `i` of a number.
static TERNARY: [u16; 512] = {
    let mut sums = [0; 512];
    let mut number = 1_usize;
    while number < 512 {
        let low = number.trailing_zeros();
        sums[number] = sums[number & (number - 1)] + 3_u16.pow(low);
        number += 1;
    }
    sums
};

#[inline]
fn index(us: u32, them: u32) -> usize {
    usize::from(TERNARY[us as usize % 512]) + 2 * usize::from(TERNARY[them as usize % 512])
}

impl Patterns {
    /// The tables for players of whom these slide.
    #[inline]
    pub(super) fn of([us, them]: [bool; 2]) -> &'static Self {
        &PATTERNS[usize::from(us)][usize::from(them)]
    }

    /// Fills all tables, which the first evaluation would otherwise wait for.
    pub(super) fn prepare() {
        PATTERNS.as_flattened().iter().for_each(|patterns| {
            LazyLock::force(patterns);
        });
    }

    fn new([we_slide, they_slide]: [bool; 2]) -> Self {
        let difference = |counts: &dyn Fn(u32, u32, bool) -> Part, us, them| {
            let ours = counts(us, them, we_slide);
            let theirs = counts(them, us, they_slide);
            ours.weigh(Term::Closing) - theirs.weigh(Term::Threats)
        };
        let mut rings = Box::new([Blend::default(); RING_PATTERNS]);
        let mut sides = Box::new([Blend::default(); SIDE_PATTERNS]);
        for us in 0..512 {
            for them in (0..512).filter(|them| them & us == 0) {
                let index = index(us, them);
                sides[index] = difference(&Part::of_side, us, them);
                if (us | them) < 256 {
                    rings[index] = difference(&Part::of_ring, us, them);
                }
            }
        }
        Self { rings, sides }
    }

    /// The shares of all rings and sides; stones of the side to move in the low half of `stones`,
    /// the others in the high half.
    #[inline]
    pub(super) fn sum(&self, stones: u64) -> Blend {
        let mut sum = Blend::default();
        for ring in [0, 8, 16] {
            let (us, them) = (stones >> ring & 255, stones >> (ring + 32) & 255);
            sum = sum + self.rings[index(us as u32, them as u32)];
        }
        // The three points of a ring on a side are neighbours as bits, but on the first side, where
        // the ring is turned by a step.
        let turned = (stones & 0x007F_7F7F_007F_7F7F) << 1 | stones >> 7 & 0x0001_0101_0001_0101;
        for rows in [turned, stones >> 1, stones >> 3, stones >> 5] {
            let both = |row: u64| row << 32 | row;
            let packed = rows & both(0o7) | rows >> 5 & both(0o70) | rows >> 10 & both(0o700);
            let (us, them) = (packed, packed >> 32);
            sum = sum + self.sides[index(us as u32, them as u32)];
        }
        sum
    }
}

/// What is counted of one player in a part of the board.
struct Part {
    counts: Counts,
    /// Ways to close a mill: [`Term::Closing`] or [`Term::Threats`], as it is that player's turn or
    /// not.
    closing: i32,
}

impl Part {
    const fn new() -> Self {
        Self { counts: [0; Term::COUNT], closing: 0 }
    }

    fn add(&mut self, term: Term, n: u32) {
        self.counts[term as usize] += n as i32;
    }

    fn add_line(&mut self, own: u32, other: u32) {
        match (own, other) {
            (1, 0) => self.add(Term::Ones, 1),
            (2, 0) => self.add(Term::Twos, 1),
            (3, 0) => self.add(Term::Mills, 1),
            _ => {}
        }
    }

    /// The worth before the last stones are placed and after.
    fn weigh(mut self, closing: Term) -> Blend {
        self.counts[closing as usize] += self.closing;
        let sum =
            |phase: Phase| self.counts.iter().zip(TERMS[phase as usize]).map(|(c, w)| c * w).sum();
        Blend::new(sum(Phase::Placing), sum(Phase::Moving))
    }

    /// What lies within a ring; its midpoints are taken for junctions.
    fn of_ring(own: u32, other: u32, slides: bool) -> Self {
        let (own, other) = (own as u8, other as u8);
        let empty = !(own | other);
        let mut part = Self::new();
        let next_to_empty = [empty.rotate_left(1), empty.rotate_right(1)];
        part.add(Term::Mobility, next_to_empty.iter().map(|e| (own & e).count_ones()).sum());
        part.add(Term::Junctions, (own & 0x55).count_ones());
        for corner in [1, 3, 5, 7] {
            // Seen from this corner: bit 2, the midpoints beside it bits 1 and 3.
            let seen = |set: u8| set.rotate_right(corner) << 2 | set.rotate_right(corner) >> 6;
            let [own, other, empty] = [own, other, empty].map(seen);
            let line = 0b111;
            part.add_line((own & line).count_ones(), (other & line).count_ones());
            let has = |set: u8, mask: u8| set & mask == mask;
            if has(own, 0b00100) {
                part.add(Term::Blocked, u32::from(empty & 0b01010 == 0));
                let in_mill = has(own, 0b00111) || has(own, 0b11100);
                part.add(Term::Swinging, u32::from(in_mill && empty & 0b01010 != 0));
            } else if has(empty, 0b00100) {
                let lines = [(0b00011, 0b01000), (0b11000, 0b00010)];
                let ways = if slides {
                    lines.iter().filter(|(rest, from)| has(own, rest | from)).count()
                } else {
                    usize::from(lines.iter().any(|(rest, _)| has(own, *rest)))
                };
                part.closing += ways as i32;
            }
        }
        part
    }

    /// What lies on a side: bits 0 to 2 its line of the inner ring, then the middle, then the outer.
    fn of_side(own: u32, other: u32, slides: bool) -> Self {
        const SPOKE: u32 = 0b010_010_010;
        let empty = !(own | other);
        let mut part = Self::new();
        part.add_line((own & SPOKE).count_ones(), (other & SPOKE).count_ones());
        for ring in 0..3 {
            let midpoint = 0b010 << (3 * ring);
            let corners = 0b101 << (3 * ring);
            let beside = (midpoint << 3 | midpoint >> 3) & SPOKE;
            if own & midpoint != 0 {
                let free = empty & (corners | beside);
                part.add(Term::Mobility, (empty & beside).count_ones());
                part.add(Term::Blocked, u32::from(free == 0));
                let in_mill = own & corners == corners || own & SPOKE == SPOKE;
                part.add(Term::Swinging, u32::from(in_mill && free != 0));
            } else if empty & midpoint != 0 {
                let across = SPOKE ^ midpoint;
                let lines = [(corners, beside), (across, corners)];
                let ready = lines.into_iter().filter(|(rest, _)| own & rest == *rest);
                part.closing += if slides {
                    ready.map(|(_, from)| (own & from).count_ones() as i32).sum()
                } else {
                    ready.count().min(1) as i32
                };
            }
        }
        part
    }
}
