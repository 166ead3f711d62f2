//! `merel games`: converts and checks game files.

use std::io::{BufRead, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use merel_engine::{Preset, Rules};

use super::error::GameError;
use super::reader::{Entry, Reader};
use super::record::Record;
use super::rules_tag::rules_text;
use super::source::{Failure, open, tell};
use super::write::Form;

/// Reads game files of Merel, Sanmill, PlayOK and GoldToken, replays each game by the rules, and
/// writes the games in one form.
///
/// A game with something wrong in it is named on standard error, with the line and the first thing
/// that is wrong; it is not written, the others are. The exit code is 0 when all games are right,
/// 1 when one is wrong or there is none, 2 when the file cannot be read.
#[derive(Debug, Args)]
pub(crate) struct GamesArguments {
    /// Only say of each game whether it is right; with --to, write the games as well
    #[arg(long)]
    check: bool,
    /// Form to write: merel or sanmill (whole turns such as a7-a4xb6), playok (numbers)
    /// [default: merel]
    #[arg(
        long,
        value_name = "FORM",
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(Form::ALL.map(Form::name)),
    )]
    to: Option<String>,
    /// Rules of games that do not tell theirs: standard, playok, ivory or millgame [default:
    /// playok for files of PlayOK, else standard]
    #[arg(
        long,
        value_name = "RULES",
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(Preset::ALL.iter().map(|preset| preset.name())),
    )]
    rules: Option<String>,
    /// File with any number of games, each in any of the forms; - for standard input
    file: PathBuf,
}

/// What came of a file.
#[derive(Default)]
struct Summary {
    games: usize,
    wrong: usize,
}

/// Does it, to the end.
pub(crate) fn run(arguments: &GamesArguments, output: impl Write) -> ExitCode {
    let path = arguments.file.as_path();
    let result = open(path).and_then(|input| convert(arguments, input, BufWriter::new(output)));
    let name = path.display();
    match result {
        Ok(Summary { games: 0, .. }) => {
            tell(&format!("error: {name}: no game found"));
            ExitCode::from(1)
        }
        Ok(Summary { games, wrong }) => {
            if arguments.check {
                tell(&format!("{name}: {games} games, {} right, {wrong} wrong", games - wrong));
            }
            ExitCode::from(u8::from(wrong > 0))
        }
        Err(failure) => failure.tell(path),
    }
}

fn convert(
    arguments: &GamesArguments,
    input: impl BufRead,
    mut output: impl Write,
) -> Result<Summary, Failure> {
    let rules = arguments.rules.as_deref().and_then(Preset::from_name).map(Rules::from);
    let named = arguments.to.as_deref().and_then(Form::from_name);
    let form = named.or((!arguments.check).then_some(Form::Merel));
    let mut summary = Summary::default();
    for entry in Reader::new(input, rules) {
        let entry = entry.map_err(Failure::Input)?;
        summary.games += 1;
        let text = match &entry.game {
            Ok(record) => form.map_or_else(
                || Ok(line(&entry, record)),
                |form| {
                    form.write(record).map_err(|error| {
                        format!("game {}, line {}: {error}", entry.number, entry.line)
                    })
                },
            ),
            Err(error) => Err(GameError::to_string(error)),
        };
        match text {
            Ok(text) => output.write_all(text.as_bytes()).map_err(Failure::Output)?,
            Err(reason) => {
                summary.wrong += 1;
                // What was said of the games before belongs before it.
                output.flush().map_err(Failure::Output)?;
                tell(&format!("error: {}: {reason}", arguments.file.display()));
            }
        }
    }
    output.flush().map_err(Failure::Output)?;
    Ok(summary)
}

/// What a check says of a game that is right.
fn line(entry: &Entry, record: &Record) -> String {
    let reason = record.reason.as_ref().map_or_else(String::new, |reason| format!(" {reason}"));
    format!(
        "game {}, line {}: {} turns, rules {}, {}{reason}\n",
        entry.number,
        entry.line,
        record.turns().len(),
        rules_text(record.rules()),
        record.result,
    )
}
