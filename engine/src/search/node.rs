//! Principal variation search of one position, and the quiescence search below it.
//!
//! Values are from the view of the side to move at the node. A win is `MATE` less the plies from
//! the root.
//!
//! **Proved results.** Reductions and pruning leave turns out, so a value they produce is an
//! estimate. Two rules keep results of [`MATE_IN_MAX`] and beyond true. Nothing is left out at a
//! node while its best value is a proved loss, so a loss is only ever reported of a position all
//! of whose turns lose. And where the whole window lies among proved results (is there a shorter
//! win than the one known? a longer defence?) nothing is left out at all, nor is the table trusted
//! unless its entry is itself a proof or came from such a search: an iteration of depth *d* that
//! reports a win in *n* ≤ *d* plies has excluded every shorter one, up to [`PROVED_PLIES`].

use arrayvec::ArrayVec;

use super::captures::Captures;
use super::history::Context;
use super::ordering::{Pick, Picker, STONE};
use super::worker::Worker;
use super::{MAX_SEARCH_PLY, Value};
use crate::actions::{ActionNumber, Actions};
use crate::eval::{assess, evaluate};
use crate::position::Position;
use crate::score::{INFINITE, MATE, MATE_IN_MAX};
use crate::search::report::Bound;
use crate::table::Entry;
use crate::types::{Color, Symmetry, Turn};

/// Turns tried at a node before one refutes it, as far as history learns from them.
type Tried = ArrayVec<Turn, 64>;

/// From this depth on a turn that another thread is at work on is left for later. Further down the
/// order of turns is worth more than work saved.
const SHARED_DEPTH: i32 = 7;

/// From this depth on positions are looked up in the table and stored. To search one less deep takes
/// hardly longer than to wait for the table's memory.
const TABLE_DEPTH: i32 = 4;

/// Up to how many stones on the board symmetric positions share an entry of the table. Beyond,
/// positions that are symmetric to one another are too rare to pay for looking.
const SYMMETRIC_STONES: u32 = 8;

/// Where a position is stored: its key, and the symmetry that leads to the stored form.
#[derive(Clone, Copy)]
struct Slot {
    key: u64,
    symmetry: Symmetry,
}

impl Slot {
    #[inline(always)]
    fn of(position: &Position, depth: i32) -> Self {
        if depth >= TABLE_DEPTH && Self::is_shared(position) {
            Self::symmetric(position)
        } else {
            Self { key: Worker::table_key(position), symmetry: Symmetry::IDENTITY }
        }
    }

    /// Whether symmetric positions share the entry of this one.
    #[inline]
    fn is_shared(position: &Position) -> bool {
        position.hand(Color::Black) > 0 && position.on_board() <= SYMMETRIC_STONES
    }

    /// The smallest of the sixteen forms stands for all.
    #[inline(never)]
    fn symmetric(position: &Position) -> Self {
        let form = |symmetry: Symmetry| {
            let [white, black] = Color::ALL.map(|c| symmetry.set(position.stones(c)).bits());
            u64::from(white) << 24 | u64::from(black)
        };
        let (stones, symmetry) = Symmetry::all()
            .map(|symmetry| (form(symmetry), symmetry))
            .min_by_key(|&(form, _)| form)
            .unwrap_or((form(Symmetry::IDENTITY), Symmetry::IDENTITY));
        let [white, black] = Color::ALL.map(|c| u64::from(position.hand(c)));
        let rest = (white << 4 | black) << 3
            | u64::from(position.captures_due()) << 1
            | position.to_move() as u64;
        // Mixed apart from the keys of single positions, which live in the same table.
        let key = crate::position::split_mix(stones ^ rest << 48).1;
        Self { key: key ^ u64::from(position.quiet()) << 40, symmetry }
    }
}

impl Worker {
    /// Searches the root turns from the current rank on; their values and lines are updated.
    pub(super) fn search_root(
        &mut self,
        position: &Position,
        mut alpha: Value,
        beta: Value,
        depth: i32,
    ) -> Value {
        let original_alpha = alpha;
        let mut best = -INFINITE;
        let mut best_turn = None;
        self.evals[0] = evaluate(position);
        for i in self.ranked..self.root_turns.len() {
            let turn = self.root_turns[i].turn;
            let number = i - self.ranked;
            self.selective_depth = 0;
            let mut next = *position;
            self.push(&mut next, turn, 0);
            self.pv[1].clear();
            let value = if number == 0 {
                -self.search_to::<true>(&next, -beta, -alpha, depth - 1, 1, false)
            } else {
                let reduced = if depth >= 4
                    && number >= 3
                    && !turn.is_capture()
                    && !self.is_proving(alpha, beta)
                {
                    depth - 2
                } else {
                    depth - 1
                };
                let mut value =
                    -self.search_to::<false>(&next, -alpha - 1, -alpha, reduced, 1, true);
                if value > alpha && reduced < depth - 1 {
                    value = -self.search_to::<false>(&next, -alpha - 1, -alpha, depth - 1, 1, true);
                }
                if value > alpha && beta - alpha > 1 {
                    value = -self.search_to::<true>(&next, -beta, -alpha, depth - 1, 1, false);
                }
                value
            };
            self.pop();
            if self.stopped {
                return best.max(original_alpha);
            }
            if value > best {
                best = value;
            }
            if number == 0 || value > alpha {
                let root = &mut self.root_turns[i];
                root.value = value;
                root.selective_depth = self.selective_depth;
                root.pv.truncate(1);
                root.pv.extend_from_slice(&self.pv[1]);
                best_turn = Some(turn);
                if value > alpha {
                    alpha = value;
                }
                if alpha >= beta {
                    break;
                }
            } else {
                self.root_turns[i].value = -INFINITE;
            }
        }
        // A part of the turns says nothing of the position.
        if self.ranked == 0 && self.root_turns.len() == position.legal_turns().len() {
            let bound = bound_of(best, original_alpha, beta);
            let entry = Entry {
                turn: best_turn,
                value: best,
                depth,
                bound,
                exhaustive: self.is_proving(original_alpha, beta),
            };
            self.store(Slot::of(position, depth), 0, entry);
        }
        best
    }

    fn store(&self, slot: Slot, ply: usize, mut entry: Entry) {
        entry.turn = entry.turn.map(|turn| slot.symmetry.turn(turn));
        self.table.put(slot.key, ply, entry);
    }

    fn probe(&self, slot: Slot, ply: usize) -> Option<Entry> {
        let mut entry = self.table.get(slot.key, ply)?;
        if slot.symmetry != Symmetry::IDENTITY {
            let back = slot.symmetry.inverse();
            entry.turn = entry.turn.map(|turn| back.turn(turn));
        }
        Some(entry)
    }

    /// Plays a turn of the line in `next`, a copy of the position it is played in. Changed in place,
    /// since copying what was just written piece by piece makes the processor wait.
    #[inline(always)]
    pub(super) fn push(&mut self, next: &mut Position, turn: Turn, ply: usize) {
        next.play(turn);
        self.keys.push(next.key());
        self.turns[ply] = Some(turn);
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        self.keys.pop();
    }

    /// Asks for the table's entry of the position after a turn ahead of time.
    // By itself, since its work would otherwise be prepared for at every node.
    #[inline(never)]
    fn look_ahead(&self, position: &Position, turn: Turn) {
        self.table.prefetch(position.key_after(turn));
    }

    fn context(&self, ply: usize) -> Context {
        let turn = |back: usize| ply.checked_sub(back).and_then(|p| self.turns[p]);
        Context { ply, previous: [turn(1), turn(2)] }
    }

    /// Whether the current position counts as a draw: it occurred before in this line, after the
    /// root, or twice before in all. In the game only the third time ends it, but who can repeat
    /// once can do so again. The same holds where no rule ends it: endless play is a draw.
    #[inline]
    fn is_repetition(&self, position: &Position) -> bool {
        let reversible = usize::from(position.quiet());
        if reversible < 4 {
            return false;
        }
        let current = self.keys.len() - 1;
        let first = current.saturating_sub(reversible);
        let mut before = 0;
        let mut at = current;
        while at >= first + 2 {
            at -= 2;
            if self.keys[at] == position.key() {
                before += 1;
                if at > self.root_at || before == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Searches a position to `depth` plies. `PV` nodes carry an open window and keep their line.
    /// `cut` says that the parent expects this node to fail high.
    #[inline(always)]
    pub(super) fn search_to<const PV: bool>(
        &mut self,
        position: &Position,
        alpha: Value,
        beta: Value,
        depth: i32,
        ply: usize,
        cut: bool,
    ) -> Value {
        if depth <= 0 {
            self.quiescence::<PV>(position, alpha, beta, ply, 0)
        } else {
            self.node::<PV>(position, alpha, beta, depth, ply, cut)
        }
    }

    /// As [`Self::search_to`], at least one ply deep.
    #[inline(never)]
    #[allow(clippy::too_many_lines, reason = "the order of the steps is the algorithm")]
    fn node<const PV: bool>(
        &mut self,
        position: &Position,
        mut alpha: Value,
        mut beta: Value,
        mut depth: i32,
        ply: usize,
        cut: bool,
    ) -> Value {
        if !self.enter() {
            return 0;
        }
        if let Some(value) = self.ended::<PV>(position, ply) {
            return value;
        }
        if ply >= MAX_SEARCH_PLY {
            return evaluate(position);
        }
        // No result can be better than winning with the next turn, or worse than having lost here.
        alpha = alpha.max(ply as Value - MATE);
        beta = beta.min(MATE - ply as Value - 1);
        if alpha >= beta {
            return alpha;
        }

        if self.endgame.is_asked(position)
            && let Some(value) = self.probe_tables::<PV>(position, alpha, beta, ply)
        {
            return value;
        }
        // The evaluation comes first, while the table's entry is on its way.
        let seen = assess(position);
        let proving = self.is_proving(alpha, beta);
        let slot = Slot::of(position, depth);
        let entry = if depth >= TABLE_DEPTH || PV { self.probe(slot, ply) } else { None };
        if let Some(entry) = entry
            && !PV
            && is_decisive(entry, alpha, beta, depth, proving)
        {
            return entry.value;
        }
        let table_turn = entry.and_then(|e| e.turn).filter(|&turn| position.is_legal(turn));
        // The table's entries of the positions after are wanted soon, and their memory is slow.
        let looks_ahead = depth > TABLE_DEPTH && !Slot::is_shared(position);
        if looks_ahead && let Some(turn) = table_turn {
            self.look_ahead(position, turn);
        }

        // A bound from a search is a better estimate than the evaluation, on its side.
        let eval = match entry.filter(|e| e.value.abs() < MATE_IN_MAX) {
            Some(Entry { value, bound: Bound::Exact, .. }) => value,
            Some(Entry { value, bound: Bound::Lower, .. }) => seen.value.max(value),
            Some(Entry { value, bound: Bound::Upper, .. }) => seen.value.min(value),
            None => seen.value,
        };
        self.evals[ply] = eval;
        let improving = ply >= 2 && eval > self.evals[ply - 2];
        let placing = position.is_placing();

        if !PV && !proving {
            // Far above the window: no quiet reply will bring it back at this depth.
            let margin = (STONE - 20 * Value::from(improving)) * depth;
            if depth <= 6 && eval - margin >= beta && eval < MATE_IN_MAX {
                return eval;
            }
            // Far below: only captures can help.
            if depth <= 3 && eval + 2 * STONE * depth <= alpha {
                let value = self.quiescence::<false>(position, alpha, beta, ply, 0);
                if value <= alpha || self.stopped {
                    return value.clamp(-MATE_IN_MAX + 1, MATE_IN_MAX - 1);
                }
            }
            // Doing nothing already holds: a turn will do better. Zugzwang is common once all
            // stones are placed, so only before.
            if placing
                && depth >= 3
                && eval >= beta
                && position.hand(position.to_move()) > 1
                && ply > 0
                && self.turns[ply - 1].is_some_and(|turn| turn.to().is_some())
            {
                let reduction = 3 + depth / 4;
                let next = position.after_null();
                self.keys.push(next.key());
                self.turns[ply] = None;
                let value = -self.search_to::<false>(
                    &next,
                    -beta,
                    1 - beta,
                    depth - reduction,
                    ply + 1,
                    !cut,
                );
                self.pop();
                if self.stopped {
                    return 0;
                }
                if value >= beta {
                    return value.min(MATE_IN_MAX - 1);
                }
            }
        }
        // Without a turn from the table the node is searched badly ordered; less deep first. It counts
        // as searched to the full depth, or threads that come to it together would search it twice.
        let full_depth = depth;
        if table_turn.is_none() && depth >= 4 && !proving {
            depth -= 1;
        }

        let context = self.context(ply);
        let mut picker = Picker::new(table_turn, seen.closes);
        let original_alpha = alpha;
        let mut best = -INFINITE;
        let mut best_turn = None;
        let mut tried = Tried::new();
        let mut quiets = 0;
        // Near the leaves late quiet turns are left out, and those that cannot reach the window.
        let prunes = !PV && !proving;
        let most_quiets = if prunes && depth <= 5 {
            (3 + depth * depth) / (2 - i32::from(improving))
        } else {
            i32::MAX
        };
        let hopeless = prunes && depth <= 4 && eval + STONE / 2 + STONE * depth <= alpha;
        // Nothing is left to other threads where there are none, or too little to do.
        let shared = depth >= SHARED_DEPTH && self.control.is_shared();
        loop {
            let only_urgent = best > -MATE_IN_MAX && (quiets > most_quiets || hopeless);
            let ahead = |actions: &Actions| {
                if looks_ahead {
                    actions.each_quiet(|action| self.look_ahead(position, action.turn()));
                }
            };
            let Some(pick) = picker.next(&self.history, position, context, only_urgent, &ahead)
            else {
                break;
            };
            let Pick { turn, number, .. } = pick;
            let quiet = !turn.is_capture();
            let new_depth = depth - 1;
            let mut next = *position;
            self.push(&mut next, turn, ply);
            if new_depth >= TABLE_DEPTH {
                self.table.prefetch(Self::table_key(&next));
            }
            if shared
                && number > 1
                && self.control.busy().contains(next.key())
                && picker.postpone(pick)
            {
                self.pop();
                continue;
            }
            if shared {
                self.control.busy().begin(next.key());
            }
            if PV {
                // A null window leaves no line; the one there would be of another turn.
                self.pv[ply + 1].clear();
            }
            let value = if PV && number == 1 {
                -self.search_to::<true>(&next, -beta, -alpha, new_depth, ply + 1, false)
            } else {
                let mut reduced = new_depth;
                if depth >= 3 && number > 2 + i32::from(PV) && !proving {
                    let mut reduction = i32::from(
                        self.reductions[depth.min(63) as usize][(number as usize).min(63)],
                    );
                    if quiet {
                        reduction += i32::from(cut) + i32::from(!improving) - i32::from(PV);
                        reduction -= i32::from(!pick.is_ordinary);
                        let known = self.history.rows(position, context);
                        reduction -= known.value(ActionNumber::of(position, turn)) / LEARNT_PLY;
                    } else {
                        reduction = reduction / 2 + i32::from(number > 6);
                    }
                    reduced = (new_depth - reduction.max(0)).clamp(1.min(new_depth), new_depth);
                }
                let cuts = number > 1 || !cut;
                let mut value =
                    -self.search_to::<false>(&next, -alpha - 1, -alpha, reduced, ply + 1, cuts);
                if value > alpha && reduced < new_depth {
                    value = -self.search_to::<false>(
                        &next,
                        -alpha - 1,
                        -alpha,
                        new_depth,
                        ply + 1,
                        !cut,
                    );
                }
                if PV && value > alpha && value < beta {
                    value =
                        -self.search_to::<true>(&next, -beta, -alpha, new_depth, ply + 1, false);
                }
                value
            };
            self.pop();
            if shared {
                self.control.busy().end(next.key());
            }
            if self.stopped {
                return 0;
            }
            // Another thread may have settled the node meanwhile.
            if shared
                && !PV
                && value <= alpha
                && let Some(entry) = self.probe(slot, ply)
                && is_decisive(entry, alpha, beta, full_depth, proving)
            {
                return entry.value;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_turn = Some(turn);
                    if PV {
                        self.keep_line(ply, turn);
                    }
                    alpha = value;
                    if alpha >= beta {
                        if quiet {
                            self.history.learn(position, turn, &tried, depth, context);
                        }
                        break;
                    }
                }
            }
            if quiet {
                quiets += 1;
                let _ = tried.try_push(turn);
            }
        }
        // Without any turn the game is lost.
        if best == -INFINITE {
            return ply as Value - MATE;
        }
        let entry = Entry {
            turn: best_turn.or(table_turn),
            value: best,
            depth: full_depth,
            bound: bound_of(best, original_alpha, beta),
            exhaustive: proving,
        };
        if depth >= TABLE_DEPTH {
            self.store(slot, ply, entry);
        }
        best
    }

    /// The value of a position in which the game has ended, or counts as drawn.
    #[inline]
    fn ended<const PV: bool>(&mut self, position: &Position, ply: usize) -> Option<Value> {
        if PV {
            self.selective_depth = self.selective_depth.max(ply);
            self.pv[ply].clear();
        }
        let us = position.to_move();
        if position.total(us) < 3 {
            return Some(ply as Value - MATE);
        }
        if position.hand(us) == 0 && position.captures_due() == 0 && !position.can_move() {
            return Some(ply as Value - MATE);
        }
        (position.quiet_limit_reached() || self.is_repetition(position)).then_some(0)
    }

    /// Searches captures only, until none is worth making. Each side may also stand as it is.
    fn quiescence<const PV: bool>(
        &mut self,
        position: &Position,
        mut alpha: Value,
        beta: Value,
        ply: usize,
        since: i32,
    ) -> Value {
        if !self.enter() {
            return 0;
        }
        if let Some(value) = self.ended::<PV>(position, ply) {
            return value;
        }
        let seen = assess(position);
        let mut best = seen.value;
        if best >= beta || ply >= MAX_SEARCH_PLY {
            return best;
        }
        let us = position.to_move();
        if !seen.closes[0].unwrap_or_else(|| position.closing_points(us).any()) {
            return best;
        }
        alpha = alpha.max(best);
        let wins = position.total(!us) == 3;
        if !wins && best + 3 * STONE <= alpha {
            return best;
        }
        let mut captures = Captures::new();
        let (mut actions, mut none) = (Actions::of(position), Actions::NONE);
        let most = if wins { 1 } else { CAPTURES_TRIED[since.min(3) as usize] };
        for _ in 0..most {
            let Some(turn) = captures.next(position, &mut [&mut actions, &mut none]) else { break };
            let mut next = *position;
            self.push(&mut next, turn, ply);
            if PV {
                self.pv[ply + 1].clear();
            }
            let value = -self.quiescence::<PV>(&next, -beta, -alpha, ply + 1, since + 1);
            self.pop();
            if self.stopped {
                return 0;
            }
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    if PV {
                        self.keep_line(ply, turn);
                    }
                    if alpha >= beta {
                        break;
                    }
                }
            }
        }
        best
    }

    /// Whether the window lies among proved results that this iteration can settle: then nothing
    /// may be left out.
    #[inline]
    fn is_proving(&self, alpha: Value, beta: Value) -> bool {
        let plies = MATE - alpha.max(-beta);
        plies <= self.proved_plies.min(self.root_depth + 1)
    }

    /// The line of a node is its best turn and the line of the node after it.
    fn keep_line(&mut self, ply: usize, turn: Turn) {
        let (line, rest) = self.pv.split_at_mut(ply + 1);
        let line = &mut line[ply];
        line.clear();
        line.push(turn);
        line.extend_from_slice(&rest[0]);
    }
}

/// Wins and losses of up to this many plies are reported with their exact length once an iteration
/// is as deep. Excluding every shorter one takes a search that leaves nothing out, which beyond
/// this would seldom end.
pub(super) const PROVED_PLIES: Value = 16;

/// By how much history has to speak for a turn for it to be reduced by a ply less, or against it for a
/// ply more.
const LEARNT_PLY: i32 = 12_000;

/// How many captures quiescence tries, by how many it is deep: mills are rarely worth more than
/// their best captures, and each stone taken multiplies the choices.
const CAPTURES_TRIED: [usize; 4] = [4, 3, 2, 1];

const fn bound_of(value: Value, alpha: Value, beta: Value) -> Bound {
    if value >= beta {
        Bound::Lower
    } else if value > alpha {
        Bound::Exact
    } else {
        Bound::Upper
    }
}

/// Whether a table entry makes a search needless.
const fn is_decisive(entry: Entry, alpha: Value, beta: Value, depth: i32, proving: bool) -> bool {
    let value = entry.value;
    // A proved result needs no depth, whoever found it.
    if value >= MATE_IN_MAX && value >= beta && !matches!(entry.bound, Bound::Upper) {
        return true;
    }
    if value <= -MATE_IN_MAX && value <= alpha && !matches!(entry.bound, Bound::Lower) {
        return true;
    }
    if entry.depth < depth || (proving && !entry.exhaustive) {
        return false;
    }
    match entry.bound {
        Bound::Exact => true,
        Bound::Lower => value >= beta,
        Bound::Upper => value <= alpha,
    }
}
