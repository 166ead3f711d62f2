//! What the evaluation looks at: counts over one side's stones.

use crate::position::Position;
use crate::types::{Bitboard, Color, closing_slides, closing_slides_of, slides};

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
        } else {
            Self::of_moving([position.flies(color), position.flies(!color)])
        }
    }

    /// The phase of a side when all stones are placed, by whether it flies and whether the other
    /// does.
    #[inline]
    #[must_use]
    pub const fn of_moving(fly: [bool; 2]) -> Self {
        match fly {
            [true, _] => Self::Flying,
            [false, true] => Self::Facing,
            [false, false] => Self::Moving,
        }
    }
}

/// [`Term::DoubleMills`] of a side.
#[inline]
pub(super) fn double_mills(position: &Position, side: Color) -> u32 {
    if !position.slides(side) {
        return 0;
    }
    let stones = position.stones(side);
    let in_mills = stones.in_mills();
    if in_mills.is_empty() {
        return 0;
    }
    closing_slides_of(in_mills, stones, position.empty()).count_ones()
}

/// Counts the terms for the side to move and for the other.
#[must_use]
pub fn counts(position: &Position) -> [Counts; 2] {
    let us = position.to_move();
    [us, !us].map(|side| count(position, side))
}

fn count(position: &Position, side: Color) -> Counts {
    let (own, empty) = (position.stones(side), position.empty());
    let beside_empty = empty.neighbours();
    let lacking_one = own.completing().map(|points| points & empty);
    let closing = if position.slides(side) {
        closing_slides(own, empty).count_ones()
    } else {
        (lacking_one[0] | lacking_one[1]).len()
    };
    let slides = if position.flies(side) { 0 } else { slides(own, empty).count_ones() };
    let is_to_move = side == position.to_move();

    let mut counts = [0; Term::COUNT];
    let mut set = |term: Term, count: u32| counts[term as usize] = count as i32;
    set(Term::Phase, 1);
    set(Term::Mobility, slides);
    set(Term::Blocked, own.without(beside_empty).len());
    set(Term::Mills, own.mill_count());
    set(Term::Swinging, (own.in_mills() & beside_empty).len());
    set(if is_to_move { Term::Closing } else { Term::Threats }, closing);
    set(Term::DoubleMills, double_mills(position, side));
    set(Term::Twos, lacking_one.map(Bitboard::len).iter().sum());
    set(Term::Ones, lines_of_one(own, position.stones(!side)));
    set(Term::Crossings, (own & Bitboard::CROSSINGS).len());
    set(Term::Junctions, (own & Bitboard::MIDPOINTS).without(Bitboard::CROSSINGS).len());
    counts
}

/// The number of lines that hold one stone of `own` and none of `other`.
fn lines_of_one(own: Bitboard, other: Bitboard) -> u32 {
    // Each side is seen from its midpoint, each spoke from its outer end.
    let sides = |set: Bitboard| [set, set.clockwise::<1>(), set.clockwise::<7>()];
    let spokes = |set: Bitboard| [set, set.outwards(), set.inwards()];
    let lines = |[a, b, c]: [Bitboard; 3], others: [Bitboard; 3]| {
        let one = (a ^ b ^ c).without(a & b & c);
        one.without(others[0] | others[1] | others[2]) & Bitboard::MIDPOINTS
    };
    let outer = Bitboard::from_bits(0xFF_0000);
    lines(sides(own), sides(other)).len() + (lines(spokes(own), spokes(other)) & outer).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::each_position;
    use crate::rules::Rules;

    fn fen(text: &str) -> Position {
        Position::from_fen(text, Rules::default()).unwrap()
    }

    /// The number of turns, captures aside, that close a mill.
    fn closing_actions(position: &Position) -> u32 {
        let actions = position.legal_actions();
        actions.iter().filter(|&&a| position.after_part(a).captures_due() > 0).count() as u32
    }

    #[test]
    fn counted_closings_and_mobility_are_those_of_the_move_generator() {
        each_position(Rules::default(), 7, |position| {
            if position.legal_turns().is_empty() {
                return;
            }
            let side = position.to_move();
            let [counts, _] = counts(position);
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
        each_position(Rules::default(), 7, |position| {
            let sides = [position.to_move(), !position.to_move()];
            for (color, counts) in sides.into_iter().zip(counts(position)) {
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
        assert_eq!(counts(&position)[0][Term::DoubleMills as usize], 0);
        let position =
            fen("*OOO****/*O*O**@*/@*@*@*@* w m s 5 0 5 0 0 0 -1 -1 -1 -1 0 0 9 ids:nodes");
        assert_eq!(counts(&position)[0][Term::DoubleMills as usize], 1);
    }
}
