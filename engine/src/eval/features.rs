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

/// Two sets of points side by side, one in each half of a word: what is counted for one side is
/// counted for the other with the same instructions.
#[derive(Clone, Copy)]
struct Pair(u64);

const ALL: u64 = 0x00FF_FFFF_00FF_FFFF;
const MIDPOINTS: u64 = 0x0055_5555_0055_5555;
const CROSSINGS: u64 = 0x0000_5500_0000_5500;
const INNER_MIDPOINTS: u64 = 0x0000_0055_0000_0055;

impl Pair {
    #[inline]
    fn new(first: Bitboard, second: Bitboard) -> Self {
        Self(u64::from(first.bits()) | u64::from(second.bits()) << 32)
    }

    /// As [`Bitboard::clockwise`].
    #[inline]
    const fn clockwise<const STEPS: u32>(self) -> u64 {
        const LOWEST: u64 = 0x0001_0101_0001_0101;
        let wrapped = (LOWEST << STEPS) - LOWEST;
        (self.0 << STEPS & ALL & !wrapped) | (self.0 >> (8 - STEPS) & wrapped)
    }

    #[inline]
    const fn outwards(self) -> u64 {
        (self.0 << 8 & ALL) | (self.0 >> 16 & 0x0000_00FF_0000_00FF)
    }

    #[inline]
    const fn inwards(self) -> u64 {
        (self.0 >> 8 & 0x0000_FFFF_0000_FFFF) | (self.0 << 16 & 0x00FF_0000_00FF_0000)
    }
}

/// Along the spokes to the next ring outside and inside, where there is one.
#[inline]
const fn along_spokes(points: u64) -> [u64; 2] {
    let spokes = points & MIDPOINTS;
    [spokes << 8 & ALL, spokes >> 8 & 0x0000_FFFF_0000_FFFF]
}

#[inline]
const fn count(points: u64) -> [i32; 2] {
    [(points as u32).count_ones() as i32, ((points >> 32) as u32).count_ones() as i32]
}

/// What the counts of both sides are made of; the side to move is in the low halves.
struct Lines {
    own: Pair,
    /// Empty points whose first or second line lacks only them.
    first: u64,
    second: u64,
    side_mills: Pair,
    spoke_mills: u64,
    in_mills: u64,
    /// Neighbours of empty points, by direction.
    beside_empty: [u64; 4],
    slides: [bool; 2],
}

impl Lines {
    #[inline]
    fn new(position: &Position) -> Self {
        let us = position.to_move();
        let own = Pair::new(position.stones(us), position.stones(!us));
        let empty = Pair::new(position.empty(), position.empty());
        // For each point what stands one step further on its ring.
        let [next, previous] = [own.clockwise::<7>(), own.clockwise::<1>()];
        let around = next & previous & MIDPOINTS;
        let across = own.outwards() & own.inwards() & MIDPOINTS;
        let corners = empty.0 & !MIDPOINTS;
        let side_mills = Pair(around & own.0);
        let spoke_mills = across & own.0;
        let [outer, inner] = along_spokes(empty.0);
        Self {
            own,
            first: (around & empty.0) | (next & own.clockwise::<6>() & corners),
            second: (across & empty.0) | (previous & own.clockwise::<2>() & corners),
            side_mills,
            spoke_mills,
            in_mills: side_mills.0
                | side_mills.clockwise::<1>()
                | side_mills.clockwise::<7>()
                | spoke_mills,
            beside_empty: [empty.clockwise::<1>(), empty.clockwise::<7>(), outer, inner],
            slides: [us, !us].map(|c| position.hand(c) == 0 && position.total(c) != 3),
        }
    }

    /// Slides out of a mill that close another.
    #[inline]
    fn double_mills(&self) -> [i32; 2] {
        let slides = closing_slides(self.in_mills, self.first, self.second);
        [0, 1].map(|i| if self.slides[i] { slides[i] } else { 0 })
    }
}

/// [`Term::DoubleMills`] of the side to move and of the other.
#[inline]
pub(super) fn double_mills(position: &Position) -> [i32; 2] {
    // Both sides at once: `Bitboard::mill_count` for each makes every evaluation a tenth longer.
    let us = position.to_move();
    let own = Pair::new(position.stones(us), position.stones(!us));
    let sides = own.0 & own.clockwise::<1>() & own.clockwise::<7>() & MIDPOINTS;
    let spokes = own.0 & own.0 >> 8 & own.0 >> 16 & INNER_MIDPOINTS;
    if sides | spokes == 0 {
        return [0; 2];
    }
    let lines = Lines::new(position);
    if lines.first | lines.second == 0 { [0; 2] } else { lines.double_mills() }
}

/// Counts the terms for the side to move and for the other.
#[must_use]
pub fn counts(position: &Position) -> [Counts; 2] {
    let us = position.to_move();
    let lines = Lines::new(position);
    let own = lines.own;
    let counts_mobility = [us, !us].map(|c| position.hand(c) > 0 || position.stones(c).len() != 3);
    let mobility = sum(&lines.beside_empty.map(|set| own.0 & set));
    let beside_empty = lines.beside_empty.iter().fold(0, |all, set| all | set);
    let points = count(lines.first | lines.second);
    let slides = closing_slides(own.0, lines.first, lines.second);
    let closing = [0, 1].map(|i| if lines.slides[i] { slides[i] } else { points[i] });

    let mut all = [[0; Term::COUNT]; 2];
    let mut set = |term: Term, [us, them]: [i32; 2]| {
        all[0][term as usize] = us;
        all[1][term as usize] = them;
    };
    set(Term::Phase, [1; 2]);
    set(Term::Mobility, [0, 1].map(|i| if counts_mobility[i] { mobility[i] } else { 0 }));
    set(Term::Blocked, count(own.0 & !beside_empty));
    // A mill on a spoke is seen at its three points; the inner one stands for it.
    set(Term::Mills, sum(&[lines.side_mills.0, lines.spoke_mills & INNER_MIDPOINTS]));
    set(Term::Swinging, count(lines.in_mills & beside_empty));
    set(Term::Closing, [closing[0], 0]);
    set(Term::Threats, [0, closing[1]]);
    set(Term::DoubleMills, lines.double_mills());
    set(Term::Twos, sum(&[lines.first, lines.second]));
    set(Term::Ones, lines_of_one(own, Pair(own.0.rotate_left(32))));
    set(Term::Crossings, count(own.0 & CROSSINGS));
    set(Term::Junctions, count(own.0 & MIDPOINTS & !CROSSINGS));
    all
}

/// Counts over several sets of points.
#[inline]
fn sum(sets: &[u64]) -> [i32; 2] {
    sets.iter().fold([0; 2], |[a, b], &set| {
        let [x, y] = count(set);
        [a + x, b + y]
    })
}

/// The number of slides that close a mill: on `first` and `second` lie the empty points whose
/// first or second line lacks only them; the stone must come from a neighbour on the other line.
#[inline]
fn closing_slides(movers: u64, first: u64, second: u64) -> [i32; 2] {
    let movers = Pair(movers);
    let next = movers.clockwise::<7>(); // points whose clockwise neighbour is a mover
    let previous = movers.clockwise::<1>();
    let [outer, inner] = along_spokes(movers.0);
    // The first line of a midpoint is its ring side, so the mover comes along the spoke; that of a
    // corner runs clockwise, so the mover comes from the point before.
    let (ways_a, ways_b) = (
        (first & MIDPOINTS & outer) | (first & !MIDPOINTS & previous),
        (first & MIDPOINTS & inner) | (second & !MIDPOINTS & next),
    );
    let ways = [ways_a, ways_b, second & MIDPOINTS & next, second & MIDPOINTS & previous];
    // Seldom any; counting takes longer than to see that.
    if ways.iter().fold(0, |all, set| all | set) == 0 { [0; 2] } else { sum(&ways) }
}

/// The number of lines that hold one stone of `own` and none of `other`.
#[inline]
fn lines_of_one(own: Pair, other: Pair) -> [i32; 2] {
    let exactly_one = |a: u64, b: u64, c: u64| (a ^ b ^ c) & !(a & b & c);
    let (s, o) = (own.0, other.0);
    let sides = exactly_one(s, own.clockwise::<1>(), own.clockwise::<7>())
        & !(o | other.clockwise::<1>() | other.clockwise::<7>())
        & MIDPOINTS;
    let spokes = exactly_one(s, s >> 8, s >> 16) & !(o | o >> 8 | o >> 16) & INNER_MIDPOINTS;
    // The spokes are counted on the odd bits, which the sides leave free.
    count(sides | spokes << 1)
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
