//! What the search takes from endgame tables.
//!
//! Tables know neither repetition nor the quiet limit; both only ever turn a decided game into a
//! draw. So a table's draw is a draw whatever the history. A table's win stands as well when no
//! rule can cut it short: the winner comes nearer to the end with every turn and so meets no
//! position twice; only one that has occurred twice before the search began could then occur a
//! third time, and only a quiet limit could run out. In those cases wins and losses of tables are
//! not used within the search.
//!
//! At the root the tables answer by themselves where they give every turn its distance. A turn that
//! ends the game by repetition counts as a draw there, and so does a win after which a reply does or
//! whose line, both sides playing best, meets such an end. Other ways there are not looked for: a
//! win stated while a position has occurred twice may still be one that a player can prevent. A
//! quiet limit that a win might not keep leaves the choice to the search.
//!
//! **Equal turns.** All drawing turns are equal for a faultless opponent, and so are the losing ones
//! of which no distance is known. Then the one is chosen that asks most of a fallible one: first
//! those that lead to a position new in this game, and among them by their [`super::chances`], or,
//! with that switched off, by the share of replies that err.
//!
//! **Stones in hand.** Tables of the placing phase know no distances. They are asked at the root
//! alone: a position there cannot come again, so whoever keeps its value turn by turn cannot lose
//! it, and the moving phase ends what is won. Where several turns win, an ordinary search chooses
//! among them.

use std::cmp::Reverse;
use std::sync::Arc;

use super::report::Report;
use super::worker::{RootTurn, Worker};
use super::{Job, Value};
use crate::position::Position;
use crate::rules::Repetition;
use crate::score::{MATE, TABLE_WIN};
use crate::tablebase::{self, Distance, Sector, Tables};
use crate::types::Turn;

/// Up to how many stones in all distances are looked up at every node. Their parts are few and
/// soon all decoded; for more stones it is done on the principal variation alone.
const EXACT_STONES: u32 = 8;

/// The tables of a search, and how far they count in it.
#[derive(Debug)]
pub(super) struct Endgame {
    tables: Arc<Tables>,
    /// The most stones of a position that tables may tell of; 0 when none may be asked.
    most_stones: u32,
    /// Whether wins and losses are beyond the reach of repetition and the quiet limit.
    decided_hold: bool,
    /// Keys of the positions that end the game when they occur once more.
    repeated: Vec<u64>,
}

impl Endgame {
    pub(super) fn none() -> Self {
        Self {
            tables: Arc::new(Tables::none()),
            most_stones: 0,
            decided_hold: false,
            repeated: Vec::new(),
        }
    }

    pub(super) fn of(job: &Job) -> Self {
        let rules = job.position.rules();
        let limit = job.options.table_stones.min(2 * u32::from(Sector::MOST));
        let asked = Tables::hold_under(&rules) && !job.tables.is_empty();
        let repeated = match rules.repetition {
            Repetition::Third => occurred_twice(&job.keys),
            Repetition::Off => Vec::new(),
        };
        Self {
            tables: Arc::clone(&job.tables),
            most_stones: if asked { limit } else { 0 },
            decided_hold: rules.quiet_limit == 0 && repeated.is_empty(),
            repeated,
        }
    }

    /// No tables for a while: what there is now is to be put back.
    pub(super) fn set_aside(&mut self) -> Self {
        std::mem::replace(self, Self::none())
    }

    /// Whether the tables may be asked about this position.
    #[inline]
    pub(super) fn is_asked(&self, position: &Position) -> bool {
        !position.is_placing() && position.on_board() <= self.most_stones
    }

    /// Whether tables may be asked about the positions after the turns of this one, if not about
    /// itself: a placement or a capture still due may lead to one that they tell of.
    fn is_asked_about_turns(&self, position: &Position) -> bool {
        position.on_board() + u32::from(position.is_placing()) <= self.most_stones
    }

    fn ends_by_repetition(&self, position: &Position) -> bool {
        self.repeated.contains(&position.key())
    }

    /// Whether a turn ends the game by repetition, or is a win that such an end cuts short.
    fn repeats(
        &self,
        position: &Position,
        turn: Turn,
        worth: Worth,
        may_go_on: &impl Fn() -> bool,
    ) -> bool {
        let next = position.after(turn);
        if self.repeated.is_empty() || self.ends_by_repetition(&next) {
            return !self.repeated.is_empty();
        }
        if worth.value != tablebase::Value::Win {
            return false;
        }
        let reply_ends = |reply: &Turn| self.ends_by_repetition(&next.after(*reply));
        next.legal_turns().iter().any(reply_ends)
            || self.ends_by_repetition(&self.follow(position, &mut vec![turn], may_go_on))
    }

    /// What the turns at the root are worth, if the tables tell it of all. Plies are looked up where
    /// they rank the first `lines` turns and the tables have them.
    ///
    /// Values come before plies, since with parts not yet decoded the time of the turn may end on
    /// the way: then a turn that is known to win is enough for an answer.
    fn worths(
        &self,
        position: &Position,
        turns: impl Iterator<Item = Turn>,
        lines: usize,
        may_go_on: &impl Fn() -> bool,
    ) -> Option<Vec<(Turn, Worth)>> {
        let is_over = |next: &Position| next.total(next.to_move()) < 3;
        let mut late = false;
        let mut values = Vec::new();
        for turn in turns {
            late = late || !may_go_on();
            let next = position.after(turn);
            let value = if late {
                tablebase::Value::Loss
            } else if is_over(&next) {
                tablebase::Value::Win
            } else {
                match self.tables.wdl_while(&next, may_go_on) {
                    Some(value) => value.reversed(),
                    None if may_go_on() => return None,
                    None => {
                        late = true;
                        tablebase::Value::Loss
                    }
                }
            };
            values.push((turn, next, value));
        }
        let count = |value| values.iter().filter(|(_, _, v)| *v == value).count();
        let (wins, losses) = (count(tablebase::Value::Win), count(tablebase::Value::Loss));
        if late && (wins == 0 || lines > 1) {
            return None;
        }
        let losses_count = values.len() - losses < lines;
        let mut known = false;
        let mut worths = Vec::with_capacity(values.len());
        for (turn, next, value) in values {
            let unknown = Worth { value, plies: None };
            let counts = match value {
                tablebase::Value::Win => true,
                tablebase::Value::Draw => false,
                tablebase::Value::Loss => losses_count,
            };
            let worth = if !counts || known && lines == 1 && !may_go_on() {
                unknown
            } else if is_over(&next) {
                Distance::Loss(0).before().into()
            } else if Sector::of(&next).is_some_and(Sector::is_placing) {
                unknown
            } else {
                match self.tables.dtw_while(&next, may_go_on) {
                    Some(distance) => distance.before().into(),
                    None if known && lines == 1 && !may_go_on() => unknown,
                    None => return None,
                }
            };
            known |= counts && worth != unknown;
            worths.push((turn, worth));
        }
        Some(worths)
    }

    /// Leads a line on, each side playing best, as long as the tables tell how and the game is not
    /// over. Returns where it ends.
    fn follow(
        &self,
        position: &Position,
        line: &mut Vec<Turn>,
        may_go_on: &impl Fn() -> bool,
    ) -> Position {
        let mut position = line.iter().fold(*position, |position, &turn| position.after(turn));
        // No distance is longer; tables that contradict each other might lead round in a circle.
        while line.len() < usize::from(u8::MAX)
            && position.outcome().is_none()
            && !self.ends_by_repetition(&position)
            && may_go_on()
        {
            let Some(turns) = self.tables.turns_while(&position, may_go_on) else { break };
            let Some(&(turn, worth)) = turns.first() else { break };
            if worth == Distance::Draw {
                break;
            }
            line.push(turn);
            position = position.after(turn);
        }
        position
    }
}

/// The keys that are there more than once.
fn occurred_twice(keys: &[u64]) -> Vec<u64> {
    let mut keys = keys.to_vec();
    keys.sort_unstable();
    keys.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).map(|same| same[0]).collect()
}

/// What a turn is worth to the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Worth {
    value: tablebase::Value,
    /// The plies to the end of a decided game, where they are known.
    plies: Option<u8>,
}

impl Worth {
    const DRAW: Self = Self { value: tablebase::Value::Draw, plies: None };

    /// Larger is better: short wins first, then those of unknown length, draws, long losses.
    const fn rank(self) -> i32 {
        match (self.value, self.plies) {
            (tablebase::Value::Win, Some(plies)) => 1000 - plies as i32,
            (tablebase::Value::Win, None) => 500,
            (tablebase::Value::Draw, _) => 0,
            (tablebase::Value::Loss, Some(plies)) => plies as i32 - 1000,
            (tablebase::Value::Loss, None) => -1000,
        }
    }

    /// As a value of the search.
    fn at_root(self) -> Value {
        match (self.value, self.plies) {
            (tablebase::Value::Draw, _) => 0,
            (tablebase::Value::Win, Some(plies)) => value(Distance::Win(plies), 0),
            (tablebase::Value::Loss, Some(plies)) => value(Distance::Loss(plies), 0),
            (tablebase::Value::Win, None) => TABLE_WIN - 1,
            (tablebase::Value::Loss, None) => 1 - TABLE_WIN,
        }
    }
}

impl From<Distance> for Worth {
    fn from(distance: Distance) -> Self {
        Self { value: distance.value(), plies: distance.plies() }
    }
}

/// The value of a decided position, `ply` plies from the root.
fn value(distance: Distance, ply: usize) -> Value {
    match distance {
        Distance::Win(plies) => MATE - ply as Value - Value::from(plies),
        Distance::Draw => 0,
        Distance::Loss(plies) => ply as Value + Value::from(plies) - MATE,
    }
}

impl Worker {
    /// The value by the tables of a node that they are asked about, if they settle it within this
    /// window.
    pub(super) fn probe_tables<const PV: bool>(
        &mut self,
        position: &Position,
        alpha: Value,
        beta: Value,
        ply: usize,
    ) -> Option<Value> {
        let decoded = self.endgame.tables.decoded();
        let found = self.endgame.tables.wdl_while(position, &|| self.has_time());
        if self.endgame.tables.decoded() != decoded {
            self.poll_soon();
        }
        let found = found?;
        self.control.count_table_hit();
        if found == tablebase::Value::Draw {
            return Some(0);
        }
        if !self.endgame.decided_hold {
            return None;
        }
        if (PV || position.on_board() <= EXACT_STONES)
            && let Some(distance) = self.endgame.tables.dtw_while(position, &|| self.has_time())
        {
            return Some(value(distance, ply));
        }
        // Without the distance it is a bound: the end may be nearer than this says.
        let bound = TABLE_WIN - ply as Value;
        match found {
            tablebase::Value::Win if bound >= beta => Some(bound),
            tablebase::Value::Loss if -bound <= alpha => Some(-bound),
            _ => None,
        }
    }

    /// Answers from the tables alone, if they give every turn its value. The root turns are then in
    /// order, each with its value and line. Where several turns win and nobody knows how soon, only
    /// those are left, and the search has to choose.
    pub(super) fn answer_from_tables(
        &mut self,
        job: &Job,
        lines: usize,
        report: &mut dyn FnMut(Report),
    ) -> bool {
        if !self.is_main() || !self.endgame.is_asked_about_turns(&job.position) {
            return false;
        }
        let Some(mut ranked) = self.rank_by_tables(job, lines) else { return false };
        self.control.count_table_hit();
        let best = ranked[0].worth;
        let equals = ranked.iter().filter(|r| r.worth.rank() == best.rank()).count();
        if best.value == tablebase::Value::Win && best.plies.is_none() && lines == 1 && equals > 1 {
            let wins = |turn| ranked[..equals].iter().any(|r| r.turn == turn);
            self.root_turns.retain(|root| wins(root.turn));
            self.is_won = true;
            return false;
        }
        if best.plies.is_none() && equals > 1 {
            self.rank_by_chances(job, &mut ranked[..equals]);
        }
        self.root_depth = 1;
        self.nodes = self.nodes.max(ranked.len() as u64);
        self.root_turns = ranked
            .iter()
            .map(|&Ranked { turn, worth, .. }| {
                let value = worth.at_root();
                RootTurn { turn, value, previous: value, selective_depth: 1, pv: vec![turn] }
            })
            .collect();
        self.lead_lines_on(&job.position, lines);
        self.report_lines(job, lines, report);
        true
    }

    /// The root turns by what they are worth, and among equals those first that lead to a new
    /// position; `None` if the tables do not tell.
    fn rank_by_tables(&self, job: &Job, lines: usize) -> Option<Vec<Ranked>> {
        let (endgame, position) = (&self.endgame, &job.position);
        let turns = self.root_turns.iter().map(|root| root.turn);
        let tables = &endgame.tables;
        // What is decoded is looked up at once, even where the time is over before it has begun.
        let decoded = tables.decoded();
        let may_go_on = || tables.decoded() == decoded || self.has_time();
        let mut ranked = Vec::with_capacity(self.root_turns.len());
        for (turn, mut worth) in endgame.worths(position, turns, lines, &may_go_on)? {
            let key = position.after(turn).key();
            let seen = job.keys.iter().filter(|&&k| k == key).count();
            if endgame.repeats(position, turn, worth, &may_go_on) {
                worth = Worth::DRAW;
            }
            if let (Some(plies), limit @ 1..) = (worth.plies, position.rules().quiet_limit)
                && u32::from(position.quiet()) + u32::from(plies) > u32::from(limit)
            {
                return None;
            }
            ranked.push(Ranked { turn, worth, seen });
        }
        ranked.sort_by_key(|r| (Reverse(r.worth.rank()), r.seen));
        Some(ranked)
    }

    /// Orders turns of the same worth: those that lead to new positions first, and then by what they
    /// ask of the opponent.
    fn rank_by_chances(&mut self, job: &Job, equals: &mut [Ranked]) {
        let tables = Arc::clone(&self.endgame.tables);
        let (value, fewest) = (equals[0].worth.value, equals[0].seen);
        let fresh = equals.iter().filter(|r| r.seen == fewest).count();
        let turns: Vec<Turn> = equals[..fresh].iter().map(|r| r.turn).collect();
        let chances = if job.options.practical_chances {
            let deepest = job.limits.depth.map_or(i32::MAX, |depth| depth as i32);
            self.chances(&job.position, &turns, value, &tables, deepest)
        } else {
            let share = |&turn: &Turn| {
                (turn, erring_share(&tables, &job.position.after(turn), value, &|| self.has_time()))
            };
            turns.iter().map(share).collect()
        };
        let chance = |turn| chances.iter().find(|(t, _)| *t == turn).map_or(0, |(_, c)| *c);
        equals[..fresh].sort_by_key(|r| Reverse(chance(r.turn)));
    }

    /// Tells the first root turns of a search, the decided ones with their lines to the end.
    pub(super) fn report_full_lines(
        &mut self,
        job: &Job,
        lines: usize,
        report: &mut dyn FnMut(Report),
    ) {
        if self.endgame.decided_hold {
            self.lead_lines_on(&job.position, lines);
        }
        self.report_lines(job, lines, report);
    }

    /// Leads the lines of the first root turns on to the end of the game, where that is decided and
    /// the tables know the way. Only while there is time: with files not yet in memory a long line
    /// can take a second. A distance is told only with the line that shows it, so a line cut short
    /// leaves a win or loss without its length.
    fn lead_lines_on(&mut self, position: &Position, lines: usize) {
        for i in 0..lines.min(self.root_turns.len()) {
            let value = self.root_turns[i].value;
            if value.abs() <= TABLE_WIN {
                continue;
            }
            let mut line = std::mem::take(&mut self.root_turns[i].pv);
            let end = self.endgame.follow(position, &mut line, &|| self.has_time());
            self.root_turns[i].pv = line;
            let is_over = end.outcome().is_some() || self.endgame.ends_by_repetition(&end);
            if !is_over && !self.has_time() {
                let plies = MATE - value.abs();
                self.root_turns[i].value = value.signum() * (TABLE_WIN - plies);
            }
        }
    }
}

/// A root turn by the tables.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    turn: Turn,
    worth: Worth,
    /// How often the position that it leads to has occurred.
    seen: usize,
}

/// How many thousandths of the replies leave the player who made the turn with more than `value`; 0
/// where there is no time to tell.
fn erring_share(
    tables: &Tables,
    position: &Position,
    value: tablebase::Value,
    may_go_on: &impl Fn() -> bool,
) -> i64 {
    let replies = position.legal_turns();
    let mut erring = 0;
    for turn in &replies {
        if !may_go_on() {
            return 0;
        }
        let found = tables.wdl_while(&position.after(*turn), may_go_on);
        erring += i64::from(found.is_some_and(|found| found > value));
    }
    erring * 1000 / replies.len().max(1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use std::cell::Cell;

    /// White, with three stones against three, wins.
    const WON: &str = "OO******/O*@*@***/**@***** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";

    #[test]
    fn a_look_cut_short_finds_a_win_or_nothing() {
        let position = Position::from_fen(WON, Rules::default()).unwrap();
        let turns = position.legal_turns();
        let mut found = 0;
        for allowed in 0..40 {
            let endgame = Endgame { tables: Arc::new(Tables::builtin()), ..Endgame::none() };
            let asked = Cell::new(0);
            let may_go_on = || asked.replace(asked.get() + 1) < allowed;
            let worths = endgame.worths(&position, turns.iter().copied(), 1, &may_go_on);
            let best = worths.and_then(|w| w.into_iter().max_by_key(|(_, w)| w.rank()));
            let Some((turn, worth)) = best else { continue };
            found += 1;
            let next = position.after(turn);
            let exact = endgame.tables.dtw(&next).map(|d| Worth::from(d.before()));
            assert!(next.outcome().is_some() || exact == Some(worth), "{turn}: {worth:?}");
            assert_eq!(worth.value, tablebase::Value::Win, "{turn}");
        }
        assert!(found > 20, "{found}");
    }
}
