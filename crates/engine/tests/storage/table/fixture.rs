//! A database with a tablespace of every block size under both kinds of space management.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, BlockSize, DataType, ObjectNumber, Rowid, SystemClock};
use device::MemoryFileSystem;
use format::heap;
use scan::{Predicate, RowSink, ScanSpec};

use engine::ddl::{IndexSpec, PhysicalAttributes, TableSpec};
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use storage::control::SpaceManagement;
use storage::index::IndexScan;
use storage::segment::Storage;
use storage::table::{Inserter, TableScan, fetch_row};

pub(super) type Columns = Vec<Option<Vec<u8>>>;
pub(super) type Rows = BTreeMap<Rowid, Columns>;

pub(super) const MANAGEMENTS: [SpaceManagement; 2] = [SpaceManagement::Manual, SpaceManagement::Auto];

const MB: u64 = 1 << 20;

pub(super) struct Database {
    pub(super) session: Arc<Session>,
    pub(super) instance: Arc<Instance>,
    files: Arc<MemoryFileSystem>,
}

impl Drop for Database {
    fn drop(&mut self) {
        let closed = self.instance.shutdown();
        if !std::thread::panicking() {
            closed.unwrap();
        }
    }
}

fn name_of(size: BlockSize, management: SpaceManagement) -> String {
    let kind = if management == SpaceManagement::Manual { 'M' } else { 'A' };
    format!("T{kind}{}", size.bytes() / 1024)
}

impl Database {
    /// With a tablespace of this kind, and caches so small that blocks are written and read again.
    pub(super) fn new(size: BlockSize, management: SpaceManagement) -> Self {
        let files = Arc::new(MemoryFileSystem::default());
        let parameters = [(format!("db_{}k_cache_size", size.bytes() / 1024), "2M".to_owned())];
        let options = CreateOptions {
            parameters: if size == BlockSize::K8 { Vec::new() } else { parameters.to_vec() },
            ..CreateOptions::default()
        };
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::create(files.clone(), Path::new("/database"), clock, None, &options).unwrap();
        let session = instance.connect("SYSTEM").unwrap();
        let name = name_of(size, management);
        let file = DatafileSpec {
            name: format!("{}.dbf", name.to_lowercase()),
            bytes: 4 * MB,
            reuse: false,
            autoextend: Some((4 * MB, None)),
        };
        let spec = TablespaceSpec {
            logging: true,
            name,
            files: vec![file],
            block_size: Some(size),
            uniform_bytes: None,
            space_management: management,
        };
        instance.create_tablespace(&session, &spec).unwrap();
        Self { session, instance, files }
    }

    /// Another session.
    pub(super) fn connect(&self) -> Arc<Session> {
        self.instance.connect("SYSTEM").unwrap()
    }

    /// Closes the database and checks all of it.
    pub(super) fn sound(self) {
        self.instance.shutdown().unwrap();
        self.instance.check_invariants().unwrap();
        let report =
            engine::verify::verify(self.files.clone(), Path::new("/database"), Arc::new(SystemClock::default()), None)
                .unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
    }

    /// A table of VARCHAR2 columns; the first three are short enough to be indexed.
    pub(super) fn table(&self, name: &str, columns: usize, pctfree: u64) -> Arc<TableDef> {
        let physical = PhysicalAttributes { pctfree: Some(pctfree), ..PhysicalAttributes::default() };
        self.table_with(name, columns, physical, Storage::default())
    }

    pub(super) fn table_with(
        &self,
        name: &str,
        columns: usize,
        physical: PhysicalAttributes,
        storage: Storage,
    ) -> Arc<TableDef> {
        let column = |number| ColumnDef {
            name: format!("C{number}"),
            data_type: DataType::Varchar2 { bytes: if number < 3 { 300 } else { 4000 } },
            nullable: true,
            default: None,
        };
        let tablespaces = self.instance.tablespaces().all();
        let tablespace = tablespaces.iter().map(|t| t.name().to_owned()).find(|name| name.starts_with('T'));
        let mut spec = TableSpec::new("SYSTEM", name, (0..columns).map(column).collect());
        spec.tablespace = tablespace;
        (spec.physical, spec.storage) = (physical, storage);
        self.session.create_table(&spec).unwrap()
    }

    /// Adds an index and returns the table as it is then.
    pub(super) fn index(&self, table: &TableDef, name: &str, columns: &[usize], unique: bool) -> Arc<TableDef> {
        let spec = IndexSpec {
            logging: None,
            owner: "SYSTEM".to_owned(),
            name: name.to_owned(),
            table_owner: table.owner.clone(),
            table_name: table.name.clone(),
            columns: columns.iter().map(|number| table.columns[*number].name.clone()).collect(),
            unique,
            tablespace: None,
            physical: PhysicalAttributes::default(),
            storage: Storage::default(),
        };
        self.session.create_index(&spec).unwrap();
        self.session.catalog().table(&table.owner, &table.name).unwrap().clone()
    }

    pub(super) fn insert(&self, table: &Arc<TableDef>, rows: &[Columns]) -> u64 {
        Self::insert_as(&self.session, table, rows)
    }

    pub(super) fn insert_as(session: &Arc<Session>, table: &Arc<TableDef>, rows: &[Columns]) -> u64 {
        let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
        for row in rows {
            inserter.push(&borrow(row)).unwrap();
        }
        inserter.finish().unwrap()
    }

    /// Every row by full scan.
    pub(super) fn scan(&self, table: &Arc<TableDef>) -> Rows {
        self.scan_where(table, None, 100)
    }

    /// Rows that a predicate accepts, fetched `array` at a time.
    pub(super) fn scan_where(&self, table: &Arc<TableDef>, predicate: Option<Predicate>, array: usize) -> Rows {
        scan_by(&self.session, table, predicate, array)
    }

    pub(super) fn fetch(&self, table: &Arc<TableDef>, rowid: Rowid) -> Option<Columns> {
        let row = fetch_row(&self.session, table, rowid).unwrap()?;
        Some(owned(&row.columns()))
    }

    /// Every entry of an index.
    pub(super) fn entries(&self, table: &TableDef, index: usize) -> Vec<(Columns, Rowid)> {
        entries_by(&self.session, table, index, false)
    }

    /// Data blocks below the high-water mark that are formatted for the table.
    pub(super) fn blocks(&self, table: &TableDef) -> Vec<(BlockAddress, Vec<u8>)> {
        let mut blocks = Vec::new();
        for range in table.segment.scan_ranges(&self.session).unwrap() {
            for n in 0..range.blocks {
                let address = range.start.plus(n);
                let block = self.session.current(address, BlockClass::Data).unwrap();
                blocks.push((address, block.to_vec()));
            }
        }
        blocks
    }

    /// Full scan, fetches, indexes and blocks all agree with `expected`.
    pub(super) fn check(&self, table: &Arc<TableDef>, expected: &Rows) {
        for (_, block) in self.blocks(table) {
            heap::validate(&block).unwrap();
        }
        let found = self.scan(table);
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "rowids of a full scan");
        for (rowid, row) in expected {
            assert_eq!(&found[rowid], row, "full scan, {rowid}");
            assert_eq!(self.fetch(table, *rowid).as_ref(), Some(row), "fetch, {rowid}");
        }
        assert_eq!(&scan_directly_by(&self.session, table, 100), expected, "a full scan past the cache");
        for (number, index) in table.indexes.iter().enumerate() {
            let key = |row: &Columns| index.columns.iter().map(|c| row[usize::from(*c)].clone()).collect::<Columns>();
            let mut wanted: Vec<(Columns, Rowid)> = expected
                .iter()
                .map(|(rowid, row)| (key(row), *rowid))
                .filter(|(key, _)| key.iter().any(Option::is_some))
                .collect();
            wanted.sort();
            let mut entries = self.entries(table, number);
            entries.sort();
            assert_eq!(entries, wanted, "index {}", index.name);
        }
    }
}

/// The rows of a table that a session sees, fetched `array` rows at a time.
pub(super) fn scan_by(
    session: &Arc<Session>,
    table: &Arc<TableDef>,
    predicate: Option<Predicate>,
    array: usize,
) -> Rows {
    let projection = (0..table.columns.len() as u16).collect();
    let spec = ScanSpec { projection, predicate, rowids: true };
    collected(TableScan::new(session.worker().clone(), table.heap().clone(), spec).unwrap(), array)
}

/// The same, past the cache.
pub(super) fn scan_directly_by(session: &Arc<Session>, table: &Arc<TableDef>, array: usize) -> Rows {
    let projection = (0..table.columns.len() as u16).collect();
    let spec = ScanSpec { projection, predicate: None, rowids: true };
    session.parameters().set("_serial_direct_read", "always").unwrap();
    collected(TableScan::for_query(session.worker().clone(), table.heap().clone(), spec).unwrap(), array)
}

fn collected(mut scan: TableScan, array: usize) -> Rows {
    let mut sink = Collector::default();
    while scan.next(&mut sink, array).unwrap() {
        assert!(std::mem::take(&mut sink.in_call) <= array);
    }
    sink.rows
}

/// The entries of an index that a session sees.
pub(super) fn entries_by(
    session: &Arc<Session>,
    table: &TableDef,
    index: usize,
    descending: bool,
) -> Vec<(Columns, Rowid)> {
    let (lower, upper) = (Bound::Unbounded, Bound::Unbounded);
    let mut scan = IndexScan::new(session, &table.indexes[index], lower, upper, descending).unwrap();
    let mut entries = Vec::new();
    while let Some((key, rowid)) = scan.next().unwrap() {
        entries.push((key.columns().map(|c| c.map(<[u8]>::to_vec)).collect(), rowid));
    }
    entries
}

pub(super) fn borrow(row: &Columns) -> Vec<Option<&[u8]>> {
    row.iter().map(Option::as_deref).collect()
}

fn owned(columns: &[Option<&[u8]>]) -> Columns {
    columns.iter().map(|c| c.map(<[u8]>::to_vec)).collect()
}

#[derive(Default)]
struct Collector {
    at: Option<(ObjectNumber, BlockAddress)>,
    rows: Rows,
    in_call: usize,
}

impl RowSink for Collector {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        self.at = Some((object, address));
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let (data_object, block) = self.at.unwrap();
        let before = self.rows.insert(Rowid { data_object, block, slot }, owned(columns));
        assert!(before.is_none(), "a row was found twice");
        self.in_call += 1;
    }
}
