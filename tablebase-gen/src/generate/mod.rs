//! The command `generate`.
//!
//! The pairs of the moving phase are made one after the other, then the sectors with stones in hand.
//! The values that later ones need lie in scratch files, which are written before the tables: what
//! has whole tables has left behind all that others need of it. A scratch file goes when the last
//! that needs it is finished.

mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use merel_engine::tablebase::codec::Section;
use merel_engine::tablebase::file::{self, Contents, TableError, TableKind};
use merel_engine::tablebase::{Pair, Sector};

use crate::encode::{Coded, Solved};
use crate::failure::Failure;
use crate::folder::{Durable, Folder};
use crate::interrupt::Stop;
use crate::memory::Bytes;
use crate::placing::{self, Packed};
use crate::plan::Wanted;
use crate::pool::Pool;
use crate::progress::{Progress, clock};
use crate::scratch::Form;
use crate::size::{Grouped, Size};
use crate::solve::{self, NotSolved, Values, Watch};
use crate::{need, plan, scratch, statistics, usage};
use work::Step;

/// What to make, where, and with what.
#[derive(Clone, Debug)]
pub struct Request {
    /// What, with all it depends on.
    pub wanted: Wanted,
    /// The folder for the tables.
    pub folder: PathBuf,
    /// How many threads work.
    pub threads: usize,
    /// The most memory that may be used.
    pub memory: Size,
    /// Whether to tell only of errors.
    pub quiet: bool,
}

/// Makes the tables.
pub fn generate(request: &Request, stop: Stop) -> Result<(), Failure> {
    let began = Instant::now();
    let folder = Folder::create(&request.folder)?;
    let (steps, refused) = work::plan(&folder, &request.wanted);
    work::remove_used_up(&folder, &request.wanted, &steps)?;
    check_memory(&steps, request.memory)?;
    check_disk(&folder, &steps)?;
    let pool = Pool::new(request.threads, stop.clone())?;
    let total = steps.iter().map(Step::positions).sum();
    let progress = Arc::new(Progress::new(total, "decided", request.quiet));
    for why in &refused {
        progress.say(why);
    }
    progress.say(&announcement(request, &steps, total));
    let needed = steps.iter().map(Step::memory).max().unwrap_or_default();
    if let Some(available) = usage::available_memory().filter(|&available| available < needed) {
        progress.say(&format!(
            "warning: up to {needed} of memory will be used, but only {available} are available"
        ));
    }
    let maker = Maker { folder: &folder, pool, stop, progress: progress.clone() };
    for (i, step) in steps.iter().enumerate() {
        let made = maker.make(step);
        if let Err(Failure::Interrupted) = made {
            progress.say("what is finished is kept; the same command goes on from there");
        }
        made?;
        for sector in work::packed_done(&steps, i + 1) {
            folder.remove(&folder.scratch(sector, Form::Packed))?;
        }
    }
    progress.say(&closing(request, &folder, &steps, began.elapsed()));
    Ok(())
}

fn check_memory(steps: &[Step], budget: Size) -> Result<(), Failure> {
    let Some(most) = steps.iter().max_by_key(|step| step.memory()) else { return Ok(()) };
    let needed = most.memory();
    if needed <= budget {
        return Ok(());
    }
    // In MiB, rounded up, so that what is printed is enough when it is typed in.
    Err(Failure::Refused(format!(
        "{} needs {needed} of memory, the budget is {budget}; use --memory {}MiB or make fewer \
         sectors",
        most.name(),
        needed.0.div_ceil(1 << 20)
    )))
}

fn check_disk(folder: &Folder, steps: &[Step]) -> Result<(), Failure> {
    let mut wanted = Wanted::default();
    for step in steps {
        match step {
            Step::Pair { pair, .. } => wanted.pairs.push(*pair),
            Step::Settle(_) => {}
            Step::Place { sector, .. } => wanted.placing.push(*sector),
        }
    }
    let needed = plan::most_disk(&wanted);
    match folder.free_space() {
        Some(free) if free < needed => Err(Failure::Refused(format!(
            "about {needed} of disk are needed in {}, {free} are free; make fewer sectors or use \
             another --out",
            folder.path().display()
        ))),
        _ => Ok(()),
    }
}

fn announcement(request: &Request, steps: &[Step], total: u64) -> String {
    let making = steps.iter().filter(|step| step.makes_tables()).count();
    let again =
        steps.iter().filter(|step| !step.makes_tables() && !matches!(step, Step::Settle(_)));
    let again: Vec<String> = again.map(Step::name).collect();
    let all = request.wanted.len();
    let mut text = format!(
        "{making} of {all} {} to make in {} ({} finished before), {} positions, {} threads",
        noun(&request.wanted),
        request.folder.display(),
        all - making,
        Grouped(total),
        request.threads
    );
    if !again.is_empty() {
        text += &format!(
            "\nsolved again, because their values are needed and were not kept: {}",
            again.join(" ")
        );
    }
    text
}

fn closing(request: &Request, folder: &Folder, steps: &[Step], wall: Duration) -> String {
    let sum = |kind| -> u64 {
        let len = |sector| folder.table(sector, kind).metadata().map_or(0, |m| m.len());
        let pairs = request.wanted.pairs.iter().map(|pair| pair.larger_to_move());
        pairs.chain(request.wanted.placing.iter().copied()).map(len).sum()
    };
    let made = steps.iter().filter(|step| !matches!(step, Step::Settle(_))).count();
    let noun = noun(&request.wanted);
    let mut text = format!("done: {made} {noun} made in {}", clock(wall.as_secs_f64()));
    if let Some(cpu) = usage::cpu_time() {
        text += &format!(", CPU time {:.1} s", cpu.as_secs_f64());
    }
    if let Some(memory) = usage::peak_memory() {
        text += &format!(", at most {memory} of memory");
    }
    text += &format!(
        "\nthe tables of {} {noun}: wdl {}, dtw {}",
        request.wanted.len(),
        Size(sum(TableKind::Wdl)),
        Size(sum(TableKind::Dtw))
    );
    let files = work::scratch_files(folder, &request.wanted);
    let left: Vec<Size> =
        files.iter().filter_map(|path| path.metadata().ok()).map(|m| Size(m.len())).collect();
    if !left.is_empty() {
        text += &format!(
            "\n{} scratch files ({}) are kept for larger sectors that were begun",
            left.len(),
            Size(left.iter().map(|s| s.0).sum())
        );
    }
    text + &format!("\nnext: tablebase-gen verify {} --quick", request.folder.display())
}

/// What is counted: pairs of sectors, or, where there are sectors with stones in hand, sets of tables.
fn noun(wanted: &Wanted) -> &'static str {
    if wanted.placing.is_empty() { "pairs of sectors" } else { "pairs and sectors" }
}

/// Makes one thing after the other.
struct Maker<'a> {
    folder: &'a Folder,
    pool: Pool,
    stop: Stop,
    progress: Arc<Progress>,
}

impl Maker<'_> {
    fn make(&self, step: &Step) -> Result<(), Failure> {
        let (began, cpu) = (Instant::now(), usage::cpu_time());
        self.progress.begin(step.name(), step.positions());
        let sizes = match step {
            Step::Pair { pair, tables, save } => self.pair(*pair, *tables, save)?,
            Step::Settle(sector) => self.settle(*sector)?,
            Step::Place { sector, table, save } => self.place(*sector, *table, *save)?,
        };
        self.progress.end();
        let cpu = usage::cpu_time().zip(cpu).map(|(now, then)| now.saturating_sub(then));
        self.progress.say(&summary(step, began.elapsed(), cpu, &sizes));
        Ok(())
    }

    fn pair(&self, pair: Pair, tables: bool, save: &[Sector]) -> Result<Vec<String>, Failure> {
        let values = Arc::new(self.solve(pair)?);
        for &sector in save {
            self.progress.phase(format!("keeping the values of {sector}"), None);
            scratch::write(self.folder, sector, Form::Plies, of_sector(&values, sector).values)?;
        }
        let sizes = if tables { self.tables(pair, &values)? } else { Vec::new() };
        for sector in pair.sectors().filter_map(Sector::after_capture) {
            self.folder.remove(&self.folder.scratch(sector, Form::Plies))?;
        }
        Ok(sizes)
    }

    /// Reads the table of a sector of the moving phase for the placing phase.
    fn settle(&self, sector: Sector) -> Result<Vec<String>, Failure> {
        let refused = |error: TableError| {
            let path = self.folder.table(sector, TableKind::Wdl);
            Failure::Refused(format!("{} {error}", path.display()))
        };
        let tables = self.folder.open_table(sector, TableKind::Wdl).map_err(refused)?;
        let table = tables.into_iter().find(|table| table.sector() == sector);
        let table = table.expect("the file of a sector holds it");
        let captures = sector.after_capture().map(|next| self.packed(next)).transpose()?;
        let stop = self.stop.clone();
        let values = self
            .pool
            .run(move || placing::settle(&table, captures.as_ref(), || stop.is_asked()))?;
        self.keep(sector, &values.map_err(refused)?)?;
        Ok(Vec::new())
    }

    /// Solves a sector with stones in hand.
    fn place(&self, sector: Sector, table: bool, save: bool) -> Result<Vec<String>, Failure> {
        let quiet = self.packed(sector.after_quiet())?;
        let reached: Vec<Sector> = sector.successors().collect();
        let mut captures = [None, None];
        for (how_many, captures) in (1..).zip(&mut captures) {
            let next = sector.after_captures(how_many).filter(|next| reached.contains(next));
            *captures = next.map(|next| self.packed(next)).transpose()?;
        }
        self.progress.phase("placements".into(), None);
        let stop = self.stop.clone();
        let values = self.pool.run(move || {
            let after =
                placing::After { quiet: &quiet, captures: captures.each_ref().map(Option::as_ref) };
            placing::solve(sector, &after, || stop.is_asked())
        })?;
        let values = Arc::new(values.map_err(|_| {
            Failure::Refused(format!(
                "the system has not the {} of memory that {sector} needs",
                need::placing(sector)
            ))
        })?);
        if save {
            self.keep(sector, &values)?;
        }
        if !table {
            return Ok(Vec::new());
        }
        self.progress.phase("coding".into(), Some(sector.pair().len() as u64));
        let packed = values.clone();
        let (section, coded) = self.pool.run(move || {
            let solved = Solved::placing(sector, &packed);
            (statistics::of_packed(sector, &packed), solved.wdl())
        })?;
        Ok(vec![self.write(sector, TableKind::Wdl, vec![contents(section, coded)])?])
    }

    fn packed(&self, sector: Sector) -> Result<Packed, Failure> {
        let bytes = self.read(sector, Form::Packed)?;
        Ok(Packed::from_bytes(sector, bytes))
    }

    fn keep(&self, sector: Sector, values: &Packed) -> Result<(), Failure> {
        if self.stop.is_asked() {
            return Err(Failure::Interrupted);
        }
        self.progress.phase("keeping the values".into(), None);
        scratch::write(self.folder, sector, Form::Packed, values.bytes())
    }

    /// Writes a table file. Returns its size as it is told.
    fn write(
        &self,
        sector: Sector,
        kind: TableKind,
        contents: Vec<Contents>,
    ) -> Result<String, Failure> {
        if self.stop.is_asked() {
            return Err(Failure::Interrupted);
        }
        self.progress.phase(format!("writing {}", kind.file_name(sector)), None);
        let path = self.folder.table(sector, kind);
        let len = self
            .folder
            .write(&path, Durable::Yes, |out| file::write(out, sector, kind, contents))?;
        Ok(format!("{} {}", kind.extension(), Size(len)))
    }

    fn solve(&self, pair: Pair) -> Result<Values, Failure> {
        let mut given = Vec::new();
        for sector in pair.sectors() {
            let after = |s: Sector| {
                let values = self.read(s, Form::Plies)?;
                Ok::<_, Failure>(solve::Solved { pair: s.pair(), values })
            };
            given.push(sector.after_capture().map(after).transpose()?);
        }
        self.progress.phase("captures".into(), None);
        let watch = Watching { progress: self.progress.clone(), stop: self.stop.clone() };
        let solved = self.pool.run(move || {
            let after = |i: usize| given.get(i).and_then(Option::as_ref);
            solve::solve(pair, after(0), after(1), &watch)
        })?;
        solved.map_err(|why| match why {
            NotSolved::Stopped => Failure::Interrupted,
            NotSolved::TooDeep => {
                Failure::Refused(format!("{pair} has distances that do not fit in a byte"))
            }
            NotSolved::OutOfMemory => Failure::Refused(format!(
                "the system has not the {} of memory that {pair} needs",
                need::memory(pair)
            )),
        })
    }

    fn read(&self, sector: Sector, form: Form) -> Result<Bytes, Failure> {
        match scratch::read(self.folder, sector, form)? {
            Some(values) => Ok(values),
            None => Err(Failure::Refused(format!(
                "{} was removed or changed while it was needed; start again",
                self.folder.scratch(sector, form).display()
            ))),
        }
    }

    /// Writes both tables of a pair. Returns their sizes as they are told.
    fn tables(&self, pair: Pair, values: &Arc<Values>) -> Result<Vec<String>, Failure> {
        self.progress.phase("counting".into(), None);
        let solved = values.clone();
        let sections: Vec<Section> = self.pool.run(move || {
            pair.sectors().map(|s| statistics::of(s, of_sector(&solved, s).values)).collect()
        })?;
        let mut sizes = Vec::new();
        for kind in TableKind::ALL {
            let mut all = Vec::new();
            for (sector, section) in pair.sectors().zip(&sections) {
                self.progress.phase(format!("coding {sector} {}", kind.extension()), None);
                let values = values.clone();
                let coded = self.pool.run(move || {
                    let solved = of_sector(&values, sector).coding();
                    match kind {
                        TableKind::Wdl => solved.wdl(),
                        TableKind::Dtw => solved.distances(),
                    }
                })?;
                all.push(contents(section.clone(), coded));
            }
            sizes.push(self.write(pair.larger_to_move(), kind, all)?);
        }
        Ok(sizes)
    }
}

fn contents(section: Section, coded: Coded) -> Contents {
    let Coded { model, data, lengths } = coded;
    Contents { section, model, data, lengths }
}

/// The values of one sector of a pair.
struct OfSector<'a> {
    sector: Sector,
    values: &'a [u8],
    captures: &'a [u8],
}

impl<'a> OfSector<'a> {
    fn coding(&self) -> Solved<'a> {
        Solved::moving(self.sector, self.values, self.captures)
    }
}

/// The part of the values that belongs to a sector of the pair.
fn of_sector(values: &Values, sector: Sector) -> OfSector<'_> {
    let (values, captures) = if sector.larger_moves() {
        (&values.larger, &values.larger_captures)
    } else {
        (&values.smaller, &values.smaller_captures)
    };
    OfSector { sector, values, captures }
}

fn summary(step: &Step, wall: Duration, cpu: Option<Duration>, sizes: &[String]) -> String {
    let positions = step.positions();
    let mut text =
        format!("{}: {} positions in {:.1} s", step.name(), Grouped(positions), wall.as_secs_f64());
    if let Some(cpu) = cpu.map(|cpu| cpu.as_secs_f64()) {
        let rate = positions as f64 / cpu.max(1e-6) / 1e6;
        text += &format!(", CPU {cpu:.1} s, {rate:.1} million positions per CPU second");
    }
    match step {
        Step::Settle(_) => text,
        _ if sizes.is_empty() => text + "; solved again for its values",
        _ => text + "; " + &sizes.join(", "),
    }
}

/// Hears from the solver.
struct Watching {
    progress: Arc<Progress>,
    stop: Stop,
}

impl Watch for Watching {
    fn level(&self, level: u8, decided: u64) {
        self.progress.phase(format!("level {level}"), Some(decided));
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_asked()
    }
}
