//! How strong the engine is: a match of game pairs from varied openings.
//!
//! `cargo bench -p merel-benches --bench strength -- [--games 200] [--ms 100] [--opponent plain|depth:N|level:N]
//! [--level N] [--rules standard] [--seed 1]`: the engine, at full strength or a skill level, against
//! the plain opponent with the same time or a fixed depth, or against itself at another level.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use merel_benches::matches::{Merel, PlainPlayer, Player, Tally, per_turn, play_pair};
use merel_benches::openings::openings;
use merel_benches::plain::Budget;
use merel_engine::{Preset, Strength};

/// A match of the engine from varied openings.
#[derive(Parser)]
struct Arguments {
    /// Games, two for each opening.
    #[arg(long, default_value_t = 200)]
    games: usize,
    /// Milliseconds a turn.
    #[arg(long, default_value_t = 100)]
    ms: u64,
    /// plain, depth:N (plain at a fixed depth) or level:N (the engine at a skill level).
    #[arg(long, default_value = "plain")]
    opponent: String,
    /// Skill level of the engine.
    #[arg(long, default_value_t = Strength::MAX_LEVEL)]
    level: u8,
    /// Preset of the rules.
    #[arg(long, default_value = "standard")]
    rules: String,
    /// Seed of the openings.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn opponent(name: &str, time: Duration) -> Option<Box<dyn Player>> {
    Some(match name.split_once(':') {
        None if name == "plain" => Box::new(PlainPlayer::new(Budget::Time(time))),
        Some(("depth", depth)) => Box::new(PlainPlayer::new(Budget::Depth(depth.parse().ok()?))),
        Some(("level", level)) => {
            Box::new(Merel::new(Strength::Level(level.parse().ok()?), per_turn(time)))
        }
        _ => return None,
    })
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let time = Duration::from_millis(arguments.ms);
    let Some(preset) = Preset::from_name(&arguments.rules) else {
        eprintln!("error: no preset '{}'", arguments.rules);
        return ExitCode::from(2);
    };
    let Some(mut other) = opponent(&arguments.opponent, time) else {
        eprintln!("error: '{}' is not plain, depth:N or level:N", arguments.opponent);
        return ExitCode::from(2);
    };
    let mut engine = Merel::new(Strength::Level(arguments.level), per_turn(time));
    let pairs = arguments.games.div_ceil(2);
    let mut tally = Tally::default();
    for (i, opening) in openings(preset.into(), pairs, arguments.seed).into_iter().enumerate() {
        play_pair(&mut [&mut engine, other.as_mut()], opening, &mut tally);
        if (i + 1) % 10 == 0 || i + 1 == pairs {
            let [win, draw, loss] = tally.results.games;
            let (elo, error) = tally.results.elo();
            println!(
                "{} games against {}: {win} won, {draw} drawn, {loss} lost, score {:.1} %, Elo {elo:+.0} +/- {error:.0}; mean depth {:.1} and {:.1}",
                2 * (i + 1),
                arguments.opponent,
                100.0 * tally.results.score(),
                tally.mean_depth(0),
                tally.mean_depth(1),
            );
        }
    }
    ExitCode::SUCCESS
}
