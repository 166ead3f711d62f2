//! Legal turns.

use arrayvec::ArrayVec;

use crate::actions::Actions;
use crate::position::{Position, capturable};
use crate::rules::DoubleMill;
use crate::types::{Action, Bitboard, Color, Point, Turn, closed_by_slides};

/// Upper bound of the number of turns in any position; a test derives it.
pub const MAX_TURNS: usize = 512;

/// The turns of a position.
pub type TurnList = ArrayVec<Turn, MAX_TURNS>;

/// The stones that a side can move and the points each may go to, captures aside.
#[derive(Clone, Copy)]
pub(crate) struct Mover {
    pub(crate) rest: Bitboard,
    pub(crate) from: Point,
    pub(crate) targets: Bitboard,
}

impl Position {
    /// All legal turns, each once: none when the game is over.
    ///
    /// A draw by the quiet limit or by repetition does not empty the list.
    #[must_use]
    pub fn legal_turns(&self) -> TurnList {
        let mut list = TurnList::new();
        self.each_legal_turn(|turn| list.push(turn));
        list
    }

    /// Gives out the turns of [`Self::legal_turns`] one by one.
    #[inline]
    fn each_legal_turn(&self, mut give: impl FnMut(Turn)) {
        let give = &mut give;
        if self.total(self.to_move()) < 3 || self.total(!self.to_move()) < 3 {
            return;
        }
        let us = self.stones(self.to_move());
        if self.captures_due() > 0 {
            self.give_captures(None, self.captures_due(), give);
        } else if self.hand(self.to_move()) > 0 {
            let [first, second] = us.completing();
            for to in self.empty() {
                let mills = u8::from(first.contains(to)) + u8::from(second.contains(to));
                self.give_turn(Turn::place(to), mills, give);
            }
        } else {
            for mover in self.movers() {
                let [first, second] = mover.rest.completing();
                for to in mover.targets {
                    // A move closes one mill at most: a slide cannot complete the line it runs
                    // along, and a player who flies has three stones.
                    let mills = u8::from((first | second).contains(to));
                    self.give_turn(Turn::step(mover.from, to), mills, give);
                }
            }
        }
    }

    /// Gives out the legal turns that capture, in no certain order.
    #[inline]
    pub(crate) fn each_capturing_turn(&self, mut give: impl FnMut(Turn)) {
        if self.captures_due() > 0 {
            return self.each_legal_turn(give);
        }
        let stones = self.stones(self.to_move());
        Actions::of(self).take_closing(|action| {
            let turn = action.turn();
            let rest = stones.without(turn.action_set());
            let earned = turn.to().map_or(0, |to| self.captures_earned(rest, to));
            self.give_captures(Some(turn), earned, &mut give);
        });
    }

    /// The empty points on which `color` could close a mill in one action, were it its turn.
    pub(crate) fn closing_points(&self, color: Color) -> Bitboard {
        let (own, empty) = (self.stones(color), self.empty());
        if self.slides(color) {
            closed_by_slides(own, empty)
        } else {
            let [first, second] = own.completing();
            (first | second) & empty
        }
    }

    /// The stones the side to move can slide or fly, and where to. Asks nothing about hands.
    pub(crate) fn movers(&self) -> impl Iterator<Item = Mover> {
        let us = self.stones(self.to_move());
        let empty = self.empty();
        let flies = self.flies(self.to_move());
        let forbidden = self.forbidden_return();
        us.into_iter().map(move |from| {
            let mut targets = if flies { empty } else { from.neighbours() & empty };
            if let Some((stone, back)) = forbidden
                && stone == from
            {
                targets = targets.without(back.bit());
            }
            Mover { rest: us ^ from.bit(), from, targets }
        })
    }

    /// Whether the side to move has any legal turn.
    #[must_use]
    pub fn has_legal_turn(&self) -> bool {
        if self.total(self.to_move()) < 3 || self.total(!self.to_move()) < 3 {
            return false;
        }
        if self.captures_due() > 0 || self.hand(self.to_move()) > 0 {
            return true;
        }
        self.can_move()
    }

    /// Whether the side to move can slide or fly. Asks nothing about hands.
    #[inline]
    pub(crate) fn can_move(&self) -> bool {
        // Nearly always somebody can slide along a ring.
        let slides = self.stones(self.to_move()).clockwise::<1>() & self.empty();
        (slides.any() && self.forbidden_return().is_none()) || self.finds_move()
    }

    #[cold]
    fn finds_move(&self) -> bool {
        self.movers().any(|mover| mover.targets.any())
    }

    #[inline]
    fn give_turn(&self, base: Turn, mills: u8, give: &mut impl FnMut(Turn)) {
        if mills == 0 {
            give(base);
        } else {
            let captures = match self.rules().double_mill {
                DoubleMill::One => 1,
                DoubleMill::Two => mills,
            };
            self.give_captures(Some(base), captures, give);
        }
    }

    /// Gives out every way to make so many captures, as turns that do nothing else.
    #[inline]
    pub(crate) fn each_capture(&self, captures: u8, mut give: impl FnMut(Turn)) {
        self.give_captures(None, captures, &mut give);
    }

    /// Gives out the turn once for each way to make `captures` captures after it. A capture with
    /// nothing to take is forfeited, and so is a second one after the first has won.
    fn give_captures(&self, base: Option<Turn>, captures: u8, give: &mut impl FnMut(Turn)) {
        let them = self.stones(!self.to_move());
        let targets = self.capturable();
        if targets.is_empty() {
            if let Some(base) = base {
                give(base);
            }
            return;
        }
        for captured in targets {
            let turn =
                base.map_or(Turn::capture_only(captured), |base| base.with_capture(captured));
            if captures < 2 || self.total(!self.to_move()) <= 3 {
                give(turn);
                continue;
            }
            let second = capturable(them ^ captured.bit(), self.rules());
            if second.is_empty() {
                give(turn);
            }
            for captured in second {
                give(turn.with_capture(captured));
            }
        }
    }

    /// How many legal turns there are, without listing those that capture one stone at most.
    #[must_use]
    pub fn count_legal_turns(&self) -> u64 {
        if self.captures_due() > 0 {
            return self.legal_turns().len() as u64;
        }
        if self.total(self.to_move()) < 3 || self.total(!self.to_move()) < 3 {
            return 0;
        }
        let us = self.stones(self.to_move());
        if self.hand(self.to_move()) == 0 {
            let mut quiet = 0;
            let mut closing = 0;
            for mover in self.movers() {
                let [first, second] = mover.rest.completing();
                let closes = mover.targets & (first | second);
                closing += closes.len();
                quiet += (mover.targets ^ closes).len();
            }
            return u64::from(quiet + closing * self.captures_after_one_mill(closing));
        }
        let empty = self.empty();
        let [first, second] = us.completing();
        let closes = empty & (first | second);
        let double = empty & first & second;
        if double.any() && self.rules().double_mill == DoubleMill::Two {
            return self.legal_turns().len() as u64;
        }
        let closing = closes.len();
        u64::from((empty ^ closes).len() + closing * self.captures_after_one_mill(closing))
    }

    /// In how many ways a turn that earns one capture can end. `closing` turns ask; none, no work.
    fn captures_after_one_mill(&self, closing: u32) -> u32 {
        if closing == 0 { 0 } else { self.capturable().len().max(1) }
    }

    /// Whether the turn is one of [`Self::legal_turns`], whatever its bits.
    #[must_use]
    pub fn is_legal(&self, turn: Turn) -> bool {
        let side = self.to_move();
        if self.total(side) < 3 || self.total(!side) < 3 {
            return false;
        }
        let us = self.stones(side);
        let placing = self.hand(side) > 0;
        let earned = match turn.action() {
            // Bits that hold a from and no to are no turn at all.
            Action::CaptureOnly if self.captures_due() > 0 && turn.from().is_none() => {
                self.captures_due()
            }
            Action::Place(to)
                if self.captures_due() == 0 && placing && self.empty().contains(to) =>
            {
                self.captures_earned(us, to)
            }
            Action::Move(from, to)
                if self.captures_due() == 0
                    && !placing
                    && us.contains(from)
                    && self.empty().contains(to)
                    && (self.flies(side) || from.neighbours().contains(to))
                    && self.forbidden_return() != Some((from, to)) =>
            {
                self.captures_earned(us ^ from.bit(), to)
            }
            _ => return false,
        };
        self.captures_are_legal(turn.captures(), earned)
    }

    fn captures_are_legal(&self, captures: [Option<Point>; 2], earned: u8) -> bool {
        let them = self.stones(!self.to_move());
        let targets = if earned == 0 { Bitboard::EMPTY } else { self.capturable() };
        let [first, second] = captures;
        let Some(first) = first else {
            return targets.is_empty() && second.is_none();
        };
        if !targets.contains(first) {
            return false;
        }
        let remaining = if earned == 2 && self.total(!self.to_move()) > 3 {
            capturable(them ^ first.bit(), self.rules())
        } else {
            Bitboard::EMPTY
        };
        second.map_or(remaining.is_empty(), |second| remaining.contains(second))
    }

    /// The legal single actions: placements and moves without their captures, or, with a capture
    /// due, single captures. [`Self::after_part`] plays one.
    #[must_use]
    pub fn legal_actions(&self) -> TurnList {
        let turns = self.legal_turns();
        let mut actions = TurnList::new();
        for turn in turns {
            let action = turn.first_action();
            // Turns that differ only in captures follow one another.
            if actions.last() != Some(&action) {
                actions.push(action);
            }
        }
        actions
    }
}

impl Turn {
    /// The first single action of the turn: the placement or move without its captures, or the
    /// first capture where there is nothing else.
    #[must_use]
    pub fn first_action(self) -> Self {
        match (self.without_captures(), self.captures()[0]) {
            (Some(action), _) => action,
            (None, Some(captured)) => Self::capture_only(captured),
            (None, None) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_play::each_position;
    use crate::rules::Rules;

    #[test]
    fn other_ways_to_ask_for_turns_agree_with_the_list_of_all() {
        for rules in Rules::all_kinds() {
            each_position(rules, 11, |position| {
                let all = position.legal_turns();
                if !all.is_empty() {
                    let mut listed = TurnList::new();
                    position.each_capturing_turn(|turn| listed.push(turn));
                    let mut capturing: TurnList =
                        all.iter().copied().filter(|turn| turn.is_capture()).collect();
                    listed.sort_unstable();
                    capturing.sort_unstable();
                    assert_eq!(listed, capturing);
                }
                assert_eq!(position.count_legal_turns(), all.len() as u64, "{}", position.fen());
                assert_eq!(position.has_legal_turn(), !all.is_empty());
                let mut unique = all.to_vec();
                unique.sort_unstable();
                unique.dedup();
                assert_eq!(unique.len(), all.len());
            });
        }
    }

    #[test]
    fn exactly_the_listed_turns_are_legal_among_all_that_can_be_encoded() {
        let mut checked = 0;
        for rules in Rules::all_kinds() {
            each_position(rules, 11, |position| {
                checked += 1;
                if checked % 5000 != 0 {
                    return;
                }
                let all = position.legal_turns();
                let legal = (1..1 << Turn::BITS)
                    .filter_map(Turn::from_bits)
                    .filter(|&turn| position.is_legal(turn))
                    .count();
                assert_eq!(legal, all.len(), "{}", position.fen());
                assert!(all.iter().all(|&turn| position.is_legal(turn)));
            });
        }
        assert!(checked > 50_000);
    }

    #[test]
    fn the_key_kept_up_by_turns_is_the_one_computed_from_nothing() {
        for rules in Rules::all_kinds() {
            each_position(rules, 11, |position| {
                assert_eq!(position.key(), position.computed_key());
                if !rules.no_immediate_return {
                    for turn in position.legal_turns() {
                        assert_eq!(position.key_after(turn), position.after(turn).key());
                    }
                }
                for action in position.legal_actions() {
                    let part = position.after_part(action);
                    assert_eq!(part.key(), part.computed_key());
                }
            });
        }
    }

    #[test]
    fn closing_points_are_where_an_action_closes_a_mill() {
        each_position(Rules::default(), 11, |position| {
            if position.legal_turns().is_empty() {
                return;
            }
            let closing: Bitboard = position
                .legal_actions()
                .iter()
                .filter(|&&action| position.after_part(action).captures_due() > 0)
                .filter_map(|action| action.to())
                .collect();
            let points = position.closing_points(position.to_move());
            if position.flies(position.to_move()) {
                assert!(points.contains_all(closing));
            } else {
                assert_eq!(points, closing, "{}", position.fen());
            }
        });
    }

    /// Over all sets of stones and numbers of opposing stones the turns stay within the list.
    ///
    /// Placing: `double` points earn two captures of `b` stones (at most `b·(b−1)` pairs), `single`
    /// points one, and opposing stones are assumed to stand on other points where possible.
    /// Moving: at most nine stones with four targets each, each closing at most one mill and
    /// taking one of nine; flying: three stones, each pair of which closes at most one mill.
    #[test]
    fn no_position_has_more_turns_than_the_list_holds() {
        let mut most = 0;
        for bits in 0_u32..1 << 24 {
            if bits.count_ones() > 8 {
                continue;
            }
            let own = Bitboard::from_bits(bits);
            let [first, second] = own.completing();
            let double = (first & second).without(own).len() as usize;
            let single = ((first | second).without(own).len() as usize) - double;
            for b in 0..=9_usize {
                let other = 24_usize.saturating_sub(own.len() as usize + b + double + single);
                let pairs = (b * b.saturating_sub(1)).max(1);
                most = most.max(double * pairs + single * b.max(1) + other);
            }
        }
        assert!(most <= MAX_TURNS, "{most}");
        // Moving: the 32 edges give at most 32 slides between own and empty points.
        const { assert!(32 * 9 <= MAX_TURNS && 3 * 21 + 3 * 9 <= MAX_TURNS) };
    }
}
