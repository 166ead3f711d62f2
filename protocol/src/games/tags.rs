//! Tags: `[Name "value"]`.

use std::fmt;

/// Tags that a record has in another form; `PlyCount` counts captures as plies in some files and
/// is never needed.
pub(super) const SPECIAL: [&str; 8] =
    ["Variant", "Rules", "FEN", "SetUp", "Result", "ResultReason", "Termination", "PlyCount"];

/// The tags that every game has, and what they say when nothing is known.
pub(super) const ROSTER: [(&str, &str); 6] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "-"),
    ("White", "?"),
    ("Black", "?"),
];

/// Tags in the order in which they were set. A name is there once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// None.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value of the tag with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Sets a tag; one that is there already keeps its place.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        match self.0.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => *old = value.into(),
            None => self.0.push((name.to_owned(), value.into())),
        }
    }

    /// Takes a tag out.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        let index = self.0.iter().position(|(n, _)| n == name)?;
        Some(self.0.remove(index).1)
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A tag as it is written. What would end the line or the value is escaped or left out.
pub(super) struct Written<'a>(pub(super) &'a str, pub(super) &'a str);

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name, value) = self;
        let name: String = name.chars().filter(|&c| is_name(c)).collect();
        write!(f, "[{name} \"")?;
        for c in value.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => f.write_str(" ")?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"]")
    }
}

/// Whether the name of a tag may hold it.
const fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A tag at the beginning of a text, and how many bytes it takes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) length: usize,
}

/// Reads a tag at the beginning of the rest of a line.
///
/// Some programs put names with quotes into tags without escaping them; such a tag is read when it
/// is the only one to the end of the line.
pub(super) fn read(text: &str) -> Option<Read> {
    let inner = text.strip_prefix('[')?.trim_start();
    let name_length = inner.find(|c| !is_name(c))?;
    let (name, rest) = inner.split_at_checked(name_length)?;
    let value = rest.trim_start().strip_prefix('"')?;
    if name.is_empty() {
        return None;
    }
    let (value, rest) = escaped(value).or_else(|| unescaped(value))?;
    Some(Read { name: name.to_owned(), value, length: text.len() - rest.len() })
}

/// A value up to a quote and a bracket, with `\"` and `\\` in it, and what follows.
fn escaped(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((index, c)) = chars.next() {
        match c {
            '"' => {
                let rest = text.get(index + 1..)?.trim_start();
                return Some((value, rest.strip_prefix(']')?));
            }
            '\\' => match chars.next()?.1 {
                c @ ('"' | '\\') => value.push(c),
                c => value.extend(['\\', c]),
            },
            c => value.push(c),
        }
    }
    None
}

/// A value up to the last quote of a line that ends with a tag's end.
fn unescaped(text: &str) -> Option<(String, &str)> {
    let value = text.trim_end().strip_suffix(']')?.trim_end().strip_suffix('"')?;
    Some((value.to_owned(), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for value in ["", "Human", "a \"b\" \\ c", "\\", "\"]", "[x \"y\"]", "é"] {
            let text = Written("White", value).to_string();
            let read = read(&text).unwrap();
            assert_eq!((read.value.as_str(), read.length), (value, text.len()), "{text}");
        }
        assert_eq!(Written("A", "b\nc").to_string(), "[A \"b c\"]");
    }

    #[test]
    fn several_tags_on_a_line_and_quotes_that_were_not_escaped() {
        let line = r#"[A "1"] [B "2"]"#;
        assert_eq!(read(line).unwrap().length, 7);
        let joe = read(r#"[White "Joe "the Mill" Doe"]  "#).unwrap();
        assert_eq!(joe.value, r#"Joe "the Mill" Doe"#);
        let path = read(r#"[Path "C:\games"]"#).unwrap();
        assert_eq!(path.value, r"C:\games");
    }

    #[test]
    fn damaged_tags_are_none() {
        for text in ["[", "[]", "[White]", "[White \"a]", "[White a\"]", "[ \"a\"]", "[é \"a\"]"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_is_there_once() {
        let mut tags = Tags::new();
        tags.set("A", "1");
        tags.set("B", "2");
        tags.set("A", "3");
        assert_eq!(tags.iter().collect::<Vec<_>>(), [("A", "3"), ("B", "2")]);
        assert_eq!(tags.remove("A").as_deref(), Some("3"));
        assert_eq!((tags.get("A"), tags.len()), (None, 1));
    }
}
