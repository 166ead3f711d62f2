//! What a position or a turn is worth to a player.

use merel_engine::tablebase::{Distance, Value};
use merel_engine::{Info, Outcome, Position, Score, eval};

/// How many plies it takes to the end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// So many, both sides playing best.
    Exactly(u32),
    /// A win that is proved takes no more, and perhaps less.
    AtMost(u32),
}

impl Length {
    pub(super) const fn plies(self) -> u32 {
        match self {
            Self::Exactly(plies) | Self::AtMost(plies) => plies,
        }
    }

    fn map(self, plies: impl Fn(u32) -> u32) -> Self {
        match self {
            Self::Exactly(length) => Self::Exactly(plies(length)),
            Self::AtMost(length) => Self::AtMost(plies(length)),
        }
    }
}

/// What a position is worth to a player, or a turn to the one who makes it. The length of a turn's
/// win or loss counts from the position before the turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Worth {
    /// Proved, by the rules, by tables or by search. A draw has no length, and of a win or loss it
    /// may not be known.
    Exact(Value, Option<Length>),
    /// What the search makes of it: the score, and the chances of win, draw and loss per mille.
    Estimate(Score, [u32; 3]),
}

impl Worth {
    /// The points of a win, in the unit of [`Self::points`].
    pub(super) const WIN_POINTS: u32 = 2000;

    pub(super) const DRAW: Self = Self::Exact(Value::Draw, None);

    /// The end of a game, for the side to move.
    pub(super) fn ended(outcome: Outcome, position: &Position) -> Self {
        let value = match outcome {
            Outcome::Draw(_) => return Self::DRAW,
            Outcome::Win { winner, .. } if winner == position.to_move() => Value::Win,
            Outcome::Win { .. } => Value::Loss,
        };
        Self::Exact(value, Some(Length::Exactly(0)))
    }

    /// What tables tell: a value, with its distance or without.
    pub(super) fn of_tables(value: Value, distance: Option<Distance>) -> Self {
        let plies = distance.and_then(Distance::plies);
        Self::Exact(value, plies.map(|plies| Length::Exactly(plies.into())))
    }

    /// What a search has found. `proves` says whether a win or loss it claims is a proof.
    pub(super) fn of_search(info: &Info, proves: bool) -> Self {
        let (value, plies) = match info.score {
            Score::WinIn(plies) if proves => (Value::Win, plies),
            Score::LossIn(plies) if proves => (Value::Loss, plies),
            score => return Self::Estimate(score, info.wdl),
        };
        let exact = info.has_exact_length();
        Self::Exact(value, Some(if exact { Length::Exactly } else { Length::AtMost }(plies)))
    }

    /// What a turn is worth to the player who makes it and leaves the opponent with `self`.
    pub(super) fn before(self) -> Self {
        self.reversed(|plies| plies.saturating_add(1))
    }

    /// What is left to the opponent by a turn that is worth `self` to the player who makes it.
    pub(super) fn after(self) -> Self {
        self.reversed(|plies| plies.saturating_sub(1))
    }

    fn reversed(self, plies: impl Fn(u32) -> u32) -> Self {
        match self {
            Self::Exact(value, length) => {
                Self::Exact(value.reversed(), length.map(|length| length.map(plies)))
            }
            Self::Estimate(score, [win, draw, loss]) => {
                let score = match score.flipped() {
                    Score::WinIn(length) => Score::WinIn(plies(length)),
                    Score::LossIn(length) => Score::LossIn(plies(length)),
                    score @ Score::Cp(_) => score,
                };
                Self::Estimate(score, [loss, draw, win])
            }
        }
    }

    /// What a position is at least worth in which there is a turn worth this: a shorter win or a
    /// better turn may be there as well.
    pub(super) fn at_least(self) -> Self {
        match self {
            Self::Exact(Value::Win, Some(length @ Length::Exactly(2..))) => {
                Self::Exact(Value::Win, Some(Length::AtMost(length.plies())))
            }
            Self::Exact(Value::Draw, _) => Self::Estimate(Score::Cp(0), eval::wdl(0)),
            worth => worth,
        }
    }

    /// What an estimated turn is worth in a position worth this: where that is lost, all turns lose,
    /// and take no longer.
    pub(super) fn at_most(self, position: Self) -> Self {
        match (self, position) {
            (Self::Estimate(..), Self::Exact(Value::Loss, length)) => {
                let length = length.map(|length| Length::AtMost(length.plies()));
                Self::Exact(Value::Loss, length)
            }
            (worth, _) => worth,
        }
    }

    /// The exact value, if it is one.
    pub(super) const fn value(self) -> Option<Value> {
        match self {
            Self::Exact(value, _) => Some(value),
            Self::Estimate(..) => None,
        }
    }

    /// The points to expect, a draw being half of a win, in parts of [`Self::WIN_POINTS`].
    pub(super) const fn points(self) -> u32 {
        match self {
            Self::Exact(Value::Win, _) => Self::WIN_POINTS,
            Self::Exact(Value::Draw, _) => Self::WIN_POINTS / 2,
            Self::Exact(Value::Loss, _) => 0,
            Self::Estimate(_, [win, draw, _]) => 2 * win + draw,
        }
    }

    /// Orders worths, the better one being larger: by points; then a proved win before a likely
    /// one and a likely loss before a proved one; then short wins and long losses first, those
    /// without a known length after the others.
    pub(super) fn rank(self) -> (u32, i64) {
        let rest = match self {
            Self::Exact(Value::Win, length) => {
                i64::from(u32::MAX) - i64::from(length.map_or(u32::MAX - 1, Length::plies))
            }
            Self::Exact(Value::Loss, length) => {
                i64::from(length.map_or(0, Length::plies)) - i64::from(u32::MAX)
            }
            Self::Exact(Value::Draw, _) | Self::Estimate(..) => 0,
        };
        (self.points(), rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn win(plies: u32) -> Worth {
        Worth::Exact(Value::Win, Some(Length::Exactly(plies)))
    }

    const fn loss(plies: u32) -> Worth {
        Worth::Exact(Value::Loss, Some(Length::Exactly(plies)))
    }

    #[test]
    fn a_turn_is_worth_the_reverse_of_what_it_leaves_and_a_ply_longer() {
        assert_eq!(loss(0).before(), win(1));
        assert_eq!(win(3).before(), loss(4));
        assert_eq!(Worth::DRAW.before(), Worth::DRAW);
        let unknown = Worth::Exact(Value::Loss, None);
        assert_eq!(unknown.before(), Worth::Exact(Value::Win, None));
        let estimate = Worth::Estimate(Score::Cp(35), [300, 600, 100]);
        assert_eq!(estimate.before(), Worth::Estimate(Score::Cp(-35), [100, 600, 300]));
        for worth in [loss(0), win(7), Worth::DRAW, unknown, estimate] {
            assert_eq!(worth.before().after(), worth);
        }
    }

    #[test]
    fn better_worths_rank_higher() {
        let likely = Worth::Estimate(Score::Cp(5000), [1000, 0, 0]);
        let unlikely = Worth::Estimate(Score::Cp(-5000), [0, 0, 1000]);
        let some = Worth::Estimate(Score::Cp(20), [200, 700, 100]);
        let unknown = |value| Worth::Exact(value, None);
        let order = [
            win(1),
            win(9),
            unknown(Value::Win),
            likely,
            some,
            Worth::DRAW,
            unlikely,
            loss(20),
            loss(2),
            unknown(Value::Loss),
        ];
        assert!(order.is_sorted_by(|a, b| a.rank() > b.rank()), "{order:?}");
    }

    #[test]
    fn a_position_is_at_least_worth_what_a_turn_in_it_is() {
        assert_eq!(win(1).at_least(), win(1));
        assert_eq!(win(3).at_least(), Worth::Exact(Value::Win, Some(Length::AtMost(3))));
        assert_eq!(Worth::DRAW.at_least().value(), None);
        assert_eq!(Worth::DRAW.at_least().points(), Worth::DRAW.points());
    }
}
