//! How much sooner two threads reach a fixed depth than one.
//!
//! `cargo bench -p merel-benches --bench smp [-- --ms 1000 --images 8]`: each bench position is
//! searched to the depth that one thread finishes in about that time, by one thread and by two, with
//! an empty table. A single figure would say little: by the luck of its order of turns an iteration
//! takes half as long at times, or twice. So the ratio is a geometric mean, over the last iterations
//! and over images of the position under symmetries of the board, which are as hard but whose turns
//! of equal rank come in another order.

use std::num::NonZero;
use std::time::Duration;

use clap::Parser;
use merel_benches::{search, search_telling};
use merel_engine::bench::POSITIONS;
use merel_engine::{Engine, Game, Limits, Position, Rules, Score, SearchOptions, Symmetry};

/// The time that two threads save.
#[derive(Parser)]
struct Arguments {
    /// Milliseconds that one thread searches a position for.
    #[arg(long, default_value = "1000")]
    ms: NonZero<u32>,
    /// Images of each position, itself among them: up to 16.
    #[arg(long, default_value = "8", value_parser = clap::value_parser!(u8).range(1..=16))]
    images: u8,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 0 => Some(f64::midpoint(values[middle - 1], values[middle])),
        _ => Some(values[middle]),
    }
}

/// How many iterations the figure of a search is taken over.
const ITERATIONS: u32 = 4;

/// The geometric mean of the times to this depth and to those before, as its logarithm.
fn time_to_depth(engine: &mut Engine, game: &Game, depth: u32) -> f64 {
    engine.clear_hash();
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut next = depth.saturating_sub(ITERATIONS) + 1;
    let (mut sum, mut count) = (0.0, 0);
    search_telling(engine, game, limits, SearchOptions::default(), |info| {
        // A thread that takes over the work of another can leave iterations out.
        while next <= info.depth.min(depth) {
            sum += info.time.max(Duration::from_micros(1)).as_secs_f64().ln();
            count += 1;
            next += 1;
        }
    });
    sum / f64::from(count)
}

/// The deepest iteration one thread finishes in this time, unless the game is decided by then.
fn depth_in(engine: &mut Engine, game: &Game, time: Duration) -> Option<u32> {
    engine.clear_hash();
    let limits = Limits { move_time: Some(time), ..Limits::default() };
    let (info, _) = search(engine, game, limits, SearchOptions::default());
    info.filter(|i| matches!(i.score, Score::Cp(_))).map(|i| i.depth)
}

fn main() {
    let arguments = Arguments::parse();
    let time = Duration::from_millis(arguments.ms.get().into());
    let mut one = Engine::new();
    let mut two = Engine::new();
    two.set_threads(2).expect("two threads");
    for engine in [&mut one, &mut two] {
        engine.set_hash(64).expect("64 MiB");
    }
    let mut ratios = Vec::new();
    for (fen, double_mill) in POSITIONS {
        let rules = Rules { double_mill, ..Rules::default() };
        let position = Position::from_fen(fen, rules).expect(fen);
        let Some(depth) = depth_in(&mut one, &Game::new(position), time) else { continue };
        let mut logarithms = [0.0; 2];
        let images = usize::from(arguments.images);
        for symmetry in Symmetry::all().take(images) {
            let game = Game::new(position.transformed(symmetry));
            for (sum, engine) in logarithms.iter_mut().zip([&mut one, &mut two]) {
                *sum += time_to_depth(engine, &game, depth);
            }
        }
        let [single, double] = logarithms.map(|sum| (sum / images as f64).exp());
        ratios.push(single / double);
        println!("depth {depth:>2}: {single:.2} s, {double:.2} s, ratio {:.2}", single / double);
    }
    let positions = ratios.len();
    match median(ratios) {
        Some(ratio) => println!("median ratio over {positions} positions: {ratio:.2}"),
        None => println!("every position is decided within this time"),
    }
}
