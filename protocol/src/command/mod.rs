//! Reading commands: a line of text becomes a [`Command`] or a [`CommandError`]. Nothing here reads
//! input, writes output or knows a position.

mod error;
mod go;
mod number;

pub use error::CommandError;
pub use go::Go;

use crate::text::closest;
use merel_engine::perft::Unit;

/// A command, with its arguments as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// An empty line or a comment.
    Nothing,
    /// Handshake of the UCI dialects.
    Uci,
    /// Handshake of GBGP.
    Gbgp,
    /// Asks for a sign of life.
    IsReady,
    /// A new game begins.
    NewGame,
    /// Sets an option.
    SetOption(SetOption<'a>),
    /// Sets the position.
    Position(PositionText<'a>),
    /// Searches, or counts turns.
    Go(Go<'a>),
    /// Ends what is running.
    Stop,
    /// The turn pondered on was made.
    PonderHit,
    /// Ends the program.
    Quit,
    /// Draws the board.
    Display,
    /// Prints the FEN.
    Fen,
    /// Lists the legal turns.
    Moves,
    /// Prints the evaluation by terms.
    Eval,
    /// Exchanges the colours.
    Flip,
    /// Runs the fixed benchmark.
    Bench,
    /// Counts turns.
    Perft(Perft),
    /// Tells what the program was built with.
    Compiler,
    /// Lists the commands.
    Help,
    /// Prints the licence.
    License,
    /// Switches debugging output, of which there is none.
    Debug,
}

/// The arguments of `setoption`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetOption<'a> {
    /// The words of the name, joined by single spaces.
    pub name: String,
    /// Everything after `value`, inner spaces included; `None` without that word.
    pub value: Option<&'a str>,
}

/// The arguments of `position`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionText<'a> {
    /// Where the moves begin.
    pub base: Base,
    /// The moves, unread.
    pub moves: Vec<&'a str>,
}

/// A position to start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// The empty board.
    Start,
    /// A FEN, its fields joined by single spaces.
    Fen(String),
    /// A position text of GBGP, without spaces.
    Gbgp(String),
}

/// The arguments of `perft`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perft {
    /// Plies to count.
    pub depth: u32,
    /// What counts as a ply.
    pub unit: Unit,
}

impl Perft {
    /// The largest depth that is accepted. None near it can be counted to the end.
    pub const MAX_DEPTH: u32 = 100;
}

/// Every command with its arguments and a line of explanation, in the order of `help`.
pub const COMMANDS: &[(&str, &str, &str)] = &[
    ("uci", "", "starts the UCI protocol: name, author, options"),
    ("gbgp", "", "starts the GBGP protocol instead"),
    ("isready", "", "answers readyok, also while searching"),
    ("ucinewgame", "", "new game: start position, what was learnt is forgotten (GBGP: newgame)"),
    ("newgame", "", "the same"),
    ("setoption", "name N [value V]", "sets an option"),
    (
        "position",
        "startpos|fen F|pos P [moves M…]",
        "sets the position; pos takes a position text of GBGP",
    ),
    (
        "go",
        "[depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] \
         [movestogo N] [mate N] [searchmoves M…] [infinite] [ponder]",
        "searches; depth in plies (whole turns), times in milliseconds, mate in own turns",
    ),
    ("stop", "", "ends the search, which then prints its bestmove"),
    ("ponderhit", "", "the expected turn was made: pondering becomes searching"),
    ("d", "", "draws the board and tells the state of the game"),
    ("fen", "", "prints the position as FEN"),
    ("moves", "", "lists the legal turns"),
    ("eval", "", "explains the static evaluation, in hundredths"),
    ("perft", "N [atomic]", "counts lines of N plies, in turns or in single actions (go perft N)"),
    ("bench", "", "searches a fixed set of positions; ends with nodes and nodes per second"),
    ("flip", "", "exchanges the colours"),
    ("compiler", "", "tells compiler, target and processor features"),
    ("license", "", "prints the licence"),
    ("debug", "on|off", "is accepted and changes nothing"),
    ("help", "", "prints this"),
    ("quit", "", "ends the program, as does the end of input"),
];

/// Reads one line.
///
/// # Errors
/// What is wrong with it, with the offending word.
pub fn parse(line: &str) -> Result<Command<'_>, CommandError> {
    let mut words = Words(line);
    let Some(name) = words.next().filter(|name| !name.starts_with('#')) else {
        return Ok(Command::Nothing);
    };
    let command = match name {
        "setoption" => return set_option(words).map(Command::SetOption),
        "position" => return position(words).map(Command::Position),
        "go" => return go::parse(words).map(Command::Go),
        "perft" => return perft(words).map(Command::Perft),
        "debug" => return Ok(Command::Debug),
        "uci" => Command::Uci,
        "gbgp" => Command::Gbgp,
        "isready" => Command::IsReady,
        "ucinewgame" | "newgame" => Command::NewGame,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "d" => Command::Display,
        "fen" => Command::Fen,
        "moves" => Command::Moves,
        "eval" => Command::Eval,
        "flip" => Command::Flip,
        "bench" => Command::Bench,
        "compiler" => Command::Compiler,
        "help" => Command::Help,
        "license" => Command::License,
        _ => return Err(CommandError::unknown(name, closest(name, names()))),
    };
    match words.next() {
        None => Ok(command),
        Some(surplus) => Err(CommandError::surplus(name, surplus)),
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|&(name, _, _)| name)
}

/// The words of a line; what is left of it stays in reach.
#[derive(Clone, Debug)]
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        self.0 = rest;
        Some(word).filter(|word| !word.is_empty())
    }
}

fn set_option(mut words: Words<'_>) -> Result<SetOption<'_>, CommandError> {
    match words.next() {
        Some("name") => {}
        other => return Err(CommandError::option_name_missing(other)),
    }
    let mut name = Vec::new();
    let mut value = None;
    while let Some(word) = words.next() {
        if word == "value" {
            value = Some(words.0.trim());
            break;
        }
        name.push(word);
    }
    if name.is_empty() {
        return Err(CommandError::option_name_missing(None));
    }
    Ok(SetOption { name: name.join(" "), value })
}

fn position(mut words: Words<'_>) -> Result<PositionText<'_>, CommandError> {
    let kind = words.next();
    let mut description = Vec::new();
    let mut has_moves = false;
    for word in words.by_ref() {
        if word == "moves" {
            has_moves = true;
            break;
        }
        description.push(word);
    }
    let base = match (kind, description.as_slice()) {
        (Some("startpos"), []) => Base::Start,
        (Some("startpos"), [surplus, ..]) => {
            return Err(CommandError::position_surplus(surplus));
        }
        (Some(kind @ ("fen" | "pos")), []) => return Err(CommandError::position_empty(kind)),
        (Some("fen"), fields) => Base::Fen(fields.join(" ")),
        (Some("pos"), fields) => Base::Gbgp(fields.concat()),
        (other, _) => return Err(CommandError::position_kind(other)),
    };
    Ok(PositionText { base, moves: if has_moves { words.collect() } else { Vec::new() } })
}

/// The arguments of `perft`, in either order.
fn perft(words: Words<'_>) -> Result<Perft, CommandError> {
    let mut depth = None;
    let mut unit = Unit::Turn;
    for word in words {
        match word {
            "atomic" => unit = Unit::Atomic,
            _ if depth.is_none() => depth = Some(number::perft_depth("perft", word)?),
            _ => return Err(CommandError::surplus("perft", word)),
        }
    }
    let depth = depth.ok_or_else(|| CommandError::perft_depth_missing("perft"))?;
    Ok(Perft { depth, unit })
}

#[cfg(test)]
mod tests;
