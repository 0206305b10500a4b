//! Mini-transactions that end in an error, at every get of a block within them: the blocks are unchanged afterwards, in
//! memory, in the log and on disk.
//!
//! Each case repeats one piece of work with its first get within a mini-transaction failing, then its second, and so
//! on, until none fails. After each failure the session rolls back: the rows are as before, the instance goes on, and a
//! crash at that moment would leave a sound database.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::collections::BTreeMap;
use std::path::Path;

use common::sync::Arc;
use common::{BlockAddress, DataType, ObjectNumber, Result, Rowid, SystemClock};
use device::MemoryFileSystem;
use engine::ddl::{IndexSpec, PhysicalAttributes, TableChange, TableSpec};
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{Background, DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use scan::{RowSink, ScanSpec};
use storage::cache::testing::fail_get_in_mini;
use storage::control::SpaceManagement;
use storage::segment::Storage;
use storage::table::{Deleter, Inserter, TableScan, Updater};
use storage::txn::CommitWrite;

const OWNER: &str = "SYSTEM";
const DIRECTORY: &str = "/database";
const MANAGEMENTS: [SpaceManagement; 2] = [SpaceManagement::Manual, SpaceManagement::Auto];

type Row = Vec<Option<Vec<u8>>>;
type Rows = BTreeMap<Rowid, Row>;

struct Database {
    files: Arc<MemoryFileSystem>,
    instance: Arc<Instance>,
    session: Arc<Session>,
}

#[derive(Default)]
struct Found {
    at: Option<(ObjectNumber, BlockAddress)>,
    rows: Rows,
}

impl RowSink for Found {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        self.at = Some((object, address));
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let (data_object, block) = self.at.unwrap();
        let columns = columns.iter().map(|column| column.map(<[u8]>::to_vec)).collect();
        self.rows.insert(Rowid { data_object, block, slot }, columns);
    }
}

impl Database {
    /// With a table T(K, V) in extents of five blocks.
    fn new(management: SpaceManagement, pctfree: u64) -> Self {
        let files = Arc::new(MemoryFileSystem::new());
        let clock = Arc::new(SystemClock::default());
        let options = CreateOptions { log_bytes: 8 << 20, ..CreateOptions::default() };
        let instance =
            Instance::create_with(files.clone(), Path::new(DIRECTORY), clock, None, &options, Background::Inline)
                .unwrap();
        let session = instance.connect(OWNER).unwrap();
        let file = DatafileSpec { name: "t.dbf".to_owned(), bytes: 4 << 20, reuse: false, autoextend: None };
        let spec = TablespaceSpec {
            logging: true,
            name: "T".to_owned(),
            files: vec![file],
            block_size: None,
            uniform_bytes: Some(5 * 8192),
            space_management: management,
        };
        instance.create_tablespace(&session, &spec).unwrap();
        let database = Self { files, instance, session };
        database.create_table("T", pctfree);
        database
    }

    fn create_table(&self, name: &str, pctfree: u64) {
        self.session.create_table(&spec(name, pctfree)).unwrap();
    }

    fn index(&self) {
        let spec = IndexSpec {
            logging: None,
            owner: OWNER.to_owned(),
            name: "I".to_owned(),
            table_owner: OWNER.to_owned(),
            table_name: "T".to_owned(),
            columns: vec!["K".to_owned()],
            unique: false,
            tablespace: Some("T".to_owned()),
            physical: PhysicalAttributes::default(),
            storage: Storage::default(),
        };
        self.session.create_index(&spec).unwrap();
    }

    fn table(&self) -> Arc<TableDef> {
        self.session.catalog().table(OWNER, "T").unwrap().clone()
    }

    fn rows(&self) -> Rows {
        let spec = ScanSpec { projection: vec![0, 1], predicate: None, rowids: true };
        let mut scan = TableScan::new(self.session.worker().clone(), self.table().heap().clone(), spec).unwrap();
        let mut found = Found::default();
        while scan.next(&mut found, 1000).unwrap() {}
        found.rows
    }

    fn insert(&self, keys: std::ops::Range<u32>, bytes: usize) -> Result<()> {
        let mut inserter = Inserter::new(self.session.worker().clone(), self.table().heap().clone())?;
        for n in keys {
            // In no order, so that leaves split in their midst.
            let key = format!("{:08}{:0>120}", n.wrapping_mul(2_654_435_761) % 100_000, n);
            inserter.push(&[Some(key.as_bytes()), Some(&vec![b'v'; bytes])])?;
        }
        inserter.finish().map(drop)
    }

    fn commit(&self) {
        self.session.commit(CommitWrite::default()).unwrap();
    }

    /// The database after a crash now is sound.
    fn is_sound(&self, when: &str) {
        self.instance.redo().flush(self.instance.redo().end()).unwrap();
        let clock = Arc::new(SystemClock::default());
        let report = engine::verify::verify(self.files.clone(), Path::new(DIRECTORY), clock, None).unwrap();
        assert_eq!(report.problems, [], "{when}");
    }

    /// Repeats `work` with each get within a mini-transaction failing in turn. Returns the number of failures.
    fn fail_everywhere(&self, what: &str, work: impl Fn(&Self) -> Result<()>) -> u64 {
        let before = self.rows();
        let mut failures = 0;
        for after in 0.. {
            fail_get_in_mini(Some(after));
            let done = work(self);
            let left = fail_get_in_mini(None);
            let when = format!("{what}, get {after} of those in mini-transactions failed");
            assert!(self.instance.health().check().is_ok(), "{when}: the instance has stopped: {done:?}");
            match done {
                Ok(()) if left.is_some() => break,
                // The work succeeded in spite of the failure.
                Ok(()) => self.session.rollback().unwrap(),
                Err(error) => {
                    assert!(left.is_none() && error.is_ora(1115), "{when}: {error}");
                    self.session.rollback().unwrap();
                }
            }
            failures += 1;
            assert_eq!(self.rows(), before, "{when}");
            self.instance.check_invariants().unwrap();
            if after < 5 || after % 37 == 0 {
                self.is_sound(&when);
            }
        }
        self.commit();
        self.is_sound(what);
        failures
    }
}

fn spec(name: &str, pctfree: u64) -> TableSpec {
    let column = |name: &str, bytes| ColumnDef {
        name: name.to_owned(),
        data_type: DataType::Varchar2 { bytes },
        nullable: true,
        default: None,
    };
    let mut spec = TableSpec::new(OWNER, name, vec![column("K", 200), column("V", 4000)]);
    spec.tablespace = Some("T".to_owned());
    spec.physical = PhysicalAttributes { pctfree: Some(pctfree), ..PhysicalAttributes::default() };
    spec
}

#[test]
fn inserts_that_make_the_table_grow() {
    for management in MANAGEMENTS {
        let database = Database::new(management, 10);
        let failures = database.fail_everywhere("an insert", |database| database.insert(0..40, 3000));
        assert!(failures > 40, "{failures}");
        assert_eq!(database.rows().len(), 40);
    }
}

#[test]
fn inserts_that_split_leaves_and_branches() {
    for management in MANAGEMENTS {
        let database = Database::new(management, 10);
        database.index();
        database.insert(0..1500, 10).unwrap();
        database.commit();
        let failures = database.fail_everywhere("an insert", |database| database.insert(1500..1600, 10));
        assert!(failures > 50, "{failures}");
        assert_eq!(database.rows().len(), 1600);
    }
}

#[test]
fn deletes_and_updates_that_move_rows_and_change_what_is_free() {
    for management in MANAGEMENTS {
        let database = Database::new(management, 0);
        database.index();
        database.insert(0..120, 200).unwrap();
        database.commit();
        let rows: Vec<Rowid> = database.rows().into_keys().collect();
        let failures = database.fail_everywhere("a delete", |database| {
            let mut deleter = Deleter::new(database.session.worker().clone(), database.table().heap().clone());
            for rowid in rows.iter().step_by(2) {
                deleter.push(*rowid)?;
            }
            deleter.finish().map(drop)
        });
        assert!(failures > 20, "{failures}");
        let rows = database.rows();
        let failures = database.fail_everywhere("an update", |database| {
            let mut updater = Updater::new(database.session.worker().clone(), database.table().heap().clone());
            for (rowid, columns) in &rows {
                updater.push(*rowid, &[columns[0].as_deref(), Some(&[b'w'; 900])])?;
            }
            updater.finish().map(drop)
        });
        assert!(failures > 20, "{failures}");
        assert!(database.rows().values().all(|columns| columns[1].as_ref().unwrap().len() == 900));
    }
}

#[test]
fn a_rollback_is_carried_through_once_blocks_can_be_got_again() {
    for management in MANAGEMENTS {
        let database = Database::new(management, 10);
        database.index();
        database.insert(0..50, 500).unwrap();
        database.commit();
        let before = database.rows();
        for after in 0.. {
            database.insert(50..90, 500).unwrap();
            fail_get_in_mini(Some(after));
            let done = database.session.rollback();
            let left = fail_get_in_mini(None);
            assert!(done.is_err() || left.is_some(), "get {after} failed, and the rollback says nothing");
            assert!(database.instance.health().check().is_ok(), "get {after}: the instance has stopped");
            database.session.rollback().unwrap();
            assert_eq!(database.rows(), before, "get {after}");
            database.is_sound(&format!("get {after} of a rollback failed"));
            if left.is_some() {
                assert!(after > 5, "{after}");
                break;
            }
        }
    }
}

#[test]
fn truncate_and_drop() {
    for management in MANAGEMENTS {
        let database = Database::new(management, 10);
        database.index();
        database.insert(0..200, 500).unwrap();
        database.commit();
        let failures =
            database.fail_everywhere("a truncate", |database| database.session.truncate_table(OWNER, "T").map(drop));
        assert!(failures > 10, "{failures}");
        assert_eq!(database.rows().len(), 0);
    }
}

#[test]
fn a_table_that_is_made_and_dropped_again() {
    for management in MANAGEMENTS {
        let database = Database::new(management, 10);
        let failures = database.fail_everywhere("a create", |database| {
            database.session.create_table(&spec("U", 10))?;
            Ok(())
        });
        assert!(failures > 5, "{failures}");
    }
}

#[test]
fn a_segment_that_shrinks() {
    let database = Database::new(SpaceManagement::Auto, 10);
    database.insert(0..300, 1000).unwrap();
    database.commit();
    let rows: Vec<Rowid> = database.rows().into_keys().collect();
    let mut deleter = Deleter::new(database.session.worker().clone(), database.table().heap().clone());
    for rowid in rows.iter().filter(|rowid| rowid.slot != 0) {
        deleter.push(*rowid).unwrap();
    }
    deleter.finish().unwrap();
    database.commit();
    database.session.alter_table(OWNER, "T", &TableChange::RowMovement(true)).unwrap();
    let kept: Vec<Row> = database.rows().into_values().collect();
    let change = TableChange::Shrink { lower: true, cascade: true };
    for after in (0..).step_by(3) {
        fail_get_in_mini(Some(after));
        let done = database.session.alter_table(OWNER, "T", &change);
        let left = fail_get_in_mini(None);
        let when = format!("get {after} of a shrink failed: {done:?}");
        assert!(database.instance.health().check().is_ok(), "{when}");
        let mut found: Vec<Row> = database.rows().into_values().collect();
        found.sort();
        let mut kept = kept.clone();
        kept.sort();
        assert_eq!(found, kept, "{when}");
        database.is_sound(&when);
        if left.is_some() {
            assert!(after > 20, "{after}");
            break;
        }
    }
}
