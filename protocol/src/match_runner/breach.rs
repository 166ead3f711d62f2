//! Breaches of protocol that cost no game: a turn that can be played, with something wrong in what
//! was said about it.

use merel_engine::Game;

use super::wire::{Answer, Dialect};
use crate::text::clip;

/// What is wrong with an answer to be given in this game. Sanmill's own kind of answer has no
/// variation, and a turn there may be one of several answers, so nothing is asked of it.
pub(super) fn breach(game: &Game, dialect: Dialect, answer: &Answer) -> Option<String> {
    if dialect == Dialect::Sanmill {
        return None;
    }
    if answer.score.is_none() {
        return Some("no score before bestmove, so that adjudication by scores is off".to_owned());
    }
    let line = answer.line.join(" ");
    let first = answer.line.first()?;
    let best = answer.best.as_deref().unwrap_or_default();
    if first != best {
        return Some(format!(
            "the variation '{}' does not begin with bestmove '{}'",
            clip(&line),
            clip(best)
        ));
    }
    let mut game = game.clone();
    for (index, token) in answer.line.iter().enumerate() {
        if let Some(outcome) = game.outcome() {
            return Some(format!(
                "the variation '{}' goes on with '{}' after the end of the game, {outcome}",
                clip(&line),
                clip(token)
            ));
        }
        if let Err(error) = game.play_text(token) {
            return Some(format!(
                "the variation '{}' cannot be played, turn {} '{}': {error}",
                clip(&line),
                index + 1,
                clip(token)
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use merel_engine::Rules;

    fn of(line: &str) -> Option<String> {
        let mut answer = Answer::default();
        answer.read(line, false);
        answer.read("bestmove a7", false);
        breach(&Game::start(Rules::default()), Dialect::Turn, &answer)
    }

    #[test]
    fn a_variation_has_to_be_playable_and_to_begin_with_the_turn() {
        assert_eq!(of("info depth 2 score cp 3 pv a7 d6"), None);
        assert_eq!(of("info depth 2 score cp 3"), None);
        for (line, part) in [
            ("info depth 2 pv a7", "no score"),
            ("info depth 2 score cp 3 pv d6 a7", "'d6 a7' does not begin with bestmove 'a7'"),
            ("info depth 2 score cp 3 pv a7 a7", "turn 2 'a7': a7 is occupied"),
        ] {
            let found = of(line).unwrap();
            assert!(found.contains(part), "{found}");
        }
    }
}
