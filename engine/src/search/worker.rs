//! One search thread: iterative deepening at the root.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::control::Control;
use super::endgame::Endgame;
use super::history::History;
use super::limits::Limits;
use super::node::PROVED_PLIES;
use super::ordering::reductions;
use super::report::{BestTurn, Bound, Info, Report};
use super::time::TimeManager;
use super::{Job, MAX_SEARCH_PLY, Value};
use crate::position::{Position, split_mix};
use crate::score::{INFINITE, MATE, MATE_IN_MAX, Score, TABLE_WIN};
use crate::table::Table;
use crate::types::Turn;

/// A turn at the root with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootTurn {
    pub(super) turn: Turn,
    /// Value in this iteration; minus infinity while unknown or not better than the best.
    pub(super) value: Value,
    /// Value in the iteration before.
    pub(super) previous: Value,
    pub(super) selective_depth: usize,
    /// Begins with the turn itself.
    pub(super) pv: Vec<Turn>,
}

impl RootTurn {
    /// This turn as the result of a search.
    pub(super) fn result(&self) -> BestTurn {
        BestTurn { best: self.turn, ponder: self.pv.get(1).copied() }
    }
}

/// The state of a search thread. What it has learnt stays from search to search.
pub(super) struct Worker {
    pub(super) index: usize,
    pub(super) history: History,
    pub(super) reductions: Box<[[u8; 64]; 64]>,
    pub(super) pv: Vec<Vec<Turn>>,
    /// Keys of the positions on the way: the game's reversible ones, then those of the line.
    pub(super) keys: Vec<u64>,
    /// Where the root's key is in `keys`.
    pub(super) root_at: usize,
    /// The turns of the line, by ply; none where a side did nothing.
    pub(super) turns: [Option<Turn>; MAX_SEARCH_PLY + 2],
    pub(super) evals: [Value; MAX_SEARCH_PLY + 2],
    pub(super) nodes: u64,
    pub(super) selective_depth: usize,
    pub(super) stopped: bool,
    /// Counts of nodes at which to look at the clock and at the stop flag next.
    poll_at: u64,
    node_limit: u64,
    pondering: bool,
    pub(super) time: TimeManager,
    pub(super) control: Arc<Control>,
    pub(super) table: Arc<Table>,
    pub(super) endgame: Endgame,
    pub(super) root_turns: Vec<RootTurn>,
    /// Lines of better rank than the one searched now.
    pub(super) ranked: usize,
    /// The window in which the root is searched.
    window: (Value, Value),
    /// The number of plies of the iteration.
    pub(super) root_depth: i32,
    /// Up to how many plies the length of a win is settled.
    pub(super) proved_plies: Value,
    /// Whether tables say that all root turns win.
    pub(super) is_won: bool,
    /// Whether an iteration that another thread has finished need not be finished here.
    adopts: bool,
    /// Whether the search was stopped for that.
    overtaken: bool,
}

/// Nodes between two looks at the clock: about a tenth of a millisecond.
const POLL_INTERVAL: u64 = 1024;

impl Worker {
    pub(super) fn new(index: usize, control: Arc<Control>, table: Arc<Table>) -> Self {
        Self {
            index,
            history: History::new(),
            reductions: reductions(),
            pv: vec![Vec::new(); MAX_SEARCH_PLY + 2],
            keys: Vec::new(),
            root_at: 0,
            turns: [None; MAX_SEARCH_PLY + 2],
            evals: [0; MAX_SEARCH_PLY + 2],
            nodes: 0,
            selective_depth: 0,
            stopped: false,
            poll_at: 0,
            node_limit: u64::MAX,
            pondering: false,
            time: TimeManager::new(&Limits::default(), std::time::Duration::ZERO),
            control,
            table,
            endgame: Endgame::none(),
            root_turns: Vec::new(),
            ranked: 0,
            window: (-INFINITE, INFINITE),
            root_depth: 0,
            proved_plies: PROVED_PLIES,
            is_won: false,
            adopts: false,
            overtaken: false,
        }
    }

    /// Whether this is the thread that keeps the limits and reports.
    pub(super) const fn is_main(&self) -> bool {
        self.index == 0
    }

    fn prepare(&mut self, job: &Job) {
        self.table = Arc::clone(&job.table);
        self.endgame = match job.options.strength.handicap() {
            None => Endgame::of(job),
            Some(_) => Endgame::none(),
        };
        if job.forget {
            self.history.clear();
        } else {
            self.history.age();
        }
        self.keys.clear();
        self.keys.extend_from_slice(&job.keys);
        self.root_at = self.keys.len() - 1;
        self.proved_plies = if job.limits.mate.is_some() { MATE } else { PROVED_PLIES };
        self.ranked = 0;
        self.nodes = 0;
        self.stopped = false;
        self.is_won = false;
        self.adopts = false;
        self.overtaken = false;
        self.poll_at = 0;
        self.node_limit =
            if self.is_main() { job.limits.nodes.unwrap_or(u64::MAX) } else { u64::MAX };
        self.pondering = job.limits.ponder;
        self.time = TimeManager::new(&job.limits, job.options.move_overhead);
        let allowed = |turn: &Turn| {
            job.limits.search_turns.is_empty() || job.limits.search_turns.contains(turn)
        };
        self.root_turns = job
            .position
            .legal_turns()
            .into_iter()
            .filter(allowed)
            .map(|turn| RootTurn {
                turn,
                value: -INFINITE,
                previous: -INFINITE,
                selective_depth: 0,
                pv: vec![turn],
            })
            .collect();
    }

    /// Searches until a limit is reached or the search is stopped; the best turn then comes first
    /// in the root turns.
    pub(super) fn search(&mut self, job: &Job, report: &mut dyn FnMut(Report)) {
        self.prepare(job);
        let limits = &job.limits;
        let lines = job.options.multi_pv.clamp(1, self.root_turns.len());
        if self.answer_from_tables(job, lines, report) {
            return;
        }
        if let Some(turns) = limits.mate {
            self.search_mate(job, turns, report);
            return;
        }
        let deepest = limits.depth.unwrap_or(u32::MAX).clamp(1, MAX_SEARCH_PLY as u32 - 10) as i32;
        let mut stable = 0_u32;
        let mut best = self.root_turns[0].turn;
        // The others know nothing of a handicap, nor of turns that tables have excluded.
        self.adopts = self.control.is_shared()
            && job.options.strength.handicap().is_none()
            && !(self.is_main() && self.is_won);
        let mut depth = 0;
        while depth < deepest {
            depth += 1;
            if self.iterate(&job.position, depth, lines) {
                if self.adopts {
                    self.control.offer(depth, &self.root_turns);
                }
            } else if std::mem::take(&mut self.overtaken) {
                self.stopped = false;
                (depth, self.root_turns) = self.control.finished();
                self.root_depth = depth;
            } else {
                break;
            }
            stable = if self.root_turns[0].turn == best { stable + 1 } else { 0 };
            best = self.root_turns[0].turn;
            if self.is_main() {
                self.report_full_lines(job, lines, report);
                if self.is_settled(depth, stable) {
                    break;
                }
            }
        }
        if self.is_main() && self.stopped {
            // Once more, with the nodes in all.
            self.report_full_lines(job, lines, report);
        }
    }

    /// One iteration. Returns whether it was finished; one that was not leaves the root turns as the
    /// last one had them, but for a better turn that it found.
    fn iterate(&mut self, position: &Position, depth: i32, lines: usize) -> bool {
        self.root_depth = depth;
        let before = self.root_turns.clone();
        for root in &mut self.root_turns {
            root.previous = root.value;
        }
        for rank in 0..lines {
            self.ranked = rank;
            self.aspire(position, depth);
            if self.stopped {
                break;
            }
        }
        self.ranked = 0;
        if self.stopped {
            self.salvage(position, before, lines);
        }
        !self.stopped
    }

    /// Keeps what is sound of an iteration that was cut short: only some turns were looked at, and
    /// the values of others are bounds at best.
    fn salvage(&mut self, position: &Position, before: Vec<RootTurn>, lines: usize) {
        let best = self.root_turns[0].clone();
        let (alpha, beta) = self.window;
        if before[0].value > -INFINITE {
            self.root_turns = before;
            let is_better = best.turn != self.root_turns[0].turn && lines == 1;
            if is_better && alpha < best.value && best.value < beta && best.value > -MATE_IN_MAX {
                let at = self.root_turns.iter().position(|root| root.turn == best.turn);
                if let Some(at) = at {
                    self.root_turns[..=at].rotate_right(1);
                    self.root_turns[0] = best;
                }
            }
            return;
        }
        // The first iteration: turns not looked at are judged by their looks, and are not lost as
        // far as is known, so they come before those that are.
        for i in 0..self.root_turns.len() {
            if self.root_turns[i].value == -INFINITE {
                let looks = self.estimate(position, self.root_turns[i].turn);
                let cap = if best.value > -MATE_IN_MAX { best.value } else { looks };
                self.root_turns[i].value = looks.min(cap);
                self.root_turns[i].pv.truncate(1);
            }
        }
        self.root_turns.sort_by_key(|root| std::cmp::Reverse(root.value));
    }

    /// Looks for a win in at most `turns` own turns and nothing else.
    fn search_mate(&mut self, job: &Job, turns: u32, report: &mut dyn FnMut(Report)) {
        let plies = (2 * turns.clamp(1, MAX_SEARCH_PLY as u32 / 2 - 10) - 1) as i32;
        let deepest = job.limits.depth.map_or(plies, |d| plies.min(d.max(1) as i32));
        // A short ordinary search, for a turn to play where there is no such win.
        for depth in 1..=deepest.min(4) {
            if !self.iterate(&job.position, depth, 1) {
                break;
            }
        }
        if self.is_main() {
            self.report_full_lines(job, 1, report);
        }
        for depth in (1..=deepest).step_by(2) {
            if self.stopped || self.root_turns[0].value >= MATE - plies {
                break;
            }
            self.root_depth = depth;
            // Only wins within the depth lie in this window, so nothing is left out in it.
            let before = self.root_turns.clone();
            let value = self.search_root(&job.position, MATE - depth - 1, MATE, depth);
            if self.stopped || value < MATE - depth {
                self.root_turns = before;
            } else {
                self.sort_root_turns();
                if self.is_main() {
                    self.report_full_lines(job, 1, report);
                }
                break;
            }
        }
    }

    /// Whether a further iteration would be a waste, as far as time matters at all.
    fn is_settled(&self, depth: i32, stable: u32) -> bool {
        let best = &self.root_turns[0];
        if self.pondering || !self.time.is_timed() {
            return false;
        }
        if self.root_turns.len() == 1 && depth >= 8 {
            return true;
        }
        // A win or loss that the depth covers is exact: see `node`.
        if best.value.abs() >= MATE_IN_MAX && MATE - best.value.abs() <= depth {
            return true;
        }
        let effort = 1.6 - 0.15 * f64::from(stable.min(6));
        self.time.is_enough(effort)
    }

    /// Searches the root with a window around the last value, wider after each miss.
    fn aspire(&mut self, position: &Position, depth: i32) {
        let expected = self.root_turns[self.ranked].previous;
        let mut delta = 18;
        let (mut alpha, mut beta) = if depth >= 5 && expected.abs() < MATE_IN_MAX {
            ((expected - delta).max(-INFINITE), (expected + delta).min(INFINITE))
        } else {
            (-INFINITE, INFINITE)
        };
        loop {
            for root in &mut self.root_turns[self.ranked..] {
                root.value = -INFINITE;
            }
            self.window = (alpha, beta);
            let value = self.search_root(position, alpha, beta, depth);
            self.sort_root_turns();
            if self.stopped {
                return;
            }
            if value <= alpha && alpha > -INFINITE {
                beta = alpha.midpoint(beta);
                alpha = value - delta;
            } else if value >= beta && beta < INFINITE {
                beta = value + delta;
            } else {
                return;
            }
            delta += delta;
            if alpha < -900 {
                alpha = -INFINITE;
            }
            if beta > 900 {
                beta = INFINITE;
            }
        }
    }

    /// Best first; turns without a new value keep the order of the last iteration.
    fn sort_root_turns(&mut self) {
        self.root_turns[self.ranked..].sort_by_key(|root| std::cmp::Reverse(root.value));
        // A line found later can be better than one of earlier rank.
        self.root_turns[..=self.ranked].sort_by_key(|root| std::cmp::Reverse(root.value));
    }

    /// The depth of the last iteration that was finished.
    fn finished_depth(&self) -> i32 {
        (self.root_depth - i32::from(self.stopped)).max(1)
    }

    pub(super) fn report_lines(&self, job: &Job, lines: usize, report: &mut dyn FnMut(Report)) {
        for (rank, root) in self.root_turns.iter().take(lines).enumerate() {
            report(Report::Info(self.info(job, root, rank + 1)));
        }
    }

    /// What there is to tell of a root turn.
    pub(super) fn info(&self, job: &Job, root: &RootTurn, multi_pv: usize) -> Info {
        let value = self.known_value(&job.position, root);
        let value = if self.is_won { value.max(TABLE_WIN - 1) } else { value };
        Info {
            depth: self.finished_depth() as u32,
            selective_depth: root.selective_depth.max(root.pv.len()) as u32,
            multi_pv,
            score: Score::from_value(value),
            bound: Bound::Exact,
            wdl: crate::eval::wdl(value),
            nodes: self.total_nodes(),
            time: job.limits.start.elapsed(),
            hash_full: self.table.full_per_mille(),
            table_hits: self.control.table_hits(),
            pv: root.pv.clone(),
        }
    }

    /// The value of a root turn by this iteration, else by the last, else by its looks.
    pub(super) fn known_value(&self, position: &Position, root: &RootTurn) -> Value {
        [root.value, root.previous]
            .into_iter()
            .find(|&value| value > -INFINITE)
            .unwrap_or_else(|| self.estimate(position, root.turn))
    }

    /// A value for a turn that no iteration got to.
    fn estimate(&self, position: &Position, turn: Turn) -> Value {
        let next = position.after(turn);
        if next.outcome().is_some() { 0 } else { -crate::eval::evaluate(&next) }
    }

    fn total_nodes(&self) -> u64 {
        self.nodes + self.control.helper_nodes()
    }

    /// The result.
    pub(super) fn best(&self) -> BestTurn {
        self.root_turns[0].result()
    }

    /// Counts a node, and says whether the search has to end before it.
    #[inline]
    pub(super) fn enter(&mut self) -> bool {
        if self.nodes >= self.poll_at {
            self.poll();
        }
        if self.stopped {
            return false;
        }
        self.nodes += 1;
        true
    }

    /// Whether nobody has asked for the result, nor the time for it come.
    pub(super) fn has_time(&self) -> bool {
        !self.control.stop.load(Relaxed) && (self.pondering || !self.time.is_over())
    }

    /// To be called when something has taken as long as many nodes.
    pub(super) fn poll_soon(&mut self) {
        self.poll_at = self.nodes;
    }

    #[cold]
    fn poll(&mut self) {
        self.poll_at = (self.nodes + POLL_INTERVAL).min(self.node_limit);
        if self.is_main() {
            if self.pondering
                && let Some(hit) = self.control.ponder_hit_at()
            {
                self.pondering = false;
                self.time.restart(hit);
            }
            let over = !self.pondering && self.time.is_over();
            if over || self.nodes >= self.node_limit {
                self.stopped = true;
            }
        } else {
            self.control.set_helper_nodes(self.index, self.nodes);
        }
        if self.control.stop.load(Relaxed) {
            self.stopped = true;
        }
        if !self.stopped && self.adopts && self.control.is_finished(self.root_depth) {
            self.stopped = true;
            self.overtaken = true;
        }
    }

    /// The key under which the position is stored. Where the quiet limit can decide, positions
    /// that are nearer to it are different ones.
    #[inline]
    pub(super) fn table_key(position: &Position) -> u64 {
        if position.rules().quiet_limit == 0 {
            position.key()
        } else {
            position.key() ^ split_mix(u64::from(position.quiet())).1
        }
    }
}
