//! What is left to do: which pairs are not finished, and which have to be solved again because
//! others need their values.

use merel_engine::tablebase::file::TableKind;
use merel_engine::tablebase::{Pair, Sector};

use crate::failure::Failure;
use crate::folder::Folder;
use crate::need;
use crate::scratch;

/// A pair to be solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which.
    pub pair: Pair,
    /// Whether its tables are to be written. Otherwise they are finished, and only its values are
    /// needed.
    pub tables: bool,
    /// The sectors whose values others need.
    pub save: Vec<Sector>,
}

/// What there is of the tables of a pair.
#[derive(Debug)]
pub enum Found {
    /// Both, whole.
    Finished,
    /// Not both, or one that cannot be used; what is wrong with it.
    Missing(Option<String>),
}

/// Looks for the tables of a pair.
pub fn find(folder: &Folder, pair: Pair) -> Found {
    for kind in TableKind::ALL {
        if !folder.has_table(pair, kind) {
            return Found::Missing(None);
        }
        if let Err(error) = folder.open_table(pair, kind) {
            return Found::Missing(Some(format!("{} {error}", kind.file_name(pair))));
        }
    }
    Found::Finished
}

/// What is to be done to have the tables of all `pairs`, in order, and what is wrong with tables
/// that are made again.
pub fn plan(folder: &Folder, pairs: &[Pair]) -> (Vec<Step>, Vec<String>) {
    let (mut steps, mut refused): (Vec<Step>, Vec<String>) = (Vec::new(), Vec::new());
    let mut needed: Vec<Sector> = Vec::new();
    // The larger first: what they need is found before its own turn comes.
    for pair in Pair::all().into_iter().rev() {
        let tables = pairs.contains(&pair)
            && match find(folder, pair) {
                Found::Finished => false,
                Found::Missing(why) => {
                    refused.extend(why);
                    true
                }
            };
        let save: Vec<Sector> = pair
            .sectors()
            .filter(|s| needed.contains(s) && !scratch::is_whole(folder, *s))
            .collect();
        if tables || !save.is_empty() {
            needed.extend(pair.sectors().filter_map(Sector::after_capture));
            steps.push(Step { pair, tables, save });
        }
    }
    steps.reverse();
    (steps, refused)
}

/// Removes the values that no step needs and no unfinished pair will: a run was killed between
/// finishing a pair and removing what the pair had needed.
pub fn remove_used_up(folder: &Folder, steps: &[Step]) -> Result<(), Failure> {
    for sector in Sector::all() {
        let Some(before) = need::before_capture(sector).map(Sector::pair) else { continue };
        if folder.values(sector).exists()
            && steps.iter().all(|step| step.pair != before)
            && matches!(find(folder, before), Found::Finished)
        {
            folder.remove(&folder.values(sector))?;
        }
    }
    Ok(())
}
