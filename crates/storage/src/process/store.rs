//! The storage that the processes of an instance share, below transactions: files, cache, log, control file, the SCN.

use std::fmt;
use std::path::{Path, PathBuf};

use cell::Cells;
use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Arc, Mutex, MutexGuard};
use common::{BlockSize, Clock, Result, Scn, TablespaceNumber};
use device::FileSystem;
use format::redo::Version;
use waits::{LatchName, Meter, SystemMeter};

use crate::cache::Cache;
use crate::checkpoint::Checkpoints;
use crate::control::ControlFile;
use crate::datafile::FileFigures;
use crate::health::Health;
use crate::parameters::{Parameter, Parameters};
use crate::redo::RedoLog;
use crate::snapshot::Snapshots;

/// The storage of an instance.
pub struct Store {
    files: Arc<dyn FileSystem>,
    directory: PathBuf,
    clock: Arc<dyn Clock>,
    parameters: Arc<Parameters>,
    health: Arc<Health>,
    cache: Arc<Cache>,
    control: Arc<Mutex<ControlFile>>,
    checkpoints: Arc<Checkpoints>,
    system_meter: Arc<SystemMeter>,
    scn: Arc<AtomicU64>,
    /// The SCN of the last commit that is whole. A new snapshot sees commits up to it.
    visible: AtomicU64,
    /// Held while a commit takes its SCN and marks its slot: a snapshot sees all of the commit or nothing.
    committing: Mutex<()>,
    snapshots: Arc<Snapshots>,
    cells: Arc<Cells>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("directory", &self.directory).finish_non_exhaustive()
    }
}

impl Store {
    /// The storage of the database in `directory`. `checkpoints` brings cache and control file.
    pub fn new(
        files: Arc<dyn FileSystem>,
        directory: &Path,
        clock: Arc<dyn Clock>,
        parameters: Arc<Parameters>,
        checkpoints: Arc<Checkpoints>,
        system_meter: Arc<SystemMeter>,
        cells: Arc<Cells>,
    ) -> Self {
        let scn = checkpoints.scn.clone();
        Self {
            files,
            directory: directory.to_owned(),
            snapshots: Arc::new(Snapshots::new(clock.clone())),
            clock,
            parameters,
            health: checkpoints.health.clone(),
            cache: checkpoints.cache.clone(),
            control: checkpoints.control.clone(),
            checkpoints,
            system_meter,
            visible: AtomicU64::new(scn.load(Ordering::Acquire)),
            scn,
            committing: Mutex::new(()),
            cells,
        }
    }

    /// The files of the machine and those in mounted disk groups.
    #[must_use]
    pub fn files(&self) -> &Arc<dyn FileSystem> {
        &self.files
    }

    /// The cells that disks are in.
    #[must_use]
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// The data directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    #[must_use]
    pub fn parameters(&self) -> &Arc<Parameters> {
        &self.parameters
    }

    #[must_use]
    pub fn health(&self) -> &Arc<Health> {
        &self.health
    }

    #[must_use]
    pub fn cache(&self) -> &Arc<Cache> {
        &self.cache
    }

    /// The control file, locked.
    pub fn control(&self) -> MutexGuard<'_, ControlFile> {
        self.control.lock()
    }

    pub fn checkpoints(&self) -> &Arc<Checkpoints> {
        &self.checkpoints
    }

    #[must_use]
    pub fn system_meter(&self) -> &Arc<SystemMeter> {
        &self.system_meter
    }

    /// The block size of the SYSTEM tablespace and of tablespaces made without BLOCKSIZE.
    #[must_use]
    pub fn block_size(&self) -> BlockSize {
        BlockSize::from_bytes(self.parameters.unsigned(Parameter::DbBlockSize)).unwrap_or(BlockSize::K8)
    }

    /// The redo log.
    #[must_use]
    pub fn redo(&self) -> &Arc<RedoLog> {
        match self.cache.redo() {
            Ok(redo) => redo,
            Err(_) => unreachable!("processes work only once the log is open"),
        }
    }

    /// The current system change number.
    #[must_use]
    pub fn scn(&self) -> Scn {
        Scn(self.scn.load(Ordering::Acquire))
    }

    /// The SCN of the last whole commit: a statement that begins now sees commits up to it.
    #[must_use]
    pub fn visible_scn(&self) -> Scn {
        Scn(self.visible.load(Ordering::Acquire))
    }

    /// Takes the next SCN. Each commit takes one.
    pub fn advance_scn(&self) -> Scn {
        Scn(self.scn.fetch_add(1, Ordering::AcqRel) + 1)
    }

    /// Sets the SCN after a roll forward, before any session works.
    pub fn start_at(&self, scn: Scn) {
        debug_assert!(scn >= self.visible_scn(), "the instance goes on from {scn:?}, before what is seen");
        self.scn.store(scn.0, Ordering::Release);
        self.visible.store(scn.0, Ordering::Release);
    }

    /// The version of a block after a change now.
    pub(crate) fn version_after(&self, version: Version) -> Version {
        loop {
            if let Some(next) = version.next(self.scn()) {
                debug_assert!(next > version, "a block goes from {version:?} to {next:?}");
                return next;
            }
            self.advance_scn();
        }
    }

    /// Locks the right to end transactions: one ends at a time.
    pub(crate) fn committing(&self, meter: &Meter) -> MutexGuard<'_, ()> {
        meter.latch(LatchName::CommitScn, &self.committing)
    }

    /// Makes commits up to `scn` visible to snapshots from now on: they are whole.
    pub(crate) fn show(&self, scn: Scn) {
        let before = self.visible.swap(scn.0, Ordering::AcqRel);
        debug_assert!(before < scn.0, "commits up to {before} are seen, and one at {} comes after", scn.0);
    }

    /// The snapshots in use.
    pub(crate) fn snapshots(&self) -> &Arc<Snapshots> {
        &self.snapshots
    }

    /// The SCN before which every snapshot in use sees all commits.
    pub(crate) fn oldest_snapshot(&self, meter: &Meter) -> Scn {
        // The visible SCN is read first: a snapshot made after the look at the oldest one sees at least this SCN.
        let visible = self.visible_scn();
        self.snapshots.oldest(meter).map_or(visible, |oldest| oldest.min(visible))
    }

    /// Checks the invariants of the storage while no process is at work: for tests and the simulator.
    ///
    /// # Errors
    /// ORA-00600 with the invariant that does not hold.
    pub fn check_invariants(&self) -> Result<()> {
        self.cache.check_invariants()?;
        self.redo().check_invariants()?;
        self.snapshots.check_invariants()?;
        self.control().data().check_invariants()?;
        let (visible, now) = (self.visible_scn().0, self.scn().0);
        invariant!(visible <= now, "snapshots see up to {visible}, and the SCN is {now}");
        Ok(())
    }

    /// The sum of the figures of a tablespace's files.
    #[must_use]
    pub fn tablespace_figures(&self, tablespace: TablespaceNumber) -> FileFigures {
        let mut sum = FileFigures::default();
        let files = self.cache.open_files();
        files.iter().filter(|file| file.tablespace() == tablespace).for_each(|file| sum.add(&file.figures()));
        sum
    }

    /// Wakes the background writer.
    pub fn post_writer(&self) {
        self.cache.wakes().post();
    }

    /// Writes every changed block and syncs the files: ALTER SYSTEM CHECKPOINT.
    ///
    /// # Errors
    /// HW-0010, and the instance is stopped, when a write or sync fails.
    pub fn checkpoint(&self, meter: &Meter) -> Result<()> {
        self.health.check()?;
        self.cache.checkpoint(meter)?;
        self.checkpoints.note(meter).map(drop)
    }

    /// Checkpoints until a recovery would read none of the present redo. Writes past the cache that are under way may
    /// hold the first checkpoints back.
    ///
    /// # Errors
    /// As [`Store::checkpoint`].
    pub(crate) fn checkpoint_past(&self, meter: &Meter) -> Result<()> {
        let end = self.redo().place_end()?;
        loop {
            self.health.check()?;
            self.cache.checkpoint(meter)?;
            if self.checkpoints.note(meter)? >= end {
                return Ok(());
            }
        }
    }
}
