//! The command `stats`.

use std::io::{self, Write};

use merel_engine::tablebase::Sector;
use merel_engine::tablebase::codec::Section;
use merel_engine::tablebase::file::TableKind;
use serde::Serialize;

use crate::failure::Failure;
use crate::folder::Folder;
use crate::size::Grouped;

/// What a table says of a sector, as `--json` prints it.
#[derive(Debug, Serialize)]
pub struct Statistics {
    sector: String,
    win: u64,
    draw: u64,
    loss: u64,
    max_win_plies: Option<u64>,
    max_loss_plies: Option<u64>,
    longest_win_fen: Option<String>,
    longest_loss_fen: Option<String>,
    /// How many placements are decided in each number of plies.
    #[serde(skip)]
    by_plies: Vec<u64>,
}

impl Statistics {
    fn new(sector: Sector, section: &Section) -> Self {
        let [win, draw, loss] = section.totals;
        let by_plies = section.by_plies.clone();
        let longest = |parity| {
            (0..by_plies.len())
                .rev()
                .find(|&p| p % 2 == parity && by_plies[p] > 0)
                .map(|p| p as u64)
        };
        let fen = |number: Option<u64>| {
            // The header is checked to be whole, not to be sensible.
            let number = usize::try_from(number?).ok().filter(|&n| n < sector.pair().len())?;
            sector.position(number).map(|position| position.fen())
        };
        Self {
            sector: sector.to_string(),
            win,
            draw,
            loss,
            max_win_plies: longest(1),
            max_loss_plies: longest(0),
            longest_win_fen: fen(section.longest_win),
            longest_loss_fen: fen(section.longest_loss),
            by_plies,
        }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{}: {} won, {} drawn, {} lost",
            self.sector,
            Grouped(self.win),
            Grouped(self.draw),
            Grouped(self.loss)
        )?;
        let longest = [
            ("win", self.max_win_plies, &self.longest_win_fen),
            ("loss", self.max_loss_plies, &self.longest_loss_fen),
        ];
        for (what, plies, fen) in longest {
            if let (Some(plies), Some(fen)) = (plies, fen) {
                writeln!(out, "  longest {what} {plies} plies: {fen}")?;
            }
        }
        for (plies, count) in self.by_plies.iter().enumerate().filter(|(_, count)| **count > 0) {
            let what = if plies % 2 == 1 { "won" } else { "lost" };
            writeln!(out, "  {what:<4} in {plies:>3}: {:>15}", Grouped(*count))?;
        }
        Ok(())
    }
}

/// The statistics of these sectors, or, when there are none, of all in the folder.
pub fn read(folder: &Folder, sectors: &[Sector]) -> Result<Vec<Statistics>, Failure> {
    let mut all = Vec::new();
    for file in folder.files_of(sectors)? {
        // Both kinds say the same.
        let kind = TableKind::ALL.into_iter().find(|&kind| folder.has_table(file, kind));
        let kind = kind.unwrap_or(TableKind::Wdl);
        let tables = folder.open_table(file, kind).map_err(|error| {
            Failure::Refused(format!("{} {error}", folder.table(file, kind).display()))
        })?;
        for table in tables.iter().filter(|t| sectors.is_empty() || sectors.contains(&t.sector())) {
            all.push((table.sector(), Statistics::new(table.sector(), table.section())));
        }
    }
    if !sectors.is_empty() {
        // As they were named, each once.
        all.sort_by_key(|(sector, _)| sectors.iter().position(|s| s == sector));
        all.dedup_by_key(|(sector, _)| *sector);
    }
    Ok(all.into_iter().map(|(_, statistics)| statistics).collect())
}

/// Prints statistics.
pub fn print(out: &mut impl Write, all: &[Statistics], json: bool) -> io::Result<()> {
    if json {
        serde_json::to_writer(&mut *out, all)?;
        return writeln!(out);
    }
    all.iter().try_for_each(|statistics| statistics.print(out))?;
    let sum = |of: fn(&Statistics) -> u64| Grouped(all.iter().map(of).sum());
    writeln!(
        out,
        "{} sectors: {} won, {} drawn, {} lost, of all placements",
        all.len(),
        sum(|s| s.win),
        sum(|s| s.draw),
        sum(|s| s.loss)
    )
}
