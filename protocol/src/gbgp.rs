//! The position text of GBGP: `w:wb4,c4:bd2:2` is side to move, White's stones, Black's stones and
//! the number of the pair of turns.
//!
//! The text does not tell the hands. They follow from the number, since each player places one
//! stone a turn until all nine are placed: with White to move at number n each has placed n − 1,
//! with Black to move White has placed n. A stone on the board has been placed whatever the number
//! says: the protocol's own example, `w:wb4,c4:bd2:2`, shows White one stone ahead of it.

use std::fmt;

use merel_engine::{Bitboard, Color, Point, Position, Rules, Setup};

use crate::text::clip;

/// Why a text is no position of GBGP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GbgpError {
    /// Every reason found, at least one.
    pub reasons: Vec<String>,
}

impl fmt::Display for GbgpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reasons.join("; "))
    }
}

impl std::error::Error for GbgpError {}

/// Reads a position.
///
/// # Errors
/// Every reason found why no game under these rules can stand so.
pub fn parse_position(text: &str, rules: Rules) -> Result<Position, GbgpError> {
    let mut reasons = Vec::new();
    let fields: Vec<&str> = text.split(':').collect();
    let &[side, white, black, number] = fields.as_slice() else {
        reasons.push(format!(
            "{} fields separated by colons; a position has 4: w:wb4,c4:bd2:2",
            fields.len()
        ));
        return Err(GbgpError { reasons });
    };
    let to_move = match side {
        "w" | "W" => Color::White,
        "b" | "B" => Color::Black,
        other => {
            reasons.push(format!("side: '{}' is not w or b", clip(other)));
            Color::White
        }
    };
    let stones = [
        read_stones(Color::White, white, &mut reasons),
        read_stones(Color::Black, black, &mut reasons),
    ];
    let fullmove = match number.parse::<u16>() {
        Ok(n) if n > 0 => n,
        _ => {
            let max = u16::MAX;
            reasons.push(format!("move number: '{}' is not in 1 to {max}", clip(number)));
            return Err(GbgpError { reasons });
        }
    };
    let mut setup = Setup { stones, to_move, fullmove, ..Setup::START };
    let turns = [if to_move == Color::Black { fullmove } else { fullmove - 1 }, fullmove - 1];
    for ((hand, stones), turns) in setup.hands.iter_mut().zip(stones).zip(turns) {
        let placed = turns.max(stones.len() as u16).min(Setup::STONES.into());
        *hand = Setup::STONES.saturating_sub(placed as u8);
    }
    if !reasons.is_empty() {
        return Err(GbgpError { reasons });
    }
    setup.check(rules).map_err(|problems| GbgpError {
        reasons: problems.iter().map(ToString::to_string).collect(),
    })
}

/// Reads the letter of a player and that player's points.
fn read_stones(color: Color, text: &str, reasons: &mut Vec<String>) -> Bitboard {
    let mut stones = Bitboard::EMPTY;
    let Some(points) = text.strip_prefix([color.letter(), color.letter().to_ascii_uppercase()])
    else {
        reasons.push(format!("{color}: '{}' does not begin with {}", clip(text), color.letter()));
        return stones;
    };
    if points.is_empty() {
        return stones;
    }
    for name in points.split(',') {
        match name.parse::<Point>() {
            Ok(point) if stones.contains(point) => {
                reasons.push(format!("{color}: {point} is named twice"));
            }
            Ok(point) => stones |= point.bit(),
            Err(_) => reasons.push(format!("{color}: '{}' is no point of the board", clip(name))),
        }
    }
    stones
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Position, GbgpError> {
        parse_position(text, Rules::default())
    }

    #[test]
    fn hands_follow_from_the_move_number() {
        assert_eq!(read("w:w:b:1"), Ok(Position::start(Rules::default())));
        for (text, hands) in [
            ("b:wb4:b:1", [8, 9]),
            ("w:wb4:bd2:2", [8, 8]),
            ("b:wb4,c4:bd2:2", [7, 8]),
            ("w:wb4,c4:bd2:2", [7, 8]),
            ("b:wa7,d7,g7:bb6,d6:4", [5, 6]),
            ("b:wa7,d7,g7:bb6,d6,f6:9", [0, 1]),
            ("w:wa7,d7,g7:bb6,d6,f6:10", [0, 0]),
            ("W:WA7,D7,G7:BB6,D6,F6:300", [0, 0]),
        ] {
            let position = read(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(Color::ALL.map(|c| position.hand(c)), hands, "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_its_reasons() {
        for (text, part) in [
            ("", "1 fields"),
            ("w:w:b", "3 fields"),
            ("x:w:b:1", "'x' is not w or b"),
            ("w:b:w:1", "'b' does not begin with w"),
            ("w:wb7:b:2", "'b7' is no point"),
            ("w:wa7,:b:2", "'' is no point"),
            ("w:wa7,a7:b:3", "a7 is named twice"),
            ("w:wa7:ba7:2", "a point holds two stones"),
            ("w:wa7,d7,g7,b6,d6,f6,c5,d5,e5,a4:b:9", "at most 9"),
            ("w:w:b:0", "'0' is not in 1 to"),
            ("w:w:b:-1", "'-1' is not in 1 to"),
            ("w:w:b:99999", "is not in 1 to"),
            ("w:w:b:20", "both players have fewer than three"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert_eq!(read("x:wb7:ba7,a7:0").unwrap_err().reasons.len(), 4);
    }
}
