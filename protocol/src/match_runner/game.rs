//! Playing one game: asks, judges every turn, keeps the clocks.

use std::time::Duration;

use merel_engine::{Color, Game, Turn};

use super::adjudication::Adjudicator;
use super::clock::{Clock, go};
use super::config::{EngineConfig, MatchConfig};
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
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
    /// For the whole turn.
    pub(super) time: Duration,
}

/// A game that has ended.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// The turns after the opening.
    pub(super) turns: Vec<Played>,
    pub(super) ending: Ending,
}

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
}

/// Plays a game. The players are White and Black, and ready; so are their settings.
pub(super) fn play(
    config: &MatchConfig,
    opening: &Opening,
    players: [&mut Player; 2],
    engines: [&EngineConfig; 2],
) -> Record {
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
            Err(Some(failure)) => {
                return Record { turns: Vec::new(), ending: failed(color, failure) };
            }
            Err(None) => return Record { turns: Vec::new(), ending: Ending::Interrupted },
        }
    }
    let clocks = engines.map(|engine| Clock::new(engine.limits));
    let mut table = Table { sides, clocks, game: opening.game() };
    let mut judge = Adjudicator::new(config.draw, config.resign, config.max_moves);
    let mut turns = Vec::new();
    loop {
        if let Some(outcome) = table.game.outcome() {
            return Record { turns, ending: Ending::Normal(outcome) };
        }
        let mover = table.game.position().to_move();
        let number = table.game.position().fullmove().into();
        match table.turn(mover) {
            Ok(played) => {
                let end = judge.note(mover, played.score, played.turn.is_capture(), number);
                turns.push(played);
                // What the rules decide goes before.
                if let Some(ending) = end
                    && table.game.outcome().is_none()
                {
                    return Record { turns, ending };
                }
            }
            Err(ending) => return Record { turns, ending },
        }
    }
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
            let answer = first.get_or_insert(answer);
            if self.game.position().captures_due() == 0
                && let Some(turn) = whole
            {
                let played = Played {
                    turn,
                    score: answer.score,
                    depth: answer.depth,
                    nodes: answer.nodes,
                    time,
                };
                let [white, black] = &mut self.clocks;
                if mover == Color::White { white } else { black }.end_turn();
                return Ok(played);
            }
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
        let (answer, used, is_late) =
            match side.player.think(side.position.clone(), line, flip, allowed) {
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
