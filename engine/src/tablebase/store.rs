//! All tables at hand, and what they say of a position.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::cache::Cache;
use super::context::{LOSS, PART, WIN, Walk};
use super::file::{self, Access, Table, TableError, TableKind, section_stones};
use super::index::Place;
use super::rans::Paused;
use super::sector::Sector;
use crate::position::{Outcome, Position};
use crate::rules::{AllInMills, DoubleMill, Rules};
use crate::types::{Bitboard, Point, Turn};

/// The value of a position for the side to move, when nobody errs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// It loses.
    Loss,
    /// Neither side can win.
    Draw,
    /// It wins.
    Win,
}

impl Value {
    /// The same value for the other side.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// The value of a position for the side to move with the plies that the winner needs when both
/// sides play best: the shortest win against the longest defence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distance {
    /// It loses after so many plies, an even number.
    Loss(u8),
    /// Neither side can win.
    Draw,
    /// It wins after so many plies, an odd number.
    Win(u8),
}

impl Distance {
    /// Without the distance.
    #[must_use]
    pub const fn value(self) -> Value {
        match self {
            Self::Loss(_) => Value::Loss,
            Self::Draw => Value::Draw,
            Self::Win(_) => Value::Win,
        }
    }

    /// The plies to the end, or `None` for a draw.
    #[must_use]
    pub const fn plies(self) -> Option<u8> {
        match self {
            Self::Loss(plies) | Self::Win(plies) => Some(plies),
            Self::Draw => None,
        }
    }

    /// What a turn is worth to the player who makes it and leaves the opponent with `self`.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            // True distances are far shorter; those of a file that lies may not be.
            Self::Loss(plies) => Self::Win(plies.saturating_add(1)),
            Self::Draw => Self::Draw,
            Self::Win(plies) => Self::Loss(plies.saturating_add(1)),
        }
    }

    /// Larger is better: short wins first, then draws, then long losses.
    #[must_use]
    pub const fn rank(self) -> i32 {
        match self {
            Self::Win(plies) => 1000 - plies as i32,
            Self::Draw => 0,
            Self::Loss(plies) => plies as i32 - 1000,
        }
    }
}

/// A table file that was left out, and why.
#[derive(Debug)]
pub struct Refused {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason.
    pub error: TableError,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path.display(), self.error)
    }
}

#[derive(Debug, Default)]
struct Entry {
    wdl: Option<Table>,
    dtw: Option<Table>,
    /// Those that nobody reads with at the moment.
    readers: Mutex<Vec<Reader>>,
}

/// What it takes to read a part of a table.
#[derive(Debug)]
struct Reader {
    walk: Walk,
    symbols: Vec<u8>,
}

/// The tables that the engine probes.
///
/// Probing is safe from any number of threads.
#[derive(Debug)]
pub struct Tables {
    sectors: FxHashMap<Sector, Entry>,
    /// Decoded symbols of `wdl` tables, two bits each.
    symbols: Cache<{ PART / 32 }>,
    /// Decoded distances, a byte each.
    distances: Cache<{ PART / 8 }>,
    decoded: AtomicU64,
    damage: OnceLock<String>,
    damage_told: AtomicBool,
}

impl Tables {
    /// No tables.
    #[must_use]
    pub fn none() -> Self {
        Self::with_cache(0)
    }

    /// No tables yet, and room for at most about so many MiB of decoded parts.
    pub(super) fn with_cache(mebibytes: usize) -> Self {
        // Distances are asked for less often: at the root, on the principal variation, with few stones.
        let quarter = mebibytes << 18;
        Self {
            sectors: FxHashMap::default(),
            symbols: Cache::new(3 * quarter),
            distances: Cache::new(quarter),
            decoded: AtomicU64::new(0),
            damage: OnceLock::new(),
            damage_told: AtomicBool::new(false),
        }
    }

    /// The tables in some folders, with at most about `cache` MiB of decoded parts. Where several
    /// folders have a file, the first counts. Files that cannot be used are returned with the
    /// reason, and so are folders that cannot be read.
    #[must_use]
    pub fn open(folders: &[PathBuf], access: Access, cache: usize) -> (Self, Vec<Refused>) {
        let mut tables = Self::with_cache(cache);
        let mut refused = Vec::new();
        for folder in folders {
            let files = match table_files(folder) {
                Ok(files) => files,
                Err(error) => {
                    refused.push(Refused { path: folder.clone(), error: error.into() });
                    continue;
                }
            };
            for (sector, kind) in files {
                if tables.has(sector, kind) {
                    continue;
                }
                let path = folder.join(kind.file_name(sector));
                match file::open(&path, sector, kind, access) {
                    Ok(opened) => tables.add(opened),
                    Err(error) => refused.push(Refused { path, error }),
                }
            }
        }
        (tables, refused)
    }

    /// Adds tables; one that is there already stays.
    pub fn add(&mut self, tables: Vec<Table>) {
        for table in tables {
            let entry = self.sectors.entry(table.sector()).or_default();
            let place = match table.kind() {
                TableKind::Wdl => &mut entry.wdl,
                TableKind::Dtw => &mut entry.dtw,
            };
            place.get_or_insert(table);
        }
    }

    /// Whether there is a table.
    #[must_use]
    pub fn has(&self, sector: Sector, kind: TableKind) -> bool {
        self.table(sector, kind).is_some()
    }

    /// A table.
    #[must_use]
    pub fn table(&self, sector: Sector, kind: TableKind) -> Option<&Table> {
        let entry = self.sectors.get(&sector)?;
        match kind {
            TableKind::Wdl => entry.wdl.as_ref(),
            TableKind::Dtw => entry.dtw.as_ref(),
        }
    }

    /// Whether there is no table at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sectors.is_empty()
    }

    /// How many tables of the moving phase there are of a kind, of [`Sector::COUNT`].
    #[must_use]
    pub fn count(&self, kind: TableKind) -> usize {
        let moving = self.sectors.keys().filter(|sector| !sector.is_placing());
        moving.filter(|&&sector| self.has(sector, kind)).count()
    }

    /// For how many sectors with stones in hand there are tables, of those that can arise from the
    /// empty board.
    #[must_use]
    pub fn count_placing(&self, double_mill: DoubleMill) -> usize {
        let all = Sector::all_placing(double_mill);
        all.into_iter().filter(|&sector| self.has(sector, TableKind::Wdl)).count()
    }

    /// How many parts have been decoded so far. That takes tens of microseconds each, so
    /// whoever keeps to a time looks at the clock when this has grown.
    #[must_use]
    pub fn decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    /// The first damage that a probe has met, as a sentence; probing goes on without that part.
    #[must_use]
    pub fn damage(&self) -> Option<&str> {
        self.damage.get().map(String::as_str)
    }

    /// The same for the first who asks after it was met, so that it is told only once.
    #[must_use]
    pub fn untold_damage(&self) -> Option<&str> {
        self.damage().filter(|_| !self.damage_told.swap(true, Ordering::Relaxed))
    }

    /// Does what the first probe of each table would otherwise have to do before it can answer:
    /// numbering the positions and reading the models, up to 40 ms for a sector.
    pub fn prepare(&self) {
        let first = Place { block: 0, rank: 0 };
        for entry in self.sectors.values() {
            let Some(wdl) = &entry.wdl else { continue };
            self.symbol(entry, wdl, first);
            if let Some(dtw) = &entry.dtw {
                self.half_distance(entry, wdl, dtw, first);
            }
        }
    }

    /// Whether the values of the tables hold under these rules, repetition and the quiet limit
    /// aside: tables know neither, and count endless play as a draw.
    ///
    /// How many stones a double mill captures belongs to the sector where it matters. A forbidden
    /// return or a mill that captures nothing changes values.
    #[must_use]
    pub const fn hold_under(rules: &Rules) -> bool {
        !rules.no_immediate_return && matches!(rules.all_in_mills, AllInMills::Any)
    }

    /// The value of a position, if the tables tell: no stone in hand, no capture due, rules under
    /// which the values hold, and all tables there that it takes.
    #[must_use]
    pub fn wdl(&self, position: &Position) -> Option<Value> {
        self.wdl_while(position, &|| true)
    }

    /// The value of a position, whether the game is over or not: by the rules, or else as
    /// [`Self::wdl`] tells.
    #[must_use]
    pub fn value(&self, position: &Position) -> Option<Value> {
        match position.outcome() {
            Some(Outcome::Win { winner, .. }) if winner == position.to_move() => Some(Value::Win),
            Some(Outcome::Win { .. }) => Some(Value::Loss),
            Some(_) => Some(Value::Draw),
            None => self.wdl(position),
        }
    }

    /// [`Self::wdl`] that is given up once parts have been decoded and there may be no more.
    pub(crate) fn wdl_while(
        &self,
        position: &Position,
        may_go_on: &impl Fn() -> bool,
    ) -> Option<Value> {
        let decoded = self.decoded();
        match self.symbol_of(position)? {
            WIN => Some(Value::Win),
            LOSS => Some(Value::Loss),
            // Either the value, or what was cheapest to write because a capture wins.
            _ => {
                let captures = Captures::new(self, position);
                let (mut wins, mut unknown, mut late) = (false, false, false);
                position.each_capturing_turn(|turn| {
                    late = late || self.decoded() != decoded && !may_go_on();
                    unknown |= late;
                    if !wins && !late {
                        match captures.wins(turn) {
                            Some(won) => wins = won,
                            None => unknown = true,
                        }
                    }
                });
                match (wins, unknown) {
                    (true, _) => Some(Value::Win),
                    (false, true) => None,
                    (false, false) => Some(Value::Draw),
                }
            }
        }
    }

    /// Whether the position after a turn is lost for the side to move there. Losses are always
    /// written as such, so this takes one look and no captures.
    fn is_lost(&self, next: &Position) -> Option<bool> {
        Some(next.total(next.to_move()) < 3 || self.symbol_of(next)? == LOSS)
    }

    /// What is written for a position.
    fn symbol_of(&self, position: &Position) -> Option<u8> {
        let sector = sector(position)?;
        let entry = self.sectors.get(&sector)?;
        let table = entry.wdl.as_ref()?;
        self.symbol(entry, table, place(sector, position))
    }

    /// The value of a position with its distance, if the tables tell; see [`Self::wdl`].
    #[must_use]
    pub fn dtw(&self, position: &Position) -> Option<Distance> {
        self.dtw_while(position, &|| true)
    }

    /// [`Self::dtw`] that is given up once parts have been decoded and there may be no more.
    pub(crate) fn dtw_while(
        &self,
        position: &Position,
        may_go_on: &impl Fn() -> bool,
    ) -> Option<Distance> {
        let decoded = self.decoded();
        match self.wdl_while(position, may_go_on)? {
            Value::Draw => Some(Distance::Draw),
            Value::Loss => self.loss(position).map(Distance::Loss),
            Value::Win => {
                let mut shortest = None::<u8>;
                for turn in position.legal_turns() {
                    if self.decoded() != decoded && !may_go_on() {
                        return None;
                    }
                    let next = position.after(turn);
                    if !self.is_lost(&next)? {
                        continue;
                    }
                    let plies = if next.total(next.to_move()) < 3 { 0 } else { self.loss(&next)? };
                    shortest = Some(shortest.map_or(plies, |best| best.min(plies)));
                }
                // Unless the tables contradict each other, a won position has such a turn.
                shortest.map(|plies| Distance::Win(plies.saturating_add(1)))
            }
        }
    }

    /// The legal turns of a position, each with what it is worth to the player who makes it,
    /// counted from the position before it; the best first.
    #[must_use]
    pub fn turns(&self, position: &Position) -> Option<Vec<(Turn, Distance)>> {
        self.turns_while(position, &|| true)
    }

    /// [`Self::turns`] that is given up once parts have been decoded and there may be no more.
    pub(crate) fn turns_while(
        &self,
        position: &Position,
        may_go_on: &impl Fn() -> bool,
    ) -> Option<Vec<(Turn, Distance)>> {
        let decoded = self.decoded();
        let mut turns = position
            .legal_turns()
            .into_iter()
            .map(|turn| {
                if self.decoded() != decoded && !may_go_on() {
                    return None;
                }
                let next = position.after(turn);
                let there = if next.total(next.to_move()) < 3 {
                    Distance::Loss(0)
                } else {
                    self.dtw_while(&next, may_go_on)?
                };
                Some((turn, there.before()))
            })
            .collect::<Option<Vec<_>>>()?;
        turns.sort_by_key(|(_, worth)| -worth.rank());
        Some(turns)
    }

    /// The legal turns of a position, each with its value to the player who makes it; the best first.
    /// This takes no distances, which positions with stones in hand have not.
    #[must_use]
    pub fn values(&self, position: &Position) -> Option<Vec<(Turn, Value)>> {
        let value = |turn| {
            let next = position.after(turn);
            let is_over = next.total(next.to_move()) < 3;
            Some((turn, if is_over { Value::Win } else { self.wdl(&next)?.reversed() }))
        };
        let mut turns: Vec<(Turn, Value)> =
            position.legal_turns().into_iter().map(value).collect::<Option<_>>()?;
        turns.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        Some(turns)
    }

    /// The plies that a lost position lasts.
    fn loss(&self, position: &Position) -> Option<u8> {
        let sector = sector(position)?;
        let entry = self.sectors.get(&sector)?;
        let (wdl, dtw) = (entry.wdl.as_ref()?, entry.dtw.as_ref()?);
        let half = self.half_distance(entry, wdl, dtw, place(sector, position))?;
        Some(half.saturating_mul(2))
    }

    #[inline]
    fn symbol(&self, entry: &Entry, table: &Table, place: Place) -> Option<u8> {
        let (part, place) = table.parts().find(place);
        let key = key(table.sector(), TableKind::Wdl, part);
        let known = self.symbols.value(key, place);
        known.or_else(|| self.with_symbols(entry, table, part, place + 1, |read, _| read[place]))
    }

    /// Hands out the symbols of a part, at least so many, decoded if need be.
    #[cold]
    fn with_symbols<R>(
        &self,
        entry: &Entry,
        table: &Table,
        part: usize,
        fewest: usize,
        with: impl FnOnce(&[u8], &mut Walk) -> R,
    ) -> Option<R> {
        let key = key(table.sector(), TableKind::Wdl, part);
        entry.with_reader(|Reader { walk, symbols }| {
            let paused = self.symbols.read(key, symbols);
            let known = symbols.len();
            if known < fewest {
                // At first no more is decoded than is needed; when there is need again, the rest of it.
                let len = if known == 0 { fewest } else { table.parts().range(part).len() };
                symbols.resize(len, 0);
                self.decoded.fetch_add(1, Ordering::Relaxed);
                let read = table.read_wdl_on(part, walk, known, paused, symbols);
                let paused = self.note(table, read)?;
                self.symbols.keep(key, symbols, paused);
            }
            Some(with(symbols, walk))
        })
    }

    fn half_distance(&self, entry: &Entry, wdl: &Table, dtw: &Table, place: Place) -> Option<u8> {
        let (part, place) = dtw.parts().find(place);
        let key = key(dtw.sector(), TableKind::Dtw, part);
        if let Some(distance) = self.distances.value(key, place) {
            return Some(distance);
        }
        let len = wdl.parts().range(part).len();
        self.with_symbols(entry, wdl, part, len, |symbols, walk| {
            let mut distances = vec![0; len];
            self.decoded.fetch_add(1, Ordering::Relaxed);
            let read = dtw.read_distances(part, walk, symbols, &mut distances);
            self.note(dtw, read)?;
            // A part of distances is always read whole.
            self.distances.keep(key, &distances, Paused::default());
            Some(distances[place])
        })?
    }

    fn note<T>(&self, table: &Table, read: Result<T, TableError>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(error) => {
                let name = table.kind().file_name(table.sector());
                self.damage.get_or_init(|| format!("{name} {error}"));
                None
            }
        }
    }
}

/// Looks at the positions that the captures of one position lead to.
struct Captures<'a> {
    tables: &'a Tables,
    position: &'a Position,
    /// Where all of them are, if without stones in hand a capture leaves the opponent three. They
    /// are many, so neither the table nor the whole position is made for each.
    sector: Option<(Sector, &'a Entry, &'a Table)>,
}

impl<'a> Captures<'a> {
    fn new(tables: &'a Tables, position: &'a Position) -> Self {
        let sector = sector(position).filter(|sector| !sector.is_placing());
        let there = sector.filter(|_| position.captures_due() == 0).and_then(|sector| {
            let next = sector.after_capture()?;
            let entry = tables.sectors.get(&next)?;
            Some((next, entry, entry.wdl.as_ref()?))
        });
        Self { tables, position, sector: there }
    }

    /// Whether a capturing turn wins, if the tables tell.
    fn wins(&self, turn: Turn) -> Option<bool> {
        let Some((sector, entry, table)) = self.sector else {
            return self.tables.is_lost(&self.position.after(turn));
        };
        let bit = |point: Option<Point>| point.map_or(Bitboard::EMPTY, Point::bit);
        let side = self.position.to_move();
        let us = self.position.stones(side) ^ bit(turn.from()) ^ bit(turn.to());
        let them = turn
            .captures()
            .into_iter()
            .fold(self.position.stones(!side), |them, victim| them ^ bit(victim));
        self.tables.symbol(entry, table, sector.place(them, us)).map(|symbol| symbol == LOSS)
    }
}

impl Entry {
    fn with_reader<R>(&self, with: impl FnOnce(&mut Reader) -> R) -> R {
        let spare = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let table = self.wdl.as_ref().or(self.dtw.as_ref()).expect("an entry has a table");
        let reader = spare().pop();
        let new = || Reader { walk: Walk::new(table.sector()), symbols: Vec::with_capacity(PART) };
        let mut reader = reader.unwrap_or_else(new);
        let result = with(&mut reader);
        spare().push(reader);
        result
    }
}

/// The place of a position in its sector.
fn place(sector: Sector, position: &Position) -> Place {
    sector.place(position.stones(position.to_move()), position.stones(!position.to_move()))
}

/// The sectors and kinds whose tables a folder has by their names, one sector of each file, in
/// order.
///
/// # Errors
/// If the folder cannot be read.
pub fn table_files(folder: &Path) -> std::io::Result<Vec<(Sector, TableKind)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        files.extend(name.to_str().and_then(TableKind::of_file_name));
    }
    files.sort_by_key(|&(sector, kind)| (sector, kind));
    Ok(files)
}

/// The key of a part in the cache.
fn key(sector: Sector, kind: TableKind, part: usize) -> u64 {
    let [mover, other] = section_stones(sector).map(u64::from);
    let rules = sector.double_mill() as u64;
    (part as u64) << 24 | mover << 16 | other << 8 | rules << 1 | kind as u64
}

/// The sector of a position, if it has one and the values of tables hold under its rules.
fn sector(position: &Position) -> Option<Sector> {
    let holds = position.captures_due() == 0 && Tables::hold_under(&position.rules());
    if holds { Sector::of(position) } else { None }
}

/// The folders in a `TablebasePath`: as in the environment variable `PATH`, separated by `:` (or by
/// `;` on Windows).
#[must_use]
pub fn folders(text: &str) -> Vec<PathBuf> {
    std::env::split_paths(text).filter(|path| path != Path::new("")).collect()
}
