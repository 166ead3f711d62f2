//! Elo difference and its error from a match of game pairs.
//!
//! Each opening is played twice with colours exchanged. The two games of a pair are not independent,
//! so the error comes from the spread of pair results (M. Van den Bergh, *Comments on normalized
//! Elo*).

use std::fmt;

/// Results of a match from one player's view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Games won, drawn, lost.
    pub games: [u32; 3],
    /// Pairs by points scored: 0, ½, 1, 1½, 2.
    pub pairs: [u32; 5],
}

/// A number with its 95 % error; prints as `-` when the results leave it open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate(pub Option<(f64, f64)>);

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((value, error)) => write!(f, "{value:.1} +/- {error:.1}"),
            None => f.write_str("-"),
        }
    }
}

/// Standard normal quantile of 97.5 %.
const Z: f64 = 1.959_963_984_540_054;
/// Elo per unit of normalized difference.
const ELO_UNIT: f64 = 800.0 / std::f64::consts::LN_10;

/// The Elo difference of a score between 0 and 1; bounded, since a perfect score tells no more.
fn elo(score: f64) -> f64 {
    let score = score.clamp(1e-4, 1.0 - 1e-4);
    -400.0 * (1.0 / score - 1.0).log10()
}

impl Results {
    /// Adds a pair: the points (in halves) of its two games.
    pub fn add(&mut self, halves: [usize; 2]) {
        for points in halves {
            self.games[2 - points.min(2)] += 1;
        }
        self.pairs[(halves[0] + halves[1]).min(4)] += 1;
    }

    /// Share of the points, 0 to 1; 0.5 before the first pair.
    #[must_use]
    pub fn score(&self) -> f64 {
        if self.count() == 0.0 { 0.5 } else { self.moments().0 }
    }

    fn count(&self) -> f64 {
        f64::from(self.pairs.iter().sum::<u32>())
    }

    /// Mean and variance of the pair results, scaled to 0 to 1.
    fn moments(&self) -> (f64, f64) {
        let n = self.count().max(1.0);
        let share = |i: usize| f64::from(self.pairs[i]) / n;
        let mean: f64 = (0..5).map(|i| share(i) * i as f64 / 4.0).sum();
        let variance = (0..5).map(|i| share(i) * (i as f64 / 4.0 - mean).powi(2)).sum();
        (mean, variance)
    }

    /// Whether the pairs differ, without which there is no error to tell.
    fn is_varied(&self) -> bool {
        self.pairs.iter().filter(|&&n| n > 0).count() > 1
    }

    /// The Elo difference.
    #[must_use]
    pub fn elo(&self) -> Estimate {
        Estimate(self.is_varied().then(|| {
            let (mean, variance) = self.moments();
            let error = Z * (variance / self.count()).sqrt();
            (elo(mean), (elo(mean + error) - elo(mean - error)) / 2.0)
        }))
    }

    /// The normalized Elo difference: the score in units of its spread, which the share of draws
    /// moves less.
    #[must_use]
    pub fn normalized_elo(&self) -> Estimate {
        Estimate(self.is_varied().then(|| {
            let (mean, variance) = self.moments();
            let value = (mean - 0.5) / (2.0 * variance).sqrt() * ELO_UNIT;
            (value, Z * ELO_UNIT / (2.0 * self.count()).sqrt())
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_match_has_its_known_elo_and_error() {
        let results = Results { games: [0; 3], pairs: [34, 54, 31 + 32, 64, 75] };
        let near = |estimate: Estimate, value: f64, error: f64| {
            let (v, e) = estimate.0.unwrap();
            assert!((v - value).abs() < 0.005 && (e - error).abs() < 0.005, "{v} {e}");
        };
        near(results.elo(), 55.58, 27.65);
        near(results.normalized_elo(), 57.94, 28.28);
    }

    #[test]
    fn one_sided_and_empty_matches_never_print_nan() {
        let mut results = Results::default();
        for _ in 0..3 {
            assert!((0.0..=1.0).contains(&results.score()));
            assert_eq!(results.elo().to_string(), "-");
            assert_eq!(results.normalized_elo().to_string(), "-");
            results.add([2, 2]);
        }
        assert_eq!(results.games, [6, 0, 0]);
        results.add([2, 1]);
        assert!(results.elo().0.is_some_and(|(v, e)| v.is_finite() && e.is_finite()));
    }
}
