//! The reports, in the shape that fastchess gave them, because tools read it.

use std::fmt::Write;

use super::config::{MatchConfig, Style};
use super::results::Results;
use super::schedule::Schedule;
use super::statistics::{Decision, Estimate, Sprt, Tally, number};

/// What a report needs to know of the match.
#[derive(Clone, Debug)]
pub(super) struct Reporter<'a> {
    pub(super) config: &'a MatchConfig,
    pub(super) schedule: &'a Schedule,
    /// `threads` and `hash` of each engine, as `1t` and `16MB`; `-` where it has no such option.
    pub(super) facts: Vec<[String; 2]>,
}

/// A share of a whole in per cent, or `-` of nothing.
fn percent(part: f64, whole: f64) -> String {
    number((whole > 0.0).then(|| 100.0 * part / whole))
}

fn ratio(part: u64, other: u64) -> String {
    number((other > 0).then(|| part as f64 / other as f64))
}

/// Both, or one where they are alike.
fn joined(a: &str, b: &str) -> String {
    if a == b { a.to_owned() } else { format!("{a} - {b}") }
}

impl Reporter<'_> {
    /// The report on all results so far: a block for two engines, a table for more.
    pub(super) fn text(&self, results: &Results) -> String {
        match (self.schedule.pairings.as_slice(), results.tallies.as_slice()) {
            ([pairing], [tally]) => match self.config.style {
                Style::Fastchess => self.block(*pairing, tally),
                Style::Cutechess => self.cutechess(*pairing, tally),
            },
            _ => self.table(results),
        }
    }

    fn name(&self, engine: usize) -> &str {
        self.config.engines.get(engine).map_or("?", |e| e.name.as_str())
    }

    /// `2+0.02, 1t, 16MB, placing.epd`.
    fn conditions(&self, [a, b]: [usize; 2]) -> String {
        let limits = |i: usize| {
            self.config.engines.get(i).map_or_else(String::new, |e| e.limits.to_string())
        };
        let fact = |i: usize, which: usize| {
            self.facts.get(i).and_then(|f| f.get(which)).map_or("-", String::as_str)
        };
        let mut parts = vec![joined(&limits(a), &limits(b))];
        parts.extend((0..2).map(|which| joined(fact(a, which), fact(b, which))));
        if let Some(openings) = &self.config.openings {
            let name = openings.file.file_name().unwrap_or_default();
            parts.push(name.to_string_lossy().into_owned());
        }
        parts.join(", ")
    }

    fn block(&self, pairing: [usize; 2], tally: &Tally) -> String {
        let [a, b] = pairing;
        let pairs = self.config.counts_pairs();
        let sample = tally.sample(pairs);
        let mut text = format!(
            "Results of {} vs {} ({}):\n",
            self.name(a),
            self.name(b),
            self.conditions(pairing)
        );
        let mut line = |args: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            let _ = text.write_fmt(args);
            text.push('\n');
        };
        line(format_args!("Elo: {}, nElo: {}", sample.elo(), sample.normalized_elo()));
        let los = number(sample.likelihood_of_superiority());
        if pairs {
            let p = &tally.pairs;
            line(format_args!(
                "LOS: {los} %, DrawRatio: {} %, PairsRatio: {}",
                percent((p.wl + p.dd) as f64, p.count() as f64),
                ratio(p.wd + p.ww, p.ll + p.ld)
            ));
        } else {
            let drawn = percent(tally.draws as f64, tally.games() as f64);
            line(format_args!("LOS: {los} %, DrawRatio: {drawn} %"));
        }
        line(format_args!(
            "Games: {}, Wins: {}, Losses: {}, Draws: {}, Points: {:.1} ({} %)",
            tally.games(),
            tally.wins,
            tally.losses,
            tally.draws,
            tally.points(),
            percent(tally.points(), tally.games() as f64)
        ));
        if pairs {
            let [ll, ld, middle, wd, ww] = tally.pairs.by_points();
            line(format_args!(
                "Ptnml(0-2): [{ll}, {ld}, {middle}, {wd}, {ww}], WL/DD Ratio: {}",
                ratio(tally.pairs.wl, tally.pairs.dd)
            ));
        }
        if let Some(sprt) = &self.config.sprt {
            line(format_args!("{}", self.llr(sprt, tally)));
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// `LLR: 1.30 (44.2%) (-2.94, 2.94) [0.00, 5.00]`
    fn llr(&self, sprt: &Sprt, tally: &Tally) -> String {
        let llr = sprt.llr(tally, self.config.counts_pairs());
        let (lower, upper) = sprt.bounds();
        let share = if llr >= 0.0 { llr / upper } else { -llr / lower };
        format!(
            "LLR: {} ({:.1}%) ({lower:.2}, {upper:.2}) [{:.2}, {:.2}]",
            number(Some(llr)),
            100.0 * share,
            sprt.elo0,
            sprt.elo1
        )
    }

    /// What the test has decided, if anything yet.
    pub(super) fn decision(&self, results: &Results) -> Option<Decision> {
        let sprt = self.config.sprt.as_ref()?;
        sprt.decision(results.tallies.first()?, self.config.counts_pairs())
    }

    fn cutechess(&self, [a, b]: [usize; 2], tally: &Tally) -> String {
        let sample = tally.sample(self.config.counts_pairs());
        let Estimate { value, error } = sample.elo();
        let mut text = format!(
            "{}\nElo difference: {} +/- {}, LOS: {} %, DrawRatio: {} %",
            self.score([a, b], tally),
            number(value),
            number(error),
            number(sample.likelihood_of_superiority()),
            percent(tally.draws as f64, tally.games() as f64)
        );
        if let Some(sprt) = &self.config.sprt {
            let llr = sprt.llr(tally, self.config.counts_pairs());
            let (lower, upper) = sprt.bounds();
            let share = if llr >= 0.0 { llr / upper } else { -llr / lower };
            let _ = write!(
                text,
                "\nSPRT: llr {} ({:.1}%), lbound {lower:.2}, ubound {upper:.2}",
                number(Some(llr)),
                100.0 * share
            );
        }
        text
    }

    /// `Score of a vs b: 1 - 2 - 3  [0.417] 6`: won, lost, drawn.
    pub(super) fn score(&self, [a, b]: [usize; 2], tally: &Tally) -> String {
        let games = tally.games();
        let share = if games == 0 {
            "-".to_owned()
        } else {
            format!("{:.3}", tally.points() / games as f64)
        };
        format!(
            "Score of {} vs {}: {} - {} - {}  [{share}] {games}",
            self.name(a),
            self.name(b),
            tally.wins,
            tally.losses,
            tally.draws
        )
    }

    fn table(&self, results: &Results) -> String {
        let pairs = self.config.counts_pairs();
        let mut rows: Vec<(f64, Vec<String>)> = (0..self.config.engines.len())
            .map(|engine| {
                let tally = results.of_engine(self.schedule, engine);
                let sample = tally.sample(pairs);
                let (elo, normalized) = (sample.elo(), sample.normalized_elo());
                let games = tally.games() as f64;
                let share = if games > 0.0 { tally.points() / games } else { 0.0 };
                let drawn = if pairs {
                    percent((tally.pairs.wl + tally.pairs.dd) as f64, tally.pairs.count() as f64)
                } else {
                    percent(tally.draws as f64, games)
                };
                let mut row = vec![
                    self.name(engine).to_owned(),
                    number(elo.value),
                    number(elo.error),
                    number(normalized.value),
                    number(normalized.error),
                    tally.games().to_string(),
                    format!("{}%", percent(tally.points(), games)),
                    format!("{drawn}%"),
                ];
                if pairs {
                    row.push(format!("{:?}", tally.pairs.by_points()));
                }
                (share, row)
            })
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut heads = vec!["Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw"];
        if pairs {
            heads.push("Ptnml(0-2)");
        }
        let heads = heads.into_iter().map(str::to_owned).collect();
        let numbered = rows.into_iter().enumerate().map(|(rank, (_, row))| {
            std::iter::once((rank + 1).to_string()).chain(row).collect::<Vec<_>>()
        });
        aligned(&std::iter::once(heads).chain(numbered).collect::<Vec<_>>())
    }
}

/// Rows with columns of even width; names to the left, numbers to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let width = width(column);
            if column == 1 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::arguments::{Request, read_words};
    use super::super::statistics::Pairs;
    use super::*;

    fn config(words: &str) -> MatchConfig {
        match read_words(&words.split(' ').collect::<Vec<_>>()) {
            Ok(Request::Match(config)) => *config,
            other => panic!("{other:?}"),
        }
    }

    fn text(words: &str, tallies: Vec<Tally>) -> String {
        let config = config(words);
        let schedule = Schedule::new(&config);
        let facts = vec![["1t".to_owned(), "16MB".to_owned()]; config.engines.len()];
        let reporter = Reporter { config: &config, schedule: &schedule, facts };
        let mut results = Results::new(schedule.pairings.len(), config.engines.len());
        results.tallies = tallies;
        reporter.text(&results)
    }

    const TWO: &str = "-engine cmd=a name=merel-a -engine cmd=b name=merel-b -each tc=2+0.02 \
                       -openings file=x/placing.epd";

    fn sample() -> Tally {
        let pairs = Pairs { ll: 34, ld: 54, wl: 31, dd: 32, wd: 64, ww: 75 };
        Tally { wins: 245, losses: 153, draws: 182, pairs }
    }

    #[test]
    fn the_block_is_that_of_fastchess() {
        let words = format!("{TWO} -sprt elo0=0 elo1=5");
        assert_eq!(
            text(&words, vec![sample()]),
            "Results of merel-a vs merel-b (2+0.02, 1t, 16MB, placing.epd):\n\
             Elo: 55.58 +/- 27.65, nElo: 57.94 +/- 28.28\n\
             LOS: 100.00 %, DrawRatio: 21.72 %, PairsRatio: 1.58\n\
             Games: 580, Wins: 245, Losses: 153, Draws: 182, Points: 336.0 (57.93 %)\n\
             Ptnml(0-2): [34, 54, 63, 64, 75], WL/DD Ratio: 0.97\n\
             LLR: 1.30 (44.2%) (-2.94, 2.94) [0.00, 5.00]"
        );
    }

    #[test]
    fn single_games_and_the_other_style() {
        let games = Tally { wins: 136, losses: 96, draws: 111, pairs: Pairs::default() };
        let words = format!("{TWO} -report penta=false");
        let single = text(&words, vec![games]);
        assert!(
            single.contains(
                "\nElo: 40.70 +/- 30.43, nElo: 49.77 +/- 36.77\nLOS: 99.60 %, DrawRatio: 32.36 %\n"
            ),
            "{single}"
        );
        assert!(!single.contains("Ptnml"), "{single}");
        let words = format!("{TWO} -output format=cutechess -sprt elo0=0 elo1=5");
        assert_eq!(
            text(&words, vec![sample()]),
            "Score of merel-a vs merel-b: 245 - 153 - 182  [0.579] 580\n\
             Elo difference: 55.58 +/- 27.65, LOS: 100.00 %, DrawRatio: 31.38 %\n\
             SPRT: llr 1.30 (44.2%), lbound -2.94, ubound 2.94"
        );
    }

    #[test]
    fn nothing_is_ever_printed_as_nan_or_inf() {
        let one = |wins, losses, draws, pairs| Tally { wins, losses, draws, pairs };
        for tally in [
            Tally::default(),
            one(1, 0, 0, Pairs::default()),
            one(2, 0, 0, Pairs { ww: 1, ..Pairs::default() }),
            one(0, 6, 0, Pairs { ll: 3, ..Pairs::default() }),
            one(0, 0, 200, Pairs { dd: 100, ..Pairs::default() }),
            one(3, 0, 1, Pairs { ww: 1, wd: 1, ..Pairs::default() }),
        ] {
            for more in ["", " -report penta=false", " -output format=cutechess"] {
                for model in ["normalized", "logistic", "bayesian"] {
                    let words = format!("{TWO} -sprt elo0=0 elo1=5 model={model}{more}");
                    let text = text(&words, vec![tally]).to_lowercase();
                    assert!(!text.contains("nan") && !text.contains("inf"), "{text}");
                }
            }
        }
    }

    #[test]
    fn three_engines_make_a_table_best_first() {
        let words = "-engine cmd=a -engine cmd=bee -engine cmd=c -each depth=1";
        let tally = |wins, losses| Tally { wins, losses, ..Tally::default() };
        let text = text(words, vec![tally(1, 3), tally(2, 2), tally(4, 0)]);
        let names: Vec<&str> = text.lines().map(|l| l.split_whitespace().nth(1).unwrap()).collect();
        assert_eq!(names, ["Name", "bee", "a", "c"]);
        assert!(text.starts_with("Rank  Name  Elo"), "{text}");
        assert!(!text.contains("NaN"), "{text}");
    }
}
