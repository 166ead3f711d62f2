//! How games end.

use std::fmt;

use merel_engine::{Color, Outcome};

/// The end of a game and what is known of it. Each kind has one word in game files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// By the rules.
    Normal(Outcome),
    /// Called won or drawn by the match.
    Adjudication { winner: Option<Color>, reason: String },
    /// A player's time ran out.
    TimeForfeit {
        loser: Color,
        overrun_ms: u64,
        /// The late turn, where it was illegal too, and why.
        illegal: Option<String>,
    },
    /// A player's answer is no legal turn.
    IllegalMove {
        loser: Color,
        token: String,
        reason: String,
        /// The command that had set the position.
        position: String,
    },
    /// A player does not answer.
    Stall { loser: Color, detail: String },
    /// A player has gone.
    Disconnect { loser: Color, detail: String },
    /// The match was stopped.
    Interrupted,
}

impl Ending {
    /// The word for it.
    pub(super) const fn termination(&self) -> &'static str {
        match self {
            Self::Normal(_) => "normal",
            Self::Adjudication { .. } => "adjudication",
            Self::TimeForfeit { .. } => "time forfeit",
            Self::IllegalMove { .. } => "illegal move",
            Self::Stall { .. } => "stall",
            Self::Disconnect { .. } => "disconnect",
            Self::Interrupted => "interrupted",
        }
    }

    /// Who has won; `None` for a draw, and for a game without a result.
    pub(super) const fn winner(&self) -> Option<Color> {
        let loser = match *self {
            Self::Normal(Outcome::Win { winner, .. }) => return Some(winner),
            Self::Adjudication { winner, .. } => return winner,
            Self::Normal(Outcome::Draw(_)) | Self::Interrupted => return None,
            Self::TimeForfeit { loser, .. }
            | Self::IllegalMove { loser, .. }
            | Self::Stall { loser, .. }
            | Self::Disconnect { loser, .. } => loser,
        };
        Some(match loser {
            Color::White => Color::Black,
            Color::Black => Color::White,
        })
    }

    /// `1-0`, `0-1`, `1/2-1/2`, or `*`.
    pub(super) const fn result(&self) -> &'static str {
        match (self, self.winner()) {
            (Self::Interrupted, _) => "*",
            (_, Some(Color::White)) => "1-0",
            (_, Some(Color::Black)) => "0-1",
            (_, None) => "1/2-1/2",
        }
    }

    /// Whether the engine that lost cannot go on.
    pub(super) const fn is_failure(&self) -> bool {
        matches!(self, Self::Stall { .. } | Self::Disconnect { .. })
    }
}

/// The reason in words, as `White loses on time, 12 ms late`.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Normal(outcome) => {
                let text = outcome.to_string();
                f.write_str(text.split_once(' ').map_or("", |(_, reason)| reason))
            }
            Self::Adjudication { winner: Some(winner), reason } => {
                write!(f, "{winner} wins by adjudication: {reason}")
            }
            Self::Adjudication { winner: None, reason } => {
                write!(f, "draw by adjudication: {reason}")
            }
            Self::TimeForfeit { loser, overrun_ms, illegal } => {
                write!(f, "{loser} loses on time, {overrun_ms} ms late")?;
                illegal.iter().try_for_each(|why| write!(f, ", and with an illegal move: {why}"))
            }
            Self::IllegalMove { loser, token, reason, .. } => {
                write!(f, "{loser} makes an illegal move: '{token}': {reason}")
            }
            Self::Stall { loser, detail } => write!(f, "{loser} stalls: {detail}"),
            Self::Disconnect { loser, detail } => write!(f, "{loser} disconnects: {detail}"),
            Self::Interrupted => f.write_str("the match was interrupted"),
        }
    }
}
