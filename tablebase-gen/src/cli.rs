//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use merel_engine::tablebase::Sector;

use crate::size::Size;

/// Makes endgame tables for Nine Men's Morris: the exact value of every position without stones
/// in hand.
///
/// A sector is named by the stones of the side to move, then of the other: `4-3`. Results go to
/// standard output, everything else to standard error. The exit code is 0; 1 when a difference was
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
    /// Sectors, such as 4-3; all when neither sectors nor --max-stones are given
    #[arg(value_name = "SECTOR")]
    pub sectors: Vec<Sector>,
    /// All sectors with up to so many stones on the board
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(6..=18))]
    pub max_stones: Option<u8>,
}
