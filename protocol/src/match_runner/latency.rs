//! How far the times that the match measures and those that engines report lie apart.

use std::fmt;

/// Measured less reported time of many turns, in ms. The reported one is in whole ms, so a
/// difference of up to one means nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Latency {
    turns: u64,
    sum: f64,
    most: f64,
}

impl Latency {
    /// Counts a turn.
    pub(super) fn add(&mut self, ms: f64) {
        self.most = if self.turns == 0 { ms } else { self.most.max(ms) };
        self.turns += 1;
        self.sum += ms;
    }
}

/// `mean 0.41 ms, most 3.20 ms in 812 turns`, or that there is none.
impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.turns == 0 {
            return f.write_str("no times reported");
        }
        let mean = self.sum / self.turns as f64;
        write!(f, "mean {mean:.2} ms, most {:.2} ms in {} turns", self.most, self.turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_most_are_told() {
        let mut latency = Latency::default();
        assert_eq!(latency.to_string(), "no times reported");
        [-0.5, 0.25, 1.0].into_iter().for_each(|ms| latency.add(ms));
        assert_eq!(latency.to_string(), "mean 0.25 ms, most 1.00 ms in 3 turns");
    }
}
