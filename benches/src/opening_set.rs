//! The opening set that is shipped: how it is made.
//!
//! Random placements, judged by the engine's own search. One thread, a table emptied before each
//! position and a count of nodes instead of time make the set the same on every machine. It is the
//! set of one version of the engine: other weights or another search judge differently.

use std::collections::HashSet;

use merel_engine::{
    Bitboard, Bound, Engine, Game, Limits, Position, Report, Rules, Score, SearchOptions, Symmetry,
};

use crate::openings::placed;
use crate::rng::Rng;

/// The fewest and the most placements from the empty board, in plies.
pub const PLIES: [usize; 2] = [4, 8];

/// How a set is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Seed of the random placements.
    pub seed: u64,
    /// Nodes of the search that judges a position.
    pub nodes: u64,
    /// The largest score of either side in a balanced position, in hundredths: 100 stand for an
    /// even chance to win.
    pub bound: i32,
}

impl Recipe {
    /// That of the set which is shipped.
    pub const SHIPPED: Self = Self { seed: 1, nodes: 100_000, bound: 20 };
    /// How many openings are shipped.
    pub const SHIPPED_COUNT: usize = 600;
}

/// A balanced position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// 4 to 8 placements from the empty board, none of which closed a mill.
    pub position: Position,
    /// Its score in hundredths, from the view of the side to move.
    pub score: i32,
}

/// The openings of a recipe, no two alike under the symmetries of the board, with or without an
/// exchange of the colours. The numbers of placements take turns. The first openings are the same
/// however many are taken; it ends only when no more are found in very many attempts.
pub fn opening_set(recipe: Recipe) -> impl Iterator<Item = Opening> {
    const ATTEMPTS: usize = 100_000;
    let mut rng = Rng::new(recipe.seed);
    let mut seen = HashSet::new();
    let mut engine = Engine::new();
    let lengths = (PLIES[0]..=PLIES[1]).cycle();
    lengths.map_while(move |plies| {
        (0..ATTEMPTS).find_map(|_| {
            let position = placed(Rules::default(), plies, &mut rng)?;
            if !seen.insert(shape(&position)) {
                return None;
            }
            let score = judge(&mut engine, &position, recipe.nodes)?;
            (score.abs() <= recipe.bound).then_some(Opening { position, score })
        })
    })
}

/// What symmetric positions have in common, and those with the colours exchanged: stones of the
/// side to move and of the other, and both hands, the smallest of all images.
#[must_use]
pub fn shape(position: &Position) -> ([Bitboard; 2], [u8; 2]) {
    let sides = [position.to_move(), !position.to_move()];
    let image = |s: Symmetry| sides.map(|side| s.set(position.stones(side)));
    let stones = Symmetry::all().map(image).min_by_key(|sets| sets.map(Bitboard::bits));
    (stones.unwrap_or_default(), sides.map(|side| position.hand(side)))
}

/// The score of the last iteration that was finished, in hundredths, or `None` when the game is
/// decided.
fn judge(engine: &mut Engine, position: &Position, nodes: u64) -> Option<i32> {
    let (sender, reports) = std::sync::mpsc::channel();
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    engine.clear_hash();
    engine.start(&Game::new(*position), limits, SearchOptions::default(), move |report| {
        // The receiver lives until the last report.
        let _ = sender.send(report);
    });
    let exact = reports.iter().filter_map(|report| match report {
        Report::Info(info) if info.bound == Bound::Exact => Some(info.score),
        _ => None,
    });
    match exact.last()? {
        Score::Cp(score) => Some(score),
        Score::WinIn(_) | Score::LossIn(_) => None,
    }
}

/// The line of the file: the FEN, then what is known of it.
#[must_use]
pub fn line(number: usize, opening: &Opening) -> String {
    let Opening { position, score } = opening;
    format!("{}; id placing-{number:03}; ce {score}", position.fen())
}
