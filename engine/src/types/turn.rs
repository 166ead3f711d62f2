//! Turns: one action and the captures it earns.

use std::fmt;
use std::num::NonZeroU32;

use super::{Bitboard, Point};

/// A whole turn: one action together with its captures, or, where a capture is already due, only
/// the captures. Whether it is legal depends on the position.
///
/// Four fields of five bits each hold a point's number plus one, or 0 for none: from, to, first
/// and second capture. Never all zero, so `Option<Turn>` is four bytes as well.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Turn(NonZeroU32);

const _: () = assert!(size_of::<Option<Turn>>() == 4);

/// What a turn does before its captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Puts a stone from the hand on a point.
    Place(Point),
    /// Slides or flies a stone from the first point to the second.
    Move(Point, Point),
    /// Nothing: the mill was closed before, only the captures due are left to make.
    CaptureOnly,
}

const FIELD: u32 = Turn::FIELD_VALUES as u32 - 1;
const FROM: u32 = 0;
const TO: u32 = 5;
const FIRST: u32 = 10;
const SECOND: u32 = 15;

impl Turn {
    /// How many bits [`Self::to_bits`] uses.
    pub const BITS: u32 = 20;
    /// How many of them, the lowest, tell the action without the captures.
    pub const ACTION_BITS: u32 = FIRST;

    /// How many values a field of five bits has.
    pub(crate) const FIELD_VALUES: usize = 32;

    #[inline]
    const fn field(point: Option<Point>, shift: u32) -> u32 {
        match point {
            Some(p) => (p.index() as u32 + 1) << shift,
            None => 0,
        }
    }

    #[inline]
    const fn get(self, shift: u32) -> Option<Point> {
        // A zero field wraps to a number beyond the board.
        Point::new(((self.0.get() >> shift & FIELD) as u8).wrapping_sub(1))
    }

    #[inline]
    const fn build(bits: u32) -> Self {
        match NonZeroU32::new(bits) {
            Some(bits) => Self(bits),
            None => panic!("a turn does something"),
        }
    }

    /// Places a stone.
    #[inline]
    #[must_use]
    pub const fn place(to: Point) -> Self {
        Self::build(Self::field(Some(to), TO))
    }

    /// Slides or flies a stone.
    #[inline]
    #[must_use]
    pub const fn step(from: Point, to: Point) -> Self {
        Self::build(Self::field(Some(from), FROM) | Self::field(Some(to), TO))
    }

    /// Makes a capture that was due.
    #[inline]
    #[must_use]
    pub const fn capture_only(captured: Point) -> Self {
        Self::build(Self::field(Some(captured), FIRST))
    }

    /// The same turn with one more capture at its end.
    ///
    /// # Panics
    /// If it has two already: no rule gives three.
    #[inline]
    #[must_use]
    pub const fn with_capture(self, captured: Point) -> Self {
        let bits = self.0.get();
        if bits >> FIRST & FIELD == 0 {
            Self::build(bits | Self::field(Some(captured), FIRST))
        } else {
            assert!(bits >> SECOND & FIELD == 0, "a turn has at most two captures");
            Self::build(bits | Self::field(Some(captured), SECOND))
        }
    }

    /// These captures, earned by an action if there is one.
    #[inline]
    #[must_use]
    pub(crate) fn joined_to(self, action: Option<Self>) -> Self {
        debug_assert!(self.to().is_none() && action.is_none_or(|action| !action.is_capture()));
        Self(self.0 | action.map_or(0, Self::to_bits))
    }

    /// The turn without its captures, or `None` when it is nothing but captures.
    #[inline]
    #[must_use]
    pub const fn without_captures(self) -> Option<Self> {
        match NonZeroU32::new(self.0.get() & (FIELD << FROM | FIELD << TO)) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }

    /// What is done before the captures.
    #[inline]
    #[must_use]
    pub const fn action(self) -> Action {
        match (self.from(), self.to()) {
            (Some(from), Some(to)) => Action::Move(from, to),
            (None, Some(to)) => Action::Place(to),
            _ => Action::CaptureOnly,
        }
    }

    /// The point a stone leaves, when the turn slides or flies.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Option<Point> {
        self.get(FROM)
    }

    /// The point a stone comes to; `None` when the turn is only captures.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Option<Point> {
        self.get(TO)
    }

    /// The captured points in order; the second is `None` where the first is.
    #[inline]
    #[must_use]
    pub const fn captures(self) -> [Option<Point>; 2] {
        [self.get(FIRST), self.get(SECOND)]
    }

    /// The points of [`Self::from`], [`Self::to`] and [`Self::captures`] as they are written: the
    /// number of the point plus one, or 0 for none. At most 31.
    #[inline]
    pub(crate) const fn fields(self) -> [usize; 4] {
        let bits = self.0.get() as usize;
        let field = FIELD as usize;
        [bits >> FROM & field, bits >> TO & field, bits >> FIRST & field, bits >> SECOND & field]
    }

    /// The point of one of [`Self::fields`] as a set.
    #[inline]
    const fn field_set(field: usize) -> Bitboard {
        Bitboard::from_bits(1 << field >> 1)
    }

    /// The points a stone leaves and comes to.
    #[inline]
    pub(crate) const fn action_set(self) -> Bitboard {
        let [from, to, ..] = self.fields();
        Bitboard::from_bits(Self::field_set(from).bits() | Self::field_set(to).bits())
    }

    /// The captured points, each as a set of at most one.
    #[inline]
    pub(crate) const fn capture_sets(self) -> [Bitboard; 2] {
        let [.., first, second] = self.fields();
        [Self::field_set(first), Self::field_set(second)]
    }

    /// Whether the turn puts a stone from the hand on the board.
    #[inline]
    #[must_use]
    pub const fn is_placement(self) -> bool {
        let [from, to, ..] = self.fields();
        from == 0 && to != 0
    }

    /// Whether the turn slides or flies a stone and captures nothing.
    #[inline]
    #[must_use]
    pub const fn is_quiet_move(self) -> bool {
        let [from, ..] = self.fields();
        from != 0 && !self.is_capture()
    }

    /// Whether the turn captures anything.
    #[inline]
    #[must_use]
    pub const fn is_capture(self) -> bool {
        self.0.get() >> FIRST != 0
    }

    /// The turn as [`Self::BITS`] bits, never 0.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u32 {
        self.0.get()
    }

    /// The turn from what [`Self::to_bits`] gave. Any other number gives `None` or a turn that no
    /// position allows, so a caller checks legality before use.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Self> {
        // A field beyond 24 has both its high bits set and any of the lower three.
        const EACH: u32 = 1 << FROM | 1 << TO | 1 << FIRST | 1 << SECOND;
        let high = bits >> 3 & bits >> 4 & EACH;
        let low = (bits | bits >> 1 | bits >> 2) & EACH;
        if high & low != 0 || bits >> Self::BITS != 0 {
            return None;
        }
        match NonZeroU32::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }
}

/// The notation of the field: `a7`, `a7-a4`, `d6xb4`, `d6xb4xc3`, `xb4`.
impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.action() {
            Action::Place(to) => write!(f, "{to}")?,
            Action::Move(from, to) => write!(f, "{from}-{to}")?,
            Action::CaptureOnly => {}
        }
        for captured in self.captures().into_iter().flatten() {
            write!(f, "x{captured}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_gives_back_what_it_was_made_of() {
        let [a, b, c, d] = [0, 23, 7, 16].map(Point::from_index);
        let turn = Turn::step(a, b).with_capture(c).with_capture(d);
        assert_eq!(turn.action(), Action::Move(a, b));
        assert_eq!(turn.captures(), [Some(c), Some(d)]);
        assert_eq!(turn.without_captures(), Some(Turn::step(a, b)));
        assert_eq!(Turn::from_bits(turn.to_bits()), Some(turn));
        assert_eq!(turn.to_string(), "d5-a7xc5xd7");
        let rest = Turn::capture_only(a);
        assert_eq!(rest.action(), Action::CaptureOnly);
        assert_eq!(rest.without_captures(), None);
        assert_eq!(rest.to_string(), "xd5");
        assert!(rest.is_capture() && !Turn::place(a).is_capture());
    }
}
