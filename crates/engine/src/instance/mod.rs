//! The instance: the memory and the background work over one database.
//!
//! See README.md in this folder for start-up, shutdown and what happens when a write fails.

mod abort;
mod alter_system;
mod boot;
mod calls;
mod disk_group_change;
mod disk_group_disks;
mod disk_group_names;
pub(crate) mod disk_group_open;
mod entry;
mod interrupts;
mod jobs;
mod kill;
mod log_files;
mod long_operations;
mod monitor;
pub(crate) mod own_files;
mod read_only;
mod rollback;
mod sampler;
mod sequence;
pub(crate) mod session;
pub(crate) mod sessions;
pub(crate) mod start;
mod stop;
mod system_files;
mod table_lock;
pub(crate) mod tablespace_files;

pub(crate) use boot::Boot;
pub use calls::{Call, MovedCall};
pub(crate) use disk_group_change::record_of;
pub use disk_group_change::{DiskGroupSpec, DiskSpec};
pub use disk_group_disks::{DisksOf, RebalanceClause};
pub use entry::{ClientWork, SessionFigures, SessionKind, SessionStatus};
pub use jobs::{Due, DueJob, JobOutcome, JobRun, Jobs, RunWhen, RunningJob};
pub use kill::Killed;
pub use log_files::NewLogGroup;
pub use long_operations::{LongOperation, Progress};
pub(crate) use read_only::read_only;
pub use session::Session;
pub use start::Background;
pub use system_files::is_system_named;
pub use tablespace_files::{DatafileSpec, TablespaceSpec};

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use calls::Calls;
use common::Result;
use common::sync::atomic::{AtomicU32, Ordering};
use common::sync::{Arc, JoinHandle, Mutex, RwLock};
use device::DirectoryLock;
use long_operations::LongOperations;
use monitor::Monitor;
use sampler::Sampler;
use sessions::Sessions;
use waits::{Meter, SqlArea};

use crate::dictionary::Catalog;
use storage::disk_group::GroupFiles;
use storage::parameters::Parameter;
use storage::process::Store;
use storage::recovery::RolledForward;
use storage::tablespace::Tablespaces;
use storage::txn::{Locks, Transactions};
use storage::undo::UndoSegments;

/// A running instance. Shared by its sessions; closed by [`Instance::shutdown`]. It derefs to its store.
pub struct Instance {
    store: Arc<Store>,
    /// The store's files, with the mounted disk groups.
    groups: Arc<GroupFiles>,
    database_id: u64,
    pub(crate) catalog: Arc<RwLock<Arc<Catalog>>>,
    /// Held by one DDL at a time.
    pub(crate) ddl: Mutex<()>,
    /// Held while files are made or removed.
    pub(crate) structure: Mutex<()>,
    background: Arc<Meter>,
    transactions: Arc<Transactions>,
    /// The roll forward that opened the database; unset after a clean close.
    rolled_forward: OnceLock<RolledForward>,
    /// Transactions under way when the database was last left.
    dead: AtomicU32,
    sessions: Sessions,
    calls: Arc<Calls>,
    sampler: Arc<Sampler>,
    sql_area: SqlArea,
    writer: Mutex<Option<JoinHandle<()>>>,
    monitor: Arc<Monitor>,
    jobs: Arc<Jobs>,
    long_operations: LongOperations,
    started_us: u64,
    /// Notes of the open, for the caller.
    notes: Mutex<Vec<String>>,
    _lock: Option<DirectoryLock>,
}

impl Deref for Instance {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance").field("store", &self.store).finish_non_exhaustive()
    }
}

impl Instance {
    /// The storage of the instance.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The mounted disk groups.
    #[must_use]
    pub fn groups(&self) -> &Arc<GroupFiles> {
        &self.groups
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
        self.parameters().text(Parameter::DbName).to_string()
    }

    #[must_use]
    pub fn tablespaces(&self) -> &Arc<Tablespaces> {
        self.transactions.undo.tablespaces()
    }

    /// The undo segments, and figures about them.
    #[must_use]
    pub fn undo(&self) -> &Arc<UndoSegments> {
        &self.transactions.undo
    }

    /// When the instance was started, microseconds since 1970.
    #[must_use]
    pub fn started_us(&self) -> u64 {
        self.started_us
    }

    /// Checks invariants of cache, log, locks, undo and control file while no session is in a call: for tests and the
    /// simulator.
    ///
    /// # Errors
    /// ORA-00600 with the invariant that fails.
    pub fn check_invariants(&self) -> Result<()> {
        self.store.check_invariants()?;
        self.transactions.check_invariants()?;
        let transactions = self.locks().transactions().into_iter().map(|(_, sid)| sid);
        let tables = self.locks().tables().into_iter().map(|lock| lock.sid);
        self.sessions.check_invariants(transactions.chain(tables))?;
        self.catalog.read().check_invariants()
    }

    pub(crate) fn transactions(&self) -> &Arc<Transactions> {
        &self.transactions
    }

    /// Locks, and the graph of waits.
    #[must_use]
    pub fn locks(&self) -> &Locks {
        &self.transactions.locks
    }

    /// The roll forward that opened the database after a crash.
    #[must_use]
    pub fn rolled_forward(&self) -> Option<&RolledForward> {
        self.rolled_forward.get()
    }

    /// Notes of the open, a sentence each: missing files made anew, repairs from a copy, disk groups that could not be
    /// mounted.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.groups.notes();
        notes.extend(self.notes.lock().iter().cloned());
        notes
    }

    pub(crate) fn note(&self, text: String) {
        self.notes.lock().push(text);
    }

    /// Transactions under way when the database was last left: they are rolled back, in part after it is open.
    #[must_use]
    pub fn dead_transactions(&self) -> u32 {
        self.dead.load(Ordering::Relaxed)
    }

    pub(crate) fn note_dead(&self, transactions: usize) {
        self.dead.store(u32::try_from(transactions).unwrap_or(u32::MAX), Ordering::Relaxed);
    }

    pub(crate) fn note_rolled_forward(&self, done: RolledForward) {
        let _ = self.rolled_forward.set(done);
    }

    /// The meter of the log writer.
    pub(crate) fn log_writer_meter(&self) -> Arc<Meter> {
        self.sessions.background(sessions::Background::LOG_WRITER).meter.clone()
    }

    /// The cost of each statement: V$SQL.
    #[must_use]
    pub fn sql_area(&self) -> &SqlArea {
        &self.sql_area
    }

    /// One round of the database writer on the caller's thread, for an instance without threads
    /// ([`Background::Inline`]); and one of the system monitor, when it is due.
    ///
    /// # Errors
    /// HW-0010, and the instance is stopped, when a write or a sync fails.
    pub fn writer_round(self: &Arc<Self>) -> Result<()> {
        self.health().check()?;
        self.checkpoints().round()?;
        if self.monitor.is_due(self.clock().monotonic_us()) { self.monitor_round() } else { Ok(()) }
    }
}
