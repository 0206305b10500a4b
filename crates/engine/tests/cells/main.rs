//! Full scans that storage cells carry out: the same rows as a scan through the cache, whatever transactions, chained
//! rows, failing disks and moving extents there are.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod index;

use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{BlockAddress, DataType, ObjectNumber, Rowid, Seeded, SystemClock};
use device::{FaultyFileSystem, FileSystem, MemoryFileSystem};
use engine::ddl::{DiskGroupChange, TableSpec};
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{DatafileSpec, DiskGroupSpec, DiskSpec, DisksOf, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use scan::{Comparison, Predicate, RowSink, ScanSpec};
use storage::control::SpaceManagement;
use storage::disk_group::{Redundancy, make_disks};
use storage::table::{Deleter, Inserter, TableScan, Updater};
use storage::txn::CommitWrite;
use waits::{Event, Statistic};

const MB: u64 = 1 << 20;
const OWNER: &str = "SYSTEM";
/// Rows of the table at the begin.
const ROWS: u32 = 600;

/// A database with a table on two cells of two disks each.
struct Bench {
    files: Arc<FaultyFileSystem>,
    instance: Arc<Instance>,
}

impl Bench {
    fn new(redundancy: Redundancy) -> Self {
        let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let options = CreateOptions {
            log_bytes: 4 * MB,
            parameters: vec![("db_cache_size".into(), "4M".into()), ("_serial_direct_read".into(), "ALWAYS".into())],
            ..CreateOptions::default()
        };
        let below: Arc<dyn FileSystem> = Arc::<FaultyFileSystem>::clone(&files);
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::create(below, Path::new("/data"), clock, None, &options).unwrap();
        let mut disks = Vec::new();
        for cell in ["cell01", "cell02"] {
            let folder = PathBuf::from("/data").join(cell);
            files.create_directory(&folder).unwrap();
            files.create(&folder.join("cell.toml"), 0).unwrap();
            files.create(&folder.join("flash_cache"), 4 * MB).unwrap();
            files.create(&folder.join("flash_log"), MB).unwrap();
            make_disks(&*files, &format!("/data/{cell}/disk*"), 2, 24 * MB).unwrap();
            let group = Some(cell.to_ascii_uppercase());
            disks.push(DiskSpec { failure_group: group, ..DiskSpec::new(format!("{cell}/disk*")) });
        }
        let s = instance.connect(OWNER).unwrap();
        let attributes = vec![("cell.smart_scan_capable".to_owned(), "TRUE".to_owned())];
        let spec = DiskGroupSpec { name: "DATA".into(), redundancy, disks, au_bytes: None, attributes };
        instance.create_disk_group(&s, &spec).unwrap();
        let spec = TablespaceSpec {
            name: "ON_CELLS".into(),
            files: vec![DatafileSpec { name: "+DATA".into(), bytes: 12 * MB, reuse: false, autoextend: None }],
            block_size: None,
            uniform_bytes: None,
            space_management: SpaceManagement::Auto,
            logging: true,
        };
        instance.create_tablespace(&s, &spec).unwrap();
        let column = |name: &str, bytes| ColumnDef {
            name: name.to_owned(),
            data_type: DataType::Varchar2 { bytes },
            nullable: true,
            default: None,
        };
        let columns = vec![column("K", 20), column("V", 4000), column("W", 4000), column("X", 4000)];
        s.create_table(&TableSpec { tablespace: Some("ON_CELLS".into()), ..TableSpec::new(OWNER, "T", columns) })
            .unwrap();
        let bench = Self { files, instance };
        insert(&s, 0..ROWS, 500);
        s.commit(CommitWrite::default()).unwrap();
        bench
    }

    /// Bytes that the writer has written to the table's file.
    fn written(&self) -> u64 {
        let files = self.instance.store().cache().open_files();
        files.iter().filter(|file| file.name().starts_with('+')).map(|file| file.figures().blocks_written * 8192).sum()
    }

    fn flush(&self, s: &Session) {
        self.instance.cache().flush(s.meter()).unwrap();
    }

    fn connect(&self) -> Arc<Session> {
        self.instance.connect(OWNER).unwrap()
    }
}

fn table(s: &Arc<Session>) -> Arc<TableDef> {
    s.catalog().require_table(OWNER, "T").unwrap().clone()
}

fn insert(s: &Arc<Session>, rows: std::ops::Range<u32>, bytes: usize) {
    let mut inserter = Inserter::new(s.worker().clone(), table(s).heap().clone()).unwrap();
    for row in rows {
        let key = format!("{row:06}");
        let fill = vec![b'v'; bytes];
        inserter.push(&[Some(key.as_bytes()), Some(&fill), None, None]).unwrap();
    }
    inserter.finish().unwrap();
}

#[derive(Default, PartialEq, Debug)]
struct Collected {
    at: Option<(ObjectNumber, BlockAddress)>,
    rows: Vec<(Rowid, Vec<Option<Vec<u8>>>)>,
    counted: usize,
}

impl RowSink for Collected {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        self.at = Some((object, address));
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let (data_object, block) = self.at.unwrap();
        let columns = columns.iter().map(|column| column.map(<[u8]>::to_vec)).collect();
        self.rows.push((Rowid { data_object, block, slot }, columns));
    }

    fn rows(&mut self, count: usize) {
        self.counted += count;
    }
}

/// A scan of a query, `step` rows at a time.
fn scan(s: &Arc<Session>, spec: &ScanSpec, step: usize) -> Collected {
    let mut scan = TableScan::for_query(s.worker().clone(), table(s).heap().clone(), spec.clone()).unwrap();
    let mut collected = Collected::default();
    while scan.next(&mut collected, step).unwrap() {}
    collected
}

/// The same by the cache.
fn cached(s: &Arc<Session>, spec: &ScanSpec) -> Collected {
    let mut scan = TableScan::new(s.worker().clone(), table(s).heap().clone(), spec.clone()).unwrap();
    let mut collected = Collected::default();
    while scan.next(&mut collected, 1000).unwrap() {}
    collected
}

fn all() -> ScanSpec {
    ScanSpec { projection: vec![0, 2], predicate: None, rowids: true }
}

fn some(key: u32) -> ScanSpec {
    let value = format!("{key:06}");
    let predicate = Predicate::compare(0, Comparison::GreaterOrEqual, value.as_bytes());
    ScanSpec { projection: vec![2, 0], predicate: Some(predicate), rowids: true }
}

fn count(s: &Session, statistic: Statistic) -> u64 {
    s.meter().value(statistic)
}

/// Compares both ways in a statement's snapshot.
fn compare(s: &Arc<Session>, what: &str) {
    for (spec, step) in [(all(), 7), (all(), 10_000), (some(300), 3), (some(590), 1000)] {
        let (by_cells, by_cache) = (scan(s, &spec, step), cached(s, &spec));
        assert!(by_cells.rows == by_cache.rows, "{what}: {} and {} rows", by_cells.rows.len(), by_cache.rows.len());
    }
    let spec = ScanSpec { predicate: Some(Predicate::IsNotNull(0)), ..ScanSpec::default() };
    assert_eq!(scan(s, &spec, 50).counted, cached(s, &spec).counted, "{what}");
}

#[test]
fn cells_scan_and_say_what_they_have_sent() {
    let bench = Bench::new(Redundancy::External);
    let s = bench.connect();
    bench.flush(&s);
    let before = count(&s, Statistic::CellPhysicalIoInterconnectBytes);
    let found = scan(&s, &some(595), 100);
    assert_eq!(found.rows.len(), 5);
    assert_eq!(count(&s, Statistic::CellScans), 1);
    let eligible = count(&s, Statistic::CellPhysicalIoBytesEligibleForPredicateOffload);
    let returned = count(&s, Statistic::CellPhysicalIoInterconnectBytesReturnedBySmartScan);
    let sent = count(&s, Statistic::CellPhysicalIoInterconnectBytes) - before;
    assert!(found == cached(&s, &some(595)));
    assert!(eligible > 300_000 && returned < sent && sent < eligible / 10, "{eligible} {returned} {sent}");
    assert_eq!(count(&s, Statistic::CellBlocksReturnedForUndo), 0);
    // Sessions whose parameter says so read the blocks.
    s.worker().parameters().set("cell_offload_processing", "false").unwrap();
    assert!(scan(&s, &some(595), 100) == found);
    assert_eq!(count(&s, Statistic::CellScans), 1);
    compare(&bench.connect(), "at rest");
}

/// Bytes of all messages to the cells and back, as the cells' clients have counted them.
fn messages(bench: &Bench) -> u64 {
    let cells = bench.instance.groups().cells().all();
    cells.iter().map(|(_, cell)| cell.traffic()).map(|sum| sum.bytes_sent + sum.bytes_received).sum()
}

/// Bytes of these messages as all sessions and processes have counted them.
fn counted(bench: &Bench) -> u64 {
    bench.instance.store().system_meter().snapshot().value(Statistic::CellPhysicalIoInterconnectBytes)
}

#[test]
fn reads_and_writes_on_cells_are_messages_too() {
    for (redundancy, copies) in [(Redundancy::External, 1), (Redundancy::Normal, 2)] {
        let bench = Bench::new(redundancy);
        let s = bench.connect();
        bench.flush(&s);
        let (sent, sessions) = (messages(&bench), counted(&bench));
        let reads = || {
            let single = s.meter().event(Event::CellSingleBlockPhysicalRead).waits;
            single + s.meter().event(Event::CellMultiblockPhysicalRead).waits
        };
        let (bytes, requests) = (count(&s, Statistic::PhysicalReadBytes), reads());
        assert_eq!(cached(&s, &all()).rows.len(), ROWS as usize);
        let (bytes, requests) = (count(&s, Statistic::PhysicalReadBytes) - bytes, reads() - requests);
        let carried = count(&s, Statistic::CellPhysicalIoInterconnectBytes);
        assert!(bytes > 300_000 && requests > 0, "{bytes} bytes by {requests} requests");
        // The blocks, and the heads of requests and answers. A request that a unit's end cuts is two.
        let heads = messages(&bench) - sent - bytes;
        assert!(heads >= requests * 15 && heads <= 2 * requests * 50, "{heads} bytes of heads, {requests} requests");
        assert!(carried >= bytes);
        assert_eq!(counted(&bench) - sessions, messages(&bench) - sent);
        let (sent, written) = (messages(&bench), bench.written());
        insert(&s, 7000..7100, 900);
        s.commit(CommitWrite::default()).unwrap();
        bench.flush(&s);
        let written = bench.written() - written;
        let carried = messages(&bench) - sent;
        // The header of the datafile and the map of dirty regions are written beside.
        assert!(written > 100_000, "{written} bytes");
        assert!(carried > written * copies && carried < written * copies + 200_000, "{carried}, {written} x {copies}");
    }
}

#[test]
fn what_a_cell_has_learnt_is_not_read_again_and_costs_no_row() {
    let bench = Bench::new(Redundancy::Normal);
    let s = bench.connect();
    // In the order of the keys, so that each megabyte has its own.
    insert(&s, 2000..8000, 900);
    s.commit(CommitWrite::default()).unwrap();
    let saved = |s: &Arc<Session>, spec: &ScanSpec| {
        let before = count(s, Statistic::CellPhysicalIoBytesSavedByStorageIndex);
        let read = count(s, Statistic::PhysicalReadBytes);
        assert!(scan(s, spec, 100).rows == cached(s, spec).rows);
        let saved = count(s, Statistic::CellPhysicalIoBytesSavedByStorageIndex) - before;
        (saved, count(s, Statistic::PhysicalReadBytes) - read)
    };
    let one = |key: u32| {
        let value = format!("{key:06}");
        let predicate = Some(Predicate::compare(0, Comparison::Equal, value.as_bytes()));
        ScanSpec { projection: vec![0], predicate, rowids: true }
    };
    // The comparison with the cache cleans blocks, and the next scan writes those before it begins.
    for _ in 0..2 {
        let _learnt = saved(&s, &one(5000));
    }
    let (left_out, _) = saved(&s, &one(6000));
    assert!(left_out > 3 * MB, "{left_out}");
    // Without a condition nothing is left out; with the parameter nothing either.
    assert_eq!(saved(&s, &all()).0, 0);
    s.worker().parameters().set("_kcfis_storageidx_disabled", "true").unwrap();
    assert_eq!(saved(&s, &one(6000)).0, 0);
    s.worker().parameters().set("_kcfis_storageidx_disabled", "false").unwrap();
    // A row that comes to a megabyte which had none of its kind.
    let other = bench.connect();
    insert(&other, 1..2, 100);
    assert_eq!(scan(&s, &one(1), 100).rows.len(), 1, "the first row of the table has the key, too");
    other.commit(CommitWrite::default()).unwrap();
    assert_eq!(scan(&s, &one(1), 100).rows.len(), 2);
    saved(&s, &one(1));
    saved(&s, &one(7999));
    // Its own changes, that are not committed.
    let rows: Vec<_> = scan(&s, &one(7000), 10).rows;
    let mut updater = Updater::new(s.worker().clone(), table(&s).heap().clone());
    updater.push(rows[0].0, &[Some(b"999999"), Some(b"v"), None, None]).unwrap();
    updater.finish().unwrap();
    assert_eq!(scan(&s, &one(999_999), 10).rows.len(), 1);
    assert!(scan(&other, &one(999_999), 10).rows.is_empty() && scan(&other, &one(7000), 10).rows.len() == 1);
    s.rollback().unwrap();
    assert_eq!((scan(&s, &one(7000), 10).rows.len(), scan(&s, &one(999_999), 10).rows.len()), (1, 0));
}

#[test]
fn a_group_that_is_not_for_it_is_read() {
    let bench = Bench::new(Redundancy::External);
    let s = bench.connect();
    let change = DiskGroupChange::SetAttributes(vec![("cell.smart_scan_capable".into(), "false".into())]);
    s.alter_disk_group("DATA", &change).unwrap();
    compare(&s, "without the attribute");
    assert_eq!(count(&s, Statistic::CellScans), 0);
}

#[test]
fn changes_of_other_transactions_are_not_seen_and_own_ones_are() {
    let bench = Bench::new(Redundancy::Normal);
    let (s, other) = (bench.connect(), bench.connect());
    insert(&other, 1000..1020, 700);
    compare(&s, "another one inserts");
    assert!(count(&s, Statistic::CellBlocksReturnedForUndo) > 0);
    compare(&other, "its own rows");
    assert_eq!(scan(&other, &some(1000), 100).rows.len(), 20);
    assert!(scan(&s, &some(1000), 100).rows.is_empty());
    other.commit(CommitWrite::default()).unwrap();
    assert_eq!(scan(&s, &some(1000), 100).rows.len(), 20);
    compare(&s, "it has committed");
}

#[test]
fn blocks_of_a_load_need_no_undo_once_it_has_ended() {
    let bench = Bench::new(Redundancy::External);
    let s = bench.connect();
    // More blocks than a commit cleans.
    insert(&s, 2000..6000, 900);
    s.commit(CommitWrite::default()).unwrap();
    let reader = bench.connect();
    let found = scan(&reader, &some(2000), 1000);
    assert_eq!(found.rows.len(), 4000);
    let (helped, whole) = (
        count(&reader, Statistic::CellBlocksHelpedByMinscnOptimization),
        count(&reader, Statistic::CellBlocksReturnedForUndo),
    );
    assert!(helped > 0 && whole == 0, "{helped} helped, {whole} returned");
    compare(&reader, "after the load");
}

#[test]
fn a_disk_that_fails_or_moves_costs_no_row() {
    let bench = Bench::new(Redundancy::Normal);
    let s = bench.connect();
    let before = scan(&s, &all(), 100);
    bench.files.lose(Path::new("/data/cell01/disk01"));
    assert!(scan(&s, &all(), 100) == before);
    compare(&s, "a disk has failed");
    bench.files.heal();
    let online = DiskGroupChange::Online(DisksOf::All);
    s.alter_disk_group("DATA", &online).unwrap();
    compare(&s, "it is back");
    // A scan that has begun goes on while its extents move.
    let mut scan = TableScan::for_query(s.worker().clone(), table(&s).heap().clone(), all()).unwrap();
    let mut collected = Collected::default();
    scan.next(&mut collected, 10).unwrap();
    let group = bench.instance.groups().group("DATA").unwrap();
    let name = group.statistics().disks[0].name.clone();
    group.group().drop_disks(&[name], false).unwrap();
    group.group().want_rebalance(1).unwrap();
    while group.group().rebalance_step().unwrap() == storage::disk_group::Step::Moved {}
    insert(&s, 3000..3200, 800);
    while scan.next(&mut collected, 10).unwrap() {}
    assert!(collected.rows == before.rows);
}

/// Random changes in three sessions, of which some are open at any time.
#[test]
fn random_changes_are_seen_alike() {
    for seed in 0..6 {
        let mut random = Seeded::new(seed);
        let bench = Bench::new(if seed % 2 == 0 { Redundancy::External } else { Redundancy::Normal });
        let sessions = [bench.connect(), bench.connect(), bench.connect()];
        let (mut next, mut whole) = (10_000, 0);
        for step in 0..60 {
            let at = random.index(3);
            let s = &sessions[at];
            match random.below(10) {
                0..=2 => {
                    insert(s, next..next + 1 + random.below(30) as u32, 100 + random.index(1500));
                    next += 40;
                }
                // The keys of the three sessions differ, so that none waits for another.
                3..=5 => {
                    let value = vec![b'w'; random.index(3900)];
                    let rows = own_rows(s, at, &mut random);
                    let mut updater = Updater::new(s.worker().clone(), table(s).heap().clone());
                    for (rowid, key) in &rows {
                        updater.push(*rowid, &[Some(key), Some(b"v"), Some(&value), Some(&value)]).unwrap();
                    }
                    updater.finish().unwrap();
                }
                6 => {
                    let rows = own_rows(s, at, &mut random);
                    let mut deleter = Deleter::new(s.worker().clone(), table(s).heap().clone());
                    rows.iter().take(3).for_each(|(rowid, _)| deleter.push(*rowid).unwrap());
                    deleter.finish().unwrap();
                }
                7 => s.rollback().unwrap(),
                _ => s.commit(CommitWrite::default()).unwrap(),
            }
            if step % 4 == 3 {
                for (number, s) in sessions.iter().enumerate() {
                    compare(s, &format!("seed {seed}, step {step}, session {number}"));
                    whole += count(s, Statistic::CellBlocksReturnedForUndo);
                }
            }
        }
        assert!(whole > 0, "seed {seed}: nothing was left to undo");
    }
}

/// Some rows of the first ones, which a session has for itself, with their keys.
fn own_rows(s: &Arc<Session>, at: usize, random: &mut Seeded) -> Vec<(Rowid, Vec<u8>)> {
    let from = random.below(u64::from(ROWS)) as u32;
    let key_of = |columns: &[Option<Vec<u8>>]| columns[1].clone().unwrap_or_default();
    let is_own = |key: &[u8]| {
        let number = std::str::from_utf8(key).ok().and_then(|key| key.parse::<u32>().ok());
        number.is_some_and(|key| key < ROWS && key as usize % 3 == at)
    };
    let rows = cached(s, &some(from)).rows.into_iter().map(|(rowid, columns)| (rowid, key_of(&columns)));
    rows.filter(|(_, key)| is_own(key)).take(8).collect()
}
