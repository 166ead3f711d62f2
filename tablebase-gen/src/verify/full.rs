//! Every value against those of the positions that it leads to.
//!
//! Tables tell the distances of lost positions only. So the wins are looked at first: each must
//! have a turn to a loss, the shortest of which gives its distance; a position that is not called
//! won must have none (but a draw where a capture wins stands for that win). Then a lost position
//! must have no turn but to wins, the longest of which gives its distance, and a drawn one a turn
//! to a draw. At last the statistics in the headers must be those of the values.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use merel_engine::tablebase::file::TableKind;
use merel_engine::tablebase::{Pair, Sector};
use rayon::prelude::*;

use super::decode::{DRAW, Values, is_loss};
use super::derive::{Known, check_rest, check_win, code, shortest_win};
use super::placing;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::interrupt::Stop;
use crate::need::before_capture;
use crate::progress::Progress;
use crate::statistics;

/// So many differences are told.
const TOLD: usize = 10;
/// Positions that one piece of work checks.
pub const PIECE: usize = 1 << 14;

/// How much is checked.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// At most so many positions of each sector.
    pub most: u64,
    /// Chooses which.
    pub seed: u64,
}

/// The differences found.
#[derive(Debug, Default)]
pub struct Differences {
    told: Mutex<Vec<String>>,
    count: AtomicU64,
    checked: AtomicU64,
    /// Whether nobody wants to know.
    ignored: bool,
}

impl Differences {
    fn add(&self, sector: Sector, number: usize, what: &str) {
        if self.ignored {
            return;
        }
        let fen = sector.position(number).map_or_else(String::new, |p| p.fen());
        self.tell(format!("{sector}, position {number} ({fen}): {what}"));
    }

    pub fn tell(&self, what: String) {
        self.count.fetch_add(1, Relaxed);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() < TOLD {
            told.push(what);
        }
    }

    /// Whether so many were found that there is no use in going on.
    pub fn are_enough(&self) -> bool {
        !self.ignored && self.count.load(Relaxed) >= TOLD as u64
    }

    /// What was found: some positions and what is wrong with them.
    pub fn into_lines(self) -> Vec<String> {
        self.told.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many positions were checked.
    pub fn checked(&self) -> u64 {
        self.checked.load(Relaxed)
    }
}

/// Why a pair was not checked to its end.
#[derive(Debug)]
pub enum Trouble {
    /// A table that cannot be read, by its name, and why: a difference.
    Table(String),
    /// Anything else.
    Failure(Failure),
}

/// Checks pairs one after the other.
#[derive(Debug)]
pub struct Checker<'a> {
    /// Where the tables are.
    pub folder: &'a Folder,
    /// How much is checked.
    pub extent: Extent,
    /// Asked now and then.
    pub stop: Stop,
    /// Told now and then.
    pub progress: &'a Progress,
    /// The sectors of the moving phase in memory.
    pub known: Known,
    /// The sectors in memory for the placing phase.
    pub placing: placing::Known,
}

impl Checker<'_> {
    /// Checks a pair. `later` are the pairs to be checked after it: what they need is kept.
    pub fn check(&mut self, pair: Pair, later: &[Pair]) -> Result<Differences, Trouble> {
        let differences = Differences::default();
        if pair.len() as u64 > self.extent.most {
            self.sample(pair, &differences)?;
        } else {
            self.complete(pair, &differences)?;
            self.known.retain(|&sector, values| {
                values.is_derived
                    && before_capture(sector).is_some_and(|before| later.contains(&before.pair()))
            });
        }
        Ok(differences)
    }

    fn load(&mut self, sector: Sector) -> Result<(), Trouble> {
        if self.known.contains_key(&sector) {
            return Ok(());
        }
        self.progress.phase(format!("reading {sector}"), None);
        let open = |kind: TableKind| {
            let trouble = |error| Trouble::Table(format!("{} {error}", kind.file_name(sector)));
            let tables = self.folder.open_table(sector, kind).map_err(trouble)?;
            Ok(tables.into_iter().find(|table| table.sector() == sector).expect("checked by open"))
        };
        let (wdl, dtw) = (open(TableKind::Wdl)?, open(TableKind::Dtw)?);
        let values = Values::read(sector, &wdl, &dtw).map_err(|(kind, error)| {
            Trouble::Table(format!("{} {error}", kind.file_name(sector)))
        })?;
        self.known.insert(sector, values);
        self.stopped()
    }

    /// An interruption, if one was asked for.
    pub fn stopped(&self) -> Result<(), Trouble> {
        if self.stop.is_asked() { Err(Trouble::Failure(Failure::Interrupted)) } else { Ok(()) }
    }

    fn complete(&mut self, pair: Pair, differences: &Differences) -> Result<(), Trouble> {
        for sector in pair.sectors().filter_map(Sector::after_capture) {
            // Here only the distances are of interest: what is wrong is told when their own turn
            // comes.
            self.derive(sector, &Differences { ignored: true, ..Differences::default() })?;
        }
        for sector in pair.sectors() {
            self.derive(sector, differences)?;
        }
        for sector in pair.sectors() {
            self.progress.phase(format!("draws and losses of {sector}"), None);
            let through = |count| self.through(differences, count);
            self.each(sector, differences, through, |known, number| {
                let code_here = known[&sector].get(number);
                if !is_loss(code_here) && code_here != DRAW {
                    return Ok(());
                }
                let Some(position) = sector.position(number) else {
                    return Err("is no position".into());
                };
                check_rest(code_here, &position, |next| code(known, next))
            })?;
            self.check_statistics(sector, differences);
        }
        Ok(())
    }

    /// Counts the values of a sector and compares what the headers say of it.
    fn check_statistics(&self, sector: Sector, differences: &Differences) {
        let values = &self.known[&sector];
        let counted = statistics::of(sector, &values.to_bytes());
        for (kind, told) in TableKind::ALL.into_iter().zip(&values.told) {
            let same = told.totals == counted.totals
                && told.by_plies == counted.by_plies
                && told.longest_win == counted.longest_win
                && told.longest_loss == counted.longest_loss;
            if !same {
                let name = kind.file_name(sector);
                differences.tell(format!("{name}: the statistics of {sector} are wrong"));
            }
        }
    }

    /// Gives the wins of a sector their distances.
    fn derive(&mut self, sector: Sector, differences: &Differences) -> Result<(), Trouble> {
        if self.known.get(&sector).is_some_and(|values| values.is_derived) {
            return Ok(());
        }
        self.load(sector)?;
        self.load(sector.after_quiet())?;
        if let Some(next) = sector.after_capture() {
            self.load(next)?;
        }
        self.progress.phase(format!("wins of {sector}"), None);
        self.each(
            sector,
            differences,
            |_| {},
            |known, number| {
                let Some(position) = sector.position(number) else {
                    return Err("is no position".into());
                };
                let values = &known[&sector];
                let code = check_win(values.get(number), shortest_win(known, &position))?;
                values.set(number, code);
                Ok(())
            },
        )?;
        if let Some(values) = self.known.get_mut(&sector) {
            values.is_derived = true;
        }
        Ok(())
    }

    /// So many positions have been checked.
    pub fn through(&self, differences: &Differences, count: u64) {
        differences.checked.fetch_add(count, Relaxed);
        self.progress.advance(count);
    }

    /// Calls `check` with the number of every position of a sector, and now and then `through` with
    /// how many more that were.
    fn each(
        &self,
        sector: Sector,
        differences: &Differences,
        through: impl Fn(u64) + Sync,
        check: impl Fn(&Known, usize) -> Result<(), String> + Sync,
    ) -> Result<(), Trouble> {
        let len = sector.pair().len();
        (0..len.div_ceil(PIECE)).into_par_iter().for_each(|piece| {
            if self.stop.is_asked() || differences.are_enough() {
                return;
            }
            let numbers = piece * PIECE..len.min((piece + 1) * PIECE);
            for number in numbers.clone() {
                if let Err(what) = check(&self.known, number) {
                    differences.add(sector, number, &what);
                }
            }
            through(numbers.len() as u64);
        });
        self.stopped()
    }

    /// Checks some positions of each sector of a pair: the distances of the wins that they lead to
    /// are looked up one by one.
    fn sample(&mut self, pair: Pair, differences: &Differences) -> Result<(), Trouble> {
        let mut needed: Vec<Sector> = pair.sectors().collect();
        let captures: Vec<Sector> = pair.sectors().filter_map(Sector::after_capture).collect();
        needed.extend(captures.iter().flat_map(|&s| [s, s.after_quiet()]));
        needed.extend(captures.iter().filter_map(|s| s.after_capture()));
        self.known.retain(|sector, _| needed.contains(sector));
        for &sector in &needed {
            self.load(sector)?;
        }
        for sector in pair.sectors() {
            self.progress.phase(format!("{} positions of {sector}", self.extent.most), None);
            for chosen in self.extent.choose(sector) {
                chosen.par_chunks(PIECE).for_each(|piece| {
                    if self.stop.is_asked() || differences.are_enough() {
                        return;
                    }
                    for &number in piece {
                        if let Err(what) = self.check_one(sector, number) {
                            differences.add(sector, number, &what);
                        }
                    }
                    self.through(differences, piece.len() as u64);
                });
            }
            self.stopped()?;
        }
        Ok(())
    }

    fn check_one(&self, sector: Sector, number: usize) -> Result<(), String> {
        let Some(position) = sector.position(number) else { return Err("is no position".into()) };
        let stored = self.known[&sector].get(number);
        let shortest = shortest_win(&self.known, &position);
        let code_here = check_win(stored, shortest)?;
        if shortest.is_some() {
            return Ok(());
        }
        check_rest(code_here, &position, |next| {
            let stored = code(&self.known, next);
            if is_loss(stored) {
                return stored;
            }
            // What is wrong with that position is told when it is its turn.
            shortest_win(&self.known, next).map_or(stored, |(plies, _)| plies)
        })
    }
}

impl Extent {
    /// The numbers of the positions of a sector that are checked where not all are, some millions at
    /// a time. Those are in order: neighbours lead to neighbours, whose values are then in the
    /// processor's caches.
    pub fn choose(self, sector: Sector) -> impl Iterator<Item = Vec<usize>> {
        const AT_A_TIME: u64 = 1 << 24;
        let len = sector.pair().len();
        let stream = self.seed ^ u64::from(sector.mover() * 16 + sector.other()) << 56;
        (0..self.most.div_ceil(AT_A_TIME)).map(move |some| {
            let those = some * AT_A_TIME..self.most.min((some + 1) * AT_A_TIME);
            let number = |i| below(len, mix(stream.wrapping_add(mix(i))));
            let mut numbers: Vec<usize> = those.into_par_iter().map(number).collect();
            numbers.par_sort_unstable();
            numbers
        })
    }
}

/// A number that looks like chance (the mixing of SplitMix64).
const fn mix(i: u64) -> u64 {
    let mut z = i.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// A number below `len`, all alike by chance.
const fn below(len: usize, chance: u64) -> usize {
    ((chance as u128 * len as u128) >> 64) as usize
}
