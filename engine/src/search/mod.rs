//! The search: iterative deepening, principal variation search with a transposition table, on one
//! or more threads.

mod busy;
mod captures;
mod chances;
mod control;
mod endgame;
mod history;
mod limits;
mod node;
mod ordering;
mod ranks;
mod report;
mod strength;
mod time;
mod worker;

pub use limits::{Clock, Limits};
pub use report::{BestTurn, Bound, Info, Report};
pub use strength::Strength;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use control::Control;
use worker::Worker;

use crate::game::Game;
use crate::position::Position;
use crate::score::Value;
use crate::table::{HashError, Table};
use crate::tablebase::Tables;

/// No line is longer than this many plies from the root.
const MAX_SEARCH_PLY: usize = 250;

/// How to search, apart from the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// Lines to report, best first; at least 1.
    pub multi_pv: usize,
    /// Time kept back for what lies between the engine and the clock; of a time for one turn no more
    /// than a fifth.
    pub move_overhead: Duration,
    /// How well to play.
    pub strength: Strength,
    /// The most stones on the board of positions that are looked up in endgame tables.
    pub table_stones: u32,
    /// Whether, of turns that tables call equal, the one is chosen that asks most of an opponent who
    /// can err. Otherwise the share of replies that err decides.
    pub practical_chances: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            multi_pv: 1,
            move_overhead: Duration::from_millis(10),
            strength: Strength::Full,
            table_stones: 18,
            practical_chances: true,
        }
    }
}

/// What a search thread is told to do.
struct Job {
    position: Position,
    keys: Vec<u64>,
    limits: Limits,
    options: SearchOptions,
    table: Arc<Table>,
    tables: Arc<Tables>,
    /// Whether to forget what was learnt in earlier searches.
    forget: bool,
}

type Reporter = Box<dyn FnMut(Report) + Send>;

/// A search thread: it waits for jobs until its sender is gone.
struct Thread {
    jobs: mpsc::Sender<(Arc<Job>, Reporter)>,
    handle: JoinHandle<()>,
}

/// Stack of a search thread: each ply keeps its turns and their scores there.
const STACK: usize = 32 << 20;

/// The engine: a transposition table and threads that search.
///
/// ```
/// use merel_engine::{Engine, Game, Limits, Report, Rules, SearchOptions};
/// use std::sync::mpsc;
///
/// let mut engine = Engine::new();
/// let (sender, reports) = mpsc::channel();
/// let limits = Limits { depth: Some(6), ..Limits::default() };
/// let game = Game::start(Rules::default());
/// engine.start(&game, limits, SearchOptions::default(), move |report| {
///     let _ = sender.send(report);
/// });
/// let Some(Report::Done(result)) = reports.iter().last() else { panic!("a result comes last") };
/// assert!(game.position().is_legal(result.best));
/// ```
pub struct Engine {
    table: Arc<Table>,
    tables: Arc<Tables>,
    control: Arc<Control>,
    threads: Vec<Thread>,
    forget: bool,
}

impl Engine {
    /// Size of the transposition table at first, in MiB.
    pub const DEFAULT_HASH: usize = 16;

    /// An engine with one thread and a table of the default size.
    ///
    /// # Panics
    /// If the system has no memory for that, or no thread.
    #[must_use]
    pub fn new() -> Self {
        let table = match Table::new(Self::DEFAULT_HASH) {
            Ok(table) => Arc::new(table),
            Err(error) => panic!("{error}"),
        };
        let mut engine = Self {
            table,
            tables: Arc::new(Tables::none()),
            control: Arc::new(Control::new(1)),
            threads: Vec::new(),
            forget: false,
        };
        if let Err(error) = engine.set_threads(1) {
            panic!("no search thread: {error}");
        }
        engine
    }

    /// Gives the transposition table a new size; it is then empty. Waits for a search to end.
    ///
    /// # Errors
    /// When there is no memory for it; the old table is then kept.
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), HashError> {
        self.wait();
        self.table = Arc::new(Table::new(mebibytes)?);
        Ok(())
    }

    /// Gives the engine endgame tables to probe; it has none at first. Waits for a search to end.
    pub fn set_tables(&mut self, tables: Arc<Tables>) {
        self.wait();
        self.tables = tables;
        // Values found without them, or by others, are no longer to be trusted more than they.
        self.clear_hash();
    }

    /// The endgame tables that the engine probes.
    #[must_use]
    pub fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// Sets the number of search threads. Waits for a search to end.
    ///
    /// # Errors
    /// When the system gives no more; the engine then has the threads it had.
    pub fn set_threads(&mut self, count: usize) -> Result<(), io::Error> {
        self.wait();
        let control = Arc::new(Control::new(count.max(1)));
        let threads = (0..count.max(1))
            .map(|index| spawn(index, Arc::clone(&control), Arc::clone(&self.table)))
            .collect::<Result<Vec<_>, _>>()?;
        self.control = control;
        let old = std::mem::replace(&mut self.threads, threads);
        join(old);
        Ok(())
    }

    /// Forgets what was learnt in earlier searches. Waits for a search to end.
    pub fn clear_hash(&mut self) {
        self.wait();
        self.table.clear();
        self.forget = true;
    }

    /// Starts a search and returns at once. `report` is called on a search thread: at least one
    /// [`Report::Info`], then one [`Report::Done`], which for an infinite search comes only once
    /// it is stopped. Waits for an earlier search to end.
    ///
    /// # Panics
    /// If there is no legal turn (or none of those to consider is legal), so nothing to search.
    pub fn start(
        &mut self,
        game: &Game,
        limits: Limits,
        options: SearchOptions,
        report: impl FnMut(Report) + Send + 'static,
    ) {
        self.wait();
        let position = *game.position();
        let legal = position.legal_turns();
        assert!(!legal.is_empty(), "the game is over");
        assert!(
            limits.search_turns.is_empty() || limits.search_turns.iter().any(|t| legal.contains(t)),
            "no legal turn to consider"
        );
        self.table.new_search();
        let job = Arc::new(Job {
            position,
            keys: game.reversible_keys().to_vec(),
            limits,
            options,
            table: Arc::clone(&self.table),
            tables: Arc::clone(&self.tables),
            forget: std::mem::take(&mut self.forget),
        });
        self.control.begin(self.threads.len() - 1);
        let mut reporter: Option<Reporter> = Some(Box::new(report));
        for thread in &self.threads {
            let reporter = reporter.take().unwrap_or_else(|| Box::new(|_| ()));
            // A thread ends only with its sender, so this cannot fail.
            let _ = thread.jobs.send((Arc::clone(&job), reporter));
        }
    }

    /// Does what the first search with such options would otherwise do in its own time: numbering
    /// the positions of the endgame tables, adding up the evaluation's patterns. Later calls find it
    /// done.
    pub fn prepare(&self, options: &SearchOptions) {
        crate::eval::prepare();
        if options.table_stones > 0 {
            self.tables.prepare();
        }
    }

    /// Asks the running search to end; it reports its result soon. Does nothing when idle.
    pub fn stop(&self) {
        self.control.request_stop();
    }

    /// Tells a pondering search that the expected turn was made: its limits hold from now on.
    pub fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// Returns when no search is running.
    pub fn wait(&mut self) {
        self.control.wait_until_idle();
    }

    /// Whether a search is running.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.control.is_searching()
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
        join(std::mem::take(&mut self.threads));
    }
}

fn spawn(index: usize, control: Arc<Control>, table: Arc<Table>) -> io::Result<Thread> {
    let (jobs, received) = mpsc::channel::<(Arc<Job>, Reporter)>();
    let handle = std::thread::Builder::new()
        .name(format!("search {index}"))
        .stack_size(STACK)
        .spawn(move || {
            let mut worker = Worker::new(index, control, table);
            for (job, mut report) in received {
                // A fault in the search must not leave the peer without an answer.
                let run = AssertUnwindSafe(|| worker.run(&job, &mut report));
                if catch_unwind(run).is_err() {
                    worker.give_up(&mut report);
                }
            }
        })?;
    Ok(Thread { jobs, handle })
}

fn join(threads: Vec<Thread>) {
    for thread in threads {
        drop(thread.jobs);
        // A thread that panicked has said so on stderr; there is nothing left to save.
        let _ = thread.handle.join();
    }
}

impl Worker {
    /// Ends a search that has panicked, with the best turn known by then.
    fn give_up(&self, report: &mut Reporter) {
        if !self.is_main() {
            return self.control.helper_done();
        }
        self.control.request_stop();
        self.control.wait_for_helpers();
        report(Report::Done(self.best()));
        self.control.finish();
    }

    /// Does a job and, on the main thread, reports the result.
    fn run(&mut self, job: &Job, report: &mut Reporter) {
        if !self.is_main() {
            self.search(job, &mut |_| ());
            self.control.set_helper_nodes(self.index, self.nodes);
            self.control.helper_done();
            return;
        }
        let result = match job.options.strength.handicap() {
            None => {
                self.search(job, report);
                self.best()
            }
            Some(handicap) => self.search_weakly(job, handicap, report),
        };
        self.control.wait_for_release(job.limits.infinite, job.limits.ponder);
        self.control.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        self.control.wait_for_helpers();
        report(Report::Done(result));
        self.control.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn a_search_of_some_turns_is_not_taken_for_one_of_the_position() {
        // White wins at once, unless it is to do something else.
        let fen = "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";
        let position = Position::from_fen(fen, Rules::default()).unwrap();
        let quiet = position.legal_turns().into_iter().find(|turn| !turn.is_capture());
        let stored = |search_turns| {
            let mut engine = Engine::new();
            let limits = Limits { depth: Some(6), search_turns, ..Limits::default() };
            engine.start(&Game::new(position), limits, SearchOptions::default(), |_| ());
            engine.wait();
            engine.table.get(Worker::table_key(&position), 0).map(|entry| entry.value)
        };
        assert_eq!(stored(Vec::new()), Some(crate::score::MATE - 1));
        assert_eq!(stored(quiet.into_iter().collect()), None);
    }
}
