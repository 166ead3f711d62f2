//! What is told of a sector: how many placements are won, drawn and lost, and in how many plies.

use merel_engine::tablebase::Sector;
use merel_engine::tablebase::codec::Section;
use merel_engine::tablebase::file::section_stones;
use merel_engine::tablebase::index::Orbits;
use merel_engine::{Bitboard, Symmetry};
use rayon::prelude::*;

use crate::placing::{Code, Packed, packed};
use crate::solve::DRAW;

/// Counts over all placements: a block stands for as many as the larger side's stones have
/// different images. The spans of the section are left empty.
pub fn of(sector: Sector, values: &[u8]) -> Section {
    let pair = sector.pair();
    let orbits = Orbits::of(pair.larger());
    let counts = values
        .par_chunks(pair.block_len())
        .enumerate()
        .fold(
            || [0_u64; 256],
            |mut counts, (block, values)| {
                let here = histogram(values);
                let images = images(orbits.representative(block));
                for (all, here) in counts.iter_mut().zip(here) {
                    *all += u64::from(here) * images;
                }
                counts
            },
        )
        .reduce(
            || [0; 256],
            |mut all, counts| {
                all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
                all
            },
        );
    let draws = counts[usize::from(DRAW)];
    let decided = &counts[..usize::from(DRAW)];
    let every_second = |first| decided.iter().skip(first).step_by(2).sum();
    let longest = |parity| {
        const PIECE: usize = 1 << 16;
        let plies = (0..decided.len()).rev().find(|&p| p % 2 == parity && decided[p] > 0)?;
        let plies = plies as u8;
        let piece = values.par_chunks(PIECE).position_first(|piece| piece.contains(&plies))?;
        let start = piece * PIECE;
        let place = values[start..].iter().position(|&value| value == plies)?;
        Some((start + place) as u64)
    };
    let end = decided.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    let [mover, other] = section_stones(sector);
    Section {
        mover,
        other,
        totals: [every_second(1), draws, every_second(0)],
        by_plies: decided[..end].to_vec(),
        longest_win: longest(1),
        longest_loss: longest(0),
        ..Section::default()
    }
}

/// The same for a sector with stones in hand, of which no distances are known.
pub fn of_packed(sector: Sector, values: &Packed) -> Section {
    let pair = sector.pair();
    let orbits = Orbits::of(pair.larger());
    let counts = (0..pair.blocks())
        .into_par_iter()
        .map(|block| {
            let mut here = [0_u64; 4];
            for place in 0..pair.block_len() {
                here[packed::at(values.block(block), place) as usize] += 1;
            }
            here.map(|count| count * images(orbits.representative(block)))
        })
        .reduce(|| [0; 4], |a, b| std::array::from_fn(|i| a[i] + b[i]));
    let of = |code: Code| counts[code as usize];
    let [mover, other] = section_stones(sector);
    let wins = of(Code::CaptureWins) + of(Code::Win);
    Section { mover, other, totals: [wins, of(Code::Draw), of(Code::Loss)], ..Section::default() }
}

/// How often each byte comes.
fn histogram(bytes: &[u8]) -> [u32; 256] {
    // Equal bytes often come together. Counted one by one, each would wait for the one before it;
    // so several are counted at once, and the rest in two places in turn.
    let mut counts = [[0_u32; 256]; 2];
    let (groups, rest) = bytes.as_chunks::<8>();
    for group in groups {
        if u64::from_ne_bytes(*group) == u64::from(group[0]) * 0x0101_0101_0101_0101 {
            counts[0][usize::from(group[0])] += 8;
        } else {
            for (i, &byte) in group.iter().enumerate() {
                counts[i % 2][usize::from(byte)] += 1;
            }
        }
    }
    let [mut all, others] = counts;
    all.iter_mut().zip(others).for_each(|(all, other)| *all += other);
    rest.iter().for_each(|&byte| all[usize::from(byte)] += 1);
    all
}

/// How many different images a set has under the symmetries of the board.
pub fn images(set: Bitboard) -> u64 {
    let fixed = Symmetry::all().filter(|s| s.set(set) == set).count();
    (Symmetry::COUNT / fixed) as u64
}
