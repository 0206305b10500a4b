//! The cells that disks are in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use common::sync::{Arc, Mutex};
use device::FileSystem;

use crate::machine::Machine;
use crate::{CELL_FILE, Capture, Cell, FlashRules, LocalCell, RemoteCell, is_own_file};

/// Cells by the folders of their disks. A folder with a `cell.toml` is one.
#[derive(Debug)]
pub struct Cells {
    files: Arc<dyn FileSystem>,
    /// Paths of disks begin here.
    directory: PathBuf,
    /// Cells have no threads: their users do their work.
    inline: bool,
    known: Mutex<BTreeMap<PathBuf, Arc<dyn Cell>>>,
    capture: OnceLock<Arc<Capture>>,
    rules: Arc<FlashRules>,
    machine: Machine,
}

impl Cells {
    /// The cells in folders of a file system. `inline`: a scan is carried out by the thread that asks for it.
    #[must_use]
    pub fn new(files: Arc<dyn FileSystem>, directory: &Path, inline: bool) -> Self {
        let machine = Machine::new(Arc::clone(&files));
        Self {
            machine,
            files,
            directory: directory.to_owned(),
            inline,
            known: Mutex::default(),
            capture: OnceLock::new(),
            rules: Arc::default(),
        }
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
        let cell: Arc<dyn Cell> = match elsewhere {
            Some(cell) => cell,
            None if is_own_file(&name) || !self.files.exists(&folder.join(CELL_FILE)).unwrap_or(false) => return None,
            None => Arc::new(LocalCell::new(Arc::clone(&self.files), folder, self.inline)),
        };
        if let Some(capture) = self.capture.get() {
            cell.capture(capture);
        }
        cell.use_flash_by(&self.rules);
        known.insert(folder.to_owned(), Arc::clone(&cell));
        Some((cell, name))
    }

    /// Has the messages of all cells written from now on. A second call changes nothing.
    pub fn capture(&self, capture: &Arc<Capture>) {
        let known = self.known.lock();
        let capture = self.capture.get_or_init(|| Arc::clone(capture));
        known.values().for_each(|cell| cell.capture(capture));
    }

    /// What segments want of the cells' flash caches.
    #[must_use]
    pub fn flash_rules(&self) -> &FlashRules {
        &self.rules
    }

    /// Percent of the time of this machine's processors that was used of late, if it is known.
    #[must_use]
    pub fn busy_percent(&self) -> Option<u8> {
        self.machine.busy_percent()
    }

    /// The cells that are known so far, by their folders.
    #[must_use]
    pub fn all(&self) -> Vec<(PathBuf, Arc<dyn Cell>)> {
        self.known.lock().iter().map(|(folder, cell)| (folder.clone(), Arc::clone(cell))).collect()
    }
}
