//! One command from the program's arguments.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Instant;

use clap::{Args, Parser, Subcommand};
use merel_engine::Preset;

use crate::analyse::{self, AnalyseArguments};
use crate::build_info;
use crate::command::{Command, parse};
use crate::games::{self, GamesArguments};
use crate::output::Output;
use crate::session::Session;

/// Nine Men's Morris engine. Without a command it reads commands of the UCI protocol (or GBGP) from
/// standard input; `help` lists them.
#[derive(Debug, Parser)]
#[command(name = "merel", version = build_info::VERSION)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Action>,
}

/// A command to do, from the arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    #[command(flatten)]
    Engine(EngineAction),
    Games(GamesArguments),
    Analyse(AnalyseArguments),
}

/// What the commands of the protocol do.
#[derive(Debug, Subcommand)]
pub(crate) enum EngineAction {
    /// Searches a fixed set of positions; the last line is nodes and nodes per second
    Bench,
    /// Counts the lines of so many plies, by first turn
    Perft {
        /// Plies: whole turns, or single actions with --atomic
        depth: String,
        /// Count a capture as a ply of its own
        #[arg(long)]
        atomic: bool,
        #[command(flatten)]
        position: PositionArguments,
    },
    /// Searches, as in `merel go depth 10` or `merel go movetime 1000`
    Go {
        #[command(flatten)]
        position: PositionArguments,
        /// Parameters as in the protocol: depth N (plies), nodes N, movetime MS, mate N,
        /// searchmoves M…, perft N
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        parameters: Vec<String>,
    },
    /// Draws the board and tells the state of the game
    D {
        #[command(flatten)]
        position: PositionArguments,
    },
    /// Explains the static evaluation, in hundredths
    Eval {
        #[command(flatten)]
        position: PositionArguments,
    },
    /// Lists the legal turns
    Moves {
        #[command(flatten)]
        position: PositionArguments,
    },
    /// Tells compiler, target and processor features
    Compiler,
    /// Prints the licence
    License,
}

#[derive(Debug, Args)]
pub(crate) struct PositionArguments {
    /// Rules: standard, playok, ivory or millgame
    #[arg(long, default_value = Preset::Standard.name())]
    rules: String,
    /// Position to start from [default: the empty board]
    #[arg(long)]
    fen: Option<String>,
    /// Turns to play first, separated by spaces
    #[arg(long, default_value = "")]
    moves: String,
}

impl PositionArguments {
    /// The commands that set this up.
    fn commands(&self) -> Vec<String> {
        let base = self.fen.as_ref().map_or("startpos".to_owned(), |fen| format!("fen {fen}"));
        vec![
            format!("setoption name Rules value {}", self.rules),
            format!("position {base} moves {}", self.moves),
        ]
    }
}

impl EngineAction {
    /// The commands of the protocol that do it.
    fn commands(&self) -> Vec<String> {
        let (position, command) = match self {
            Self::Bench => (None, "bench".to_owned()),
            Self::Perft { depth, atomic, position } => {
                let unit = if *atomic { " atomic" } else { "" };
                (Some(position), format!("perft {depth}{unit}"))
            }
            Self::Go { position, parameters } => {
                (Some(position), format!("go {}", parameters.join(" ")))
            }
            Self::D { position } => (Some(position), "d".to_owned()),
            Self::Eval { position } => (Some(position), "eval".to_owned()),
            Self::Moves { position } => (Some(position), "moves".to_owned()),
            Self::Compiler => (None, "compiler".to_owned()),
            Self::License => (None, "license".to_owned()),
        };
        let mut commands = position.map_or_else(Vec::new, PositionArguments::commands);
        commands.push(command);
        commands
    }
}

/// Reads the arguments, the first being the program's name. There need not be a command.
///
/// # Errors
/// The exit code with which to end, once help or the reason of a refusal has been printed.
pub(crate) fn read(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Option<Action>, ExitCode> {
    Arguments::try_parse_from(arguments).map(|arguments| arguments.command).map_err(|error| {
        // A closed output changes nothing about the code.
        let _ = error.print();
        if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
    })
}

/// Does it, to the end. The exit code is 2 when it is refused, and 1 for game files in which
/// something is wrong.
pub(crate) fn run(action: &Action, output: impl Write + Send + 'static) -> ExitCode {
    match action {
        Action::Engine(action) => run_engine(action, output),
        Action::Games(arguments) => games::run(arguments, output),
        Action::Analyse(arguments) => analyse::run(arguments, output),
    }
}

fn run_engine(action: &EngineAction, output: impl Write + Send + 'static) -> ExitCode {
    let received = Instant::now();
    let (sender, events) = mpsc::channel();
    let mut session = Session::new(Output::new(output, sender.clone()), sender);
    for line in action.commands() {
        if let Err(reason) = obey(&mut session, &line, received) {
            // Nothing can be done when that is closed too.
            let _ = writeln!(std::io::stderr(), "error: {reason}");
            return ExitCode::from(2);
        }
    }
    session.finish(&events);
    ExitCode::SUCCESS
}

fn obey(session: &mut Session, line: &str, received: Instant) -> Result<(), String> {
    let command = parse(line).map_err(|error| error.to_string())?;
    if let Command::Go(go) = &command
        && go.perft.is_none()
        && (go.infinite || go.ponder || !go.is_limited())
    {
        return Err("go needs a limit here, as in: merel go depth 10".to_owned());
    }
    session.obey(command, received).map_err(|refusal| refusal.reason().to_owned())
}
