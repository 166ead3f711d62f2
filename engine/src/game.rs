//! A game: a position and the history that repetition needs.

use crate::notation::TurnError;
use crate::position::{DrawReason, Outcome, Position};
use crate::rules::{Repetition, Rules};
use crate::types::Turn;

/// A game from its first position to the current one.
///
/// The last turn may be unfinished: a mill closed and its capture still due.
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    /// Keys of the positions after completed turns since the last placement or capture, the
    /// current one last. Nothing before can occur again.
    keys: Vec<u64>,
}

impl Game {
    /// A game that starts here. The start counts as an occurrence.
    #[must_use]
    pub fn new(position: Position) -> Self {
        Self { position, keys: vec![position.key()] }
    }

    /// A game from the empty board.
    #[must_use]
    pub fn start(rules: Rules) -> Self {
        Self::new(Position::start(rules))
    }

    /// The current position.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the positions that can still recur, oldest first, the current one last.
    #[must_use]
    pub fn reversible_keys(&self) -> &[u64] {
        &self.keys
    }

    /// How often the current position has occurred, this time included.
    #[must_use]
    pub fn occurrences(&self) -> usize {
        self.keys.iter().filter(|&&key| key == self.position.key()).count()
    }

    /// How the game has ended, or `None` while it goes on.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        let third = self.position.rules().repetition == Repetition::Third
            && self.position.captures_due() == 0
            && self.occurrences() >= 3;
        self.position.outcome().or_else(|| third.then_some(Outcome::Draw(DrawReason::Repetition)))
    }

    /// Plays a legal turn, or a legal part of one: the captures left out are then due.
    ///
    /// # Errors
    /// Why the text is no legal turn here; the game is then as it was.
    pub fn play_text(&mut self, text: &str) -> Result<Turn, TurnError> {
        let part = self.position.parse_part(text)?;
        if let Some(outcome) = self.outcome() {
            return Err(TurnError::GameOver(outcome));
        }
        self.advance(self.position.after_part(part));
        Ok(part)
    }

    /// Plays a legal whole turn.
    pub fn play(&mut self, turn: Turn) {
        self.advance(self.position.after(turn));
    }

    fn advance(&mut self, next: Position) {
        if next.quiet() == 0 {
            self.keys.clear();
        }
        self.keys.push(next.key());
        self.position = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::WinReason;
    use crate::rules::Preset;
    use crate::types::Color;

    fn played(rules: Rules, moves: &str) -> Game {
        let mut game = Game::start(rules);
        for token in moves.split_whitespace() {
            game.play_text(token).unwrap_or_else(|e| panic!("{token}: {e}"));
        }
        game
    }

    #[test]
    fn blocked_straight_after_placing_is_lost() {
        let game =
            played(Rules::default(), "d2 b2 f2 g4 a1 a4 d3 f4 c3 e3 e5 c5 g1 d1 c4 d5 e4 b4");
        assert_eq!(
            game.outcome(),
            Some(Outcome::Win { winner: Color::Black, reason: WinReason::NoLegalMove })
        );
    }

    #[test]
    fn immediate_return_as_the_only_move_loses_with_the_option_on() {
        let moves = "e3 b4 a4 e4 e5 b2 f2 c3 d3 d1 g4 d7 g1 g7 f4 d5 d2 f6 a4-a7 b4-b6";
        let game = played(Rules::default(), moves);
        let turns: Vec<String> =
            game.position().legal_turns().iter().map(ToString::to_string).collect();
        assert_eq!(turns, ["a7-a4"]);
        let rules = Rules { no_immediate_return: true, ..Rules::default() };
        let mut game = played(rules, moves);
        assert!(game.position().legal_turns().is_empty());
        assert!(matches!(game.outcome(), Some(Outcome::Win { winner: Color::Black, .. })));
        assert!(matches!(game.play_text("a7-a4"), Err(TurnError::GameOver(_))));
    }

    #[test]
    fn two_captures_in_one_turn_come_in_six_orders() {
        let game = played(Preset::Playok.into(), "d5 d1 d6 a1 d7xd1 b4 b6 a7 f6xb4 a4xd6");
        let turns = game.position().legal_turns();
        let pairs = turns.iter().filter(|t| t.to_string().starts_with("d6")).count();
        assert_eq!(pairs, 6);
    }

    #[test]
    fn the_third_occurrence_is_a_draw_and_the_second_is_not() {
        let start = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4 c4-b4 c3-c4";
        let cycle = " f6-f4 a7-d7 f4-f6 d7-a7";
        let mut game = played(Rules::default(), &format!("{start}{cycle} f6-f4 a7-d7 f4-f6"));
        assert_eq!(game.outcome(), None);
        game.play_text("d7-a7").unwrap();
        assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::Repetition)));
        assert!(matches!(game.play_text("f6-f4"), Err(TurnError::GameOver(_))));
        let endless = played(Preset::Ivory.into(), &format!("{start}{cycle}{cycle}{cycle}"));
        assert_eq!(endless.outcome(), None);
    }

    #[test]
    fn the_quiet_limit_ends_the_game_unless_it_is_won() {
        let rules = Rules { quiet_limit: 4, repetition: Repetition::Off, ..Rules::default() };
        let start = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4";
        let mut game = played(rules, &format!("{start} c4-b4 c3-c4 f6-f4"));
        assert_eq!(game.outcome(), None);
        game.play_text("a7-d7").unwrap();
        assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::QuietLimit)));
    }
}
