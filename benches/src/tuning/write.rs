//! The fitted weights as the engine's source.

use std::fmt::Write;

use merel_engine::eval::features::{Phase, Term};

use super::{Chances, TERMS_FROM, WEIGHTS};

/// The content of `engine/src/eval/weights.rs`, as `rustfmt` leaves it.
#[must_use]
pub fn source(weights: &[f64; WEIGHTS], chances: Chances) -> String {
    let mut text = String::from(
        "//! The weights of the evaluation; a stone is worth about 110. Written by the tuning program in\n\
         //! `benches`; see the contributing guide.\n\n\
         use super::features::{Phase, Term};\n\n\
         /// Worth of a side's stones on the board and in hand, by how many there are: while placing, and\n\
         /// afterwards.\n\
         pub const STONES: [[i32; 10]; 2] = [\n",
    );
    let (stones, terms) = weights.split_at(TERMS_FROM);
    // The comments keep each row on a line of its own, whatever its width.
    let table = |text: &mut String, rows: &[f64], width: usize, names: &[&str]| {
        for (row, name) in rows.chunks(width).zip(names) {
            let numbers: Vec<String> = row.iter().map(|w| (w.round() as i32).to_string()).collect();
            let _ = writeln!(text, "    // {name}.\n    [{}],", numbers.join(", "));
        }
    };
    table(&mut text, stones, 10, &["Placing", "Afterwards"]);
    text.push_str(
        "];\n\n/// Worth of one unit of each term, by phase.\n\
         pub const TERMS: [[i32; Term::COUNT]; Phase::COUNT] = [\n",
    );
    const PHASES: [&str; Phase::COUNT] = ["Placing", "Moving", "Flying", "Facing"];
    table(&mut text, terms, Term::COUNT, &PHASES);
    let Chances { even, scale } = chances;
    let _ = write!(
        text,
        "];\n\n\
         /// The value at which a win has an even chance, in the engine's units, and how fast the chance\n\
         /// changes.\n\
         pub(super) const EVEN_CHANCE: f64 = {even:.1};\n\
         pub(super) const CHANCE_SCALE: f64 = {scale:.1};\n",
    );
    text
}
