//! Games from a file, one after the other.

use std::io::{self, BufRead};
use std::mem;

use merel_engine::Rules;

use super::building::Building;
use super::error::{GameError, GameProblem};
use super::lexer::{Kind, Lexer, Token};
use super::record::Record;

/// A game of a file, or what is wrong with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Number of the game in the file, from 1.
    pub number: usize,
    /// The line, from 1, in which it begins.
    pub line: usize,
    /// The game, all of it replayed, or the first thing that is wrong with it.
    pub game: Result<Record, GameError>,
}

/// Reads the games of a file one after the other, and keeps no more than one in memory.
///
/// Read are the PGN container with whole turns, Sanmill's movetext with captures joined or apart,
/// `PlayOK`'s lists of numbers, `GoldToken`'s words and the coordinates of old versions of Sanmill;
/// each game may be in another form. Tags, move numbers and results may be missing. Variations
/// and comments between games are passed over. Each turn is replayed by the rules that the tag `Rules` names, else by those
/// given here, else by those of `PlayOK` for its files and by `standard` for all others.
///
/// A game with something wrong in it comes out as the first thing that is wrong; the next one
/// begins at the next tag, after the next result or at the next move number 1. What is kept of a
/// game is limited: a line to 1 MiB, a comment or tag to 64 KiB, all of them to 16 MiB, 200 tags
/// and 100,000 turns. Longer games are refused.
///
/// ```
/// use merel_protocol::games::Reader;
///
/// let text = "1. 5 13 2. 20 19 *\n1. d6 d6";
/// let entries: Vec<_> = Reader::new(text.as_bytes(), None).map(Result::unwrap).collect();
/// assert_eq!(entries[0].game.as_ref().unwrap().turns()[1].turn.to_string(), "e4");
/// let error = entries[1].game.as_ref().unwrap_err().to_string();
/// assert!(error.starts_with("game 2, line 2, 'd6': turn 1 of Black: d6 is occupied"));
/// ```
pub struct Reader<R> {
    lexer: Lexer<R>,
    rules: Option<Rules>,
    state: State,
    /// Games begun.
    count: usize,
    /// A word that ended one game and belongs to the next.
    again: Option<Token>,
    ended: bool,
}

enum State {
    /// Before the first game, or after the result of one.
    Between,
    /// After the moves on a page that goes on with something else.
    AfterPage,
    Game(Box<Building>),
    Skipping(Box<Skipping>),
}

/// A game in which something was found to be wrong.
struct Skipping {
    line: usize,
    error: GameError,
    /// Whether its moves have begun, so that a tag belongs to the next game.
    moves: bool,
    /// Whether a move number above 1 was seen.
    past_first: bool,
    /// Whether it may turn out to be only what comes before the moves on a page.
    preamble: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads from here. The rules are those of games that do not tell theirs.
    pub fn new(input: R, rules: Option<Rules>) -> Self {
        let state = State::Between;
        Self { lexer: Lexer::new(input), rules, state, count: 0, again: None, ended: false }
    }

    fn next_entry(&mut self) -> io::Result<Option<Entry>> {
        while !self.ended {
            let token = match self.again.take() {
                Some(token) => Some(token),
                None => self.lexer.next()?,
            };
            let entry = match token {
                Some(token) => self.take(token),
                None => {
                    self.ended = true;
                    self.end()
                }
            };
            if entry.is_some() {
                return Ok(entry);
            }
        }
        Ok(None)
    }

    /// The end of the file ends what was begun.
    fn end(&mut self) -> Option<Entry> {
        match mem::replace(&mut self.state, State::Between) {
            State::Game(game) => Some(game.finish(None)),
            State::Skipping(skipping) => Some(self.refused(&skipping)),
            State::Between | State::AfterPage => None,
        }
    }

    fn refused(&self, skipping: &Skipping) -> Entry {
        let error = skipping.error.clone();
        Entry { number: error.game, line: skipping.line, game: Err(error) }
    }

    /// Does what a word asks for. A game may be complete with it.
    fn take(&mut self, token: Token) -> Option<Entry> {
        match mem::replace(&mut self.state, State::Between) {
            State::Between => match token.kind {
                Kind::Comment(_) | Kind::EndOfPage => None,
                _ => self.begin(token),
            },
            State::AfterPage => {
                let begins = match &token.kind {
                    Kind::Tag(..) | Kind::Number { number: 1, .. } => true,
                    Kind::Word(word) => word.spoken,
                    _ => false,
                };
                if begins {
                    return self.begin(token);
                }
                self.state = State::AfterPage;
                None
            }
            State::Game(game) => {
                if game.ends_before(&token.kind) {
                    self.again = Some(token);
                    return Some(game.finish(None));
                }
                self.go_on(game, token)
            }
            State::Skipping(skipping) => self.skip(skipping, token),
        }
    }

    fn begin(&mut self, token: Token) -> Option<Entry> {
        self.count += 1;
        let game = Box::new(Building::new(self.count, token.line, self.rules));
        self.go_on(game, token)
    }

    fn go_on(&mut self, mut game: Box<Building>, token: Token) -> Option<Entry> {
        let line = token.line;
        match token.kind {
            Kind::Result(result) if game.is_blank() => {
                let token = result.text().to_owned();
                let error = game.error(line, Some(token), GameProblem::StrayResult);
                Some(Entry { number: game.number(), line, game: Err(error) })
            }
            Kind::Result(result) => Some(game.finish(Some((result, line)))),
            Kind::EndOfPage => {
                self.state = State::AfterPage;
                Some(game.finish(None))
            }
            kind => {
                // It is found at a tag, and that belongs to the next game.
                let unclosed = matches!(kind, Kind::Unclosed(_));
                self.state = match game.add(line, kind) {
                    Ok(()) => State::Game(game),
                    Err(error) => State::Skipping(Box::new(Skipping {
                        line: game.line(),
                        error,
                        moves: game.has_moves() || unclosed,
                        past_first: game.turns() > 1,
                        preamble: game.is_blank(),
                    })),
                };
                None
            }
        }
    }

    /// Passes over what is left of a refused game.
    fn skip(&mut self, mut skipping: Box<Skipping>, token: Token) -> Option<Entry> {
        let next_begins = match &token.kind {
            Kind::Tag(..) => skipping.moves,
            Kind::Number { number: 1, black: false, .. } => skipping.past_first,
            Kind::Word(word) if word.spoken && skipping.preamble => {
                // So it was the head of a page, and the game begins here.
                self.count -= 1;
                return self.begin(token);
            }
            _ => false,
        };
        if next_begins {
            self.again = Some(token);
            return Some(self.refused(&skipping));
        }
        match token.kind {
            Kind::Result(_) => return Some(self.refused(&skipping)),
            Kind::EndOfPage => {
                self.state = State::AfterPage;
                return Some(self.refused(&skipping));
            }
            Kind::Number { number, .. } => {
                skipping.moves = true;
                skipping.past_first |= number > 1;
            }
            // What has no end is found at a tag, which belongs to the next game.
            Kind::Word(_) | Kind::Unclosed(_) => skipping.moves = true,
            Kind::Tag(..) => skipping.preamble = false,
            _ => {}
        }
        self.state = State::Skipping(skipping);
        None
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = io::Result<Entry>;

    /// The next game. After an error of the input there is none.
    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.next_entry();
        self.ended |= entry.is_err();
        entry.transpose()
    }
}
