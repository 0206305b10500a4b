//! CREATE TABLE AS SELECT: the table and its rows appear as one, to other sessions and after a crash.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use common::sync::Arc;
use common::{BlockAddress, DataType, Error, ObjectNumber, Result, SystemClock};
use device::{FileSystem, MemoryFileSystem};
use engine::ddl::TableSpec;
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{Instance, Session};
use engine::startup::CreateOptions;
use scan::{RowSink, ScanSpec};
use storage::table::{Inserter, TableScan};

const DIRECTORY: &str = "/data";
const ROWS: u32 = 3_000;

fn create(files: &Arc<dyn FileSystem>) -> Arc<Instance> {
    let options = CreateOptions { log_bytes: 4 << 20, ..CreateOptions::default() };
    Instance::create(files.clone(), Path::new(DIRECTORY), Arc::new(SystemClock::default()), None, &options).unwrap()
}

fn spec() -> TableSpec {
    let number = DataType::Number { precision: None, scale: 0 };
    let column = ColumnDef { name: "A".to_owned(), data_type: number, nullable: true, default: None };
    TableSpec { tablespace: Some("USERS".to_owned()), ..TableSpec::new("SYSTEM", "FILLED", vec![column]) }
}

fn fill(session: &Arc<Session>, table: &Arc<TableDef>) -> Result<u64> {
    let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone())?;
    for row in 0..ROWS {
        inserter.push(&[Some(&format::number::encode_i64(row.into()))])?;
    }
    inserter.finish()
}

fn rows_of(session: &Arc<Session>, table: &Arc<TableDef>) -> u32 {
    struct Counter(u32);
    impl RowSink for Counter {
        fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

        fn row(&mut self, _: u16, _: &[Option<&[u8]>]) {
            self.0 += 1;
        }
    }
    let spec = ScanSpec { projection: vec![0], predicate: None, rowids: false };
    let mut scan = TableScan::new(session.worker().clone(), table.heap().clone(), spec).unwrap();
    let mut counter = Counter(0);
    while scan.next(&mut counter, 1_000).unwrap() {}
    counter.0
}

fn free_blocks(session: &Session) -> u64 {
    let tablespace = session.instance().tablespaces().named("USERS").unwrap();
    tablespace.free_space(session).unwrap().iter().map(|free| u64::from(free.blocks)).sum()
}

fn verified(files: Arc<dyn FileSystem>) {
    let report = engine::verify::verify(files, Path::new(DIRECTORY), Arc::new(SystemClock::default()), None).unwrap();
    assert_eq!(report.problems, []);
}

#[test]
fn others_see_the_table_when_its_rows_are_there() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let instance = create(&files);
    let (session, other) = (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
    let rows = session.create_table_filled(&spec(), |table| {
        assert!(session.catalog().table("SYSTEM", "FILLED").is_some(), "who makes it knows it");
        let rows = fill(&session, table)?;
        assert!(other.catalog().table("SYSTEM", "FILLED").is_none());
        Ok(rows)
    });
    assert_eq!(rows.unwrap(), u64::from(ROWS));
    assert!(other.catalog().table("SYSTEM", "FILLED").is_some() && !session.in_transaction());
    drop((session, other));
    instance.shutdown().unwrap();
    verified(files);
}

#[test]
fn a_table_whose_fill_fails_is_not_created() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let instance = create(&files);
    let session = instance.connect("SYSTEM").unwrap();
    let free = free_blocks(&session);
    let error = session.create_table_filled(&spec(), |table| {
        fill(&session, table)?;
        Err::<(), _>(Error::user(1476, "divisor is equal to zero"))
    });
    assert!(error.unwrap_err().is_ora(1476));
    assert!(session.catalog().table("SYSTEM", "FILLED").is_none());
    assert_eq!(free_blocks(&session), free);
    // The next table of its name is not looked for in the old place.
    let made = session.create_table_filled(&spec(), |table| fill(&session, table).map(|_| table.clone())).unwrap();
    assert_eq!(rows_of(&session, &made), ROWS);
    drop(session);
    instance.shutdown().unwrap();
    verified(files);
}

#[test]
fn a_crash_amid_the_rows_leaves_nothing() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let instance = create(&files);
    let session = instance.connect("SYSTEM").unwrap();
    let free = free_blocks(&session);
    let error = session.create_table_filled(&spec(), |table| {
        fill(&session, table)?;
        let redo = instance.redo();
        redo.wait_durable(session.meter(), redo.end())?;
        instance.abort();
        Err::<(), _>(Error::bug("the instance is gone"))
    });
    error.unwrap_err();
    drop(session);
    drop(instance);

    let clock = Arc::new(SystemClock::default());
    let instance = Instance::open(files.clone(), Path::new(DIRECTORY), clock, None).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    assert!(instance.rolled_forward().is_some() && instance.dead_transactions() == 1);
    assert!(session.catalog().table("SYSTEM", "FILLED").is_none());
    assert_eq!(free_blocks(&session), free);
    assert_eq!(session.create_table_filled(&spec(), |table| fill(&session, table)).unwrap(), u64::from(ROWS));
    drop(session);
    instance.shutdown().unwrap();
    verified(files);
}
