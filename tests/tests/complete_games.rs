//! Complete games with the engine program over pipes, every turn of it checked by the oracle.

use std::collections::HashSet;
use std::thread;
use std::time::Duration;

use merel_tests::client::{Client, Dialect};
use merel_tests::oracle::{OracleRules, Reason, Side, splitmix64};
use merel_tests::referee::{End, GameRules, Referee};

const MEREL: &str = env!("CARGO_BIN_EXE_merel-under-test");

/// Rules as the engine is told them and as the referee knows them.
struct Setup {
    options: &'static [&'static str],
    rules: GameRules,
}

/// Every preset, and the options that no preset sets.
const SETUPS: [Setup; 7] = [
    Setup { options: &["name Rules value standard"], rules: GameRules::STANDARD },
    Setup {
        options: &["name Rules value playok"],
        rules: GameRules { turns: OracleRules::PLAYOK, ..GameRules::STANDARD },
    },
    Setup {
        options: &["name Rules value ivory"],
        rules: GameRules { repetition: false, ..GameRules::STANDARD },
    },
    Setup { options: &["name Rules value millgame"], rules: GameRules::STANDARD },
    Setup {
        options: &["name Rules value playok", "name NoImmediateReturn value true"],
        rules: GameRules {
            turns: OracleRules { no_immediate_return: true, ..OracleRules::PLAYOK },
            ..GameRules::STANDARD
        },
    },
    Setup {
        options: &["name AllInMills value none"],
        rules: GameRules {
            turns: OracleRules { all_in_mills_none: true, ..OracleRules::STANDARD },
            ..GameRules::STANDARD
        },
    },
    Setup { options: &["name QuietLimit value 20"], rules: QUIET_20 },
];

const QUIET_20: GameRules = GameRules { quiet_limit: 20, ..GameRules::STANDARD };

/// Small limits of every kind.
const LIMITS: [&str; 5] =
    ["go depth 1", "go nodes 400", "go depth 3", "go movetime 3", "go wtime 60 btime 60 winc 2"];

/// Longer games are given up: not every rule set has a draw.
const MOST_TURNS: usize = 200;

/// A game of the engine, as this side, against a client that moves at random. How it ended.
fn play_random(client: &mut Client, rules: GameRules, engine: Side, seed: u64) -> Option<End> {
    let mut random = splitmix64(seed);
    let mut game = Referee::new(rules);
    client.new_game();
    while game.end().is_none() && game.turns().len() < MOST_TURNS {
        let turn = if game.state().side() == engine {
            client.turn(&game, LIMITS[below(&mut random, LIMITS.len())])
        } else {
            let legal = game.legal();
            legal[below(&mut random, legal.len())].clone()
        };
        assert!(game.play(&turn), "{turn} is illegal after {:?}", game.turns());
    }
    if game.end().is_some() {
        client.check_end(&game);
    }
    game.end()
}

fn below(random: &mut impl FnMut() -> u64, count: usize) -> usize {
    usize::try_from(random() % u64::try_from(count).expect("a small number")).expect("below it")
}

/// Some games under each rule set and with each colour.
fn random_games(dialect: Dialect) {
    let mut ends = HashSet::new();
    for (number, setup) in SETUPS.iter().enumerate() {
        let mut client = Client::start(MEREL, dialect, setup.options);
        for round in 0..8 {
            for engine in [Side::White, Side::Black] {
                let seed = u64::try_from(100 * number + round).expect("a small number");
                ends.insert(play_random(&mut client, setup.rules, engine, seed));
            }
        }
        client.quit();
    }
    // Whoever moves at random loses, with either colour.
    for winner in [Side::White, Side::Black] {
        let won = |end: &Option<End>| matches!(end, Some(End::Won(side, _)) if *side == winner);
        assert!(ends.iter().any(won), "{ends:?}");
    }
}

#[test]
fn games_in_whole_turns_are_legal_and_end_with_their_reason() {
    random_games(Dialect::Turn);
}

#[test]
fn games_in_single_actions_are_legal_and_end_with_their_reason() {
    random_games(Dialect::Sanmill);
}

#[test]
fn games_in_gbgp_are_legal_and_end_with_their_reason() {
    random_games(Dialect::Gbgp);
}

/// The turn of a `PlayOK` record: points are numbered row by row from the top left.
fn from_playok(token: &str) -> String {
    const NUMBERED: [&str; 24] = [
        "a7", "d7", "g7", "b6", "d6", "f6", "c5", "d5", "e5", "a4", "b4", "c4", //
        "e4", "f4", "g4", "c3", "d3", "e3", "b2", "d2", "f2", "a1", "d1", "g1",
    ];
    let mut turn = String::new();
    for part in token.split_inclusive(['-', 'x']) {
        let number = part.trim_end_matches(['-', 'x']);
        turn.push_str(NUMBERED[number.parse::<usize>().expect("a point") - 1]);
        turn.push_str(&part[number.len()..]);
    }
    turn
}

#[test]
fn a_game_played_by_people_ends_with_black_blocked() {
    let record = "5 13 20 19 14 21 7 8 23 17 12 16 18 11 4 6 10 22 23-24 22-23 24-15 23-22 15-3 \
                  13-9 18-13 22-23 5-2 17-18 10-1x23 8-5 7-8 16-17 12-16 11-10 4-11 5-4 2-5 10-22 \
                  3-15x22";
    let rules = GameRules { turns: OracleRules::PLAYOK, ..GameRules::STANDARD };
    for dialect in [Dialect::Turn, Dialect::Sanmill, Dialect::Gbgp] {
        let mut client = Client::start(MEREL, dialect, &["name Rules value playok"]);
        let mut game = Referee::new(rules);
        for token in record.split_whitespace() {
            // The engine has its own opinion on each position of the game, a legal one.
            client.turn(&game, "go nodes 100");
            assert!(game.play(&from_playok(token)), "{token}");
        }
        assert_eq!(game.turns().len(), 39);
        assert_eq!(game.end(), Some(End::Won(Side::White, Reason::Blocked)));
        client.check_end(&game);
        client.quit();
    }
}

/// How a game of the engine against itself went.
#[derive(Debug, Default)]
struct Record {
    turns: usize,
    end: Option<End>,
    /// Turns that took far longer than they were given.
    late: usize,
}

/// A game between two engines, from an opening of random turns. It is given up when nothing
/// happens for a long time.
fn play_itself(players: &mut [Client; 2], rules: GameRules, go: &str, seed: u64) -> Record {
    let mut game = opening(rules, seed);
    let mut record = Record::default();
    for player in players.iter_mut() {
        player.new_game();
    }
    while game.end().is_none() && game.state().quiet() < 60 && game.turns().len() < 150 {
        let player = &mut players[usize::from(game.state().side() == Side::Black)];
        let (turn, time) = player.timed_turn(&game, go);
        record.late += usize::from(time > Duration::from_millis(20 + 1000));
        assert!(game.play(&turn), "{turn} is illegal after {:?}", game.turns());
    }
    if game.end().is_some() {
        for player in players {
            player.check_end(&game);
        }
    }
    record.turns = game.turns().len();
    record.end = game.end();
    record
}

fn opening(rules: GameRules, seed: u64) -> Referee {
    let mut random = splitmix64(seed);
    let mut game = Referee::new(rules);
    for _ in 0..4 {
        let legal = game.legal();
        assert!(game.play(&legal[below(&mut random, legal.len())]));
    }
    game
}

/// The games with these seeds, one after the other, the engines taking turns with the colours.
fn play_series(
    rules: GameRules,
    options: &[&str],
    go: &str,
    seeds: impl Iterator<Item = u64>,
) -> Vec<Record> {
    let mut players = [0, 1].map(|_| Client::start(MEREL, Dialect::Turn, options));
    let mut records = Vec::new();
    for seed in seeds {
        records.push(play_itself(&mut players, rules, go, seed));
        players.reverse();
    }
    for player in players {
        player.quit();
    }
    records
}

#[test]
fn a_hundred_timed_games_pass_without_an_illegal_late_or_missing_turn() {
    let series = |first: u64| {
        play_series(GameRules::STANDARD, &[], "go movetime 20", (first..100).step_by(2))
    };
    let records: Vec<Record> = thread::scope(|scope| {
        let both = [0, 1].map(|first| scope.spawn(move || series(first)));
        both.into_iter().flat_map(|games| games.join().expect("the games were played")).collect()
    });
    assert_eq!(records.len(), 100);
    let late: usize = records.iter().map(|record| record.late).sum();
    let turns: usize = records.iter().map(|record| record.turns).sum();
    assert_eq!(late, 0, "of {turns} turns");
}

#[test]
fn games_without_progress_are_drawn_by_the_quiet_limit() {
    let options = ["name QuietLimit value 20"];
    let records = play_series(QUIET_20, &options, "go nodes 2000", 0..8);
    // Well played games are mostly drawn, and none of these may last longer.
    assert!(records.iter().any(|record| record.end == Some(End::QuietLimit)), "{records:#?}");
    assert!(records.iter().all(|record| record.end.is_some()), "{records:#?}");
}
