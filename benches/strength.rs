//! How strong the engine is: a match of game pairs from varied openings.
//!
//! `cargo bench -p merel-benches --bench strength -- [--games 200] [--ms 100] [--as full]
//! [--opponent plain] [--rules standard] [--seed 1] [--concurrency 1] [--tables DIR] [--cache 256]`.
//! Either side is `full`, `level:N` or `elo:N` (the engine at a strength), `depth:N` (the engine with
//! a fixed depth, in plies), `plain` (the plain opponent with the same time), or `plain-depth:N` (the
//! same with a fixed depth). With tables it may also be `exact` (the engine with them), `exact-share`
//! (with the option PracticalChances off) or `exact-random` (any of the best turns). Tables also judge: *errors* are turns that give away a win
//! or a draw, *spoilt* games end worse for a player than their opening promised him.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use merel_benches::budget::Budget;
use merel_benches::matches::{self, AnyPerfect, Merel, PlainPlayer, Player, Tally};
use merel_benches::openings::openings;
use merel_engine::tablebase::Tables;
use merel_engine::tablebase::file::Access;
use merel_engine::{Preset, Strength};

/// A match of the engine from varied openings.
#[derive(Parser)]
struct Arguments {
    /// Games, two for each opening.
    #[arg(long, default_value = "200")]
    games: NonZero<u32>,
    /// Milliseconds a turn.
    #[arg(long, default_value = "100")]
    ms: NonZero<u32>,
    /// Nodes a turn in place of a time: the same match on every machine.
    #[arg(long, conflicts_with = "ms")]
    nodes: Option<NonZero<u64>>,
    /// Who plays: full, level:N, elo:N, depth:N, plain, plain-depth:N, exact, exact-share or
    /// exact-random.
    #[arg(long = "as", value_name = "PLAYER", default_value = "full")]
    first: Contestant,
    /// Against whom: likewise.
    #[arg(long, value_name = "PLAYER", default_value = "plain")]
    opponent: Contestant,
    /// Preset of the rules: standard, playok, ivory or millgame.
    #[arg(long, default_value = "standard", value_parser = preset)]
    rules: Preset,
    /// Seed of the openings.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time; not more than there are processors.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    concurrency: u8,
    /// A folder with tables, besides the built-in ones.
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// Memory for decoded parts of tables, in MiB.
    #[arg(long, default_value_t = 256)]
    cache: usize,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn preset(name: &str) -> Result<Preset, String> {
    Preset::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Preset::ALL.iter().map(|p| p.name()).collect();
        format!("it is none of {}", names.join(", "))
    })
}

/// Who plays.
#[derive(Clone, Copy)]
enum Contestant {
    Engine(Strength),
    Depth(u32),
    Plain,
    PlainDepth(u32),
    Exact { practical_chances: bool },
    AnyPerfect,
}

impl FromStr for Contestant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, number) = match text.split_once(':') {
            Some((kind, number)) => {
                let number = number.parse::<u32>();
                (kind, Some(number.map_err(|_| "what follows ':' is no number".to_string())?))
            }
            None => (text, None),
        };
        let within = |number: u32, low: u32, high: u32| {
            let fits = (low..=high).contains(&number);
            fits.then_some(number).ok_or_else(|| format!("{kind} goes from {low} to {high}"))
        };
        let elo = Strength::ELO_RANGE;
        Ok(match (kind, number) {
            ("full", None) => Self::Engine(Strength::Full),
            ("plain", None) => Self::Plain,
            ("exact", None) => Self::Exact { practical_chances: true },
            ("exact-share", None) => Self::Exact { practical_chances: false },
            ("exact-random", None) => Self::AnyPerfect,
            ("level", Some(n)) => {
                let level = within(n, 0, Strength::MAX_LEVEL.into())?;
                Self::Engine(Strength::Level(level as u8))
            }
            ("elo", Some(n)) => Self::Engine(Strength::Elo(within(n, *elo.start(), *elo.end())?)),
            ("depth", Some(n)) => Self::Depth(within(n, 1, 60)?),
            ("plain-depth", Some(n)) => Self::PlainDepth(within(n, 1, 60)?),
            _ => {
                return Err("it is not full, level:N, elo:N, depth:N, plain, plain-depth:N, \
                            exact, exact-share or exact-random"
                    .to_string());
            }
        })
    }
}

impl Contestant {
    fn player(self, tables: &Arc<Tables>, seed: u64) -> Box<dyn Player> {
        match self {
            Self::Engine(strength) => Box::new(Merel::new(strength)),
            Self::Depth(depth) => Box::new(Merel::with_depth(depth)),
            Self::Plain => Box::new(PlainPlayer::default()),
            Self::PlainDepth(depth) => Box::new(PlainPlayer::with_depth(depth)),
            Self::Exact { practical_chances } => Box::new(Merel::exact(tables, practical_chances)),
            Self::AnyPerfect => Box::new(AnyPerfect::new(tables, seed)),
        }
    }
}

fn print(tally: &Tally) {
    let [win, draw, loss] = tally.results.games;
    let [own, other] = &tally.efforts;
    println!(
        "{:>4} games: {win} won, {draw} drawn ({} called), {loss} lost, score {:.1} %, Elo {}, nElo {}; \
         pairs {:?}; errors {} and {}, spoilt {} and {}; median depth {} and {}, longest turn {} and \
         {} ms",
        win + draw + loss,
        tally.called,
        100.0 * tally.results.score(),
        tally.results.elo(),
        tally.results.normalized_elo(),
        tally.results.pairs,
        own.errors,
        other.errors,
        own.spoilt,
        other.spoilt,
        own.median_depth(),
        other.median_depth(),
        own.longest.as_millis(),
        other.longest.as_millis(),
    );
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let concurrency = usize::from(arguments.concurrency);
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    if concurrency > processors {
        eprintln!("error: --concurrency {concurrency}, but there are {processors} processors");
        return ExitCode::from(2);
    }
    let (budget, each) = match arguments.nodes {
        Some(nodes) => (Budget::nodes(nodes.get()), format!("{nodes} nodes")),
        None => {
            let time = Duration::from_millis(arguments.ms.get().into());
            (Budget::time(time), format!("{} ms", arguments.ms))
        }
    };
    let pairs = arguments.games.get().div_ceil(2);
    let openings = openings(arguments.rules.into(), pairs as usize, arguments.seed);
    let folders: Vec<PathBuf> = arguments.tables.iter().cloned().collect();
    let (mut tables, refused) = Tables::open(&folders, Access::Map, arguments.cache);
    if let Some(refused) = refused.first() {
        eprintln!("error: {refused}");
        return ExitCode::from(2);
    }
    tables.add_builtin();
    let tables = Arc::new(tables);
    let players =
        || [arguments.first, arguments.opponent].map(|who| who.player(&tables, arguments.seed));
    let [first, second] = players().map(|p| p.name());
    println!(
        "{first} against {second}: {} games, {each} a turn, rules {}, seed {}",
        2 * pairs,
        arguments.rules,
        arguments.seed
    );
    let mut reported = 0;
    let tally = matches::play(&players, &openings, budget, concurrency, &tables, &mut |tally| {
        reported += 1;
        if reported % 10 == 0 && reported < pairs {
            print(tally);
        }
    });
    print(&tally);
    ExitCode::SUCCESS
}
