//! The larger side's moves, from block to block.

use merel_engine::tablebase::block::{Edge, edges};
use merel_engine::tablebase::index::{Orbits, bit_among};
use merel_engine::tablebase::{Pair, Sector};
use merel_engine::{Bitboard, Point};

/// A quiet move of the larger side seen from the block that it reaches.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// The block that it comes from.
    pub block: u32,
    /// For each point that the larger side leaves free in the block reached, the number of the same
    /// point in the block that it comes from; [`LEFT`] for the point left.
    pub images: [u8; MOST_FREE],
}

/// The point from which the larger side's stone came: nothing may stand here now.
pub const LEFT: u8 = u8::MAX;
/// The most points that the larger side leaves free.
const MOST_FREE: usize = Point::COUNT - Sector::FEWEST as usize;

impl Arrival {
    fn new(block: usize, edge: &Edge, here: Bitboard, there: Bitboard) -> Self {
        let back = edge.symmetry.inverse();
        let mut images = [LEFT; MOST_FREE];
        for (image, point) in images.iter_mut().zip(!there) {
            let origin = back.point(point);
            if origin != edge.from {
                *image = bit_among(origin, !here).trailing_zeros() as u8;
            }
        }
        Self { block: block as u32, images }
    }
}

/// For every block the quiet moves of the larger side that reach it.
///
/// They are the forward moves of every representative turned round. Undoing moves from the
/// representative reached would miss or repeat some where stones have a symmetry of their own.
#[derive(Debug, Default)]
pub struct Arrivals {
    starts: Vec<u32>,
    all: Vec<Arrival>,
}

impl Arrivals {
    /// The quiet moves of the pair's larger side.
    pub fn new(pair: Pair) -> Self {
        let orbits = Orbits::of(pair.larger());
        let quiet = |block| edges(orbits.representative(block)).filter(|e| !e.closes);
        let mut starts = vec![0_u32; orbits.len() + 1];
        for block in 0..orbits.len() {
            for edge in quiet(block) {
                starts[edge.block + 1] += 1;
            }
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let blank = Arrival { block: 0, images: [LEFT; MOST_FREE] };
        let mut all = vec![blank; starts[orbits.len()] as usize];
        let mut next = starts.clone();
        for block in 0..orbits.len() {
            for edge in quiet(block) {
                let place = &mut next[edge.block];
                let (here, there) =
                    (orbits.representative(block), orbits.representative(edge.block));
                all[*place as usize] = Arrival::new(block, &edge, here, there);
                *place += 1;
            }
        }
        Self { starts, all }
    }

    /// The moves that reach a block.
    pub fn at(&self, block: usize) -> &[Arrival] {
        &self.all[self.starts[block] as usize..self.starts[block + 1] as usize]
    }
}
