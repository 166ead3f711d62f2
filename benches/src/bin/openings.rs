//! Makes the opening set that is shipped.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use merel_benches::opening_set::{Recipe, line, opening_set};

/// Makes the opening set: balanced positions after 4 to 8 placements, one a line. The same
/// arguments and the same engine give the same set on every machine.
#[derive(Parser)]
struct Arguments {
    /// How many openings.
    #[arg(long, default_value_t = Recipe::SHIPPED_COUNT)]
    count: usize,
    /// Seed of the random placements.
    #[arg(long, default_value_t = Recipe::SHIPPED.seed)]
    seed: u64,
    /// Nodes of the search that judges a position.
    #[arg(long, default_value_t = Recipe::SHIPPED.nodes)]
    nodes: u64,
    /// Largest score of either side, in hundredths (100: an even chance to win).
    #[arg(long, default_value_t = Recipe::SHIPPED.bound)]
    bound: i32,
    /// Where to write [default: standard output].
    #[arg(long)]
    out: Option<PathBuf>,
}

fn write(arguments: &Arguments, mut out: impl Write) -> io::Result<()> {
    let &Arguments { count, seed, nodes, bound, .. } = arguments;
    let openings = opening_set(Recipe { seed, nodes, bound });
    let mut made = 0;
    for (number, opening) in (1..=count).zip(openings) {
        made = number;
        writeln!(out, "{}", line(number, &opening))?;
        if number.is_multiple_of(100) {
            eprintln!("{number} of {count} openings");
        }
    }
    if made < count {
        return Err(io::Error::other(format!("there are no more than {made} such openings")));
    }
    out.flush()
}

fn run(arguments: &Arguments) -> Result<(), String> {
    match &arguments.out {
        Some(path) => File::create(path)
            .and_then(|file| write(arguments, BufWriter::new(file)))
            .map_err(|error| format!("{}: {error}", path.display())),
        None => write(arguments, io::stdout().lock()).map_err(|error| error.to_string()),
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
