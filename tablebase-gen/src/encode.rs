//! From the values of a sector to the parts of its tables.

use std::ops::Range;

use merel_engine::tablebase::Sector;
use merel_engine::tablebase::context::{DRAW, Distance, LOSS, Parts, WIN, Walk, Wdl};
use merel_engine::tablebase::model::{Counts, Kind, Model, Shares};
use merel_engine::tablebase::rans::{Share, encode};
use rayon::prelude::*;

use crate::placing::{Code, Packed};
use crate::solve;

/// The solved values of one sector.
#[derive(Clone, Copy)]
pub struct Solved<'a> {
    sector: Sector,
    values: Values<'a>,
}

#[derive(Clone, Copy)]
enum Values<'a> {
    /// One byte for each position, as in [`solve::Values`], and one bit: whether a capture wins.
    /// Such a position's value follows from its captures, so whatever is cheapest may stand in its
    /// place.
    Moving { values: &'a [u8], captures: &'a [u8] },
    /// The same told in two bits.
    Placing(&'a Packed),
}

/// A sector as a table keeps it.
#[derive(Debug)]
pub struct Coded {
    /// The model, as bytes.
    pub model: Vec<u8>,
    /// The bytes of all parts, one after the other.
    pub data: Vec<u8>,
    /// How many bytes each part has.
    pub lengths: Vec<u16>,
}

/// Models are fitted to one position in so many, but to at least as many as [`Kind`] by kind need,
/// so that rare contexts are told apart.
const SAMPLE: usize = 64;
/// For win, draw and loss.
const FEWEST: usize = 1 << 20;
/// For distances, which have more symbols and are told of losses alone.
const FEWEST_LOSSES: usize = 1 << 22;

impl<'a> Solved<'a> {
    /// Those of a sector of the moving phase: a byte and a bit for each position, as
    /// [`solve::Values`] has them.
    #[must_use]
    pub const fn moving(sector: Sector, values: &'a [u8], captures: &'a [u8]) -> Self {
        Self { sector, values: Values::Moving { values, captures } }
    }

    /// Those of a sector with stones in hand.
    #[must_use]
    pub(crate) const fn placing(sector: Sector, values: &'a Packed) -> Self {
        Self { sector, values: Values::Placing(values) }
    }

    /// The symbols of a range of numbers.
    fn symbols(&self, range: &Range<usize>, symbols: &mut [u8]) {
        match self.values {
            Values::Moving { values, .. } => {
                for (symbol, &value) in symbols.iter_mut().zip(&values[range.clone()]) {
                    let decided = if value % 2 == 1 { WIN } else { LOSS };
                    *symbol = if value == solve::DRAW { DRAW } else { decided };
                }
            }
            Values::Placing(_) => {
                self.symbols_or_free(range, symbols);
                for symbol in symbols.iter_mut().filter(|symbol| **symbol == FREE) {
                    *symbol = WIN;
                }
            }
        }
    }

    /// The same, with [`FREE`] where a capture wins.
    fn symbols_or_free(&self, range: &Range<usize>, symbols: &mut [u8]) {
        match self.values {
            Values::Moving { captures, .. } => {
                self.symbols(range, symbols);
                // Up to a whole byte of `captures`, then eight at a time.
                let until = range.start.next_multiple_of(8).min(range.end);
                let (first, rest) = symbols[..range.len()].split_at_mut(until - range.start);
                if !first.is_empty() {
                    free_up(first, captures[range.start / 8] >> (range.start % 8));
                }
                for (symbols, &captures) in rest.chunks_mut(8).zip(&captures[until.div_ceil(8)..]) {
                    free_up(symbols, captures);
                }
            }
            Values::Placing(values) => {
                for (symbol, code) in symbols.iter_mut().zip(values.codes(range.start)) {
                    *symbol = match code {
                        Code::CaptureWins => FREE,
                        Code::Win => WIN,
                        Code::Draw => DRAW,
                        Code::Loss => LOSS,
                    };
                }
            }
        }
    }

    /// Whether a capture wins in any position.
    fn has_free(&self) -> bool {
        match self.values {
            Values::Moving { captures, .. } => captures.par_iter().any(|&bits| bits != 0),
            Values::Placing(_) => true,
        }
    }

    /// How many plies a loss lasts; nothing is known of that with stones in hand.
    fn plies(&self, number: usize) -> u8 {
        match self.values {
            Values::Moving { values, .. } => values[number],
            Values::Placing(_) => 0,
        }
    }

    /// Codes win, draw and loss.
    #[must_use]
    pub fn wdl(&self) -> Coded {
        let parts = Parts::of(self.sector.pair());
        let first = self.count::<Wdl>(parts, FEWEST, |walk, range, scratch, counts| {
            self.symbols_or_free(range, &mut scratch.symbols[..range.len()]);
            let (symbols, written) = scratch.both(range.len());
            walk.wdl(range, written, |place, context| match symbols[place] {
                FREE => WIN,
                symbol => {
                    counts.add::<Wdl>(context, symbol);
                    symbol
                }
            });
        });
        // Without a choice the draft is what is written.
        let counts = if self.has_free() { self.count_again(parts, &first) } else { first };
        let choices = Choices::new(&Model::fit::<Wdl>(&counts));
        self.code(parts, Model::write::<Wdl>(&counts), |walk, range, scratch| {
            let symbols = &mut scratch.symbols[..range.len()];
            self.symbols_or_free(range, symbols);
            if choices.draws_are_likeliest && are_draws_or_free(symbols) {
                return;
            }
            let contexts = &mut scratch.contexts[..range.len()];
            let written = &mut scratch.written[..range.len()];
            walk.wdl(range, written, |place, context| {
                contexts[place] = context;
                choices.written(context, symbols[place])
            });
            // The shares lie far apart. Here no step waits for those of another.
            let known = contexts.iter().zip(&*written);
            scratch
                .shares
                .extend(known.map(|(&context, &symbol)| choices.shares.of(context, symbol)));
        })
    }

    /// Counts what is written when a draft made of other counts chooses.
    fn count_again(&self, parts: Parts, first: &Counts) -> Counts {
        let draft = Choices::new(&Model::fit::<Wdl>(first));
        self.count::<Wdl>(parts, FEWEST, |walk, range, scratch, counts| {
            self.symbols_or_free(range, &mut scratch.symbols[..range.len()]);
            let (symbols, written) = scratch.both(range.len());
            walk.wdl(range, written, |place, context| {
                let symbol = draft.written(context, symbols[place]);
                counts.add::<Wdl>(context, symbol);
                symbol
            });
        })
    }

    /// Codes the distances of the losses.
    #[must_use]
    pub fn distances(&self) -> Coded {
        let parts = Parts::of(self.sector.pair());
        let counts =
            self.count::<Distance>(parts, FEWEST_LOSSES, |walk, range, scratch, counts| {
                self.symbols(range, &mut scratch.symbols[..range.len()]);
                let (symbols, distances) = scratch.both(range.len());
                walk.distance(range, symbols, distances, |place, context| {
                    let distance = self.plies(range.start + place) / 2;
                    counts.add::<Distance>(context, distance);
                    distance
                });
            });
        let model = Model::fit::<Distance>(&counts).shares(Distance::SYMBOLS);
        self.code(parts, Model::write::<Distance>(&counts), |walk, range, scratch| {
            let (symbols, distances) =
                (&mut scratch.symbols[..range.len()], &mut scratch.written[..range.len()]);
            self.symbols(range, symbols);
            let shares = &mut scratch.shares;
            walk.distance(range, symbols, distances, |place, context| {
                let distance = self.plies(range.start + place) / 2;
                shares.push(model.of(context, distance));
                distance
            });
        })
    }

    /// Counts over a sample of the parts, evenly spread, the same on every machine.
    fn count<K: Kind>(
        &self,
        parts: Parts,
        fewest: usize,
        add: impl Fn(&mut Walk, &Range<usize>, &mut Scratch, &mut Counts) + Sync,
    ) -> Counts {
        let step = (self.sector.pair().len() / fewest).clamp(1, SAMPLE);
        let sample = (0..parts.count()).into_par_iter().step_by(step);
        sample
            .fold(
                || (Walk::new(self.sector), Scratch::default(), Counts::default()),
                |(mut walk, mut scratch, mut counts), part| {
                    add(&mut walk, &parts.range(part), &mut scratch, &mut counts);
                    (walk, scratch, counts)
                },
            )
            .map(|(_, _, counts)| counts)
            .reduce(Counts::default, |mut all, counts| {
                all.merge::<K>(&counts);
                all
            })
    }

    fn code(
        &self,
        parts: Parts,
        model: Vec<u8>,
        shares: impl Fn(&mut Walk, &Range<usize>, &mut Scratch) + Sync,
    ) -> Coded {
        /// Parts that one piece of work codes.
        const TOGETHER: usize = 64;
        let pieces: Vec<(Vec<u8>, Vec<u16>)> = (0..parts.count().div_ceil(TOGETHER))
            .into_par_iter()
            .map_init(
                || (Walk::new(self.sector), Scratch::default()),
                |(walk, scratch), piece| {
                    let (mut data, mut lengths) = (Vec::new(), Vec::with_capacity(TOGETHER));
                    for part in piece * TOGETHER..parts.count().min((piece + 1) * TOGETHER) {
                        scratch.shares.clear();
                        shares(walk, &parts.range(part), scratch);
                        let start = data.len();
                        // All the likeliest: that is what no bytes mean.
                        if scratch.shares.iter().any(|share| share.start != 0) {
                            data.extend(encode(&scratch.shares));
                        }
                        let length = u16::try_from(data.len() - start);
                        lengths.push(length.expect("a part has at most 2,048 short codes"));
                    }
                    (data, lengths)
                },
            )
            .collect();
        let mut coded = Coded { model, data: Vec::new(), lengths: Vec::new() };
        for (data, lengths) in pieces {
            coded.data.extend(data);
            coded.lengths.extend(lengths);
        }
        coded
    }
}

/// Puts [`FREE`] for the symbols whose bits are set.
#[inline(always)]
fn free_up(symbols: &mut [u8], captures: u8) {
    if captures != 0 {
        for (i, symbol) in symbols.iter_mut().enumerate() {
            *symbol = if captures >> i & 1 == 1 { FREE } else { *symbol };
        }
    }
}

/// Room for one part.
struct Scratch {
    symbols: Vec<u8>,
    written: Vec<u8>,
    contexts: Vec<u32>,
    shares: Vec<Share>,
}

impl Default for Scratch {
    fn default() -> Self {
        const MOST: usize = 1 << 12;
        Self {
            symbols: vec![0; MOST],
            written: vec![0; MOST],
            contexts: vec![0; MOST],
            shares: Vec::with_capacity(MOST),
        }
    }
}

impl Scratch {
    /// The symbols and what is written of the first `len` positions.
    fn both(&mut self, len: usize) -> (&[u8], &mut [u8]) {
        (&self.symbols[..len], &mut self.written[..len])
    }
}

/// In place of a symbol: a capture wins, so that win or draw may be written, whichever is likelier.
/// A loss is always a loss, so that its distance can be told.
const FREE: u8 = 3;

/// Whether every symbol is a draw or [`FREE`]. Looking at all is faster than stopping at the first
/// that is neither.
fn are_draws_or_free(symbols: &[u8]) -> bool {
    symbols.iter().fold(true, |all, &symbol| all & (symbol == DRAW || symbol == FREE))
}

/// What is written for each symbol in each context.
struct Choices {
    shares: Shares,
    /// Whether a draw is the likeliest symbol wherever there were only draws before: then a part of
    /// draws is one of the likeliest symbols.
    draws_are_likeliest: bool,
}

impl Choices {
    fn new(model: &Model) -> Self {
        let shares = model.shares(Wdl::SYMBOLS);
        let draws_are_likeliest =
            Wdl::after_draws().all(|context| shares.of(context, DRAW).start == 0);
        Self { shares, draws_are_likeliest }
    }

    /// The symbol that is written for a symbol or for [`FREE`].
    #[inline(always)]
    fn written(&self, context: u32, symbol: u8) -> u8 {
        // A branch, easily guessed: so what comes after a known symbol need not wait for the context,
        // which the symbols before it take time to tell.
        if symbol == FREE { self.likelier(context) } else { symbol }
    }

    #[inline(never)]
    fn likelier(&self, context: u32) -> u8 {
        let frequency = |symbol| self.shares.of(context, symbol).frequency;
        if frequency(WIN) >= frequency(DRAW) { WIN } else { DRAW }
    }
}
