//! Calling games by endgame tables.

use merel_engine::tablebase::file::{Access, TableKind};
use merel_engine::tablebase::{Distance, Tables, Value};
use merel_engine::{Color, Game, Rules};

use super::config::{TableResults, TablesConfig};
use super::ending::Ending;

/// Memory for decoded parts, in MiB.
const CACHE: usize = 16;

/// Tables, and what they may call.
#[derive(Debug)]
pub(super) struct TableJudge {
    tables: Tables,
    config: TablesConfig,
}

impl TableJudge {
    /// Opens the folders. Warnings tell of files that are left out.
    ///
    /// # Errors
    /// When a folder cannot be read or holds no table, or tables do not hold under the rules.
    pub(super) fn open(
        config: &TablesConfig,
        rules: &Rules,
    ) -> Result<(Self, Vec<String>), String> {
        if !Tables::hold_under(rules) {
            return Err(
                "-tb: the values of tables do not hold under these rules; leave -tb out, or \
                        no_immediate_return= and all_in_mills="
                    .to_owned(),
            );
        }
        let mut warnings = Vec::new();
        for folder in &config.folders {
            let name = folder.display();
            std::fs::read_dir(folder)
                .map_err(|error| format!("-tb: '{name}' cannot be read: {error}"))?;
            let (found, _) = Tables::open(std::slice::from_ref(folder), Access::Read, 0);
            if found.count(TableKind::Wdl) == 0 {
                return Err(format!(
                    "-tb: '{name}' holds no table of values (.wdl) that can be used; -tb builtin \
                     stands for the tables in the program alone"
                ));
            }
        }
        let (mut tables, refused) = Tables::open(&config.folders, Access::Map, CACHE);
        warnings.extend(refused.iter().map(|refusal| format!("-tb: {refusal}; it is left out")));
        tables.add_builtin();
        tables.prepare();
        Ok((Self { tables, config: config.clone() }, warnings))
    }

    /// The end of a game whose result the tables know. For a win they must know that no rule of
    /// draws can come between, unless that does not matter.
    pub(super) fn call(&self, game: &Game) -> Option<Ending> {
        let position = game.position();
        let stones: u32 = Color::ALL.into_iter().map(|color| position.stones(color).len()).sum();
        // With stones in hand the opening is still being played, which the tables in the program know
        // as well: a draw there is no reason to stop.
        if stones > self.config.pieces || position.is_placing() {
            return None;
        }
        let winner = match self.tables.wdl(position)? {
            Value::Draw => None,
            Value::Win => Some(position.to_move()),
            Value::Loss => Some(!position.to_move()),
        };
        let is_wanted = match self.config.results {
            TableResults::Both => true,
            TableResults::WinLoss => winner.is_some(),
            TableResults::Draw => winner.is_none(),
        };
        let holds = winner.is_none() || self.config.ignore_limits || self.is_beyond_limits(game);
        (is_wanted && holds).then(|| Ending::Adjudication {
            winner,
            reason: format!("endgame tables, {stones} stones"),
        })
    }

    /// Whether the winner, playing best, meets neither a third occurrence nor the quiet limit: a
    /// position cannot come twice on the way to the end, so only what has come twice by now can.
    fn is_beyond_limits(&self, game: &Game) -> bool {
        let position = game.position();
        let keys = game.reversible_keys();
        let rules = position.rules();
        let counts = rules.repetition == merel_engine::Repetition::Third;
        let is_repeated =
            counts && keys.iter().any(|key| keys.iter().filter(|k| *k == key).count() > 1);
        if is_repeated {
            return false;
        }
        let limit = u32::from(rules.quiet_limit);
        let plies = || self.tables.dtw(position).and_then(Distance::plies);
        limit == 0
            || plies().is_some_and(|plies| u32::from(position.quiet()) + u32::from(plies) <= limit)
    }

    /// The first damage met in a file, once.
    pub(super) fn untold_damage(&self) -> Option<&str> {
        self.tables.untold_damage()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merel_engine::{Position, Preset};

    /// White wins with its next turn, with one stone more than it needs.
    const WON: &str = "OO******/O@*@****/**@***** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0";

    fn game(rules: Rules, quiet: u16) -> Game {
        let fen = format!("{WON} {quiet} 30 ids:nodes");
        Game::new(Position::from_fen(&fen, rules).unwrap_or_else(|e| panic!("{fen}: {e}")))
    }

    fn judge(results: TableResults, pieces: u32, ignore_limits: bool) -> TableJudge {
        let config = TablesConfig { folders: Vec::new(), pieces, ignore_limits, results };
        TableJudge::open(&config, &Rules::default()).unwrap().0
    }

    #[test]
    fn a_win_is_called_where_that_is_wanted_and_certain() {
        let plain = Rules::default();
        let call = |judge: TableJudge, game: Game| judge.call(&game).map(|end| end.winner());
        let white = Some(Some(Color::White));
        assert_eq!(call(judge(TableResults::Both, 18, false), game(plain, 0)), white);
        assert_eq!(call(judge(TableResults::WinLoss, 6, false), game(plain, 0)), white);
        assert_eq!(call(judge(TableResults::Draw, 18, false), game(plain, 0)), None);
        assert_eq!(call(judge(TableResults::Both, 5, false), game(plain, 0)), None);
        let limited = Rules { quiet_limit: 100, ..plain };
        assert_eq!(call(judge(TableResults::Both, 18, false), game(limited, 0)), white);
    }

    #[test]
    fn an_opening_that_the_tables_call_drawn_is_played() {
        let start = Game::start(Rules::default());
        let judge = judge(TableResults::Both, 18, false);
        assert_eq!(judge.tables.wdl(start.position()), Some(Value::Draw));
        assert!(judge.call(&start).is_none());
    }

    #[test]
    fn other_rules_and_empty_folders_are_refused_by_name() {
        let mut config = TablesConfig {
            folders: Vec::new(),
            pieces: 18,
            ignore_limits: false,
            results: TableResults::Both,
        };
        let strange = Rules { no_immediate_return: true, ..Preset::Standard.into() };
        let refusal = TableJudge::open(&config, &strange).unwrap_err();
        assert!(refusal.contains("do not hold"), "{refusal}");
        config.folders = vec!["no/such/folder".into()];
        let refusal = TableJudge::open(&config, &Rules::default()).unwrap_err();
        assert!(refusal.contains("'no/such/folder' cannot be read"), "{refusal}");
    }
}
