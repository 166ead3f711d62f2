//! The log of every line with its time.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A log that many games write to. Clones write to the same place.
#[derive(Clone, Default)]
pub(in crate::match_runner) struct Transcript(Option<Arc<Log>>);

struct Log {
    file: Mutex<BufWriter<File>>,
    realtime: bool,
    /// A moment, and the same in seconds of the day (UTC).
    origin: (Instant, f64),
}

impl Transcript {
    /// A log in a file, which is added to.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub(in crate::match_runner) fn open(path: &Path, realtime: bool) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let origin = (Instant::now(), (now.as_millis() % 86_400_000) as f64 / 1000.0);
        let file = Mutex::new(BufWriter::new(file));
        Ok(Self(Some(Arc::new(Log { file, realtime, origin }))))
    }

    pub(in crate::match_runner) const fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Notes a line to (`>`) or from (`<`) somebody. That the disk is full must not disturb a game.
    pub(in crate::match_runner) fn note(
        &self,
        who: &str,
        direction: char,
        line: &str,
        at: Instant,
    ) {
        let Some(log) = &self.0 else { return };
        let (origin, seconds) = log.origin;
        let time = seconds + at.saturating_duration_since(origin).as_secs_f64();
        let (hours, minutes) = (time / 3600.0 % 24.0, time / 60.0 % 60.0);
        let mut file = log.file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(
            file,
            "{:02}:{:02}:{:06.3} {who} {direction} {line}",
            hours.floor(),
            minutes.floor(),
            time % 60.0
        );
        if log.realtime {
            let _ = file.flush();
        }
    }
}
