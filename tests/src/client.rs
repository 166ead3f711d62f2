//! A scripted client of the engine program that checks every answer by the oracle.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::oracle::{OracleRules, State};
use crate::program::Program;
use crate::referee::{End, Referee};

/// How client and engine talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// UCI, a turn in one token.
    Turn,
    /// UCI, a capture in a token and a `go` of its own.
    Sanmill,
    /// GBGP.
    Gbgp,
}

impl Dialect {
    fn handshake(self) -> (&'static str, &'static str) {
        match self {
            Self::Turn | Self::Sanmill => ("uci", "uciok"),
            Self::Gbgp => ("gbgp", "gbgpok"),
        }
    }

    fn new_game(self) -> &'static str {
        match self {
            Self::Turn | Self::Sanmill => "ucinewgame",
            Self::Gbgp => "newgame",
        }
    }

    /// A turn as this client writes it in a list of moves.
    fn tokens(self, turn: &str) -> String {
        match self {
            Self::Turn | Self::Gbgp => turn.to_owned(),
            Self::Sanmill => turn.replace('x', " x").trim_start().to_owned(),
        }
    }

    fn null_move(self, end: End) -> &'static str {
        match (self, end) {
            (Self::Turn, _) => "(none)",
            (Self::Sanmill, End::Repetition | End::QuietLimit) => "draw",
            (Self::Sanmill | Self::Gbgp, _) => "none",
        }
    }

    /// The list that `moves` prints, sorted.
    fn moves(self, state: &State, rules: OracleRules) -> Vec<String> {
        let list = match self {
            Self::Turn | Self::Gbgp => state.turns(rules),
            Self::Sanmill => state.actions(rules),
        };
        list.into_iter().map(|(text, _)| text).collect()
    }
}

/// An engine program and the client that talks to it. What the engine says wrong is a panic.
pub struct Client {
    program: Program,
    dialect: Dialect,
}

impl Client {
    /// Starts the engine, greets it and sets options, each as `name N value V`.
    ///
    /// # Panics
    /// If the engine refuses an option.
    #[must_use]
    pub fn start(path: impl AsRef<Path>, dialect: Dialect, options: &[&str]) -> Self {
        let mut program = Program::start(path, &[]);
        let (greeting, answer) = dialect.handshake();
        program.send(greeting);
        program.until(answer);
        let sanmill: &[&str] = match dialect {
            Dialect::Turn | Dialect::Gbgp => &[],
            Dialect::Sanmill => &["name UCI_Dialect value sanmill"],
        };
        for option in sanmill.iter().chain(options) {
            assert_eq!(program.ask(&format!("setoption {option}")), [""; 0], "{option}");
        }
        Self { program, dialect }
    }

    /// Begins a new game.
    ///
    /// # Panics
    /// If the engine says anything to that.
    pub fn new_game(&mut self) {
        assert_eq!(self.program.ask(self.dialect.new_game()), [""; 0]);
    }

    /// Asks for a turn and gives it back once everything said with it was right: `fen` and `moves`
    /// before it, a line that is legal to its end and begins with the turn, an expected reply that
    /// is legal.
    ///
    /// # Panics
    /// If anything was wrong.
    pub fn turn(&mut self, game: &Referee, go: &str) -> String {
        let rules = game.rules().turns;
        let mut state = game.state().clone();
        let mut turn = String::new();
        loop {
            self.send_position(game, &turn);
            assert_eq!(self.program.ask("fen"), [format!("fen {}", state.fen(rules))]);
            self.check_moves(&state, rules);
            let (best, next) = self.part(&state, rules, go);
            turn.push_str(&best);
            if next.side() != state.side() {
                return turn;
            }
            assert_eq!(self.dialect, Dialect::Sanmill, "{best} lacks its capture");
            state = next;
        }
    }

    /// As [`Client::turn`], but asks for nothing else: a whole turn, and how long it took.
    ///
    /// # Panics
    /// If anything was wrong.
    pub fn timed_turn(&mut self, game: &Referee, go: &str) -> (String, Duration) {
        self.send_position(game, "");
        let start = Instant::now();
        self.program.send(go);
        let lines = self.program.until("bestmove ");
        let time = start.elapsed();
        (self.check_answer(game.state(), game.rules().turns, &lines).0, time)
    }

    /// Asks for a turn in a game that has ended: the result with its reason, and no turn.
    ///
    /// # Panics
    /// If the engine says anything else.
    pub fn check_end(&mut self, game: &Referee) {
        let end = game.end().expect("the game is over");
        self.send_position(game, "");
        let lines = self.program.ask("go depth 3");
        let [result, info, best] = lines.as_slice() else { panic!("{end:?}: {lines:#?}") };
        assert_eq!(result, &format!("info string result {}", end.text()), "{:?}", game.turns());
        assert!(info.starts_with("info depth 0 score "), "{info}");
        if matches!(end, End::Repetition | End::QuietLimit) {
            assert!(info.ends_with(" 0"), "{info}");
        }
        assert_eq!(best, &format!("bestmove {}", self.dialect.null_move(end)));
        assert_eq!(self.program.ask("moves"), ["moves"]);
    }

    /// Ends the engine.
    ///
    /// # Panics
    /// If it does not end well.
    pub fn quit(mut self) {
        self.program.send("quit");
        let (rest, status, _) = self.program.end();
        assert_eq!(rest, [""; 0]);
        assert!(status.success(), "{status}");
    }

    /// Sends the game so far and the beginning of the next turn.
    fn send_position(&mut self, game: &Referee, begun: &str) {
        let mut line = "position startpos moves".to_owned();
        for turn in game.turns().iter().map(String::as_str).chain([begun]) {
            line.push(' ');
            line.push_str(&self.dialect.tokens(turn));
        }
        self.program.send(line.trim_end());
    }

    fn check_moves(&mut self, state: &State, rules: OracleRules) {
        let lines = self.program.ask("moves");
        let [line] = lines.as_slice() else { panic!("{lines:#?}") };
        let mut printed: Vec<&str> = line.split(' ').skip(1).collect();
        printed.sort_unstable();
        assert_eq!(printed, self.dialect.moves(state, rules));
    }

    /// One `go`.
    fn part(&mut self, state: &State, rules: OracleRules, go: &str) -> (String, State) {
        self.program.send(go);
        let lines = self.program.until("bestmove ");
        self.check_answer(state, rules, &lines)
    }

    /// The turn, or the action, and where it leads.
    fn check_answer(&self, state: &State, rules: OracleRules, lines: &[String]) -> (String, State) {
        let (best, ponder) = best_of(lines);
        let Some(next) = self.played(state, &best, rules) else {
            panic!("{}: {best} is illegal: {lines:#?}", state.fen(rules))
        };
        if let Some(reply) = ponder {
            assert!(self.played(&next, &reply, rules).is_some(), "{reply}: {lines:#?}");
        }
        let line = lines.iter().rfind(|line| line.contains(" pv "));
        let line = line.unwrap_or_else(|| panic!("no line at all: {lines:#?}"));
        self.check_line(line, &best, state, rules);
        if self.dialect == Dialect::Gbgp {
            for word in ["multipv", "tbhits", "mate", "cp"] {
                assert!(!lines.iter().any(|l| l.split(' ').any(|w| w == word)), "{lines:#?}");
            }
        }
        (best, next)
    }

    /// The principal variation begins with the best turn and is legal to its end.
    fn check_line(&self, line: &str, best: &str, state: &State, rules: OracleRules) {
        let (_, variation) = line.split_once(" pv ").expect("it has one");
        assert!(variation.split(' ').next() == Some(best), "{best}: {line}");
        let mut state = state.clone();
        for token in variation.split(' ') {
            let next = self.played(&state, token, rules);
            state = next.unwrap_or_else(|| panic!("{} {token}: {line}", state.fen(rules)));
        }
        if line.contains(" score mate ") || line.contains(" score win ") {
            assert!(state.winner(rules).is_some(), "the line ends before the game does: {line}");
        }
    }

    /// The position after a token of this dialect: a whole turn, or a single action.
    fn played(&self, state: &State, token: &str, rules: OracleRules) -> Option<State> {
        let list = match self.dialect {
            Dialect::Turn | Dialect::Gbgp => state.turns(rules),
            Dialect::Sanmill => state.actions(rules),
        };
        list.into_iter().find(|(text, _)| text == token).map(|(_, next)| next)
    }
}

/// The turn of the last line, and the reply expected to it.
fn best_of(lines: &[String]) -> (String, Option<String>) {
    let words: Vec<&str> = lines.last().expect("a bestmove").split(' ').collect();
    match words.as_slice() {
        ["bestmove", best] => ((*best).to_owned(), None),
        ["bestmove", best, "ponder", reply] => ((*best).to_owned(), Some((*reply).to_owned())),
        _ => panic!("{lines:#?}"),
    }
}
