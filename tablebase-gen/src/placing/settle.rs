//! The values of a sector of the moving phase, read back from its table.
//!
//! A table may call a position a draw where a capture wins; here such positions are told apart from
//! true draws.

use merel_engine::tablebase::block::{Block, Subsets, closing_flights, closing_slides, edges};
use merel_engine::tablebase::context::{DRAW, LOSS, Parts, Walk};
use merel_engine::tablebase::file::{Table, TableError};
use merel_engine::tablebase::index::Orbits;
use merel_engine::tablebase::{Pair, Sector};
use merel_engine::{Bitboard, tablebase::block::capturable};
use rayon::prelude::*;

use super::captures::{Captured, Losers, Target, Way};
use super::packed::{Code, Packed, write};

/// Reads the values of a sector from its `wdl` table. `captures` holds those of the sector that
/// captures lead to; `None` where a capture ends the game. Runs in the current rayon pool, and gives
/// up when `is_stopped` says so: what it returns then means nothing.
///
/// # Errors
/// If the table is damaged or cannot be read, or the system does not give the memory.
///
/// # Panics
/// If the sector has stones in hand.
pub fn settle(
    table: &Table,
    captures: Option<&Packed>,
    is_stopped: impl Fn() -> bool + Sync,
) -> Result<Packed, TableError> {
    let sector = table.sector();
    assert!(!sector.is_placing());
    let pair = sector.pair();
    let captured = match captures {
        Some(values) => Captured::To(Target::new(values)),
        None => Captured::EndsTheGame,
    };
    let mut values = Packed::zeroed(sector)?;
    let (stride, len) = (values.stride(), pair.block_len());
    let group = blocks_of_a_part(table.parts(), pair);
    let make =
        || (Walk::new(sector), Block::new(), Wins::new(sector, captured), vec![0; group * len]);
    values.bytes_mut().par_chunks_mut(group * stride).enumerate().try_for_each_init(
        make,
        |(walk, free, wins, symbols), (g, bytes)| -> Result<(), TableError> {
            if is_stopped() {
                return Ok(());
            }
            let first = g * group * len;
            let symbols = &mut symbols[..bytes.len() / stride * len];
            read(table, first, walk, symbols)?;
            let blocks = bytes.chunks_mut(stride).zip(symbols.chunks(len));
            for (i, (bytes, symbols)) in blocks.enumerate() {
                free.set(Orbits::of(pair.larger()).representative(g * group + i));
                wins.set(free);
                let words = &Subsets::of(pair).words;
                let codes = symbols.iter().zip(words).map(|(&symbol, &word)| match symbol {
                    LOSS => Code::Loss,
                    DRAW if wins.any(free, word) => Code::CaptureWins,
                    DRAW => Code::Draw,
                    _ => Code::Win,
                });
                write(bytes, codes);
            }
            Ok(())
        },
    )?;
    Ok(values)
}

/// Whole blocks that make up whole parts.
fn blocks_of_a_part(parts: Parts, pair: Pair) -> usize {
    (parts.range(0).len() / pair.block_len()).max(1)
}

/// Reads the symbols from a number on, at which a part begins.
fn read(
    table: &Table,
    first: usize,
    walk: &mut Walk,
    symbols: &mut [u8],
) -> Result<(), TableError> {
    let (parts, pair) = (table.parts(), table.sector().pair());
    let mut done = 0;
    while done < symbols.len() {
        let (part, _) = parts.find(pair.split(first + done));
        let len = parts.range(part).len();
        table.read_wdl(part, walk, &mut symbols[done..done + len])?;
        done += len;
    }
    Ok(())
}

/// Tells where a capture wins.
enum Wins<'a> {
    /// For the larger side.
    Larger { captured: Captured<'a>, ways: Vec<Way>, used: usize },
    /// For the smaller side.
    Smaller { losers: Losers<'a>, flies: bool },
}

impl<'a> Wins<'a> {
    fn new(sector: Sector, captured: Captured<'a>) -> Self {
        let pair = sector.pair();
        if sector.larger_moves() {
            return Self::Larger { captured, ways: Vec::new(), used: 0 };
        }
        let losers = Losers::new(captured, 1, pair.larger(), Subsets::of(pair));
        Self::Smaller { losers, flies: pair.smaller() == 3 }
    }

    fn set(&mut self, free: &Block) {
        match self {
            Self::Larger { ways, used, .. } => {
                *used = 0;
                let orbits = Orbits::of(free.larger.len() as u8);
                for edge in edges(free.larger).filter(|edge| edge.closes) {
                    if *used == ways.len() {
                        ways.push(Way::default());
                    }
                    ways[*used].set(free, edge.to, (edge.block, edge.symmetry), orbits);
                    *used += 1;
                }
            }
            Self::Smaller { losers, .. } => losers.set(free),
        }
    }

    fn any(&mut self, free: &Block, word: u32) -> bool {
        let stones = free.stones(word);
        match self {
            Self::Larger { captured, ways, used } => {
                let open = |way: &&Way| way.to & word == 0;
                let mut victims = None;
                ways[..*used].iter().filter(open).any(|way| {
                    let victims: Bitboard = *victims.get_or_insert_with(|| capturable(stones));
                    way.capture_one(word, victims, *captured) == Code::Loss
                })
            }
            Self::Smaller { losers, flies: true } => {
                closing_flights(stones, free.larger).any(|(from, to)| {
                    let after = word ^ free.bit[from.index()] ^ free.bit[to.index()];
                    losers.best(free, after) == Code::Loss
                })
            }
            Self::Smaller { losers, flies: false } => {
                let mut closing = closing_slides(stones, !(stones | free.larger));
                while closing != 0 {
                    let after = word ^ free.first_edge_mask(closing);
                    closing &= closing - 1;
                    if losers.best(free, after) == Code::Loss {
                        return true;
                    }
                }
                false
            }
        }
    }
}
