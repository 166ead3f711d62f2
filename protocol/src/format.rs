//! What a search tells, as lines of each dialect.

use std::fmt::Write;

use merel_engine::{BestTurn, Bound, Color, Info, Outcome, Score, Turn};

/// How turns, scores and results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// UCI with whole turns.
    Turn,
    /// UCI with single actions and White's view.
    Sanmill,
    /// GBGP.
    Gbgp,
}

/// Score of a game that the side asked about has won already, in hundredths. `mate` counts turns
/// to come, of which there are none.
const WON: i32 = 20_000;

/// Writes the lines of one search.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The dialect to write.
    pub dialect: Dialect,
    /// Whose turn it is.
    pub to_move: Color,
    /// Whether info lines tell the chances of win, draw and loss. GBGP never does.
    pub show_wdl: bool,
}

impl Format {
    /// An `info` line.
    #[must_use]
    pub fn info(&self, info: &Info) -> String {
        let gbgp = self.dialect == Dialect::Gbgp;
        let mut line = format!("info depth {} seldepth {}", info.depth, info.selective_depth);
        if !gbgp {
            append(&mut line, format_args!(" multipv {}", info.multi_pv));
        }
        append(&mut line, format_args!(" score {}", self.score(info.score)));
        line.push_str(match (info.bound, self.is_flipped()) {
            (Bound::Exact, _) => "",
            (Bound::Lower, false) | (Bound::Upper, true) => " lowerbound",
            (Bound::Upper, false) | (Bound::Lower, true) => " upperbound",
        });
        if self.show_wdl && !gbgp {
            let [win, draw, loss] = info.wdl;
            let (win, loss) = if self.is_flipped() { (loss, win) } else { (win, loss) };
            append(&mut line, format_args!(" wdl {win} {draw} {loss}"));
        }
        let speed = u128::from(info.nodes) * 1_000_000 / info.time.as_micros().max(1);
        append(&mut line, format_args!(" nodes {} nps {speed}", info.nodes));
        append(&mut line, format_args!(" hashfull {}", info.hash_full));
        if !gbgp {
            append(&mut line, format_args!(" tbhits {}", info.table_hits));
        }
        append(&mut line, format_args!(" time {} pv", info.time.as_millis()));
        for turn in &info.pv {
            append(&mut line, format_args!(" {}", self.turn(*turn)));
        }
        line
    }

    /// The `bestmove` line.
    #[must_use]
    pub fn best(&self, result: BestTurn) -> String {
        let turn = result.best;
        if self.dialect == Dialect::Sanmill {
            let action = turn.first_action();
            // With captures still to come, the next action is not the opponent's.
            let ponder = result.ponder.filter(|_| action == turn).map(Turn::first_action);
            return best_line(action, ponder);
        }
        best_line(turn, result.ponder)
    }

    /// The lines that answer `go` in a finished game. A draw is worth 0; the side to move that has
    /// lost is mated in 0; where it has won (possible only in a set-up) there is no turn to count
    /// to, and the score is that of a win at hand.
    #[must_use]
    pub fn finished(&self, outcome: Outcome) -> [String; 3] {
        [
            format!("info string result {outcome}"),
            format!("info depth 0 score {}", self.final_score(outcome)),
            format!("bestmove {}", self.null_move(Some(outcome))),
        ]
    }

    /// What stands for a turn when there is none: after a refusal (`None`) or in a finished game.
    #[must_use]
    pub fn null_move(&self, outcome: Option<Outcome>) -> &'static str {
        match (self.dialect, outcome) {
            (Dialect::Turn, _) => "(none)",
            (Dialect::Sanmill, Some(Outcome::Draw(_))) => "draw",
            (Dialect::Sanmill | Dialect::Gbgp, _) => "none",
        }
    }

    /// A score of the side to move in the form and from the view of the dialect.
    #[must_use]
    pub fn score(&self, score: Score) -> String {
        let score = if self.is_flipped() { score.flipped() } else { score };
        let (estimate, proved) = self.score_words();
        match (score, score.mate_turns()) {
            (_, Some(turns)) => format!("{proved} {turns}"),
            (Score::Cp(cp), None) => format!("{estimate} {cp}"),
            // Every other score is a proved one.
            (_, None) => format!("{estimate} 0"),
        }
    }

    /// The score of a finished game.
    #[must_use]
    pub fn final_score(&self, outcome: Outcome) -> String {
        let (estimate, proved) = self.score_words();
        let viewer = if self.dialect == Dialect::Sanmill { Color::White } else { self.to_move };
        match outcome {
            Outcome::Draw(_) => format!("{estimate} 0"),
            Outcome::Win { winner, .. } if winner == viewer => format!("{estimate} {WON}"),
            Outcome::Win { .. } => format!("{proved} 0"),
        }
    }

    const fn score_words(&self) -> (&'static str, &'static str) {
        match self.dialect {
            Dialect::Turn | Dialect::Sanmill => ("cp", "mate"),
            Dialect::Gbgp => ("eval", "win"),
        }
    }

    /// Whether scores are turned round: Black's, for a reader who wants White's.
    fn is_flipped(&self) -> bool {
        self.dialect == Dialect::Sanmill && self.to_move == Color::Black
    }

    /// A turn as one token, or as one token per action.
    fn turn(&self, turn: Turn) -> String {
        match (self.dialect, turn.without_captures()) {
            (Dialect::Turn | Dialect::Gbgp, _) => turn.to_string(),
            (Dialect::Sanmill, action) => {
                let mut tokens: Vec<String> = action.iter().map(ToString::to_string).collect();
                tokens.extend(turn.captures().into_iter().flatten().map(|p| format!("x{p}")));
                tokens.join(" ")
            }
        }
    }
}

fn best_line(turn: Turn, ponder: Option<Turn>) -> String {
    let ponder = ponder.map_or_else(String::new, |turn| format!(" ponder {turn}"));
    format!("bestmove {turn}{ponder}")
}

fn append(line: &mut String, part: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = line.write_fmt(part);
}

#[cfg(test)]
mod tests {
    use super::*;
    use merel_engine::{DrawReason, WinReason, parse_turn};
    use std::time::Duration;

    fn format(dialect: Dialect, to_move: Color) -> Format {
        Format { dialect, to_move, show_wdl: true }
    }

    fn info(score: Score, bound: Bound) -> Info {
        Info {
            depth: 5,
            selective_depth: 8,
            multi_pv: 1,
            score,
            bound,
            wdl: [600, 300, 100],
            nodes: 3000,
            time: Duration::from_millis(1500),
            hash_full: 12,
            table_hits: 7,
            pv: ["d6xb4", "a7-a4", "xc3"].map(|t| parse_turn(t).unwrap()).to_vec(),
        }
    }

    #[test]
    fn info_lines_have_the_fields_of_their_dialect_in_order() {
        let cp = info(Score::Cp(-31), Bound::Lower);
        assert_eq!(
            format(Dialect::Turn, Color::Black).info(&cp),
            "info depth 5 seldepth 8 multipv 1 score cp -31 lowerbound wdl 600 300 100 \
             nodes 3000 nps 2000 hashfull 12 tbhits 7 time 1500 pv d6xb4 a7-a4 xc3"
        );
        assert_eq!(
            format(Dialect::Sanmill, Color::Black).info(&cp),
            "info depth 5 seldepth 8 multipv 1 score cp 31 upperbound wdl 100 300 600 \
             nodes 3000 nps 2000 hashfull 12 tbhits 7 time 1500 pv d6 xb4 a7-a4 xc3"
        );
        assert_eq!(
            format(Dialect::Gbgp, Color::Black).info(&cp),
            "info depth 5 seldepth 8 score eval -31 lowerbound \
             nodes 3000 nps 2000 hashfull 12 time 1500 pv d6xb4 a7-a4 xc3"
        );
    }

    #[test]
    fn proved_scores_count_own_turns_and_are_turned_with_the_view() {
        for (score, turn, white) in [
            (Score::WinIn(1), "mate 1", "mate -1"),
            (Score::WinIn(3), "mate 2", "mate -2"),
            (Score::LossIn(2), "mate -1", "mate 1"),
            (Score::LossIn(0), "mate 0", "mate 0"),
        ] {
            assert_eq!(format(Dialect::Turn, Color::Black).score(score), turn);
            assert_eq!(format(Dialect::Sanmill, Color::Black).score(score), white);
            assert_eq!(format(Dialect::Sanmill, Color::White).score(score), turn);
        }
        assert_eq!(format(Dialect::Gbgp, Color::White).score(Score::LossIn(3)), "win -2");
    }

    #[test]
    fn the_best_turn_is_one_token_or_its_first_action() {
        let turn = |text| parse_turn(text).unwrap();
        let result = BestTurn { best: turn("d6xb4xc3"), ponder: Some(turn("a7xd6")) };
        let [whole, atomic] =
            [Dialect::Turn, Dialect::Sanmill].map(|d| format(d, Color::White).best(result));
        assert_eq!((&*whole, &*atomic), ("bestmove d6xb4xc3 ponder a7xd6", "bestmove d6"));
        let quiet = BestTurn { best: turn("d6"), ponder: Some(turn("a7xd6")) };
        assert_eq!(format(Dialect::Sanmill, Color::White).best(quiet), "bestmove d6 ponder a7");
        let rest = BestTurn { best: turn("xb4xc3"), ponder: None };
        assert_eq!(format(Dialect::Sanmill, Color::White).best(rest), "bestmove xb4");
    }

    #[test]
    fn a_finished_game_gives_its_result_and_no_turn() {
        let lost = Outcome::Win { winner: Color::Black, reason: WinReason::NoLegalMove };
        let drawn = Outcome::Draw(DrawReason::Repetition);
        let lines = |dialect, outcome| format(dialect, Color::White).finished(outcome).join("\n");
        assert_eq!(
            lines(Dialect::Turn, lost),
            "info string result 0-1 Black wins: White has no legal move\n\
             info depth 0 score mate 0\nbestmove (none)"
        );
        assert!(lines(Dialect::Turn, drawn).ends_with("score cp 0\nbestmove (none)"));
        assert!(lines(Dialect::Sanmill, drawn).ends_with("score cp 0\nbestmove draw"));
        assert!(lines(Dialect::Sanmill, lost).ends_with("score mate 0\nbestmove none"));
        assert!(lines(Dialect::Gbgp, lost).ends_with("score win 0\nbestmove none"));
        let won = Outcome::Win { winner: Color::White, reason: WinReason::FewerThanThree };
        assert!(lines(Dialect::Turn, won).ends_with("score cp 20000\nbestmove (none)"));
    }
}
