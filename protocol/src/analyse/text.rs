//! An analysed game for people to read.

use std::fmt::Write as _;

use merel_engine::tablebase::Value;
use merel_engine::{Color, Turn};

use super::assess::{Judged, Mark, Tally};
use super::json::Game;
use super::worth::{Length, Worth};
use crate::games::{rules_text, score_text};

/// A game with its turns, or only the bad ones, and the sums of both players.
pub(super) fn game(game: &Game<'_>, only_bad: bool) -> String {
    let mut text = head(game);
    for judged in game.judged.iter().filter(|judged| !only_bad || judged.is_bad()) {
        text.push_str(&turn(game, judged));
        text.push('\n');
    }
    for side in Color::ALL {
        append(&mut text, format_args!("{side}: {}\n", sums(&game.tally(side))));
    }
    text.push('\n');
    text
}

fn head(game: &Game<'_>) -> String {
    let record = game.record;
    let name = |tag| printable(record.tags.get(tag).unwrap_or("?"));
    let reason =
        record.reason.as_deref().map_or_else(String::new, |r| format!(" {}", printable(r)));
    let mut text = format!(
        "game {}, line {}: {} - {}, rules {}, {} turns, {}{reason}\n",
        game.number,
        game.line,
        name("White"),
        name("Black"),
        rules_text(record.rules()),
        record.turns().len(),
        record.result,
    );
    if !record.is_from_start() {
        append(&mut text, format_args!("from {}\n", record.start().fen()));
    }
    text
}

/// A line of the list: the turn with its mark, the worth of the position and of the turn, and best
/// play where the turn is another.
fn turn(game: &Game<'_>, judged: &Judged) -> String {
    let (number, side) = game.numbered(judged.ply);
    let dots = if side == Color::White { "." } else { "..." };
    let best = if judged.best() == judged.turn {
        String::new()
    } else {
        let line: Vec<String> = judged.line.iter().map(Turn::to_string).collect();
        format!("best {}", line.join(" "))
    };
    let line = format!(
        "{:<7}{:<12}{:<4}{:<16}{:<16}{best}",
        format!("{number}{dots}"),
        judged.turn.to_string(),
        judged.mark().map_or("", Mark::symbol),
        worth(judged.before),
        worth(judged.after),
    );
    line.trim_end().to_owned()
}

/// `win in 5` where it is proved; else the score and the points to expect in a hundred games.
fn worth(worth: Worth) -> String {
    let (value, length) = match worth {
        Worth::Estimate(score, _) => {
            return format!("{} {}%", score_text(score), (worth.points() + 10) / 20);
        }
        Worth::Exact(Value::Draw, _) => return "draw".to_owned(),
        Worth::Exact(Value::Win, length) => ("win", length),
        Worth::Exact(Value::Loss, length) => ("loss", length),
    };
    match length {
        Some(Length::Exactly(plies)) => format!("{value} in {plies}"),
        Some(Length::AtMost(plies)) => format!("{value} within {plies}"),
        None => value.to_owned(),
    }
}

fn sums(tally: &Tally) -> String {
    let counted = |count: u32, one: &str, more: &str| {
        format!("{count} {}", if count == 1 { one } else { more })
    };
    let mut text = counted(tally.turns, "turn", "turns");
    if let (Some(loss), Some(share)) = (tally.average_loss(), tally.best_share()) {
        append(
            &mut text,
            format_args!(
                ", {}, {}, {}; {:.1}% lost per turn, {:.0}% of turns keep the value",
                counted(tally.blunders, "blunder", "blunders"),
                counted(tally.mistakes, "mistake", "mistakes"),
                counted(tally.inaccuracies, "inaccuracy", "inaccuracies"),
                100.0 * loss,
                100.0 * share,
            ),
        );
    }
    text
}

/// Text of a file without what a terminal might obey.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn append(text: &mut String, part: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(part);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Record;
    use merel_engine::{Position, Rules, Score, parse_turn};

    #[test]
    fn worths_tell_what_is_proved_from_what_is_not() {
        let exact = Worth::Exact;
        for (of, text) in [
            (exact(Value::Win, Some(Length::Exactly(5))), "win in 5"),
            (exact(Value::Loss, Some(Length::AtMost(12))), "loss within 12"),
            (exact(Value::Win, None), "win"),
            (Worth::DRAW, "draw"),
            (Worth::Estimate(Score::Cp(-35), [50, 700, 250]), "-0.35 40%"),
            (Worth::Estimate(Score::WinIn(9), [1000, 0, 0]), "+M5 100%"),
        ] {
            assert_eq!(worth(of), text);
        }
    }

    #[test]
    fn a_game_is_a_head_a_line_for_each_turn_and_sums() {
        let turns = ["d2", "d6", "f4"].map(|turn| parse_turn(turn).unwrap());
        let mut record = Record::played(Position::start(Rules::default()), turns);
        record.tags.set("White", "a\u{1b}[2Jb");
        let estimate = |cp, wdl| Worth::Estimate(Score::Cp(cp), wdl);
        let judged = [
            (estimate(1, [100, 820, 80]), estimate(1, [100, 820, 80]), "d2"),
            (estimate(-1, [80, 820, 100]), Worth::Exact(Value::Loss, None), "f6"),
            (Worth::Exact(Value::Win, None), Worth::Exact(Value::Win, None), "f4"),
        ];
        let judged: Vec<Judged> = judged
            .into_iter()
            .zip(turns)
            .enumerate()
            .map(|(ply, ((before, after, best), turn))| Judged {
                ply,
                turn,
                before,
                after,
                line: vec![parse_turn(best).unwrap()],
                only: false,
            })
            .collect();
        let analysed = Game { number: 2, line: 7, record: &record, judged: &judged };
        assert_eq!(
            game(&analysed, false),
            "game 2, line 7: a [2Jb - ?, rules standard, 3 turns, *\n\
             1.     d2              +0.01 51%       +0.01 51%\n\
             1...   d6          ?   -0.01 49%       loss            best f6\n\
             2.     f4              win             win\n\
             White: 2 turns, 0 blunders, 0 mistakes, 0 inaccuracies; 0.0% lost per turn, 100% of \
             turns keep the value\n\
             Black: 1 turn, 0 blunders, 1 mistake, 0 inaccuracies; 49.0% lost per turn, 0% of \
             turns keep the value\n\n"
        );
        assert_eq!(game(&analysed, true).lines().count(), 5);
    }
}
