//! What a search says is true: its lines are legal, its proved results are those of the exhaustive
//! solver, and it finds the turns that matter.

mod claims;
mod mates;
mod quiet_limit;
mod symptoms;
mod tactics;
