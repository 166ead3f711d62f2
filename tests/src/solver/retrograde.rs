//! Solving a sector together with the one its quiet turns lead to.
//!
//! One byte a position. Decided positions hold their distance in plies, which is even for a loss
//! and odd for a win. An undecided position holds `UNDECIDED` plus its quiet turns not yet known to
//! lose, or `SAFE` once it cannot be lost because a capture keeps the draw. Distances are settled
//! in rising order; a win found through a capture may be shortened until its own distance is
//! reached, a loss is final when it is written.

use super::geometry::{BOARD, Geometry, Layout, points};
use super::{DRAWN, Sector, Solved, Table};

/// The largest distance that fits its byte.
const FARTHEST: u8 = 190;
/// Undecided and never lost.
const SAFE: u8 = 191;
/// Undecided; the quiet turns left are added, at least one.
const UNDECIDED: u8 = 192;

/// Solves `sector` and its reverse, and stores both in `solved`. Everything a capture leads to must
/// be there already.
pub(super) fn solve_pair(solved: &mut Solved, sector: Sector) {
    let reverse = (sector.1, sector.0);
    let sectors = if sector == reverse { vec![sector] } else { vec![sector, reverse] };
    let mut pair = Pair {
        turns: sectors.iter().map(|&sector| Turns::new(solved, sector)).collect(),
        tables: sectors.iter().map(|&(mover, other)| Table::undecided(mover, other)).collect(),
        pending: [false; FARTHEST as usize + 1],
    };
    for which in 0..sectors.len() {
        pair.first_pass(which);
    }
    for distance in 0..=FARTHEST {
        for which in 0..sectors.len() {
            if pair.pending[usize::from(distance)] {
                pair.settle(which, distance);
            }
        }
    }
    let tables = pair.tables;
    for (sector, mut table) in sectors.into_iter().zip(tables) {
        for byte in table.values.iter_mut().filter(|byte| **byte >= SAFE) {
            *byte = DRAWN;
        }
        solved.tables.insert(sector, table);
    }
}

impl Table {
    fn undecided(mover: u8, other: u8) -> Table {
        let layout = Layout::new(mover, other);
        let values = vec![UNDECIDED; layout.len()];
        Table { layout, values }
    }

    /// The numbers of all positions decided at exactly this distance.
    fn at_distance(&self, distance: u8) -> Vec<usize> {
        const CHUNK: usize = 256;
        let mut found = Vec::new();
        for (nth, chunk) in self.values.chunks(CHUNK).enumerate() {
            // Most chunks hold none; this first look has no branches and is quick.
            if chunk.iter().fold(0, |any, &byte| any | u8::from(byte == distance)) == 1 {
                let here = chunk.iter().enumerate().filter(|&(_, &byte)| byte == distance);
                found.extend(here.map(|(offset, _)| nth * CHUNK + offset));
            }
        }
        found
    }
}

/// What the turns of a position that capture come to.
#[derive(Default)]
struct Captures {
    /// Moves that close a mill.
    moves: u32,
    /// The shortest win by a capture, in plies.
    shortest_win: Option<u8>,
    /// Whether a capture draws.
    draws: bool,
    /// The longest loss after a capture, in plies.
    longest_loss: Option<u8>,
}

/// The turns of a sector.
struct Turns<'a> {
    geometry: &'a Geometry,
    flies: bool,
    other_flies: bool,
    /// The sector a capture leads to; `None` where it leaves two stones and wins at once.
    captured: Option<&'a Table>,
}

impl Turns<'_> {
    fn new(solved: &Solved, (mover, other): Sector) -> Turns<'_> {
        let captured = (other > 3).then(|| &solved.tables[&(other - 1, mover)]);
        Turns { geometry: &solved.geometry, flies: mover == 3, other_flies: other == 3, captured }
    }

    /// Number of moves, captures or not.
    fn count_moves(&self, mover_set: u32, other_set: u32) -> u32 {
        let empty = BOARD & !(mover_set | other_set);
        points(mover_set).map(|on| (self.geometry.reach(on, self.flies) & empty).count_ones()).sum()
    }

    /// Judges all turns that capture.
    fn captures(&self, mover_set: u32, other_set: u32) -> Captures {
        let mut captures = Captures::default();
        let empty = BOARD & !(mover_set | other_set);
        for (to, pair) in self.geometry.closing(mover_set, empty) {
            let movers = mover_set & !pair & self.geometry.reach(to, self.flies);
            for from in points(movers) {
                captures.moves += 1;
                self.judge_captures(mover_set ^ 1 << from ^ 1 << to, other_set, &mut captures);
            }
        }
        captures
    }

    /// Judges all captures after the mill has been closed.
    fn judge_captures(&self, mover_set: u32, other_set: u32, captures: &mut Captures) {
        let Some(table) = self.captured else {
            captures.shortest_win = Some(1);
            return;
        };
        for on in points(self.geometry.capturable(other_set)) {
            let byte = table.values[table.layout.index(other_set ^ 1 << on, mover_set)];
            if byte == DRAWN {
                captures.draws = true;
            } else if byte % 2 == 0 {
                let plies = byte + 1;
                captures.shortest_win =
                    Some(captures.shortest_win.map_or(plies, |other| other.min(plies)));
            } else {
                captures.longest_loss = captures.longest_loss.max(Some(byte + 1));
            }
        }
    }

    /// The byte of a position before its quiet turns are known.
    fn first_byte(&self, mover_set: u32, other_set: u32) -> u8 {
        let captures = self.captures(mover_set, other_set);
        let quiet = self.count_moves(mover_set, other_set) - captures.moves;
        if let Some(plies) = captures.shortest_win {
            plies
        } else if captures.draws {
            SAFE
        } else if quiet == 0 {
            // Blocked, or every turn is a capture that loses.
            captures.longest_loss.unwrap_or(0)
        } else {
            assert!(quiet <= 62, "{quiet} quiet turns do not fit a byte");
            UNDECIDED + u8::try_from(quiet).expect("at most 62")
        }
    }

    /// The positions a quiet turn of the other side may have come from: calls `visit` with the
    /// other side's set then.
    fn for_quiet_predecessors(&self, mover_set: u32, other_set: u32, mut visit: impl FnMut(u32)) {
        let empty = BOARD & !(mover_set | other_set);
        for to in points(other_set) {
            // A stone that has come into a mill has captured.
            if self.geometry.in_mill(other_set, to) {
                continue;
            }
            for from in points(self.geometry.reach(to, self.other_flies) & empty) {
                visit(other_set ^ 1 << to ^ 1 << from);
            }
        }
    }
}

/// A sector and its reverse while they are being solved; one of each if both sides have as many
/// stones, else two.
struct Pair<'a> {
    turns: Vec<Turns<'a>>,
    tables: Vec<Table>,
    /// The distances that occur.
    pending: [bool; FARTHEST as usize + 1],
}

impl Pair<'_> {
    /// Looks up the captures of every position and counts its quiet turns.
    fn first_pass(&mut self, which: usize) {
        let turns = &self.turns[which];
        let Table { layout, values } = &mut self.tables[which];
        layout.for_all(|index, mover_set, other_set| {
            let byte = turns.first_byte(mover_set, other_set);
            values[index] = byte;
            if byte < SAFE {
                assert!(byte <= FARTHEST, "a distance of {byte} does not fit");
                self.pending[usize::from(byte)] = true;
            }
        });
    }

    /// Tells the quiet predecessors of all positions decided at this distance.
    fn settle(&mut self, which: usize, distance: u8) {
        let reverse = self.tables.len() - 1 - which;
        for index in self.tables[which].at_distance(distance) {
            let (mover_set, other_set) = self.tables[which].layout.sets(index);
            let (turns, before) = (&self.turns[reverse], &mut self.tables[reverse]);
            self.turns[which].for_quiet_predecessors(mover_set, other_set, |earlier_set| {
                let byte = &mut before.values[before.layout.index(earlier_set, mover_set)];
                let decided = if distance.is_multiple_of(2) {
                    won_by_quiet_turn(*byte, distance)
                } else {
                    let captures = || turns.captures(earlier_set, mover_set);
                    one_quiet_turn_less(byte, distance, captures)
                };
                if let Some(plies) = decided {
                    assert!(plies <= FARTHEST, "a distance of {plies} does not fit");
                    *byte = plies;
                    self.pending[usize::from(plies)] = true;
                }
            });
        }
    }
}

/// The new byte of a position with a quiet turn to one lost in `distance`, if that is better than
/// what it has.
fn won_by_quiet_turn(byte: u8, distance: u8) -> Option<u8> {
    debug_assert!(byte >= SAFE || byte % 2 == 1, "lost although a turn wins");
    (byte > distance + 1).then_some(distance + 1)
}

/// Counts down a quiet turn to a position won in `distance`; the new byte if that was the last
/// hope.
fn one_quiet_turn_less(
    byte: &mut u8,
    distance: u8,
    captures: impl FnOnce() -> Captures,
) -> Option<u8> {
    if *byte <= UNDECIDED {
        return None;
    }
    *byte -= 1;
    // Distances are settled in rising order, so this turn is the longest of the quiet ones.
    let quiet = distance + 1;
    (*byte == UNDECIDED).then(|| captures().longest_loss.map_or(quiet, |plies| plies.max(quiet)))
}
