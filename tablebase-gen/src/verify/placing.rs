//! Every value of a sector with stones in hand against those of the positions that it leads to.
//!
//! The symbols of all tables that it takes are read first: those of the sector, of the sectors its
//! turns lead to, and of those that captures there lead to, since a table may call a position a draw
//! where a capture wins.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use merel_engine::Position;
use merel_engine::tablebase::context::{DRAW, LOSS, WIN, Walk};
use merel_engine::tablebase::file::{Table, TableError, TableKind};
use merel_engine::tablebase::{Sector, Value};
use rayon::prelude::*;

use super::full::{Checker, Differences, PIECE, Trouble};
use crate::statistics::images;

/// The symbols of a sector, four to a byte.
#[derive(Debug)]
pub struct Symbols(Vec<AtomicU8>);

impl Symbols {
    fn read(table: &Table) -> Result<Self, TableError> {
        let sector = table.sector();
        let parts = table.parts();
        let bytes: Vec<AtomicU8> =
            (0..sector.pair().len().div_ceil(4)).map(|_| AtomicU8::new(0)).collect();
        (0..parts.count()).into_par_iter().try_for_each_init(
            || (Walk::new(sector), Vec::new()),
            |(walk, symbols), part| -> Result<(), TableError> {
                let range = parts.range(part);
                symbols.resize(range.len(), 0);
                table.read_wdl(part, walk, symbols)?;
                // The first and the last byte may be shared with another part.
                for (number, &symbol) in range.zip(&*symbols) {
                    bytes[number / 4].fetch_or(symbol << (number % 4 * 2), Relaxed);
                }
                Ok(())
            },
        )?;
        Ok(Self(bytes))
    }

    fn get(&self, number: usize) -> u8 {
        self.0[number / 4].load(Relaxed) >> (number % 4 * 2) & 3
    }
}

/// The sectors in memory.
pub type Known = BTreeMap<Sector, Symbols>;

/// What the table says of a position: [`LOSS`] also where the side to move has too few stones.
fn symbol(known: &Known, position: &Position) -> u8 {
    Sector::of(position).map_or(LOSS, |sector| known[&sector].get(sector.number(position)))
}

/// Whether a capture wins at once.
fn capture_wins(known: &Known, position: &Position) -> bool {
    let turns = position.legal_turns();
    turns.iter().any(|&turn| turn.is_capture() && symbol(known, &position.after(turn)) == LOSS)
}

/// The value of a position by those of the positions that its turns lead to, and whether a capture
/// wins.
fn derive(known: &Known, position: &Position) -> (Value, bool) {
    let after: Vec<(bool, Position)> =
        position.legal_turns().iter().map(|&t| (t.is_capture(), position.after(t))).collect();
    let lost = |next: &Position| symbol(known, next) == LOSS;
    if after.iter().any(|(_, next)| lost(next)) {
        return (Value::Win, after.iter().any(|(captures, next)| *captures && lost(next)));
    }
    let drawn = |next: &Position| symbol(known, next) == DRAW && !capture_wins(known, next);
    let draws = after.iter().any(|(_, next)| drawn(next));
    (if draws { Value::Draw } else { Value::Loss }, false)
}

fn check(known: &Known, sector: Sector, number: usize) -> Result<(), String> {
    let Some(position) = sector.position(number) else { return Err("is no position".into()) };
    let written = known[&sector].get(number);
    let (value, captures) = derive(known, &position);
    let right = match value {
        Value::Win => written == WIN || written == DRAW && captures,
        Value::Draw => written == DRAW,
        Value::Loss => written == LOSS,
    };
    if right {
        return Ok(());
    }
    let called = ["won", "drawn", "lost"].get(usize::from(written)).unwrap_or(&"nothing");
    Err(format!("called {called}, but its turns make it a {value:?}").to_lowercase())
}

impl Checker<'_> {
    /// Checks a sector with stones in hand.
    pub fn check_placing(&mut self, sector: Sector) -> Result<Differences, Trouble> {
        let differences = Differences::default();
        let mut needed = vec![sector];
        needed.extend(sector.successors());
        for next in needed.clone() {
            needed.extend(next.successors().filter(|&s| s != next.after_quiet()));
        }
        needed.sort();
        needed.dedup();
        self.placing.retain(|sector, _| needed.contains(sector));
        for &needed in &needed {
            if !self.placing.contains_key(&needed) {
                let symbols = self.symbols(needed)?;
                self.placing.insert(needed, symbols);
            }
            self.stopped()?;
        }
        let len = sector.pair().len();
        let all = len as u64 <= self.extent.most;
        let count = self.extent.most.min(len as u64);
        self.progress.phase(format!("{count} positions"), None);
        let check_piece = |numbers: &mut dyn ExactSizeIterator<Item = usize>| {
            if self.stop.is_asked() || differences.are_enough() {
                return;
            }
            let count = numbers.len() as u64;
            for number in numbers {
                if let Err(what) = check(&self.placing, sector, number) {
                    let fen = sector.position(number).map_or_else(String::new, |p| p.fen());
                    differences.tell(format!("{sector}, position {number} ({fen}): {what}"));
                }
            }
            self.through(&differences, count);
        };
        if all {
            let pieces = (0..len.div_ceil(PIECE)).into_par_iter();
            pieces.for_each(|i| check_piece(&mut (i * PIECE..len.min((i + 1) * PIECE))));
        } else {
            for chosen in self.extent.choose(sector) {
                let pieces = chosen.par_chunks(PIECE);
                pieces.for_each(|piece| check_piece(&mut piece.iter().copied()));
            }
        }
        self.stopped()?;
        if all {
            self.check_totals(sector, &differences)?;
        }
        Ok(differences)
    }

    fn open(&self, sector: Sector) -> Result<Table, Trouble> {
        let kind = TableKind::Wdl;
        let trouble =
            |error: TableError| Trouble::Table(format!("{} {error}", kind.file_name(sector)));
        let tables = self.folder.open_table(sector, kind).map_err(trouble)?;
        Ok(tables.into_iter().find(|table| table.sector() == sector).expect("checked by open"))
    }

    fn symbols(&self, sector: Sector) -> Result<Symbols, Trouble> {
        self.progress.phase(format!("reading {sector}"), None);
        let name = TableKind::Wdl.file_name(sector);
        let table = self.open(sector)?;
        Symbols::read(&table).map_err(|error| Trouble::Table(format!("{name} {error}")))
    }

    /// Counts the values of a sector and compares what the header says of it.
    fn check_totals(&self, sector: Sector, differences: &Differences) -> Result<(), Trouble> {
        let (known, pair) = (&self.placing, sector.pair());
        let totals = (0..pair.blocks())
            .into_par_iter()
            .map(|block| {
                let mut totals = [0_u64; 3];
                let first = block * pair.block_len();
                let weight = images(pair.position(first).0);
                for number in first..first + pair.block_len() {
                    let value = match known[&sector].get(number) {
                        DRAW => sector
                            .position(number)
                            .map_or(DRAW, |p| if capture_wins(known, &p) { WIN } else { DRAW }),
                        symbol => symbol,
                    };
                    if let Some(total) = totals.get_mut(usize::from(value)) {
                        *total += weight;
                    }
                }
                totals
            })
            .reduce(|| [0; 3], |a, b| std::array::from_fn(|i| a[i] + b[i]));
        if self.open(sector)?.section().totals != totals {
            let name = TableKind::Wdl.file_name(sector);
            differences.tell(format!("{name}: the statistics of {sector} are wrong"));
        }
        Ok(())
    }
}
