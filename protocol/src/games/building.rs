//! A game while it is read.

use merel_engine::{Position, Preset, Rules};

use super::error::{GameError, GameProblem};
use super::lexer::{Kind, Word};
use super::notation::Notation;
use super::reader::Entry;
use super::record::{GameResult, Record, Termination};
use super::replay::Replay;
use super::rules_tag::parse_rules;
use super::tags::{ROSTER, SPECIAL, Tags};

const MAX_TAGS: usize = 200;
const MAX_TURNS: usize = 100_000;
/// Tags and comments of a game, in bytes.
const MAX_TEXT: usize = 16 << 20;

/// What is known of a game by the words read so far.
pub(super) struct Building {
    number: usize,
    line: usize,
    /// Rules when the game does not tell its own.
    rules: Option<Rules>,
    tags: Tags,
    /// The tags of [`SPECIAL`], and the line of each.
    special: Vec<(&'static str, String, usize)>,
    first_tag: Option<String>,
    comments: Vec<String>,
    /// Bytes of tags and comments.
    text: usize,
    /// Whether there was a move number or a turn.
    moves: bool,
    notation: Option<Notation>,
    /// A move number and how many turns came before it.
    numbered: Option<(usize, usize)>,
    replay: Option<Replay>,
}

impl Building {
    pub(super) const fn new(number: usize, line: usize, rules: Option<Rules>) -> Self {
        Self {
            number,
            line,
            rules,
            tags: Tags::new(),
            special: Vec::new(),
            first_tag: None,
            comments: Vec::new(),
            text: 0,
            moves: false,
            notation: None,
            numbered: None,
            replay: None,
        }
    }

    pub(super) const fn number(&self) -> usize {
        self.number
    }

    pub(super) const fn line(&self) -> usize {
        self.line
    }

    /// Whether the moves have begun.
    pub(super) const fn has_moves(&self) -> bool {
        self.moves
    }

    /// How many turns there are.
    pub(super) fn turns(&self) -> usize {
        self.replay.as_ref().map_or(0, Replay::turns)
    }

    /// Whether nothing of a game is known yet.
    pub(super) fn is_blank(&self) -> bool {
        self.first_tag.is_none() && self.replay.is_none() && self.numbered.is_none()
    }

    /// Whether this word belongs to the next game.
    pub(super) fn ends_before(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Tag(name, _) => self.moves || self.first_tag.as_ref() == Some(name),
            Kind::Number { number: 1, black: false, .. } => self.turns() > 1,
            _ => false,
        }
    }

    pub(super) const fn error(
        &self,
        line: usize,
        token: Option<String>,
        problem: GameProblem,
    ) -> GameError {
        GameError { game: self.number, line, token, problem }
    }

    /// Adds a word that does not end the game.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn add(&mut self, line: usize, kind: Kind) -> Result<(), GameError> {
        match kind {
            Kind::Tag(name, value) => self.tag(line, &name, value),
            Kind::BadTag(text) => Err(self.error(line, Some(text), GameProblem::NotATag)),
            Kind::Number { text, number, black } => {
                self.moves = true;
                self.move_number(number, black)
                    .map_err(|problem| self.error(line, Some(text), problem))
            }
            Kind::Word(word) => {
                self.moves = true;
                self.word(line, word)
            }
            Kind::Comment(text) => self.comment(line, text),
            Kind::Unclosed(what) => Err(self.error(line, None, GameProblem::Unclosed(what))),
            Kind::TooLong(what, limit) => {
                Err(self.error(line, None, GameProblem::TooLong(what, limit)))
            }
            // These end a game, so the reader has dealt with them.
            Kind::Result(_) | Kind::EndOfPage => Ok(()),
        }
    }

    fn tag(&mut self, line: usize, name: &str, value: String) -> Result<(), GameError> {
        self.grow(line, name.len() + value.len())?;
        // Those that every game gets when it is written are not counted.
        let is_extra = |name: &str| ROSTER.iter().all(|(known, _)| *known != name);
        let extra = self.tags.iter().filter(|(name, _)| is_extra(name)).count();
        if is_extra(name) && extra >= MAX_TAGS {
            let problem = GameProblem::TooLong("the list of tags", "200");
            return Err(self.error(line, Some(name.to_owned()), problem));
        }
        self.first_tag.get_or_insert_with(|| name.to_owned());
        match SPECIAL.into_iter().find(|special| *special == name) {
            Some(special) => {
                self.special.retain(|(known, ..)| *known != special);
                self.special.push((special, value, line));
            }
            None => self.tags.set(name, value),
        }
        Ok(())
    }

    /// Counts text that is kept.
    fn grow(&mut self, line: usize, bytes: usize) -> Result<(), GameError> {
        self.text += bytes;
        if self.text > MAX_TEXT {
            let problem = GameProblem::TooLong("the text of tags and comments", "16 MiB");
            return Err(self.error(line, None, problem));
        }
        Ok(())
    }

    fn comment(&mut self, line: usize, text: String) -> Result<(), GameError> {
        self.grow(line, text.len() + size_of::<String>())?;
        let comments = self.replay.as_mut().and_then(Replay::last_comments);
        comments.unwrap_or(&mut self.comments).push(text);
        Ok(())
    }

    /// Checks that move numbers go with the turns. The first may be any: a game from a set-up
    /// begins with that of the set-up or with 1.
    fn move_number(&mut self, number: usize, black: bool) -> Result<(), GameProblem> {
        let turns = self.turns();
        let Some((first, before)) = self.numbered else {
            self.numbered = Some((number, turns.saturating_sub(usize::from(black))));
            return Ok(());
        };
        let expected = number
            .checked_sub(first)
            .and_then(|moves| moves.checked_mul(2))
            .and_then(|moves| moves.checked_add(before));
        // Where Black begins, his turn may take the first number for itself.
        let black_begins = before == 0 && self.replay.as_ref().is_some_and(Replay::black_begins);
        let fits = expected.is_some_and(|expected| {
            turns == expected
                || black && turns == expected + 1
                || black_begins && turns + 1 == expected
        });
        if fits { Ok(()) } else { Err(GameProblem::MoveNumber { turns }) }
    }

    fn word(&mut self, line: usize, word: Word) -> Result<(), GameError> {
        let token = || Some(word.source.clone());
        if word.text.eq_ignore_ascii_case("p") {
            return Err(self.error(line, token(), GameProblem::Pass));
        }
        let notation = Notation::of(&word.text);
        let parsed = notation.parse(&word.text);
        if self.notation.is_some_and(|known| known != notation) && parsed.is_ok() {
            return Err(self.error(line, token(), GameProblem::MixedNotations));
        }
        let turn = match (parsed, &self.replay) {
            (Ok(turn), _) => turn,
            (Err(_), None) => return Err(self.error(line, token(), GameProblem::NotATurn)),
            (Err(reason), Some(replay)) => {
                let problem = replay.refusal(None, reason, self.notation.unwrap_or(notation));
                return Err(self.error(line, token(), problem));
            }
        };
        self.notation = Some(notation);
        if self.turns() >= MAX_TURNS {
            let problem = GameProblem::TooLong("the game", "100,000 turns");
            return Err(self.error(line, token(), problem));
        }
        let mut replay = match self.replay.take() {
            Some(replay) => replay,
            None => Replay::new(self.start()?, notation),
        };
        let added = replay.add(turn, line, word);
        self.replay = Some(replay);
        added.map_err(|fault| self.error(fault.line, Some(fault.token), fault.problem))
    }

    fn special(&self, name: &str) -> Option<(&str, usize)> {
        let found = self.special.iter().find(|(known, ..)| *known == name);
        found.map(|(_, value, line)| (value.as_str(), *line))
    }

    /// The beginning, by the tags.
    fn start(&mut self) -> Result<Record, GameError> {
        if let Some((variant, line)) = self.special("Variant")
            && !is_nine_mens_morris(variant)
        {
            let token = Some(variant.to_owned());
            return Err(self.error(line, token, GameProblem::OtherVariant));
        }
        let is_playok = self.notation == Some(Notation::Numbers)
            || self.tags.get("Site").is_some_and(|site| site.eq_ignore_ascii_case("PlayOK"));
        let default = if is_playok { Preset::Playok } else { Preset::Standard };
        let rules = match self.special("Rules") {
            Some((text, line)) => parse_rules(text).map_err(|reason| {
                self.error(line, Some(text.to_owned()), GameProblem::Rules(reason))
            })?,
            None => self.rules.unwrap_or(default.into()),
        };
        let start = match self.special("FEN") {
            Some((fen, line)) => Position::from_fen(fen, rules)
                .map_err(|error| self.error(line, Some(fen.to_owned()), GameProblem::Fen(error)))?,
            None => Position::start(rules),
        };
        let mut record = Record::new(start);
        record.comments = std::mem::take(&mut self.comments);
        Ok(record)
    }

    /// The game, now that it has ended, with the result at its end and its line.
    pub(super) fn finish(mut self: Box<Self>, result: Option<(GameResult, usize)>) -> Entry {
        let game = self.record(result);
        Entry { number: self.number, line: self.line, game }
    }

    fn record(&mut self, result: Option<(GameResult, usize)>) -> Result<Record, GameError> {
        let replay = match self.replay.take() {
            Some(replay) => replay,
            None => Replay::new(self.start()?, Notation::Letters),
        };
        let ended = replay.end();
        let (mut record, outcome) =
            ended.map_err(|fault| self.error(fault.line, Some(fault.token), fault.problem))?;
        let (result, line) = self.result(result)?;
        record.result = result;
        record.reason = self.special("ResultReason").map(|(reason, _)| reason.to_owned());
        record.termination =
            self.special("Termination").map(|(text, _)| Termination::from_text(text));
        record.tags = std::mem::take(&mut self.tags);
        if let Some(outcome) = outcome {
            if result != GameResult::Unknown && result != outcome.into() {
                let problem = GameProblem::ResultContradicts { board: outcome.to_string() };
                return Err(self.error(line, Some(result.to_string()), problem));
            }
            record.end(outcome);
        }
        Ok(record)
    }

    /// The result by the tag and by the end of the moves, which may both be missing.
    fn result(
        &self,
        at_end: Option<(GameResult, usize)>,
    ) -> Result<(GameResult, usize), GameError> {
        let tag = match self.special("Result") {
            Some(("" | "?", line)) => Some((GameResult::Unknown, line)),
            Some((text, line)) => {
                let result = GameResult::from_text(text).ok_or_else(|| {
                    self.error(line, Some(text.to_owned()), GameProblem::NotAResult)
                })?;
                Some((result, line))
            }
            None => None,
        };
        match (tag, at_end) {
            (None, None) => Ok((GameResult::Unknown, self.line)),
            (Some(known), None | Some((GameResult::Unknown, _))) => Ok(known),
            (None | Some((GameResult::Unknown, _)), Some(known)) => Ok(known),
            (Some((tag, _)), Some((result, _))) if tag == result => Ok((result, self.line)),
            (Some((tag, _)), Some((result, line))) => {
                let problem = GameProblem::ResultsDiffer { tag };
                Err(self.error(line, Some(result.to_string()), problem))
            }
        }
    }
}

/// Whether the value of the tag `Variant` names the game, or nothing.
fn is_nine_mens_morris(variant: &str) -> bool {
    let plain: String =
        variant.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    matches!(plain.as_str(), "" | "ninemensmorris" | "mill" | "merels" | "mühle" | "muehle")
}
