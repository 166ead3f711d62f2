//! What the threads of a search and the outside share.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::busy::Busy;
use super::worker::RootTurn;

/// State of the current search.
#[derive(Debug, Default)]
struct State {
    searching: bool,
    stop: bool,
    ponder_hit: Option<Instant>,
    helpers: usize,
}

/// Starts, stops and ends searches. Waiting never spins.
#[derive(Debug)]
pub(super) struct Control {
    /// Polled by the threads.
    pub(super) stop: AtomicBool,
    helper_nodes: Vec<AtomicU64>,
    table_hits: AtomicU64,
    busy: Box<Busy>,
    /// The depth of the deepest iteration that any thread has finished, and what came of it.
    finished_depth: AtomicI32,
    finished: Mutex<Vec<RootTurn>>,
    state: Mutex<State>,
    changed: Condvar,
}

impl Control {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            stop: AtomicBool::new(false),
            helper_nodes: (0..threads).map(|_| AtomicU64::new(0)).collect(),
            table_hits: AtomicU64::new(0),
            busy: Box::new(Busy::new()),
            finished_depth: AtomicI32::new(0),
            finished: Mutex::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// A thread that panicked leaves the state as it was, so it can be used on.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, mut condition: impl FnMut(&State) -> bool) {
        let guard = self.lock();
        drop(
            self.changed
                .wait_while(guard, |state| condition(state))
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    /// Whether several threads share a search.
    #[inline]
    pub(super) fn is_shared(&self) -> bool {
        self.helper_nodes.len() > 1
    }

    /// What the threads are at work on.
    #[inline]
    pub(super) fn busy(&self) -> &Busy {
        &self.busy
    }

    /// Tells the other threads the root turns of an iteration, unless one has told them before.
    pub(super) fn offer(&self, depth: i32, turns: &[RootTurn]) {
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        if self.finished_depth.load(Relaxed) < depth {
            finished.clear();
            finished.extend_from_slice(turns);
            self.finished_depth.store(depth, Relaxed);
        }
    }

    /// Whether a thread has finished an iteration at least as deep.
    #[inline]
    pub(super) fn is_finished(&self, depth: i32) -> bool {
        self.finished_depth.load(Relaxed) >= depth
    }

    /// The deepest iteration that a thread has finished: its depth and root turns.
    pub(super) fn finished(&self) -> (i32, Vec<RootTurn>) {
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        (self.finished_depth.load(Relaxed), finished.clone())
    }

    /// Marks a search with this many helper threads as begun.
    pub(super) fn begin(&self, helpers: usize) {
        for nodes in &self.helper_nodes {
            nodes.store(0, Relaxed);
        }
        self.table_hits.store(0, Relaxed);
        self.finished_depth.store(0, Relaxed);
        *self.lock() = State { searching: true, helpers, ..State::default() };
        self.stop.store(false, Relaxed);
    }

    /// Counts a position that was found in endgame tables.
    #[inline]
    pub(super) fn count_table_hit(&self) {
        self.table_hits.fetch_add(1, Relaxed);
    }

    /// How many positions all threads have found in endgame tables.
    pub(super) fn table_hits(&self) -> u64 {
        self.table_hits.load(Relaxed)
    }

    /// Asks all threads to end.
    pub(super) fn request_stop(&self) {
        let mut state = self.lock();
        state.stop = true;
        self.stop.store(true, Relaxed);
        drop(state);
        self.changed.notify_all();
    }

    pub(super) fn ponder_hit(&self) {
        self.lock().ponder_hit = Some(Instant::now());
        self.changed.notify_all();
    }

    pub(super) fn ponder_hit_at(&self) -> Option<Instant> {
        self.lock().ponder_hit
    }

    /// For a search that has nothing left to do: returns when it may say so.
    pub(super) fn wait_for_release(&self, infinite: bool, ponder: bool) {
        self.wait_while(|state| {
            !state.stop && (infinite || (ponder && state.ponder_hit.is_none()))
        });
    }

    pub(super) fn helper_done(&self) {
        self.lock().helpers -= 1;
        self.changed.notify_all();
    }

    pub(super) fn wait_for_helpers(&self) {
        self.wait_while(|state| state.helpers > 0);
    }

    pub(super) fn finish(&self) {
        self.lock().searching = false;
        self.changed.notify_all();
    }

    pub(super) fn wait_until_idle(&self) {
        self.wait_while(|state| state.searching);
    }

    pub(super) fn is_searching(&self) -> bool {
        self.lock().searching
    }

    pub(super) fn helper_nodes(&self) -> u64 {
        self.helper_nodes.iter().map(|nodes| nodes.load(Relaxed)).sum()
    }

    pub(super) fn set_helper_nodes(&self, thread: usize, nodes: u64) {
        if let Some(counter) = self.helper_nodes.get(thread) {
            counter.store(nodes, Relaxed);
        }
    }
}
