//! A place where games are played, one after the other. There are as many as games at a time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use super::affinity;
use super::config::MatchConfig;
use super::endgame::TableJudge;
use super::game::{self, Record};
use super::opening::Openings;
use super::results::Results;
use super::schedule::{Schedule, Task};
use super::wire::{Identity, Player, StartError, Transcript};

/// What the places tell.
#[derive(Debug)]
pub(super) enum Message {
    /// An engine has greeted.
    Met(usize, Box<Identity>),
    /// A game begins.
    Started(Task),
    /// A game has ended.
    Finished(Task, Box<Record>),
    /// Something that the user should know.
    Warning(String),
    /// An engine cannot be used, so that there is no match.
    Unusable(usize, String),
}

/// What all places share.
pub(super) struct Hall<'a> {
    pub(super) config: &'a MatchConfig,
    pub(super) schedule: &'a Schedule,
    pub(super) openings: &'a Openings,
    pub(super) tables: Option<&'a TableJudge>,
    /// The processor of each place; any when there are none.
    pub(super) processors: Vec<usize>,
    pub(super) transcript: Transcript,
    /// Games that need not be played.
    pub(super) done: Results,
    /// No game with a smaller number is left.
    pub(super) next: AtomicU64,
    /// Set to end all games at once.
    pub(super) stop: &'static AtomicBool,
}

impl Hall<'_> {
    fn next_task(&self) -> Option<Task> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            let task = self.schedule.task(id)?;
            if !self.done.is_done(id) {
                return Some(task);
            }
        }
    }

    /// Plays games until there are no more. `place` is its number, from 1.
    pub(super) fn work(&self, place: usize, messages: &Sender<Message>) {
        // The engines of the last game, kept for the next.
        let mut players: Vec<(usize, Player)> = Vec::new();
        let mut is_first = true;
        // What is started from here on, the engines too, stays where this thread is.
        if let Some(&processor) = self.processors.get(place - 1)
            && let Err(warning) = affinity::bind(processor)
        {
            let _ = messages.send(Message::Warning(warning));
        }
        while let Some(task) = self.next_task() {
            if !is_first && !self.pause() {
                break;
            }
            is_first = false;
            let Some(record) = self.game(&task, place, &mut players, messages) else { break };
            let restarts = |engine: usize| {
                self.config.engines.get(engine).is_some_and(|config| config.restart)
            };
            if record.ending.is_failure() {
                let loser = record.ending.winner().map(|winner| !winner);
                let lost = loser.and_then(|color| task.engines.get(color.index()));
                players.retain(|(engine, _)| Some(engine) != lost);
            }
            let (leaving, staying) = players.into_iter().partition(|&(engine, _)| restarts(engine));
            players = staying;
            dismiss(leaving);
            // Nobody listens once the match has failed.
            if messages.send(Message::Finished(task, Box::new(record))).is_err() {
                break;
            }
        }
        dismiss(players);
    }

    /// Waits as long as is asked for between games; `false` when the match is stopped meanwhile.
    fn pause(&self) -> bool {
        let end = Instant::now() + Duration::from_millis(self.config.wait_ms);
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(Duration::from_millis(50)));
        }
    }

    /// Plays a game; `None` when there can be no more.
    fn game(
        &self,
        task: &Task,
        place: usize,
        players: &mut Vec<(usize, Player)>,
        messages: &Sender<Message>,
    ) -> Option<Record> {
        let (staying, leaving) =
            std::mem::take(players).into_iter().partition(|(e, _)| task.engines.contains(e));
        *players = staying;
        dismiss(leaving);
        for engine in task.engines {
            if players.iter().any(|&(e, _)| e == engine) {
                continue;
            }
            match self.start(engine, place) {
                Ok(player) => {
                    let identity = Box::new(player.identity().clone());
                    players.push((engine, player));
                    messages.send(Message::Met(engine, identity)).ok()?;
                }
                Err(StartError::Unusable(reason)) => {
                    self.stop.store(true, Ordering::Relaxed);
                    let _ = messages.send(Message::Unusable(engine, reason));
                    return None;
                }
                Err(StartError::Interrupted) => return None,
            }
        }
        messages.send(Message::Started(*task)).ok()?;
        let [white, black] = task.engines;
        let mut white_player = None;
        let mut black_player = None;
        for (engine, player) in players.iter_mut() {
            if *engine == white {
                white_player = Some(player);
            } else if *engine == black {
                black_player = Some(player);
            }
        }
        let configs = [self.config.engines.get(white)?, self.config.engines.get(black)?];
        let opening = self.openings.of_round(task.round);
        Some(game::play(self.config, opening, self.tables, [white_player?, black_player?], configs))
    }

    fn start(&self, engine: usize, place: usize) -> Result<Player, StartError> {
        let Some(config) = self.config.engines.get(engine) else {
            return Err(StartError::Unusable("there is no such engine".to_owned()));
        };
        Player::start(
            config,
            &self.config.rules,
            self.config.patience,
            format!("{}#{place}", config.name),
            self.transcript.clone(),
            self.stop,
        )
    }
}

/// Sends engines away, all at once.
fn dismiss(players: Vec<(usize, Player)>) {
    thread::scope(|scope| {
        for (_, player) in players {
            scope.spawn(|| player.quit());
        }
    });
}
