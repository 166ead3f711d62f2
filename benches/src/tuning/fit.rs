//! The regression.

use super::{Sample, WEIGHTS, current};

/// How well weights predict the labels, and what they predict.
#[derive(Clone, Debug)]
pub struct Report {
    /// The fitted weights, in the engine's units.
    pub weights: [f64; WEIGHTS],
    /// Mean squared error on the samples held out, with the engine's weights and the fitted ones.
    pub error: [f64; 2],
    /// Winning chances by value.
    pub chances: Chances,
}

/// The chance to win at a value: `1 / (1 + exp((even - value) / scale))`.
#[derive(Clone, Copy, Debug)]
pub struct Chances {
    /// The value with an even chance to win, in the engine's units.
    pub even: f64,
    /// How fast the chance changes, in the engine's units.
    pub scale: f64,
}

/// One in so many samples is held out.
const HELD_OUT: usize = 10;
/// The search's margins assume that one more of the stones is worth this much after placing.
const STONE: f64 = 100.0;
/// How strongly weights are drawn to where they began: those that few samples speak of stay there.
const PULL: f64 = 2e-7;

/// Fits the weights to the samples by Adam (D. Kingma, J. Ba, 2014).
#[must_use]
pub fn fit(samples: &[Sample], epochs: usize) -> Report {
    let (held_out, used): (Vec<_>, Vec<_>) =
        samples.iter().enumerate().partition(|(i, _)| i % HELD_OUT == 0);
    let strip = |list: Vec<(usize, &Sample)>| -> Vec<Sample> {
        list.into_iter().map(|(_, sample)| sample.clone()).collect()
    };
    let (held_out, used) = (strip(held_out), strip(used));
    let start = current();
    let scale = best_scale(&used, &start);
    let mut weights = start;
    let (mut mean, mut square) = ([0.0; WEIGHTS], [0.0; WEIGHTS]);
    for epoch in 1..=epochs {
        let mut gradient = [0.0; WEIGHTS];
        for sample in &used {
            let p = sigmoid(sample.value(&weights) / scale);
            let slope = (p - f64::from(sample.label)) * p * (1.0 - p);
            for &(i, factor) in &sample.factors {
                gradient[i] += slope * f64::from(factor);
            }
        }
        for i in 0..WEIGHTS {
            let g = gradient[i] / used.len().max(1) as f64 + PULL * (weights[i] - start[i]);
            mean[i] = 0.9 * mean[i] + 0.1 * g;
            square[i] = 0.999 * square[i] + 0.001 * g * g;
            let step = mean[i] / (1.0 - 0.9_f64.powi(epoch as i32));
            let size = (square[i] / (1.0 - 0.999_f64.powi(epoch as i32))).sqrt();
            weights[i] -= step / (size + 1e-9);
        }
    }
    let error = [&start, &weights].map(|w| mean_error(&held_out, w, scale));
    // Five steps from four stones to nine after placing.
    let factor = STONE * 5.0 / (weights[19] - weights[14]).max(1.0);
    weights.iter_mut().for_each(|w| *w *= factor);
    // Only differences between numbers of stones count.
    for table in [0, 10] {
        let base = weights[table + 3];
        weights[table + 3..table + 10].iter_mut().for_each(|w| *w -= base);
    }
    let chances = fit_chances(&used, &weights);
    Report { weights, error, chances }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn mean_error(samples: &[Sample], weights: &[f64; WEIGHTS], scale: f64) -> f64 {
    let sum: f64 = samples
        .iter()
        .map(|s| (sigmoid(s.value(weights) / scale) - f64::from(s.label)).powi(2))
        .sum();
    sum / samples.len().max(1) as f64
}

fn best_scale(samples: &[Sample], weights: &[f64; WEIGHTS]) -> f64 {
    let candidates = (10..400).step_by(5).map(f64::from);
    candidates
        .min_by(|a, b| {
            mean_error(samples, weights, *a).total_cmp(&mean_error(samples, weights, *b))
        })
        .unwrap_or(100.0)
}

/// The likeliest chances by search over a grid; each sample speaks for both sides.
fn fit_chances(samples: &[Sample], weights: &[f64; WEIGHTS]) -> Chances {
    let values: Vec<(f64, f32)> =
        samples.iter().step_by(7).map(|s| (s.value(weights), s.label)).collect();
    let unlikelihood = |even: f64, scale: f64| -> f64 {
        values
            .iter()
            .map(|&(value, label)| {
                let win = sigmoid((value - even) / scale);
                let loss = sigmoid((-value - even) / scale);
                let chance = match label {
                    l if l > 0.75 => win,
                    l if l < 0.25 => loss,
                    _ => 1.0 - win - loss,
                };
                -chance.max(1e-9).ln()
            })
            .sum()
    };
    let mut best = (f64::INFINITY, Chances { even: 100.0, scale: 50.0 });
    for even in (10..400).step_by(5).map(f64::from) {
        for scale in (10..200).step_by(5).map(f64::from) {
            let cost = unlikelihood(even, scale);
            if cost < best.0 {
                best = (cost, Chances { even, scale });
            }
        }
    }
    best.1
}
