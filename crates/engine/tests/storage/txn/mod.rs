//! Rollback in batches beside rollback of one record after another, and beside a model.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;

use common::sync::Arc;
use common::{BlockClass, BlockSize, DataType, ObjectNumber, Rowid, SystemClock};
use device::MemoryFileSystem;
use format::itl;
use scan::{RowSink, ScanSpec};
use waits::Statistic;

use engine::ddl::{IndexSpec, PhysicalAttributes, TableSpec};
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{Background, Instance, Session};
use engine::startup::CreateOptions;
use storage::index::{IndexScan, Key};
use storage::segment::Storage;
use storage::table::{Deleter, Inserter, TableScan, Updater};
use storage::txn::{CommitWrite, RECORDS_OF_TEST};

mod unseen;

const OWNER: &str = "SYSTEM";

type Row = Vec<Vec<u8>>;
type Rows = BTreeMap<Rowid, Row>;

struct Database {
    files: Arc<MemoryFileSystem>,
    instance: Arc<Instance>,
    session: Arc<Session>,
}

#[derive(Default)]
struct Found {
    at: Option<(ObjectNumber, common::BlockAddress)>,
    rows: Rows,
}

impl RowSink for Found {
    fn block(&mut self, object: ObjectNumber, address: common::BlockAddress) {
        self.at = Some((object, address));
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let (data_object, block) = self.at.unwrap();
        let row = columns.iter().map(|column| column.unwrap_or_default().to_vec()).collect();
        self.rows.insert(Rowid { data_object, block, slot }, row);
    }
}

/// A table of a key, something short and something long, the first two indexed.
fn database(block_size: BlockSize) -> Database {
    let files = Arc::new(MemoryFileSystem::new());
    let options = CreateOptions {
        block_size,
        parameters: vec![("db_cache_size".to_owned(), "16M".to_owned())],
        ..CreateOptions::default()
    };
    let clock = Arc::new(SystemClock::default());
    let instance =
        Instance::create_with(files.clone(), Path::new("/data"), clock, None, &options, Background::Inline).unwrap();
    let session = instance.connect(OWNER).unwrap();
    let column = |name: &str, bytes| ColumnDef {
        name: name.to_owned(),
        data_type: DataType::Varchar2 { bytes },
        nullable: true,
        default: None,
    };
    let mut spec = TableSpec::new(OWNER, "T", vec![column("K", 4), column("S", 20), column("L", 4000)]);
    spec.tablespace = Some("USERS".to_owned());
    session.create_table(&spec).unwrap();
    for (name, column, unique) in [("T_K", "K", true), ("T_S", "S", false)] {
        let spec = IndexSpec {
            logging: None,
            owner: OWNER.to_owned(),
            name: name.to_owned(),
            table_owner: OWNER.to_owned(),
            table_name: "T".to_owned(),
            columns: vec![column.to_owned()],
            unique,
            tablespace: Some("USERS".to_owned()),
            physical: PhysicalAttributes::default(),
            storage: Storage::default(),
        };
        session.create_index(&spec).unwrap();
    }
    Database { files, instance, session }
}

impl Database {
    fn table(&self) -> Arc<TableDef> {
        self.session.catalog().require_table(OWNER, "T").unwrap().clone()
    }

    fn rows(&self) -> Rows {
        let spec = ScanSpec { projection: vec![0, 1, 2], predicate: None, rowids: true };
        let mut scan = TableScan::new(self.session.worker().clone(), self.table().heap().clone(), spec).unwrap();
        let mut found = Found::default();
        while scan.next(&mut found, 100).unwrap() {}
        found.rows
    }

    /// All entries of both indexes.
    fn entries(&self) -> Vec<(usize, Vec<u8>, Rowid)> {
        let mut all = Vec::new();
        for (number, index) in self.table().indexes.iter().enumerate() {
            let mut scan =
                IndexScan::new(&self.session, index, Bound::<Key>::Unbounded, Bound::Unbounded, false).unwrap();
            while let Some((key, rowid)) = scan.next().unwrap() {
                all.push((number, key.columns().next().flatten().unwrap().to_vec(), rowid));
            }
        }
        all.sort();
        all
    }

    /// Rows that running transactions hold.
    fn held_rows(&self) -> usize {
        let segment = self.table().segment.clone();
        let mut scan = self.session.scan_blocks(segment.scan_ranges(&self.session).unwrap(), BlockClass::Data, false);
        let mut held = 0;
        while let Some(block) = scan.next_block().unwrap() {
            let active = itl::slots(&block).filter(|(_, slot)| slot.is_active());
            held += active.map(|(_, slot)| usize::from(slot.lock_count())).sum::<usize>();
        }
        held
    }

    fn insert(&self, rows: &[Row], at_once: usize) {
        for rows in rows.chunks(at_once) {
            let mut inserter = Inserter::new(self.session.worker().clone(), self.table().heap().clone()).unwrap();
            for row in rows {
                inserter.push(&row.iter().map(|column| Some(column.as_slice())).collect::<Vec<_>>()).unwrap();
            }
            inserter.finish().unwrap();
        }
    }

    /// The work of a transaction: one row after another, arrays, rows that grow out of their blocks, keys that change
    /// and come back, deletes.
    fn change(&self, seed: u32) {
        let rows = self.rows();
        let few = |by: u32, rest: u32| {
            let mine = move |n: &usize| (*n as u32).wrapping_mul(7).wrapping_add(seed) % by == rest;
            (0..rows.len()).filter(mine).collect::<Vec<_>>()
        };
        let at = |n: usize| rows.iter().nth(n).unwrap();
        for n in few(9, 1) {
            let mut updater = Updater::new(self.session.worker().clone(), self.table().heap().clone());
            let (rowid, row) = at(n);
            let long = vec![b'a' + (seed % 26) as u8; 40 + (n * 37) % 700];
            updater.push(*rowid, &[Some(&row[0]), Some(&row[1]), Some(&long)]).unwrap();
            updater.finish().unwrap();
        }
        self.insert(&made(seed * 10_000..seed * 10_000 + 60, seed), 1);
        self.insert(&made(seed * 10_000 + 60..seed * 10_000 + 400, seed), 400);
        for (by, rest) in [(5, 2), (11, 3)] {
            let mut updater = Updater::new(self.session.worker().clone(), self.table().heap().clone());
            for n in few(by, rest) {
                let (rowid, row) = at(n);
                let short = format!("{}-{by}", (n as u32).wrapping_mul(seed) % 97).into_bytes();
                updater.push(*rowid, &[Some(&row[0]), Some(&short), Some(&row[2])]).unwrap();
            }
            updater.finish().unwrap();
        }
        let mut deleter = Deleter::new(self.session.worker().clone(), self.table().heap().clone());
        let gone = few(6, 0);
        gone.iter().for_each(|n| deleter.push(*at(*n).0).unwrap());
        deleter.finish().unwrap();
        // Their keys come back, in other rows.
        self.insert(&gone.iter().take(20).map(|n| at(*n).1.clone()).collect::<Vec<_>>(), 7);
    }
}

fn made(keys: std::ops::Range<u32>, seed: u32) -> Vec<Row> {
    let long = |key: u32| if key.is_multiple_of(31) { 3_900 } else { 10 + key as usize * 13 % 120 };
    let short = |key: u32| format!("{}", key.wrapping_mul(2_654_435_761).wrapping_add(seed) % 1_000).into_bytes();
    keys.map(|key| vec![key.to_be_bytes().to_vec(), short(key), vec![b'v'; long(key)]]).collect()
}

/// The rows after each rollback, with at most so many records undone together, and the number of block changes of the
/// rollbacks. Places of rows are compared within a run only: a rollback may have updated bitmaps, which decide the
/// block of a later insert.
fn run(records: usize, block_size: BlockSize) -> (Vec<Vec<Row>>, u64) {
    RECORDS_OF_TEST.set(records);
    let database = database(block_size);
    let session = database.session.clone();
    database.insert(&made(1..600, 0), 600);
    session.commit(CommitWrite::default()).unwrap();
    let mut states = Vec::new();
    let mut changes = 0;
    for seed in 1..4 {
        let (committed, entries) = (database.rows(), database.entries());
        database.change(seed * 10);
        let mark = session.mark();
        let (marked, marked_entries) = (database.rows(), database.entries());
        database.change(seed * 10 + 1);
        session.rollback_to_mark(mark).unwrap();
        assert!(database.rows() == marked && database.entries() == marked_entries, "to the mark, seed {seed}");
        database.change(seed * 10 + 2);
        let before = session.meter().value(Statistic::DbBlockChanges);
        session.rollback().unwrap();
        changes += session.meter().value(Statistic::DbBlockChanges) - before;
        assert!(database.rows() == committed && database.entries() == entries, "whole, seed {seed}");
        assert!(database.held_rows() == 0, "rows are held, seed {seed}");
        let mut contents: Vec<Row> = committed.into_values().collect();
        contents.sort();
        states.push(contents);
        database.change(seed * 10 + 3);
        session.commit(CommitWrite::default()).unwrap();
    }
    let Database { files, instance, session: own } = database;
    drop((session, own));
    instance.shutdown().unwrap();
    drop(instance);
    let clock = Arc::new(SystemClock::default());
    let report = engine::verify::verify(files, Path::new("/data"), clock, None).unwrap();
    assert_eq!(report.problems, []);
    (states, changes)
}

#[test]
fn records_that_are_undone_together_come_to_what_they_do_one_by_one() {
    let (one_by_one, changes) = run(1, BlockSize::K8);
    for records in [3, 50, 8192] {
        let (states, fewer) = run(records, BlockSize::K8);
        assert!(states == one_by_one, "{records} together");
        assert!(fewer < changes, "{records} together: {fewer} changes, one by one {changes}");
    }
}

/// Blocks of 2 KB: payloads of undo go into pieces, and some for which pieces were reserved turn out to be short enough
/// for one block.
#[test]
fn undo_in_pieces_is_undone_as_well() {
    let (one_by_one, _) = run(1, BlockSize::K2);
    assert!(run(50, BlockSize::K2).0 == one_by_one);
}
