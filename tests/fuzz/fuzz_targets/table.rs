//! A table file of three stones against three, read in both ways, and every kind of question asked
//! of it. The first byte says which kind of table it is and what is done to the rest.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use merel_engine::tablebase::codec;
use merel_engine::tablebase::file::{self, Access, TableKind};
use merel_engine::tablebase::{Sector, Tables};
use merel_engine::{Position, Rules};

/// What a changed file is made from.
const GOOD: [&[u8]; 2] = [
    include_bytes!("../../../engine/tables/3-3.wdl"),
    include_bytes!("../../../engine/tables/3-3.dtw"),
];

/// A file of this process alone.
static PATH: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("merel fuzz {}", std::process::id())));

static POSITIONS: LazyLock<Vec<Position>> = LazyLock::new(|| {
    [
        "O**O*@**/**O*@***/*@****** w m s 3 0 3 0 0 0 0 0 0 0 0 0 1",
        "O*@*****/O*@*****/*@*****O b m s 3 0 3 0 0 0 0 0 0 0 0 0 1",
        "********/O@O@O@**/******** w m s 3 0 3 0 0 0 0 0 0 0 0 0 1",
    ]
    .iter()
    .map(|fen| Position::from_fen(fen, Rules::default()).expect("a good position"))
    .collect()
});

fuzz_target!(|input: &[u8]| {
    let Some((&options, rest)) = input.split_first() else { return };
    let kind = TableKind::ALL[usize::from(options & 1)];
    let bytes = if options & 2 == 0 {
        rest.to_vec()
    } else {
        changed(GOOD[usize::from(options & 1)], rest, options & 4 != 0)
    };
    let sector = Sector::new(3, 3).expect("a sector");
    for access in [Access::Read, Access::Map] {
        // What is mapped must not change: each is another file.
        let _ = std::fs::remove_file(&*PATH);
        std::fs::write(&*PATH, &bytes).expect("the folder for temporary files can be written");
        match file::open(&PATH, sector, kind, access) {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(opened) => {
                for table in &opened {
                    let _ = table.check_data();
                }
                let (mut tables, _) = Tables::open(&[], access, 1);
                tables.add(opened);
                tables.add_builtin();
                ask(&tables);
            }
        }
        let _ = std::fs::remove_file(&*PATH);
    }
});

/// The good file with bytes put at places, four bytes of input each: three for the place. With
/// `sealed` the checksums of header, model and index are right again.
fn changed(good: &[u8], changes: &[u8], sealed: bool) -> Vec<u8> {
    let mut bytes = good.to_vec();
    let mut header = codec::decode(good).expect("a good header");
    for change in changes.chunks_exact(4) {
        let at = u32::from_le_bytes([change[0], change[1], change[2], 0]) as usize % bytes.len();
        bytes[at] = change[3];
    }
    if sealed {
        for section in &mut header.sections {
            for span in [&mut section.model, &mut section.index] {
                let start = span.offset as usize;
                span.crc = crc32(&bytes[start..start + span.len as usize]);
            }
        }
        let start = codec::encode(&header);
        bytes[..start.len()].copy_from_slice(&start);
    }
    bytes
}

/// CRC-32 as zip files have it, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
        }
    }
    !crc
}

/// The answers may be anything, but they agree with each other.
fn ask(tables: &Tables) {
    for position in POSITIONS.iter() {
        if let (Some(value), Some(distance)) = (tables.wdl(position), tables.dtw(position)) {
            assert_eq!(distance.value(), value);
        }
        let _ = tables.turns(position);
    }
}
