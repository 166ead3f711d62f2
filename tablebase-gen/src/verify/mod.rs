//! The command `verify`.

mod decode;
mod derive;
mod full;
mod placing;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use merel_engine::tablebase::file::{Table, TableKind};
use merel_engine::tablebase::{Pair, Sector};

use crate::failure::Failure;
use crate::folder::Folder;
use crate::interrupt::Stop;
use crate::pool::Pool;
use crate::progress::Progress;
use crate::size::Grouped;
pub use full::Extent;
use full::{Checker, Trouble};

/// What to verify, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where the tables are.
    pub folder: PathBuf,
    /// Which sectors, with those in the same files; all that are there when empty.
    pub sectors: Vec<Sector>,
    /// Every value, or checksums alone.
    pub full: Option<Extent>,
    /// How many threads work.
    pub threads: usize,
}

/// Verifies tables, telling of each file on `out`. Returns whether no difference was found.
pub fn verify(
    request: &Request,
    stop: Stop,
    out: &mut (impl Write + Send),
) -> Result<bool, Failure> {
    let folder = Folder::open(&request.folder)?;
    let files = folder.files_of(&request.sectors)?;
    let told = |result: io::Result<()>| result.map_err(Failure::results);
    let mut whole = Vec::new();
    let mut good = true;
    for &file in &files {
        if stop.is_asked() {
            return Err(Failure::Interrupted);
        }
        match checksums(&folder, file) {
            Ok(()) => {
                whole.push(file);
                if request.full.is_none() {
                    told(writeln!(out, "{file}: the checksums are right"))?;
                }
            }
            Err(differences) => {
                good = false;
                for difference in differences {
                    told(writeln!(out, "{file}: {difference}"))?;
                }
            }
        }
    }
    let Some(extent) = request.full else { return Ok(good) };
    let pool = Pool::new(request.threads, stop.clone())?;
    let size = |file: Sector| {
        file.in_one_file().count() as u64 * extent.most.min(file.pair().len() as u64)
    };
    let progress = Progress::new(whole.iter().map(|&f| size(f)).sum(), "checked", false);
    let mut checker = Checker {
        folder: &folder,
        extent,
        stop,
        progress: &progress,
        known: BTreeMap::new(),
        placing: BTreeMap::new(),
    };
    for (i, &file) in whole.iter().enumerate() {
        progress.begin(file.to_string(), size(file));
        let result = if file.is_placing() {
            checker.known.clear();
            pool.install(|| checker.check_placing(file))
        } else {
            let later: Vec<Pair> =
                whole[i + 1..].iter().filter(|f| !f.is_placing()).map(|f| f.pair()).collect();
            pool.install(|| checker.check(file.pair(), &later))
        };
        progress.end();
        match result {
            Ok(differences) => {
                let checked = Grouped(differences.checked());
                let lines = differences.into_lines();
                if lines.is_empty() {
                    progress.show(|| {
                        told(writeln!(out, "{file}: {checked} positions re-derived, all right"))
                    })?;
                }
                good &= lines.is_empty();
                for line in lines {
                    progress.show(|| told(writeln!(out, "{line}")))?;
                }
            }
            Err(Trouble::Table(what)) => {
                good = false;
                progress.show(|| told(writeln!(out, "{file}: {what}")))?;
            }
            Err(Trouble::Failure(failure)) => return Err(failure),
        }
    }
    Ok(good)
}

/// Opens the tables of a file's sectors and reads every byte of them. Returns what is wrong.
fn checksums(folder: &Folder, sector: Sector) -> Result<(), Vec<String>> {
    let check = |&kind: &TableKind| {
        if !folder.has_table(sector, kind) {
            return Some(format!("{} is missing", kind.file_name(sector)));
        }
        let checked = folder
            .open_table(sector, kind)
            .and_then(|tables| tables.iter().try_for_each(Table::check_data));
        checked.err().map(|error| format!("{} {error}", kind.file_name(sector)))
    };
    let wrong: Vec<String> = TableKind::of(sector).iter().filter_map(check).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

#[cfg(test)]
mod tests;
