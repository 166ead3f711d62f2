//! Wins and losses of small endgames.

use merel_engine::{Engine, Game, Limits, Preset, Rules, Score, SearchOptions};
use merel_tests::bridge::{depth, engine_rules, epd, nodes, oracle_rules, search, search_with};
use merel_tests::oracle::{OracleRules, State, splitmix64};
use merel_tests::solver::{Value, Wdl};

use crate::claims::{
    Failures, Precision, check_all, check_lines, check_score, exact, game_at, random_endgame,
    score, solved,
};

fn standard() -> Rules {
    Rules::default()
}

/// The positions of the file with their values.
fn mates() -> Vec<(State, Value)> {
    let read = |line: merel_tests::bridge::EpdLine| {
        let plies: u32 = line.get("plies").and_then(|text| text.parse().ok()).expect("plies");
        let value = match line.get("value") {
            Some("win") => Value::win(plies),
            Some("loss") => Value::loss(plies),
            other => panic!("value {other:?}"),
        };
        (State::from_fen(&line.fen), value)
    };
    epd("mates.epd").into_iter().map(read).collect()
}

/// Short ones always; of the longer ones a selective search may leave some out.
#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn are_found_with_their_exact_length() {
    let mut failures = Failures::default();
    let (mut long, mut found_long) = (0, 0);
    for (state, value) in mates() {
        let game = game_at(&state, standard());
        let searched = search(&mut Engine::new(), &game, depth(14));
        let fen = state.fen(OracleRules::STANDARD);
        failures.add(&fen, check_all(&game, &state, value, &searched, Precision::ExactWithinDepth));
        let found = Some(searched.last().score) == score(value);
        if value.plies > 4 {
            long += 1;
            found_long += usize::from(found);
        } else if !found {
            failures.add(&fen, Err(format!("{value:?} ends as {:?}", searched.last().score)));
        }
    }
    failures.assert_none();
    assert!(2 * found_long >= long, "only {found_long} of {long} of more than four plies");
}

/// `count` random positions in one engine that forgets nothing in between.
fn check_random_endgames(
    rules: Rules,
    count: usize,
    limits: impl Fn(u64) -> Limits,
    how: Precision,
) {
    let mut rng = splitmix64(51);
    let mut engine = Engine::new();
    let mut failures = Failures::default();
    let mut proved = 0;
    for _ in 0..count {
        let state = random_endgame(&mut rng);
        let game = game_at(&state, rules);
        let searched = search(&mut engine, &game, limits(rng()));
        let value = exact(&state, rules);
        let result = check_all(&game, &state, value, &searched, how);
        failures.add(&state.fen(oracle_rules(rules)), result);
        proved += usize::from(searched.last().score.mate_turns().is_some());
    }
    failures.assert_none();
    assert!(proved > count / 10, "only {proved} of {count} proved");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn are_true_in_a_table_that_is_never_cleared() {
    for preset in [Preset::Standard, Preset::Playok] {
        for plies in [5, 9] {
            let how = Precision::ExactWithinDepth;
            check_random_endgames(preset.into(), 100, |_| depth(plies), how);
        }
    }
}

#[test]
fn are_true_of_searches_cut_short() {
    // Limits of all sizes, from a single node on.
    let limits = |random: u64| nodes(1 + random % (1 << (random >> 32 & 15)));
    check_random_endgames(standard(), 1_000, limits, Precision::Sound);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn are_true_with_two_threads() {
    let mut rng = splitmix64(52);
    let mut engine = Engine::new();
    engine.set_threads(2).expect("two threads");
    let mut failures = Failures::default();
    for _ in 0..100 {
        let state = random_endgame(&mut rng);
        let game = game_at(&state, standard());
        let searched = search(&mut engine, &game, depth(8));
        let value = exact(&state, standard());
        let result = check_all(&game, &state, value, &searched, Precision::Sound);
        failures.add(&state.fen(OracleRules::STANDARD), result);
    }
    failures.assert_none();
}

/// What a turn is worth to the player who makes it.
fn value_of_turn(state: &State, text: &str) -> Value {
    let turns = solved().turn_values(state, OracleRules::STANDARD, 1_000_000).expect("solved");
    turns.into_iter().find(|(known, _)| known == text).expect("a legal turn").1
}

/// Searches random endgames with several lines and gives each report to `check`.
fn check_several_lines(
    check: impl Fn(&Game, &State, &merel_tests::bridge::Searched) -> Result<(), String>,
) {
    let mut rng = splitmix64(53);
    let mut failures = Failures::default();
    for number in 0..90 {
        let state = random_endgame(&mut rng);
        let game = game_at(&state, standard());
        let options =
            SearchOptions { multi_pv: [2, 3, 60][number % 3], ..SearchOptions::default() };
        let searched = search_with(&mut Engine::new(), &game, depth(7), options);
        failures.add(&state.fen(OracleRules::STANDARD), check(&game, &state, &searched));
    }
    failures.assert_none();
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn are_true_of_each_of_several_lines() {
    check_several_lines(|_, state, searched| {
        searched.infos.iter().try_for_each(|info| {
            let value = value_of_turn(state, &info.pv[0].to_string());
            check_score(value, info, Precision::Sound)
        })
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn are_as_exact_in_the_first_of_several_lines_as_in_a_single_one() {
    check_several_lines(|_, state, searched| {
        let value = exact(state, standard());
        let mut first = searched.infos.iter().filter(|info| info.multi_pv == 1);
        first.try_for_each(|info| check_score(value, info, Precision::ExactWithinDepth))
    });
}

#[test]
fn have_legal_lines_in_each_of_several() {
    check_several_lines(check_lines);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn of_n_turns_are_found_by_a_search_for_them_and_shorter_ones_are_not() {
    let mut failures = Failures::default();
    // Longer ones only take longer: nothing is left out in this search.
    for (state, value) in mates().into_iter().filter(|(_, value)| value.plies <= 7) {
        let game = game_at(&state, standard());
        let fen = state.fen(OracleRules::STANDARD);
        let turns = value.plies.div_ceil(2);
        let mut mate = |turns| {
            let limits = Limits { mate: Some(turns), ..Limits::default() };
            let searched = search(&mut Engine::new(), &game, limits);
            failures.add(&fen, check_all(&game, &state, value, &searched, Precision::Sound));
            searched.last().score
        };
        let (found, shorter) = (mate(turns), mate((turns - 1).max(1)));
        if value.wdl == Wdl::Win {
            let won = Score::WinIn(value.plies);
            if found != won || (turns > 1 && shorter == won) {
                failures.add(&fen, Err(format!("{value:?}: mate {turns} gives {found:?}")));
            }
        }
    }
    failures.assert_none();
}

/// Whether the turn wins within three plies, as the oracle sees it: at once, or after each reply.
fn wins_within_three(next: &State, mover: merel_tests::oracle::Side, rules: OracleRules) -> bool {
    let won = |state: &State| state.winner(rules).is_some_and(|(side, _)| side == mover);
    let replies = next.turns(rules);
    won(next)
        || (!replies.is_empty()
            && replies.iter().all(|(_, reply)| {
                reply.winner(rules).is_none() && reply.turns(rules).iter().any(|(_, end)| won(end))
            }))
}

/// Whether every turn lets the other side win at once.
fn loses_within_two(state: &State, rules: OracleRules) -> bool {
    let won = |end: &State| end.winner(rules).is_some_and(|(side, _)| side != state.side());
    let turns = state.turns(rules);
    turns.iter().all(|(_, next)| won(next) || next.turns(rules).iter().any(|(_, end)| won(end)))
}

/// Short wins and losses in all phases and under all rules, checked move by move.
#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn of_few_plies_are_true_in_all_phases_and_under_all_rules() {
    let mut rng = splitmix64(54);
    let mut failures = Failures::default();
    let mut proved = 0;
    for rules in OracleRules::all() {
        let mut engine = Engine::new();
        for _ in 0..400 {
            let state = State::random_setup(&mut rng);
            if !state.captures_possible(rules) || state.winner(rules).is_some() {
                continue;
            }
            let game = game_at(&state, engine_rules(rules));
            let searched = search(&mut engine, &game, depth(4));
            let fen = state.fen(rules);
            failures.add(&fen, check_lines(&game, &state, &searched));
            let best = state.play(&searched.result.best.to_string(), rules).expect("a turn");
            let held = match searched.last().score {
                Score::WinIn(1) => best.winner(rules).is_some_and(|(side, _)| side == state.side()),
                Score::WinIn(3) => wins_within_three(&best, state.side(), rules),
                Score::LossIn(2) => loses_within_two(&state, rules),
                _ => continue,
            };
            proved += 1;
            if !held {
                failures.add(&fen, Err(format!("not so: {:?}", searched.last())));
            }
        }
    }
    failures.assert_none();
    assert!(proved > 100, "only {proved} proved");
}
