//! A database in memory, with a tablespace in which tables follow one another.

use std::path::{Path, PathBuf};
use std::time::Duration;

use common::sync::{Arc, Condvar, JoinHandle, Mutex, spawn};
use common::{BlockAddress, Clock, DataType, ObjectNumber, Result, SystemClock};
use device::FileSystem;
use engine::ddl::{IndexSpec, PhysicalAttributes, TableSpec};
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use scan::{RowSink, ScanSpec};
use storage::control::SpaceManagement;
use storage::segment::Storage;
use storage::table::{Appender, Inserter, TableScan};
use storage::txn::CommitWrite;

pub(crate) const MANAGEMENTS: [SpaceManagement; 2] = [SpaceManagement::Manual, SpaceManagement::Auto];

pub(crate) fn directory() -> PathBuf {
    PathBuf::from("/data")
}

pub(crate) fn clock() -> Arc<SystemClock> {
    Arc::new(SystemClock::default())
}

/// Settings of a test database.
pub(crate) struct Options {
    pub(crate) management: SpaceManagement,
    pub(crate) log_bytes: u64,
    pub(crate) file_bytes: u64,
    pub(crate) cache: &'static str,
    pub(crate) uniform_bytes: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            management: SpaceManagement::Auto,
            log_bytes: 4 << 20,
            file_bytes: 4 << 20,
            cache: "4M",
            uniform_bytes: None,
        }
    }
}

/// A database with a tablespace T in the file t.dbf.
pub(crate) fn create(files: &Arc<dyn FileSystem>, options: &Options) -> (Arc<Instance>, Arc<Session>) {
    let create = CreateOptions {
        parameters: vec![("db_cache_size".to_owned(), options.cache.to_owned())],
        log_bytes: options.log_bytes,
        ..CreateOptions::default()
    };
    let instance = Instance::create(files.clone(), &directory(), clock(), None, &create).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    let file = DatafileSpec {
        name: "t.dbf".to_owned(),
        bytes: options.file_bytes,
        reuse: false,
        autoextend: Some((1 << 20, None)),
    };
    let spec = TablespaceSpec {
        logging: true,
        name: "T".to_owned(),
        files: vec![file],
        block_size: None,
        uniform_bytes: options.uniform_bytes,
        space_management: options.management,
    };
    instance.create_tablespace(&session, &spec).unwrap();
    (instance, session)
}

pub(crate) fn open(files: &Arc<dyn FileSystem>) -> (Arc<Instance>, Arc<Session>) {
    let instance = Instance::open(files.clone(), &directory(), clock(), None).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    (instance, session)
}

/// Ends an instance as a crash does, and opens the database again. All redo written so far is kept.
pub(crate) fn crash(
    files: &Arc<dyn FileSystem>,
    instance: Arc<Instance>,
    session: Arc<Session>,
) -> (Arc<Instance>, Arc<Session>) {
    let redo = instance.redo();
    redo.wait_durable(session.meter(), redo.end()).unwrap();
    instance.abort();
    drop(session);
    drop(instance);
    open(files)
}

pub(crate) fn sound(files: &Arc<dyn FileSystem>, instance: Arc<Instance>, session: Arc<Session>) {
    drop(session);
    instance.shutdown().unwrap();
    drop(instance);
    let report = engine::verify::verify(files.clone(), Path::new("/data"), clock(), None).unwrap();
    assert_eq!(report.problems, []);
}

pub(crate) fn table_spec(name: &str) -> TableSpec {
    let column = |name: &str, bytes| ColumnDef {
        name: name.to_owned(),
        data_type: DataType::Varchar2 { bytes },
        nullable: true,
        default: None,
    };
    let mut spec = TableSpec::new("SYSTEM", name, vec![column("ID", 20), column("FILLER", 1000)]);
    spec.tablespace = Some("T".to_owned());
    spec
}

pub(crate) fn index(session: &Arc<Session>, table: &str, name: &str, column: &str) {
    let spec = IndexSpec {
        logging: None,
        owner: "SYSTEM".to_owned(),
        name: name.to_owned(),
        table_owner: "SYSTEM".to_owned(),
        table_name: table.to_owned(),
        columns: vec![column.to_owned()],
        unique: false,
        tablespace: Some("T".to_owned()),
        physical: PhysicalAttributes::default(),
        storage: Storage::default(),
    };
    session.create_index(&spec).unwrap();
}

pub(crate) fn table(session: &Arc<Session>, name: &str) -> Arc<TableDef> {
    session.catalog().table("SYSTEM", name).unwrap().clone()
}

pub(crate) fn row(number: u32, bytes: usize) -> [Vec<u8>; 2] {
    [format!("{number:08}").into_bytes(), vec![b'a' + (number % 26) as u8; bytes]]
}

pub(crate) fn insert(session: &Arc<Session>, table: &Arc<TableDef>, numbers: std::ops::Range<u32>) -> Result<()> {
    let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone())?;
    for number in numbers {
        let [id, filler] = row(number, 500);
        inserter.push(&[Some(&id), Some(&filler)])?;
    }
    inserter.finish()?;
    Ok(())
}

/// INSERT /*+ APPEND */.
pub(crate) fn append(session: &Arc<Session>, table: &Arc<TableDef>, numbers: std::ops::Range<u32>) -> Result<u64> {
    fill(Appender::into_table(session.worker().clone(), table.heap().clone())?, numbers)
}

fn fill(mut appender: Appender, numbers: std::ops::Range<u32>) -> Result<u64> {
    for number in numbers {
        let [id, filler] = row(number, 500);
        appender.push(&[Some(&id), Some(&filler)])?;
    }
    appender.finish()
}

/// CREATE TABLE AS SELECT.
pub(crate) fn create_filled(session: &Arc<Session>, name: &str, numbers: std::ops::Range<u32>) -> Result<u64> {
    session.create_table_filled(&table_spec(name), |table| {
        fill(Appender::new(session.worker().clone(), table.heap().clone())?, numbers)
    })
}

/// Committed rows whose blocks are not cleaned out: they were not in the cache at the commit.
pub(crate) fn insert_uncleaned(session: &Arc<Session>, table: &Arc<TableDef>, numbers: std::ops::Range<u32>) {
    insert(session, table, numbers).unwrap();
    session.instance().cache().flush(session.meter()).unwrap();
    session.commit(CommitWrite::default()).unwrap();
}

/// The numbers of the rows that a scan returns.
#[derive(Default)]
pub(crate) struct Numbers(pub(crate) Vec<u32>);

impl RowSink for Numbers {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        let number = std::str::from_utf8(columns[0].unwrap()).unwrap().parse().unwrap();
        let [_, filler] = row(number, columns[1].unwrap().len());
        assert_eq!(columns[1].unwrap(), filler, "row {number}");
        self.0.push(number);
    }
}

pub(crate) fn spec() -> ScanSpec {
    ScanSpec { projection: vec![0, 1], predicate: None, rowids: false }
}

pub(crate) fn scan(session: &Arc<Session>, table: &Arc<TableDef>) -> TableScan {
    TableScan::new(session.worker().clone(), table.heap().clone(), spec()).unwrap()
}

pub(crate) fn scan_directly(session: &Arc<Session>, table: &Arc<TableDef>) -> TableScan {
    session.parameters().set("_serial_direct_read", "always").unwrap();
    TableScan::for_query(session.worker().clone(), table.heap().clone(), spec()).unwrap()
}

/// The rest of a scan, in order.
pub(crate) fn rest(scan: &mut TableScan) -> Result<Vec<u32>> {
    let mut numbers = Numbers::default();
    while scan.next(&mut numbers, 50)? {}
    numbers.0.sort_unstable();
    Ok(numbers.0)
}

pub(crate) fn all(session: &Arc<Session>, name: &str) -> Vec<u32> {
    rest(&mut scan(session, &table(session, name))).unwrap()
}

pub(crate) fn pause() {
    let (mutex, never) = (Mutex::new(()), Condvar::new());
    never.wait_for(&mut mutex.lock(), Duration::from_millis(5));
}

/// Joins a thread that must end soon.
pub(crate) fn join<T>(thread: JoinHandle<T>, seconds: u64) -> T {
    let clock = clock();
    let start = clock.monotonic_us();
    while !thread.is_finished() {
        assert!(clock.monotonic_us() - start < seconds * 1_000_000, "a session hangs");
        pause();
    }
    thread.join().unwrap()
}

/// Runs `work`, which must end soon.
pub(crate) fn within<T: Send + 'static>(seconds: u64, work: impl FnOnce() -> T + Send + 'static) -> T {
    join(spawn("watched", work).unwrap(), seconds)
}
