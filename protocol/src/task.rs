//! Long calculations beside the search: perft and bench.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};

use merel_engine::perft::{Unit, perft};
use merel_engine::{Position, Turn, bench};

use crate::command::Perft;
use crate::input::Event;
use crate::output::Output;

/// A calculation on a thread of its own.
pub(crate) struct Task {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Task {
    /// Counts the turns of a position.
    pub(crate) fn perft(
        position: Position,
        what: Perft,
        output: &Output,
        events: &Sender<Event>,
    ) -> io::Result<Self> {
        let output = output.clone();
        Self::spawn(events, move |stop| print_perft(&position, what, &output, stop))
    }

    /// Runs the benchmark.
    pub(crate) fn bench(output: &Output, events: &Sender<Event>) -> io::Result<Self> {
        let output = output.clone();
        Self::spawn(events, move |stop| print_bench(&output, stop))
    }

    fn spawn(
        events: &Sender<Event>,
        work: impl FnOnce(&AtomicBool) + Send + 'static,
    ) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, done) = (Arc::clone(&stop), Done(events.clone()));
        let thread = thread::Builder::new().name("task".into()).spawn(move || {
            let _done = done;
            work(&flag);
        })?;
        Ok(Self { stop, thread })
    }

    /// Asks it to end soon.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Waits until it has ended.
    pub(crate) fn join(self) {
        // A thread that panicked has said so on stderr.
        let _ = self.thread.join();
    }
}

/// Tells the session when the work has ended, whichever way.
struct Done(Sender<Event>);

impl Drop for Done {
    fn drop(&mut self) {
        // Nobody listens when the program is ending anyway.
        let _ = self.0.send(Event::TaskDone);
    }
}

fn print_perft(position: &Position, what: Perft, output: &Output, stop: &AtomicBool) {
    let Perft { depth, unit } = what;
    let plies = match unit {
        Unit::Turn => "turns, each with its captures",
        Unit::Atomic => "single actions, a capture being one",
    };
    output.lines(&format!("info string perft {depth} in {plies}"));
    let mut total = if depth == 0 { Some(1) } else { Some(0) };
    if depth > 0 {
        for (turn, next) in successors(position, unit) {
            let count = count(&next, depth - 1, unit, stop);
            total = total.zip(count).map(|(total, count)| total + count);
            match count {
                Some(count) => output.lines(&format!("{turn}: {count}")),
                None => break,
            }
        }
    }
    match total {
        Some(total) => output.lines(&format!("Nodes searched: {total}")),
        None => output.lines("info string perft stopped"),
    }
}

/// [`perft`] that gives up once told to stop.
fn count(position: &Position, depth: u32, unit: Unit, stop: &AtomicBool) -> Option<u64> {
    // The last plies take milliseconds at most.
    if depth <= 2 {
        return (!stop.load(Relaxed)).then(|| perft(position, depth, unit));
    }
    successors(position, unit).map(|(_, next)| count(&next, depth - 1, unit, stop)).sum()
}

fn successors(position: &Position, unit: Unit) -> impl Iterator<Item = (Turn, Position)> + use<> {
    let position = *position;
    let turns = match unit {
        Unit::Turn => position.legal_turns(),
        Unit::Atomic => position.legal_actions(),
    };
    turns.into_iter().map(move |turn| match unit {
        Unit::Turn => (turn, position.after(turn)),
        Unit::Atomic => (turn, position.after_part(turn)),
    })
}

fn print_bench(output: &Output, stop: &AtomicBool) {
    let result = bench::run(&mut |number, nodes| {
        let total = bench::POSITIONS.len();
        output.lines(&format!("info string bench position {number} of {total}: {nodes} nodes"));
        !stop.load(Relaxed)
    });
    if stop.load(Relaxed) {
        output.lines("info string bench stopped");
        return;
    }
    let speed = u128::from(result.nodes) * 1_000_000 / result.elapsed.as_micros().max(1);
    output.lines(&format!("info string bench took {} ms", result.elapsed.as_millis()));
    output.lines(&format!("{} nodes {speed} nps", result.nodes));
}

#[cfg(test)]
mod tests {
    use super::*;
    use merel_engine::Rules;

    #[test]
    fn the_interruptible_count_agrees_with_the_plain_one() {
        let position = Position::start(Rules::default());
        let go_on = AtomicBool::new(false);
        for unit in [Unit::Turn, Unit::Atomic] {
            for depth in 0..=4 {
                let expected = perft(&position, depth, unit);
                assert_eq!(count(&position, depth, unit, &go_on), Some(expected));
            }
        }
        assert_eq!(count(&position, 20, Unit::Turn, &AtomicBool::new(true)), None);
    }
}
