//! What an engine thought about its turn, as a comment: `+0.35/12 0.512s`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use merel_engine::Score;

/// Score, depth and time of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thought {
    /// From the view of the player who made the turn.
    pub score: Score,
    /// Plies (whole turns).
    pub depth: u32,
    /// Time taken. Milliseconds are written.
    pub time: Duration,
}

/// `+0.35/12 0.512s`: the score in units of 100, or `M5` for a win with the fifth own turn from
/// here and `-M5` for a loss after it; the depth in plies; seconds.
impl fmt::Display for Thought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (score, seconds) = (score_text(self.score), self.time.as_secs());
        write!(f, "{score}/{} {seconds}.{:03}s", self.depth, self.time.subsec_millis())
    }
}

/// A score as people read it: `+0.35` in units of 100, or `+M5` and `-M5` for a win and a loss with
/// the fifth own turn.
pub(crate) fn score_text(score: Score) -> String {
    let turns = score.mate_turns().unwrap_or_default().unsigned_abs();
    match score {
        Score::Cp(cp) => {
            let sign = if cp < 0 { '-' } else { '+' };
            format!("{sign}{}.{:02}", cp.unsigned_abs() / 100, cp.unsigned_abs() % 100)
        }
        Score::WinIn(_) => format!("+M{turns}"),
        Score::LossIn(_) => format!("-M{turns}"),
    }
}

/// The text is no score, depth and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAThought;

impl fmt::Display for NotAThought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not of the form +0.35/12 0.512s")
    }
}

impl std::error::Error for NotAThought {}

impl FromStr for Thought {
    type Err = NotAThought;

    /// Reads what is written. Of a win in so many turns the longest way is taken: the text does
    /// not tell plies.
    fn from_str(text: &str) -> Result<Self, NotAThought> {
        parse(text).ok_or(NotAThought)
    }
}

fn parse(text: &str) -> Option<Thought> {
    let (score, rest) = text.split_once('/')?;
    let (depth, time) = rest.split_once(' ')?;
    let (negative, size) = match score.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, score.strip_prefix('+').unwrap_or(score)),
    };
    let score = if let Some(turns) = size.strip_prefix('M') {
        let turns: u32 = turns.parse().ok().filter(|&turns| turns < 100_000)?;
        if negative {
            Score::LossIn(2 * turns)
        } else {
            Score::WinIn((2 * turns).saturating_sub(1))
        }
    } else {
        let (whole, part) = size.split_once('.')?;
        let whole: i32 = whole.parse().ok().filter(|whole| (0..100_000).contains(whole))?;
        let part = digits(part, 2)? as i32;
        let cp = 100 * whole + part;
        Score::Cp(if negative { -cp } else { cp })
    };
    let (seconds, milliseconds) = time.strip_suffix('s')?.split_once('.')?;
    let milliseconds = u64::from(digits(milliseconds, 3)?);
    let seconds: u64 = seconds.parse().ok().filter(|&seconds| seconds < 1 << 40)?;
    Some(Thought {
        score,
        depth: depth.parse().ok()?,
        time: Duration::from_millis(1000 * seconds + milliseconds),
    })
}

/// A number of exactly so many digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    let digits = text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_read_back() {
        let ms = Duration::from_millis;
        for (score, depth, time, text) in [
            (Score::Cp(35), 12, ms(512), "+0.35/12 0.512s"),
            (Score::Cp(-1), 1, ms(0), "-0.01/1 0.000s"),
            (Score::Cp(0), 7, ms(61_005), "+0.00/7 61.005s"),
            (Score::Cp(-1234), 7, ms(1), "-12.34/7 0.001s"),
            (Score::WinIn(9), 20, ms(7), "+M5/20 0.007s"),
            (Score::LossIn(10), 20, ms(7), "-M5/20 0.007s"),
            (Score::LossIn(0), 0, ms(0), "-M0/0 0.000s"),
        ] {
            let thought = Thought { score, depth, time };
            assert_eq!(thought.to_string(), text);
            assert_eq!(text.parse(), Ok(thought));
        }
        for bad in
            ["", "+0.35", "+0.35/12", "+0.3/1 0.1s", "x/1 0.100s", "+0.+5/1 0.100s", "M/1 1.000s"]
        {
            assert_eq!(bad.parse::<Thought>(), Err(NotAThought), "{bad}");
        }
    }
}
