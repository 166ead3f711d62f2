//! Exact values of the positions and turns of a game, by the rules and the tables.
//!
//! Tables know neither repetition nor the quiet limit, which only ever turn a decided game into a
//! draw. So their draws hold always. A win holds when the limit leaves it time, and when the winner
//! comes to the end without meeting a position that has occurred twice. Best play meets none that is
//! drawn or won by the other side, nor one that is as far from the end: only a nearer one, won by
//! the same side, puts the win in doubt.

use std::collections::HashMap;

use merel_engine::tablebase::{Distance, Tables, Value};
use merel_engine::{Color, DrawReason, Outcome, Position, Repetition, Turn};

use super::worth::Worth;

/// The positions of a game that may occur again: those since the last placement or capture.
#[derive(Debug, Default)]
pub(super) struct Past {
    occurrences: HashMap<u64, usize>,
    /// Those that have occurred twice.
    twice: Vec<Position>,
}

impl Past {
    /// Adds the next position of the game.
    pub(super) fn push(&mut self, position: &Position) {
        if position.quiet() == 0 {
            self.occurrences.clear();
            self.twice.clear();
        }
        // With a capture due the turn is not over, and the position does not count.
        if position.captures_due() > 0 {
            return;
        }
        let count = self.occurrences.entry(position.key()).or_default();
        *count += 1;
        if *count == 2 {
            self.twice.push(*position);
        }
    }
}

/// Tells exact values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judge<'a> {
    pub(super) tables: &'a Tables,
}

impl Judge<'_> {
    /// What the next position after this past is worth to its side to move, if that is certain.
    pub(super) fn worth(&self, past: &Past, position: &Position) -> Option<Worth> {
        if let Some(outcome) = outcome(past, position) {
            return Some(Worth::ended(outcome, position));
        }
        let value = self.tables.wdl(position)?;
        if value == Value::Draw {
            return Some(Worth::DRAW);
        }
        let distance = self.tables.dtw(position);
        let holds = self.quiet_limit_leaves_time(position, distance)
            && self.repetition_is_no_way_out(past, position, value, distance);
        holds.then(|| Worth::of_tables(value, distance))
    }

    /// What each turn is worth to the player who makes it, the best first, if that is certain of all.
    /// The past ends with this position.
    pub(super) fn turns(&self, past: &Past, position: &Position) -> Option<Vec<(Turn, Worth)>> {
        let worth = |turn: Turn| Some((turn, self.worth(past, &position.after(turn))?.before()));
        let mut turns =
            position.legal_turns().into_iter().map(worth).collect::<Option<Vec<_>>>()?;
        turns.sort_by_key(|(_, worth)| std::cmp::Reverse(worth.rank()));
        Some(turns)
    }

    /// Whether the search answers from the tables for this position, whatever the past.
    pub(super) fn answers_search(&self, position: &Position) -> bool {
        self.tables.turns(position).is_some()
    }

    fn quiet_limit_leaves_time(&self, position: &Position, distance: Option<Distance>) -> bool {
        let limit = u32::from(position.rules().quiet_limit);
        let plies = distance.and_then(Distance::plies);
        limit == 0
            || plies.is_some_and(|plies| u32::from(position.quiet()) + u32::from(plies) <= limit)
    }

    fn repetition_is_no_way_out(
        &self,
        past: &Past,
        position: &Position,
        value: Value,
        distance: Option<Distance>,
    ) -> bool {
        if position.rules().repetition == Repetition::Off || position.quiet() == 0 {
            return true;
        }
        let winner = winner(position, value);
        let plies = distance.and_then(Distance::plies);
        past.twice.iter().filter(|met| met.key() != position.key()).all(|met| {
            match self.tables.wdl(met) {
                None => false,
                Some(Value::Draw) => true,
                Some(value) if self::winner(met, value) != winner => true,
                Some(_) => {
                    let there = self.tables.dtw(met).and_then(Distance::plies);
                    there.zip(plies).is_some_and(|(there, here)| there >= here)
                }
            }
        })
    }
}

/// Who wins a decided position.
fn winner(position: &Position, value: Value) -> Color {
    if value == Value::Win { position.to_move() } else { !position.to_move() }
}

/// How the game ends with the next position after this past.
fn outcome(past: &Past, position: &Position) -> Option<Outcome> {
    let counts = position.rules().repetition == Repetition::Third
        && position.quiet() > 0
        && position.captures_due() == 0;
    let third = || past.occurrences.get(&position.key()).is_some_and(|&count| count >= 2);
    position
        .outcome()
        .or_else(|| (counts && third()).then_some(Outcome::Draw(DrawReason::Repetition)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::worth::Length;
    use merel_engine::{AllInMills, Game, Rules};

    /// White, three against three, wins in 3; `d5-e4` and `f4-e5` do it.
    const WON: &str = "O**O*@**/**O*@***/*@****** w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";

    fn position(fen: &str, rules: Rules) -> Position {
        Position::from_fen(fen, rules).unwrap()
    }

    fn past(positions: &[Position]) -> Past {
        let mut past = Past::default();
        positions.iter().for_each(|position| past.push(position));
        past
    }

    const fn win(plies: u32) -> Worth {
        Worth::Exact(Value::Win, Some(Length::Exactly(plies)))
    }

    #[test]
    fn tables_tell_a_position_and_each_turn_the_best_first() {
        let tables = Tables::builtin();
        let judge = Judge { tables: &tables };
        let won = position(WON, Rules::default());
        assert_eq!(judge.worth(&Past::default(), &won), Some(win(3)));
        let turns = judge.turns(&past(&[won]), &won).unwrap();
        assert_eq!(turns.len(), won.legal_turns().len());
        assert_eq!(turns[0].1, win(3));
        assert!(turns.is_sorted_by(|a, b| a.1.rank() >= b.1.rank()));
        let start = Position::start(Rules::default());
        assert_eq!(judge.worth(&Past::default(), &start), Some(Worth::DRAW));
        // After the opening book and before the endgame.
        let fen = "O***@***/O*@*O*@*/@*O*@*O* w p p 5 4 5 4 0 0 0 0 0 0 0 0 1";
        assert_eq!(judge.worth(&Past::default(), &position(fen, Rules::default())), None);
    }

    #[test]
    fn nothing_is_certain_under_rules_that_the_tables_do_not_know() {
        let tables = Tables::builtin();
        let judge = Judge { tables: &tables };
        for rules in [
            Rules { no_immediate_return: true, ..Rules::default() },
            Rules { all_in_mills: AllInMills::None, ..Rules::default() },
        ] {
            assert_eq!(judge.worth(&Past::default(), &position(WON, rules)), None);
        }
    }

    #[test]
    fn a_win_that_the_quiet_limit_may_cut_short_is_not_certain() {
        let tables = Tables::builtin();
        let judge = Judge { tables: &tables };
        let rules = Rules { quiet_limit: 10, ..Rules::default() };
        for (quiet, expected) in [(0, Some(win(3))), (7, Some(win(3))), (8, None)] {
            let fen = WON.replace(" 0 1", &format!(" {quiet} 9"));
            assert_eq!(judge.worth(&Past::default(), &position(&fen, rules)), expected, "{quiet}");
        }
    }

    #[test]
    fn a_win_is_certain_unless_its_way_leads_by_a_position_that_occurred_twice() {
        let tables = Tables::builtin();
        let judge = Judge { tables: &tables };
        let rules = Rules::default();
        // One quiet turn was played, so that earlier positions can occur again.
        let won = position(&WON.replace(" 0 1", " 1 9"), rules);
        let turns = tables.turns(&won).unwrap();
        let best = won.after(turns[0].0);
        let slow = won.after(turns.iter().find(|(_, worth)| worth.plies() > Some(3)).unwrap().0);
        let replies = slow.legal_turns();
        let mut later = replies.iter().map(|&reply| slow.after(reply));
        let far = later.find(|next| tables.dtw(next) == Some(Distance::Win(3))).unwrap();
        let fen = "O**@*O**/@*O**@**/*@*O**** w m s 4 0 4 0 0 0 0 0 0 0 0 1 9";
        let drawn = position(fen, rules);
        assert_eq!(tables.wdl(&drawn), Some(Value::Draw));
        let twice = |met: Position| past(&[met, met]);
        // No harm is done by a drawn position or by one that is as far from the end.
        for met in [slow, far, drawn] {
            assert_eq!(judge.worth(&twice(met), &won), Some(win(3)));
        }
        // Nor by the position itself, unless this is the third time.
        assert_eq!(judge.worth(&past(&[won]), &won), Some(win(3)));
        assert_eq!(judge.worth(&twice(won), &won), Some(Worth::DRAW));
        // The one on the way does, unless no repetition ends the game or a capture lies between.
        assert_eq!(judge.worth(&twice(best), &won), None);
        let off = Rules { repetition: Repetition::Off, ..rules };
        let free = position(&WON.replace(" 0 1", " 1 9"), off);
        assert_eq!(judge.worth(&twice(free.after(turns[0].0)), &free), Some(win(3)));
        assert_eq!(judge.worth(&twice(best), &position(WON, rules)), Some(win(3)));
    }

    #[test]
    fn the_end_of_a_game_is_that_of_the_game_itself() {
        let start = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4 c4-b4 c3-c4";
        let cycle = "f6-f4 a7-d7 f4-f6 d7-a7";
        for rules in [Rules::default(), Rules { repetition: Repetition::Off, ..Rules::default() }] {
            let mut game = Game::start(rules);
            let mut past = past(&[*game.position()]);
            for token in [start, cycle, cycle].join(" ").split(' ') {
                game.play_text(token).unwrap();
                assert_eq!(outcome(&past, game.position()), game.outcome());
                past.push(game.position());
            }
            assert_eq!(game.outcome().is_some(), rules.repetition == Repetition::Third);
        }
    }
}
