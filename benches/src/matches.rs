//! Matches between players in one process.

use std::time::Duration;

use merel_engine::{Color, Engine, Game, Limits, Outcome, Position, SearchOptions, Strength, Turn};

use crate::plain::{Budget, Plain};
use crate::search;
use crate::statistics::Results;

/// Somebody who chooses turns.
pub trait Player {
    /// Forgets the game before.
    fn new_game(&mut self);
    /// The turn to play, and the depth searched, in plies.
    fn choose(&mut self, game: &Game) -> (Turn, u32);
}

/// The engine.
pub struct Merel {
    engine: Engine,
    strength: Strength,
    limits: Limits,
}

impl Merel {
    /// The engine with this strength, and these limits for each turn.
    #[must_use]
    pub fn new(strength: Strength, limits: Limits) -> Self {
        Self { engine: Engine::new(), strength, limits }
    }
}

impl Player for Merel {
    fn new_game(&mut self) {
        self.engine.clear_hash();
    }

    fn choose(&mut self, game: &Game) -> (Turn, u32) {
        let limits = Limits { start: std::time::Instant::now(), ..self.limits.clone() };
        let options = SearchOptions { strength: self.strength, ..SearchOptions::default() };
        let (info, best) = search(&mut self.engine, game, limits, options);
        let best = best.expect("a search has a result");
        (best.best, info.map_or(0, |i| i.depth))
    }
}

/// The plain opponent with a budget.
pub struct PlainPlayer {
    player: Plain,
    budget: Budget,
}

impl PlainPlayer {
    /// The plain opponent, who gets this for each turn.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self { player: Plain::default(), budget }
    }
}

impl Player for PlainPlayer {
    fn new_game(&mut self) {
        self.player.new_game();
    }

    fn choose(&mut self, game: &Game) -> (Turn, u32) {
        self.player.choose(game.position(), self.budget)
    }
}

/// Turns without placement or capture after which a game counts as drawn.
const QUIET_TURNS: u16 = 100;

/// What a match has come to, from the first player's view.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Results.
    pub results: Results,
    /// Sum of the depths searched and number of turns, for each player.
    pub depths: [(u64, u64); 2],
}

impl Tally {
    /// The mean depth of a player's searches, in plies.
    #[must_use]
    pub fn mean_depth(&self, player: usize) -> f64 {
        let (sum, turns) = self.depths[player];
        sum as f64 / turns.max(1) as f64
    }
}

/// Plays an opening twice, the first player having White in the first game.
pub fn play_pair(players: &mut [&mut dyn Player; 2], opening: Position, tally: &mut Tally) {
    let halves = [Color::White, Color::Black].map(|first| {
        players.iter_mut().for_each(|p| p.new_game());
        let mut game = Game::new(opening);
        while game.outcome().is_none() && game.position().quiet() < QUIET_TURNS {
            let player = usize::from(game.position().to_move() != first);
            let (turn, depth) = players[player].choose(&game);
            let depths = &mut tally.depths[player];
            *depths = (depths.0 + u64::from(depth), depths.1 + 1);
            game.play(turn);
        }
        match game.outcome() {
            Some(Outcome::Win { winner, .. }) => 2 * usize::from(winner == first),
            _ => 1,
        }
    });
    tally.results.add(halves);
}

/// Limits of this much time for each turn.
#[must_use]
pub fn per_turn(time: Duration) -> Limits {
    Limits { move_time: Some(time), ..Limits::default() }
}
