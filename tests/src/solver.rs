//! Exact values of small endgames, found by working backwards from the positions that end the game.
//!
//! A *sector* `(m, n)` holds the positions without stones in hand in which the side to move has `m`
//! stones and the other `n`. Every position of a sector has one byte and one index; no symmetry is
//! used and nothing is searched, so the values owe nothing to an engine. Lines and neighbours come
//! from [`crate::oracle`].
//!
//! Distances are plies, that is whole turns, to the end of the game, and are not reset at captures.
//! Repetition and the quiet limit are ignored: a position neither side can win is a draw. The
//! values hold for one and for two stones a double mill, but not with `no_immediate_return` or
//! `all_in_mills = none`.

mod forward;
mod geometry;
mod retrograde;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::oracle::{Side, State};
use geometry::{Geometry, Layout};

/// Who wins with best play, seen from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wdl {
    /// The side to move loses.
    Loss,
    /// Neither side can force the end.
    Draw,
    /// The side to move wins.
    Win,
}

/// The exact value of a position, seen from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// Win, draw or loss.
    pub wdl: Wdl,
    /// Whole turns to the end of the game: the winner hurries, the loser delays. 0 for a draw.
    pub plies: u32,
}

impl Value {
    /// A position neither side can win.
    pub const DRAW: Value = Value { wdl: Wdl::Draw, plies: 0 };

    /// Won by the side to move in so many plies.
    #[must_use]
    pub fn win(plies: u32) -> Value {
        Value { wdl: Wdl::Win, plies }
    }

    /// Lost by the side to move in so many plies.
    #[must_use]
    pub fn loss(plies: u32) -> Value {
        Value { wdl: Wdl::Loss, plies }
    }

    /// What a turn into a position of this value is worth to the player who makes it, counted from
    /// before the turn.
    #[must_use]
    pub fn before_turn(self) -> Value {
        match self.wdl {
            Wdl::Win => Value::loss(self.plies + 1),
            Wdl::Draw => Value::DRAW,
            Wdl::Loss => Value::win(self.plies + 1),
        }
    }

    /// Larger is better for the side to move: quick wins first, then slow wins, draws, slow losses,
    /// quick losses.
    #[must_use]
    pub fn rank(self) -> i64 {
        const FAR: i64 = 1 << 32;
        match self.wdl {
            Wdl::Win => FAR - i64::from(self.plies),
            Wdl::Draw => 0,
            Wdl::Loss => i64::from(self.plies) - FAR,
        }
    }
}

/// What a byte of a solved table says: the distance in plies, even for losses and odd for wins, or
/// this.
const DRAWN: u8 = 255;

fn decode(byte: u8) -> Value {
    match byte {
        DRAWN => Value::DRAW,
        plies if plies % 2 == 0 => Value::loss(u32::from(plies)),
        plies => Value::win(u32::from(plies)),
    }
}

/// A sector by stones of the side to move and of the other.
pub type Sector = (u8, u8);

/// How many positions of a sector have which value, over all placements (not reduced by symmetry).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Won by the side to move.
    pub win: u64,
    /// Drawn.
    pub draw: u64,
    /// Lost by the side to move.
    pub loss: u64,
    /// The longest win in plies; 0 if there is none.
    pub longest_win: u32,
    /// The longest loss in plies; 0 if there is none.
    pub longest_loss: u32,
}

/// Solved sectors. Memory is one byte a position: 27 MB for 3-3, 4-3 and 3-4 together, 330 MB for
/// 5-4 and 4-5.
pub struct Solved {
    geometry: Geometry,
    tables: BTreeMap<Sector, Table>,
}

struct Table {
    layout: Layout,
    values: Vec<u8>,
}

impl Solved {
    /// Solves these sectors and all they depend on: the same stones with the other side to move,
    /// and every sector a capture leads to.
    ///
    /// # Panics
    /// When a sector has fewer than three or more than nine stones of a side, or a distance does
    /// not fit its byte.
    #[must_use]
    pub fn new(sectors: &[Sector]) -> Solved {
        let mut solved = Solved { geometry: Geometry::new(), tables: BTreeMap::new() };
        for &sector in sectors {
            solved.add(sector);
        }
        solved
    }

    fn add(&mut self, (mover, other): Sector) {
        assert!((3..=9).contains(&mover) && (3..=9).contains(&other), "no sector {mover}-{other}");
        if self.tables.contains_key(&(mover, other)) {
            return;
        }
        // The mover of m-n captures into (n-1)-m; the mover of n-m into (m-1)-n. With two stones
        // the game is over.
        for (victim, capturer) in [(other, mover), (mover, other)] {
            if victim > 3 {
                self.add((victim - 1, capturer));
            }
        }
        retrograde::solve_pair(self, (mover, other));
    }

    /// The sectors solved, dependencies included.
    pub fn sectors(&self) -> impl Iterator<Item = Sector> {
        self.tables.keys().copied()
    }

    /// The value of a position without stones in hand and without captures due; `None` for other
    /// positions and for sectors not solved. A side with fewer than three stones has lost in 0
    /// plies.
    #[must_use]
    pub fn value(&self, state: &State) -> Option<Value> {
        let other = state.side().other();
        if state.hand(state.side()) + state.hand(other) > 0 || state.captures_due() > 0 {
            return None;
        }
        let (mover_set, other_set) = (stones_of(state, state.side()), stones_of(state, other));
        if mover_set.count_ones() < 3 {
            return Some(Value::loss(0));
        }
        if other_set.count_ones() < 3 {
            return Some(Value::win(0));
        }
        let table = self.tables.get(&(state.on_board(state.side()), state.on_board(other)))?;
        Some(decode(table.values[table.layout.index(mover_set, other_set)]))
    }

    /// Counts over a solved sector; `None` if it is not solved.
    #[must_use]
    pub fn totals(&self, sector: Sector) -> Option<Totals> {
        let mut counts = [0_u64; 256];
        for &byte in &self.tables.get(&sector)?.values {
            counts[usize::from(byte)] += 1;
        }
        let mut totals = Totals::default();
        for (byte, count) in (0..=u8::MAX).zip(counts).filter(|&(_, count)| count > 0) {
            let value = decode(byte);
            match value.wdl {
                Wdl::Win => {
                    totals.win += count;
                    totals.longest_win = totals.longest_win.max(value.plies);
                }
                Wdl::Draw => totals.draw += count,
                Wdl::Loss => {
                    totals.loss += count;
                    totals.longest_loss = totals.longest_loss.max(value.plies);
                }
            }
        }
        Some(totals)
    }

    /// All positions of a sector with their values, `side` to move, in the order of the index; none
    /// if it is not solved.
    pub fn positions(&self, sector: Sector, side: Side) -> impl Iterator<Item = (State, Value)> {
        let table = self.tables.get(&sector);
        let len = table.map_or(0, |table| table.values.len());
        (0..len).filter_map(move |index| self.at(sector, index, side))
    }

    /// A random position of a sector with its value, `side` to move; `None` if the sector is not
    /// solved. `rng` gives 64 random bits a call.
    pub fn sample(
        &self,
        sector: Sector,
        side: Side,
        rng: &mut impl FnMut() -> u64,
    ) -> Option<(State, Value)> {
        let len = u64::try_from(self.tables.get(&sector)?.values.len()).ok()?;
        let index = usize::try_from(rng() % len).ok()?;
        self.at(sector, index, side)
    }

    /// A random position of a sector among those with exactly this value; `None` if there is none.
    pub fn sample_with(
        &self,
        sector: Sector,
        side: Side,
        value: Value,
        rng: &mut impl FnMut() -> u64,
    ) -> Option<State> {
        let values = &self.tables.get(&sector)?.values;
        let wanted = |byte: u8| decode(byte) == value;
        let len = u64::try_from(values.len()).ok()?;
        // From a random start round the whole table: rare values are found, if not quite evenly.
        let start = usize::try_from(rng() % len).ok()?;
        let found = (start..values.len()).chain(0..start).find(|&index| wanted(values[index]))?;
        self.at(sector, found, side).map(|(state, _)| state)
    }

    fn at(&self, sector: Sector, index: usize, side: Side) -> Option<(State, Value)> {
        let table = self.tables.get(&sector)?;
        let (mover_set, other_set) = table.layout.sets(index);
        let mut stones = [None; 24];
        for (on, stone) in stones.iter_mut().enumerate() {
            if mover_set >> on & 1 == 1 {
                *stone = Some(side);
            } else if other_set >> on & 1 == 1 {
                *stone = Some(side.other());
            }
        }
        let state = State::from_stones(stones, side, [0, 0], 0);
        Some((state, decode(table.values[index])))
    }
}

/// The stones of one side as a set: bit `i` for the point `i`.
fn stones_of(state: &State, side: Side) -> u32 {
    (0..24).filter(|&on| state.stone(on) == Some(side)).map(|on| 1 << on).sum()
}
