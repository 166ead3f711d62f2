//! What one byte says of a position while its pair is being solved.

/// A draw, in finished values; while solving, a position that a capture keeps from being lost.
pub const DRAW: u8 = 255;

/// The meaning of a byte while a pair is being solved.
///
/// - Below `zero`: decided in that many plies; even is lost, odd is won, from the view of the side
///   to move. A win through a capture stands from the beginning and gives way to a shorter one.
/// - `zero` to 254: undecided, with `code − zero` quiet turns that do not lose as far as known, and
///   no capture that does better than lose.
/// - [`DRAW`]: undecided, and a capture draws, so it cannot be lost.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    zero: u8,
}

impl Codes {
    /// Codes that can count up to `most_turns` quiet turns.
    pub const fn counting(most_turns: u8) -> Self {
        Self { zero: DRAW - 1 - most_turns }
    }

    /// No quiet turn is left that does not lose.
    #[inline]
    pub const fn zero(self) -> u8 {
        self.zero
    }

    /// The code of a position with so many quiet turns still open.
    #[inline]
    pub const fn open(self, turns: u8) -> u8 {
        self.zero + turns
    }

    /// Whether a position with this code has a value.
    #[inline]
    pub const fn is_decided(self, code: u8) -> bool {
        code < self.zero
    }

    /// Whether one turn less would change this code.
    #[inline]
    pub const fn counts(self, code: u8) -> bool {
        code > self.zero && code != DRAW
    }
}
