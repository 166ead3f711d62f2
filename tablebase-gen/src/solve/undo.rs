//! Taking back the smaller side's last quiet move, which stays within a block.

use merel_engine::at_full_speed;
use merel_engine::tablebase::block::{Block, Subsets, slides};
use merel_engine::{Bitboard, Point};

use super::codes::Change;

/// Positions that are looked at together.
const TOGETHER: usize = 32;
/// The places that a row of [`Room::pairs`] has, at least as many as a block has free points.
const LANES: usize = 32;
/// From so many positions on the moves of three flying stones are taken back all at once.
const MANY: usize = 4;

/// Room for the work on one block.
#[derive(Debug)]
pub struct Room {
    /// The places whose codes have changed to that which the level leads to, and room for one more.
    news: Vec<u16>,
    count: usize,
    /// For each two points how many of the positions have stones on both.
    pairs: Box<[[u8; LANES]; Point::COUNT]>,
    /// How often each position itself is among those that lead to it through [`Self::pairs`].
    own: Vec<u8>,
    /// The codes, with some room behind.
    codes: Vec<u8>,
}

impl Room {
    /// For blocks of so many positions.
    pub fn new(block_len: usize) -> Self {
        Self {
            news: vec![0; block_len + 1],
            count: 0,
            pairs: Box::new([[0; LANES]; Point::COUNT]),
            own: vec![0; block_len + LANES],
            codes: vec![0; block_len + LANES],
        }
    }

    /// The places whose codes the last level has changed to that which it leads to.
    pub fn news(&self) -> &[u16] {
        &self.news[..self.count]
    }
}

/// Passes the positions of a block on `list`, in which the larger side is to move, on to those that
/// lead to them, whose codes are in `values`. What becomes of those is left in `room`.
pub fn undo_smaller<C: Change>(
    change: C,
    subsets: &Subsets,
    free: &Block,
    list: &[u32],
    values: &mut [u8],
    room: &mut Room,
) {
    room.count = 0;
    let flies = list[0].count_ones() == 3;
    at_full_speed!(if !flies {
        slide(change, subsets, free, list, values, room);
    } else if list.len() < MANY {
        fly(change, subsets, free, list, values, room);
    } else {
        fly_all(change, subsets, free, list, values, room);
    });
}

impl Room {
    /// Changes the code of a position that a position of the level follows.
    #[inline(always)]
    fn reach<C: Change>(&mut self, change: C, place: usize, value: &mut u8) {
        let (code, is_new) = change.apply(*value);
        *value = code;
        // Whether it is new can hardly be guessed, so it is written in any case.
        self.news[self.count] = place as u16;
        self.count += usize::from(is_new);
    }
}

#[inline(always)]
fn slide<C: Change>(
    change: C,
    subsets: &Subsets,
    free: &Block,
    list: &[u32],
    values: &mut [u8],
    room: &mut Room,
) {
    for words in list.chunks(TOGETHER) {
        let mut stones = [Bitboard::EMPTY; TOGETHER];
        for (stones, &word) in stones.iter_mut().zip(words) {
            *stones = free.stones(word);
        }
        let mut back = [0; TOGETHER];
        for (back, &stones) in back.iter_mut().zip(&stones) {
            // A stone that stands in a mill came there with a capture.
            *back = slides(stones.without(stones.in_mills()), !(stones | free.larger));
        }
        for (&word, mut back) in words.iter().zip(back) {
            while back != 0 {
                let place = subsets.rank(word ^ free.first_edge_mask(back));
                room.reach(change, place, &mut values[place]);
                back &= back - 1;
            }
        }
    }
}

#[inline(always)]
fn fly<C: Change>(
    change: C,
    subsets: &Subsets,
    free: &Block,
    list: &[u32],
    values: &mut [u8],
    room: &mut Room,
) {
    for &word in list {
        let stones = free.stones(word);
        let empty = !(stones | free.larger);
        for to in stones.without(stones.in_mills()) {
            for from in empty {
                let before = word ^ free.bit[to.index()] ^ free.bit[from.index()];
                let place = subsets.rank(before);
                room.reach(change, place, &mut values[place]);
            }
        }
    }
}

/// Two of the three stones stay where they are. So how many positions follow one is found from how
/// many of the level have stones on two of its points.
#[inline(always)]
fn fly_all<C: Change>(
    change: C,
    subsets: &Subsets,
    free: &Block,
    list: &[u32],
    values: &mut [u8],
    room: &mut Room,
) {
    let bits = |word: u32| {
        let rest = word & (word - 1);
        [word, rest, rest & (rest - 1)].map(|bits| bits.trailing_zeros() as usize % Point::COUNT)
    };
    // Three stones in a mill came there with a capture.
    let is_quiet = |word: &&u32| free.stones(**word).in_mills().is_empty();
    for &word in list.iter().filter(is_quiet) {
        let [a, b, c] = bits(word);
        for (x, y) in [(a, b), (b, a), (a, c), (c, a), (b, c), (c, b)] {
            room.pairs[x][y] += 1;
        }
        room.own[subsets.rank(word)] = 3;
    }
    let len = values.len();
    room.codes[..len].copy_from_slice(values);
    let mut start = 0;
    // The order of the numbers: by the highest point, then the second highest.
    for c in 2..free.points.len() {
        for b in 1..c {
            let both = room.pairs[c][b];
            let (row_b, row_c) = (&room.pairs[b], &room.pairs[c]);
            let own: &[u8; LANES] = room.own[start..].first_chunk().expect("room behind");
            let codes: &mut [u8; LANES] =
                room.codes[start..].first_chunk_mut().expect("room behind");
            let mut is_new = [0; LANES];
            for a in 0..LANES {
                let hits = (row_b[a] + row_c[a] + both).wrapping_sub(own[a]) & BELOW[b][a];
                (codes[a], is_new[a]) = change.apply_often(codes[a], hits);
            }
            if is_new != [0; LANES] {
                for (a, &is_new) in is_new[..b].iter().enumerate() {
                    room.news[room.count] = (start + a) as u16;
                    room.count += usize::from(is_new);
                }
            }
            start += b;
        }
    }
    values.copy_from_slice(&room.codes[..len]);
    for &word in list {
        let [a, b, c] = bits(word);
        for (x, y) in [(a, b), (b, a), (a, c), (c, a), (b, c), (c, b)] {
            room.pairs[x][y] = 0;
        }
        room.own[subsets.rank(word)] = 0;
    }
}

/// All bits in the places below each number.
static BELOW: [[u8; LANES]; Point::COUNT] = {
    let mut below = [[0; LANES]; Point::COUNT];
    let mut b = 0;
    while b < Point::COUNT {
        let mut a = 0;
        while a < b {
            below[b][a] = 0xFF;
            a += 1;
        }
        b += 1;
    }
    below
};
