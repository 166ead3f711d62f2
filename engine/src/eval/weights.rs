//! The weights of the evaluation; a stone is worth about 100.
//!
//! The rows of the moving phase and of flying were fitted by the tuning program in `benches`. The
//! stones afterwards were then made to rise. The stones and terms while placing are set by hand: the
//! fitted ones ranked turns that close a mill among the last, perhaps because early captures are
//! rare in the data; that was not examined. They cost perhaps 20 Elo (400 games of 20,000 nodes a turn: -20 +/- 24).

use super::features::{Phase, Term};

/// Worth of a side's stones on the board and in hand, by how many there are: while placing, and
/// afterwards.
pub const STONES: [[i32; 10]; 2] =
    [[0, 0, 0, 0, 100, 200, 300, 400, 500, 600], [0, 0, 0, 0, 60, 120, 180, 343, 532, 674]];

/// Worth of one unit of each term, by phase.
pub const TERMS: [[i32; Term::COUNT]; Phase::COUNT] = [
    [0, 2, -3, 10, 4, 25, 45, 10, 12, 3, 8, 4],
    [0, -6, -47, 37, 48, 60, 47, 66, 72, 44, 22, 11],
    [112, 0, 2, 45, 27, 49, 75, 9, 26, 18, 4, 3],
    [-55, 2, 9, 33, 19, 61, 56, 53, 33, 12, 2, 4],
];

/// Fitted together with other weights while placing, so only roughly right there.
///
/// The value at which a win has an even chance, in the engine's units, and how fast the chance changes.
pub(super) const EVEN_CHANCE: f64 = 235.0;
pub(super) const CHANCE_SCALE: f64 = 115.0;
