//! The game file.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use merel_engine::Turn;

use super::config::{Detail, MatchConfig, PgnConfig};
use super::game::{Played, Record};
use super::opening::Opening;
use super::schedule::Task;
use crate::games::{self, Form, GameResult, RecordedTurn, Tags, Termination, write_merel};

/// A file that games, or their final positions, are added to.
#[derive(Debug)]
pub(super) struct GameFile {
    file: File,
    /// Its length with all games counted.
    length: u64,
}

impl GameFile {
    /// Opens the file for a new match, or at the length it had when a match was saved: what came
    /// behind belongs to games that will be played again.
    ///
    /// # Errors
    /// When it cannot be opened, or is not what was left.
    pub(super) fn open(
        flag: &str,
        path: &Path,
        append: bool,
        saved: Option<u64>,
    ) -> Result<Self, String> {
        let name = path.display();
        let cannot = |error: io::Error| format!("{flag}: '{name}' cannot be written: {error}");
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(saved.is_none() && !append)
            .open(path)
            .map_err(cannot)?;
        let present = file.metadata().map_err(cannot)?.len();
        let length = saved.unwrap_or(present);
        if present < length {
            return Err(format!(
                "{flag}: '{name}' has {present} bytes, but had {length} when the match was saved; \
                 put back the file that belongs to it"
            ));
        }
        file.set_len(length).and_then(|()| file.seek(SeekFrom::End(0))).map_err(cannot)?;
        Ok(Self { file, length })
    }

    /// Its length in bytes with all games counted.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// Adds a game. One that is not counted will be taken away when the match goes on.
    pub(super) fn add(&mut self, text: &str, is_counted: bool) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        if is_counted {
            self.length += text.len() as u64;
        }
        Ok(())
    }

    /// Waits until all is on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// A game as text, with an empty line behind it.
pub(super) fn game_text(
    config: &MatchConfig,
    pgn: &PgnConfig,
    task: &Task,
    opening: &Opening,
    record: &Record,
) -> String {
    let mut game = games::Record::new(opening.start);
    for &turn in &opening.turns {
        game.push(with_comment(pgn, turn, || "book".to_owned()));
    }
    for played in &record.turns {
        game.push(with_comment(pgn, played.turn, || thought(pgn, played)));
    }
    game.result = GameResult::from_text(record.ending.result()).unwrap_or(GameResult::Unknown);
    game.termination = Some(Termination::from_text(record.ending.termination()));
    game.reason = Some(record.ending.to_string());
    set_tags(&mut game.tags, config, task);
    // Openings that a form cannot hold were refused before the match.
    let form = Form::from_name(&pgn.notation).unwrap_or(Form::Merel);
    form.write(&game).unwrap_or_else(|_| write_merel(&game))
}

/// The final position of a game as a line, with its result, its players and the reason.
pub(super) fn final_position(config: &MatchConfig, task: &Task, record: &Record) -> String {
    let names = task.engines.map(|engine| config.engines.get(engine).map_or("?", |e| &e.name));
    let quoted = |text: &str| text.replace(['"', '\\', ';'], " ");
    let [white, black] = names.map(quoted);
    format!(
        "{}; c0 \"{}\"; c1 \"{white} - {black}\"; c2 \"{}\"\n",
        record.last.fen(),
        record.ending.result(),
        quoted(&record.ending.to_string())
    )
}

fn with_comment(pgn: &PgnConfig, turn: Turn, comment: impl FnOnce() -> String) -> RecordedTurn {
    let mut recorded = RecordedTurn::new(turn);
    if !pgn.min {
        recorded.comments.push(comment());
    }
    recorded
}

/// Score, depth and time, and what else is asked for, as `+0.35/12 0.512s, n=8123`.
fn thought(pgn: &PgnConfig, played: &Played) -> String {
    let score = played.score.map_or_else(|| "-".to_owned(), |s| s.to_string());
    let answer = &played.answer;
    let depth = answer.depth.map_or_else(|| "-".to_owned(), |d| d.to_string());
    let mut text = format!("{score}/{depth} {:.3}s", played.time.as_secs_f64());
    for detail in &pgn.details {
        let told = match detail {
            Detail::TimeLeft => {
                played.time_left.map(|left| format!("tl={:.3}s", left.as_secs_f64()))
            }
            Detail::Latency => played.latency_ms().map(|ms| format!("latency={ms:.1}ms")),
            Detail::Nodes => answer.nodes.map(|n| format!("n={n}")),
            Detail::SelDepth => answer.selective_depth.map(|n| format!("sd={n}")),
            Detail::Nps => answer.speed.map(|n| format!("nps={n}")),
            Detail::HashFull => answer.hash_full.map(|n| format!("hashfull={n}")),
            Detail::TbHits => answer.table_hits.map(|n| format!("tbhits={n}")),
        };
        if let Some(told) = told {
            text.push_str(", ");
            text.push_str(&told);
        }
    }
    text
}

fn set_tags(tags: &mut Tags, config: &MatchConfig, task: &Task) {
    let [white, black] = task.engines.map(|engine| config.engines.get(engine));
    let limits = [white, black].map(|e| e.map_or_else(String::new, |e| e.limits.to_string()));
    let name = |engine: Option<&super::config::EngineConfig>| {
        engine.map_or_else(|| "?".to_owned(), |e| e.name.clone())
    };
    tags.set("Event", config.event.as_str());
    tags.set("Site", config.site.as_str());
    tags.set("Date", today());
    tags.set("Round", format!("{}.{}", task.round + 1, task.id % config.games + 1));
    tags.set("White", name(white));
    tags.set("Black", name(black));
    let [white_time, black_time] = limits;
    if white_time == black_time {
        tags.set("TimeControl", white_time);
    } else {
        tags.set("WhiteTimeControl", white_time);
        tags.set("BlackTimeControl", black_time);
    }
}

/// The date (UTC) as `2026.11.30`.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year:04}.{month:02}.{day:02}")
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
fn civil(days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let (mut year, mut rest) = (1970, days);
    while rest >= if leap(year) { 366 } else { 365 } {
        rest -= if leap(year) { 366 } else { 365 };
        year += 1;
    }
    let february = if leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if rest < length {
            break;
        }
        rest -= length;
        month += 1;
    }
    (year, month, rest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (19_723, (2024, 1, 1)),
            (20_787, (2026, 11, 30)),
            (20_818, (2026, 12, 31)),
        ] {
            assert_eq!(civil(days), date, "{days}");
        }
    }
}
