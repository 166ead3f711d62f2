//! A program at the other end of two pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long a test waits for what must come. Only a hang is told by it, never speed.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A running program. It is killed when dropped.
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Program {
    /// Starts the program with these arguments; what it writes on standard error is shown.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn start(path: impl AsRef<Path>, arguments: &[&str]) -> Self {
        let mut child = Command::new(path.as_ref())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let output = child.stdout.take().expect("it is piped");
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                let text = String::from_utf8(std::mem::take(&mut line));
                let text = text.expect("the program writes text");
                assert!(text.ends_with('\n'), "a line is written whole: {text}");
                if sender.send(text.trim_end_matches('\n').to_owned()).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines }
    }

    /// Sends bytes as they are. That the program has gone is no error here.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(bytes).and_then(|()| input.flush());
        }
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// The next line, or `None` when the output has ended.
    ///
    /// # Panics
    /// If nothing comes for [`PATIENCE`].
    pub fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the program has gone silent"),
        }
    }

    /// The lines up to the first that begins with `start`, that one included.
    ///
    /// # Panics
    /// If the output ends first, or stops.
    pub fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let Some(line) = self.line() else { panic!("no '{start}' in {lines:#?}") };
            let found = line.starts_with(start);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Sends a line and collects what comes before the answer to `isready`.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// The lines that come within `time`.
    pub fn listen(&mut self, time: Duration) -> Vec<String> {
        let end = Instant::now() + time;
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            lines.push(line);
        }
        lines
    }

    /// Closes the program's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the program to end: what it still wrote, its exit status, and how long it took.
    ///
    /// # Panics
    /// If it does not end within [`PATIENCE`].
    pub fn end(&mut self) -> (Vec<String>, ExitStatus, Duration) {
        let start = Instant::now();
        let mut lines = Vec::new();
        while let Some(line) = self.line() {
            lines.push(line);
        }
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("the program can be waited for") {
                return (lines, status, start.elapsed());
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("the program does not end");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
