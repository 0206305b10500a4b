//! A database, a table and a loop of inserts, shared by the examples whose sessions insert and commit.

use std::path::{Path, PathBuf};

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, spawn};
use common::{Clock, DataType, Error, Result, SystemClock};
use device::{FileSystem, MemoryFileSystem, OsFileSystem};
use engine::ddl::TableSpec;
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use format::date::DateTime;
use storage::control::SpaceManagement;
use storage::table::Inserter;
use storage::txn::CommitWrite;
use waits::MeterSnapshot;

const MB: u64 = 1 << 20;
/// Of `y char(255)`.
const CHAR_BYTES: usize = 255;

/// A database whose files are removed when this is dropped.
pub(crate) struct Place {
    pub(crate) instance: Arc<Instance>,
    pub(crate) clock: Arc<SystemClock>,
    directory: Option<PathBuf>,
}

impl Place {
    /// In `directory/name`, or in memory where that is `memory`.
    pub(crate) fn new(directory: &str, name: &str) -> Result<Self> {
        let clock = Arc::new(SystemClock::default());
        let parameters = vec![("db_cache_size".to_owned(), "512M".to_owned())];
        let options = CreateOptions { parameters, log_bytes: 128 * MB, ..CreateOptions::default() };
        let (files, path): (Arc<dyn FileSystem>, _) = if directory == "memory" {
            (Arc::new(MemoryFileSystem::new()), PathBuf::from("/database"))
        } else {
            (Arc::new(OsFileSystem::new()), Path::new(directory).join(name))
        };
        let instance = Instance::create(files, &path, clock.clone(), None, &options)?;
        Ok(Self { instance, clock, directory: (directory != "memory").then_some(path) })
    }

    pub(crate) fn tablespace(&self, name: &str, space_management: SpaceManagement) -> Result<()> {
        let file = DatafileSpec {
            name: format!("{}.dbf", name.to_lowercase()),
            bytes: 500 * MB,
            reuse: false,
            autoextend: Some((100 * MB, None)),
        };
        let spec = TablespaceSpec {
            logging: true,
            name: name.to_owned(),
            files: vec![file],
            block_size: None,
            uniform_bytes: None,
            space_management,
        };
        self.instance.create_tablespace(&*self.instance.connect("SYSTEM")?, &spec).map(drop)
    }

    /// `x date, y char(255)`: rows of some 260 bytes.
    pub(crate) fn table(&self, session: &Arc<Session>, tablespace: &str, freelists: u16) -> Result<Arc<TableDef>> {
        let column =
            |name: &str, data_type| ColumnDef { name: name.to_owned(), data_type, nullable: true, default: None };
        let columns = vec![column("X", DataType::Date), column("Y", DataType::Char { bytes: CHAR_BYTES as u16 })];
        let mut spec = TableSpec::new("SYSTEM", "TEST", columns);
        spec.tablespace = Some(tablespace.to_owned());
        spec.storage.freelists = freelists;
        session.create_table(&spec)
    }

    pub(crate) fn close(self) -> Result<()> {
        self.instance.shutdown()?;
        match self.directory {
            Some(directory) => std::fs::remove_dir_all(directory).map_err(|error| Error::bug(error.to_string())),
            None => Ok(()),
        }
    }
}

/// Totals over the sessions of a run.
pub(crate) struct Measured {
    pub(crate) commits_per_s: f64,
    /// Processor time of the sessions' threads, microseconds.
    pub(crate) cpu_us_per_commit: f64,
    pub(crate) counted: MeterSnapshot,
}

/// Runs `sessions` sessions that each insert a row and commit it, again and again, for so many microseconds.
pub(crate) fn insert_and_commit(place: &Place, table: &Arc<TableDef>, sessions: u32, micros: u64) -> Result<Measured> {
    let instance = &place.instance;
    let begin = Arc::new(std::sync::Barrier::new(sessions as usize + 1));
    let over = Arc::new(AtomicBool::new(false));
    let mut threads = Vec::new();
    for number in 0..sessions {
        let session = instance.connect("SYSTEM")?;
        let (table, begin, over) = (table.clone(), begin.clone(), over.clone());
        let work = move || {
            begin.wait();
            let cpu_us = session.meter().clock().thread_cpu_us();
            let mut commits = 0_u64;
            while !over.load(Ordering::Relaxed) {
                insert_one(&session, &table)?;
                commits += 1;
            }
            Ok::<_, Error>((commits, session.meter().clock().thread_cpu_us() - cpu_us))
        };
        threads.push(spawn(&format!("session {number}"), work).map_err(|error| Error::bug(error.to_string()))?);
    }
    let before = instance.system_meter().snapshot();
    begin.wait();
    let since = place.clock.monotonic_us();
    std::thread::sleep(std::time::Duration::from_micros(micros));
    over.store(true, Ordering::Relaxed);
    let (mut commits, mut cpu_us) = (0, 0);
    for thread in threads {
        let done = thread.join().map_err(|_| Error::bug("a session panicked"))??;
        (commits, cpu_us) = (commits + done.0, cpu_us + done.1);
    }
    let took = place.clock.monotonic_us() - since;
    let counted = instance.system_meter().snapshot().minus(&before);
    let cpu_us_per_commit = cpu_us as f64 / commits.max(1) as f64;
    Ok(Measured { commits_per_s: commits as f64 * 1e6 / took as f64, cpu_us_per_commit, counted })
}

fn insert_one(session: &Arc<Session>, table: &Arc<TableDef>) -> Result<()> {
    let now = DateTime::from_unix_micros(session.meter().clock().wall_us() as i64)?.date();
    let mut filler = [b' '; CHAR_BYTES];
    filler[0] = b'x';
    let _call = session.call()?;
    let _entered = session.enter(session.begin_snapshot());
    let (_lock, table) = session.lock_for_change(table)?;
    let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone())?;
    inserter.push(&[Some(&now), Some(&filler)])?;
    inserter.finish()?;
    session.commit(CommitWrite::default())
}
