//! The program from its arguments to its exit code.

use std::ffi::OsString;
use std::io::{self, BufReader, Read, Write};
use std::mem;
use std::process::{self, ExitCode};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use crate::input::{Event, read_all};
use crate::oneshot;
use crate::output::Output;
use crate::session::Session;

/// However busy the program is, it is gone so long after the input has ended.
const LAST_MOMENT: Duration = Duration::from_millis(900);

/// Runs the engine program. Without arguments (the first is the program's name) it is the protocol
/// loop between `input` and `output`, until `quit` or the end of input. With arguments it obeys
/// them and ends; what is wrong with them is said on standard error.
///
/// The exit code is 0, or 2 for arguments that are refused. A program that cannot end in time
/// after the end of input, because the peer reads nothing more or the system is busy, ends the
/// process from here.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // The common case needs no reading of arguments.
    if arguments.len() > 1 {
        match oneshot::read(arguments) {
            Ok(Some(action)) => return oneshot::run(&action, output),
            Ok(None) => {}
            Err(code) => return code,
        }
    }
    let reader = move |events: &mpsc::Sender<Event>| {
        read_all(BufReader::new(input), events);
        thread::sleep(LAST_MOMENT);
        process::exit(0);
    };
    serve(reader, output)
}

/// The protocol loop. The reader runs on a thread of its own, which may outlive the loop.
fn serve(
    reader: impl FnOnce(&mpsc::Sender<Event>) + Send + 'static,
    output: impl Write + Send + 'static,
) -> ExitCode {
    let (sender, events) = mpsc::channel();
    let output = Output::new(output, sender.clone());
    let mut session = Session::new(output.clone(), sender.clone());
    if let Err(error) = thread::Builder::new().name("input".into()).spawn(move || reader(&sender)) {
        output.error(&format!("the input cannot be read: {error}"));
        return ExitCode::FAILURE;
    }
    session.run(&events);
    ExitCode::SUCCESS
}

/// All that the protocol loop prints for this input, without a process of its own: for tests that
/// hold very many conversations. Commands do what they do in the program, so a debug log is
/// written, and memory and threads are taken, as the input says.
#[must_use]
pub fn converse(input: Vec<u8>) -> Vec<u8> {
    let printed = Printed::default();
    let input = BufReader::new(io::Cursor::new(input));
    let _ = serve(move |events| read_all(input, events), printed.clone());
    let mut bytes = printed.0.lock().unwrap_or_else(PoisonError::into_inner);
    mem::take(&mut *bytes)
}

/// Output that is kept.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What the loop prints for these lines.
#[cfg(test)]
pub(crate) fn transcript(lines: &[&str]) -> Vec<String> {
    let printed = converse(lines.join("\n").into_bytes());
    String::from_utf8(printed).unwrap().lines().map(str::to_owned).collect()
}
