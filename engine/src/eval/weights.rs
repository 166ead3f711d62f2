//! The weights of the evaluation, in centi-units. Written by the tuning program in `benches`; see
//! the contributing guide.

use super::features::{Phase, Term};

/// Worth of a side's stones on the board and in hand, by how many there are: while placing, and
/// afterwards.
pub const STONES: [[i32; 10]; 2] =
    [[0, 0, 0, 0, 100, 200, 300, 400, 500, 600], [0, 0, 0, 0, 120, 220, 320, 420, 520, 600]];

/// Worth of one unit of each term, by phase.
pub const TERMS: [[i32; Term::COUNT]; Phase::COUNT] = [
    [0, 2, -3, 10, 4, 25, 45, 10, 12, 3, 8, 4],
    [0, 4, -8, 10, 12, 25, 50, 40, 8, 2, 4, 2],
    [60, 0, 0, 10, 4, 40, 80, 10, 15, 5, 0, 0],
    [0, 3, -5, 10, 10, 25, 60, 30, 8, 2, 2, 1],
];

/// The value at which a win has an even chance, in centi-units, and how fast the chance changes.
pub(super) const EVEN_CHANCE: f64 = 100.0;
pub(super) const CHANCE_SCALE: f64 = 40.0;
