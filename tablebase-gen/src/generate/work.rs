//! What is left to do: what is not finished, and what has to be made again because others need its
//! values.

use std::path::PathBuf;

use merel_engine::tablebase::file::TableKind;
use merel_engine::tablebase::{Pair, Sector};

use crate::failure::Failure;
use crate::folder::Folder;
use crate::need;
use crate::plan::Wanted;
use crate::scratch::{self, Form};
use crate::size::Size;

/// One piece of the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A pair of the moving phase is solved.
    Pair {
        /// Which.
        pair: Pair,
        /// Whether its tables are to be written. Otherwise they are finished, and only its values
        /// are needed.
        tables: bool,
        /// The sectors whose values others need.
        save: Vec<Sector>,
    },
    /// The values of a sector of the moving phase are read back for the placing phase.
    Settle(Sector),
    /// A sector with stones in hand is solved.
    Place {
        /// Which.
        sector: Sector,
        /// Whether its table is to be written. Otherwise it is finished, and only its values are
        /// needed.
        table: bool,
        /// Whether others need its values.
        save: bool,
    },
}

impl Step {
    /// The name of what is made.
    pub fn name(&self) -> String {
        match self {
            Self::Pair { pair, .. } => pair.to_string(),
            Self::Settle(sector) => format!("{sector} read back"),
            Self::Place { sector, .. } => sector.to_string(),
        }
    }

    /// How many positions are looked at.
    pub fn positions(&self) -> u64 {
        match self {
            Self::Pair { pair, .. } => need::positions(*pair),
            Self::Settle(sector) | Self::Place { sector, .. } => sector.pair().len() as u64,
        }
    }

    /// The memory it takes.
    pub fn memory(&self) -> Size {
        match self {
            Self::Pair { pair, .. } => need::memory(*pair),
            Self::Settle(sector) => need::settling(*sector),
            Self::Place { sector, .. } => need::placing(*sector),
        }
    }

    /// Whether it writes tables.
    pub const fn makes_tables(&self) -> bool {
        match self {
            Self::Pair { tables, .. } => *tables,
            Self::Settle(_) => false,
            Self::Place { table, .. } => *table,
        }
    }

    /// The sectors whose values it needs in two bits a position.
    pub fn packed_needed(&self) -> Vec<Sector> {
        match self {
            Self::Pair { .. } => Vec::new(),
            Self::Settle(sector) => sector.after_capture().into_iter().collect(),
            Self::Place { sector, .. } => sector.successors().collect(),
        }
    }
}

/// What there is of the tables of a file's sectors.
#[derive(Debug)]
pub enum Found {
    /// All, whole.
    Finished,
    /// Not all, or one that cannot be used; what is wrong with it.
    Missing(Option<String>),
}

/// Looks for the tables of a sector and of those in its file.
pub fn find(folder: &Folder, sector: Sector) -> Found {
    for &kind in TableKind::of(sector) {
        if !folder.has_table(sector, kind) {
            return Found::Missing(None);
        }
        if let Err(error) = folder.open_table(sector, kind) {
            return Found::Missing(Some(format!("{} {error}", kind.file_name(sector))));
        }
    }
    Found::Finished
}

/// What is to be done to have all tables that are wanted, in order, and what is wrong with tables
/// that are made again.
pub fn plan(folder: &Folder, wanted: &Wanted) -> (Vec<Step>, Vec<String>) {
    let (mut steps, mut refused): (Vec<Step>, Vec<String>) = (Vec::new(), Vec::new());
    let mut missing = |sector: Sector| match find(folder, sector) {
        Found::Finished => false,
        Found::Missing(why) => {
            refused.extend(why);
            true
        }
    };
    // What is made last comes first: what it needs is found before its own turn comes.
    let mut packed: Vec<Sector> = Vec::new();
    let to_keep = |needed: &[Sector], sector: Sector, form: Form| {
        needed.contains(&sector) && !scratch::is_whole(folder, sector, form)
    };
    for &sector in wanted.placing.iter().rev() {
        let table = missing(sector);
        let save = to_keep(&packed, sector, Form::Packed);
        if table || save {
            packed.extend(sector.successors());
            steps.push(Step::Place { sector, table, save });
        }
    }
    for sector in Sector::all().into_iter().rev() {
        if to_keep(&packed, sector, Form::Packed) {
            packed.extend(sector.after_capture());
            steps.push(Step::Settle(sector));
        }
    }
    let mut values: Vec<Sector> = Vec::new();
    for pair in Pair::all().into_iter().rev() {
        let tables = wanted.pairs.contains(&pair) && missing(pair.larger_to_move());
        let save: Vec<Sector> =
            pair.sectors().filter(|&s| to_keep(&values, s, Form::Plies)).collect();
        if tables || !save.is_empty() {
            values.extend(pair.sectors().filter_map(Sector::after_capture));
            steps.push(Step::Pair { pair, tables, save });
        }
    }
    steps.reverse();
    (steps, refused)
}

/// The scratch files in the folder that no step needs and no unfinished pair will: a run was killed
/// between finishing something and removing what that had needed.
pub fn used_up(folder: &Folder, wanted: &Wanted, steps: &[Step]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let needs_pair = |pair: Pair| {
        steps.iter().any(|step| matches!(step, Step::Pair { pair: p, .. } if *p == pair))
    };
    for sector in Sector::all() {
        let Some(before) = need::before_capture(sector).map(Sector::pair) else { continue };
        let path = folder.scratch(sector, Form::Plies);
        if path.exists()
            && !needs_pair(before)
            && matches!(find(folder, before.larger_to_move()), Found::Finished)
        {
            files.push(path);
        }
    }
    if !wanted.placing.is_empty() {
        let needed: Vec<Sector> = steps.iter().flat_map(Step::packed_needed).collect();
        let sectors = wanted.pairs.iter().flat_map(|pair| pair.sectors());
        let unused = sectors.chain(wanted.placing.iter().copied()).filter(|s| !needed.contains(s));
        files.extend(unused.map(|s| folder.scratch(s, Form::Packed)).filter(|path| path.exists()));
    }
    files
}

/// Removes what [`used_up`] lists.
pub fn remove_used_up(folder: &Folder, wanted: &Wanted, steps: &[Step]) -> Result<(), Failure> {
    used_up(folder, wanted, steps).iter().try_for_each(|path| folder.remove(path))
}

/// The sectors whose packed values no step needs after the first `done` ones, but the last of these
/// did.
pub fn packed_done(steps: &[Step], done: usize) -> Vec<Sector> {
    let (before, after) = steps.split_at(done);
    let still: Vec<Sector> = after.iter().flat_map(Step::packed_needed).collect();
    let last = before.last().map(Step::packed_needed).unwrap_or_default();
    last.into_iter().filter(|sector| !still.contains(sector)).collect()
}

/// Everything in the folder that steps have left for others.
pub fn scratch_files(folder: &Folder, wanted: &Wanted) -> Vec<PathBuf> {
    let values = Sector::all().into_iter().map(|s| folder.scratch(s, Form::Plies));
    let sectors = Sector::all().into_iter().chain(wanted.placing.iter().copied());
    let packed = sectors.map(|s| folder.scratch(s, Form::Packed));
    values.chain(packed).filter(|path| path.exists()).collect()
}
