//! Proved results where the quiet limit can cut a win short.
//!
//! The truth comes from a search of all turns up to the limit, for which a handful of plies is
//! enough. A capture leads to three stones against three, where no capture but the last is made:
//! there a result holds exactly if it comes before the limit does.

use std::collections::HashMap;

use merel_engine::{Engine, Game, Rules};
use merel_tests::bridge::{depth, from_fen, search};
use merel_tests::oracle::{OracleRules, Side, State, lines, neighbours, splitmix64};
use merel_tests::solver::{Value, Wdl};

use crate::claims::{Failures, Precision, check_all, solved};

const LIMIT: u32 = 6;
const BOARD: u32 = (1 << 24) - 1;

/// Values of positions by stones of the side to move, of the other, and quiet turns so far.
#[derive(Default)]
struct Brute(HashMap<(u32, u32, u32), Value>);

fn points(set: u32) -> impl Iterator<Item = usize> {
    (0..24).filter(move |on| set >> on & 1 == 1)
}

fn in_mill(set: u32, on: usize) -> bool {
    let full = |line: &&[usize; 3]| line.contains(&on) && line.iter().all(|&p| set >> p & 1 == 1);
    lines().iter().any(|line| full(&line))
}

/// The moves of a side, by the point left and the point reached.
fn moves(us: u32, them: u32) -> Vec<(usize, usize)> {
    let empty = BOARD & !(us | them);
    let mut list = Vec::new();
    for from in points(us) {
        let near: u32 = neighbours(from).iter().map(|&next| 1 << next).sum();
        let reach = if us.count_ones() == 3 { empty } else { near & empty };
        list.extend(points(reach).map(|to| (from, to)));
    }
    list
}

impl Brute {
    fn value(&mut self, us: u32, them: u32, quiet: u32) -> Value {
        if let Some(&known) = self.0.get(&(us, them, quiet)) {
            return known;
        }
        let mut best = Value::loss(0);
        for (from, to) in moves(us, them) {
            let after = us & !(1 << from) | 1 << to;
            for value in self.values_of_turn(after, to, them, quiet) {
                if value.rank() > best.rank() {
                    best = value;
                }
            }
            if best == Value::win(1) {
                break;
            }
        }
        self.0.insert((us, them, quiet), best);
        best
    }

    /// What the turns that move a stone to `to`, so that `us` stands there, are worth.
    fn values_of_turn(&mut self, us: u32, to: usize, them: u32, quiet: u32) -> Vec<Value> {
        if !in_mill(us, to) {
            let value = if moves(them, us).is_empty() {
                Value::loss(0)
            } else if quiet + 1 >= LIMIT {
                Value::DRAW
            } else {
                self.value(them, us, quiet + 1)
            };
            return vec![value.before_turn()];
        }
        if them.count_ones() == 3 {
            return vec![Value::win(1)];
        }
        let loose: u32 = points(them).filter(|&on| !in_mill(them, on)).map(|on| 1 << on).sum();
        let targets = if loose == 0 { them } else { loose };
        points(targets).map(|on| self.after_capture(them & !(1 << on), us).before_turn()).collect()
    }

    fn after_capture(&mut self, us: u32, them: u32) -> Value {
        if (us.count_ones(), them.count_ones()) == (3, 3) {
            within_limit(three_against_three(us, them), 0)
        } else {
            self.value(us, them, 0)
        }
    }
}

fn three_against_three(us: u32, them: u32) -> Value {
    let mut stones = [None; 24];
    points(us).for_each(|on| stones[on] = Some(Side::White));
    points(them).for_each(|on| stones[on] = Some(Side::Black));
    let state = State::from_stones(stones, Side::White, [0, 0], 0);
    solved().value(&state).expect("a solved sector")
}

/// Three against three: all turns but the last are quiet.
fn within_limit(value: Value, quiet: u32) -> Value {
    if quiet + value.plies > LIMIT { Value::DRAW } else { value }
}

fn stones_of(state: &State, side: Side) -> u32 {
    (0..24).filter(|&on| state.stone(on) == Some(side)).map(|on| 1 << on).sum()
}

/// The position with so many quiet turns played.
fn with_quiet(state: &State, quiet: u32) -> State {
    let fen = state.fen(OracleRules::STANDARD);
    State::from_fen(&fen.replace(" 0 0 1 ids:nodes", &format!(" 0 {quiet} 30 ids:nodes")))
}

/// A random position of the sector: in half of the cases one that, were there no limit, is decided
/// in about as many plies as are left after so many quiet turns.
fn random_position(quiet: u32, sector: (u8, u8), rng: &mut impl FnMut() -> u64) -> State {
    let side = if rng().is_multiple_of(2) { Side::White } else { Side::Black };
    let plies = (LIMIT - quiet + (rng() % 4) as u32).saturating_sub(1).max(1);
    let value = if plies % 2 == 1 { Value::win(plies) } else { Value::loss(plies) };
    let close = solved().sample_with(sector, side, value, rng).filter(|_| rng().is_multiple_of(2));
    let any = solved().sample(sector, side, rng).expect("a solved sector").0;
    close.unwrap_or(any)
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn the_rule_for_three_against_three_holds() {
    let mut rng = splitmix64(61);
    for number in 0..45 {
        let quiet = 3 + number % 3;
        let state = random_position(quiet, (3, 3), &mut rng);
        let (us, them) = (stones_of(&state, state.side()), stones_of(&state, state.side().other()));
        assert_eq!(Brute::default().value(us, them, quiet), truth(&state, quiet));
    }
}

/// The value with so many quiet turns played.
fn truth(state: &State, quiet: u32) -> Value {
    let (us, them) = (stones_of(state, state.side()), stones_of(state, state.side().other()));
    match (us.count_ones(), them.count_ones()) {
        (3, 3) => within_limit(solved().value(state).expect("solved"), quiet),
        _ => Brute::default().value(us, them, quiet),
    }
}

/// The same stones come with few quiet turns first and then with more, in one engine: what was
/// proved of them must not be taken for proved when the limit is nearer.
#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn no_win_is_reported_that_the_limit_cuts_short() {
    let rules = Rules { quiet_limit: u16::try_from(LIMIT).expect("small"), ..Rules::default() };
    let mut rng = splitmix64(62);
    let mut engine = Engine::new();
    let mut failures = Failures::default();
    let (mut proved, mut cut_short) = (0, 0);
    for number in 0..90 {
        // The value of other sectors is worked out within few plies of the limit only.
        let sector = [(3, 3), (4, 3), (3, 4)][number % 3];
        let first = if sector == (3, 3) { 0 } else { 2 };
        let stones = random_position(first, sector, &mut rng);
        for quiet in first..LIMIT {
            let (state, value) = (with_quiet(&stones, quiet), truth(&stones, quiet));
            let fen = state.fen(OracleRules::STANDARD);
            let game = Game::new(from_fen(&fen, rules));
            let searched = search(&mut engine, &game, depth(8));
            let how = Precision::ExactWithinDepth;
            failures.add(&fen, check_all(&game, &state, value, &searched, how));
            proved += usize::from(searched.last().score.mate_turns().is_some());
            let free = solved().value(&stones).expect("solved");
            cut_short += usize::from(free.wdl != Wdl::Draw && value.wdl == Wdl::Draw);
        }
    }
    failures.assert_none();
    assert!(proved > 30 && cut_short > 20, "{proved} proved, {cut_short} cut short");
}
