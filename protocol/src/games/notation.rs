//! The two ways to name points in game files, and how turns are written with each.

use merel_engine::{Action, Point, Turn, TurnError, parse_turn, parse_turn_by};

/// How a game file names the points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// `a7`, `a7-a4`, `a7-a4xb6`.
    Letters,
    /// `1`, `1-10`, `1-10x4`: from 1 to 24 row by row from the top left, as `PlayOK` does.
    Numbers,
}

/// The names of the points with the numbers 1 to 24.
const NUMBERED: [&str; Point::COUNT] = [
    "a7", "d7", "g7", "b6", "d6", "f6", "c5", "d5", "e5", "a4", "b4", "c4", //
    "e4", "f4", "g4", "c3", "d3", "e3", "b2", "d2", "f2", "a1", "d1", "g1",
];

impl Notation {
    /// The notation of a token that looks like a turn in one of them.
    pub(super) fn of(token: &str) -> Self {
        let first = token.trim_start_matches(['x', 'X', '-']).chars().next();
        if first.is_some_and(|c| c.is_ascii_digit()) { Self::Numbers } else { Self::Letters }
    }

    /// Reads the form of a turn.
    ///
    /// # Errors
    /// [`TurnError::Malformed`] or [`TurnError::NotAPoint`].
    pub(super) fn parse(self, token: &str) -> Result<Turn, TurnError> {
        match self {
            Self::Letters => parse_turn(token),
            Self::Numbers => parse_turn_by(token, point),
        }
    }

    /// Writes a turn.
    pub(super) fn text(self, turn: Turn) -> String {
        let point = |p: Point| match self {
            Self::Letters => p.name().to_owned(),
            Self::Numbers => number(p).to_string(),
        };
        let mut text = match turn.action() {
            Action::Place(to) => point(to),
            Action::Move(from, to) => format!("{}-{}", point(from), point(to)),
            Action::CaptureOnly => String::new(),
        };
        for captured in turn.captures().into_iter().flatten() {
            text.push('x');
            text.push_str(&point(captured));
        }
        text
    }
}

/// The number of a point, 1 to 24.
fn number(point: Point) -> usize {
    NUMBERED.iter().take_while(|&&name| name != point.name()).count() + 1
}

/// The point with a number written without leading zeros.
fn point(text: &str) -> Result<Point, TurnError> {
    let plain = matches!(text.len(), 1 | 2) && !text.starts_with(['0', '+']);
    let number = text.parse::<usize>().ok().filter(|_| plain).ok_or(TurnError::NotAPoint)?;
    let name = number.checked_sub(1).and_then(|index| NUMBERED.get(index));
    name.and_then(|name| name.parse().ok()).ok_or(TurnError::NotAPoint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_run_row_by_row_from_the_top_left() {
        let labels = |token: &str| Notation::Numbers.parse(token).map(|t| t.to_string());
        assert_eq!(labels("1").as_deref(), Ok("a7"));
        assert_eq!(labels("24").as_deref(), Ok("g1"));
        assert_eq!(labels("10-11").as_deref(), Ok("a4-b4"));
        assert_eq!(labels("3x9x23").as_deref(), Ok("g7xe5xd1"));
        assert_eq!(labels("x5").as_deref(), Ok("xd6"));
        for p in Point::all() {
            assert_eq!(point(&number(p).to_string()), Ok(p));
        }
    }

    #[test]
    fn every_form_of_turn_reads_back_in_both() {
        let [a, b, c] = [0, 9, 23].map(Point::from_index);
        for base in [Turn::place(a), Turn::step(a, b)] {
            for turn in [base, base.with_capture(c), base.with_capture(c).with_capture(b)] {
                for notation in [Notation::Letters, Notation::Numbers] {
                    let text = notation.text(turn);
                    assert_eq!(notation.parse(&text), Ok(turn));
                    assert_eq!(Notation::of(&text), notation);
                }
            }
        }
        assert_eq!(Notation::Numbers.text(Turn::capture_only(a)), "x8");
    }

    #[test]
    fn bad_numbers_are_refused() {
        for (token, error) in [
            ("0", TurnError::NotAPoint),
            ("25", TurnError::NotAPoint),
            ("007", TurnError::NotAPoint),
            ("+7", TurnError::NotAPoint),
            ("1-", TurnError::NotAPoint),
            ("1-2-3", TurnError::NotAPoint),
            ("1x", TurnError::NotAPoint),
            ("1x2x3x4", TurnError::Malformed),
            ("99999999999999999999999", TurnError::NotAPoint),
            ("", TurnError::Malformed),
        ] {
            assert_eq!(Notation::Numbers.parse(token), Err(error), "{token}");
        }
    }
}
