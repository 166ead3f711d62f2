//! Judges a game by the oracle's rules, with the history that draws need.

use std::collections::HashMap;

use crate::oracle::{OracleRules, Reason, Side, State};

/// The rules of a game: which turns are legal, and when nobody wins.
#[derive(Clone, Copy, Debug)]
pub struct GameRules {
    /// What decides which turns are legal.
    pub turns: OracleRules,
    /// Whether the third occurrence of a position is a draw.
    pub repetition: bool,
    /// A draw after so many turns without placement or capture; 0 for never.
    pub quiet_limit: u32,
}

impl GameRules {
    /// The preset `standard`.
    pub const STANDARD: Self =
        Self { turns: OracleRules::STANDARD, repetition: true, quiet_limit: 0 };
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// Somebody has won.
    Won(Side, Reason),
    /// A position occurred for the third time.
    Repetition,
    /// Too many turns without placement or capture.
    QuietLimit,
}

impl End {
    /// The result with its reason in the words that the engine has to find.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Won(Side::White, Reason::FewerThanThree) => {
                "1-0 White wins: Black has fewer than three stones"
            }
            Self::Won(Side::White, Reason::Blocked) => "1-0 White wins: Black has no legal move",
            Self::Won(Side::Black, Reason::FewerThanThree) => {
                "0-1 Black wins: White has fewer than three stones"
            }
            Self::Won(Side::Black, Reason::Blocked) => "0-1 Black wins: White has no legal move",
            Self::Repetition => "1/2-1/2 draw: third occurrence",
            Self::QuietLimit => "1/2-1/2 draw: quiet limit reached, no placement or capture",
        }
    }
}

/// A game from the empty board, judged turn by turn.
#[derive(Clone, Debug)]
pub struct Referee {
    rules: GameRules,
    state: State,
    turns: Vec<String>,
    occurrences: HashMap<String, u32>,
}

impl Referee {
    /// A game that has not begun.
    #[must_use]
    pub fn new(rules: GameRules) -> Self {
        let mut referee =
            Self { rules, state: State::start(), turns: Vec::new(), occurrences: HashMap::new() };
        referee.count();
        referee
    }

    /// The position at hand.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The rules of the game.
    #[must_use]
    pub fn rules(&self) -> GameRules {
        self.rules
    }

    /// The turns played, as the protocol writes them.
    #[must_use]
    pub fn turns(&self) -> &[String] {
        &self.turns
    }

    /// The turns that may be played; none once the game is over.
    #[must_use]
    pub fn legal(&self) -> Vec<String> {
        if self.end().is_some() {
            return Vec::new();
        }
        self.state.turns(self.rules.turns).into_iter().map(|(text, _)| text).collect()
    }

    /// Plays a whole turn. `false` when it is not legal, and nothing has changed then.
    pub fn play(&mut self, turn: &str) -> bool {
        if self.end().is_some() {
            return false;
        }
        let turns = self.state.turns(self.rules.turns);
        let Some((text, state)) = turns.into_iter().find(|(text, _)| text == turn) else {
            return false;
        };
        self.state = state;
        self.turns.push(text);
        self.count();
        true
    }

    /// How the game has ended, if it has. A win goes before a draw.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        if let Some((winner, reason)) = self.state.winner(self.rules.turns) {
            return Some(End::Won(winner, reason));
        }
        if self.rules.repetition && self.occurrences.get(&self.key()).is_some_and(|&n| n >= 3) {
            return Some(End::Repetition);
        }
        let quiet = self.rules.quiet_limit;
        (quiet > 0 && self.state.quiet() >= quiet).then_some(End::QuietLimit)
    }

    fn count(&mut self) {
        *self.occurrences.entry(self.key()).or_default() += 1;
    }

    /// All of a position but its two counters.
    fn key(&self) -> String {
        let fen = self.state.fen(self.rules.turns);
        fen.split(' ').take(15).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACED: &str = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4 c4-b4 c3-c4";
    const CYCLE: &str = " f6-f4 a7-d7 f4-f6 d7-a7";

    fn played(rules: GameRules, turns: &str) -> Referee {
        let mut referee = Referee::new(rules);
        for turn in turns.split_whitespace() {
            assert!(referee.play(turn), "{turn}");
        }
        referee
    }

    #[test]
    fn the_third_occurrence_ends_the_game_and_nothing_is_legal_then() {
        let mut game = played(GameRules::STANDARD, &format!("{PLACED}{CYCLE} f6-f4 a7-d7 f4-f6"));
        assert_eq!(game.end(), None);
        assert!(game.play("d7-a7"));
        assert_eq!(game.end(), Some(End::Repetition));
        assert!(game.legal().is_empty() && !game.play("f6-f4"));
        let endless = GameRules { repetition: false, ..GameRules::STANDARD };
        assert_eq!(played(endless, &format!("{PLACED}{CYCLE}{CYCLE}{CYCLE}")).end(), None);
    }

    #[test]
    fn the_quiet_limit_counts_turns() {
        let rules = GameRules { quiet_limit: 6, ..GameRules::STANDARD };
        let game = played(rules, &format!("{PLACED} f6-f4 a7-d7 f4-f6"));
        assert_eq!(game.end(), None);
        let game = played(rules, &format!("{PLACED}{CYCLE}"));
        assert_eq!(game.end(), Some(End::QuietLimit));
    }
}
