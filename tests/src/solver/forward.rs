//! Values of positions outside the tables, by expanding every turn until the tables know the
//! answer.

use std::collections::HashMap;

use super::{Solved, Value};
use crate::oracle::{OracleRules, State};

impl Solved {
    /// The exact value of any position from which every line soon reaches a solved sector or the
    /// end of the game: also with captures due and with a few stones in hand. Both numbers of
    /// captures for a double mill are allowed.
    ///
    /// `None` if `node_limit` positions outside the tables have been expanded, if a sector that is
    /// needed has not been solved, and under `no_immediate_return` or `all_in_mills = none`, for
    /// which the tables do not hold. A game that is over is lost (or, in a set-up position, won) in
    /// 0 plies.
    #[must_use]
    pub fn value_of_any(
        &self,
        state: &State,
        rules: OracleRules,
        node_limit: usize,
    ) -> Option<Value> {
        Expansion::new(self, rules, node_limit)?.value(state)
    }

    /// Every legal turn with its value for the player who makes it, counted from before the turn;
    /// best first. `None` as for [`Solved::value_of_any`].
    #[must_use]
    pub fn turn_values(
        &self,
        state: &State,
        rules: OracleRules,
        node_limit: usize,
    ) -> Option<Vec<(String, Value)>> {
        let mut expansion = Expansion::new(self, rules, node_limit)?;
        let mut list = Vec::new();
        for (text, next) in state.turns(rules) {
            list.push((text, expansion.value(&next)?.before_turn()));
        }
        list.sort_by_key(|(_, value)| -value.rank());
        Some(list)
    }
}

struct Expansion<'a> {
    solved: &'a Solved,
    rules: OracleRules,
    node_limit: usize,
    /// Positions expanded, with their counters set back.
    memo: HashMap<State, Value>,
}

impl<'a> Expansion<'a> {
    /// `None` under rules for which the tables do not hold.
    fn new(solved: &'a Solved, rules: OracleRules, node_limit: usize) -> Option<Expansion<'a>> {
        let exact = !rules.no_immediate_return && !rules.all_in_mills_none;
        exact.then(|| Expansion { solved, rules, node_limit, memo: HashMap::new() })
    }

    fn value(&mut self, state: &State) -> Option<Value> {
        if let Some((winner, _)) = state.winner(self.rules) {
            return Some(if winner == state.side() { Value::win(0) } else { Value::loss(0) });
        }
        let in_hand = state.hand(state.side()) + state.hand(state.side().other());
        if in_hand == 0 && state.captures_due() == 0 {
            return self.solved.value(state);
        }
        let key = state.without_counters();
        if let Some(&known) = self.memo.get(&key) {
            return Some(known);
        }
        // Stones in hand and captures due only ever grow fewer, so the recursion ends.
        let mut best: Option<Value> = None;
        for (_, next) in state.turns(self.rules) {
            let value = self.value(&next)?.before_turn();
            if best.is_none_or(|known| value.rank() > known.rank()) {
                best = Some(value);
            }
        }
        if self.memo.len() >= self.node_limit {
            return None;
        }
        self.memo.insert(key, best?);
        best
    }
}
