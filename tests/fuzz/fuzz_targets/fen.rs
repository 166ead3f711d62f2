//! A position text and a list of turns, under any rules.

#![no_main]

use libfuzzer_sys::fuzz_target;
use merel_engine::{AllInMills, DoubleMill, Game, Position, Repetition, Rules};

fuzz_target!(|input: &[u8]| {
    let Some((&options, text)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let (fen, turns) = text.split_once('\n').unwrap_or((&text, ""));
    let rules = rules(options);
    let mut game = match Position::from_fen(fen, rules) {
        Ok(position) => Game::new(position),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            Game::start(rules)
        }
    };
    check(&game);
    for token in turns.split_whitespace() {
        match game.play_text(token) {
            Ok(turn) => assert_eq!(turn.to_string(), token.to_lowercase()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        check(&game);
    }
});

fn rules(options: u8) -> Rules {
    let on = |bit: u8| options >> bit & 1 == 1;
    Rules {
        double_mill: if on(0) { DoubleMill::Two } else { DoubleMill::One },
        no_immediate_return: on(1),
        repetition: if on(2) { Repetition::Off } else { Repetition::Third },
        all_in_mills: if on(3) { AllInMills::None } else { AllInMills::Any },
        quiet_limit: if on(4) { 20 } else { 0 },
    }
}

/// What is printed is read back.
fn check(game: &Game) {
    let position = game.position();
    let fen = position.fen();
    assert_eq!(Position::from_fen(&fen, position.rules()).as_ref(), Ok(position), "{fen}");
    for turn in position.legal_turns() {
        assert_eq!(position.parse_turn(&turn.to_string()), Ok(turn), "{fen}");
    }
}
