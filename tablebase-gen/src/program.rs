//! The program from its arguments to its exit code.

use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::thread;

use crate::cli::{Cli, Command, What};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::interrupt::Stop;
use crate::plan::Wanted;
use crate::verify::Extent;
use crate::{generate, plan, probe, stats, verify};
use clap::Parser;

/// Runs the program `tablebase-gen` with these arguments, the first of which is its name.
///
/// It prints results on standard output and everything else on standard error, and takes Ctrl-C
/// over from the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // When nobody reads what is wrong, the exit code still tells.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match obey(cli.command) {
        Ok(code) => code,
        Err(failure) => {
            let is_error = !matches!(failure, Failure::Interrupted);
            eprintln!("{}{failure}", if is_error { "error: " } else { "" });
            ExitCode::from(failure.exit_code())
        }
    }
}

fn obey(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Plan { what, json } => {
            let wanted = wanted(&what);
            print(|out| plan::print(out, &wanted, json))?;
        }
        Command::Generate { what, out, threads, memory, quiet } => {
            let (wanted, threads) = (wanted(&what), count(threads));
            let request = generate::Request { wanted, folder: out, threads, memory, quiet };
            generate::generate(&request, Stop::on_interrupt())?;
        }
        Command::Verify { folder, sectors, how, sample, seed, threads } => {
            let extent = Extent { most: sample.unwrap_or(u64::MAX), seed };
            let full = how.full.then_some(extent);
            let request = verify::Request { folder, sectors, full, threads: count(threads) };
            let good = verify::verify(&request, Stop::on_interrupt(), &mut io::stdout())?;
            return Ok(ExitCode::from(if good { 0 } else { 1 }));
        }
        Command::Stats { folder, sectors, json } => {
            let all = stats::read(&Folder::open(&folder)?, &sectors)?;
            print(|out| stats::print(out, &all, json))?;
        }
        Command::Probe { folder, fen, json, double_mill } => {
            let found = probe::probe(&folder, &fen, double_mill)?;
            print(|out| probe::print(out, &found, json))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The number of threads asked for, or one for each processor.
fn count(threads: Option<NonZeroUsize>) -> usize {
    threads.or_else(|| thread::available_parallelism().ok()).map_or(1, usize::from)
}

fn wanted(what: &What) -> Wanted {
    Wanted::new(&what.sectors, what.max_stones, what.phase, what.double_mill)
}

/// Prints results. A reader that has gone away, as `head` does, is no error.
fn print(
    print: impl FnOnce(&mut io::BufWriter<io::StdoutLock<'_>>) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match print(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::results(error)),
        _ => Ok(()),
    }
}
