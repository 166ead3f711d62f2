//! Zobrist hashing: a random number for every fact of a position; the key is their exclusive or.
//!
//! A. Zobrist, *A New Hashing Method with Application for Game Playing* (1970).

use crate::types::{Bitboard, Color, Point, Turn};

/// The random numbers.
pub(super) struct Keys {
    /// By the fields of a turn: one more than the number of the point, and 0 for none.
    stones: [[u64; Turn::FIELD_VALUES]; 2],
    hands: [[u64; 10]; 2],
    black_to_move: u64,
    captures_due: [u64; 3],
    last_from: [[u64; Point::COUNT]; 2],
    last_to: [[u64; Point::COUNT]; 2],
}

pub(super) static KEYS: Keys = Keys::generate(0x4D65_7265_6C31_3837);

impl Keys {
    /// Fills the tables from `SplitMix64` (G. Steele, D. Lea, C. Flood, 2014), started at `seed`.
    const fn generate(seed: u64) -> Self {
        let mut keys = Self {
            stones: [[0; Turn::FIELD_VALUES]; 2],
            hands: [[0; 10]; 2],
            black_to_move: 0,
            captures_due: [0; 3],
            last_from: [[0; Point::COUNT]; 2],
            last_to: [[0; Point::COUNT]; 2],
        };
        let mut state = seed;
        let mut color = 0;
        while color < 2 {
            let mut p = 0;
            while p < Point::COUNT {
                (state, keys.stones[color][p + 1]) = split_mix(state);
                (state, keys.last_from[color][p]) = split_mix(state);
                (state, keys.last_to[color][p]) = split_mix(state);
                p += 1;
            }
            // An empty hand adds nothing, as does no capture due.
            let mut n = 1;
            while n < 10 {
                (state, keys.hands[color][n]) = split_mix(state);
                n += 1;
            }
            (state, keys.captures_due[color + 1]) = split_mix(state);
            color += 1;
        }
        (_, keys.black_to_move) = split_mix(state);
        keys
    }

    /// What the action of a player changes of the own stones.
    #[inline]
    pub(super) const fn action(&self, color: Color, turn: Turn) -> u64 {
        let [from, to, ..] = turn.fields();
        let stones = &self.stones[color.index()];
        stones[from] ^ stones[to]
    }

    /// The captured stones of a player.
    #[inline]
    pub(super) const fn captures(&self, color: Color, turn: Turn) -> u64 {
        let [.., first, second] = turn.fields();
        let stones = &self.stones[color.index()];
        stones[first] ^ stones[second]
    }

    #[inline]
    pub(super) const fn hand(&self, color: Color, stones: u8) -> u64 {
        self.hands[color.index()][stones as usize]
    }

    #[inline]
    pub(super) const fn captures_due(&self, captures: u8) -> u64 {
        self.captures_due[captures as usize]
    }

    #[inline]
    pub(super) const fn side(&self, color: Color) -> u64 {
        match color {
            Color::White => 0,
            Color::Black => self.black_to_move,
        }
    }

    #[inline]
    pub(super) fn last_move(&self, color: Color, last: Option<(Point, Point)>) -> u64 {
        last.map_or(0, |(from, to)| {
            self.last_from[color.index()][from.index()] ^ self.last_to[color.index()][to.index()]
        })
    }

    /// The key of a set of stones of one player.
    pub(super) fn stones(&self, color: Color, stones: Bitboard) -> u64 {
        stones.into_iter().fold(0, |key, p| key ^ self.stones[color.index()][p.index() + 1])
    }
}

/// One step of `SplitMix64`: the next state and the number drawn.
pub(crate) const fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (state, z ^ (z >> 31))
}
