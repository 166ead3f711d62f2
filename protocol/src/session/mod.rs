//! The session: owns the engine, the game and the options, and obeys commands one after the other.
//!
//! Searches run on the engine's threads and perft and bench on one of their own, so the session
//! always hears what comes in. A command that changes something ends a running search first. Behind
//! a perft or bench, commands wait, so that scripts get all they ask for; `isready` is answered all
//! the same, and `stop`, `quit` and the end of input end the calculation.

mod go;
mod inspect;
mod position;
mod setting;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use merel_engine::tablebase::Tables;
use merel_engine::{Color, Engine, Game};

use crate::build_info;
use crate::command::{Command, CommandError, Perft, parse};
use crate::format::{Dialect, Format};
use crate::input::{Event, Line};
use crate::options::{Options, UciDialect};
use crate::output::Output;
use crate::task::Task;

/// After `quit` or the end of input a perft, a bench or a search with a limit may still go
/// on for so long: what a script asks for and takes less is printed in full.
const GRACE: Duration = Duration::from_millis(500);

/// Then it is told to stop, and a perft or bench has so long to say so.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// Why a command was refused, and what else that means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Only the reason is printed.
    Plain(String),
    /// A `go`, which is owed a `bestmove`.
    Go(String),
    /// A `position`, after which there is none.
    Position(String),
}

impl Refusal {
    pub(crate) fn reason(&self) -> &str {
        match self {
            Self::Plain(reason) | Self::Go(reason) | Self::Position(reason) => reason,
        }
    }
}

impl From<CommandError> for Refusal {
    fn from(error: CommandError) -> Self {
        let reason = error.to_string();
        if error.is_go() {
            Self::Go(reason)
        } else if error.is_position() {
            Self::Position(reason)
        } else {
            Self::Plain(reason)
        }
    }
}

/// A search under way.
#[derive(Clone, Copy, Debug)]
struct Search {
    number: u64,
    /// Whether it has a limit, so that it may end soon by itself.
    is_limited: bool,
}

pub(crate) struct Session {
    output: Output,
    /// Where calculations and searches report that they have ended.
    events: Sender<Event>,
    engine: Engine,
    /// The game at hand, or why there is none.
    game: Result<Game, &'static str>,
    options: Options,
    /// Whether the peer speaks GBGP.
    gbgp: bool,
    task: Option<Task>,
    /// Searches started so far; the number of the last one.
    searches: u64,
    /// The search that runs.
    search: Option<Search>,
    /// Lines that wait for the task to end.
    waiting: VecDeque<Line>,
    /// How many of them are `stop`, which is meant for all that waits before it.
    stops_waiting: usize,
    /// Set once the input has ended: when a task still running has to end.
    deadline: Option<Instant>,
    quit: bool,
}

impl Session {
    pub(crate) fn new(output: Output, events: Sender<Event>) -> Self {
        let options = Options::default();
        let mut engine = Engine::new();
        engine.set_tables(Arc::new(Tables::builtin()));
        Self {
            output,
            events,
            engine,
            game: Ok(Game::start(options.rules)),
            options,
            gbgp: false,
            task: None,
            searches: 0,
            search: None,
            waiting: VecDeque::new(),
            stops_waiting: 0,
            deadline: None,
            quit: false,
        }
    }

    /// Obeys until `quit` or the end of input.
    pub(crate) fn run(&mut self, events: &Receiver<Event>) {
        while !self.quit {
            if self.task.is_some() {
                self.next_event(events);
            } else if let Some(line) = self.waiting.pop_front() {
                self.line_that_waited(&line);
            } else if self.deadline.is_some() && !self.is_in_limited_search() {
                break;
            } else {
                self.next_event(events);
            }
        }
        self.end(events);
    }

    /// Waits until the search or task under way has ended by itself, or nobody reads its output
    /// any more.
    pub(crate) fn finish(&mut self, events: &Receiver<Event>) {
        while !self.quit && (self.task.is_some() || self.search.is_some()) {
            self.next_event(events);
        }
        self.end(events);
    }

    fn next_event(&mut self, events: &Receiver<Event>) {
        let event = match self.deadline {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(deadline) => {
                events.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            }
        };
        match event {
            Ok(Event::Line(line)) if self.task.is_some() => self.line_behind_task(line),
            Ok(Event::Line(line)) => self.line(&line),
            Ok(Event::LineTooLong) => {
                self.output.error("a line of more than 1 MiB was passed over");
            }
            Ok(Event::EndOfInput) => self.input_ended(),
            Ok(Event::OutputClosed) => self.quit = true,
            Ok(Event::SearchDone(number)) => {
                self.search = self.search.filter(|search| search.number != number);
            }
            Ok(Event::TaskDone) => self.task_done(),
            // The deadline has passed.
            Err(_) => self.quit = true,
        }
    }

    fn is_in_limited_search(&self) -> bool {
        self.search.is_some_and(|search| search.is_limited)
    }

    fn input_ended(&mut self) {
        if self.task.is_some() || self.is_in_limited_search() {
            self.deadline = Some(Instant::now() + GRACE);
        } else {
            self.quit = true;
        }
    }

    fn task_done(&mut self) {
        if let Some(task) = self.task.take() {
            task.join();
        }
    }

    /// Ends whatever still runs.
    fn end(&mut self, events: &Receiver<Event>) {
        if let Some(task) = &self.task {
            task.stop();
            let deadline = Instant::now() + LAST_WORDS;
            // A task that does not end in time ends with the program.
            while let Ok(event) =
                events.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                if matches!(event, Event::TaskDone) {
                    break;
                }
            }
        }
        self.halt();
    }

    /// Ends a running search; its `bestmove` has been printed when this returns.
    fn halt(&mut self) {
        self.engine.stop();
        self.engine.wait();
        self.search = None;
    }

    /// A line that comes while a task runs.
    fn line_behind_task(&mut self, line: Line) {
        match parse(&line.text) {
            Ok(Command::IsReady) if self.waiting.is_empty() => self.line(&line),
            Ok(Command::Stop) => {
                if let Some(task) = &self.task {
                    task.stop();
                }
                // What waits to begin is meant as well.
                self.stops_waiting += 1;
                self.waiting.push_back(line);
            }
            Ok(Command::Quit) => {
                self.output.log_input(&line.text);
                self.input_ended();
            }
            _ => self.waiting.push_back(line),
        }
    }

    fn line_that_waited(&mut self, line: &Line) {
        if matches!(parse(&line.text), Ok(Command::Stop)) {
            self.stops_waiting -= 1;
        }
        self.line(line);
        if self.stops_waiting > 0
            && let Some(task) = &self.task
        {
            task.stop();
        }
    }

    fn line(&mut self, line: &Line) {
        let text = line.text.trim();
        self.output.log_input(text);
        let result = parse(text).map_err(Refusal::from).and_then(|c| self.obey(c, line.received));
        if let Err(refusal) = result {
            self.refuse(&refusal);
        }
    }

    fn refuse(&mut self, refusal: &Refusal) {
        match refusal {
            Refusal::Plain(reason) => self.output.error(reason),
            Refusal::Go(reason) => {
                self.halt();
                self.output.error(reason);
                self.output
                    .lines(&format!("bestmove {}", self.format(Color::White).null_move(None)));
            }
            Refusal::Position(reason) => {
                self.halt();
                self.game = Err("no position: the last position command was refused; send another");
                self.output.error(reason);
            }
        }
    }

    /// Obeys a command that came in at this time.
    ///
    /// # Errors
    /// Why it is refused.
    pub(crate) fn obey(&mut self, command: Command<'_>, received: Instant) -> Result<(), Refusal> {
        match command {
            Command::Nothing | Command::Debug => {}
            Command::Uci => self.handshake(false),
            Command::Gbgp => self.handshake(true),
            Command::IsReady => {
                if self.search.is_none() && self.task.is_none() {
                    self.engine.prepare(&self.options.search_options());
                }
                self.output.lines("readyok");
            }
            Command::NewGame => self.new_game(),
            Command::SetOption(option) => self.set_option(&option).map_err(Refusal::Plain)?,
            Command::Position(text) => self.set_position(&text).map_err(Refusal::Position)?,
            Command::Go(go) => self.go(&go, received).map_err(Refusal::Go)?,
            Command::Stop => self.halt(),
            Command::PonderHit => self.engine.ponder_hit(),
            Command::Quit => self.input_ended(),
            Command::Display => self.print_board().map_err(Refusal::Plain)?,
            Command::Fen => self.print_fen().map_err(Refusal::Plain)?,
            Command::Moves => self.print_moves().map_err(Refusal::Plain)?,
            Command::Eval => self.print_evaluation().map_err(Refusal::Plain)?,
            Command::Flip => self.flip().map_err(Refusal::Plain)?,
            Command::Bench => self.bench().map_err(Refusal::Plain)?,
            Command::Perft(what) => self.perft(what).map_err(Refusal::Plain)?,
            Command::Compiler => self.output.lines(&build_info::compiler()),
            Command::Help => self.output.lines(&inspect::help()),
            Command::License => self.output.lines(build_info::LICENSE),
        }
        Ok(())
    }

    fn dialect(&self) -> Dialect {
        match (self.gbgp, self.options.dialect) {
            (true, _) => Dialect::Gbgp,
            (false, UciDialect::Turn) => Dialect::Turn,
            (false, UciDialect::Sanmill) => Dialect::Sanmill,
        }
    }

    fn format(&self, to_move: Color) -> Format {
        Format { dialect: self.dialect(), to_move, show_wdl: self.options.show_wdl }
    }

    fn game(&self) -> Result<&Game, String> {
        self.game.as_ref().map_err(|reason| (*reason).to_owned())
    }

    fn bench(&mut self) -> Result<(), String> {
        self.halt();
        let task = Task::bench(&self.output, &self.events);
        self.task = Some(task.map_err(|error| format!("bench could not start: {error}"))?);
        Ok(())
    }

    fn perft(&mut self, what: Perft) -> Result<(), String> {
        self.halt();
        let position = *self.game()?.position();
        let task = Task::perft(position, what, &self.output, &self.events);
        self.task = Some(task.map_err(|error| format!("perft could not start: {error}"))?);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
