//! Memory and threads of an instance, made when a database is created or opened.

use std::path::Path;

use std::sync::OnceLock;

use common::sync::atomic::{AtomicU32, AtomicU64};
use common::sync::{self, Arc, Mutex, RwLock};
use common::{BlockSize, Clock, Error, ErrorKind, Number, Result, Seeded};
use device::{DirectoryLock, FileAccess, FileSystem};
use waits::{Meter, SqlArea, SystemMeter};

use super::boot::Boot;
use super::jobs::Jobs;
use super::long_operations::LongOperations;
use super::monitor::Monitor;
use super::sessions::Sessions;
use super::{Instance, sessions};
use crate::dictionary::Catalog;
use storage::cache::{Cache, DoubleWrite};
use storage::checkpoint::Checkpoints;
use storage::control::ControlFile;
use storage::disk_group::group_name_of;
use storage::health::Health;
use storage::parameters::{Parameter, Parameters};
use storage::process::Store;
use storage::tablespace::Tablespaces;
use storage::txn::Transactions;
use storage::undo::UndoSegments;

const MB: u64 = 1 << 20;

/// Statements whose figures are kept for V$SQL.
const STATEMENTS_KEPT: usize = 5_000;

/// Where the work of the log writer and the database writer runs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Background {
    /// Threads of their own.
    #[default]
    Threads,
    /// On the thread of the waiting caller: nothing happens without a caller, so a run can be repeated byte for byte.
    /// For one thread that works for all sessions, as the simulator's; [`Instance::writer_round`] takes the place of
    /// the database writer.
    Inline,
}

pub(crate) fn io(number: u32, what: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, Number::Ora(number), format!("{what}: {error}"))
}

/// The open mode of files, by FILESYSTEMIO_OPTIONS and DISK_ASYNCH_IO.
fn file_access(parameters: &Parameters) -> FileAccess {
    let options = parameters.text(Parameter::FilesystemioOptions);
    FileAccess {
        direct: matches!(&*options, "SETALL" | "DIRECTIO"),
        background: matches!(&*options, "SETALL" | "ASYNCH") && parameters.boolean(Parameter::DiskAsynchIo),
    }
}

/// Sizes of the pools: the standard one from the machine, the others a quarter of it, unless set.
fn derive_cache_sizes(parameters: &Parameters) {
    let memory = rustix::system::sysinfo();
    let total = memory.totalram.saturating_mul(u64::from(memory.mem_unit));
    let standard = (total / 8).clamp(64 * MB, 4096 * MB);
    parameters.derive(Parameter::DbCacheSize, standard as i64);
    let set = parameters.integer(Parameter::DbCacheSize);
    for (_, parameter) in SIZED {
        if parameters.is_default(parameter) {
            parameters.derive(parameter, set / 4);
        }
    }
}

const SIZED: [(BlockSize, Parameter); 5] = [
    (BlockSize::K2, Parameter::Db2kCacheSize),
    (BlockSize::K4, Parameter::Db4kCacheSize),
    (BlockSize::K8, Parameter::Db8kCacheSize),
    (BlockSize::K16, Parameter::Db16kCacheSize),
    (BlockSize::K32, Parameter::Db32kCacheSize),
];

fn cache_bytes(parameters: &Parameters) -> [u64; 5] {
    let standard = parameters.unsigned(Parameter::DbBlockSize);
    SIZED.map(|(size, parameter)| {
        let parameter = if size.bytes() as u64 == standard { Parameter::DbCacheSize } else { parameter };
        parameters.unsigned(parameter)
    })
}

/// For sessions that end.
impl Drop for Instance {
    fn drop(&mut self) {
        self.jobs.close();
        self.monitor.close();
        self.sampler.close();
        self.checkpoints().close();
        if let Ok(redo) = self.cache().redo() {
            redo.abandon();
        }
        for group in self.groups.mounted() {
            group.close_rebalance();
        }
        // The lock of the directory goes after this: the next instance must not find this one's writer at work.
        if let Some(writer) = self.writer.lock().take() {
            let _ = writer.join();
        }
    }
}

impl Instance {
    pub(crate) fn start(
        files: Arc<dyn FileSystem>,
        boot: &Boot,
        directory: &Path,
        clock: Arc<dyn Clock>,
        lock: Option<DirectoryLock>,
        parameters: Parameters,
        mut control: ControlFile,
        background: Background,
    ) -> Result<Arc<Self>> {
        let health = Arc::new(Health::default());
        let parameters = Arc::new(parameters);
        derive_cache_sizes(&parameters);
        files.access_by(file_access(&parameters));
        let cache = Arc::new(Cache::new(cache_bytes(&parameters), health.clone()));
        cache.set_double_write(DoubleWrite::open(&*files, directory)?);
        let system_meter = SystemMeter::new();
        parameters.govern(&system_meter);
        cache.govern(&parameters);
        let sessions = Sessions::new(&system_meter, &clock);
        let meter = sessions.background(sessions::Background::WRITER).meter.clone();
        let data = control.data();
        // Ids of groups are repeatable where everything is; yet no two are alike, also after a crash, because the
        // control file has moved on.
        boot.groups.reseed(Seeded::at(data.database_id ^ clock.wall_us(), data.sequence));
        let groups = Arc::clone(&boot.groups);
        let (database_id, scn) = (data.database_id, Arc::new(AtomicU64::new(data.scn)));
        control.set_health(health.clone());
        let notes = control.notes().to_vec();
        let control = Arc::new(Mutex::new(control));
        boot.keep_epochs(&control, &health)?;
        find_datafiles(boot, &control, &cache);
        let checkpoints = Arc::new(Checkpoints::new(cache, control, scn, health, meter.clone()));
        let (started_us, now_us) = (clock.wall_us(), clock.monotonic_us());
        let jobs = Arc::new(Jobs::new(clock.clone()));
        let cells = Arc::clone(groups.cells());
        let store = Store::new(groups.clone(), directory, clock, parameters, checkpoints, system_meter, cells);
        let undo = UndoSegments::new(started_us, Arc::new(Tablespaces::default()));
        let instance = Arc::new(Self {
            store: Arc::new(store),
            groups,
            rolled_forward: OnceLock::new(),
            dead: AtomicU32::new(0),
            database_id,
            catalog: Arc::new(RwLock::new(Arc::new(Catalog::default()))),
            ddl: Mutex::new(()),
            structure: Mutex::new(()),
            background: meter,
            transactions: Arc::new(Transactions::new(Arc::new(undo))),
            sessions,
            calls: Arc::default(),
            sampler: Arc::default(),
            sql_area: SqlArea::new(STATEMENTS_KEPT),
            writer: Mutex::new(None),
            monitor: Arc::new(Monitor::new(now_us)),
            jobs,
            long_operations: LongOperations::default(),
            started_us,
            notes: Mutex::new(notes),
            _lock: lock,
        });
        match background {
            Background::Threads => instance.start_writer()?,
            Background::Inline => instance.cache().wakes().set_inline(),
        }
        Ok(instance)
    }

    /// Starts the background writer. It holds no reference to the instance, so that dropping the last session of an
    /// unclosed instance ends it.
    fn start_writer(self: &Arc<Self>) -> Result<()> {
        let checkpoints = self.checkpoints().clone();
        let handle = sync::spawn("dbw0", move || checkpoints.run())
            .map_err(|e| io(443, "cannot start the database writer", &e))?;
        *self.writer.lock() = Some(handle);
        self.start_monitor()?;
        self.start_sampler()
    }

    pub(crate) fn stop_writer(&self) {
        self.monitor.close();
        self.sampler.stop();
        self.checkpoints().close();
        if let Some(handle) = self.writer.lock().take() {
            let _ = handle.join();
        }
    }

    /// Meter of work that belongs to no session.
    #[must_use]
    pub fn background_meter(&self) -> &Arc<Meter> {
        &self.background
    }
}

/// Lets the groups find datafiles: in the control file, which their mounts may need before there is a file. A group
/// that the control file is in is locked under the control file's lock, so its datafiles are found among the open ones.
fn find_datafiles(boot: &Boot, control: &Arc<Mutex<ControlFile>>, cache: &Arc<Cache>) {
    let (control, cache) = (Arc::downgrade(control), Arc::downgrade(cache));
    let apart = boot.apart();
    boot.groups.judge_logs_by(storage::redo::version_of_block);
    boot.groups.find_datafiles_by(move |name| {
        if apart.contains(&group_name_of(name)) {
            let files = cache.upgrade()?.open_files();
            let file = files.iter().find(|file| file.name().eq_ignore_ascii_case(name))?;
            return Some((file.number(), file.block_size()));
        }
        let control = control.upgrade()?;
        let control = control.lock();
        let data = control.data();
        let file = data.datafiles.iter().find(|file| file.name.eq_ignore_ascii_case(name))?;
        let tablespace = data.tablespaces.iter().find(|tablespace| tablespace.number == file.tablespace)?;
        Some((file.file(), tablespace.block_size().ok()?))
    });
}
