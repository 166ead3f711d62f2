//! The command `generate`.
//!
//! Pairs are made one after the other. The values that later ones need lie in scratch files, which
//! are written before the tables of their pair: a pair whose tables are whole has left behind all
//! that others need of it. A scratch file goes when the pair that needs it is finished.

mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use merel_engine::tablebase::codec::Section;
use merel_engine::tablebase::file::{self, Contents, TableKind};
use merel_engine::tablebase::{Pair, Sector};

use crate::encode::{Coded, Solved};
use crate::failure::Failure;
use crate::folder::{Durable, Folder};
use crate::interrupt::Stop;
use crate::pool::Pool;
use crate::progress::{Progress, clock};
use crate::size::{Grouped, Size};
use crate::solve::{self, NotSolved, Values, Watch};
use crate::{need, plan, scratch, statistics, usage};
use work::Step;

/// What to make, where, and with what.
#[derive(Clone, Debug)]
pub struct Request {
    /// The pairs, with all they depend on.
    pub pairs: Vec<Pair>,
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
    let (steps, refused) = work::plan(&folder, &request.pairs);
    work::remove_used_up(&folder, &steps)?;
    check_memory(&steps, request.memory)?;
    check_disk(&folder, &steps)?;
    let pool = Pool::new(request.threads, stop.clone())?;
    let total = steps.iter().map(|step| need::positions(step.pair)).sum();
    let progress = Arc::new(Progress::new(total, "decided", request.quiet));
    for why in &refused {
        progress.say(why);
    }
    progress.say(&announcement(request, &steps, total));
    let needed = steps.iter().map(|step| need::memory(step.pair)).max().unwrap_or_default();
    if let Some(available) = usage::available_memory().filter(|&available| available < needed) {
        progress.say(&format!(
            "warning: up to {needed} of memory will be used, but only {available} are available"
        ));
    }
    let maker = Maker { folder: &folder, pool, stop, progress: progress.clone() };
    for step in &steps {
        let made = maker.make(step);
        if let Err(Failure::Interrupted) = made {
            progress.say("what is finished is kept; the same command goes on from there");
        }
        made?;
    }
    progress.say(&closing(request, &folder, &steps, began.elapsed()));
    Ok(())
}

fn check_memory(steps: &[Step], budget: Size) -> Result<(), Failure> {
    let most = steps.iter().max_by_key(|step| need::memory(step.pair));
    let Some(pair) = most.map(|step| step.pair) else { return Ok(()) };
    let needed = need::memory(pair);
    if needed <= budget {
        return Ok(());
    }
    // In MiB, rounded up, so that what is printed is enough when it is typed in.
    Err(Failure::Refused(format!(
        "{pair} needs {needed} of memory, the budget is {budget}; use --memory {}MiB or make fewer \
         sectors",
        needed.0.div_ceil(1 << 20)
    )))
}

fn check_disk(folder: &Folder, steps: &[Step]) -> Result<(), Failure> {
    let pairs: Vec<Pair> = steps.iter().map(|step| step.pair).collect();
    let needed = plan::most_disk(&pairs);
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
    let finished = request.pairs.len() - steps.iter().filter(|step| step.tables).count();
    let again: Vec<String> =
        steps.iter().filter(|step| !step.tables).map(|step| step.pair.to_string()).collect();
    let mut text = format!(
        "{} of {} pairs of sectors to make in {} ({finished} finished before), {} positions, \
         {} threads",
        request.pairs.len() - finished,
        request.pairs.len(),
        request.folder.display(),
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
        let len = |pair| folder.table(pair, kind).metadata().map_or(0, |m| m.len());
        request.pairs.iter().map(|&pair| len(pair)).sum()
    };
    let mut text = format!("done: {} pairs made in {}", steps.len(), clock(wall.as_secs_f64()));
    if let Some(cpu) = usage::cpu_time() {
        text += &format!(", CPU time {:.1} s", cpu.as_secs_f64());
    }
    if let Some(memory) = usage::peak_memory() {
        text += &format!(", at most {memory} of memory");
    }
    text += &format!(
        "\nthe tables of {} pairs: wdl {}, dtw {}",
        request.pairs.len(),
        Size(sum(TableKind::Wdl)),
        Size(sum(TableKind::Dtw))
    );
    let left: Vec<Size> = Sector::all()
        .into_iter()
        .filter_map(|s| folder.values(s).metadata().ok())
        .map(|m| Size(m.len()))
        .collect();
    if !left.is_empty() {
        text += &format!(
            "\n{} scratch files (*.values, {}) are kept for larger sectors that were begun",
            left.len(),
            Size(left.iter().map(|s| s.0).sum())
        );
    }
    text + &format!("\nnext: tablebase-gen verify {} --quick", request.folder.display())
}

/// Makes one pair after the other.
struct Maker<'a> {
    folder: &'a Folder,
    pool: Pool,
    stop: Stop,
    progress: Arc<Progress>,
}

impl Maker<'_> {
    fn make(&self, step: &Step) -> Result<(), Failure> {
        let (began, cpu) = (Instant::now(), usage::cpu_time());
        let pair = step.pair;
        self.progress.begin(pair.to_string(), need::positions(pair));
        let values = Arc::new(self.solve(pair)?);
        for &sector in &step.save {
            self.progress.phase(format!("keeping the values of {sector}"), None);
            scratch::write(self.folder, sector, of_sector(&values, sector).values)?;
        }
        let sizes = if step.tables { Some(self.tables(pair, &values)?) } else { None };
        for sector in pair.sectors().filter_map(Sector::after_capture) {
            self.folder.remove(&self.folder.values(sector))?;
        }
        self.progress.end();
        let cpu = usage::cpu_time().zip(cpu).map(|(now, then)| now.saturating_sub(then));
        self.progress.say(&summary(pair, began.elapsed(), cpu, sizes));
        Ok(())
    }

    fn solve(&self, pair: Pair) -> Result<Values, Failure> {
        let mut given = Vec::new();
        for sector in pair.sectors() {
            given.push(sector.after_capture().map(|s| self.read(s)).transpose()?);
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

    fn read(&self, sector: Sector) -> Result<solve::Solved, Failure> {
        match scratch::read(self.folder, sector)? {
            Some(values) => Ok(solve::Solved { pair: sector.pair(), values }),
            None => Err(Failure::Refused(format!(
                "{} was removed or changed while it was needed; start again",
                self.folder.values(sector).display()
            ))),
        }
    }

    /// Writes both tables of a pair. Returns their sizes.
    fn tables(&self, pair: Pair, values: &Arc<Values>) -> Result<[Size; 2], Failure> {
        self.progress.phase("counting".into(), None);
        let solved = values.clone();
        let sections: Vec<Section> = self.pool.run(move || {
            pair.sectors().map(|s| statistics::of(s, of_sector(&solved, s).values)).collect()
        })?;
        let mut sizes = [Size(0); 2];
        for (kind, size) in TableKind::ALL.into_iter().zip(&mut sizes) {
            let mut contents = Vec::new();
            for (sector, section) in pair.sectors().zip(&sections) {
                self.progress.phase(format!("coding {sector} {}", kind.extension()), None);
                let values = values.clone();
                let coded = self.pool.run(move || {
                    let solved = of_sector(&values, sector);
                    match kind {
                        TableKind::Wdl => solved.wdl(),
                        TableKind::Dtw => solved.distances(),
                    }
                })?;
                let Coded { model, data, lengths } = coded;
                contents.push(Contents { section: section.clone(), model, data, lengths });
            }
            self.progress.phase(format!("writing {}", kind.file_name(pair)), None);
            let path = self.folder.table(pair, kind);
            let len =
                self.folder.write(&path, Durable::Yes, |out| file::write(out, kind, contents))?;
            *size = Size(len);
        }
        Ok(sizes)
    }
}

/// The part of the values that belongs to a sector of the pair.
fn of_sector(values: &Values, sector: Sector) -> Solved<'_> {
    let (values, captures) = if sector == sector.pair().larger_to_move() {
        (&values.larger, &values.larger_captures)
    } else {
        (&values.smaller, &values.smaller_captures)
    };
    Solved { sector, values, captures }
}

fn summary(pair: Pair, wall: Duration, cpu: Option<Duration>, sizes: Option<[Size; 2]>) -> String {
    let positions = need::positions(pair);
    let mut text =
        format!("{pair}: {} positions in {:.1} s", Grouped(positions), wall.as_secs_f64());
    if let Some(cpu) = cpu.map(|cpu| cpu.as_secs_f64()) {
        let rate = positions as f64 / cpu.max(1e-6) / 1e6;
        text += &format!(", CPU {cpu:.1} s, {rate:.1} million positions per CPU second");
    }
    match sizes {
        Some([wdl, dtw]) => text + &format!("; wdl {wdl}, dtw {dtw}"),
        None => text + "; solved again for its values",
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
