//! Sectors: the positions with given numbers of stones.

use std::fmt;
use std::str::FromStr;

use crate::rules::DoubleMill;

/// All positions with the same numbers of stones on the board and in hand, those of the side to
/// move and those of the other told apart.
///
/// In the *moving phase* nobody has a stone in hand and both sides have three to nine. In the
/// *placing phase* the side to move has stones in hand: as many as the other, or one more, as the
/// game goes from the empty board. How many stones a double mill captures matters there alone, and
/// belongs to the sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sector {
    mover: u8,
    other: u8,
    mover_hand: u8,
    other_hand: u8,
    double_mill: DoubleMill,
}

/// The text is no sector name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotASector(String);

impl fmt::Display for NotASector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no sector: expected the stones of the side to move and of the other, each 3 \
             to 9, such as `4-3`; or those on the board and those in hand, such as `4-3+2-1`, with \
             `.two` at the end where a double mill captures two stones. At most 9 each, and the \
             side to move has as many in hand as the other or one more",
            self.0
        )
    }
}

impl std::error::Error for NotASector {}

impl Sector {
    /// How many sectors the moving phase has.
    pub const COUNT: usize = 49;
    /// The fewest stones of a side that has not lost, on the board and in hand together.
    pub const FEWEST: u8 = 3;
    /// The most stones of a side.
    pub const MOST: u8 = 9;
    /// What ends the name of a sector in which a double mill captures two stones.
    const TWO: &str = ".two";

    /// The sector of the moving phase with these numbers of stones, or `None` when one is not three
    /// to nine.
    #[must_use]
    pub const fn new(mover: u8, other: u8) -> Option<Self> {
        if mover >= Self::FEWEST
            && mover <= Self::MOST
            && other >= Self::FEWEST
            && other <= Self::MOST
        {
            Some(Self { mover, other, mover_hand: 0, other_hand: 0, double_mill: DoubleMill::One })
        } else {
            None
        }
    }

    /// The sector with these numbers of stones on the board and in hand, those of the side to move
    /// first; `None` when there is no such sector. Without stones in hand it is one of the moving
    /// phase, and `double_mill` makes no difference.
    #[must_use]
    pub fn with_hands(board: [u8; 2], hands: [u8; 2], double_mill: DoubleMill) -> Option<Self> {
        let ([mover, other], [mover_hand, other_hand]) = (board, hands);
        if mover_hand == 0 && other_hand == 0 {
            return Self::new(mover, other);
        }
        let whole =
            |board: u8, hand: u8| (Self::FEWEST..=Self::MOST).contains(&board.saturating_add(hand));
        let alternate = mover_hand == other_hand || mover_hand == other_hand.saturating_add(1);
        if alternate && whole(mover, mover_hand) && whole(other, other_hand) {
            Some(Self { mover, other, mover_hand, other_hand, double_mill })
        } else {
            None
        }
    }

    /// That of the empty board, from which a game begins.
    #[must_use]
    pub const fn start(double_mill: DoubleMill) -> Self {
        let all = Self::MOST;
        Self { mover: 0, other: 0, mover_hand: all, other_hand: all, double_mill }
    }

    /// All sectors of the moving phase, those with fewer stones in all first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let stones = Self::FEWEST..=Self::MOST;
        let mut all: Vec<Self> = stones
            .clone()
            .flat_map(|mover| stones.clone().filter_map(move |other| Self::new(mover, other)))
            .collect();
        all.sort_by_key(|s| (s.total(), s.pair(), s.mover < s.other));
        all
    }

    /// All sectors with stones in hand that can arise from the empty board, ply by ply.
    #[must_use]
    pub fn all_placing(double_mill: DoubleMill) -> Vec<Self> {
        let mut all = vec![Self::start(double_mill)];
        let mut layer = 0..1;
        while !layer.is_empty() {
            let reached = all[layer.clone()].iter().flat_map(|sector| sector.successors());
            let mut next: Vec<Self> = reached.filter(|sector| sector.is_placing()).collect();
            next.sort();
            next.dedup();
            layer = all.len()..all.len() + next.len();
            all.extend(next);
        }
        all
    }

    /// The stones of the side to move on the board.
    #[must_use]
    pub const fn mover(self) -> u8 {
        self.mover
    }

    /// The stones of the other side on the board.
    #[must_use]
    pub const fn other(self) -> u8 {
        self.other
    }

    /// The stones in hand: of the side to move, of the other.
    #[must_use]
    pub const fn hands(self) -> [u8; 2] {
        [self.mover_hand, self.other_hand]
    }

    /// Whether the side to move places.
    #[must_use]
    pub const fn is_placing(self) -> bool {
        self.mover_hand > 0
    }

    /// How many stones a double mill captures.
    #[must_use]
    pub const fn double_mill(self) -> DoubleMill {
        self.double_mill
    }

    /// The stones of both sides on the board.
    #[must_use]
    pub const fn total(self) -> u8 {
        self.mover + self.other
    }

    /// Whether the side to move is the larger of the [`Pair`], as it counts in an even one.
    #[must_use]
    pub const fn larger_moves(self) -> bool {
        self.mover >= self.other
    }

    /// The sector that a turn without a capture leads to.
    #[must_use]
    pub const fn after_quiet(self) -> Self {
        let placed = self.is_placing() as u8;
        Self {
            mover: self.other,
            other: self.mover + placed,
            mover_hand: self.other_hand,
            other_hand: self.mover_hand - placed,
            double_mill: self.double_mill,
        }
        .settled()
    }

    /// The sector that a turn with one capture leads to; `None` when it ends the game.
    #[must_use]
    pub const fn after_capture(self) -> Option<Self> {
        self.after_captures(1)
    }

    /// The sector that a turn with so many captures leads to; `None` when it ends the game, or when
    /// the other side has not so many stones on the board.
    #[must_use]
    pub const fn after_captures(self, captured: u8) -> Option<Self> {
        let next = self.after_quiet();
        if next.mover < captured || next.mover + next.mover_hand < Self::FEWEST + captured {
            return None;
        }
        Some(Self { mover: next.mover - captured, ..next })
    }

    /// The sectors that turns lead to.
    pub fn successors(self) -> impl Iterator<Item = Self> {
        let twice = self.is_placing() && self.double_mill == DoubleMill::Two;
        let placed = self.mover + u8::from(self.is_placing());
        // A mill takes three stones, two at once take five.
        let one = if placed >= 3 { self.after_captures(1) } else { None };
        let two = if twice && placed >= 5 { self.after_captures(2) } else { None };
        std::iter::once(self.after_quiet()).chain(one).chain(two)
    }

    /// How many stones a double mill captures no longer matters when all are placed.
    const fn settled(self) -> Self {
        if self.is_placing() { self } else { Self { double_mill: DoubleMill::One, ..self } }
    }

    /// The sectors that share a file with it, itself among them: both of its pair in the moving
    /// phase.
    pub fn in_one_file(self) -> impl Iterator<Item = Self> {
        let alone = self.is_placing() || self.mover == self.other;
        let mate = (!alone).then(|| self.after_quiet());
        let (first, second) = match mate {
            Some(mate) if !self.larger_moves() => (mate, Some(self)),
            mate => (self, mate),
        };
        std::iter::once(first).chain(second)
    }

    /// The pair by which its positions are numbered: for a sector of the moving phase the pair that
    /// it belongs to, else that of the same stones on the board.
    #[must_use]
    pub const fn pair(self) -> Pair {
        if self.mover >= self.other {
            Pair { larger: self.mover, smaller: self.other }
        } else {
            Pair { larger: self.other, smaller: self.mover }
        }
    }
}

impl fmt::Display for Sector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.mover, self.other)?;
        if self.is_placing() {
            write!(f, "+{}-{}", self.mover_hand, self.other_hand)?;
            if self.double_mill == DoubleMill::Two {
                f.write_str(Self::TWO)?;
            }
        }
        Ok(())
    }
}

impl FromStr for Sector {
    type Err = NotASector;

    fn from_str(text: &str) -> Result<Self, NotASector> {
        let digit = |text: &str| match text.as_bytes() {
            [digit @ b'0'..=b'9'] => Some(digit - b'0'),
            _ => None,
        };
        let two = |text: &str| {
            let (mover, other) = text.split_once('-')?;
            Some([digit(mover)?, digit(other)?])
        };
        let read = || match text.split_once('+') {
            None => two(text).and_then(|[mover, other]| Self::new(mover, other)),
            Some((board, hands)) => {
                let (hands, double_mill) = match hands.strip_suffix(Self::TWO) {
                    Some(hands) => (hands, DoubleMill::Two),
                    None => (hands, DoubleMill::One),
                };
                Self::with_hands(two(board)?, two(hands)?, double_mill).filter(|s| s.is_placing())
            }
        };
        read().ok_or_else(|| NotASector(text.chars().take(40).collect()))
    }
}

/// Two numbers of stones on the board. Positions with so many are numbered alike, whoever is to move
/// and whatever is in hand.
///
/// In the moving phase these are the two sectors that turns without a capture connect, `m-n` and
/// `n-m`, or the one sector `n-n`: they are solved together and kept in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    larger: u8,
    smaller: u8,
}

impl Pair {
    /// All 28 pairs of the moving phase in the order in which they can be solved: fewer stones in all first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all: Vec<Self> = Sector::all().into_iter().map(Sector::pair).collect();
        all.dedup();
        all
    }

    /// The stones of the side with more of them (of either side when they are equal).
    #[must_use]
    pub const fn larger(self) -> u8 {
        self.larger
    }

    /// The stones of the side with fewer of them.
    #[must_use]
    pub const fn smaller(self) -> u8 {
        self.smaller
    }

    /// The stones of both sides.
    #[must_use]
    pub const fn total(self) -> u8 {
        self.larger + self.smaller
    }

    /// Whether both sides have the same number of stones.
    #[must_use]
    pub const fn is_even(self) -> bool {
        self.larger == self.smaller
    }

    /// The sector of the moving phase in which the larger side is to move.
    #[must_use]
    pub const fn larger_to_move(self) -> Sector {
        Sector {
            mover: self.larger,
            other: self.smaller,
            mover_hand: 0,
            other_hand: 0,
            double_mill: DoubleMill::One,
        }
    }

    /// The sectors of the moving phase: two, or one when it is even.
    pub fn sectors(self) -> impl Iterator<Item = Sector> {
        let first = self.larger_to_move();
        std::iter::once(first).chain((!self.is_even()).then_some(first.after_quiet()))
    }

    /// The pairs that captures lead to.
    pub fn after_capture(self) -> impl Iterator<Item = Self> {
        let mut pairs: Vec<Self> =
            self.sectors().filter_map(Sector::after_capture).map(Sector::pair).collect();
        pairs.dedup();
        pairs.into_iter()
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.larger, self.smaller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sectors_come_after_what_their_captures_lead_to() {
        let all = Sector::all();
        assert_eq!(all.len(), Sector::COUNT);
        assert_eq!(Pair::all().len(), 28);
        for (i, sector) in all.iter().enumerate() {
            assert!(sector.after_capture().is_none_or(|next| all[..i].contains(&next)));
            assert_eq!(sector.to_string().parse(), Ok(*sector));
        }
    }

    #[test]
    fn what_is_no_sector_is_named() {
        let placing = ["3-3+", "3-3+1", "3-3+0-0", "3-3+0-1", "3-3+2-0", "9-3+1-1", "0-0+2-2"];
        for text in ["", "3", "2-3", "3-10", "3-3-3", "a-3", "33", "3-", "3-3.two", "3-3+1-1.one"]
            .into_iter()
            .chain(placing)
        {
            let error = text.parse::<Sector>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }

    #[test]
    fn sectors_of_the_placing_phase_lead_to_the_moving_phase_in_as_many_plies_as_stones_are_left() {
        for (double_mill, count) in [(DoubleMill::One, 269), (DoubleMill::Two, 303)] {
            let all = Sector::all_placing(double_mill);
            assert_eq!(all.len(), count);
            for sector in &all {
                assert_eq!(sector.to_string().parse(), Ok(*sector));
                for next in sector.successors() {
                    let left = sector.hands().iter().sum::<u8>() - 1;
                    assert_eq!(next.hands().iter().sum::<u8>(), left);
                    assert!(if left == 0 { Sector::all() } else { all.clone() }.contains(&next));
                }
            }
        }
    }
}
