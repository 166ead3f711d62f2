//! What the search has learnt about quiet turns: which ones refuted something before.

use super::MAX_SEARCH_PLY;
use crate::actions::ActionNumber;
use crate::position::Position;
use crate::types::Turn;

/// Values of quiet turns, by [`ActionNumber`].
type Row = [i16; ActionNumber::COUNT];

/// What the search has learnt.
pub(super) struct History {
    by_side: Box<[Row; 2]>,
    /// By where the turns one and two plies ago went, as [`Turn::fields`] says it; nothing is learnt
    /// for turns that went nowhere.
    continuation: Box<[[Row; Turn::FIELD_VALUES]; 2]>,
    killers: Box<[[Option<Turn>; 2]; MAX_SEARCH_PLY + 1]>,
}

/// Values stay within this bound.
const HISTORY_MAX: i32 = 8192;

/// Of what nothing is known.
const NOTHING: Row = [0; ActionNumber::COUNT];

/// What is known of the quiet turns of a node.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a>([&'a Row; 3]);

impl Rows<'_> {
    /// The sum of what is known of an action.
    #[inline]
    pub(super) fn value(self, action: ActionNumber) -> i32 {
        let [own, after_one, after_two] = self.0.map(|row| i32::from(row[action.index()]));
        2 * own + after_one + after_two
    }
}

/// What ordering needs to know of the way to a node.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) ply: usize,
    /// The last two turns, the opponent's first.
    pub(super) previous: [Option<Turn>; 2],
}

impl Context {
    /// Where their stones went: fields of turns.
    #[inline]
    fn targets(self) -> [usize; 2] {
        self.previous.map(|turn| turn.map_or(0, |turn| turn.fields()[1]))
    }
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            by_side: Box::new([NOTHING; 2]),
            continuation: Box::new([[NOTHING; Turn::FIELD_VALUES]; 2]),
            killers: Box::new([[None; 2]; MAX_SEARCH_PLY + 1]),
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    /// Halves what was learnt: a new search is about a new position, though a related one.
    pub(super) fn age(&mut self) {
        let rows = self.by_side.iter_mut().chain(self.continuation.as_flattened_mut());
        rows.flatten().for_each(|value| *value /= 2);
        self.killers.fill([None; 2]);
    }

    /// What is known of the quiet turns of a node.
    #[inline]
    pub(super) fn rows(&self, position: &Position, context: Context) -> Rows<'_> {
        let [one, two] = context.targets();
        let [after_one, after_two] = &*self.continuation;
        Rows([&self.by_side[position.to_move().index()], &after_one[one], &after_two[two]])
    }

    /// The turns that refuted something at this ply last.
    #[inline]
    pub(super) fn killers(&self, ply: usize) -> [Option<Turn>; 2] {
        self.killers[ply]
    }

    /// Learns from a cutoff: `best` refuted the position, the quiet turns tried before did not.
    pub(super) fn learn(
        &mut self,
        position: &Position,
        best: Turn,
        tried: &[Turn],
        depth: i32,
        context: Context,
    ) {
        let killers = &mut self.killers[context.ply];
        if killers[0] != Some(best) {
            *killers = [Some(best), killers[0]];
        }
        let bonus = (24 * depth * depth).min(1600);
        self.update(position, best, bonus, context);
        for &turn in tried {
            self.update(position, turn, -bonus, context);
        }
    }

    fn update(&mut self, position: &Position, turn: Turn, bonus: i32, context: Context) {
        let side = position.to_move();
        let action = ActionNumber::of(position, turn).index();
        nudge(&mut self.by_side[side.index()][action], bonus);
        for (rows, to) in self.continuation.iter_mut().zip(context.targets()) {
            if to != 0 {
                nudge(&mut rows[to][action], bonus);
            }
        }
    }
}

/// Moves a history value by the bonus, less the nearer it is to its bound.
fn nudge(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}
