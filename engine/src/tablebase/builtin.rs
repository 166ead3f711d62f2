//! The tables inside the program.
//!
//! They are made by `tablebase-gen generate 7-3 5-5 --out engine/tables`, and a test makes them
//! again and compares.

use super::file::{self, TableKind};
use super::sector::{Pair, Sector};
use super::store::Tables;

macro_rules! table {
    ($larger:literal, $smaller:literal) => {
        (
            ($larger, $smaller),
            [
                include_bytes!(concat!("../../tables/", $larger, "-", $smaller, ".wdl")),
                include_bytes!(concat!("../../tables/", $larger, "-", $smaller, ".dtw")),
            ],
        )
    };
}

/// A pair and the bytes of its files, in the order of [`TableKind::ALL`].
type Builtin = ((u8, u8), [&'static [u8]; 2]);

/// As many as fit in 1.5 MB.
static ALL: &[Builtin] = &[
    table!(3, 3),
    table!(4, 3),
    table!(4, 4),
    table!(5, 3),
    table!(5, 4),
    table!(5, 5),
    table!(6, 3),
    table!(7, 3),
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
        for &((larger, smaller), files) in ALL {
            let Some(sector) = Sector::new(larger, smaller) else { continue };
            for (kind, bytes) in TableKind::ALL.into_iter().zip(files) {
                // That they open is tested; a program without them would play all the same.
                if let Ok(opened) = file::from_bytes(bytes, sector, kind) {
                    self.add(opened);
                }
            }
        }
    }
}

/// The pairs with built-in tables.
#[must_use]
pub fn pairs() -> Vec<Pair> {
    let pair = |&((larger, smaller), _): &Builtin| Sector::new(larger, smaller).map(Sector::pair);
    ALL.iter().filter_map(pair).collect()
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
        let sectors: usize = pairs().iter().map(|pair| pair.sectors().count()).sum();
        assert_eq!(TableKind::ALL.map(|kind| tables.count(kind)), [sectors; 2]);
        let bytes: usize = ALL.iter().flat_map(|(_, files)| files).map(|file| file.len()).sum();
        assert!(bytes <= 1_500_000, "{bytes}");
        for sector in pairs().into_iter().flat_map(Pair::sectors) {
            for kind in TableKind::ALL {
                assert!(tables.table(sector, kind).is_some_and(|table| table.check_data().is_ok()));
            }
        }
    }
}
