//! Prints the exact values of all openings of two and of four placements, from the built-in tables,
//! as the page `engine/book/README.md` has them:
//! `cargo run --release -p merel-benches --bin opening_values`.

use std::collections::BTreeMap;
use std::io::Write;

use merel_engine::tablebase::{Tables, Value};
use merel_engine::{Bitboard, DoubleMill, Position, Rules, Symmetry};

/// The stones of White and of Black.
type Stones = [Bitboard; 2];

/// The first of all symmetric images.
fn canonical(stones: Stones) -> [u32; 2] {
    let images = Symmetry::all().map(|s| stones.map(|set| s.set(set).bits()));
    images.min().expect("there are sixteen")
}

/// All openings of `plies` quiet placements up to symmetry, by the stones of both sides.
fn openings(plies: usize, rules: Rules) -> BTreeMap<[u32; 2], Position> {
    let mut layer = BTreeMap::from([([0, 0], Position::start(rules))]);
    for ply in 0..plies {
        let mut next = BTreeMap::new();
        for position in layer.values() {
            for turn in position.legal_turns() {
                let after = position.after(turn);
                let mut stones = [after.stones(after.to_move()), after.stones(!after.to_move())];
                if ply % 2 == 0 {
                    stones.reverse();
                }
                let key = canonical(stones);
                // White's set as it stands in the canonical image, so that all names fit together.
                let symmetry = Symmetry::all().find(|s| stones.map(|set| s.set(set).bits()) == key);
                let after = after.transformed(symmetry.expect("the one that gave the key"));
                next.entry(key).or_insert(after);
            }
        }
        layer = next;
    }
    layer
}

fn names(bits: u32) -> String {
    let names: Vec<String> = Bitboard::from_bits(bits).into_iter().map(|p| p.to_string()).collect();
    names.join(" ")
}

fn word(value: Value) -> &'static str {
    match value {
        Value::Win => "won",
        Value::Draw => "drawn",
        Value::Loss => "lost",
    }
}

/// The value of each turn, counted.
fn turns(tables: &Tables, position: &Position) -> String {
    let mut counts = [0; 3];
    for turn in position.legal_turns() {
        if let Some(value) = tables.wdl(&position.after(turn)) {
            counts[value.reversed() as usize] += 1;
        }
    }
    format!("{} / {} / {}", counts[2], counts[1], counts[0])
}

fn print(out: &mut impl Write, tables: &Tables, double_mill: DoubleMill) -> std::io::Result<()> {
    let rules = Rules { double_mill, ..Rules::default() };
    let value = |position: &Position| tables.wdl(position).expect("the book has all of these");
    writeln!(out, "\n## DoubleMill {double_mill}\n")?;
    writeln!(out, "The empty board is {}.\n", word(value(&Position::start(rules))))?;
    writeln!(out, "After two placements, White to move:\n")?;
    writeln!(
        out,
        "| White | Black | value | White's turns: won / drawn / lost |\n|---|---|---|---|"
    )?;
    for (key, position) in openings(2, rules) {
        let (white, black) = (names(key[0]), names(key[1]));
        let value = word(value(&position));
        writeln!(out, "| {white} | {black} | {value} | {} |", turns(tables, &position))?;
    }
    writeln!(
        out,
        "\nAfter four placements, White to move. Openings that are not named are drawn.\n\n\
         | White | won against | lost against | drawn |\n|---|---|---|---|"
    )?;
    let mut by_white: BTreeMap<u32, [Vec<String>; 3]> = BTreeMap::new();
    for (key, position) in openings(4, rules) {
        by_white.entry(key[0]).or_default()[value(&position) as usize].push(names(key[1]));
    }
    for (white, [lost, drawn, won]) in by_white {
        let (won, lost) = (won.join(", "), lost.join(", "));
        writeln!(out, "| {} | {won} | {lost} | {} |", names(white), drawn.len())?;
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    write!(
        out,
        "# The opening book\n\n\
         The tables in this folder hold the exact value of every position of the first plies; they \
         are part of the program. CONTRIBUTING.md says how they are made. This page is printed by\n\n    \
         cargo run --release -p merel-benches --bin opening_values\n\n\
         Values are for White, who is to move. Openings that a symmetry of the board (or the \
         exchange of its inner and outer ring) turns into each other are listed once.\n"
    )?;
    let tables = Tables::builtin();
    for &double_mill in DoubleMill::ALL {
        print(&mut out, &tables, double_mill)?;
    }
    Ok(())
}
