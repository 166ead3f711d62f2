//! What an engine says while it thinks.

use std::fmt;

/// A score from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::match_runner) enum Score {
    /// An estimate, in hundredths.
    Cp(i32),
    /// A win in so many own turns; 0 or negative: a loss.
    Mate(i32),
}

impl Score {
    /// In hundredths, a proved result beyond every estimate.
    pub(in crate::match_runner) const fn hundredths(self) -> i64 {
        match self {
            Self::Cp(cp) => cp as i64,
            Self::Mate(turns) if turns > 0 => 1_000_000 - turns as i64,
            Self::Mate(turns) => -1_000_000 - turns as i64,
        }
    }

    const fn flipped(self) -> Self {
        match self {
            Self::Cp(cp) => Self::Cp(cp.saturating_neg()),
            Self::Mate(turns) => Self::Mate(turns.saturating_neg()),
        }
    }
}

/// `+0.35`, `-12.00`, `+M3`, `-M2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cp(cp) => write!(f, "{:+.2}", f64::from(cp) / 100.0),
            Self::Mate(turns) if turns > 0 => write!(f, "+M{turns}"),
            Self::Mate(turns) => write!(f, "-M{}", turns.unsigned_abs()),
        }
    }
}

/// What is known of a search: filled from `info` lines, ended by `bestmove`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::match_runner) struct Answer {
    /// The last score of the best line.
    pub(in crate::match_runner) score: Option<Score>,
    /// The last depth, in plies as the engine counts them.
    pub(in crate::match_runner) depth: Option<u32>,
    /// The last selective depth, in plies.
    pub(in crate::match_runner) selective_depth: Option<u32>,
    /// The last number of nodes.
    pub(in crate::match_runner) nodes: Option<u64>,
    /// The last nodes per second.
    pub(in crate::match_runner) speed: Option<u64>,
    /// The last share of the transposition table in use, per mille.
    pub(in crate::match_runner) hash_full: Option<u64>,
    /// The last number of positions found in endgame tables.
    pub(in crate::match_runner) table_hits: Option<u64>,
    /// The last time, in ms, as the engine measures it.
    pub(in crate::match_runner) time_ms: Option<u64>,
    /// The last principal variation, as it was written.
    pub(in crate::match_runner) line: Vec<String>,
    /// The token after `bestmove`.
    pub(in crate::match_runner) best: Option<String>,
}

impl Answer {
    /// Reads a line; what is no part of an answer is passed over. `flip` when scores are the
    /// opponent's. The line may hold `info` and `bestmove` both, as Sanmill writes it.
    pub(in crate::match_runner) fn read(&mut self, line: &str, flip: bool) {
        let mut tokens = line.split_ascii_whitespace();
        let mut found = Self::default();
        let mut is_first = true;
        match tokens.next() {
            Some("info") => {}
            Some("bestmove") => {
                self.best = Some(tokens.next().unwrap_or_default().to_owned());
                return;
            }
            _ => return,
        }
        while let Some(token) = tokens.next() {
            let mut number = || tokens.next().and_then(|t| t.parse::<u64>().ok());
            match token {
                "depth" => found.depth = tokens.next().and_then(|t| t.parse().ok()),
                "seldepth" => found.selective_depth = tokens.next().and_then(|t| t.parse().ok()),
                "nodes" => found.nodes = number(),
                "nps" => found.speed = number(),
                "hashfull" => found.hash_full = number(),
                "tbhits" => found.table_hits = number(),
                "time" => found.time_ms = number(),
                "multipv" => is_first = tokens.next() == Some("1"),
                "score" => {
                    let kind = tokens.next();
                    let mut value = || tokens.next().and_then(|t| t.parse::<i32>().ok());
                    // Sanmill has a score without a kind.
                    let score = match kind {
                        Some("cp" | "eval") => value().map(Score::Cp),
                        Some("mate" | "win") => value().map(Score::Mate),
                        _ => None,
                    };
                    found.score = score.map(|s| if flip { s.flipped() } else { s });
                }
                "bestmove" => {
                    found.best = Some(tokens.next().unwrap_or_default().to_owned());
                    break;
                }
                // The rest is moves or free text. Sanmill writes a result behind it on one line
                // only without any of these.
                "string" => break,
                "pv" => {
                    found.line = tokens.by_ref().map(str::to_owned).collect();
                }
                _ => {}
            }
        }
        if is_first {
            self.score = found.score.or(self.score);
            self.depth = found.depth.or(self.depth);
            self.selective_depth = found.selective_depth.or(self.selective_depth);
            self.nodes = found.nodes.or(self.nodes);
            self.speed = found.speed.or(self.speed);
            self.hash_full = found.hash_full.or(self.hash_full);
            self.table_hits = found.table_hits.or(self.table_hits);
            self.time_ms = found.time_ms.or(self.time_ms);
            if !found.line.is_empty() {
                self.line = found.line;
            }
        }
        self.best = found.best;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str], flip: bool) -> Answer {
        let mut answer = Answer::default();
        lines.iter().for_each(|line| answer.read(line, flip));
        answer
    }

    #[test]
    fn the_last_score_of_the_best_line_counts() {
        let answer = read(
            &[
                "info depth 1 seldepth 1 multipv 1 score cp 5 nodes 10 time 1 pv a7 bestmove",
                "info depth 2 multipv 1 score cp 12 lowerbound nodes 20 pv d6",
                "info depth 2 multipv 2 score cp -3 nodes 25 pv a1",
                "info string bestmove a1 score cp 99",
                "noise score cp 77",
                "info nodes 30",
                "bestmove d6xb4 ponder d7",
            ],
            false,
        );
        let expected = Answer {
            score: Some(Score::Cp(12)),
            depth: Some(2),
            selective_depth: Some(1),
            nodes: Some(30),
            time_ms: Some(1),
            line: vec!["d6".to_owned()],
            best: Some("d6xb4".to_owned()),
            ..Answer::default()
        };
        assert_eq!(answer, expected);
    }

    #[test]
    fn one_line_may_hold_all_and_be_from_the_other_view() {
        let line = ["info depth 6 score cp 5 nodes 27883 bestmove b4"];
        assert_eq!(read(&line, false).score, Some(Score::Cp(5)));
        let answer = read(&line, true);
        assert_eq!((answer.score, answer.best.as_deref()), (Some(Score::Cp(-5)), Some("b4")));
        assert_eq!(read(&["info score 0 bestmove none"], false).best.as_deref(), Some("none"));
    }

    #[test]
    fn other_words_for_scores_and_damaged_lines() {
        assert_eq!(read(&["info score eval -20"], false).score, Some(Score::Cp(-20)));
        assert_eq!(read(&["info score win -2"], false).score, Some(Score::Mate(-2)));
        for line in [
            "info score",
            "info score cp",
            "info score cp x",
            "info depth",
            "info",
            "",
            "score cp 3",
        ] {
            assert_eq!(read(&[line], false), Answer::default(), "{line}");
        }
        assert_eq!(read(&["bestmove"], false).best.as_deref(), Some(""));
        assert_eq!(read(&["info score cp -2147483648"], true).score, Some(Score::Cp(i32::MAX)));
    }

    #[test]
    fn proved_scores_lie_beyond_every_estimate() {
        let order = [
            Score::Mate(0),
            Score::Mate(-3),
            Score::Cp(-30_000),
            Score::Cp(30_000),
            Score::Mate(9),
            Score::Mate(1),
        ];
        assert!(order.is_sorted_by_key(|s| s.hundredths()));
        let text: Vec<String> = order.iter().map(ToString::to_string).collect();
        assert_eq!(text, ["-M0", "-M3", "-300.00", "+300.00", "+M9", "+M1"]);
    }
}
