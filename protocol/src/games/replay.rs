//! Replays the turns of a game as they are read.

use merel_engine::{Action, Color, Game, Outcome, Point, Position, Turn, TurnError};

use super::error::GameProblem;
use super::lexer::Word;
use super::notation::Notation;
use super::record::{Record, RecordedTurn};

/// So many legal turns are named when another one is refused.
const NAMED: usize = 6;

/// A game as far as it was read.
pub(super) struct Replay {
    record: Record,
    game: Game,
    notation: Notation,
    /// The position before the last turn.
    before: Position,
    /// The last turn as it was written, and its line.
    last: (Word, usize),
}

/// What is wrong with a turn, and where it stands.
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) token: String,
    pub(super) problem: GameProblem,
}

impl Replay {
    /// A replay of a game that has its beginning and no turns yet.
    pub(super) fn new(record: Record, notation: Notation) -> Self {
        let before = *record.start();
        let last = (Word::default(), 0);
        Self { game: Game::new(before), record, notation, before, last }
    }

    pub(super) fn turns(&self) -> usize {
        self.record.turns().len()
    }

    pub(super) fn black_begins(&self) -> bool {
        self.record.start().to_move() == Color::Black
    }

    /// The comments after the last turn.
    pub(super) fn last_comments(&mut self) -> Option<&mut Vec<String>> {
        self.record.turns_mut().last_mut().map(|turn| &mut turn.comments)
    }

    /// Plays a turn, or captures that belong to the last one.
    ///
    /// # Errors
    /// Why it is not legal, or that the last turn lacks a capture.
    pub(super) fn add(&mut self, turn: Turn, line: usize, word: Word) -> Result<(), Fault> {
        if turn.action() == Action::CaptureOnly && self.turns() > 0 {
            let mut captures = turn.captures().into_iter().flatten();
            return captures.try_for_each(|captured| self.capture(captured)).map_err(|reason| {
                let problem = self.refusal_at(&self.before, self.turns() - 1, None, reason);
                Fault { line, token: word.source, problem }
            });
        }
        self.check_complete()?;
        let before = *self.game.position();
        match self.game.play_text(&turn.to_string()) {
            Ok(turn) => {
                self.record.push(RecordedTurn::new(turn));
                self.before = before;
                self.last = (word, line);
                Ok(())
            }
            Err(reason) => {
                let problem = self.refusal(Some(turn), reason, self.notation);
                Err(Fault { line, token: word.source, problem })
            }
        }
    }

    /// Makes a capture that belongs to the last turn. One that comes after the game is won is
    /// dropped.
    fn capture(&mut self, captured: Point) -> Result<(), TurnError> {
        let Some(last) = self.record.turns_mut().last_mut() else {
            return Err(TurnError::NoMillClosed);
        };
        if let [_, Some(_)] = last.turn.captures() {
            return Err(TurnError::TooManyCaptures { mills: 2, earned: 2 });
        }
        let whole = self.before.parse_part(&last.turn.with_capture(captured).to_string())?;
        if whole != last.turn {
            self.game.play_text(&Turn::capture_only(captured).to_string())?;
            last.turn = whole;
        }
        Ok(())
    }

    /// Refuses to go on from a turn that lacks a capture.
    fn check_complete(&self) -> Result<(), Fault> {
        let Some(last) = self.record.turns().last() else { return Ok(()) };
        if self.game.position().captures_due() == 0 {
            return Ok(());
        }
        let problem = if last.turn.is_capture() {
            let expected = self.expected(&self.before, Some(last.turn), self.notation);
            GameProblem::SecondCaptureMissing { expected }
        } else {
            let turn = Some(last.turn);
            self.refusal_at(&self.before, self.turns() - 1, turn, TurnError::CaptureMissing)
        };
        let (word, line) = &self.last;
        Err(Fault { line: *line, token: word.source.clone(), problem })
    }

    /// Why a turn is refused where the game stands.
    pub(super) fn refusal(
        &self,
        turn: Option<Turn>,
        reason: TurnError,
        notation: Notation,
    ) -> GameProblem {
        let (number, side) = self.numbered(self.turns());
        // A game that is over has no turns left to expect, whatever the position allows.
        let over = matches!(reason, TurnError::GameOver(_));
        let expected = (!over).then(|| self.expected(self.game.position(), turn, notation));
        GameProblem::Turn { number, side, reason, expected: expected.unwrap_or_default() }
    }

    fn refusal_at(
        &self,
        position: &Position,
        index: usize,
        turn: Option<Turn>,
        reason: TurnError,
    ) -> GameProblem {
        let last = self.record.turns().get(index).and_then(|last| last.turn.without_captures());
        let (number, side) = self.numbered(index);
        let expected = self.expected(position, turn.or(last), self.notation);
        GameProblem::Turn { number, side, reason, expected }
    }

    /// The move number of a turn, from 1, and who makes it.
    fn numbered(&self, index: usize) -> (usize, Color) {
        let start = self.record.start();
        let plies = index + usize::from(self.black_begins());
        let side = if plies.is_multiple_of(2) { Color::White } else { Color::Black };
        (usize::from(start.fullmove()) + plies / 2, side)
    }

    /// Legal turns: those that are nearest to the one that was written, if it is given.
    fn expected(
        &self,
        position: &Position,
        written: Option<Turn>,
        notation: Notation,
    ) -> (Vec<String>, usize) {
        let legal = position.legal_turns();
        let near = |part: fn(Turn) -> [Option<Point>; 3]| -> Vec<Turn> {
            let is_near = |turn: &Turn| written.is_some_and(|written| part(*turn) == part(written));
            legal.iter().copied().filter(is_near).collect()
        };
        let begun = near(|turn| [turn.from(), turn.to(), turn.captures()[0]]);
        let action = near(|turn| [turn.from(), turn.to(), None]);
        let mover = near(|turn| [turn.from(), None, None]);
        let nearest = [begun, action, mover].into_iter().find(|turns| !turns.is_empty());
        let nearest = nearest.unwrap_or_else(|| legal.iter().copied().collect());
        let named = nearest.iter().take(NAMED).map(|&turn| notation.text(turn)).collect();
        (named, nearest.len().saturating_sub(NAMED))
    }

    /// The game, and how it ended by what the board shows. The last turn may lack captures, but
    /// not one of two.
    ///
    /// # Errors
    /// That one of two captures is missing.
    pub(super) fn end(self) -> Result<(Record, Option<Outcome>), Fault> {
        if self.record.turns().last().is_some_and(|last| last.turn.is_capture()) {
            self.check_complete()?;
        }
        let outcome = self.game.outcome();
        Ok((self.record, outcome))
    }
}
