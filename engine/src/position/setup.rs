//! Set-ups: anything that can be described, and the check that makes a position of it.

use std::fmt;

use super::{Position, zobrist::KEYS};
use crate::rules::{DoubleMill, Rules};
use crate::types::{Bitboard, Color, Point};

/// What a position is described by, not yet known to make sense. [`Setup::check`] turns it into a
/// [`Position`] or says everything that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The stones on the board, White's and Black's.
    pub stones: [Bitboard; 2],
    /// The stones in hand, White's and Black's.
    pub hands: [u8; 2],
    /// Whose turn it is (or goes on, with captures due).
    pub to_move: Color,
    /// Captures that White and Black have earned and not yet made.
    pub captures_due: [u8; 2],
    /// The last slide or flight of each player (from, to). It counts only under
    /// `no_immediate_return`.
    pub last_moves: [Option<(Point, Point)>; 2],
    /// Turns (plies) since the last placement or capture.
    pub quiet: u16,
    /// Number of the pair of turns, from 1.
    pub fullmove: u16,
}

impl Setup {
    /// Stones each player starts with.
    pub const STONES: u8 = 9;

    /// The empty board with all stones in hand and White to begin.
    pub const START: Self = Self {
        stones: [Bitboard::EMPTY; 2],
        hands: [Self::STONES; 2],
        to_move: Color::White,
        captures_due: [0; 2],
        last_moves: [None; 2],
        quiet: 0,
        fullmove: 1,
    };

    /// Stones of a player on the board and in hand.
    #[must_use]
    pub fn total(&self, color: Color) -> u32 {
        self.stones[color.index()].len() + u32::from(self.hands[color.index()])
    }

    /// Makes a position of the set-up.
    ///
    /// # Errors
    /// Every reason found why no game under these rules can stand so. A position in which the
    /// game is over is none of them, nor are hands that alternate placing could not leave.
    pub fn check(&self, rules: Rules) -> Result<Position, Vec<Problem>> {
        let mut problems = Vec::new();
        if (self.stones[0] & self.stones[1]).any() {
            problems.push(Problem::new(Field::Board, "a point holds two stones".into()));
        }
        for color in Color::ALL {
            let total = self.total(color);
            if total > u32::from(Self::STONES) {
                problems.push(Problem::new(
                    Field::hand(color),
                    format!("{color} has {total} stones on the board and in hand; at most 9"),
                ));
            }
            self.check_last_move(color, rules, &mut problems);
        }
        if Color::ALL.iter().all(|&c| self.total(c) < 3) {
            problems.push(Problem::new(
                Field::Board,
                "both players have fewer than three stones; a game ends with the first".into(),
            ));
        }
        self.check_captures_due(rules, &mut problems);
        if self.fullmove == 0 {
            problems.push(Problem::new(Field::Fullmove, "0; turns are numbered from 1".into()));
        }
        if problems.is_empty() { Ok(self.position(rules)) } else { Err(problems) }
    }

    fn check_last_move(&self, color: Color, rules: Rules, problems: &mut Vec<Problem>) {
        let Some((from, to)) = self.last_moves[color.index()] else { return };
        if !rules.no_immediate_return {
            return;
        }
        let own = self.stones[color.index()];
        let reason = if self.hands[color.index()] > 0 {
            format!("{color} has moved {from}-{to} with stones still in hand")
        } else if !own.contains(to) {
            format!("no {color} stone on {to}, where {color} moved last")
        } else if own.contains(from) {
            format!("a {color} stone on {from}, which {color} left last")
        } else {
            return;
        };
        problems.push(Problem::new(Field::last_move(color), reason));
    }

    /// A single capture may be due without the mill that earned it: such set-ups are in use to try
    /// what a capture would do. Two need the stone that closed both mills.
    fn check_captures_due(&self, rules: Rules, problems: &mut Vec<Problem>) {
        for color in Color::ALL {
            let due = self.captures_due[color.index()];
            if due == 0 {
                continue;
            }
            let mut refuse =
                |reason: String| problems.push(Problem::new(Field::captures_due(color), reason));
            if color != self.to_move {
                refuse(format!("{due} due for {color}, whose turn it is not"));
                continue;
            }
            let own = self.stones[color.index()];
            let other = self.stones[(!color).index()];
            if due > 2 {
                refuse(format!("{due} due; a turn earns at most two"));
            } else if due == 2 && rules.double_mill == DoubleMill::One {
                refuse("2 due, but DoubleMill is one".into());
            } else if due == 2 && !has_double_mill(own) {
                refuse(format!("2 due, but no {color} stone stands in two mills"));
            } else if self.total(!color) < 3 {
                refuse(format!("{due} due, but {} has already lost", !color));
            } else if super::capturable(other, rules).is_empty() {
                refuse(format!("{due} due, but no {} stone may be captured", !color));
            }
        }
    }

    /// The position, once checked.
    fn position(&self, rules: Rules) -> Position {
        let mut position = Position {
            stones: self.stones,
            key: 0,
            last_moves: if rules.no_immediate_return { self.last_moves } else { [None; 2] },
            hands: self.hands,
            totals: Color::ALL.map(|c| self.total(c) as u8),
            to_move: self.to_move,
            captures_due: self.captures_due[self.to_move.index()],
            quiet: self.quiet,
            fullmove: self.fullmove,
            rules,
        };
        position.key = position.computed_key();
        position
    }
}

impl Position {
    /// The key computed from nothing, for [`Position::key`] to agree with.
    #[must_use]
    pub fn computed_key(&self) -> u64 {
        Color::ALL.iter().fold(
            KEYS.side(self.to_move) ^ KEYS.captures_due(self.captures_due),
            |key, &color| {
                let i = color.index();
                key ^ KEYS.stones(color, self.stones[i])
                    ^ KEYS.hand(color, self.hands[i])
                    ^ KEYS.last_move(color, self.last_moves[i])
            },
        )
    }

    /// The set-up that describes this position.
    #[must_use]
    pub fn setup(&self) -> Setup {
        let mut captures_due = [0; 2];
        captures_due[self.to_move.index()] = self.captures_due;
        Setup {
            stones: self.stones,
            hands: self.hands,
            to_move: self.to_move,
            captures_due,
            last_moves: self.last_moves,
            quiet: self.quiet,
            fullmove: self.fullmove,
        }
    }
}

/// Whether a stone stands in two closed mills.
fn has_double_mill(stones: Bitboard) -> bool {
    let [first, second] = stones.completing();
    (stones & first & second).any()
}

/// The part of a description that a [`Problem`] is about, named as in the FEN's definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is the FEN field of its name")]
pub enum Field {
    Form,
    Board,
    Side,
    Phase,
    Action,
    WhiteBoard,
    WhiteHand,
    BlackBoard,
    BlackHand,
    WhiteRemove,
    BlackRemove,
    WhiteLast,
    BlackLast,
    Mills,
    Quiet,
    Fullmove,
}

impl Field {
    pub(super) const fn board_count(color: Color) -> Self {
        match color {
            Color::White => Self::WhiteBoard,
            Color::Black => Self::BlackBoard,
        }
    }

    pub(super) const fn hand(color: Color) -> Self {
        match color {
            Color::White => Self::WhiteHand,
            Color::Black => Self::BlackHand,
        }
    }

    pub(super) const fn captures_due(color: Color) -> Self {
        match color {
            Color::White => Self::WhiteRemove,
            Color::Black => Self::BlackRemove,
        }
    }

    pub(super) const fn last_move(color: Color) -> Self {
        match color {
            Color::White => Self::WhiteLast,
            Color::Black => Self::BlackLast,
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "form",
            Self::Board => "board",
            Self::Side => "side",
            Self::Phase => "phase",
            Self::Action => "action",
            Self::WhiteBoard => "wBoard",
            Self::WhiteHand => "wHand",
            Self::BlackBoard => "bBoard",
            Self::BlackHand => "bHand",
            Self::WhiteRemove => "wRemove",
            Self::BlackRemove => "bRemove",
            Self::WhiteLast => "wFrom/wTo",
            Self::BlackLast => "bFrom/bTo",
            Self::Mills => "mills",
            Self::Quiet => "quiet",
            Self::Fullmove => "fullmove",
        })
    }
}

/// One reason why a description is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it lies.
    pub field: Field,
    /// What is wrong, in words, with the offending value.
    pub reason: String,
}

impl Problem {
    pub(super) const fn new(field: Field, reason: String) -> Self {
        Self { field, reason }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.reason)
    }
}
