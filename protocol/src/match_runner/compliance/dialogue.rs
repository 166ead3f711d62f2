//! Talking with the engine that is checked, and remembering what was said.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use merel_engine::{Game, Position, Rules};

use crate::match_runner::config::{EngineConfig, Patience, Protocol};
use crate::match_runner::wire::{Announced, Answer, Child, Dialect, Heard, Transcript};

/// So many lines of a step are kept to be shown.
const KEPT: usize = 40;

/// The answer to a `go`.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) answer: Answer,
    pub(super) best: String,
    pub(super) time: Duration,
}

/// The engine and what was said since the step began.
pub(super) struct Dialogue {
    child: Option<Child>,
    pub(super) dialect: Dialect,
    protocol: Option<Protocol>,
    settings: Vec<(String, String)>,
    pub(super) patience: Patience,
    pub(super) name: Option<String>,
    pub(super) author: Option<String>,
    pub(super) options: Vec<Announced>,
    /// Lines that begin as an option does but cannot be read.
    pub(super) strange_options: Vec<String>,
    lines: VecDeque<String>,
}

impl Dialogue {
    pub(super) fn start(engine: &EngineConfig, patience: Patience) -> Result<Self, String> {
        let child = Child::start(engine, engine.name.clone(), Transcript::default())?;
        Ok(Self {
            child: Some(child),
            dialect: Dialect::greeting(engine.protocol),
            protocol: engine.protocol,
            settings: engine.options.clone(),
            patience,
            name: None,
            author: None,
            options: Vec::new(),
            strange_options: Vec::new(),
            lines: VecDeque::new(),
        })
    }

    pub(super) fn begin_step(&mut self) {
        self.lines.clear();
    }

    pub(super) const fn has_ended(&self) -> bool {
        self.child.is_none()
    }

    /// What was said in this step, `>` to the engine and `<` from it.
    pub(super) fn text(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(|line| format!("     {line}")).collect();
        lines.join("\n")
    }

    fn note(&mut self, line: String) {
        if self.lines.len() == KEPT {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }

    pub(super) fn send(&mut self, line: &str) -> Result<(), String> {
        self.note(format!("> {line}"));
        let Some(child) = &mut self.child else { return Err("the engine has ended".to_owned()) };
        if child.send(line.to_owned()) {
            Ok(())
        } else {
            Err("the engine reads nothing".to_owned())
        }
    }

    /// The next line, `None` when there is none in time.
    fn line(&mut self, until: Instant) -> Result<Option<String>, String> {
        let Some(child) = &mut self.child else { return Err("the engine has ended".to_owned()) };
        match child.hear(until) {
            Heard::Line(line, at) => {
                self.note(format!("< {line}"));
                Ok((at <= until).then_some(line))
            }
            Heard::LineTooLong => {
                self.note("< (a line of more than 64 KiB)".to_owned());
                Err("a line of more than 64 KiB".to_owned())
            }
            Heard::Nothing => Ok(None),
            Heard::Closed => {
                let how = child.status().map_or_else(
                    || "the engine has closed its output".to_owned(),
                    |status| format!("the engine has ended ({status})"),
                );
                self.note(format!("< ({how})"));
                Err(how)
            }
        }
    }

    /// The lines up to the one that is `word`, or begins with it and a space.
    pub(super) fn until(&mut self, word: &str, ms: u64) -> Result<Vec<String>, String> {
        let until = Instant::now() + Duration::from_millis(ms);
        let mut lines = Vec::new();
        loop {
            let Some(line) = self.line(until)? else {
                return Err(format!("no {word} in {ms} ms"));
            };
            let is_last = line.split(' ').next() == Some(word);
            // An engine that writes without end is known by its first lines as well.
            if lines.len() < 100_000 {
                lines.push(line);
            }
            if is_last {
                return Ok(lines);
            }
        }
    }

    /// Greets, hears who it is, sets the options asked for.
    pub(super) fn greet(&mut self) -> Result<(), String> {
        self.send(self.dialect.hello())?;
        let lines = self.until(self.dialect.hello_answer(), self.patience.startup_ms)?;
        for line in &lines {
            if let Some(name) = line.strip_prefix("id name ") {
                self.name = Some(name.to_owned());
            } else if let Some(author) = line.strip_prefix("id author ") {
                self.author = Some(author.to_owned());
            } else if line.starts_with("option") {
                match Announced::read(line) {
                    Some(option) => self.options.push(option),
                    None => self.strange_options.push(line.clone()),
                }
            }
        }
        let name = self.name.clone().unwrap_or_default();
        self.dialect = self.dialect.settled(self.protocol, &name, &self.settings);
        let mut settings = self.settings.clone();
        if self.dialect == Dialect::Sanmill
            && Announced::find(&self.options, "UCI_Dialect").is_some()
        {
            settings.push(("UCI_Dialect".to_owned(), "sanmill".to_owned()));
        }
        for (name, value) in settings {
            let line = Announced::set(&self.options, &name, &value)?;
            self.send(&line)?;
        }
        Ok(())
    }

    /// Asks whether it is ready: the lines that came before it was.
    pub(super) fn ready(&mut self) -> Result<Vec<String>, String> {
        self.send("isready")?;
        let mut lines = self.until("readyok", self.patience.ping_ms.min(5000))?;
        lines.pop();
        Ok(lines)
    }

    /// Sends a game as its turns from the empty board, and gives it.
    pub(super) fn position(&mut self, turns: &str) -> Result<Game, String> {
        let mut game = Game::start(Rules::default());
        let mut command = "position startpos".to_owned();
        for (index, text) in turns.split_whitespace().enumerate() {
            let turn = game.play_text(text).map_err(|error| format!("{text}: {error}"))?;
            if index == 0 {
                command.push_str(" moves");
            }
            self.dialect.append(&mut command, turn);
        }
        self.send(&command)?;
        Ok(game)
    }

    /// Sends a position as a text of its own; `None` where the dialect has none for it.
    pub(super) fn position_alone(&mut self, position: Position) -> Result<Option<Game>, String> {
        let Some(command) = self.dialect.position(&position) else { return Ok(None) };
        self.send(&command)?;
        Ok(Some(Game::new(position)))
    }

    /// Sends a `go` and hears the answer, given so much time.
    pub(super) fn go(&mut self, line: &str, game: &Game, ms: u64) -> Result<Found, String> {
        self.send(line)?;
        self.found(game, ms)
    }

    /// Hears the answer to a `go`.
    pub(super) fn found(&mut self, game: &Game, ms: u64) -> Result<Found, String> {
        let start = Instant::now();
        let until = start + Duration::from_millis(ms);
        let flip = self.dialect.flips(game.position().to_move());
        let mut answer = Answer::default();
        loop {
            let Some(line) = self.line(until)? else {
                return Err(format!("no bestmove in {ms} ms"));
            };
            answer.read(&line, flip);
            if let Some(best) = answer.best.clone() {
                return Ok(Found { answer, best, time: start.elapsed() });
            }
        }
    }

    /// Plays the answer; it may be a part of a turn in a dialect of single actions.
    pub(super) fn play(&self, game: &mut Game, token: &str) -> Result<(), String> {
        let position = game.position();
        let read = match self.dialect {
            Dialect::Sanmill => position.parse_part(token),
            Dialect::Turn | Dialect::Gbgp => position.parse_turn(token),
        };
        read.and_then(|turn| game.play_text(&turn.to_string())).map(drop).map_err(|error| {
            format!("bestmove '{}' is not legal: {error}", crate::text::clip(token))
        })
    }

    /// Says `quit`, or only closes the input; whether it ended by itself in this time.
    pub(super) fn end(&mut self, says_quit: bool, time: Duration) -> bool {
        self.note(if says_quit { "> quit" } else { "> (end of input)" }.to_owned());
        self.child.take().is_none_or(|child| child.end(says_quit, time))
    }
}
