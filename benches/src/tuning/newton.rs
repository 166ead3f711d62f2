//! Newton's method for logistic regression: the objective is convex, so it ends at the one minimum.

use super::fit::{sigmoid, surprise};
use super::{Sample, WEIGHTS};

/// What is to be as small as possible: the cross-entropy of labels and predictions, summed over
/// the samples, plus a pull towards the start.
pub struct Objective<'a> {
    /// The samples.
    pub samples: &'a [&'a Sample],
    /// Where the weights are drawn to.
    pub start: &'a [f64; WEIGHTS],
    /// Units that change the odds by the factor e.
    pub scale: f64,
    /// How strongly they are drawn: this times half the squared distance, each.
    pub pull: f64,
}

type Vector = [f64; WEIGHTS];
type Matrix = Box<[Vector; WEIGHTS]>;

/// How little a step may gain before the search for the minimum ends, relative to the whole.
const ENOUGH: f64 = 1e-9;

/// The best weights, in so many steps at most.
pub fn minimize(objective: &Objective, steps: usize) -> Vector {
    let mut weights = *objective.start;
    let mut cost = objective.cost(&weights);
    for _ in 0..steps {
        let (gradient, hessian) = objective.derivatives(&weights);
        let direction = solve(hessian, gradient);
        // The full step nearly always gains; where it does not, a part of it does.
        let mut length = 1.0;
        let (next, next_cost) = loop {
            let mut next = weights;
            next.iter_mut().zip(&direction).for_each(|(w, d)| *w -= length * d);
            let next_cost = objective.cost(&next);
            if next_cost <= cost || length < 1e-3 {
                break (next, next_cost);
            }
            length /= 2.0;
        };
        let gain = cost - next_cost;
        if gain <= 0.0 {
            break;
        }
        (weights, cost) = (next, next_cost);
        if gain < ENOUGH * cost {
            break;
        }
    }
    weights
}

impl Objective<'_> {
    fn cost(&self, weights: &Vector) -> f64 {
        let pulled: f64 = weights.iter().zip(self.start).map(|(w, s)| (w - s).powi(2)).sum();
        let entropy: f64 = self
            .samples
            .iter()
            .map(|sample| {
                let (x, label) = (sample.value(weights) / self.scale, f64::from(sample.label));
                label * surprise(sigmoid(x)) + (1.0 - label) * surprise(sigmoid(-x))
            })
            .sum();
        entropy + self.pull / 2.0 * pulled
    }

    /// Gradient and matrix of second derivatives, the latter's lower half.
    fn derivatives(&self, weights: &Vector) -> (Vector, Matrix) {
        let mut gradient = [0.0; WEIGHTS];
        let mut hessian: Matrix = Box::new([[0.0; WEIGHTS]; WEIGHTS]);
        for i in 0..WEIGHTS {
            gradient[i] = self.pull * (weights[i] - self.start[i]);
            hessian[i][i] = self.pull;
        }
        for sample in self.samples {
            let chance = sigmoid(sample.value(weights) / self.scale);
            let slope = (chance - f64::from(sample.label)) / self.scale;
            let curvature = chance * (1.0 - chance) / (self.scale * self.scale);
            // Factors are in the order of the weights.
            for (n, &(i, factor)) in sample.factors.iter().enumerate() {
                let (i, factor) = (usize::from(i), f64::from(factor));
                gradient[i] += slope * factor;
                for &(j, other) in &sample.factors[..=n] {
                    hessian[i][usize::from(j)] += curvature * factor * f64::from(other);
                }
            }
        }
        (gradient, hessian)
    }
}

/// The solution `x` of `matrix * x = vector` by Cholesky's method, for a positive definite matrix
/// of which the lower half is given.
fn solve(mut matrix: Matrix, mut vector: Vector) -> Vector {
    for i in 0..WEIGHTS {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let rest = matrix[i][j] - dot;
            // The pull keeps the matrix positive definite but for rounding.
            matrix[i][j] = if i == j { rest.max(1e-12).sqrt() } else { rest / matrix[j][j] };
        }
    }
    for i in 0..WEIGHTS {
        let dot: f64 = (0..i).map(|k| matrix[i][k] * vector[k]).sum();
        vector[i] = (vector[i] - dot) / matrix[i][i];
    }
    for i in (0..WEIGHTS).rev() {
        let dot: f64 = (i + 1..WEIGHTS).map(|k| matrix[k][i] * vector[k]).sum();
        vector[i] = (vector[i] - dot) / matrix[i][i];
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_solves_its_equations() {
        let mut matrix: Matrix = Box::new([[0.0; WEIGHTS]; WEIGHTS]);
        for i in 0..WEIGHTS {
            for j in 0..=i {
                matrix[i][j] = if i == j { 10.0 + i as f64 } else { 1.0 / (1 + i + j) as f64 };
            }
        }
        let vector = std::array::from_fn(|i| i as f64 - 30.0);
        let x = solve(matrix.clone(), vector);
        for i in 0..WEIGHTS {
            let entry = |j: usize| if j <= i { matrix[i][j] } else { matrix[j][i] };
            let product: f64 = (0..WEIGHTS).map(|j| entry(j) * x[j]).sum();
            assert!((product - vector[i]).abs() < 1e-9);
        }
    }
}
