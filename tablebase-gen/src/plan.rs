//! What is to be made, and what that takes.

use std::io::{self, Write};

use merel_engine::DoubleMill;
use merel_engine::tablebase::{Pair, Sector};
use serde::Serialize;

use crate::cli::Phase;
use crate::need;
use crate::size::{Grouped, Size};

/// The tables that are asked for and all they depend on, in the order in which they can be made:
/// first the pairs of the moving phase, then the sectors with stones in hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Of the moving phase.
    pub pairs: Vec<Pair>,
    /// With stones in hand.
    pub placing: Vec<Sector>,
}

impl Wanted {
    /// Those of the sectors named and those of the moving phase of up to `max_stones` stones; when
    /// neither is given, those of a phase.
    pub fn new(
        sectors: &[Sector],
        max_stones: Option<u8>,
        phase: Phase,
        double_mill: DoubleMill,
    ) -> Self {
        let all = sectors.is_empty() && max_stones.is_none();
        let mut placing: Vec<Sector> = sectors.iter().copied().filter(|s| s.is_placing()).collect();
        if all && phase.is_placing() {
            placing = Sector::all_placing(double_mill);
        }
        let mut moving: Vec<Pair> =
            sectors.iter().filter(|s| !s.is_placing()).map(|s| s.pair()).collect();
        let mut i = 0;
        while i < placing.len() {
            for next in placing[i].successors() {
                if !next.is_placing() {
                    moving.push(next.pair());
                } else if !placing.contains(&next) {
                    placing.push(next);
                }
            }
            i += 1;
        }
        placing.sort_by_key(|&sector| need::making_order(sector));
        placing.dedup();
        let asked = |pair: &Pair| {
            all && phase == Phase::Moving
                || moving.contains(pair)
                || max_stones.is_some_and(|n| pair.total() <= n)
        };
        let mut pairs: Vec<Pair> = Vec::new();
        // The larger first: what they depend on comes later in this order.
        for pair in Pair::all().into_iter().rev() {
            if asked(&pair) || pairs.iter().any(|p| p.after_capture().any(|next| next == pair)) {
                pairs.push(pair);
            }
        }
        pairs.reverse();
        Self { pairs, placing }
    }

    /// How many table files (pairs and sectors) are wanted.
    pub fn len(&self) -> usize {
        self.pairs.len() + self.placing.len()
    }
}

/// The most disk that is taken at any one time by the tables and the values kept between them.
pub fn most_disk(wanted: &Wanted) -> Size {
    let mut kept: Vec<Sector> = Vec::new();
    let (mut tables, mut most) = (0, 0);
    for &pair in &wanted.pairs {
        let needed = |s: &Sector| {
            need::before_capture(*s).is_some_and(|before| wanted.pairs.contains(&before.pair()))
        };
        kept.extend(pair.sectors().filter(needed));
        tables += need::tables(pair).0;
        most = most.max(tables + kept.iter().map(|&s| need::scratch(s).0).sum::<u64>());
        kept.retain(|s| need::before_capture(*s).is_some_and(|before| before.pair() != pair));
    }
    // A ply of the placing phase and the one after it, the moving phase being one of them.
    let settled: u64 = if wanted.placing.is_empty() {
        0
    } else {
        let sectors = wanted.pairs.iter().flat_map(|pair| pair.sectors());
        sectors.map(|s| need::packed(s).0).sum()
    };
    let mut plies: Vec<(u8, u64)> = vec![(0, settled)];
    for &sector in &wanted.placing {
        tables += need::placing_table(sector).0;
        let ply = sector.hands().iter().sum();
        match plies.last_mut() {
            Some((last, sum)) if *last == ply => *sum += need::packed(sector).0,
            _ => plies.push((ply, need::packed(sector).0)),
        }
    }
    let two = plies.windows(2).map(|two| two[0].1 + two[1].1).max().unwrap_or(0);
    Size(most.max(tables + two))
}

/// Something of the plan that makes a table file of each kind.
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
    fn pair(pair: Pair) -> Self {
        Self {
            sectors: pair.sectors().map(|s| s.to_string()).collect(),
            depends_on: pair.after_capture().map(|p| p.to_string()).collect(),
            positions: need::positions(pair),
            memory_bytes: need::memory(pair).0,
            disk_bytes: need::tables(pair).0,
            scratch_bytes: pair.sectors().map(|s| need::scratch(s).0).sum(),
        }
    }

    fn placing(sector: Sector) -> Self {
        Self {
            sectors: vec![sector.to_string()],
            depends_on: sector.successors().map(|s| s.to_string()).collect(),
            positions: sector.pair().len() as u64,
            memory_bytes: need::placing(sector).0,
            disk_bytes: need::placing_table(sector).0,
            scratch_bytes: need::packed(sector).0,
        }
    }
}

/// Prints the plan.
pub fn print(out: &mut impl Write, wanted: &Wanted, json: bool) -> io::Result<()> {
    let pairs = wanted.pairs.iter().copied().map(Entry::pair);
    let entries: Vec<Entry> =
        pairs.chain(wanted.placing.iter().copied().map(Entry::placing)).collect();
    if json {
        serde_json::to_writer(&mut *out, &entries)?;
        return writeln!(out);
    }
    writeln!(
        out,
        "{:<11}  {:>13}  {:>9}  {:>9}  {:>9}  after",
        "sectors", "positions", "memory", "tables", "scratch"
    )?;
    for entry in &entries {
        writeln!(
            out,
            "{:<11}  {:>13}  {:>9}  {:>9}  {:>9}  {}",
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
        most_disk(wanted),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(sectors: &[&str], max_stones: Option<u8>, phase: Phase) -> Wanted {
        let sectors: Vec<Sector> = sectors.iter().map(|s| s.parse().unwrap()).collect();
        Wanted::new(&sectors, max_stones, phase, DoubleMill::One)
    }

    fn names(sectors: &[&str], max_stones: Option<u8>) -> Vec<String> {
        wanted(sectors, max_stones, Phase::Moving).pairs.iter().map(Pair::to_string).collect()
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
    fn a_sector_with_stones_in_hand_comes_after_those_that_its_turns_lead_to() {
        let wanted = wanted(&["2-3+1-1"], None, Phase::Moving);
        let names: Vec<String> = wanted.placing.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["2-3+1-0", "3-3+1-0", "2-3+1-1"]);
        let names: Vec<String> = wanted.pairs.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["3-3", "4-3"]);
    }

    #[test]
    fn the_whole_game_is_269_sectors_with_stones_in_hand_and_all_of_the_moving_phase() {
        let wanted = wanted(&[], None, Phase::All);
        assert_eq!((wanted.pairs.len(), wanted.placing.len()), (28, 269));
        assert_eq!(wanted.placing.last(), Some(&Sector::start(DoubleMill::One)));
    }

    #[test]
    fn everything_fits_on_a_small_disk() {
        let most = most_disk(&wanted(&[], None, Phase::All));
        assert!(most < Size(8_000_000_000), "{most}");
    }
}
