//! Waits for buffers, counted by class, by file and by segment; statistics of segments and of files.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::sync::{Arc, spawn};
use common::{BlockAddress, BlockClass, DataType, SystemClock};
use device::MemoryFileSystem;
use engine::ddl::TableSpec;
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use format::number;
use scan::{RowSink, ScanSpec};
use storage::control::SpaceManagement;
use storage::table::{Inserter, TableScan};
use storage::txn::CommitWrite;
use waits::{Enqueue, Event, GetMode, SegmentStatistic, Statistic};

const SESSIONS: i64 = 5;

fn instance() -> Arc<Instance> {
    let files = Arc::new(MemoryFileSystem::new());
    let clock = Arc::new(SystemClock::default());
    let parameters = vec![("db_cache_size".to_owned(), "32M".to_owned())];
    let options = CreateOptions { parameters, ..CreateOptions::default() };
    let instance = Instance::create(files, Path::new("/database"), clock, None, &options).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    for (name, space_management) in [("MANUAL", SpaceManagement::Manual), ("AUTO", SpaceManagement::Auto)] {
        let file = DatafileSpec { name: name.to_owned(), bytes: 32 << 20, reuse: false, autoextend: None };
        let spec = TablespaceSpec {
            logging: true,
            name: name.to_owned(),
            files: vec![file],
            block_size: None,
            uniform_bytes: None,
            space_management,
        };
        instance.create_tablespace(&session, &spec).unwrap();
    }
    instance
}

fn table(session: &Arc<Session>, name: &str, tablespace: &str, freelists: u16) -> Arc<TableDef> {
    let column = |name: &str, data_type| ColumnDef { name: name.to_owned(), data_type, nullable: true, default: None };
    let number = DataType::Number { precision: None, scale: 0 };
    let columns = vec![column("SESSION_ID", number), column("FILLER", DataType::Varchar2 { bytes: 250 })];
    let mut spec = TableSpec::new("SYSTEM", name, columns);
    spec.tablespace = Some(tablespace.to_owned());
    spec.storage.freelists = freelists;
    session.create_table(&spec).unwrap()
}

fn insert(session: &Arc<Session>, table: &Arc<TableDef>, id: i64, rows: usize) {
    for _ in 0..rows {
        let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
        inserter.push(&[Some(&number::encode_i64(id)), Some(&[b'x'; 250])]).unwrap();
        inserter.finish().unwrap();
        session.commit(CommitWrite::default()).unwrap();
    }
}

/// Rows of each session, and the sessions with rows in each block.
#[derive(Default)]
struct Rows {
    block: Option<BlockAddress>,
    by_session: BTreeMap<Vec<u8>, usize>,
    in_block: BTreeMap<BlockAddress, BTreeSet<Vec<u8>>>,
}

impl RowSink for Rows {
    fn block(&mut self, _: common::ObjectNumber, block: BlockAddress) {
        self.block = Some(block);
    }

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        let session = columns[0].unwrap().to_vec();
        *self.by_session.entry(session.clone()).or_default() += 1;
        self.in_block.entry(self.block.unwrap()).or_default().insert(session);
    }

    fn rows(&mut self, _: usize) {
        unreachable!("columns are asked for");
    }
}

fn rows(session: &Arc<Session>, table: &Arc<TableDef>) -> Rows {
    let mut rows = Rows::default();
    // The scan reports blocks when rowids are asked for.
    let spec = ScanSpec { projection: vec![0], predicate: None, rowids: true };
    let mut scan = TableScan::new(session.worker().clone(), table.heap().clone(), spec).unwrap();
    while scan.next(&mut rows, usize::MAX).unwrap() {}
    rows
}

/// Five threads insert and commit rows into one table; the counters by class, file, segment and event agree, and no row
/// is lost.
fn contend(tablespace: &str, freelists: u16) -> Rows {
    const ROWS: usize = 300;
    let instance = instance();
    let owner = instance.connect("SYSTEM").unwrap();
    let table = table(&owner, "T", tablespace, freelists);
    let sessions: Vec<_> = (0..SESSIONS).map(|_| instance.connect("SYSTEM").unwrap()).collect();
    let threads: Vec<_> = (0..SESSIONS)
        .zip(sessions.clone())
        .map(|(id, session)| {
            let table = table.clone();
            spawn("inserter", move || insert(&session, &table, id, ROWS)).unwrap()
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let counted = instance.system_meter().snapshot();
    let (busy, reads) = (counted.event(Event::BufferBusyWaits), counted.event(Event::ReadByOtherSession));
    let by_class = BlockClass::ALL.map(|class| counted.buffer_waits(class));
    assert_eq!(by_class.iter().map(|waits| waits.waits).sum::<u64>(), busy.waits + reads.waits);
    assert_eq!(by_class.iter().map(|waits| waits.micros).sum::<u64>(), busy.micros + reads.micros);
    let files = instance.cache().open_files();
    assert_eq!(files.iter().map(|file| file.figures().buffer_waits).sum::<u64>(), busy.waits + reads.waits);
    let segments = instance.system_meter().segments();
    let of_segments = |statistic| segments.iter().map(|(_, totals)| totals.value(statistic)).sum::<u64>();
    assert!(of_segments(SegmentStatistic::BufferBusyWaits) <= busy.waits + reads.waits);
    // Requests: a transaction is one, and its table lock another.
    let commits = SESSIONS as u64 * ROWS as u64;
    assert!(counted.enqueue(Enqueue::TxContention).requests() >= commits);
    let rows = rows(&owner, &table);
    assert_eq!(rows.by_session.values().copied().collect::<Vec<_>>(), [ROWS; SESSIONS as usize]);
    drop(sessions);
    instance.shutdown().unwrap();
    rows
}

fn shared_blocks(rows: &Rows) -> usize {
    rows.in_block.values().filter(|sessions| sessions.len() > 1).count()
}

#[test]
fn sessions_share_the_blocks_of_one_freelist() {
    let rows = contend("MANUAL", 1);
    assert!(shared_blocks(&rows) > 0);
}

#[test]
fn sessions_with_a_freelist_each_share_no_block() {
    assert_eq!(shared_blocks(&contend("MANUAL", 5)), 0);
}

#[test]
fn freelists_of_an_automatic_segment_count_for_nothing() {
    contend("AUTO", 1);
    contend("AUTO", 5);
}

/// Waits of a session that finds a block latched: for the data block that it shares with another, and for the header
/// when it needs that.
#[test]
fn a_block_that_is_not_had_at_once_is_a_wait_of_its_class_its_file_and_its_segment() {
    let instance = instance();
    let (owner, other) = (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
    let table = table(&owner, "T", "MANUAL", 1);
    insert(&owner, &table, 0, 1);
    insert(&other, &table, 1, 1);
    let data = *rows(&owner, &table).in_block.keys().next().unwrap();
    let header = table.segment.header();
    let object = table.segment.data_object();
    for (address, class) in [(data, BlockClass::Data), (header, BlockClass::SegmentHeader)] {
        let before = other.meter().event(Event::BufferBusyWaits).waits;
        let file = instance.cache().file(address.file).unwrap();
        let of_file = file.figures().buffer_waits;
        let of_segment = || instance.system_meter().segment(object).value(SegmentStatistic::BufferBusyWaits);
        let of_segment_before = of_segment();
        let held = owner.current_mut(address, class).unwrap();
        let waiting = other.clone();
        let thread = spawn("waiter", move || drop(waiting.current_mut(address, class).unwrap())).unwrap();
        let wait = loop {
            match other.meter().current_wait() {
                Some(wait) => break wait,
                None => std::thread::yield_now(),
            }
        };
        let place = [u64::from(address.file.0), u64::from(address.block), u64::from(class.number(1))];
        assert_eq!((wait.event, wait.parameters), (Event::BufferBusyWaits, place), "it is seen while it waits");
        drop(held);
        thread.join().unwrap();
        assert_eq!(other.meter().event(Event::BufferBusyWaits).waits, before + 1);
        assert_eq!(other.meter().snapshot().buffer_waits(class).waits, 1);
        assert_eq!(file.figures().buffer_waits, of_file + 1);
        assert_eq!(of_segment(), of_segment_before + 1);
        let last = other.meter().last_wait().unwrap();
        assert_eq!((last.event, last.parameters, last.object), (Event::BufferBusyWaits, place, i64::from(object.0)));
    }
    instance.shutdown().unwrap();
}

#[test]
fn a_segment_has_the_gets_changes_reads_and_writes_of_its_blocks() {
    let instance = instance();
    let session = instance.connect("SYSTEM").unwrap();
    for (name, tablespace) in [("M", "MANUAL"), ("A", "AUTO")] {
        let table = table(&session, name, tablespace, 1);
        let object = table.segment.data_object();
        let value = |statistic| instance.system_meter().segment(object).value(statistic);
        let extent: u64 = table.segment.extents(&session).unwrap().iter().map(|range| u64::from(range.blocks)).sum();
        assert_eq!(value(SegmentStatistic::SpaceAllocated), extent * 8192);
        let meter = session.meter();
        let undo_and_file = |snapshot: &waits::MeterSnapshot| {
            let classes =
                [BlockClass::UndoHeader, BlockClass::UndoBlock, BlockClass::FileBitmap, BlockClass::FileBitmapIndex];
            let gets = |class| snapshot.gets(class, GetMode::Current) + snapshot.gets(class, GetMode::Consistent);
            classes.into_iter().map(gets).sum::<u64>()
        };
        let (before, gets) = (meter.snapshot(), value(SegmentStatistic::LogicalReads));
        insert(&session, &table, 1, 100);
        let counted = meter.snapshot().minus(&before);
        let of_segment = value(SegmentStatistic::LogicalReads) - gets;
        assert_eq!(of_segment, counted.value(Statistic::SessionLogicalReads) - undo_and_file(&counted), "{name}");
        assert!(value(SegmentStatistic::DbBlockChanges) >= 200, "a row and a cleanout each");
        assert_eq!(value(SegmentStatistic::PhysicalReads), 0);
        let file = instance.cache().file(table.segment.header().file).unwrap();
        let before = file.figures();
        instance.cache().flush(meter).unwrap();
        let written = value(SegmentStatistic::PhysicalWrites);
        assert!(written > 3, "{written}");
        assert!(value(SegmentStatistic::PhysicalWriteRequests) <= written);
        assert!(file.figures().blocks_written - before.blocks_written >= written);
        let read = rows(&session, &table);
        assert_eq!(value(SegmentStatistic::SegmentScans), 1);
        assert!(value(SegmentStatistic::PhysicalReads) >= read.in_block.len() as u64);
        let figures = file.figures();
        assert!(figures.single_block_reads > 0 && figures.single_block_reads <= figures.reads);
        assert_eq!(figures.single_block_read_histogram.iter().sum::<u64>(), figures.single_block_reads);
        assert_eq!(instance.tablespace_figures(file.tablespace()).reads, figures.reads);
        session.drop_table("SYSTEM", name).unwrap();
        let left = instance.system_meter().segment(object);
        assert_eq!(left.value(SegmentStatistic::PhysicalWrites), 0, "it has gone with its segment");
    }
    instance.shutdown().unwrap();
}
