//! The steps of the check, in order.

use std::time::Duration;

use merel_engine::{Game, Position, Rules};

use super::dialogue::{Dialogue, Found};
use crate::match_runner::wire::Dialect;

/// A thing that an engine has to do.
pub(super) struct Step {
    pub(super) what: &'static str,
    pub(super) run: fn(&mut Dialogue) -> Result<(), String>,
}

const fn step(what: &'static str, run: fn(&mut Dialogue) -> Result<(), String>) -> Step {
    Step { what, run }
}

/// All of them.
pub(super) const STEPS: &[Step] = &[
    step("greets, and ends its greeting with uciok or gbgpok", Dialogue::greet),
    step("tells its name and author", names),
    step("announces options that can be read, none twice", options),
    step("answers isready", |talk| talk.ready().map(drop)),
    step("is ready after a new game", new_game),
    step("ignores an empty line", |talk| alive_after(talk, "")),
    step("ignores a command that it does not know", |talk| alive_after(talk, "xyzzy 1 2")),
    step("finds a legal turn from the empty board", |talk| searches(talk, "", "go depth 1")),
    step("tells depth and score before bestmove", tells_score),
    step("finds a legal turn for Black", |talk| searches(talk, "d6", "go depth 2")),
    step("finds a legal turn where a mill can be closed", |talk| {
        searches(talk, "a7 b6 d7 d6", "go depth 3")
    }),
    step("reads a turn with a capture", |talk| searches(talk, "a7 b6 d7 d6 g7xb6", "go depth 2")),
    step("slides once all stones are placed", |talk| searches(talk, PLACED, "go depth 3")),
    step("answers go nodes", |talk| searches(talk, PLACED, "go nodes 1000")),
    step("keeps to go movetime", keeps_move_time),
    step("keeps to a clock", |talk| keeps_clock(talk, 1000, 50)),
    step("keeps to a short clock", |talk| keeps_clock(talk, 200, 0)),
    step("answers a clock that has run out", |talk| searches(talk, PLACED, "go wtime 1 btime 1")),
    step("keeps to a clock with one turn to go", |talk| {
        let found = search(talk, PLACED, "go wtime 500 btime 500 movestogo 1", SHORT_MS)?;
        in_time(&found, 500)
    }),
    step("keeps to its own clock alone", |talk| {
        let found = search(talk, PLACED, "go wtime 500", SHORT_MS)?;
        in_time(&found, 500)
    }),
    step("answers isready while it thinks", |talk| ready_while_thinking(talk, 1)),
    step("answers isready a hundred times while it thinks", |talk| ready_while_thinking(talk, 100)),
    step("ends its search at stop", stops),
    step("answers once when it is stopped twice", stops_once),
    step("is silent at stop when it does not think", |talk| {
        talk.send("stop")?;
        no_more_answers(talk)
    }),
    step("answers a go once", answers_once),
    step("has a principal variation that can be played", variation),
    step("gives scores from the right view", view),
    step("finds no turn in a finished game, and says so", finished),
    step("reads a position without turns", |talk| {
        let placed = *talk.position(PLACED)?.position();
        searches_alone(talk, placed)
    }),
    step("flies with three stones", |talk| {
        let three = Position::from_fen(THREE, Rules::default()).map_err(|e| e.to_string())?;
        searches_alone(talk, three)
    }),
    step("lives through a position that is none", |talk| {
        alive_after(talk, "position startpos moves a7 a7")
    }),
    step("then plays on from a good one", |talk| searches(talk, "a7", "go depth 2")),
    step("lives through an option that it does not have", |talk| {
        alive_after(talk, "setoption name xyzzy value 1")
    }),
    step("lives through a go that is none", |talk| {
        talk.send("go depth xyzzy")?;
        alive_after(talk, "stop")
    }),
    step("then thinks at a good one", |talk| searches(talk, "a7 b6", "go depth 2")),
    step("plays a game to its end", whole_game),
    step("and another after a new game", |talk| {
        new_game(talk)?;
        whole_game(talk)
    }),
    step("ends at quit, while thinking too", |talk| {
        think_for_long(talk)?;
        ends(talk, true)
    }),
    step("ends at the end of its input", |talk| ends(talk, false)),
];

/// All stones placed, no mill closed.
const PLACED: &str = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4";
/// White has lost: blocked.
const BLOCKED: &str = "d2 b2 f2 g4 a1 a4 d3 f4 c3 e3 e5 c5 g1 d1 c4 d5 e4 b4";
/// Three stones against three, White to move.
const THREE: &str = "OO******/O@*@****/**@***** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
/// A whole search of few plies takes no longer.
const SHORT_MS: u64 = 10_000;

fn names(talk: &mut Dialogue) -> Result<(), String> {
    match (&talk.name, &talk.author) {
        (Some(_), Some(_)) => Ok(()),
        (None, _) => Err("no line 'id name …' in the greeting".to_owned()),
        (_, None) => Err("no line 'id author …' in the greeting".to_owned()),
    }
}

fn options(talk: &mut Dialogue) -> Result<(), String> {
    if let Some(line) = talk.strange_options.first() {
        return Err(format!("'{line}' is not of the form 'option name N type T …'"));
    }
    let mut names: Vec<String> = talk.options.iter().map(|o| o.name.to_lowercase()).collect();
    names.sort_unstable();
    let twice = names.iter().zip(names.iter().skip(1)).find(|(a, b)| a == b);
    twice.map_or(Ok(()), |(name, _)| Err(format!("option '{name}' is announced twice")))
}

fn new_game(talk: &mut Dialogue) -> Result<(), String> {
    talk.send(talk.dialect.new_game())?;
    talk.ready().map(drop)
}

fn alive_after(talk: &mut Dialogue, line: &str) -> Result<(), String> {
    talk.send(line)?;
    talk.ready().map(drop)
}

/// Lets it search after these turns, and checks that the answer is legal.
fn search(talk: &mut Dialogue, turns: &str, go: &str, ms: u64) -> Result<Found, String> {
    let mut game = talk.position(turns)?;
    let found = talk.go(go, &game, ms)?;
    talk.play(&mut game, &found.best)?;
    Ok(found)
}

fn searches(talk: &mut Dialogue, turns: &str, go: &str) -> Result<(), String> {
    search(talk, turns, go, SHORT_MS).map(drop)
}

/// The same from a position said as such.
fn searches_alone(talk: &mut Dialogue, position: Position) -> Result<(), String> {
    let Some(mut game) = talk.position_alone(position)? else { return Ok(()) };
    let found = talk.go("go depth 2", &game, SHORT_MS)?;
    talk.play(&mut game, &found.best)
}

fn tells_score(talk: &mut Dialogue) -> Result<(), String> {
    let found = search(talk, "a7 b6", "go depth 3", SHORT_MS)?;
    match (found.answer.depth, found.answer.score) {
        (Some(_), Some(_)) => Ok(()),
        (None, _) => Err("no info line with a depth came before bestmove".to_owned()),
        (_, None) => Err("no info line with a score came before bestmove; draws and defeats cannot be adjudicated without".to_owned()),
    }
}

fn keeps_move_time(talk: &mut Dialogue) -> Result<(), String> {
    let found = search(talk, PLACED, "go movetime 200", SHORT_MS)?;
    in_time(&found, 250)
}

fn in_time(found: &Found, ms: u64) -> Result<(), String> {
    if found.time <= Duration::from_millis(ms) {
        Ok(())
    } else {
        Err(format!("bestmove came after {} ms, and {ms} were allowed", found.time.as_millis()))
    }
}

fn keeps_clock(talk: &mut Dialogue, time: u64, increment: u64) -> Result<(), String> {
    let go = format!("go wtime {time} btime {time} winc {increment} binc {increment}");
    let found = search(talk, PLACED, &go, SHORT_MS)?;
    in_time(&found, time)
}

/// Begins a search that does not end soon by itself.
fn think_for_long(talk: &mut Dialogue) -> Result<Game, String> {
    let game = talk.position(PLACED)?;
    // GBGP has no infinite search.
    talk.send(if talk.dialect == Dialect::Gbgp { "go movetime 60000" } else { "go infinite" })?;
    Ok(game)
}

fn ready_while_thinking(talk: &mut Dialogue, times: usize) -> Result<(), String> {
    let game = think_for_long(talk)?;
    let mut lines = Vec::new();
    for _ in 0..times {
        lines.extend(talk.ready()?);
    }
    let has_answered = lines.iter().any(|line| line.contains("bestmove "));
    talk.send("stop")?;
    if !has_answered {
        talk.found(&game, 2000)?;
    }
    talk.ready().map(drop)
}

fn stops(talk: &mut Dialogue) -> Result<(), String> {
    let mut game = think_for_long(talk)?;
    std::thread::sleep(Duration::from_millis(200));
    talk.send("stop")?;
    let found = talk.found(&game, 1000)?;
    talk.play(&mut game, &found.best)
}

fn stops_once(talk: &mut Dialogue) -> Result<(), String> {
    let game = think_for_long(talk)?;
    talk.send("stop")?;
    talk.send("stop")?;
    talk.found(&game, 1000)?;
    no_more_answers(talk)
}

fn answers_once(talk: &mut Dialogue) -> Result<(), String> {
    search(talk, PLACED, "go depth 2", SHORT_MS)?;
    no_more_answers(talk)
}

fn no_more_answers(talk: &mut Dialogue) -> Result<(), String> {
    let more = talk.ready()?;
    match more.iter().find(|line| line.contains("bestmove")) {
        Some(line) => Err(format!("'{line}' came unasked")),
        None => Ok(()),
    }
}

fn variation(talk: &mut Dialogue) -> Result<(), String> {
    let mut game = talk.position(PLACED)?;
    let found = talk.go("go depth 4", &game, SHORT_MS)?;
    // There need not be one.
    let line = &found.answer.line;
    if line.first().is_some_and(|first| *first != found.best) {
        return Err(format!("the pv does not begin with bestmove {}", found.best));
    }
    for token in line {
        talk.play(&mut game, token).map_err(|e| e.replacen("bestmove", "pv", 1))?;
    }
    Ok(())
}

/// After this White is to move with a mill to close and a stone more.
const WHITE_AHEAD: &str = "a7 b6 d7 d6 g7xb6 f2 g4 b4 f4 a4";
/// After this Black is, with one stone of White's gone and another mill open.
const BLACK_AHEAD: &str = "b6 a7 d6 d7 b4 g7xb6 f2 g4 e4";

fn view(talk: &mut Dialogue) -> Result<(), String> {
    for (turns, who) in [(WHITE_AHEAD, "White"), (BLACK_AHEAD, "Black")] {
        let found = search(talk, turns, "go depth 4", SHORT_MS)?;
        // No score at all fails another step.
        if found.answer.score.is_some_and(|score| score.hundredths() < 0) {
            return Err(format!(
                "{who} is to move and ahead, but its score is {}; scores are those of the side to move (in Sanmill's dialect of White)",
                found.answer.score.map_or_else(String::new, |s| s.to_string())
            ));
        }
    }
    Ok(())
}

fn finished(talk: &mut Dialogue) -> Result<(), String> {
    let game = talk.position(BLOCKED)?;
    let found = talk.go("go depth 3", &game, SHORT_MS)?;
    match found.best.as_str() {
        "(none)" | "none" | "0000" | "draw" => Ok(()),
        best => Err(format!("bestmove '{best}', but White has no legal move and has lost")),
    }
}

fn whole_game(talk: &mut Dialogue) -> Result<(), String> {
    let mut game = Game::start(Rules::default());
    let mut command = "position startpos moves".to_owned();
    // Longer than that it need not be to show that it can be played.
    for _ in 0..200 {
        if game.outcome().is_some() {
            return Ok(());
        }
        talk.begin_step();
        talk.send(command.trim_end_matches(" moves"))?;
        let found = talk.go("go depth 1", &game, SHORT_MS)?;
        talk.play(&mut game, &found.best)?;
        let separator =
            if found.best.starts_with('x') && talk.dialect != Dialect::Sanmill { "" } else { " " };
        command.push_str(separator);
        command.push_str(&found.best);
    }
    Ok(())
}

fn ends(talk: &mut Dialogue, says_quit: bool) -> Result<(), String> {
    if talk.end(says_quit, Duration::from_secs(2)) {
        Ok(())
    } else {
        Err("it still ran after 2000 ms".to_owned())
    }
}
