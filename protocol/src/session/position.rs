//! Setting the position.

use merel_engine::{Game, Position};

use super::Session;
use crate::command::{Base, PositionText};
use crate::gbgp;
use crate::text::clip;

impl Session {
    /// Sets up the position and plays the moves, all or nothing.
    ///
    /// # Errors
    /// Why it is refused, with the offending token and its number, from 1, among the moves.
    pub(super) fn set_position(&mut self, text: &PositionText<'_>) -> Result<(), String> {
        self.halt();
        let rules = self.options.rules;
        let mut game = match &text.base {
            Base::Start => Game::start(rules),
            Base::Fen(fen) => Game::new(
                Position::from_fen(fen, rules)
                    .map_err(|e| format!("position refused: fen: {e}"))?,
            ),
            Base::Gbgp(pos) => Game::new(
                gbgp::parse_position(pos, rules)
                    .map_err(|e| format!("position refused: pos: {e}"))?,
            ),
        };
        for (index, token) in text.moves.iter().enumerate() {
            game.play_text(token).map_err(|error| {
                format!("position refused: move {} '{}': {error}", index + 1, clip(token))
            })?;
        }
        self.game = Ok(game);
        Ok(())
    }

    /// Back to the empty board, with nothing learnt.
    pub(super) fn new_game(&mut self) {
        self.halt();
        self.engine.clear_hash();
        self.game = Ok(Game::start(self.options.rules));
    }

    /// Exchanges the colours. The history is gone with that.
    pub(super) fn flip(&mut self) -> Result<(), String> {
        self.halt();
        let flipped = self.game()?.position().flipped();
        self.game = Ok(Game::new(flipped));
        Ok(())
    }
}
