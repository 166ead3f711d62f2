//! Positions, and what a turn does to them.

mod fen;
mod setup;
mod zobrist;

pub use fen::FenError;
pub use setup::{Field, Problem, Setup};
pub(crate) use zobrist::split_mix;

use zobrist::KEYS;

use crate::rules::{AllInMills, DoubleMill, Rules};
use crate::types::{Action, Bitboard, Color, Point, Turn};

/// A position that a game under its rules can stand in: stones, hands, the side to move, captures
/// due, and under `no_immediate_return` the last move of each side. Also counts the turns since
/// the last placement or capture.
///
/// Small and `Copy`: a turn makes a new position, nothing is ever undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    stones: [Bitboard; 2],
    key: u64,
    last_moves: [Option<(Point, Point)>; 2],
    hands: [u8; 2],
    /// On the board and in hand: kept, since not every processor counts bits quickly.
    totals: [u8; 2],
    to_move: Color,
    captures_due: u8,
    quiet: u16,
    fullmove: u16,
    rules: Rules,
}

const _: () = assert!(size_of::<Position>() <= 48);

/// Why a player has won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WinReason {
    /// The loser has fewer than three stones on the board and in hand.
    FewerThanThree,
    /// The loser is to move and has no legal move.
    NoLegalMove,
}

/// Why nobody has won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawReason {
    /// The position has occurred for the third time.
    Repetition,
    /// `quiet_limit` turns went by without a placement or capture.
    QuietLimit,
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A player has won.
    Win {
        /// Who.
        winner: Color,
        /// Why.
        reason: WinReason,
    },
    /// Nobody has won.
    Draw(DrawReason),
}

impl Outcome {
    /// The result as game records write it: `1-0`, `0-1` or `1/2-1/2`.
    #[must_use]
    pub const fn result(self) -> &'static str {
        match self {
            Self::Win { winner: Color::White, .. } => "1-0",
            Self::Win { winner: Color::Black, .. } => "0-1",
            Self::Draw(_) => "1/2-1/2",
        }
    }
}

/// The result and its reason, as `1-0 White wins: Black has no legal move`.
impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ", self.result())?;
        match *self {
            Self::Win { winner, reason } => {
                let loser = !winner;
                match reason {
                    WinReason::FewerThanThree => {
                        write!(f, "{winner} wins: {loser} has fewer than three stones")
                    }
                    WinReason::NoLegalMove => {
                        write!(f, "{winner} wins: {loser} has no legal move")
                    }
                }
            }
            Self::Draw(DrawReason::Repetition) => f.write_str("draw: third occurrence"),
            Self::Draw(DrawReason::QuietLimit) => {
                f.write_str("draw: quiet limit reached, no placement or capture")
            }
        }
    }
}

/// The stones of `stones`, all of one player, that the other may capture.
#[inline]
pub(crate) fn capturable(stones: Bitboard, rules: Rules) -> Bitboard {
    let loose = stones.without(stones.in_mills());
    if loose.any() {
        return loose;
    }
    match rules.all_in_mills {
        AllInMills::Any => stones,
        AllInMills::None => Bitboard::EMPTY,
    }
}

impl Position {
    /// The empty board under these rules.
    #[must_use]
    pub fn start(rules: Rules) -> Self {
        match Setup::START.check(rules) {
            Ok(position) => position,
            Err(_) => unreachable!("the start is legal under all rules"),
        }
    }

    /// The stones of a player on the board.
    #[inline]
    #[must_use]
    pub const fn stones(&self, color: Color) -> Bitboard {
        self.stones[color.index()]
    }

    /// How many stones a player has in hand.
    #[inline]
    #[must_use]
    pub const fn hand(&self, color: Color) -> u8 {
        self.hands[color.index()]
    }

    /// Stones of a player on the board and in hand.
    #[inline]
    #[must_use]
    pub const fn total(&self, color: Color) -> u32 {
        self.totals[color.index()] as u32
    }

    /// How many stones both players have on the board.
    #[inline]
    #[must_use]
    pub fn on_board(&self) -> u32 {
        (self.stones[0] | self.stones[1]).len()
    }

    /// The points without a stone.
    #[inline]
    #[must_use]
    pub fn empty(&self) -> Bitboard {
        !(self.stones[0] | self.stones[1])
    }

    /// Whose turn it is, or goes on with captures due.
    #[inline]
    #[must_use]
    pub const fn to_move(&self) -> Color {
        self.to_move
    }

    /// Captures that the side to move has earned and not yet made, 0 to 2.
    #[inline]
    #[must_use]
    pub const fn captures_due(&self) -> u8 {
        self.captures_due
    }

    /// The last slide or flight (from, to) of a player, kept only under `no_immediate_return`.
    #[must_use]
    pub const fn last_move(&self, color: Color) -> Option<(Point, Point)> {
        self.last_moves[color.index()]
    }

    /// Turns (plies) since the last placement or capture.
    #[inline]
    #[must_use]
    pub const fn quiet(&self) -> u16 {
        self.quiet
    }

    /// Number of the pair of turns, from 1; it grows after Black's turn.
    #[must_use]
    pub const fn fullmove(&self) -> u16 {
        self.fullmove
    }

    /// The rules of the game.
    #[inline]
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// The hash key of all that matters for repetition: stones, hands, side to move, captures due
    /// and, under `no_immediate_return`, both last moves.
    #[inline]
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Whether any stone is still in hand.
    #[inline]
    #[must_use]
    pub const fn is_placing(&self) -> bool {
        self.hands[0] + self.hands[1] > 0
    }

    /// Whether a player may fly: exactly three stones, none of them in hand.
    #[inline]
    #[must_use]
    pub const fn flies(&self, color: Color) -> bool {
        self.hand(color) == 0 && self.total(color) == 3
    }

    /// Whether a player neither places nor flies.
    #[inline]
    pub(crate) const fn slides(&self, color: Color) -> bool {
        self.hand(color) == 0 && self.total(color) != 3
    }

    /// The stones that the side to move may capture once it has closed a mill.
    #[inline]
    #[must_use]
    pub fn capturable(&self) -> Bitboard {
        capturable(self.stones(!self.to_move), self.rules)
    }

    /// The move `no_immediate_return` forbids the side to move: its last one, backwards.
    #[inline]
    #[must_use]
    pub fn forbidden_return(&self) -> Option<(Point, Point)> {
        self.last_move(self.to_move).map(|(from, to)| (to, from))
    }

    /// How the game has ended by what the position itself shows: a win, or a draw by the quiet
    /// limit. A win comes first. Repetition needs the history: see [`crate::Game::outcome`].
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        if let Some((winner, reason)) = self.winner() {
            return Some(Outcome::Win { winner, reason });
        }
        self.quiet_limit_reached().then_some(Outcome::Draw(DrawReason::QuietLimit))
    }

    /// Whether the quiet limit makes this a draw, unless the game is won.
    #[inline]
    #[must_use]
    pub const fn quiet_limit_reached(&self) -> bool {
        self.rules.quiet_limit > 0 && self.quiet >= self.rules.quiet_limit
    }

    fn winner(&self) -> Option<(Color, WinReason)> {
        for color in Color::ALL {
            if self.total(color) < 3 {
                return Some((!color, WinReason::FewerThanThree));
            }
        }
        (!self.has_legal_turn()).then_some((!self.to_move, WinReason::NoLegalMove))
    }

    /// How many captures a stone of the side to move earns that comes to `to`, `rest` being its
    /// other stones. Whether there is anything to capture is not asked.
    #[inline]
    pub(crate) fn captures_earned(&self, rest: Bitboard, to: Point) -> u8 {
        let mills = to.line_partners().iter().filter(|&&line| rest.contains_all(line)).count();
        match self.rules.double_mill {
            DoubleMill::One => mills.min(1) as u8,
            DoubleMill::Two => mills as u8,
        }
    }

    /// The position after a legal whole turn.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, turn: Turn) -> Self {
        let mut next = *self;
        next.play(turn);
        next
    }

    /// As [`Self::after`], in place.
    #[inline(always)]
    pub(crate) fn play(&mut self, turn: Turn) {
        debug_assert!(self.is_legal(turn), "{turn} in {}", self.fen());
        self.make(turn);
        self.end_turn();
    }

    /// The position after an action of a turn: a legal placement, move or single capture, or a
    /// turn with only some of its captures. Where captures are left to make, the same side stays
    /// to move with them due.
    #[must_use]
    pub fn after_part(&self, part: Turn) -> Self {
        let mut next = *self;
        let earned = part.to().map_or(self.captures_due, |to| {
            let own = self.stones(self.to_move);
            let rest = part.from().map_or(own, |from| own ^ from.bit());
            self.captures_earned(rest, to)
        });
        next.make(part);
        let made = part.captures().into_iter().flatten().count() as u8;
        let due = earned.saturating_sub(made);
        if due > 0 && next.total(!next.to_move) >= 3 && next.capturable().any() {
            next.captures_due = due;
            next.key ^= KEYS.captures_due(due);
            if part.from().is_some() {
                next.quiet = self.quiet; // the turn is not over
            }
        } else {
            next.end_turn();
        }
        next
    }

    /// The key after a turn, but for last moves: enough to look ahead, quicker than to play it.
    #[inline]
    pub(crate) fn key_after(&self, turn: Turn) -> u64 {
        let us = self.to_move;
        let mut key = self.key ^ KEYS.side(Color::Black) ^ KEYS.captures_due(self.captures_due);
        if turn.is_placement() {
            let hand = self.hand(us);
            key ^= KEYS.hand(us, hand) ^ KEYS.hand(us, hand - 1);
        }
        key ^ KEYS.action(us, turn) ^ KEYS.captures(!us, turn)
    }

    /// The same position with the other side to move: a turn in which nothing is done. No legal
    /// turn does this; the search uses it as a bound on what a real turn can reach.
    #[must_use]
    pub(crate) fn after_null(&self) -> Self {
        let mut next = *self;
        next.end_turn();
        next
    }

    /// Moves and captures the stones, and leaves the turn with the same side, nothing due.
    #[inline(always)]
    fn make(&mut self, turn: Turn) {
        let (us, them) = (self.to_move.index(), (!self.to_move).index());
        self.key ^= KEYS.captures_due(self.captures_due) ^ KEYS.action(self.to_move, turn);
        self.captures_due = 0;
        self.stones[us] ^= turn.action_set();
        if turn.is_placement() {
            let hand = self.hands[us];
            self.key ^= KEYS.hand(self.to_move, hand) ^ KEYS.hand(self.to_move, hand - 1);
            self.hands[us] = hand - 1;
        }
        if turn.is_capture() {
            let [first, second] = turn.capture_sets();
            self.key ^= KEYS.captures(!self.to_move, turn);
            self.stones[them] ^= first | second;
            self.totals[them] -= 1 + u8::from(second.any());
        }
        self.quiet = if turn.is_quiet_move() { self.quiet.saturating_add(1) } else { 0 };
        if self.rules.no_immediate_return {
            self.keep_last_moves(turn);
        }
    }

    /// The last moves of both sides after a turn.
    fn keep_last_moves(&mut self, turn: Turn) {
        match turn.action() {
            Action::Place(_) => self.set_last_move(self.to_move, None),
            Action::Move(from, to) => self.set_last_move(self.to_move, Some((from, to))),
            Action::CaptureOnly => {}
        }
        for captured in turn.captures().into_iter().flatten() {
            self.forget_last_move_of(captured);
        }
    }

    /// A stone of the side not to move that is captured can go nowhere.
    fn forget_last_move_of(&mut self, captured: Point) {
        let them = !self.to_move;
        if self.last_move(them).is_some_and(|(_, to)| to == captured) {
            self.set_last_move(them, None);
        }
    }

    /// The position with one stone less of the side not to move, the turn going on.
    pub(crate) fn without_stone(mut self, captured: Point) -> Self {
        let them = !self.to_move;
        self.key ^= KEYS.stones(them, captured.bit());
        self.stones[them.index()] ^= captured.bit();
        self.totals[them.index()] -= 1;
        self.forget_last_move_of(captured);
        self
    }

    fn set_last_move(&mut self, color: Color, last: Option<(Point, Point)>) {
        let slot = &mut self.last_moves[color.index()];
        self.key ^= KEYS.last_move(color, *slot) ^ KEYS.last_move(color, last);
        *slot = last;
    }

    #[inline(always)]
    fn end_turn(&mut self) {
        self.fullmove = self.fullmove.saturating_add(self.to_move as u16);
        self.to_move = !self.to_move;
        self.key ^= KEYS.side(Color::Black);
    }

    /// The position with the colours exchanged: an equal one from the other player's view.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let mut setup = self.setup();
        setup.stones.swap(0, 1);
        setup.hands.swap(0, 1);
        setup.captures_due.swap(0, 1);
        setup.last_moves.swap(0, 1);
        setup.to_move = !setup.to_move;
        match setup.check(self.rules) {
            Ok(position) => position,
            Err(_) => unreachable!("exchanging the colours keeps a position legal"),
        }
    }

    /// The position as a symmetry of the board shows it.
    #[must_use]
    pub fn transformed(&self, symmetry: crate::types::Symmetry) -> Self {
        let mut setup = self.setup();
        setup.stones = setup.stones.map(|s| symmetry.set(s));
        setup.last_moves = setup
            .last_moves
            .map(|m| m.map(|(from, to)| (symmetry.point(from), symmetry.point(to))));
        match setup.check(self.rules) {
            Ok(position) => position,
            Err(_) => unreachable!("a symmetry keeps a position legal"),
        }
    }
}
