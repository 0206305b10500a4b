//! The dictionary on a database in memory.

mod jobs;
mod objects;
mod others;
mod programs;
mod tablespaces;
mod users;

use std::path::Path;
use std::sync::Arc;

use common::{BlockAddress, BlockSize, DataType, ObjectNumber, SystemClock};
use device::MemoryFileSystem;
use format::number;
use scan::{RowSink, ScanSpec};

use super::TableSpec;
use crate::dictionary::{ColumnDef, TableDef};
use crate::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use crate::startup::CreateOptions;
use storage::control::SpaceManagement;
use storage::table;

const DIRECTORY: &str = "/database";

/// A database in memory, and the files to open it again.
struct Database {
    files: Arc<MemoryFileSystem>,
    instance: Arc<Instance>,
}

impl Database {
    fn new() -> Self {
        let files = Arc::new(MemoryFileSystem::new());
        let parameters = [("db_cache_size", "16M"), ("db_2k_cache_size", "4M"), ("db_4k_cache_size", "4M")];
        let options = CreateOptions {
            name: "TEST".to_owned(),
            block_size: BlockSize::K8,
            parameters: parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            log_bytes: 4 << 20,
        };
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::create(files.clone(), Path::new(DIRECTORY), clock, None, &options).unwrap();
        Self { files, instance }
    }

    fn session(&self) -> Arc<Session> {
        self.instance.connect("SYSTEM").unwrap()
    }

    fn connect(&self, user: &str) -> Arc<Session> {
        self.instance.connect(user).unwrap()
    }

    /// Shuts down and opens again.
    fn reopen(self) -> Self {
        self.instance.shutdown().unwrap();
        drop(self.instance);
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::open(self.files.clone(), Path::new(DIRECTORY), clock, None).unwrap();
        Self { files: self.files, instance }
    }
}

fn column(name: &str, data_type: DataType) -> ColumnDef {
    ColumnDef { name: name.to_owned(), data_type, nullable: true, default: None }
}

fn number_column(name: &str) -> ColumnDef {
    column(name, DataType::Number { precision: None, scale: 0 })
}

/// `SYSTEM.name (ID NUMBER, NAME VARCHAR2(30))`.
fn table_spec(name: &str) -> TableSpec {
    TableSpec::new("SYSTEM", name, vec![number_column("ID"), column("NAME", DataType::Varchar2 { bytes: 30 })])
}

fn insert(session: &Arc<Session>, table: &Arc<TableDef>, ids: std::ops::Range<i64>) {
    let mut inserter = table::Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
    for id in ids {
        inserter.push(&[Some(&number::encode_i64(id)), Some(format!("name {id}").as_bytes())]).unwrap();
    }
    inserter.finish().unwrap();
}

/// All rows, in the order of the scan.
fn rows(session: &Arc<Session>, table: &Arc<TableDef>) -> Vec<Vec<Option<Vec<u8>>>> {
    struct Rows(Vec<Vec<Option<Vec<u8>>>>);
    impl RowSink for Rows {
        fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}
        fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
            self.0.push(columns.iter().map(|value| value.map(<[u8]>::to_vec)).collect());
        }
    }
    let projection = (0..table.columns.len() as u16).collect();
    let spec = ScanSpec { projection, predicate: None, rowids: false };
    let mut scan = table::TableScan::new(session.worker().clone(), table.heap().clone(), spec).unwrap();
    let mut sink = Rows(Vec::new());
    while scan.next(&mut sink, 100).unwrap() {}
    sink.0
}

fn small_tablespace(name: &str, space_management: SpaceManagement) -> TablespaceSpec {
    TablespaceSpec {
        logging: true,
        name: name.to_owned(),
        files: vec![DatafileSpec { name: format!("{name}.dbf"), bytes: 8 << 20, reuse: false, autoextend: None }],
        block_size: None,
        uniform_bytes: None,
        space_management,
    }
}

/// Free blocks of a tablespace.
fn free_blocks(session: &Session, tablespace: &str) -> u64 {
    let tablespace = session.instance().tablespaces().named(tablespace).unwrap();
    tablespace.free_space(session).unwrap().iter().map(|free| u64::from(free.blocks)).sum()
}
