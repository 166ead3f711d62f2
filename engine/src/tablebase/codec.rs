//! The header of a table file: the only place that knows how it is laid out in bytes.
//!
//! Magic, format version and the length of what follows (both 32 bits), the header itself in
//! `bincode`'s fixed-size little-endian form, and its CRC-32. Everything else in a table file is
//! raw bytes that the header points to.

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use bincode::{Decode, Encode};

/// The first bytes of a table file.
pub const MAGIC: [u8; 8] = *b"MERELTAB";
/// The version of the format that this program reads and writes.
pub const FORMAT: u32 = 1;
/// A header is never longer; a longer one is refused before anything is read.
const LONGEST: usize = 65_536;
/// Magic, version and length.
const PREFIX: usize = 16;

const CONFIG: Configuration<LittleEndian, Fixint, Limit<LONGEST>> =
    bincode::config::standard().with_fixed_int_encoding().with_limit::<LONGEST>();

/// What a table file holds.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Header {
    /// The rules that the values hold under: see [`super::file::rules`].
    pub rules: [u8; 16],
    /// Win, draw and loss (0) or distances (1).
    pub kind: u8,
    /// The length of the whole file in bytes.
    pub file_len: u64,
    /// The sectors of one pair.
    pub sections: Vec<Section>,
}

/// One sector of a table file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Section {
    /// The stones of the side to move: on the board in the low four bits, in hand in the high four.
    pub mover: u8,
    /// The stones of the other side, in the same way.
    pub other: u8,
    /// How many placements are won, drawn and lost, not reduced by symmetry.
    pub totals: [u64; 3],
    /// How many placements are decided in each number of plies; the last is not zero.
    pub by_plies: Vec<u64>,
    /// The number of a position that takes longest to win.
    pub longest_win: Option<u64>,
    /// The number of a position that takes longest to lose.
    pub longest_loss: Option<u64>,
    /// Where the model is.
    pub model: Span,
    /// Where the index is.
    pub index: Span,
    /// Where the parts are. They are checked group by group: the checksum here is 0.
    pub data: Span,
}

/// A stretch of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Span {
    /// The place of its first byte in the file.
    pub offset: u64,
    /// How many bytes.
    pub len: u64,
    /// Their CRC-32.
    pub crc: u32,
}

/// Why bytes are no header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// They do not begin as a table file does.
    NotATable,
    /// They are of another version of the format.
    OtherFormat(u32),
    /// They end early, or the checksum does not fit.
    Damaged,
}

/// The header as the first bytes of a file.
///
/// # Panics
/// If it is longer than 64 KiB, which no pair of sectors needs.
#[must_use]
pub fn encode(header: &Header) -> Vec<u8> {
    let payload = bincode::encode_to_vec(header, CONFIG).expect("a header is short");
    assert!(payload.len() <= LONGEST);
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(&payload);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// How many bytes at the start of a file hold the header, by the first sixteen of them.
///
/// # Errors
/// If they are not the start of a table file of this format.
pub fn header_len(start: &[u8]) -> Result<usize, HeaderError> {
    let (Some(magic), Some(format), Some(len)) = (start.get(..8), word(start, 8), word(start, 12))
    else {
        return Err(HeaderError::NotATable);
    };
    if magic != MAGIC {
        return Err(HeaderError::NotATable);
    }
    if format != FORMAT {
        return Err(HeaderError::OtherFormat(format));
    }
    if len as usize > LONGEST {
        return Err(HeaderError::Damaged);
    }
    Ok(PREFIX + len as usize + 4)
}

/// Reads a header from the first bytes of a file.
///
/// # Errors
/// If there is none, or it is of another format, or damaged.
pub fn decode(bytes: &[u8]) -> Result<Header, HeaderError> {
    let end = header_len(bytes)? - 4;
    let crc = word(bytes, end).ok_or(HeaderError::Damaged)?;
    if crc32fast::hash(&bytes[..end]) != crc {
        return Err(HeaderError::Damaged);
    }
    let payload = &bytes[PREFIX..end];
    match bincode::decode_from_slice::<Header, _>(payload, CONFIG) {
        Ok((header, consumed)) if consumed == payload.len() => Ok(header),
        _ => Err(HeaderError::Damaged),
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let section = Section {
            mover: 4,
            other: 3,
            totals: [1, 2, 3],
            by_plies: vec![5],
            longest_loss: Some(7),
            ..Section::default()
        };
        Header { rules: *b"0123456789abcdef", kind: 1, file_len: 9, sections: vec![section] }
    }

    #[test]
    fn the_bytes_are_fixed() {
        let bytes = encode(&header());
        assert_eq!(bytes[..24], *b"MERELTAB\x01\0\0\0\x91\0\0\x000123456789abcdef"[..24].as_ref());
        assert_eq!(bytes[16..32], *b"0123456789abcdef");
        assert_eq!(bytes[32..41], [1, 9, 0, 0, 0, 0, 0, 0, 0]);
        // The number of sections takes eight bytes, then the first one's stones follow.
        assert_eq!(bytes[41..51], [1, 0, 0, 0, 0, 0, 0, 0, 4, 3]);
        assert_eq!(decode(&bytes), Ok(header()));
    }

    #[test]
    fn a_flipped_byte_or_a_missing_end_is_seen() {
        let bytes = encode(&header());
        for i in 0..bytes.len() {
            assert!(decode(&bytes[..i]).is_err());
            for flip in [1, 0x80, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[i] ^= flip;
                assert!(decode(&damaged).is_err(), "byte {i}");
            }
        }
    }

    #[test]
    fn nothing_else_names_the_crate() {
        fn files(dir: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    files(&path, found);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    found.push(path);
                }
            }
        }
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut found = Vec::new();
        for member in ["engine/src", "protocol/src", "tablebase-gen/src"] {
            files(&root.join(member), &mut found);
        }
        let name = concat!("bin", "code");
        for path in found.iter().filter(|p| !p.ends_with("tablebase/codec.rs")) {
            assert!(!std::fs::read_to_string(path).unwrap().contains(name), "{}", path.display());
        }
    }
}
