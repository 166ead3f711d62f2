//! The small values everything else is made of.

mod bitboard;
mod both;
mod color;
mod point;
mod slides;
mod symmetry;
mod turn;

pub use bitboard::{Bitboard, Points};
pub(crate) use both::Both;
pub use color::Color;
pub use point::{NotAPoint, Point};
pub(crate) use slides::closed_by_slides;
pub use slides::{EDGE_ENDS, EDGES, Slides, closing_slides, closing_slides_of, slides};
pub use symmetry::Symmetry;
pub use turn::{Action, Turn};
