//! Endgame tables: the exact value of every position without stones in hand.

pub mod bit_map;
pub mod block;
pub mod builtin;
mod cache;
pub mod codec;
pub mod context;
pub mod cpu;
pub mod file;
pub mod index;
pub mod model;
pub mod rans;
pub mod scan;
mod sector;
mod store;

pub use sector::{NotASector, Pair, Sector};
pub use store::{Distance, Refused, Tables, Value, folders, table_files};
