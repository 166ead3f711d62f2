//! The options of the engine. One table says what `uci` prints, what `setoption` takes and what a
//! refusal explains.

use std::fmt;
use std::time::Duration;

use merel_engine::{AllInMills, DoubleMill, Preset, Repetition, Rules, SearchOptions, Strength};

use crate::text::{clip, closest, folded, hint};

/// An option set to a value that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Transposition table, in MiB.
    Hash(u32),
    /// Forget everything learnt.
    ClearHash,
    /// Search threads.
    Threads(u32),
    /// Lines to report.
    MultiPv(u32),
    /// Whether the client ponders. The engine ponders when told to, so it is only noted.
    Ponder(bool),
    /// Milliseconds kept back on the clock.
    MoveOverhead(u32),
    /// 0 to 20.
    SkillLevel(u32),
    /// Whether `Elo` counts.
    LimitStrength(bool),
    /// Rating to play at.
    Elo(u32),
    /// Whether info lines tell the chances of win, draw and loss.
    ShowWdl(bool),
    /// Form of turns and scores.
    Dialect(UciDialect),
    /// Folders with endgame tables; empty for the built-in ones alone.
    TablebasePath(String),
    /// Memory for decoded parts of tables, in MiB.
    TablebaseCache(u32),
    /// The most stones of positions looked up in tables.
    TablebaseProbeLimit(u32),
    /// Whether, of turns equal by the tables, the one is played that asks most of the opponent.
    PracticalChances(bool),
    /// File that input and output are copied to; empty for none.
    DebugLogFile(String),
    /// One of the rules, or all.
    Rule(RuleSetting),
}

/// A rule option set to a value that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSetting {
    /// All rule options at once.
    Preset(Preset),
    /// Captures for a double mill.
    DoubleMill(DoubleMill),
    /// Whether a stone may not go straight back.
    NoImmediateReturn(bool),
    /// Draw by repetition.
    Repetition(Repetition),
    /// Captures when all opposing stones stand in mills.
    AllInMills(AllInMills),
    /// Draw after so many quiet turns; 0 for never.
    QuietLimit(u32),
}

impl RuleSetting {
    /// Changes the rules to what was set.
    pub fn change(self, rules: &mut Rules) {
        match self {
            Self::Preset(preset) => *rules = preset.into(),
            Self::DoubleMill(value) => rules.double_mill = value,
            Self::NoImmediateReturn(on) => rules.no_immediate_return = on,
            Self::Repetition(value) => rules.repetition = value,
            Self::AllInMills(value) => rules.all_in_mills = value,
            Self::QuietLimit(plies) => {
                rules.quiet_limit = u16::try_from(plies).unwrap_or(Rules::MAX_QUIET_LIMIT);
            }
        }
    }
}

/// The two forms of the UCI protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UciDialect {
    /// Whole turns; scores from the view of the side to move.
    #[default]
    Turn,
    /// One action per `bestmove`; scores from White's view.
    Sanmill,
}

impl UciDialect {
    fn from_name(text: &str) -> Option<Self> {
        [("turn", Self::Turn), ("sanmill", Self::Sanmill)]
            .into_iter()
            .find_map(|(name, value)| name.eq_ignore_ascii_case(text).then_some(value))
    }
}

/// An option: its name, what it takes, and a line of explanation.
#[derive(Debug)]
pub struct OptionSpec {
    /// As printed. Case, spaces and underscores do not matter when it is read.
    pub name: &'static str,
    kind: Kind,
    /// Explanation for `help`.
    pub help: &'static str,
    /// Whether it has a meaning only in the UCI protocol.
    uci_only: bool,
}

#[derive(Debug)]
enum Kind {
    Spin { default: u32, min: u32, max: u32, set: fn(u32) -> Setting },
    Check { default: bool, set: fn(bool) -> Setting },
    Combo { default: &'static str, values: fn() -> Vec<&'static str>, set: Reader },
    Button(Setting),
    Text(fn(String) -> Setting),
}

type Reader = fn(&str) -> Option<Setting>;

const fn option(name: &'static str, kind: Kind, help: &'static str) -> OptionSpec {
    OptionSpec { name, kind, help, uci_only: false }
}

const fn uci_option(name: &'static str, kind: Kind, help: &'static str) -> OptionSpec {
    OptionSpec { name, kind, help, uci_only: true }
}

const fn spin(default: u32, min: u32, max: u32, set: fn(u32) -> Setting) -> Kind {
    Kind::Spin { default, min, max, set }
}

const fn check(set: fn(bool) -> Setting) -> Kind {
    Kind::Check { default: false, set }
}

const fn check_on(set: fn(bool) -> Setting) -> Kind {
    Kind::Check { default: true, set }
}

const fn combo(default: &'static str, values: fn() -> Vec<&'static str>, set: Reader) -> Kind {
    Kind::Combo { default, values, set }
}

macro_rules! names {
    ($values:ty) => {
        || <$values>::ALL.iter().map(|value| value.name()).collect()
    };
}

/// Every option, in the order in which they are printed.
pub static OPTIONS: &[OptionSpec] = &[
    option("Hash", spin(16, 1, 65_536, Setting::Hash), "transposition table, in MiB"),
    option("Clear Hash", Kind::Button(Setting::ClearHash), "forgets what was learnt"),
    option("Threads", spin(1, 1, 256, Setting::Threads), "search threads"),
    uci_option("MultiPV", spin(1, 1, 512, Setting::MultiPv), "lines to report, best first"),
    option("Ponder", check(Setting::Ponder), "whether the client will send go ponder"),
    option(
        "Move Overhead",
        spin(10, 0, 5000, Setting::MoveOverhead),
        "time kept back on the clock for delays outside the engine, in ms",
    ),
    option("Skill Level", spin(20, 0, 20, Setting::SkillLevel), "strength; 20 is full strength"),
    uci_option(
        "UCI_LimitStrength",
        check(Setting::LimitStrength),
        "whether to play at UCI_Elo instead of Skill Level",
    ),
    uci_option(
        "UCI_Elo",
        spin(ELO_MIN, ELO_MIN, *Strength::ELO_RANGE.end(), Setting::Elo),
        "rating to play at; 1500 is a plain search of four plies",
    ),
    uci_option("UCI_ShowWDL", check(Setting::ShowWdl), "adds win, draw, loss per mille to info"),
    uci_option(
        "UCI_Dialect",
        combo(
            "turn",
            || vec!["turn", "sanmill"],
            |s| UciDialect::from_name(s).map(Setting::Dialect),
        ),
        "turn: whole turns, scores for the side to move; sanmill: single actions, White's view",
    ),
    option(
        "TablebasePath",
        Kind::Text(Setting::TablebasePath),
        "folders with endgame tables, separated by ':' (on Windows ';'); empty for the built-in",
    ),
    option(
        "TablebaseCache",
        spin(16, 1, 65_536, Setting::TablebaseCache),
        "decoded parts of endgame tables, in MiB",
    ),
    option(
        "TablebaseProbeLimit",
        spin(TABLE_STONES, 0, TABLE_STONES, Setting::TablebaseProbeLimit),
        "most stones on the board of positions looked up in endgame tables; 0 for none",
    ),
    option(
        "PracticalChances",
        check_on(Setting::PracticalChances),
        "of turns equal by the tables, plays the one that asks most of the opponent",
    ),
    option(
        "Debug Log File",
        Kind::Text(Setting::DebugLogFile),
        "file to append all input and output to; empty for none",
    ),
    option(
        "Rules",
        combo("standard", names!(Preset), |s| {
            Preset::from_name(s).map(RuleSetting::Preset).map(Setting::Rule)
        }),
        "sets all the rule options below",
    ),
    option(
        "DoubleMill",
        combo("one", names!(DoubleMill), |s| {
            DoubleMill::from_name(s).map(RuleSetting::DoubleMill).map(Setting::Rule)
        }),
        "stones captured by a stone that closes two mills",
    ),
    option(
        "NoImmediateReturn",
        check(|on| Setting::Rule(RuleSetting::NoImmediateReturn(on))),
        "a stone may not go back at once to the point it left",
    ),
    option(
        "Repetition",
        combo("third", names!(Repetition), |s| {
            Repetition::from_name(s).map(RuleSetting::Repetition).map(Setting::Rule)
        }),
        "third: the third occurrence of a position is a draw",
    ),
    option(
        "AllInMills",
        combo("any", names!(AllInMills), |s| {
            AllInMills::from_name(s).map(RuleSetting::AllInMills).map(Setting::Rule)
        }),
        "what may be captured when every opposing stone stands in a mill",
    ),
    option(
        "QuietLimit",
        spin(0, 0, Rules::MAX_QUIET_LIMIT as u32, |plies| {
            Setting::Rule(RuleSetting::QuietLimit(plies))
        }),
        "draw after so many turns (plies) without placement or capture; 0 for never",
    ),
];

/// All the stones there are.
const TABLE_STONES: u32 = 18;
const ELO_MIN: u32 = *Strength::ELO_RANGE.start();

/// The line that announces the option, as `option name Hash type spin default 16 min 1 max 65536`.
impl fmt::Display for OptionSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            Kind::Spin { default, min, max, .. } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            Kind::Check { default, .. } => write!(f, "check default {default}"),
            Kind::Combo { default, values, .. } => {
                write!(f, "combo default {default}")?;
                values().iter().try_for_each(|value| write!(f, " var {value}"))
            }
            Kind::Button(_) => f.write_str("button"),
            Kind::Text(_) => f.write_str("string default <empty>"),
        }
    }
}

impl OptionSpec {
    /// Whether GBGP announces it too.
    #[must_use]
    pub fn is_for_gbgp(&self) -> bool {
        !self.uci_only
    }

    /// What it takes, in words.
    fn domain(&self) -> String {
        match &self.kind {
            Kind::Spin { min, max, .. } => format!("a whole number from {min} to {max}"),
            Kind::Check { .. } => "true or false".to_owned(),
            Kind::Combo { values, .. } => values().join(" or "),
            Kind::Button(_) => "no value".to_owned(),
            Kind::Text(_) => "a text".to_owned(),
        }
    }

    fn read(&self, value: Option<&str>) -> Result<Setting, OptionError> {
        let text = value.unwrap_or_default();
        let setting = match &self.kind {
            Kind::Spin { min, max, set, .. } => {
                text.parse().ok().filter(|n| (min..=max).contains(&n)).map(set)
            }
            Kind::Check { set, .. } => match text.to_ascii_lowercase().as_str() {
                "true" | "on" => Some(set(true)),
                "false" | "off" => Some(set(false)),
                _ => None,
            },
            Kind::Combo { set, .. } => set(text),
            Kind::Button(setting) => text.is_empty().then(|| setting.clone()),
            Kind::Text(set) => {
                Some(set(if text == "<empty>" { String::new() } else { text.to_owned() }))
            }
        };
        setting.ok_or_else(|| {
            let near = match &self.kind {
                Kind::Combo { values, .. } => closest(text, values()),
                _ => None,
            };
            let found = match value {
                Some(text) if !text.is_empty() => format!("not '{}'", clip(text)),
                _ => "and none is given".to_owned(),
            };
            let hint = hint(near);
            OptionError(format!("option {} takes {}, {found}{hint}", self.name, self.domain()))
        })
    }
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError(String);

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OptionError {}

/// Reads the name and value of an option.
///
/// # Errors
/// What is wrong: the name, with the nearest one there is, or the value, with those it takes.
pub fn parse(name: &str, value: Option<&str>) -> Result<Setting, OptionError> {
    let wanted = folded(name);
    match OPTIONS.iter().find(|spec| folded(spec.name) == wanted) {
        Some(spec) => spec.read(value),
        None => {
            let hint = hint(closest(name, OPTIONS.iter().map(|spec| spec.name)));
            Err(OptionError(format!("unknown option '{}'{hint}; uci lists all", clip(name))))
        }
    }
}

/// The values of the options that later commands ask for. Those of the engine itself (`Hash`,
/// `Threads`) and the log are where they take effect.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) hash: u32,
    pub(crate) threads: u32,
    pub(crate) multi_pv: u32,
    pub(crate) move_overhead: u32,
    pub(crate) skill_level: u32,
    pub(crate) limit_strength: bool,
    pub(crate) elo: u32,
    pub(crate) show_wdl: bool,
    pub(crate) table_path: String,
    pub(crate) table_cache: u32,
    pub(crate) table_stones: u32,
    pub(crate) practical_chances: bool,
    pub(crate) dialect: UciDialect,
    pub(crate) rules: Rules,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hash: 16,
            threads: 1,
            multi_pv: 1,
            move_overhead: 10,
            skill_level: 20,
            limit_strength: false,
            elo: ELO_MIN,
            show_wdl: false,
            table_path: String::new(),
            table_cache: 16,
            table_stones: TABLE_STONES,
            practical_chances: true,
            dialect: UciDialect::Turn,
            rules: Rules::default(),
        }
    }
}

impl Options {
    pub(crate) fn search_options(&self) -> SearchOptions {
        let strength = if self.limit_strength {
            Strength::Elo(self.elo)
        } else if self.skill_level >= u32::from(Strength::MAX_LEVEL) {
            Strength::Full
        } else {
            Strength::Level(self.skill_level as u8)
        };
        SearchOptions {
            multi_pv: self.multi_pv as usize,
            move_overhead: Duration::from_millis(self.move_overhead.into()),
            strength,
            table_stones: self.table_stones,
            practical_chances: self.practical_chances,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_in_its_own_range_and_is_what_the_program_starts_with() {
        let text: Vec<String> = OPTIONS.iter().map(ToString::to_string).collect();
        for expected in [
            "option name Hash type spin default 16 min 1 max 65536",
            "option name Clear Hash type button",
            "option name UCI_ShowWDL type check default false",
            "option name Debug Log File type string default <empty>",
            "option name Rules type combo default standard var standard var playok var ivory var millgame",
            "option name QuietLimit type spin default 0 min 0 max 1000",
        ] {
            assert!(text.iter().any(|line| line == expected), "{expected}");
        }
        for spec in OPTIONS {
            match &spec.kind {
                Kind::Spin { default, min, max, .. } => {
                    for n in [default, min, max] {
                        assert!(spec.read(Some(&n.to_string())).is_ok(), "{}", spec.name);
                    }
                    assert!(spec.read(Some(&(max + 1).to_string())).is_err(), "{}", spec.name);
                }
                Kind::Combo { default, values, .. } => {
                    assert!(values().contains(default), "{}", spec.name);
                    for value in values() {
                        assert!(spec.read(Some(&value.to_uppercase())).is_ok(), "{}", spec.name);
                    }
                }
                Kind::Check { .. } | Kind::Button(_) | Kind::Text(_) => {}
            }
        }
        assert_eq!(
            parse("Hash", Some(&Options::default().hash.to_string())),
            Ok(Setting::Hash(16))
        );
    }

    #[test]
    fn names_are_read_without_regard_to_case_and_spaces() {
        for name in ["Skill Level", "SkillLevel", "skill level", "SKILL_LEVEL"] {
            assert_eq!(parse(name, Some("7")), Ok(Setting::SkillLevel(7)), "{name}");
        }
        assert_eq!(parse("multipv", Some("3")), Ok(Setting::MultiPv(3)));
        assert_eq!(parse("uci_showwdl", Some("TRUE")), Ok(Setting::ShowWdl(true)));
    }

    #[test]
    fn refusals_name_the_range_or_the_values() {
        let refusal = |name, value| parse(name, value).unwrap_err().to_string();
        assert_eq!(
            refusal("Hash", Some("0")),
            "option Hash takes a whole number from 1 to 65536, not '0'"
        );
        assert_eq!(
            refusal("Threads", None),
            "option Threads takes a whole number from 1 to 256, and none is given"
        );
        assert_eq!(
            refusal("Rules", Some("ivry")),
            "option Rules takes standard or playok or ivory or millgame, not 'ivry'; \
             did you mean 'ivory'?"
        );
        assert_eq!(
            refusal("Ponder", Some("maybe")),
            "option Ponder takes true or false, not 'maybe'"
        );
        assert_eq!(
            refusal("Treads", Some("1")),
            "unknown option 'Treads'; did you mean 'Threads'?; uci lists all"
        );
        assert!(refusal("Clear Hash", Some("now")).contains("takes no value"));
        assert!(refusal("Hash", Some("99999999999999999999")).contains("from 1 to 65536"));
    }

    #[test]
    fn a_path_keeps_its_spaces_and_empty_means_none() {
        assert_eq!(
            parse("Debug Log File", Some("/a b/c")),
            Ok(Setting::DebugLogFile("/a b/c".into()))
        );
        for value in [None, Some(""), Some("<empty>")] {
            assert_eq!(parse("debuglogfile", value), Ok(Setting::DebugLogFile(String::new())));
        }
    }
}
