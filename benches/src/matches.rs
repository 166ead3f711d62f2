//! Matches between players in one process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use merel_engine::tablebase::{Tables, Value};
use merel_engine::{Color, Engine, Game, Outcome, Position, SearchOptions, Strength, Turn};

use crate::budget::Budget;
use crate::plain::Plain;
use crate::rng::Rng;
use crate::search;
use crate::statistics::Results;

/// Somebody who chooses turns.
pub trait Player: Send {
    /// What to call it.
    fn name(&self) -> String;
    /// Forgets the game before.
    fn new_game(&mut self);
    /// The turn to play in a game that goes on, and the depth searched, in plies.
    fn choose(&mut self, game: &Game, budget: Budget) -> (Turn, u32);
}

/// The engine.
pub struct Merel {
    engine: Engine,
    options: SearchOptions,
    depth: Option<u32>,
    name: String,
}

impl Merel {
    /// The engine with this strength, one thread and a table of the default size, without endgame
    /// tables.
    #[must_use]
    pub fn new(strength: Strength) -> Self {
        let name = match strength {
            Strength::Full => "full".to_string(),
            Strength::Level(level) => format!("level:{level}"),
            Strength::Elo(elo) => format!("elo:{elo}"),
        };
        let options = SearchOptions { strength, ..SearchOptions::default() };
        Self { engine: Engine::new(), options, depth: None, name }
    }

    /// The engine at full strength, but with a fixed depth, in plies, whatever the budget.
    #[must_use]
    pub fn with_depth(depth: u32) -> Self {
        Self { depth: Some(depth), name: format!("depth:{depth}"), ..Self::new(Strength::Full) }
    }

    /// The engine at full strength with tables, minding practical chances or not.
    #[must_use]
    pub fn exact(tables: &Arc<Tables>, practical_chances: bool) -> Self {
        let mut engine = Engine::new();
        engine.set_tables(Arc::clone(tables));
        let options = SearchOptions { practical_chances, ..SearchOptions::default() };
        let name = if practical_chances { "exact" } else { "exact-share" };
        Self { engine, options, depth: None, name: name.to_string() }
    }
}

/// Chooses by chance among the turns that keep the value of the position, and, where distances are
/// known, win soonest. Without the tables of a position it plays any turn.
pub struct AnyPerfect {
    tables: Arc<Tables>,
    rng: Rng,
}

impl AnyPerfect {
    /// With these tables.
    #[must_use]
    pub fn new(tables: &Arc<Tables>, seed: u64) -> Self {
        Self { tables: Arc::clone(tables), rng: Rng::new(seed) }
    }
}

impl Player for AnyPerfect {
    fn name(&self) -> String {
        "exact-random".to_string()
    }

    fn new_game(&mut self) {}

    fn choose(&mut self, game: &Game, _: Budget) -> (Turn, u32) {
        let position = game.position();
        let worth = |turn: &Turn| {
            let next = position.after(*turn);
            if let Some(Outcome::Win { .. }) = next.outcome() {
                return i32::MAX;
            }
            let value = self.tables.wdl(&next).map_or(0, |value| match value {
                Value::Loss => 1000,
                Value::Draw => 0,
                Value::Win => -1000,
            });
            value + self.tables.dtw(&next).map_or(0, |distance| distance.before().rank())
        };
        let turns: Vec<Turn> = position.legal_turns().into_iter().collect();
        let worths: Vec<i32> = turns.iter().map(worth).collect();
        let best = worths.iter().max();
        let equals: Vec<Turn> =
            turns.iter().zip(&worths).filter(|(_, w)| Some(*w) == best).map(|(t, _)| *t).collect();
        (equals[self.rng.below(equals.len())], 1)
    }
}

impl Player for Merel {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self) {
        self.engine.clear_hash();
    }

    fn choose(&mut self, game: &Game, budget: Budget) -> (Turn, u32) {
        let budget = self.depth.map_or(budget, Budget::depth);
        let (info, best) = search(&mut self.engine, game, budget.limits(), self.options);
        (best.expect("a search has a result").best, info.map_or(0, |i| i.depth))
    }
}

/// The plain opponent.
#[derive(Default)]
pub struct PlainPlayer {
    player: Plain,
    depth: Option<u32>,
}

impl PlainPlayer {
    /// One that searches to this depth, in plies, whatever the budget.
    #[must_use]
    pub fn with_depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }
}

impl Player for PlainPlayer {
    fn name(&self) -> String {
        self.depth.map_or_else(|| "plain".to_string(), |depth| format!("plain-depth:{depth}"))
    }

    fn new_game(&mut self) {
        self.player.new_game();
    }

    fn choose(&mut self, game: &Game, budget: Budget) -> (Turn, u32) {
        let budget = self.depth.map_or(budget, Budget::depth);
        let found = self.player.search(game.position(), budget);
        (found.turn, found.depth)
    }
}

/// Turns without placement or capture after which the referee calls a game drawn.
const QUIET_TURNS: u16 = 100;

/// What a player did in a match.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// How many turns it searched to each depth, in plies.
    depths: BTreeMap<u32, u64>,
    /// The longest it thought about a turn.
    pub longest: Duration,
    /// Turns that gave away a win or a draw, as far as the judge's tables tell.
    pub errors: u32,
    /// Games that ended worse than they began, as far as the judge's tables tell.
    pub spoilt: u32,
}

impl Effort {
    /// The depth that it reached in half of its turns, in plies. A mean would tell little: where
    /// the end is in sight a search is soon hundreds of plies deep.
    #[must_use]
    pub fn median_depth(&self) -> u32 {
        let turns: u64 = self.depths.values().sum();
        let mut passed = 0;
        let middle = self.depths.iter().find(|&(_, &count)| {
            passed += count;
            2 * passed >= turns
        });
        middle.map_or(0, |(&depth, _)| depth)
    }

    fn note(&mut self, depth: u32, time: Duration) {
        *self.depths.entry(depth).or_default() += 1;
        self.longest = self.longest.max(time);
    }

    fn add(&mut self, other: &Self) {
        for (&depth, &count) in &other.depths {
            *self.depths.entry(depth).or_default() += count;
        }
        self.longest = self.longest.max(other.longest);
        self.errors += other.errors;
        self.spoilt += other.spoilt;
    }
}

/// What a match has come to, from the first player's view.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Results.
    pub results: Results,
    /// Games that the referee called drawn, since nothing happened any more.
    pub called: u32,
    /// What each player did.
    pub efforts: [Effort; 2],
}

/// The two games of an opening.
struct Pair {
    /// Points of the first player, in halves.
    halves: [usize; 2],
    called: u32,
    efforts: [Effort; 2],
}

impl Tally {
    fn add(&mut self, pair: &Pair) {
        self.results.add(pair.halves);
        self.called += pair.called;
        for (sum, effort) in self.efforts.iter_mut().zip(&pair.efforts) {
            sum.add(effort);
        }
    }
}

/// Plays an opening twice, the first player having White in the first game.
fn play_pair(
    players: &mut [Box<dyn Player>; 2],
    opening: Position,
    budget: Budget,
    judge: &Tables,
) -> Pair {
    let mut pair = Pair { halves: [0; 2], called: 0, efforts: <_>::default() };
    for (halves, first) in pair.halves.iter_mut().zip(Color::ALL) {
        players.iter_mut().for_each(|p| p.new_game());
        let mut game = Game::new(opening);
        let promised = judge.value(&opening);
        let mut before = promised;
        while game.outcome().is_none() && game.position().quiet() < QUIET_TURNS {
            let player = usize::from(game.position().to_move() != first);
            let start = Instant::now();
            let (turn, depth) = players[player].choose(&game, budget);
            pair.efforts[player].note(depth, start.elapsed());
            assert!(
                game.position().is_legal(turn),
                "{} plays {turn} in {}",
                players[player].name(),
                game.position().fen()
            );
            game.play(turn);
            let after = judge.value(game.position());
            let lost = before.zip(after).is_some_and(|(before, after)| after.reversed() < before);
            pair.efforts[player].errors += u32::from(lost);
            before = after;
        }
        *halves = match game.outcome() {
            Some(Outcome::Win { winner, .. }) => 2 * usize::from(winner == first),
            _ => 1,
        };
        pair.called += u32::from(game.outcome().is_none());
        if let Some(promised) = promised {
            // What the opening is worth to the first player, and what the game has brought, in halves.
            let is_first = opening.to_move() == first;
            let promised = if is_first { promised } else { promised.reversed() } as usize;
            pair.efforts[0].spoilt += u32::from(*halves < promised);
            pair.efforts[1].spoilt += u32::from(*halves > promised);
        }
    }
    pair
}

/// Plays all openings with so many games at a time; each of these has players of its own, from
/// `players`. After each pair, in the order in which they end, `report` gets the tally so far. Turns
/// and games are judged as far as the tables of the `judge` tell.
///
/// # Panics
/// When a player fails, for instance by an illegal turn.
pub fn play(
    players: &(dyn Fn() -> [Box<dyn Player>; 2] + Sync),
    openings: &[Position],
    budget: Budget,
    concurrency: usize,
    judge: &Tables,
    report: &mut dyn FnMut(&Tally),
) -> Tally {
    let next = AtomicUsize::new(0);
    let (sender, pairs) = mpsc::channel();
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        for _ in 0..concurrency.max(1) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                let mut players = players();
                while let Some(&opening) = openings.get(next.fetch_add(1, Relaxed)) {
                    // The receiver lives until all threads have ended.
                    let _ = sender.send(play_pair(&mut players, opening, budget, judge));
                }
            });
        }
        drop(sender);
        for pair in pairs {
            tally.add(&pair);
            report(&tally);
        }
    });
    tally
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::openings;
    use merel_engine::Rules;

    fn plain_match(concurrency: usize) -> Tally {
        let openings = openings(Rules::default(), 4, 3);
        let mut reports = 0;
        let players: &(dyn Fn() -> [Box<dyn Player>; 2] + Sync) =
            &|| [Box::new(PlainPlayer::with_depth(3)), Box::new(PlainPlayer::with_depth(1))];
        let (budget, judge) = (Budget::default(), Tables::builtin());
        let tally = play(players, &openings, budget, concurrency, &judge, &mut |_| reports += 1);
        assert_eq!(reports, openings.len());
        tally
    }

    #[test]
    fn the_deeper_player_scores_more_and_concurrency_changes_nothing() {
        let tally = plain_match(1);
        assert_eq!(tally.results.games.iter().sum::<u32>(), 8);
        assert!(tally.results.score() > 0.5);
        assert!(tally.efforts[0].median_depth() > tally.efforts[1].median_depth());
        assert!(tally.efforts[0].errors < tally.efforts[1].errors);
        let again = plain_match(2);
        assert_eq!(again.results, tally.results);
        assert_eq!(again.efforts[1].errors, tally.efforts[1].errors);
    }
}
