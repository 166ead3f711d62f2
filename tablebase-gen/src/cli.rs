//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use merel_engine::DoubleMill;
use merel_engine::tablebase::Sector;

use crate::size::Size;

/// Makes tables for Nine Men's Morris: the exact value of every position, without stones in hand
/// (endgame tables) and with them.
///
/// A sector is named by the stones of the side to move, then of the other: `4-3`; with stones in hand
/// these follow in the same order: `4-3+2-1`, and `.two` where a double mill captures two stones.
/// Results go to standard output, everything else to standard error. The exit code is 0; 1 when a difference was
/// found; 2 for wrong usage or an error of the system; 130 when interrupted.
#[derive(Debug, Parser)]
#[command(name = "tablebase-gen", version)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Prints what would be made, in order, and makes nothing
    Plan {
        #[command(flatten)]
        what: What,
        /// As JSON, sizes in bytes
        #[arg(long)]
        json: bool,
    },
    /// Makes tables and all they depend on
    ///
    /// Finished tables are skipped, so a run that was interrupted or killed goes on where it was:
    /// at most the sectors in work are lost.
    Generate {
        #[command(flatten)]
        what: What,
        /// The folder for the tables
        #[arg(long, value_name = "DIR", default_value = "tables")]
        out: PathBuf,
        /// How many threads work [default: one for each processor]
        #[arg(long, value_name = "N")]
        threads: Option<NonZeroUsize>,
        /// The most memory that may be used, such as 3GiB or 800MB
        #[arg(long, value_name = "SIZE", default_value = "6GiB")]
        memory: Size,
        /// Tell only of errors
        #[arg(long)]
        quiet: bool,
    },
    /// Checks tables: their checksums, or every value against the rules of the game
    Verify {
        /// The folder with the tables
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Sectors, such as 4-3; all in the folder when none are given
        #[arg(value_name = "SECTOR")]
        sectors: Vec<Sector>,
        #[command(flatten)]
        how: How,
        /// With --full: so many positions of each sector chosen by chance [default: all]
        #[arg(long, value_name = "N", requires = "full", conflicts_with = "quick",
            value_parser = clap::value_parser!(u64).range(1..))]
        sample: Option<u64>,
        /// With --sample: another choice for each number
        #[arg(long, value_name = "N", requires = "sample", default_value_t = 0)]
        seed: u64,
        /// How many threads work [default: one for each processor]
        #[arg(long, value_name = "N")]
        threads: Option<NonZeroUsize>,
    },
    /// Prints how many placements are won, drawn and lost, and the longest wins and losses
    ///
    /// All placements count, not reduced by symmetry. Distances are plies.
    Stats {
        /// The folder with the tables
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Sectors, such as 4-3; all in the folder when none are given
        #[arg(value_name = "SECTOR")]
        sectors: Vec<Sector>,
        /// As JSON, without the distribution of distances
        #[arg(long)]
        json: bool,
    },
    /// Looks a position up: its value and that of every turn, the best first
    Probe {
        /// The folder with the tables
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The position, quoted
        #[arg(value_name = "FEN")]
        fen: String,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// How many stones a double mill captures
        #[arg(long, value_name = "HOW MANY", default_value = "one", value_parser = double_mill)]
        double_mill: DoubleMill,
    },
}

/// How tables are checked.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct How {
    /// Every checksum
    #[arg(long)]
    pub quick: bool,
    /// Every value, derived again from the values of the positions that legal turns lead to
    #[arg(long)]
    pub full: bool,
}

/// Which sectors.
#[derive(Debug, Args)]
pub struct What {
    /// Sectors, such as 4-3 or 4-3+2-1; when neither sectors nor --max-stones are given, all of a
    /// phase
    #[arg(value_name = "SECTOR")]
    pub sectors: Vec<Sector>,
    /// All sectors of the moving phase with up to so many stones on the board
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(6..=18))]
    pub max_stones: Option<u8>,
    /// All sectors of a phase of the game, and what they depend on
    #[arg(long, value_enum, default_value_t, conflicts_with_all = ["sectors", "max_stones"])]
    pub phase: Phase,
    /// How many stones a double mill captures, with --phase placing or all
    #[arg(long, value_name = "HOW MANY", default_value = "one", value_parser = double_mill)]
    pub double_mill: DoubleMill,
}

/// A phase of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Phase {
    /// Positions without stones in hand
    #[default]
    Moving,
    /// Positions with stones in hand that can come from the empty board, and so the moving phase
    Placing,
    /// The whole game
    All,
}

impl Phase {
    /// Whether there are stones in hand in it.
    pub const fn is_placing(self) -> bool {
        matches!(self, Self::Placing | Self::All)
    }
}

fn double_mill(text: &str) -> Result<DoubleMill, String> {
    DoubleMill::from_name(text).ok_or_else(|| "expected `one` or `two`".into())
}
