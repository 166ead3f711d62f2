//! What has gone wrong with scores in other programs.

use merel_engine::{Engine, Info, Rules, Score, SearchOptions};
use merel_tests::bridge::{depth, from_fen, played, search, search_with};

/// Both sides fly, White closes a mill with a7-d7.
const FLYING: &str = "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";

fn game(fen: &str) -> merel_engine::Game {
    merel_engine::Game::new(from_fen(fen, Rules::default()))
}

#[test]
fn a_win_by_the_capture_due_has_the_right_sign() {
    let fen = FLYING.replace(" s 3 0 3 0 0 0", " r 3 0 3 0 1 0");
    for plies in 1..=4 {
        let searched = search(&mut Engine::new(), &game(&fen), depth(plies));
        for info in &searched.infos {
            assert_eq!(info.score, Score::WinIn(1));
            assert_eq!(info.score.mate_turns(), Some(1));
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn the_distance_of_a_win_does_not_drift_with_the_depth() {
    let fen = "O**O*@**/**O*@***/*@****** w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";
    let mut kept = Engine::new();
    for plies in [4, 10, 20, 35] {
        for engine in [&mut Engine::new(), &mut kept] {
            let searched = search(engine, &game(fen), depth(plies));
            assert_eq!(searched.last().score.mate_turns(), Some(2), "depth {plies}");
            assert_eq!(searched.last().score, Score::WinIn(3), "depth {plies}");
            assert_eq!(searched.last().pv.len(), 3, "depth {plies}");
        }
    }
}

fn lines(game: &merel_engine::Game, plies: u32, count: usize) -> Vec<Info> {
    let options = SearchOptions { multi_pv: count, ..SearchOptions::default() };
    let infos = search_with(&mut Engine::new(), game, depth(plies), options).infos;
    let last = infos.last().expect("a report").depth;
    infos.into_iter().filter(|info| info.depth == last).collect()
}

#[test]

fn turns_that_close_a_mill_are_ranked_near_the_top() {
    let placing = played(Rules::default(), "a7 b6 d7 d6");
    for plies in 1..=5 {
        let lines = lines(&placing, plies, 20);
        assert_eq!(lines.len(), 20);
        let firsts: Vec<String> = lines.iter().map(|line| line.pv[0].to_string()).collect();
        for turn in ["g7xb6", "g7xd6"] {
            let rank = firsts.iter().position(|first| first == turn).expect("a line of its own");
            assert!(rank < 4, "{turn} at depth {plies}: {firsts:?}");
        }
    }
    let flying = game(FLYING);
    for plies in 1..=5 {
        let lines = lines(&flying, plies, 20);
        assert!(lines[0].pv[0].to_string().starts_with("a7-d7x"), "{:?}", lines[0]);
        assert_eq!(lines[0].score.mate_turns(), Some(1));
    }
}

#[test]

fn the_side_that_has_a_capture_to_make_is_the_one_that_is_better() {
    let closed = played(Rules::default(), "a7 b6 d7 d6 g7");
    assert_eq!(closed.position().to_move(), merel_engine::Color::White);
    for plies in 1..=6 {
        let searched = search(&mut Engine::new(), &closed, depth(plies));
        let text = searched.result.best.to_string();
        assert!(["xb6", "xd6"].contains(&text.as_str()), "{text}");
        for info in &searched.infos {
            assert!(matches!(info.score, Score::Cp(cp) if cp > 0), "{info:?}");
        }
        // From the other side's view after the capture it is bad.
        let mut after = closed.clone();
        after.play(searched.result.best);
        let reply = search(&mut Engine::new(), &after, depth(plies));
        assert!(matches!(reply.last().score, Score::Cp(cp) if cp < 0), "{:?}", reply.last());
    }
}
