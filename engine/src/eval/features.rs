//! What the evaluation looks at: counts over one side's stones.

use crate::position::Position;
use crate::types::{Bitboard, Color};

/// Declares the terms once: their order, names and meaning.
macro_rules! terms {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal),+ $(,)?) => {
        /// A count that the evaluation weighs, for one side.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum Term { $($(#[doc = $doc])+ $name),+ }

        impl Term {
            /// How many terms there are.
            pub const COUNT: usize = [$(Self::$name),+].len();
            /// All terms, in the order of the weights.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$name),+];

            /// A short name for people.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }
        }
    };
}

terms! {
    /// One for each side: the worth of being in the phase at all (flying, above all).
    Phase = "phase",
    /// Slides along a line to an empty point, were it the side's turn. For a flying side: none.
    Mobility = "mobility",
    /// Stones without an empty neighbour.
    Blocked = "blocked stones",
    /// Closed mills.
    Mills = "closed mills",
    /// Stones of closed mills that can step out, to close the mill again the turn after.
    Swinging = "swinging mills",
    /// Ways to close a mill in one action, for the side that is not to move: a threat.
    Threats = "threats to close",
    /// Ways to close a mill in one action, for the side to move.
    Closing = "closing now",
    /// Slides that open one mill and close another ("Zwickmühle").
    DoubleMills = "double mills",
    /// Lines with two stones and an empty point.
    Twos = "lines of two",
    /// Lines with one stone and two empty points.
    Ones = "lines of one",
    /// Stones on the four points with four neighbours.
    Crossings = "crossings",
    /// Stones on the eight points with three neighbours.
    Junctions = "junctions",
}

/// The counts of one side, in the order of [`Term::ALL`].
pub type Counts = [i32; Term::COUNT];

/// Where a side is in the game, which decides how much each term weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Phase {
    /// Somebody has stones in hand; blends into `Moving` as the hands empty.
    Placing,
    /// Nobody flies.
    Moving,
    /// This side flies.
    Flying,
    /// Only the other side flies.
    Facing,
}

impl Phase {
    /// How many there are.
    pub const COUNT: usize = 4;

    /// The phase of a side.
    #[inline]
    #[must_use]
    pub fn of(position: &Position, color: Color) -> Self {
        if position.is_placing() {
            Self::Placing
        } else if position.flies(color) {
            Self::Flying
        } else if position.flies(!color) {
            Self::Facing
        } else {
            Self::Moving
        }
    }
}

const CROSSINGS: u32 = 0x0000_5500;

/// Counts the terms for `color`.
#[inline]
#[must_use]
pub fn counts(position: &Position, color: Color) -> Counts {
    let own = position.stones(color);
    let other = position.stones(!color);
    let empty = position.empty();
    let slides = position.hand(color) == 0 && own.len() != 3;
    let in_mills = own.in_mills();
    let beside_empty = empty.neighbours();
    let [first, second] = own.completing();
    let (first, second) = (first & empty, second & empty);
    let (closing, double_mills) = if slides {
        let from = closing_slides(own, first, second);
        let opening = closing_slides(in_mills, first, second);
        (from, opening)
    } else {
        ((first | second).len(), 0)
    };
    let to_move = position.to_move() == color;

    let mut counts = [0; Term::COUNT];
    let mut set = |term: Term, count: u32| counts[term as usize] = count as i32;
    set(Term::Phase, 1);
    set(Term::Mobility, if position.hand(color) > 0 || slides { mobility(own, empty) } else { 0 });
    set(Term::Blocked, own.without(beside_empty).len());
    set(Term::Mills, own.mill_count());
    set(Term::Swinging, (in_mills & beside_empty).len());
    set(Term::Threats, if to_move { 0 } else { closing });
    set(Term::Closing, if to_move { closing } else { 0 });
    set(Term::DoubleMills, double_mills);
    set(Term::Twos, first.len() + second.len());
    set(Term::Ones, lines_of_one(own, other));
    set(Term::Crossings, (own & Bitboard::from_bits(CROSSINGS)).len());
    set(Term::Junctions, (own & Bitboard::MIDPOINTS.without(Bitboard::from_bits(CROSSINGS))).len());
    counts
}

/// The number of slides from a stone of `own` to a point of `empty`.
#[inline]
fn mobility(own: Bitboard, empty: Bitboard) -> u32 {
    let spokes = empty.bits() & Bitboard::MIDPOINTS.bits();
    let along = |turned: Bitboard| (own & turned).len();
    along(empty.clockwise::<1>())
        + along(empty.clockwise::<7>())
        + along(Bitboard::from_bits(spokes << 8))
        + along(Bitboard::from_bits(spokes >> 8))
}

/// The number of slides that close a mill: on `first` and `second` lie the empty points whose
/// first or second line lacks only them; the stone must come from a neighbour on the other line.
#[inline]
fn closing_slides(movers: Bitboard, first: Bitboard, second: Bitboard) -> u32 {
    let mid = Bitboard::MIDPOINTS;
    let next = movers.clockwise::<7>(); // points whose clockwise neighbour is a mover
    let previous = movers.clockwise::<1>();
    let spokes = (movers & mid).bits();
    let inner = Bitboard::from_bits(spokes << 8);
    let outer = Bitboard::from_bits(spokes >> 8);
    // The first line of a midpoint is its ring side, so the mover comes along the spoke; that of a
    // corner runs clockwise, so the mover comes from the point before.
    (first & mid & inner).len()
        + (first & mid & outer).len()
        + (second & mid & next).len()
        + (second & mid & previous).len()
        + (first.without(mid) & previous).len()
        + (second.without(mid) & next).len()
}

/// The number of lines that hold one stone of `own` and none of `other`.
#[inline]
fn lines_of_one(own: Bitboard, other: Bitboard) -> u32 {
    let exactly_one = |a: u32, b: u32, c: u32| (a ^ b ^ c) & !(a & b & c);
    let (s, o) = (own.bits(), other.bits());
    let sides = exactly_one(s, own.clockwise::<1>().bits(), own.clockwise::<7>().bits())
        & !(o | other.clockwise::<1>().bits() | other.clockwise::<7>().bits())
        & Bitboard::MIDPOINTS.bits();
    let spokes = exactly_one(s, s >> 8, s >> 16) & !(o | o >> 8 | o >> 16) & 0x55;
    // The spokes are counted on the odd bits, which the sides leave free.
    (sides | spokes << 1).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn fen(text: &str) -> Position {
        Position::from_fen(text, Rules::default()).unwrap()
    }

    /// The number of turns, captures aside, that close a mill.
    fn closing_actions(position: &Position) -> u32 {
        let actions = position.legal_actions();
        actions.iter().filter(|&&a| position.after_part(a).captures_due() > 0).count() as u32
    }

    fn walk(mut visit: impl FnMut(&Position)) {
        let mut state = 7_u64;
        for _ in 0..300 {
            let mut position = Position::start(Rules::default());
            for _ in 0..80 {
                let turns = position.legal_turns();
                if turns.is_empty() {
                    break;
                }
                let random;
                (state, random) = crate::position::split_mix(state);
                position = position.after(turns[(random % turns.len() as u64) as usize]);
                visit(&position);
            }
        }
    }

    #[test]
    fn counted_closings_and_mobility_are_those_of_the_move_generator() {
        walk(|position| {
            if position.legal_turns().is_empty() {
                return;
            }
            let side = position.to_move();
            let counts = counts(position, side);
            let closing = closing_actions(position);
            if position.flies(side) {
                // Each closing point has one stone too many: the two of the line and the flyer.
                assert_eq!(counts[Term::Closing as usize] > 0, closing > 0, "{}", position.fen());
            } else {
                assert_eq!(counts[Term::Closing as usize] as u32, closing, "{}", position.fen());
            }
            if position.hand(side) == 0 && !position.flies(side) {
                let actions = position.legal_actions().len();
                assert_eq!(counts[Term::Mobility as usize] as usize, actions);
            }
        });
    }

    #[test]
    fn lines_of_one_and_two_agree_with_a_count_over_the_lines() {
        walk(|position| {
            for color in Color::ALL {
                let (own, other) = (position.stones(color), position.stones(!color));
                let mut found = [0; 4];
                for p in crate::types::Point::all() {
                    for line in p.line_partners().map(|l| l | p.bit()) {
                        // Count each line at its first point.
                        if line.first() == Some(p) && (line & other).is_empty() {
                            found[(line & own).len() as usize] += 1;
                        }
                    }
                }
                let counts = counts(position, color);
                assert_eq!(counts[Term::Ones as usize], found[1]);
                assert_eq!(counts[Term::Twos as usize], found[2]);
                assert_eq!(counts[Term::Mills as usize], found[3]);
            }
        });
    }

    #[test]
    fn a_double_mill_is_seen() {
        // White's e4 swings between the mills e3-e4-e5 and f4's line f2-f4-f6.
        let position =
            fen("*OOO****/**@*O*@O/@*@*@*@* w m s 5 0 6 0 0 0 -1 -1 -1 -1 0 0 9 ids:nodes");
        assert_eq!(counts(&position, Color::White)[Term::DoubleMills as usize], 0);
        let position =
            fen("*OOO****/*O*O**@*/@*@*@*@* w m s 5 0 5 0 0 0 -1 -1 -1 -1 0 0 9 ids:nodes");
        assert_eq!(counts(&position, Color::White)[Term::DoubleMills as usize], 1);
    }
}
