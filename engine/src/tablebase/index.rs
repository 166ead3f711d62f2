//! Numbers for positions.
//!
//! Within a [`Pair`] of sectors a position is numbered by the stones of the larger side up to
//! symmetry, and then by those of the smaller side among the points left free:
//!
//! `orbit(larger) · C(24 − m, n) + rank(smaller within the free points)`
//!
//! One orbit of the larger side with all sets of the smaller is a *block*: consecutive numbers.
//! Where the larger side's stones have a symmetry of their own, several numbers of a block stand
//! for the same position; all of them are kept, with equal values.

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use super::cpu::{Cpu, Newer};
use super::sector::{Pair, Sector};
use crate::position::{Position, Setup};
use crate::rules::Rules;
use crate::types::{Bitboard, Color, Point, Symmetry};

/// Binomial coefficients: `CHOOSE[n][k]` sets of `k` out of `n` points.
pub const CHOOSE: [[u32; 13]; 25] = {
    let mut choose = [[0; 13]; 25];
    let mut n = 0;
    while n < 25 {
        choose[n][0] = 1;
        let mut k = 1;
        while k < 13 {
            choose[n][k] = if n == 0 { 0 } else { choose[n - 1][k - 1] + choose[n - 1][k] };
            k += 1;
        }
        n += 1;
    }
    choose
};

/// What a byte of a set adds to its [`rank`]: for each of three bytes, by how many bits come before
/// it, up to 12 bits in all.
static RANKS: [[[u32; 256]; 13]; 3] = {
    let mut ranks = [[[0; 256]; 13]; 3];
    let mut byte = 0;
    while byte < 3 {
        let mut before = 0;
        while before < 13 {
            let mut bits = 0_usize;
            while bits < 256 {
                let (mut bit, mut k) = (0, before);
                while bit < 8 {
                    if bits >> bit & 1 == 1 && k < 12 {
                        k += 1;
                        ranks[byte][before][bits] += CHOOSE[8 * byte + bit][k];
                    }
                    bit += 1;
                }
                bits += 1;
            }
            before += 1;
        }
        byte += 1;
    }
    ranks
};

/// How many bits each byte has: counting them is not one instruction on every processor.
static BITS: [u8; 256] = {
    let mut counts = [0; 256];
    let mut byte = 0_usize;
    while byte < 256 {
        counts[byte] = byte.count_ones() as u8;
        byte += 1;
    }
    counts
};

/// The number of a set among the sets with as many bits, ordered as numbers (the combinatorial
/// number system); of at most 12 of the lowest 24 bits.
#[inline]
#[must_use]
pub fn rank(bits: u32) -> u32 {
    let [low, middle, high, _] = bits.to_le_bytes().map(usize::from);
    let before_middle = usize::from(BITS[low]);
    let before_high = before_middle + usize::from(BITS[middle]);
    RANKS[0][0][low] + RANKS[1][before_middle][middle] + RANKS[2][before_high.min(12)][high]
}

/// The set of `stones` bits with this [`rank`].
///
/// # Panics
/// If there is no such set within 24 bits.
#[must_use]
pub fn unrank(mut rank: u32, stones: u8) -> u32 {
    let mut bits = 0;
    for k in (1..=usize::from(stones)).rev() {
        let n = (0..24).rev().find(|&n| CHOOSE[n][k] <= rank).expect("the rank of a set");
        rank -= CHOOSE[n][k];
        bits |= 1 << n;
    }
    bits
}

/// The next larger number with as many bits.
#[inline]
#[must_use]
pub const fn next_set(bits: u32) -> u32 {
    let low = bits & bits.wrapping_neg();
    let up = bits + low;
    up | (((bits ^ up) >> 2) / low)
}

/// All sets of one size up to the 16 symmetries of the board.
#[derive(Debug)]
pub struct Orbits {
    /// The smallest set of each orbit, in order.
    representatives: Vec<Bitboard>,
    /// For each set by [`rank`]: its orbit times 16, plus the symmetry to the representative.
    by_rank: Vec<u32>,
}

impl Orbits {
    /// The orbits of the sets with this many points (at most nine); made at the first call.
    ///
    /// # Panics
    /// If `stones` is more than nine.
    #[must_use]
    pub fn of(stones: u8) -> &'static Self {
        static ALL: [OnceLock<Orbits>; Sector::MOST as usize + 1] =
            [const { OnceLock::new() }; Sector::MOST as usize + 1];
        ALL[usize::from(stones)].get_or_init(|| Self::make(stones))
    }

    fn make(stones: u8) -> Self {
        const UNSEEN: u32 = u32::MAX;
        let count = CHOOSE[Point::COUNT][usize::from(stones)];
        let mut by_rank = vec![UNSEEN; count as usize];
        let mut representatives = Vec::with_capacity(count as usize / 15);
        let mut bits = (1_u32 << stones) - 1;
        for rank_here in 0..count {
            if by_rank[rank_here as usize] == UNSEEN {
                let orbit = representatives.len() as u32;
                let representative = Bitboard::from_bits(bits);
                representatives.push(representative);
                for symmetry in Symmetry::all() {
                    let image = symmetry.set(representative).bits();
                    let back = symmetry.inverse().index() as u32;
                    let entry = &mut by_rank[rank(image) as usize];
                    // The first symmetry in order wins; any would do, but it must be one for all.
                    *entry = (*entry).min(orbit * 16 + back);
                }
            }
            if rank_here + 1 < count {
                bits = next_set(bits);
            }
        }
        Self { representatives, by_rank }
    }

    /// How many orbits there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.representatives.len()
    }

    /// Never: there is always one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.representatives.is_empty()
    }

    /// The representative of an orbit.
    ///
    /// # Panics
    /// If there is no such orbit.
    #[must_use]
    pub fn representative(&self, orbit: usize) -> Bitboard {
        self.representatives[orbit]
    }

    /// The orbit of a set and a symmetry that sends the set to the representative.
    ///
    /// # Panics
    /// If the set has another size.
    #[inline]
    #[must_use]
    pub fn find(&self, set: Bitboard) -> (usize, Symmetry) {
        let entry = self.by_rank[rank(set.bits()) as usize];
        ((entry / 16) as usize, Symmetry::from_index(entry as usize % 16))
    }
}

/// The bit that stands for a point of `free` when its points are numbered together.
#[inline]
#[must_use]
pub fn bit_among(point: Point, free: Bitboard) -> u32 {
    1 << (free.bits() & (point.bit().bits() - 1)).count_ones()
}

/// The part of a set that lies in `free`, its bits moved together.
#[inline]
#[must_use]
pub fn compress(set: Bitboard, free: Bitboard) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(cpu) = Newer::find() {
        return cpu.compress(set, free);
    }
    compress_bit_by_bit(set, free)
}

/// As [`compress`], on any processor.
#[inline]
pub(super) fn compress_bit_by_bit(set: Bitboard, free: Bitboard) -> u32 {
    (set & free).into_iter().fold(0, |packed, point| packed | bit_among(point, free))
}

/// The set of points of `free` whose places among them are the bits of `packed`: undoes
/// [`compress`].
#[must_use]
pub fn expand(packed: u32, free: Bitboard) -> Bitboard {
    free.into_iter().enumerate().filter(|&(i, _)| packed >> i & 1 == 1).map(|(_, p)| p).collect()
}

/// A number by its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The block: the orbit of the larger side's stones.
    pub block: u32,
    /// Which number of the block it is: the rank of the smaller side's stones.
    pub rank: u32,
}

impl Pair {
    /// How many numbers a block has: the sets of the smaller side among the points that the larger
    /// leaves free.
    #[must_use]
    pub fn block_len(self) -> usize {
        CHOOSE[Point::COUNT - usize::from(self.larger())][usize::from(self.smaller())] as usize
    }

    /// How many blocks the pair has.
    #[must_use]
    pub fn blocks(self) -> usize {
        Orbits::of(self.larger()).len()
    }

    /// How many numbers each sector of the pair has.
    #[must_use]
    pub fn len(self) -> usize {
        self.blocks() * self.block_len()
    }

    /// Never: every pair has positions.
    #[must_use]
    pub fn is_empty(self) -> bool {
        false
    }

    /// The number of a position by the stones of the larger and the smaller side. In an even pair
    /// the side to move is the larger.
    ///
    /// # Panics
    /// If the sizes of the sets are not those of the pair.
    #[inline]
    #[must_use]
    pub fn number(self, larger: Bitboard, smaller: Bitboard) -> usize {
        let Place { block, rank } = self.place(larger, smaller);
        block as usize * self.block_len() + rank as usize
    }

    /// The same by its block.
    ///
    /// # Panics
    /// As [`Self::number`].
    #[inline]
    #[must_use]
    pub fn place(self, larger: Bitboard, smaller: Bitboard) -> Place {
        let orbits = Orbits::of(self.larger());
        let (orbit, symmetry) = orbits.find(larger);
        let free = !orbits.representative(orbit);
        Place { block: orbit as u32, rank: rank(compress(symmetry.set(smaller), free)) }
    }

    /// A number by its block.
    #[must_use]
    pub fn split(self, number: usize) -> Place {
        let (block, rank) = (number / self.block_len(), number % self.block_len());
        Place { block: block as u32, rank: rank as u32 }
    }

    /// A position with this number: the stones of the larger and of the smaller side.
    ///
    /// # Panics
    /// If the number is not below [`Self::len`].
    #[must_use]
    pub fn position(self, number: usize) -> (Bitboard, Bitboard) {
        let Place { block, rank } = self.split(number);
        let larger = Orbits::of(self.larger()).representative(block as usize);
        let packed = unrank(rank, self.smaller());
        (larger, expand(packed, !larger))
    }
}

impl Sector {
    /// The sector of a position, whatever the rules say of mills; `None` when one side has fewer than
    /// three stones, and for hands that no game from the empty board has. A capture that is due is
    /// not looked at.
    #[must_use]
    pub fn of(position: &Position) -> Option<Self> {
        let sides = [position.to_move(), !position.to_move()];
        let board = sides.map(|color| position.stones(color).len() as u8);
        let hands = sides.map(|color| position.hand(color));
        Self::with_hands(board, hands, position.rules().double_mill)
    }

    /// The number of a position of the sector.
    ///
    /// # Panics
    /// If it has other numbers of stones.
    #[inline]
    #[must_use]
    pub fn number(self, position: &Position) -> usize {
        let [us, them] = [position.to_move(), !position.to_move()].map(|c| position.stones(c));
        let (larger, smaller) = self.by_size(us, them);
        self.pair().number(larger, smaller)
    }

    /// The same by its block, for the stones of the side to move and of the other.
    ///
    /// # Panics
    /// If there are other numbers of stones.
    #[inline]
    #[must_use]
    pub fn place(self, us: Bitboard, them: Bitboard) -> Place {
        let (larger, smaller) = self.by_size(us, them);
        self.pair().place(larger, smaller)
    }

    #[inline]
    const fn by_size(self, us: Bitboard, them: Bitboard) -> (Bitboard, Bitboard) {
        if self.larger_moves() { (us, them) } else { (them, us) }
    }

    /// A position with this number under the rules that tables are made for, White to move. `None`
    /// only if the rules of the game know no such position, which would be a fault of the numbering.
    ///
    /// # Panics
    /// If the sector has no such number.
    #[must_use]
    pub fn position(self, number: usize) -> Option<Position> {
        let (larger, smaller) = self.pair().position(number);
        let stones = if self.larger_moves() { [larger, smaller] } else { [smaller, larger] };
        let setup = Setup { stones, hands: self.hands(), to_move: Color::White, ..Setup::START };
        setup.check(Rules { double_mill: self.double_mill(), ..Rules::default() }).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_up_through_the_sets() {
        for stones in 1..=9_u8 {
            let mut bits = (1 << stones) - 1;
            for expected in 0..5000.min(CHOOSE[24][usize::from(stones)] - 1) {
                assert_eq!((rank(bits), unrank(expected, stones)), (expected, bits));
                bits = next_set(bits);
            }
        }
    }

    #[test]
    fn orbits_hold_every_image_and_name_a_symmetry_that_leads_home() {
        for stones in 3..=5 {
            let orbits = Orbits::of(stones);
            let mut seen = vec![0_u32; orbits.len()];
            let mut bits = (1_u32 << stones) - 1;
            for i in 0..CHOOSE[24][usize::from(stones)] {
                let set = Bitboard::from_bits(bits);
                let (orbit, symmetry) = orbits.find(set);
                assert_eq!(symmetry.set(set), orbits.representative(orbit));
                let smallest = Symmetry::all().map(|s| s.set(set)).min().unwrap();
                assert_eq!(smallest, orbits.representative(orbit));
                seen[orbit] += 1;
                if i + 1 < CHOOSE[24][usize::from(stones)] {
                    bits = next_set(bits);
                }
            }
            assert!(seen.iter().all(|&n| n > 0 && 16 % n == 0));
        }
    }

    /// Burnside: the number of orbits is the average, over the symmetries, of the sets that a
    /// symmetry leaves as they are; such a set is a union of the symmetry's cycles.
    #[test]
    fn orbits_are_as_many_as_burnside_counts() {
        let mut fixed = [0_u32; 10];
        for symmetry in Symmetry::all() {
            let mut sets = [0_u32; 25];
            sets[0] = 1;
            let mut left = Bitboard::FULL;
            while let Some(start) = left.first() {
                let mut cycle = start.bit();
                let mut point = symmetry.point(start);
                while point != start {
                    cycle |= point.bit();
                    point = symmetry.point(point);
                }
                left = left.without(cycle);
                for size in (cycle.len() as usize..25).rev() {
                    sets[size] += sets[size - cycle.len() as usize];
                }
            }
            for (sum, sets) in fixed.iter_mut().zip(sets) {
                *sum += sets;
            }
        }
        for stones in 3..=9_u8 {
            assert_eq!(Orbits::of(stones).len() as u32 * 16, fixed[usize::from(stones)]);
        }
    }

    #[test]
    fn every_number_of_small_pairs_stands_for_a_position_with_that_number_or_its_double() {
        for pair in Pair::all().into_iter().filter(|p| p.total() <= 7) {
            for number in 0..pair.len() {
                let (larger, smaller) = pair.position(number);
                assert!((larger & smaller).is_empty());
                for symmetry in [Symmetry::IDENTITY, Symmetry::from_index(5)] {
                    let again = pair.number(symmetry.set(larger), symmetry.set(smaller));
                    let (l, s) = pair.position(again);
                    let same = Symmetry::all().any(|t| t.set(l) == larger && t.set(s) == smaller);
                    assert!(same, "{pair} {number} {again}");
                }
            }
        }
    }
}
