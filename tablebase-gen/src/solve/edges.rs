//! The larger side's moves, from block to block.

use merel_engine::tablebase::Pair;
use merel_engine::tablebase::block::edges;
use merel_engine::tablebase::index::Orbits;
use merel_engine::{Point, Symmetry};

/// A quiet move of the larger side seen from the block that it reaches.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// The block that it comes from.
    pub block: u32,
    /// The point left, in the block that it comes from.
    pub from: Point,
    /// From the block it comes from to the one it reaches.
    pub symmetry: Symmetry,
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
        let blank = Arrival { block: 0, from: Point::from_index(0), symmetry: Symmetry::IDENTITY };
        let mut all = vec![blank; starts[orbits.len()] as usize];
        let mut next = starts.clone();
        for block in 0..orbits.len() {
            for edge in quiet(block) {
                let place = &mut next[edge.block];
                all[*place as usize] =
                    Arrival { block: block as u32, from: edge.from, symmetry: edge.symmetry };
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
