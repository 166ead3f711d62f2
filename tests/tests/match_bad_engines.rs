//! Engines that misbehave lose their games by the right name, and never hold up the match.

use merel_tests::matches::{Finished, Place};

const RUNNER: &str = env!("CARGO_BIN_EXE_merel-match-under-test");
const BAD: &str = env!("CARGO_BIN_EXE_bad-engine");

/// Waits that end in a test's time.
const SHORT: &str =
    "-startup-ms 3000 -ping-ms 3000 -ucinewgame-ms 1000 -stop-ms 1000 -turn-ms 1000";

/// Plays the misbehaving engine (White in the first game) against one that does not.
fn play(place: &Place, mode: &str, limits: &str, more: &str) -> Finished {
    let bad = format!("args={mode}");
    let cmd = format!("cmd={BAD}");
    let mut arguments =
        vec!["-engine", &cmd, "name=bad", &bad, "-engine", &cmd, "name=good", "args=good", "-each"];
    arguments.extend(limits.split(' '));
    arguments.extend(["-pgnout", "file=games.pgn"]);
    arguments.extend(SHORT.split(' '));
    arguments.extend(more.split(' ').filter(|w| !w.is_empty()));
    place.run(&arguments)
}

/// The first game is lost by the first engine like this.
fn loses(mode: &str, limits: &str, termination: &str, details: &[&str]) {
    let place = Place::new(RUNNER);
    let finished = play(&place, mode, limits, "-rounds 1 -games 1");
    let games = place.games("games.pgn");
    let [game] = games.as_slice() else { panic!("{mode}: {games:?} {finished:?}") };
    assert_eq!(game.tag("Termination"), termination, "{mode}: {finished:?}");
    assert_eq!((game.result.as_str(), game.tag("Result")), ("0-1", "0-1"), "{mode}");
    for part in details {
        assert!(game.tag("ResultReason").contains(part), "{mode}: {game:?}");
    }
    // One that cannot go on stops the match, which can be taken up again.
    let stops = ["stall", "disconnect"].contains(&termination);
    assert_eq!(finished.code, Some(i32::from(stops)), "{mode}: {finished:?}");
    assert_eq!(finished.output.contains("merel-match -config merel-match.json -recover"), stops);
    assert_eq!(place.path("merel-match.json").exists(), stops, "{mode}");
}

#[test]
fn an_illegal_turn_is_told_with_the_whole_position() {
    loses("wrong 3", "nodes=1", "illegal move", &["'a9'", "no such point"]);
    loses("null", "nodes=1", "illegal move", &["'(none)'", "although the game goes on"]);
    loses("empty", "nodes=1", "illegal move", &["although the game goes on"]);
    let place = Place::new(RUNNER);
    let finished = play(&place, "wrong 3", "nodes=1", "-rounds 1 -games 1");
    let warning = finished.errors.lines().find(|line| line.contains("illegal move")).unwrap();
    let (_, sent) = warning.split_once("it was sent: position startpos moves ").unwrap();
    assert_eq!(sent.split(' ').count(), 4, "{warning}");
    assert!(finished.output.contains("bad: 0 time forfeits, 1 illegal moves, 0 stalls"));
}

#[test]
fn a_late_turn_is_a_time_forfeit_whether_legal_or_not() {
    loses("slow 2", "st=0.1", "time forfeit", &["ms late"]);
    loses("slow 2", "tc=0.1", "time forfeit", &["ms late"]);
    loses("late-and-wrong", "st=0.1", "time forfeit", &["ms late", "illegal move: 'a1-a1'"]);
}

#[test]
fn silence_is_a_stall() {
    loses("silent 2", "st=0.1", "stall", &["no bestmove", "after stop"]);
    loses("silent 2", "nodes=1", "stall", &["no bestmove in 1000 ms"]);
    loses("garbage", "st=0.1", "stall", &["no bestmove"]);
    loses("closes-input", "st=0.1", "stall", &[]);
    // Between two turns it is no matter of time.
    loses("deaf 2", "st=0.1", "stall", &["no readyok in 3000 ms after isready"]);
}

#[test]
fn an_engine_that_goes_is_a_disconnect() {
    loses("dies 2", "nodes=1", "disconnect", &["has ended"]);
    loses("dies-newgame", "nodes=1", "disconnect", &["has ended"]);
    loses("dies-position", "nodes=1", "disconnect", &["has ended"]);
    loses("closes-output 2", "nodes=1", "disconnect", &[]);
}

#[test]
fn floods_do_no_harm() {
    loses("floods 2", "st=0.1", "stall", &["no bestmove"]);
    loses("floods 2", "nodes=1", "stall", &["no bestmove"]);
    loses("floods-a-line 2", "st=0.1", "stall", &[]);
    for mode in ["floods-and-answers 5", "noise 1", "never-quits"] {
        let place = Place::new(RUNNER);
        let finished = play(&place, mode, "depth=1", "-rounds 1 -games 1 -maxmoves 6");
        assert_eq!(finished.code, Some(0), "{mode}: {finished:?}");
        assert_eq!(place.games("games.pgn")[0].turns.len(), 12, "{mode}");
    }
}

#[test]
fn an_engine_that_does_not_get_ready_stops_the_match_by_name() {
    for (mode, part) in [
        ("mute", "no uciok in 3000 ms"),
        ("dies-start", "has ended"),
        ("dies-hello", "has ended"),
        ("dies-ready", "has ended"),
        ("unready", "no readyok in 3000 ms"),
    ] {
        let place = Place::new(RUNNER);
        let finished = play(&place, mode, "nodes=1", "-rounds 1 -recover");
        assert_eq!(finished.code, Some(1), "{mode}: {finished:?}");
        let line = finished.errors.lines().find(|line| line.starts_with("error: ")).unwrap();
        assert!(line.contains("engine bad") && line.contains(part), "{mode}: {finished:?}");
    }
    let place = Place::new(RUNNER);
    let cmd = format!("cmd={BAD}");
    let words = ["-engine", "cmd=./nothing-here", "-engine", &cmd, "args=good", "-each", "nodes=1"];
    let finished = place.run(&words);
    assert_eq!(finished.code, Some(1));
    assert!(finished.errors.contains("./nothing-here' cannot be started"), "{finished:?}");
}

#[test]
fn with_recover_the_engine_is_started_again_and_the_match_goes_on() {
    let place = Place::new(RUNNER);
    let finished = play(&place, "dies 2", "nodes=1", "-rounds 3 -recover -concurrency 2");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(
        finished.output.contains("bad: 0 time forfeits, 0 illegal moves, 0 stalls, 6 disconnects")
    );
    assert!(finished.output.contains("Games: 6, Wins: 0, Losses: 6, Draws: 0"), "{finished:?}");
    assert_eq!(place.games("games.pgn").len(), 6);
}

#[test]
fn a_match_that_was_stopped_goes_on_with_recover() {
    let place = Place::new(RUNNER);
    let finished = play(&place, "dies 2", "nodes=1", "-rounds 2");
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let finished = place.run(&["-config", "merel-match.json", "-recover"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.output.contains("Games: 4, Wins: 0, Losses: 4, Draws: 0"), "{finished:?}");
    assert_eq!(place.games("games.pgn").len(), 4);
}

#[test]
fn what_is_wrong_about_a_turn_that_can_be_played_is_a_warning_or_with_strict_the_end() {
    for (mode, part) in [
        ("wrong-variation 2", "engine bad in game 1, turn 3: the variation"),
        ("other-variation 2", "does not begin with bestmove"),
        ("scoreless 2", "no score before bestmove"),
    ] {
        let place = Place::new(RUNNER);
        let finished = play(&place, mode, "depth=1", "-rounds 1 -maxmoves 20");
        assert_eq!(finished.code, Some(0), "{mode}: {finished:?}");
        assert_eq!(place.games("games.pgn").len(), 2);
        let warnings: Vec<&str> = finished.errors.lines().collect();
        // Every turn of it is so, and a few warnings a game are enough.
        assert!(warnings.len() == 10 && warnings[0].contains(part), "{mode}: {finished:?}");
        let place = Place::new(RUNNER);
        let finished = play(&place, mode, "depth=1", "-rounds 1 -maxmoves 20 -strict");
        assert_eq!(finished.code, Some(1), "{mode}: {finished:?}");
        let line = finished.errors.lines().find(|line| line.starts_with("error: -strict: "));
        assert!(line.unwrap().contains(part), "{mode}: {finished:?}");
        let ended = place.games("games.pgn").iter().filter(|game| game.result != "*").count();
        assert_eq!(ended, 1, "{mode}");
    }
}

#[test]
fn scores_end_games_by_adjudication() {
    for (mode, more, result) in [
        ("losing", "-resign movecount=3 score=800", "0-1"),
        ("winning", "-resign movecount=3 score=800", "1/2-1/2"),
        ("losing", "-resign movecount=3 score=800 twosided=true", "1/2-1/2"),
        ("good", "-draw movenumber=4 movecount=2 score=10", "1/2-1/2"),
    ] {
        let place = Place::new(RUNNER);
        let more = format!("-rounds 1 -games 1 -maxmoves 8 {more}");
        let finished = play(&place, mode, "depth=1", &more);
        assert_eq!(finished.code, Some(0), "{mode}: {finished:?}");
        let games = place.games("games.pgn");
        assert_eq!(games[0].result, result, "{mode}: {more}");
        assert_eq!(games[0].tag("Termination"), "adjudication");
        let is_short = games[0].turns.len() < 16;
        assert_eq!(is_short, mode == "losing" && result == "0-1" || mode == "good", "{mode}");
    }
}

#[test]
fn compliance_shows_the_dialogue_of_a_step_that_fails() {
    let place = Place::new(RUNNER);
    let check = |mode: &str| {
        let args = format!("args={mode}");
        place.run(&["-compliance", BAD, "-engine", &args, "-startup-ms", "3000"])
    };
    let finished = check("wrong");
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let shown = " 8 FAILED  finds a legal turn from the empty board: bestmove 'a9' is not legal: \
                 no such point on the board (a1 to g7)\n     > position startpos\n     > go depth 1\n     \
                 < info depth 1 score cp 0\n     < bestmove a9\n";
    assert!(finished.output.contains(shown), "{}", finished.output);
    let finished = check("mute");
    assert_eq!(finished.code, Some(1));
    assert_eq!(finished.output.lines().count(), 2, "{}", finished.output);
    assert!(finished.output.contains(" 1 FAILED  greets"), "{}", finished.output);
}
