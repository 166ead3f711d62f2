//! How deep and how fast one thread searches in five seconds with a table of 64 MiB.
//!
//! `cargo bench -p merel-benches --bench depth [-- SECONDS [THREADS]]`. Depth counts whole turns, a capture not being a ply of its own.

use std::sync::mpsc;
use std::time::Duration;

use merel_engine::{Engine, Game, Limits, Position, Report, Rules, SearchOptions};

/// Positions with the depth, in atomic plies, that the field's most used engine reaches there.
const POSITIONS: [(&str, u32); 5] = [
    ("********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1", 13),
    ("O***@***/O*@*O*@*/@*O*@*O* w p p 5 4 5 4 0 0 0 0 0 0 0 0 1", 18),
    ("O*O*@@**/O@@OO@@O/@@O*@*OO w m s 9 0 9 0 0 0 0 0 0 0 0 0 1", 22),
    ("***O****/OO@*@*@@/@OOO@*O* w m s 7 0 6 0 0 0 0 0 0 0 0 0 1", 20),
    ("***@*OO*/*O*@*@*O/O****O*@ w m s 6 0 4 0 0 0 0 0 0 0 0 0 1", 20),
];

/// Processor time of this process so far, or `None` where the system does not tell.
fn cpu_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10)) // 100 ticks a second, on every Linux
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|a| a.parse::<f64>().ok());
    let seconds = numbers.next().unwrap_or(5.0);
    let threads = numbers.next().unwrap_or(1.0) as usize;
    let mut engine = Engine::new();
    engine.set_hash(64).expect("64 MiB");
    engine.set_threads(threads).expect("threads");
    println!(
        "{:>5} {:>5} {:>10} {:>12} {:>14} {:>8}  line",
        "field", "depth", "selective", "nodes", "nodes/CPU s", "score"
    );
    for (fen, field) in POSITIONS {
        let position = Position::from_fen(fen, Rules::default()).expect(fen);
        engine.clear_hash();
        // Not a time limit: under one the engine stops as soon as the game is decided.
        let limits = Limits { infinite: true, ..Limits::default() };
        let (cpu, wall) = (cpu_time(), std::time::Instant::now());
        let (sender, reports) = mpsc::channel();
        engine.start(&Game::new(position), limits, SearchOptions::default(), move |report| {
            // The receiver lives until the last report.
            let _ = sender.send(report);
        });
        std::thread::sleep(Duration::from_secs_f64(seconds));
        engine.stop();
        let info = reports.iter().filter_map(|report| match report {
            Report::Info(info) => Some(info),
            Report::Done(_) => None,
        });
        let info = info.last();
        let spent = match (cpu, cpu_time()) {
            (Some(before), Some(after)) => after - before,
            _ => wall.elapsed(),
        };
        let info = info.expect("a line");
        let line: Vec<String> = info.pv.iter().take(6).map(ToString::to_string).collect();
        println!(
            "{field:>5} {:>5} {:>10} {:>12} {:>14.0} {:>8}  {}",
            info.depth,
            info.selective_depth,
            info.nodes,
            info.nodes as f64 / spent.as_secs_f64().max(0.01),
            format!("{:?}", info.score),
            line.join(" "),
        );
    }
}
