//! The command `verify`.

mod decode;
mod derive;
mod full;

use std::io::{self, Write};
use std::path::PathBuf;

use merel_engine::tablebase::Pair;
use merel_engine::tablebase::file::{Table, TableKind};

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
    /// Which pairs; all that are there when empty.
    pub pairs: Vec<Pair>,
    /// Every value, or checksums alone.
    pub full: Option<Extent>,
    /// How many threads work.
    pub threads: usize,
}

/// Verifies tables, telling of each pair on `out`. Returns whether no difference was found.
pub fn verify(
    request: &Request,
    stop: Stop,
    out: &mut (impl Write + Send),
) -> Result<bool, Failure> {
    let folder = Folder::open(&request.folder)?;
    let pairs = folder.pairs_or_all(&request.pairs)?;
    let told = |result: io::Result<()>| result.map_err(Failure::results);
    let mut whole = Vec::new();
    let mut good = true;
    for &pair in &pairs {
        if stop.is_asked() {
            return Err(Failure::Interrupted);
        }
        match checksums(&folder, pair) {
            Ok(()) => {
                whole.push(pair);
                if request.full.is_none() {
                    told(writeln!(out, "{pair}: the checksums are right"))?;
                }
            }
            Err(differences) => {
                good = false;
                for difference in differences {
                    told(writeln!(out, "{pair}: {difference}"))?;
                }
            }
        }
    }
    let Some(extent) = request.full else { return Ok(good) };
    let pool = Pool::new(request.threads, stop.clone())?;
    let size = |pair: Pair| pair.sectors().count() as u64 * extent.most.min(pair.len() as u64);
    let progress = Progress::new(whole.iter().map(|&p| size(p)).sum(), "checked", false);
    let mut checker = Checker {
        folder: &folder,
        extent,
        stop,
        progress: &progress,
        known: std::collections::BTreeMap::new(),
    };
    for (i, &pair) in whole.iter().enumerate() {
        progress.begin(pair.to_string(), size(pair));
        let result = pool.install(|| checker.check(pair, &whole[i + 1..]));
        progress.end();
        match result {
            Ok(differences) => {
                let checked = Grouped(differences.checked());
                let lines = differences.into_lines();
                if lines.is_empty() {
                    progress.show(|| {
                        told(writeln!(out, "{pair}: {checked} positions re-derived, all right"))
                    })?;
                }
                good &= lines.is_empty();
                for line in lines {
                    progress.show(|| told(writeln!(out, "{line}")))?;
                }
            }
            Err(Trouble::Table(what)) => {
                good = false;
                progress.show(|| told(writeln!(out, "{pair}: {what}")))?;
            }
            Err(Trouble::Failure(failure)) => return Err(failure),
        }
    }
    Ok(good)
}

/// Opens both tables of a pair and reads every byte of them. Returns what is wrong.
fn checksums(folder: &Folder, pair: Pair) -> Result<(), Vec<String>> {
    let check = |kind: TableKind| {
        if !folder.has_table(pair, kind) {
            return Some(format!("{} is missing", kind.file_name(pair)));
        }
        let checked = folder
            .open_table(pair, kind)
            .and_then(|tables| tables.iter().try_for_each(Table::check_data));
        checked.err().map(|error| format!("{} {error}", kind.file_name(pair)))
    };
    let wrong: Vec<String> = TableKind::ALL.into_iter().filter_map(check).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

#[cfg(test)]
mod tests;
