//! Makes the opening set that comes with the match runner.
//!
//! `cargo run --release -p merel-benches --bin openings -- --out protocol/openings/placing.epd`
//!
//! Positions after 4 to 8 random placements without a mill, as many of each length, no two alike
//! under the 16 symmetries of the board, in which a search of a fixed number of nodes sees neither
//! side ahead. The same command makes the same file on every machine.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use merel_benches::rng::Rng;
use merel_benches::search;
use merel_engine::{Engine, Game, Limits, Position, Rules, Score, SearchOptions, Symmetry};

/// Placements before the game begins.
const PLACEMENTS: std::ops::RangeInclusive<usize> = 4..=8;

/// Makes a set of balanced openings.
#[derive(Parser)]
struct Arguments {
    /// File to write.
    #[arg(long)]
    out: PathBuf,
    /// Positions of each length.
    #[arg(long, default_value = "120")]
    each: usize,
    /// Nodes to search each candidate.
    #[arg(long, default_value = "100000")]
    nodes: u64,
    /// How far from 0 a score may be, in hundredths.
    #[arg(long, default_value = "30")]
    balance: i32,
    /// Seed of the random placements.
    #[arg(long, default_value = "1")]
    seed: u64,
}

/// A position after so many random placements, unless a mill was closed on the way.
fn candidate(placements: usize, rng: &mut Rng) -> Option<Position> {
    let mut position = Position::start(Rules::default());
    for _ in 0..placements {
        let turns = position.legal_turns();
        let turn = turns[rng.below(turns.len())];
        if turn.is_capture() {
            return None;
        }
        position = position.after(turn);
    }
    Some(position)
}

/// The same text for all positions that a symmetry of the board makes of each other.
fn class(position: &Position) -> String {
    let texts = Symmetry::all().map(|symmetry| position.transformed(symmetry).fen());
    texts.min().expect("there is the identity")
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut engine = Engine::new();
    let mut rng = Rng::new(arguments.seed);
    let mut seen = HashSet::new();
    let mut lines = Vec::new();
    for placements in PLACEMENTS {
        let mut found = 0;
        // Short openings are few: each class is tried once, then a length is left as it is.
        let mut misses = 0;
        while found < arguments.each && misses < 100_000 {
            let Some(position) = candidate(placements, &mut rng) else { continue };
            let class = class(&position);
            if !seen.insert(class.clone()) {
                misses += 1;
                continue;
            }
            misses = 0;
            engine.clear_hash();
            let limits = Limits { nodes: Some(arguments.nodes), ..Limits::default() };
            let game = Game::new(position);
            let (info, _) = search(&mut engine, &game, limits, SearchOptions::default());
            if let Some(Score::Cp(score)) = info.map(|info| info.score)
                && score.abs() <= arguments.balance
            {
                found += 1;
                lines.push(format!("{class}; cp {score}\n"));
            }
        }
        println!("{placements} placements: {found} positions");
    }
    let head = format!(
        "# {} balanced positions after {} to {} placements, no two alike under the 16 symmetries.\n\
         # Score in hundredths from the side to move after {} nodes. How it was made:\n\
         # cargo run --release -p merel-benches --bin openings -- --out protocol/openings/placing.epd\n",
        lines.len(),
        PLACEMENTS.start(),
        PLACEMENTS.end(),
        arguments.nodes
    );
    if let Err(error) = fs::write(&arguments.out, head + &lines.concat()) {
        eprintln!("error: '{}' cannot be written: {error}", arguments.out.display());
        return ExitCode::from(2);
    }
    ExitCode::SUCCESS
}
