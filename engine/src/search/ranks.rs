//! Numbers taken from the highest down.

use arrayvec::ArrayVec;

/// A list whose elements, no two of them equal, are given out from the highest down: most nodes of
/// a search take few, so that sorting would be wasted. `N` is the most there can be and [`SPARE`].
pub(super) struct Ranks<const N: usize> {
    /// The elements, and after them enough of [`NONE`] to make the last block whole.
    ranks: ArrayVec<i32, N>,
    /// The one given out last.
    last: i32,
}

/// How many are compared at once.
const BLOCK: usize = 8;

/// Room that is needed beside the elements.
pub(super) const SPARE: usize = BLOCK - 1;

/// Less than every rank.
const NONE: i32 = i32::MIN;

impl<const N: usize> Ranks<N> {
    #[inline]
    pub(super) fn new() -> Self {
        Self { ranks: ArrayVec::new(), last: i32::MAX }
    }

    /// Takes the place of what was listed before: `list` writes the ranks into an empty list.
    #[inline]
    pub(super) fn fill(&mut self, list: impl FnOnce(&mut ArrayVec<i32, N>)) {
        self.ranks.clear();
        list(&mut self.ranks);
        self.ranks.extend([NONE; SPARE]);
        self.last = i32::MAX;
    }

    /// The highest of those not given out yet.
    #[inline]
    pub(super) fn next(&mut self) -> Option<i32> {
        if self.ranks.is_empty() {
            return None;
        }
        let last = self.last;
        let mut best = [NONE; BLOCK];
        for block in self.ranks.chunks_exact(BLOCK) {
            for (best, &rank) in best.iter_mut().zip(block) {
                // Without a branch, so that it is compiled to work on several at once.
                let given = -i32::from(rank >= last);
                *best = (*best).max(rank & !given | NONE & given);
            }
        }
        self.last = best.into_iter().fold(NONE, i32::max);
        (self.last != NONE).then_some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_given_out_once_and_the_highest_first() {
        let mut ranks = Ranks::<{ 64 + SPARE }>::new();
        assert_eq!(ranks.next(), None);
        for count in [64, 1, 13, 8, 0] {
            let mut numbers: Vec<i32> = (0..count).map(|i| i * 37 % 64 - 32).collect();
            ranks.fill(|list| list.extend(numbers.iter().copied()));
            numbers.sort_unstable_by(|a, b| b.cmp(a));
            let given: Vec<i32> = std::iter::from_fn(|| ranks.next()).collect();
            assert_eq!(given, numbers);
        }
    }
}
