//! The cells that disks are in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::sync::{Arc, Mutex};
use device::FileSystem;

use crate::{CELL_FILE, Cell, LocalCell, RemoteCell};

/// Cells by the folders of their disks. A folder with a `cell.toml` is one.
#[derive(Debug)]
pub struct Cells {
    files: Arc<dyn FileSystem>,
    /// Paths of disks begin here.
    directory: PathBuf,
    /// Cells have no threads: their users do their work.
    inline: bool,
    known: Mutex<BTreeMap<PathBuf, Arc<dyn Cell>>>,
}

impl Cells {
    /// The cells in folders of a file system. `inline`: a scan is carried out by the thread that asks for it.
    #[must_use]
    pub fn new(files: Arc<dyn FileSystem>, directory: &Path, inline: bool) -> Self {
        Self { files, directory: directory.to_owned(), inline, known: Mutex::default() }
    }

    /// The cell that a disk is in, and the disk's name there. None for a disk that is in none.
    #[must_use]
    pub fn of(&self, disk: &Path) -> Option<(Arc<dyn Cell>, String)> {
        let path = self.directory.join(disk);
        let (folder, name) = (path.parent()?, path.file_name()?.to_str()?.to_owned());
        let mut known = self.known.lock();
        if let Some(cell) = known.get(folder) {
            return Some((Arc::clone(cell), name));
        }
        // What is wrong with the folder, opening the disk says.
        let elsewhere = self.files.host(folder).ok()?.and_then(|host| host.downcast::<RemoteCell>().ok());
        if let Some(cell) = elsewhere {
            let cell: Arc<dyn Cell> = cell;
            known.insert(folder.to_owned(), Arc::clone(&cell));
            return Some((cell, name));
        }
        if name == CELL_FILE || !self.files.exists(&folder.join(CELL_FILE)).unwrap_or(false) {
            return None;
        }
        let cell: Arc<dyn Cell> = Arc::new(LocalCell::new(Arc::clone(&self.files), folder, self.inline));
        known.insert(folder.to_owned(), Arc::clone(&cell));
        Some((cell, name))
    }

    /// The cells that are known so far, by their folders.
    #[must_use]
    pub fn all(&self) -> Vec<(PathBuf, Arc<dyn Cell>)> {
        self.known.lock().iter().map(|(folder, cell)| (folder.clone(), Arc::clone(cell))).collect()
    }
}
