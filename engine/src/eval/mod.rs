//! The static evaluation: a weighted sum of counts for either side.

pub mod features;
mod weights;

use features::{Counts, Phase, Term, counts};

use crate::position::{Position, Setup};
use crate::score::MAX_EVAL;
use crate::types::Color;

/// All stones in hand at the start.
const ALL_HANDS: usize = 2 * Setup::STONES as usize;

/// Weights of the terms while stones are in hand, blended by how many there are.
static PLACING: [Counts; ALL_HANDS + 1] = {
    let mut blended = [[0; Term::COUNT]; ALL_HANDS + 1];
    let mut hands = 0;
    while hands <= ALL_HANDS {
        let mut term = 0;
        while term < Term::COUNT {
            blended[hands][term] = blend(
                weights::TERMS[Phase::Placing as usize][term],
                weights::TERMS[Phase::Moving as usize][term],
                hands,
            );
            term += 1;
        }
        hands += 1;
    }
    blended
};

/// Worth of a side's stones, by stones in both hands and how many it has.
static STONES: [[i32; 10]; ALL_HANDS + 1] = {
    let mut blended = [[0; 10]; ALL_HANDS + 1];
    let mut hands = 0;
    while hands <= ALL_HANDS {
        let mut stones = 0;
        while stones < 10 {
            blended[hands][stones] =
                blend(weights::STONES[0][stones], weights::STONES[1][stones], hands);
            stones += 1;
        }
        hands += 1;
    }
    blended
};

/// `placing` with all stones in hand, `moving` with none, in between a share of each.
const fn blend(placing: i32, moving: i32, hands: usize) -> i32 {
    let all = ALL_HANDS as i32;
    (placing * hands as i32 + moving * (all - hands as i32)) / all
}

/// The weights of the terms for a side.
#[inline]
fn term_weights(position: &Position, color: Color) -> &'static Counts {
    match Phase::of(position, color) {
        Phase::Placing => &PLACING[hands(position)],
        phase => &weights::TERMS[phase as usize],
    }
}

/// Stones in both hands.
#[inline]
fn hands(position: &Position) -> usize {
    Color::ALL.iter().map(|&c| position.hand(c) as usize).sum()
}

/// Worth of a side's stones.
#[inline]
fn stones_value(position: &Position, color: Color) -> i32 {
    STONES[hands(position)][position.total(color) as usize]
}

/// The static value of a position in which the game goes on, in centi-units (100 stand for a
/// winning chance of one half in play of the engine against itself), from the view of the side to
/// move.
#[inline]
#[must_use]
pub fn evaluate(position: &Position) -> i32 {
    let us = position.to_move();
    let [own, other] = counts(position);
    let (own_weights, other_weights) = (term_weights(position, us), term_weights(position, !us));
    let mut value = stones_value(position, us) - stones_value(position, !us);
    for term in 0..Term::COUNT {
        value += own[term] * own_weights[term] - other[term] * other_weights[term];
    }
    value.clamp(-MAX_EVAL, MAX_EVAL)
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
    /// In favour of White, in centi-units.
    pub white: i32,
    /// In favour of Black, in centi-units.
    pub black: i32,
}

/// The static value of a position, term by term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The terms. White's shares less Black's sum to the total.
    pub terms: Vec<Share>,
    /// The value from White's view, in centi-units.
    pub total_white: i32,
}

/// Says how [`evaluate`] comes by its value.
#[must_use]
pub fn explain(position: &Position) -> Explanation {
    let mut counted = counts(position);
    if position.to_move() == Color::Black {
        counted.swap(0, 1);
    }
    let both = Color::ALL.map(|c| (counted[c.index()], term_weights(position, c)));
    let stones = Color::ALL.map(|c| stones_value(position, c));
    let mut terms = vec![Share { name: "stones", white: stones[0], black: stones[1] }];
    terms.extend(Term::ALL.iter().enumerate().map(|(i, term)| {
        let [white, black] = [0, 1].map(|c| both[c].0[i] * both[c].1[i]);
        Share { name: term.name(), white, black }
    }));
    let own = evaluate(position);
    let total_white = if position.to_move() == Color::White { own } else { -own };
    Explanation { terms, total_white }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::types::Symmetry;

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
            assert_eq!(sum, explained.total_white);
        }
    }
}
