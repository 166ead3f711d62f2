//! Sectors: the positions with given numbers of stones.

use std::fmt;
use std::str::FromStr;

/// All positions in which nobody has a stone in hand, the side to move has `mover` stones on the
/// board and the other side `other`, each three to nine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sector {
    mover: u8,
    other: u8,
}

/// The text is no sector name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotASector(String);

impl fmt::Display for NotASector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no sector: expected the stones of the side to move and of the other, each 3 \
             to 9, such as `4-3`",
            self.0
        )
    }
}

impl std::error::Error for NotASector {}

impl Sector {
    /// How many sectors there are.
    pub const COUNT: usize = 49;
    /// The fewest stones of a side that has not lost.
    pub const FEWEST: u8 = 3;
    /// The most stones of a side.
    pub const MOST: u8 = 9;

    /// The sector with these numbers of stones, or `None` when one is not three to nine.
    #[must_use]
    pub const fn new(mover: u8, other: u8) -> Option<Self> {
        if mover >= Self::FEWEST
            && mover <= Self::MOST
            && other >= Self::FEWEST
            && other <= Self::MOST
        {
            Some(Self { mover, other })
        } else {
            None
        }
    }

    /// All sectors, those with fewer stones in all first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let stones = Self::FEWEST..=Self::MOST;
        let mut all: Vec<Self> = stones
            .clone()
            .flat_map(|mover| stones.clone().map(move |other| Self { mover, other }))
            .collect();
        all.sort_by_key(|s| (s.total(), s.pair(), s.mover < s.other));
        all
    }

    /// The stones of the side to move.
    #[must_use]
    pub const fn mover(self) -> u8 {
        self.mover
    }

    /// The stones of the other side.
    #[must_use]
    pub const fn other(self) -> u8 {
        self.other
    }

    /// The stones of both sides.
    #[must_use]
    pub const fn total(self) -> u8 {
        self.mover + self.other
    }

    /// The sector that a turn without a capture leads to.
    #[must_use]
    pub const fn after_quiet(self) -> Self {
        Self { mover: self.other, other: self.mover }
    }

    /// The sector that a turn with a capture leads to; `None` when it ends the game.
    #[must_use]
    pub const fn after_capture(self) -> Option<Self> {
        Self::new(self.other - 1, self.mover)
    }

    /// The pair of sectors this one belongs to.
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
        write!(f, "{}-{}", self.mover, self.other)
    }
}

impl FromStr for Sector {
    type Err = NotASector;

    fn from_str(text: &str) -> Result<Self, NotASector> {
        let digit = |text: &str| match text.as_bytes() {
            [digit @ b'0'..=b'9'] => Some(digit - b'0'),
            _ => None,
        };
        text.split_once('-')
            .and_then(|(mover, other)| Self::new(digit(mover)?, digit(other)?))
            .ok_or_else(|| NotASector(text.chars().take(40).collect()))
    }
}

/// Two sectors that turns without a capture connect, `m-n` and `n-m`, or the one sector `n-n`.
/// They are numbered alike, solved together and kept in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    larger: u8,
    smaller: u8,
}

impl Pair {
    /// All 28 pairs in the order in which they can be solved: fewer stones in all first.
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

    /// The sector in which the larger side is to move.
    #[must_use]
    pub const fn larger_to_move(self) -> Sector {
        Sector { mover: self.larger, other: self.smaller }
    }

    /// The sectors of the pair: two, or one when it is even.
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
        for text in ["", "3", "2-3", "3-10", "3-3-3", "a-3", "33", "3-"] {
            let error = text.parse::<Sector>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }
}
