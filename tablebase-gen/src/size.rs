//! Numbers of bytes and other large numbers, read and written for people.

use std::fmt;
use std::str::FromStr;

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

/// The units that are read, and what they stand for.
const UNITS: [(&str, u64); 9] = [
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
];

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let trouble = || format!("`{text}` is no size: expected a number and a unit, such as 3GiB");
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unit = unit.trim().to_ascii_lowercase();
        let factor = match unit.as_str() {
            "" => 1,
            _ => UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(trouble)?.1,
        };
        if !number.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(trouble());
        }
        let bytes = number.parse::<f64>().map_err(|_| trouble())? * factor as f64;
        // Up to 2^63 the conversion is exact enough; larger is no size of a computer.
        if bytes < 9e18 { Ok(Self(bytes as u64)) } else { Err(trouble()) }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..10_000 => write!(f, "{} B", Grouped(self.0)),
            10_000..1_000_000 => write!(f, "{:.1} kB", bytes / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.1} MB", bytes / 1e6),
            _ => write!(f, "{:.2} GB", bytes / 1e9),
        }
    }
}

/// A number with a comma between thousands.
#[derive(Clone, Copy, Debug)]
pub struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut text = String::with_capacity(digits.len() * 4 / 3);
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        f.pad_integral(true, "", &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_either_kind_of_unit() {
        let read = |text: &str| text.parse::<Size>().map(|s| s.0);
        assert_eq!(read("3GiB"), Ok(3 << 30));
        assert_eq!(read("500MB"), Ok(500_000_000));
        assert_eq!(read("2.5 gib"), Ok(5 << 29));
        assert_eq!(read("1234"), Ok(1234));
        for text in ["", "GiB", "3 apples", "-1GB", "1.2.3MB", ".", "99999999999TB", "1e3"] {
            let error = read(text).unwrap_err();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }

    #[test]
    fn sizes_and_numbers_are_written_for_people() {
        assert_eq!(Size(999).to_string(), "999 B");
        assert_eq!(Size(123_456_789).to_string(), "123.5 MB");
        assert_eq!(Size(2_345_678_901).to_string(), "2.35 GB");
        let grouped = [0, 999, 1000, 1_234_567].map(|n| Grouped(n).to_string());
        assert_eq!(grouped, ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(format!("{:>7}", Grouped(1000)), "  1,000");
    }
}
