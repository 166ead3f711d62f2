//! The values of a sector in two bits a position.

use std::io;

use merel_engine::tablebase::{Pair, Sector};

use crate::memory::Bytes;

/// What a position is worth to the side to move.
///
/// The order is that in which its opponent wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Code {
    /// A capture wins.
    CaptureWins = 0,
    /// It is won, but by no capture.
    Win = 1,
    /// Neither side can win.
    Draw = 2,
    /// It is lost.
    Loss = 3,
}

impl Code {
    /// That of the lowest two bits.
    #[inline(always)]
    pub const fn of_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::CaptureWins,
            1 => Self::Win,
            2 => Self::Draw,
            _ => Self::Loss,
        }
    }
}

/// Values of a sector, four to a byte. Every block begins with a byte of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct Packed {
    pair: Pair,
    /// The bytes of a block.
    stride: usize,
    bytes: Bytes,
}

impl Packed {
    /// All [`Code::CaptureWins`], to be written.
    ///
    /// # Errors
    /// If the system does not give the memory.
    pub fn zeroed(sector: Sector) -> io::Result<Self> {
        let bytes = Bytes::zeroed(Self::len(sector))?;
        Ok(Self::from_bytes(sector, bytes))
    }

    /// With these bytes.
    ///
    /// # Panics
    /// If they are not as many as [`Self::len`].
    pub fn from_bytes(sector: Sector, bytes: Bytes) -> Self {
        assert_eq!(bytes.len(), Self::len(sector));
        let pair = sector.pair();
        Self { pair, stride: stride(pair), bytes }
    }

    /// How many bytes the values of a sector take.
    pub fn len(sector: Sector) -> usize {
        sector.pair().blocks() * stride(sector.pair())
    }

    /// The numbering of the positions.
    pub fn pair(&self) -> Pair {
        self.pair
    }

    /// The bytes of a block.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The values of a block.
    #[inline(always)]
    pub fn block(&self, block: usize) -> &[u8] {
        &self.bytes[block * self.stride..(block + 1) * self.stride]
    }

    /// The values of the positions from a number on.
    pub fn codes(&self, start: usize) -> impl Iterator<Item = Code> {
        let len = self.pair.block_len();
        let (mut block, mut place) = (start / len, start % len);
        std::iter::from_fn(move || {
            if place == len {
                (block, place) = (block + 1, 0);
            }
            let bytes = self.bytes.get(block * self.stride..(block + 1) * self.stride)?;
            place += 1;
            Some(at(bytes, place - 1))
        })
    }
}

/// The value at a place of a block.
#[inline(always)]
pub fn at(block: &[u8], place: usize) -> Code {
    Code::of_bits(block[place / 4] >> (place % 4 * 2))
}

/// Writes the values of a block, given in order.
#[inline]
pub fn write(block: &mut [u8], mut codes: impl Iterator<Item = Code>) {
    for byte in block {
        let mut bits = 0;
        for place in 0..4 {
            if let Some(code) = codes.next() {
                bits |= (code as u8) << (2 * place);
            }
        }
        *byte = bits;
    }
}

fn stride(pair: Pair) -> usize {
    pair.block_len().div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let codes = [Code::Loss, Code::Draw, Code::CaptureWins, Code::Win, Code::Loss];
        let mut block = [0xFF; 2];
        write(&mut block, codes.into_iter());
        for (place, code) in codes.into_iter().enumerate() {
            assert_eq!(at(&block, place), code);
        }
    }
}
