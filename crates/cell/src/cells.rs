//! The cells that disks are in, and a file system that opens their disks as theirs.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use common::sync::{Arc, Mutex};
use device::{Claim, Device, FileAccess, FileIdentity, FileSystem};

use crate::{CELL_FILE, Cell, LocalCell};

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
        self.at(&self.directory.join(disk))
    }

    /// As [`of`](Self::of), for a path that does not begin at the directory.
    fn at(&self, path: &Path) -> Option<(Arc<dyn Cell>, String)> {
        let (folder, name) = (path.parent()?, path.file_name()?.to_str()?.to_owned());
        let mut known = self.known.lock();
        if let Some(cell) = known.get(folder) {
            return Some((Arc::clone(cell), name));
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

/// A file system whose disks in cells are opened through the cells.
#[derive(Debug)]
pub struct CellFiles {
    below: Arc<dyn FileSystem>,
    cells: Arc<Cells>,
}

impl CellFiles {
    #[must_use]
    pub fn new(below: Arc<dyn FileSystem>, cells: Arc<Cells>) -> Self {
        Self { below, cells }
    }
}

impl FileSystem for CellFiles {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        self.below.create(path, bytes)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        match self.cells.at(path) {
            Some((cell, disk)) => cell.open(&disk),
            None => self.below.open(path),
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.below.remove(path)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.below.exists(path)
    }

    fn identity(&self, path: &Path) -> io::Result<Option<FileIdentity>> {
        self.below.identity(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.below.rename(from, to)
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.below.create_directory(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.below.sync_directory(path)
    }

    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.below.write_whole(path, bytes)
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.below.read_whole(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.below.list(directory)
    }

    fn directories(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.below.directories(directory)
    }

    fn free_bytes(&self, directory: &Path) -> io::Result<Option<u64>> {
        self.below.free_bytes(directory)
    }

    fn access_by(&self, access: FileAccess) {
        self.below.access_by(access);
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        self.below.claim(path)
    }
}
