//! An analysed game as JSON: one object on one line. README.md describes it.

use merel_engine::tablebase::Value;
use merel_engine::{Color, Score, Turn};
use serde::{Serialize, Serializer};

use super::assess::{Judged, Mark, Tally};
use super::worth::{Length, Worth};
use crate::games::{Record, Tags, Termination, rules_text};

/// A game of a file and its turns, judged.
pub(super) struct Game<'a> {
    /// Number of the game in the file, from 1.
    pub(super) number: usize,
    /// The line of the file, from 1, in which it begins.
    pub(super) line: usize,
    pub(super) record: &'a Record,
    pub(super) judged: &'a [Judged],
}

impl Game<'_> {
    /// The move number of a turn, and who makes it.
    pub(super) fn numbered(&self, ply: usize) -> (usize, Color) {
        let start = self.record.start();
        let plies = ply + start.to_move().index();
        let side = if plies.is_multiple_of(2) { Color::White } else { Color::Black };
        (usize::from(start.fullmove()) + plies / 2, side)
    }

    /// The sums of a player.
    pub(super) fn tally(&self, side: Color) -> Tally {
        Tally::of(self.judged.iter().filter(|judged| self.numbered(judged.ply).1 == side))
    }
}

#[derive(Serialize)]
struct GameJson<'a> {
    game: usize,
    line: usize,
    #[serde(serialize_with = "tags")]
    tags: &'a Tags,
    rules: String,
    fen: String,
    result: &'static str,
    reason: Option<&'a str>,
    termination: Option<&'a str>,
    turns: Vec<TurnJson>,
    summary: SummaryJson,
}

#[derive(Serialize)]
struct TurnJson {
    number: usize,
    side: &'static str,
    turn: String,
    before: WorthJson,
    after: WorthJson,
    best: String,
    line: Vec<String>,
    loss: f64,
    keeps: bool,
    mark: Option<&'static str>,
}

#[derive(Serialize)]
struct WorthJson {
    exact: bool,
    wdl: Option<i8>,
    dtw: Option<u32>,
    dtw_at_most: Option<u32>,
    cp: Option<i32>,
    mate: Option<i32>,
    chance: f64,
}

#[derive(Serialize)]
struct SummaryJson {
    white: TallyJson,
    black: TallyJson,
}

#[derive(Serialize)]
struct TallyJson {
    turns: u32,
    blunders: u32,
    mistakes: u32,
    inaccuracies: u32,
    average_loss: Option<f64>,
    keeps_share: Option<f64>,
}

/// A game with its turns, or only the bad ones, on a line.
///
/// # Errors
/// When it is too large for the memory.
pub(super) fn game(game: &Game<'_>, only_bad: bool) -> serde_json::Result<String> {
    let record = game.record;
    let turns = game.judged.iter().filter(|judged| !only_bad || judged.is_bad());
    let object = GameJson {
        game: game.number,
        line: game.line,
        tags: &record.tags,
        rules: rules_text(record.rules()),
        fen: record.start().fen(),
        result: record.result.text(),
        reason: record.reason.as_deref(),
        termination: record.termination.as_ref().map(Termination::text),
        turns: turns.map(|judged| turn(game, judged)).collect(),
        summary: SummaryJson {
            white: tally(&game.tally(Color::White)),
            black: tally(&game.tally(Color::Black)),
        },
    };
    let mut text = serde_json::to_string(&object)?;
    text.push('\n');
    Ok(text)
}

fn turn(game: &Game<'_>, judged: &Judged) -> TurnJson {
    let (number, side) = game.numbered(judged.ply);
    TurnJson {
        number,
        side: match side {
            Color::White => "white",
            Color::Black => "black",
        },
        turn: judged.turn.to_string(),
        before: worth(judged.before),
        after: worth(judged.after),
        best: judged.best().to_string(),
        line: judged.line.iter().map(Turn::to_string).collect(),
        loss: part_of_win(judged.loss()),
        keeps: judged.keeps_value(),
        mark: judged.mark().map(Mark::symbol),
    }
}

fn worth(worth: Worth) -> WorthJson {
    let (wdl, length, score) = match worth {
        Worth::Exact(Value::Win, length) => (Some(1), length, None),
        Worth::Exact(Value::Draw, length) => (Some(0), length, None),
        Worth::Exact(Value::Loss, length) => (Some(-1), length, None),
        Worth::Estimate(score, _) => (None, None, Some(score)),
    };
    WorthJson {
        exact: wdl.is_some(),
        wdl,
        dtw: match length {
            Some(Length::Exactly(plies)) => Some(plies),
            _ => None,
        },
        dtw_at_most: match length {
            Some(Length::AtMost(plies)) => Some(plies),
            _ => None,
        },
        cp: match score {
            Some(Score::Cp(cp)) => Some(cp),
            _ => None,
        },
        mate: score.and_then(Score::mate_turns),
        chance: part_of_win(worth.points()),
    }
}

fn part_of_win(points: u32) -> f64 {
    f64::from(points) / f64::from(Worth::WIN_POINTS)
}

fn tally(tally: &Tally) -> TallyJson {
    // Four digits are more than an estimate has.
    let rounded = |number: f64| (number * 10_000.0).round() / 10_000.0;
    TallyJson {
        turns: tally.turns,
        blunders: tally.blunders,
        mistakes: tally.mistakes,
        inaccuracies: tally.inaccuracies,
        average_loss: tally.average_loss().map(rounded),
        keeps_share: tally.best_share().map(rounded),
    }
}

fn tags<S: Serializer>(tags: &&Tags, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(tags.iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use merel_engine::{Position, Rules, parse_turn};
    use serde_json::{Value as Json, json};

    #[test]
    fn worths_have_what_is_known_and_null_for_the_rest() {
        let of = |w| serde_json::to_value(worth(w)).unwrap();
        let nothing = json!({"exact": false, "wdl": null, "dtw": null, "dtw_at_most": null,
            "cp": null, "mate": null, "chance": 0.0});
        for (worth, known) in [
            (
                Worth::Exact(Value::Win, Some(Length::Exactly(5))),
                json!({"exact": true, "wdl": 1, "dtw": 5, "chance": 1.0}),
            ),
            (
                Worth::Exact(Value::Loss, Some(Length::AtMost(6))),
                json!({"exact": true, "wdl": -1, "dtw_at_most": 6}),
            ),
            (Worth::Exact(Value::Loss, None), json!({"exact": true, "wdl": -1})),
            (Worth::DRAW, json!({"exact": true, "wdl": 0, "chance": 0.5})),
            (Worth::Estimate(Score::Cp(-35), [50, 700, 250]), json!({"cp": -35, "chance": 0.4})),
            (Worth::Estimate(Score::LossIn(4), [0, 0, 1000]), json!({"mate": -2})),
        ] {
            let mut expected = nothing.clone();
            for (name, value) in known.as_object().unwrap() {
                expected[name] = value.clone();
            }
            assert_eq!(of(worth), expected);
        }
    }

    #[test]
    fn a_game_is_one_line_with_its_tags_in_order() {
        let turns = ["d2", "d6"].map(|turn| parse_turn(turn).unwrap());
        let mut record = Record::played(Position::start(Rules::default()), turns);
        record.tags.set("White", "b \"q\"\n");
        record.tags.set("Event", "a");
        let text = game(&Game { number: 3, line: 9, record: &record, judged: &[] }, false).unwrap();
        assert!(text.contains(r#""tags":{"White":"b \"q\"\n","Event":"a"}"#), "{text}");
        assert_eq!(text.find('\n'), Some(text.len() - 1));
        let read: Json = serde_json::from_str(&text).unwrap();
        assert_eq!((&read["game"], &read["line"]), (&json!(3), &json!(9)));
        assert_eq!((&read["rules"], &read["result"]), (&json!("standard"), &json!("*")));
        assert_eq!(read["summary"]["black"]["average_loss"], Json::Null);
    }
}
