//! Elo difference and its error from a match of game pairs.
//!
//! Each opening is played twice with colours exchanged. The two games of a pair are not independent,
//! so the error comes from the spread of pair results (M. Van den Bergh, *Comments on normalized
//! Elo*).

/// Results of a match from one player's view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Games won, drawn, lost.
    pub games: [u32; 3],
    /// Pairs by points scored: 0, ½, 1, 1½, 2.
    pub pairs: [u32; 5],
}

/// Standard normal quantile of 97.5 %.
const Z: f64 = 1.959_963_984_540_054;

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

    /// Share of the points, 0 to 1.
    #[must_use]
    pub fn score(&self) -> f64 {
        let (mean, _) = self.moments();
        mean
    }

    /// Mean and variance of the pair results, scaled to 0 to 1.
    fn moments(&self) -> (f64, f64) {
        let n = f64::from(self.pairs.iter().sum::<u32>().max(1));
        let share = |i: usize| f64::from(self.pairs[i]) / n;
        let mean: f64 = (0..5).map(|i| share(i) * i as f64 / 4.0).sum();
        let variance = (0..5).map(|i| share(i) * (i as f64 / 4.0 - mean).powi(2)).sum();
        (mean, variance)
    }

    /// The Elo difference and its 95 % error.
    #[must_use]
    pub fn elo(&self) -> (f64, f64) {
        let n = f64::from(self.pairs.iter().sum::<u32>().max(1));
        let (mean, variance) = self.moments();
        let error = Z * (variance / n).sqrt();
        (elo(mean), (elo(mean + error) - elo(mean - error)) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_match_has_its_known_elo_and_error() {
        let results = Results { games: [0; 3], pairs: [34, 54, 31 + 32, 64, 75] };
        let (elo, error) = results.elo();
        assert!((elo - 55.58).abs() < 0.01 && (error - 27.65).abs() < 0.01, "{elo} {error}");
    }

    #[test]
    fn a_perfect_score_and_an_empty_match_give_numbers() {
        let mut results = Results::default();
        assert!(results.elo().0.is_finite() && results.elo().1.is_finite());
        results.add([2, 2]);
        assert_eq!(results.games, [2, 0, 0]);
        assert!(results.elo().0.is_finite() && results.elo().1.is_finite());
    }
}
