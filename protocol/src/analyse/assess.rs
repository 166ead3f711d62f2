//! Marks of turns, and their sums for a player.

use merel_engine::Turn;
use merel_engine::tablebase::Value;

use super::worth::Worth;

/// A loss of so many points, a draw being half of a win, makes a turn a mistake: 20 in a hundred.
const MISTAKE: u32 = Worth::WIN_POINTS / 5;
/// This one makes it an inaccuracy: 10 in a hundred.
const INACCURACY: u32 = Worth::WIN_POINTS / 10;

/// A turn of a game and what it was worth to the player who made it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged {
    /// How many turns came before it.
    pub(super) ply: usize,
    pub(super) turn: Turn,
    /// The worth of the position, so of the best turn.
    pub(super) before: Worth,
    /// The worth of the turn.
    pub(super) after: Worth,
    /// The first turns of best play, beginning with a best turn.
    pub(super) line: Vec<Turn>,
    /// Whether every other turn is known to let go of a win or a draw that this one keeps.
    pub(super) only: bool,
}

/// What is to be said of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// `??`: it throws a won game away or loses a drawn one; that is proved.
    Blunder,
    /// `?`: it loses at least [`MISTAKE`] by estimate.
    Mistake,
    /// `?!`: it loses at least [`INACCURACY`] by estimate.
    Inaccuracy,
    /// `!`: it is the only turn that keeps the win or the draw; that is proved.
    Only,
}

impl Mark {
    pub(super) const fn symbol(self) -> &'static str {
        match self {
            Self::Blunder => "??",
            Self::Mistake => "?",
            Self::Inaccuracy => "?!",
            Self::Only => "!",
        }
    }
}

impl Judged {
    /// A best turn.
    pub(super) fn best(&self) -> Turn {
        self.line.first().copied().unwrap_or(self.turn)
    }

    /// The points that the turn costs. One that the search would have made itself costs none.
    pub(super) fn loss(&self) -> u32 {
        if self.turn == self.best() {
            return 0;
        }
        self.before.points().saturating_sub(self.after.points())
    }

    /// Whether the turn keeps the value of the position: proved ones the win or the draw, however
    /// long it takes; estimated ones all of the points.
    pub(super) fn keeps_value(&self) -> bool {
        match (self.before.value(), self.after.value()) {
            (Some(before), Some(after)) => before == after,
            _ => self.loss() == 0,
        }
    }

    pub(super) fn mark(&self) -> Option<Mark> {
        let let_go = match (self.before.value(), self.after.value()) {
            (Some(before), Some(after)) => after < before,
            _ => false,
        };
        if let_go {
            Some(Mark::Blunder)
        } else if self.loss() >= MISTAKE {
            Some(Mark::Mistake)
        } else if self.loss() >= INACCURACY {
            Some(Mark::Inaccuracy)
        } else {
            (self.only && self.after.value() != Some(Value::Loss)).then_some(Mark::Only)
        }
    }

    /// Whether it is a blunder, a mistake or an inaccuracy.
    pub(super) fn is_bad(&self) -> bool {
        self.mark().is_some_and(|mark| mark != Mark::Only)
    }
}

/// The turns of a player in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) turns: u32,
    pub(super) blunders: u32,
    pub(super) mistakes: u32,
    pub(super) inaccuracies: u32,
    /// Turns that keep the value of the position.
    kept: u32,
    /// Points lost.
    lost: u64,
}

impl Tally {
    pub(super) fn of<'a>(turns: impl Iterator<Item = &'a Judged>) -> Self {
        let mut tally = Self::default();
        for turn in turns {
            tally.turns += 1;
            tally.kept += u32::from(turn.keeps_value());
            tally.lost += u64::from(turn.loss());
            match turn.mark() {
                Some(Mark::Blunder) => tally.blunders += 1,
                Some(Mark::Mistake) => tally.mistakes += 1,
                Some(Mark::Inaccuracy) => tally.inaccuracies += 1,
                Some(Mark::Only) | None => {}
            }
        }
        tally
    }

    /// The loss per turn as a part of a win, if there was a turn.
    pub(super) fn average_loss(&self) -> Option<f64> {
        let all = f64::from(self.turns) * f64::from(Worth::WIN_POINTS);
        (self.turns > 0).then(|| self.lost as f64 / all)
    }

    /// The share of turns that keep the value of the position, if there was a turn.
    pub(super) fn best_share(&self) -> Option<f64> {
        (self.turns > 0).then(|| f64::from(self.kept) / f64::from(self.turns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::worth::Length;
    use merel_engine::{Score, parse_turn};

    const WIN: Worth = Worth::Exact(Value::Win, Some(Length::Exactly(5)));
    const LONG_WIN: Worth = Worth::Exact(Value::Win, Some(Length::AtMost(9)));
    const LOSS: Worth = Worth::Exact(Value::Loss, None);
    const SURE: Worth = Worth::Estimate(Score::Cp(900), [1000, 0, 0]);

    /// Estimated at so many points in a hundred.
    const fn points(percent: u32) -> Worth {
        let draw = if percent <= 50 { 20 * percent } else { 20 * (100 - percent) };
        let win = if percent <= 50 { 0 } else { 1000 - draw };
        Worth::Estimate(Score::Cp(1), [win, draw, 1000 - win - draw])
    }

    fn judged(before: Worth, after: Worth) -> Judged {
        let [turn, best] = ["a7", "d7"].map(|text| parse_turn(text).unwrap());
        Judged { ply: 0, turn, before, after, line: vec![best], only: false }
    }

    #[test]
    fn a_blunder_is_proved_and_the_other_marks_go_by_points() {
        for (before, after, mark) in [
            (WIN, Worth::DRAW, Some(Mark::Blunder)),
            (WIN, LOSS, Some(Mark::Blunder)),
            (Worth::DRAW, LOSS, Some(Mark::Blunder)),
            (WIN, LONG_WIN, None),
            (LOSS, LOSS, None),
            (Worth::DRAW, Worth::DRAW, None),
            (SURE, LOSS, Some(Mark::Mistake)),
            (WIN, points(50), Some(Mark::Mistake)),
            (WIN, points(80), Some(Mark::Mistake)),
            (WIN, points(81), Some(Mark::Inaccuracy)),
            (points(60), points(50), Some(Mark::Inaccuracy)),
            (points(60), points(51), None),
            (points(40), points(60), None),
        ] {
            assert_eq!(judged(before, after).mark(), mark, "{before:?} {after:?}");
        }
    }

    #[test]
    fn the_best_turn_costs_nothing_and_the_only_one_is_marked() {
        let mut turn = judged(points(60), points(20));
        assert_eq!((turn.loss(), turn.keeps_value()), (800, false));
        turn.line = vec![turn.turn];
        assert_eq!((turn.loss(), turn.keeps_value(), turn.mark()), (0, true, None));
        let only = Judged { only: true, ..judged(Worth::DRAW, Worth::DRAW) };
        assert_eq!((only.mark(), only.is_bad()), (Some(Mark::Only), false));
    }

    #[test]
    fn sums_are_per_turn() {
        assert_eq!(Tally::of([].iter()).average_loss(), None);
        let turns = [
            judged(WIN, Worth::DRAW),
            judged(WIN, LONG_WIN),
            judged(points(50), points(25)),
            judged(points(50), points(35)),
        ];
        let tally = Tally::of(turns.iter());
        assert_eq!((tally.turns, tally.blunders, tally.mistakes, tally.inaccuracies), (4, 1, 1, 1));
        assert_eq!(tally.average_loss(), Some((0.5 + 0.25 + 0.15) / 4.0));
        assert_eq!(tally.best_share(), Some(0.25));
    }
}
