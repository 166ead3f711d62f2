//! Openings: reading the file, and which one a round gets.

use std::path::Path;

use merel_engine::{Game, Position, Rules, Turn};

use super::config::{OpeningsConfig, OpeningsFormat, Order};
use crate::games::Reader;
use crate::text::clip;

/// Where a game begins.
#[derive(Clone, Debug)]
pub(super) struct Opening {
    /// The position the list of turns starts from.
    pub(super) start: Position,
    /// Turns that both players are given.
    pub(super) turns: Vec<Turn>,
    /// The line of the file, from 1; 0 for the empty board.
    pub(super) line: usize,
}

impl Opening {
    /// The game after the given turns.
    pub(super) fn game(&self) -> Game {
        let mut game = Game::new(self.start);
        self.turns.iter().for_each(|&turn| game.play(turn));
        game
    }
}

/// The openings of a match, in the order in which they are played. Never empty.
#[derive(Clone, Debug)]
pub(super) struct Openings {
    list: Vec<Opening>,
    empty_board: Opening,
    first: usize,
    /// A number that another file, or another order, would hardly give.
    pub(super) fingerprint: u64,
}

impl Openings {
    /// Only the empty board.
    pub(super) fn none(rules: Rules) -> Self {
        let empty_board = Opening { start: Position::start(rules), turns: Vec::new(), line: 0 };
        Self { list: Vec::new(), empty_board, first: 0, fingerprint: 0 }
    }

    /// Reads a file and puts it in order.
    ///
    /// # Errors
    /// The file, the line and what is wrong.
    pub(super) fn read(config: &OpeningsConfig, rules: Rules, seed: u64) -> Result<Self, String> {
        let name = config.file.display();
        let bytes = std::fs::read(&config.file)
            .map_err(|error| format!("-openings: '{name}' cannot be read: {error}"))?;
        let mut openings = match config.format {
            OpeningsFormat::Games => Self::games(&bytes, &config.file, config.plies, rules)?,
            OpeningsFormat::Lines => {
                let text = std::str::from_utf8(&bytes)
                    .map_err(|error| format!("-openings: '{name}' is no text: {error}"))?;
                Self::parse(text, &config.file, config.plies, rules)?
            }
        };
        openings.first = config.start - 1;
        openings.fingerprint = fingerprint(&bytes);
        if config.order == Order::Random {
            shuffle(&mut openings.list, seed);
        }
        Ok(openings)
    }

    fn parse(text: &str, file: &Path, plies: Option<usize>, rules: Rules) -> Result<Self, String> {
        let mut openings = Self::none(rules);
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start_matches('\u{feff}');
            // Operations of EPD follow a semicolon, remarks a #.
            let content = line.split([';', '#']).next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let opening = read_line(content, plies, rules).map_err(|reason| {
                format!("-openings: '{}' line {}: {reason}", file.display(), number + 1)
            })?;
            openings.list.push(Opening { line: number + 1, ..opening });
        }
        if openings.list.is_empty() {
            return Err(format!("-openings: '{}' holds no opening", file.display()));
        }
        Ok(openings)
    }

    /// The games of a file, as far as they are to be played from.
    fn games(
        bytes: &[u8],
        file: &Path,
        plies: Option<usize>,
        rules: Rules,
    ) -> Result<Self, String> {
        let name = file.display();
        let mut openings = Self::none(rules);
        for entry in Reader::new(bytes, Some(rules)) {
            let entry =
                entry.map_err(|error| format!("-openings: '{name}' cannot be read: {error}"))?;
            let game = entry.game.map_err(|error| format!("-openings: '{name}': {error}"))?;
            // By the rules of the match, whatever the game was played by.
            let turns = game.turns().iter().map(|turn| turn.turn.to_string());
            let opening = Position::from_fen(&game.start().fen(), rules)
                .map_err(|error| format!("not a FEN: {error}"))
                .and_then(|start| play_on(start, turns, plies))
                .map_err(|reason| {
                    format!(
                        "-openings: '{name}' game {}, line {}: {reason}",
                        entry.number, entry.line
                    )
                })?;
            openings.list.push(Opening { line: entry.line, ..opening });
        }
        if openings.list.is_empty() {
            return Err(format!("-openings: '{name}' holds no game"));
        }
        Ok(openings)
    }

    /// The opening of a round, from 0.
    pub(super) fn of_round(&self, round: u64) -> &Opening {
        let count = self.list.len().max(1) as u64;
        let index = (self.first as u64 % count + round % count) % count;
        self.list.get(index as usize).unwrap_or(&self.empty_board)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Opening> {
        self.list.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
}

/// A FEN, or turns from the empty board, or a FEN with turns behind the word `moves`.
fn read_line(text: &str, plies: Option<usize>, rules: Rules) -> Result<Opening, String> {
    let (start, moves) = if text.contains('/') {
        let (fen, moves) = text.split_once(" moves ").unwrap_or((text, ""));
        (Position::from_fen(fen, rules).map_err(|e| format!("not a FEN: {e}"))?, moves)
    } else {
        (Position::start(rules), text)
    };
    play_on(start, moves.split_whitespace(), plies)
}

/// What the first so many of these turns lead to.
fn play_on(
    start: Position,
    tokens: impl Iterator<Item = impl AsRef<str>>,
    plies: Option<usize>,
) -> Result<Opening, String> {
    let mut game = Game::new(start);
    let mut turns = Vec::new();
    for (index, token) in tokens.take(plies.unwrap_or(usize::MAX)).enumerate() {
        let token = token.as_ref();
        let turn = game
            .position()
            .parse_turn(token)
            .map_err(|error| format!("turn {} '{}': {error}", index + 1, clip(token)))?;
        game.play(turn);
        turns.push(turn);
    }
    if game.position().captures_due() > 0 {
        return Err("a capture is due; a game begins with a whole turn".to_owned());
    }
    match game.outcome() {
        Some(outcome) => {
            Err(format!("the game is over, {outcome}; plies= takes only so many turns of each"))
        }
        None => Ok(Opening { start, turns, line: 0 }),
    }
}

/// FNV-1a.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Fisher–Yates, with numbers from `SplitMix64`.
fn shuffle<T>(list: &mut [T], seed: u64) {
    let mut state = seed;
    for last in (1..list.len()).rev() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        list.swap(last, ((z ^ (z >> 31)) % (last as u64 + 1)) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, plies: Option<usize>) -> Result<Openings, String> {
        Openings::parse(text, Path::new("o.epd"), plies, Rules::default())
    }

    #[test]
    fn lines_are_fens_or_turns_and_may_be_cut() {
        let text = "# remark\n\n********/@******@/O******O w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes ; id 7\n\
                    a7 b6 d7 d6 g7xb6\n********/********/******** w p p 0 9 0 9 0 0 1 moves a7\r\n";
        let openings = parse(text, None).unwrap();
        let lines: Vec<usize> = openings.all().map(|o| o.line).collect();
        assert_eq!(lines, [3, 4, 5]);
        let turns: Vec<usize> = openings.all().map(|o| o.turns.len()).collect();
        assert_eq!(turns, [0, 5, 1]);
        let cut = parse(text, Some(2)).unwrap();
        assert_eq!(cut.of_round(1).turns.len(), 2);
        assert_eq!(openings.of_round(4).line, 4, "they come round again");
    }

    #[test]
    fn what_cannot_begin_a_game_is_refused_with_its_line() {
        for (text, part) in [
            ("", "holds no opening"),
            ("a7\na7 a7", "line 2: turn 2 'a7'"),
            ("a7 b6 d7 d6 g7", "capture missing"),
            ("x/y/z w p p", "not a FEN"),
            ("********/@******@/OO*****O w p r 3 6 2 7 1 0 -1 -1 -1 -1 0 0 3", "capture is due"),
            ("O@O@O@O@/@*@*@*@*/******** w m s 4 0 8 0 0 0 0 0 0 0 0 0 1", "the game is over"),
        ] {
            let reason = parse(text, None).unwrap_err();
            assert!(reason.contains(part) && reason.contains("'o.epd'"), "{text}: {reason}");
        }
    }

    #[test]
    fn shuffling_keeps_all_and_depends_on_the_seed() {
        let shuffled = |seed| {
            let mut list: Vec<u32> = (0..50).collect();
            shuffle(&mut list, seed);
            list
        };
        let mut sorted = shuffled(1);
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..50));
        assert!(shuffled(1) == shuffled(1) && shuffled(1) != shuffled(2));
    }
}
