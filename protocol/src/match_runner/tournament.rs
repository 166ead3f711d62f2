//! The match as a whole: gathers what the places tell, prints, writes, saves.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use merel_engine::Setup;

use super::affinity;
use super::config::{EngineConfig, MatchConfig, Protocol};
use super::endgame::TableJudge;
use super::ending::Ending;
use super::game::Record;
use super::latency::Latency;
use super::opening::{Opening, Openings};
use super::pgn::{GameFile, final_position, game_text};
use super::printer::Printer;
use super::report::Reporter;
use super::results::{Mishaps, Results};
use super::save::{Saved, default_file};
use super::schedule::{Schedule, Task};
use super::statistics::{Decision, number};
use super::wire::{Announced, Dialect, Identity, Transcript};
use super::worker::{Hall, Message};
use crate::games::Form;

/// Set to end all games at once.
static STOP: AtomicBool = AtomicBool::new(false);
/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

const RULE: &str = "--------------------------------------------------";

/// Why a match ended before its last game.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stopped {
    /// The test has decided.
    Decided(Decision),
    /// An engine failed; with the remedy to print.
    Failed { what: String, can_recover: bool },
}

/// Plays a new match.
pub(super) fn play(mut config: MatchConfig) -> Result<ExitCode, String> {
    if config.save.as_os_str().is_empty() {
        config.save = default_file();
    }
    let schedule = Schedule::new(&config);
    let results = Results::new(schedule.pairings.len(), config.engines.len());
    run(Saved::new(config, results), true)
}

/// Goes on with a saved match.
pub(super) fn go_on(saved: Saved) -> Result<ExitCode, String> {
    run(saved, false)
}

fn run(mut saved: Saved, is_new: bool) -> Result<ExitCode, String> {
    let config = saved.config.clone();
    let rules = config.rules.rules()?;
    let openings = match &config.openings {
        Some(file) => Openings::read(file, rules, config.seed)?,
        None => Openings::none(rules),
    };
    check_openings(&config, &openings)?;
    let schedule = Schedule::new(&config);
    if is_new {
        saved.openings = openings.fingerprint;
    } else if saved.openings != openings.fingerprint {
        return Err("-openings: the file has changed since the match was saved; put back the one it began with".to_owned());
    }
    if !saved.results.fits(&schedule, config.engines.len()) {
        return Err(format!(
            "-config: the results in '{}' do not fit its match; it was changed by hand, or -rounds is less than was played",
            config.save.display()
        ));
    }
    let tables = match &config.tables {
        Some(tables) => Some(TableJudge::open(tables, &rules)?),
        None => None,
    };
    let processors = match &config.affinity {
        Some(list) => affinity::processors(list, config.concurrency)?,
        None => Vec::new(),
    };
    let transcript = match &config.log {
        Some(log) => Transcript::open(log).map_err(|error| {
            format!("-log: '{}' cannot be written: {error}", log.file.display())
        })?,
        None => Transcript::default(),
    };
    let games = match &config.pgn {
        Some(pgn) => Some(GameFile::open("-pgnout", &pgn.file, pgn.append, saved.pgn_bytes)?),
        None => None,
    };
    let ends = match &config.epd {
        Some(file) => Some(GameFile::open("-epdout", file, true, saved.epd_bytes)?),
        None => None,
    };
    saved.pgn_bytes = games.as_ref().map(GameFile::length);
    saved.epd_bytes = ends.as_ref().map(GameFile::length);
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        STOP.store(true, Ordering::Relaxed);
    })
    .map_err(|error| format!("Ctrl-C cannot be caught: {error}"))?;

    let mut printer = Printer::new(transcript.clone());
    warn(&config, &openings, &mut printer);
    if let Some((_, warnings)) = &tables {
        warnings.iter().for_each(|warning| printer.warning(warning));
    }
    let tables = tables.as_ref().map(|(tables, _)| tables);
    saved.write()?;
    let hall = Hall {
        config: &config,
        schedule: &schedule,
        openings: &openings,
        tables,
        processors,
        transcript,
        done: saved.results.clone(),
        next: AtomicU64::new(0),
        stop: &STOP,
    };
    let mut desk = Desk {
        reporter: Reporter { config: &config, schedule: &schedule, facts: saved.facts.clone() },
        openings: &openings,
        tables,
        met: vec![false; config.engines.len()],
        latencies: vec![Latency::default(); config.engines.len()],
        games,
        ends,
        saved,
        printer,
        stopped: None,
        unfinished: Vec::new(),
        begun: Instant::now(),
        begun_with: hall.done.games(),
        reported_at: None,
    };
    desk.check_decision();
    thread::scope(|scope| {
        let (sender, messages) = mpsc::channel();
        let left = schedule.total() - desk.saved.results.games();
        for place in 1..=(config.concurrency as u64).min(left) as usize {
            let (hall, sender) = (&hall, sender.clone());
            scope.spawn(move || hall.work(place, &sender));
        }
        drop(sender);
        desk.listen(&messages);
    });
    Ok(desk.end())
}

/// That every engine can be told every opening.
fn check_openings(config: &MatchConfig, openings: &Openings) -> Result<(), String> {
    let is_position = |opening: &&Opening| opening.start.setup() != Setup::START;
    if config.pgn.as_ref().is_some_and(|pgn| pgn.notation == Form::Playok.name())
        && let Some(Opening { line, .. }) = openings.all().find(is_position)
    {
        return Err(format!(
            "-pgnout: notation=playok holds games from the empty board alone, and line {line} of the \
             openings is a position; use notation=merel"
        ));
    }
    let gbgp = config.engines.iter().find(|engine| engine.protocol == Some(Protocol::Gbgp));
    let Some(engine) = gbgp else { return Ok(()) };
    match openings.all().find(|opening| Dialect::Gbgp.position(&opening.start).is_none()) {
        None => Ok(()),
        Some(Opening { line, .. }) => Err(format!(
            "-openings: line {line} cannot be said in GBGP, which {} speaks and in which the stones \
             in hand follow from the move number; write it as turns from the empty board",
            engine.name
        )),
    }
}

fn warn(config: &MatchConfig, openings: &Openings, printer: &mut Printer) {
    if config.openings.is_none() && config.rounds > 1 {
        printer.warning(
            "without -openings engines that always play alike repeat the same games; give a file",
        );
    } else if config.openings.is_some() && config.rounds > openings.len() as u64 {
        printer.warning(&format!(
            "{} rounds are more than the {} openings, which come round again",
            config.rounds,
            openings.len()
        ));
    }
    let names: Vec<&str> = config
        .engines
        .iter()
        .filter(|engine| engine.protocol == Some(Protocol::Sanmill))
        .map(|engine| engine.name.as_str())
        .collect();
    if !names.is_empty() && config.rules.quiet_limit == 0 {
        printer.warning(&format!(
            "{} may call a game drawn that goes on here; -rules … quiet_limit=100 is what Sanmill plays by",
            names.join(", ")
        ));
    }
}

/// Where all that happens comes together.
struct Desk<'a> {
    reporter: Reporter<'a>,
    openings: &'a Openings,
    tables: Option<&'a TableJudge>,
    /// Which engines have greeted.
    met: Vec<bool>,
    /// By engine, in this run.
    latencies: Vec<Latency>,
    games: Option<GameFile>,
    /// The file of final positions.
    ends: Option<GameFile>,
    saved: Saved,
    printer: Printer,
    stopped: Option<Stopped>,
    /// Games that were interrupted, as text.
    unfinished: Vec<String>,
    begun: Instant,
    /// Games done before this run.
    begun_with: u64,
    /// Games done at the last report.
    reported_at: Option<u64>,
}

impl Desk<'_> {
    fn config(&self) -> &MatchConfig {
        self.reporter.config
    }

    fn engine(&self, engine: usize) -> Option<&EngineConfig> {
        self.config().engines.get(engine)
    }

    fn name(&self, engine: usize) -> String {
        self.engine(engine).map_or_else(|| "?".to_owned(), |e| e.name.clone())
    }

    fn listen(&mut self, messages: &Receiver<Message>) {
        loop {
            match messages.recv_timeout(Duration::from_millis(500)) {
                Ok(Message::Met(engine, identity)) => self.meet(engine, &identity),
                Ok(Message::Started(task)) => self.start(&task),
                Ok(Message::Finished(task, record)) => self.finish(&task, &record),
                Ok(Message::Warning(warning)) => self.printer.warning(&warning),
                Ok(Message::Unusable(engine, reason)) => {
                    let what = format!("engine {}: {reason}", self.name(engine));
                    self.stop(Stopped::Failed { what, can_recover: false });
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.show_status();
        }
    }

    /// Ends all games; the first reason holds.
    fn stop(&mut self, why: Stopped) {
        STOP.store(true, Ordering::Relaxed);
        self.stopped.get_or_insert(why);
    }

    fn meet(&mut self, engine: usize, identity: &Identity) {
        let Some(met) = self.met.get_mut(engine) else { return };
        if std::mem::replace(met, true) {
            return;
        }
        if let Some(warning) = &identity.warning {
            self.printer.warning(&format!("engine {}: {warning}", self.name(engine)));
        }
        let set = self.engine(engine).map_or(&[][..], |e| &e.options);
        let value = |name: &str, unit: &str| {
            let set = set.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v);
            let default = || Announced::find(&identity.options, name).map(|o| &o.default);
            set.or_else(default).map_or_else(|| "-".to_owned(), |v| format!("{v}{unit}"))
        };
        let fact = [value("Threads", "t"), value("Hash", "MB")];
        for facts in [&mut self.reporter.facts, &mut self.saved.facts] {
            if let Some(known) = facts.get_mut(engine) {
                known.clone_from(&fact);
            }
        }
    }

    fn players(&self, task: &Task) -> String {
        let [white, black] = task.engines.map(|engine| self.name(engine));
        format!("{white} vs {black}")
    }

    fn start(&mut self, task: &Task) {
        if !self.printer.is_terminal {
            let total = self.reporter.schedule.total();
            let text = format!("Started game {} of {total} ({})", task.id + 1, self.players(task));
            self.printer.line(&text);
        }
    }

    fn finish(&mut self, task: &Task, record: &Record) {
        let opening = self.openings.of_round(task.round);
        let config = self.reporter.config;
        let text = config.pgn.as_ref().map(|pgn| game_text(config, pgn, task, opening, record));
        if record.ending == Ending::Interrupted {
            self.unfinished.extend(text);
            return;
        }
        if let (Some(games), Some(text)) = (&mut self.games, &text) {
            if let Err(error) = games.add(text, true) {
                let what = format!("-pgnout: the game file cannot be written: {error}");
                self.stop(Stopped::Failed { what, can_recover: false });
                return;
            }
            self.saved.pgn_bytes = Some(games.length());
        }
        if let Some(ends) = &mut self.ends {
            if let Err(error) = ends.add(&final_position(config, task, record), true) {
                let what = format!("-epdout: the file cannot be written: {error}");
                self.stop(Stopped::Failed { what, can_recover: false });
                return;
            }
            self.saved.epd_bytes = Some(ends.length());
        }
        self.saved.results.add(self.reporter.schedule, task, &record.ending, config.has_pairs());
        let done = self.saved.results.games();
        if config.save_interval > 0 && done.is_multiple_of(config.save_interval) {
            self.save();
        }
        self.note_latencies(task, record);
        self.tell(task, record);
        self.tell_breaches(task, record);
        self.check_decision();
        let is_due = |interval: u64| interval > 0 && done.is_multiple_of(interval);
        if is_due(config.score_interval)
            && let ([pairing], [tally]) =
                (self.reporter.schedule.pairings.as_slice(), self.saved.results.tallies.as_slice())
        {
            self.printer.line(&self.reporter.score(*pairing, tally));
        }
        if is_due(config.rating_interval) {
            self.report();
        }
    }

    /// Prints how a game ended, and what must not be missed.
    fn tell(&mut self, task: &Task, record: &Record) {
        let ending = &record.ending;
        let is_ordinary = matches!(ending, Ending::Normal(_) | Ending::Adjudication { .. });
        if !self.printer.is_terminal || !is_ordinary {
            let text = format!(
                "Finished game {} ({}): {} {{{ending}}}",
                task.id + 1,
                self.players(task),
                ending.result()
            );
            self.printer.line(&text);
        }
        let loser = ending.winner().map(|winner| !winner);
        let name = loser
            .and_then(|color| task.engines.get(color.index()))
            .map_or_else(String::new, |&engine| self.name(engine));
        if let Ending::IllegalMove { token, reason, position, .. } = ending {
            self.printer.warning(&format!(
                "illegal move '{token}' by {name}: {reason}; it was sent: {position}"
            ));
        }
        if ending.is_failure() && !self.config().recover {
            let what = format!(
                "{} of engine {name} in game {}: {ending}",
                ending.termination(),
                task.id + 1
            );
            self.stop(Stopped::Failed { what, can_recover: true });
        }
    }

    fn note_latencies(&mut self, task: &Task, record: &Record) {
        let opening = self.openings.of_round(task.round).game();
        let mut color = opening.position().to_move();
        for played in &record.turns {
            let engine = task.engines.get(color.index());
            if let Some(latency) = engine.and_then(|&engine| self.latencies.get_mut(engine))
                && let Some(ms) = played.latency_ms()
            {
                latency.add(ms);
            }
            color = !color;
        }
    }

    /// Warns of what was wrong although the game could go on, or ends the match for it.
    fn tell_breaches(&mut self, task: &Task, record: &Record) {
        for breach in &record.breaches {
            let engine = task.engines.get(breach.by.index());
            let name = engine.map_or_else(String::new, |&engine| self.name(engine));
            let text = format!(
                "engine {name} in game {}, turn {}: {}",
                task.id + 1,
                breach.turn,
                breach.what
            );
            if self.config().strict {
                self.stop(Stopped::Failed { what: format!("-strict: {text}"), can_recover: false });
                return;
            }
            self.printer.warning(&text);
        }
        if let Some(damage) = self.tables.and_then(TableJudge::untold_damage) {
            self.printer.warning(&format!("-tb: {damage}"));
        }
    }

    fn save(&mut self) {
        if let Err(what) = self.saved.write() {
            self.stop(Stopped::Failed { what, can_recover: false });
        }
    }

    fn check_decision(&mut self) {
        if let Some(decision) = self.reporter.decision(&self.saved.results) {
            self.stop(Stopped::Decided(decision));
        }
    }

    fn report(&mut self) {
        let done = self.saved.results.games();
        if self.reported_at.replace(done) != Some(done) {
            let text = self.reporter.text(&self.saved.results);
            self.printer.line(&format!("{RULE}\n{text}\n{RULE}"));
        }
    }

    fn show_status(&mut self) {
        if !self.printer.is_terminal {
            return;
        }
        let done = self.saved.results.games();
        let total = self.reporter.schedule.total();
        let mut text = format!("{done}/{total} games");
        if let [tally] = self.saved.results.tallies.as_slice() {
            let pairs = self.config().counts_pairs();
            let elo = tally.sample(pairs).elo();
            text += &format!("  +{} -{} ={}", tally.wins, tally.losses, tally.draws);
            text += &format!("  Elo {elo}");
            if let Some(sprt) = &self.config().sprt {
                text += &format!("  LLR {}", number(Some(sprt.llr(tally, pairs))));
            }
        }
        let played = done - self.begun_with;
        if played > 0 {
            let each = self.begun.elapsed().as_secs_f64() / played as f64;
            let left = (each * (total - done) as f64) as u64;
            text += &format!("  {}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60);
        }
        self.printer.status(&text);
    }

    /// The last words of the match, and its exit code.
    fn end(mut self) -> ExitCode {
        let is_complete = self.saved.results.games() == self.reporter.schedule.total();
        let is_decided = matches!(self.stopped, Some(Stopped::Decided(_)));
        let is_over = is_decided || is_complete && self.stopped.is_none();
        self.save();
        if !is_over {
            // Behind the length that was saved: they are taken away when the match goes on.
            if let Some(games) = &mut self.games {
                let unfinished = self.unfinished.concat();
                let _ = games.add(&unfinished, false);
            }
        }
        for file in [&self.games, &self.ends].into_iter().flatten() {
            let _ = file.sync();
        }
        self.report();
        self.tell_mishaps();
        if self.config().show_latency {
            for (engine, latency) in self.latencies.clone().into_iter().enumerate() {
                let text = format!("{}: measured less reported time: {latency}", self.name(engine));
                self.printer.line(&text);
            }
        }
        let command = resume_command(&self.config().save.to_string_lossy());
        let code = match &self.stopped {
            Some(Stopped::Decided(decision)) => {
                let sprt = self.config().sprt.map_or([0.0; 2], |s| [s.elo0, s.elo1]);
                let [elo0, elo1] = sprt;
                let accepted = if *decision == Decision::AcceptElo1 { "H1" } else { "H0" };
                self.printer.line(&format!(
                    "SPRT ([{elo0:.2}, {elo1:.2}]) completed - {accepted} was accepted"
                ));
                ExitCode::SUCCESS
            }
            Some(Stopped::Failed { what, can_recover }) => {
                self.printer.error(what);
                let recover = if *can_recover { " -recover" } else { "" };
                let how = if *can_recover {
                    "The match stopped there. To go on, starting the engine again whenever that happens:"
                } else {
                    "The match stopped there. To go on once that is mended:"
                };
                self.printer.line(&format!("{how}\n  {command}{recover}"));
                ExitCode::from(1)
            }
            None if is_complete => {
                let games = self.saved.results.games();
                self.printer.line(&format!("Match finished, {games} games"));
                ExitCode::SUCCESS
            }
            None => {
                let total = self.reporter.schedule.total();
                let games = self.saved.results.games();
                self.printer.line(&format!(
                    "Interrupted after {games} of {total} games. To go on:\n  {command}"
                ));
                ExitCode::from(130)
            }
        };
        if is_over && !self.config().keep_save {
            let _ = std::fs::remove_file(&self.config().save);
        }
        code
    }

    fn tell_mishaps(&mut self) {
        let all = self.saved.results.mishaps.clone();
        for (engine, mishaps) in all.into_iter().enumerate() {
            if mishaps != Mishaps::default() {
                let Mishaps { timeouts, illegal_moves, stalls, disconnects } = mishaps;
                let name = self.name(engine);
                self.printer.line(&format!(
                    "{name}: {timeouts} time forfeits, {illegal_moves} illegal moves, {stalls} stalls, {disconnects} disconnects"
                ));
            }
        }
    }
}

/// The command that goes on with a match.
fn resume_command(file: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:\\".contains(c);
    if file.chars().all(is_plain) {
        format!("merel-match -config {file}")
    } else {
        format!("merel-match -config '{}'", file.replace('\'', r"'\''"))
    }
}
