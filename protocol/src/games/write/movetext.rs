//! The turns, with numbers, comments and the result.

use std::fmt;

use merel_engine::Color;

use crate::games::notation::Notation;
use crate::games::record::Record;

/// No line is longer, unless a comment is.
const WIDTH: usize = 80;

/// The turns of a game in a notation, to be displayed.
pub(super) struct Movetext<'a> {
    pub(super) record: &'a Record,
    pub(super) notation: Notation,
    /// Whether comments are written.
    pub(super) comments: bool,
}

impl Movetext<'_> {
    /// The words; a comment is one, and so is a turn with its number.
    fn words(&self) -> impl Iterator<Item = String> {
        let start = self.record.start();
        let black_begins = start.to_move() == Color::Black;
        let first = usize::from(start.fullmove());
        let turns = self.record.turns().iter().enumerate().flat_map(move |(index, turn)| {
            let plies = index + usize::from(black_begins);
            let number = first + plies / 2;
            let text = self.notation.text(turn.turn);
            let text = match plies % 2 {
                0 => format!("{number}. {text}"),
                _ if index == 0 => format!("{number}... {text}"),
                _ => text,
            };
            std::iter::once(text).chain(self.comments(&turn.comments))
        });
        let result = self.record.result.text().to_owned();
        self.comments(&self.record.comments).chain(turns).chain([result])
    }

    fn comments<'c>(&self, comments: &'c [String]) -> impl Iterator<Item = String> + use<'c> {
        let written = if self.comments { comments } else { &[] };
        let words = |comment: &String| comment.split_whitespace().collect::<Vec<_>>().join(" ");
        written
            .iter()
            .map(words)
            .filter(|comment| !comment.is_empty())
            .map(|comment| format!("{{{}}}", comment.replace('}', ")")))
    }
}

/// Lines, and an empty one.
impl fmt::Display for Movetext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut column = 0;
        for word in self.words() {
            let width = word.chars().count();
            if column > 0 && column + 1 + width > WIDTH {
                writeln!(f)?;
                column = 0;
            } else if column > 0 {
                f.write_str(" ")?;
                column += 1;
            }
            f.write_str(&word)?;
            column += width;
        }
        f.write_str("\n\n")
    }
}
