//! The words of a game file, line by line. One form of words comes out, whatever program wrote
//! the file.

use std::io::{self, BufRead};

use merel_engine::Point;

use super::record::GameResult;
use super::tags;
use crate::input::{MAX_LINE, Read, read_line};

/// The longest comment and the longest value of a tag that are kept, in bytes.
const MAX_TEXT: usize = 64 << 10;
const MAX_TEXT_NAME: &str = "64 KiB";

/// A word and the line, from 1, in which it begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) kind: Kind,
}

/// What a word is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A tag and its value.
    Tag(String, String),
    /// A `[` that begins none, with the rest of its line.
    BadTag(String),
    /// A move number; `black` when dots tell that a turn of the second player follows.
    Number { text: String, number: usize, black: bool },
    /// Anything that stands where a turn might.
    Word(Word),
    /// The end of a game.
    Result(GameResult),
    /// A comment, its spaces and line ends made single spaces.
    Comment(String),
    /// `GoldToken`'s page goes on with something else.
    EndOfPage,
    /// A comment or a variation that never ends; the line is where it begins.
    Unclosed(&'static str),
    /// Something longer than what is kept, and the limit.
    TooLong(&'static str, &'static str),
}

/// A word that should be a turn or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// In the notation with `-` and `x`.
    pub(super) text: String,
    /// As it stands in the file.
    pub(super) source: String,
    /// Whether it is written as `GoldToken` does, in words.
    pub(super) spoken: bool,
}

/// What was begun in a line before.
enum Inside {
    Comment { line: usize, text: String, too_long: bool },
    Variation { line: usize, depth: usize, comment: bool },
}

/// Reads words.
pub(super) struct Lexer<R> {
    input: R,
    buffer: Vec<u8>,
    /// The line being read, and how many bytes of it are done.
    text: String,
    at: usize,
    line: usize,
    inside: Option<Inside>,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), text: String::new(), at: 0, line: 0, inside: None }
    }

    /// The next word, or `None` at the end of the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn next(&mut self) -> io::Result<Option<Token>> {
        loop {
            self.skip_blanks();
            if self.rest().is_empty() {
                match self.next_line()? {
                    Line::Text => {}
                    Line::Token(token) => return Ok(Some(token)),
                    Line::End => return Ok(None),
                }
                continue;
            }
            let line = self.line;
            let token = match self.inside.take() {
                Some(Inside::Comment { line, text, too_long }) => {
                    self.comment(line, text, too_long)
                }
                Some(Inside::Variation { line, depth, comment }) => {
                    self.variation(line, depth, comment);
                    None
                }
                None => self.outside().map(|kind| Token { line, kind }),
            };
            if token.is_some() {
                return Ok(token);
            }
        }
    }

    fn next_line(&mut self) -> io::Result<Line> {
        self.at = 0;
        self.text.clear();
        let read = read_line(&mut self.input, &mut self.buffer, MAX_LINE)?;
        self.line += 1;
        match read {
            Read::End => {
                let line = self.line - 1;
                return Ok(self.unclosed().map_or(Line::End, |mut token| {
                    token.line = token.line.min(line);
                    Line::Token(token)
                }));
            }
            Read::TooLong => {
                let kind = Kind::TooLong("the line", "1 MiB");
                return Ok(Line::Token(Token { line: self.line, kind }));
            }
            Read::Line => {}
        }
        let text = String::from_utf8_lossy(&self.buffer);
        let text = if self.line == 1 { text.trim_start_matches('\u{feff}') } else { &text };
        // A line that begins with % is no part of the game.
        if !text.starts_with('%') || self.inside.is_some() {
            self.text.push_str(text);
        }
        // A comment or variation without end must not swallow the games that follow.
        let tag = tags::read(self.text.trim());
        if self.inside.is_some() && tag.is_some_and(|tag| tag.length == self.text.trim().len()) {
            return Ok(self.unclosed().map_or(Line::Text, Line::Token));
        }
        Ok(Line::Text)
    }

    fn unclosed(&mut self) -> Option<Token> {
        let (line, what) = match self.inside.take()? {
            Inside::Comment { line, .. } => (line, "comment"),
            Inside::Variation { line, .. } => (line, "variation"),
        };
        Some(Token { line, kind: Kind::Unclosed(what) })
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Goes on with a comment to its end or that of the line.
    fn comment(&mut self, line: usize, mut text: String, mut too_long: bool) -> Option<Token> {
        let rest = self.rest();
        let (part, end) = match rest.split_once('}') {
            Some((part, _)) => (part, true),
            None => (rest, false),
        };
        let used = part.len() + usize::from(end);
        for word in part.split_whitespace() {
            too_long |= text.len() + word.len() >= MAX_TEXT;
            if too_long {
                break;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
        }
        self.at += used;
        if !end {
            self.inside = Some(Inside::Comment { line, text, too_long });
            return None;
        }
        let kind = if too_long {
            Kind::TooLong("the comment", MAX_TEXT_NAME)
        } else if text.is_empty() {
            return None;
        } else {
            Kind::Comment(text)
        };
        Some(Token { line, kind })
    }

    /// Passes over a variation to its end or that of the line.
    fn variation(&mut self, line: usize, mut depth: usize, mut comment: bool) {
        for (index, c) in self.rest().char_indices() {
            match c {
                '}' => comment = false,
                _ if comment => {}
                '{' => comment = true,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += index + 1;
                return;
            }
        }
        self.at = self.text.len();
        self.inside = Some(Inside::Variation { line, depth, comment });
    }

    /// A word outside of comments and variations; `None` for what does not matter.
    fn outside(&mut self) -> Option<Kind> {
        let rest = self.rest();
        let line = self.line;
        match rest.chars().next()? {
            '[' => return Some(self.tag()),
            '{' => {
                self.at += 1;
                self.inside = Some(Inside::Comment { line, text: String::new(), too_long: false });
                return None;
            }
            ';' => {
                let text: Vec<&str> = rest.trim_start_matches(';').split_whitespace().collect();
                let text = text.join(" ");
                self.at = self.text.len();
                return match text.len() {
                    0 => None,
                    1..MAX_TEXT => Some(Kind::Comment(text)),
                    _ => Some(Kind::TooLong("the comment", MAX_TEXT_NAME)),
                };
            }
            '(' if coordinates(rest).is_none() => {
                self.at += 1;
                self.inside = Some(Inside::Variation { line, depth: 1, comment: false });
                return None;
            }
            _ => {}
        }
        self.number().or_else(|| self.word())
    }

    fn tag(&mut self) -> Kind {
        let rest = self.rest();
        let Some(tag) = tags::read(rest) else {
            let text = rest.trim_end().to_owned();
            self.at = self.text.len();
            return Kind::BadTag(text);
        };
        self.at += tag.length;
        if tag.value.len() + tag.name.len() > MAX_TEXT {
            return Kind::TooLong("the tag", MAX_TEXT_NAME);
        }
        Kind::Tag(tag.name, tag.value)
    }

    /// A move number: with dots, or before a turn in words.
    fn number(&mut self) -> Option<Kind> {
        let rest = self.rest();
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = rest.len() - after.len();
        let dots = after.len() - after.trim_start_matches('.').len();
        if digits == 0 || dots == 0 && !begins_spoken_line(after) {
            return None;
        }
        let number = rest.get(..digits)?.parse().unwrap_or(usize::MAX);
        let text = rest.get(..digits + dots)?.to_owned();
        self.at += digits + dots;
        Some(Kind::Number { text, number, black: dots > 1 })
    }

    fn word(&mut self) -> Option<Kind> {
        let start = self.at;
        let mut word = Word { text: self.part(), ..Word::default() };
        if let Some(result) = GameResult::from_text(&word.text) {
            return Some(Kind::Result(result));
        }
        if word.text == "Quick" && self.rest().trim_start().starts_with("Jump") {
            self.at = self.text.len();
            return Some(Kind::EndOfPage);
        }
        // "Place to A7": the words say what the form of the turn says too.
        if word.text.eq_ignore_ascii_case("place") && self.follows("to") {
            word.text = self.part();
            word.spoken = true;
        }
        self.join_spoken(&mut word);
        word.source = self.text.get(start..self.at).unwrap_or_default().trim().to_owned();
        let annotation = word.text.trim_end_matches(['!', '?']).len();
        word.text.truncate(annotation);
        let is_annotation = word.text.is_empty() || word.text.starts_with('$');
        if is_annotation {
            return None;
        }
        for (written, meant) in [("->", "-"), ("-/x", "x"), ("/x", "x")] {
            if word.text.contains(written) {
                word.text = word.text.replace(written, meant);
            }
        }
        Some(Kind::Word(word))
    }

    /// Joins ` -> A4` and `, take B7` to the point before.
    fn join_spoken(&mut self, word: &mut Word) {
        loop {
            let before = self.at;
            let sign = if self.follows("->") {
                '-'
            } else if word.text.ends_with(',') && self.follows("take") {
                word.text.pop();
                'x'
            } else {
                self.at = before;
                return;
            };
            word.spoken = true;
            word.text.push(sign);
            let part = self.part();
            word.text.push_str(&part);
        }
    }

    /// Passes over this word, in either case, if it comes next, and the spaces after it.
    fn follows(&mut self, wanted: &str) -> bool {
        let rest = self.rest();
        let trimmed = rest.trim_start();
        let found = trimmed.get(..wanted.len()).is_some_and(|w| w.eq_ignore_ascii_case(wanted));
        let end = trimmed.get(wanted.len()..).unwrap_or_default();
        if !found || !end.starts_with(char::is_whitespace) {
            return false;
        }
        self.at += rest.len() - end.len();
        self.skip_blanks();
        true
    }

    /// What comes up to a space or a sign that cannot be in a word. Points by coordinates become
    /// points by name. A sign that may not stand there is a word of its own.
    fn part(&mut self) -> String {
        let mut part = String::new();
        let start = self.at;
        while let Some(c) = self.rest().chars().next() {
            let rest = self.rest();
            if let Some(point) = coordinates(rest) {
                part.push_str(point.name());
                self.at += COORDINATES;
                continue;
            }
            // A capture is written with a minus before the coordinates.
            if c == '-' && rest.get(1..).is_some_and(|rest| coordinates(rest).is_some()) {
                part.push('x');
                self.at += 1;
                continue;
            }
            let ends = c.is_whitespace() || "{}()[];".contains(c);
            if ends && self.at > start {
                break;
            }
            part.push(c);
            self.at += c.len_utf8();
            if ends {
                break;
            }
        }
        part
    }
}

/// What a new line brings.
enum Line {
    Text,
    Token(Token),
    End,
}

/// Whether a turn in words follows a number at the beginning of a line.
fn begins_spoken_line(rest: &str) -> bool {
    if !rest.starts_with(char::is_whitespace) {
        return false;
    }
    let mut words = rest.split_whitespace();
    let [first, second] = [words.next(), words.next()].map(Option::unwrap_or_default);
    second == "->" || first.eq_ignore_ascii_case("place") && second.eq_ignore_ascii_case("to")
}

/// Bytes of a point by coordinates.
const COORDINATES: usize = "(1,6)".len();

/// A point as old versions of Sanmill write it, at the beginning of a text: the ring from 1, the
/// inner one, to 3, and the place on it from 1 to 8, clockwise from 12 o'clock.
fn coordinates(text: &str) -> Option<Point> {
    let [b'(', ring @ b'1'..=b'3', b',', place @ b'1'..=b'8', b')', ..] = text.as_bytes() else {
        return None;
    };
    Point::new(8 * (ring - b'1') + (place - b'1'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(usize, Kind)> {
        let mut lexer = Lexer::new(text.as_bytes());
        let mut kinds = Vec::new();
        while let Some(token) = lexer.next().unwrap() {
            kinds.push((token.line, token.kind));
        }
        kinds
    }

    fn words(text: &str) -> Vec<String> {
        kinds(text)
            .into_iter()
            .map(|(_, kind)| match kind {
                Kind::Word(word) => word.text,
                Kind::Number { number, black, .. } => {
                    format!("#{number}{}", if black { "b" } else { "" })
                }
                Kind::Comment(text) => format!("{{{text}}}"),
                other => format!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn numbers_stand_alone_or_at_their_turn() {
        assert_eq!(
            words("1. d6 1... f4 2.d2 3...b4"),
            ["#1", "d6", "#1b", "f4", "#2", "d2", "#3b", "b4"]
        );
        assert_eq!(words("1. 5 13 10. 23-24 22-23"), ["#1", "5", "13", "#10", "23-24", "22-23"]);
        assert_eq!(words(" 1.    d2    f4"), ["#1", "d2", "f4"]);
    }

    #[test]
    fn comments_are_kept_and_variations_are_not() {
        assert_eq!(
            words(
                "d6 {good\n  ( move } f4 (d2 {)} (b4) xa1) $3 c3!? !! ; to the  end d1\n%d2\ng7{}"
            ),
            ["d6", "{good ( move}", "f4", "c3", "{to the end d1}", "g7"]
        );
    }

    #[test]
    fn what_gold_token_says_in_words_is_a_turn() {
        assert_eq!(
            words("1\tPlace to D6\tPlace to F4, take A7\n19\tA7 -> A4\tB6 -> D6, take A4, take B2"),
            ["#1", "D6", "F4xA7", "#19", "A7-A4", "B6-D6xA4xB2"]
        );
        let spoken = kinds("place  to A7,  take B7");
        let Some((1, Kind::Word(word))) = spoken.first() else { panic!("{spoken:?}") };
        assert_eq!((word.source.as_str(), word.spoken), ("place  to A7,  take B7", true));
        // Not so here: the number is a point.
        assert_eq!(words("1 place\n2 -> 3"), ["1", "place", "2-3"]);
    }

    #[test]
    fn coordinates_are_points_and_no_variations() {
        assert_eq!(
            words("1. (2,1) (3,8) 2. (1,6)->(1,5) -(2,3) (1,6)->(1,5)-(2,3) (d2 (2,1))"),
            ["#1", "d6", "a7", "#2", "c3-d3", "xf4", "c3-d3xf4"]
        );
        assert_eq!(words("(4,1) d6"), ["d6"]);
    }

    #[test]
    fn tags_end_what_was_left_open() {
        for (open, what) in [("{", "comment"), ("(", "variation")] {
            let found = kinds(&format!("d6 {open}never\nmind\n [Event \"x\"]\nd2"));
            assert_eq!(found.get(1), Some(&(1, Kind::Unclosed(what))));
            assert_eq!(found.get(2), Some(&(3, Kind::Tag("Event".into(), "x".into()))));
            assert_eq!(found.len(), 4);
            let found = kinds(&format!("d6\n{open}never"));
            assert_eq!(found.get(1), Some(&(2, Kind::Unclosed(what))));
        }
        assert_eq!(words("{[Event \"x\"] y}"), ["{[Event \"x\"] y}"]);
    }

    #[test]
    fn signs_out_of_place_are_words() {
        assert_eq!(
            words(") } ] d6) a1, 1/2 p"),
            [")", "}", "]", "d6", ")", "a1,", "Result(Draw)", "p"]
        );
    }

    #[test]
    fn what_is_too_long_is_said_and_passed_over() {
        let long = "x ".repeat(MAX_TEXT);
        for text in [format!("{{{long}}} d6"), format!(";{long}\nd6"), format!("[A \"{long}\"] d6")]
        {
            let found = kinds(&text);
            assert!(
                matches!(found.as_slice(), [(1, Kind::TooLong(..)), (_, Kind::Word(_))]),
                "{:?}",
                found.len()
            );
        }
        let line = "d6 ".repeat(1 << 20);
        assert!(matches!(
            kinds(&format!("{line}\nd6")).as_slice(),
            [(1, Kind::TooLong(..)), (2, _)]
        ));
    }
}
