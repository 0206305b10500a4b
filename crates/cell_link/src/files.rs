//! The file system of an instance some of whose disks are in cells elsewhere.
//!
//! A folder whose `cell.toml` has an address stands for such a cell. Its disks are listed and opened as if they were
//! files of the folder.

use std::any::Any;
use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, DefaultHasher, Hash as _, Hasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cell::{CELL_FILE, Cell as _, RemoteCell};
use common::Clock;
use common::sync::{Arc, Mutex};
use device::{Claim, Device, FileAccess, FileIdentity, FileSystem};
use serde::{Deserialize, Serialize};

use crate::client::{Client, Owner, Patience};
use crate::keys::Keys;

/// The content of a `cell.toml` that stands for a cell elsewhere.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellAddress {
    /// The cell's own name.
    pub name: String,
    /// Host and port.
    pub address: String,
    /// Folder of the keys, from the folder on.
    pub keys: PathBuf,
    /// Seconds in which the cell must answer a request.
    #[serde(default = "answer_s")]
    pub answer_s: f64,
    /// Seconds for which a cell that is not there is waited for.
    #[serde(default = "reconnect_s")]
    pub reconnect_s: f64,
    /// The disks that it had at last, for messages while it is not there.
    #[serde(default)]
    pub disks: Vec<String>,
}

fn answer_s() -> f64 {
    30.0
}

fn reconnect_s() -> f64 {
    3.0
}

impl CellAddress {
    /// With the usual patience.
    #[must_use]
    pub fn new(name: &str, address: &str, keys: &Path, disks: Vec<String>) -> Self {
        let (name, address, keys) = (name.to_owned(), address.to_owned(), keys.to_owned());
        Self { name, address, keys, answer_s: answer_s(), reconnect_s: reconnect_s(), disks }
    }

    /// As the file has it.
    #[must_use]
    pub fn text(&self) -> String {
        // Text, numbers and a list of texts: nothing that TOML has not.
        toml::to_string(self).unwrap_or_default()
    }
}

/// Files here, and disks of cells elsewhere.
#[derive(Debug)]
pub struct CellFileSystem {
    below: Arc<dyn FileSystem>,
    clock: Arc<dyn Clock>,
    owner: Owner,
    known: Mutex<BTreeMap<PathBuf, Known>>,
}

#[derive(Clone, Debug)]
struct Known {
    cell: Arc<RemoteCell>,
    /// Disks that it had at last.
    disks: Vec<String>,
}

fn invalid(path: &Path, text: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {text}", path.display()))
}

fn seconds(path: &Path, name: &str, seconds: f64) -> io::Result<Duration> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err(invalid(path, format!("{name} = {seconds}: more than zero seconds"))),
    }
}

/// Cell that is reached at an address, by the keys of a folder: its name and its disks.
///
/// # Errors
/// Those of the keys and of the connection.
pub fn connect(address: &str, keys: &Path, clock: &Arc<dyn Clock>) -> io::Result<(String, Vec<String>)> {
    let patience = Patience { answer: Duration::from_secs(10), reconnect: Duration::ZERO };
    let owner = Owner { name: "connect".to_owned(), incarnation: clock.wall_us() };
    let tls = Keys::read(keys)?.of_instance()?;
    let client = Client::new(String::new(), address.to_owned(), tls, owner, patience, Arc::clone(clock));
    let name = client.greet()?;
    let disks = RemoteCell::new(Arc::new(client)).disks()?;
    Ok((name, disks))
}

impl CellFileSystem {
    /// For the instance whose database is in a directory of this machine. Cells let a later process of it take the
    /// place of an earlier one.
    #[must_use]
    pub fn new(below: Arc<dyn FileSystem>, directory: &Path, clock: Arc<dyn Clock>) -> Self {
        let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let name = format!("{machine}:{}", directory.display());
        let owner = Owner { incarnation: RandomState::new().hash_one(&name), name };
        Self { below, clock, owner, known: Mutex::default() }
    }

    /// What a folder stands for, where it stands for a cell elsewhere.
    fn known(&self, folder: &Path) -> io::Result<Option<Known>> {
        let mut known = self.known.lock();
        if let Some(known) = known.get(folder) {
            return Ok(Some(known.clone()));
        }
        let path = folder.join(CELL_FILE);
        let text = match self.below.read_whole(&path) {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| invalid(&path, "is no text"))?,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        // Another cell.toml is that of a cell here, and others say what is wrong with it.
        if !toml::from_str::<toml::Table>(&text).is_ok_and(|table| table.contains_key("address")) {
            return Ok(None);
        }
        let file: CellAddress = toml::from_str(&text).map_err(|error| invalid(&path, error.message()))?;
        let patience = Patience {
            answer: seconds(&path, "answer_s", file.answer_s)?,
            reconnect: seconds(&path, "reconnect_s", file.reconnect_s)?,
        };
        if let Some((other, _)) = known.iter().find(|(_, known)| known.cell.name() == file.name) {
            let text = format!("cell {} is that of {}, too", file.name, other.display());
            return Err(invalid(&path, text));
        }
        let tls = Keys::read(&folder.join(&file.keys))?.of_instance()?;
        let (owner, clock) = (self.owner.clone(), Arc::clone(&self.clock));
        let client = Client::new(file.name, file.address, tls, owner, patience, clock);
        let new = Known { cell: Arc::new(RemoteCell::new(Arc::new(client))), disks: file.disks };
        known.insert(folder.to_owned(), new.clone());
        Ok(Some(new))
    }

    /// The cell of a path, and the disk's name there.
    fn of(&self, path: &Path) -> io::Result<Option<(Known, String)>> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            return Ok(None);
        };
        if name == CELL_FILE {
            return Ok(None);
        }
        Ok(self.known(folder)?.map(|known| (known, name.to_owned())))
    }

    /// Names of a cell's disks. While it is not there those that it had at last: opening them says what is wrong.
    fn disks(&self, folder: &Path, known: &Known) -> Vec<String> {
        match known.cell.disks() {
            Ok(disks) => {
                if let Some(known) = self.known.lock().get_mut(folder) {
                    known.disks.clone_from(&disks);
                }
                disks
            }
            Err(_) => known.disks.clone(),
        }
    }

    /// Fails for a path that is in a cell elsewhere.
    fn only_here(&self, path: &Path) -> io::Result<()> {
        match self.of(path)? {
            None => Ok(()),
            Some((known, _)) => {
                let text = format!("{}: cell {} makes and removes its own disks", path.display(), known.cell.name());
                Err(io::Error::new(io::ErrorKind::Unsupported, text))
            }
        }
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl FileSystem for CellFileSystem {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        self.only_here(path)?;
        self.below.create(path, bytes)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        match self.of(path)? {
            Some((known, disk)) => known.cell.open(&disk),
            None => self.below.open(path),
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.only_here(path)?;
        self.below.remove(path)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        match self.of(path)? {
            Some((known, disk)) => {
                let folder = path.parent().unwrap_or(path);
                Ok(self.disks(folder, &known).contains(&disk))
            }
            None => self.below.exists(path),
        }
    }

    fn identity(&self, path: &Path) -> io::Result<Option<FileIdentity>> {
        let Some((known, disk)) = self.of(path)? else { return self.below.identity(path) };
        let hash = |parts: (&str, &str)| {
            let mut hasher = DefaultHasher::new();
            parts.hash(&mut hasher);
            hasher.finish()
        };
        // No file system of this machine has such a number.
        let device = hash((known.cell.name(), "")) | 1 << 63;
        Ok(Some(FileIdentity { device, inode: hash((known.cell.name(), &disk)) }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.only_here(from)?;
        self.only_here(to)?;
        self.below.rename(from, to)
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.below.create_directory(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.below.sync_directory(path)
    }

    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.only_here(path)?;
        self.below.write_whole(path, bytes)
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.only_here(path)?;
        self.below.read_whole(path)
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        match self.known(directory)? {
            Some(known) => {
                let mut paths: Vec<_> = self.disks(directory, &known).iter().map(|name| directory.join(name)).collect();
                paths.sort();
                Ok(paths)
            }
            None => self.below.list(directory),
        }
    }

    fn directories(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.below.directories(directory)
    }

    fn free_bytes(&self, directory: &Path) -> io::Result<Option<u64>> {
        self.below.free_bytes(directory)
    }

    fn host(&self, directory: &Path) -> io::Result<Option<Arc<dyn Any + Send + Sync>>> {
        Ok(self.known(directory)?.map(|known| known.cell as Arc<dyn Any + Send + Sync>))
    }

    fn access_by(&self, access: FileAccess) {
        self.below.access_by(access);
    }

    /// The cell itself has claimed its disks, and lets one process of an instance in.
    fn claim(&self, path: &Path) -> io::Result<Claim> {
        match self.of(path)? {
            Some(_) => Ok(Claim::default()),
            None => self.below.claim(path),
        }
    }
}
