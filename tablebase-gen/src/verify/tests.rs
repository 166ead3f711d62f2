//! Damage and wrong values that `verify` has to find.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use merel_engine::tablebase::codec::Section;
use merel_engine::tablebase::file::{self, Contents, TableKind};
use merel_engine::tablebase::{Pair, Sector};

use super::{Extent, Request, verify};
use crate::encode::Solved;
use crate::interrupt::Stop;
use crate::solve::{self, DRAW, NotSolved, Values, Watch};
use crate::statistics;

struct Nobody;

impl Watch for Nobody {
    fn level(&self, _: u8, _: u64) {}

    fn is_stopped(&self) -> bool {
        false
    }
}

fn three() -> Pair {
    Sector::new(3, 3).expect("a sector").pair()
}

fn solved() -> Result<Values, NotSolved> {
    solve::solve(three(), None, None, &Nobody)
}

/// Writes both tables of 3-3 with these values.
fn write(folder: &Path, values: &Values) {
    write_with(folder, values, |_, _| {});
}

/// Writes both tables of 3-3 with these values and `change`d statistics.
fn write_with(folder: &Path, values: &Values, change: impl Fn(TableKind, &mut Section)) {
    let sector = three().larger_to_move();
    let solved = Solved::moving(sector, &values.larger, &values.larger_captures);
    for kind in TableKind::ALL {
        let coded = if kind == TableKind::Wdl { solved.wdl() } else { solved.distances() };
        let mut section = statistics::of(sector, &values.larger);
        change(kind, &mut section);
        let contents =
            Contents { section, model: coded.model, data: coded.data, lengths: coded.lengths };
        let mut bytes = Vec::new();
        file::write(&mut bytes, sector, kind, vec![contents]).unwrap();
        std::fs::write(folder.join(kind.file_name(three().larger_to_move())), bytes).unwrap();
    }
}

/// What is printed, and whether all was right.
fn verified(folder: &Path, full: bool) -> (String, bool) {
    let full = full.then_some(Extent { most: u64::MAX, seed: 0 });
    let request = Request {
        folder: folder.to_owned(),
        sectors: vec![three().larger_to_move()],
        full,
        threads: 2,
    };
    let mut out = Vec::new();
    let good = verify(&request, Stop::default(), &mut out).unwrap();
    (String::from_utf8(out).unwrap(), good)
}

fn overwrite(path: &Path, place: usize, byte: u8) {
    let mut file = File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(place as u64)).unwrap();
    file.write_all(&[byte]).unwrap();
}

#[test]
fn every_flipped_byte_of_a_file_is_found_and_the_file_named() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &solved().unwrap());
    assert!(verified(folder.path(), false).1);
    for kind in TableKind::ALL {
        let name = kind.file_name(three().larger_to_move());
        let path = folder.path().join(&name);
        let whole = std::fs::read(&path).unwrap();
        for (i, &byte) in whole.iter().enumerate() {
            overwrite(&path, i, byte ^ 1 << (i % 8));
            let (out, good) = verified(folder.path(), false);
            assert!(!good && out.starts_with(&format!("3-3: {name} ")), "byte {i}: {out}");
            overwrite(&path, i, byte);
        }
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(!verified(folder.path(), false).1);
        std::fs::write(&path, &whole).unwrap();
    }
    assert!(verified(folder.path(), false).1);
}

#[test]
fn a_wrong_value_under_right_checksums_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let right = solved().unwrap();
    write(folder.path(), &right);
    assert!(verified(folder.path(), true).1);
    let is_free = |number: usize| right.larger_captures[number / 8] >> (number % 8) & 1 == 1;
    let find = |wanted: &dyn Fn(u8) -> bool| {
        (5_000..right.larger.len()).find(|&i| !is_free(i) && wanted(right.larger[i])).unwrap()
    };
    let (loss, draw, win) = (
        find(&|value| value == 16),
        find(&|value| value == DRAW),
        find(&|value| value % 2 == 1 && value != DRAW),
    );
    let longest = find(&|value| value == 26);
    for (number, wrong) in [
        (loss, 14),
        (loss, 18),
        (loss, DRAW),
        (loss, 3),
        (longest, 28),
        (draw, 4),
        (draw, 5),
        (win, DRAW),
        (win, 0),
    ] {
        let mut values = solved().unwrap();
        assert_ne!(values.larger[number], wrong);
        values.larger[number] = wrong;
        write(folder.path(), &values);
        assert!(verified(folder.path(), false).1, "the checksums are right");
        let (out, good) = verified(folder.path(), true);
        let what = format!("{number}: {} written as {wrong}: {out}", right.larger[number]);
        assert!(!good && out.starts_with("3-3, position "), "{what}");
    }
}

#[test]
fn wrong_statistics_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let values = solved().unwrap();
    type Change = fn(&mut Section);
    let changes: [Change; 4] = [
        |section| section.totals[0] += 1,
        |section| section.by_plies[3] -= 1,
        |section| section.longest_win = None,
        |section| section.longest_loss = section.longest_loss.map(|number| number + 1),
    ];
    for change in changes {
        for wrong in TableKind::ALL {
            write_with(folder.path(), &values, |kind, section| {
                if kind == wrong {
                    change(section);
                }
            });
            let name = wrong.file_name(three().larger_to_move());
            let expected = format!("{name}: the statistics of 3-3 are wrong\n");
            assert_eq!(verified(folder.path(), true), (expected, false));
        }
    }
}
