//! What a side can do on the board in one action, as sets: from these the search takes turns one by
//! one, without a list of all.

use crate::position::Position;
use crate::types::{Bitboard, EDGE_ENDS, EDGES, Point, Slides, Turn, slides};

/// A placement, slide or flight as a small number, dense where most of play is: slides by their edge,
/// to the point with the larger number and then to that with the smaller one, placements by point,
/// flights by both points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ActionNumber(u16);

const PLACEMENTS: usize = 2 * EDGES;
const FLIGHTS: usize = PLACEMENTS + Point::COUNT;

/// The turns, without captures, by number.
static TURNS: [Turn; ActionNumber::COUNT] = {
    let mut turns = [Turn::place(Point::from_index(0)); ActionNumber::COUNT];
    let mut edge = 0;
    while edge < EDGES {
        let [low, high] = EDGE_ENDS[edge];
        let (low, high) = (Point::from_index(low), Point::from_index(high));
        turns[edge] = Turn::step(low, high);
        turns[EDGES + edge] = Turn::step(high, low);
        edge += 1;
    }
    let mut to = 0;
    while to < Point::COUNT {
        turns[PLACEMENTS + to] = Turn::place(Point::from_index(to));
        let mut from = 0;
        while from < Point::COUNT {
            turns[FLIGHTS + Point::COUNT * from + to] =
                Turn::step(Point::from_index(from), Point::from_index(to));
            from += 1;
        }
        to += 1;
    }
    turns
};

/// The numbers of slides and placements by the bits of the turn that tell its action. Others get one
/// that no action of a side that does not fly has.
static NUMBERS: [u8; 1 << Turn::ACTION_BITS] = {
    let mut numbers = [u8::MAX; 1 << Turn::ACTION_BITS];
    let mut number = 0;
    while number < FLIGHTS {
        numbers[TURNS[number].to_bits() as usize] = number as u8;
        number += 1;
    }
    numbers
};

impl ActionNumber {
    /// How many numbers there are.
    pub(crate) const COUNT: usize = FLIGHTS + Point::COUNT * Point::COUNT;

    /// The number of a turn that begins with an action, its captures aside, for the side to move.
    #[inline]
    pub(crate) fn of(position: &Position, turn: Turn) -> Self {
        let [from, to, ..] = turn.fields();
        Self(if position.flies(position.to_move()) {
            (FLIGHTS + Point::COUNT * from + to - (Point::COUNT + 1)) as u16
        } else {
            u16::from(NUMBERS[turn.to_bits() as usize % NUMBERS.len()])
        })
    }

    /// The action with this number.
    #[inline]
    pub(crate) const fn from_index(index: usize) -> Self {
        debug_assert!(index < Self::COUNT);
        Self(index as u16)
    }

    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The action as a turn that captures nothing.
    #[inline]
    pub(crate) fn turn(self) -> Turn {
        TURNS[self.index()]
    }
}

/// Actions whose numbers begin with a common one, as a set of what is added to that.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    first: u16,
    quiet: u64,
    closing: u64,
}

/// The actions of the side to move, apart by whether they close a mill and capture. A stone that
/// flies has a group of its own; otherwise there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actions {
    groups: [Group; 3],
    count: usize,
}

impl Actions {
    /// No actions.
    pub(crate) const NONE: Self =
        Self { groups: [Group { first: 0, quiet: 0, closing: 0 }; 3], count: 1 };

    /// Those of a position in which the game goes on; none with captures due. Where a mill takes
    /// nothing, closing it is a quiet action.
    #[inline]
    pub(crate) fn of(position: &Position) -> Self {
        let mut actions = Self::NONE;
        actions.find(position, true);
        actions
    }

    /// As [`Self::of`], in the place of [`Self::NONE`]: a processor waits where what was just
    /// written is copied in other pieces. `may_close` says whether some may close a mill.
    #[inline]
    pub(crate) fn find(&mut self, position: &Position, may_close: bool) {
        if position.captures_due() > 0 {
            return;
        }
        let side = position.to_move();
        if position.hand(side) > 0 {
            let [first, second] = position.stones(side).completing();
            let empty = position.empty();
            let closing = empty & (first | second);
            self.groups[0] = Group {
                first: PLACEMENTS as u16,
                quiet: u64::from((empty ^ closing).bits()),
                closing: u64::from(closing.bits()),
            };
        } else if position.slides(side) {
            self.groups[0] = slide_group(position, may_close);
        } else {
            self.add_flights(position);
        }
        if self.any_closing() && position.capturable().is_empty() {
            for group in &mut self.groups {
                group.quiet |= std::mem::take(&mut group.closing);
            }
        }
    }

    #[cold]
    fn add_flights(&mut self, position: &Position) {
        self.count = 0;
        for mover in position.movers() {
            let [first, second] = mover.rest.completing();
            let closing = mover.targets & (first | second);
            self.groups[self.count] = Group {
                first: (FLIGHTS + Point::COUNT * mover.from.index()) as u16,
                quiet: u64::from((mover.targets ^ closing).bits()),
                closing: u64::from(closing.bits()),
            };
            self.count += 1;
        }
    }

    /// Whether any action closes a mill and captures.
    #[inline]
    pub(crate) fn any_closing(&self) -> bool {
        self.groups.iter().fold(0, |all, group| all | group.closing) != 0
    }

    /// The first group, which is mostly the only one, without a loop.
    #[inline(always)]
    fn each_group(&mut self, mut work: impl FnMut(&mut Group)) {
        let [first, others @ ..] = &mut self.groups;
        work(first);
        if self.count > 1 {
            others.iter_mut().for_each(work);
        }
    }

    /// Takes out the actions that close a mill and capture, and gives out their numbers.
    #[inline]
    pub(crate) fn take_closing(&mut self, mut give: impl FnMut(ActionNumber)) {
        self.each_group(|group| each(group.first, std::mem::take(&mut group.closing), &mut give));
    }

    /// Gives out the numbers of the quiet actions.
    #[inline]
    pub(crate) fn each_quiet(&self, mut give: impl FnMut(ActionNumber)) {
        let [first, others @ ..] = &self.groups;
        each(first.first, first.quiet, &mut give);
        if self.count > 1 {
            others.iter().for_each(|group| each(group.first, group.quiet, &mut give));
        }
    }

    /// The actions that lead to one of these points, which are empty, taken out of these.
    #[inline]
    pub(crate) fn split_off(&mut self, position: &Position, points: Bitboard) -> Self {
        let side = position.to_move();
        let within = if position.slides(side) {
            let edges = u64::from(slides(position.stones(side), points));
            edges | edges << EDGES
        } else {
            u64::from(points.bits())
        };
        let mut split = *self;
        for (group, split) in self.groups.iter_mut().zip(&mut split.groups) {
            split.quiet &= within;
            split.closing &= within;
            group.quiet ^= split.quiet;
            group.closing ^= split.closing;
        }
        split
    }

    /// Takes a quiet action out. Returns whether it was there.
    #[inline]
    pub(crate) fn take_quiet(&mut self, number: ActionNumber) -> bool {
        let mut found = 0;
        self.each_group(|group| {
            let bit = 1_u64.checked_shl(u32::from(number.0.wrapping_sub(group.first))).unwrap_or(0);
            found |= group.quiet & bit;
            group.quiet &= !bit;
        });
        found != 0
    }
}

/// The slides of the side to move.
#[inline]
fn slide_group(position: &Position, may_close: bool) -> Group {
    let stones = position.stones(position.to_move());
    let slides = Slides::of(stones, position.empty());
    // By edge, upwards and then downwards.
    let both =
        |edges: u32| u64::from(edges & !slides.falls) | u64::from(edges & slides.falls) << EDGES;
    let mut group = Group { first: 0, quiet: both(slides.all), closing: 0 };
    if may_close {
        group.closing = both(slides.closing);
        group.quiet ^= group.closing;
    }
    if let Some((from, to)) = position.forbidden_return()
        && from.neighbours().contains(to)
    {
        let allowed =
            !1_u64.wrapping_shl(ActionNumber::of(position, Turn::step(from, to)).0.into());
        group.quiet &= allowed;
        group.closing &= allowed;
    }
    group
}

#[inline(always)]
fn each(first: u16, mut set: u64, mut give: impl FnMut(ActionNumber)) {
    while set != 0 {
        give(ActionNumber(first + set.trailing_zeros() as u16));
        set &= set - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::each_position;
    use crate::rules::Rules;

    fn turns(actions: &Actions) -> Vec<Turn> {
        let mut turns = Vec::new();
        actions.each_quiet(|action| turns.push(action.turn()));
        turns.sort_unstable();
        turns
    }

    fn closing(mut actions: Actions) -> Vec<Turn> {
        let mut turns = Vec::new();
        actions.take_closing(|action| turns.push(action.turn()));
        turns.sort_unstable();
        turns
    }

    #[test]
    fn the_sets_hold_the_legal_turns() {
        for rules in Rules::all_kinds() {
            each_position(rules, 11, |position| {
                let all = position.legal_turns();
                if all.is_empty() || position.captures_due() > 0 {
                    return;
                }
                let (capturing, mut quiet): (Vec<Turn>, Vec<Turn>) =
                    all.iter().partition(|turn| turn.is_capture());
                quiet.sort_unstable();
                let mut closers: Vec<Turn> =
                    capturing.iter().filter_map(|turn| turn.without_captures()).collect();
                closers.sort_unstable();
                closers.dedup();
                let actions = Actions::of(position);
                assert_eq!(turns(&actions), quiet, "{}", position.fen());
                assert_eq!(closing(actions), closers, "{}", position.fen());
                assert_eq!(actions.any_closing(), !closers.is_empty());

                let points = position.empty() & Bitboard::MIDPOINTS;
                let is_within = |turn: &Turn| turn.to().is_some_and(|to| points.contains(to));
                let mut others = actions;
                let within = others.split_off(position, points);
                let split = |turns: &[Turn]| turns.iter().copied().partition(is_within);
                assert_eq!((turns(&within), turns(&others)), split(&quiet));
                assert_eq!((closing(within), closing(others)), split(&closers));
            });
        }
    }

    #[test]
    fn only_a_quiet_action_that_is_there_is_taken_out() {
        each_position(Rules::default(), 12, |position| {
            let actions = Actions::of(position);
            let quiet = turns(&actions);
            if position.legal_turns().is_empty() || position.quiet() % 16 != 1 {
                return;
            }
            for bits in 1..1 << Turn::ACTION_BITS {
                let Some(turn) = Turn::from_bits(bits).filter(|turn| turn.to().is_some()) else {
                    continue;
                };
                let mut left = actions;
                let is_there = left.take_quiet(ActionNumber::of(position, turn));
                assert_eq!(is_there, quiet.contains(&turn), "{turn} in {}", position.fen());
                assert_eq!(turns(&left).len(), quiet.len() - usize::from(is_there));
                assert!(!turns(&left).contains(&turn));
            }
        });
    }
}
