//! Matches of the engine with itself: every game is legal, counted and written down.

use merel_engine::{Game, Position, Preset, Rules};
use merel_tests::matches::{Finished, Place, WrittenGame};

const RUNNER: &str = env!("CARGO_BIN_EXE_merel-match-under-test");
const BAD: &str = env!("CARGO_BIN_EXE_bad-engine");
const MEREL: &str = env!("CARGO_BIN_EXE_merel-under-test");

const OPENINGS: &str = "a7 b6 d7 d6\nd2 f4 b4 d6\nd6 d2 f4 b4 e4\nd6 f4 d2 b4 g4 d7\n";

/// Two of the engine: words for each, and for the match.
fn play(place: &Place, first: &str, second: &str, more: &str) -> Finished {
    let cmd = format!("cmd={MEREL}");
    let mut words = vec!["-engine", &cmd, "name=first"];
    words.extend(first.split_whitespace());
    words.extend(["-engine", &cmd, "name=second"]);
    words.extend(second.split_whitespace());
    words.extend(["-pgnout", "file=games.pgn", "-each", "option.Hash=1"]);
    words.extend(more.split_whitespace());
    place.write("openings.txt", OPENINGS);
    let finished = place.run(&words);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    finished
}

/// Replays a game; its result must be what the rules say.
fn check(game: &WrittenGame, rules: Rules) {
    let start = game.tags.iter().find(|(name, _)| name == "FEN");
    let mut replay = match start {
        Some((_, fen)) => Game::new(Position::from_fen(fen, rules).expect("a FEN")),
        None => Game::start(rules),
    };
    for turn in &game.turns {
        let turn =
            replay.position().parse_turn(turn).unwrap_or_else(|e| panic!("{turn}: {e}: {game:?}"));
        replay.play(turn);
    }
    assert_eq!(game.tag("Result"), game.result);
    if game.tag("Termination") == "normal" {
        let outcome = replay.outcome().unwrap_or_else(|| panic!("it goes on: {game:?}"));
        assert_eq!(outcome.result(), game.result);
        assert!(outcome.to_string().ends_with(game.tag("ResultReason")), "{game:?}");
    } else {
        assert_eq!(game.tag("Termination"), "adjudication");
        assert_eq!(replay.outcome(), None, "{game:?}");
    }
}

/// Whether `merel games` replays every game of a file.
fn is_accepted(file: &std::path::Path) -> bool {
    let mut merel = std::process::Command::new(env!("CARGO_BIN_EXE_merel-under-test"));
    let output = merel.args(["games", "--check"]).arg(file).output().expect("merel runs");
    output.status.success()
}

/// Games, wins, losses, draws from the last report.
fn totals(finished: &Finished) -> [u32; 4] {
    let line = finished.output.lines().rfind(|line| line.starts_with("Games: ")).expect("a report");
    let numbers: Vec<u32> =
        line.split([' ', ',']).filter_map(|word| word.parse().ok()).take(4).collect();
    numbers.try_into().expect("four numbers")
}

#[test]
fn under_every_preset_all_games_are_legal_and_counted() {
    for preset in Preset::ALL {
        let place = Place::new(RUNNER);
        let more = format!(
            "-rounds 4 -concurrency 2 -openings file=openings.txt -maxmoves 60 -rules {preset}"
        );
        let finished = play(&place, "nodes=400", "nodes=60", &more);
        let games = place.games("games.pgn");
        assert_eq!(games.len(), 8);
        assert!(is_accepted(&place.path("games.pgn")), "`merel games` refuses the games");
        let mut counted = [8, 0, 0, 0];
        for game in &games {
            // Presets with the same rules go by one name.
            let named = Preset::from_name(game.tag("Rules")).map(Rules::from);
            assert_eq!(named, Some((*preset).into()));
            check(game, (*preset).into());
            let is_white = game.tag("White") == "first";
            counted[match game.result.as_str() {
                "1/2-1/2" => 3,
                result if (result == "1-0") == is_white => 1,
                _ => 2,
            }] += 1;
        }
        assert_eq!(totals(&finished), counted, "{preset}");
        // Each opening is played with both colours.
        for (round, opening) in OPENINGS.lines().enumerate() {
            let of_round: Vec<&WrittenGame> = games
                .iter()
                .filter(|g| g.tag("Round").starts_with(&format!("{}.", round + 1)))
                .collect();
            let [a, b] = of_round.as_slice() else { panic!("{of_round:?}") };
            assert!([a, b].iter().all(|g| g.turns.join(" ").starts_with(opening)));
            assert_eq!((a.tag("White"), a.tag("Black")), (b.tag("Black"), b.tag("White")));
        }
    }
}

#[test]
fn all_dialects_play_each_other() {
    for (first, second) in [
        ("proto=uci nodes=200", "proto=sanmill nodes=200"),
        ("proto=gbgp nodes=200", "proto=sanmill depth=2"),
        ("proto=gbgp depth=2", "option.UCI_Dialect=sanmill depth=2"),
    ] {
        let place = Place::new(RUNNER);
        play(
            &place,
            first,
            second,
            "-rounds 3 -openings file=openings.txt -rules playok quiet_limit=40",
        );
        let games = place.games("games.pgn");
        assert_eq!(games.len(), 6);
        let rules = Rules { quiet_limit: 40, ..Preset::Playok.into() };
        games.iter().for_each(|game| check(game, rules));
        let captures = games.iter().flat_map(|g| &g.turns).filter(|t| t.contains('x')).count();
        assert!(captures > 0, "{first} {second}: the dialects differ only in captures");
    }
}

#[test]
fn sanmill_itself_is_known_by_its_name_and_its_view_is_turned() {
    let place = Place::new(RUNNER);
    let bad = format!("cmd={BAD}");
    let merel = format!("cmd={MEREL}");
    let words = [
        "-engine",
        &bad,
        "name=mill",
        "args=sanmill",
        "-engine",
        &merel,
        "name=merel",
        "-each",
        "nodes=300",
        "-rounds",
        "2",
        "-pgnout",
        "file=games.pgn",
        "-resign",
        "movecount=4",
        "score=800",
    ];
    let finished = place.run(&words);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    // It says that White is ahead: as Black it resigns by that, as White it does not.
    for game in place.games("games.pgn") {
        check(&game, Rules::default());
        if game.tag("Black") == "mill" {
            assert_eq!((game.tag("Termination"), game.result.as_str()), ("adjudication", "1-0"));
            assert_eq!(game.turns.len(), 8);
        } else {
            assert!(game.turns.len() > 8, "{game:?}");
        }
    }
}

#[test]
fn the_same_match_has_the_same_games_whatever_runs_at_a_time() {
    let games = |concurrency: &str| {
        let place = Place::new(RUNNER);
        let more = format!(
            "-rounds 4 -openings file=openings.txt order=random seed=7 -maxmoves 30 -concurrency {concurrency} -force-concurrency"
        );
        play(&place, "nodes=300 restart=on", "nodes=100 restart=on", &more);
        let mut games: Vec<_> = place
            .games("games.pgn")
            .into_iter()
            .map(|g| (g.tag("Round").to_owned(), g.tag("White").to_owned(), g.turns, g.result))
            .collect();
        games.sort();
        games
    };
    assert_eq!(games("1"), games("3"));
}

#[test]
fn a_test_stops_when_it_has_decided() {
    let place = Place::new(RUNNER);
    let (bad, merel) = (format!("cmd={BAD}"), format!("cmd={MEREL}"));
    place.write("openings.txt", OPENINGS);
    let words = [
        "-engine",
        &merel,
        "name=merel",
        "-engine",
        &bad,
        "args=good",
        "-each",
        "nodes=500",
        "-rounds",
        "500",
        "-openings",
        "file=openings.txt",
        "-maxmoves",
        "100",
        "-sprt",
        "elo0=0",
        "elo1=300",
        "model=logistic",
        "-ratinginterval",
        "0",
    ];
    let finished = place.run(&words);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(
        finished.output.contains("SPRT ([0.00, 300.00]) completed - H1 was accepted"),
        "{finished:?}"
    );
    assert!(totals(&finished)[0] < 200, "{finished:?}");
    assert!(!finished.output.contains("nan") && !finished.output.contains("inf"));
}

#[test]
fn many_engines_meet_as_the_format_says_and_are_ranked() {
    let cmd = format!("cmd={MEREL}");
    let engines = ["-engine", &cmd, "name=a", "-engine", &cmd, "name=b", "-engine", &cmd, "name=c"];
    let common =
        ["-each", "depth=1", "-rounds", "1", "-maxmoves", "15", "-pgnout", "file=games.pgn"];
    for (format, games) in [(&[][..], 6), (&["-tournament", "gauntlet"], 4)] {
        let place = Place::new(RUNNER);
        let finished = place.run(&[&engines[..], &common, format].concat());
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let written = place.games("games.pgn");
        assert_eq!(written.len(), games);
        if games == 4 {
            assert!(written.iter().all(|g| g.tag("White") == "a" || g.tag("Black") == "a"));
        }
        assert!(finished.output.contains("Rank  Name"), "{finished:?}");
    }
}

#[test]
fn clocks_are_kept_and_told() {
    let place = Place::new(RUNNER);
    // The margin is wide: how busy the machine is must not decide a test.
    let clock = "tc=20/0.5+0.01 timemargin=20000";
    play(&place, clock, clock, "-rounds 1 -maxmoves 25 -log file=log.txt");
    for game in place.games("games.pgn") {
        check(&game, Rules::default());
        assert_eq!(game.tag("TimeControl"), "20/0.5+0.01");
    }
    let log = std::fs::read_to_string(place.path("log.txt")).unwrap();
    assert!(log.contains("first#1 > go wtime 500 btime 500 winc 10 binc 10 movestogo 20"), "{log}");
    assert!(log.contains(" < bestmove "));
}

#[test]
fn openings_that_cannot_be_are_refused_before_anything_starts() {
    let place = Place::new(RUNNER);
    place.write("bad.epd", "a7 b6\na7 a7\n");
    place.write(
        "uneven.epd",
        "********/@******@/O******O w p p 2 6 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes\n",
    );
    let cmd = format!("cmd={MEREL}");
    for (file, part) in [
        ("bad.epd", "'bad.epd' line 2: turn 2 'a7': a7 is occupied"),
        ("uneven.epd", "line 1 cannot be said in GBGP"),
        ("none.epd", "'none.epd' cannot be read"),
    ] {
        let file = format!("file={file}");
        let words = [
            "-engine",
            &cmd,
            "name=x",
            "-engine",
            &cmd,
            "name=y",
            "-each",
            "depth=1",
            "proto=gbgp",
            "-openings",
            &file,
        ];
        let finished = place.run(&words);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert_eq!(finished.errors.lines().count(), 1, "{finished:?}");
        assert!(finished.errors.contains(part), "{finished:?}");
    }
}

#[test]
fn the_engine_complies_in_every_dialect() {
    for protocol in ["proto=uci", "proto=sanmill", "proto=gbgp"] {
        let place = Place::new(RUNNER);
        let finished = place.run(&["-compliance", MEREL, "-each", protocol]);
        let failed: Vec<&str> = finished
            .output
            .lines()
            // How busy the machine is must not decide a test.
            .filter(|line| line.contains(" FAILED ") && !line.contains(" keeps to "))
            .collect();
        assert!(failed.is_empty(), "{protocol}: {}", finished.output);
        assert!(finished.output.contains(" of 40 steps passed"), "{}", finished.output);
    }
}
