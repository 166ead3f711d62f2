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
//! which also serves the few positions in which one side flies while the other still places.
//!
//! The numbers of all seven patterns are added up at once, ring by ring.

use std::ops::Add;
use std::sync::LazyLock;

use super::TERMS;
use super::features::{Counts, Term};
use super::{Blend, Phase};
use crate::types::Bitboard;

/// Patterns of the eight points of a ring with three states each.
const RING_PATTERNS: usize = 3_usize.pow(8);
/// Room for them: every number of so many bits is within it, so that none needs to be checked.
const RING_ROOM: usize = RING_PATTERNS.next_power_of_two();
/// Patterns of the nine points of a side.
const SIDE_PATTERNS: usize = 3_usize.pow(9);
const SIDE_ROOM: usize = SIDE_PATTERNS.next_power_of_two();

/// The numbers of the patterns of a position, 16 bits each: the three rings in the first word, the
/// four sides in the second. Numbers that are added up stay within their bits.
type Numbers = [u64; 2];

/// The shares of the side to move less those of the other, by pattern.
pub(super) struct Patterns<T> {
    rings: Box<[T; RING_ROOM]>,
    sides: Box<[T; SIDE_ROOM]>,
}

/// The tables for all phases.
struct Tables {
    /// While somebody has stones in hand, by whether each player, the one to move first, slides: has
    /// none. Not both do.
    placing: [Patterns<Blend>; 3],
    /// Afterwards, by whether each player, the one to move first, flies.
    moving: [Patterns<Moving>; 4],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    const KINDS: [[bool; 2]; 4] = [[false, false], [false, true], [true, false], [true, true]];
    let [kinds @ .., _] = KINDS;
    Tables { placing: kinds.map(Patterns::placing), moving: KINDS.map(Moving::patterns) }
});

/// Adds up all tables, which the first evaluation would otherwise wait for.
pub(super) fn prepare() {
    LazyLock::force(&TABLES);
}

/// The shares of all rings and sides while somebody has stones in hand, by whether each player
/// slides and by their stones; the one to move comes first.
#[inline]
pub(super) fn placing([we_slide, they_slide]: [bool; 2], stones: [Bitboard; 2]) -> Blend {
    TABLES.placing[2 * usize::from(we_slide) + usize::from(they_slide)].sum(stones)
}

/// The same when all stones are placed, by whether each player flies.
#[inline(always)]
pub(super) fn moving([we_fly, they_fly]: [bool; 2], stones: [Bitboard; 2]) -> Moving {
    TABLES.moving[2 * usize::from(we_fly) + usize::from(they_fly)].sum(stones)
}

/// Shares of a part of the board when all stones are placed: the worth, and how many mills each
/// player has and in how many ways each could close one.
#[derive(Clone, Copy, Default)]
pub(super) struct Moving(i32);

/// Bits for the ways of a player to close a mill, and for the mills. A test holds that they suffice.
const CLOSING_BITS: u32 = 5;
const MILL_BITS: u32 = 3;
const MOST_CLOSING: i32 = (1 << CLOSING_BITS) - 1;
const MOST_MILLS: i32 = (1 << MILL_BITS) - 1;

impl Moving {
    fn patterns(fly: [bool; 2]) -> Patterns<Self> {
        let phases = [fly, [fly[1], fly[0]]].map(Phase::of_moving);
        Patterns::new(fly.map(|flies| !flies), |ours, theirs| {
            let worth =
                ours.worth(phases[0], Term::Closing) - theirs.worth(phases[1], Term::Threats);
            let [ours, theirs] = [ours, theirs]
                .map(|part| part.closing << MILL_BITS | part.counts[Term::Mills as usize]);
            Self(worth << 16 | theirs << (CLOSING_BITS + MILL_BITS) | ours)
        })
    }

    /// The worth for the side to move.
    #[inline]
    pub(super) const fn worth(self) -> i32 {
        self.0 >> 16
    }

    /// Whether each player could close a mill.
    #[inline]
    pub(super) const fn closes(self) -> [bool; 2] {
        const OURS: i32 = MOST_CLOSING << MILL_BITS;
        [self.0 & OURS != 0, self.0 >> (CLOSING_BITS + MILL_BITS) & OURS != 0]
    }

    /// Whether a player has a mill and could close one, without which there is no double mill.
    #[inline]
    pub(super) const fn may_swing(self) -> bool {
        // For both players at once, without a branch: a sum reaches the bit above if there is any.
        const ONE_EACH: i32 = 0x0101;
        let mills = ONE_EACH * MOST_MILLS;
        let closing = ONE_EACH * MOST_CLOSING;
        let has_mills = (self.0 & mills) + mills;
        let has_closing = (self.0 >> MILL_BITS & closing) + closing;
        has_mills << (CLOSING_BITS - MILL_BITS) & has_closing & ONE_EACH << CLOSING_BITS != 0
    }
}

impl Add for Moving {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

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

/// The number of a pattern within its kind of part.
const fn index(us: usize, them: usize) -> usize {
    TERNARY[us] as usize + 2 * TERNARY[them] as usize
}

/// What the stones of one player on a ring add to the numbers of the patterns, by ring and by the
/// points of the ring that hold them.
static NUMBERS: [[Numbers; 256]; 3] = {
    let mut all = [[[0; 2]; 256]; 3];
    let mut ring = 0;
    while ring < 3 {
        let mut points = 0;
        while points < 256 {
            let mut sides = 0;
            let mut side = 0;
            while side < 4 {
                // The points of a ring on a side are neighbours; the first side begins a step back.
                let turned = points << 1 | points >> 7;
                let row = turned >> (2 * side) & 0b111;
                sides |= (TERNARY[row << (3 * ring)] as u64) << (16 * side);
                side += 1;
            }
            all[ring][points] = [(TERNARY[points] as u64) << (16 * ring), sides];
            points += 1;
        }
        ring += 1;
    }
    all
};

/// What all stones of one player add.
#[inline(always)]
fn numbers(stones: Bitboard) -> Numbers {
    let [inner, middle, outer, _] = stones.bits().to_le_bytes().map(usize::from);
    let (a, b, c) = (&NUMBERS[0][inner], &NUMBERS[1][middle], &NUMBERS[2][outer]);
    [a[0] + b[0] + c[0], a[1] + b[1] + c[1]]
}

impl Patterns<Blend> {
    fn placing(slide: [bool; 2]) -> Self {
        Self::new(slide, |ours, theirs| ours.blend(Term::Closing) - theirs.blend(Term::Threats))
    }
}

impl<T: Copy + Default + Add<Output = T>> Patterns<T> {
    /// The tables for players of whom these slide; `share` combines what is ours and what is theirs.
    fn new([we_slide, they_slide]: [bool; 2], share: impl Fn(Part, Part) -> T) -> Self {
        let share = |part: &dyn Fn(u32, u32, bool) -> Part, us: usize, them: usize| {
            let (us, them) = (us as u32, them as u32);
            share(part(us, them, we_slide), part(them, us, they_slide))
        };
        let mut rings = Box::new([T::default(); RING_ROOM]);
        let mut sides = Box::new([T::default(); SIDE_ROOM]);
        for us in 0..512 {
            for them in (0..512).filter(|them| them & us == 0) {
                sides[index(us, them)] = share(&Part::of_side, us, them);
                if (us | them) < 256 {
                    rings[index(us, them)] = share(&Part::of_ring, us, them);
                }
            }
        }
        Self { rings, sides }
    }

    /// The sum over all rings and sides.
    #[inline(always)]
    fn sum(&self, [us, them]: [Bitboard; 2]) -> T {
        let (us, them) = (numbers(us), numbers(them));
        let [rings, sides] = [us[0] + 2 * them[0], us[1] + 2 * them[1]];
        let ring = |i: u32| self.rings[(rings >> (16 * i)) as usize % RING_ROOM];
        let side = |i: u32| self.sides[(sides >> (16 * i)) as usize % SIDE_ROOM];
        (ring(0) + ring(1) + ring(2)) + (side(0) + side(1)) + (side(2) + side(3))
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

    /// The worth in a phase; ways to close a mill count as `closing`.
    fn worth(&self, phase: Phase, closing: Term) -> i32 {
        let weights = &TERMS[phase as usize];
        let sum: i32 = self.counts.iter().zip(weights).map(|(count, weight)| count * weight).sum();
        // Slides are nothing to who flies.
        let mobility = match phase {
            Phase::Flying => {
                self.counts[Term::Mobility as usize] * weights[Term::Mobility as usize]
            }
            _ => 0,
        };
        sum + self.closing * weights[closing as usize] - mobility
    }

    /// The worth before the last stones are placed and after.
    fn blend(&self, closing: Term) -> Blend {
        Blend::new(self.worth(Phase::Placing, closing), self.worth(Phase::Moving, closing))
    }

    /// What lies within a ring, without the worth of standing on a midpoint.
    fn of_ring(own: u32, other: u32, slides: bool) -> Self {
        let (own, other) = (own as u8, other as u8);
        let empty = !(own | other);
        let mut part = Self::new();
        let next_to_empty = [empty.rotate_left(1), empty.rotate_right(1)];
        part.add(Term::Mobility, next_to_empty.iter().map(|e| (own & e).count_ones()).sum());
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
                part.add(if ring == 1 { Term::Crossings } else { Term::Junctions }, 1);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::closing_slides;

    #[test]
    fn mills_and_ways_to_close_one_fit_their_bits() {
        let (mut mills, mut ways) = (0, 0);
        for stones in (0..1 << 24).map(Bitboard::from_bits).filter(|stones| stones.len() <= 9) {
            mills = mills.max(stones.mill_count());
            ways = ways.max(closing_slides(stones, !stones).count_ones());
        }
        // Who flies has three stones, and a way for each of the points at most that are left.
        ways = ways.max(21);
        assert!(mills < 1 << MILL_BITS && ways < 1 << CLOSING_BITS);
    }
}
