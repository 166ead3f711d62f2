//! The engine's rules against the slow statement of them, position by position: the same turns, the
//! same positions after them, the same ends.

use merel_engine::{Game, Position, Preset, Rules};
use merel_tests::bridge::{engine_rules, oracle_rules, outcome, position};
use merel_tests::oracle::{OracleRules, Side, State, lines, neighbours, splitmix64};

/// Compares everything the two sides say about one position; `Err` tells the first difference.
fn compare(state: &State, ours: &Position, rules: OracleRules) -> Result<(), String> {
    let fen = state.fen(rules);
    same("FEN", &fen, &ours.fen())?;
    same("outcome", &state.winner(rules).map(outcome), &ours.outcome())?;
    let turns = ours.legal_turns();
    let successors = turns.iter().map(|&turn| (turn.to_string(), ours.after(turn).fen()));
    let expected = state.turns(rules);
    same("turns", &texts(&expected, rules), &sorted(successors))?;
    let actions = ours.legal_actions();
    let successors = actions.iter().map(|&part| (part.to_string(), ours.after_part(part).fen()));
    same("actions", &texts(&state.actions(rules), rules), &sorted(successors))?;
    same("count of turns", &(expected.len() as u64), &ours.count_legal_turns())?;
    same("any turn", &!expected.is_empty(), &ours.has_legal_turn())?;
    same("all legal", &true, &turns.iter().all(|&turn| ours.is_legal(turn)))
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, found: &T) -> Result<(), String> {
    if expected == found {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected:?}\nfound {found:?}"))
    }
}

fn texts(list: &[(String, State)], rules: OracleRules) -> Vec<(String, String)> {
    list.iter().map(|(text, next)| (text.clone(), next.fen(rules))).collect()
}

fn sorted(list: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut list: Vec<_> = list.collect();
    list.sort();
    list
}

/// Compares a set-up position under rules that it can stand under.
fn assert_agree(state: &State, rules: OracleRules) {
    let ours = position(state, engine_rules(rules));
    if let Err(difference) = compare(state, &ours, rules) {
        panic!("{} under {rules:?}: {difference}", state.fen(rules));
    }
}

/// How many random positions in all.
const POSITIONS: usize = if cfg!(debug_assertions) { 2_000 } else { 60_000 };
/// How many random games in all; each gives some fifty positions more.
const GAMES: usize = if cfg!(debug_assertions) { 40 } else { 1_000 };

#[test]
fn on_random_set_ups() {
    let mut rng = splitmix64(1);
    let mut compared = 0;
    while compared < POSITIONS {
        let state = State::random_setup(&mut rng);
        let rules = OracleRules::all()[compared % 8];
        if state.captures_possible(rules) {
            assert_agree(&state, rules);
            compared += 1;
        }
        if let Some(two) = state.with_second_capture().filter(|s| s.captures_possible(rules)) {
            assert_agree(&two, rules);
            compared += 1;
        }
    }
}

/// Plays a random game on both sides at once, the engine by its own text input.
fn play_random_game(rules: OracleRules, rng: &mut impl FnMut() -> u64) -> usize {
    let mut state = State::start();
    // Repetition is the game's business, and the oracle knows nothing of it.
    let endless = Rules { repetition: merel_engine::Repetition::Off, ..engine_rules(rules) };
    let mut game = Game::start(endless);
    let mut positions = 0;
    for _ in 0..160 {
        if let Err(difference) = compare(&state, game.position(), rules) {
            panic!("{} under {rules:?}: {difference}", state.fen(rules));
        }
        positions += 1;
        // Now whole turns, now single actions, after which captures may be due.
        let mut next =
            if rng().is_multiple_of(3) { state.actions(rules) } else { state.turns(rules) };
        if next.is_empty() {
            break;
        }
        // Half of the time a turn that captures, so that games get to their ends.
        if rng().is_multiple_of(2) && next.iter().any(|(text, _)| text.contains('x')) {
            next.retain(|(text, _)| text.contains('x'));
        }
        let (text, after) = next.swap_remove((rng() % next.len() as u64) as usize);
        game.play_text(&text).unwrap_or_else(|e| panic!("{text} in {}: {e}", state.fen(rules)));
        state = after;
    }
    positions
}

#[test]
fn on_random_games() {
    let mut rng = splitmix64(2);
    let mut positions = 0;
    for number in 0..GAMES {
        positions += play_random_game(OracleRules::all()[number % 8], &mut rng);
    }
    assert!(positions > 20 * GAMES, "{positions} positions: the games end too soon");
}

#[test]
fn the_presets_differ_in_legal_turns_only_by_the_double_mill() {
    let expected = |preset| match preset {
        Preset::Playok => OracleRules::PLAYOK,
        Preset::Standard | Preset::Ivory | Preset::Millgame => OracleRules::STANDARD,
    };
    let mut rng = splitmix64(3);
    for number in 0..POSITIONS / 20 {
        let state = State::random_setup(&mut rng);
        let preset = Preset::ALL[number % 4];
        let rules = Rules::from(preset);
        assert_eq!(oracle_rules(rules), expected(preset));
        let difference = compare(&state, &position(&state, rules), expected(preset));
        assert_eq!(difference, Ok(()), "{} under {preset}", state.fen(expected(preset)));
    }
}

/// Under `no_immediate_return` with last moves of both sides set, which set-ups leave out: flying,
/// hemmed in, and with the stone that moved last in every place.
#[test]
fn with_every_last_move_that_positions_can_show() {
    let rules = OracleRules { no_immediate_return: true, ..OracleRules::STANDARD };
    let mut rng = splitmix64(4);
    let mut compared = 0;
    while compared < POSITIONS / 20 {
        let state = State::random_setup(&mut rng);
        let (side, other) = (state.side(), state.side().other());
        if state.hand(side) > 0 || state.winner(rules).is_some() {
            continue;
        }
        for from in (0..24).filter(|&on| state.stone(on).is_none()) {
            for to in (0..24).filter(|&on| state.stone(on) == Some(side)) {
                let flown = state.on_board(side) == 3 && rng().is_multiple_of(8);
                if flown || neighbours(from).contains(&to) {
                    let reply = (0..24).find(|&on| state.stone(on) == Some(other));
                    let reply = reply.filter(|_| state.hand(other) == 0);
                    assert_agree(&with_last_moves(&state, (from, to), reply, from), rules);
                    compared += 1;
                }
            }
        }
    }
}

/// The position with a last move of the side to move, and one of the other side from `left` to the
/// point given.
fn with_last_moves(state: &State, own: (usize, usize), other: Option<usize>, left: usize) -> State {
    let own = format!("{} {}", own.0, own.1);
    let other = other.map_or_else(|| "-1 -1".to_owned(), |to| format!("{left} {to}"));
    let (white, black) = match state.side() {
        Side::White => (own, other),
        Side::Black => (other, own),
    };
    let fen = state.fen(OracleRules::STANDARD);
    State::from_fen(&fen.replace("-1 -1 -1 -1", &format!("{white} {black}")))
}

/// All sets of `count` points out of `points`.
fn subsets(points: &[usize], count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut sets = Vec::new();
    for (at, &first) in points.iter().enumerate() {
        for mut rest in subsets(&points[at + 1..], count - 1) {
            rest.push(first);
            sets.push(rest);
        }
    }
    sets
}

fn board(white: &[usize], black: &[usize]) -> [Option<Side>; 24] {
    let mut stones = [None; 24];
    for &on in white {
        stones[on] = Some(Side::White);
    }
    for &on in black {
        stones[on] = Some(Side::Black);
    }
    stones
}

fn empty_beside(taken: &[usize]) -> Vec<usize> {
    (0..24).filter(|on| !taken.contains(on)).collect()
}

/// Whether no symmetry of the board (quarter turns, reflections, exchange of the rings) gives a
/// smaller set.
fn is_smallest_of_its_symmetries(set: &[usize]) -> bool {
    let image = |turns: usize, reflect: bool, exchange: bool| {
        let mut points: Vec<usize> = set
            .iter()
            .map(|on| {
                let step = if reflect { (8 - on % 8) % 8 } else { on % 8 };
                let ring = if exchange { 2 - on / 8 } else { on / 8 };
                8 * ring + (step + 2 * turns) % 8
            })
            .collect();
        points.sort_unstable();
        points
    };
    let mut own = set.to_vec();
    own.sort_unstable();
    (0..4).all(|turns| {
        [(false, false), (false, true), (true, false), (true, true)]
            .into_iter()
            .all(|(reflect, exchange)| own <= image(turns, reflect, exchange))
    })
}

/// White's sets up to symmetry.
fn white_sets(count: usize) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..24).collect();
    subsets(&all, count).into_iter().filter(|set| is_smallest_of_its_symmetries(set)).collect()
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn on_every_position_of_two_stones_against_two() {
    for white in white_sets(2) {
        for black in subsets(&empty_beside(&white), 2) {
            let stones = board(&white, &black);
            // The last placement, with and without one to come from the opponent, and the opening.
            assert_agree(&State::from_stones(stones, Side::White, [1, 1], 0), OracleRules::PLAYOK);
            assert_agree(
                &State::from_stones(stones, Side::Black, [2, 1], 0),
                OracleRules::STANDARD,
            );
            assert_agree(
                &State::from_stones(stones, Side::White, [7, 7], 0),
                OracleRules::STANDARD,
            );
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn on_every_capture_after_a_mill_of_three_stones() {
    let mills = || white_sets(3).into_iter().filter(|set| is_line(set));
    assert_eq!(mills().count(), 3, "ring sides outer (or inner) and middle, and spokes");
    for white in mills() {
        for count in 1..=3 {
            for black in subsets(&empty_beside(&white), count) {
                let hand = 3 - count as u8;
                let stones = board(&white, &black);
                for hands in [[0, hand], [3, hand]] {
                    let due = State::from_stones(stones, Side::White, hands, 1);
                    for rules in [OracleRules::STANDARD, OracleRules::PLAYOK] {
                        assert_agree(&due, rules);
                    }
                }
            }
        }
    }
}

fn is_line(set: &[usize]) -> bool {
    lines().iter().any(|line| set.iter().all(|on| line.contains(on)))
}

/// The four stones that close two mills with a fifth on the point, up to symmetry.
fn crossings() -> Vec<(usize, Vec<usize>)> {
    let beside = |centre: usize| {
        let through = lines().iter().filter(|line| line.contains(&centre)).flatten();
        let beside: Vec<usize> = through.copied().filter(|&on| on != centre).collect();
        (centre, beside)
    };
    (0..24).map(beside).filter(|(_, beside)| is_smallest_of_its_symmetries(beside)).collect()
}

/// Every way to close two mills with one stone, against every three and every four stones: three of
/// them may be a mill, and with four its stones are taken only after the loose one.
#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn on_every_double_mill_against_three_and_four_stones() {
    assert!(crossings().len() >= 4, "corners and midpoints of the outer and the middle ring");
    for (centre, white) in crossings() {
        let taken: Vec<usize> = white.iter().copied().chain([centre]).collect();
        for (count, hands) in [(3, [1, 0]), (3, [2, 2]), (4, [1, 0])] {
            for black in subsets(&empty_beside(&taken), count) {
                let before = State::from_stones(board(&white, &black), Side::White, hands, 0);
                assert_agree(&before, OracleRules::PLAYOK);
                if count == 3 {
                    assert_agree(&before, OracleRules::STANDARD);
                }
            }
        }
    }
}

/// With three stones each, any stone may go anywhere.
#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn on_a_sample_of_the_positions_of_three_stones_against_three() {
    for white in white_sets(3).into_iter().step_by(12) {
        for black in subsets(&empty_beside(&white), 3).into_iter().step_by(7) {
            let state = State::from_stones(board(&white, &black), Side::White, [0, 0], 0);
            assert_agree(&state, OracleRules::STANDARD);
        }
    }
}

mod shrinking {
    //! The same comparison with inputs that shrink, so that a difference is shown at its smallest.

    use super::*;
    use proptest::prelude::*;

    /// Which of the legal turns to play, one number each.
    fn choices() -> impl Strategy<Value = Vec<u16>> {
        proptest::collection::vec(any::<u16>(), 0..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn on_games_by_their_choices(choices in choices(), option in 0..8_usize) {
            let rules = OracleRules::all()[option];
            let mut state = State::start();
            let mut ours = Position::start(engine_rules(rules));
            for choice in choices {
                compare(&state, &ours, rules).map_err(TestCaseError::fail)?;
                let mut turns = state.turns(rules);
                if turns.is_empty() {
                    break;
                }
                let (text, next) = turns.swap_remove(usize::from(choice) % turns.len());
                ours = ours.after(ours.parse_turn(&text).map_err(|e| TestCaseError::fail(e.to_string()))?);
                state = next;
            }
        }
    }
}
