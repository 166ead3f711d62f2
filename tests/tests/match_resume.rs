//! A match that was killed or interrupted goes on as if nothing had been.

use std::thread;
use std::time::Duration;

use merel_tests::matches::{Finished, Place, WrittenGame};

const RUNNER: &str = env!("CARGO_BIN_EXE_merel-match-under-test");
const MEREL: &str = env!("CARGO_BIN_EXE_merel-under-test");

const OPENINGS: &str = "a7 b6 d7 d6\nd2 f4 b4 d6\nd6 d2 f4 b4 e4\nd6 f4 d2 b4 g4 d7\na1 g7 d3 e4\n";

/// A match whose games are the same each time: the engines are started anew for each, so that none
/// hangs on those before.
fn words(save_interval: &str) -> Vec<String> {
    let text = format!(
        "-engine cmd={MEREL} name=first nodes=800 -engine cmd={MEREL} name=second nodes=200 \
         -each option.Hash=1 option.TablebaseProbeLimit=0 restart=on -rounds 10 -openings file=openings.txt -maxmoves 40 -concurrency 2 \
         -autosaveinterval {save_interval} -config outname=match.json -pgnout file=games.pgn min=true -epdout file=ends.epd"
    );
    text.split_whitespace().map(str::to_owned).collect()
}

fn start(place: &Place, save_interval: &str) -> merel_tests::matches::Run {
    place.write("openings.txt", OPENINGS);
    let words = words(save_interval);
    place.start(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn sorted_games(place: &Place) -> Vec<WrittenGame> {
    let mut games = place.games("games.pgn");
    games.iter_mut().for_each(|game| game.tags.retain(|(name, _)| name != "Date"));
    games.sort();
    games
}

/// Names the first game that differs: all at once would be too much to read.
fn assert_same(games: &[WrittenGame], expected: &[WrittenGame]) {
    assert_eq!(games.len(), expected.len());
    for (game, expected) in games.iter().zip(expected) {
        assert_eq!(game, expected);
    }
}

fn sorted_ends(place: &Place) -> Vec<String> {
    let text = std::fs::read_to_string(place.path("ends.epd")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn report(finished: &Finished) -> Vec<&str> {
    finished.output.lines().rev().skip_while(|l| !l.starts_with("Ptnml")).take(5).collect()
}

/// The report, the games and their final positions.
fn uninterrupted() -> (Vec<String>, Vec<WrittenGame>, Vec<String>) {
    let place = Place::new(RUNNER);
    let finished = start(&place, "1").end();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let report: Vec<String> = report(&finished).into_iter().map(str::to_owned).collect();
    assert_eq!(report.len(), 5, "{finished:?}");
    (report, sorted_games(&place), sorted_ends(&place))
}

#[test]
fn after_kills_at_any_moment_the_totals_and_the_games_are_the_same() {
    let (expected, games, ends) = uninterrupted();
    assert_eq!((games.len(), ends.len()), (20, 20));
    for end in &ends {
        let (fen, told) = end.split_once("; c0 ").unwrap();
        merel_engine::Position::from_fen(fen, merel_engine::Rules::default()).unwrap();
        assert!(told.contains("; c1 \"") && told.contains("; c2 \""), "{end}");
    }
    for (seed, save_interval) in [(1u64, "1"), (2, "3"), (3, "1")] {
        let place = Place::new(RUNNER);
        let mut run = start(&place, save_interval);
        let mut state = seed;
        for _ in 0..6 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            thread::sleep(Duration::from_millis(20 + (state >> 33) % 200));
            run.kill();
            run = if place.path("match.json").exists() {
                place.start(&["-config", "match.json"])
            } else {
                start(&place, save_interval)
            };
        }
        let finished = run.end();
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert_eq!(report(&finished), expected, "seed {seed}");
        assert_same(&sorted_games(&place), &games);
        assert_eq!(sorted_ends(&place), ends);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_ends_at_once_and_says_how_to_go_on() {
    let (expected, games, ends) = uninterrupted();
    let place = Place::new(RUNNER);
    let run = start(&place, "1");
    thread::sleep(Duration::from_millis(150));
    let id = run.child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill");
    assert!(sent.success());
    let finished = run.end();
    // A fast machine may have finished before.
    if finished.code == Some(130) {
        assert!(
            finished.output.contains(" of 20 games. To go on:\n  merel-match -config match.json\n"),
            "{finished:?}"
        );
        for game in place.games("games.pgn") {
            let is_interrupted = game.tag("Termination") == "interrupted";
            assert_eq!(game.result == "*", is_interrupted, "{game:?}");
        }
    } else {
        assert_eq!(finished.code, Some(0), "{finished:?}");
    }
    let finished = place.run(&["-config", "match.json"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(report(&finished), expected);
    assert_same(&sorted_games(&place), &games);
    assert_eq!(sorted_ends(&place), ends);
}

#[test]
fn a_save_that_does_not_fit_is_refused_by_name() {
    let place = Place::new(RUNNER);
    let finished = start(&place, "1").end();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let refusal = |part: &str| {
        let finished = place.run(&["-config", "match.json"]);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(finished.errors.contains(part), "{finished:?}");
    };
    place.write("openings.txt", "a7\n");
    refusal("the file has changed since the match was saved");
    place.write("openings.txt", OPENINGS);
    let save = std::fs::read_to_string(place.path("match.json")).unwrap();
    place.write("games.pgn", "");
    refusal("games.pgn' has 0 bytes");
    place.write("match.json", &save.replace("\"wins\": ", "\"wins\": 1"));
    refusal("do not fit");
    place.write("match.json", &save[..save.len() / 2]);
    refusal("'match.json' is no saved match");
}

#[test]
fn a_saved_match_can_be_played_again_from_its_first_game() {
    let place = Place::new(RUNNER);
    let finished = start(&place, "0").end();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let again = place.run(&["-config", "file=match.json", "stats=false"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(report(&again), report(&finished));
    // The game file is added to, as by any new match.
    assert_eq!(place.games("games.pgn").len(), 40);
}

#[test]
fn a_finished_match_can_be_made_longer() {
    let place = Place::new(RUNNER);
    assert_eq!(start(&place, "1").end().code, Some(0));
    let finished = place.run(&["-config", "match.json", "-rounds", "12"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.output.contains("Games: 24,"), "{finished:?}");
    assert_eq!(place.games("games.pgn").len(), 24);
}
