//! Perft: counting the leaves of the game tree, the classic check of a move generator.

use crate::position::Position;
use crate::types::Turn;

/// What counts as one ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A whole turn with its captures.
    Turn,
    /// A placement, a move or a single capture.
    Atomic,
}

/// The number of ways to play exactly `depth` plies. A finished game has no continuation;
/// repetition and the quiet limit are ignored.
#[must_use]
pub fn perft(position: &Position, depth: u32, unit: Unit) -> u64 {
    match (depth, unit) {
        (0, _) => 1,
        (1, Unit::Turn) => position.count_legal_turns(),
        (1, Unit::Atomic) => position.legal_actions().len() as u64,
        _ => divide(position, depth, unit).map(|(_, count)| count).sum(),
    }
}

/// [`perft`] for each turn or action separately.
pub fn divide(
    position: &Position,
    depth: u32,
    unit: Unit,
) -> impl Iterator<Item = (Turn, u64)> + use<> {
    let position = *position;
    let turns = match unit {
        _ if depth == 0 => crate::TurnList::new(),
        Unit::Turn => position.legal_turns(),
        Unit::Atomic => position.legal_actions(),
    };
    turns.into_iter().map(move |turn| {
        let next = match unit {
            Unit::Turn => position.after(turn),
            Unit::Atomic => position.after_part(turn),
        };
        (turn, perft(&next, depth - 1, unit))
    })
}
