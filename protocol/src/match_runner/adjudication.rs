//! Calling games whose result is plain, by the scores of both players.

use merel_engine::Color;

use super::config::{DrawRule, ResignRule};
use super::ending::Ending;
use super::wire::Score;

/// What the scores so far amount to.
#[derive(Clone, Debug)]
pub(super) struct Adjudicator {
    draw: Option<DrawRule>,
    resign: Option<ResignRule>,
    max_moves: u32,
    /// Turns of both in a row with a score near 0.
    level: u32,
    /// Turns of each in a row with a score of defeat, and of victory.
    losing: [u32; 2],
    winning: [u32; 2],
    turns: u32,
}

impl Adjudicator {
    pub(super) const fn new(
        draw: Option<DrawRule>,
        resign: Option<ResignRule>,
        max_moves: u32,
    ) -> Self {
        Self { draw, resign, max_moves, level: 0, losing: [0; 2], winning: [0; 2], turns: 0 }
    }

    /// Notes a turn and the score its player gave; whether that ends the game. `move_number` is
    /// that of the turn.
    pub(super) fn note(
        &mut self,
        mover: Color,
        score: Option<Score>,
        is_capture: bool,
        move_number: u32,
    ) -> Option<Ending> {
        self.turns += 1;
        let score = score.map(Score::hundredths);
        self.by_resignation(mover, score)
            .or_else(|| self.by_draw(score, is_capture, move_number))
            .or_else(|| self.by_length())
    }

    fn by_resignation(&mut self, mover: Color, score: Option<i64>) -> Option<Ending> {
        let rule = self.resign?;
        let bound = i64::from(rule.score);
        let count = |counts: &mut [u32; 2], goes_on: bool| {
            let [white, black] = counts;
            let own = if mover == Color::White { white } else { black };
            *own = if goes_on { *own + 1 } else { 0 };
        };
        count(&mut self.losing, score.is_some_and(|s| s <= -bound));
        count(&mut self.winning, score.is_some_and(|s| s >= bound));
        Color::ALL.into_iter().find_map(|loser| {
            let of = |counts: [u32; 2], color: Color| {
                counts.get(color.index()).is_some_and(|&n| n >= rule.move_count)
            };
            let is_lost = of(self.losing, loser) && (!rule.two_sided || of(self.winning, !loser));
            is_lost.then(|| Ending::Adjudication {
                winner: Some(!loser),
                reason: format!("{loser} has lost by its own score"),
            })
        })
    }

    fn by_draw(
        &mut self,
        score: Option<i64>,
        is_capture: bool,
        move_number: u32,
    ) -> Option<Ending> {
        let rule = self.draw?;
        let is_level = score.is_some_and(|s| s.unsigned_abs() <= rule.score.into());
        self.level = if is_level && !is_capture { self.level + 1 } else { 0 };
        let is_drawn = self.level >= 2 * rule.move_count && move_number >= rule.move_number;
        is_drawn.then(|| Ending::Adjudication {
            winner: None,
            reason: "both scores are level".to_owned(),
        })
    }

    fn by_length(&self) -> Option<Ending> {
        (self.turns >= self.max_moves.saturating_mul(2)).then(|| Ending::Adjudication {
            winner: None,
            reason: format!("{} turns of each player", self.max_moves),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn cp(score: i32) -> Option<Score> {
        Some(Score::Cp(score))
    }

    #[test]
    fn a_game_is_drawn_after_level_turns_of_both_without_capture() {
        let rule = DrawRule { move_number: 10, move_count: 2, score: 8 };
        let mut judge = Adjudicator::new(Some(rule), None, 1000);
        for (mover, score, capture, number) in [
            (White, cp(8), false, 20),
            (Black, cp(-8), false, 20),
            (White, cp(0), false, 21),
            (Black, cp(0), true, 21),
            (White, cp(1), false, 22),
            (Black, cp(1), false, 22),
            (White, None, false, 23),
            (Black, cp(1), false, 23),
            (White, cp(1), false, 24),
            (Black, cp(9), false, 24),
            (White, cp(1), false, 25),
            (Black, cp(1), false, 25),
            (White, cp(1), false, 26),
        ] {
            assert_eq!(judge.note(mover, score, capture, number), None, "{number}");
        }
        let end = judge.note(Black, cp(1), false, 26).unwrap();
        assert_eq!((end.result(), end.termination()), ("1/2-1/2", "adjudication"));
        let mut early = Adjudicator::new(Some(rule), None, 1000);
        assert!((0..9).all(|_| early.note(White, cp(0), false, 9).is_none()));
    }

    #[test]
    fn a_player_loses_by_its_own_score_or_with_both_agreeing() {
        let mut rule = ResignRule { move_count: 2, score: 300, two_sided: false };
        let play = |rule: ResignRule, blacks: [Option<Score>; 2]| {
            let mut judge = Adjudicator::new(None, Some(rule), 1000);
            let mut end = None;
            for black in blacks {
                assert_eq!(judge.note(White, cp(-300), false, 5), end);
                end = judge.note(Black, black, false, 5);
                if end.is_some() {
                    break;
                }
                end = None;
            }
            (judge.note(White, Some(Score::Mate(-4)), false, 6), judge)
        };
        rule.two_sided = true;
        let (end, _) = play(rule, [cp(300), cp(299)]);
        assert_eq!(end, None);
        let (end, _) = play(rule, [cp(300), Some(Score::Mate(3))]);
        assert_eq!(end.map(|e| e.winner()), Some(Some(Black)));
        rule.two_sided = false;
        let mut judge = Adjudicator::new(None, Some(rule), 1000);
        assert_eq!(judge.note(White, cp(-400), false, 1), None);
        assert_eq!(judge.note(Black, None, false, 1), None);
        assert_eq!(judge.note(White, cp(-299), false, 2), None);
        assert_eq!(judge.note(White, cp(-300), false, 3), None);
        assert_eq!(judge.note(White, cp(-300), true, 4).unwrap().result(), "0-1");
    }

    #[test]
    fn a_long_game_is_drawn() {
        let mut judge = Adjudicator::new(None, None, 2);
        assert!((0..3).all(|_| judge.note(White, None, false, 1).is_none()));
        assert_eq!(judge.note(Black, None, false, 2).unwrap().result(), "1/2-1/2");
    }
}
