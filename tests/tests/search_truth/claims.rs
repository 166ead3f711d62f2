//! Checks of a search's reports against the oracle and the solver.

use std::sync::LazyLock;

use merel_engine::{Bound, Game, Info, Rules, Score};
use merel_tests::bridge::{Searched, oracle_rules, position};
use merel_tests::oracle::{Side, State, lines, splitmix64};
use merel_tests::solver::{Solved, Value, Wdl};

/// The small sectors, solved once for all tests of this file.
pub fn solved() -> &'static Solved {
    static SOLVED: LazyLock<Solved> = LazyLock::new(|| Solved::new(&[(3, 3), (4, 3), (3, 4)]));
    &SOLVED
}

/// The exact value of a position that leads to the small sectors.
pub fn exact(state: &State, rules: Rules) -> Value {
    solved()
        .value_of_any(state, oracle_rules(rules), 1_000_000)
        .unwrap_or_else(|| panic!("not solved: {}", state.fen(oracle_rules(rules))))
}

/// How precise a proved result has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Never shorter than the truth.
    Sound,
    /// And exact once the search has finished an iteration as deep as the result it reports.
    ExactWithinDepth,
}

/// Checks all that a search of `game`, which stands at `state`, has said.
pub fn check_all(
    game: &Game,
    state: &State,
    value: Value,
    searched: &Searched,
    precision: Precision,
) -> Result<(), String> {
    check_lines(game, state, searched)?;
    // The first line is worth what the position is worth; others may be worth less.
    for info in searched.infos.iter().filter(|info| info.multi_pv == 1) {
        check_score(value, info, precision)?;
    }
    Ok(())
}

/// Checks that the reports are consistent, all their lines legal, and the result the last of them.
pub fn check_lines(game: &Game, state: &State, searched: &Searched) -> Result<(), String> {
    for info in &searched.infos {
        let wdl: u32 = info.wdl.iter().sum();
        let selective = info.selective_depth as usize;
        if info.bound != Bound::Exact || wdl != 1000 || info.pv.len() > selective {
            return Err(format!("an inconsistent report: {info:?}"));
        }
        check_line(game, state, info)?;
    }
    let last = searched.last();
    let result = searched.result;
    if last.pv.first() != Some(&result.best) || last.pv.get(1).copied() != result.ponder {
        return Err(format!("the result {result:?} does not begin the last line {:?}", last.pv));
    }
    Ok(())
}

/// A line must be legal, must not go on after the end of the game, and must reach it where the
/// score says so.
fn check_line(game: &Game, state: &State, info: &Info) -> Result<(), String> {
    let rules = oracle_rules(game.position().rules());
    let mut game = game.clone();
    let mut at = state.clone();
    for (ply, turn) in info.pv.iter().enumerate() {
        let here = || format!("at ply {ply} of {:?} ({:?})", info.pv, info.score);
        if let Some(outcome) = game.outcome() {
            return Err(format!("{outcome}, {}", here()));
        }
        let text = turn.to_string();
        let Some((_, next)) = at.turns(rules).into_iter().find(|(known, _)| *known == text) else {
            return Err(format!("an illegal turn, {}", here()));
        };
        at = next;
        game.play(*turn);
    }
    let (plies, winner) = match info.score {
        Score::Cp(_) => return Ok(()),
        Score::WinIn(plies) => (plies, state.side()),
        Score::LossIn(plies) => (plies, state.side().other()),
    };
    let reached = at.winner(rules).map(|(side, _)| side);
    if (info.pv.len() as u64, reached) == (u64::from(plies), Some(winner)) {
        Ok(())
    } else {
        Err(format!("the line {:?} does not end as {:?} says", info.pv, info.score))
    }
}

/// A proved result must have the right sign and the precision asked for.
pub fn check_score(value: Value, info: &Info, precision: Precision) -> Result<(), String> {
    let plies = match (info.score, value.wdl) {
        (Score::Cp(_), _) => return Ok(()),
        (Score::WinIn(plies), Wdl::Win) | (Score::LossIn(plies), Wdl::Loss) => plies,
        _ => return Err(format!("{value:?} is reported in {info:?}")),
    };
    let exact = plies <= info.depth && precision == Precision::ExactWithinDepth;
    if plies < value.plies || (exact && plies > value.plies) {
        return Err(format!("{value:?} is reported in {info:?}"));
    }
    Ok(())
}

/// The score of a proved value.
pub fn score(value: Value) -> Option<Score> {
    match value.wdl {
        Wdl::Win => Some(Score::WinIn(value.plies)),
        Wdl::Draw => None,
        Wdl::Loss => Some(Score::LossIn(value.plies)),
    }
}

/// Positions won or lost in 1 to 16 plies, a few of each sector and length.
fn decisive() -> &'static [State] {
    static DECISIVE: LazyLock<Vec<State>> = LazyLock::new(|| {
        let mut rng = splitmix64(50);
        let mut states = Vec::new();
        for sector in [(3, 3), (4, 3), (3, 4)] {
            for plies in 1..=16 {
                let value = if plies % 2 == 1 { Value::win(plies) } else { Value::loss(plies) };
                for side in [Side::White, Side::Black].repeat(8) {
                    // Not every sector has every length.
                    let Some(state) = solved().sample_with(sector, side, value, &mut rng) else {
                        break;
                    };
                    states.push(state);
                }
            }
        }
        states
    });
    &DECISIVE
}

/// A random position of the small sectors: in a quarter of them a capture is due, half are won or
/// lost in up to 16 plies, most of the others drawn.
pub fn random_endgame(rng: &mut impl FnMut() -> u64) -> State {
    let side = if rng().is_multiple_of(2) { Side::White } else { Side::Black };
    let sector = [(3, 3), (4, 3), (3, 4)][(rng() % 3) as usize];
    match rng() % 4 {
        0 => capture_due(side, rng),
        1 => solved().sample(sector, side, rng).expect("a solved sector").0,
        _ => decisive()[(rng() % decisive().len() as u64) as usize].clone(),
    }
}

/// A random position in which `side` has a mill and takes one of four stones.
fn capture_due(side: Side, rng: &mut impl FnMut() -> u64) -> State {
    let mut stones = [None; 24];
    for on in lines()[(rng() % 16) as usize] {
        stones[on] = Some(side);
    }
    let fourth = (rng().is_multiple_of(2)).then_some(side);
    for owner in fourth.into_iter().chain([side.other(); 4]) {
        let empty: Vec<usize> = (0..24).filter(|&on| stones[on].is_none()).collect();
        stones[empty[(rng() % empty.len() as u64) as usize]] = Some(owner);
    }
    // Four against four would lead to a sector that is not solved: three are left.
    State::from_stones(stones, side, [0, 0], 1)
}

/// The engine's game that starts at a position of the oracle.
pub fn game_at(state: &State, rules: Rules) -> Game {
    Game::new(position(state, rules))
}

/// Collects failures, so that a test shows how many there are and the first few.
#[derive(Default)]
pub struct Failures {
    shown: Vec<String>,
    count: usize,
}

impl Failures {
    /// Notes a failure, if it is one.
    pub fn add(&mut self, what: &str, result: Result<(), String>) {
        if let Err(error) = result {
            self.count += 1;
            if self.shown.len() < 5 {
                self.shown.push(format!("{what}: {error}"));
            }
        }
    }

    /// Fails the test if anything was noted.
    pub fn assert_none(&self) {
        assert!(self.count == 0, "{} failures, among them\n{}", self.count, self.shown.join("\n"));
    }
}
