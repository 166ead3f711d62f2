//! An engine that misbehaves in the way that its first argument says, at the turn that its second
//! one says (from 1, counted over the life of the process). Otherwise it plays the first legal turn.

use std::io::{BufRead, Write, stdin, stdout};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use merel_engine::{Game, Position, Rules, Turn};

/// It never outlives a test that has forgotten it.
const LIFETIME: Duration = Duration::from_secs(60);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().unwrap_or_default();
    let at: u32 = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    if mode == "dies-start" {
        exit(3);
    }
    let mut game = Game::start(Rules::default());
    let mut turns = 0;
    for line in stdin().lock().lines() {
        let Ok(line) = line else { break };
        let word = line.split(' ').next().unwrap_or_default();
        match word {
            _ if mode == "mute" => {}
            "uci" if mode == "dies-hello" => exit(3),
            "uci" => {
                let name = if mode == "sanmill" { "TGF Mill Rust" } else { "Bad" };
                say(&format!("id name {name}\nid author nobody\nuciok"));
            }
            "isready" if mode == "dies-ready" => exit(3),
            "isready" if mode == "unready" || mode == "deaf" && turns >= at => {}
            "isready" => say("readyok"),
            "ucinewgame" if mode == "dies-newgame" => exit(3),
            "position" if mode == "dies-position" => exit(3),
            "position" => game = read(&line),
            "go" => {
                turns += 1;
                if turns >= at {
                    misbehave(&mode, &game);
                } else {
                    answer(&game, "info depth 1 score cp 0 nodes 1");
                }
            }
            "quit" if mode != "never-quits" => return,
            _ => {}
        }
    }
    if mode == "never-quits" {
        sleep(LIFETIME);
    }
}

fn say(line: &str) {
    let mut out = stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

/// The game of a `position` command.
fn read(line: &str) -> Game {
    let (base, moves) = line.split_once(" moves ").unwrap_or((line, ""));
    let mut game = match base.split_once("fen ") {
        Some((_, fen)) => Game::new(Position::from_fen(fen, Rules::default()).expect("a FEN")),
        None => Game::start(Rules::default()),
    };
    for token in moves.split_whitespace() {
        game.play_text(token).expect("a legal turn");
    }
    game
}

fn first_turn(game: &Game) -> Turn {
    *game.position().legal_turns().first().expect("the game goes on")
}

fn answer(game: &Game, info: &str) {
    say(&format!("{info}\nbestmove {}", first_turn(game)));
}

fn misbehave(mode: &str, game: &Game) {
    match mode {
        "silent" => {}
        "slow" => {
            sleep(Duration::from_millis(400));
            answer(game, "info depth 1 score cp 0");
        }
        "late-and-wrong" => {
            sleep(Duration::from_millis(400));
            say("bestmove a1-a1");
        }
        "wrong" => say("info depth 1 score cp 0\nbestmove a9"),
        "null" => say("bestmove (none)"),
        "empty" => say("bestmove"),
        "garbage" => {
            let mut out = stdout().lock();
            let _ = out.write_all(b"\xff\xfe\x00bestmove\x00\n\n\n{}[]\xc3\x28\nbestmov a1\n");
            let _ = out.flush();
        }
        "noise" => {
            say(
                "\u{1b}[31mhello\n\ninfo\ninfo score\ninfo string bestmove a1\n\t info depth x score cp y",
            );
            answer(game, "info depth 1 score cp 0 wdl 1 2 3 strange words");
        }
        "dies" => exit(3),
        "closes-output" => {
            close(1);
            sleep(LIFETIME);
        }
        "closes-input" => {
            close(0);
            sleep(LIFETIME);
        }
        "floods" => loop {
            say("info depth 1 score cp 0 nodes 1 pv a1 a4 a7 d1 d2 d3");
        },
        "floods-a-line" => {
            let mut out = stdout().lock();
            while out.write_all(&[b'x'; 4096]).is_ok() {}
            exit(0);
        }
        "floods-and-answers" => {
            for _ in 0..20_000 {
                say("info depth 1 score cp 0 nodes 1 pv a1 a4 a7 d1 d2 d3");
            }
            answer(game, "info depth 1 score cp 0");
        }
        "losing" => answer(game, "info depth 1 score cp -900"),
        "winning" => answer(game, "info depth 1 score cp 900"),
        "scoreless" => answer(game, "info depth 1"),
        "wrong-variation" => answer(game, &format!("info score cp 0 pv {0} {0}", first_turn(game))),
        "other-variation" => answer(game, "info score cp 0 pv a9"),
        "processors" => {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let allowed = status.lines().find(|l| l.starts_with("Cpus_allowed_list"));
            let allowed = allowed.unwrap_or_default().replace('\t', " ");
            answer(game, &format!("info string {allowed}\ninfo depth 1 score cp 0"));
        }
        // All in one line, one action each, White's view: White is always ahead here.
        "sanmill" => {
            let turn = first_turn(game);
            let action = turn.without_captures().unwrap_or_else(|| {
                Turn::capture_only(turn.captures()[0].expect("it does something"))
            });
            say(&format!("info depth 5 score cp 900 nodes 12 bestmove {action}"));
        }
        _ => answer(game, "info depth 1 score cp 0 nodes 1"),
    }
}

/// Closes a standard stream.
#[cfg(unix)]
fn close(number: i32) {
    use std::os::fd::{FromRawFd, OwnedFd};
    // SAFETY: the stream is open, and nothing in this process uses it from here on.
    drop(unsafe { OwnedFd::from_raw_fd(number) });
}

#[cfg(not(unix))]
fn close(_: i32) {
    exit(3);
}
