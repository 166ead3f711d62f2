//! Varied openings for matches.

use std::collections::HashSet;

use merel_engine::{Position, Rules, Symmetry};

use crate::budget::Budget;
use crate::plain::{Plain, STONE};
use crate::rng::Rng;

/// How far the plain opponent looks for an advantage, in plies.
const DEPTH: u32 = 6;

/// `count` different positions after 4 to 8 random placements, no two alike under a symmetry of the
/// board, none with a mill closed on the way, and none in which the plain opponent sees either side
/// a stone ahead. That the engine has no say keeps the openings the same from version to version.
///
/// # Panics
/// If so many cannot be found.
#[must_use]
pub fn openings(rules: Rules, count: usize, seed: u64) -> Vec<Position> {
    let mut rng = Rng::new(seed);
    let mut judge = Plain::default();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for _ in 0..1000 * count {
        if found.len() == count {
            break;
        }
        let plies = 4 + rng.below(5);
        if let Some(position) = placed(rules, plies, &mut rng)
            && seen.insert(canonical(&position))
            && judge.search(&position, Budget::depth(DEPTH)).value.abs() < STONE
        {
            found.push(position);
        }
    }
    assert_eq!(found.len(), count, "there are no more openings");
    found
}

/// The position after random placements, unless one of them captures.
pub(crate) fn placed(rules: Rules, plies: usize, rng: &mut Rng) -> Option<Position> {
    let mut position = Position::start(rules);
    for _ in 0..plies {
        let turns = position.legal_turns();
        let turn = turns[rng.below(turns.len())];
        if turn.is_capture() {
            return None;
        }
        position = position.after(turn);
    }
    Some(position)
}

/// The smallest FEN among those of all symmetric positions.
fn canonical(position: &Position) -> String {
    Symmetry::all().map(|s| position.transformed(s).fen()).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_differ_and_are_the_same_for_the_same_seed() {
        let first = openings(Rules::default(), 12, 1);
        assert_eq!(openings(Rules::default(), 12, 1), first);
        let distinct: HashSet<String> = first.iter().map(canonical).collect();
        assert_eq!(distinct.len(), 12);
        assert_ne!(openings(Rules::default(), 12, 2), first);
    }
}
