//! In which order turns are tried.

use arrayvec::ArrayVec;

use super::{MAX_SEARCH_PLY, Value};
use crate::movegen::{MAX_TURNS, TurnList};
use crate::position::Position;
use crate::types::{Bitboard, Point, Turn};

/// Turns with how promising each looks, best taken first.
pub(super) struct Picker {
    turns: TurnList,
    scores: ArrayVec<i32, MAX_TURNS>,
    next: usize,
}

impl Picker {
    pub(super) fn new(turns: TurnList, score: impl FnMut(Turn) -> i32) -> Self {
        let scores = turns.iter().copied().map(score).collect();
        Self { turns, scores, next: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.turns.len()
    }
}

impl Iterator for Picker {
    type Item = (Turn, i32);

    #[inline]
    fn next(&mut self) -> Option<(Turn, i32)> {
        let from = self.next;
        let scores = self.scores.get(from..)?;
        // The first of the best, so that the order is the same on every machine.
        let mut best = 0;
        let mut best_score = *scores.first()?;
        for (i, &score) in scores.iter().enumerate().skip(1) {
            if score > best_score {
                (best, best_score) = (i, score);
            }
        }
        self.turns.swap(from, from + best);
        self.scores.swap(from, from + best);
        self.next += 1;
        Some((self.turns[from], best_score))
    }
}

/// The table's turn comes before all others.
const TABLE_TURN: i32 = 1 << 24;
/// Then those that close a mill.
const CAPTURE: i32 = 1 << 22;
/// Then a stone put where the opponent threatens to close one.
const BLOCK: i32 = 1 << 20;
/// Turns that score at least this are more than merely quiet: they block a mill.
pub(super) const URGENT: i32 = BLOCK / 2;
const KILLERS: [i32; 2] = [1 << 18, (1 << 18) - 1];

/// How much capturing each opposing stone hurts, by point.
struct CaptureValues([i32; Point::COUNT]);

impl CaptureValues {
    fn new(position: &Position) -> Self {
        let us = position.stones(position.to_move());
        let them = position.stones(!position.to_move());
        let empty = position.empty();
        let mut values = [0; Point::COUNT];
        for p in position.capturable() {
            let mut value = (p.neighbours() & empty).len() as i32;
            for line in p.line_partners() {
                let partners = (line & them).len();
                value += match partners {
                    2 => 12,                           // breaks a mill
                    1 if (line & empty).any() => 14,   // breaks a line about to be one
                    0 if (line & us).len() == 2 => 16, // unblocks one of ours
                    _ => 0,
                };
            }
            values[p.index()] = value;
        }
        Self(values)
    }

    fn of(&self, turn: Turn) -> i32 {
        turn.captures().into_iter().flatten().map(|p| self.0[p.index()]).sum()
    }
}

/// Actions are told apart by where the stone comes from (or the hand) and where it goes.
const ACTIONS: usize = (Point::COUNT + 1) * Point::COUNT;

#[inline]
fn action_index(turn: Turn) -> usize {
    let from = turn.from().map_or(Point::COUNT, Point::index);
    // A turn without a target is only captures, which have no history; any index will do.
    from * Point::COUNT + turn.to().map_or(0, Point::index)
}

/// What the search has learnt about quiet turns: which ones refuted something before.
pub(super) struct History {
    by_side: Box<[[i16; ACTIONS]; 2]>,
    /// After the turn to this point, by either side, one and two plies ago.
    continuation: Box<[[[i16; ACTIONS]; Point::COUNT]; 2]>,
    killers: Box<[[Option<Turn>; 2]; MAX_SEARCH_PLY + 1]>,
}

/// History values stay within this bound.
pub(super) const HISTORY_MAX: i32 = 8192;

/// What ordering needs to know of the way to a node.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) ply: usize,
    /// Where the stones of the last two turns went, the opponent's first.
    pub(super) previous: [Option<Point>; 2],
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            by_side: Box::new([[0; ACTIONS]; 2]),
            continuation: Box::new([[[0; ACTIONS]; Point::COUNT]; 2]),
            killers: Box::new([[None; 2]; MAX_SEARCH_PLY + 1]),
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    /// Halves what was learnt: a new search is about a new position, though a related one.
    pub(super) fn age(&mut self) {
        self.by_side.as_flattened_mut().iter_mut().for_each(|v| *v /= 2);
        self.continuation.as_flattened_mut().as_flattened_mut().iter_mut().for_each(|v| *v /= 2);
        self.killers.fill([None; 2]);
    }

    /// The sum of what is known of a quiet turn.
    #[inline]
    pub(super) fn quiet(&self, position: &Position, turn: Turn, context: Context) -> i32 {
        let action = action_index(turn);
        let mut sum = 2 * i32::from(self.by_side[position.to_move().index()][action]);
        for (table, to) in self.continuation.iter().zip(context.previous) {
            if let Some(to) = to {
                sum += i32::from(table[to.index()][action]);
            }
        }
        sum
    }

    /// Scores every turn of a node for the picker.
    pub(super) fn picker(
        &self,
        position: &Position,
        turns: TurnList,
        table_turn: Option<Turn>,
        context: Context,
    ) -> Picker {
        let threatened = position.closing_points(!position.to_move());
        let capture_values = if turns.iter().any(|t| t.is_capture()) {
            Some(CaptureValues::new(position))
        } else {
            None
        };
        Picker::new(turns, |turn| {
            if Some(turn) == table_turn {
                return TABLE_TURN;
            }
            if let (true, Some(values)) = (turn.is_capture(), &capture_values) {
                return CAPTURE
                    + 1024 * values.of(turn)
                    + self.block_bonus(turn, threatened) / 1024;
            }
            let quiet = self.quiet(position, turn, context);
            if let Some(rank) =
                self.killers[context.ply].iter().position(|&killer| killer == Some(turn))
            {
                return KILLERS[rank].max(self.block_bonus(turn, threatened) + quiet);
            }
            self.block_bonus(turn, threatened) + quiet
        })
    }

    fn block_bonus(&self, turn: Turn, threatened: Bitboard) -> i32 {
        if turn.to().is_some_and(|to| threatened.contains(to)) { BLOCK } else { 0 }
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
        let action = action_index(turn);
        nudge(&mut self.by_side[position.to_move().index()][action], bonus);
        for (table, to) in self.continuation.iter_mut().zip(context.previous) {
            if let Some(to) = to {
                nudge(&mut table[to.index()][action], bonus);
            }
        }
    }
}

/// Moves a history value by the bonus, less the nearer it is to its bound.
fn nudge(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}

/// A picker for the capturing turns alone, as quiescence tries them.
pub(super) fn capture_picker(position: &Position, turns: TurnList) -> Picker {
    let values = CaptureValues::new(position);
    Picker::new(turns, |turn| values.of(turn))
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
