//! The symmetries of the board, found from its drawing and not from the engine.

use crate::oracle::{Side, State};

/// Where each point goes under each of the sixteen symmetries: four turns of the board, each as it
/// is or mirrored, each as it is or with the inner and the outer ring exchanged.
#[must_use]
pub fn symmetries() -> Vec<[usize; 24]> {
    let mut all = Vec::new();
    for quarter_turns in 0..4 {
        for mirrored in [false, true] {
            for exchanged in [false, true] {
                all.push(std::array::from_fn(|point| {
                    // Rings go from the inside, the points of a ring round it from the top.
                    let (ring, along) = (point / 8, point % 8);
                    let along = if mirrored { (8 - along) % 8 } else { along };
                    let ring = if exchanged { 2 - ring } else { ring };
                    8 * ring + (along + 2 * quarter_turns) % 8
                }));
            }
        }
    }
    all
}

/// A position without stones in hand and without captures due as a symmetry shows it, the colours
/// exchanged or not.
#[must_use]
pub fn image(state: &State, symmetry: &[usize; 24], exchange_colours: bool) -> State {
    let mut stones = [None; 24];
    for (from, &to) in symmetry.iter().enumerate() {
        let stone = state.stone(from);
        stones[to] = if exchange_colours { stone.map(Side::other) } else { stone };
    }
    let side = if exchange_colours { state.side().other() } else { state.side() };
    State::from_stones(stones, side, [0, 0], 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{lines, neighbours};

    #[test]
    fn they_are_sixteen_and_keep_lines_and_edges() {
        let mut all = symmetries();
        let sorted = |mut points: Vec<usize>| {
            points.sort_unstable();
            points
        };
        let known: Vec<Vec<usize>> = lines().iter().map(|line| sorted(line.to_vec())).collect();
        for symmetry in &all {
            for line in lines() {
                assert!(known.contains(&sorted(line.map(|on| symmetry[on]).to_vec())));
            }
            for on in 0..24 {
                let moved = neighbours(on).iter().map(|&next| symmetry[next]).collect();
                assert_eq!(sorted(moved), sorted(neighbours(symmetry[on]).to_vec()));
            }
        }
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 16);
    }
}
