//! What the match runner adds to each turn: matches between engines that answer at once.
//!
//! `cargo bench -p merel-benches --bench match_overhead [-- --games 400]`. The figure is wall time
//! per turn with one game at a time, start of the engines included, so it also holds what such an
//! engine itself takes to read the position and to answer, and both ways through the pipes.

use std::fs;
use std::io::{BufRead, Write, stdin, stdout};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use clap::Parser;
use merel_engine::{Game, Rules};

/// The overhead of the match runner per turn.
#[derive(Parser)]
struct Arguments {
    /// Games to play; an even number.
    #[arg(long, default_value = "400")]
    games: u32,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// An engine that answers at once, with a turn that depends on the game so far.
fn engine() {
    let mut position = String::new();
    for line in stdin().lock().lines().map_while(Result::ok) {
        let answer = match line.split(' ').next() {
            Some("uci") => "id name Prompt\nuciok".to_owned(),
            Some("isready") => "readyok".to_owned(),
            Some("position") => {
                position = line;
                continue;
            }
            Some("go") => {
                let moves = position.split_once(" moves ").map_or("", |(_, moves)| moves);
                let mut game = Game::start(Rules::default());
                let mut choice = 7;
                for token in moves.split(' ').filter(|t| !t.is_empty()) {
                    let turn = game.play_text(token).expect("a legal turn");
                    choice = (choice * 31 + turn.to_bits() as usize) % 1_000_003;
                }
                let turns = game.position().legal_turns();
                format!("info depth 1 score cp 0 nodes 1\nbestmove {}", turns[choice % turns.len()])
            }
            Some("quit") => return,
            _ => continue,
        };
        println!("{answer}");
        stdout().flush().expect("the runner reads");
    }
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("as-engine") => {
            engine();
            return ExitCode::SUCCESS;
        }
        Some("as-runner") => {
            return merel_protocol::match_runner::run(std::env::args_os().skip(1));
        }
        _ => {}
    }
    let games = Arguments::parse().games.max(2);
    let own = std::env::current_exe().expect("the path of this program");
    let own = own.to_str().expect("a path in Unicode");
    let folder = std::env::temp_dir().join(format!("merel-overhead-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    let words = format!("cmd={own} args=as-engine nodes=1");
    let clock = Instant::now();
    let status = Command::new(own)
        .arg("as-runner")
        .args(["-engine", "name=a"])
        .args(words.split(' '))
        .args(["-engine", "name=b"])
        .args(words.split(' '))
        .args(["-rounds", &(games / 2).to_string(), "-pgnout", "file=games.pgn"])
        .current_dir(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the runner starts");
    let seconds = clock.elapsed().as_secs_f64();
    assert!(status.success(), "{status}");
    let text = fs::read_to_string(folder.join("games.pgn")).expect("the game file");
    // Every turn has its comment.
    let turns = text.matches('{').count() as u32;
    let _ = fs::remove_dir_all(&folder);
    println!(
        "{games} games, {turns} turns in {seconds:.2} s: {:.1} microseconds a turn",
        seconds * 1e6 / f64::from(turns)
    );
    ExitCode::SUCCESS
}
