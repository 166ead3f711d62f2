//! How far the work has come, told on standard error: a bar on a terminal, a line now and then
//! elsewhere.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::size::Grouped;

/// How often a line comes without a terminal.
const LINE: Duration = Duration::from_secs(10);
/// How often the bar is drawn.
const BAR: Duration = Duration::from_millis(200);

/// How far the work has come.
#[derive(Debug)]
struct State {
    /// Positions of all pairs.
    total: u64,
    /// Of the pairs that are done.
    done: u64,
    began: Instant,
    step: Option<Step>,
    /// What becomes of positions, such as `decided`.
    verb: &'static str,
}

/// The pair in work.
#[derive(Debug)]
struct Step {
    name: String,
    positions: u64,
    phase: String,
    decided: u64,
    began: Instant,
}

/// Tells how far the work has come until it is dropped.
#[derive(Debug)]
pub struct Progress {
    state: Arc<Mutex<State>>,
    bar: Option<ProgressBar>,
    quiet: bool,
    end: Option<Sender<()>>,
    teller: Option<JoinHandle<()>>,
}

impl Progress {
    /// Over so many positions in all, which are, for instance, `decided`.
    pub fn new(total: u64, verb: &'static str, quiet: bool) -> Self {
        let state = State { total, done: 0, began: Instant::now(), step: None, verb };
        let state = Arc::new(Mutex::new(state));
        let bar = (!quiet && stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            // Two lines, so that the times are not cut off on a narrow terminal.
            let lines = "{bar:40} {percent:>3} %, {prefix} left for all\n{wide_msg}";
            if let Ok(style) = ProgressStyle::with_template(lines) {
                bar.set_style(style);
            }
            bar
        });
        let mut progress = Self { state, bar, quiet, end: None, teller: None };
        if !quiet {
            progress.start_telling();
        }
        progress
    }

    fn start_telling(&mut self) {
        let (end, ended) = mpsc::channel();
        let (state, bar) = (self.state.clone(), self.bar.clone());
        let every = if bar.is_some() { BAR } else { LINE };
        // Without the thread nothing is told on the way, which is no reason not to work.
        self.teller = thread::Builder::new()
            .name("progress".into())
            .spawn(move || {
                while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                    let state = lock(&state);
                    let Some((line, for_all)) = state.line() else { continue };
                    match &bar {
                        Some(bar) => {
                            bar.set_position(state.reached());
                            bar.set_prefix(for_all);
                            bar.set_message(line);
                        }
                        None => eprintln!("{line}, {for_all} for all"),
                    }
                }
            })
            .ok();
        self.end = Some(end);
    }

    /// Says a line.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None if !self.quiet => eprintln!("{line}"),
            None => {}
        }
    }

    /// Runs something that prints, the bar out of its way.
    pub fn show<R>(&self, print: impl FnOnce() -> R) -> R {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// A pair begins.
    pub fn begin(&self, name: String, positions: u64) {
        let step =
            Step { name, positions, phase: "reading".into(), decided: 0, began: Instant::now() };
        lock(&self.state).step = Some(step);
    }

    /// What is done now, and how many positions of the pair are through.
    pub fn phase(&self, phase: String, decided: Option<u64>) {
        if let Some(step) = &mut lock(&self.state).step {
            step.phase = phase;
            step.decided = decided.unwrap_or(step.decided);
        }
    }

    /// So many more positions of the pair are through.
    pub fn advance(&self, count: u64) {
        if let Some(step) = &mut lock(&self.state).step {
            step.decided += count;
        }
    }

    /// The pair is done.
    pub fn end(&self) {
        let mut state = lock(&self.state);
        if let Some(step) = state.step.take() {
            state.done += step.positions;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(teller) = self.teller.take() {
            // A thread that panicked has said so itself.
            let _ = teller.join();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// The positions worked through, as far as the bar is concerned.
    fn reached(&self) -> u64 {
        self.done + self.step.as_ref().map_or(0, |step| step.decided)
    }

    /// Positions a second over the pairs that are done, or a guess before there is one.
    fn rate(&self) -> f64 {
        const GUESS: f64 = 1e7;
        let in_step = self.step.as_ref().map_or(Duration::ZERO, |step| step.began.elapsed());
        let seconds = self.began.elapsed().saturating_sub(in_step).as_secs_f64();
        if seconds < 1.0 { GUESS } else { self.done as f64 / seconds }
    }

    /// How far the pair is, and how long all will take.
    fn line(&self) -> Option<(String, String)> {
        let step = self.step.as_ref()?;
        let rate = self.rate().max(1.0);
        let took = step.began.elapsed().as_secs_f64();
        // What has taken longer than the others did has some way to go still.
        let here = (step.positions as f64 / rate - took).max(took / 10.0);
        let rest = (self.total - self.done).saturating_sub(step.positions) as f64 / rate;
        let line = format!(
            "{}: {}, {} of {} {}, {:.1} million/s, {} left",
            step.name,
            step.phase,
            Grouped(step.decided),
            Grouped(step.positions),
            self.verb,
            step.decided as f64 / took.max(0.001) / 1e6,
            clock(here),
        );
        Some((line, clock(here + rest)))
    }
}

/// Minutes and seconds.
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_of_the_pair_in_work_and_of_all() {
        let progress = Progress::new(3_000_000_000, "decided", true);
        assert_eq!(lock(&progress.state).line(), None);
        progress.begin("9-8".into(), 1_000_000_000);
        progress.phase("level 34".into(), Some(12_345_678));
        progress.advance(2);
        progress.phase("coding".into(), None);
        let (line, for_all) = lock(&progress.state).line().unwrap();
        let begin = "9-8: coding, 12,345,680 of 1,000,000,000 decided, ";
        assert!(line.starts_with(begin) && line.ends_with(" million/s, 1:40 left"), "{line}");
        // Before anything is done, ten million positions a second are expected.
        assert_eq!(for_all, "5:00");
        progress.end();
        assert_eq!(lock(&progress.state).reached(), 1_000_000_000);
    }

    #[test]
    fn times_are_written_as_on_a_clock() {
        assert_eq!([0.4, 59.6, 754.0, 3661.0].map(clock), ["0:00", "1:00", "12:34", "1:01:01"]);
    }
}
