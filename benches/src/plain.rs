//! A plain opponent: what most programs of the field play with.
//!
//! Iterative-deepening alpha-beta with a transposition table, five points for a stone and one for
//! each move it could make, and nothing else: no quiescence, no reductions, no repetition.

use std::time::Instant;

use merel_engine::{Color, Position, Turn, TurnList};

use crate::budget::Budget;

/// What a search of the plain opponent comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The turn it plays.
    pub turn: Turn,
    /// In its own points, from the view of the side to move: [`STONE`] for a stone.
    pub value: i32,
    /// The last depth it finished, in plies.
    pub depth: u32,
}

/// What it gives for a stone, on the board or in hand.
pub const STONE: i32 = 5;
const WIN: i32 = 10_000;
/// Values from here on are proved wins.
const PROVED: i32 = WIN - 1_000;
const INFINITE: i32 = 20_000;
const DEEPEST: u32 = 60;

#[derive(Clone, Copy)]
enum Bound {
    Exact,
    Lower,
    Upper,
}

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    depth: i32,
    /// Wins and losses count from this position, not from the root.
    value: i32,
    bound: Bound,
    turn: Option<Turn>,
}

/// The opponent with its table.
pub struct Plain {
    table: Vec<Option<Entry>>,
    deadline: Option<Instant>,
    node_limit: u64,
    nodes: u64,
    stopped: bool,
}

impl Default for Plain {
    fn default() -> Self {
        Self {
            table: vec![None; 1 << 20],
            deadline: None,
            node_limit: u64::MAX,
            nodes: 0,
            stopped: false,
        }
    }
}

impl Plain {
    /// Forgets the game before.
    pub fn new_game(&mut self) {
        self.table.fill(None);
    }

    /// Searches a position in which the game goes on.
    ///
    /// # Panics
    /// If the game is over.
    pub fn search(&mut self, position: &Position, budget: Budget) -> Found {
        self.deadline = budget.time.map(|time| Instant::now() + time);
        self.node_limit = budget.nodes.unwrap_or(u64::MAX);
        self.nodes = 0;
        self.stopped = false;
        let mut turns = position.legal_turns();
        let mut found = Found { turn: turns[0], value: 0, depth: 0 };
        for depth in 1..=budget.depth.unwrap_or(DEEPEST) {
            let mut best = -INFINITE;
            let mut first = 0;
            for (i, &turn) in turns.iter().enumerate() {
                let next = position.after(turn);
                let value = -self.value(&next, -INFINITE, -best, depth as i32 - 1, 1);
                if self.stopped {
                    break;
                }
                if value > best {
                    // The best turn before comes first, so a better one counts at once, even if
                    // this iteration is cut short.
                    (best, first) = (value, i);
                    found = Found { turn, value, depth: found.depth };
                }
            }
            if self.stopped {
                break;
            }
            turns[..=first].rotate_right(1);
            found.depth = depth;
            if best.abs() >= PROVED {
                break;
            }
        }
        found
    }

    fn value(
        &mut self,
        position: &Position,
        mut alpha: i32,
        beta: i32,
        depth: i32,
        ply: i32,
    ) -> i32 {
        self.nodes += 1;
        if self.nodes >= self.node_limit
            || self.nodes.is_multiple_of(1024) && self.deadline.is_some_and(|d| Instant::now() >= d)
        {
            self.stopped = true;
        }
        if self.stopped {
            return 0;
        }
        if !position.has_legal_turn() {
            return ply - WIN;
        }
        if position.quiet_limit_reached() {
            return 0;
        }
        if depth == 0 {
            return evaluate(position);
        }
        let slot = position.key() as usize % self.table.len();
        let entry = self.table[slot].filter(|e| e.key == position.key());
        if let Some(e) = entry.filter(|e| e.depth >= depth) {
            let value = from_root(e.value, ply);
            if match e.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            } {
                return value;
            }
        }
        let first = alpha;
        let (mut best, mut best_turn) = (-INFINITE, None);
        for turn in ordered(position, entry.and_then(|e| e.turn)) {
            let value = -self.value(&position.after(turn), -beta, -alpha, depth - 1, ply + 1);
            if self.stopped {
                return 0;
            }
            if value > best {
                (best, best_turn) = (value, Some(turn));
                alpha = alpha.max(value);
                if alpha >= beta {
                    break;
                }
            }
        }
        let bound = match best {
            b if b >= beta => Bound::Lower,
            b if b > first => Bound::Exact,
            _ => Bound::Upper,
        };
        let value = from_root(best, -ply);
        self.table[slot] =
            Some(Entry { key: position.key(), depth, value, bound, turn: best_turn });
        best
    }
}

/// A value seen from a node `ply` plies below the root, as the root sees it.
const fn from_root(value: i32, ply: i32) -> i32 {
    if value >= PROVED {
        value - ply
    } else if value <= -PROVED {
        value + ply
    } else {
        value
    }
}

/// The table's turn first, then those that capture.
fn ordered(position: &Position, first: Option<Turn>) -> TurnList {
    let mut turns = position.legal_turns();
    turns.sort_by_key(|&turn| (Some(turn) != first, !turn.is_capture()));
    turns
}

fn evaluate(position: &Position) -> i32 {
    let side = |color: Color| {
        let mobility: u32 = position
            .stones(color)
            .into_iter()
            .map(|p| (p.neighbours() & position.empty()).len())
            .sum();
        STONE * position.total(color) as i32 + mobility as i32
    };
    side(position.to_move()) - side(!position.to_move())
}

#[cfg(test)]
mod tests {
    use super::*;
    use merel_engine::Rules;

    #[test]
    fn a_win_within_the_depth_is_found_and_the_quickest_is_taken() {
        // White closes c5-d5-e5 and takes Black's third stone.
        let fen = "O*@*****/O*@*****/*@*****O w m s 3 0 3 0 0 0 0 0 0 0 0 0 1";
        let position = Position::from_fen(fen, Rules::default()).unwrap();
        for depth in 1..5 {
            let found = Plain::default().search(&position, Budget::depth(depth));
            assert_eq!(found.value, WIN - 1, "depth {depth}");
            assert_eq!(found.depth, 1);
            assert!(found.turn.is_capture());
        }
    }

    #[test]
    fn every_limit_holds_and_leaves_a_legal_turn() {
        let start = Position::start(Rules::default());
        let mut plain = Plain::default();
        for nodes in [1, 2, 30, 5000] {
            let found = plain.search(&start, Budget::nodes(nodes));
            assert!(start.is_legal(found.turn));
            assert!(plain.nodes <= nodes);
        }
        assert_eq!(plain.search(&start, Budget::depth(3)).depth, 3);
    }

    #[test]
    fn alpha_beta_with_the_table_has_the_value_of_plain_minimax() {
        fn minimax(position: &Position, depth: i32, ply: i32) -> i32 {
            match depth {
                _ if !position.has_legal_turn() => ply - WIN,
                0 => evaluate(position),
                _ => position
                    .legal_turns()
                    .into_iter()
                    .map(|turn| -minimax(&position.after(turn), depth - 1, ply + 1))
                    .max()
                    .unwrap(),
            }
        }
        for fen in [
            "***@*OO*/*O*@*@*O/O****O*@ w m s 6 0 4 0 0 0 0 0 0 0 0 0 1",
            "**O***@*/**O*@***/@**@*O** w m s 3 0 4 0 0 0 0 0 0 0 0 0 30",
            "OO@@@**O/O*O***O@/@O****O@ b p p 8 1 6 2 0 0 0 0 0 0 0 0 8",
        ] {
            let position = Position::from_fen(fen, Rules::default()).unwrap();
            let found = Plain::default().search(&position, Budget::depth(3));
            assert_eq!(found.value, minimax(&position, found.depth as i32, 0), "{fen}");
        }
    }
}
