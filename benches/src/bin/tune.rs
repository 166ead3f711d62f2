//! Tunes the weights of the evaluation: plays games for data, and fits the weights to data.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use merel_benches::tuning::{Sample, SelfPlay, fit, generate, source};

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
        /// Where to write.
        #[arg(long)]
        out: PathBuf,
    },
    /// Fits the weights to labelled positions, lines of `FEN;label`.
    Fit {
        /// The positions.
        file: PathBuf,
        /// Passes over them.
        #[arg(long, default_value_t = 400)]
        epochs: usize,
        /// Rewrites the weights in the engine's source; without it they are printed.
        #[arg(long)]
        write: bool,
    },
}

/// Where the engine has its weights.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/src/eval/weights.rs");

fn run(command: Command) -> Result<(), String> {
    match command {
        Command::Generate { games, nodes, seed, out } => {
            let named = |e| format!("{}: {e}", out.display());
            let mut file = BufWriter::new(File::create(&out).map_err(named)?);
            generate(SelfPlay { games, nodes, seed }, &mut file).map_err(named)
        }
        Command::Fit { file, epochs, write } => {
            let reader =
                BufReader::new(File::open(&file).map_err(|e| format!("{}: {e}", file.display()))?);
            let mut samples = Vec::new();
            for (number, line) in reader.lines().enumerate() {
                let line = line.map_err(|e| e.to_string())?;
                samples
                    .push(Sample::parse(&line).map_err(|e| format!("line {}: {e}", number + 1))?);
            }
            let report = fit(&samples, epochs);
            let [before, after] = report.error;
            eprintln!(
                "{} samples; mean squared error on those held out: {before:.5} before, {after:.5} after",
                samples.len()
            );
            let text = source(&report.weights, report.chances);
            if write {
                return fs::write(SOURCE, text).map_err(|e| format!("{SOURCE}: {e}"));
            }
            print!("{text}");
            Ok(())
        }
    }
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
