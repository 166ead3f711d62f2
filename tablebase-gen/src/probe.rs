//! The command `probe`.

use std::io::{self, Write};
use std::path::Path;

use merel_engine::tablebase::file::Access;
use merel_engine::tablebase::{Distance, Sector, Tables, Value};
use merel_engine::{DoubleMill, Outcome, Position, Rules};
use serde::Serialize;

use crate::failure::Failure;
use crate::folder::Folder;

/// MiB of decoded parts.
const CACHE: usize = 16;

/// What a position or a turn is worth to the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Worth {
    value: Value,
    plies: Option<u8>,
}

impl Worth {
    const fn wdl(self) -> i8 {
        match self.value {
            Value::Loss => -1,
            Value::Draw => 0,
            Value::Win => 1,
        }
    }

    /// The best first; of what has no known distance, after what has.
    const fn order(self) -> (i8, i32) {
        match (self.value, self.plies) {
            (Value::Win, plies) => (-1, if let Some(plies) = plies { plies as i32 } else { 999 }),
            (Value::Draw, _) => (0, 0),
            (Value::Loss, plies) => (1, if let Some(plies) = plies { -(plies as i32) } else { 0 }),
        }
    }

    fn text(self) -> String {
        let what = match self.value {
            Value::Win => "win",
            Value::Draw => return "draw".into(),
            Value::Loss => "loss",
        };
        match self.plies {
            Some(plies) => format!("{what} in {plies}"),
            None => format!("{what}, distance not known"),
        }
    }
}

/// A legal turn, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Move {
    #[serde(rename = "move")]
    turn: String,
    wdl: i8,
    dtw: Option<u8>,
}

/// What is known of a position, as `--json` prints it.
#[derive(Debug, Serialize)]
pub struct Found {
    fen: String,
    wdl: i8,
    dtw: Option<u8>,
    moves: Vec<Move>,
    #[serde(skip)]
    texts: Vec<String>,
    #[serde(skip)]
    text: String,
    #[serde(skip)]
    line: Vec<String>,
}

/// Looks a position up.
pub fn probe(folder: &Path, fen: &str, double_mill: DoubleMill) -> Result<Found, Failure> {
    // For its errors.
    Folder::open(folder)?;
    let position = Position::from_fen(fen, Rules { double_mill, ..Rules::default() })
        .map_err(|error| Failure::Refused(format!("the FEN is refused: {error}")))?;
    if position.captures_due() > 0 {
        return Err(Failure::Refused("tables hold positions without captures due".into()));
    }
    if position.is_placing() && Sector::of(&position).is_none_or(|sector| !sector.is_placing()) {
        return Err(Failure::Refused(
            "tables hold positions in which the side to move has as many stones in hand as the \
             other, or one more"
                .into(),
        ));
    }
    let (tables, refused) = Tables::open(&[folder.to_owned()], Access::Read, CACHE);
    for refused in &refused {
        eprintln!("warning: {refused}");
    }
    let missing = |position: &Position| {
        Failure::Refused(match tables.damage() {
            Some(damage) => damage.to_owned(),
            None => format!(
                "the tables in {} do not tell: they have not all of {}",
                folder.display(),
                needed(position).join(" ")
            ),
        })
    };
    let worth = worth(&tables, &position).ok_or_else(|| missing(&position))?;
    let mut moves = Vec::new();
    for turn in position.legal_turns() {
        let next = self::worth(&tables, &position.after(turn)).ok_or_else(|| missing(&position))?;
        let plies = next.plies.map(|plies| plies.saturating_add(1));
        moves.push((turn, Worth { value: next.value.reversed(), plies }));
    }
    moves.sort_by_key(|(_, worth)| worth.order());
    let json = |turn: &merel_engine::Turn, worth: &Worth| Move {
        turn: turn.to_string(),
        wdl: worth.wdl(),
        dtw: worth.plies,
    };
    Ok(Found {
        fen: position.fen(),
        wdl: worth.wdl(),
        dtw: worth.plies,
        moves: moves.iter().map(|(turn, worth)| json(turn, worth)).collect(),
        texts: moves.iter().map(|(_, worth)| worth.text()).collect(),
        text: worth.text(),
        line: line(&tables, position),
    })
}

/// What a position is worth to the side to move: a finished game by its result, the rest by the
/// tables.
fn worth(tables: &Tables, position: &Position) -> Option<Worth> {
    if let Some(Outcome::Win { winner, .. }) = position.outcome() {
        let value = if winner == position.to_move() { Value::Win } else { Value::Loss };
        return Some(Worth { value, plies: Some(0) });
    }
    match tables.dtw(position) {
        Some(distance) => Some(Worth { value: distance.value(), plies: distance.plies() }),
        None => tables.wdl(position).map(|value| Worth { value, plies: None }),
    }
}

/// The best turns to the end of the game, for a position that is not drawn.
fn line(tables: &Tables, mut position: Position) -> Vec<String> {
    let mut line = Vec::new();
    while position.outcome().is_none() {
        let turns = tables.turns(&position).unwrap_or_default();
        let Some((turn, worth)) = turns.first() else { break };
        // Each turn brings the end nearer, so this ends.
        if *worth == Distance::Draw || line.len() > usize::from(u8::MAX) {
            break;
        }
        line.push(turn.to_string());
        position = position.after(*turn);
    }
    line
}

/// The files that it takes to tell of a position and of its turns.
fn needed(position: &Position) -> Vec<String> {
    let mut needed: Vec<Sector> = Sector::of(position).into_iter().collect();
    // Its turns, and the captures after them.
    let turns: Vec<Sector> = needed.iter().flat_map(|sector| sector.successors()).collect();
    let captures = |sector: &Sector| sector.successors().skip(1).collect::<Vec<_>>();
    needed.extend(turns.iter().flat_map(captures));
    needed.extend(turns);
    let mut files: Vec<Sector> = needed.iter().filter_map(|s| s.in_one_file().next()).collect();
    files.sort();
    files.dedup();
    files.iter().map(ToString::to_string).collect()
}

/// Prints what was found.
pub fn print(out: &mut impl Write, found: &Found, json: bool) -> io::Result<()> {
    if json {
        serde_json::to_writer(&mut *out, found)?;
        return writeln!(out);
    }
    writeln!(out, "{}", found.fen)?;
    writeln!(out, "{}", found.text)?;
    for (turn, text) in found.moves.iter().zip(&found.texts) {
        writeln!(out, "  {:<9} {text}", turn.turn)?;
    }
    if !found.line.is_empty() {
        writeln!(out, "line: {}", found.line.join(" "))?;
    }
    Ok(())
}
