//! The sequential probability ratio test: when a match has said enough.

use serde::{Deserialize, Serialize};

use super::Tally;
use super::elo::{ELO_UNIT, Sample, moments};

/// What `elo0` and `elo1` are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Normalized Elo: the length of a test does not hang on the share of draws.
    Normalized,
    /// Elo of the expected score.
    Logistic,
    /// Elo of Rémi Coulom's BayesElo, in which draws have a width of their own.
    Bayesian,
}

/// A test of `elo0` against `elo1`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sprt {
    /// The difference to be refused, in Elo of the model.
    pub elo0: f64,
    /// The difference to be accepted, in Elo of the model; greater than `elo0`.
    pub elo1: f64,
    /// Chance of accepting `elo1` where `elo0` is true.
    pub alpha: f64,
    /// Chance of accepting `elo0` where `elo1` is true.
    pub beta: f64,
    /// The unit of both.
    pub model: Model,
}

/// How a test has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The difference is not as large as `elo1`: H0.
    AcceptElo0,
    /// It is: H1.
    AcceptElo1,
}

/// Observations that stand for an empty class, so that no likelihood is zero.
const FLOOR: f64 = 1e-3;

impl Sprt {
    /// The lower and the upper bound of the log-likelihood ratio.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of `elo1` to `elo0`; 0 while nothing is known.
    #[must_use]
    pub fn llr(&self, tally: &Tally, pairs: bool) -> f64 {
        let sample = tally.sample(pairs);
        let count = sample.count();
        if count == 0.0 {
            return 0.0;
        }
        let shares = sample.shares(FLOOR);
        let fits = [self.elo0, self.elo1].map(|elo| self.fit(elo, &shares, &sample, tally));
        let [Some(fit0), Some(fit1)] = fits else { return 0.0 };
        let ratio: f64 = shares
            .iter()
            .zip(fit0.iter().zip(&fit1))
            .map(|(&(_, share), (p0, p1))| share * (p1 / p0).ln())
            .sum();
        let llr = count * ratio;
        if llr.is_finite() { llr } else { 0.0 }
    }

    /// What the results decide, if anything yet.
    #[must_use]
    pub fn decision(&self, tally: &Tally, pairs: bool) -> Option<Decision> {
        let (lower, upper) = self.bounds();
        let llr = self.llr(tally, pairs);
        if llr >= upper {
            Some(Decision::AcceptElo1)
        } else if llr <= lower {
            Some(Decision::AcceptElo0)
        } else {
            None
        }
    }

    /// The most likely distribution with this difference.
    fn fit(
        &self,
        elo: f64,
        shares: &[(f64, f64)],
        sample: &Sample,
        tally: &Tally,
    ) -> Option<Vec<f64>> {
        match self.model {
            Model::Normalized => {
                Some(fit_normalized(shares, elo / ELO_UNIT * sample.games_each().sqrt()))
            }
            Model::Logistic => Some(fit_score(shares, expected(elo))),
            Model::Bayesian => Some(fit_score(shares, bayesian_score(elo, tally)?)),
        }
    }
}

/// The expected score of an Elo difference.
fn expected(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The expected score in the BayesElo model, with the width of draws these games show; `None`
/// until both players have won a game.
fn bayesian_score(elo: f64, tally: &Tally) -> Option<f64> {
    if tally.wins == 0 || tally.losses == 0 {
        return None;
    }
    let games = tally.games() as f64;
    let odds = |n: u64| n as f64 / games / (1.0 - n as f64 / games);
    let width = -200.0 * (odds(tally.wins) * odds(tally.losses)).log10();
    let win = expected(elo - width);
    let loss = expected(-elo - width);
    Some(win + (1.0 - win - loss) / 2.0)
}

/// The most likely distribution with this mean.
fn fit_score(shares: &[(f64, f64)], mean: f64) -> Vec<f64> {
    let gradients: Vec<f64> = shares.iter().map(|(a, _)| a - mean).collect();
    tilted(shares, &gradients)
}

/// The most likely distribution whose mean is `t` standard deviations above one half: the
/// condition is made linear about the fit so far, until that stays where it is.
fn fit_normalized(shares: &[(f64, f64)], t: f64) -> Vec<f64> {
    let even = 1.0 / shares.len().max(1) as f64;
    let mut fit: Vec<f64> = vec![even; shares.len()];
    for _ in 0..50 {
        let now: Vec<(f64, f64)> =
            shares.iter().map(|&(a, _)| a).zip(fit.iter().copied()).collect();
        let (mean, variance) = moments(&now);
        let sigma = variance.sqrt();
        let gradients: Vec<f64> = shares
            .iter()
            .map(|(a, _)| a - 0.5 - t * sigma * (1.0 + (a - mean).powi(2) / variance) / 2.0)
            .collect();
        let next = tilted(shares, &gradients);
        let moved = next.iter().zip(&fit).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        fit = next;
        if moved < 1e-12 {
            break;
        }
    }
    fit
}

/// The shares reweighted as p / (1 + x·g), with the x for which the mean of the g is zero.
fn tilted(shares: &[(f64, f64)], gradients: &[f64]) -> Vec<f64> {
    let low = gradients.iter().copied().fold(f64::INFINITY, f64::min);
    let high = gradients.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low >= 0.0 || high <= 0.0 {
        // No distribution over these results has the mean asked for.
        return shares.iter().map(|&(_, p)| p).collect();
    }
    let at = |x: f64| -> f64 {
        shares.iter().zip(gradients).map(|((_, p), g)| p * g / (1.0 + x * g)).sum()
    };
    // The sum falls from one end of this interval to the other.
    let (mut left, mut right) = (-1.0 / high, -1.0 / low);
    for _ in 0..200 {
        let middle = f64::midpoint(left, right);
        if at(middle) > 0.0 {
            left = middle;
        } else {
            right = middle;
        }
    }
    let x = f64::midpoint(left, right);
    shares.iter().zip(gradients).map(|((_, p), g)| p / (1.0 + x * g)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Pairs;
    use super::*;

    fn test(elo0: f64, elo1: f64, model: Model) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, model }
    }

    fn paired([ll, ld, wl, dd, wd, ww]: [u64; 6]) -> Tally {
        let (wins, losses) = (2 * ww + wd + wl, 2 * ll + ld + wl);
        Tally { wins, losses, draws: 2 * dd + ld + wd, pairs: Pairs { ll, ld, wl, dd, wd, ww } }
    }

    #[test]
    fn known_matches_have_their_known_ratio() {
        let llr =
            |elo0, elo1, counts| test(elo0, elo1, Model::Normalized).llr(&paired(counts), true);
        assert_eq!(format!("{:.4}", llr(0.0, 2.0, [365, 16618, 36029, 200, 16974, 390])), "2.2504");
        assert_eq!(format!("{:.2}", llr(-1.75, 0.25, [127, 4883, 10311, 401, 5150, 104])), "3.01");
        assert_eq!(format!("{:.2}", llr(0.0, 5.0, [34, 54, 31, 32, 64, 75])), "1.30");
        let games = Tally { wins: 36433, losses: 36027, draws: 68692, pairs: Pairs::default() };
        let llr = test(0.0, 2.0, Model::Normalized).llr(&games, false);
        assert_eq!(format!("{llr:.2}"), "0.92");
    }

    #[test]
    fn the_models_agree_where_their_units_do() {
        // Without draws, and so near to equality, the Elo of the score is the normalized one.
        let games = Tally { wins: 5100, losses: 4900, draws: 0, pairs: Pairs::default() };
        let [normalized, logistic, bayesian] =
            [Model::Normalized, Model::Logistic, Model::Bayesian]
                .map(|model| test(0.0, 5.0, model).llr(&games, false));
        assert!((normalized - logistic).abs() < 0.01, "{normalized} {logistic}");
        assert!((bayesian - logistic).abs() < 0.01, "{bayesian} {logistic}");
        // With draws a BayesElo point is worth less score, so the same score is the stronger proof.
        let drawish = Tally { wins: 1100, losses: 1000, draws: 8000, pairs: Pairs::default() };
        let [logistic, bayesian] = [Model::Logistic, Model::Bayesian]
            .map(|model| test(0.0, 5.0, model).llr(&drawish, false));
        assert!(logistic != bayesian && bayesian > 0.0, "{logistic} {bayesian}");
    }

    #[test]
    fn a_test_ends_at_either_bound_and_never_on_nothing() {
        for model in [Model::Normalized, Model::Logistic, Model::Bayesian] {
            let sprt = test(0.0, 10.0, model);
            assert_eq!(sprt.llr(&Tally::default(), true), 0.0);
            assert_eq!(sprt.decision(&paired([0, 0, 0, 50, 0, 0]), true), None, "{model:?}");
            let better = paired([10, 100, 500, 500, 300, 100]);
            assert_eq!(sprt.decision(&better, true), Some(Decision::AcceptElo1));
            assert_eq!(sprt.decision(&better.flipped(), true), Some(Decision::AcceptElo0));
            for counts in [[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 9], [0, 3, 0, 0, 2, 0]] {
                assert!(sprt.llr(&paired(counts), true).is_finite());
            }
        }
        let (lower, upper) = test(0.0, 1.0, Model::Normalized).bounds();
        assert_eq!(format!("{lower:.2} {upper:.2}"), "-2.94 2.94");
    }
}
