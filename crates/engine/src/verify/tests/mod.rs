//! Sound databases pass, and each kind of damage is reported at its place.

mod damage;
mod sound;

use std::path::Path;
use std::sync::Arc;

use common::{BlockAddress, BlockSize, DataType, SystemClock};
use device::{FileSystem, MemoryFileSystem};
use format::{block, number};

use super::{Report, verify};
use crate::ddl::{IndexSpec, TableSpec};
use crate::dictionary::{ColumnDef, TableDef};
use crate::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use crate::startup::CreateOptions;
use storage::control::SpaceManagement;
use storage::table;

const DIRECTORY: &str = "/database";

/// A database in memory.
struct Database {
    files: Arc<MemoryFileSystem>,
}

/// The report of `verify`, as text.
fn texts(report: &Report) -> Vec<String> {
    report.problems.iter().map(ToString::to_string).collect()
}

impl Database {
    /// Makes a database, lets `fill` work in it, and shuts it down.
    fn new(fill: impl FnOnce(&Arc<Session>)) -> Self {
        Self::ended(|session| {
            fill(session);
            session.commit(storage::txn::CommitWrite::default()).unwrap();
            session.instance().shutdown().unwrap();
        })
    }

    /// As [`Database::new`]; `work` ends the session itself.
    fn ended(work: impl FnOnce(&Arc<Session>)) -> Self {
        let files = Arc::new(MemoryFileSystem::new());
        let parameters = [("db_cache_size", "16M"), ("db_2k_cache_size", "8M"), ("db_16k_cache_size", "8M")];
        let options = CreateOptions {
            name: "TEST".to_owned(),
            block_size: BlockSize::K8,
            parameters: parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            log_bytes: 4 << 20,
        };
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::create(files.clone(), Path::new(DIRECTORY), clock, None, &options).unwrap();
        let session = instance.connect("SYSTEM").unwrap();
        work(&session);
        Self { files }
    }

    fn verify(&self) -> Report {
        let clock = Arc::new(SystemClock::default());
        verify(self.files.clone(), Path::new(DIRECTORY), clock, None).unwrap()
    }

    /// Opens it to look something up.
    fn look<R>(&self, look: impl FnOnce(&Arc<Session>) -> R) -> R {
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::open(self.files.clone(), Path::new(DIRECTORY), clock, None).unwrap();
        let result = look(&instance.connect("SYSTEM").unwrap());
        instance.shutdown().unwrap();
        result
    }

    /// Changes bytes of a block on disk.
    fn scratch(&self, file: &str, block_bytes: usize, number: u32, change: impl FnOnce(&mut [u8])) {
        let device = self.files.open(&Path::new(DIRECTORY).join(file)).unwrap();
        let offset = u64::from(number) * block_bytes as u64;
        let mut bytes = vec![0; block_bytes];
        device.read_at(offset, &mut [&mut bytes]).unwrap();
        change(&mut bytes);
        device.write_at(offset, &[&bytes]).unwrap();
    }

    /// As [`Database::scratch`], with a valid checksum: only cross-checks of structures can find it.
    fn forge(&self, file: &str, block_bytes: usize, address: BlockAddress, change: impl FnOnce(&mut [u8])) {
        self.scratch(file, block_bytes, address.block, |bytes| {
            change(bytes);
            block::seal(bytes);
        });
    }
}

fn tablespace(
    session: &Arc<Session>,
    name: &str,
    block_size: BlockSize,
    uniform_bytes: Option<u64>,
    space_management: SpaceManagement,
) {
    session
        .create_tablespace(&TablespaceSpec {
            logging: true,
            name: name.to_owned(),
            files: vec![DatafileSpec { name: format!("{name}.dbf"), bytes: 16 << 20, reuse: false, autoextend: None }],
            block_size: Some(block_size),
            uniform_bytes,
            space_management,
        })
        .unwrap();
}

/// `SYSTEM.name (ID NUMBER, NAME VARCHAR2(400))` in `tablespace`.
fn table(session: &Arc<Session>, name: &str, tablespace: &str, change: impl FnOnce(&mut TableSpec)) -> Arc<TableDef> {
    let column = |name: &str, data_type| ColumnDef { name: name.to_owned(), data_type, nullable: true, default: None };
    let id = column("ID", DataType::Number { precision: None, scale: 0 });
    let mut spec = TableSpec::new("SYSTEM", name, vec![id, column("NAME", DataType::Varchar2 { bytes: 400 })]);
    spec.tablespace = Some(tablespace.to_owned());
    change(&mut spec);
    session.create_table(&spec).unwrap()
}

fn index(session: &Arc<Session>, name: &str, on: &str, columns: &[&str], tablespace: &str) {
    session
        .create_index(&IndexSpec {
            logging: None,
            owner: "SYSTEM".to_owned(),
            name: name.to_owned(),
            table_owner: "SYSTEM".to_owned(),
            table_name: on.to_owned(),
            columns: columns.iter().map(|column| (*column).to_owned()).collect(),
            unique: false,
            tablespace: Some(tablespace.to_owned()),
            physical: Default::default(),
            storage: Default::default(),
        })
        .unwrap();
}

/// Inserts rows into the table as it is defined now.
fn insert(session: &Arc<Session>, table: &str, ids: std::ops::Range<i64>, name_bytes: usize) {
    let table = session.catalog().table("SYSTEM", table).unwrap().clone();
    let mut inserter = table::Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
    let name = "x".repeat(name_bytes);
    for id in ids {
        let name = if name_bytes == 0 { None } else { Some(name.as_bytes()) };
        inserter.push(&[Some(&number::encode_i64(id)), name]).unwrap();
    }
    inserter.finish().unwrap();
}
