//! Games of the engine against itself, as a source of labelled positions.

use std::io::{self, Write};

use merel_engine::{Color, Engine, Game, Limits, Outcome, Position, Rules, SearchOptions};

use crate::rng::Rng;
use crate::search;

/// How the games are played.
#[derive(Clone, Copy, Debug)]
pub struct SelfPlay {
    /// How many.
    pub games: usize,
    /// Nodes for each turn.
    pub nodes: u64,
    /// Seed of the random turns.
    pub seed: u64,
}

/// Turns without placement or capture after which a game counts as drawn.
const QUIET_TURNS: u16 = 60;

/// Plays games that begin with 4 to 12 random turns and writes their quiet positions, those in which
/// the side to move cannot capture, with the result.
///
/// # Errors
/// When `out` cannot be written.
pub fn generate(play: SelfPlay, out: &mut dyn Write) -> io::Result<()> {
    let mut rng = Rng::new(play.seed);
    let mut engine = Engine::new();
    for _ in 0..play.games {
        engine.clear_hash();
        let mut game = Game::new(random_start(&mut rng));
        let mut positions = Vec::new();
        while game.outcome().is_none() && game.position().quiet() < QUIET_TURNS {
            let position = *game.position();
            if !position.legal_turns().iter().any(|t| t.is_capture()) {
                positions.push(position.fen());
            }
            let limits = Limits { nodes: Some(play.nodes), ..Limits::default() };
            let (_, best) = search(&mut engine, &game, limits, SearchOptions::default());
            let Some(best) = best else { break };
            game.play(best.best);
        }
        let label = match game.outcome() {
            Some(Outcome::Win { winner: Color::White, .. }) => "1",
            Some(Outcome::Win { winner: Color::Black, .. }) => "0",
            _ => "0.5",
        };
        for fen in positions {
            writeln!(out, "{fen};{label}")?;
        }
    }
    out.flush()
}

fn random_start(rng: &mut Rng) -> Position {
    let mut position = Position::start(Rules::default());
    for _ in 0..4 + rng.below(9) {
        let turns = position.legal_turns();
        position = position.after(turns[rng.below(turns.len())]);
    }
    position
}
