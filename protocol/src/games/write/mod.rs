//! Game files, written.

mod movetext;

use std::fmt;

use super::notation::Notation;
use super::record::Record;
use super::rules_tag::rules_text;
use super::tags::{ROSTER, SPECIAL, Tags, Written};
use movetext::Movetext;

/// A form of game files that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Ours: see [`write_merel`].
    Merel,
    /// See [`write_sanmill`].
    Sanmill,
    /// See [`write_playok`].
    Playok,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::Merel, Self::Sanmill, Self::Playok];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Merel => "merel",
            Self::Sanmill => "sanmill",
            Self::Playok => "playok",
        }
    }

    /// The form with this name, in lower case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }

    /// Writes a game in this form, with an empty line after it.
    ///
    /// # Errors
    /// When the form has no way to write it.
    pub fn write(self, record: &Record) -> Result<String, NotWritable> {
        match self {
            Self::Merel => Ok(write_merel(record)),
            Self::Sanmill => Ok(write_sanmill(record)),
            Self::Playok => write_playok(record),
        }
    }
}

/// A game cannot be written in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotWritable;

impl fmt::Display for NotWritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlayOK's lists begin with the empty board, and this game does not")
    }
}

impl std::error::Error for NotWritable {}

/// Writes a game in the form of this project, with an empty line after it: the PGN container with
/// the tags `Variant`, `Rules`, where needed `SetUp` and `FEN`, `Result`, `Termination` and
/// `ResultReason`; whole turns; comments in braces. The tags that every PGN game has are there,
/// with `?` where nothing is known; dates get leading zeros.
///
/// What a reader could not read back is changed: line ends in comments and tags become spaces and
/// a closing brace in a comment becomes a closing bracket.
///
/// ```
/// use merel_engine::{Position, Rules, parse_turn};
/// use merel_protocol::games::{Record, write_merel};
///
/// let turns = ["a7", "b6", "d7", "d6", "g7xb6"].map(|turn| parse_turn(turn).unwrap());
/// let mut record = Record::played(Position::start(Rules::default()), turns);
/// record.tags.set("White", "merel-a");
/// let text = write_merel(&record);
/// assert!(text.contains("[White \"merel-a\"]\n"));
/// assert!(text.contains("[Rules \"standard\"]\n"));
/// assert!(text.ends_with("\n\n1. a7 b6 2. d7 d6 3. g7xb6 *\n\n"));
/// ```
#[must_use]
pub fn write_merel(record: &Record) -> String {
    let mut text = head(record, None);
    text.push_str(&Movetext { record, notation: Notation::Letters, comments: true }.to_string());
    text
}

/// Writes a game as Sanmill exports it, with an empty line after it: as [`write_merel`], and with
/// the tag `PlyCount`, in which each capture counts as a ply. Captures are joined to their turn.
#[must_use]
pub fn write_sanmill(record: &Record) -> String {
    let plies: usize = record
        .turns()
        .iter()
        .map(|t| {
            usize::from(t.turn.to().is_some()) + t.turn.captures().into_iter().flatten().count()
        })
        .sum();
    let mut text = head(record, Some(plies));
    text.push_str(&Movetext { record, notation: Notation::Letters, comments: true }.to_string());
    text
}

/// Writes a game as a list of `PlayOK`, with an empty line after it: points by number, tags as
/// [`write_merel`] does. The site's lists have no comments, so comments are left out.
///
/// # Errors
/// When the game does not begin with the empty board: a list cannot say so.
pub fn write_playok(record: &Record) -> Result<String, NotWritable> {
    if !record.is_from_start() {
        return Err(NotWritable);
    }
    let mut text = head(record, None);
    text.push_str(&Movetext { record, notation: Notation::Numbers, comments: false }.to_string());
    Ok(text)
}

/// The tags, and the empty line after them.
fn head(record: &Record, plies: Option<usize>) -> String {
    let mut head = Tags::new();
    for (name, unknown) in ROSTER {
        let value = record.tags.get(name).unwrap_or(unknown);
        head.set(name, if name == "Date" { padded(value) } else { value.to_owned() });
    }
    head.set("Result", record.result.text());
    head.set("Variant", "Nine Men's Morris");
    head.set("Rules", rules_text(record.rules()));
    if !record.is_from_start() {
        head.set("SetUp", "1");
        head.set("FEN", record.start().fen());
    }
    for (name, value) in record.tags.iter() {
        if head.get(name).is_none() && !SPECIAL.contains(&name) {
            head.set(name, value);
        }
    }
    if let Some(termination) = &record.termination {
        head.set("Termination", termination.text());
    }
    if let Some(reason) = &record.reason {
        head.set("ResultReason", reason.as_str());
    }
    if let Some(plies) = plies {
        head.set("PlyCount", plies.to_string());
    }
    let mut text: String =
        head.iter().map(|(name, value)| format!("{}\n", Written(name, value))).collect();
    text.push('\n');
    text
}

/// A date `year.month.day` with leading zeros; any other text as it is.
fn padded(date: &str) -> String {
    let parts: Vec<&str> = date.split('.').collect();
    let is_short_number =
        |part: &str| part.len() <= 2 && part.parse::<u8>().is_ok_and(|number| number > 0);
    match parts.as_slice() {
        [year, month, day] if is_short_number(month) && is_short_number(day) => {
            format!("{year}.{month:0>2}.{day:0>2}")
        }
        _ => date.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::record::{GameResult, Termination};
    use merel_engine::{Color, Position, Preset, Rules, parse_turn};

    fn record(rules: Rules, turns: &str) -> Record {
        let turns = turns.split_whitespace().map(|turn| parse_turn(turn).unwrap());
        Record::played(Position::start(rules), turns)
    }

    #[test]
    fn dates_get_leading_zeros() {
        for (date, expected) in [
            ("2026.7.20", "2026.07.20"),
            ("2026.07.2", "2026.07.02"),
            ("????.??.??", "????.??.??"),
            ("2026", "2026"),
            ("2026.7.", "2026.7."),
        ] {
            assert_eq!(padded(date), expected);
        }
    }

    #[test]
    fn the_whole_of_our_form() {
        let mut record = record(Rules::default(), "d2 d6 f4");
        record.tags.set("TimeControl", "10+0.1");
        record.tags.set("Date", "2026.7.2");
        record.tags.set("White", "a \"b\"");
        record.comments.push("from} here\n on".to_owned());
        record.turns_mut()[0].comments = vec!["+0.35/12 0.512s".to_owned(), "book".to_owned()];
        record.result = GameResult::Win(Color::Black);
        record.reason = Some("White lost on time".to_owned());
        record.termination = Some(Termination::TimeForfeit);
        assert_eq!(
            write_merel(&record),
            "[Event \"?\"]\n[Site \"?\"]\n[Date \"2026.07.02\"]\n[Round \"-\"]\n\
             [White \"a \\\"b\\\"\"]\n[Black \"?\"]\n[Result \"0-1\"]\n\
             [Variant \"Nine Men's Morris\"]\n[Rules \"standard\"]\n[TimeControl \"10+0.1\"]\n\
             [Termination \"time forfeit\"]\n[ResultReason \"White lost on time\"]\n\n\
             {from) here on} 1. d2 {+0.35/12 0.512s} {book} d6 2. f4 0-1\n\n"
        );
    }

    #[test]
    fn sanmill_counts_captures_as_plies() {
        let record = record(Rules::default(), "a7 b6 d7 d6 g7xb6");
        assert!(write_sanmill(&record).contains("[PlyCount \"6\"]"));
        assert!(write_sanmill(&record).ends_with("1. a7 b6 2. d7 d6 3. g7xb6 *\n\n"));
    }

    #[test]
    fn playok_has_numbers_and_no_comments_and_no_set_ups() {
        let mut record = record(Preset::Playok.into(), "a7 b6 d7 d6 g7xb6");
        record.turns_mut()[0].comments.push("a7".to_owned());
        let text = write_playok(&record).unwrap();
        assert!(text.ends_with("[Rules \"playok\"]\n\n1. 1 4 2. 2 5 3. 3x4 *\n\n"), "{text}");
        let fen = "O*@*****/*@******/*******O w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        let set_up = Record::new(Position::from_fen(fen, Rules::default()).unwrap());
        assert_eq!(write_playok(&set_up), Err(NotWritable));
    }

    #[test]
    fn black_begins_with_dots_and_long_lines_are_broken() {
        let fen = "O*@*****/*@******/*******O b p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        let start = Position::from_fen(fen, Rules::default()).unwrap();
        let turns = ["d6", "d7", "f4"].map(|turn| parse_turn(turn).unwrap());
        let mut record = Record::played(start, turns);
        let text = write_merel(&record);
        assert!(text.ends_with(&format!("[FEN \"{fen}\"]\n\n3... d6 4. d7 f4 *\n\n")), "{text}");
        record.turns_mut()[1].comments.push("x".repeat(70));
        record.turns_mut()[2].comments.push("y z ".repeat(30));
        let lines = write_merel(&record);
        let moves: Vec<&str> = lines.lines().skip_while(|line| !line.starts_with('3')).collect();
        assert_eq!(moves[0], "3... d6 4. d7");
        assert!(moves[1].starts_with("{xxx") && moves[1].ends_with("} f4"), "{moves:?}");
        assert!(moves[2].starts_with("{y z y") && moves[2].ends_with("z}"), "{moves:?}");
        assert_eq!(moves[3..], ["*", ""]);
    }
}
