//! An engine that has greeted and can be asked for turns.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Announced, Answer, Child, Dialect, Heard, Transcript};
use crate::match_runner::config::{EngineConfig, Patience, Protocol, RulesConfig};

/// An order to stop is noticed so soon.
const TICK: Duration = Duration::from_millis(50);
/// An engine has so long to end after `quit`.
const FAREWELL: Duration = Duration::from_secs(2);

/// How an engine has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::match_runner) enum FailureKind {
    /// It has ended, or closed its output.
    Disconnect,
    /// It does not answer.
    Stall,
}

/// A failure, and what was seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::match_runner) struct Failure {
    pub(in crate::match_runner) kind: FailureKind,
    pub(in crate::match_runner) detail: String,
}

/// Why an engine did not get ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::match_runner) enum StartError {
    /// It cannot be used.
    Unusable(String),
    /// The match is being stopped.
    Interrupted,
}

/// What an engine says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::match_runner) struct Identity {
    pub(in crate::match_runner) name: String,
    pub(in crate::match_runner) options: Vec<Announced>,
    /// What its user should know.
    pub(in crate::match_runner) warning: Option<String>,
}

/// How a search has ended.
#[derive(Debug)]
pub(in crate::match_runner) enum Thought {
    /// In time, after so long.
    InTime(Answer, Duration),
    /// With a turn, but after its time.
    Late(Answer, Duration),
    /// Without any.
    Failed(Failure),
    /// The match is being stopped.
    Interrupted,
}

/// What a wait for a line came to.
enum Awaited {
    Line(String, Instant),
    TimeOut,
    Failed(Failure),
    Interrupted,
}

/// The engine.
pub(in crate::match_runner) struct Player {
    child: Child,
    dialect: Dialect,
    identity: Identity,
    patience: Patience,
    interrupt: &'static AtomicBool,
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("dialect", &self.dialect).finish_non_exhaustive()
    }
}

impl Player {
    /// Starts an engine, greets it, sets its options and the rules, and waits until it is ready.
    ///
    /// # Errors
    /// Why it cannot play.
    pub(in crate::match_runner) fn start(
        engine: &EngineConfig,
        rules: &RulesConfig,
        patience: Patience,
        label: String,
        transcript: Transcript,
        interrupt: &'static AtomicBool,
    ) -> Result<Self, StartError> {
        let child = Child::start(engine, label, transcript).map_err(StartError::Unusable)?;
        let mut player = Self {
            child,
            dialect: Dialect::greeting(engine.protocol),
            identity: Identity::default(),
            patience,
            interrupt,
        };
        player.greet()?;
        player.dialect =
            player.dialect.settled(engine.protocol, &player.identity.name, &engine.options);
        player.set_options(engine, rules)?;
        player.ready(player.patience.startup_ms).map_err(|stopped| match stopped {
            Some(failure) => StartError::Unusable(failure.detail),
            None => StartError::Interrupted,
        })?;
        Ok(player)
    }

    pub(in crate::match_runner) const fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(in crate::match_runner) const fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn greet(&mut self) -> Result<(), StartError> {
        let (hello, answer) = (self.dialect.hello(), self.dialect.hello_answer());
        self.child.send(hello.to_owned());
        let time = self.patience.startup_ms;
        let until = Instant::now() + Duration::from_millis(time);
        loop {
            match self.line(until) {
                Awaited::Line(line, _) if line == answer => return Ok(()),
                Awaited::Line(line, _) => {
                    if let Some(name) = line.strip_prefix("id name ") {
                        name.trim().clone_into(&mut self.identity.name);
                    }
                    // An engine that announces without end is no reason to keep it all.
                    if self.identity.options.len() < 1000 {
                        self.identity.options.extend(Announced::read(&line));
                    }
                }
                Awaited::TimeOut => {
                    return Err(StartError::Unusable(format!(
                        "no {answer} in {time} ms after {hello}; does it speak this protocol? (proto=, -startup-ms)"
                    )));
                }
                Awaited::Failed(failure) => {
                    return Err(StartError::Unusable(format!(
                        "no {answer} after {hello}: {}",
                        failure.detail
                    )));
                }
                Awaited::Interrupted => return Err(StartError::Interrupted),
            }
        }
    }

    fn set_options(
        &mut self,
        engine: &EngineConfig,
        rules: &RulesConfig,
    ) -> Result<(), StartError> {
        let announced = &self.identity.options;
        let mut lines = Vec::new();
        for (name, value) in &engine.options {
            lines.push(Announced::set(announced, name, value).map_err(StartError::Unusable)?);
        }
        if engine.protocol == Some(Protocol::Sanmill)
            && Announced::find(announced, "UCI_Dialect").is_some()
        {
            lines.push("setoption name UCI_Dialect value sanmill".to_owned());
        }
        let (rule_lines, warning) =
            Announced::rules(announced, rules).map_err(StartError::Unusable)?;
        self.identity.warning = warning;
        for line in lines.into_iter().chain(rule_lines) {
            self.child.send(line);
        }
        Ok(())
    }

    /// The next line before a moment.
    fn line(&mut self, until: Instant) -> Awaited {
        loop {
            if self.interrupt.load(Ordering::Relaxed) {
                return Awaited::Interrupted;
            }
            let now = Instant::now();
            let heard = self.child.hear(until.min(now + TICK));
            match heard {
                Heard::Line(line, at) => return Awaited::Line(line, at),
                Heard::Closed => return Awaited::Failed(self.gone()),
                // One that writes without end is late as well.
                Heard::LineTooLong | Heard::Nothing if Instant::now() >= until => {
                    return Awaited::TimeOut;
                }
                Heard::LineTooLong | Heard::Nothing => {}
            }
        }
    }

    /// The failure of an engine whose output has ended.
    fn gone(&mut self) -> Failure {
        let detail = match self.child.status() {
            Some(status) => format!("the engine has ended ({status})"),
            None => "the engine has closed its output".to_owned(),
        };
        Failure { kind: FailureKind::Disconnect, detail }
    }

    /// Sends a line; a failure when the engine reads none.
    pub(in crate::match_runner) fn send(&mut self, line: String) -> Result<(), Failure> {
        if self.child.send(line) {
            return Ok(());
        }
        let detail = "the engine reads nothing".to_owned();
        Err(Failure { kind: FailureKind::Stall, detail })
    }

    /// Waits until the engine is ready.
    ///
    /// # Errors
    /// Its failure, or `None` when the match is being stopped.
    pub(in crate::match_runner) fn ready(&mut self, time_ms: u64) -> Result<(), Option<Failure>> {
        self.send("isready".to_owned())?;
        self.await_ready(time_ms).map(drop)
    }

    /// Waits for the answer to `isready`. Returns when it was there.
    fn await_ready(&mut self, time_ms: u64) -> Result<Instant, Option<Failure>> {
        let until = Instant::now() + Duration::from_millis(time_ms);
        loop {
            match self.line(until) {
                Awaited::Line(line, at) if line == "readyok" => return Ok(at),
                Awaited::Line(_, at) if at < until => {}
                Awaited::Line(..) | Awaited::TimeOut => {
                    let detail = format!("no readyok in {time_ms} ms after isready");
                    return Err(Some(Failure { kind: FailureKind::Stall, detail }));
                }
                Awaited::Failed(failure) => return Err(Some(failure)),
                Awaited::Interrupted => return Err(None),
            }
        }
    }

    /// Prepares the engine for another game.
    ///
    /// # Errors
    /// As [`Self::ready`].
    pub(in crate::match_runner) fn new_game(&mut self) -> Result<(), Option<Failure>> {
        self.send(format!("{}\nisready", self.dialect.new_game()))?;
        self.await_ready(self.patience.new_game_ms).map(drop)
    }

    /// Asks for a turn: with the position, and a `go` that allows so much time (`None`: any).
    /// `flip` when scores are the opponent's.
    ///
    /// The engine first has to say that it is ready, so that one that hangs is told from one that
    /// is late. It finds `go` behind `isready`, which spares fast games a way to and fro, so its clock
    /// runs from when `readyok` is there until `bestmove` is.
    pub(in crate::match_runner) fn think(
        &mut self,
        position: &str,
        go: &str,
        flip: bool,
        allowed: Option<Duration>,
    ) -> Thought {
        self.child.forget();
        if let Err(failure) = self.send(format!("{position}\nisready\n{go}")) {
            return Thought::Failed(failure);
        }
        let start = match self.await_ready(self.patience.ping_ms) {
            Ok(at) => at,
            Err(Some(failure)) => return Thought::Failed(failure),
            Err(None) => return Thought::Interrupted,
        };
        let patience = Duration::from_millis(self.patience.turn_ms);
        let mut answer = Answer::default();
        let deadline = start + allowed.unwrap_or(patience);
        match self.answer(&mut answer, flip, deadline) {
            Awaited::Line(_, at) => {
                let used = at.saturating_duration_since(start);
                if at <= deadline {
                    return Thought::InTime(answer, used);
                }
                if allowed.is_some() {
                    return Thought::Late(answer, used);
                }
            }
            Awaited::Failed(failure) => return Thought::Failed(failure),
            Awaited::Interrupted => return Thought::Interrupted,
            Awaited::TimeOut => {}
        }
        let Some(allowed) = allowed else {
            let detail = format!("no bestmove in {} ms after go", self.patience.turn_ms);
            return Thought::Failed(Failure { kind: FailureKind::Stall, detail });
        };
        if let Err(failure) = self.send("stop".to_owned()) {
            return Thought::Failed(failure);
        }
        let last = Instant::now() + Duration::from_millis(self.patience.stop_ms);
        match self.answer(&mut answer, flip, last) {
            Awaited::Line(_, at) => Thought::Late(answer, at.saturating_duration_since(start)),
            Awaited::Failed(failure) => Thought::Failed(failure),
            Awaited::Interrupted => Thought::Interrupted,
            Awaited::TimeOut => {
                let detail = format!(
                    "no bestmove after go with {} ms, nor in {} ms after stop",
                    allowed.as_millis(),
                    self.patience.stop_ms
                );
                Thought::Failed(Failure { kind: FailureKind::Stall, detail })
            }
        }
    }

    /// Hears until `bestmove`, or a line after the moment.
    fn answer(&mut self, answer: &mut Answer, flip: bool, until: Instant) -> Awaited {
        loop {
            match self.line(until) {
                Awaited::Line(line, at) => {
                    answer.read(&line, flip);
                    if answer.best.is_some() {
                        return Awaited::Line(line, at);
                    }
                    if at > until {
                        return Awaited::TimeOut;
                    }
                }
                other => return other,
            }
        }
    }

    /// Sends the engine away.
    pub(in crate::match_runner) fn quit(self) {
        self.child.end(true, FAREWELL);
    }
}
