//! The words of each protocol: greeting, new game, position, turns.

use merel_engine::{Color, Point, Position, Setup, Turn};

use crate::gbgp;
use crate::match_runner::config::{Protocol, RulesConfig};
use crate::text::{clip, closest, folded, hint};

/// How an engine is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::match_runner) enum Dialect {
    /// UCI with whole turns.
    Turn,
    /// UCI with single actions and White's view.
    Sanmill,
    /// GBGP.
    Gbgp,
}

/// Name by which Sanmill's own program is known.
const SANMILL_NAME: &str = "TGF Mill";

impl Dialect {
    /// The dialect of the greeting, before the engine has said who it is.
    pub(in crate::match_runner) const fn greeting(protocol: Option<Protocol>) -> Self {
        match protocol {
            None | Some(Protocol::Uci) => Self::Turn,
            Some(Protocol::Sanmill) => Self::Sanmill,
            Some(Protocol::Gbgp) => Self::Gbgp,
        }
    }

    /// The dialect of an engine with this name and these options set.
    pub(in crate::match_runner) fn settled(
        self,
        protocol: Option<Protocol>,
        name: &str,
        options: &[(String, String)],
    ) -> Self {
        let is_asked_for = options.iter().any(|(name, value)| {
            folded(name) == "ucidialect" && value.eq_ignore_ascii_case("sanmill")
        });
        if self == Self::Turn
            && (is_asked_for || protocol.is_none() && name.starts_with(SANMILL_NAME))
        {
            Self::Sanmill
        } else {
            self
        }
    }

    pub(in crate::match_runner) const fn hello(self) -> &'static str {
        match self {
            Self::Turn | Self::Sanmill => "uci",
            Self::Gbgp => "gbgp",
        }
    }

    pub(in crate::match_runner) const fn hello_answer(self) -> &'static str {
        match self {
            Self::Turn | Self::Sanmill => "uciok",
            Self::Gbgp => "gbgpok",
        }
    }

    pub(in crate::match_runner) const fn new_game(self) -> &'static str {
        match self {
            Self::Turn | Self::Sanmill => "ucinewgame",
            Self::Gbgp => "newgame",
        }
    }

    /// Whether scores are the opponent's when this side is to move.
    pub(in crate::match_runner) fn flips(self, to_move: Color) -> bool {
        self == Self::Sanmill && to_move == Color::Black
    }

    /// The beginning of a `position` command. `None` where the dialect cannot say the position.
    pub(in crate::match_runner) fn position(self, start: &Position) -> Option<String> {
        if start.setup() == Setup::START {
            return Some("position startpos".to_owned());
        }
        match self {
            Self::Turn | Self::Sanmill => Some(format!("position fen {}", start.fen())),
            Self::Gbgp => gbgp_position(start).map(|pos| format!("position pos {pos}")),
        }
    }

    /// Adds a turn to a `position` command, or a capture that goes on from the last one.
    pub(in crate::match_runner) fn append(self, command: &mut String, turn: Turn) {
        let text = turn.to_string();
        if self == Self::Sanmill || !text.starts_with('x') {
            command.push(' ');
        }
        match self {
            Self::Turn | Self::Gbgp => command.push_str(&text),
            // A turn of nothing but captures has no action before the first x.
            Self::Sanmill => command.push_str(text.replace('x', " x").trim_start()),
        }
    }
}

/// The text for a position, if a reader comes to the same one by the rule for the hands.
fn gbgp_position(position: &Position) -> Option<String> {
    let names = |color: Color| {
        let points: Vec<&str> = position.stones(color).into_iter().map(Point::name).collect();
        format!("{}{}", color.letter(), points.join(","))
    };
    let text = format!(
        "{}:{}:{}:{}",
        position.to_move().letter(),
        names(Color::White),
        names(Color::Black),
        position.fullmove()
    );
    let read = gbgp::parse_position(&text, position.rules()).ok()?;
    (read.key() == position.key()).then_some(text)
}

/// An option as an engine announces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::match_runner) struct Announced {
    pub(in crate::match_runner) name: String,
    kind: String,
    pub(in crate::match_runner) default: String,
    range: Option<(i64, i64)>,
}

impl Announced {
    /// Reads `option name N type T default D min A max B`.
    pub(in crate::match_runner) fn read(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("option name ")?;
        let (name, rest) = rest.split_once(" type ")?;
        let mut tokens = rest.split_ascii_whitespace();
        let kind = tokens.next()?.to_owned();
        let mut option =
            Self { name: name.trim().to_owned(), kind, default: String::new(), range: None };
        let (mut min, mut max) = (None, None);
        while let Some(token) = tokens.next() {
            match token {
                "default" => option.default = tokens.next().unwrap_or_default().to_owned(),
                "min" => min = tokens.next().and_then(|t| t.parse().ok()),
                "max" => max = tokens.next().and_then(|t| t.parse().ok()),
                _ => {}
            }
        }
        option.range = min.zip(max);
        Some(option)
    }

    /// The line that sets the option with this name among these.
    ///
    /// # Errors
    /// That there is none, or what its value must be.
    pub(in crate::match_runner) fn set(
        all: &[Self],
        name: &str,
        value: &str,
    ) -> Result<String, String> {
        // An engine may take options that it does not announce, but then it announces none.
        let Some(option) = Self::find(all, name) else {
            if all.is_empty() {
                return Ok(format!("setoption name {name} value {value}"));
            }
            let near = hint(closest(name, all.iter().map(|o| o.name.as_str())));
            let names: Vec<&str> = all.iter().map(|o| o.name.as_str()).collect();
            return Err(format!(
                "there is no option '{}'{near}; it has {}",
                clip(name),
                names.join(", ")
            ));
        };
        if option.kind == "button" {
            return Ok(format!("setoption name {}", option.name));
        }
        if let Some((min, max)) = option.range
            && !value.parse().is_ok_and(|n: i64| (min..=max).contains(&n))
        {
            return Err(format!(
                "option {} takes a whole number from {min} to {max}, not '{}'",
                option.name,
                clip(value)
            ));
        }
        Ok(format!("setoption name {} value {value}", option.name))
    }

    /// The option with this name, read without regard to case, spaces and underscores.
    pub(in crate::match_runner) fn find<'a>(all: &'a [Self], name: &str) -> Option<&'a Self> {
        all.iter().find(|option| folded(&option.name) == folded(name))
    }

    /// The lines that set the rules of the match, and a warning when the engine cannot be told
    /// them.
    pub(in crate::match_runner) fn rules(
        all: &[Self],
        rules: &RulesConfig,
    ) -> Result<(Vec<String>, Option<String>), String> {
        let mut lines = Vec::new();
        if Self::find(all, "Rules").is_some() {
            for (name, value) in rules.options()? {
                lines.push(Self::set(all, name, &value)?);
            }
            return Ok((lines, None));
        }
        let mut is_told = true;
        let two = rules.double_mill == "two";
        match Self::find(all, "MayRemoveMultiple") {
            Some(_) => lines.push(Self::set(all, "MayRemoveMultiple", &two.to_string())?),
            None => is_told &= !two,
        }
        match Self::find(all, "NMoveRule") {
            Some(option) => {
                // It cannot be switched off there, but be put as far away as may be.
                let (_, max) = option.range.unwrap_or((0, 100));
                let plies = i64::from(rules.quiet_limit);
                let wanted = if plies == 0 { max } else { plies };
                lines.push(Self::set(all, "NMoveRule", &wanted.to_string())?);
                is_told &= plies > 0;
            }
            None => is_told &= rules.quiet_limit == 0,
        }
        is_told &= !rules.no_immediate_return
            && rules.repetition == "third"
            && rules.all_in_mills == "any";
        let warning = (!is_told).then(|| {
            format!(
                "it has no option for all of the rules '{}': make sure that it plays by them",
                rules.text()
            )
        });
        Ok((lines, warning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merel_engine::{Game, Preset, Rules, parse_turn};

    #[test]
    fn turns_are_written_as_each_dialect_takes_them() {
        for (turn, whole, single) in [
            ("a7", "a7", "a7"),
            ("d6-d7xa1xg4", "d6-d7xa1xg4", "d6-d7 xa1 xg4"),
            ("a1xb4", "a1xb4", "a1 xb4"),
        ] {
            let written = |dialect: Dialect| {
                let mut command = String::from("m");
                dialect.append(&mut command, parse_turn(turn).unwrap());
                command
            };
            assert_eq!(written(Dialect::Turn), format!("m {whole}"));
            assert_eq!(written(Dialect::Gbgp), format!("m {whole}"));
            assert_eq!(written(Dialect::Sanmill), format!("m {single}"));
        }
    }

    #[test]
    fn a_position_is_said_in_gbgp_only_where_its_reader_comes_to_the_same() {
        let mut game = Game::start(Rules::default());
        assert_eq!(Dialect::Gbgp.position(game.position()).as_deref(), Some("position startpos"));
        for token in ["a7", "b6", "d7", "d6"] {
            game.play_text(token).unwrap();
        }
        let text = Dialect::Gbgp.position(game.position()).unwrap();
        assert!(text.starts_with("position pos w:w") && text.ends_with(":3"), "{text}");
        // Stones captured are no matter, but hands that placing in turn does not leave are.
        game.play_text("g7xb6").unwrap();
        assert!(Dialect::Gbgp.position(game.position()).unwrap().ends_with(":bd6:3"));
        let fen = "********/@******@/O******O w p p 2 6 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        let uneven = Position::from_fen(fen, Rules::default()).unwrap();
        assert_eq!(Dialect::Gbgp.position(&uneven), None);
        let fen = Dialect::Turn.position(game.position()).unwrap();
        assert!(fen.starts_with("position fen ********/"), "{fen}");
    }

    #[test]
    fn options_are_checked_before_they_are_sent() {
        let all: Vec<Announced> = [
            "option name Hash type spin default 16 min 1 max 64",
            "option name Skill Level type spin default 20 min 0 max 20",
            "option name Clear Hash type button",
            "option name Rules type combo default standard var standard var playok",
        ]
        .iter()
        .map(|line| Announced::read(line).unwrap())
        .collect();
        let set = |name, value| Announced::set(&all, name, value);
        assert_eq!(set("hash", "32").unwrap(), "setoption name Hash value 32");
        assert_eq!(set("SkillLevel", "3").unwrap(), "setoption name Skill Level value 3");
        assert_eq!(set("clear hash", "").unwrap(), "setoption name Clear Hash");
        assert!(set("Hash", "65").unwrap_err().contains("from 1 to 64"));
        assert!(set("Hsh", "65").unwrap_err().contains("did you mean 'Hash'?"));
        assert_eq!(Announced::set(&[], "X", "1").unwrap(), "setoption name X value 1");
        assert_eq!(Announced::read("option nonsense"), None);
    }

    #[test]
    fn an_engine_that_cannot_be_told_the_rules_is_named() {
        let playok = RulesConfig::new(Preset::Playok, Preset::Playok.into());
        let standard = RulesConfig::new(Preset::Standard, Preset::Standard.into());
        let merel = [Announced::read("option name Rules type combo default standard").unwrap()];
        let told = Announced::rules(&merel, &playok).unwrap();
        assert_eq!(told, (vec!["setoption name Rules value playok".to_owned()], None));
        let sanmill = [
            Announced::read("option name MayRemoveMultiple type check default false").unwrap(),
            Announced::read("option name NMoveRule type spin default 100 min 10 max 200").unwrap(),
        ];
        let limited = RulesConfig { quiet_limit: 60, ..playok.clone() };
        let (lines, warning) = Announced::rules(&sanmill, &limited).unwrap();
        assert_eq!(lines[0], "setoption name MayRemoveMultiple value true");
        assert_eq!(lines[1], "setoption name NMoveRule value 60");
        assert_eq!(warning, None);
        assert!(Announced::rules(&sanmill, &playok).unwrap().1.is_some());
        assert_eq!(Announced::rules(&[], &standard).unwrap(), (vec![], None));
        assert!(Announced::rules(&[], &playok).unwrap().1.unwrap().contains("playok"));
    }
}
