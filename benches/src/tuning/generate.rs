//! Games of the engine against itself, as a source of labelled positions.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;

use merel_engine::{Color, Engine, Game, Limits, Outcome, Position, Rules, SearchOptions};

use crate::rng::Rng;
use crate::search;

/// How the games are played.
#[derive(Clone, Copy, Debug)]
pub struct SelfPlay {
    /// How many.
    pub games: usize,
    /// Nodes for each turn.
    pub nodes: u64,
    /// Seed of the random turns.
    pub seed: u64,
    /// Games at a time; the output is the same for any number.
    pub concurrency: usize,
}

/// Turns without placement or capture after which a game counts as drawn.
const DRAWN_AFTER: u16 = 60;
/// After so many of them a position is written no more: those of a game that only shuffles are all
/// alike.
const WRITTEN_UNTIL: u16 = 16;
/// In every other game a random turn is played once among so many after the opening.
const DEVIATION_WITHIN: usize = 40;

/// Plays games that begin with 4 to 12 random turns, and half of them with another one later on,
/// and writes their quiet positions, those in which the side to move cannot capture, with the
/// result. `report` gets the number of games written.
///
/// # Errors
/// When `out` cannot be written.
pub fn generate(
    play: SelfPlay,
    out: &mut dyn Write,
    report: &mut dyn FnMut(usize),
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, games) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..play.concurrency.max(1) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                let mut engine = Engine::new();
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= play.games {
                        break;
                    }
                    if sender.send((number, self_play(&mut engine, play, number))).is_err() {
                        break; // The output failed.
                    }
                }
            });
        }
        drop(sender);
        // Games are written in the order of their numbers.
        let mut early = BTreeMap::new();
        let mut written = 0;
        for (number, lines) in games {
            early.insert(number, lines);
            while let Some(lines) = early.remove(&written) {
                out.write_all(lines.as_bytes())?;
                written += 1;
                report(written);
            }
        }
        out.flush()
    })
}

/// The lines of one game.
fn self_play(engine: &mut Engine, play: SelfPlay, number: usize) -> String {
    let mut rng = Rng::new(Rng::new(play.seed).next() ^ number as u64);
    engine.clear_hash();
    let mut game = Game::new(random_start(&mut rng));
    let deviation = (rng.below(2) == 0).then(|| rng.below(DEVIATION_WITHIN));
    let mut seen = HashSet::new();
    let mut positions = Vec::new();
    let mut turns_played = 0;
    while game.outcome().is_none() && game.position().quiet() < DRAWN_AFTER {
        let position = game.position();
        let turns = position.legal_turns();
        if deviation == Some(turns_played) {
            game.play(turns[rng.below(turns.len())]);
            // The result says nothing about what was on the board before a turn that is no play.
            positions.clear();
        } else {
            let is_quiet = !turns.iter().any(|t| t.is_capture());
            if is_quiet && position.quiet() <= WRITTEN_UNTIL && seen.insert(position.key()) {
                positions.push(position.fen());
            }
            let limits = Limits { nodes: Some(play.nodes), ..Limits::default() };
            let (_, best) = search(engine, &game, limits, SearchOptions::default());
            game.play(best.expect("a search has a result").best);
        }
        turns_played += 1;
    }
    let label = match game.outcome() {
        Some(Outcome::Win { winner: Color::White, .. }) => "1",
        Some(Outcome::Win { winner: Color::Black, .. }) => "0",
        _ => "0.5",
    };
    positions.into_iter().map(|fen| format!("{fen};{label}\n")).collect()
}

fn random_start(rng: &mut Rng) -> Position {
    let mut position = Position::start(Rules::default());
    for _ in 0..4 + rng.below(9) {
        let turns = position.legal_turns();
        position = position.after(turns[rng.below(turns.len())]);
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::Sample;

    fn lines(concurrency: usize) -> String {
        let mut out = Vec::new();
        let play = SelfPlay { games: 6, nodes: 200, seed: 5, concurrency };
        generate(play, &mut out, &mut |_| ()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_same_readable_lines_come_from_any_number_of_threads() {
        let text = lines(1);
        assert!(text.lines().count() > 20);
        for line in text.lines() {
            Sample::parse(line).unwrap();
        }
        assert_eq!(lines(2), text);
    }
}
