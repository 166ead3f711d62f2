//! From the values of a sector to the parts of its tables.

use merel_engine::tablebase::Sector;
use merel_engine::tablebase::context::{DRAW, Distance, LOSS, Parts, WIN, Walk, Wdl};
use merel_engine::tablebase::model::{Counts, Kind, Model, Quick};
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

    #[inline(always)]
    fn symbol(&self, number: usize) -> u8 {
        match self.values {
            Values::Moving { values, .. } => match values[number] {
                solve::DRAW => DRAW,
                odd if odd % 2 == 1 => WIN,
                _ => LOSS,
            },
            Values::Placing(values) => match values.get(number) {
                Code::CaptureWins | Code::Win => WIN,
                Code::Draw => DRAW,
                Code::Loss => LOSS,
            },
        }
    }

    #[inline(always)]
    fn is_free(&self, number: usize) -> bool {
        match self.values {
            Values::Moving { captures, .. } => captures[number / 8] >> (number % 8) & 1 == 1,
            Values::Placing(values) => values.get(number) == Code::CaptureWins,
        }
    }

    /// How many plies a loss lasts.
    fn plies(&self, number: usize) -> u8 {
        match self.values {
            Values::Moving { values, .. } => values[number],
            Values::Placing(_) => 0,
        }
    }

    /// What is written for a position: its value, or where a capture wins the likeliest of win and
    /// draw. A loss is always a loss, so that its distance can be told.
    fn written(&self, number: usize, model: &Quick, context: u32) -> u8 {
        if self.is_free(number) { model.likelier(context, WIN, DRAW) } else { self.symbol(number) }
    }

    /// Codes win, draw and loss.
    #[must_use]
    pub fn wdl(&self) -> Coded {
        let parts = Parts::of(self.sector.pair());
        let first = self.count::<Wdl>(parts, FEWEST, |walk, part, scratch, counts| {
            let range = parts.range(part);
            walk.wdl(&range, &mut scratch.symbols[..range.len()], |place, context| {
                let number = range.start + place;
                let symbol = self.symbol(number);
                if !self.is_free(number) {
                    counts.add::<Wdl>(context, symbol);
                }
                symbol
            });
        });
        let draft = Quick::new(&Model::fit::<Wdl>(&first));
        let second = self.count::<Wdl>(parts, FEWEST, |walk, part, scratch, counts| {
            let range = parts.range(part);
            walk.wdl(&range, &mut scratch.symbols[..range.len()], |place, context| {
                let symbol = self.written(range.start + place, &draft, context);
                counts.add::<Wdl>(context, symbol);
                symbol
            });
        });
        let model = Quick::new(&Model::fit::<Wdl>(&second));
        self.code(parts, Model::write::<Wdl>(&second), |walk, part, scratch| {
            let range = parts.range(part);
            let shares = &mut scratch.shares;
            walk.wdl(&range, &mut scratch.symbols[..range.len()], |place, context| {
                let symbol = self.written(range.start + place, &model, context);
                shares.push(model.share(context, symbol));
                symbol
            });
        })
    }

    /// Codes the distances of the losses.
    #[must_use]
    pub fn distances(&self) -> Coded {
        let parts = Parts::of(self.sector.pair());
        let losses = |range: &std::ops::Range<usize>, symbols: &mut [u8]| {
            for (symbol, number) in symbols.iter_mut().zip(range.clone()) {
                *symbol = self.symbol(number);
            }
        };
        let counts = self.count::<Distance>(parts, FEWEST_LOSSES, |walk, part, scratch, counts| {
            let range = parts.range(part);
            losses(&range, &mut scratch.symbols);
            let (symbols, distances) = (&scratch.symbols[..range.len()], &mut scratch.distances);
            walk.distance(&range, symbols, &mut distances[..range.len()], |place, context| {
                let distance = self.plies(range.start + place) / 2;
                counts.add::<Distance>(context, distance);
                distance
            });
        });
        let model = Model::fit::<Distance>(&counts);
        self.code(parts, Model::write::<Distance>(&counts), |walk, part, scratch| {
            let range = parts.range(part);
            losses(&range, &mut scratch.symbols);
            let (symbols, distances) = (&scratch.symbols[..range.len()], &mut scratch.distances);
            let shares = &mut scratch.shares;
            walk.distance(&range, symbols, &mut distances[..range.len()], |place, context| {
                let distance = self.plies(range.start + place) / 2;
                shares.push(model.share(context, distance));
                distance
            });
        })
    }

    /// Counts over a sample of the parts, evenly spread, the same on every machine.
    fn count<K: Kind>(
        &self,
        parts: Parts,
        fewest: usize,
        add: impl Fn(&mut Walk, usize, &mut Scratch, &mut Counts) + Sync,
    ) -> Counts {
        let step = (self.sector.pair().len() / fewest).clamp(1, SAMPLE);
        let sample = (0..parts.count()).into_par_iter().step_by(step);
        sample
            .fold(
                || (Walk::new(self.sector), Scratch::default(), Counts::default()),
                |(mut walk, mut scratch, mut counts), part| {
                    add(&mut walk, part, &mut scratch, &mut counts);
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
        shares: impl Fn(&mut Walk, usize, &mut Scratch) + Sync,
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
                        shares(walk, part, scratch);
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

/// Room for one part.
struct Scratch {
    symbols: Vec<u8>,
    distances: Vec<u8>,
    shares: Vec<Share>,
}

impl Default for Scratch {
    fn default() -> Self {
        const MOST: usize = 1 << 12;
        Self { symbols: vec![0; MOST], distances: vec![0; MOST], shares: Vec::with_capacity(MOST) }
    }
}
