//! Crashes of whole databases in memory. Batches are small here, so each recovery has many.

use std::collections::BTreeMap;
use std::path::Path;

use common::sync::Arc;
use common::{DataType, Rowid, SystemClock};
use device::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};
use scan::{RowSink, ScanSpec};
use waits::Statistic;

use engine::ddl::{IndexSpec, PhysicalAttributes, TableChange, TableSpec};
use engine::dictionary::{ColumnDef, IndexDef, TableDef};
use engine::instance::{Background, Instance, Session};
use engine::startup::CreateOptions;
use storage::recovery::BATCH_BYTES_OF_TEST;
use storage::segment::Storage;
use storage::table::{Appender, Inserter, TableScan, Updater};
use storage::txn::CommitWrite;

/// Bytes of redo in a batch.
const BATCH_BYTES: usize = 16 << 10;
const DIRECTORY: &str = "/data";
const OWNER: &str = "SYSTEM";
const ROWS: u32 = 4_000;

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

#[derive(Default)]
struct Found {
    at: Option<(common::ObjectNumber, common::BlockAddress)>,
    rows: Rows,
    rowids: Vec<(Rowid, Vec<u8>)>,
}

impl RowSink for Found {
    fn block(&mut self, object: common::ObjectNumber, address: common::BlockAddress) {
        self.at = Some((object, address));
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let value = |n: usize| columns[n].map(<[u8]>::to_vec).unwrap_or_default();
        let (data_object, block) = self.at.unwrap();
        assert!(self.rows.insert(value(0), value(1)).is_none(), "a key twice");
        self.rowids.push((Rowid { data_object, block, slot }, value(0)));
    }
}

fn found(session: &Arc<Session>) -> Found {
    let spec = ScanSpec { projection: vec![0, 1], predicate: None, rowids: true };
    let mut scan = TableScan::new(session.worker().clone(), table(session).heap().clone(), spec).unwrap();
    let mut found = Found::default();
    while scan.next(&mut found, 100).unwrap() {}
    found
}

fn table(session: &Session) -> Arc<TableDef> {
    session.catalog().require_table(OWNER, "T").unwrap().clone()
}

/// Few blocks of small redo records, again and again, among many blocks: rows updated over and over, checkpoints
/// between, undo of an open transaction. Returns the committed rows.
fn work(instance: &Arc<Instance>, switch: bool) -> Rows {
    let session = instance.connect(OWNER).unwrap();
    create_table(&session, "T");
    create_index(&session, None);
    insert(&session, 0..ROWS);
    session.commit(CommitWrite::default()).unwrap();
    instance.checkpoint(session.meter()).unwrap();
    let places = found(&session).rowids;
    for round in 0..30_usize {
        let mut updater = Updater::new(session.worker().clone(), table(&session).heap().clone());
        for (n, (rowid, key)) in places.iter().enumerate() {
            if n < 40 || n % 30 == round {
                let value = vec![b'a' + round as u8; 20 + (n + round) % 30];
                updater.push(*rowid, &[Some(key), Some(&value)]).unwrap();
            }
        }
        updater.finish().unwrap();
        session.commit(CommitWrite::default()).unwrap();
        if round == 10 {
            // Some blocks are ahead of the redo that will be read.
            instance.cache().checkpoint(session.meter()).unwrap();
        }
        if round == 20 && switch {
            instance.redo().switch(session.meter()).unwrap();
        }
    }
    let committed = found(&session).rows;
    let other = instance.connect(OWNER).unwrap();
    insert(&other, ROWS..ROWS + 500);
    instance.redo().flush(instance.redo().end()).unwrap();
    instance.health().stop(&common::Error::bug("a crash"));
    committed
}

/// A table of a key and a value.
fn create_table(session: &Arc<Session>, name: &str) {
    let column = |name: &str, bytes| ColumnDef {
        name: name.to_owned(),
        data_type: DataType::Varchar2 { bytes },
        nullable: true,
        default: None,
    };
    session.create_table(&TableSpec::new(OWNER, name, vec![column("K", 4), column("V", 200)])).unwrap();
}

/// An index on the values of T.
fn create_index(session: &Arc<Session>, logging: Option<bool>) -> Arc<IndexDef> {
    let spec = IndexSpec {
        logging,
        owner: OWNER.to_owned(),
        name: "T_V".to_owned(),
        table_owner: OWNER.to_owned(),
        table_name: "T".to_owned(),
        columns: vec!["V".to_owned()],
        unique: false,
        tablespace: None,
        physical: PhysicalAttributes::default(),
        storage: Storage::default(),
    };
    session.create_index(&spec).unwrap()
}

fn insert(session: &Arc<Session>, keys: std::ops::Range<u32>) {
    insert_into(session, "T", keys, |key| vec![b'x'; 20 + key as usize % 50]);
}

fn insert_into(session: &Arc<Session>, name: &str, keys: std::ops::Range<u32>, value: impl Fn(u32) -> Vec<u8>) {
    let table = session.catalog().require_table(OWNER, name).unwrap().clone();
    let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
    for key in keys {
        inserter.push(&[Some(&key.to_be_bytes()), Some(&value(key))]).unwrap();
    }
    inserter.finish().unwrap();
}

/// A database whose blocks are written on the test's request alone.
fn create(files: &Arc<dyn FileSystem>) -> Arc<Instance> {
    let parameters = vec![("db_cache_size".to_owned(), "16M".to_owned())];
    let options = CreateOptions { log_bytes: 24 << 20, parameters, ..CreateOptions::default() };
    let clock = Arc::new(SystemClock::default());
    Instance::create_with(files.clone(), Path::new(DIRECTORY), clock, None, &options, Background::Inline).unwrap()
}

fn crashed(files: &Arc<dyn FileSystem>) -> Rows {
    work(&create(files), false)
}

fn copy(files: &Arc<dyn FileSystem>) -> Arc<dyn FileSystem> {
    let copy = MemoryFileSystem::new();
    let mut names: Vec<String> = ["01", "02", "03"].iter().map(|n| format!("redo{n}.log")).collect();
    names.extend(["system01.dbf", "users01.dbf", "undotbs01.dbf", "doublewrite.dbf"].map(str::to_owned));
    names.extend(["control01.ctl", "control02.ctl", "highwater.ora"].map(str::to_owned));
    for name in names {
        let path = Path::new(DIRECTORY).join(name);
        copy.write_whole(&path, &files.read_whole(&path).unwrap()).unwrap();
    }
    Arc::new(copy)
}

fn open(files: &Arc<dyn FileSystem>, background: Background) -> Arc<Instance> {
    let clock = Arc::new(SystemClock::default());
    BATCH_BYTES_OF_TEST.set(BATCH_BYTES);
    Instance::open_with(files.clone(), Path::new(DIRECTORY), clock, None, background).unwrap()
}

/// Closes the database, and finds every block sound.
fn closes_soundly(instance: Arc<Instance>, files: &Arc<dyn FileSystem>) {
    while instance.processes().iter().len() > 0 {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    instance.shutdown().unwrap();
    drop(instance);
    let clock = Arc::new(SystemClock::default());
    let report = engine::verify::verify(files.clone(), Path::new(DIRECTORY), clock, None).unwrap();
    assert_eq!(report.problems, []);
}

#[test]
fn threads_and_one_after_another_come_to_the_same() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let committed = crashed(&files);
    let mut done = Vec::new();
    for background in [Background::Inline, Background::Threads] {
        let files = copy(&files);
        let instance = open(&files, background);
        let forward = *instance.rolled_forward().unwrap();
        assert!(forward.bytes > 20 * BATCH_BYTES as u64, "{forward:?}");
        assert!(forward.applied > 1_000 && forward.passed > 1_000, "{forward:?}");
        done.push((forward.records, forward.bytes, forward.applied, forward.passed, forward.scn));
        let session = instance.connect(OWNER).unwrap();
        assert!(found(&session).rows == committed, "{background:?}");
        drop(session);
        closes_soundly(instance, &files);
    }
    assert_eq!(done[0], done[1]);
}

#[test]
fn a_crash_before_the_recovered_blocks_are_written_begins_again_from_the_same_place() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let committed = crashed(&files);
    // The write that fails: none at all, the first of the blocks, some in their midst.
    for fails in [None, Some(1), Some(7), Some(12)] {
        let faulty = Arc::new(FaultyFileSystem::new(copy(&files)));
        let files: Arc<dyn FileSystem> = faulty.clone();
        let from = {
            let instance = open(&files, Background::Inline);
            assert!(instance.rolled_forward().unwrap().deferred);
            let from = instance.control().data().checkpoint;
            // New work is in the log behind the redo that is still needed.
            let session = instance.connect(OWNER).unwrap();
            insert(&session, 2 * ROWS..2 * ROWS + 10);
            session.commit(CommitWrite::default()).unwrap();
            drop(session);
            if let Some(nth) = fails {
                faulty.fail(nth, Fault::TornWrite { bytes: 5000 });
                instance.writer_round().unwrap_err();
                faulty.heal();
            }
            assert_eq!(instance.control().data().checkpoint, from, "{fails:?}");
            instance.health().stop(&common::Error::bug("a second crash"));
            from
        };
        let instance = open(&files, Background::Inline);
        let mut expected = committed.clone();
        let session = instance.connect(OWNER).unwrap();
        let rows = found(&session).rows;
        expected.extend(
            (2 * ROWS..2 * ROWS + 10).map(|key| (key.to_be_bytes().to_vec(), vec![b'x'; 20 + key as usize % 50])),
        );
        assert!(rows == expected, "{fails:?}: {} rows", rows.len());
        drop(session);
        // Once they are written the old redo is not needed any more.
        instance.writer_round().unwrap();
        assert_ne!(instance.control().data().checkpoint, from, "{fails:?}");
        closes_soundly(instance, &files);
    }
}

#[test]
fn where_every_log_group_is_needed_the_blocks_are_written_before_the_open() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let instance = create(&files);
    instance.redo().drop_group(3).unwrap();
    let committed = work(&instance, true);
    assert_eq!(instance.redo().groups().len(), 2);
    drop(instance);
    let instance = open(&files, Background::Threads);
    let forward = *instance.rolled_forward().unwrap();
    assert!(!forward.deferred && forward.applied > 1_000, "{forward:?}");
    let session = instance.connect(OWNER).unwrap();
    assert!(found(&session).rows == committed);
    drop(session);
    closes_soundly(instance, &files);
}

/// Loads with and without images in the log, at addresses whose earlier blocks have images in the log: `load` makes
/// one, after `before`, which frees such addresses. Each is whole after a crash, and after a second one: the blocks of
/// the first recovery are written after the open. Returns the bytes of redo of each load.
fn whole_after_crashes(
    before: impl Fn(&Arc<Session>),
    load: impl Fn(&Arc<Session>, bool),
    after: impl Fn(&Arc<Session>),
    check: impl Fn(&Arc<Session>, bool),
) -> [u64; 2] {
    [true, false].map(|logging| {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let instance = create(&files);
        let crash = |session: Arc<Session>, instance: Arc<Instance>| {
            drop(session);
            instance.health().stop(&common::Error::bug("a crash"));
        };
        let session = instance.connect(OWNER).unwrap();
        create_table(&session, "T");
        before(&session);
        let redo = session.meter().value(Statistic::RedoSize);
        load(&session, logging);
        let redo = session.meter().value(Statistic::RedoSize) - redo;
        after(&session);
        session.commit(CommitWrite::default()).unwrap();
        crash(session, instance);
        for _ in 0..2 {
            let instance = open(&files, Background::Inline);
            let session = instance.connect(OWNER).unwrap();
            check(&session, logging);
            crash(session, instance);
        }
        // This checks that each row has its entry and each entry its row.
        closes_soundly(open(&files, Background::Inline), &files);
        redo
    })
}

#[test]
fn an_index_built_without_images_is_whole_after_a_crash() {
    let redo = whole_after_crashes(
        |session| {
            create_table(session, "EARLIER");
            insert_into(session, "EARLIER", 0..2 * ROWS, |_| vec![b'e'; 100]);
            session.commit(CommitWrite::default()).unwrap();
            insert(session, 0..2 * ROWS);
            session.commit(CommitWrite::default()).unwrap();
            session.drop_table(OWNER, "EARLIER").unwrap();
        },
        |session, logging| {
            let index = create_index(session, Some(logging));
            assert!(index.statistics.unwrap().leaf_blocks > 20);
        },
        // Changes of its blocks are logged as usual, and are newer than the load.
        |session| insert(session, 2 * ROWS..2 * ROWS + 500),
        |session, logging| {
            assert_eq!(found(session).rows.len(), 2 * ROWS as usize + 500);
            assert_eq!(session.catalog().index(OWNER, "T_V").unwrap().logging, logging);
        },
    );
    assert!(redo[1] * 5 < redo[0], "{redo:?} bytes of redo");
}

#[test]
fn redo_of_an_earlier_life_is_not_put_over_a_load_without_images() {
    let loaded = || (ROWS..3 * ROWS).map(|key| (key.to_be_bytes().to_vec(), vec![b'y'; 20 + key as usize % 50]));
    let redo = whole_after_crashes(
        |session| {
            insert(session, 0..ROWS);
            session.commit(CommitWrite::default()).unwrap();
            session.truncate_table(OWNER, "T").unwrap();
        },
        |session, logging| {
            session.alter_table(OWNER, "T", &TableChange::Logging(logging)).unwrap();
            let mut appender = Appender::into_table(session.worker().clone(), table(session).heap().clone()).unwrap();
            for (key, value) in loaded() {
                appender.push(&[Some(&key), Some(&value)]).unwrap();
            }
            appender.finish().unwrap();
        },
        |_| {},
        |session, logging| assert!(found(session).rows == loaded().collect(), "logging {logging}"),
    );
    assert!(redo[1] * 10 < redo[0], "{redo:?} bytes of redo");
}
