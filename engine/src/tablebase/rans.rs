//! Entropy coding: range asymmetric numeral systems (J. Duda, 2013), one 32-bit state, sixteen
//! bits in or out at a time.
//!
//! A symbol of frequency `f` out of 2¹⁴ takes 14 − log₂ f bits. The last symbol written is the
//! first read, so [`encode`] works from the end.

use std::sync::LazyLock;

/// Frequencies add up to two to this power.
pub const SCALE_BITS: u32 = 14;
/// What frequencies add up to.
pub const SCALE: u32 = 1 << SCALE_BITS;
/// The state never falls below this between symbols; it is also the state that coding starts from.
const FLOOR: u32 = 1 << 16;

/// A symbol's share of the numbers below [`SCALE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Its first number.
    pub start: u16,
    /// How many numbers it has, at least one.
    pub frequency: u16,
}

/// Writes symbols by their shares, so that [`Decoder`] reads them in the order given.
#[must_use]
pub fn encode(shares: &[Share]) -> Vec<u8> {
    let mut words = Vec::new();
    let mut state = FLOOR;
    for share in shares.iter().rev() {
        let (start, frequency) = (u32::from(share.start), u32::from(share.frequency));
        if state >> (32 - SCALE_BITS) >= frequency {
            words.push(state as u16);
            state >>= 16;
        }
        let quotient = divide(state, share.frequency);
        state = (quotient << SCALE_BITS) + (state - quotient * frequency) + start;
    }
    words.extend([state as u16, (state >> 16) as u16]);
    words.iter().rev().flat_map(|word| word.to_le_bytes()).collect()
}

/// `state / frequency` by a multiplication: division would take most of the time.
#[inline(always)]
fn divide(state: u32, frequency: u16) -> u32 {
    /// 2⁶⁴ divided by each frequency, rounded up: exact for 32-bit numbers, whose error stays
    /// below 2⁻³².
    static RECIPROCALS: LazyLock<Vec<u64>> =
        LazyLock::new(|| (0..=SCALE as u64).map(|f| u64::MAX / f.max(2) + 1).collect());
    if frequency == 1 {
        return state;
    }
    ((u128::from(state) * u128::from(RECIPROCALS[usize::from(frequency)])) >> 64) as u32
}

/// Reads what [`encode`] wrote.
///
/// Any bytes can be read: damaged ones give wrong symbols, and past the end come zeros.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    state: u32,
    bytes: &'a [u8],
}

/// Where a [`Decoder`] has stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paused {
    state: u32,
    /// The bytes that it has not read.
    left: u32,
}

impl Paused {
    /// All of it in one number.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.state as u64) << 32 | self.left as u64
    }

    /// Undoes [`Self::to_bits`].
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self { state: (bits >> 32) as u32, left: bits as u32 }
    }
}

impl<'a> Decoder<'a> {
    /// Goes on in the same bytes from where another has stopped.
    #[must_use]
    pub fn resume(bytes: &'a [u8], paused: Paused) -> Self {
        let read = bytes.len().saturating_sub(paused.left as usize);
        Self { state: paused.state, bytes: &bytes[read..] }
    }

    /// Stops, to go on another time.
    #[must_use]
    pub const fn pause(&self) -> Paused {
        Paused { state: self.state, left: self.bytes.len() as u32 }
    }

    /// Starts at the first symbol.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self { state: 0, bytes };
        decoder.state = decoder.word() << 16;
        decoder.state |= decoder.word();
        decoder
    }

    #[inline(always)]
    fn word(&mut self) -> u32 {
        match self.bytes {
            [low, high, rest @ ..] => {
                self.bytes = rest;
                u32::from(u16::from_le_bytes([*low, *high]))
            }
            _ => 0,
        }
    }

    /// The number below [`SCALE`] that lies in the next symbol's share.
    #[inline(always)]
    #[must_use]
    pub const fn peek(&self) -> u16 {
        (self.state & (SCALE - 1)) as u16
    }

    /// Passes the symbol with this share, in which [`peek`](Self::peek) lies.
    #[inline(always)]
    pub fn take(&mut self, share: Share) {
        let offset = self.state & (SCALE - 1);
        self.state = u32::from(share.frequency)
            .wrapping_mul(self.state >> SCALE_BITS)
            .wrapping_add(offset)
            .wrapping_sub(u32::from(share.start));
        if self.state < FLOOR {
            self.state = self.state << 16 | self.word();
        }
    }

    /// Whether everything was read and nothing else: so it is after the last symbol of undamaged
    /// bytes.
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        self.state == FLOOR && self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_come_back_in_order_and_cost_what_they_should() {
        let shares = [
            Share { start: 0, frequency: 1 },
            Share { start: 1, frequency: 16_000 },
            Share { start: 16_001, frequency: 383 },
        ];
        let mut x = 1_u32;
        let symbols: Vec<usize> = (0..20_000)
            .map(|_| {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                shares.iter().position(|s| {
                    let slot = x >> 18;
                    slot >= s.start.into() && slot < u32::from(s.start) + u32::from(s.frequency)
                })
            })
            .map(|found| found.expect("the shares fill the scale"))
            .collect();
        let bytes = encode(&symbols.iter().map(|&s| shares[s]).collect::<Vec<_>>());
        let mut decoder = Decoder::new(&bytes);
        for (i, &symbol) in symbols.iter().enumerate() {
            if i % 1000 == 7 {
                decoder = Decoder::resume(&bytes, decoder.pause());
            }
            let slot = decoder.peek();
            let share = shares[symbol];
            assert!(slot >= share.start && slot - share.start < share.frequency);
            decoder.take(share);
        }
        assert!(decoder.is_finished());
        let bits: f64 = symbols
            .iter()
            .map(|&s| -(f64::from(shares[s].frequency) / f64::from(SCALE)).log2())
            .sum();
        assert!((bytes.len() as f64 * 8.0) < bits + 64.0, "{} bytes, {bits} bits", bytes.len());
    }

    #[test]
    fn dividing_by_multiplying_is_exact() {
        for frequency in 1..=SCALE as u16 {
            for base in [0, 1, FLOOR, 0x7FFF_FFFF, u32::MAX] {
                for state in [base, base - base % u32::from(frequency)] {
                    for state in [state, state.saturating_sub(1)] {
                        assert_eq!(divide(state, frequency), state / u32::from(frequency));
                    }
                }
            }
        }
    }

    #[test]
    fn a_certain_symbol_costs_nothing() {
        let certain = Share { start: 0, frequency: SCALE as u16 };
        assert_eq!(encode(&[certain; 1000]).len(), 4);
    }

    #[test]
    fn any_bytes_can_be_read() {
        for len in 0..40_u8 {
            let bytes: Vec<u8> = (0..len).map(|i| i.wrapping_mul(91)).collect();
            let mut decoder = Decoder::new(&bytes);
            for _ in 0..100 {
                let start = decoder.peek();
                decoder.take(Share { start, frequency: 1 });
            }
        }
    }
}
