//! What limits an engine's thinking, and how that is written.

use std::fmt::{self, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A clock: time for a number of turns or for the whole game, and what each turn adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// Turns until the base time is added again; `None` for the whole game.
    pub moves: Option<u32>,
    /// Base time, in ms.
    pub base_ms: u64,
    /// Added after each turn, in ms.
    pub increment_ms: u64,
}

/// The limits of one engine. At least one is set but the margin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Its clock.
    pub clock: Option<TimeControl>,
    /// Time for each turn, in ms; not together with a clock.
    pub move_ms: Option<u64>,
    /// Nodes for each turn.
    pub nodes: Option<u64>,
    /// Depth of each search, in plies.
    pub depth: Option<u32>,
    /// How late an answer may come without being lost, in ms.
    pub margin_ms: u64,
}

impl Limits {
    /// Whether anything limits a search.
    #[must_use]
    pub const fn any(&self) -> bool {
        self.clock.is_some()
            || self.move_ms.is_some()
            || self.nodes.is_some()
            || self.depth.is_some()
    }
}

/// A duration of at most eleven days, read as seconds with decimals or `minutes:seconds`.
fn milliseconds(text: &str) -> Option<u64> {
    let (minutes, seconds) = match text.split_once(':') {
        Some((minutes, seconds)) => (minutes.parse::<u32>().ok()?, seconds),
        None => (0, text),
    };
    if !seconds.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let seconds: f64 = seconds.parse().ok()?;
    let total = f64::from(minutes) * 60.0 + seconds;
    (0.0..=1e6).contains(&total).then(|| (total * 1000.0).round() as u64)
}

/// Reads `moves/minutes:seconds+increment`, of which only the seconds are needed.
///
/// # Errors
/// What is wrong, and the form it should have.
pub fn parse_time_control(text: &str) -> Result<TimeControl, String> {
    let refuse = || {
        format!(
            "'{text}' is no time control; write moves/minutes:seconds+increment, as in 10+0.1 or 40/1:00"
        )
    };
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => {
            (Some(moves.parse().ok().filter(|&n: &u32| n > 0).ok_or_else(refuse)?), rest)
        }
        None => (None, text),
    };
    let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    let base_ms = milliseconds(base).ok_or_else(refuse)?;
    let increment_ms = milliseconds(increment).ok_or_else(refuse)?;
    if base_ms == 0 {
        return Err(format!("'{text}' leaves no time; the base must be more than 0"));
    }
    Ok(TimeControl { moves, base_ms, increment_ms })
}

/// Reads a time in seconds, as `0.1`, into ms.
///
/// # Errors
/// What is wrong with it.
pub fn parse_move_time(text: &str) -> Result<u64, String> {
    milliseconds(text)
        .filter(|&ms| ms > 0)
        .ok_or_else(|| format!("'{text}' is no time in seconds, as 0.1"))
}

/// Milliseconds as seconds, without decimals that say nothing.
struct Seconds(u64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Duration::from_millis(self.0).as_secs_f64().to_string();
        f.write_str(&text)
    }
}

/// `40/60+0.6`, times in seconds.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", Seconds(self.base_ms))?;
        if self.increment_ms > 0 {
            write!(f, "+{}", Seconds(self.increment_ms))?;
        }
        Ok(())
    }
}

/// `2+0.02`, `0.1/move`, `5000 nodes`, `depth 8`, or several.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if let Some(clock) = self.clock {
            write!(text, " {clock}")?;
        }
        if let Some(ms) = self.move_ms {
            write!(text, " {}/move", Seconds(ms))?;
        }
        if let Some(nodes) = self.nodes {
            write!(text, " {nodes} nodes")?;
        }
        if let Some(depth) = self.depth {
            write!(text, " depth {depth}")?;
        }
        f.write_str(text.trim_start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_read_and_written() {
        for (text, printed) in [
            ("2+0.02", "2+0.02"),
            ("40/1:00+0.6", "40/60+0.6"),
            ("10", "10"),
            ("0:05.5+1", "5.5+1"),
            (".5", "0.5"),
        ] {
            let clock = parse_time_control(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(clock.to_string(), printed);
        }
        assert_eq!(
            parse_time_control("40/1:00+0.6"),
            Ok(TimeControl { moves: Some(40), base_ms: 60_000, increment_ms: 600 })
        );
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "", "0", "x", "1+", "1+x", "0/5", "-1/5", "5/", "-5", "1e9", "inf", "nan", "1:2:3",
            "+1", "1+-1",
        ] {
            assert!(parse_time_control(text).is_err(), "{text}");
        }
        assert_eq!(parse_move_time("0.05"), Ok(50));
        assert!(parse_move_time("0").is_err() && parse_move_time("-1").is_err());
    }
}
