//! Whole sectors read back from their tables.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use merel_engine::tablebase::Sector;
use merel_engine::tablebase::codec::Section;
use merel_engine::tablebase::context::{DRAW as DRAWN, LOSS, Walk};
use merel_engine::tablebase::file::{Table, TableError, TableKind};
use rayon::prelude::*;

/// The code of a draw.
pub const DRAW: u8 = 255;
/// The code of a win of which no distance is known yet.
pub const WIN: u8 = 253;

/// What is known of the positions of a sector: an even number of plies for a loss, an odd one for
/// a win, [`DRAW`], or, as the tables have it at first, [`WIN`].
#[derive(Debug)]
pub struct Values {
    codes: Vec<AtomicU8>,
    /// What the headers of both tables say of the sector.
    pub told: [Section; 2],
    /// Whether the wins have their distances.
    pub is_derived: bool,
}

impl Values {
    /// Reads the tables of a sector.
    ///
    /// Where a capture wins they may call a position a draw. An error names the kind of table that
    /// could not be read.
    pub fn read(sector: Sector, wdl: &Table, dtw: &Table) -> Result<Self, (TableKind, TableError)> {
        let pair = sector.pair();
        let codes: Vec<AtomicU8> = (0..pair.len()).map(|_| AtomicU8::new(DRAW)).collect();
        let parts = wdl.parts();
        (0..parts.count()).into_par_iter().try_for_each_init(
            || (Walk::new(sector), Vec::new(), Vec::new()),
            |(walk, symbols, halves), part| {
                let range = parts.range(part);
                symbols.resize(range.len(), 0);
                halves.resize(range.len(), 0);
                wdl.read_wdl(part, walk, symbols).map_err(|error| (TableKind::Wdl, error))?;
                dtw.read_distances(part, walk, symbols, halves)
                    .map_err(|error| (TableKind::Dtw, error))?;
                for ((code, symbol), half) in codes[range].iter().zip(&*symbols).zip(&*halves) {
                    let value = match *symbol {
                        LOSS => 2 * half,
                        DRAWN => DRAW,
                        _ => WIN,
                    };
                    code.store(value, Relaxed);
                }
                Ok(())
            },
        )?;
        let told = [wdl, dtw].map(|table| table.section().clone());
        Ok(Self { codes, told, is_derived: false })
    }

    /// The code of a position.
    #[inline]
    pub fn get(&self, number: usize) -> u8 {
        self.codes[number].load(Relaxed)
    }

    /// The codes of all positions.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.codes.par_iter().map(|code| code.load(Relaxed)).collect()
    }

    /// Sets the distance of a win.
    #[inline]
    pub fn set(&self, number: usize, code: u8) {
        self.codes[number].store(code, Relaxed);
    }
}

/// Whether a code means a loss.
#[inline]
pub const fn is_loss(code: u8) -> bool {
    code.is_multiple_of(2)
}
