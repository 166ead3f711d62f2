//! What the integration tests need to hold the engine against the oracle: the same rules on both
//! sides, searches run to their end, and the data files.

use std::path::Path;
use std::sync::mpsc;

use merel_engine::{
    AllInMills, BestTurn, Color, DoubleMill, Engine, Game, Info, Limits, Outcome, Position, Report,
    Rules, SearchOptions, WinReason,
};

use crate::oracle::{OracleRules, Reason, Side, State};

/// The engine's rules for the oracle's. What the oracle has no opinion on is as in `standard`.
#[must_use]
pub fn engine_rules(rules: OracleRules) -> Rules {
    Rules {
        double_mill: if rules.double_mill_two { DoubleMill::Two } else { DoubleMill::One },
        no_immediate_return: rules.no_immediate_return,
        all_in_mills: if rules.all_in_mills_none { AllInMills::None } else { AllInMills::Any },
        ..Rules::default()
    }
}

/// The part of the engine's rules that the oracle knows: which turns are legal.
#[must_use]
pub fn oracle_rules(rules: Rules) -> OracleRules {
    OracleRules {
        double_mill_two: rules.double_mill == DoubleMill::Two,
        no_immediate_return: rules.no_immediate_return,
        all_in_mills_none: rules.all_in_mills == AllInMills::None,
    }
}

/// The engine's word for a side.
#[must_use]
pub fn color(side: Side) -> Color {
    match side {
        Side::White => Color::White,
        Side::Black => Color::Black,
    }
}

/// The engine's word for the end of a game as the oracle sees it.
#[must_use]
pub fn outcome((winner, reason): (Side, Reason)) -> Outcome {
    let reason = match reason {
        Reason::FewerThanThree => WinReason::FewerThanThree,
        Reason::Blocked => WinReason::NoLegalMove,
    };
    Outcome::Win { winner: color(winner), reason }
}

/// The engine's position for the oracle's, handed over as text.
///
/// # Panics
/// When the engine refuses the text.
#[must_use]
pub fn position(state: &State, rules: Rules) -> Position {
    let fen = state.fen(oracle_rules(rules));
    Position::from_fen(&fen, rules).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The engine's position for a FEN.
///
/// # Panics
/// When the engine refuses it.
#[must_use]
pub fn from_fen(fen: &str, rules: Rules) -> Position {
    Position::from_fen(fen, rules).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// A game from the start by its moves, captures in tokens of their own or not.
///
/// # Panics
/// When a move is refused.
#[must_use]
pub fn played(rules: Rules, moves: &str) -> Game {
    let mut game = Game::start(rules);
    for token in moves.split_whitespace() {
        game.play_text(token).unwrap_or_else(|error| panic!("{token}: {error}"));
    }
    game
}

/// Everything a search has said.
#[derive(Clone, Debug)]
pub struct Searched {
    /// Its progress, in order.
    pub infos: Vec<Info>,
    /// Its result.
    pub result: BestTurn,
}

impl Searched {
    /// The last report of the best line.
    ///
    /// # Panics
    /// When there was none, which breaks the engine's promise.
    #[must_use]
    pub fn last(&self) -> &Info {
        let mut best = self.infos.iter().filter(|info| info.multi_pv == 1);
        best.next_back().expect("at least one report comes before the result")
    }
}

/// Searches with one line at full strength, and waits for the result.
#[must_use]
pub fn search(engine: &mut Engine, game: &Game, limits: Limits) -> Searched {
    search_with(engine, game, limits, SearchOptions::default())
}

/// Searches and waits for the result.
///
/// # Panics
/// When the search does not end with exactly one result.
#[must_use]
pub fn search_with(
    engine: &mut Engine,
    game: &Game,
    limits: Limits,
    options: SearchOptions,
) -> Searched {
    let (sender, reports) = mpsc::channel();
    engine.start(game, limits, options, move |report| {
        sender.send(report).expect("the test listens to the end");
    });
    let mut infos = Vec::new();
    let mut results = Vec::new();
    for report in reports {
        match report {
            Report::Info(info) => {
                assert!(results.is_empty(), "a report after the result");
                infos.push(info);
            }
            Report::Done(result) => results.push(result),
        }
    }
    assert_eq!(results.len(), 1, "one result");
    Searched { infos, result: results[0] }
}

/// A limit of depth alone.
#[must_use]
pub fn depth(plies: u32) -> Limits {
    Limits { depth: Some(plies), ..Limits::default() }
}

/// A limit of nodes alone.
#[must_use]
pub fn nodes(count: u64) -> Limits {
    Limits { nodes: Some(count), ..Limits::default() }
}

/// One line of an `.epd` file.
#[derive(Clone, Debug)]
pub struct EpdLine {
    /// The position.
    pub fen: String,
    fields: Vec<(String, String)>,
}

impl EpdLine {
    /// The value of a field, if the line has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The text of a file in the data folder.
///
/// # Panics
/// When it cannot be read.
#[must_use]
pub fn data_text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of an `.epd` file in the data folder.
///
/// # Panics
/// When the file cannot be read or has another form.
#[must_use]
pub fn epd(file: &str) -> Vec<EpdLine> {
    let read = |line: &str| {
        let mut parts = line.split(';').map(str::trim);
        let fen = parts.next().expect("a FEN").to_owned();
        let field = |part: &str| {
            let (name, value) = part.split_once(' ').expect("a name and a value");
            (name.to_owned(), value.to_owned())
        };
        EpdLine { fen, fields: parts.map(field).collect() }
    };
    data_text(file).lines().filter(|line| !line.is_empty()).map(read).collect()
}
