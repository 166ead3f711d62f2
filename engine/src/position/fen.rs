//! The one-line text of a position.
//!
//! The form is the one the field's programs exchange:
//! `board side phase action wBoard wHand bBoard bHand wRemove bRemove wFrom wTo bFrom bTo mills
//! quiet fullmove ids:nodes`. Older programs write 11 fields (one count of captures due, no last
//! moves, no mills) or 12 (two counts), or number the points 8 to 31 with 0 for none.

use std::fmt;

use super::setup::{Field, Problem, Setup};
use super::{Outcome, Position};
use crate::rules::Rules;
use crate::types::{Bitboard, Color, Point};

/// A FEN was refused, for these reasons (at least one).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenError {
    /// Every reason found, in the order of the fields as far as they could be read.
    pub problems: Vec<Problem>,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            let separator = if i == 0 { "" } else { "; " };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for FenError {}

/// What a FEN says of the phase, for the check against what the rest of it implies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Placing,
    Moving,
    Over,
}

impl Position {
    /// Reads a position.
    ///
    /// The form may be any of those in use: 11, 12 or at least 17 fields, with or without
    /// `ids:nodes` and other tokens that hold a colon, which are passed over. The sense is checked
    /// strictly.
    ///
    /// # Errors
    /// All reasons why the text does not describe a position of a game under these rules.
    pub fn from_fen(text: &str, rules: Rules) -> Result<Self, FenError> {
        let mut reader = Reader { problems: Vec::new() };
        match reader.read(text, rules) {
            Some(position) if reader.problems.is_empty() => Ok(position),
            _ => Err(FenError { problems: reader.problems }),
        }
    }

    /// Writes the position in the form with 17 fields and `ids:nodes`.
    #[must_use]
    pub fn fen(&self) -> String {
        let board: Vec<String> = (0..3).map(|ring| self.ring_text(ring)).collect();
        let due = self.setup().captures_due;
        let over = self.outcome().is_some();
        let phase = match (over, self.is_placing()) {
            (true, _) => 'o',
            (false, true) => 'p',
            (false, false) => 'm',
        };
        let action = if over { '?' } else { self.action_letter() };
        let last = Color::ALL.map(|c| {
            self.last_move(c).map_or_else(
                || "-1 -1".to_owned(),
                |(from, to)| format!("{} {}", from.index(), to.index()),
            )
        });
        format!(
            "{} {} {phase} {action} {} {} {} {} {} {} {} {} 0 {} {} ids:nodes",
            board.join("/"),
            self.to_move().letter(),
            self.stones(Color::White).len(),
            self.hand(Color::White),
            self.stones(Color::Black).len(),
            self.hand(Color::Black),
            due[0],
            due[1],
            last[0],
            last[1],
            self.quiet(),
            self.fullmove(),
        )
    }

    fn ring_text(&self, ring: usize) -> String {
        (0..8)
            .map(|step| {
                let p = Point::from_index(ring * 8 + step);
                if self.stones(Color::White).contains(p) {
                    'O'
                } else if self.stones(Color::Black).contains(p) {
                    '@'
                } else {
                    '*'
                }
            })
            .collect()
    }

    /// What the side to move does next while the game goes on.
    fn action_letter(&self) -> char {
        if self.captures_due() > 0 {
            'r'
        } else if self.hand(self.to_move()) > 0 {
            'p'
        } else {
            's'
        }
    }
}

/// Collects problems while it reads; a field that cannot be read is replaced by a harmless value,
/// so that the others are still looked at.
struct Reader {
    problems: Vec<Problem>,
}

impl Reader {
    fn refuse(&mut self, field: Field, reason: impl Into<String>) {
        self.problems.push(Problem::new(field, reason.into()));
    }

    fn read(&mut self, text: &str, rules: Rules) -> Option<Position> {
        let (extensions, fields): (Vec<&str>, Vec<&str>) =
            text.split_whitespace().partition(|token| token.contains(':'));
        let by_node = extensions.iter().any(|t| t.eq_ignore_ascii_case("ids:nodes"));
        // Where the tail begins, and whether it has the last moves and mills.
        let (counts_due, long) = match fields.len() {
            11 => (1, false),
            12 => (2, false),
            17.. => (2, true),
            n => {
                let reason = format!("'{}' has {n} fields; a FEN has 17 (or 11 or 12)", clip(text));
                self.refuse(Field::Form, reason);
                return None;
            }
        };

        let stones = self.board(fields[0]);
        let to_move = match fields[1] {
            "w" | "W" => Color::White,
            "b" | "B" => Color::Black,
            other => {
                self.refuse(Field::Side, format!("'{}' is not w or b", clip(other)));
                Color::White
            }
        };
        let mut hands = [0; 2];
        let mut hands_known = true;
        for color in Color::ALL {
            let at = 4 + 2 * color.index();
            let on_board = stones.map_or(0, |s| s[color.index()].len());
            if let Some(count) = self.number(Field::board_count(color), fields[at], 24)
                && stones.is_some()
                && u32::from(count) != on_board
            {
                self.refuse(
                    Field::board_count(color),
                    format!("{count}, but the board shows {on_board} {color} stones"),
                );
            }
            let hand = self.number(Field::hand(color), fields[at + 1], u16::from(Setup::STONES));
            hands_known &= hand.is_some();
            hands[color.index()] = hand.unwrap_or(0) as u8;
        }
        let captures_due = self.captures_due(&fields[8..8 + counts_due], to_move);
        let mut last_moves = [None; 2];
        let mut tail = 8 + counts_due;
        if long {
            for color in Color::ALL {
                let pair = [fields[tail], fields[tail + 1]];
                last_moves[color.index()] = self.last_move(color, pair, by_node);
                tail += 2;
            }
            if fields[tail].parse::<i64>().is_err() && fields[tail].parse::<u64>().is_err() {
                self.refuse(Field::Mills, format!("'{}' is not a number", clip(fields[tail])));
            }
            tail += 1;
        }
        let quiet = self.number(Field::Quiet, fields[tail], u16::MAX).unwrap_or(0);
        let fullmove = self.number(Field::Fullmove, fields[tail + 1], u16::MAX).unwrap_or(1);

        let mut setup = Setup {
            stones: stones.unwrap_or_default(),
            hands,
            to_move,
            captures_due,
            last_moves,
            quiet,
            fullmove,
        };
        let (phase, action) = (self.phase(fields[2]), self.action(fields[3]));
        if action == Some('r') && setup.captures_due == [0; 2] {
            // Some programs leave the count out; the action says it.
            setup.captures_due[to_move.index()] = 1;
        }
        // Without a board, whatever else the check finds is only a consequence.
        stones?;
        match setup.check(rules) {
            // Phase and action follow from the hands.
            Ok(position) if hands_known => Some(self.reconcile(position, phase, action)),
            Ok(_) => None,
            Err(mut problems) => {
                self.problems.append(&mut problems);
                None
            }
        }
    }

    fn board(&mut self, text: &str) -> Option<[Bitboard; 2]> {
        let rings: Vec<&str> = text.split('/').collect();
        if rings.len() != 3 || rings.iter().any(|r| r.chars().count() != 8) {
            self.refuse(
                Field::Board,
                format!("'{}' is not three rings of eight characters joined by /", clip(text)),
            );
            return None;
        }
        let mut stones = [Bitboard::EMPTY; 2];
        for (index, c) in rings.iter().flat_map(|r| r.chars()).enumerate() {
            let point = Point::from_index(index);
            match c {
                'O' => stones[0] |= point.bit(),
                '@' => stones[1] |= point.bit(),
                '*' => {}
                other => {
                    let reason = format!("'{}' on {point} is not O, @ or *", other.escape_debug());
                    self.refuse(Field::Board, reason);
                    return None;
                }
            }
        }
        Some(stones)
    }

    fn number(&mut self, field: Field, text: &str, max: u16) -> Option<u16> {
        match text.parse::<i64>() {
            Ok(n) if (0..=i64::from(max)).contains(&n) => Some(n as u16),
            Ok(n) => {
                self.refuse(field, format!("{n} is not in 0 to {max}"));
                None
            }
            Err(_) => {
                self.refuse(field, format!("'{}' is not a number", clip(text)));
                None
            }
        }
    }

    /// One count is that of the side to move, two are White's and Black's.
    fn captures_due(&mut self, texts: &[&str], to_move: Color) -> [u8; 2] {
        let mut due = [0; 2];
        let owners = if texts.len() == 1 { vec![to_move] } else { Color::ALL.to_vec() };
        for (color, text) in owners.into_iter().zip(texts) {
            due[color.index()] =
                self.number(Field::captures_due(color), text, 2).unwrap_or(0) as u8;
        }
        due
    }

    fn last_move(
        &mut self,
        color: Color,
        texts: [&str; 2],
        by_node: bool,
    ) -> Option<(Point, Point)> {
        let field = Field::last_move(color);
        let points = texts.map(|text| match text.parse::<i64>() {
            Ok(-1) => Some(None),
            Ok(0) if !by_node => Some(None),
            Ok(n) => {
                let number = if by_node { n } else { n - 8 };
                u8::try_from(number).ok().and_then(Point::new).map(Some)
            }
            Err(_) => None,
        });
        match points {
            [Some(Some(from)), Some(Some(to))] if from != to => Some((from, to)),
            [Some(None), Some(None)] => None,
            _ => {
                let range = if by_node { "-1 or 0 to 23" } else { "0 or 8 to 31" };
                let [from, to] = texts.map(clip);
                self.refuse(
                    field,
                    format!("'{from} {to}' is not a move of two point numbers ({range})"),
                );
                None
            }
        }
    }

    fn phase(&mut self, text: &str) -> Option<Phase> {
        match text {
            // Two more letters that programs use before and between games.
            "p" | "r" | "n" => Some(Phase::Placing),
            "m" => Some(Phase::Moving),
            "o" => Some(Phase::Over),
            other => {
                self.refuse(Field::Phase, format!("'{}' is not p, m or o", clip(other)));
                None
            }
        }
    }

    fn action(&mut self, text: &str) -> Option<char> {
        match text {
            "p" | "s" | "r" | "?" => text.chars().next(),
            other => {
                self.refuse(Field::Action, format!("'{}' is not p, s, r or ?", clip(other)));
                None
            }
        }
    }

    /// Checks phase and action against the position. Both are redundant, so they must agree.
    fn reconcile(
        &mut self,
        position: Position,
        phase: Option<Phase>,
        action: Option<char>,
    ) -> Position {
        if phase == Some(Phase::Over) {
            return self.reconcile_over(position, action);
        }
        let placing = position.is_placing();
        match phase {
            Some(Phase::Placing) if !placing && position.captures_due() == 0 => {
                self.refuse(Field::Phase, "p, but both hands are empty");
            }
            Some(Phase::Moving) if placing => {
                self.refuse(Field::Phase, "m, but stones are still in hand");
            }
            _ => {}
        }
        let expected = position.action_letter();
        if let Some(action) = action
            && action != expected
        {
            let side = position.to_move();
            let why = match expected {
                'r' => format!("{side} has a capture due"),
                'p' => format!("{side} has stones in hand"),
                _ => format!("{side} has no stones in hand"),
            };
            self.refuse(Field::Action, format!("{action}, but {why}: {expected}"));
        }
        position
    }

    /// A finished game is written with White to move by some programs, whoever is lost.
    fn reconcile_over(&mut self, position: Position, action: Option<char>) -> Position {
        if action.is_some_and(|a| a != '?') {
            self.refuse(Field::Action, "the game is over: ?");
        }
        let over = |p: &Position| matches!(p.outcome(), Some(Outcome::Win { .. }));
        if position.outcome().is_some() {
            return position;
        }
        let other = position.after_null();
        if position.to_move() == Color::White && over(&other) {
            return other;
        }
        self.refuse(Field::Phase, "o, but the game is not over");
        position
    }
}

/// The beginning of a token, so that an error line stays short whatever was sent.
fn clip(text: &str) -> String {
    let mut clipped: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        clipped.push('…');
    }
    clipped
}
