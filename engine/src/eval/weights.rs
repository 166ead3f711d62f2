//! The weights of the evaluation; a stone is worth about 100. Written by the tuning program in `benches`; see
//! the contributing guide.

use super::features::{Phase, Term};

/// Worth of a side's stones on the board and in hand (made to rise after the fit; that change has not
/// been measured by a match), by how many there are: while placing, and
/// afterwards.
pub const STONES: [[i32; 10]; 2] =
    [[0, 0, 0, 0, 94, 187, 285, 374, 484, 544], [0, 0, 0, 0, 60, 120, 180, 343, 532, 674]];

/// Worth of one unit of each term, by phase.
pub const TERMS: [[i32; Term::COUNT]; Phase::COUNT] = [
    [0, 52, -86, -52, 64, -16, 42, 11, -34, 25, 34, 3],
    [0, -6, -47, 37, 48, 60, 47, 66, 72, 44, 22, 11],
    [112, 0, 2, 45, 27, 49, 75, 9, 26, 18, 4, 3],
    [-55, 2, 9, 33, 19, 61, 56, 53, 33, 12, 2, 4],
];

/// The value at which a win has an even chance, in the engine's units, and how fast the chance changes.
pub(super) const EVEN_CHANCE: f64 = 235.0;
pub(super) const CHANCE_SCALE: f64 = 115.0;
