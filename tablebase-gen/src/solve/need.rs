//! How much memory solving takes, known beforehand.

use merel_engine::tablebase::{Pair, Sector};

use super::edges::Arrival;
use super::even::news_bytes;
use super::most_turns;
use super::pending::Pending;

/// The bytes that solving a pair takes, with the values of the sectors that captures lead to.
#[must_use]
pub fn memory_needed(pair: Pair) -> usize {
    let len = pair.len();
    let given: usize =
        pair.sectors().filter_map(Sector::after_capture).map(|s| s.pair().len()).sum();
    let captures = pair.sectors().count() * len.div_ceil(8);
    let pending = 2 * Pending::bytes(pair.blocks(), pair.block_len());
    let moves = usize::from(most_turns(pair.larger(), 0)) * size_of::<Arrival>() + 8;
    let apart = if pair.is_even() { news_bytes(pair) } else { pair.blocks() * moves };
    2 * len + given + captures + pending + apart
}
