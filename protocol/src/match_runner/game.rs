//! Playing one game: asks, judges every turn, keeps the clocks.

use std::time::Duration;

use merel_engine::{Color, Game, Position, Turn};

use super::adjudication::Adjudicator;
use super::breach::breach;
use super::clock::{Clock, go};
use super::config::{EngineConfig, MatchConfig};
use super::endgame::TableJudge;
use super::ending::Ending;
use super::opening::Opening;
use super::wire::{Answer, Failure, FailureKind, Player, Score, Thought};
use crate::text::clip;

/// A turn as it was played.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Played {
    pub(super) turn: Turn,
    /// From the view of the player who made it.
    pub(super) score: Option<Score>,
    /// What the engine said of it, or of its first part.
    pub(super) answer: Answer,
    /// For the whole turn.
    pub(super) time: Duration,
    /// On the clock after the turn, if there is one.
    pub(super) time_left: Option<Duration>,
}

impl Played {
    /// Measured less reported time, in ms. The reported one is in whole ms.
    pub(super) fn latency_ms(&self) -> Option<f64> {
        self.answer.time_ms.map(|reported| self.time.as_secs_f64() * 1000.0 - reported as f64)
    }
}

/// A breach of protocol that cost no game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Breach {
    /// Whose.
    pub(super) by: Color,
    /// The turn after the opening, from 1.
    pub(super) turn: usize,
    pub(super) what: String,
}

/// A game that has ended.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// The turns after the opening.
    pub(super) turns: Vec<Played>,
    pub(super) ending: Ending,
    /// The first breaches of protocol of each player.
    pub(super) breaches: Vec<Breach>,
    /// Where it ended.
    pub(super) last: Position,
}

/// A fault that an engine has in every turn need not be told of each.
const MOST_BREACHES: usize = 5;

/// A player in this game.
struct Side<'a> {
    player: &'a mut Player,
    /// The command that sets the position, which grows by each turn.
    position: String,
}

/// One game under way.
struct Table<'a> {
    sides: [Side<'a>; 2],
    clocks: [Clock; 2],
    game: Game,
    breaches: Vec<Breach>,
    /// The turn being made, from 1.
    turn_number: usize,
}

/// Plays a game. The players are White and Black, and ready; so are their settings.
pub(super) fn play(
    config: &MatchConfig,
    opening: &Opening,
    tables: Option<&TableJudge>,
    players: [&mut Player; 2],
    engines: [&EngineConfig; 2],
) -> Record {
    let game = opening.game();
    let unplayed =
        |ending| Record { turns: Vec::new(), ending, breaches: Vec::new(), last: *game.position() };
    let mut sides = players.map(|player| {
        // Openings that a dialect cannot say were refused before the match.
        let position = player.dialect().position(&opening.start).unwrap_or_default();
        Side { player, position }
    });
    for (color, side) in Color::ALL.into_iter().zip(&mut sides) {
        for &turn in &opening.turns {
            side.append(turn);
        }
        match side.player.new_game() {
            Ok(()) => {}
            Err(Some(failure)) => return unplayed(failed(color, failure)),
            Err(None) => return unplayed(Ending::Interrupted),
        }
    }
    let clocks = engines.map(|engine| Clock::new(engine.limits));
    let mut table = Table { sides, clocks, game, breaches: Vec::new(), turn_number: 0 };
    let mut judge = Adjudicator::new(config.draw, config.resign, config.max_moves);
    let mut turns = Vec::new();
    let ending = loop {
        if let Some(outcome) = table.game.outcome() {
            break Ending::Normal(outcome);
        }
        let mover = table.game.position().to_move();
        let number = table.game.position().fullmove().into();
        table.turn_number = turns.len() + 1;
        match table.turn(mover) {
            Ok(played) => {
                let by_score = judge.note(mover, played.score, played.turn.is_capture(), number);
                turns.push(played);
                // What the rules decide goes before all, and what is certain before opinions.
                if table.game.outcome().is_none() {
                    let by_tables = tables.and_then(|tables| tables.call(&table.game));
                    if let Some(ending) = by_tables.or(by_score) {
                        break ending;
                    }
                }
            }
            Err(ending) => break ending,
        }
    };
    Record { turns, ending, breaches: table.breaches, last: *table.game.position() }
}

/// The end that a failure is.
fn failed(loser: Color, failure: Failure) -> Ending {
    let detail = failure.detail;
    match failure.kind {
        FailureKind::Disconnect => Ending::Disconnect { loser, detail },
        FailureKind::Stall => Ending::Stall { loser, detail },
    }
}

impl Side<'_> {
    /// Adds a turn to the position; the first is announced.
    fn append(&mut self, turn: Turn) {
        if !self.position.contains(" moves") {
            self.position.push_str(" moves");
        }
        self.player.dialect().append(&mut self.position, turn);
    }
}

impl Table<'_> {
    /// A whole turn of this player, in as many answers as its dialect needs.
    fn turn(&mut self, mover: Color) -> Result<Played, Ending> {
        let mut whole: Option<Turn> = None;
        let mut time = Duration::ZERO;
        let mut first: Option<Answer> = None;
        loop {
            let (answer, part, used) = self.part(mover)?;
            time += used;
            whole = Some(match whole {
                None => part,
                Some(begun) => {
                    part.captures().into_iter().flatten().fold(begun, Turn::with_capture)
                }
            });
            // The score of the turn is that of its action.
            let answer = first.take().unwrap_or(answer);
            if self.game.position().captures_due() == 0
                && let Some(turn) = whole
            {
                let [white, black] = &mut self.clocks;
                let clock = if mover == Color::White { white } else { black };
                clock.end_turn();
                let time_left = clock.remaining();
                return Ok(Played { turn, score: answer.score, answer, time, time_left });
            }
            first = Some(answer);
        }
    }

    /// One answer, which is a whole turn or, in a dialect of single actions, a part of one: it is
    /// checked and played.
    fn part(&mut self, mover: Color) -> Result<(Answer, Turn, Duration), Ending> {
        let line = go(&self.clocks, mover);
        let [white, black] = &mut self.sides;
        let (side, other) = if mover == Color::White { (white, black) } else { (black, white) };
        let [white_clock, black_clock] = &mut self.clocks;
        let clock = if mover == Color::White { white_clock } else { black_clock };
        let budget = clock.budget();
        let allowed = budget.map(|time| time + clock.margin());
        let flip = side.player.dialect().flips(mover);
        let (answer, used, is_late) = match side.player.think(&side.position, &line, flip, allowed)
        {
            Thought::InTime(answer, used) => (answer, used, false),
            Thought::Late(answer, used) => (answer, used, true),
            Thought::Failed(failure) => return Err(failed(mover, failure)),
            Thought::Interrupted => return Err(Ending::Interrupted),
        };
        let token = answer.best.as_deref().unwrap_or_default();
        let position = self.game.position();
        let is_single = side.player.dialect() == super::wire::Dialect::Sanmill;
        let read = if is_single { position.parse_part(token) } else { position.parse_turn(token) };
        let read = read.map_err(|error| {
            if matches!(token, "" | "(none)" | "none" | "0000" | "draw") {
                "no turn, although the game goes on".to_owned()
            } else {
                error.to_string()
            }
        });
        if is_late {
            let overrun = used.saturating_sub(budget.unwrap_or_default());
            return Err(Ending::TimeForfeit {
                loser: mover,
                // Never told as 0.
                overrun_ms: overrun.as_micros().div_ceil(1000) as u64,
                illegal: read.err().map(|reason| format!("'{}': {reason}", clip(token))),
            });
        }
        let part = read.map_err(|reason| Ending::IllegalMove {
            loser: mover,
            token: clip(token),
            reason,
            position: side.position.clone(),
        })?;
        clock.spend(used);
        let told = self.breaches.iter().filter(|breach| breach.by == mover).count();
        if told < MOST_BREACHES
            && let Some(what) = breach(&self.game, side.player.dialect(), &answer)
        {
            self.breaches.push(Breach { by: mover, turn: self.turn_number, what });
        }
        side.append(part);
        other.append(part);
        // It was just found legal, whole or as a part.
        if let Err(error) = self.game.play_text(&part.to_string()) {
            return Err(Ending::IllegalMove {
                loser: mover,
                token: clip(token),
                reason: error.to_string(),
                position: String::new(),
            });
        }
        Ok((answer, part, used))
    }
}
