//! Speed of probing endgame tables for win, draw or loss.
//!
//! `cargo bench -p merel-benches --bench probe -- [--tables DIR] [SECTOR…]`, by default the built-in
//! tables of 7-3 and 5-5. The figures for each sector: a probe whose part is decoded already, one
//! whose part is not (its file being in memory), how many parts that decoded, and decoded ones by two
//! threads at once. Positions are random, so the second figure contains the parts of smaller sectors
//! that captures lead to. Last comes the mean over the positions of all these sectors.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use merel_benches::rng::Rng;
use merel_engine::Position;
use merel_engine::tablebase::file::Access;
use merel_engine::tablebase::{Sector, Tables};

/// Speed of probing endgame tables.
#[derive(Debug, Parser)]
struct Arguments {
    /// A folder with tables; the built-in ones when none is given.
    #[arg(long)]
    tables: Option<PathBuf>,
    /// The sectors to probe.
    #[arg(default_values = ["7-3", "5-5"])]
    sectors: Vec<Sector>,
    /// Given by cargo, without a meaning here.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Arguments {
    /// The tables, with so many MiB of decoded parts.
    fn open(&self, cache: usize) -> Tables {
        let folders: Vec<PathBuf> = self.tables.iter().cloned().collect();
        let (mut tables, refused) = Tables::open(&folders, Access::Map, cache);
        for refusal in refused {
            eprintln!("refused: {refusal}");
        }
        tables.add_builtin();
        tables
    }
}

fn main() {
    let arguments = Arguments::parse();
    println!("sector   decoded  not decoded  parts  two threads, decoded");
    let (mut sum, mut positions) = (Figures::default(), 0.0);
    for &sector in &arguments.sectors {
        let figures = measure(&arguments, sector);
        figures.print(&sector.to_string());
        let len = sector.pair().len() as f64;
        sum.add(figures, len);
        positions += len;
    }
    if arguments.sectors.len() > 1 {
        let mut mean = Figures::default();
        mean.add(sum, 1.0 / positions);
        mean.print("mean");
    }
}

/// What is measured: seconds, and parts.
#[derive(Clone, Copy, Default)]
struct Figures {
    decoded: f64,
    not_decoded: f64,
    parts: f64,
    two_threads: f64,
}

impl Figures {
    /// Adds others, so many times.
    fn add(&mut self, other: Self, times: f64) {
        self.decoded += other.decoded * times;
        self.not_decoded += other.not_decoded * times;
        self.parts += other.parts * times;
        self.two_threads += other.two_threads * times;
    }

    fn print(self, name: &str) {
        println!(
            "{name:6} {:>7.0} ns {:>9.1} us {:>6.2} {:>10.0} ns",
            self.decoded * 1e9,
            self.not_decoded * 1e6,
            self.parts,
            self.two_threads * 1e9
        );
    }
}

fn measure(arguments: &Arguments, sector: Sector) -> Figures {
    /// So few that their parts stay decoded.
    const FEW: usize = 200;
    const ROUNDS: usize = 5000;
    /// One after the other in other parts.
    const COLD: usize = 20_000;
    let mut rng = Rng::new(1);
    let mut sample = |count: usize| -> Vec<Position> {
        let len = sector.pair().len();
        (0..count).filter_map(|_| sector.position(rng.below(len))).collect()
    };
    let few = sample(FEW);
    let many = sample(COLD);

    let tables = arguments.open(64);
    probe_all(&tables, &few);
    let decoded =
        time(|| (0..ROUNDS).for_each(|_| probe_all(&tables, &few))) / (FEW * ROUNDS) as f64;
    let two_threads = time(|| {
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..ROUNDS).for_each(|_| probe_all(&tables, &few)));
            }
        });
    }) / (2 * FEW * ROUNDS) as f64;

    // Without room for decoded parts; the first pass brings the files into memory.
    let tables = arguments.open(0);
    probe_all(&tables, &many);
    let before = tables.decoded();
    let not_decoded = time(|| probe_all(&tables, &many)) / COLD as f64;
    let parts = (tables.decoded() - before) as f64 / COLD as f64;
    Figures { decoded, not_decoded, parts, two_threads }
}

fn probe_all(tables: &Tables, positions: &[Position]) {
    for position in positions {
        black_box(tables.wdl(position));
    }
}

/// Seconds.
fn time(work: impl FnOnce()) -> f64 {
    let clock = Instant::now();
    work();
    clock.elapsed().as_secs_f64()
}
