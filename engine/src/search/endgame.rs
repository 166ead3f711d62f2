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
//! **Drawn positions.** All drawing turns are equal for a faultless opponent, so the one is chosen
//! that asks most of a fallible one: first those that lead to a position new in this game, and
//! among them the one with the largest share of losing replies.

use std::cmp::Reverse;
use std::sync::Arc;

use super::report::Report;
use super::worker::{RootTurn, Worker};
use super::{Job, Value};
use crate::position::Position;
use crate::rules::Repetition;
use crate::score::{MATE, TABLE_WIN};
use crate::tablebase::{self, Distance, Sector, Tables};
use crate::types::{Color, Turn};

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

    #[inline]
    fn is_asked(&self, position: &Position) -> bool {
        stones(position) <= self.most_stones && !position.is_placing()
    }

    /// Whether tables may be asked about the positions after the turns of this one, if not about
    /// itself: a placement or a capture still due may lead to one that they tell of.
    fn is_asked_about_turns(&self, position: &Position) -> bool {
        stones(position) + u32::from(position.is_placing()) <= self.most_stones
    }

    fn ends_by_repetition(&self, position: &Position) -> bool {
        self.repeated.contains(&position.key())
    }

    /// Whether a turn ends the game by repetition, or is a win that such an end cuts short.
    fn repeats(
        &self,
        position: &Position,
        turn: Turn,
        worth: Distance,
        may_go_on: &impl Fn() -> bool,
    ) -> bool {
        let next = position.after(turn);
        if self.repeated.is_empty() || self.ends_by_repetition(&next) {
            return !self.repeated.is_empty();
        }
        if worth.value() != tablebase::Value::Win {
            return false;
        }
        let reply_ends = |reply: &Turn| self.ends_by_repetition(&next.after(*reply));
        next.legal_turns().iter().any(reply_ends)
            || self.ends_by_repetition(&self.follow(position, &mut vec![turn], may_go_on))
    }

    /// What the turns at the root are worth, if the tables tell it of all. Plies are looked up where
    /// they rank the first `lines` turns; any other loss is given as one at once.
    ///
    /// Values come before plies, since with parts not yet decoded the time of the turn may end on
    /// the way: then a turn that is known to win is enough for an answer.
    fn worths(
        &self,
        position: &Position,
        turns: impl Iterator<Item = Turn>,
        lines: usize,
        may_go_on: &impl Fn() -> bool,
    ) -> Option<Vec<(Turn, Distance)>> {
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
                self.tables.wdl(&next)?.reversed()
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
            let unknown = match value {
                tablebase::Value::Win => Distance::Win(u8::MAX),
                tablebase::Value::Draw => Distance::Draw,
                tablebase::Value::Loss => Distance::Loss(0),
            };
            let counts = match value {
                tablebase::Value::Win => true,
                tablebase::Value::Draw => false,
                tablebase::Value::Loss => losses_count,
            };
            let worth = if !counts || known && lines == 1 && !may_go_on() {
                unknown
            } else if is_over(&next) {
                Distance::Loss(0).before()
            } else {
                match self.tables.dtw_while(&next, may_go_on) {
                    Some(distance) => distance.before(),
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

fn stones(position: &Position) -> u32 {
    position.stones(Color::White).len() + position.stones(Color::Black).len()
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
    /// The value of a node by the tables, if they settle it within this window.
    #[inline]
    pub(super) fn probe_tables<const PV: bool>(
        &mut self,
        position: &Position,
        alpha: Value,
        beta: Value,
        ply: usize,
    ) -> Option<Value> {
        if !self.endgame.is_asked(position) {
            return None;
        }
        let decoded = self.endgame.tables.decoded();
        let found = self.endgame.tables.wdl(position);
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
        if (PV || stones(position) <= EXACT_STONES)
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

    /// Answers from the tables alone, if they give every turn its distance. The root turns are then
    /// in order, each with its value and line.
    pub(super) fn answer_from_tables(
        &mut self,
        job: &Job,
        lines: usize,
        report: &mut dyn FnMut(Report),
    ) -> bool {
        if !self.is_main() || !self.endgame.is_asked_about_turns(&job.position) {
            return false;
        }
        let endgame = &self.endgame;
        let tables = Arc::clone(&endgame.tables);
        let position = &job.position;
        let turns = self.root_turns.iter().map(|root| root.turn);
        // What is decoded is looked up at once, even where the time is over before it has begun.
        let decoded = tables.decoded();
        let may_go_on = || tables.decoded() == decoded || self.has_time();
        let Some(worths) = endgame.worths(position, turns, lines, &may_go_on) else {
            return false;
        };
        let seen = |turn: Turn| {
            let key = position.after(turn).key();
            job.keys.iter().filter(|&&k| k == key).count()
        };
        let mut ranked = Vec::with_capacity(self.root_turns.len());
        for (turn, mut worth) in worths {
            let before = seen(turn);
            if endgame.repeats(position, turn, worth, &may_go_on) {
                worth = Distance::Draw;
            }
            if let (Some(plies), limit @ 1..) = (worth.plies(), position.rules().quiet_limit)
                && u32::from(position.quiet()) + u32::from(plies) > u32::from(limit)
            {
                return false;
            }
            ranked.push((turn, worth, before));
        }
        self.control.count_table_hit();
        let won = ranked.iter().filter(|(_, worth, _)| worth.rank() > 0).count();
        let asks = |&(turn, worth, before): &(Turn, Distance, usize)| {
            let share = match worth {
                Distance::Draw if won < lines => {
                    losing_share(&tables, &position.after(turn), &may_go_on)
                }
                _ => 0,
            };
            (Reverse(worth.rank()), before, Reverse(share))
        };
        ranked.sort_by_cached_key(asks);
        self.nodes = ranked.len() as u64;
        self.root_depth = 1;
        self.root_turns = ranked
            .iter()
            .map(|&(turn, worth, _)| {
                let value = value(worth, 0);
                RootTurn { turn, value, previous: value, selective_depth: 1, pv: vec![turn] }
            })
            .collect();
        self.lead_lines_on(position, lines);
        self.report_lines(job, lines, report);
        true
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

/// How many thousandths of the replies lose; 0 where there is no time to tell.
fn losing_share(tables: &Tables, position: &Position, may_go_on: &impl Fn() -> bool) -> usize {
    let replies = position.legal_turns();
    let mut losing = 0;
    for turn in &replies {
        if !may_go_on() {
            return 0;
        }
        let value = tables.wdl(&position.after(*turn));
        losing += usize::from(value == Some(tablebase::Value::Win));
    }
    losing * 1000 / replies.len().max(1)
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
            let exact = endgame.tables.dtw(&next).map(Distance::before);
            assert!(next.outcome().is_some() || exact == Some(worth), "{turn}: {worth:?}");
            assert_eq!(worth.value(), tablebase::Value::Win, "{turn}");
        }
        assert!(found > 20, "{found}");
    }
}
