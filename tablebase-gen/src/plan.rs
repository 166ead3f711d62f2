//! What is to be made, and what that takes.

use std::io::{self, Write};

use merel_engine::tablebase::{Pair, Sector};
use serde::Serialize;

use crate::need;
use crate::size::{Grouped, Size};

/// The pairs that are asked for, in the order in which they can be made: those of the sectors
/// named, those of up to `max_stones` stones (all when neither is given), and all they depend on.
pub fn pairs(sectors: &[Sector], max_stones: Option<u8>) -> Vec<Pair> {
    let named = |pair: Pair| sectors.iter().any(|s| s.pair() == pair);
    let all = sectors.is_empty() && max_stones.is_none();
    let asked = |pair: Pair| all || named(pair) || max_stones.is_some_and(|n| pair.total() <= n);
    let mut pairs: Vec<Pair> = Vec::new();
    // The larger first: what they depend on comes later in this order.
    for pair in Pair::all().into_iter().rev() {
        if asked(pair) || pairs.iter().any(|p| p.after_capture().any(|next| next == pair)) {
            pairs.push(pair);
        }
    }
    pairs.reverse();
    pairs
}

/// The most disk that is taken at any one time by the tables of these pairs and the values kept
/// between them.
pub fn most_disk(pairs: &[Pair]) -> Size {
    let mut kept: Vec<Sector> = Vec::new();
    let (mut tables, mut most) = (0, 0);
    for &pair in pairs {
        let needed = |s: &Sector| {
            need::before_capture(*s).is_some_and(|before| pairs.contains(&before.pair()))
        };
        kept.extend(pair.sectors().filter(needed));
        tables += need::tables(pair).0;
        most = most.max(tables + kept.iter().map(|&s| need::scratch(s).0).sum::<u64>());
        kept.retain(|s| need::before_capture(*s).is_some_and(|before| before.pair() != pair));
    }
    Size(most)
}

/// A pair of the plan.
#[derive(Serialize)]
struct Entry {
    sectors: Vec<String>,
    depends_on: Vec<String>,
    positions: u64,
    memory_bytes: u64,
    disk_bytes: u64,
    scratch_bytes: u64,
}

impl Entry {
    fn new(pair: Pair) -> Self {
        Self {
            sectors: pair.sectors().map(|s| s.to_string()).collect(),
            depends_on: pair.after_capture().map(|p| p.to_string()).collect(),
            positions: need::positions(pair),
            memory_bytes: need::memory(pair).0,
            disk_bytes: need::tables(pair).0,
            scratch_bytes: pair.sectors().map(|s| need::scratch(s).0).sum(),
        }
    }
}

/// Prints the plan.
pub fn print(out: &mut impl Write, pairs: &[Pair], json: bool) -> io::Result<()> {
    let entries: Vec<Entry> = pairs.iter().copied().map(Entry::new).collect();
    if json {
        serde_json::to_writer(&mut *out, &entries)?;
        return writeln!(out);
    }
    writeln!(
        out,
        "{:<9}  {:>13}  {:>9}  {:>9}  {:>9}  after",
        "sectors", "positions", "memory", "tables", "scratch"
    )?;
    for entry in &entries {
        writeln!(
            out,
            "{:<9}  {:>13}  {:>9}  {:>9}  {:>9}  {}",
            entry.sectors.join(" "),
            Grouped(entry.positions),
            Size(entry.memory_bytes).to_string(),
            Size(entry.disk_bytes).to_string(),
            Size(entry.scratch_bytes).to_string(),
            if entry.depends_on.is_empty() { "-".into() } else { entry.depends_on.join(" ") },
        )?;
    }
    let sum = |of: fn(&Entry) -> u64| entries.iter().map(of).sum::<u64>();
    let sectors: usize = entries.iter().map(|e| e.sectors.len()).sum();
    writeln!(
        out,
        "{sectors} sectors, {} positions; memory {} at most; tables about {}, with scratch files \
         at most about {} of disk",
        Grouped(sum(|e| e.positions)),
        Size(entries.iter().map(|e| e.memory_bytes).max().unwrap_or(0)),
        Size(sum(|e| e.disk_bytes)),
        most_disk(pairs),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(sectors: &[&str], max_stones: Option<u8>) -> Vec<String> {
        let sectors: Vec<Sector> = sectors.iter().map(|s| s.parse().unwrap()).collect();
        pairs(&sectors, max_stones).iter().map(Pair::to_string).collect()
    }

    #[test]
    fn a_plan_holds_all_that_a_sector_depends_on_and_no_more() {
        assert_eq!(names(&["3-3"], None), ["3-3"]);
        assert_eq!(names(&["3-4"], None), ["3-3", "4-3"]);
        assert_eq!(names(&["5-4"], None), ["3-3", "4-3", "4-4", "5-3", "5-4"]);
        assert_eq!(names(&["5-3"], Some(7)), ["3-3", "4-3", "5-3"]);
        assert_eq!(names(&[], None).len(), 28);
    }

    #[test]
    fn everything_fits_on_a_small_disk() {
        let all = Pair::all();
        assert!(most_disk(&all) < Size(8_000_000_000), "{}", most_disk(&all));
    }
}
