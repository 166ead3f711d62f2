//! How much sooner two threads reach a fixed depth than one.
//!
//! `cargo bench -p merel-benches --bench smp [-- MILLISECONDS]`: each bench position is searched to
//! the depth that one thread finishes in about that time, by one thread and by two, three times each
//! with an empty table; the ratio is that of the medians.

use std::time::{Duration, Instant};

use merel_benches::search;
use merel_engine::bench::POSITIONS;
use merel_engine::{Engine, Game, Limits, Position, Rules, Score, SearchOptions};

/// Time to this depth, in seconds: the median of three runs.
fn time_to_depth(engine: &mut Engine, game: &Game, depth: u32) -> f64 {
    let mut times: Vec<f64> = (0..3)
        .map(|_| {
            engine.clear_hash();
            let start = Instant::now();
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            search(engine, game, limits, SearchOptions::default());
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[1]
}

/// The deepest iteration one thread finishes in this time, unless the game is decided by then.
fn depth_in(engine: &mut Engine, game: &Game, time: Duration) -> Option<u32> {
    engine.clear_hash();
    let limits = Limits { move_time: Some(time), ..Limits::default() };
    let (info, _) = search(engine, game, limits, SearchOptions::default());
    info.filter(|i| matches!(i.score, Score::Cp(_))).map(|i| i.depth)
}

fn main() {
    let time = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(1000);
    let mut one = Engine::new();
    let mut two = Engine::new();
    two.set_threads(2).expect("two threads");
    let mut ratios = Vec::new();
    for engine in [&mut one, &mut two] {
        engine.set_hash(64).expect("64 MiB");
    }
    for (fen, double_mill) in POSITIONS {
        let rules = Rules { double_mill, ..Rules::default() };
        let game = Game::new(Position::from_fen(fen, rules).expect(fen));
        let Some(depth) = depth_in(&mut one, &game, Duration::from_millis(time)) else { continue };
        let [single, double] =
            [&mut one, &mut two].map(|engine| time_to_depth(engine, &game, depth));
        ratios.push(single / double);
        println!("depth {depth:>2}: {single:.2} s, {double:.2} s, ratio {:.2}", single / double);
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or(1.0);
    println!("median ratio over {} positions: {median:.2}", ratios.len());
}
