//! Numbers in commands: lenient where the meaning is plain, refused where it is not.

use std::time::Duration;

use super::{CommandError, Perft};

/// Longer times are cut to this: about thirty years, which leaves room for adding them up.
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

/// A whole number, not negative. One too large for the type is as good as the largest.
pub(super) fn count(parameter: &'static str, word: &str) -> Result<u64, CommandError> {
    digits(word)
        .ok_or_else(|| CommandError::bad_number(parameter, word, "a whole number, 0 or more"))
}

/// [`count`] in 32 bits.
pub(super) fn small_count(parameter: &'static str, word: &str) -> Result<u32, CommandError> {
    count(parameter, word).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
}

/// Milliseconds. A clock that has run out may be shown as negative; that is no time left.
pub(super) fn milliseconds(parameter: &'static str, word: &str) -> Result<Duration, CommandError> {
    let value = match word.strip_prefix('-') {
        Some(negative) => digits(negative).map(|_| 0),
        None => digits(word),
    };
    match value {
        Some(ms) => Ok(Duration::from_millis(ms).min(LONGEST)),
        None => Err(CommandError::bad_number(parameter, word, "whole milliseconds")),
    }
}

pub(super) fn perft_depth(parameter: &'static str, word: &str) -> Result<u32, CommandError> {
    match small_count(parameter, word) {
        Ok(depth) if depth <= Perft::MAX_DEPTH => Ok(depth),
        _ => Err(CommandError::bad_number(parameter, word, "a depth from 0 to 100")),
    }
}

fn digits(word: &str) -> Option<u64> {
    let digits = word.strip_prefix('+').unwrap_or(word);
    let valid = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    valid.then(|| digits.parse().unwrap_or(u64::MAX))
}
