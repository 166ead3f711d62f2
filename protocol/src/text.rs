//! Small helpers for text that comes from outside.

use std::path::Path;

/// The beginning of a text, made printable, so that an error line stays one short line whatever
/// was sent.
pub(crate) fn clip(text: &str) -> String {
    const LENGTH: usize = 40;
    let mut clipped: String = text.chars().take(LENGTH).flat_map(char::escape_debug).collect();
    if text.chars().nth(LENGTH).is_some() {
        clipped.push('…');
    }
    clipped
}

/// The end of a path, made printable: which file it is stands there, and is never cut off.
pub(crate) fn clip_path(path: &Path) -> String {
    const LENGTH: usize = 200;
    let path = path.display().to_string();
    let over = path.chars().count().saturating_sub(LENGTH);
    let mut clipped = String::from(if over > 0 { "…" } else { "" });
    for c in path.chars().skip(over) {
        if c.is_control() {
            clipped.extend(c.escape_debug());
        } else {
            clipped.push(c);
        }
    }
    clipped
}

/// The one of `names` that `word` is most likely a misspelling of, if any is close.
pub(crate) fn closest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nothing that long is a slip of the finger.
    if word.len() > 64 {
        return None;
    }
    let word = folded(word);
    names
        .into_iter()
        .map(|name| (distance(&word, &folded(name)), name))
        .filter(|&(distance, name)| distance <= name.len().div_ceil(4).min(2))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// `; did you mean 'x'?`, or nothing.
pub(crate) fn hint(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"))
}

/// The name in the form in which names are compared: lower case, without spaces and underscores.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace() && *c != '_').flat_map(char::to_lowercase).collect()
}

/// Levenshtein distance: single characters to insert, delete or replace.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (above, to) in row.iter().skip(1).zip(b.chars()) {
            left = (left + 1).min(above + 1).min(diagonal + usize::from(from != to));
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_levenshtein() {
        for (a, b, expected) in
            [("", "", 0), ("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("ab", "ba", 2)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn only_a_close_name_is_suggested() {
        let names = ["Hash", "Threads", "Move Overhead"];
        assert_eq!(closest("thread", names), Some("Threads"));
        assert_eq!(closest("moveoverhed", names), Some("Move Overhead"));
        assert_eq!(closest("Contempt", names), None);
        assert_eq!(closest(&"x".repeat(1000), names), None);
    }

    #[test]
    fn clipped_text_is_printable_and_short() {
        assert_eq!(clip("a\0b\n"), "a\\0b\\n");
        assert_eq!(clip(&"é".repeat(50)).chars().count(), 41);
    }

    #[test]
    fn a_clipped_path_keeps_its_end() {
        let clipped = |path: &str| clip_path(Path::new(path));
        assert_eq!(clipped("/a folder/für\t/3-3.wdl"), "/a folder/für\\t/3-3.wdl");
        let long = clipped(&format!("/{}/3-3.wdl", "é".repeat(500)));
        assert!(long.starts_with("…é") && long.ends_with("é/3-3.wdl"));
        assert_eq!(long.chars().count(), 201);
    }
}
