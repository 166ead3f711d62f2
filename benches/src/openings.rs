//! Varied openings for matches.

use std::collections::HashSet;

use merel_engine::{Engine, Game, Limits, Position, Rules, Score, SearchOptions, Symmetry};

use crate::rng::Rng;
use crate::search;

/// `count` different positions after 4 to 8 random placements, no two alike under a symmetry of the
/// board, none with a mill closed on the way, and none that a short search finds one-sided.
///
/// # Panics
/// If so many cannot be found.
#[must_use]
pub fn openings(rules: Rules, count: usize, seed: u64) -> Vec<Position> {
    let mut rng = Rng::new(seed);
    let mut engine = Engine::new();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for _ in 0..1000 * count.max(1) {
        if found.len() == count {
            return found;
        }
        let plies = 4 + rng.below(5);
        if let Some(position) = placed(rules, plies, &mut rng)
            && is_balanced(&mut engine, position)
            && seen.insert(canonical(&position))
        {
            found.push(position);
        }
    }
    panic!("only {} openings found", found.len());
}

fn placed(rules: Rules, plies: usize, rng: &mut Rng) -> Option<Position> {
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

fn is_balanced(engine: &mut Engine, position: Position) -> bool {
    let limits = Limits { nodes: Some(5000), ..Limits::default() };
    let (info, _) = search(engine, &Game::new(position), limits, SearchOptions::default());
    matches!(info.map(|i| i.score), Some(Score::Cp(-60..=60)))
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
        let first = openings(Rules::default(), 30, 1);
        assert_eq!(openings(Rules::default(), 30, 1), first);
        let distinct: HashSet<String> = first.iter().map(canonical).collect();
        assert_eq!(distinct.len(), 30);
        assert_ne!(openings(Rules::default(), 30, 2), first);
    }
}
