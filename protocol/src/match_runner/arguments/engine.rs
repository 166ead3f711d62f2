//! The engines of a match, from their keys.

use super::keys::Keys;
use crate::match_runner::config::{EngineConfig, Protocol, stem};
use crate::match_runner::time_control::{Limits, parse_move_time, parse_time_control};

const KEYS: &[&str] = &[
    "cmd",
    "name",
    "args",
    "dir",
    "proto",
    "tc",
    "st",
    "nodes",
    "depth",
    "plies",
    "timemargin",
    "restart",
    "option.",
];

/// How late an answer may come, in ms, with a time for each turn. An engine is told all of it, and
/// what it then takes to pass the answer on is no fault; from a clock it can keep something back.
const MOVE_TIME_MARGIN_MS: u64 = 20;

/// Reads the engines, two at least.
pub(super) fn read_all(
    engines: &[Vec<String>],
    each: &[String],
) -> Result<Vec<EngineConfig>, String> {
    if engines.len() < 2 {
        return Err(format!(
            "a match needs two engines, and {} given; add -engine cmd=PROGRAM for each",
            if engines.is_empty() { "none is".to_owned() } else { "only one is".to_owned() }
        ));
    }
    let mut read: Vec<EngineConfig> = Vec::new();
    for words in engines {
        let mut engine = read_one(words, each)?;
        if !engine.limits.any() {
            return Err(format!(
                "engine {}: nothing limits its thinking; give tc=, st=, nodes= or depth= with -engine or -each",
                engine.name
            ));
        }
        let is_taken = |name: &str| read.iter().any(|other| other.name == name);
        if is_taken(&engine.name) {
            if Keys::read("engine", words, KEYS)?.text("name").is_some() {
                return Err(format!("-engine: name={} is given twice; change one", engine.name));
            }
            let numbered = |n: usize| format!("{}_{n}", engine.name);
            engine.name = (2..).map(numbered).find(|name| !is_taken(name)).unwrap_or_default();
        }
        read.push(engine);
    }
    Ok(read)
}

/// Reads one engine. Its limits may be missing.
pub(super) fn read_one(words: &[String], each: &[String]) -> Result<EngineConfig, String> {
    let own = Keys::read("engine", words, KEYS)?;
    let common = Keys::read("each", each, KEYS)?;
    if common.text("name").is_some() {
        return Err("-each: name= would call all engines alike; give it with -engine".to_owned());
    }
    let with = |key: &str| if own.text(key).is_some() { &own } else { &common };
    let command = with("cmd").required("cmd")?.to_owned();
    let protocols =
        [("uci", Protocol::Uci), ("sanmill", Protocol::Sanmill), ("gbgp", Protocol::Gbgp)];
    let mut options = common.beginning("option.");
    for (name, value) in own.beginning("option.") {
        match options.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => options.push((name, value)),
        }
    }
    let name = own.text("name").map_or_else(|| stem(command.as_ref()), str::to_owned);
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err("-engine: name= is empty or holds a control character; change it".to_owned());
    }
    Ok(EngineConfig {
        name,
        arguments: split(with("args").text("args").unwrap_or_default())?,
        directory: with("dir").text("dir").map(Into::into),
        protocol: with("proto").choice("proto", &protocols)?,
        limits: limits(&own, &common)?,
        restart: with("restart").switch("restart")?.unwrap_or(false),
        options,
        command: command.into(),
    })
}

/// The limits. A clock or a time for each turn of the engine itself takes the place of either that
/// is for all.
fn limits(own: &Keys, common: &Keys) -> Result<Limits, String> {
    let timed = |keys: &Keys| keys.text("tc").is_some() || keys.text("st").is_some();
    let time = if timed(own) { own } else { common };
    let with = |key: &str| if own.text(key).is_some() { own } else { common };
    let move_ms = time.parsed("st", parse_move_time)?;
    let default_margin = if move_ms.is_some() { MOVE_TIME_MARGIN_MS } else { 0 };
    let limits = Limits {
        clock: time.parsed("tc", parse_time_control)?,
        move_ms,
        nodes: with("nodes").number("nodes", 1..=u64::MAX)?,
        depth: depth(own, common)?,
        margin_ms: with("timemargin")
            .number("timemargin", 0..=3_600_000)?
            .unwrap_or(default_margin),
    };
    if limits.clock.is_some() && limits.move_ms.is_some() {
        return Err("tc= and st= are given together; leave one out".to_owned());
    }
    Ok(limits)
}

/// The depth, which fastchess's manual calls `plies`.
fn depth(own: &Keys, common: &Keys) -> Result<Option<u32>, String> {
    for keys in [own, common] {
        let (depth, plies) = (keys.number("depth", 1..=1000)?, keys.number("plies", 1..=1000)?);
        if depth.is_some() && plies.is_some() {
            return Err("depth= and plies= are the same; leave one out".to_owned());
        }
        if depth.or(plies).is_some() {
            return Ok(depth.or(plies));
        }
    }
    Ok(None)
}

/// Splits arguments at spaces, except within quotes.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("-engine: args= has a quote that is not closed; close it".to_owned());
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split_outside_quotes() {
        assert_eq!(split("a  b 'c d' \"e 'f\" ''").unwrap(), ["a", "b", "c d", "e 'f", ""]);
        assert!(split("a 'b").unwrap_err().contains("quote"));
    }
}
