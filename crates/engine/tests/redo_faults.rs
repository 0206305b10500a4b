//! Faults at the worst moment must not leave a change without its undo, a control file with a refused change, or
//! missing undo of a change that is not durable.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use common::sync::{Arc, Condvar, Mutex, spawn};
use common::{BlockAddress, DataType, ErrorKind, ObjectNumber, Rowid, SystemClock};
use device::{AlignedBuffer, Device, Fault, FaultyFileSystem, FileSystem, MemoryFileSystem, PendingRead};
use engine::ddl::{IndexSpec, PhysicalAttributes, TableSpec};
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{Background, DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use scan::{RowSink, ScanSpec};
use storage::control::SpaceManagement;
use storage::parameters::Scope;
use storage::redo::LogGroupSpec;
use storage::segment::Storage;
use storage::table::{Inserter, TableScan, Updater};
use storage::txn::CommitWrite;

const OWNER: &str = "SYSTEM";

fn directory() -> PathBuf {
    PathBuf::from("/data")
}

fn create(files: &Arc<dyn FileSystem>, background: Background) -> Arc<Instance> {
    let parameters = vec![("db_cache_size".to_owned(), "8M".to_owned())];
    let options = CreateOptions { log_bytes: 4 << 20, parameters, ..CreateOptions::default() };
    let clock = Arc::new(SystemClock::default());
    Instance::create_with(files.clone(), &directory(), clock, None, &options, background).unwrap()
}

fn open(files: &Arc<dyn FileSystem>, background: Background) -> common::Result<Arc<Instance>> {
    Instance::open_with(files.clone(), &directory(), Arc::new(SystemClock::default()), None, background)
}

/// The instance comes to its end as by kill -9.
fn crash(instance: Arc<Instance>) {
    instance.abort();
    drop(instance);
}

fn table(session: &Session, name: &str) -> Arc<TableDef> {
    session.catalog().require_table(OWNER, name).unwrap().clone()
}

/// A table of numbered rows, committed.
fn filled(session: &Arc<Session>, name: &str, rows: u32) {
    let column = |name: &str, bytes| ColumnDef {
        name: name.to_owned(),
        data_type: DataType::Varchar2 { bytes },
        nullable: true,
        default: None,
    };
    let mut spec = TableSpec::new(OWNER, name, vec![column("K", 4), column("V", 200)]);
    spec.tablespace = Some("USERS".to_owned());
    session.create_table(&spec).unwrap();
    let mut inserter = Inserter::new(session.worker().clone(), table(session, name).heap().clone()).unwrap();
    for key in 0..rows {
        inserter.push(&[Some(&key.to_be_bytes()), Some(b"old")]).unwrap();
    }
    inserter.finish().unwrap();
    session.commit(CommitWrite::default()).unwrap();
}

#[derive(Default)]
struct Found {
    at: Option<(ObjectNumber, BlockAddress)>,
    rows: BTreeMap<u32, (Rowid, Vec<u8>)>,
}

impl RowSink for Found {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        self.at = Some((object, address));
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let (data_object, block) = self.at.unwrap();
        let key = u32::from_be_bytes(columns[0].unwrap().try_into().unwrap());
        let value = columns[1].unwrap_or_default().to_vec();
        assert!(self.rows.insert(key, (Rowid { data_object, block, slot }, value)).is_none(), "a key twice");
    }
}

fn rows(session: &Arc<Session>, name: &str) -> BTreeMap<u32, (Rowid, Vec<u8>)> {
    let spec = ScanSpec { projection: vec![0, 1], predicate: None, rowids: true };
    let mut scan = TableScan::new(session.worker().clone(), table(session, name).heap().clone(), spec).unwrap();
    let mut found = Found::default();
    while scan.next(&mut found, 100).unwrap() {}
    found.rows
}

/// The number of rows of a table with each value.
fn values(session: &Arc<Session>, name: &str) -> BTreeMap<Vec<u8>, usize> {
    let mut values = BTreeMap::new();
    for (_, value) in rows(session, name).into_values() {
        *values.entry(value).or_default() += 1;
    }
    values
}

fn only(value: &[u8], rows: usize) -> BTreeMap<Vec<u8>, usize> {
    BTreeMap::from([(value.to_vec(), rows)])
}

fn set(session: &Arc<Session>, name: &str, keys: &[u32], value: &[u8]) -> common::Result<()> {
    let places = rows(session, name);
    let mut updater = Updater::new(session.worker().clone(), table(session, name).heap().clone());
    for key in keys {
        updater.push(places[key].0, &[Some(&key.to_be_bytes()), Some(value)])?;
    }
    updater.finish().map(drop)
}

fn tablespace(name: &str) -> TablespaceSpec {
    TablespaceSpec {
        logging: true,
        name: name.to_owned(),
        files: vec![DatafileSpec { name: format!("{name}.dbf"), bytes: 4 << 20, reuse: false, autoextend: None }],
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Manual,
    }
}

#[test]
fn a_change_whose_undo_block_cannot_be_had_is_not_made() {
    let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let files: Arc<dyn FileSystem> = faulty.clone();
    let instance = create(&files, Background::Inline);
    let session = instance.connect(OWNER).unwrap();
    filled(&session, "T", 10);
    set(&session, "T", &[1], b"new").unwrap();
    // Neither the table's block nor the block of the transaction's undo is cached any more; the table's is read again.
    instance.cache().flush(session.meter()).unwrap();
    let places = rows(&session, "T");
    let mark = session.mark();
    let mut updater = Updater::new(session.worker().clone(), table(&session, "T").heap().clone());
    faulty.fail(1, Fault::Read);
    let pushed = updater.push(places[&2].0, &[Some(&2_u32.to_be_bytes()), Some(b"half")]);
    let error = pushed.and_then(|()| updater.finish()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Io, "{error}");
    drop(updater);
    faulty.heal();
    session.rollback_to_mark(mark).unwrap();
    // Records of two changes must not have the same address.
    set(&session, "T", &[3], b"new").unwrap();
    session.commit(CommitWrite::default()).unwrap();
    let expected = BTreeMap::from([(b"old".to_vec(), 8), (b"new".to_vec(), 2)]);
    assert_eq!(values(&session, "T"), expected);
    drop(session);
    crash(instance);
    let instance = open(&files, Background::Inline).unwrap();
    let session = instance.connect(OWNER).unwrap();
    assert_eq!(values(&session, "T"), expected);
}

#[test]
fn rolled_back_changes_stay_undone_after_their_undo_tablespace_is_dropped() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let instance = create(&files, Background::Inline);
    let session = instance.connect(OWNER).unwrap();
    filled(&session, "T", 10);
    filled(&session, "OTHER", 2);
    session.create_undo_tablespace(&tablespace("UNDO2"), false).unwrap();
    let other = instance.connect(OWNER).unwrap();
    set(&other, "T", &[1, 2, 3], b"never").unwrap();
    // This makes the other transaction's changes durable, but not its end.
    set(&session, "OTHER", &[1], b"new").unwrap();
    session.commit(CommitWrite::default()).unwrap();
    session.alter_system("undo_tablespace", "UNDO2", Scope::Both).unwrap();
    other.rollback().unwrap();
    session.drop_tablespace("UNDOTBS1", true, true).unwrap();
    drop((session, other));
    crash(instance);
    let instance = open(&files, Background::Inline).unwrap();
    let session = instance.connect(OWNER).unwrap();
    assert_eq!(values(&session, "T"), only(b"old", 10));
}

#[test]
fn a_control_file_that_cannot_be_written_says_nothing_of_what_was_refused() {
    // The first write of the statement is the file's header; then come the copies of the control file, and, when one
    // fails, both once more.
    for (nth, again) in [(1, None), (2, None), (3, None), (2, Some(2)), (3, Some(1)), (3, Some(2))] {
        let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let files: Arc<dyn FileSystem> = faulty.clone();
        let instance = create(&files, Background::Inline);
        let session = instance.connect(OWNER).unwrap();
        filled(&session, "T", 10);
        faulty.fail(nth, Fault::Write);
        if let Some(again) = again {
            faulty.fail(nth + again, Fault::Write);
        }
        let error = instance.create_tablespace(&session, &tablespace("MORE")).map(drop).unwrap_err();
        faulty.heal();
        let stopped = again.is_some();
        assert_eq!(error.kind == ErrorKind::Poisoned, stopped, "write {nth}: {error}");
        drop(session);
        crash(instance);
        let instance = open(&files, Background::Inline).unwrap();
        let session = instance.connect(OWNER).unwrap();
        assert_eq!(values(&session, "T"), only(b"old", 10));
        // An instance that has stopped does not know whether the tablespace exists.
        assert!(stopped || instance.tablespaces().named("MORE").is_err(), "write {nth}: {error}");
        drop(session);
        instance.shutdown().unwrap();
    }
}

#[test]
fn a_tablespace_that_could_not_be_dropped_keeps_its_rows() {
    let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let files: Arc<dyn FileSystem> = faulty.clone();
    let instance = create(&files, Background::Inline);
    let session = instance.connect(OWNER).unwrap();
    let more = instance.create_tablespace(&session, &tablespace("MORE")).unwrap();
    instance.redo().flush(instance.redo().end()).unwrap();
    // The second copy of the control file.
    faulty.fail(2, Fault::Write);
    let error = instance.drop_tablespace_files(&session, &more, true).unwrap_err();
    assert!(error.is_ora(206), "{error}");
    faulty.heal();
    drop(session);
    crash(instance);
    let instance = open(&files, Background::Inline).unwrap();
    instance.tablespaces().named("MORE").unwrap();
}

#[test]
fn a_log_file_has_room_for_any_group_of_changes() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let instance = create(&files, Background::Inline);
    for (bytes, small) in [(32 << 10, true), ((256 << 10) - 512, true), (256 << 10, false)] {
        match instance.redo().add_group(&LogGroupSpec::usual(4, 1, bytes)) {
            Ok(()) => assert!(!small, "{bytes}"),
            Err(error) => assert!(small && error.is_ora(336), "{bytes}: {error}"),
        }
    }
}

#[test]
fn a_session_that_ends_while_the_instance_is_being_closed_changes_nothing() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let instance = create(&files, Background::Threads);
    let session = instance.connect(OWNER).unwrap();
    filled(&session, "T", 10);
    let leaving = instance.connect(OWNER).unwrap();
    set(&leaving, "T", &[1], b"never").unwrap();
    let call = session.call().unwrap();
    let closing = instance.clone();
    let closing = spawn("closing", move || closing.shutdown()).unwrap();
    // No session is admitted once the close has begun; it waits for the call.
    while instance.connect(OWNER).is_ok() {
        std::thread::yield_now();
    }
    let before = instance.redo().end();
    drop(leaving);
    assert_eq!(instance.redo().end(), before);
    drop((call, session));
    closing.join().unwrap().unwrap();
    drop(instance);
    // The next open rolls back in the session's place.
    let instance = open(&files, Background::Inline).unwrap();
    assert_eq!(instance.dead_transactions(), 1);
    let session = instance.connect(OWNER).unwrap();
    assert_eq!(values(&session, "T"), only(b"old", 10));
}

#[test]
fn a_dead_transaction_that_cannot_be_rolled_back_does_not_keep_the_others() {
    for background in [Background::Inline, Background::Threads] {
        let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let files: Arc<dyn FileSystem> = faulty.clone();
        let instance = create(&files, Background::Inline);
        let session = instance.connect(OWNER).unwrap();
        let mut begun = Vec::new();
        for name in ["T1", "T2", "T3"] {
            filled(&session, name, 10);
            let dying = instance.connect(OWNER).unwrap();
            set(&dying, name, &[1], b"never").unwrap();
            let place = rows(&dying, name)[&1].0.block;
            begun.push((dying.xid().unwrap(), name, place, dying));
        }
        begun.sort_by_key(|(xid, ..)| *xid);
        instance.checkpoint(session.meter()).unwrap();
        let (first, bad, place, _) = &begun[0];
        let (first, bad, others) = (*first, *bad, [begun[1].1, begun[2].1]);
        let file = instance.cache().file(place.file).unwrap();
        let (path, offset) = (file.path().to_owned(), u64::from(place.block) * 8192 + 4000);
        drop((file, session, begun));
        crash(instance);
        faulty.flip(&path, offset).unwrap();
        // The double-write area does not have it whole either.
        let area = directory().join("doublewrite.dbf");
        let bytes = files.read_whole(&area).unwrap().len();
        files.write_whole(&area, &vec![0; bytes]).unwrap();
        let instance = open(&files, background).unwrap();
        let left = || {
            let rollbacks = instance.undo().rollbacks();
            rollbacks.iter().filter(|rollback| rollback.ended_us.is_none()).map(|r| r.xid).collect::<Vec<_>>()
        };
        while left() != [first] || instance.undo().rollback_error(first).is_none() {
            std::thread::yield_now();
        }
        assert!(instance.undo().rollback_error(first).unwrap().is_ora(1578));
        let session = instance.connect(OWNER).unwrap();
        for name in others {
            assert_eq!(values(&session, name), only(b"old", 10));
            // The row is not locked.
            set(&session, name, &[1], b"new").unwrap();
        }
        session.commit(CommitWrite::default()).unwrap();
        // The disk is repaired: the system monitor tries again.
        faulty.flip(&path, offset).unwrap();
        instance.retry_rollbacks(&session).unwrap();
        assert_eq!(left(), []);
        assert_eq!(values(&session, bad), only(b"old", 10));
        set(&session, bad, &[1], b"new").unwrap();
        session.rollback().unwrap();
        drop(session);
        instance.shutdown().unwrap();
    }
}

#[test]
fn entries_of_an_index_that_cannot_be_read_are_taken_back_when_it_can() {
    let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let files: Arc<dyn FileSystem> = faulty.clone();
    let instance = create(&files, Background::Inline);
    let session = instance.connect(OWNER).unwrap();
    filled(&session, "T", 10);
    let index = IndexSpec {
        logging: None,
        owner: OWNER.to_owned(),
        name: "T_V".to_owned(),
        table_owner: OWNER.to_owned(),
        table_name: "T".to_owned(),
        columns: vec!["V".to_owned()],
        unique: false,
        tablespace: Some("USERS".to_owned()),
        physical: PhysicalAttributes::default(),
        storage: Storage::default(),
    };
    session.create_index(&index).unwrap();
    let dying = instance.connect(OWNER).unwrap();
    set(&dying, "T", &[1, 2, 3], b"never").unwrap();
    instance.checkpoint(session.meter()).unwrap();
    let header = session.catalog().require_index(OWNER, "T_V").unwrap().segment.header();
    let file = instance.cache().file(header.file).unwrap();
    let (path, offset) = (file.path().to_owned(), u64::from(header.block) * 8192 + 4000);
    drop((file, session, dying));
    crash(instance);
    faulty.flip(&path, offset).unwrap();
    let area = directory().join("doublewrite.dbf");
    let bytes = files.read_whole(&area).unwrap().len();
    files.write_whole(&area, &vec![0; bytes]).unwrap();
    // The index cannot be read: the transaction stays as it is.
    let instance = open(&files, Background::Inline).unwrap();
    assert_eq!(instance.undo().transactions().len(), 1);
    instance.redo().flush(instance.redo().end()).unwrap();
    crash(instance);
    faulty.flip(&path, offset).unwrap();
    let instance = open(&files, Background::Inline).unwrap();
    let session = instance.connect(OWNER).unwrap();
    assert_eq!((values(&session, "T"), instance.undo().transactions().len()), (only(b"old", 10), 0));
    drop(session);
    instance.shutdown().unwrap();
    let report = engine::verify::verify(files, &directory(), Arc::new(SystemClock::default()), None).unwrap();
    assert_eq!(report.problems, []);
}

/// Files whose writes by the database writer's thread wait at a gate.
#[derive(Debug)]
struct Gated {
    files: MemoryFileSystem,
    gate: Arc<Gate>,
}

#[derive(Default, Debug)]
struct Gate {
    closed: Mutex<bool>,
    opened: Condvar,
    waiting: AtomicUsize,
}

impl Gate {
    fn pass(&self) {
        if std::thread::current().name() != Some("dbw0") {
            return;
        }
        let mut closed = self.closed.lock();
        self.waiting.fetch_add(1, Ordering::SeqCst);
        while *closed {
            self.opened.wait(&mut closed);
        }
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    fn set(&self, closed: bool) {
        *self.closed.lock() = closed;
        self.opened.notify_all();
    }
}

impl Gated {
    fn wrap(&self, inner: Arc<dyn Device>) -> Arc<dyn Device> {
        Arc::new(GatedDevice { inner, gate: self.gate.clone() })
    }
}

impl FileSystem for Gated {
    fn create(&self, path: &Path, bytes: u64) -> std::io::Result<Arc<dyn Device>> {
        Ok(self.wrap(self.files.create(path, bytes)?))
    }
    fn open(&self, path: &Path) -> std::io::Result<Arc<dyn Device>> {
        Ok(self.wrap(self.files.open(path)?))
    }
    fn remove(&self, path: &Path) -> std::io::Result<()> {
        self.files.remove(path)
    }
    fn exists(&self, path: &Path) -> std::io::Result<bool> {
        self.files.exists(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        self.files.rename(from, to)
    }
    fn create_directory(&self, path: &Path) -> std::io::Result<()> {
        self.files.create_directory(path)
    }
    fn sync_directory(&self, path: &Path) -> std::io::Result<()> {
        self.files.sync_directory(path)
    }
    fn write_whole(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        self.gate.pass();
        self.files.write_whole(path, bytes)
    }
    fn read_whole(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        self.files.read_whole(path)
    }
}

#[derive(Debug)]
struct GatedDevice {
    inner: Arc<dyn Device>,
    gate: Arc<Gate>,
}

impl Device for GatedDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> std::io::Result<()> {
        self.inner.read_at(offset, buffers)
    }
    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> std::io::Result<()> {
        self.gate.pass();
        self.inner.write_at(offset, buffers)
    }
    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> std::io::Result<PendingRead> {
        self.inner.submit_read(offset, buffers)
    }
    fn sync(&self) -> std::io::Result<()> {
        self.inner.sync()
    }
    fn size(&self) -> std::io::Result<u64> {
        self.inner.size()
    }
    fn set_size(&self, bytes: u64) -> std::io::Result<()> {
        self.inner.set_size(bytes)
    }
    fn direct(&self) -> bool {
        false
    }
}

#[test]
fn an_instance_that_is_dropped_has_stopped_writing() {
    let gated = Arc::new(Gated { files: MemoryFileSystem::new(), gate: Arc::default() });
    let gate = gated.gate.clone();
    let files: Arc<dyn FileSystem> = gated;
    let instance = create(&files, Background::Threads);
    let session = instance.connect(OWNER).unwrap();
    filled(&session, "T", 10);
    gate.set(true);
    instance.redo().switch(session.meter()).unwrap();
    instance.post_writer();
    while gate.waiting.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let done = dropped.clone();
    let dropping = spawn("dropping", move || {
        drop(session);
        drop(instance);
        done.store(true, Ordering::SeqCst);
    })
    .unwrap();
    // Longer than a drop that does not wait would take.
    std::thread::sleep(Duration::from_millis(200));
    assert!(!dropped.load(Ordering::SeqCst), "the instance has gone while its writer was at work");
    gate.set(false);
    dropping.join().unwrap();
    let instance = open(&files, Background::Threads).unwrap();
    let session = instance.connect(OWNER).unwrap();
    assert_eq!(values(&session, "T"), only(b"old", 10));
}

/// The sampler, or a session, may still hold an instance that the test has crashed. The next instance must have the
/// files to itself all the same.
#[test]
fn an_instance_that_was_crashed_writes_no_more_while_somebody_holds_it() {
    let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let files: Arc<dyn FileSystem> = faulty.clone();
    let instance = create(&files, Background::Threads);
    let session = instance.connect(OWNER).unwrap();
    filled(&session, "T", 10);
    set(&session, "T", &[1, 2, 3], b"new").unwrap();
    assert!(instance.redo().end() > instance.redo().durable(), "there is redo that nobody has asked for");
    crash(instance.clone());
    let before = (faulty.writes(), faulty.syncs());
    instance.redo().post();
    instance.post_writer();
    // Long enough for threads that go on.
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!((faulty.writes(), faulty.syncs()), before);
    let next = open(&files, Background::Threads).unwrap();
    drop((session, instance));
    let session = next.connect(OWNER).unwrap();
    assert_eq!(values(&session, "T"), only(b"old", 10));
}
