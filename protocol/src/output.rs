//! Writing to the peer: from any thread, whole lines, flushed at once.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::input::Event;

/// The way out for all lines. Clones write to the same place.
#[derive(Clone)]
pub(crate) struct Output(Arc<Mutex<Sink>>);

struct Sink {
    writer: Box<dyn Write + Send>,
    log: Option<File>,
    /// Told once when nobody reads any more.
    events: Sender<Event>,
    closed: bool,
}

impl Output {
    pub(crate) fn new(writer: impl Write + Send + 'static, events: Sender<Event>) -> Self {
        let sink = Sink { writer: Box::new(writer), log: None, events, closed: false };
        Self(Arc::new(Mutex::new(sink)))
    }

    /// A thread that panicked while it wrote has at worst left a line cut off.
    fn sink(&self) -> MutexGuard<'_, Sink> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line, or several that nothing comes between.
    pub(crate) fn lines(&self, text: &str) {
        let mut sink = self.sink();
        sink.log("<< ", text);
        if sink.closed {
            return;
        }
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
        let written = sink.writer.write_all(&bytes).and_then(|()| sink.writer.flush());
        if written.is_err() {
            sink.closed = true;
            // Nobody listens when the program is ending anyway.
            let _ = sink.events.send(Event::OutputClosed);
        }
    }

    /// Says why something was refused.
    pub(crate) fn error(&self, reason: &str) {
        self.lines(&format!("info string error: {reason}"));
    }

    /// Notes a line that came in.
    pub(crate) fn log_input(&self, line: &str) {
        self.sink().log(">> ", line);
    }

    /// Appends all lines from now on to a file as well, or no more to any.
    ///
    /// # Errors
    /// When the file cannot be opened; what was set before holds on.
    pub(crate) fn set_log(&self, path: Option<&Path>) -> io::Result<()> {
        let log = match path {
            Some(path) => Some(OpenOptions::new().create(true).append(true).open(path)?),
            None => None,
        };
        self.sink().log = log;
        Ok(())
    }
}

impl Sink {
    fn log(&mut self, prefix: &str, text: &str) {
        let Some(file) = &mut self.log else { return };
        let entry: String = text.lines().map(|line| format!("{prefix}{line}\n")).collect();
        if file.write_all(entry.as_bytes()).is_err() {
            // A full disk must not disturb the play.
            self.log = None;
        }
    }
}
