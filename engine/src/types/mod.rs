//! The small values everything else is made of.

mod bitboard;
mod color;
mod point;
mod symmetry;
mod turn;

pub use bitboard::{Bitboard, Points};
pub use color::Color;
pub use point::{NotAPoint, Point};
pub use symmetry::Symmetry;
pub use turn::{Action, Turn};
