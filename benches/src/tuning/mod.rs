//! Tuning of the evaluation weights by logistic regression on labelled positions (P. Österlund's
//! method, known as Texel tuning).
//!
//! A sample is a line `FEN;label`, the label from White's view: 1 for a win, 0.5, 0. Labels may be
//! results of games or exact values.

mod fit;
mod generate;
mod newton;
mod write;

pub use fit::{Chances, Errors, Report, STONE, fit};
pub use generate::{SelfPlay, generate};
pub use write::source;

use merel_engine::eval::features::{Phase, Term, counts};
use merel_engine::eval::{STONES, TERMS};
use merel_engine::{Color, Position, Rules};

/// The number of weights to tune, in this order: the worth of 0 to 9 stones while placing and
/// afterwards, then the terms by phase.
pub const WEIGHTS: usize = TERMS_FROM + Phase::COUNT * Term::COUNT;
/// Where each part begins.
const PLACING_STONES: usize = 0;
const MOVING_STONES: usize = 10;
const TERMS_FROM: usize = 20;

/// The weights that the engine was built with, in the engine's units.
#[must_use]
pub fn current() -> [f64; WEIGHTS] {
    let mut weights = [0.0; WEIGHTS];
    let all = STONES.as_flattened().iter().chain(TERMS.as_flattened());
    for (weight, &value) in weights.iter_mut().zip(all) {
        *weight = f64::from(value);
    }
    weights
}

/// A labelled position as the evaluation sees it: the value is the sum of weights times factors.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Index of a weight and its factor, in the order of the weights.
    pub factors: Vec<(u8, f32)>,
    /// From the view of the side to move: 1, 0.5 or 0.
    pub label: f32,
}

impl Sample {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(line: &str) -> Result<Self, String> {
        let (fen, label) = line.rsplit_once(';').ok_or_else(|| format!("no label in '{line}'"))?;
        let position = Position::from_fen(fen, Rules::default()).map_err(|e| e.to_string())?;
        let label: f32 = label.trim().parse().map_err(|e| format!("label '{label}': {e}"))?;
        if !(0.0..=1.0).contains(&label) {
            return Err(format!("label {label} is not within 0 to 1"));
        }
        let label = if position.to_move() == Color::White { label } else { 1.0 - label };
        Ok(Self { factors: factors(&position), label })
    }

    /// The value under these weights, from the view of the side to move.
    #[must_use]
    pub fn value(&self, weights: &[f64; WEIGHTS]) -> f64 {
        self.factors.iter().map(|&(i, factor)| weights[usize::from(i)] * f64::from(factor)).sum()
    }
}

fn factors(position: &Position) -> Vec<(u8, f32)> {
    let hands: u8 = Color::ALL.iter().map(|&c| position.hand(c)).sum();
    let placing = f32::from(hands) / 18.0;
    let mut sums = [0.0_f32; WEIGHTS];
    let sides = [(position.to_move(), 1.0), (!position.to_move(), -1.0)];
    for ((color, sign), counted) in sides.into_iter().zip(counts(position)) {
        let stones = position.total(color) as usize;
        sums[PLACING_STONES + stones] += sign * placing;
        sums[MOVING_STONES + stones] += sign * (1.0 - placing);
        let shares = match Phase::of(position, color) {
            phase @ (Phase::Flying | Phase::Facing) => vec![(phase, 1.0)],
            _ => vec![(Phase::Placing, placing), (Phase::Moving, 1.0 - placing)],
        };
        for (phase, share) in shares {
            for (term, &count) in counted.iter().enumerate() {
                sums[TERMS_FROM + phase as usize * Term::COUNT + term] +=
                    sign * share * count as f32;
            }
        }
    }
    (0..).zip(sums).filter(|&(_, factor)| factor != 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use merel_engine::eval::evaluate;

    #[test]
    fn a_sample_has_the_value_that_the_engine_gives() {
        for fen in [
            "OO@@@**O/O*O***O@/@O****O@ b p p 8 1 6 2 0 0 0 0 0 0 0 0 8",
            "***O****/OO@*@*@@/@OOO@*O* w m s 7 0 6 0 0 0 0 0 0 0 0 3 15",
            "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 0 0 0 0 0 0 1",
            "***@*OO*/*O*@*@*O/O****O*@ w m s 6 0 4 0 0 0 0 0 0 0 0 0 1",
        ] {
            let position = Position::from_fen(fen, Rules::default()).unwrap();
            let sample = Sample::parse(&format!("{fen};1")).unwrap();
            let difference = sample.value(&current()) - f64::from(evaluate(&position));
            assert!(difference.abs() <= 1.0, "{fen}: {difference}");
        }
    }

    #[test]
    fn lines_without_a_position_or_a_label_are_refused() {
        let fen = "***@*OO*/*O*@*@*O/O****O*@ w m s 6 0 4 0 0 0 0 0 0 0 0 0 1";
        for line in ["nonsense", "nonsense;1", fen, &format!("{fen};2"), &format!("{fen};NaN")] {
            assert!(Sample::parse(line).is_err(), "{line}");
        }
    }
}
