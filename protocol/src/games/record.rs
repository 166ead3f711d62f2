//! What is known of a game, whatever file it comes from.

use std::fmt;

use merel_engine::{Color, Game, Outcome, Position, Rules, Turn};

use super::tags::Tags;

/// A game that has been replayed by the rules: every turn of it is legal.
///
/// [`Record::new`] begins one, [`Record::push`] adds turns, and the writers of this module bring it
/// into a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The tags in their order, without those that the fields below stand for (`Variant`, `Rules`,
    /// `FEN`, `SetUp`, `Result`, `ResultReason`, `Termination`, `PlyCount`).
    pub tags: Tags,
    start: Position,
    /// Comments before the first turn.
    pub comments: Vec<String>,
    turns: Vec<RecordedTurn>,
    /// How the game ended.
    pub result: GameResult,
    /// Why the game has this result, in words, as `White wins: Black has no legal move`.
    pub reason: Option<String>,
    /// In which way it came to its end.
    pub termination: Option<Termination>,
}

/// A turn and what was said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedTurn {
    /// The turn, with its captures. Only the last of a game may lack captures that it earned.
    pub turn: Turn,
    /// The comments that follow it.
    pub comments: Vec<String>,
}

impl RecordedTurn {
    /// A turn about which nothing was said.
    #[must_use]
    pub const fn new(turn: Turn) -> Self {
        Self { turn, comments: Vec::new() }
    }
}

impl Record {
    /// A game without turns that starts here, under the rules of the position.
    #[must_use]
    pub const fn new(start: Position) -> Self {
        Self {
            tags: Tags::new(),
            start,
            comments: Vec::new(),
            turns: Vec::new(),
            result: GameResult::Unknown,
            reason: None,
            termination: None,
        }
    }

    /// A game with these turns, and with the result that the board shows, if it is over.
    ///
    /// # Panics
    /// If a turn is not legal in its place, which [`Position::is_legal`] tells.
    #[must_use]
    pub fn played(start: Position, turns: impl IntoIterator<Item = Turn>) -> Self {
        let mut record = Self::new(start);
        let mut game = Game::new(start);
        for turn in turns {
            assert!(game.position().is_legal(turn), "{turn} is not legal after {:?}", record.turns);
            game.play(turn);
            record.push(RecordedTurn::new(turn));
        }
        if let Some(outcome) = game.outcome() {
            record.end(outcome);
        }
        record
    }

    /// Adds a turn. It has to be legal where the game stands, or readers will refuse the game.
    pub fn push(&mut self, turn: RecordedTurn) {
        self.turns.push(turn);
    }

    /// Notes the end that the board shows: the result, and its reason unless one is there.
    pub fn end(&mut self, outcome: Outcome) {
        self.result = outcome.into();
        self.reason.get_or_insert_with(|| reason(outcome));
    }

    /// The rules of the game.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.start.rules()
    }

    /// Where the game starts.
    #[must_use]
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// Whether it starts from the empty board.
    #[must_use]
    pub fn is_from_start(&self) -> bool {
        self.start == Position::start(self.rules())
    }

    /// The turns in order.
    #[must_use]
    pub fn turns(&self) -> &[RecordedTurn] {
        &self.turns
    }

    pub(super) fn turns_mut(&mut self) -> &mut Vec<RecordedTurn> {
        &mut self.turns
    }
}

/// The reason of an outcome, without the result before it.
pub(super) fn reason(outcome: Outcome) -> String {
    let text = outcome.to_string();
    text.strip_prefix(outcome.result()).unwrap_or(&text).trim_start().to_owned()
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// A player has won.
    Win(Color),
    /// Nobody has won.
    Draw,
    /// Not known, or the game was not finished.
    Unknown,
}

impl GameResult {
    /// Reads `1-0`, `0-1`, `1/2-1/2` (also `1/2`) or `*`.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        match text {
            "1-0" => Some(Self::Win(Color::White)),
            "0-1" => Some(Self::Win(Color::Black)),
            "1/2-1/2" | "1/2" => Some(Self::Draw),
            "*" => Some(Self::Unknown),
            _ => None,
        }
    }

    /// As game files write it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Win(Color::White) => "1-0",
            Self::Win(Color::Black) => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Win { winner, .. } => Self::Win(winner),
            Outcome::Draw(_) => Self::Draw,
        }
    }
}

/// In which way a game came to its end: the tag `Termination`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Termination {
    /// By the rules.
    Normal,
    /// Somebody who watched it judged it.
    Adjudication,
    /// The loser's time ran out.
    TimeForfeit,
    /// The loser made a turn that is not legal.
    IllegalMove,
    /// The loser did not answer.
    Stall,
    /// The loser's program ended.
    Disconnect,
    /// It was broken off.
    Interrupted,
    /// What another program writes.
    Other(String),
}

impl Termination {
    const NAMED: [(&'static str, Self); 7] = [
        ("normal", Self::Normal),
        ("adjudication", Self::Adjudication),
        ("time forfeit", Self::TimeForfeit),
        ("illegal move", Self::IllegalMove),
        ("stall", Self::Stall),
        ("disconnect", Self::Disconnect),
        ("interrupted", Self::Interrupted),
    ];

    /// The value with this text; any other is kept as it is.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let named = Self::NAMED.into_iter().find(|(name, _)| *name == text);
        named.map_or_else(|| Self::Other(text.to_owned()), |(_, value)| value)
    }

    /// The value of the tag.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Normal => "normal",
            Self::Adjudication => "adjudication",
            Self::TimeForfeit => "time forfeit",
            Self::IllegalMove => "illegal move",
            Self::Stall => "stall",
            Self::Disconnect => "disconnect",
            Self::Interrupted => "interrupted",
            Self::Other(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_terminations_read_back() {
        for result in [
            GameResult::Win(Color::White),
            GameResult::Win(Color::Black),
            GameResult::Draw,
            GameResult::Unknown,
        ] {
            assert_eq!(GameResult::from_text(result.text()), Some(result));
        }
        assert_eq!(GameResult::from_text("1/2"), Some(GameResult::Draw));
        assert_eq!(GameResult::from_text("1-1"), None);
        for (name, value) in Termination::NAMED {
            assert_eq!(value.text(), name);
            assert_eq!(Termination::from_text(name), value);
        }
        let other = Termination::from_text("Normal");
        assert_eq!(other, Termination::Other("Normal".to_owned()));
        assert_eq!(other.text(), "Normal");
    }

    #[test]
    fn a_record_of_played_turns_knows_its_end() {
        let text = "d2 b2 f2 g4 a1 a4 d3 f4 c3 e3 e5 c5 g1 d1 c4 d5 e4 b4";
        let turns = text.split(' ').map(|t| merel_engine::parse_turn(t).unwrap());
        let record = Record::played(Position::start(Rules::default()), turns);
        assert_eq!(record.result, GameResult::Win(Color::Black));
        assert_eq!(record.reason.as_deref(), Some("Black wins: White has no legal move"));
        assert!(record.is_from_start());
    }
}
