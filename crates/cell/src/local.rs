//! A cell in this process: a folder of disks, and threads that scan them.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{OnceLock, Weak};

use common::sync::{Arc, Mutex};
use device::{Device, FileIdentity, FileSystem};

use crate::answer::Reason;
use crate::disk::LocalDisk;
use crate::disk_scanner::{Asked, DiskScanner};
use crate::flash::{Flash, FlashState};
use crate::flash_use::FlashRules;
use crate::machine::{Machine, Shortage};
use crate::mailbox::Answers;
use crate::request::ScanRequest;
use crate::storage_index::StorageIndex;
use crate::stored_disk::StoredDisk;
use crate::traffic::{Traffic, TrafficFigures};
use crate::{Capture, Cell};

/// A folder of disks that are scanned where they are.
pub struct LocalCell {
    name: String,
    disks: Disks,
    traffic: Arc<Traffic>,
    /// The machine that the cell is on, where it is not that of the instance.
    machine: Option<Machine>,
    /// Each disk's, by its name. None: the caller of a scan carries it out.
    scanners: Option<Mutex<BTreeMap<String, Arc<DiskScanner>>>>,
}

#[derive(Debug)]
struct Disks {
    files: Arc<dyn FileSystem>,
    directory: PathBuf,
    /// While somebody has a disk open: then no other file has its identity.
    open: Mutex<BTreeMap<String, OpenDisk>>,
    /// What is known of each disk.
    indexes: Mutex<BTreeMap<String, Arc<StorageIndex>>>,
    flash: OnceLock<Result<Flash, (io::ErrorKind, String)>>,
    rules: OnceLock<Arc<FlashRules>>,
    inline: bool,
}

#[derive(Clone, Debug)]
struct OpenDisk {
    identity: Option<FileIdentity>,
    device: Weak<StoredDisk>,
}

impl fmt::Debug for LocalCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalCell({})", self.name)
    }
}

impl LocalCell {
    /// The cell of a folder, which has its name. Scans are carried out by its threads, or (`inline`) by the caller, one
    /// after another.
    #[must_use]
    pub fn new(files: Arc<dyn FileSystem>, directory: &Path, inline: bool) -> Self {
        let name = directory.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let disks = Disks {
            files,
            directory: directory.to_owned(),
            open: Mutex::default(),
            indexes: Mutex::default(),
            flash: OnceLock::new(),
            rules: OnceLock::new(),
            inline,
        };
        Self { name, disks, traffic: Arc::default(), machine: None, scanners: (!inline).then(Mutex::default) }
    }
}

impl LocalCell {
    /// Leaves scans to an instance elsewhere when the machine here is short of something.
    pub(crate) fn on_its_own_machine(mut self) -> Self {
        self.machine = Some(Machine::new(Arc::clone(&self.disks.files)));
        self
    }

    /// What segments want of the flash cache, for an instance elsewhere.
    pub(crate) fn rules(&self) -> &Arc<FlashRules> {
        self.disks.rules.get_or_init(Arc::default)
    }

    /// The disk of a name as it is now: another file may have taken its place.
    pub(crate) fn disk(&self, name: &str) -> io::Result<Arc<dyn Device>> {
        let (below, index) = (self.disks.disk(name)?, self.disks.index(name));
        Ok(Arc::new(LocalDisk::new(&self.name, name, below, index, Arc::clone(&self.traffic))))
    }
}

impl Disks {
    /// What is known of a disk.
    fn index(&self, name: &str) -> Arc<StorageIndex> {
        Arc::clone(self.indexes.lock().entry(name.to_owned()).or_default())
    }

    fn path(&self, name: &str) -> io::Result<PathBuf> {
        // A name, and no way out of the folder.
        if name.is_empty() || name.contains(['/', '\\']) || name == "." || name == ".." || crate::is_own_file(name) {
            let text = format!("\"{name}\" is no name of a disk");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        Ok(self.directory.join(name))
    }

    /// The flash of the cell. Its log writes to the disks when it is opened, so no disk is used before.
    fn flash(&self) -> io::Result<&Flash> {
        let open = || {
            let rules = Arc::clone(self.rules.get_or_init(Arc::default));
            let flash = Flash::open(&self.files, &self.directory, rules, self.inline);
            flash.map_err(|error| (error.kind(), error.to_string()))
        };
        self.flash.get_or_init(open).as_ref().map_err(|(kind, text)| io::Error::new(*kind, text.clone()))
    }

    /// A disk. The cell closes it when its last user drops it: a removed file then gives its room back.
    fn disk(&self, name: &str) -> io::Result<Arc<StoredDisk>> {
        let path = self.path(name)?;
        let flash = self.flash()?;
        // Another file may have taken the disk's place.
        let identity = self.files.identity(&path)?;
        let mut all = self.open.lock();
        let open = all.get(name).filter(|open| open.identity == identity);
        if let Some(device) = open.and_then(|open| open.device.upgrade()) {
            return Ok(device);
        }
        let device = Arc::new(flash.stored(name, self.files.open(&path)?)?);
        self.index(name).clear();
        all.insert(name.to_owned(), OpenDisk { identity, device: Arc::downgrade(&device) });
        Ok(device)
    }
}

impl Cell for LocalCell {
    fn name(&self) -> &str {
        &self.name
    }

    fn submit_scan(&self, request: Vec<u8>, reply: Box<dyn Answers>) {
        let reply = self.traffic.scan(&request, reply);
        let asked = ScanRequest::decode(&request).map_err(io::Error::from).and_then(|request| {
            let disk = self.disks.disk(&request.disk)?;
            Ok((request, disk))
        });
        let (request, disk) = match asked {
            Ok(asked) => asked,
            Err(error) => return reply.fail(error),
        };
        let scanner = self.scanners.as_ref().map(|scanners| {
            let mut scanners = scanners.lock();
            let new = || Arc::new(DiskScanner::new(format!("scan {}", request.disk)));
            Arc::clone(scanners.entry(request.disk.clone()).or_insert_with(new))
        });
        let index = self.disks.index(&request.disk);
        let shortage = self.machine.as_ref().and_then(|machine| machine.shortage(request.busy_percent));
        let pass_through = shortage.map(|shortage| match shortage {
            Shortage::Processors => Reason::Processors,
            Shortage::Memory => Reason::Memory,
        });
        let asked = Asked { request, reply, disk, index, pass_through };
        match scanner {
            Some(scanner) => scanner.ask(asked),
            None => asked.carry_out(),
        }
    }

    fn open(&self, disk: &str) -> io::Result<Arc<dyn Device>> {
        let (below, index) = (self.disks.disk(disk)?, self.disks.index(disk));
        Ok(Arc::new(LocalDisk::new(&self.name, disk, below, index, Arc::clone(&self.traffic))))
    }

    fn has_own_processors(&self) -> bool {
        false
    }

    fn traffic(&self) -> TrafficFigures {
        self.traffic.figures()
    }

    fn use_flash_by(&self, rules: &Arc<FlashRules>) {
        self.disks.rules.get_or_init(|| Arc::clone(rules));
    }

    fn flash(&self) -> Option<FlashState> {
        self.disks.flash.get()?.as_ref().ok().map(Flash::state)
    }

    fn capture(&self, capture: &Arc<Capture>) {
        self.traffic.capture(&self.name, capture);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use device::OsFileSystem;

    use super::*;

    fn is_open(path: &Path) -> bool {
        let open = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
        let mut links = open.filter_map(|entry| entry.path().read_link().ok());
        links.any(|link| link.to_string_lossy().starts_with(&*path.to_string_lossy()))
    }

    #[test]
    fn a_disk_that_nobody_uses_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one");
        std::fs::write(&path, vec![0; 1 << 20]).unwrap();
        let cell = LocalCell::new(Arc::new(OsFileSystem::new()), folder.path(), true);
        let disk = Cell::open(&cell, "one").unwrap();
        // As a scan has it.
        drop(cell.disks.disk("one").unwrap());
        assert!(is_open(&path));
        drop(disk);
        std::fs::remove_file(&path).unwrap();
        assert!(!is_open(&path));
    }
}
