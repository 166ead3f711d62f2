//! The tables inside the program.
//!
//! Those of the moving phase are made by `tablebase-gen generate 7-3 5-5 --out engine/tables`, and a
//! test makes them again and compares. The *opening book* is the tables of the first plies of the
//! placing phase: those of up to eight stones placed under the `standard` rules, and up to six where a
//! double mill captures two stones. A draw in the last ply is certain only where no mill can be closed
//! there, since the values after captures are those of the next; so every turn of the first seven
//! placements (five) has its value. The book takes the whole placing phase to make; a test derives its
//! values from each other.

use super::file::{self, TableKind};
use super::sector::{Pair, Sector};
use super::store::Tables;

macro_rules! files {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../", $folder, "/", $name)))),+]
    };
}

/// Files by their names.
type Files = &'static [(&'static str, &'static [u8])];

/// Of the moving phase: as many as fit in 1.5 MB.
static MOVING: Files = files![
    "tables":
    "3-3.wdl", "3-3.dtw", "4-3.wdl", "4-3.dtw", "4-4.wdl", "4-4.dtw", "5-3.wdl", "5-3.dtw",
    "5-4.wdl", "5-4.dtw", "5-5.wdl", "5-5.dtw", "6-3.wdl", "6-3.dtw", "7-3.wdl", "7-3.dtw",
];

/// The opening book: as many plies as fit in 512 KiB.
static BOOK: Files = files![
    "book":
    "0-0+9-9.wdl",
    "0-1+9-8.wdl",
    "1-1+8-8.wdl",
    "1-2+8-7.wdl",
    "2-2+7-7.wdl",
    "1-3+7-6.wdl",
    "2-3+7-6.wdl",
    "2-3+6-6.wdl",
    "3-2+6-6.wdl",
    "3-3+6-6.wdl",
    "1-4+6-5.wdl",
    "2-3+6-5.wdl",
    "2-4+6-5.wdl",
    "3-3+6-5.wdl",
    "3-4+6-5.wdl",
    "2-3+5-5.wdl",
    "2-4+5-5.wdl",
    "3-3+5-5.wdl",
    "3-4+5-5.wdl",
    "4-2+5-5.wdl",
    "4-3+5-5.wdl",
    "4-4+5-5.wdl",
    "0-0+9-9.two.wdl",
    "0-1+9-8.two.wdl",
    "1-1+8-8.two.wdl",
    "1-2+8-7.two.wdl",
    "2-2+7-7.two.wdl",
    "1-3+7-6.two.wdl",
    "2-3+7-6.two.wdl",
    "2-3+6-6.two.wdl",
    "3-2+6-6.two.wdl",
    "3-3+6-6.two.wdl",
];

/// Memory for the decoded parts of the built-in tables alone, in MiB.
const CACHE: usize = 8;

impl Tables {
    /// The tables inside the program and no others.
    #[must_use]
    pub fn builtin() -> Self {
        let mut tables = Self::with_cache(CACHE);
        tables.add_builtin();
        tables
    }

    /// Adds the tables inside the program; where there are others, those stay.
    pub fn add_builtin(&mut self) {
        for (name, bytes) in MOVING.iter().chain(BOOK) {
            let Some((sector, kind)) = TableKind::of_file_name(name) else { continue };
            // That they open is tested; a program without them would play all the same.
            if let Ok(opened) = file::from_bytes(bytes, sector, kind) {
                self.add(opened);
            }
        }
    }
}

/// The pairs of the moving phase with built-in tables.
#[must_use]
pub fn pairs() -> Vec<Pair> {
    let mut pairs: Vec<Pair> = sectors(MOVING).into_iter().map(Sector::pair).collect();
    pairs.dedup();
    pairs
}

/// The sectors of the opening book.
#[must_use]
pub fn book() -> Vec<Sector> {
    sectors(BOOK)
}

fn sectors(files: Files) -> Vec<Sector> {
    let sector = |(name, _): &(&str, _)| TableKind::of_file_name(name).map(|(sector, _)| sector);
    files.iter().filter_map(sector).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::context::Walk;

    #[test]
    fn a_part_read_in_two_goes_is_the_same_part() {
        let tables = Tables::builtin();
        for sector in pairs().into_iter().flat_map(Pair::sectors) {
            let table = tables.table(sector, TableKind::Wdl).unwrap();
            let mut walk = Walk::new(sector);
            for part in (0..table.parts().count()).step_by(97) {
                let len = table.parts().range(part).len();
                let mut whole = vec![0; len];
                table.read_wdl(part, &mut walk, &mut whole).unwrap();
                for first in [1, len / 3, len / 2 + 1, len] {
                    let mut again = vec![0; first];
                    let paused = table.read_wdl_on(part, &mut walk, 0, None, &mut again).unwrap();
                    assert_eq!(again, whole[..first]);
                    again.resize(len, 9);
                    table.read_wdl_on(part, &mut walk, first, Some(paused), &mut again).unwrap();
                    assert_eq!(again, whole);
                }
            }
        }
    }

    #[test]
    fn all_open_and_take_little_room() {
        let tables = Tables::builtin();
        let moving: Vec<Sector> = pairs().into_iter().flat_map(Pair::sectors).collect();
        assert_eq!(TableKind::ALL.map(|kind| tables.count(kind)), [moving.len(); 2]);
        let bytes = |files: Files| files.iter().map(|(_, file)| file.len()).sum::<usize>();
        assert!(bytes(MOVING) <= 1_500_000, "{}", bytes(MOVING));
        assert!(bytes(BOOK) <= 512 << 10, "{}", bytes(BOOK));
        assert_eq!(book().len(), BOOK.len());
        for sector in moving.into_iter().chain(book()) {
            for &kind in TableKind::of(sector) {
                assert!(tables.table(sector, kind).is_some_and(|table| table.check_data().is_ok()));
            }
        }
    }
}
