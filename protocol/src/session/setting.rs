//! Setting options.

use std::path::Path;

use merel_engine::Rules;

use super::Session;
use crate::command::SetOption;
use crate::memory;
use crate::options::{self, Setting};
use crate::text::clip;

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
            Setting::DebugLogFile(path) => self.set_log(&path)?,
            Setting::Rules(preset) => rules = preset.into(),
            Setting::DoubleMill(value) => rules.double_mill = value,
            Setting::NoImmediateReturn(on) => rules.no_immediate_return = on,
            Setting::Repetition(value) => rules.repetition = value,
            Setting::AllInMills(value) => rules.all_in_mills = value,
            Setting::QuietLimit(plies) => {
                rules.quiet_limit = u16::try_from(plies).unwrap_or(Rules::MAX_QUIET_LIMIT);
            }
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

    fn set_log(&mut self, path: &str) -> Result<(), String> {
        let file = Some(Path::new(path)).filter(|_| !path.is_empty());
        self.output.set_log(file).map_err(|error| {
            format!("option Debug Log File: '{}' cannot be opened: {error}", clip(path))
        })
    }
}
