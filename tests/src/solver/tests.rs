//! Tests of the solver against published totals and against its own forward moves.

use std::sync::LazyLock;

use super::*;
use crate::oracle::{OracleRules, splitmix64};

const RULES: OracleRules = OracleRules::STANDARD;

/// Positions to expand at most for one position of the data files.
const NODE_LIMIT: usize = 200_000;

/// 3-3, 4-3 and 3-4: the sectors that take seconds only; the others are left to tests run on
/// demand.
static SMALL: LazyLock<Solved> = LazyLock::new(|| Solved::new(&[(4, 3)]));

fn reference() -> Vec<(Sector, Totals)> {
    let lines = include_str!("../../data/sectors.csv").lines().skip(1);
    let read = |line: &str| -> (Sector, Totals) {
        let fields: Vec<u64> =
            line.split(',').map(|field| field.parse().expect("a number")).collect();
        let small = |field: usize| u8::try_from(fields[field]).expect("a count of stones");
        let plies = |field: usize| u32::try_from(fields[field]).expect("plies");
        let totals = Totals {
            win: fields[2],
            draw: fields[3],
            loss: fields[4],
            longest_win: plies(5),
            longest_loss: plies(6),
        };
        ((small(0), small(1)), totals)
    };
    lines.map(read).collect()
}

fn assert_reference_totals(solved: &Solved) {
    let mut compared = 0;
    for (sector, expected) in reference() {
        if let Some(totals) = solved.totals(sector) {
            assert_eq!(totals, expected, "sector {sector:?}");
            compared += 1;
        }
    }
    assert!(compared >= 3, "only {compared} sectors compared");
}

/// Every value is what the oracle's turns make of the values after them.
fn assert_consistent(solved: &Solved, samples: usize, seed: u64) {
    let mut rng = splitmix64(seed);
    let sectors: Vec<Sector> = solved.sectors().collect();
    for sector in sectors {
        for nth in 0..samples {
            let side = if nth % 2 == 0 { Side::White } else { Side::Black };
            let (state, value) = solved.sample(sector, side, &mut rng).expect("solved");
            assert_eq!(solved.value(&state), Some(value));
            let turns = solved.turn_values(&state, RULES, 1_000).expect("solved");
            let best = turns.first().map_or(Value::loss(0), |&(_, value)| value);
            assert_eq!(value, best, "{}", state.fen(RULES));
        }
    }
}

/// One line of a data file.
struct Problem {
    fen: String,
    /// The only turn that keeps the value, where the line names one.
    best: Option<String>,
    wdl: Wdl,
    /// `None` for a draw.
    plies: Option<u32>,
    /// The sector to solve, with all it depends on; 4-3 where the line names none.
    needs: Sector,
}

/// Reads `fen; name value; name value; ...`.
fn problems(text: &str) -> Vec<Problem> {
    text.lines().map(problem).collect()
}

fn problem(line: &str) -> Problem {
    let (fen, fields) = line.split_once(';').expect("fields after the position");
    let field = |name: &str| {
        fields
            .split(';')
            .filter_map(|field| field.trim().split_once(' '))
            .find(|field| field.0 == name)
    };
    let wdl = match field("value") {
        Some((_, "win")) => Wdl::Win,
        Some((_, "draw")) => Wdl::Draw,
        Some((_, "loss")) => Wdl::Loss,
        _ => panic!("no value in {line}"),
    };
    let needs = field("needs").map_or((4, 3), |(_, sector)| {
        let (more, fewer) = sector.split_once('-').expect("a sector");
        (more.parse().expect("a count"), fewer.parse().expect("a count"))
    });
    Problem {
        fen: fen.to_string(),
        best: field("bm").map(|(_, turn)| turn.to_string()),
        wdl,
        plies: field("plies").and_then(|(_, plies)| plies.parse().ok()),
        needs,
    }
}

/// The value is as the line says, and where it names a turn no other keeps it.
fn assert_solved(solved: &Solved, problem: &Problem) {
    let fen = &problem.fen;
    let state = State::from_fen(fen);
    assert_eq!(state.fen(RULES), *fen);
    let value = solved.value_of_any(&state, RULES, NODE_LIMIT).expect("within the limit");
    assert_eq!(value, Value { wdl: problem.wdl, plies: problem.plies.unwrap_or(0) }, "{fen}");
    if let Some(best) = &problem.best {
        let turns = solved.turn_values(&state, RULES, NODE_LIMIT).expect("within the limit");
        assert_eq!(turns[0], (best.clone(), value), "{fen}");
        assert!(turns[1].1.wdl < value.wdl, "{} is as good as {best} in {fen}", turns[1].0);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn small_sectors_equal_the_reference() {
    assert_eq!(SMALL.sectors().collect::<Vec<_>>(), [(3, 3), (3, 4), (4, 3)]);
    assert_reference_totals(&SMALL);
    assert_consistent(&SMALL, 500, 1);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn data_files_of_the_small_sectors_are_right() {
    let mates = problems(include_str!("../../data/mates.epd"));
    let tactics = problems(include_str!("../../data/tactics.epd"));
    let small = |problem: &&Problem| problem.needs <= (4, 3);
    let quick: Vec<&Problem> = mates.iter().chain(&tactics).filter(small).collect();
    assert!(quick.len() >= 85, "only {} problems", quick.len());
    for problem in quick {
        assert_solved(&SMALL, problem);
    }
}

#[test]
fn other_rules_and_unsolved_sectors_have_no_value() {
    let none = Solved::new(&[]);
    let fen = "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let state = State::from_fen(fen);
    assert_eq!(none.value(&state), None);
    assert_eq!(none.value_of_any(&State::start(), RULES, 10), None);
    assert_eq!(none.totals((3, 3)), None);
    for rules in OracleRules::all() {
        let over = "********/********/*OO**@@@ w m s 2 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
        let exact = !rules.no_immediate_return && !rules.all_in_mills_none;
        let value = none.value_of_any(&State::from_fen(over), rules, 10);
        assert_eq!(value, exact.then_some(Value::loss(0)));
    }
}

#[test]
#[ignore = "solves 1,800 million positions, 2 GB"]
fn larger_sectors_and_all_data_are_right() {
    let tactics = problems(include_str!("../../data/tactics.epd"));
    let mut needs: Vec<Sector> = tactics.iter().map(|problem| problem.needs).collect();
    needs.dedup();
    let solved = Solved::new(&needs);
    assert_reference_totals(&solved);
    assert_consistent(&solved, 500, 3);
    for problem in &tactics {
        assert_solved(&solved, problem);
    }
}
