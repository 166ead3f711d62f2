//! Starting searches.

use std::sync::Arc;
use std::time::{Duration, Instant};

use merel_engine::{Clock, Game, Limits, Report, Turn};

use super::{Search, Session};
use crate::command::Go;
use crate::format::Dialect;
use crate::input::Event;
use crate::text::clip;

/// What a `go` without limits takes where clients expect an answer.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

impl Session {
    /// Starts a search (or `go perft`), after one that still runs has been ended.
    ///
    /// # Errors
    /// Why there is none; a `bestmove` is owed then.
    pub(super) fn go(&mut self, go: &Go<'_>, received: Instant) -> Result<(), String> {
        self.halt();
        if let Some(what) = go.perft {
            return self.perft(what);
        }
        let game = self.game()?;
        let format = self.format(game.position().to_move());
        if let Some(outcome) = game.outcome() {
            self.output.lines(&format.finished(outcome).join("\n"));
            return Ok(());
        }
        let limits = self.limits(go, game, received)?;
        let mut options = self.options.search_options();
        if format.dialect == Dialect::Gbgp {
            // Its info lines have no rank.
            options.multi_pv = 1;
        }
        self.searches += 1;
        let number = self.searches;
        let has_limit = go.is_limited() || limits.move_time.is_some();
        let is_limited = has_limit && !limits.infinite && !limits.ponder;
        self.search = Some(Search { number, is_limited });
        let (output, events) = (self.output.clone(), self.events.clone());
        let tables = Arc::clone(self.engine.tables());
        // Borrows end here: the engine copies what it needs of the game.
        let Ok(game) = &self.game else { return Ok(()) };
        self.engine.start(game, limits, options, move |report| match report {
            Report::Info(info) => output.lines(&format.info(&info)),
            Report::Done(result) => {
                let mut lines = format.best(result);
                if let Some(damage) = tables.untold_damage() {
                    lines.insert_str(0, &format!("info string endgame table {damage}\n"));
                }
                output.lines(&lines);
                // Nobody listens when the program is ending anyway.
                let _ = events.send(Event::SearchDone(number));
            }
        });
        Ok(())
    }

    fn limits(&self, go: &Go<'_>, game: &Game, received: Instant) -> Result<Limits, String> {
        let answers_soon = self.dialect() != Dialect::Turn;
        let mut limits = Limits {
            start: received,
            depth: go.depth,
            nodes: go.nodes,
            move_time: go.move_time,
            clock: clock(go, game),
            mate: go.mate,
            infinite: go.infinite,
            ponder: go.ponder,
            search_turns: self.search_turns(go, game)?,
        };
        if !go.is_limited() && !go.infinite {
            if answers_soon {
                limits.move_time = Some(DEFAULT_TIME);
            } else if !go.ponder {
                limits.infinite = true;
            }
        }
        Ok(limits)
    }

    /// The turns to consider: each a whole turn, or among single actions every turn that begins so.
    fn search_turns(&self, go: &Go<'_>, game: &Game) -> Result<Vec<Turn>, String> {
        let position = game.position();
        let mut turns = Vec::new();
        for token in &go.search_moves {
            let refuse = |error| format!("go searchmoves '{}': {error}", clip(token));
            if self.dialect() == Dialect::Sanmill {
                let part = position.parse_part(token).map_err(refuse)?;
                turns.extend(position.legal_turns().into_iter().filter(|&t| begins_with(t, part)));
            } else {
                turns.push(position.parse_turn(token).map_err(refuse)?);
            }
        }
        turns.sort_unstable();
        turns.dedup();
        Ok(turns)
    }
}

/// The clock of the side to move. Where only the other one is told, both are taken to stand alike:
/// a client that sends any clock expects an answer in time.
fn clock(go: &Go<'_>, game: &Game) -> Option<Clock> {
    let own = |[white, black]: [Option<Duration>; 2]| match game.position().to_move() {
        merel_engine::Color::White => white.or(black),
        merel_engine::Color::Black => black.or(white),
    };
    let (time, increment) = (own(go.time), own(go.increment));
    (time.is_some() || increment.is_some()).then(|| Clock {
        remaining: time.unwrap_or_default(),
        increment: increment.unwrap_or_default(),
        turns_to_go: go.turns_to_go,
    })
}

/// Whether a turn is the same as the part or goes on from it with further captures.
fn begins_with(turn: Turn, part: Turn) -> bool {
    let same_captures = turn
        .captures()
        .into_iter()
        .zip(part.captures())
        .all(|(of_turn, of_part)| of_part.is_none() || of_part == of_turn);
    turn.without_captures() == part.without_captures() && same_captures
}

#[cfg(test)]
mod tests {
    use super::*;
    use merel_engine::{Rules, parse_turn};

    #[test]
    fn an_action_begins_every_turn_that_goes_on_from_it() {
        let begins = |turn, part| begins_with(parse_turn(turn).unwrap(), parse_turn(part).unwrap());
        assert!(begins("d6xb4xc3", "d6") && begins("d6xb4xc3", "d6xb4") && begins("xb4xc3", "xb4"));
        assert!(!begins("d6xb4", "d6xc3") && !begins("a7-d7", "d7") && !begins("d6", "d6xb4"));
    }

    #[test]
    fn the_clock_is_that_of_the_side_to_move_or_the_only_one_told() {
        let ms = |n| Some(Duration::from_millis(n));
        let mut game = Game::start(Rules::default());
        let both = Go { time: [ms(1), ms(2)], increment: [None, ms(3)], ..Go::default() };
        let only_black = Go { time: [None, ms(2)], ..Go::default() };
        let remaining = |go: &Go<'_>, game: &Game| clock(go, game).map(|c| c.remaining);
        assert_eq!(remaining(&both, &game), ms(1));
        assert_eq!(remaining(&only_black, &game), ms(2));
        assert_eq!(remaining(&Go::default(), &game), None);
        game.play_text("a7").unwrap();
        assert_eq!(remaining(&both, &game), ms(2));
    }
}
