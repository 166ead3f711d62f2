//! What making the tables of a pair needs, known beforehand.

use merel_engine::tablebase::{Pair, Sector};

use crate::placing::Packed;
use crate::size::Size;
use crate::solve;

/// The program itself, the boards' symmetry tables and the statistics of the models.
const BASE: u64 = 128 << 20;

/// The least that a table file takes.
const HEADERS: u64 = 64 << 10;

/// The most memory that making a pair takes.
pub fn memory(pair: Pair) -> Size {
    let solving = solve::memory_needed(pair) as u64;
    Size(BASE + solving.max(coding(pair)))
}

/// The memory that coding takes: the values, where captures win, and the codes of both sectors
/// twice, in pieces and put together, at no more than two bits a position.
fn coding(pair: Pair) -> u64 {
    let len = pair.len() as u64;
    let values = 2 * len + sectors(pair) * len.div_ceil(8);
    values + sectors(pair) * len / 2
}

fn sectors(pair: Pair) -> u64 {
    pair.sectors().count() as u64
}

/// The positions of a pair that tables keep.
pub fn positions(pair: Pair) -> u64 {
    sectors(pair) * pair.len() as u64
}

/// About how much disk the two table files of a pair take.
pub fn tables(pair: Pair) -> Size {
    // Measured: `wdl` below 0.4 bits a position, `dtw` below 1.0, and a checksum and lengths for
    // every few thousand positions.
    Size(positions(pair) * 14 / 80 + HEADERS)
}

/// How much disk the values of a sector take until they are used up; nothing where no sector is
/// left that needs them.
pub fn scratch(sector: Sector) -> Size {
    Size(if before_capture(sector).is_some() { sector.pair().len() as u64 } else { 0 })
}

/// The memory that a sector with stones in hand takes: its values, those that its turns lead to, and
/// its codes, in pieces and put together.
pub fn placing(sector: Sector) -> Size {
    let after: u64 = sector.successors().map(|s| packed(s).0).sum();
    // The way from one block to another is kept for each free point and thread.
    Size(BASE + 2 * packed(sector).0 + after)
}

/// The memory that reading back a sector of the moving phase takes.
pub fn settling(sector: Sector) -> Size {
    Size(BASE + packed(sector).0 + sector.after_capture().map_or(0, |s| packed(s).0))
}

/// The values of a sector in two bits a position: in memory, and on the disk until they are used up.
pub fn packed(sector: Sector) -> Size {
    Size(Packed::len(sector) as u64)
}

/// About how much disk the table of a sector with stones in hand takes.
pub fn placing_table(sector: Sector) -> Size {
    Size(sector.pair().len() as u64 * 4 / 80 + HEADERS)
}

/// Comes later for what is made later.
pub fn making_order(sector: Sector) -> (u8, u8, Sector) {
    (sector.hands().iter().sum(), sector.total(), sector)
}

/// The sector whose captures lead to this one.
pub fn before_capture(sector: Sector) -> Option<Sector> {
    Sector::new(sector.other(), sector.mover() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_lead_to_each_sector_from_one() {
        for sector in Sector::all() {
            let from: Vec<Sector> =
                Sector::all().into_iter().filter(|s| s.after_capture() == Some(sector)).collect();
            assert_eq!(from, Vec::from_iter(before_capture(sector)));
        }
    }

    #[test]
    fn three_gibibytes_are_enough_for_every_pair() {
        let most = Pair::all().into_iter().map(memory).max().unwrap();
        assert!(most < Size(3 << 30), "{most}");
    }
}
