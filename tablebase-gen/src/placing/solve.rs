//! The values of a sector with stones in hand, from those of the sectors one ply later.
//!
//! No position of the placing phase can come again, so one look at each is enough. As in
//! [`crate::solve`], everything about the larger side is the same all over a block: it places from
//! block to block, under one symmetry each, and the smaller side within the block.

use std::io;

use merel_engine::tablebase::Sector;
use merel_engine::tablebase::block::{Block, Subsets, capturable};
use merel_engine::tablebase::index::Orbits;
use merel_engine::{Bitboard, DoubleMill};
use rayon::prelude::*;

use super::captures::{Captured, Losers, Target, Way};
use super::packed::{Code, Packed, write};

/// The values that the turns of a sector lead to.
pub struct After<'a> {
    /// After a turn without a capture.
    pub quiet: &'a Packed,
    /// After one capture and after two; `None` where that ends the game or never happens.
    pub captures: [Option<&'a Packed>; 2],
}

/// What is the same all over a sector.
struct Job<'a> {
    sector: Sector,
    quiet: Target<'a>,
    one: Option<Captured<'a>>,
    two: Option<Captured<'a>>,
    subsets: &'static Subsets,
    orbits: &'static Orbits,
}

/// Solves a sector with stones in hand. Runs in the current rayon pool, and gives up when
/// `is_stopped` says so: what it returns then means nothing.
///
/// # Errors
/// If the system does not give the memory.
///
/// # Panics
/// If the sector has no stones in hand, or the values are not those that its turns lead to.
pub fn solve(
    sector: Sector,
    after: &After<'_>,
    is_stopped: impl Fn() -> bool + Sync,
) -> io::Result<Packed> {
    let expected = |sector: Option<Sector>| sector.map(Sector::pair);
    assert!(sector.is_placing());
    assert_eq!(after.quiet.pair(), sector.after_quiet().pair());
    let captured = |how_many: u8| {
        if sector.other() < how_many {
            return None;
        }
        let values = after.captures[usize::from(how_many) - 1];
        let next = sector.after_captures(how_many);
        match values {
            Some(values) => {
                assert_eq!(Some(values.pair()), expected(next));
                Some(Captured::To(Target::new(values)))
            }
            None if next.is_none() => Some(Captured::EndsTheGame),
            None => None,
        }
    };
    let two = sector.double_mill() == DoubleMill::Two;
    let pair = sector.pair();
    let job = Job {
        sector,
        quiet: Target::new(after.quiet),
        one: captured(1),
        two: if two { captured(2) } else { None },
        subsets: Subsets::of(pair),
        orbits: Orbits::of(pair.larger()),
    };
    let mut values = Packed::zeroed(sector)?;
    let stride = values.stride();
    // Enough positions for one piece of work to outweigh handing it out.
    let group = (32_768 / pair.block_len()).max(1);
    let make = || (Block::new(), Larger::new(&job), Smaller::new(&job));
    values.bytes_mut().par_chunks_mut(group * stride).enumerate().for_each_init(
        make,
        |(free, larger, smaller), (g, bytes)| {
            for (i, bytes) in bytes.chunks_mut(stride).enumerate() {
                if is_stopped() {
                    return;
                }
                let block = g * group + i;
                free.set(job.orbits.representative(block));
                if sector.larger_moves() {
                    larger.block(&job, free, bytes);
                } else {
                    smaller.block(&job, free, block, bytes);
                }
            }
        },
    );
    Ok(values)
}

/// The value of a position whose best turn leads to `best`, seen by the opponent.
#[inline(always)]
const fn without_capture(best: Code) -> Code {
    match best {
        Code::Loss => Code::Win,
        Code::Draw => Code::Draw,
        Code::Win | Code::CaptureWins => Code::Loss,
    }
}

/// Sectors in which the larger side places.
struct Larger {
    quiet: Vec<Way>,
    one: Vec<Way>,
    two: Vec<Way>,
    used: [usize; 3],
}

impl Larger {
    fn new(_: &Job<'_>) -> Self {
        Self { quiet: Vec::new(), one: Vec::new(), two: Vec::new(), used: [0; 3] }
    }

    fn set(&mut self, job: &Job<'_>, free: &Block) {
        self.used = [0; 3];
        let orbits = Orbits::of(free.larger.len() as u8 + 1);
        for &to in &free.points {
            let lines = to.line_partners().iter().filter(|&&l| free.larger.contains_all(l)).count();
            let (ways, used) = match lines {
                1.. if job.one.is_none() => (&mut self.quiet, &mut self.used[0]),
                2 if job.two.is_some() => (&mut self.two, &mut self.used[2]),
                1.. => (&mut self.one, &mut self.used[1]),
                0 => (&mut self.quiet, &mut self.used[0]),
            };
            if *used == ways.len() {
                ways.push(Way::default());
            }
            ways[*used].set(free, to, orbits.find(free.larger | to.bit()), orbits);
            *used += 1;
        }
    }

    fn block(&mut self, job: &Job<'_>, free: &Block, bytes: &mut [u8]) {
        self.set(job, free);
        let [quiet, one, two] = self.used;
        let (quiet, one, two) = (&self.quiet[..quiet], &self.one[..one], &self.two[..two]);
        // The way that won last is the first to be tried.
        let mut first = 0;
        let code = |&word: &u32| {
            let mut best = Code::CaptureWins;
            if !one.is_empty() || !two.is_empty() {
                let stones = free.stones(word);
                let captures = captures(job, word, stones, one, two);
                if captures == Code::Loss {
                    return Code::CaptureWins;
                }
                best = captures;
            }
            let open = |way: &Way| way.to & word == 0;
            let look = |way: &Way| job.quiet.get(way.block, way.word(word));
            if let Some(way) = quiet.get(first).filter(|way| open(way)) {
                best = best.max(look(way));
                if best == Code::Loss {
                    return Code::Win;
                }
            }
            for (i, way) in quiet.iter().enumerate() {
                if open(way) {
                    best = best.max(look(way));
                    if best == Code::Loss {
                        first = i;
                        return Code::Win;
                    }
                }
            }
            without_capture(best)
        };
        write(bytes, job.subsets.words.iter().map(code));
    }
}

/// The best capture of the larger side.
#[inline]
fn captures(job: &Job<'_>, word: u32, stones: Bitboard, one: &[Way], two: &[Way]) -> Code {
    let mut best = Code::CaptureWins;
    let mut victims = None;
    for way in one.iter().filter(|way| way.to & word == 0) {
        let victims = *victims.get_or_insert_with(|| capturable(stones));
        if let Some(captured) = job.one {
            best = best.max(way.capture_one(word, victims, captured));
        }
        if best == Code::Loss {
            return best;
        }
    }
    for way in two.iter().filter(|way| way.to & word == 0) {
        let value = match (job.one, job.two) {
            (Some(Captured::EndsTheGame), _) => Code::Loss,
            (_, Some(captured)) => way.capture_two(word, stones, captured),
            _ => Code::CaptureWins,
        };
        best = best.max(value);
    }
    best
}

/// Sectors in which the smaller side places.
struct Smaller<'a> {
    one: Option<Losers<'a>>,
    two: Option<Losers<'a>>,
}

impl<'a> Smaller<'a> {
    fn new(job: &Job<'a>) -> Self {
        let larger = job.sector.pair().larger();
        let losers = |captured: Option<Captured<'a>>, how_many| {
            captured.map(|captured| Losers::new(captured, how_many, larger, job.quiet.subsets()))
        };
        if job.sector.larger_moves() {
            return Self { one: None, two: None };
        }
        Self { one: losers(job.one, 1), two: losers(job.two, 2) }
    }

    fn block(&mut self, job: &Job<'_>, free: &Block, block: usize, bytes: &mut [u8]) {
        for losers in [&mut self.one, &mut self.two].into_iter().flatten() {
            losers.set(free);
        }
        let points: Bitboard = !free.larger;
        let all_bits = (1_u32 << free.points.len()) - 1;
        let ends = matches!(job.one, Some(Captured::EndsTheGame));
        let mut first = 0;
        let code = |&word: &u32| {
            let stones = free.stones(word);
            let mut bits = all_bits & !word;
            let mut best = Code::CaptureWins;
            if let Some(one) = &mut self.one {
                let lines = stones.completing();
                let closing = (lines[0] | lines[1]) & points.without(stones);
                let double = lines[0] & lines[1];
                for to in closing {
                    let bit = free.bit[to.index()];
                    bits ^= bit;
                    let after = word | bit;
                    best = best.max(match &mut self.two {
                        Some(two) if double.contains(to) && !ends => two.best(free, after),
                        _ => one.best(free, after),
                    });
                    if best == Code::Loss {
                        return Code::CaptureWins;
                    }
                }
            }
            let look = |bit: u32| job.quiet.get(block, word | bit);
            if bits & first != 0 {
                best = best.max(look(first));
                if best == Code::Loss {
                    return Code::Win;
                }
                bits ^= first;
            }
            while bits != 0 {
                let bit = bits & bits.wrapping_neg();
                bits ^= bit;
                best = best.max(look(bit));
                if best == Code::Loss {
                    first = bit;
                    return Code::Win;
                }
            }
            without_capture(best)
        };
        write(bytes, job.subsets.words.iter().map(code));
    }
}
