//! The values of a solved sector, kept in a file until the sectors that need them are solved.
//!
//! A header of [`HEADER`] bytes (magic, format, rules, sector, number of bytes, CRC-32 of the bytes,
//! CRC-32 of the header), then the values in one of two [`Form`]s.

use std::fs::File;
use std::io::{self, Read, Write};

use merel_engine::tablebase::Sector;
use merel_engine::tablebase::file::{rules, section_stones};

use crate::failure::Failure;
use crate::folder::{Durable, Folder};
use crate::memory::Bytes;
use crate::placing::Packed;

/// What is kept of the values of a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One byte a position, with its distance: for the sectors whose captures lead there.
    Plies,
    /// Two bits a position, as in [`Packed`]: for the placing phase.
    Packed,
}

impl Form {
    /// The end of the file's name.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Plies => "values",
            Self::Packed => "packed",
        }
    }

    /// How many bytes there are of a sector.
    fn len(self, sector: Sector) -> usize {
        match self {
            Self::Plies => sector.pair().len(),
            Self::Packed => Packed::len(sector),
        }
    }
}

const MAGIC: &[u8; 8] = b"MERELVAL";
const FORMAT: u32 = 2;
const HEADER: usize = 48;

fn header(sector: Sector, form: Form, len: u64, crc: u32) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[12..28].copy_from_slice(&rules(sector));
    header[28..30].copy_from_slice(&section_stones(sector));
    header[30] = form as u8;
    header[32..40].copy_from_slice(&len.to_le_bytes());
    header[40..44].copy_from_slice(&crc.to_le_bytes());
    let crc = crc32fast::hash(&header[..44]);
    header[44..].copy_from_slice(&crc.to_le_bytes());
    header
}

/// Writes the values of a sector.
pub fn write(folder: &Folder, sector: Sector, form: Form, values: &[u8]) -> Result<(), Failure> {
    folder.write(&folder.scratch(sector, form), Durable::No, |out| {
        out.write_all(&header(sector, form, values.len() as u64, crc32fast::hash(values)))?;
        out.write_all(values)
    })
}

/// Reads the values of a sector; `None` where there is no whole file of them.
pub fn read(folder: &Folder, sector: Sector, form: Form) -> Result<Option<Bytes>, Failure> {
    let path = folder.scratch(sector, form);
    let trouble = |error| Failure::file("read", &path)(error);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(trouble(error)),
    };
    let len = form.len(sector);
    if file.metadata().map_err(trouble)?.len() != (HEADER + len) as u64 {
        return Ok(None);
    }
    let mut found = [0; HEADER];
    file.read_exact(&mut found).map_err(trouble)?;
    let mut values = Bytes::zeroed(len).map_err(trouble)?;
    file.read_exact(&mut values).map_err(trouble)?;
    let expected = header(sector, form, len as u64, crc32fast::hash(&values));
    Ok((found == expected).then_some(values))
}

/// Whether the values of a sector are there and whole. They are read piece by piece.
pub fn is_whole(folder: &Folder, sector: Sector, form: Form) -> bool {
    let check = || -> io::Result<bool> {
        let mut file = File::open(folder.scratch(sector, form))?;
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
        let all = len == form.len(sector);
        Ok(all && found == header(sector, form, len as u64, crc.finalize()))
    };
    // What cannot be read is made again, as what is not there.
    check().unwrap_or(false)
}
