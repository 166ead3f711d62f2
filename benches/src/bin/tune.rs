//! Tunes the weights of the evaluation: plays games for data, and fits the weights to data.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use merel_benches::tuning::{
    Chances, Errors, Report, STONE, Sample, SelfPlay, fit, generate, source,
};

/// Tunes the weights of the evaluation.
#[derive(Parser)]
enum Command {
    /// Plays games of the engine against itself and writes labelled positions.
    Generate {
        /// How many games.
        #[arg(long, default_value_t = 4000)]
        games: usize,
        /// Nodes a turn.
        #[arg(long, default_value_t = 4000)]
        nodes: u64,
        /// Seed of the random first turns.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Games at a time, on a thread each; the positions are the same for any number.
        #[arg(long, default_value_t = 2)]
        threads: usize,
        /// Where to write.
        #[arg(long)]
        out: PathBuf,
    },
    /// Fits the weights to labelled positions, lines of `FEN;label`.
    Fit {
        /// The positions.
        file: PathBuf,
        /// Steps of Newton's method, each a pass over them, at most.
        #[arg(long, default_value_t = 40)]
        epochs: usize,
        /// Rewrites the weights in the engine's source; without it they are printed.
        #[arg(long)]
        write: bool,
    },
}

/// Where the engine has its weights.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/src/eval/weights.rs");
/// With fewer positions there is nothing to hold out.
const FEWEST: usize = 5000;

fn run(command: Command) -> Result<(), String> {
    match command {
        Command::Generate { games, nodes, seed, threads, out } => {
            let named = |e| format!("{}: {e}", out.display());
            let mut file = BufWriter::new(File::create(&out).map_err(named)?);
            let play = SelfPlay { games, nodes, seed, concurrency: threads };
            let mut report = |written: usize| {
                if written.is_multiple_of(100) || written == games {
                    eprintln!("{written} of {games} games");
                }
            };
            generate(play, &mut file, &mut report).map_err(named)
        }
        Command::Fit { file, epochs, write } => {
            let report = fit(&read(&file)?, epochs);
            print_report(&report);
            let text = source(&report.weights, report.chances);
            if write {
                return fs::write(SOURCE, text).map_err(|e| format!("{SOURCE}: {e}"));
            }
            print!("{text}");
            Ok(())
        }
    }
}

fn read(file: &Path) -> Result<Vec<Sample>, String> {
    let named = |e: std::io::Error| format!("{}: {e}", file.display());
    let lines = BufReader::new(File::open(file).map_err(named)?).lines();
    let mut samples = Vec::new();
    for (number, line) in (1..).zip(lines) {
        let sample = Sample::parse(&line.map_err(named)?);
        samples.push(sample.map_err(|e| format!("{}, line {number}: {e}", file.display()))?);
    }
    if samples.len() < FEWEST {
        return Err(format!("{}: fewer than {FEWEST} positions", file.display()));
    }
    eprintln!("{} positions", samples.len());
    Ok(samples)
}

fn print_report(report: &Report) {
    for (errors, name) in report.errors.iter().zip(["before", "after"]) {
        let Errors { entropy, square } = errors;
        eprintln!("held out, {name}: cross-entropy {entropy:.5}, mean squared error {square:.5}");
    }
    eprintln!(
        "scale: odds change by the factor e in {:.0} units before; all weights then times {:.3}, \
         for a stone to be worth {STONE} after placing",
        report.scale, report.factor
    );
    let Chances { even, scale } = report.chances;
    eprintln!("a win has an even chance at {even:.0} units, its odds change in {scale:.0}");
}

fn main() -> ExitCode {
    match run(Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
