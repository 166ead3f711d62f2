//! Reading endgame tables from files that may hold anything: an error or a value, never a panic,
//! and no damage goes unseen.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use merel_engine::tablebase::codec::{self, Header};
use merel_engine::tablebase::file::{self, Access, Table, TableError, TableKind};
use merel_engine::tablebase::{Pair, Sector, Tables};
use merel_engine::{Engine, Game, Position, Rules};
use merel_tests::bridge::{depth, from_fen, search};
use merel_tests::oracle::splitmix64;
use proptest::prelude::*;

const ACCESSES: [Access; 2] = [Access::Map, Access::Read];

fn pair(larger: u8, smaller: u8) -> Pair {
    Sector::new(larger, smaller).expect("a sector").pair()
}

static BUILTIN: LazyLock<Tables> = LazyLock::new(Tables::builtin);

/// The bytes of a built-in table.
fn good(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../engine/tables");
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A file with these bytes, gone again when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("reader {name}")))
    }

    /// Opens these bytes as a table of a pair. Each time it is another file of the same name: one
    /// that is mapped must not change.
    fn open(
        &self,
        bytes: &[u8],
        pair: Pair,
        kind: TableKind,
        access: Access,
    ) -> Result<Vec<Table>, TableError> {
        let _ = std::fs::remove_file(&self.0);
        std::fs::write(&self.0, bytes).expect("the folder for tests can be written");
        file::open(&self.0, pair.larger_to_move(), kind, access)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Whether opening the bytes or checking the data tells of damage.
fn is_found(scratch: &Scratch, bytes: &[u8], pair: Pair, kind: TableKind, access: Access) -> bool {
    match scratch.open(bytes, pair, kind, access) {
        Err(error) => !error.to_string().is_empty(),
        Ok(tables) => tables.iter().any(|table| table.check_data().is_err()),
    }
}

fn assert_every_flip_is_found(name: &str, pair: Pair, kind: TableKind) {
    let scratch = Scratch::new(&format!("flips {name}"));
    let mut bytes = good(name);
    for access in ACCESSES {
        assert!(!is_found(&scratch, &bytes, pair, kind, access), "{name} is good");
    }
    let mut random = splitmix64(bytes.len() as u64);
    for at in 0..bytes.len() {
        let any = (random() % 255) as u8 + 1;
        for (flip, access) in [(1, Access::Read), (0x80, Access::Map), (any, Access::Read)] {
            bytes[at] ^= flip;
            assert!(is_found(&scratch, &bytes, pair, kind, access), "{name} byte {at} by {flip}");
            bytes[at] ^= flip;
        }
    }
}

#[test]
fn every_flipped_byte_of_a_wdl_file_is_found() {
    assert_every_flip_is_found("3-3.wdl", pair(3, 3), TableKind::Wdl);
}

#[test]
fn every_flipped_byte_of_a_dtw_file_is_found() {
    assert_every_flip_is_found("4-3.dtw", pair(4, 3), TableKind::Dtw);
}

#[test]
fn a_file_that_ends_early_or_late_is_refused() {
    let scratch = Scratch::new("lengths");
    let bytes = good("3-3.wdl");
    let lengths = (0..bytes.len()).step_by(7).chain(bytes.len() - 64..bytes.len());
    for len in lengths {
        for access in ACCESSES {
            let opened = scratch.open(&bytes[..len], pair(3, 3), TableKind::Wdl, access);
            assert!(opened.is_err(), "{len} bytes, {access:?}");
        }
    }
    let longer = [bytes, vec![0]].concat();
    for access in ACCESSES {
        assert!(scratch.open(&longer, pair(3, 3), TableKind::Wdl, access).is_err());
    }
}

#[test]
fn the_reason_of_a_refusal_is_told() {
    let scratch = Scratch::new("reasons");
    let good = good("4-3.wdl");
    let told = |bytes: &[u8], pair, kind| {
        let error = scratch.open(bytes, pair, kind, Access::Read).expect_err("it is refused");
        error.to_string()
    };
    let header = codec::decode(&good).expect("a good header");
    let with = |change: &dyn Fn(&mut Header)| {
        let mut header = header.clone();
        change(&mut header);
        let start = codec::encode(&header);
        [&start[..], &good[start.len()..]].concat()
    };
    let (pair_of, kind) = (pair(4, 3), TableKind::Wdl);
    assert_eq!(told(b"", pair_of, kind), "is no table file");
    assert_eq!(told(b"no table at all, but long enough", pair_of, kind), "is no table file");
    let mut newer = good.clone();
    newer[8] += 1;
    assert!(told(&newer, pair_of, kind).contains("has format 2"));
    let other_rules = with(&|header| header.rules[0] ^= 1);
    assert_eq!(told(&other_rules, pair_of, kind), "was made for other rules");
    for (pair, kind) in [(pair(3, 3), kind), (pair(5, 3), kind), (pair_of, TableKind::Dtw)] {
        assert!(told(&good, pair, kind).contains("another table than its name says"));
    }
    let span_damage = |at: u64| {
        let mut bytes = good.clone();
        bytes[at as usize] ^= 4;
        told(&bytes, pair_of, kind)
    };
    assert!(span_damage(40).contains("is damaged (header)"));
    let second = &header.sections[1];
    assert!(span_damage(second.model.offset).contains("is damaged (model)"));
    assert!(span_damage(second.index.offset + 9).contains("is damaged (index)"));
    let short = with(&|header| header.file_len -= 1);
    assert!(told(&short, pair_of, kind).contains("is damaged (its length)"));
    let cut = told(&good[..50], pair_of, kind);
    assert!(cut.contains("is damaged (it ends early)"), "{cut}");
}

/// Random positions with three stones a side.
fn positions(count: usize, seed: u64) -> Vec<Position> {
    let mut random = splitmix64(seed);
    let mut all = Vec::new();
    while all.len() < count {
        let mut board = [b'*'; 24];
        let mut put = |stone: u8| {
            let mut left = 3;
            while left > 0 {
                let on = (random() % 24) as usize;
                if board[on] == b'*' {
                    board[on] = stone;
                    left -= 1;
                }
            }
        };
        put(b'O');
        put(b'@');
        let ring = |from: usize| String::from_utf8_lossy(&board[from..from + 8]).into_owned();
        let side = if all.len() % 2 == 0 { 'w' } else { 'b' };
        let fen =
            format!("{}/{}/{} {side} m s 3 0 3 0 0 0 0 0 0 0 0 0 1", ring(0), ring(8), ring(16));
        all.push(from_fen(&fen, Rules::default()));
    }
    all
}

/// Asks for whatever there is to ask; the answers may be anything.
fn probe_all(tables: &Tables, positions: &[Position]) {
    for position in positions {
        let wdl = tables.wdl(position);
        if let (Some(distance), Some(value)) = (tables.dtw(position), wdl) {
            assert_eq!(distance.value(), value);
        }
        let _ = tables.turns(position);
    }
}

/// The tables of 3-3, one of their files being these bytes, if it opens.
fn tables_with(scratch: &Scratch, bytes: &[u8], kind: TableKind, access: Access) -> Option<Tables> {
    let (mut tables, _) = Tables::open(&[], access, 1);
    tables.add(scratch.open(bytes, pair(3, 3), kind, access).ok()?);
    // The other file is a good one.
    tables.add_builtin();
    Some(tables)
}

fn name(kind: TableKind) -> String {
    kind.file_name(pair(3, 3).larger_to_move())
}

/// A change of a good file after which all checksums are right again, so that nothing but the
/// contents can give it away.
fn forged(kind: TableKind, place: u8, changes: &[(u32, u8)]) -> Vec<u8> {
    let mut bytes = good(&name(kind));
    let mut header = codec::decode(&bytes).expect("a good header");
    let section = &mut header.sections[0];
    let (model, index, data) = (section.model, section.index, section.data);
    let groups = index.len as usize / 76;
    match place % 4 {
        0 => change(&mut bytes[range(model)], changes),
        1 => change(&mut bytes[range(index)], changes),
        2 => change(&mut bytes[range(data)], changes),
        _ => {
            for &(which, value) in changes {
                let value = u64::from(value) << (which >> 8 & 63);
                let field = match which % 12 {
                    0 => &mut section.model.offset,
                    1 => &mut section.model.len,
                    2 => &mut section.index.offset,
                    3 => &mut section.index.len,
                    4 => &mut section.data.offset,
                    5 => &mut section.data.len,
                    6..=8 => &mut section.totals[(which % 3) as usize],
                    9 => section.longest_win.get_or_insert(0),
                    10 => section.longest_loss.get_or_insert(0),
                    _ => &mut section.totals[0],
                };
                *field = if which >> 16 & 1 == 1 { field.wrapping_add(value) } else { value };
            }
        }
    }
    // Each group's checksum is right for the bytes that the index gives it now, if there are such.
    let mut start = data.offset as usize;
    for group in 0..groups {
        let entry = index.offset as usize + group * 76;
        let lens = bytes[entry + 12..entry + 76].chunks(2);
        let len: usize = lens.map(|len| usize::from(u16::from_le_bytes([len[0], len[1]]))).sum();
        if let Some(group) = bytes.get(start..start + len) {
            let crc = crc32(group);
            bytes[entry + 8..entry + 12].copy_from_slice(&crc.to_le_bytes());
        }
        start += len;
    }
    let section = &mut header.sections[0];
    for span in [&mut section.model, &mut section.index] {
        if let Some(part) = span_of(&bytes, span.offset, span.len) {
            span.crc = crc32(part);
        }
    }
    let start = codec::encode(&header);
    bytes[..start.len()].copy_from_slice(&start);
    bytes
}

fn range(span: codec::Span) -> std::ops::Range<usize> {
    span.offset as usize..(span.offset + span.len) as usize
}

fn span_of(bytes: &[u8], offset: u64, len: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(len).ok()?)?)
}

fn change(bytes: &mut [u8], changes: &[(u32, u8)]) {
    for &(at, value) in changes {
        let at = at as usize % bytes.len();
        bytes[at] = value;
    }
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

#[test]
fn a_forgery_without_a_change_is_the_good_file() {
    for kind in TableKind::ALL {
        for place in 0..4 {
            assert_eq!(forged(kind, place, &[]), good(&name(kind)));
        }
    }
}

/// Distances that lead round in a circle must not keep the engine from answering.
#[test]
fn tables_that_contradict_themselves_do_not_stop_the_engine() {
    let scratch = Scratch::new("contradictions");
    let mut random = splitmix64(33);
    let positions = positions(8, 34);
    let mut engine = Engine::new();
    for number in 0..if cfg!(debug_assertions) { 4 } else { 40 } {
        let kind = TableKind::ALL[number % 2];
        let changes: Vec<(u32, u8)> =
            (0..1 + number % 30).map(|_| (random() as u32, random() as u8)).collect();
        let bytes = forged(kind, 2 * (number / 2 % 2) as u8, &changes);
        let Some(tables) = tables_with(&scratch, &bytes, kind, Access::Read) else { continue };
        engine.set_tables(Arc::new(tables));
        for position in positions.iter().filter(|position| position.outcome().is_none()) {
            let game = Game::new(*position);
            let searched = search(&mut engine, &game, depth(2));
            assert!(position.is_legal(searched.result.best));
            let mut at = *position;
            for &turn in &searched.last().pv {
                assert!(at.is_legal(turn), "{} {:?}", position.fen(), searched.last().pv);
                at = at.after(turn);
            }
        }
    }
}

fn access() -> impl Strategy<Value = Access> {
    prop_oneof![Just(Access::Map), Just(Access::Read)]
}

fn kind() -> impl Strategy<Value = TableKind> {
    prop_oneof![Just(TableKind::Wdl), Just(TableKind::Dtw)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_refused(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        start in 0..4_u8,
        kind in kind(),
        access in access(),
    ) {
        let scratch = Scratch::new("arbitrary");
        let prefix: &[u8] = match start {
            0 => &[],
            1 => b"MERELTAB",
            2 => b"MERELTAB\x01\0\0\0",
            _ => b"MERELTAB\x01\0\0\0\x20\0\0\0",
        };
        let bytes = [prefix, &bytes].concat();
        prop_assert!(scratch.open(&bytes, pair(4, 3), kind, access).is_err());
    }

    #[test]
    fn a_changed_file_is_refused_or_found_out_by_its_checks_and_never_gives_another_value(
        kind in kind(),
        access in access(),
        changes in proptest::collection::vec((any::<u32>(), any::<u8>()), 1..4),
    ) {
        let scratch = Scratch::new("changed");
        let mut bytes = good(&name(kind));
        change(&mut bytes, &changes);
        if bytes == good(&name(kind)) {
            return Ok(());
        }
        prop_assert!(is_found(&scratch, &bytes, pair(3, 3), kind, access));
        if let Some(tables) = tables_with(&scratch, &bytes, kind, access) {
            let builtin = &*BUILTIN;
            for position in positions(40, changes[0].0.into()) {
                let (found, right) = (tables.dtw(&position), builtin.dtw(&position));
                prop_assert!(found.is_none() || found == right);
                let (found, right) = (tables.wdl(&position), builtin.wdl(&position));
                prop_assert!(found.is_none() || found == right);
            }
        }
    }

    #[test]
    fn a_forged_file_is_refused_or_harmless(
        kind in kind(),
        access in access(),
        place in any::<u8>(),
        changes in proptest::collection::vec((any::<u32>(), any::<u8>()), 1..40),
    ) {
        let scratch = Scratch::new("forged");
        let bytes = forged(kind, place, &changes);
        if let Some(tables) = tables_with(&scratch, &bytes, kind, access) {
            probe_all(&tables, &positions(20, changes[0].0.into()));
        }
    }
}
