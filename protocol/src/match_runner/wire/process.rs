//! A running program whose lines come and go through threads of their own, so that nothing it does
//! or leaves undone can hold up who speaks with it: a program that reads nothing, writes without
//! end, closes its pipes or dies is told by a time-out or an event.

use std::io::{BufReader, ErrorKind, Read, Write};
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use super::Transcript;
use crate::input::{Read as Line, read_line};
use crate::match_runner::config::EngineConfig;

/// Longer lines are passed over.
const MAX_LINE: usize = 1 << 16;
/// Lines that wait to be heard; the program that writes more has to wait.
const MAX_HEARD: usize = 64;
/// Lines that wait to be read by the program; one that takes no more is given up.
const MAX_SENT: usize = 256;

/// What came from the program.
#[derive(Debug)]
pub(in crate::match_runner) enum Heard {
    /// A line, and when it was complete.
    Line(String, Instant),
    /// A line too long to be of any use.
    LineTooLong,
    /// Its output has ended.
    Closed,
    /// Nothing in time.
    Nothing,
}

/// The program. It is killed when dropped.
pub(in crate::match_runner) struct Child {
    child: process::Child,
    /// `None` once it is closed.
    input: Option<Input>,
    heard: Receiver<Heard>,
    name: String,
    transcript: Transcript,
}

impl Child {
    /// Starts an engine's program. `label` is its name in the log.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub(in crate::match_runner) fn start(
        engine: &EngineConfig,
        label: String,
        transcript: Transcript,
    ) -> Result<Self, String> {
        // A path is meant from here, not from the folder that the engine runs in.
        let is_path = engine.command.components().count() > 1;
        let absolute = std::path::absolute(&engine.command).ok().filter(|_| is_path);
        let mut command =
            process::Command::new(absolute.as_deref().unwrap_or(engine.command.as_path()));
        command
            .args(&engine.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &engine.directory {
            command.current_dir(directory);
        }
        // Ctrl-C is for the match, which ends its engines itself.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let cannot = |error: std::io::Error| {
            format!("'{}' cannot be started: {error}", engine.command.display())
        };
        let mut child = command.spawn().map_err(cannot)?;
        let (sender, to_write) = mpsc::sync_channel(MAX_SENT);
        let (to_hear, heard) = mpsc::sync_channel(MAX_HEARD);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut started =
            Self { child, input: None, heard, name: label, transcript: transcript.clone() };
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(cannot(std::io::Error::other("no pipes")));
        };
        let name = started.name.clone();
        let pipe = Arc::new(Pipe::new(input).map_err(cannot)?);
        let waiting = Arc::new(AtomicUsize::new(0));
        started.input =
            Some(Input { pipe: Arc::clone(&pipe), waiting: Arc::clone(&waiting), sender });
        spawn(move || write_all(&pipe, &to_write, &waiting))
            .and_then(|()| spawn(move || hear_all(output, &to_hear)))
            .and_then(|()| spawn(move || note_all(errors, &name, &transcript)))
            .map_err(|error| {
                started.kill();
                cannot(error)
            })?;
        Ok(started)
    }

    /// Sends a line, or several in one go. `false` when the program has taken none for so long that it will not.
    pub(in crate::match_runner) fn send(&mut self, line: String) -> bool {
        for line in line.lines() {
            self.transcript.note(&self.name, '>', line, Instant::now());
        }
        let Some(input) = &self.input else { return true };
        let mut text = line.into_bytes();
        text.push(b'\n');
        // The thread is only for what has to wait: waking it takes as long as a fast engine's turn.
        if input.waiting.load(Acquire) == 0 {
            let taken = input.pipe.write_at_once(&text);
            text.drain(..taken);
            if text.is_empty() {
                return true;
            }
        }
        input.waiting.fetch_add(1, Relaxed);
        // That its input is closed is told by the end of its output, or by silence.
        !matches!(input.sender.try_send(text), Err(TrySendError::Full(_)))
    }

    /// The next line before a moment, or what stands for it.
    pub(in crate::match_runner) fn hear(&mut self, until: Instant) -> Heard {
        let heard = match self.heard.try_recv() {
            Ok(heard) => heard,
            Err(_) => {
                let time = until.saturating_duration_since(Instant::now());
                match self.heard.recv_timeout(time) {
                    Ok(heard) => heard,
                    Err(RecvTimeoutError::Timeout) => Heard::Nothing,
                    Err(RecvTimeoutError::Disconnected) => Heard::Closed,
                }
            }
        };
        if let Heard::Line(line, at) = &heard {
            self.transcript.note(&self.name, '<', line, *at);
        }
        heard
    }

    /// Passes over what was said unasked, as far as it is here already.
    pub(in crate::match_runner) fn forget(&mut self) {
        for _ in 0..2 * MAX_HEARD {
            match self.heard.try_recv() {
                Ok(Heard::Line(line, at)) => self.transcript.note(&self.name, '<', &line, at),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    /// How the program ended, given a moment to be seen so; `None` while it runs.
    pub(in crate::match_runner) fn status(&mut self) -> Option<ExitStatus> {
        self.wait(Duration::from_millis(100))
    }

    fn wait(&mut self, time: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + time;
        let mut pause = Duration::from_micros(200);
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= end {
                return None;
            }
            // What it still writes must not keep it from ending, nor us from looking at the time.
            for _ in 0..2 * MAX_HEARD {
                if self.heard.try_recv().is_err() {
                    break;
                }
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }

    /// Asks the program to end (or only closes its input), and kills it when it has not ended in
    /// time. Whether it ended by itself.
    pub(in crate::match_runner) fn end(mut self, says_quit: bool, time: Duration) -> bool {
        if says_quit {
            self.send("quit".to_owned());
        }
        self.input = None;
        self.wait(time).is_some()
    }

    fn kill(&mut self) {
        // Neither fails but for a program that has gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().name("engine".into()).stack_size(128 << 10).spawn(work).map(drop)
}

/// The way into the program: at once, or by the thread that waits for it.
struct Input {
    pipe: Arc<Pipe>,
    /// How many messages the thread has to write.
    waiting: Arc<AtomicUsize>,
    sender: SyncSender<Vec<u8>>,
}

/// The program's standard input.
struct Pipe(ChildStdin);

impl Pipe {
    fn new(input: ChildStdin) -> std::io::Result<Self> {
        #[cfg(target_os = "linux")]
        rustix::io::ioctl_fionbio(&input, true)?;
        Ok(Self(input))
    }

    /// How many bytes the program's input takes without waiting. All of them where it is closed, and
    /// none on systems where that cannot be told.
    fn write_at_once(&self, text: &[u8]) -> usize {
        if !cfg!(target_os = "linux") {
            return 0;
        }
        match (&self.0).write(text) {
            Ok(taken) => taken,
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(error) if error.kind() == ErrorKind::Interrupted => 0,
            Err(_) => text.len(),
        }
    }

    /// Writes all, and waits as long as it takes.
    fn write_all(&self, mut text: &[u8]) -> std::io::Result<()> {
        while !text.is_empty() {
            match (&self.0).write(text) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(taken) => text = text.get(taken..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait()?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until the program's input takes more.
    #[allow(clippy::unnecessary_wraps, reason = "only Linux has anything to wait for")]
    fn wait(&self) -> std::io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use rustix::event::{PollFd, PollFlags, poll};
            poll(&mut [PollFd::new(&self.0, PollFlags::OUT)], None)?;
        }
        Ok(())
    }
}

fn write_all(pipe: &Pipe, messages: &Receiver<Vec<u8>>, waiting: &AtomicUsize) {
    for text in messages {
        if pipe.write_all(&text).is_err() {
            return;
        }
        waiting.fetch_sub(1, Release);
    }
}

fn hear_all(output: ChildStdout, to_hear: &SyncSender<Heard>) {
    let mut output = BufReader::new(output);
    let mut buffer = Vec::new();
    loop {
        let heard = match read_line(&mut output, &mut buffer, MAX_LINE) {
            Ok(Line::Line) => {
                let text = String::from_utf8_lossy(&buffer).trim().to_owned();
                Heard::Line(text, Instant::now())
            }
            Ok(Line::TooLong) => Heard::LineTooLong,
            Ok(Line::End) | Err(_) => Heard::Closed,
        };
        let is_last = matches!(heard, Heard::Closed);
        if to_hear.send(heard).is_err() || is_last {
            return;
        }
    }
}

/// Reads standard error to its end, so that the program never waits for it.
fn note_all(errors: ChildStderr, name: &str, transcript: &Transcript) {
    let mut errors = BufReader::new(errors);
    if !transcript.hears_engines() {
        let _ = std::io::copy(&mut errors.by_ref(), &mut std::io::sink());
        return;
    }
    let mut buffer = Vec::new();
    while let Ok(line) = read_line(&mut errors, &mut buffer, MAX_LINE) {
        match line {
            Line::End => return,
            Line::TooLong => {}
            Line::Line => {
                let text = String::from_utf8_lossy(&buffer);
                transcript.note(name, '!', text.trim_end(), Instant::now());
            }
        }
    }
}
