//! The environment of a disk group.

use std::fmt::Debug;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;

use common::sync::{Arc, RwLock};
use common::{Clock, Random, SystemClock};
use device::FileSystem;

use crate::header::Id;
use crate::judge::Judge;
use crate::lane::Lanes;
use crate::patient::DiskDevice;
use crate::shape::ExtentGrowth;

/// Receiver of what a group does by itself: disks taken offline, copies repaired. A sentence each.
pub trait Notes: Debug + Send + Sync {
    fn note(&self, group: &str, text: String);

    /// The group's disks have changed: from now on disks whose metadata has an older epoch are not the group. Called
    /// before a write that depends on it is acknowledged, and with the group locked.
    fn epoch(&self, _group: &str, _epoch: u64) {}
}

/// The disks' file system, the clock, and the source of ids.
#[derive(Clone, Debug)]
pub struct Environment {
    pub files: Arc<dyn FileSystem>,
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    pub notes: Option<Arc<dyn Notes>>,
    /// Has threads make the requests to disks of mirrored groups, at the same time for all copies, and gives those up
    /// that do not end. None: the caller makes them, one after another, and waits without end.
    pub lanes: Option<Arc<Lanes>>,
    /// Tells which of different copies is damaged. None: the first one that can be read counts.
    pub judge: Option<Arc<dyn Judge>>,
    /// The database whose files are in the groups: the directory of the system's names. Empty: they have none.
    pub database: DatabaseName,
    /// Regions of mirrored files that are noted as being written, at most: after a crash their copies are compared.
    pub dirty_regions: usize,
    /// The steps by which extents of new groups grow.
    pub extent_growth: ExtentGrowth,
}

/// The name of the database whose files are in the groups. It may become known when groups are mounted already: a
/// control file in a group tells it.
#[derive(Clone, Default, Debug)]
pub struct DatabaseName(Arc<RwLock<String>>);

impl DatabaseName {
    #[must_use]
    pub fn get(&self) -> String {
        self.0.read().clone()
    }

    pub fn set(&self, name: &str) {
        name.clone_into(&mut self.0.write());
    }
}

/// Regions of 8 MB: after a crash up to 8 GB are copied.
const DIRTY_REGIONS: usize = 1024;

impl Environment {
    /// The machine's own clock and random numbers.
    #[must_use]
    pub fn new(files: Arc<dyn FileSystem>) -> Self {
        Self {
            files,
            clock: Arc::new(SystemClock::default()),
            random: Arc::new(ProcessRandom),
            notes: None,
            lanes: None,
            judge: None,
            database: DatabaseName::default(),
            dirty_regions: DIRTY_REGIONS,
            extent_growth: ExtentGrowth::default(),
        }
    }

    /// Opens a disk.
    ///
    /// # Errors
    /// Errors of the open; [`std::io::ErrorKind::TimedOut`] while requests to it that were given up are under way.
    pub(crate) fn open_disk(&self, path: &Path) -> io::Result<DiskDevice> {
        let lane = self.lanes.as_ref().map(|lanes| lanes.of(path)).transpose()?;
        let device = self.files.open(path)?;
        Ok(match lane {
            Some(lane) => DiskDevice::patient(device, lane),
            None => DiskDevice::plain(device),
        })
    }

    pub(crate) fn note(&self, group: &str, text: String) {
        if let Some(notes) = &self.notes {
            notes.note(group, text);
        }
    }

    pub(crate) fn epoch(&self, group: &str, epoch: u64) {
        if let Some(notes) = &self.notes {
            notes.epoch(group, epoch);
        }
    }

    pub(crate) fn id(&self) -> Id {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&self.random.next_u64().to_le_bytes());
        id[8..].copy_from_slice(&self.random.next_u64().to_le_bytes());
        id
    }
}

/// Numbers for ids, from the seeds that the operating system gives to hash tables. Not for secrets.
#[derive(Debug)]
struct ProcessRandom;

impl Random for ProcessRandom {
    fn next_u64(&self) -> u64 {
        RandomState::new().build_hasher().finish()
    }
}
