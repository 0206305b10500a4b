//! The instance: the memory and the background work over one database.
//!
//! See README.md in this folder for start-up, shutdown and what happens when a write fails.

mod abort;
mod calls;
mod checkpoint;
mod control;
mod entry;
mod health;
mod jobs;
mod kill;
mod long_operations;
mod monitor;
mod own_files;
mod sampler;
mod session;
mod sessions;
mod start;

pub use calls::{Call, Moved};
pub use control::{
    Autoextend, ControlData, ControlFile, DatafileRecord, Existing, ExtentManagement, Shutdown, SpaceManagement,
    TablespaceKind, TablespaceRecord,
};
pub use entry::{ClientWork, SessionFigures, SessionKind, SessionStatus};
pub use health::Health;
pub use jobs::{Due, DueJob, JobKey, JobOutcome, JobRun, Jobs, RunWhen, RunningJob};
pub use kill::Killed;
pub use long_operations::{LongOperation, Progress};
pub(crate) use own_files::same_place;
pub use session::Session;
pub(crate) use session::cancelled;
pub use start::{Background, CreateOptions};

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use common::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use common::sync::{Arc, JoinHandle, Mutex, MutexGuard, RwLock};
use common::{BlockSize, Clock, Result, Scn, TablespaceNumber};
use device::{DirectoryLock, FileSystem};
use format::redo::Version;
use waits::{Meter, SqlArea, SystemMeter};

use crate::cache::Cache;
use crate::catalog::Catalog;
use crate::disk_group::GroupFiles;
use crate::parameters::{Parameter, Parameters};
use crate::recovery::RolledForward;
use crate::redo::RedoLog;
use crate::tablespace::{FileFigures, Tablespaces};
use crate::txn::{Locks, Transactions};
use crate::undo::UndoSegments;
use calls::Calls;
use checkpoint::Checkpoints;
use long_operations::LongOperations;
use monitor::Monitor;
use sampler::Sampler;
use sessions::Sessions;

/// A running instance. Shared by its sessions; closed by [`Instance::shutdown`].
pub struct Instance {
    files: Arc<dyn FileSystem>,
    /// What `files` is: with the mounted disk groups.
    groups: Arc<GroupFiles>,
    directory: PathBuf,
    clock: Arc<dyn Clock>,
    parameters: Arc<Parameters>,
    health: Arc<Health>,
    cache: Arc<Cache>,
    control: Arc<Mutex<ControlFile>>,
    checkpoints: Arc<Checkpoints>,
    database_id: u64,
    tablespaces: Tablespaces,
    pub(crate) undo: UndoSegments,
    pub(crate) catalog: RwLock<Arc<Catalog>>,
    /// Held by one DDL at a time.
    pub(crate) ddl: Mutex<()>,
    /// Held while files are made or removed.
    pub(crate) structure: Mutex<()>,
    system_meter: Arc<SystemMeter>,
    background: Arc<Meter>,
    scn: Arc<AtomicU64>,
    /// The SCN of the last commit that is whole: what a new snapshot sees.
    pub(crate) visible: AtomicU64,
    transactions: Transactions,
    /// What the roll forward did that opened the database; none after a clean close.
    rolled_forward: OnceLock<RolledForward>,
    /// Transactions that were under way when the database was last left.
    dead: AtomicU32,
    sessions: Sessions,
    calls: Calls,
    sampler: Arc<Sampler>,
    sql_area: SqlArea,
    writer: Mutex<Option<JoinHandle<()>>>,
    monitor: Arc<Monitor>,
    jobs: Arc<Jobs>,
    long_operations: LongOperations,
    started_us: u64,
    /// What the caller who opened the database should know.
    notes: Mutex<Vec<String>>,
    _lock: Option<DirectoryLock>,
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance").field("directory", &self.directory).finish_non_exhaustive()
    }
}

impl Instance {
    /// Files of the machine, and those in mounted disk groups.
    #[must_use]
    pub fn files(&self) -> &Arc<dyn FileSystem> {
        &self.files
    }

    /// The mounted disk groups.
    #[must_use]
    pub fn groups(&self) -> &Arc<GroupFiles> {
        &self.groups
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

    #[must_use]
    pub fn database_id(&self) -> u64 {
        self.database_id
    }

    /// The database's number as views and reports show it: 32 bits of it, as DBID has.
    #[must_use]
    pub fn dbid(&self) -> u32 {
        (self.database_id ^ (self.database_id >> 32)) as u32
    }

    #[must_use]
    pub fn database_name(&self) -> String {
        self.parameters.text(Parameter::DbName).to_string()
    }

    /// The block size of the SYSTEM tablespace and of tablespaces made without BLOCKSIZE.
    #[must_use]
    pub fn block_size(&self) -> BlockSize {
        BlockSize::from_bytes(self.parameters.unsigned(Parameter::DbBlockSize)).unwrap_or(BlockSize::K8)
    }

    #[must_use]
    pub fn tablespaces(&self) -> &Tablespaces {
        &self.tablespaces
    }

    /// The undo segments, and figures about them.
    #[must_use]
    pub fn undo(&self) -> &UndoSegments {
        &self.undo
    }

    #[must_use]
    pub fn system_meter(&self) -> &Arc<SystemMeter> {
        &self.system_meter
    }

    /// When the instance was started, microseconds since 1970.
    #[must_use]
    pub fn started_us(&self) -> u64 {
        self.started_us
    }

    /// The current system change number.
    #[must_use]
    pub fn scn(&self) -> Scn {
        Scn(self.scn.load(Ordering::Acquire))
    }

    /// The SCN of the last commit: what a statement sees that begins now.
    #[must_use]
    pub fn visible_scn(&self) -> Scn {
        Scn(self.visible.load(Ordering::Acquire))
    }

    pub(crate) fn transactions(&self) -> &Transactions {
        &self.transactions
    }

    /// Table locks, and who waits for whom.
    #[must_use]
    pub fn locks(&self) -> &Locks {
        &self.transactions.locks
    }

    /// The redo log.
    #[must_use]
    pub fn redo(&self) -> &Arc<RedoLog> {
        match self.cache.redo() {
            Ok(redo) => redo,
            Err(_) => unreachable!("sessions work only once the log is open"),
        }
    }

    /// What was done to open the database after a crash.
    #[must_use]
    pub fn rolled_forward(&self) -> Option<&RolledForward> {
        self.rolled_forward.get()
    }

    /// What the caller who opened the database should know: what was missing and made anew, what was repaired from a copy, which disk groups could not
    /// be mounted. A sentence for each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.groups.notes();
        notes.extend(self.notes.lock().iter().cloned());
        notes
    }

    pub(crate) fn note(&self, text: String) {
        self.notes.lock().push(text);
    }

    /// Transactions that were under way when the database was last left: they are rolled back, in part after it is open.
    #[must_use]
    pub fn dead_transactions(&self) -> u32 {
        self.dead.load(Ordering::Relaxed)
    }

    /// The version of a block after a change now.
    pub(crate) fn version_after(&self, version: Version) -> Version {
        loop {
            if let Some(next) = version.next(self.scn()) {
                return next;
            }
            self.advance_scn();
        }
    }

    /// The next SCN: taken by each commit.
    pub fn advance_scn(&self) -> Scn {
        Scn(self.scn.fetch_add(1, Ordering::AcqRel) + 1)
    }

    /// What each statement has cost: V$SQL.
    #[must_use]
    pub fn sql_area(&self) -> &SqlArea {
        &self.sql_area
    }

    /// The figures of a tablespace's files, added up.
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

    /// One round of the database writer on the caller's thread, for an instance without threads ([`Background::Inline`]); and one of the system
    /// monitor, when it is time for one.
    ///
    /// # Errors
    /// HW-0010, and the instance is stopped, when a write or a sync fails.
    pub fn writer_round(self: &Arc<Self>) -> Result<()> {
        self.health.check()?;
        self.checkpoints.round()?;
        if self.monitor.is_due(self.clock.monotonic_us()) { self.monitor_round() } else { Ok(()) }
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

    /// Checkpoints until a recovery would read none of the redo that there is now: writes past the cache that are under way may hold the first ones back.
    ///
    /// # Errors
    /// As [`Instance::checkpoint`].
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
