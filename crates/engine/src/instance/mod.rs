//! The instance: the memory and the background work over one database.
//!
//! See README.md in this folder for start-up, shutdown and what happens when a write fails.

mod abort;
mod calls;
mod checkpoint;
mod control;
mod health;
mod jobs;
mod monitor;
mod session;
mod start;

pub use calls::Call;
pub use control::{
    Autoextend, ControlData, ControlFile, DatafileRecord, ExtentManagement, Shutdown, SpaceManagement, TablespaceKind,
    TablespaceRecord,
};
pub use health::Health;
pub use jobs::{Due, DueJob, JobKey, JobOutcome, JobRun, Jobs, RunWhen, RunningJob};
pub use session::Session;
pub use start::{Background, CreateOptions};

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use common::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use common::sync::{Arc, JoinHandle, Mutex, MutexGuard, RwLock};
use common::{BlockSize, Clock, Error, ErrorKind, Number, ProcessNumber, Result, Scn};
use device::{DirectoryLock, FileSystem};
use format::redo::Version;
use waits::{Meter, SystemMeter};

use crate::cache::Cache;
use crate::catalog::Catalog;
use crate::parameters::{Parameter, Parameters};
use crate::recovery::RolledForward;
use crate::redo::RedoLog;
use crate::tablespace::Tablespaces;
use crate::txn::{Locks, Transactions};
use crate::undo::UndoSegments;
use calls::Calls;
use checkpoint::Checkpoints;
use monitor::Monitor;

/// Session ids and process numbers of background work come first.
const FIRST_USER_PROCESS: u32 = 10;

/// A running instance. Shared by its sessions; closed by [`Instance::shutdown`].
pub struct Instance {
    files: Arc<dyn FileSystem>,
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
    processes: Mutex<Vec<ProcessNumber>>,
    next_serial: AtomicU32,
    calls: Calls,
    writer: Mutex<Option<JoinHandle<()>>>,
    monitor: Arc<Monitor>,
    jobs: Arc<Jobs>,
    started_us: u64,
    _lock: Option<DirectoryLock>,
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance").field("directory", &self.directory).finish_non_exhaustive()
    }
}

impl Instance {
    #[must_use]
    pub fn files(&self) -> &Arc<dyn FileSystem> {
        &self.files
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

    /// Starts a session for a user, who must exist (the caller has seen to the password).
    ///
    /// # Errors
    /// ORA-01017 unknown user; ORA-00020 no process left; ORA-01090 while the instance is being closed, ORA-01034 when it has been; HW-0010 when
    /// it has stopped.
    pub fn connect(self: &Arc<Self>, user: &str) -> Result<Arc<Session>> {
        self.calls.check_open()?;
        self.health.check()?;
        let process = {
            let mut processes = self.processes.lock();
            let limit = self.parameters.unsigned(Parameter::Processes);
            if processes.len() as u64 >= limit {
                return Err(Error::new(
                    ErrorKind::OutOfResource,
                    Number::Ora(20),
                    format!("maximum number of processes ({limit}) exceeded"),
                ));
            }
            let free = (FIRST_USER_PROCESS..).map(ProcessNumber).find(|p| !processes.contains(p));
            let process = free.ok_or_else(|| Error::bug("no process number is free"))?;
            processes.push(process);
            process
        };
        let serial = self.next_serial.fetch_add(1, Ordering::Relaxed);
        let meter = Meter::new(&self.system_meter, self.clock.clone(), process.0, serial);
        meter.count(waits::Statistic::LogonsCumulative, 1);
        Ok(Arc::new(Session::new(self.clone(), meter, user.to_owned(), process)))
    }

    fn process_ends(&self, process: ProcessNumber) {
        self.processes.lock().retain(|p| *p != process);
    }

    /// Sessions that are connected.
    #[must_use]
    pub fn processes(&self) -> Vec<ProcessNumber> {
        self.processes.lock().clone()
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
        self.checkpoints.note(meter)
    }
}
