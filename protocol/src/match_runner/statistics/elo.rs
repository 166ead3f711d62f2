//! Elo differences with their errors.

use std::fmt;

/// Standard normal quantile of 97.5 %.
const Z: f64 = 1.959_963_984_540_054;
/// Elo per unit of normalized difference.
pub(super) const ELO_UNIT: f64 = 800.0 / std::f64::consts::LN_10;

/// A number with its 95 % error. Either prints as `-` while the results leave it open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The most likely value.
    pub value: Option<f64>,
    /// Half the width of the 95 % interval.
    pub error: Option<f64>,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} +/- {}", number(self.value), number(self.error))
    }
}

/// Two decimals, or `-` for what is not known or not finite.
pub(crate) fn number(value: Option<f64>) -> String {
    match finite(value) {
        // Nothing is printed as -0.00.
        Some(value) if value.abs() < 0.005 => "0.00".to_owned(),
        Some(value) => format!("{value:.2}"),
        None => "-".to_owned(),
    }
}

fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

/// How often each result came, in steps of equal size from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    counts: Vec<f64>,
    /// Games in one observation: 2 for pairs.
    games: f64,
}

/// The Elo difference of a score between 0 and 1, without bound at these.
fn elo(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

impl Sample {
    /// Pairs by points scored: 0, ½, 1, 1½, 2.
    #[must_use]
    pub fn of_pairs(counts: [u64; 5]) -> Self {
        Self { counts: counts.iter().map(|&n| n as f64).collect(), games: 2.0 }
    }

    /// Games lost, drawn, won.
    #[must_use]
    pub fn of_games(counts: [u64; 3]) -> Self {
        Self { counts: counts.iter().map(|&n| n as f64).collect(), games: 1.0 }
    }

    /// Observations.
    #[must_use]
    pub fn count(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// Games in one observation.
    pub(super) fn games_each(&self) -> f64 {
        self.games
    }

    /// Result and share of each class, an empty one counted as `floor` observations.
    pub(super) fn shares(&self, floor: f64) -> Vec<(f64, f64)> {
        let counts: Vec<f64> =
            self.counts.iter().map(|&n| if n > 0.0 { n } else { floor }).collect();
        let total: f64 = counts.iter().sum();
        let steps = (counts.len().max(2) - 1) as f64;
        counts.iter().enumerate().map(|(i, n)| (i as f64 / steps, n / total)).collect()
    }

    /// Mean and variance, when there is an observation.
    fn moments(&self) -> Option<(f64, f64)> {
        (self.count() > 0.0).then(|| moments(&self.shares(0.0)))
    }

    /// Mean and variance, when results differ: without that there is no error to tell.
    fn spread(&self) -> Option<(f64, f64)> {
        self.moments().filter(|&(_, variance)| variance > 1e-12)
    }

    /// The Elo difference.
    #[must_use]
    pub fn elo(&self) -> Estimate {
        let error = self.spread().map(|(mean, variance)| {
            let error = Z * (variance / self.count()).sqrt();
            (elo(mean + error) - elo(mean - error)) / 2.0
        });
        Estimate { value: finite(self.moments().map(|(m, _)| elo(m))), error: finite(error) }
    }

    /// The normalized Elo difference: the score in units of its spread, which the share of draws
    /// moves less.
    #[must_use]
    pub fn normalized_elo(&self) -> Estimate {
        let spread = self.spread();
        Estimate {
            value: spread
                .map(|(mean, variance)| (mean - 0.5) / (self.games * variance).sqrt() * ELO_UNIT),
            error: spread.map(|_| Z * ELO_UNIT / (self.games * self.count()).sqrt()),
        }
    }

    /// How likely it is that the first player is the stronger, in per cent.
    #[must_use]
    pub fn likelihood_of_superiority(&self) -> Option<f64> {
        self.spread().map(|(mean, variance)| {
            50.0 * (1.0 - libm::erf(-(mean - 0.5) / (2.0 * variance / self.count()).sqrt()))
        })
    }
}

/// Mean and variance of results with their shares.
pub(super) fn moments(shares: &[(f64, f64)]) -> (f64, f64) {
    let mean: f64 = shares.iter().map(|(a, p)| a * p).sum();
    (mean, shares.iter().map(|(a, p)| p * (a - mean).powi(2)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_matches_have_their_known_figures() {
        let pairs = Sample::of_pairs([34, 54, 31 + 32, 64, 75]);
        assert_eq!(pairs.elo().to_string(), "55.58 +/- 27.65");
        assert_eq!(pairs.normalized_elo().to_string(), "57.94 +/- 28.28");
        assert_eq!(number(pairs.likelihood_of_superiority()), "100.00");
        let games = Sample::of_games([96, 111, 136]);
        assert_eq!(games.elo().to_string(), "40.70 +/- 30.43");
        assert_eq!(games.normalized_elo().to_string(), "49.77 +/- 36.77");
        assert_eq!(number(games.likelihood_of_superiority()), "99.60");
    }

    #[test]
    fn one_sided_and_empty_matches_print_dashes() {
        for (counts, expected) in [
            ([0, 0, 0, 0, 0], "- +/- -"),
            ([0, 0, 0, 0, 3], "- +/- -"),
            ([7, 0, 0, 0, 0], "- +/- -"),
            ([0, 0, 9, 0, 0], "0.00 +/- -"),
        ] {
            let sample = Sample::of_pairs(counts);
            assert_eq!(sample.elo().to_string(), expected, "{counts:?}");
            assert_eq!(sample.normalized_elo().to_string(), "- +/- -", "{counts:?}");
            assert_eq!(number(sample.likelihood_of_superiority()), "-");
        }
        // So few games that the interval reaches beyond a perfect score.
        assert_eq!(Sample::of_pairs([0, 0, 0, 1, 1]).elo().error, None);
        assert_eq!(number(Some(f64::NAN)), "-");
        assert_eq!(number(Some(-0.001)), "0.00");
    }
}
