//! The fitted weights as the engine's source.

use std::fmt::Write;

use merel_engine::eval::features::{Phase, Term};

use super::{Chances, WEIGHTS};

/// The content of `engine/src/eval/weights.rs`.
#[must_use]
pub fn source(weights: &[f64; WEIGHTS], chances: Chances) -> String {
    let row = |values: &[f64]| {
        let values: Vec<String> = values.iter().map(|w| format!("{}", w.round())).collect();
        format!("    [{}],\n", values.join(", ").replace("-0,", "0,"))
    };
    let (stones, terms) = weights.split_at(20);
    let mut text = String::from(
        "//! The weights of the evaluation; a stone is worth about 100. Written by the tuning program in `benches`; see\n\
         //! the contributing guide.\n\n\
         use super::features::{Phase, Term};\n\n\
         /// Worth of a side's stones on the board and in hand, by how many there are: while placing, and\n\
         /// afterwards.\n\
         pub const STONES: [[i32; 10]; 2] = [\n",
    );
    stones.chunks(10).for_each(|values| text.push_str(&row(values)));
    text.push_str(
        "];\n\n/// Worth of one unit of each term, by phase.\n\
         pub const TERMS: [[i32; Term::COUNT]; Phase::COUNT] = [\n",
    );
    terms.chunks(Term::COUNT).for_each(|values| text.push_str(&row(values)));
    debug_assert_eq!(terms.len(), Phase::COUNT * Term::COUNT);
    let Chances { even, scale } = chances;
    let _ = write!(
        text,
        "];\n\n\
         /// The value at which a win has an even chance, in the engine's units, and how fast the chance changes.\n\
         pub(super) const EVEN_CHANCE: f64 = {even:.1};\n\
         pub(super) const CHANCE_SCALE: f64 = {scale:.1};\n",
    );
    text
}
