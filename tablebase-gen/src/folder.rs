//! The folder that tables are kept in. A file appears there under its name only when it is whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use fs4::TryLockError;
use merel_engine::tablebase::file::{self, Access, Table, TableError, TableKind};
use merel_engine::tablebase::{Sector, table_files};

use crate::failure::Failure;
use crate::need;
use crate::scratch::Form;
use crate::size::Size;

/// Ends the name of a file that is not whole yet.
const UNFINISHED: &str = ".part";
/// Held by whoever writes in the folder.
const LOCK: &str = "generate.lock";

/// Where tables are kept.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Locked until it is closed, which the system does even for a program that was killed.
    _lock: Option<File>,
}

/// Whether a file that is written has to be on the disk before the program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// It has.
    Yes,
    /// A checksum tells if it was lost, and the file can be made again.
    No,
}

impl Folder {
    /// To read from.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        // Says at once that it is no folder, or may not be looked at.
        fs::read_dir(path).map_err(Failure::file("read the folder", path))?;
        Ok(Self { path: path.to_owned(), _lock: None })
    }

    /// To write in, made if need be. Files that a killed run left unfinished are removed.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(path).map_err(Failure::file("make the folder", path))?;
        let lock_path = path.join(LOCK);
        let lock = File::create(&lock_path).map_err(Failure::file("write", &lock_path))?;
        match fs4::FileExt::try_lock(&lock) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Refused(format!(
                    "another tablebase-gen is writing in {}; wait until it is done",
                    path.display()
                )));
            }
            Err(TryLockError::Error(error)) => {
                return Err(Failure::file("lock", &lock_path)(error));
            }
        }
        let folder = Self { path: path.to_owned(), _lock: Some(lock) };
        folder.remove_unfinished()?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a table file is or would be.
    pub fn table(&self, sector: Sector, kind: TableKind) -> PathBuf {
        self.path.join(kind.file_name(sector))
    }

    /// Where the values of a sector are or would be kept for the sectors that need them.
    pub fn scratch(&self, sector: Sector, form: Form) -> PathBuf {
        self.path.join(format!("{sector}.{}", form.extension()))
    }

    /// Opens a table file.
    pub fn open_table(&self, sector: Sector, kind: TableKind) -> Result<Vec<Table>, TableError> {
        file::open(&self.table(sector, kind), sector, kind, Access::Read)
    }

    /// Whether there is a file of this kind, whatever it holds.
    pub fn has_table(&self, sector: Sector, kind: TableKind) -> bool {
        self.table(sector, kind).exists()
    }

    /// The first sectors of the files that hold these, or, when there are none, of all files, in the
    /// order in which they are made, each once.
    pub fn files_of(&self, sectors: &[Sector]) -> Result<Vec<Sector>, Failure> {
        let mut found: Vec<Sector> = if sectors.is_empty() {
            let files = table_files(&self.path).map_err(Failure::file("read", &self.path))?;
            files.into_iter().map(|(sector, _)| sector).collect()
        } else {
            sectors.iter().filter_map(|sector| sector.in_one_file().next()).collect()
        };
        found.sort_by_key(|&sector| need::making_order(sector));
        found.dedup();
        if found.is_empty() {
            return Err(Failure::Refused(format!(
                "there are no tables in {}",
                self.path.display()
            )));
        }
        Ok(found)
    }

    /// Removes what was being written when a run ended.
    pub fn remove_unfinished(&self) -> Result<(), Failure> {
        let entries = fs::read_dir(&self.path).map_err(Failure::file("read", &self.path))?;
        for entry in entries {
            let path = entry.map_err(Failure::file("read", &self.path))?.path();
            if is_ours(&path) {
                fs::remove_file(&path).map_err(Failure::file("remove", &path))?;
            }
        }
        Ok(())
    }

    /// Removes a file, which need not be there.
    pub fn remove(&self, path: &Path) -> Result<(), Failure> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Failure::file("remove", path)(error))
            }
            _ => Ok(()),
        }
    }

    /// Writes a file under another name and gives it its own when it is whole.
    pub fn write<R>(
        &self,
        path: &Path,
        durable: Durable,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<R>,
    ) -> Result<R, Failure> {
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(UNFINISHED);
        let unfinished = PathBuf::from(unfinished);
        let result = self.write_then_rename(&unfinished, path, durable, write);
        if result.is_err() {
            // The first error is the one to tell; a file that stays is removed by the next run.
            let _ = fs::remove_file(&unfinished);
        }
        result.map_err(Failure::file("write", path))
    }

    fn write_then_rename<R>(
        &self,
        unfinished: &Path,
        path: &Path,
        durable: Durable,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<R>,
    ) -> io::Result<R> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(unfinished)?);
        let result = write(&mut out)?;
        out.flush()?;
        if durable == Durable::Yes {
            out.get_ref().sync_all()?;
        }
        fs::rename(unfinished, path)?;
        // Not every system lets a folder be opened; the rename is then as durable as it makes it.
        #[cfg(unix)]
        if durable == Durable::Yes {
            File::open(&self.path)?.sync_all()?;
        }
        Ok(result)
    }

    /// The space left on the disk, where the system tells it.
    pub fn free_space(&self) -> Option<Size> {
        fs4::available_space(&self.path).ok().map(Size)
    }
}

/// Whether this is the unfinished form of a file that this program writes: only those are removed.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let Some((stem, ending)) =
        name.and_then(|name| name.strip_suffix(UNFINISHED)).and_then(|name| name.rsplit_once('.'))
    else {
        return false;
    };
    stem.parse::<Sector>().is_ok() && matches!(ending, "wdl" | "dtw" | "values" | "packed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_unfinished_files_are_removed() {
        for name in ["9-8.wdl.part", "3-3.dtw.part", "3-4.values.part", "4-3+2-1.two.wdl.part"] {
            assert!(is_ours(Path::new(name)), "{name}");
        }
        for name in ["9-8.wdl", "film.mp4.part", "2-2.wdl.part", ".part", "3-3.part"] {
            assert!(!is_ours(Path::new(name)), "{name}");
        }
    }
}
