//! Sectors with stones in hand.
//!
//! The placing phase is solved backwards from the moving phase, a ply at a time: every sector from
//! those that its turns lead to, which have one stone less in hand.

mod captures;
pub mod packed;
mod settle;
mod solve;

pub use packed::{Code, Packed};
pub use settle::settle;
pub use solve::{After, solve};

#[cfg(test)]
mod tests;
