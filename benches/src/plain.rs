//! A plain opponent: what most programs of the field play with.
//!
//! Iterative-deepening alpha-beta with a transposition table, five points for a stone and one for
//! each move it could make, and nothing else.

use std::time::{Duration, Instant};

use merel_engine::{Color, Position, Turn, TurnList};

/// The end of the search of one turn.
#[derive(Clone, Copy, Debug)]
pub enum Budget {
    /// Wall time.
    Time(Duration),
    /// Plies.
    Depth(u32),
}

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
    value: i32,
    bound: Bound,
    turn: Option<Turn>,
}

const WIN: i32 = 10_000;
const INFINITE: i32 = 20_000;

/// The opponent with its table.
pub struct Plain {
    table: Vec<Option<Entry>>,
    deadline: Option<Instant>,
    nodes: u64,
    stopped: bool,
}

impl Default for Plain {
    fn default() -> Self {
        Self { table: vec![None; 1 << 20], deadline: None, nodes: 0, stopped: false }
    }
}

impl Plain {
    /// Forgets the game before.
    pub fn new_game(&mut self) {
        self.table.fill(None);
    }

    /// The turn it plays, and the depth it finished, in plies.
    ///
    /// # Panics
    /// If the game is over.
    pub fn choose(&mut self, position: &Position, budget: Budget) -> (Turn, u32) {
        let (deadline, deepest) = match budget {
            Budget::Time(time) => (Some(Instant::now() + time), 60),
            Budget::Depth(depth) => (None, depth),
        };
        self.deadline = deadline;
        self.nodes = 0;
        self.stopped = false;
        let mut turns = position.legal_turns();
        let mut finished = 0;
        for depth in 1..=deepest as i32 {
            let mut best = (-INFINITE, turns[0]);
            for &turn in &turns {
                let value = -self.value(&position.after(turn), -INFINITE, -best.0, depth - 1, 1);
                if self.stopped {
                    break;
                }
                if value > best.0 {
                    best = (value, turn);
                }
            }
            // The best turn comes first in the next iteration, and counts if this one is cut short
            // after it.
            if best.0 > -INFINITE {
                let at = turns.iter().position(|&t| t == best.1).unwrap_or(0);
                turns[..=at].rotate_right(1);
            }
            if self.stopped {
                break;
            }
            finished = depth as u32;
            if best.0.abs() > WIN - 100 {
                break;
            }
        }
        (turns[0], finished)
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
        if self.nodes.is_multiple_of(1024) && self.deadline.is_some_and(|d| Instant::now() >= d) {
            self.stopped = true;
        }
        if self.stopped {
            return 0;
        }
        if !position.has_legal_turn() {
            return ply - WIN;
        }
        if depth == 0 {
            return evaluate(position);
        }
        let slot = position.key() as usize % self.table.len();
        let entry = self.table[slot].filter(|e| e.key == position.key());
        if let Some(e) = entry
            && e.depth >= depth
            && match e.bound {
                Bound::Exact => true,
                Bound::Lower => e.value >= beta,
                Bound::Upper => e.value <= alpha,
            }
        {
            return e.value;
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
        self.table[slot] =
            Some(Entry { key: position.key(), depth, value: best, bound, turn: best_turn });
        best
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
        5 * position.total(color) as i32 + mobility as i32
    };
    side(position.to_move()) - side(!position.to_move())
}
