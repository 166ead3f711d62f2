//! Random set-up positions.

use super::{Side, State, lines, neighbours};

/// How a random set-up position is to look.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scene {
    /// Both sides still place, hands equal or nearly so.
    Placing,
    /// Any hands at all, one of them possibly empty.
    UnequalHands,
    /// No stones in hand, any numbers.
    Moving,
    /// No stones in hand, one side or both with three stones.
    Flying,
    /// No stones in hand, the side to move hemmed in.
    NearBlocked,
}

impl State {
    /// A random legal set-up position in any phase: mills on the board more often than chance would
    /// put them, hands sometimes unequal, sides often flying, sometimes nearly or quite blocked,
    /// now and then a side already below three stones (never both). In about every fifth position a
    /// capture is due; it is one capture, to be made by a side that has a mill while the opponent
    /// has a stone on the board, so it is possible under all rules but `all_in_mills = none` (see
    /// [`State::captures_possible`]). No last moves. `rng` gives 64 random bits a call.
    #[must_use]
    pub fn random_setup(rng: &mut impl FnMut() -> u64) -> State {
        let scene = match below(rng, 8) {
            0 | 1 => Scene::Placing,
            2 => Scene::UnequalHands,
            3 | 4 => Scene::Moving,
            5 | 6 => Scene::Flying,
            _ => Scene::NearBlocked,
        };
        let side = if below(rng, 2) == 0 { Side::White } else { Side::Black };
        let (board, hands) = random_counts(scene, side, rng);
        let stones = random_stones(scene, side, board, rng);
        let mut state = State::from_stones(stones, side, hands, 0);
        state.fullmove = 1 + below_u32(rng, 60);
        if hands == [0, 0] {
            state.quiet = below_u32(rng, 40);
        }
        if below(rng, 2) == 0 && state.capture_could_be_due() {
            state.due = 1;
        }
        state.check();
        state
    }

    fn capture_could_be_due(&self) -> bool {
        let victim = self.side.other();
        self.has_mill(self.side) && self.on_board(victim) > 0 && self.total(victim) >= 3
    }
}

/// Stones on the board and in hand, White's and Black's.
fn random_counts(scene: Scene, side: Side, rng: &mut impl FnMut() -> u64) -> ([u8; 2], [u8; 2]) {
    let mut board = [0; 2];
    let mut hands = [0; 2];
    match scene {
        Scene::Placing => {
            let hand = between(rng, 1, 8);
            hands = [hand; 2];
            if side == Side::Black && below(rng, 4) > 0 {
                hands[Side::White.index()] -= 1;
            }
            board = hands.map(|hand| random_board_count(hand, rng));
        }
        Scene::UnequalHands => {
            hands = [between(rng, 0, 9), between(rng, 0, 9)];
            board = hands.map(|hand| random_board_count(hand, rng));
        }
        Scene::Moving => board = [between(rng, 3, 9), between(rng, 3, 9)],
        Scene::Flying => {
            let other = if below(rng, 2) == 0 { 3 } else { between(rng, 3, 9) };
            board = if below(rng, 2) == 0 { [3, other] } else { [other, 3] };
        }
        Scene::NearBlocked => {
            board[side.index()] = between(rng, 4, 9);
            board[side.other().index()] = between(rng, 6, 9);
        }
    }
    if scene != Scene::NearBlocked && below(rng, 40) == 0 {
        // A side that has lost already, at the end of its stones.
        let loser = below(rng, 2);
        hands[loser] = 0;
        board[loser] = between(rng, 0, 2);
        board[1 - loser] = board[1 - loser].max(3);
        hands[1 - loser] = hands[1 - loser].min(9 - board[1 - loser]);
    }
    (board, hands)
}

/// Stones on the board beside `hand` stones in hand: mostly few of the nine are gone, and three at
/// least in all.
fn random_board_count(hand: u8, rng: &mut impl FnMut() -> u64) -> u8 {
    let most = 9 - hand;
    let gone =
        if below(rng, 3) == 0 { between(rng, 0, most) } else { between(rng, 0, most.min(2)) };
    (most - gone).max(3_u8.saturating_sub(hand))
}

/// The stones of a random position with these numbers on the board.
fn random_stones(
    scene: Scene,
    side: Side,
    board: [u8; 2],
    rng: &mut impl FnMut() -> u64,
) -> [Option<Side>; 24] {
    let mut stones = [None; 24];
    for owner in [side, side.other()] {
        let mut left = board[owner.index()];
        if left >= 3 && below(rng, 2) == 0 {
            left -= put_random_mill(&mut stones, owner, rng);
        }
        if scene == Scene::NearBlocked && owner != side {
            left -= put_around(&mut stones, side, left, rng);
        }
        for _ in 0..left {
            put_anywhere(&mut stones, owner, rng);
        }
    }
    stones
}

/// Puts a mill of `owner` on a random line, if that is free; returns the stones used.
fn put_random_mill(
    stones: &mut [Option<Side>; 24],
    owner: Side,
    rng: &mut impl FnMut() -> u64,
) -> u8 {
    let line = lines()[below(rng, 16)];
    if line.iter().any(|&on| stones[on].is_some()) {
        return 0;
    }
    for on in line {
        stones[on] = Some(owner);
    }
    3
}

/// Puts up to `most` stones of the opponent on points next to stones of `side`; returns the stones
/// used.
fn put_around(
    stones: &mut [Option<Side>; 24],
    side: Side,
    most: u8,
    rng: &mut impl FnMut() -> u64,
) -> u8 {
    let beside = |stones: &[Option<Side>; 24], on: usize| {
        neighbours(on).iter().any(|&next| stones[next] == Some(side))
    };
    // One point is sometimes left open, so that a single move remains.
    let keep_open = below(rng, 48);
    let mut used = 0;
    for on in 0..24 {
        if used < most && on != keep_open && stones[on].is_none() && beside(stones, on) {
            stones[on] = Some(side.other());
            used += 1;
        }
    }
    used
}

fn put_anywhere(stones: &mut [Option<Side>; 24], owner: Side, rng: &mut impl FnMut() -> u64) {
    let empty: Vec<usize> = (0..24).filter(|&on| stones[on].is_none()).collect();
    stones[empty[below(rng, empty.len())]] = Some(owner);
}

/// A random number below `bound`; the slight unevenness does not matter to tests.
fn below(rng: &mut impl FnMut() -> u64, bound: usize) -> usize {
    let bound = u64::try_from(bound).expect("a small number");
    usize::try_from(rng() % bound).expect("below a small number")
}

fn below_u32(rng: &mut impl FnMut() -> u64, bound: u32) -> u32 {
    u32::try_from(rng() % u64::from(bound)).expect("below a u32")
}

/// A random number from `low` to `high`, both included.
fn between(rng: &mut impl FnMut() -> u64, low: u8, high: u8) -> u8 {
    low + u8::try_from(rng() % u64::from(high - low + 1)).expect("below a u8")
}

/// A small random number generator (splitmix64) for [`State::random_setup`] and the tests.
pub fn splitmix64(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = seed;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}
