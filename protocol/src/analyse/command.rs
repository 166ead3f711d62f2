//! `merel analyse`: judges the turns of game files.

use std::io::{BufRead, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use merel_engine::tablebase::file::Access;
use merel_engine::tablebase::{Tables, folders};
use merel_engine::{Preset, Rules};

use super::analyst::{Analyst, Budget};
use super::interrupt::{self, INTERRUPTED};
use super::json::{self, Game};
use super::progress::Progress;
use super::text;
use crate::games::{Entry, Failure, Reader, open, tell};

/// What the search may take for a turn if nothing is said, in nodes.
const NODES: u64 = 500_000;

/// Memory for decoded parts of tables, in MiB.
const TABLE_CACHE: usize = 64;

/// Judges every turn of the games in a file: its value, the value of the position before it, and
/// the best turn.
///
/// Values are from the view of the player who makes the turn. Words are exact (`win in 5`: with the
/// fifth ply from there, best play; `within 5`: at the latest; `draw`), proved by the rules, by
/// endgame tables or by the search. Numbers are estimates: the score (1.00: an even chance to win),
/// and the points to expect in a hundred games, a draw being half a point.
///
/// Marks: `??` the turn lets go of a win or loses a draw, proved; `?` it costs 20 points in a
/// hundred or more, `?!` 10 or more, by estimate; `!` it is the only one that keeps the win or
/// draw, proved.
///
/// A game with something wrong in it is named on standard error and passed over. The exit code is 0
/// when all games are right, 1 when one is wrong or there is none, 2 when a file cannot be read, 130
/// when interrupted.
#[derive(Debug, Args)]
pub(crate) struct AnalyseArguments {
    /// Plies (whole turns) to search for each turn
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Nodes to search for each turn; the same values come out on every machine [default: 500000
    /// unless another limit is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Milliseconds to search for each turn
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Folders with endgame tables, separated by ':' (on Windows ';'); those built in serve besides
    #[arg(long, value_name = "FOLDERS")]
    tables: Option<String>,
    /// Rules of games that do not tell theirs: standard, playok, ivory or millgame [default:
    /// playok for files of PlayOK, else standard]
    #[arg(
        long,
        value_name = "RULES",
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(Preset::ALL.iter().map(|preset| preset.name())),
    )]
    rules: Option<String>,
    /// List only the turns marked ??, ? or ?!
    #[arg(long)]
    blunders: bool,
    /// Write each game as a JSON object on a line
    #[arg(long)]
    json: bool,
    /// File with any number of games, each in any of the forms; - for standard input
    file: PathBuf,
}

impl AnalyseArguments {
    fn budget(&self) -> Budget {
        let is_limited = self.depth.is_some() || self.movetime.is_some();
        Budget {
            depth: self.depth,
            nodes: self.nodes.or((!is_limited).then_some(NODES)),
            move_time: self.movetime.map(Duration::from_millis),
        }
    }

    /// The tables at hand. Files that cannot be used are named and left out.
    ///
    /// # Errors
    /// Which folder cannot be read.
    fn open_tables(&self) -> Result<Tables, String> {
        let folders = folders(self.tables.as_deref().unwrap_or_default());
        let (mut tables, refused) = Tables::open(&folders, Access::Map, TABLE_CACHE);
        for refused in refused {
            if folders.contains(&refused.path) {
                return Err(refused.to_string());
            }
            tell(&format!("warning: {refused}"));
        }
        tables.add_builtin();
        Ok(tables)
    }
}

/// What came of a file.
#[derive(Default)]
struct Summary {
    games: usize,
    wrong: usize,
    interrupted: bool,
}

/// Does it, to the end or until it is interrupted.
pub(crate) fn run(arguments: &AnalyseArguments, output: impl Write) -> ExitCode {
    let path = arguments.file.as_path();
    let tables = match arguments.open_tables() {
        Ok(tables) => tables,
        Err(reason) => {
            tell(&format!("error: --tables: {reason}"));
            return ExitCode::from(2);
        }
    };
    interrupt::install();
    let result =
        open(path).and_then(|input| analyse(arguments, tables, input, BufWriter::new(output)));
    match result {
        Ok(Summary { interrupted: true, .. }) => ExitCode::from(INTERRUPTED),
        Ok(Summary { games: 0, .. }) => {
            tell(&format!("error: {}: no game found", path.display()));
            ExitCode::from(1)
        }
        Ok(Summary { wrong, .. }) => ExitCode::from(u8::from(wrong > 0)),
        Err(failure) => failure.tell(path),
    }
}

fn analyse(
    arguments: &AnalyseArguments,
    tables: Tables,
    input: impl BufRead,
    mut output: impl Write,
) -> Result<Summary, Failure> {
    let rules = arguments.rules.as_deref().and_then(Preset::from_name).map(Rules::from);
    let mut analyst = Analyst::new(tables, arguments.budget());
    let mut progress = Progress::new();
    let mut summary = Summary::default();
    for entry in Reader::new(input, rules) {
        let entry = entry.map_err(Failure::Input)?;
        summary.games += 1;
        let text = interrupt::working(|| judged(arguments, &mut analyst, &entry, &mut progress));
        progress.clear();
        match text {
            Ok(Some(text)) => interrupt::working(|| {
                // Whoever reads along sees each game as soon as it is done.
                output.write_all(text.as_bytes()).and_then(|()| output.flush())
            })
            .map_err(Failure::Output)?,
            Ok(None) => {
                summary.interrupted = true;
                break;
            }
            Err(reason) => {
                summary.wrong += 1;
                tell(&format!("error: {}: {reason}", arguments.file.display()));
            }
        }
    }
    if let Some(damage) = analyst.damage() {
        tell(&format!("warning: endgame table {damage}"));
    }
    Ok(summary)
}

/// What is written of a game; `None` when that was interrupted.
///
/// # Errors
/// What is wrong with the game.
fn judged(
    arguments: &AnalyseArguments,
    analyst: &mut Analyst,
    entry: &Entry,
    progress: &mut Progress,
) -> Result<Option<String>, String> {
    let record = entry.game.as_ref().map_err(ToString::to_string)?;
    let mut tell = |done, all| progress.tell(entry.number, done, all);
    let Some(judged) = analyst.judge(record, &mut tell) else { return Ok(None) };
    let game = Game { number: entry.number, line: entry.line, record, judged: &judged };
    if arguments.json {
        let text = json::game(&game, arguments.blunders);
        return text.map(Some).map_err(|error| format!("game {}: {error}", entry.number));
    }
    Ok(Some(text::game(&game, arguments.blunders)))
}
