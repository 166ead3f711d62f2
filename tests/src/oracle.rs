//! A slow, plain statement of the rules of Nine Men's Morris, for tests to compare a fast engine
//! with.
//!
//! Everything here follows the rules text sentence by sentence: the board is a list of 24 points,
//! the lines and the neighbours are written out by label, and a turn is built by making one action
//! after the other. Nothing is optimised and nothing is shared with the engine, so that a mistake
//! on one side shows as a difference.
//!
//! Words: an *action* is one placement, move (slide or flight) or capture; a *turn* is a placement
//! or move with the captures it earns, and is what a ply means.

mod setup;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

pub use setup::splitmix64;

/// The 24 points by label, in the order of the board field of a FEN: inner, middle and outer ring,
/// each clockwise from its top middle point. A *point* is an index into this list.
pub const LABELS: [&str; 24] = [
    "d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5", //
    "d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6", //
    "d7", "g7", "g4", "g1", "d1", "a1", "a4", "a7",
];

/// The 16 lines of three points: the twelve ring sides, then the four spokes.
const LINE_LABELS: [[&str; 3]; 16] = [
    ["a7", "d7", "g7"],
    ["g7", "g4", "g1"],
    ["g1", "d1", "a1"],
    ["a1", "a4", "a7"],
    ["b6", "d6", "f6"],
    ["f6", "f4", "f2"],
    ["f2", "d2", "b2"],
    ["b2", "b4", "b6"],
    ["c5", "d5", "e5"],
    ["e5", "e4", "e3"],
    ["e3", "d3", "c3"],
    ["c3", "c4", "c5"],
    ["d7", "d6", "d5"],
    ["g4", "f4", "e4"],
    ["d1", "d2", "d3"],
    ["a4", "b4", "c4"],
];

/// Every point with the points it is joined to.
const NEIGHBOUR_LABELS: [(&str, &[&str]); 24] = [
    ("a7", &["d7", "a4"]),
    ("d7", &["a7", "g7", "d6"]),
    ("g7", &["d7", "g4"]),
    ("g4", &["g7", "g1", "f4"]),
    ("g1", &["g4", "d1"]),
    ("d1", &["g1", "a1", "d2"]),
    ("a1", &["d1", "a4"]),
    ("a4", &["a1", "a7", "b4"]),
    ("b6", &["d6", "b4"]),
    ("d6", &["b6", "f6", "d7", "d5"]),
    ("f6", &["d6", "f4"]),
    ("f4", &["f6", "f2", "g4", "e4"]),
    ("f2", &["f4", "d2"]),
    ("d2", &["f2", "b2", "d1", "d3"]),
    ("b2", &["d2", "b4"]),
    ("b4", &["b2", "b6", "a4", "c4"]),
    ("c5", &["d5", "c4"]),
    ("d5", &["c5", "e5", "d6"]),
    ("e5", &["d5", "e4"]),
    ("e4", &["e5", "e3", "f4"]),
    ("e3", &["e4", "d3"]),
    ("d3", &["e3", "c3", "d2"]),
    ("c3", &["d3", "c4"]),
    ("c4", &["c3", "c5", "b4"]),
];

static LINES: LazyLock<[[usize; 3]; 16]> = LazyLock::new(|| {
    LINE_LABELS.map(|line| line.map(|label| point(label).expect("a label of the board")))
});

static NEIGHBOURS: LazyLock<[Vec<usize>; 24]> = LazyLock::new(|| {
    let mut table: [Vec<usize>; 24] = Default::default();
    for (label, near) in NEIGHBOUR_LABELS {
        let entry = &mut table[point(label).expect("a label of the board")];
        entry.extend(near.iter().map(|label| point(label).expect("a label of the board")));
    }
    table
});

/// The point with this label, in lower case; `None` where the board has none.
#[must_use]
pub fn point(label: &str) -> Option<usize> {
    LABELS.iter().position(|&known| known == label)
}

/// The 16 lines as points.
#[must_use]
pub fn lines() -> &'static [[usize; 3]; 16] {
    &LINES
}

/// The points joined to `point` by an edge.
#[must_use]
pub fn neighbours(point: usize) -> &'static [usize] {
    &NEIGHBOURS[point]
}

/// A player; White is the one who begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The first player, `O` and `w` in a FEN.
    White,
    /// The second player, `@` and `b` in a FEN.
    Black,
}

impl Side {
    /// The opponent.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }

    fn index(self) -> usize {
        match self {
            Side::White => 0,
            Side::Black => 1,
        }
    }
}

/// Why a game is over; repetition and the quiet limit belong to the game's history and are not
/// judged here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The loser has fewer than three stones on the board and in hand together.
    FewerThanThree,
    /// The loser is to move with an empty hand and has no legal move.
    Blocked,
}

/// The rule options that change which turns are legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OracleRules {
    /// `double_mill = two`: a stone that completes two mills at once takes two stones, not one.
    pub double_mill_two: bool,
    /// `no_immediate_return`: the stone a player moved last may not go straight back on his next
    /// turn.
    pub no_immediate_return: bool,
    /// `all_in_mills = none`: when every opposing stone stands in a mill, nothing is taken (else
    /// any may be).
    pub all_in_mills_none: bool,
}

impl OracleRules {
    /// One stone for a double mill, no other option on: what the preset `standard` says about legal
    /// turns.
    pub const STANDARD: OracleRules = OracleRules {
        double_mill_two: false,
        no_immediate_return: false,
        all_in_mills_none: false,
    };

    /// As [`OracleRules::STANDARD`], with two stones for a double mill: the preset `playok`.
    pub const PLAYOK: OracleRules =
        OracleRules { double_mill_two: true, no_immediate_return: false, all_in_mills_none: false };

    /// All eight combinations of the three options.
    #[must_use]
    pub fn all() -> Vec<OracleRules> {
        let flags = [false, true];
        let mut every = Vec::new();
        for double_mill_two in flags {
            for no_immediate_return in flags {
                for all_in_mills_none in flags {
                    every.push(OracleRules {
                        double_mill_two,
                        no_immediate_return,
                        all_in_mills_none,
                    });
                }
            }
        }
        every
    }
}

/// One atomic action, by points.
#[derive(Clone, Copy)]
enum Action {
    Place(usize),
    Move(usize, usize),
    Capture(usize),
}

impl Action {
    fn text(self) -> String {
        match self {
            Action::Place(to) => LABELS[to].to_string(),
            Action::Move(from, to) => format!("{}-{}", LABELS[from], LABELS[to]),
            Action::Capture(on) => format!("x{}", LABELS[on]),
        }
    }
}

/// A position: all that decides which turns are legal, and the two counters of the FEN.
///
/// Two states are equal when they agree in everything, counters included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    stones: [Option<Side>; 24],
    side: Side,
    /// Stones in hand, White's and Black's.
    hands: [u8; 2],
    /// Captures the side to move has earned in this turn and not yet made.
    due: u8,
    /// From and to of the last move of White and of Black; kept only under `no_immediate_return`.
    last: [Option<(usize, usize)>; 2],
    /// Whole turns since the last placement or capture.
    quiet: u32,
    /// Number of the current pair of turns, from 1; grows when Black's turn ends.
    fullmove: u32,
}

impl State {
    /// The empty board, nine stones in either hand, White to place.
    #[must_use]
    pub fn start() -> State {
        State::from_stones([None; 24], Side::White, [9, 9], 0)
    }

    /// A position from its parts: stones by point, the side to move, stones in hand (White's,
    /// Black's) and the captures the side to move still has to make. No last moves; `quiet` 0 and
    /// `fullmove` 1.
    ///
    /// # Panics
    /// When the parts make no sense together; see [`State::from_fen`].
    #[must_use]
    pub fn from_stones(stones: [Option<Side>; 24], side: Side, hands: [u8; 2], due: u8) -> State {
        let state = State { stones, side, hands, due, last: [None; 2], quiet: 0, fullmove: 1 };
        state.check();
        state
    }

    /// Reads the 17-field form, with a trailing `ids:nodes` (last moves as points 0 to 23, -1 for
    /// none) or without it (8 to 31, 0 or -1 for none).
    ///
    /// # Panics
    /// On anything that is not such a line, on counts that differ from the board, on more than nine
    /// stones of a side, on captures due where no mill stands or nothing can be taken, on a last
    /// move whose stone is missing, and when both sides have fewer than three stones. It is a test
    /// tool: bad input is a mistake of the test.
    #[must_use]
    pub fn from_fen(fen: &str) -> State {
        let fields: Vec<&str> = fen.split_whitespace().collect();
        let nodes = match fields[..] {
            [.., "ids:nodes"] if fields.len() == 18 => true,
            _ if fields.len() == 17 => false,
            _ => panic!("17 fields, or 18 with ids:nodes, are needed: {fen}"),
        };
        let number = |field: usize| -> i32 {
            fields[field]
                .parse()
                .unwrap_or_else(|_| panic!("field {} is no number: {fen}", field + 1))
        };
        let small = |field: usize| {
            u8::try_from(number(field)).unwrap_or_else(|_| panic!("field {}: {fen}", field + 1))
        };
        let counter = |field: usize| {
            u32::try_from(number(field)).unwrap_or_else(|_| panic!("counter below 0: {fen}"))
        };

        let side = match fields[1] {
            "w" => Side::White,
            "b" => Side::Black,
            other => panic!("no side {other}: {fen}"),
        };
        assert!(matches!(fields[2], "p" | "m" | "o"), "no phase {}: {fen}", fields[2]);
        assert!(matches!(fields[3], "p" | "s" | "r" | "?"), "no action {}: {fen}", fields[3]);
        let removals = [small(8), small(9)];
        assert_eq!(
            removals[side.other().index()],
            0,
            "captures due to the side not to move: {fen}"
        );

        let state = State {
            stones: read_board(fields[0]),
            side,
            hands: [small(5), small(7)],
            due: removals[side.index()],
            last: [
                read_last_move(number(10), number(11), nodes),
                read_last_move(number(12), number(13), nodes),
            ],
            quiet: counter(15),
            fullmove: counter(16),
        };
        for (side, field) in [(Side::White, 4), (Side::Black, 6)] {
            assert_eq!(
                state.on_board(side),
                small(field),
                "field {} differs from the board: {fen}",
                field + 1
            );
        }
        assert!(state.fullmove >= 1, "fullmove counts from 1: {fen}");
        state.check();
        state
    }

    /// The position as the protocol prints it, in 17 fields and `ids:nodes`. Phase `o` with action
    /// `?` when the game is over by [`State::winner`]; the side is the side to move then too.
    #[must_use]
    pub fn fen(&self, rules: OracleRules) -> String {
        let over = self.winner(rules).is_some();
        let phase = match (over, self.hands) {
            (true, _) => 'o',
            (false, [0, 0]) => 'm',
            (false, _) => 'p',
        };
        let action = if over {
            '?'
        } else if self.due > 0 {
            'r'
        } else if self.hand(self.side) > 0 {
            'p'
        } else {
            's'
        };
        let due = |side: Side| if side == self.side { self.due } else { 0 };
        let last = |side: Side| match self.last[side.index()] {
            Some((from, to)) if rules.no_immediate_return => format!("{from} {to}"),
            _ => "-1 -1".to_string(),
        };
        format!(
            "{board} {side} {phase} {action} {white} {white_hand} {black} {black_hand} \
             {white_due} {black_due} {white_last} {black_last} 0 {quiet} {fullmove} ids:nodes",
            board = self.board_text(),
            side = match self.side {
                Side::White => 'w',
                Side::Black => 'b',
            },
            white = self.on_board(Side::White),
            white_hand = self.hand(Side::White),
            black = self.on_board(Side::Black),
            black_hand = self.hand(Side::Black),
            white_due = due(Side::White),
            black_due = due(Side::Black),
            white_last = last(Side::White),
            black_last = last(Side::Black),
            quiet = self.quiet,
            fullmove = self.fullmove,
        )
    }

    /// The stone on a point.
    #[must_use]
    pub fn stone(&self, point: usize) -> Option<Side> {
        self.stones[point]
    }

    /// The side to move; while captures are due, the side that makes them.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// Stones of `side` in hand.
    #[must_use]
    pub fn hand(&self, side: Side) -> u8 {
        self.hands[side.index()]
    }

    /// Stones of `side` on the board.
    #[must_use]
    pub fn on_board(&self, side: Side) -> u8 {
        self.stones.iter().map(|&stone| u8::from(stone == Some(side))).sum()
    }

    /// Captures the side to move has earned and not yet made.
    #[must_use]
    pub fn captures_due(&self) -> u8 {
        self.due
    }

    /// Whole turns since the last placement or capture.
    #[must_use]
    pub fn quiet(&self) -> u32 {
        self.quiet
    }

    /// Number of the current pair of turns, from 1.
    #[must_use]
    pub fn fullmove(&self) -> u32 {
        self.fullmove
    }

    /// The same position with `quiet` 0, `fullmove` 1 and no last moves: what stands on the board,
    /// the hands, the side and the captures due decide its value where the last moves do not count.
    #[must_use]
    pub fn without_counters(&self) -> State {
        State { last: [None; 2], quiet: 0, fullmove: 1, ..self.clone() }
    }

    /// Whether the captures due can arise and be made under `rules`: none due; or a stone may be
    /// taken, and two are due only where a double mill takes two.
    #[must_use]
    pub fn captures_possible(&self, rules: OracleRules) -> bool {
        self.due == 0
            || (!self.capturable(rules).is_empty() && (self.due == 1 || rules.double_mill_two))
    }

    /// The same position with two captures due, if one is due now and two crossing mills of the
    /// side to move stand.
    #[must_use]
    pub fn with_second_capture(&self) -> Option<State> {
        (self.due == 1 && self.has_crossing_mills(self.side))
            .then(|| State { due: 2, ..self.clone() })
    }

    /// The legal whole turns as the protocol prints them (`a7`, `a7-a4xb6`, `d6xb4xc3`) with the
    /// positions they lead to, sorted by text; where a capture is due, the rest of the turn (`xb4`,
    /// `xb4xc3`). Empty when the game is over.
    #[must_use]
    pub fn turns(&self, rules: OracleRules) -> Vec<(String, State)> {
        let mut complete = Vec::new();
        let mut open = self.actions(rules);
        // The side to move changes exactly when a turn is complete.
        while let Some((text, state)) = open.pop() {
            if state.side == self.side {
                open.extend(
                    state
                        .actions(rules)
                        .into_iter()
                        .map(|(more, next)| (format!("{text}{more}"), next)),
                );
            } else {
                complete.push((text, state));
            }
        }
        complete.sort_by(|a, b| a.0.cmp(&b.0));
        complete
    }

    /// The legal atomic actions (`a7`, `a7-a4`, `xb4`) with the positions they lead to, sorted by
    /// text. Empty when the game is over.
    #[must_use]
    pub fn actions(&self, rules: OracleRules) -> Vec<(String, State)> {
        let mut list: Vec<(String, State)> = self
            .legal(rules)
            .into_iter()
            .map(|action| (action.text(), self.after(action, rules)))
            .collect();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list
    }

    /// The position after a legal turn or a legal atomic action in the protocol's text; `None` if
    /// it is neither.
    #[must_use]
    pub fn play(&self, text: &str, rules: OracleRules) -> Option<State> {
        let candidates = self.turns(rules).into_iter().chain(self.actions(rules));
        candidates.into_iter().find(|(known, _)| known == text).map(|(_, state)| state)
    }

    /// The winner and the reason if this position ends the game: a side with fewer than three
    /// stones has lost, and so has a side to move that has an empty hand and no legal move.
    #[must_use]
    pub fn winner(&self, rules: OracleRules) -> Option<(Side, Reason)> {
        for loser in [self.side, self.side.other()] {
            if self.total(loser) < 3 {
                return Some((loser.other(), Reason::FewerThanThree));
            }
        }
        let blocked = self.due == 0 && self.hand(self.side) == 0 && self.moves(rules).is_empty();
        blocked.then_some((self.side.other(), Reason::Blocked))
    }

    /// The number of leaves at exactly `depth` actions or turns. A finished game is a leaf only at
    /// the depth where it ends.
    #[must_use]
    pub fn perft(&self, rules: OracleRules, unit: Unit, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let children = match unit {
            Unit::Atomic => self.actions(rules),
            Unit::Turn => self.turns(rules),
        };
        children.iter().map(|(_, child)| child.perft(rules, unit, depth - 1)).sum()
    }

    fn total(&self, side: Side) -> u8 {
        self.on_board(side) + self.hand(side)
    }

    /// Rules "A turn" 1 to 3: what the side to move may do next. Empty when the game is over.
    fn legal(&self, rules: OracleRules) -> Vec<Action> {
        if self.winner(rules).is_some() {
            Vec::new()
        } else if self.due > 0 {
            self.capturable(rules).into_iter().map(Action::Capture).collect()
        } else if self.hand(self.side) > 0 {
            self.empty_points().map(Action::Place).collect()
        } else {
            self.moves(rules).into_iter().map(|(from, to)| Action::Move(from, to)).collect()
        }
    }

    /// The slides of the side to move, or its flights when it has exactly three stones left.
    fn moves(&self, rules: OracleRules) -> Vec<(usize, usize)> {
        let flies = self.on_board(self.side) == 3;
        let mut list = Vec::new();
        for from in self.points_of(self.side) {
            for to in self.empty_points() {
                let reachable = flies || neighbours(from).contains(&to);
                // Going back means moving the very stone that moved last, from where it went to
                // where it came from.
                let goes_back =
                    rules.no_immediate_return && self.last[self.side.index()] == Some((to, from));
                if reachable && !goes_back {
                    list.push((from, to));
                }
            }
        }
        list
    }

    /// The stones the side to move may take: those outside mills; when all are in mills, any or
    /// none by the option.
    fn capturable(&self, rules: OracleRules) -> Vec<usize> {
        let victim = self.side.other();
        let loose: Vec<usize> = self
            .points_of(victim)
            .filter(|&point| self.mills_through(point, victim) == 0)
            .collect();
        if loose.is_empty() && !rules.all_in_mills_none {
            self.points_of(victim).collect()
        } else {
            loose
        }
    }

    /// The position after a legal action. The turn passes on unless a capture is still due.
    fn after(&self, action: Action, rules: OracleRules) -> State {
        let mut next = self.clone();
        if !rules.no_immediate_return {
            next.last = [None; 2];
        }
        let me = self.side.index();
        match action {
            Action::Place(to) => {
                next.stones[to] = Some(self.side);
                next.hands[me] -= 1;
                next.last[me] = None;
                next.quiet = 0;
                next.due = next.captures_earned(to, rules);
            }
            Action::Move(from, to) => {
                next.stones[from] = None;
                next.stones[to] = Some(self.side);
                next.last[me] = rules.no_immediate_return.then_some((from, to));
                next.due = next.captures_earned(to, rules);
                if next.due == 0 {
                    next.quiet += 1;
                }
            }
            Action::Capture(on) => {
                let victim = self.side.other();
                next.stones[on] = None;
                let last = &mut next.last[victim.index()];
                // The forbidden way back belonged to the stone that is gone.
                if last.is_some_and(|(_, to)| to == on) {
                    *last = None;
                }
                next.quiet = 0;
                next.due -= 1;
                // A second capture is dropped when the first decided the game, and forfeited with
                // nothing to take.
                if next.total(victim) < 3 || next.capturable(rules).is_empty() {
                    next.due = 0;
                }
            }
        }
        if next.due == 0 {
            next.side = self.side.other();
            if self.side == Side::Black {
                next.fullmove += 1;
            }
        }
        next
    }

    /// Captures earned by the stone of the side to move that has just come to `to`; none if nothing
    /// can be taken.
    fn captures_earned(&self, to: usize, rules: OracleRules) -> u8 {
        if self.capturable(rules).is_empty() {
            return 0;
        }
        let most = if rules.double_mill_two { 2 } else { 1 };
        self.mills_through(to, self.side).min(most)
    }

    /// How many of the two lines through a point hold three stones of `side`.
    fn mills_through(&self, point: usize, side: Side) -> u8 {
        let full = |line: &&[usize; 3]| line.iter().all(|&on| self.stones[on] == Some(side));
        let count = lines().iter().filter(|line| line.contains(&point)).filter(full).count();
        u8::try_from(count).expect("two lines a point")
    }

    fn has_mill(&self, side: Side) -> bool {
        (0..24).any(|point| self.mills_through(point, side) > 0)
    }

    fn has_crossing_mills(&self, side: Side) -> bool {
        (0..24).any(|point| self.mills_through(point, side) == 2)
    }

    fn points_of(&self, side: Side) -> impl Iterator<Item = usize> {
        (0..24).filter(move |&point| self.stones[point] == Some(side))
    }

    fn empty_points(&self) -> impl Iterator<Item = usize> {
        (0..24).filter(|&point| self.stones[point].is_none())
    }

    fn board_text(&self) -> String {
        let letter = |stone: &Option<Side>| match stone {
            Some(Side::White) => 'O',
            Some(Side::Black) => '@',
            None => '*',
        };
        let rings: Vec<String> =
            self.stones.chunks(8).map(|ring| ring.iter().map(letter).collect()).collect();
        rings.join("/")
    }

    /// Panics on a position that makes no sense.
    fn check(&self) {
        let what = || {
            format!("{} {:?} hands {:?} due {}", self.board_text(), self.side, self.hands, self.due)
        };
        for side in [Side::White, Side::Black] {
            assert!(self.total(side) <= 9, "more than nine stones of {side:?}: {}", what());
            if let Some((from, to)) = self.last[side.index()] {
                assert!(
                    from != to && self.stones[to] == Some(side),
                    "last move without its stone: {}",
                    what()
                );
            }
        }
        assert!(
            self.total(Side::White) >= 3 || self.total(Side::Black) >= 3,
            "both sides have fewer than three stones: {}",
            what()
        );
        if self.due > 0 {
            assert!(self.due <= 2, "a turn earns two captures at most: {}", what());
            assert!(self.has_mill(self.side), "capture due without a mill: {}", what());
            assert!(
                self.due == 1 || self.has_crossing_mills(self.side),
                "two due without two mills: {}",
                what()
            );
            let victim = self.side.other();
            assert!(self.on_board(victim) > 0, "capture due with nothing to take: {}", what());
            assert!(
                self.total(victim) >= 3,
                "capture due although the game is decided: {}",
                what()
            );
        }
    }
}

/// What a ply of [`State::perft`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A placement, a move and a capture count one each.
    Atomic,
    /// A placement or move counts one, together with its captures.
    Turn,
}

fn read_board(text: &str) -> [Option<Side>; 24] {
    let rings: Vec<&str> = text.split('/').collect();
    assert!(
        rings.len() == 3 && rings.iter().all(|ring| ring.len() == 8),
        "three rings of eight points: {text}"
    );
    let mut stones = [None; 24];
    for (stone, letter) in stones.iter_mut().zip(rings.concat().chars()) {
        *stone = match letter {
            'O' => Some(Side::White),
            '@' => Some(Side::Black),
            '*' => None,
            other => panic!("no stone {other}: {text}"),
        };
    }
    stones
}

/// A last move from its two FEN fields; the older form counts points from 8 and has 0 for none.
fn read_last_move(from: i32, to: i32, nodes: bool) -> Option<(usize, usize)> {
    if (from, to) == (-1, -1) || (!nodes && (from, to) == (0, 0)) {
        return None;
    }
    let read = |field: i32| {
        let on = usize::try_from(if nodes { field } else { field - 8 }).ok().filter(|&on| on < 24);
        on.unwrap_or_else(|| panic!("no point {field} in a last move"))
    };
    Some((read(from), read(to)))
}
