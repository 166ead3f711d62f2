//! Scores, as the search reports them.

/// Internal value of a position, in the units of the evaluation, from the view of the side to move. Values from [`MATE_IN_MAX`] on are proved wins.
pub(crate) type Value = i32;

/// A win at ply 0.
pub(crate) const MATE: Value = 32_000;
/// No win is further than this many plies from the root.
pub(crate) const MAX_PLY: usize = 512;
/// The smallest value that is a proved win.
pub(crate) const MATE_IN_MAX: Value = MATE - MAX_PLY as Value;
/// A win that endgame tables know without its length, at ply 0: below every proved length, above
/// every evaluation.
pub(crate) const TABLE_WIN: Value = 30_000;
/// Above every value.
pub(crate) const INFINITE: Value = MATE + 1;
/// Evaluations stay within this bound, clear of proved wins.
pub(crate) const MAX_EVAL: Value = 20_000;

/// A score from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// An estimate, in hundredths: 100 stand for a winning chance of one half in play of the
    /// engine against itself.
    Cp(i32),
    /// The side to move wins with its own turn number (plies + 1) / 2, by play that takes at most
    /// this many plies.
    WinIn(u32),
    /// The side to move loses in at most this many plies; 0 when the game is over.
    LossIn(u32),
}

impl Score {
    /// The estimate that stands for a win that endgame tables know without its length.
    const TABLE_WIN_CP: i32 = 20_000;

    /// The score of an internal value.
    #[must_use]
    pub(crate) fn from_value(value: Value) -> Self {
        if value >= MATE_IN_MAX {
            Self::WinIn((MATE - value) as u32)
        } else if value <= -MATE_IN_MAX {
            Self::LossIn((MATE + value) as u32)
        } else if value.abs() > MAX_EVAL {
            // By tables, without the length: the further off, the less.
            Self::Cp(value.signum() * (Self::TABLE_WIN_CP - (TABLE_WIN - value.abs())))
        } else {
            Self::Cp(crate::eval::centi(value))
        }
    }

    /// The same score from the other player's view.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Cp(cp) => Self::Cp(-cp),
            Self::WinIn(plies) => Self::LossIn(plies),
            Self::LossIn(plies) => Self::WinIn(plies),
        }
    }

    /// For a proved result, the number of own turns of the winner or loser as `mate` in protocols
    /// counts them: (plies + 1) / 2, negative when losing.
    #[must_use]
    pub const fn mate_turns(self) -> Option<i32> {
        match self {
            Self::Cp(_) => None,
            Self::WinIn(plies) => Some(plies.div_ceil(2) as i32),
            Self::LossIn(plies) => Some(-(plies.div_ceil(2) as i32)),
        }
    }
}
