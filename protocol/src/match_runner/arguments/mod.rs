//! From the command line to what is to be done.

mod engine;
mod flags;
mod keys;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use merel_engine::tablebase::{Sector, folders};
use merel_engine::{AllInMills, DoubleMill, Preset, Repetition, Rules};

use super::config::{
    Detail, DrawRule, EngineConfig, Format, Level, LogConfig, MatchConfig, OpeningsConfig,
    OpeningsFormat, Order, Patience, PgnConfig, ResignRule, RulesConfig, Style, TableResults,
    TablesConfig,
};
use super::statistics::{Model, Sprt};
use crate::games::Form;
use crate::text::clip;
use keys::{Keys, choice, number};

/// What the arguments ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A new match.
    Match(Box<MatchConfig>),
    /// Going on with a saved one.
    Resume {
        /// The save.
        file: PathBuf,
        /// What shall be otherwise now.
        changes: Changes,
        /// Whether its results count; without them it is played again from the first game.
        keeps_results: bool,
    },
    /// The protocol check of one engine.
    Compliance(Box<EngineConfig>, Patience),
}

/// What may be changed in a saved match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Start engines again.
    pub recover: bool,
    /// Games at a time.
    pub concurrency: Option<usize>,
    /// Another number of rounds.
    pub rounds: Option<u64>,
    /// Another interval of reports.
    pub rating_interval: Option<u64>,
    /// Another interval of scores.
    pub score_interval: Option<u64>,
}

/// Flags that make sense with `-config FILE`.
const CHANGEABLE: [&str; 7] = [
    "config",
    "recover",
    "concurrency",
    "force-concurrency",
    "rounds",
    "ratinginterval",
    "scoreinterval",
];

/// Reads the arguments, the first being the program's name.
///
/// # Errors
/// The exit code with which to end, once help or, in one line, the reason of a refusal has been
/// printed.
pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, ExitCode> {
    let matches = match flags::command().try_get_matches_from(normalized(arguments)) {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() => return Err(refuse(&one_line(&error))),
        Err(error) => {
            // A closed output changes nothing about the code.
            let _ = error.print();
            return Err(ExitCode::SUCCESS);
        }
    };
    request(&matches).map_err(|reason| refuse(&reason))
}

/// What the words after the program's name ask for.
///
/// # Errors
/// The reason of a refusal, in one line.
#[cfg(test)]
pub(super) fn read_words(words: &[&str]) -> Result<Request, String> {
    let arguments = std::iter::once("merel-match").chain(words.iter().copied()).map(OsString::from);
    let matches =
        flags::command().try_get_matches_from(normalized(arguments)).map_err(|e| one_line(&e))?;
    request(&matches)
}

fn refuse(reason: &str) -> ExitCode {
    eprintln!("error: {reason}");
    ExitCode::from(2)
}

/// Writes every long flag with two dashes.
fn normalized(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let long = |argument: OsString| match argument.to_str() {
        Some(text)
            if text.len() > 2
                && text.starts_with('-')
                && text.chars().nth(1).is_some_and(|c| c.is_ascii_alphabetic()) =>
        {
            OsString::from(format!("-{text}"))
        }
        _ => argument,
    };
    arguments.into_iter().map(long).collect()
}

/// The refusal of the argument reader without its usage text.
fn one_line(error: &clap::Error) -> String {
    let get = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => texts.first().cloned(),
        _ => None,
    };
    let argument = get(ContextKind::InvalidArg).unwrap_or_default();
    let flag = argument.split_whitespace().next().unwrap_or_default();
    let flag = flag.strip_prefix('-').filter(|f| f.starts_with('-')).unwrap_or(flag);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let near = get(ContextKind::SuggestedArg).map_or_else(String::new, |near| {
                format!("; did you mean '{}'?", near.replacen("--", "-", 1))
            });
            let what = if flag.starts_with('-') { "there is no flag" } else { "surplus value" };
            format!("{what} '{flag}'{near}; merel-match -help lists all flags")
        }
        ErrorKind::ArgumentConflict => format!("{flag} is given twice; leave one out"),
        ErrorKind::InvalidValue | ErrorKind::WrongNumberOfValues | ErrorKind::TooFewValues => {
            format!("{flag} needs a value; merel-match -help tells which")
        }
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            format!("{}; see merel-match -help", first.trim_start_matches("error: "))
        }
    }
}

fn request(matches: &ArgMatches) -> Result<Request, String> {
    let save = config_words(matches)?;
    if let Some(file) = save.resume {
        let given = |name: &&str| matches.value_source(name) == Some(ValueSource::CommandLine);
        let names = flags::command();
        let mut flags = names.get_arguments().map(|a| a.get_id().as_str()).filter(given);
        if let Some(name) = flags.find(|name| !CHANGEABLE.contains(name)) {
            return Err(format!(
                "-{name} cannot be changed in a saved match; leave it out, or start a new match \
                 without -config {}",
                file.display()
            ));
        }
        let changes = Changes {
            recover: matches.get_flag("recover"),
            concurrency: concurrency(matches)?,
            rounds: single(matches, "rounds", 1..=1_000_000_000)?,
            rating_interval: single(matches, "ratinginterval", 0..=u64::MAX)?,
            score_interval: single(matches, "scoreinterval", 0..=u64::MAX)?,
        };
        return Ok(Request::Resume { file, changes, keeps_results: save.keeps_results });
    }
    let patience = patience(matches)?;
    if let Some((program, arguments)) = all_words(matches, "compliance").split_first() {
        let mut words = vec![format!("cmd={program}")];
        words.extend(all_words(matches, "engine"));
        let mut engine = engine::read_one(&words, &all_words(matches, "each"))?;
        engine.arguments.extend_from_slice(arguments);
        return Ok(Request::Compliance(Box::new(engine), patience));
    }
    let engines = engine::read_all(&occurrences(matches, "engine"), &all_words(matches, "each"))?;
    new_match(matches, engines, patience, save.out)
}

fn new_match(
    matches: &ArgMatches,
    engines: Vec<EngineConfig>,
    patience: Patience,
    save: Option<PathBuf>,
) -> Result<Request, String> {
    let games = single(matches, "games", 1..=2)?.unwrap_or(2);
    let swap = !matches.get_flag("noswap");
    let openings = openings(matches)?;
    let style = style(matches)?;
    let config = MatchConfig {
        rules: rules(matches)?,
        format: format(matches, engines.len())?,
        rounds: single(matches, "rounds", 1..=1_000_000_000)?.unwrap_or(2),
        games: if matches.get_flag("repeat") { 2 } else { games },
        swap,
        reverse: matches.get_flag("reverse"),
        concurrency: concurrency(matches)?.unwrap_or(1),
        seed: seed(matches)?,
        openings,
        sprt: sprt(matches, engines.len())?,
        draw: draw(matches)?,
        resign: resign(matches)?,
        tables: tables(matches)?,
        max_moves: single(matches, "maxmoves", 1..=30_000)?.unwrap_or(300),
        pgn: pgn(matches)?,
        epd: match keys(matches, "epdout", &["file"])? {
            Some(keys) => Some(keys.required("file")?.into()),
            None => None,
        },
        log: log(matches)?,
        recover: matches.get_flag("recover"),
        strict: matches.get_flag("strict"),
        show_latency: matches.get_flag("show-latency"),
        affinity: affinity(matches)?,
        rating_interval: single(matches, "ratinginterval", 0..=u64::MAX)?.unwrap_or(10),
        score_interval: single(matches, "scoreinterval", 0..=u64::MAX)?
            .unwrap_or(u64::from(style == Style::Cutechess)),
        penta: keys(matches, "report", &["penta"])?
            .map_or(Ok(None), |k| k.switch("penta"))?
            .unwrap_or(true),
        style,
        keep_save: save.is_some(),
        save: save.unwrap_or_default(),
        save_interval: single(matches, "autosaveinterval", 0..=u64::MAX)?.unwrap_or(1),
        event: tag(matches, "event")?.unwrap_or_else(|| "merel-match".to_owned()),
        site: tag(matches, "site")?.unwrap_or_else(|| "?".to_owned()),
        wait_ms: single(matches, "wait", 0..=86_400_000)?.unwrap_or(0),
        patience,
        engines,
    };
    Ok(Request::Match(Box::new(config)))
}

/// Words of a flag, one list for each time it is given.
fn occurrences(matches: &ArgMatches, name: &str) -> Vec<Vec<String>> {
    let lists = matches.get_occurrences::<String>(name).into_iter().flatten();
    lists.map(|list| list.cloned().collect()).collect()
}

fn all_words(matches: &ArgMatches, name: &str) -> Vec<String> {
    occurrences(matches, name).concat()
}

fn keys(matches: &ArgMatches, name: &'static str, known: &[&str]) -> Result<Option<Keys>, String> {
    let words = all_words(matches, name);
    if words.is_empty() { Ok(None) } else { Keys::read(name, &words, known).map(Some) }
}

fn single<T>(
    matches: &ArgMatches,
    name: &str,
    range: std::ops::RangeInclusive<T>,
) -> Result<Option<T>, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let Some(text) = matches.get_one::<String>(name) else { return Ok(None) };
    number(text, range).map(Some).map_err(|e| format!("-{name} {e}"))
}

/// A text that can stand in a game file.
fn tag(matches: &ArgMatches, name: &str) -> Result<Option<String>, String> {
    let Some(text) = matches.get_one::<String>(name) else { return Ok(None) };
    if text.chars().any(char::is_control) {
        return Err(format!("-{name} holds a control character; leave it out"));
    }
    Ok(Some(text.clone()))
}

fn concurrency(matches: &ArgMatches) -> Result<Option<usize>, String> {
    let Some(wanted) = single(matches, "concurrency", -100_000i64..=100_000)? else {
        return Ok(None);
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let games = if wanted <= 0 {
        processors.saturating_sub(wanted.unsigned_abs() as usize).max(1)
    } else {
        wanted as usize
    };
    if games > processors && !matches.get_flag("force-concurrency") {
        return Err(format!(
            "-concurrency {games} is more than the {processors} processors, which costs games on \
             time; use {processors} or fewer, or add -force-concurrency"
        ));
    }
    Ok(Some(games))
}

fn seed(matches: &ArgMatches) -> Result<u64, String> {
    let by_flag = single(matches, "srand", 0..=u64::MAX)?;
    let by_key = match keys(matches, "openings", OPENING_KEYS)? {
        Some(keys) => keys.number("seed", 0..=u64::MAX)?,
        None => None,
    };
    if by_flag.is_some() && by_key.is_some() {
        return Err("-srand and -openings seed= are the same; leave one out".to_owned());
    }
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos() as u64);
    Ok(by_flag.or(by_key).unwrap_or_else(now))
}

const OPENING_KEYS: &[&str] = &["file", "format", "order", "plies", "start", "seed"];

fn openings(matches: &ArgMatches) -> Result<Option<OpeningsConfig>, String> {
    let Some(keys) = keys(matches, "openings", OPENING_KEYS)? else { return Ok(None) };
    let file = PathBuf::from(keys.required("file")?);
    let formats = [
        ("epd", OpeningsFormat::Lines),
        ("txt", OpeningsFormat::Lines),
        ("pgn", OpeningsFormat::Games),
    ];
    let is_pgn = file.extension().is_some_and(|end| end.eq_ignore_ascii_case("pgn"));
    let by_name = if is_pgn { OpeningsFormat::Games } else { OpeningsFormat::Lines };
    Ok(Some(OpeningsConfig {
        format: keys.choice("format", &formats)?.unwrap_or(by_name),
        file,
        order: keys
            .choice("order", &[("sequential", Order::Sequential), ("random", Order::Random)])?
            .unwrap_or(Order::Sequential),
        plies: keys.number("plies", 0..=1000)?,
        start: keys.number("start", 1..=usize::MAX)?.unwrap_or(1),
    }))
}

fn sprt(matches: &ArgMatches, engines: usize) -> Result<Option<Sprt>, String> {
    let known = ["elo0", "elo1", "alpha", "beta", "model"];
    let Some(keys) = keys(matches, "sprt", &known)? else { return Ok(None) };
    let models = [
        ("normalized", Model::Normalized),
        ("logistic", Model::Logistic),
        ("bayesian", Model::Bayesian),
    ];
    let sprt = Sprt {
        elo0: keys.required_number("elo0", -1000.0..=1000.0)?,
        elo1: keys.required_number("elo1", -1000.0..=1000.0)?,
        alpha: keys.number("alpha", 1e-6..=0.499)?.unwrap_or(0.05),
        beta: keys.number("beta", 1e-6..=0.499)?.unwrap_or(0.05),
        model: keys.choice("model", &models)?.unwrap_or(Model::Normalized),
    };
    if sprt.elo0 >= sprt.elo1 {
        return Err(format!(
            "-sprt: elo0={} must be less than elo1={}; exchange them",
            sprt.elo0, sprt.elo1
        ));
    }
    if engines != 2 {
        return Err(format!("-sprt tests two engines, not {engines}; leave it out"));
    }
    Ok(Some(sprt))
}

fn draw(matches: &ArgMatches) -> Result<Option<DrawRule>, String> {
    let Some(keys) = keys(matches, "draw", &["movenumber", "movecount", "score"])? else {
        return Ok(None);
    };
    Ok(Some(DrawRule {
        move_number: keys.number("movenumber", 0..=100_000)?.unwrap_or(0),
        move_count: keys.required_number("movecount", 1..=1000)?,
        score: keys.required_number("score", 0..=100_000)?,
    }))
}

fn resign(matches: &ArgMatches) -> Result<Option<ResignRule>, String> {
    let Some(keys) = keys(matches, "resign", &["movecount", "score", "twosided"])? else {
        return Ok(None);
    };
    Ok(Some(ResignRule {
        move_count: keys.required_number("movecount", 1..=1000)?,
        score: keys.required_number("score", 1..=100_000)?,
        two_sided: keys.switch("twosided")?.unwrap_or(false),
    }))
}

fn rules(matches: &ArgMatches) -> Result<RulesConfig, String> {
    let words = all_words(matches, "rules");
    let presets: Vec<(&str, Preset)> = Preset::ALL.iter().map(|p| (p.name(), *p)).collect();
    let (preset, words) = match words.split_first() {
        Some((first, rest)) if !first.contains('=') => {
            (choice(first, &presets).map_err(|e| format!("-rules {e}"))?, rest)
        }
        _ => (Preset::Standard, words.as_slice()),
    };
    let known = ["double_mill", "no_immediate_return", "repetition", "all_in_mills", "quiet_limit"];
    let keys = Keys::read("rules", words, &known)?;
    let base = Rules::from(preset);
    let names = |all: &[(&'static str, usize)]| all.to_vec();
    let pick = |key: &str, list: &[(&'static str, usize)]| keys.choice(key, &names(list));
    let double: Vec<_> = DoubleMill::ALL.iter().enumerate().map(|(i, v)| (v.name(), i)).collect();
    let repeat: Vec<_> = Repetition::ALL.iter().enumerate().map(|(i, v)| (v.name(), i)).collect();
    let mills: Vec<_> = AllInMills::ALL.iter().enumerate().map(|(i, v)| (v.name(), i)).collect();
    let rules = Rules {
        double_mill: pick("double_mill", &double)?
            .and_then(|i| DoubleMill::ALL.get(i).copied())
            .unwrap_or(base.double_mill),
        no_immediate_return: keys
            .switch("no_immediate_return")?
            .unwrap_or(base.no_immediate_return),
        repetition: pick("repetition", &repeat)?
            .and_then(|i| Repetition::ALL.get(i).copied())
            .unwrap_or(base.repetition),
        all_in_mills: pick("all_in_mills", &mills)?
            .and_then(|i| AllInMills::ALL.get(i).copied())
            .unwrap_or(base.all_in_mills),
        quiet_limit: keys
            .number("quiet_limit", 0..=Rules::MAX_QUIET_LIMIT)?
            .unwrap_or(base.quiet_limit),
    };
    Ok(RulesConfig::new(preset, rules))
}

fn format(matches: &ArgMatches, engines: usize) -> Result<Format, String> {
    let words = all_words(matches, "tournament");
    let is_gauntlet = match words.as_slice() {
        [] => false,
        [word] => choice(word, &[("roundrobin", false), ("gauntlet", true)])
            .map_err(|e| format!("-tournament {e}"))?,
        [_, surplus, ..] => {
            return Err(format!("-tournament: surplus value '{surplus}'; leave it out"));
        }
    };
    let seeds = single(matches, "seeds", 1..=engines.saturating_sub(1).max(1))?;
    match (is_gauntlet, seeds) {
        (false, Some(_)) => {
            Err("-seeds belongs to -tournament gauntlet; add that or leave it out".to_owned())
        }
        (false, None) => Ok(Format::RoundRobin),
        (true, seeds) => Ok(Format::Gauntlet { seeds: seeds.unwrap_or(1) }),
    }
}

fn pgn(matches: &ArgMatches) -> Result<Option<PgnConfig>, String> {
    let mut known = vec!["file", "notation", "append", "min"];
    known.extend(Detail::ALL.iter().map(|(key, _)| *key));
    let Some(keys) = keys(matches, "pgnout", &known)? else { return Ok(None) };
    let forms = Form::ALL.map(|form| (form.name(), form));
    let mut details = Vec::new();
    for (key, detail) in Detail::ALL {
        if keys.switch(key)?.unwrap_or(false) {
            details.push(detail);
        }
    }
    Ok(Some(PgnConfig {
        file: keys.required("file")?.into(),
        notation: keys.choice("notation", &forms)?.unwrap_or(Form::Merel).name().to_owned(),
        append: keys.switch("append")?.unwrap_or(true),
        details,
        min: keys.switch("min")?.unwrap_or(false),
    }))
}

/// The word for no folder but the tables inside the program.
const BUILT_IN: &str = "builtin";

fn tables(matches: &ArgMatches) -> Result<Option<TablesConfig>, String> {
    let most = 2 * u32::from(Sector::MOST);
    let pieces = single(matches, "tbpieces", 6..=most)?;
    let wanted = matches.get_one::<String>("tbadjudicate");
    let results = match wanted {
        Some(text) => {
            let words = [
                ("BOTH", TableResults::Both),
                ("WIN_LOSS", TableResults::WinLoss),
                ("DRAW", TableResults::Draw),
            ];
            choice(text, &words).map_err(|e| format!("-tbadjudicate {e}"))?
        }
        None => TableResults::Both,
    };
    let ignore_limits = matches.get_flag("tbignore50");
    let Some(path) = matches.get_one::<String>("tb") else {
        let given = [
            (pieces.is_some(), "tbpieces"),
            (ignore_limits, "tbignore50"),
            (wanted.is_some(), "tbadjudicate"),
        ];
        return match given.into_iter().find(|(is_given, _)| *is_given) {
            Some((_, name)) => {
                Err(format!("-{name} belongs to -tb; add that, as in -tb {BUILT_IN}"))
            }
            None => Ok(None),
        };
    };
    let folders = if path == BUILT_IN { Vec::new() } else { folders(path) };
    Ok(Some(TablesConfig { folders, pieces: pieces.unwrap_or(most), ignore_limits, results }))
}

/// The processors of `-use-affinity`: `None` without the flag, none where it has no list.
fn affinity(matches: &ArgMatches) -> Result<Option<Vec<usize>>, String> {
    if matches.value_source("use-affinity") != Some(ValueSource::CommandLine) {
        return Ok(None);
    }
    let text = all_words(matches, "use-affinity").join(",");
    let mut list = Vec::new();
    for word in text.split(',').filter(|word| !word.is_empty()) {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let range = first.parse().ok().zip(last.parse().ok());
        let Some((first, last)) = range.filter(|&(a, b): &(usize, usize)| a <= b && b < 4096)
        else {
            return Err(format!(
                "-use-affinity: '{}' is no list of processors, as 3,5,7-11",
                clip(word)
            ));
        };
        list.extend(first..=last);
    }
    list.sort_unstable();
    list.dedup();
    Ok(Some(list))
}

fn style(matches: &ArgMatches) -> Result<Style, String> {
    let Some(keys) = keys(matches, "output", &["format"])? else { return Ok(Style::Fastchess) };
    let styles = [("fastchess", Style::Fastchess), ("cutechess", Style::Cutechess)];
    Ok(keys.choice("format", &styles)?.unwrap_or(Style::Fastchess))
}

fn log(matches: &ArgMatches) -> Result<Option<LogConfig>, String> {
    let known = ["file", "level", "engine", "realtime"];
    let Some(keys) = keys(matches, "log", &known)? else { return Ok(None) };
    Ok(Some(LogConfig {
        file: keys.required("file")?.into(),
        realtime: keys.switch("realtime")?.unwrap_or(true),
        level: keys.choice("level", &Level::ALL)?.unwrap_or(Level::Info),
        engine: keys.switch("engine")?.unwrap_or(true),
    }))
}

fn patience(matches: &ArgMatches) -> Result<Patience, String> {
    let default = Patience::default();
    let read =
        |name, default| single(matches, name, 1..=86_400_000).map(|found| found.unwrap_or(default));
    Ok(Patience {
        startup_ms: read("startup-ms", default.startup_ms)?,
        new_game_ms: read("ucinewgame-ms", default.new_game_ms)?,
        ping_ms: read("ping-ms", default.ping_ms)?,
        turn_ms: read("turn-ms", default.turn_ms)?,
        stop_ms: read("stop-ms", default.stop_ms)?,
    })
}

/// What `-config` says.
#[derive(Default)]
struct Save {
    resume: Option<PathBuf>,
    keeps_results: bool,
    out: Option<PathBuf>,
}

fn config_words(matches: &ArgMatches) -> Result<Save, String> {
    let words = all_words(matches, "config");
    if let [file] = words.as_slice()
        && !file.contains('=')
    {
        return Ok(Save { resume: Some(file.into()), keeps_results: true, out: None });
    }
    let Some(keys) = keys(matches, "config", &["file", "outname", "stats", "discard"])? else {
        return Ok(Save::default());
    };
    let mut save = Save {
        resume: keys.text("file").map(Into::into),
        keeps_results: keys.switch("stats")?.unwrap_or(true),
        out: keys.text("outname").map(Into::into),
    };
    if keys.switch("discard")?.unwrap_or(false) {
        // Only the name is wanted.
        save.out = save.out.take().or(save.resume.take());
        save.resume = None;
    }
    if save.resume.is_some() && save.out.is_some() {
        return Err("-config: a saved match goes on in its own file; leave outname= out".to_owned());
    }
    Ok(save)
}
