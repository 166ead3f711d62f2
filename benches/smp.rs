//! How much sooner two threads reach a fixed depth than one.
//!
//! `cargo bench -p merel-benches --bench smp [-- --ms 1000]`: each bench position is searched to the
//! depth that one thread finishes in about that time, by one thread and by two, three times each
//! with an empty table; the ratio is that of the medians.

use std::num::NonZero;
use std::time::{Duration, Instant};

use clap::Parser;
use merel_benches::search;
use merel_engine::bench::POSITIONS;
use merel_engine::{Engine, Game, Limits, Position, Rules, Score, SearchOptions};

/// The time that two threads save.
#[derive(Parser)]
struct Arguments {
    /// Milliseconds that one thread searches a position for.
    #[arg(long, default_value = "1000")]
    ms: NonZero<u32>,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Searches of each position by one thread and by two: two threads never take the same time twice.
const RUNS: usize = 3;

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 0 => Some(f64::midpoint(values[middle - 1], values[middle])),
        _ => Some(values[middle]),
    }
}

/// Time to this depth, in seconds.
fn time_to_depth(engine: &mut Engine, game: &Game, depth: u32) -> f64 {
    let run = |_| {
        engine.clear_hash();
        let start = Instant::now();
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        search(engine, game, limits, SearchOptions::default());
        start.elapsed().as_secs_f64()
    };
    median((0..RUNS).map(run).collect()).expect("there are runs")
}

/// The deepest iteration one thread finishes in this time, unless the game is decided by then.
fn depth_in(engine: &mut Engine, game: &Game, time: Duration) -> Option<u32> {
    engine.clear_hash();
    let limits = Limits { move_time: Some(time), ..Limits::default() };
    let (info, _) = search(engine, game, limits, SearchOptions::default());
    info.filter(|i| matches!(i.score, Score::Cp(_))).map(|i| i.depth)
}

fn main() {
    let time = Duration::from_millis(Arguments::parse().ms.get().into());
    let mut one = Engine::new();
    let mut two = Engine::new();
    two.set_threads(2).expect("two threads");
    for engine in [&mut one, &mut two] {
        engine.set_hash(64).expect("64 MiB");
    }
    let mut ratios = Vec::new();
    for (fen, double_mill) in POSITIONS {
        let rules = Rules { double_mill, ..Rules::default() };
        let game = Game::new(Position::from_fen(fen, rules).expect(fen));
        let Some(depth) = depth_in(&mut one, &game, time) else { continue };
        let [single, double] =
            [&mut one, &mut two].map(|engine| time_to_depth(engine, &game, depth));
        ratios.push(single / double);
        println!("depth {depth:>2}: {single:.2} s, {double:.2} s, ratio {:.2}", single / double);
    }
    let positions = ratios.len();
    match median(ratios) {
        Some(ratio) => println!("median ratio over {positions} positions: {ratio:.2}"),
        None => println!("every position is decided within this time"),
    }
}
