//! Positions with a single turn that keeps the win or the draw.

use merel_engine::{Engine, Game, Rules, Score};
use merel_tests::bridge::{EpdLine, epd, from_fen, nodes, search};

/// Enough for about a tenth of a second.
const NODES: u64 = 500_000;

/// Whether few stones decide the line, so that all of them soon fly.
fn is_small(line: &EpdLine) -> bool {
    ["3-3", "4-3"].contains(&line.get("needs").expect("a sector"))
}

/// Whether the turn is found. A proved result that is not true fails the test at once.
fn is_found(line: &EpdLine) -> bool {
    let game = Game::new(from_fen(&line.fen, Rules::default()));
    let searched = search(&mut Engine::new(), &game, nodes(NODES));
    let plies = line.get("plies").and_then(|text| text.parse().ok());
    let true_score = match searched.last().score {
        Score::Cp(_) => true,
        Score::WinIn(found) => line.get("value") == Some("win") && Some(found) >= plies,
        Score::LossIn(_) => line.get("value") == Some("loss"),
    };
    assert!(true_score, "{line:?}: {:?}", searched.last());
    line.get("bm") == Some(&searched.result.best.to_string())
}

/// A selective search misses some within its nodes; never fewer than these may be found.
fn assert_found(lines: &[EpdLine], least: usize) {
    let (found, missed): (Vec<_>, Vec<_>) = lines.iter().partition(|line| is_found(line));
    let fens: Vec<&str> = missed.iter().map(|line| line.fen.as_str()).collect();
    assert!(found.len() >= least, "{} of {}\n{}", found.len(), lines.len(), fens.join("\n"));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn the_only_turn_is_found_in_small_endgames() {
    let lines: Vec<EpdLine> = epd("tactics.epd").into_iter().filter(is_small).collect();
    assert!(lines.len() >= 39, "{} lines", lines.len());
    assert_found(&lines, 16);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "slow without optimisation")]
fn the_only_turn_is_found_in_larger_endgames() {
    let lines: Vec<EpdLine> = epd("tactics.epd").into_iter().filter(|l| !is_small(l)).collect();
    assert!(lines.len() >= 31, "{} lines", lines.len());
    assert_found(&lines, 26);
}
