//! How a search behaves: it keeps its limits, answers once, repeats itself exactly, and knows the
//! history of the game.

use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use merel_engine::{
    BestTurn, Clock, Engine, Game, Info, Limits, Outcome, Position, Preset, Report, Rules, Score,
    SearchOptions, Strength, Turn,
};
use merel_tests::bridge::{
    Searched, depth, engine_rules, from_fen, nodes, played, position, search, search_with,
};
use merel_tests::oracle::{OracleRules, State, splitmix64};

/// Both sides fly, and White wins at once.
const WON: &str = "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";

fn game(fen: &str) -> Game {
    Game::new(from_fen(fen, Rules::default()))
}

/// A game in each phase.
fn games() -> Vec<Game> {
    let nine_each = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4";
    vec![
        Game::start(Rules::default()),
        played(Rules::default(), "a7 b6 d7 d6 g7"),
        played(Preset::Playok.into(), "d5 d1 d6 a1 d7xd1 b4 b6 a7 f6xb4 a4xd6"),
        played(Rules::default(), nine_each),
        game("O**O*@**/**O*@***/*@****** w m s 3 0 3 0 0 0 0 0 0 0 0 0 1"),
    ]
}

/// Starts a search and gives back its reports as they come.
fn start(engine: &mut Engine, game: &Game, limits: Limits) -> Receiver<Report> {
    let (sender, reports) = mpsc::channel();
    engine.start(game, limits, SearchOptions::default(), move |report| {
        // A test that has seen enough no longer listens.
        let _ = sender.send(report);
    });
    reports
}

/// Whether a result comes within the time.
fn result_within(reports: &Receiver<Report>, time: Duration) -> Option<BestTurn> {
    let until = Instant::now() + time;
    loop {
        match reports.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Report::Done(result)) => return Some(result),
            Ok(Report::Info(_)) => {}
            Err(_) => return None,
        }
    }
}

/// Long enough for any answer that comes at all, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);
/// Long enough to see that no answer comes.
const SHORT: Duration = Duration::from_millis(60);

mod limits {
    //! Each limit ends the search where it says.

    use super::*;

    #[test]
    fn depth_is_the_last_iteration() {
        for game in games() {
            for plies in 1..=6 {
                let searched = search(&mut Engine::new(), &game, depth(plies));
                let depths: Vec<u32> = searched.infos.iter().map(|info| info.depth).collect();
                assert_eq!(depths.last(), Some(&plies));
                assert!(depths.is_sorted(), "{depths:?}");
                assert_eq!(depths.first(), Some(&1), "{depths:?}");
            }
        }
    }

    #[test]
    fn nodes_are_counted_exactly() {
        for game in games() {
            for count in [1, 2, 3, 50, 1_000, 1_023, 1_024, 1_025, 20_000] {
                let searched = search(&mut Engine::new(), &game, nodes(count));
                let visited = searched.last().nodes;
                assert_eq!(visited, count, "{} of {count}", game.position().fen());
                assert!(game.position().is_legal(searched.result.best));
            }
        }
    }

    #[test]
    fn the_first_limit_reached_ends_the_search() {
        let start = Game::start(Rules::default());
        let both = Limits { depth: Some(3), ..nodes(100_000_000) };
        assert_eq!(search(&mut Engine::new(), &start, both).last().depth, 3);
        let both = Limits { depth: Some(200), ..nodes(5_000) };
        assert_eq!(search(&mut Engine::new(), &start, both).last().nodes, 5_000);
        let both = Limits { move_time: Some(PATIENCE), ..depth(3) };
        let before = Instant::now();
        assert_eq!(search(&mut Engine::new(), &start, both).last().depth, 3);
        assert!(before.elapsed() < PATIENCE / 2);
    }

    #[test]
    fn time_for_a_turn_is_used_and_kept() {
        let time = Duration::from_millis(100);
        let limits = Limits { move_time: Some(time), depth: Some(240), ..Limits::default() };
        let before = Instant::now();
        let _ = search(&mut Engine::new(), &Game::start(Rules::default()), limits);
        let taken = before.elapsed();
        let kept_back = SearchOptions::default().move_overhead;
        // Late by no more than a busy machine explains.
        assert!(
            taken >= time - kept_back && taken < time + Duration::from_millis(400),
            "{taken:?}"
        );
    }

    #[test]
    fn a_clock_is_not_run_down() {
        let mut engine = Engine::new();
        for turns_to_go in [None, Some(1), Some(40)] {
            let clock = Clock {
                remaining: Duration::from_millis(600),
                increment: Duration::ZERO,
                turns_to_go,
            };
            let limits = Limits { clock: Some(clock), ..Limits::default() };
            let before = Instant::now();
            let _ = search(&mut engine, &Game::start(Rules::default()), limits);
            assert!(before.elapsed() < clock.remaining, "{turns_to_go:?}: {:?}", before.elapsed());
        }
    }

    #[test]
    fn a_clock_with_nothing_left_is_answered_at_once() {
        let clock =
            Clock { remaining: Duration::ZERO, increment: Duration::ZERO, turns_to_go: None };
        for game in games() {
            let limits = Limits { clock: Some(clock), ..Limits::default() };
            let before = Instant::now();
            let searched = search(&mut Engine::new(), &game, limits);
            assert!(game.position().is_legal(searched.result.best));
            assert!(before.elapsed() < Duration::from_millis(500), "{:?}", before.elapsed());
        }
    }

    #[test]
    fn only_the_turns_asked_for_are_considered() {
        let legal = game(WON).position().legal_turns();
        let quiet: Vec<Turn> = legal.iter().copied().filter(|turn| !turn.is_capture()).collect();
        for asked in [&quiet[..1], &quiet[3..9]] {
            let limits = Limits { search_turns: asked.to_vec(), ..depth(5) };
            let options = SearchOptions { multi_pv: 40, ..SearchOptions::default() };
            let searched = search_with(&mut Engine::new(), &game(WON), limits, options);
            assert!(asked.contains(&searched.result.best));
            assert!(searched.infos.iter().all(|info| asked.contains(&info.pv[0])));
            let lines = searched.infos.iter().map(|info| info.multi_pv).max();
            assert_eq!(lines, Some(asked.len()));
        }
    }

    #[test]
    #[should_panic(expected = "the game is over")]
    fn a_finished_game_cannot_be_searched() {
        let over = "O@O@O@O@/@*@*@*@*/******** w m s 4 0 8 0 0 0 0 0 0 0 0 0 1";
        Engine::new().start(&game(over), depth(1), SearchOptions::default(), |_| ());
    }
}

mod repeatability {
    //! One thread does the same thing every time.

    use super::*;

    /// All of a report but the time it took.
    fn timeless(searched: &Searched) -> (Vec<Info>, BestTurn) {
        let strip = |info: &Info| Info { time: Duration::ZERO, ..info.clone() };
        (searched.infos.iter().map(strip).collect(), searched.result)
    }

    fn assert_same(one: &Searched, two: &Searched) {
        assert_eq!(format!("{:?}", timeless(one)), format!("{:?}", timeless(two)));
    }

    #[test]
    fn of_fresh_engines() {
        for game in games() {
            for limit in [nodes(777), nodes(60_000), depth(6)] {
                let one = search(&mut Engine::new(), &game, limit.clone());
                let two = search(&mut Engine::new(), &game, limit);
                assert_same(&one, &two);
            }
        }
    }

    #[test]
    fn of_an_engine_that_has_forgotten_everything() {
        let mut used = Engine::new();
        for game in games() {
            let fresh = search(&mut Engine::new(), &game, nodes(30_000));
            let _ = search(&mut used, &Game::start(Rules::default()), nodes(30_000));
            used.clear_hash();
            assert_same(&fresh, &search(&mut used, &game, nodes(30_000)));
        }
    }

    #[test]
    fn with_several_lines() {
        let options = SearchOptions { multi_pv: 5, ..SearchOptions::default() };
        for game in games() {
            let run = || search_with(&mut Engine::new(), &game, nodes(20_000), options);
            assert_same(&run(), &run());
        }
    }
}

mod several_lines {
    //! `MultiPV`.

    use super::*;

    /// Larger is better.
    fn rank(score: Score) -> i64 {
        match score {
            Score::Cp(cp) => i64::from(cp),
            Score::WinIn(plies) => 1_000_000 - i64::from(plies),
            Score::LossIn(plies) => i64::from(plies) - 1_000_000,
        }
    }

    /// The reports in groups of one iteration.
    fn assert_groups(searched: &Searched, lines: usize) {
        for group in searched.infos.chunk_by(|a, b| b.multi_pv == a.multi_pv + 1) {
            let ranks: Vec<usize> = group.iter().map(|info| info.multi_pv).collect();
            assert_eq!(ranks, (1..=lines).collect::<Vec<_>>());
            let scores: Vec<Score> = group.iter().map(|info| info.score).collect();
            assert!(scores.is_sorted_by_key(|&score| -rank(score)), "{scores:?}");
            let mut firsts: Vec<Turn> = group.iter().map(|info| info.pv[0]).collect();
            firsts.sort_unstable();
            firsts.dedup();
            assert_eq!(firsts.len(), lines, "a turn heads two lines");
        }
    }

    #[test]
    fn are_distinct_and_sorted() {
        for game in games() {
            let legal = game.position().legal_turns().len();
            for wanted in [1, 2, 5, 500] {
                let options = SearchOptions { multi_pv: wanted, ..SearchOptions::default() };
                let searched = search_with(&mut Engine::new(), &game, depth(4), options);
                assert_groups(&searched, wanted.min(legal));
                assert_eq!(searched.last().pv[0], searched.result.best);
            }
        }
    }

    #[test]
    fn are_distinct_and_sorted_when_the_search_is_cut_short() {
        for game in games() {
            let legal = game.position().legal_turns().len();
            let options = SearchOptions { multi_pv: 4, ..SearchOptions::default() };
            for count in [1, 10, 100, 1_000, 3_000, 9_999] {
                let searched = search_with(&mut Engine::new(), &game, nodes(count), options);
                assert_groups(&searched, legal.min(4));
            }
        }
    }
}

mod waiting {
    //! Searches that end only when told to.

    use super::*;

    #[test]
    fn an_infinite_search_has_no_result_before_it_is_stopped() {
        // The win is found at once, and there is nothing more to look for.
        let limits = Limits { infinite: true, ..depth(2) };
        for limits in [limits.clone(), Limits { nodes: Some(10), ..limits }] {
            let mut engine = Engine::new();
            let reports = start(&mut engine, &game(WON), limits);
            assert_eq!(result_within(&reports, SHORT), None);
            assert!(engine.is_searching());
            engine.stop();
            let result = result_within(&reports, PATIENCE).expect("a result after the stop");
            assert!(game(WON).position().is_legal(result.best));
            engine.wait();
            assert!(!engine.is_searching());
        }
    }

    #[test]
    fn a_search_without_limits_goes_on_until_it_is_stopped() {
        let mut engine = Engine::new();
        let reports = start(&mut engine, &Game::start(Rules::default()), Limits::default());
        assert_eq!(result_within(&reports, SHORT), None);
        engine.stop();
        assert!(result_within(&reports, PATIENCE).is_some());
    }

    #[test]
    fn a_pondering_search_keeps_its_limits_for_later() {
        let limits = Limits {
            ponder: true,
            move_time: Some(Duration::from_millis(30)),
            ..Limits::default()
        };
        let mut engine = Engine::new();
        let reports = start(&mut engine, &Game::start(Rules::default()), limits.clone());
        assert_eq!(result_within(&reports, 2 * SHORT), None);
        let hit = Instant::now();
        engine.ponder_hit();
        assert!(result_within(&reports, PATIENCE).is_some());
        // At most a fifth is kept back for delays.
        assert!(hit.elapsed() >= Duration::from_millis(24), "the time runs from the hit");
        // Or it is stopped, as when another turn was made.
        let reports = start(&mut engine, &Game::start(Rules::default()), limits);
        assert_eq!(result_within(&reports, SHORT), None);
        engine.stop();
        assert!(result_within(&reports, PATIENCE).is_some());
    }

    #[test]
    fn a_pondering_search_that_is_done_waits_for_the_hit() {
        let limits = Limits { ponder: true, ..depth(2) };
        let mut engine = Engine::new();
        let reports = start(&mut engine, &game(WON), limits);
        assert_eq!(result_within(&reports, SHORT), None);
        engine.ponder_hit();
        assert!(result_within(&reports, PATIENCE).is_some());
    }

    #[test]
    fn a_search_stopped_at_once_has_a_line_and_a_result() {
        let mut engine = Engine::new();
        for threads in [1, 2] {
            engine.set_threads(threads).expect("threads");
            for game in games().iter().cycle().take(60) {
                let (sender, reports) = mpsc::channel();
                let options = SearchOptions::default();
                engine.start(game, Limits::default(), options, move |report| {
                    sender.send(report).expect("listening");
                });
                engine.stop();
                let all: Vec<Report> = reports.iter().collect();
                let [before @ .., Report::Done(result)] = &all[..] else {
                    panic!("no result at the end of {all:?}");
                };
                assert!(before.iter().any(|report| matches!(report, Report::Info(_))));
                assert!(before.iter().all(|report| !matches!(report, Report::Done(_))));
                assert!(game.position().is_legal(result.best));
            }
        }
    }

    #[test]
    fn whichever_thread_finishes_an_iteration_it_is_told_once_and_in_order() {
        let mut engine = Engine::new();
        engine.set_threads(3).expect("threads");
        for game in games() {
            engine.clear_hash();
            let searched = search(&mut engine, &game, depth(11));
            let depths: Vec<u32> = searched.infos.iter().map(|info| info.depth).collect();
            assert!(depths.is_sorted_by(|a, b| a < b), "{depths:?}");
            for info in &searched.infos {
                let mut position = *game.position();
                for &turn in &info.pv {
                    assert!(position.is_legal(turn), "{turn} in {info:?}");
                    position = position.after(turn);
                }
            }
            assert_eq!(searched.infos.last().map(|info| info.pv[0]), Some(searched.result.best));
        }
    }

    #[test]
    fn an_engine_dropped_in_the_middle_of_a_search_ends() {
        let mut engine = Engine::new();
        engine.set_threads(2).expect("threads");
        let reports = start(&mut engine, &Game::start(Rules::default()), Limits::default());
        drop(engine);
        assert!(result_within(&reports, PATIENCE).is_some());
    }

    #[test]
    fn a_stop_without_a_search_stops_no_later_one() {
        let mut engine = Engine::new();
        engine.stop();
        engine.ponder_hit();
        let searched = search(&mut engine, &Game::start(Rules::default()), depth(4));
        assert_eq!(searched.last().depth, 4);
    }
}

mod history {
    //! Draws by repetition, avoided when ahead and taken when behind.

    use super::*;

    /// A stone to and fro.
    #[derive(Clone, Copy)]
    struct Shuffle {
        there: Turn,
        back: Turn,
    }

    /// Two shuffles, of the side to move and of the other, that lead back to a position; or none.
    fn shuffles(position: &Position) -> Option<(Shuffle, Shuffle)> {
        for there in quiet_turns(position) {
            let after = position.after(there);
            for reply in quiet_turns(&after) {
                let home = |turn: Turn| Some(Turn::step(turn.to()?, turn.from()?));
                let (back, reply_back) = (home(there)?, home(reply)?);
                let middle = after.after(reply);
                if !quiet_turns(&middle).contains(&back) {
                    continue;
                }
                if quiet_turns(&middle.after(back)).contains(&reply_back) {
                    let own = Shuffle { there, back };
                    return Some((own, Shuffle { there: reply, back: reply_back }));
                }
            }
        }
        None
    }

    fn quiet_turns(position: &Position) -> Vec<Turn> {
        position.legal_turns().into_iter().filter(|turn| !turn.is_capture()).collect()
    }

    /// Seven stones against four, the seven well ahead, White or Black.
    fn ahead(rng: &mut impl FnMut() -> u64) -> Game {
        loop {
            let state = State::random_setup(rng);
            let counts = (state.on_board(state.side()), state.on_board(state.side().other()));
            let moving = state.hand(state.side()) + state.hand(state.side().other()) == 0;
            if moving && counts.0 >= 6 && counts.1 == 4 && state.captures_due() == 0 {
                let game = Game::new(position(&state, Rules::default()));
                if game.outcome().is_none() && shuffles(game.position()).is_some() {
                    return game;
                }
            }
        }
    }

    fn better_than(score: Score, cp: i32) -> bool {
        match score {
            Score::Cp(found) => found > cp,
            Score::WinIn(_) => true,
            Score::LossIn(_) => false,
        }
    }

    /// The game after `turns` turns of both shuffling from its position on.
    fn shuffled(game: &Game, turns: usize) -> (Game, Turn) {
        let (own, other) = shuffles(game.position()).expect("looked for before");
        let cycle = [own.there, other.there, own.back, other.back];
        let mut game = game.clone();
        for &turn in cycle.iter().cycle().take(turns) {
            assert_eq!(game.outcome(), None);
            game.play(turn);
        }
        (game, cycle[turns % 4])
    }

    #[test]
    #[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
    fn a_draw_is_taken_by_the_side_that_is_behind() {
        let mut rng = splitmix64(71);
        let mut taken = 0;
        for _ in 0..40 {
            // The eighth turn, by the side that is behind, is the third occurrence.
            let (game, drawing) = shuffled(&ahead(&mut rng), 7);
            let searched = search(&mut Engine::new(), &game, depth(6));
            assert!(better_than(searched.last().score, -1), "{:?}", searched.last());
            if searched.last().score == Score::Cp(0) && searched.result.best == drawing {
                taken += 1;
                assert_eq!(searched.last().pv, [drawing], "the game ends there");
            }
            let mut end = game.clone();
            end.play(drawing);
            assert!(matches!(end.outcome(), Some(Outcome::Draw(_))));
        }
        assert!(taken >= 30, "taken {taken} times");
    }

    #[test]
    #[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
    fn a_draw_is_avoided_by_the_side_that_is_ahead() {
        let mut rng = splitmix64(72);
        let mut tempted = 0;
        while tempted < 25 {
            // The side that is ahead comes second: let the other shuffle first.
            let first = ahead(&mut rng);
            let Some(before) = quiet_turns(first.position()).first().copied() else { continue };
            let mut game = first.clone();
            game.play(before);
            if game.outcome().is_some() || shuffles(game.position()).is_none() {
                continue;
            }
            let (game, drawing) = shuffled(&Game::new(*game.position()), 7);
            let searched = search(&mut Engine::new(), &game, depth(6));
            if better_than(searched.last().score, 60) {
                tempted += 1;
                assert_ne!(searched.result.best, drawing, "{}", game.position().fen());
            }
        }
    }

    #[test]
    fn the_history_changes_the_score_and_not_the_position() {
        let mut rng = splitmix64(73);
        let (game, _) = shuffled(&ahead(&mut rng), 7);
        let with = search(&mut Engine::new(), &game, depth(6));
        let without = search(&mut Engine::new(), &Game::new(*game.position()), depth(6));
        assert!(better_than(with.last().score, -1));
        assert!(!better_than(without.last().score, -1), "{:?}", without.last());
    }
}

mod always_an_answer {
    //! Whatever is asked, one legal turn comes back.

    use super::*;

    /// Plays a game to its end or to a bound; each answer has to be legal for the oracle too.
    fn play_against_itself(rules: OracleRules, options: SearchOptions, seed: u64) {
        let rules_of_game = Rules { quiet_limit: 40, ..engine_rules(rules) };
        let mut rng = splitmix64(seed);
        let mut engine = Engine::new();
        let mut state = State::start();
        let mut game = Game::start(rules_of_game);
        for _ in 0..200 {
            if game.outcome().is_some() {
                return;
            }
            let searched = search_with(&mut engine, &game, nodes(50 + rng() % 500), options);
            let text = searched.result.best.to_string();
            let mut turns = state.turns(rules).into_iter();
            let (_, next) = turns.find(|(known, _)| *known == text).expect("a legal turn");
            assert!(!searched.infos.is_empty());
            state = next;
            game.play(searched.result.best);
        }
    }

    #[test]
    #[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
    fn in_games_against_itself_under_all_rules() {
        for (number, rules) in (0..).zip(OracleRules::all()) {
            for game in 0..3 {
                play_against_itself(rules, SearchOptions::default(), 100 * number + game);
            }
        }
    }

    #[test]
    #[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
    fn at_every_strength() {
        let elo = Strength::ELO_RANGE;
        let levels = (0..=Strength::MAX_LEVEL).map(Strength::Level);
        let ratings = [*elo.start(), *elo.end(), 0, 9_999].map(Strength::Elo);
        for (number, strength) in (0..).zip(levels.chain(ratings)) {
            let options = SearchOptions { strength, ..SearchOptions::default() };
            play_against_itself(OracleRules::PLAYOK, options, number);
        }
    }

    #[test]
    fn in_a_table_of_the_smallest_size() {
        let mut engine = Engine::new();
        for size in [0, 1, 2, 3] {
            engine.set_hash(size).expect("a small table");
            for game in games() {
                let searched = search(&mut engine, &game, nodes(5_000));
                assert!(game.position().is_legal(searched.result.best));
            }
        }
    }

    #[test]
    fn with_one_turn_only() {
        let moves = "e3 b4 a4 e4 e5 b2 f2 c3 d3 d1 g4 d7 g1 g7 f4 d5 d2 f6 a4-a7 b4-b6";
        let game = played(Rules::default(), moves);
        for limits in [nodes(1), depth(1), depth(5)] {
            let searched = search(&mut Engine::new(), &game, limits);
            assert_eq!(searched.result.best.to_string(), "a7-a4");
        }
    }
}
