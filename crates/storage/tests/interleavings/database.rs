//! A small database in memory: one tablespace for tables, one for undo, one table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::sync::atomic::AtomicU64;
use common::sync::{Arc, JoinHandle, Mutex, spawn, yield_now};
use common::{
    BlockAddress, BlockSize, Clock, DataType, FileNumber, ObjectNumber, ProcessNumber, Result, Rowid, TablespaceNumber,
};
use device::{FileSystem, MemoryFileSystem};
use format::block::{self, BlockType};
use format::transaction::Owner;
use format::{extent_bitmap, file};
use scan::{RowSink, ScanSpec};
use storage::cache::Cache;
use storage::cells::Cells;
use storage::checkpoint::{Checkpoints, InstanceForLog};
use storage::control::{
    ControlData, ControlFile, DatafileRecord, ExtentManagement, Shutdown, SpaceManagement, TablespaceKind,
    TablespaceRecord,
};
use storage::datafile::Datafile;
use storage::health::Health;
use storage::index::IndexDef;
use storage::parameters::{Parameter, ParameterFile, Parameters, Value};
use storage::process::{Client, Process, Store};
use storage::redo::{BLOCK, BLOCKS_MIN, LogGroupSpec, LogOptions, RedoLog};
use storage::rollback;
use storage::segment::{Segment, SegmentSpec, Storage};
use storage::table::{ColumnDef, HeapTable, Inserter, TableScan, build_index};
use storage::tablespace::{Tablespace, Tablespaces, unit_blocks};
use storage::txn::{Definitions, Transactions, Worker};
use storage::undo::{Record, UndoSegments};
use waits::{Meter, SystemMeter};

use super::clock::Ticking;

pub(crate) const SIZE: BlockSize = BlockSize::K2;
const DATABASE: u64 = 4711;
pub(crate) const TABLE: ObjectNumber = ObjectNumber(100);
const INDEX: ObjectNumber = ObjectNumber(101);
const TABLES: u32 = 0;
const UNDO: u32 = 1;
/// Of a datafile, its header area aside.
const FILE_BYTES: u64 = 4 << 20;
const LOG_BYTES: u64 = BLOCKS_MIN as u64 * BLOCK as u64;
/// Microseconds from one reading of the clock to the next.
const STEP_US: u64 = 1;

/// What a database has in memory.
pub(crate) struct Database {
    pub(crate) store: Arc<Store>,
    pub(crate) transactions: Arc<Transactions>,
    system: Arc<SystemMeter>,
    clock: Arc<dyn Clock>,
    definitions: Arc<Known>,
    sessions: Mutex<u32>,
}

/// The definitions of the one table and its index.
#[derive(Default, Debug)]
struct Known {
    table: Mutex<Option<Arc<Segment>>>,
    index: Mutex<Option<Arc<IndexDef>>>,
}

impl Definitions for Known {
    fn undo(&self, worker: &Worker, records: &[Record]) -> Result<()> {
        rollback::undo(worker, self, records)
    }

    fn data_object(&self, table: ObjectNumber) -> Option<ObjectNumber> {
        (table == TABLE).then_some(TABLE)
    }
}

impl rollback::Segments for Known {
    fn table(&self, data_object: ObjectNumber) -> Option<Arc<Segment>> {
        self.table.lock().clone().filter(|_| data_object == TABLE)
    }

    fn index(&self, data_object: ObjectNumber) -> Result<Option<Arc<IndexDef>>> {
        Ok(self.index.lock().clone().filter(|_| data_object == INDEX))
    }
}

#[derive(Debug)]
struct Nobody;

impl Client for Nobody {
    fn check(&self, _tidying: bool) -> Result<()> {
        Ok(())
    }

    fn user(&self) -> Arc<str> {
        "NOBODY".into()
    }

    fn statement(&self) -> Option<Arc<str>> {
        None
    }
}

fn directory() -> &'static Path {
    Path::new("data")
}

fn tablespace(number: u32, kind: TablespaceKind, space_management: SpaceManagement) -> TablespaceRecord {
    TablespaceRecord {
        number,
        // The second one is the one for undo where nothing else is said.
        name: ["USERS", "UNDOTBS1"][number as usize].to_owned(),
        block_bytes: SIZE.bytes() as u64,
        extent_management: ExtentManagement::Autoallocate,
        space_management,
        kind,
        retention_guarantee: false,
        unfinished: false,
        dropping: None,
        nologging: false,
    }
}

/// Makes the file of a tablespace.
fn make_file(files: &dyn FileSystem, tablespace: &TablespaceRecord) -> (DatafileRecord, Datafile) {
    let number = FileNumber(tablespace.number as u16 + 1);
    let area = file::header_area_blocks(SIZE);
    let blocks = area + (FILE_BYTES / SIZE.bytes() as u64) as u32;
    let name = format!("file{}.dbf", number.0);
    let path = PathBuf::from(format!("data/{name}"));
    let device = files.create(&path, u64::from(blocks) * SIZE.bytes() as u64).unwrap();
    let mut head = vec![0; (file::FIRST_BITMAP_BLOCK as usize + 1) * SIZE.bytes()];
    for (n, bytes) in (0..).zip(head.chunks_exact_mut(SIZE.bytes())) {
        match n {
            file::OS_BLOCK => {
                file::write_os_block(bytes, DATABASE);
                continue;
            }
            file::FILE_HEADER_BLOCK => block::format(bytes, BlockType::FileHeader, BlockAddress::new(number, n)),
            file::SPACE_HEADER_BLOCK => {
                let unit = unit_blocks(SIZE, tablespace.extent_management);
                file::init_space_header(bytes, number, SIZE, unit, blocks);
            }
            _ => extent_bitmap::init(bytes, BlockAddress::new(number, n), 0),
        }
        block::seal(bytes);
    }
    device.write_at(0, &[&head]).unwrap();
    let record = DatafileRecord {
        number: number.0,
        tablespace: tablespace.number,
        name: name.clone(),
        blocks,
        autoextend: None,
        created_us: 0,
        created_scn: 1,
        cuts: Vec::new(),
    };
    let tablespace = TablespaceNumber(tablespace.number);
    (record, Datafile::new(number, tablespace, name, path, SIZE, device, blocks))
}

impl Database {
    /// A new database, with as few buffers as a pool may have.
    pub(crate) fn new(space: SpaceManagement) -> Self {
        Self::with_parameters(space, "")
    }

    /// As [`Database::new`], with what a parameter file says.
    pub(crate) fn with_parameters(space: SpaceManagement, parameters: &str) -> Self {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let clock: Arc<dyn Clock> = Arc::new(Ticking::new(STEP_US));
        let (health, system) = (Arc::new(Health::default()), SystemMeter::new());
        let parameters = Parameters::from_file(&ParameterFile::parse(parameters).unwrap()).unwrap();
        parameters.fix(Parameter::DbBlockSize, &Value::Integer(SIZE.bytes() as i64)).unwrap();
        let parameters = Arc::new(parameters);
        let mut bytes = [0; 5];
        bytes[SIZE as usize] = SIZE.bytes() as u64;
        let cache = Arc::new(Cache::new(bytes, health.clone()));

        let records = [
            tablespace(TABLES, TablespaceKind::Permanent, space),
            tablespace(UNDO, TablespaceKind::Undo, SpaceManagement::Manual),
        ];
        let tablespaces = Arc::new(Tablespaces::default());
        let mut datafiles = Vec::new();
        for record in &records {
            let (datafile, file) = make_file(&*files, record);
            tablespaces.add(Arc::new(Tablespace::new(record, vec![file.number()]).unwrap()));
            cache.add_file(Arc::new(file)).unwrap();
            datafiles.push(datafile);
        }
        let specs: Vec<_> = (1..=2).map(|number| LogGroupSpec::usual(number, 1, LOG_BYTES)).collect();
        let log_groups = RedoLog::create(&files, directory(), &specs).unwrap();
        let data = ControlData {
            sequence: 0,
            database_id: DATABASE,
            database_name: "TEST".to_owned(),
            created_us: 0,
            block_bytes: SIZE.bytes() as u64,
            complete: true,
            shutdown: Shutdown::Open,
            scn: 1,
            closed_scn: None,
            tablespaces: records.to_vec(),
            datafiles,
            disk_groups: Vec::new(),
            log_groups: log_groups.clone(),
            checkpoint: None,
            bootstrap: BTreeMap::new(),
        };
        let control =
            ControlFile::create(files.clone(), directory(), &ControlFile::COPIES.map(str::to_owned), data).unwrap();
        let (control, scn) = (Arc::new(Mutex::new(control)), Arc::new(AtomicU64::new(1)));
        let meter = |sid| Meter::new(&system, clock.clone(), sid, 1);
        let checkpoints = Arc::new(Checkpoints::new(cache.clone(), control, scn, health.clone(), meter(2)));
        let redo = RedoLog::open(
            files.clone(),
            directory(),
            log_groups,
            Arc::new(InstanceForLog::new(&checkpoints)),
            health,
            meter(3),
            &LogOptions { database: DATABASE, buffer_bytes: 1 << 16, checkpoint: None, recovered: None },
        )
        .unwrap();
        cache.set_redo(redo);
        // The writers of the log fall asleep, so that what follows is not part of what is tried.
        yield_now();
        let cells = Arc::new(Cells::new(Arc::clone(&files), directory(), true));
        let store = Store::new(files, directory(), clock.clone(), parameters, checkpoints, system.clone(), cells);
        let store = Arc::new(store);
        let undo = UndoSegments::new(0, tablespaces);
        let transactions = Arc::new(Transactions::new(Arc::new(undo)));
        Self { store, transactions, system, clock, definitions: Arc::default(), sessions: Mutex::new(10) }
    }

    /// From now on there are transactions.
    fn make_undo(&self, s: &Worker) {
        let undo = s.tablespaces().numbered(TablespaceNumber(UNDO)).unwrap();
        s.undo().create(s, &undo).unwrap();
    }

    pub(crate) fn session(&self) -> Arc<Worker> {
        let sid = {
            let mut sessions = self.sessions.lock();
            *sessions += 1;
            *sessions
        };
        let meter = Meter::new(&self.system, self.clock.clone(), sid, 1);
        let process = Process::new(self.store.clone(), meter, ProcessNumber(sid), Arc::new(Nobody));
        Arc::new(Worker::new(process, self.transactions.clone(), self.definitions.clone()))
    }

    /// Makes the table, and undo for what is done to it.
    pub(crate) fn table(&self, s: &Worker) -> Arc<HeapTable> {
        self.make_undo(s);
        let spec = SegmentSpec {
            name: "NOBODY.T".to_owned(),
            object: TABLE,
            data_object: TABLE,
            tablespace: TablespaceNumber(TABLES),
            owner: Owner::Table,
            pctfree: 0,
            pctused: 40,
            initrans: 2,
            maxtrans: 255,
            storage: Storage::default(),
        };
        let segment = Segment::create(s, &spec).unwrap();
        *self.definitions.table.lock() = Some(segment.clone());
        let column =
            ColumnDef { name: "C".to_owned(), data_type: DataType::Raw { bytes: 1400 }, nullable: true, default: None };
        Arc::new(HeapTable {
            object: TABLE,
            owner: "NOBODY".to_owned(),
            name: "T".to_owned(),
            columns: vec![column],
            segment,
            cache: false,
            logging: true,
            row_movement: false,
            dictionary: false,
            indexes: Vec::new(),
        })
    }

    /// Makes an empty unique index of the table's column.
    pub(crate) fn unique_index(&self, s: &Arc<Worker>, table: &Arc<HeapTable>) -> Arc<IndexDef> {
        let spec = SegmentSpec {
            name: "NOBODY.I".to_owned(),
            object: INDEX,
            data_object: INDEX,
            tablespace: TablespaceNumber(TABLES),
            owner: Owner::Index,
            pctfree: 0,
            pctused: 0,
            initrans: 2,
            maxtrans: 255,
            storage: Storage::default(),
        };
        let mut index = IndexDef {
            object: INDEX,
            owner: "NOBODY".to_owned(),
            name: "I".to_owned(),
            table: TABLE,
            table_owner: "NOBODY".to_owned(),
            table_name: "T".to_owned(),
            columns: vec![0],
            unique: true,
            segment: Segment::create(s, &spec).unwrap(),
            root: BlockAddress::NONE,
            pctfree: 0,
            initrans: 2,
            maxtrans: 255,
            storage: Storage::default(),
            logging: true,
            created_us: 0,
            changed_us: 0,
            statistics: None,
            analyzed_us: 0,
        };
        index.root = build_index(s, table, &index, &index.segment).unwrap().root;
        let index = Arc::new(index);
        *self.definitions.index.lock() = Some(index.clone());
        index
    }

    /// The database writer, which sessions wake; it ends with [`Database::end_writer`].
    pub(crate) fn start_writer(&self) -> JoinHandle<()> {
        let checkpoints = self.store.checkpoints().clone();
        spawn("dbw0", move || checkpoints.run()).unwrap()
    }

    pub(crate) fn end_writer(&self, writer: JoinHandle<()>) {
        self.store.checkpoints().close();
        writer.join().unwrap();
    }

    /// Nobody is at work: all is sound, and the log comes to its end.
    pub(crate) fn close(&self) {
        self.store.check_invariants().unwrap();
        self.transactions.check_invariants().unwrap();
        self.store.redo().shutdown().unwrap();
    }
}

/// A row of so many bytes that begins with a number.
pub(crate) fn row(number: u8, bytes: usize) -> Vec<u8> {
    let mut row = vec![number; bytes];
    row[1..].fill(0xee);
    row
}

/// Puts a row in; the transaction goes on.
pub(crate) fn insert(s: &Arc<Worker>, table: &Arc<HeapTable>, row: &[u8]) -> Rowid {
    let mut inserter = Inserter::new(s.clone(), table.clone()).unwrap();
    inserter.push(&[Some(row)]).unwrap();
    assert_eq!(inserter.finish().unwrap(), 1);
    inserter.last_rowid().unwrap()
}

#[derive(Default)]
struct Numbers(Vec<u8>);

impl RowSink for Numbers {
    fn block(&mut self, _object: ObjectNumber, _address: BlockAddress) {}

    fn row(&mut self, _slot: u16, columns: &[Option<&[u8]>]) {
        self.0.push(columns[0].unwrap()[0]);
    }
}

/// The numbers of all rows that a query sees which begins now, in order.
pub(crate) fn scan(s: &Arc<Worker>, table: &Arc<HeapTable>) -> Vec<u8> {
    let _statement = s.enter(s.begin_snapshot());
    let spec = ScanSpec { projection: vec![0], predicate: None, rowids: false };
    let mut scan = TableScan::for_query(s.clone(), table.clone(), spec).unwrap();
    let mut numbers = Numbers::default();
    while scan.next(&mut numbers, 100).unwrap() {}
    numbers.0.sort_unstable();
    numbers.0
}
