//! The arguments of `go`.

use std::time::Duration;

use super::{CommandError, Perft, Words, number};
use crate::text::closest;
use merel_engine::perft::Unit;

/// The arguments of `go`; each is optional, and they come in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go<'a> {
    /// Plies, at least 1: 0 is read as 1.
    pub depth: Option<u32>,
    /// At least 1: 0 is read as 1.
    pub nodes: Option<u64>,
    /// Time for this turn. Negative numbers are read as 0, here and for the clocks.
    pub move_time: Option<Duration>,
    /// Time left, White's and Black's.
    pub time: [Option<Duration>; 2],
    /// Increment per turn, White's and Black's.
    pub increment: [Option<Duration>; 2],
    /// Turns to the next time control; 0 is read as not given.
    pub turns_to_go: Option<u32>,
    /// A win in at most this many own turns is enough; 0 is read as 1.
    pub mate: Option<u32>,
    /// Search until `stop`.
    pub infinite: bool,
    /// Search until `stop` or `ponderhit`.
    pub ponder: bool,
    /// The turns to consider, unread; all when empty.
    pub search_moves: Vec<&'a str>,
    /// Count turns instead of searching.
    pub perft: Option<Perft>,
}

impl Go<'_> {
    /// Whether anything ends the search by itself.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.depth.is_some()
            || self.nodes.is_some()
            || self.move_time.is_some()
            || self.time.iter().chain(&self.increment).any(Option::is_some)
            || self.mate.is_some()
    }
}

const PARAMETERS: [&str; 14] = [
    "depth",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
    "perft",
    "atomic",
];

pub(super) fn parse(words: Words<'_>) -> Result<Go<'_>, CommandError> {
    read(words).map_err(CommandError::of_go)
}

fn read(words: Words<'_>) -> Result<Go<'_>, CommandError> {
    if let Some(perft) = perft(words.clone())? {
        return Ok(Go { perft: Some(perft), ..Go::default() });
    }
    let mut go = Go::default();
    let [white_time, black_time] = &mut go.time;
    let [white_increment, black_increment] = &mut go.increment;
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let Some(parameter) = PARAMETERS.into_iter().find(|p| *p == word) else {
            return Err(CommandError::go_word(word, closest(word, PARAMETERS)));
        };
        match parameter {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            // Only perft has a unit.
            "atomic" => return Err(CommandError::go_word(word, None)),
            "searchmoves" => {
                let before = go.search_moves.len();
                while let Some(turn) = words.next_if(|word| !PARAMETERS.contains(word)) {
                    go.search_moves.push(turn);
                }
                if go.search_moves.len() == before {
                    return Err(CommandError::go_value_missing(parameter, "a turn"));
                }
            }
            _ => {
                let Some(value) = words.next() else {
                    return Err(CommandError::go_value_missing(parameter, "a number"));
                };
                let milliseconds = || number::milliseconds(parameter, value).map(Some);
                match parameter {
                    "depth" => go.depth = Some(number::small_count(parameter, value)?.max(1)),
                    "nodes" => go.nodes = Some(number::count(parameter, value)?.max(1)),
                    "mate" => go.mate = Some(number::small_count(parameter, value)?.max(1)),
                    "movestogo" => {
                        let turns = number::small_count(parameter, value)?;
                        go.turns_to_go = Some(turns).filter(|&turns| turns > 0);
                    }
                    "movetime" => go.move_time = milliseconds()?,
                    "wtime" => *white_time = milliseconds()?,
                    "btime" => *black_time = milliseconds()?,
                    "winc" => *white_increment = milliseconds()?,
                    _ => *black_increment = milliseconds()?,
                }
            }
        }
    }
    Ok(go)
}

/// The arguments of `go perft`, or `None` when it is a search.
fn perft(words: Words<'_>) -> Result<Option<Perft>, CommandError> {
    if !words.clone().any(|word| word == "perft") {
        return Ok(None);
    }
    let mut depth = None;
    let mut unit = Unit::Turn;
    let mut words = words;
    while let Some(word) = words.next() {
        match word {
            "perft" => match words.next() {
                Some(value) => depth = Some(number::perft_depth("perft", value)?),
                None => return Err(CommandError::perft_depth_missing("go perft")),
            },
            "atomic" => unit = Unit::Atomic,
            other => return Err(CommandError::go_perft_surplus(other)),
        }
    }
    Ok(depth.map(|depth| Perft { depth, unit }))
}
