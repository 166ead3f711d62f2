//! Random games and numbers, for the unit tests.

use crate::position::{Position, split_mix};
use crate::rules::{AllInMills, DoubleMill, Rules};

/// How many games, and how many turns each at most.
const GAMES: usize = 300;
const TURNS: usize = 100;

/// Visits every position after a turn of random games, the same each time for the same seed.
pub(crate) fn each_position(rules: Rules, seed: u64, mut visit: impl FnMut(&Position)) {
    let mut state = seed;
    for _ in 0..GAMES {
        let mut position = Position::start(rules);
        for _ in 0..TURNS {
            let turns = position.legal_turns();
            if turns.is_empty() {
                break;
            }
            let random;
            (state, random) = split_mix(state);
            position = position.after(turns[(random % turns.len() as u64) as usize]);
            visit(&position);
        }
    }
}

/// Random numbers, the same each time.
pub(crate) fn numbers() -> impl Iterator<Item = u64> {
    let mut state = 0x1234_5678_9ABC_DEF0;
    std::iter::repeat_with(move || {
        let number;
        (state, number) = split_mix(state);
        number
    })
    .take(20_000)
}

impl Rules {
    /// All rules that differ in what turns are legal.
    pub(crate) fn all_kinds() -> impl Iterator<Item = Self> {
        DoubleMill::ALL.iter().flat_map(|&double_mill| {
            AllInMills::ALL.iter().flat_map(move |&all_in_mills| {
                [false, true].map(|no_immediate_return| Self {
                    double_mill,
                    all_in_mills,
                    no_immediate_return,
                    ..Self::default()
                })
            })
        })
    }
}
