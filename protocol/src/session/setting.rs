//! Setting options.

use std::path::Path;
use std::sync::Arc;

use merel_engine::tablebase::file::{Access, TableKind};
use merel_engine::tablebase::{Pair, Sector, Tables, folders};
use merel_engine::{DoubleMill, Rules};

use super::Session;
use crate::command::SetOption;
use crate::memory;
use crate::options::{self, Setting};
use crate::text::{clip, clip_path};

impl Session {
    /// Sets an option, after a running search has been ended.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then.
    pub(super) fn set_option(&mut self, option: &SetOption<'_>) -> Result<(), String> {
        let setting =
            options::parse(&option.name, option.value).map_err(|error| error.to_string())?;
        self.halt();
        let mut rules = self.options.rules;
        match setting {
            Setting::Hash(mebibytes) => self.set_hash(mebibytes)?,
            Setting::ClearHash => self.engine.clear_hash(),
            Setting::Threads(count) => self.set_threads(count)?,
            Setting::MultiPv(lines) => self.options.multi_pv = lines,
            Setting::Ponder(_) => {}
            Setting::MoveOverhead(ms) => self.options.move_overhead = ms,
            Setting::SkillLevel(level) => self.options.skill_level = level,
            Setting::LimitStrength(on) => self.options.limit_strength = on,
            Setting::Elo(elo) => self.options.elo = elo,
            Setting::ShowWdl(on) => self.options.show_wdl = on,
            Setting::Dialect(dialect) => self.options.dialect = dialect,
            Setting::TablebasePath(path) => {
                self.options.table_path = path;
                self.open_tables();
            }
            Setting::TablebaseCache(mebibytes) => {
                self.options.table_cache = mebibytes;
                self.open_tables();
            }
            Setting::TablebaseProbeLimit(stones) => self.options.table_stones = stones,
            Setting::PracticalChances(on) => self.options.practical_chances = on,
            Setting::DebugLogFile(path) => self.set_log(&path)?,
            Setting::Rule(rule) => rule.change(&mut rules),
        }
        self.set_rules(rules);
        Ok(())
    }

    /// Other rules make another game: neither the position nor what was learnt holds in it.
    fn set_rules(&mut self, rules: Rules) {
        if rules != self.options.rules {
            self.options.rules = rules;
            self.engine.clear_hash();
            self.game = Err("no position: the rules were changed; send a position command");
        }
    }

    fn set_hash(&mut self, mebibytes: u32) -> Result<(), String> {
        if mebibytes == self.options.hash {
            return Ok(());
        }
        let kept = format!("the table of {} MiB is kept", self.options.hash);
        // The old table is given back only once the new one is there.
        if let Some(available) = memory::available_mebibytes()
            && u64::from(mebibytes) > available
        {
            return Err(format!(
                "option Hash: {mebibytes} MiB are more than the {available} MiB of memory \
                 available; {kept}"
            ));
        }
        self.engine
            .set_hash(mebibytes as usize)
            .map_err(|error| format!("option Hash: {error}; {kept}"))?;
        self.options.hash = mebibytes;
        Ok(())
    }

    fn set_threads(&mut self, count: u32) -> Result<(), String> {
        if count == self.options.threads {
            return Ok(());
        }
        self.engine.set_threads(count as usize).map_err(|error| {
            format!("option Threads: {error}; {} are kept", self.options.threads)
        })?;
        self.options.threads = count;
        Ok(())
    }

    /// Opens the endgame tables in the folders of `TablebasePath`, with the built-in ones behind
    /// them, and says what was found. Whatever cannot be used is left out.
    fn open_tables(&mut self) {
        let folders = folders(&self.options.table_path);
        let cache = self.options.table_cache as usize;
        let (mut tables, refused) = Tables::open(&folders, Access::Map, cache);
        if !folders.is_empty() {
            let [wdl, dtw] = TableKind::ALL.map(|kind| tables.count(kind));
            let all = Sector::COUNT;
            let mut lines = vec![format!(
                "info string endgame tables: win/draw/loss for {wdl} of {all} sectors, distances \
                 for {dtw}"
            )];
            for &double_mill in DoubleMill::ALL {
                let (found, all) =
                    (tables.count_placing(double_mill), Sector::all_placing(double_mill).len());
                if found > 0 {
                    lines.push(format!(
                        "info string tables with stones in hand, DoubleMill {double_mill}: \
                         win/draw/loss for {found} of {all} sectors"
                    ));
                }
            }
            let missing = missing(&tables);
            if !missing.is_empty() {
                lines.push(format!("info string endgame tables missing: {missing}"));
            }
            for refusal in refused {
                let path = clip_path(&refusal.path);
                lines.push(format!("info string endgame table refused: {path} {}", refusal.error));
            }
            self.output.lines(&lines.join("\n"));
        }
        tables.add_builtin();
        self.engine.set_tables(Arc::new(tables));
    }

    fn set_log(&mut self, path: &str) -> Result<(), String> {
        let file = Some(Path::new(path)).filter(|_| !path.is_empty());
        self.output.set_log(file).map_err(|error| {
            format!("option Debug Log File: '{}' cannot be opened: {error}", clip(path))
        })
    }
}

/// The files that no folder has, as far as a line holds them.
fn missing(tables: &Tables) -> String {
    let names: Vec<String> = Pair::all()
        .into_iter()
        .flat_map(|pair| TableKind::ALL.map(|kind| (pair, kind)))
        .map(|(pair, kind)| (pair.larger_to_move(), kind))
        .filter(|&(sector, kind)| !tables.has(sector, kind))
        .map(|(sector, kind)| kind.file_name(sector))
        .collect();
    const SHOWN: usize = 8;
    match names.get(..SHOWN) {
        Some(first) if names.len() > SHOWN => {
            format!("{} and {} more", first.join(" "), names.len() - SHOWN)
        }
        _ => names.join(" "),
    }
}
