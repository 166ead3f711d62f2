//! The static evaluation: a weighted sum of counts for either side.

pub mod features;
mod patterns;
mod weights;

use std::ops::{Add, Mul, Sub};

use features::{Phase, Term, counts, double_mills};
pub use weights::{STONES, TERMS};

use crate::position::{Position, Setup};
use crate::score::MAX_EVAL;
use crate::types::Color;

/// Adds up the patterns, which the first evaluation would otherwise wait for.
pub(crate) fn prepare() {
    patterns::prepare();
}

/// All stones in hand at the start.
const ALL_HANDS: i32 = 2 * Setup::STONES as i32;

/// A sum of weights as it is with all stones in hand and with none, added up in one number: the
/// first in the low half, the second in the high half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Blend(i32);

impl Blend {
    const fn new(placing: i32, moving: i32) -> Self {
        Self(placing + (moving << 16))
    }

    /// What it comes to with so many stones in both hands.
    #[inline]
    const fn at(self, hands: i32) -> i32 {
        let placing = self.0 as i16 as i32;
        // A negative low half has borrowed one from the high half.
        let moving = (self.0 - placing) >> 16;
        (placing * hands + moving * (ALL_HANDS - hands)) / ALL_HANDS
    }
}

impl Add for Blend {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
}

impl Sub for Blend {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }
}

impl Mul<i32> for Blend {
    type Output = Self;
    #[inline]
    fn mul(self, factor: i32) -> Self {
        Self(self.0.wrapping_mul(factor))
    }
}

/// The weight of a term for a side that is in this phase. Away from flying it is a blend.
#[inline]
const fn weight(phase: Phase, term: Term) -> Blend {
    let moving = TERMS[phase as usize][term as usize];
    match phase {
        Phase::Placing | Phase::Moving => Blend::new(
            TERMS[Phase::Placing as usize][term as usize],
            TERMS[Phase::Moving as usize][term as usize],
        ),
        Phase::Flying | Phase::Facing => Blend::new(moving, moving),
    }
}

/// Worth of so many stones on the board and in hand.
#[inline]
fn stones_worth(stones: u32) -> Blend {
    let [placing, moving] = STONES;
    Blend::new(placing[stones as usize], moving[stones as usize])
}

/// Stones in both hands.
#[inline]
fn hands(position: &Position) -> i32 {
    i32::from(position.hand(Color::White)) + i32::from(position.hand(Color::Black))
}

/// The static value of a position in which the game goes on, in the engine's units (a stone is
/// worth about 100; [`centi`] turns them into what protocols print), from the view of the side to
/// move.
#[inline]
#[must_use]
pub fn evaluate(position: &Position) -> i32 {
    assess(position).value
}

/// What a look at a position shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Assessment {
    /// As [`evaluate`] gives it.
    pub value: i32,
    /// Whether there are points where a mill could be closed in one action, for the side to move
    /// and for the other, were it its turn: where that was seen on the way.
    pub closes: [Option<bool>; 2],
}

/// As [`evaluate`], with what else is seen.
#[inline]
#[must_use]
pub(crate) fn assess(position: &Position) -> Assessment {
    let totals = sides(position).map(|c| position.total(c));
    if position.is_placing() {
        assess_placing(position)
    } else if totals[0] > 3 && totals[1] > 3 {
        assess_moving(position, [false; 2])
    } else {
        assess_flying(position)
    }
}

/// The players, the one to move first.
#[inline]
fn sides(position: &Position) -> [Color; 2] {
    [position.to_move(), !position.to_move()]
}

/// The sum over all terms of both sides, term by term: right for every position.
fn plain_sum(position: &Position) -> Blend {
    let (sides, counts) = (sides(position), counts(position));
    let [own, other] = [0, 1].map(|i| {
        let phase = Phase::of(position, sides[i]);
        let counts = counts[i];
        Term::ALL.iter().fold(stones_worth(position.total(sides[i])), |sum, &term| {
            sum + weight(phase, term) * counts[term as usize]
        })
    });
    own - other
}

/// Of a position with all stones placed, by way of tables, by whether each player flies.
#[inline(always)]
fn assess_moving(position: &Position, fly: [bool; 2]) -> Assessment {
    let sides = sides(position);
    let [ours, theirs] = sides.map(|c| STONES[1][position.total(c) as usize]);
    let parts = patterns::moving(fly, sides.map(|c| position.stones(c)));
    let mut value = parts.worth() + ours - theirs;
    if fly != [false; 2] {
        value += side_worth(fly, Term::Phase) - side_worth([fly[1], fly[0]], Term::Phase);
    }
    let closes = parts.closes().map(Some);
    if parts.may_swing() {
        return with_double_mills(position, fly, Assessment { value, closes });
    }
    Assessment { value: value.clamp(-MAX_EVAL, MAX_EVAL), closes }
}

/// The same where somebody flies: apart, for few positions are like this.
#[inline(never)]
fn assess_flying(position: &Position) -> Assessment {
    assess_moving(position, sides(position).map(|c| position.total(c) == 3))
}

/// Adds the worth of double mills.
#[inline(never)]
fn with_double_mills(position: &Position, fly: [bool; 2], seen: Assessment) -> Assessment {
    let [ours, theirs] = sides(position).map(|c| double_mills(position, c) as i32);
    let value = seen.value + side_worth(fly, Term::DoubleMills) * ours
        - side_worth([fly[1], fly[0]], Term::DoubleMills) * theirs;
    Assessment { value: value.clamp(-MAX_EVAL, MAX_EVAL), ..seen }
}

/// The weight of a term for a side when all stones are placed, by whether it flies, and the other.
#[inline]
const fn side_worth(fly: [bool; 2], term: Term) -> i32 {
    TERMS[Phase::of_moving(fly) as usize][term as usize]
}

/// The worth of a double mill for a side that does not fly.
const DOUBLE_MILL: Blend = weight(Phase::Moving, Term::DoubleMills);

/// Of a position in which somebody has stones in hand: by way of tables, unless somebody flies.
#[inline(never)]
fn assess_placing(position: &Position) -> Assessment {
    let sides = sides(position);
    let slide = sides.map(|c| position.hand(c) == 0);
    let sum = if sides.iter().any(|&c| position.flies(c)) {
        plain_sum(position)
    } else {
        let parts = patterns::placing(slide, sides.map(|c| position.stones(c)));
        let [ours, theirs] = sides.map(|c| stones_worth(position.total(c)));
        let mut sum = parts + ours - theirs;
        if slide[0] || slide[1] {
            let [ours, theirs] = sides.map(|c| double_mills(position, c) as i32);
            sum = sum + DOUBLE_MILL * (ours - theirs);
        }
        sum
    };
    Assessment { value: sum.at(hands(position)).clamp(-MAX_EVAL, MAX_EVAL), closes: [None; 2] }
}

/// A value as people and protocols see it, in hundredths: at 100 the chance to win is one half in
/// play of the engine against itself.
#[must_use]
pub fn centi(value: i32) -> i32 {
    (f64::from(value) * 100.0 / weights::EVEN_CHANCE).round() as i32
}

/// Chances of the side to move at this value, per mille: win, draw, loss; they sum to 1000. The
/// shape is a logistic curve on either side, fitted to games of the engine against itself.
#[must_use]
pub fn wdl(value: i32) -> [u32; 3] {
    let chance = |value: i32| {
        let x = (f64::from(value) - weights::EVEN_CHANCE) / weights::CHANCE_SCALE;
        (1000.0 / (1.0 + (-x).exp())).round() as u32
    };
    let (win, loss) = (chance(value), chance(-value));
    [win, 1000 - win - loss, loss]
}

/// One line of [`Explanation`]: the share of a term in the value, for White and for Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// What is counted.
    pub name: &'static str,
    /// In favour of White, in hundredths as [`centi`] gives them.
    pub white: i32,
    /// In favour of Black, likewise.
    pub black: i32,
}

/// The static value of a position, term by term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The terms. White's shares less Black's sum to the total, but for
    /// the rounding of each.
    pub terms: Vec<Share>,
    /// The value from White's view, likewise.
    pub total_white: i32,
}

/// Says how [`evaluate`] comes by its value.
#[must_use]
pub fn explain(position: &Position) -> Explanation {
    let mut counted = counts(position);
    if position.to_move() == Color::Black {
        counted.swap(0, 1);
    }
    let hands = hands(position);
    let stones = Color::ALL.map(|c| centi(stones_worth(position.total(c)).at(hands)));
    let mut terms = vec![Share { name: "stones", white: stones[0], black: stones[1] }];
    terms.extend(Term::ALL.iter().map(|&term| {
        let [white, black] = Color::ALL.map(|c| {
            let worth = weight(Phase::of(position, c), term);
            centi((worth * counted[c.index()][term as usize]).at(hands))
        });
        Share { name: term.name(), white, black }
    }));
    let own = centi(evaluate(position));
    let total_white = if position.to_move() == Color::White { own } else { -own };
    Explanation { terms, total_white }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::each_position;
    use crate::rules::Rules;
    use crate::types::Symmetry;

    #[test]
    fn the_tables_give_the_same_sum_as_the_terms_one_by_one() {
        let mut compared = 0;
        each_position(Rules::default(), 3, |position| {
            compared += usize::from(Color::ALL.into_iter().all(|c| !position.flies(c)));
            let value = plain_sum(position).at(hands(position)).clamp(-MAX_EVAL, MAX_EVAL);
            let seen = assess(position);
            assert_eq!(seen.value, value, "{}", position.fen());
            for (side, closes) in sides(position).into_iter().zip(seen.closes) {
                let points = position.closing_points(side);
                assert!(closes.is_none_or(|closes| closes == points.any()), "{}", position.fen());
                assert_eq!(closes.is_none(), position.is_placing());
            }
        });
        assert!(compared > 5000);
    }

    #[test]
    fn the_value_is_the_same_for_either_colour_and_under_every_symmetry() {
        for fen in [
            "OO@@@**O/O*O***O@/@O****O@ b p p 8 1 6 2 0 0 0 0 0 0 0 0 8",
            "***O****/OO@*@*@@/@OOO@*O* w m s 7 0 6 0 0 0 0 0 0 0 0 3 15",
            "O*@*****/O*@*****/*@****** b m s 2 0 3 0 0 0 0 0 0 0 0 0 1",
            "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 0 0 0 0 0 0 1",
        ] {
            let position = Position::from_fen(fen, Rules::default()).unwrap();
            let value = evaluate(&position);
            assert_eq!(evaluate(&position.flipped()), value);
            for symmetry in Symmetry::all() {
                assert_eq!(evaluate(&position.transformed(symmetry)), value);
            }
            let explained = explain(&position);
            let sum: i32 = explained.terms.iter().map(|t| t.white - t.black).sum();
            assert!((sum - explained.total_white).abs() <= 2 * Term::COUNT as i32);
        }
    }
}
