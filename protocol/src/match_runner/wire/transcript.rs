//! The log of every line with its time.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::match_runner::config::{Level, LogConfig};

/// A log that many games write to. Clones write to the same place.
#[derive(Clone, Default)]
pub(in crate::match_runner) struct Transcript(Option<Arc<Log>>);

struct Log {
    file: Mutex<BufWriter<File>>,
    realtime: bool,
    level: Level,
    engine: bool,
    /// A moment, and the same in seconds of the day (UTC).
    origin: (Instant, f64),
}

impl Transcript {
    /// A log in a file, which is added to.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub(in crate::match_runner) fn open(config: &LogConfig) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(&config.file)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let origin = (Instant::now(), (now.as_millis() % 86_400_000) as f64 / 1000.0);
        let file = Mutex::new(BufWriter::new(file));
        let LogConfig { realtime, level, engine, .. } = *config;
        Ok(Self(Some(Arc::new(Log { file, realtime, level, engine, origin }))))
    }

    /// Whether lines of engines are noted.
    pub(in crate::match_runner) fn hears_engines(&self) -> bool {
        self.0.as_ref().is_some_and(|log| log.engine)
    }

    /// Notes a line to (`>`), from (`<`) or on standard error of (`!`) an engine.
    pub(in crate::match_runner) fn note(
        &self,
        who: &str,
        direction: char,
        line: &str,
        at: Instant,
    ) {
        if let Some(log) = self.0.as_ref().filter(|log| log.engine) {
            log.write(&format!("{who} {direction} {line}"), at);
        }
    }

    /// Notes what happens to the match.
    pub(in crate::match_runner) fn tell(&self, level: Level, text: &str) {
        if let Some(log) = self.0.as_ref().filter(|log| level >= log.level) {
            for line in text.lines() {
                log.write(&format!("match # {line}"), Instant::now());
            }
        }
    }
}

impl Log {
    /// Writes a line. That the disk is full must not disturb a game.
    fn write(&self, line: &str, at: Instant) {
        let log = self;
        let (origin, seconds) = log.origin;
        let time = seconds + at.saturating_duration_since(origin).as_secs_f64();
        let (hours, minutes) = (time / 3600.0 % 24.0, time / 60.0 % 60.0);
        let mut file = log.file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(
            file,
            "{:02}:{:02}:{:06.3} {line}",
            hours.floor(),
            minutes.floor(),
            time % 60.0
        );
        if log.realtime {
            let _ = file.flush();
        }
    }
}
