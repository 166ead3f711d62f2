//! Play with the built-in endgame tables against an opponent who never errs: nothing is let go of.

use std::sync::{Arc, LazyLock};

use merel_engine::tablebase::file::Access;
use merel_engine::tablebase::{Distance, Tables, Value};
use merel_engine::{
    AllInMills, Color, Engine, Game, Info, Limits, Outcome, Position, Repetition, Rules, Score,
    SearchOptions, Setup, Turn,
};
use merel_tests::bridge::{Searched, depth, from_fen, oracle_rules, search, search_with};
use merel_tests::oracle::{State, splitmix64};

/// The built-in tables with room to keep every part decoded.
static TABLES: LazyLock<Arc<Tables>> = LazyLock::new(|| {
    let (mut tables, refused) = Tables::open(&[], Access::Map, 128);
    assert!(refused.is_empty());
    tables.add_builtin();
    Arc::new(tables)
});

/// The built-in sectors: stones of the side to move and of the other.
const SECTORS: [(u8, u8); 13] = [
    (3, 3),
    (4, 3),
    (3, 4),
    (4, 4),
    (5, 3),
    (3, 5),
    (5, 4),
    (4, 5),
    (5, 5),
    (6, 3),
    (3, 6),
    (7, 3),
    (3, 7),
];

type Random<'a> = &'a mut dyn FnMut() -> u64;

fn playok() -> Rules {
    merel_engine::Preset::Playok.into()
}

fn engine() -> Engine {
    let mut engine = Engine::new();
    engine.set_tables(Arc::clone(&TABLES));
    engine
}

/// A random position of a built-in sector in which the game goes on.
fn random_position(rules: Rules, random: Random<'_>) -> Position {
    loop {
        let (mover, other) = SECTORS[(random() % SECTORS.len() as u64) as usize];
        let to_move = Color::ALL[(random() % 2) as usize];
        let mut setup = Setup { hands: [0, 0], to_move, ..Setup::START };
        for (count, of) in [(mover, to_move), (other, !to_move)] {
            while setup.stones[of.index()].len() < u32::from(count) {
                let on = merel_engine::Point::from_index((random() % 24) as usize).bit();
                if (on & (setup.stones[0] | setup.stones[1])).is_empty() {
                    setup.stones[of.index()] = setup.stones[of.index()] | on;
                }
            }
        }
        let position = setup.check(rules).expect("a position");
        if position.outcome().is_none() {
            return position;
        }
    }
}

/// The first random position that fits.
fn random_position_with(
    rules: Rules,
    random: Random<'_>,
    fits: impl Fn(&Position) -> bool,
) -> Position {
    loop {
        let position = random_position(rules, random);
        if fits(&position) {
            return position;
        }
    }
}

fn exact(position: &Position) -> Distance {
    TABLES.dtw(position).unwrap_or_else(|| panic!("no value: {}", position.fen()))
}

fn turns(position: &Position) -> Vec<(Turn, Distance)> {
    TABLES.turns(position).unwrap_or_else(|| panic!("no values: {}", position.fen()))
}

/// The score that states a value exactly.
fn score(value: Distance) -> Score {
    match value {
        Distance::Win(plies) => Score::WinIn(plies.into()),
        Distance::Draw => Score::Cp(0),
        Distance::Loss(plies) => Score::LossIn(plies.into()),
    }
}

/// The line of a decided position is legal and has the length stated, and at its end, not before,
/// the game is won by the right side.
fn assert_line(game: &Game, info: &Info) {
    let (Score::WinIn(plies) | Score::LossIn(plies)) = info.score else { return };
    let position = game.position();
    let about = || format!("{}: {:?}", position.fen(), info.pv);
    assert_eq!(info.pv.len() as u32, plies, "{}", about());
    let mut game = game.clone();
    for &turn in &info.pv {
        assert_eq!(game.outcome(), None, "{turn} in {}", about());
        assert!(game.position().is_legal(turn), "{turn} in {}", about());
        game.play(turn);
    }
    let wins = matches!(info.score, Score::WinIn(_));
    let expected = if wins { position.to_move() } else { !position.to_move() };
    let won = matches!(game.outcome(), Some(Outcome::Win { winner, .. }) if winner == expected);
    assert!(won, "{}", about());
}

/// The same by the slow rules.
fn assert_line_by_oracle(game: &Game, info: &Info) {
    let (Score::WinIn(_) | Score::LossIn(_)) = info.score else { return };
    let fen = game.position().fen();
    let rules = oracle_rules(game.position().rules());
    let mut state = State::from_fen(&fen);
    for &turn in &info.pv {
        let next = state.turns(rules).into_iter().find(|(text, _)| *text == turn.to_string());
        let (_, next) = next.unwrap_or_else(|| panic!("{fen}: {turn} in {:?}", info.pv));
        state = next;
    }
    assert!(state.winner(rules).is_some(), "{fen}: {:?}", info.pv);
}

/// Asks the engine for a turn and checks what it says with it.
fn ask(engine: &mut Engine, game: &Game, expected: Distance, first: bool) -> Turn {
    let searched = search(engine, game, depth(3));
    let info = searched.last();
    assert_eq!(info.score, score(expected), "{}", game.position().fen());
    assert!(info.table_hits > 0);
    assert_eq!(info.pv[0], searched.result.best);
    assert_line(game, info);
    if first {
        assert_line_by_oracle(game, info);
    }
    searched.result.best
}

/// A turn of an opponent who never errs: the quickest win, the longest defence; in a draw now the
/// turn after which most replies lose, now any that keeps it.
fn faultless(position: &Position, random: Random<'_>) -> Turn {
    let turns = turns(position);
    let best = turns[0].1;
    let mut equal: Vec<Turn> =
        turns.iter().filter(|(_, worth)| *worth == best).map(|&(turn, _)| turn).collect();
    if best == Distance::Draw && random().is_multiple_of(2) {
        let losing = |turn: Turn| {
            let next = position.after(turn);
            let loses = |reply: &Turn| TABLES.wdl(&next.after(*reply)) == Some(Value::Win);
            let replies = next.legal_turns();
            replies.iter().filter(|reply| loses(reply)).count() * 1000 / replies.len().max(1)
        };
        equal.sort_by_cached_key(|&turn| std::cmp::Reverse(losing(turn)));
        return equal[0];
    }
    equal[(random() % equal.len() as u64) as usize]
}

/// Plays on from a position, the engine with the side to move or with the other, for so many plies
/// at most. The result must be the value it started from, in exactly the plies it says.
fn assert_kept(engine: &mut Engine, start: &Position, engine_first: bool, random: Random<'_>) {
    const DRAWN_PLIES: usize = 30;
    let value = exact(start);
    let most = value.plies().map_or(DRAWN_PLIES, usize::from);
    let mut game = Game::new(*start);
    let mut value_now = value;
    for ply in 0..most {
        if let Some(Outcome::Draw(_)) = game.outcome() {
            assert_eq!(value, Distance::Draw, "{}", start.fen());
            return;
        }
        assert_eq!(game.outcome(), None, "{} after {ply} plies", start.fen());
        let position = *game.position();
        assert_eq!(exact(&position), value_now, "{} {}", start.fen(), position.fen());
        let turn = if (ply % 2 == 0) == engine_first {
            ask(engine, &game, value_now, ply < 2)
        } else {
            faultless(&position, random)
        };
        game.play(turn);
        value_now = match value_now {
            Distance::Win(plies) => Distance::Loss(plies - 1),
            Distance::Draw => Distance::Draw,
            Distance::Loss(plies) => Distance::Win(plies - 1),
        };
    }
    let winner = match value {
        Distance::Win(_) => Some(start.to_move()),
        Distance::Draw => None,
        Distance::Loss(_) => Some(!start.to_move()),
    };
    let won = |outcome| match outcome {
        Some(Outcome::Win { winner, .. }) => Some(winner),
        _ => None,
    };
    assert_eq!(won(game.outcome()), winner, "{}", start.fen());
}

fn assert_all_kept(rules: Rules, positions: usize, seed: u64) {
    let mut random = splitmix64(seed);
    let mut engine = engine();
    let mut seen = [0; 3];
    for _ in 0..positions {
        let start = random_position(rules, &mut random);
        let engine_first = !random().is_multiple_of(3);
        seen[exact(&start).value() as usize] += 1;
        assert_kept(&mut engine, &start, engine_first, &mut random);
    }
    assert!(seen.iter().all(|&count| count * 50 > positions), "{seen:?} lost, drawn, won");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn no_win_or_draw_is_let_go_of_under_standard() {
    assert_all_kept(Rules::default(), 500, 501);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn no_win_or_draw_is_let_go_of_under_playok() {
    assert_all_kept(playok(), 500, 502);
}

/// A quiet turn there and the same stone's way back.
fn reversed(turn: Turn) -> Option<Turn> {
    (!turn.is_capture()).then(|| Some(Turn::step(turn.to()?, turn.from()?)))?
}

/// Plays turns as long as each is legal and quiet, and the game goes on after it.
fn quiet_line(start: &Position, line: &[Turn]) -> Option<Game> {
    let mut game = Game::new(*start);
    for &turn in line {
        if game.outcome().is_some() || turn.is_capture() || !game.position().is_legal(turn) {
            return None;
        }
        game.play(turn);
    }
    game.outcome().is_none().then_some(game)
}

/// What a root turn is worth when the game so far counts: a third occurrence after it, or after a
/// reply, is a draw.
fn worth_in(game: &Game, turn: Turn, worth: Distance) -> Distance {
    let drawn = |game: &Game| matches!(game.outcome(), Some(Outcome::Draw(_)));
    let mut after = game.clone();
    after.play(turn);
    let reply_draws = |reply: Turn| {
        let mut then = after.clone();
        then.play(reply);
        drawn(&then)
    };
    let escapes = matches!(worth, Distance::Win(_))
        && after.outcome().is_none()
        && after.position().legal_turns().into_iter().any(reply_draws);
    if drawn(&after) || escapes { Distance::Draw } else { worth }
}

/// The best that is left is played, and the score is no win where none is.
fn assert_best_in(engine: &mut Engine, game: &Game) {
    let position = game.position();
    let list = turns(position);
    let worths: Vec<(Turn, Distance)> =
        list.iter().map(|&(turn, worth)| (turn, worth_in(game, turn, worth))).collect();
    let best = worths.iter().map(|(_, worth)| *worth).max_by_key(|worth| worth.rank());
    let best = best.expect("a turn");
    assert_ne!(best, list[0].1, "repetition matters here");
    let searched = search(engine, game, depth(3));
    let played = worths.iter().find(|(turn, _)| *turn == searched.result.best).expect("legal");
    let about = format!("{} with {:?}", position.fen(), game.reversible_keys());
    assert_eq!(played.1, best, "{about}: {played:?}");
    assert_eq!(searched.last().score, score(best), "{about}");
    assert_line(game, searched.last());
}

/// A game whose only shortest win would bring a position for the third time, and that turn.
fn third_by_turn(rules: Rules, random: Random<'_>) -> Option<(Game, Turn)> {
    let end = random_position(rules, random);
    let (turn, _) = only_shortest_win(&end)?;
    let back = reversed(turn)?;
    let won = end.after(turn);
    let reply = any(&won, random)?;
    // The position after the turn comes first and once more; then it is the turn's to choose.
    let cycle = [reply, back, reversed(reply)?];
    let line: Vec<Turn> = cycle.into_iter().chain([turn]).chain(cycle).collect();
    Some((quiet_line(&won, &line)?, turn))
}

fn only_shortest_win(position: &Position) -> Option<(Turn, Distance)> {
    let list = turns(position);
    let (_, Distance::Win(_)) = list[0] else { return None };
    let alone = list.get(1).is_none_or(|(_, worth)| *worth != list[0].1);
    alone.then_some(list[0])
}

fn any(position: &Position, random: Random<'_>) -> Option<Turn> {
    let turns = position.legal_turns();
    let at = random().checked_rem(turns.len() as u64)?;
    turns.get(at as usize).copied()
}

#[test]
fn a_shortest_win_that_repeats_a_position_for_the_third_time_is_not_played() {
    let mut random = splitmix64(77);
    let mut engine = engine();
    let (mut other_win, mut no_win) = (0, 0);
    for _ in 0..if cfg!(debug_assertions) { 200 } else { 600 } {
        let Some((game, turn)) = third_by_turn(Rules::default(), &mut random) else { continue };
        let list = turns(game.position());
        assert_eq!(list[0].0, turn);
        let another = list.iter().any(|&(t, w)| t != turn && w.value() == Value::Win);
        *(if another { &mut other_win } else { &mut no_win }) += 1;
        assert_best_in(&mut engine, &game);
    }
    assert!(other_win > 0 && no_win > 0, "{other_win} with another win, {no_win} with none");
}

#[test]
fn where_repetition_does_not_count_the_shortest_win_is_played_however_often_it_occurred() {
    let rules = Rules { repetition: Repetition::Off, ..Rules::default() };
    let mut random = splitmix64(82);
    let mut engine = engine();
    let mut met = 0;
    for _ in 0..if cfg!(debug_assertions) { 50 } else { 500 } {
        let Some((game, turn)) = third_by_turn(rules, &mut random) else { continue };
        assert_eq!(ask(&mut engine, &game, exact(game.position()), true), turn);
        met += 1;
    }
    assert!(met > 0);
}

/// A game in whose shortest win the opponent can bring a position for the third time with the next
/// turn.
fn third_by_reply(random: Random<'_>) -> Option<Game> {
    let now = random_position(Rules::default(), random);
    let (turn, _) = only_shortest_win(&now)?;
    let back = reversed(turn)?;
    let next = now.after(turn);
    let reply = any(&next, random)?;
    // The position after the reply was there twice, by another way.
    let repeated = next.after(reply);
    let left = repeated.is_legal(back).then(|| repeated.after(back))?;
    let beside = |away: &&Turn| away.from() == reply.to() && away.to() != reply.from();
    let away = *left.legal_turns().iter().find(beside)?;
    quiet_line(&repeated, &[back, away, turn, reversed(away)?, back, reversed(reply)?])
}

#[test]
fn a_win_after_which_a_reply_repeats_a_position_for_the_third_time_is_not_played() {
    let mut random = splitmix64(78);
    let mut engine = engine();
    let mut met = 0;
    for _ in 0..if cfg!(debug_assertions) { 300 } else { 1_500 } {
        let Some(game) = third_by_reply(&mut random) else { continue };
        assert_best_in(&mut engine, &game);
        met += 1;
    }
    assert!(met > 5, "{met}");
}

#[test]
fn turns_asked_for_get_their_exact_value_even_when_they_let_go() {
    let mut random = splitmix64(79);
    let mut engine = engine();
    let mut let_go = 0;
    for _ in 0..if cfg!(debug_assertions) { 20 } else { 200 } {
        let position = random_position(playok(), &mut random);
        let list = turns(&position);
        let (turn, worth) = list[(random() % list.len() as u64) as usize];
        let_go += usize::from(worth.value() < list[0].1.value());
        let game = Game::new(position);
        let limits = Limits { search_turns: vec![turn], ..depth(4) };
        let searched = search(&mut engine, &game, limits);
        assert_eq!(searched.result.best, turn);
        assert_eq!(searched.last().score, score(worth), "{turn} in {}", position.fen());
        assert_line(&game, searched.last());
    }
    assert!(let_go > 5, "{let_go}");
}

/// The reports of the last iteration in order.
fn last_lines(searched: &Searched) -> &[Info] {
    let start = searched.infos.iter().rposition(|info| info.multi_pv == 1).expect("a report");
    &searched.infos[start..]
}

#[test]
fn several_lines_give_every_turn_its_exact_value_best_first() {
    let mut random = splitmix64(80);
    let mut engine = engine();
    let options = SearchOptions { multi_pv: 512, ..SearchOptions::default() };
    let mut with_capture_due = 0;
    for number in 0..if cfg!(debug_assertions) { 6 } else { 60 } {
        let mut position = random_position(Rules::default(), &mut random);
        // Now and then a capture is still due.
        let mill = position.legal_turns().into_iter().find(|turn| turn.is_capture());
        if let Some(part) = mill.and_then(Turn::without_captures).filter(|_| number % 2 == 0) {
            position = position.after_part(part);
            with_capture_due += 1;
        }
        let game = Game::new(position);
        let searched = search_with(&mut engine, &game, depth(2), options);
        let mut expected = turns(&position);
        let lines = last_lines(&searched);
        let scores: Vec<Score> = lines.iter().map(|info| info.score).collect();
        let of_tables: Vec<Score> = expected.iter().map(|&(_, worth)| score(worth)).collect();
        assert_eq!(scores, of_tables, "{}", position.fen());
        let mut told: Vec<(Turn, Score)> = lines.iter().map(|i| (i.pv[0], i.score)).collect();
        told.sort_by_key(|(turn, _)| *turn);
        expected.sort_by_key(|(turn, _)| *turn);
        assert!(told.into_iter().eq(expected.into_iter().map(|(t, worth)| (t, score(worth)))));
        for info in lines {
            assert_line(&game, info);
        }
    }
    assert!(with_capture_due > 0);
}

/// Each of these turns and no other is listed with its value by the tables, best first.
fn assert_listed(game: &Game, searched: &Searched, asked: &[Turn]) {
    let about = game.position().fen();
    let expected: Vec<(Turn, Score)> = turns(game.position())
        .into_iter()
        .filter(|(turn, _)| asked.contains(turn))
        .map(|(turn, worth)| (turn, score(worth)))
        .collect();
    let lines = last_lines(searched);
    assert!(lines.iter().map(|i| i.score).eq(expected.iter().map(|&(_, s)| s)), "{about}");
    let mut told: Vec<Turn> = lines.iter().map(|info| info.pv[0]).collect();
    for info in lines {
        assert!(expected.contains(&(info.pv[0], info.score)), "{about}: {}", info.pv[0]);
        assert_line(game, info);
    }
    told.sort_unstable();
    told.dedup();
    assert_eq!(told.len(), expected.len(), "{about}");
    assert_eq!(searched.result.best, lines[0].pv[0]);
}

#[test]
fn of_turns_asked_for_each_is_listed_with_its_exact_value() {
    let mut random = splitmix64(84);
    let mut engine = engine();
    let options = SearchOptions { multi_pv: 512, ..SearchOptions::default() };
    for _ in 0..if cfg!(debug_assertions) { 6 } else { 60 } {
        let position = random_position(playok(), &mut random);
        let legal = position.legal_turns();
        let some = |_: &Turn| !random().is_multiple_of(3);
        let mut asked: Vec<Turn> = legal.iter().copied().filter(some).collect();
        if asked.is_empty() {
            asked.push(legal[0]);
        }
        let game = Game::new(position);
        let limits = Limits { search_turns: asked.clone(), ..depth(3) };
        let searched = search_with(&mut engine, &game, limits, options);
        assert_listed(&game, &searched, &asked);
    }
}

#[test]
fn with_the_last_stone_to_be_placed_every_turn_has_its_exact_value() {
    let mut random = splitmix64(85);
    let mut engine = engine();
    let options = SearchOptions { multi_pv: 512, ..SearchOptions::default() };
    let mut wins = 0;
    for _ in 0..if cfg!(debug_assertions) { 6 } else { 40 } {
        // A stone of the side to move is taken back into its hand.
        let position = random_position_with(Rules::default(), &mut random, |position| {
            position.stones(position.to_move()).len() > 3
        });
        let us = position.to_move();
        let mut setup = Setup { to_move: us, hands: [0, 0], ..Setup::START };
        setup.stones = Color::ALL.map(|color| position.stones(color));
        let taken = setup.stones[us.index()].into_iter().next().expect("a stone");
        setup.stones[us.index()] = setup.stones[us.index()].without(taken.bit());
        setup.hands[us.index()] = 1;
        let game = Game::new(setup.check(Rules::default()).expect("a position"));
        let searched = search_with(&mut engine, &game, depth(3), options);
        assert_listed(&game, &searched, &game.position().legal_turns());
        wins += usize::from(matches!(searched.last().score, Score::WinIn(_)));
        // Not beyond the number of stones they may be asked about.
        let stones = position.stones(us).len() + position.stones(!us).len();
        let fewer = SearchOptions { table_stones: stones - 1, ..options };
        let searched = search_with(&mut engine, &game, depth(1), fewer);
        assert!(searched.infos.iter().all(|info| info.table_hits == 0), "{}", position.fen());
    }
    assert!(wins > 0);
}

#[test]
fn tables_are_not_asked_under_rules_that_change_their_values() {
    let standard = Rules::default();
    let mut random = splitmix64(81);
    let mut engine = engine();
    for rules in [
        Rules { no_immediate_return: true, ..standard },
        Rules { all_in_mills: AllInMills::None, ..standard },
    ] {
        for _ in 0..10 {
            let position = random_position(rules, &mut random);
            let searched = search(&mut engine, &Game::new(position), depth(4));
            assert!(searched.infos.iter().all(|info| info.table_hits == 0), "{}", position.fen());
        }
    }
    // Nor beyond the number of stones they may be asked about.
    let options = SearchOptions { table_stones: 0, ..SearchOptions::default() };
    let position = random_position(standard, &mut random);
    let searched = search_with(&mut engine, &Game::new(position), depth(4), options);
    assert!(searched.infos.iter().all(|info| info.table_hits == 0));
}

#[test]
fn a_quiet_limit_that_a_win_keeps_leaves_it_exact_and_one_that_it_may_not_keep_claims_none() {
    let limit = 20_u16;
    let rules = Rules { quiet_limit: limit, ..Rules::default() };
    let mut random = splitmix64(83);
    let mut engine = engine();
    let (mut kept, mut late) = (0, 0);
    for _ in 0..if cfg!(debug_assertions) { 10 } else { 60 } {
        let fits = |position: &Position| {
            let plies = |(_, worth): &(Turn, Distance)| worth.plies().unwrap_or(0);
            let longest = turns(position).iter().map(plies).max().unwrap_or(0);
            exact(position) != Distance::Draw
                && (longest < 12 || exact(position).plies() > Some(20))
        };
        let position = random_position_with(rules, &mut random, fits);
        let value = exact(&position);
        // Some quiet turns are over already.
        let quiet = if value.plies() <= Some(12) { random() % 9 } else { 15 };
        let fen = position.fen().replace(" 0 0 1 ids:nodes", &format!(" 0 {quiet} 40 ids:nodes"));
        let position = from_fen(&fen, rules);
        assert_eq!(u64::from(position.quiet()), quiet);
        let game = Game::new(position);
        let searched = search(&mut engine, &game, depth(4));
        let left = u32::from(limit) - quiet as u32;
        if value.plies().is_some_and(|plies| plies < 12 && u32::from(plies) <= left) {
            kept += 1;
            assert_eq!(searched.last().score, score(value), "{fen}");
            assert_line(&game, searched.last());
        } else {
            late += 1;
            // A proved result must be one that the search itself has found within its depth.
            assert_ne!(searched.last().score, score(value), "{fen}");
        }
    }
    assert!(kept > 0 && late > 0, "{kept} {late}");
}

/// A part takes a tenth of a millisecond to decode, and a root with its replies asks for dozens of
/// them: at 5 ms a turn that cost games on time.
#[test]
fn parts_not_yet_decoded_do_not_outlast_the_time_of_a_turn() {
    let mut random = splitmix64(11);
    for _ in 0..20 {
        let position = random_position(Rules::default(), &mut random);
        let tables = Arc::new(Tables::builtin());
        let mut engine = Engine::new();
        engine.set_tables(Arc::clone(&tables));
        engine.prepare(&SearchOptions::default());
        let before = tables.decoded();
        let no_time = Limits { move_time: Some(std::time::Duration::ZERO), ..Limits::default() };
        let searched = search(&mut engine, &Game::new(position), no_time);
        assert!(position.is_legal(searched.result.best));
        let decoded = tables.decoded() - before;
        // What a single position asks for, with its captures.
        assert!(decoded <= 12, "{decoded} parts at {}", position.fen());
    }
}
