//! Reading turns from text, with the reason when one is refused.

use std::fmt;

use crate::position::{Outcome, Position};
use crate::types::{Action, Color, Point, Turn};

/// Why a token is not a turn here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnError {
    /// The text has not the form of a turn.
    Malformed,
    /// A part of the text names no point of the board.
    NotAPoint,
    /// The game is over.
    GameOver(Outcome),
    /// The mill closed before still earns captures, which come first.
    CaptureMissing,
    /// A capture without a mill closed in this turn.
    NoMillClosed,
    /// More captures than the turn earns; `earned` is 1 where two mills were closed under
    /// `double_mill one`, with `mills` 2.
    TooManyCaptures {
        /// Mills closed by the turn.
        mills: u8,
        /// Captures it earns.
        earned: u8,
    },
    /// Nothing of the opponent's may be captured, so the capture is forfeited.
    NothingToCapture,
    /// The point to go to is taken.
    Occupied(Point),
    /// No stone stands there to move or to capture.
    NoStone(Point),
    /// The stone there is not the mover's to move.
    NotYours(Point),
    /// The stone there is the mover's own and cannot be captured.
    OwnStone(Point),
    /// The two points are not joined by a line, and the player may not fly.
    NotConnected(Point, Point),
    /// Stones still in hand are placed before any is moved.
    StonesInHand(Color),
    /// There is no stone in hand to place.
    HandEmpty(Color),
    /// The stone stands in a mill, and others do not.
    Protected(Point),
    /// The move takes back the player's last one.
    ImmediateReturn(Point, Point),
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Malformed => f.write_str(
                "not a turn; write a7 to place, a7-a4 to move, and x with a point for a capture",
            ),
            Self::NotAPoint => f.write_str("no such point on the board (a1 to g7)"),
            Self::GameOver(outcome) => write!(f, "the game is over, {outcome}"),
            Self::CaptureMissing => {
                f.write_str("capture missing: a mill was closed, so a stone must be captured")
            }
            Self::NoMillClosed => f.write_str("no mill is closed, so nothing is captured"),
            Self::TooManyCaptures { mills: 2, earned: 1 } => {
                f.write_str("two captures for a double mill, but option DoubleMill is one")
            }
            Self::TooManyCaptures { earned, .. } => {
                write!(f, "too many captures: the turn earns {earned}")
            }
            Self::NothingToCapture => f.write_str("no stone may be captured"),
            Self::Occupied(p) => write!(f, "{p} is occupied"),
            Self::NoStone(p) => write!(f, "no stone on {p}"),
            Self::NotYours(p) => write!(f, "the stone on {p} is the opponent's"),
            Self::OwnStone(p) => write!(f, "the stone on {p} is the mover's own"),
            Self::NotConnected(from, to) => {
                write!(f, "{from} and {to} are not connected by a line")
            }
            Self::StonesInHand(side) => write!(f, "{side} has stones still in hand to place"),
            Self::HandEmpty(side) => write!(f, "{side} has no stone in hand to place"),
            Self::Protected(p) => {
                write!(f, "{p} is protected by a mill while other stones stand in none")
            }
            Self::ImmediateReturn(from, to) => {
                write!(f, "{from}-{to} is an immediate return, which NoImmediateReturn forbids")
            }
        }
    }
}

impl std::error::Error for TurnError {}

/// Reads the form of a turn; whether it is legal is another matter.
///
/// # Errors
/// [`TurnError::Malformed`] or [`TurnError::NotAPoint`].
pub fn parse_turn(text: &str) -> Result<Turn, TurnError> {
    let action = text.split(['x', 'X']).next().unwrap_or_default();
    if !action.is_empty() && !action.contains('-') && action.len() != 2 {
        return Err(TurnError::Malformed);
    }
    parse_turn_by(text, |name| name.parse().map_err(|_| TurnError::NotAPoint))
}

/// As [`parse_turn`], with `point` to read the points, which other programs call otherwise.
///
/// # Errors
/// [`TurnError::Malformed`], or that of `point`.
pub fn parse_turn_by(
    text: &str,
    point: impl Fn(&str) -> Result<Point, TurnError>,
) -> Result<Turn, TurnError> {
    let mut parts = text.split(['x', 'X']);
    let action = parts.next().unwrap_or_default();
    let mut turn = match action.split_once('-') {
        Some((from, to)) => Some(Turn::step(point(from)?, point(to)?)),
        None if action.is_empty() => None,
        None => Some(Turn::place(point(action)?)),
    };
    for (count, captured) in parts.enumerate() {
        if count == 2 {
            return Err(TurnError::Malformed);
        }
        let captured = point(captured)?;
        turn = Some(turn.map_or(Turn::capture_only(captured), |turn| turn.with_capture(captured)));
    }
    turn.ok_or(TurnError::Malformed)
}

impl Position {
    /// Reads a legal whole turn.
    ///
    /// # Errors
    /// Why the text is no legal turn here.
    pub fn parse_turn(&self, text: &str) -> Result<Turn, TurnError> {
        let turn = self.parse_part(text)?;
        if self.is_legal(turn) { Ok(turn) } else { Err(TurnError::CaptureMissing) }
    }

    /// Reads a legal turn or the beginning of one, which lacks captures: what
    /// [`Self::after_part`] takes. A second capture written after one that has already won is
    /// read and dropped.
    ///
    /// # Errors
    /// Why the text is neither.
    pub fn parse_part(&self, text: &str) -> Result<Turn, TurnError> {
        let turn = parse_turn(text)?;
        self.check_part(turn)
    }

    fn check_part(&self, turn: Turn) -> Result<Turn, TurnError> {
        if let Some(outcome) = self.outcome() {
            return Err(TurnError::GameOver(outcome));
        }
        let side = self.to_move();
        let own = self.stones(side);
        let (mills_rest, to) = match turn.action() {
            Action::CaptureOnly if self.captures_due() > 0 => {
                return self.check_captures(turn, self.captures_due(), self.captures_due());
            }
            Action::CaptureOnly => return Err(TurnError::NoMillClosed),
            _ if self.captures_due() > 0 => return Err(TurnError::CaptureMissing),
            Action::Place(to) => {
                if self.hand(side) == 0 {
                    return Err(TurnError::HandEmpty(side));
                }
                (own, to)
            }
            Action::Move(from, to) => {
                if self.hand(side) > 0 {
                    return Err(TurnError::StonesInHand(side));
                }
                if self.empty().contains(from) {
                    return Err(TurnError::NoStone(from));
                }
                if !own.contains(from) {
                    return Err(TurnError::NotYours(from));
                }
                (own ^ from.bit(), to)
            }
        };
        if !self.empty().contains(to) {
            return Err(TurnError::Occupied(to));
        }
        if let Some(from) = turn.from() {
            if !self.flies(side) && !from.neighbours().contains(to) {
                return Err(TurnError::NotConnected(from, to));
            }
            if self.forbidden_return() == Some((from, to)) {
                return Err(TurnError::ImmediateReturn(from, to));
            }
        }
        let mills =
            to.line_partners().iter().filter(|&&line| mills_rest.contains_all(line)).count() as u8;
        self.check_captures(turn, mills, self.captures_earned(mills_rest, to))
    }

    fn check_captures(&self, turn: Turn, mills: u8, earned: u8) -> Result<Turn, TurnError> {
        let captures = turn.captures();
        let written = captures.iter().flatten().count() as u8;
        if written > 0 && earned == 0 {
            return Err(TurnError::NoMillClosed);
        }
        if written > earned {
            return Err(TurnError::TooManyCaptures { mills, earned });
        }
        let moved = [turn.from(), turn.to()].into_iter().flatten();
        let own = moved.fold(self.stones(self.to_move()), |own, p| own ^ p.bit());
        let mut board = *self;
        let mut checked = turn.without_captures();
        for captured in captures.into_iter().flatten() {
            if board.total(!self.to_move()) < 3 {
                break; // already won: a surplus capture is dropped
            }
            if own.contains(captured) {
                return Err(TurnError::OwnStone(captured));
            }
            if !board.stones(!self.to_move()).contains(captured) {
                return Err(TurnError::NoStone(captured));
            }
            let targets = board.capturable();
            if targets.is_empty() {
                return Err(TurnError::NothingToCapture);
            }
            if !targets.contains(captured) {
                return Err(TurnError::Protected(captured));
            }
            board = board.without_stone(captured);
            checked = Some(
                checked.map_or(Turn::capture_only(captured), |turn| turn.with_capture(captured)),
            );
        }
        checked.ok_or(TurnError::Malformed)
    }
}
