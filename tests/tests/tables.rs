//! The built-in endgame tables are true: they say what the exhaustive solver says, and where that
//! does not reach, what the rules make of the values one turn on.

use std::sync::LazyLock;

use merel_engine::tablebase::file::Access;
use merel_engine::tablebase::{Distance, Tables, Value as TableValue};
use merel_engine::{AllInMills, Bitboard, Color, Position, Rules, Setup};
use merel_tests::bridge::{color, from_fen};
use merel_tests::images::{image, symmetries};
use merel_tests::oracle::{OracleRules, Side, State, splitmix64};
use merel_tests::solver::{Sector, Solved, Value, Wdl};

const RULES: OracleRules = OracleRules::STANDARD;

/// The sectors that the solver works out in seconds.
static SOLVED: LazyLock<Solved> = LazyLock::new(|| Solved::new(&[(4, 3), (4, 4)]));

/// The built-in tables with room to keep every part decoded.
static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let (mut tables, refused) = Tables::open(&[], Access::Map, 128);
    assert!(refused.is_empty());
    tables.add_builtin();
    tables
});

fn position(state: &State) -> Position {
    let stones = Color::ALL.map(|of| {
        let own = |on: &usize| state.stone(*on).is_some_and(|side| color(side) == of);
        Bitboard::from_bits((0..24).filter(own).map(|on| 1 << on).sum())
    });
    let setup = Setup { stones, hands: [0, 0], to_move: color(state.side()), ..Setup::START };
    setup.check(Rules::default()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn solver_value(distance: Distance) -> Value {
    match distance {
        Distance::Win(plies) => Value::win(plies.into()),
        Distance::Draw => Value::DRAW,
        Distance::Loss(plies) => Value::loss(plies.into()),
    }
}

fn solver_wdl(value: TableValue) -> Wdl {
    match value {
        TableValue::Win => Wdl::Win,
        TableValue::Draw => Wdl::Draw,
        TableValue::Loss => Wdl::Loss,
    }
}

/// What the tables say; they must say it twice alike.
fn table_value(tables: &Tables, state: &State) -> Value {
    let position = position(state);
    let fen = || state.fen(RULES);
    let value = tables.dtw(&position).map(solver_value);
    let value = value.unwrap_or_else(|| panic!("no distance: {}", fen()));
    assert_eq!(tables.wdl(&position).map(solver_wdl), Some(value.wdl), "{}", fen());
    value
}

fn random_side(rng: &mut impl FnMut() -> u64) -> Side {
    if rng().is_multiple_of(2) { Side::White } else { Side::Black }
}

/// A random position with so many stones of the side to move and of the other.
fn random_position((mover, other): Sector, rng: &mut impl FnMut() -> u64) -> State {
    let side = random_side(rng);
    let mut stones = [None; 24];
    for (count, of) in [(mover, side), (other, side.other())] {
        for _ in 0..count {
            loop {
                let on = (rng() % 24) as usize;
                if stones[on].is_none() {
                    stones[on] = Some(of);
                    break;
                }
            }
        }
    }
    State::from_stones(stones, side, [0, 0], 0)
}

/// Whether no symmetric image comes before the position in the order of stones.
fn comes_first(state: &State, inverses: &[[usize; 24]]) -> bool {
    let rank = |on: usize| state.stone(on).map_or(0, |side| 1 + u8::from(side != state.side()));
    let ranks: [u8; 24] = std::array::from_fn(rank);
    inverses.iter().all(|from| {
        let image = from.iter().map(|&on| ranks[on]);
        ranks.iter().copied().le(image)
    })
}

/// Every position up to symmetry, each in an image and a colour that change from one to the next.
fn assert_solved(sector: Sector, classes: usize) {
    let symmetries = symmetries();
    let mut rng = splitmix64(u64::from(sector.0) << 8 | u64::from(sector.1));
    let mut compared = 0;
    for (state, expected) in SOLVED.positions(sector, Side::White) {
        // The sixteen are a group: the inverses are the same set.
        if !comes_first(&state, &symmetries) {
            continue;
        }
        let random = rng();
        let shown = image(&state, &symmetries[(random % 16) as usize], random >> 4 & 1 == 1);
        assert_eq!(table_value(&TABLES, &shown), expected, "{}", shown.fen(RULES));
        compared += 1;
    }
    assert_eq!(compared, classes);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn every_value_of_3_3_is_the_solvers() {
    assert_solved((3, 3), 169_626);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn every_value_of_4_3_is_the_solvers() {
    assert_solved((4, 3), 760_398);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn every_value_of_3_4_is_the_solvers() {
    assert_solved((3, 4), 760_398);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn values_of_4_4_are_the_solvers() {
    let mut rng = splitmix64(44);
    for _ in 0..100_000 {
        let side = random_side(&mut rng);
        let (state, expected) = SOLVED.sample((4, 4), side, &mut rng).expect("solved");
        assert_eq!(table_value(&TABLES, &state), expected, "{}", state.fen(RULES));
    }
}

/// The best of what the turns lead to, by the oracle's turns.
fn best_of_turns(state: &State) -> Value {
    let worth = |(_, next): (String, State)| {
        let there = match next.winner(RULES) {
            Some(_) => Value::loss(0),
            None => table_value(&TABLES, &next),
        };
        there.before_turn()
    };
    let best = state.turns(RULES).into_iter().map(worth).max_by_key(|value| value.rank());
    best.unwrap_or(Value::loss(0))
}

/// Random positions of these sectors, and some more that are decided where those are few.
fn assert_values_follow_from_turns(sectors: &[Sector]) {
    const SAMPLES: usize = 200;
    const DECIDED: usize = 150;
    for &sector in sectors {
        let mut rng = splitmix64(0x7ab1e << 8 | u64::from(sector.0 * 10 + sector.1));
        let mut decided = 0;
        for number in 0..150 * SAMPLES {
            let state = random_position(sector, &mut rng);
            let drawn = TABLES.wdl(&position(&state)) == Some(TableValue::Draw);
            if number >= SAMPLES && (drawn || decided >= DECIDED) {
                continue;
            }
            assert_value_follows(&state);
            if drawn {
                continue;
            }
            decided += 1;
            // Where nobody flies few positions are decided; those after a decided one tell more.
            let more = if sector.0 > 3 && sector.1 > 3 { 8 } else { 0 };
            for (_, next) in state.turns(RULES).into_iter().take(more) {
                if next.winner(RULES).is_none() {
                    decided += usize::from(table_value(&TABLES, &next) != Value::DRAW);
                    assert_value_follows(&next);
                }
            }
        }
        assert!(decided >= 5, "{sector:?}: {decided} decided");
    }
}

fn assert_value_follows(state: &State) {
    assert_eq!(table_value(&TABLES, state), best_of_turns(state), "{}", state.fen(RULES));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn values_follow_from_those_one_turn_on_where_one_side_flies() {
    assert_values_follow_from_turns(&[(5, 3), (3, 5), (6, 3), (3, 6), (7, 3), (3, 7)]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn values_follow_from_those_one_turn_on_where_nobody_flies() {
    assert_values_follow_from_turns(&[(5, 4), (4, 5), (5, 5)]);
}

#[test]
fn a_position_is_worth_the_same_in_all_its_images_and_in_either_colour() {
    let symmetries = symmetries();
    let mut rng = splitmix64(16);
    let stones = 3..=7_u8;
    for sector in stones.clone().flat_map(|m| stones.clone().map(move |n| (m, n))) {
        let builtin = sector.0 + sector.1 <= 9 || sector == (5, 5);
        let builtin = builtin || matches!(sector, (7, 3) | (3, 7));
        for _ in 0..if cfg!(debug_assertions) { 5 } else { 100 } {
            let state = random_position(sector, &mut rng);
            if !builtin {
                assert_eq!(TABLES.wdl(&position(&state)), None, "{}", state.fen(RULES));
                continue;
            }
            let value = table_value(&TABLES, &state);
            for symmetry in &symmetries {
                for exchanged in [false, true] {
                    let image = image(&state, symmetry, exchanged);
                    assert_eq!(table_value(&TABLES, &image), value, "{}", image.fen(RULES));
                }
            }
        }
    }
}

#[test]
fn nothing_is_said_of_positions_and_rules_that_the_tables_do_not_know() {
    const WON: &str = "O**O*@**/**O*@***/*@****** w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";
    let told = |fen: &str, rules: Rules| {
        let position = from_fen(fen, rules);
        let wdl = TABLES.wdl(&position);
        assert_eq!(TABLES.dtw(&position).is_some(), wdl.is_some());
        wdl.is_some()
    };
    let standard = Rules::default();
    assert!(told(WON, standard));
    assert!(!told(WON, Rules { no_immediate_return: true, ..standard }));
    assert!(!told(WON, Rules { all_in_mills: AllInMills::None, ..standard }));
    // A stone in hand; a capture due; a sector without a table.
    for fen in [
        "O**O*@**/**O*@***/*@****** w p p 3 1 3 1 0 0 0 0 0 0 0 0 1",
        "O*@*****/O*@*****/*@*****O w m r 3 0 3 0 1 0 0 0 0 0 0 0 1",
        "OOOO*@**/OOOO*@**/*@****** w m s 8 0 3 0 0 0 0 0 0 0 0 0 1",
    ] {
        assert!(!told(fen, standard), "{fen}");
    }
}
