//! Judges the turns of a game, one after the other from the last to the first.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use merel_engine::tablebase::{Tables, Value};
use merel_engine::{Engine, Game, Info, Limits, Position, Repetition, Report, SearchOptions, Turn};

use super::assess::Judged;
use super::exact::{Judge, Past};
use super::interrupt;
use super::worth::Worth;
use crate::games::Record;

/// How long the search may go on once it was interrupted, before that is noticed.
const POLL: Duration = Duration::from_millis(50);

/// How many turns of a line are kept.
const LINE: usize = 6;

/// What the search may take for each position. The first limit reached ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    /// Plies (whole turns).
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
    pub(super) move_time: Option<Duration>,
}

/// An engine that judges games.
pub(super) struct Analyst {
    engine: Engine,
    budget: Budget,
}

/// The positions of a game and the turns between them, one less.
struct Plays {
    positions: Vec<Position>,
    turns: Vec<Turn>,
}

/// What is certain of a position.
#[derive(Default)]
struct Certain {
    worth: Option<Worth>,
    /// The best turns, all worth the same, if it is known what each turn is worth.
    best: Vec<Turn>,
    /// The only turn that does not let go of a win or a draw.
    only: Option<Turn>,
}

/// What is known of a position: its worth to the side to move, and a line that shows it.
struct Found {
    worth: Worth,
    line: Vec<Turn>,
}

impl Analyst {
    /// An analyst with one thread, so that a number of nodes gives the same values everywhere.
    pub(super) fn new(tables: Tables, budget: Budget) -> Self {
        let mut engine = Engine::new();
        engine.set_tables(Arc::new(tables));
        Self { engine, budget }
    }

    /// The first damage met in a table, as a sentence; the part with it was left out.
    pub(super) fn damage(&self) -> Option<&str> {
        self.engine.tables().damage()
    }

    /// Judges each turn of a game. `progress` is told how many positions were looked at, of how
    /// many. What comes out does not depend on the games before.
    ///
    /// Returns `None` when it was interrupted.
    pub(super) fn judge(
        &mut self,
        record: &Record,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Option<Vec<Judged>> {
        self.engine.clear_hash();
        let plays = Plays::of(record);
        let certain = self.certain(&plays);
        let count = plays.turns.len();
        let mut judged = Vec::with_capacity(count);
        let mut later: Option<Found> = None;
        for (ply, certain) in certain.into_iter().enumerate().rev() {
            progress(count - ply, count + 1);
            if interrupt::is_asked() {
                return None;
            }
            let Some(turn) = plays.turns.get(ply).copied() else {
                later = Some(self.last(&plays, ply, &certain)?);
                continue;
            };
            let Some(next) = later.take() else { continue };
            let found = self.look(&plays, ply, &certain)?;
            let after = plays.after(ply, next.worth);
            let (mut found, after) = reconcile(found, after, turn, &next.line, &certain);
            found.line.truncate(LINE);
            judged.push(Judged {
                ply,
                turn,
                before: found.worth,
                after,
                line: found.line.clone(),
                only: certain.only == Some(turn),
            });
            later = Some(found);
        }
        judged.reverse();
        hand_on(&mut judged);
        Some(judged)
    }

    /// What is certain of each position.
    fn certain(&self, plays: &Plays) -> Vec<Certain> {
        let judge = Judge { tables: self.engine.tables() };
        let mut past = Past::default();
        let certain = |position: &Position| {
            let worth = judge.worth(&past, position);
            past.push(position);
            let turns = judge.turns(&past, position).unwrap_or_default();
            let Some(&(first, top)) = turns.first() else {
                return Certain { worth, ..Certain::default() };
            };
            let equal = |worth: &Worth| worth.rank() == top.rank();
            let keeping = turns.iter().filter(|(_, worth)| worth.value() == top.value()).count();
            let is_only = keeping == 1 && turns.len() > 1 && top.value() != Some(Value::Loss);
            Certain {
                worth: worth.or(Some(top)),
                best: turns.iter().take_while(|(_, w)| equal(w)).map(|&(turn, _)| turn).collect(),
                only: is_only.then_some(first),
            }
        };
        plays.positions.iter().map(certain).collect()
    }

    /// What there is to know of the position after the last turn: no turn of it is asked for.
    fn last(&mut self, plays: &Plays, ply: usize, certain: &Certain) -> Option<Found> {
        match certain.worth {
            // A game without turns has nothing to judge.
            None if plays.turns.is_empty() => Some(Found { worth: Worth::DRAW, line: Vec::new() }),
            None => self.look(plays, ply, certain),
            Some(worth) => Some(Found { worth, line: Vec::new() }),
        }
    }

    /// What is certain of a position in which the game goes on, or else what the search finds, and
    /// a best turn with its line.
    fn look(&mut self, plays: &Plays, ply: usize, certain: &Certain) -> Option<Found> {
        let position = plays.positions.get(ply)?;
        let info = self.search(&plays.game(ply)?)?;
        let worth = certain.worth.unwrap_or_else(|| {
            // What the search has from tables at its root does not look far for repetitions.
            let judge = Judge { tables: self.engine.tables() };
            Worth::of_search(&info, !judge.answers_search(position))
        });
        let line = match certain.best.as_slice() {
            [first, ..] if !info.pv.first().is_some_and(|turn| certain.best.contains(turn)) => {
                vec![*first]
            }
            _ => info.pv,
        };
        Some(Found { worth, line })
    }

    /// The last report of a search; `None` when it was interrupted.
    fn search(&mut self, game: &Game) -> Option<Info> {
        let (sender, reports) = mpsc::channel();
        let Budget { depth, nodes, move_time } = self.budget;
        let limits = Limits { start: Instant::now(), depth, nodes, move_time, ..Limits::default() };
        self.engine.start(game, limits, SearchOptions::default(), move |report| {
            // Nobody listens any more when the program is ending.
            let _ = sender.send(report);
        });
        let mut last = None;
        loop {
            match reports.recv_timeout(POLL) {
                Ok(Report::Info(info)) => last = Some(info),
                Ok(Report::Done(_)) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if interrupt::is_asked() => self.engine.stop(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        last.filter(|_| !interrupt::is_asked())
    }
}

impl Plays {
    fn of(record: &Record) -> Self {
        let turns: Vec<Turn> = record.turns().iter().map(|played| played.turn).collect();
        let mut positions = vec![*record.start()];
        positions.extend(turns.iter().scan(*record.start(), |position, &turn| {
            // The last turn of a game may lack its captures.
            *position = position.after_part(turn);
            Some(*position)
        }));
        Self { positions, turns }
    }

    /// The game up to a position, as far back as positions may occur again and that counts.
    fn game(&self, ply: usize) -> Option<Game> {
        let position = self.positions.get(ply)?;
        let counts = position.rules().repetition == Repetition::Third
            // What follows a turn without its capture is one.
            && position.captures_due() == 0;
        let back = if counts { usize::from(position.quiet()) } else { 0 };
        let first = ply.saturating_sub(back);
        let mut game = Game::new(*self.positions.get(first)?);
        self.turns.get(first..ply)?.iter().for_each(|&turn| game.play(turn));
        Some(game)
    }

    /// What a turn is worth that leads to a position worth this to its side to move.
    fn after(&self, ply: usize, worth: Worth) -> Worth {
        let side = |ply: usize| self.positions.get(ply).map(Position::to_move);
        // With a capture due it is still the same player's turn.
        if side(ply) == side(ply + 1) { worth } else { worth.before() }
    }
}

/// Makes what was found of a position and of the turn that was played in it agree: a position is
/// worth no less than a turn in it, and as much as its best turn.
fn reconcile(
    mut found: Found,
    after: Worth,
    turn: Turn,
    rest: &[Turn],
    certain: &Certain,
) -> (Found, Worth) {
    let is_shown = found.line.first() == Some(&turn);
    let may_lift = match (found.worth, after) {
        (_, Worth::Exact(Value::Loss, _)) | (Worth::Exact(..), Worth::Estimate(..)) => false,
        _ => certain.worth.is_none(),
    };
    let lifts = may_lift && after.rank() > found.worth.rank();
    let is_equal = after.rank() == found.worth.rank() && after.value() == found.worth.value();
    if lifts {
        found.worth = after.at_least();
    }
    if lifts || is_equal && !is_shown {
        found.line = [&[turn], rest].concat();
    }
    let after = match (found.worth, after) {
        // The search has proved it by this very turn.
        (proved @ Worth::Exact(..), Worth::Estimate(..)) if is_shown && certain.worth.is_none() => {
            proved
        }
        (worth, after) => after.at_most(worth),
    };
    (found, after)
}

/// What is proved of a turn is proved of the position after it, though the search may have missed
/// it there.
fn hand_on(judged: &mut [Judged]) {
    for i in 1..judged.len() {
        let [.., last, this] = judged.get_mut(..=i).unwrap_or_default() else { continue };
        if let (Worth::Exact(..), Worth::Estimate(..)) = (last.after, this.before) {
            this.before = last.after.after();
            this.after = this.after.at_most(this.before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::worth::Length;
    use merel_engine::{Rules, Score, parse_turn};

    fn turn(text: &str) -> Turn {
        parse_turn(text).unwrap()
    }

    fn found(worth: Worth) -> Found {
        Found { worth, line: vec![turn("a7")] }
    }

    const fn estimate(cp: i32, wdl: [u32; 3]) -> Worth {
        Worth::Estimate(Score::Cp(cp), wdl)
    }

    const EVEN: Worth = estimate(0, [100, 800, 100]);
    const GOOD: Worth = estimate(50, [300, 700, 0]);

    #[test]
    fn a_turn_that_turns_out_better_lifts_its_position_and_is_the_best() {
        let (lifted, after) =
            reconcile(found(EVEN), GOOD, turn("d7"), &[turn("g7")], &Certain::default());
        assert_eq!((lifted.worth, after), (GOOD, GOOD));
        assert_eq!(lifted.line, [turn("d7"), turn("g7")]);
        let win = |length| Worth::Exact(Value::Win, Some(length));
        let (lifted, after) =
            reconcile(found(EVEN), win(Length::Exactly(7)), turn("d7"), &[], &Certain::default());
        assert_eq!((lifted.worth, after), (win(Length::AtMost(7)), win(Length::Exactly(7))));
    }

    #[test]
    fn what_is_certain_of_a_position_stays_whatever_the_search_thinks_of_a_turn() {
        let certain =
            Certain { worth: Some(Worth::DRAW), best: vec![turn("a7")], ..Certain::default() };
        let (kept, after) = reconcile(found(Worth::DRAW), GOOD, turn("d7"), &[], &certain);
        assert_eq!((kept.worth, after), (Worth::DRAW, GOOD));
        // That the search would have made it does not make a turn certain.
        let (kept, after) = reconcile(found(Worth::DRAW), GOOD, turn("a7"), &[], &certain);
        assert_eq!((kept.worth, after), (Worth::DRAW, GOOD));
    }

    #[test]
    fn the_turn_that_shows_a_proof_is_proved_and_an_equal_one_is_a_best_one() {
        let win = |length| Worth::Exact(Value::Win, Some(length));
        let none = Certain::default();
        let proved = win(Length::AtMost(9));
        let (_, after) = reconcile(found(proved), GOOD, turn("a7"), &[], &none);
        assert_eq!(after, proved);
        let (kept, after) = reconcile(found(proved), GOOD, turn("d7"), &[], &none);
        assert_eq!((kept.worth, after, kept.line), (proved, GOOD, vec![turn("a7")]));
        let (equal, _) = reconcile(found(proved), proved, turn("d7"), &[], &none);
        assert_eq!((equal.worth, equal.line), (proved, vec![turn("d7")]));
    }

    #[test]
    fn a_proof_is_handed_on_to_the_next_position() {
        let judged = |before, after| Judged {
            ply: 0,
            turn: turn("a7"),
            before,
            after,
            line: vec![turn("a7")],
            only: false,
        };
        let exact = |value, plies| Worth::Exact(value, Some(Length::AtMost(plies)));
        let win = exact(Value::Win, 9);
        let mut turns = [judged(win, win), judged(GOOD, GOOD), judged(GOOD, GOOD)];
        hand_on(&mut turns);
        let lost = exact(Value::Loss, 8);
        assert_eq!((turns[1].before, turns[1].after), (lost, lost));
        // The position is won, but whether this turn wins is not known.
        assert_eq!((turns[2].before, turns[2].after), (exact(Value::Win, 7), GOOD));
    }

    #[test]
    fn in_a_lost_position_every_turn_loses() {
        let lost = |length| Worth::Exact(Value::Loss, Some(length));
        let (_, after) =
            reconcile(found(lost(Length::Exactly(6))), EVEN, turn("d7"), &[], &Certain::default());
        assert_eq!(after, lost(Length::AtMost(6)));
    }

    #[test]
    fn the_game_of_a_position_has_the_occurrences_of_the_whole_game() {
        let text = "d2 e5 e4 g1 b2 a7 e3 a4 g7 d1 d6 b6 c4 c3 d5 d3 f6 g4 c4-b4 c3-c4 \
                    f6-f4 a7-d7 f4-f6 d7-a7 f6-f4";
        let turns: Vec<Turn> = text.split_whitespace().map(turn).collect();
        let start = Position::start(Rules::default());
        let plays = Plays::of(&Record::played(start, turns.iter().copied()));
        let mut whole = Game::new(start);
        for ply in 0..=turns.len() {
            let game = plays.game(ply).unwrap();
            assert_eq!(game.position(), whole.position());
            assert_eq!(game.reversible_keys(), whole.reversible_keys());
            if let Some(&turn) = turns.get(ply) {
                whole.play(turn);
            }
        }
        assert_eq!(whole.occurrences(), 2);
        assert!(plays.game(turns.len() + 1).is_none());
    }
}
