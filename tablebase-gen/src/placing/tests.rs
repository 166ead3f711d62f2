//! The solver of the placing phase against the rules of the game.

use std::collections::BTreeMap;

use merel_engine::tablebase::{Sector, Tables, Value};
use merel_engine::{DoubleMill, Position};

use super::packed::{Code, Packed, at};
use super::settle::settle;
use super::solve::{After, solve};

/// The value of a position by its number.
fn get(values: &Packed, number: usize) -> Code {
    let len = values.pair().block_len();
    at(values.block(number / len), number % len)
}

/// The values of sectors, made from the built-in tables.
#[derive(Default)]
struct Known(BTreeMap<Sector, Packed>);

impl Known {
    fn make(&mut self, sector: Sector, tables: &Tables) {
        if self.0.contains_key(&sector) {
            return;
        }
        if !sector.is_placing() {
            if let Some(next) = sector.after_capture() {
                self.make(next, tables);
            }
            let captures = sector.after_capture().map(|next| &self.0[&next]);
            let table = tables.table(sector, merel_engine::tablebase::file::TableKind::Wdl);
            let values = settle(table.expect("a built-in table"), captures, || false);
            self.0.insert(sector, values.expect("good tables"));
            return;
        }
        for next in sector.successors() {
            self.make(next, tables);
        }
        let captures = [1, 2].map(|n| {
            let next = sector.after_captures(n)?;
            self.0.get(&next).filter(|_| sector.successors().any(|s| s == next))
        });
        let after = After { quiet: &self.0[&sector.after_quiet()], captures };
        let values = solve(sector, &after, || false).expect("memory");
        self.0.insert(sector, values);
    }

    /// The value of a position; a loss where the side to move has fewer than three stones.
    fn code(&self, position: &Position) -> Code {
        match Sector::of(position) {
            Some(sector) => get(&self.0[&sector], sector.number(position)),
            None => Code::Loss,
        }
    }
}

#[test]
fn every_value_is_that_of_the_best_turn() {
    let tables = Tables::builtin();
    let mut known = Known::default();
    let names = ["3-3+2-2", "4-4+1-0", "2-4+2-1", "1-2+3-3", "4-4+1-1.two", "3-4+2-1.two"];
    for name in names {
        known.make(name.parse().expect("a sector"), &tables);
    }
    let mut kinds = [0_u64; 4];
    for (&sector, values) in &known.0 {
        let step = if !sector.is_placing() { 1009 } else { sector.pair().len() / 50_000 + 1 };
        for number in (0..sector.pair().len()).step_by(step) {
            let position = sector.position(number).expect("a position");
            let (mut best, mut captures) = (Value::Loss, false);
            for turn in position.legal_turns() {
                let value = match known.code(&position.after(turn)) {
                    Code::Loss => Value::Win,
                    Code::Draw => Value::Draw,
                    Code::Win | Code::CaptureWins => Value::Loss,
                };
                best = best.max(value);
                captures |= value == Value::Win && turn.is_capture();
            }
            let expected = match best {
                Value::Win if captures => Code::CaptureWins,
                Value::Win => Code::Win,
                Value::Draw => Code::Draw,
                Value::Loss => Code::Loss,
            };
            let found = get(values, number);
            let same = found == expected
                // The tables of the moving phase tell only where a capture was not written as such.
                || !sector.is_placing() && found == Code::Win && expected == Code::CaptureWins;
            assert!(same, "{sector} {}: {found:?}, not {expected:?}", position.fen());
            kinds[expected as usize] += 1;
        }
    }
    assert!(kinds.iter().all(|&count| count > 1000), "{kinds:?}");
}

#[test]
fn a_double_mill_captures_two_stones_only_where_the_rules_say_so() {
    let sector = |name: &str| name.parse::<Sector>().expect("a sector");
    assert_eq!(sector("4-4+1-0").successors().count(), 2);
    assert_eq!(sector("4-4+1-0.two").double_mill(), DoubleMill::Two);
}
