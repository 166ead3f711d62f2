//! Reading the `key=value` words that follow a flag.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::text::{clip, closest, hint};

/// The words of a flag, by key.
#[derive(Debug)]
pub(super) struct Keys {
    flag: &'static str,
    list: Vec<(String, String)>,
}

impl Keys {
    /// Sorts the words. `known` lists the keys there are; one that ends with a dot begins any
    /// number of keys.
    pub(super) fn read(
        flag: &'static str,
        words: &[String],
        known: &[&str],
    ) -> Result<Self, String> {
        let all = || {
            let keys: Vec<String> = known.iter().map(|key| format!("{key}=")).collect();
            format!("-{flag} takes {}", keys.join(" ").replace(".=", ".NAME="))
        };
        let mut list: Vec<(String, String)> = Vec::new();
        for word in words {
            let Some((key, value)) = word.split_once('=') else {
                return Err(format!(
                    "-{flag}: '{}' is not of the form key=value; {}",
                    clip(word),
                    all()
                ));
            };
            let is_known = known.iter().any(|k| {
                if k.ends_with('.') { key.len() > k.len() && key.starts_with(k) } else { *k == key }
            });
            if !is_known {
                let near = hint(closest(key, known.iter().copied()));
                return Err(format!("-{flag}: there is no key '{}'{near}; {}", clip(key), all()));
            }
            if list.iter().any(|(k, _)| k == key) {
                return Err(format!("-{flag}: {key}= is given twice; leave one out"));
            }
            list.push((key.to_owned(), value.to_owned()));
        }
        Ok(Self { flag, list })
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.list.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// Keys that begin so, without the beginning, and their values.
    pub(super) fn beginning(&self, prefix: &str) -> Vec<(String, String)> {
        let rest = |(key, value): &(String, String)| {
            key.strip_prefix(prefix).map(|name| (name.to_owned(), value.clone()))
        };
        self.list.iter().filter_map(rest).collect()
    }

    /// A text that must not be empty.
    pub(super) fn required(&self, key: &str) -> Result<&str, String> {
        self.text(key)
            .filter(|text| !text.is_empty())
            .ok_or_else(|| format!("-{}: {key}= is missing; give it a value", self.flag))
    }

    pub(super) fn number<T>(&self, key: &str, range: RangeInclusive<T>) -> Result<Option<T>, String>
    where
        T: FromStr + PartialOrd + Display,
    {
        let Some(text) = self.text(key) else { return Ok(None) };
        number(text, range).map(Some).map_err(|e| format!("-{}: {key}= {e}", self.flag))
    }

    /// A number that must be there.
    pub(super) fn required_number<T>(
        &self,
        key: &str,
        range: RangeInclusive<T>,
    ) -> Result<T, String>
    where
        T: FromStr + PartialOrd + Display,
    {
        self.required(key)?;
        let missing = || format!("-{}: {key}= is missing; give it a value", self.flag);
        self.number(key, range)?.ok_or_else(missing)
    }

    pub(super) fn switch(&self, key: &str) -> Result<Option<bool>, String> {
        self.choice(key, &[("true", true), ("on", true), ("false", false), ("off", false)])
    }

    pub(super) fn choice<T: Copy>(
        &self,
        key: &str,
        values: &[(&str, T)],
    ) -> Result<Option<T>, String> {
        let Some(text) = self.text(key) else { return Ok(None) };
        choice(text, values).map(Some).map_err(|e| format!("-{}: {key}= {e}", self.flag))
    }

    /// A value read by a function that says what is wrong with it.
    pub(super) fn parsed<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let Some(text) = self.text(key) else { return Ok(None) };
        parse(text).map(Some).map_err(|e| format!("-{}: {key}= {e}", self.flag))
    }
}

/// A number within a range.
pub(super) fn number<T>(text: &str, range: RangeInclusive<T>) -> Result<T, String>
where
    T: FromStr + PartialOrd + Display,
{
    text.parse().ok().filter(|n| range.contains(n)).ok_or_else(|| {
        format!("takes a number from {} to {}, not '{}'", range.start(), range.end(), clip(text))
    })
}

/// One of some words.
pub(super) fn choice<T: Copy>(text: &str, values: &[(&str, T)]) -> Result<T, String> {
    let found = values.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = values.iter().map(|&(name, _)| name).collect();
        let near = hint(closest(text, names.iter().copied()));
        format!("takes {}, not '{}'{near}", names.join(" or "), clip(text))
    })
}
