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
        (code > self.zero) & (code != DRAW)
    }
}

/// What a level does to the positions that lead to one of its own.
pub trait Change: Copy {
    /// The new code of a position, and whether it is new at [`Self::reached`].
    fn apply(self, code: u8) -> (u8, bool);
    /// The same for a position that leads to so many of the level, at most as many as it has quiet
    /// turns; and 1 for whether it is new there, otherwise 0.
    fn apply_often(self, code: u8, times: u8) -> (u8, u8);
    /// The code that the level leads to.
    fn reached(self) -> u8;
}

/// A turn to a lost position wins, in so many plies.
#[derive(Clone, Copy, Debug)]
pub struct Wins(pub u8);

impl Change for Wins {
    #[inline(always)]
    fn apply(self, code: u8) -> (u8, bool) {
        (code.min(self.0), code > self.0)
    }

    #[inline(always)]
    fn apply_often(self, code: u8, times: u8) -> (u8, u8) {
        let is_new = u8::from(code > self.0) & u8::from(times != 0);
        (if is_new != 0 { self.0 } else { code }, is_new)
    }

    #[inline(always)]
    fn reached(self) -> u8 {
        self.0
    }
}

/// A turn to a won position is one turn less that holds.
#[derive(Clone, Copy, Debug)]
pub struct Turns(pub Codes);

impl Change for Turns {
    #[inline(always)]
    fn apply(self, code: u8) -> (u8, bool) {
        let counts = self.0.counts(code);
        let code = code - u8::from(counts);
        (code, counts & (code == self.0.zero))
    }

    #[inline(always)]
    fn apply_often(self, code: u8, times: u8) -> (u8, u8) {
        let less = if self.0.counts(code) { times } else { 0 };
        let code = code.wrapping_sub(less);
        (code, u8::from(less != 0) & u8::from(code == self.0.zero))
    }

    #[inline(always)]
    fn reached(self) -> u8 {
        self.0.zero
    }
}
