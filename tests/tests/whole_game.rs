//! With tables the engine never chooses a turn that changes the value of the position, in any phase.
//!
//! The test takes the sectors of the built-in tables. The same check over a folder of tables of the
//! whole game, in positions of all its sectors (large ones more often), by as many threads as there
//! are processors:
//!
//! `MEREL_TABLES=DIR MEREL_POSITIONS=1000000 MEREL_CACHE=9216 cargo test --release -p merel-tests \
//!  --test whole_game -- --ignored --nocapture`
//!
//! The cache of decoded parts, in MiB, may be small, but then takes many times as long.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use merel_engine::tablebase::builtin;
use merel_engine::tablebase::file::{Access, TableKind};
use merel_engine::tablebase::{Pair, Sector, Tables};
use merel_engine::{DoubleMill, Engine, Game, Limits, SearchOptions};
use merel_tests::bridge::search_with;
use merel_tests::oracle::splitmix64;

/// Checks the engine's turn in random positions of these sectors; returns how many were lost, drawn
/// and won.
fn check(
    tables: &Arc<Tables>,
    sectors: &[Sector],
    (seed, count): (u64, u64),
    options: SearchOptions,
) -> [u64; 3] {
    let mut engine = Engine::new();
    engine.set_tables(Arc::clone(tables));
    let mut numbers = splitmix64(seed);
    let mut random = |below: u64| numbers() % below;
    let weights: Vec<u64> = sectors.iter().map(|s| s.pair().len() as u64).collect();
    let all: u64 = weights.iter().sum();
    let mut counts = [0; 3];
    for i in 0..count {
        // Every other position from a sector of any size, the rest in proportion to size.
        let sector = if i % 2 == 0 {
            sectors[random(sectors.len() as u64) as usize]
        } else {
            let mut at = random(all);
            let large = weights.iter().position(|&weight| {
                let here = at < weight;
                at = at.saturating_sub(weight);
                here
            });
            sectors[large.expect("the weights add up")]
        };
        let number = random(sector.pair().len() as u64) as usize;
        let position = sector.position(number).expect("every number is a position");
        if position.outcome().is_some() {
            continue;
        }
        let before = tables.value(&position).expect("all tables are there");
        let limits = Limits { depth: Some(1), ..Limits::default() };
        let found = search_with(&mut engine, &Game::new(position), limits, options);
        let turn = found.result.best;
        let after = tables.value(&position.after(turn)).expect("all tables are there");
        assert_eq!(after.reversed(), before, "{sector}: {turn} in {}", position.fen());
        counts[before as usize] += 1;
    }
    counts
}

#[test]
fn the_engine_never_changes_the_value_in_built_in_sectors() {
    // Of the book only positions whose turns, and the captures after them, are in the book as well.
    let deepest = |sector: &Sector| {
        let placed = |s: &Sector| 18 - s.hands().iter().sum::<u8>();
        placed(sector) <= if sector.double_mill() == DoubleMill::One { 6 } else { 4 }
    };
    let moving = builtin::pairs().into_iter().flat_map(Pair::sectors);
    let sectors: Vec<Sector> = moving.chain(builtin::book().into_iter().filter(deepest)).collect();
    let share_alone = SearchOptions { practical_chances: false, ..SearchOptions::default() };
    let tables = Arc::new(Tables::builtin());
    for (count, options) in [(600, SearchOptions::default()), (2000, share_alone)] {
        let counts = check(&tables, &sectors, (20, count), options);
        assert!(counts.iter().all(|&of_one| of_one > 20), "{counts:?}");
    }
}

#[test]
#[ignore = "takes a folder with tables of the whole game, named by MEREL_TABLES"]
fn the_engine_never_changes_the_value_in_the_whole_game() {
    let folder =
        PathBuf::from(std::env::var_os("MEREL_TABLES").expect("MEREL_TABLES names a folder"));
    let number = |name, default| {
        std::env::var(name).map_or(default, |n| n.parse::<u64>().expect("a number"))
    };
    let (count, cache) = (number("MEREL_POSITIONS", 2000), number("MEREL_CACHE", 256));
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get) as u64;
    for &double_mill in DoubleMill::ALL {
        let (tables, refused) =
            Tables::open(std::slice::from_ref(&folder), Access::Map, cache as usize);
        assert!(refused.is_empty(), "{refused:?}");
        let mut sectors = Sector::all();
        sectors.extend(Sector::all_placing(double_mill));
        if !sectors.iter().all(|&sector| tables.has(sector, TableKind::Wdl)) {
            println!("DoubleMill {double_mill}: not all tables are there");
            continue;
        }
        let tables = Arc::new(tables);
        let share = |i: u64| count * (i + 1) / threads - count * i / threads;
        let check = &|i| check(&tables, &sectors, (20 + i, share(i)), SearchOptions::default());
        let counts = std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|i| scope.spawn(move || check(i))).collect();
            let done = running.into_iter().map(|thread| thread.join().expect("all values kept"));
            done.reduce(|a, b| std::array::from_fn(|i| a[i] + b[i])).expect("at least one thread")
        });
        let [lost, drawn, won] = counts;
        println!("DoubleMill {double_mill}: {won} won, {drawn} drawn, {lost} lost, all kept");
    }
}
