//! The values of a solved sector, kept in a file until the sectors that need them are solved.
//!
//! A header of [`HEADER`] bytes (magic, format, rules, sector, number of values, CRC-32 of the
//! values, CRC-32 of the header), then one byte a position.

use std::fs::File;
use std::io::{self, Read, Write};

use merel_engine::tablebase::Sector;
use merel_engine::tablebase::file::RULES;

use crate::failure::Failure;
use crate::folder::{Durable, Folder};
use crate::memory::Bytes;

const MAGIC: &[u8; 8] = b"MERELVAL";
const FORMAT: u32 = 1;
const HEADER: usize = 48;

fn header(sector: Sector, len: u64, crc: u32) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[12..28].copy_from_slice(&RULES);
    header[28] = sector.mover();
    header[29] = sector.other();
    header[32..40].copy_from_slice(&len.to_le_bytes());
    header[40..44].copy_from_slice(&crc.to_le_bytes());
    let crc = crc32fast::hash(&header[..44]);
    header[44..].copy_from_slice(&crc.to_le_bytes());
    header
}

/// Writes the values of a sector.
pub fn write(folder: &Folder, sector: Sector, values: &[u8]) -> Result<(), Failure> {
    folder.write(&folder.values(sector), Durable::No, |out| {
        out.write_all(&header(sector, values.len() as u64, crc32fast::hash(values)))?;
        out.write_all(values)
    })
}

/// Reads the values of a sector; `None` where there is no whole file of them.
pub fn read(folder: &Folder, sector: Sector) -> Result<Option<Bytes>, Failure> {
    let path = folder.values(sector);
    let trouble = |error| Failure::file("read", &path)(error);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(trouble(error)),
    };
    let len = sector.pair().len();
    if file.metadata().map_err(trouble)?.len() != (HEADER + len) as u64 {
        return Ok(None);
    }
    let mut found = [0; HEADER];
    file.read_exact(&mut found).map_err(trouble)?;
    let mut values = Bytes::zeroed(len).map_err(trouble)?;
    file.read_exact(&mut values).map_err(trouble)?;
    let expected = header(sector, len as u64, crc32fast::hash(&values));
    Ok((found == expected).then_some(values))
}

/// Whether the values of a sector are there and whole. They are read piece by piece.
pub fn is_whole(folder: &Folder, sector: Sector) -> bool {
    let check = || -> io::Result<bool> {
        let mut file = File::open(folder.values(sector))?;
        let mut found = [0; HEADER];
        file.read_exact(&mut found)?;
        let (mut crc, mut len) = (crc32fast::Hasher::new(), 0);
        let mut piece = vec![0; 1 << 20];
        loop {
            let count = file.read(&mut piece)?;
            if count == 0 {
                break;
            }
            crc.update(&piece[..count]);
            len += count;
        }
        let all = len == sector.pair().len();
        Ok(all && found == header(sector, len as u64, crc.finalize()))
    };
    // What cannot be read is made again, as what is not there.
    check().unwrap_or(false)
}
