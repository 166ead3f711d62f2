//! All that a match is defined by: what the arguments say and an autosave keeps.

use std::path::{Path, PathBuf};

use merel_engine::{AllInMills, DoubleMill, Preset, Repetition, Rules};
use serde::{Deserialize, Serialize};

use super::statistics::Sprt;
use super::time_control::Limits;

/// How an engine is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// UCI with whole turns.
    Uci,
    /// UCI with single actions and White's view, as Sanmill speaks it.
    Sanmill,
    /// GBGP.
    Gbgp,
}

/// An engine and how it is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineConfig {
    /// The program.
    pub command: PathBuf,
    /// What it is called in reports; no two engines alike.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it is run; the current folder when `None`.
    pub directory: Option<PathBuf>,
    /// What it speaks; `None` to find out whether it is UCI or Sanmill's kind of it.
    pub protocol: Option<Protocol>,
    /// What limits its thinking.
    pub limits: Limits,
    /// Whether it is started anew for each game.
    pub restart: bool,
    /// Options and their values, in the order in which they are set.
    pub options: Vec<(String, String)>,
}

/// Who plays whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Format {
    /// Everyone against everyone.
    RoundRobin,
    /// The first so many against all others.
    Gauntlet {
        /// How many.
        seeds: usize,
    },
}

/// The order of openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// That of the file.
    Sequential,
    /// Shuffled by the seed of the match.
    Random,
}

/// What a file of openings holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpeningsFormat {
    /// An opening a line: a FEN, or turns from the empty board.
    Lines,
    /// Games, in any form that `merel games` reads.
    Games,
}

/// The file of openings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningsConfig {
    /// The file.
    pub file: PathBuf,
    /// What it holds.
    pub format: OpeningsFormat,
    /// In which order.
    pub order: Order,
    /// Turns to play of each line or game; all when `None`.
    pub plies: Option<usize>,
    /// The number of the first opening, from 1; beyond the last it goes on from the first.
    pub start: usize,
}

/// When a game is called drawn by its scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// Not before this move number.
    pub move_number: u32,
    /// So many turns of each player in a row.
    pub move_count: u32,
    /// All with a score no further from 0 than this, in hundredths.
    pub score: u32,
}

/// When a game is called lost by its scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// So many turns of the loser in a row.
    pub move_count: u32,
    /// All with a score of minus this or worse, in hundredths.
    pub score: u32,
    /// Whether the opponent must see itself winning by as much.
    pub two_sided: bool,
}

/// Which results endgame tables may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableResults {
    /// Wins and draws.
    Both,
    /// Wins alone.
    WinLoss,
    /// Draws alone.
    Draw,
}

/// When a game is called by endgame tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablesConfig {
    /// Folders of tables, before the built-in ones.
    pub folders: Vec<PathBuf>,
    /// The most stones on the board.
    pub pieces: u32,
    /// Whether a win is called although repetition or the quiet limit might cut it short.
    pub ignore_limits: bool,
    /// What may be called.
    pub results: TableResults,
}

/// What a comment in the game file tells of a turn, besides score, depth and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// The time left on the clock.
    TimeLeft,
    /// Measured less reported time.
    Latency,
    /// Nodes searched.
    Nodes,
    /// Selective depth.
    SelDepth,
    /// Nodes per second.
    Nps,
    /// Share of the transposition table in use, per mille.
    HashFull,
    /// Positions found in endgame tables.
    TbHits,
}

impl Detail {
    /// All of them with their keys, in the order of a comment.
    pub const ALL: [(&'static str, Self); 7] = [
        ("timeleft", Self::TimeLeft),
        ("latency", Self::Latency),
        ("nodes", Self::Nodes),
        ("seldepth", Self::SelDepth),
        ("nps", Self::Nps),
        ("hashfull", Self::HashFull),
        ("tbhits", Self::TbHits),
    ];
}

/// The game file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PgnConfig {
    /// The file.
    pub file: PathBuf,
    /// The form of its games: a name of [`crate::games::Form`].
    pub notation: String,
    /// Whether games are added to what it holds.
    pub append: bool,
    /// What comments tell.
    pub details: Vec<Detail>,
    /// Whether comments are left out.
    pub min: bool,
}

/// How grave a line of the log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Everything.
    Trace,
    /// Games and reports.
    Info,
    /// What the user should know.
    Warn,
    /// What stops the match.
    Err,
    /// What ends the program.
    Fatal,
}

impl Level {
    /// All of them by name.
    pub const ALL: [(&'static str, Self); 5] = [
        ("trace", Self::Trace),
        ("info", Self::Info),
        ("warn", Self::Warn),
        ("err", Self::Err),
        ("fatal", Self::Fatal),
    ];
}

/// The log of all lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogConfig {
    /// The file.
    pub file: PathBuf,
    /// Whether each line is written at once.
    pub realtime: bool,
    /// The least grave lines of the match itself that are written.
    pub level: Level,
    /// Whether the lines to and from engines are written.
    pub engine: bool,
}

/// Whose report is imitated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// fastchess.
    Fastchess,
    /// cutechess-cli.
    Cutechess,
}

/// How long an engine may stay silent, in ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patience {
    /// After being started, until it has greeted.
    pub startup_ms: u64,
    /// After `ucinewgame`.
    pub new_game_ms: u64,
    /// After `isready` otherwise.
    pub ping_ms: u64,
    /// For a turn that no time control limits.
    pub turn_ms: u64,
    /// After `stop`, once its time is over.
    pub stop_ms: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            startup_ms: 10_000,
            new_game_ms: 60_000,
            ping_ms: 60_000,
            turn_ms: 300_000,
            stop_ms: 10_000,
        }
    }
}

/// The rules as text options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesConfig {
    /// The preset they are close to.
    pub preset: String,
    /// See [`Rules`].
    pub double_mill: String,
    /// See [`Rules`].
    pub no_immediate_return: bool,
    /// See [`Rules`].
    pub repetition: String,
    /// See [`Rules`].
    pub all_in_mills: String,
    /// See [`Rules`], in plies.
    pub quiet_limit: u16,
}

impl RulesConfig {
    /// Rules that began as this preset.
    #[must_use]
    pub fn new(preset: Preset, rules: Rules) -> Self {
        Self {
            preset: preset.name().to_owned(),
            double_mill: rules.double_mill.name().to_owned(),
            no_immediate_return: rules.no_immediate_return,
            repetition: rules.repetition.name().to_owned(),
            all_in_mills: rules.all_in_mills.name().to_owned(),
            quiet_limit: rules.quiet_limit,
        }
    }

    /// The rules.
    ///
    /// # Errors
    /// The value that is none.
    pub fn rules(&self) -> Result<Rules, String> {
        let refuse = |name: &str, value: &str| format!("'{value}' is no value of rule {name}");
        Ok(Rules {
            double_mill: DoubleMill::from_name(&self.double_mill)
                .ok_or_else(|| refuse("double_mill", &self.double_mill))?,
            no_immediate_return: self.no_immediate_return,
            repetition: Repetition::from_name(&self.repetition)
                .ok_or_else(|| refuse("repetition", &self.repetition))?,
            all_in_mills: AllInMills::from_name(&self.all_in_mills)
                .ok_or_else(|| refuse("all_in_mills", &self.all_in_mills))?,
            quiet_limit: self.quiet_limit,
        })
    }

    /// Names and values of the options that set these rules in an engine that has Merel's.
    ///
    /// # Errors
    /// The preset that is none.
    pub fn options(&self) -> Result<Vec<(&'static str, String)>, String> {
        let preset = Preset::from_name(&self.preset)
            .ok_or_else(|| format!("'{}' is no preset of rules", self.preset))?;
        let base = Self::new(preset, preset.into());
        let mut options = vec![("Rules", self.preset.clone())];
        if self.double_mill != base.double_mill {
            options.push(("DoubleMill", self.double_mill.clone()));
        }
        if self.no_immediate_return != base.no_immediate_return {
            options.push(("NoImmediateReturn", self.no_immediate_return.to_string()));
        }
        if self.repetition != base.repetition {
            options.push(("Repetition", self.repetition.clone()));
        }
        if self.all_in_mills != base.all_in_mills {
            options.push(("AllInMills", self.all_in_mills.clone()));
        }
        if self.quiet_limit != base.quiet_limit {
            options.push(("QuietLimit", self.quiet_limit.to_string()));
        }
        Ok(options)
    }

    /// The rules in one line: the preset, and each option that differs from it.
    #[must_use]
    pub fn text(&self) -> String {
        let options = self.options().unwrap_or_default();
        let words = options.iter().enumerate().map(|(i, (name, value))| {
            if i == 0 { value.clone() } else { format!("{name} {value}") }
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// A whole match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchConfig {
    /// At least two.
    pub engines: Vec<EngineConfig>,
    /// For all games.
    pub rules: RulesConfig,
    /// Who plays whom.
    pub format: Format,
    /// Openings to play, each by every pairing.
    pub rounds: u64,
    /// Games of a pairing with an opening: 1, or 2 that make a pair.
    pub games: u64,
    /// Whether the second game of a pair has colours exchanged.
    pub swap: bool,
    /// Whether the second engine of a pairing begins with White.
    pub reverse: bool,
    /// Games at the same time.
    pub concurrency: usize,
    /// The openings; the empty board when `None`.
    pub openings: Option<OpeningsConfig>,
    /// What shuffles openings.
    pub seed: u64,
    /// When to stop early.
    pub sprt: Option<Sprt>,
    /// Adjudication.
    pub draw: Option<DrawRule>,
    /// Adjudication.
    pub resign: Option<ResignRule>,
    /// Adjudication.
    pub tables: Option<TablesConfig>,
    /// A game is drawn after so many turns of each player.
    pub max_moves: u32,
    /// The game file.
    pub pgn: Option<PgnConfig>,
    /// The file of final positions.
    pub epd: Option<PathBuf>,
    /// The log.
    pub log: Option<LogConfig>,
    /// Whether an engine that crashes or stalls is started again and the match goes on.
    pub recover: bool,
    /// Whether a breach of protocol, otherwise a warning, stops the match.
    pub strict: bool,
    /// Whether the end tells how far measured and reported times differ.
    pub show_latency: bool,
    /// Processors to bind games to, one each; an empty list stands for all there are.
    pub affinity: Option<Vec<usize>>,
    /// A report after so many games; 0 for only at the end.
    pub rating_interval: u64,
    /// The score after so many games; 0 for never.
    pub score_interval: u64,
    /// Whether reports show pairs.
    pub penta: bool,
    /// The form of reports.
    pub style: Style,
    /// Where the match is saved.
    pub save: PathBuf,
    /// Whether that was asked for: then it stays when the match is over.
    pub keep_save: bool,
    /// Saves after so many games; 0 for only at the end.
    pub save_interval: u64,
    /// Tag of the game file.
    pub event: String,
    /// Tag of the game file.
    pub site: String,
    /// A pause before each game but the first ones, in ms.
    pub wait_ms: u64,
    /// Time-outs.
    pub patience: Patience,
}

impl MatchConfig {
    /// Whether two games make a pair, one opening with colours exchanged.
    #[must_use]
    pub const fn has_pairs(&self) -> bool {
        self.games == 2 && self.swap
    }

    /// Whether estimates are made of pairs.
    #[must_use]
    pub const fn counts_pairs(&self) -> bool {
        self.has_pairs() && self.penta
    }
}

/// The name of an engine that was given none: that of its program.
#[must_use]
pub fn stem(command: &Path) -> String {
    command.file_stem().map_or_else(|| "engine".to_owned(), |s| s.to_string_lossy().into_owned())
}
