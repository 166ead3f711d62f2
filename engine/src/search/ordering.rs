//! In which order turns are tried.

use arrayvec::ArrayVec;

use super::{MAX_SEARCH_PLY, Value};
use crate::movegen::{MAX_TURNS, TurnList};
use crate::position::Position;
use crate::types::{Bitboard, Point, Turn};

/// Turns with how promising each looks, best taken first. The table's turn comes before the others
/// are even listed: it is often enough.
pub(super) struct Picker {
    turns: TurnList,
    ranks: ArrayVec<i32, MAX_TURNS>,
    table_turn: Option<Turn>,
    stage: Stage,
    /// Turns to be given out once more after all others, the last first.
    postponed: ArrayVec<Pick, 32>,
}

/// What a picker does next. Most nodes are refuted before all turns are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TableTurn,
    ListCaptures,
    Captures,
    ListQuiets,
    Quiets,
    Postponed,
}

/// A turn to try.
#[derive(Clone, Copy)]
pub(super) struct Pick {
    pub(super) turn: Turn,
    pub(super) score: i32,
}

impl Pick {
    /// Whether the turn is nothing more than quiet. After such a turn only others like it follow.
    #[inline]
    pub(super) const fn is_ordinary(self) -> bool {
        self.score < URGENT
    }
}

impl Picker {
    /// All turns of a node. They are listed only when the first is taken, and where the picker
    /// stands, since it is too large to copy.
    #[inline]
    pub(super) fn new(table_turn: Option<Turn>) -> Self {
        let stage = if table_turn.is_some() { Stage::TableTurn } else { Stage::ListCaptures };
        Self {
            turns: TurnList::new(),
            ranks: ArrayVec::new(),
            table_turn,
            stage,
            postponed: ArrayVec::new(),
        }
    }

    /// Fills in the capturing turns alone, as quiescence tries them.
    pub(super) fn add_captures(&mut self, position: &Position) {
        let values = CaptureValues::new(position);
        position.each_capturing_turn(|turn| self.add(turn, values.of(turn)));
        self.stage = Stage::Captures;
    }

    /// The next turn to try. With `only_urgent` ordinary quiet turns need not be listed.
    #[inline]
    pub(super) fn next(
        &mut self,
        history: &History,
        position: &Position,
        context: Context,
        only_urgent: bool,
    ) -> Option<Pick> {
        loop {
            match self.stage {
                Stage::TableTurn => {
                    self.stage = Stage::ListCaptures;
                    return self.table_turn.map(|turn| Pick { turn, score: TABLE_TURN });
                }
                Stage::ListCaptures => {
                    self.list_captures(position);
                    self.stage = Stage::Captures;
                }
                Stage::ListQuiets => {
                    self.turns.clear();
                    self.ranks.clear();
                    history.list_quiets(self, position, context, only_urgent);
                    self.stage = Stage::Quiets;
                }
                Stage::Captures | Stage::Quiets => {
                    if let Some(pick) = self.pick() {
                        return Some(pick);
                    }
                    self.stage = if self.stage == Stage::Captures {
                        Stage::ListQuiets
                    } else {
                        Stage::Postponed
                    };
                }
                Stage::Postponed => return self.postponed.pop(),
            }
        }
    }

    /// Gives out no more turns but those that were postponed.
    #[inline]
    pub(super) fn skip_rest(&mut self) {
        self.stage = Stage::Postponed;
    }

    /// Gives the turn out again when all others are done. Returns whether it will: only so many can
    /// wait, and each only once.
    #[inline]
    pub(super) fn postpone(&mut self, pick: Pick) -> bool {
        !self.is_at_postponed() && self.postponed.try_push(pick).is_ok()
    }

    /// Whether the turn given out last was postponed before.
    #[inline]
    pub(super) fn is_at_postponed(&self) -> bool {
        self.stage == Stage::Postponed
    }

    /// The best of the listed turns that are left; of equal ones the first.
    #[inline]
    pub(super) fn pick(&mut self) -> Option<Pick> {
        // Not `max`, which is not compiled to work on several ranks at once.
        let best = self.ranks.iter().fold(TAKEN, |best, &rank| best.max(rank));
        if best == TAKEN {
            return None;
        }
        let index = MAX_TURNS - 1 - (best as usize & (MAX_TURNS - 1));
        self.ranks[index] = TAKEN;
        Some(Pick { turn: self.turns[index], score: best >> INDEX_BITS })
    }

    fn list_captures(&mut self, position: &Position) {
        if position.captures_due() == 0 && position.closing_points(position.to_move()).is_empty() {
            return;
        }
        let threatened = position.closing_points(!position.to_move());
        let values = CaptureValues::new(position);
        position.each_capturing_turn(|turn| {
            if Some(turn) != self.table_turn {
                let blocks = turn.to().is_some_and(|to| threatened.contains(to));
                self.add(turn, CAPTURE + 1024 * values.of(turn) + 256 * i32::from(blocks));
            }
        });
    }

    #[inline]
    fn add(&mut self, turn: Turn, score: i32) {
        let index = self.ranks.len();
        self.turns.push(turn);
        self.ranks.push(score << INDEX_BITS | (MAX_TURNS - 1 - index) as i32);
    }
}

/// Ranks hold the index of their turn in the low bits, so that the best is found by a maximum.
const INDEX_BITS: u32 = MAX_TURNS.trailing_zeros();
const _: () = assert!(MAX_TURNS.is_power_of_two() && TABLE_TURN <= i32::MAX >> INDEX_BITS);
/// The rank of a turn that was tried.
const TAKEN: i32 = i32::MIN;

/// The table's turn comes before all others.
const TABLE_TURN: i32 = 1 << 21;
/// Then those that close a mill.
const CAPTURE: i32 = 1 << 19;
/// Then a stone put where the opponent threatens to close one.
const BLOCK: i32 = 1 << 17;
/// Turns that score at least this are more than merely quiet: they block a mill.
const URGENT: i32 = BLOCK / 2;
const KILLERS: [i32; 2] = [1 << 16, (1 << 16) - 1];

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
const ACTIONS: usize = 1 << Turn::ACTION_BITS;

#[inline]
const fn action_index(turn: Turn) -> usize {
    turn.to_bits() as usize % ACTIONS
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

    /// Lists the quiet turns of a node but the one tried already.
    fn list_quiets(
        &self,
        picker: &mut Picker,
        position: &Position,
        context: Context,
        only_urgent: bool,
    ) {
        let threatened = position.closing_points(!position.to_move());
        let killers = self.killers[context.ply];
        let own = &self.by_side[position.to_move().index()];
        let [after_one, after_two] =
            [0, 1].map(|i| context.previous[i].map(|to| &self.continuation[i][to.index()]));
        let within = if only_urgent {
            let killer = killers[0].and_then(Turn::to).map_or(Bitboard::EMPTY, Point::bit);
            threatened | killer
        } else {
            Bitboard::FULL
        };
        let table_turn = picker.table_turn;
        position.each_quiet_turn(within, |turn| {
            if Some(turn) == table_turn {
                return;
            }
            let blocks = turn.to().is_some_and(|to| threatened.contains(to));
            let action = action_index(turn);
            let mut score = BLOCK * i32::from(blocks) + 2 * i32::from(own[action]);
            for table in [after_one, after_two].into_iter().flatten() {
                score += i32::from(table[action]);
            }
            for (killer, worth) in killers.into_iter().zip(KILLERS) {
                if killer == Some(turn) {
                    score = score.max(worth);
                }
            }
            picker.add(turn, score);
        });
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
