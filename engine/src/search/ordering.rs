//! In which order turns are tried.

use arrayvec::ArrayVec;

use super::Value;
use super::captures::Captures;
use super::history::{Context, History, Rows};
use super::ranks::{Ranks, SPARE};
use crate::actions::{ActionNumber, Actions};
use crate::position::Position;
use crate::types::Turn;

/// The turns of a node, best first. Each kind of turn is found only when those before are used up:
/// often the table's turn is enough.
pub(super) struct Picker {
    stage: Stage,
    table_turn: Option<Turn>,
    /// Whether the side to move and the opponent could close a mill, if that is known already.
    closes: [Option<bool>; 2],
    /// Those to where the opponent threatens to close a mill.
    blocks: Actions,
    /// All others.
    actions: Actions,
    captures: Captures,
    /// Quiet turns by what history says of them, with their numbers in the low bits.
    quiets: Quiets,
    /// Turns to be given out once more after all others. The first comes first again: what it was
    /// left to is the likeliest to be done.
    postponed: ArrayVec<Pick, 32>,
    /// How many turns were given out.
    given: i32,
}

/// What a picker does next, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    TableTurn,
    Start,
    Captures,
    Blocks,
    FirstKiller,
    SecondKiller,
    ListQuiets,
    Quiets,
    Postponed,
}

/// Three stones that fly have at most 21 points each to go to; all others have fewer turns.
const MOST_QUIETS: usize = 63;

type Quiets = Ranks<{ MOST_QUIETS + SPARE }>;

/// Bits of a quiet turn's rank that hold its number; high numbers come last among equals.
const NUMBER_BITS: u32 = usize::BITS - (ActionNumber::COUNT - 1).leading_zeros();
const NUMBER_MASK: i32 = (1 << NUMBER_BITS) - 1;

/// A turn to try.
#[derive(Clone, Copy)]
pub(super) struct Pick {
    pub(super) turn: Turn,
    /// Whether the turn is nothing more than quiet. After such a turn only others like it follow.
    pub(super) is_ordinary: bool,
    /// Its place in the order of the node's turns, from 1 on; a postponed one keeps its own, so that
    /// threads search the same turn equally deep.
    pub(super) number: i32,
}

impl Picker {
    #[inline]
    pub(super) fn new(table_turn: Option<Turn>, closes: [Option<bool>; 2]) -> Self {
        Self {
            stage: if table_turn.is_some() { Stage::TableTurn } else { Stage::Start },
            table_turn,
            closes,
            blocks: Actions::NONE,
            actions: Actions::NONE,
            captures: Captures::new(),
            quiets: Ranks::new(),
            postponed: ArrayVec::new(),
            given: 0,
        }
    }

    #[inline]
    const fn give(&mut self, turn: Turn, is_ordinary: bool) -> Pick {
        self.given += 1;
        Pick { turn, is_ordinary, number: self.given }
    }

    /// The next turn to try; with `only_urgent` none that is merely quiet, unless it was postponed.
    /// `ahead` is told of the quiet actions that are likely to be picked later.
    #[inline]
    pub(super) fn next(
        &mut self,
        history: &History,
        position: &Position,
        context: Context,
        only_urgent: bool,
        ahead: &impl Fn(&Actions),
    ) -> Option<Pick> {
        // One stage after the other, without a choice among all, which processors guess badly.
        if self.stage < Stage::Quiets {
            if self.stage == Stage::TableTurn {
                self.stage = Stage::Start;
                return self.table_turn.map(|turn| self.give(turn, false));
            }
            if self.stage == Stage::Start {
                self.start(history, position, context);
            }
            if self.stage == Stage::Captures {
                if let Some(turn) = self.next_capture(position) {
                    return Some(self.give(turn, false));
                }
                self.stage = Stage::Blocks;
            }
            if self.stage == Stage::Blocks {
                if let Some(turn) = self.next_quiet() {
                    return Some(self.give(turn, false));
                }
                self.stage = Stage::FirstKiller;
            }
            let [first, second] = history.killers(context.ply);
            if self.stage == Stage::FirstKiller {
                self.stage = Stage::SecondKiller;
                if let Some(turn) = self.take_killer(position, first) {
                    return Some(self.give(turn, false));
                }
            }
            if only_urgent {
                self.stage = Stage::Postponed;
            }
            if self.stage == Stage::SecondKiller {
                self.stage = Stage::ListQuiets;
                if let Some(turn) = self.take_killer(position, second) {
                    return Some(self.give(turn, true));
                }
            }
            if self.stage == Stage::ListQuiets {
                list(&self.actions, &mut self.quiets, history.rows(position, context));
                ahead(&self.actions);
                self.stage = Stage::Quiets;
            }
        }
        if self.stage == Stage::Quiets
            && !only_urgent
            && let Some(turn) = self.next_quiet()
        {
            return Some(self.give(turn, true));
        }
        self.stage = Stage::Postponed;
        self.postponed.pop_at(0)
    }

    /// Finds what can be done, and lists what blocks a mill.
    fn start(&mut self, history: &History, position: &Position, context: Context) {
        let [we_close, they_close] = self.closes;
        self.actions.find(position, we_close != Some(false));
        if let Some(turn) = self.table_turn.filter(|turn| !turn.is_capture()) {
            self.actions.take_quiet(ActionNumber::of(position, turn));
        }
        if they_close != Some(false) {
            let threatened = position.closing_points(!position.to_move());
            if threatened.any() {
                self.blocks = self.actions.split_off(position, threatened);
                list(&self.blocks, &mut self.quiets, history.rows(position, context));
            }
        }
        let captures =
            position.captures_due() > 0 || self.actions.any_closing() || self.blocks.any_closing();
        self.stage = if captures { Stage::Captures } else { Stage::Blocks };
    }

    fn next_capture(&mut self, position: &Position) -> Option<Turn> {
        let mut actions = [&mut self.blocks, &mut self.actions];
        let turn = self.captures.next(position, &mut actions)?;
        if Some(turn) == self.table_turn {
            return self.captures.next(position, &mut actions);
        }
        Some(turn)
    }

    #[inline]
    fn next_quiet(&mut self) -> Option<Turn> {
        let rank = self.quiets.next()?;
        Some(ActionNumber::from_index((NUMBER_MASK - (rank & NUMBER_MASK)) as usize).turn())
    }

    /// Takes a killer out of the quiet turns that are left, if it is among them.
    #[inline]
    fn take_killer(&mut self, position: &Position, killer: Option<Turn>) -> Option<Turn> {
        killer.filter(|&turn| self.actions.take_quiet(ActionNumber::of(position, turn)))
    }

    /// Gives the turn out again when all others are done. Returns whether it will: only so many can
    /// wait, and each only once.
    #[inline]
    pub(super) fn postpone(&mut self, pick: Pick) -> bool {
        self.stage != Stage::Postponed && self.postponed.try_push(pick).is_ok()
    }
}

/// Lists quiet turns.
#[inline]
fn list(actions: &Actions, quiets: &mut Quiets, rows: Rows<'_>) {
    quiets.fill(|list| {
        actions.each_quiet(|action| {
            list.push(rows.value(action) << NUMBER_BITS | (NUMBER_MASK - action.index() as i32));
        });
    });
}

/// How many plies less to search a late turn, by depth and number: the logarithmic shape that
/// engines of many games have settled on.
pub(super) fn reductions() -> Box<[[u8; 64]; 64]> {
    let mut table = Box::new([[0; 64]; 64]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, reduction) in row.iter_mut().enumerate().skip(1) {
            let value: f64 = 0.4 + (depth as f64).ln() * (number as f64).ln() / 1.9;
            *reduction = value as u8;
        }
    }
    table
}

/// The value of a stone, for margins.
pub(super) const STONE: Value = 110;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::each_position;
    use crate::rules::Rules;

    #[test]
    fn every_legal_turn_is_picked_once_whatever_the_table_and_the_killers_say() {
        let mut history = History::new();
        let mut last = None;
        for rules in Rules::all_kinds() {
            each_position(rules, 14, |position| {
                let mut expected = position.legal_turns().to_vec();
                if expected.is_empty() {
                    return;
                }
                let previous = [Some(expected[0]), last];
                let context = Context { ply: 3, previous };
                let number = position.key() as usize;
                let table_turn = expected.get(number % (2 * expected.len())).copied();
                let closes = crate::eval::assess(position).closes;
                let mut picker = Picker::new(table_turn, closes);
                let mut found = Vec::new();
                let mut numbers = Vec::new();
                let mut postponed = Vec::new();
                while let Some(pick) = picker.next(&history, position, context, false, &|_| ()) {
                    if matches!(pick.number, 3 | 5) && picker.postpone(pick) {
                        postponed.push((pick.number, pick.turn));
                        continue;
                    }
                    found.push(pick.turn);
                    numbers.push((pick.number, pick.turn));
                }
                assert!(numbers.ends_with(&postponed), "first postponed, first again");
                numbers.sort_unstable();
                assert!((1..).zip(&numbers).all(|(n, &(number, _))| n == number));
                assert!(table_turn.is_none_or(|turn| found[0] == turn));
                // Turns of other positions, too, come to be killers.
                let learnt = expected[number % expected.len()];
                if !learnt.is_capture() && learnt.to().is_some() {
                    history.learn(position, learnt, &[], 5, context);
                    last = Some(learnt);
                }
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{}", position.fen());
                let mut picker = Picker::new(None, closes);
                let picks =
                    std::iter::from_fn(|| picker.next(&history, position, context, true, &|_| ()));
                assert!(picks.into_iter().all(|pick| !pick.is_ordinary));
            });
        }
    }
}
