//! Times of a rollback beside inserts, and of opening a database after a crash, on a real file system.
//!
//! ```text
//! cargo run --release -p engine --example recovery -- <directory> [rows] [redo in MB] [only]
//!     only: rollback, inserts, updates
//! ```
//!
//! A crash is the instance dropped without a checkpoint. `cold`: the files are taken out of the page cache before the
//! open.

#![expect(clippy::print_stdout, reason = "a measurement to look at")]

use std::path::Path;

use common::sync::Arc;
use common::{Clock, DataType, Error, Result, Rowid, SystemClock};
use device::{FileSystem, OsFileSystem};
use engine::ddl::{IndexSpec, PhysicalAttributes, TableSpec};
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use scan::{RowSink, ScanSpec};
use storage::control::SpaceManagement;
use storage::segment::Storage;
use storage::table::{Inserter, TableScan, Updater};
use storage::txn::CommitWrite;
use waits::{Event, Statistic};

const MB: u64 = 1 << 20;
const OWNER: &str = "SYSTEM";
const TABLESPACE: &str = "T";
/// With the key, two lengths and three bytes of header a row has 100.
const FILLER: usize = 87;
/// Rows of the table that is larger than the cache, for each megabyte of that cache.
const ROWS_OF_CACHE_MB: u64 = 40_000;
/// Cache of the database whose table is larger.
const SMALL_CACHE_MB: u64 = 192;

fn io(error: std::io::Error) -> Error {
    Error::bug(error.to_string())
}

/// The next pseudo-random number.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Processor time of the whole process, in seconds. On a busy machine this says more than the clock.
fn processor_s() -> f64 {
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / TICKS
}

struct Bench<'a> {
    files: Arc<dyn FileSystem>,
    clock: Arc<SystemClock>,
    directory: &'a Path,
}

impl Bench<'_> {
    fn create(&self, cache_mb: u64, log_mb: u64) -> Result<Arc<Instance>> {
        if self.directory.exists() {
            std::fs::remove_dir_all(self.directory).map_err(io)?;
        }
        let options = CreateOptions {
            parameters: vec![("db_cache_size".to_owned(), (cache_mb * MB).to_string())],
            log_bytes: log_mb * MB,
            ..CreateOptions::default()
        };
        let instance = Instance::create(self.files.clone(), self.directory, self.clock.clone(), None, &options)?;
        let session = instance.connect(OWNER)?;
        let autoextend = Some((256 * MB, None));
        let spec = TablespaceSpec {
            logging: true,
            name: TABLESPACE.to_owned(),
            files: vec![DatafileSpec { name: "t01.dbf".to_owned(), bytes: 256 * MB, reuse: false, autoextend }],
            block_size: None,
            uniform_bytes: None,
            space_management: SpaceManagement::Auto,
        };
        instance.create_tablespace(&session, &spec)?;
        Ok(instance)
    }

    fn seconds(&self, since: u64) -> f64 {
        (self.clock.monotonic_us() - since) as f64 / 1e6
    }

    /// Inserts `rows` rows, `a_call` at a time, and rolls them back.
    fn rollback(&self, rows: u64, a_call: u64, indexed: bool) -> Result<()> {
        let instance = self.create(2048, 1024)?;
        let session = instance.connect(OWNER)?;
        let table = create_table(&session, "R", indexed)?;
        let counted = |statistic| instance.system_meter().snapshot().value(statistic);
        let (redo, since, processor) = (counted(Statistic::RedoSize), self.clock.monotonic_us(), processor_s());
        insert(&session, &table, 0..rows, a_call)?;
        let (inserted_s, inserted) = (self.seconds(since), counted(Statistic::RedoSize) - redo);
        let (since, between) = (self.clock.monotonic_us(), processor_s());
        session.rollback()?;
        let (back_s, back) = (self.seconds(since), counted(Statistic::RedoSize) - redo - inserted);
        let (inserted_cpu, back_cpu) = (between - processor, processor_s() - between);
        let left = count(&session, &table)?;
        println!(
            "rollback of {rows} rows, {a_call} a call{}: inserted in {inserted_s:.2} s ({inserted_cpu:.2} s of processor), \
             rolled back in {back_s:.2} s ({back_cpu:.2} s), ratio {:.2}; redo {} MB, {} MB",
            if indexed { ", one index" } else { "" },
            back_s / inserted_s,
            inserted / MB,
            back / MB,
        );
        if left != 0 {
            return Err(Error::bug(format!("{left} rows are left")));
        }
        drop(session);
        instance.shutdown()
    }

    /// Inserts rows until `redo_mb` of redo has been written, and crashes.
    fn inserts(&self, redo_mb: u64) -> Result<()> {
        let instance = self.create(3 * redo_mb + 256, redo_mb + redo_mb / 4 + 64)?;
        let session = instance.connect(OWNER)?;
        let table = create_table(&session, "I", true)?;
        instance.checkpoint(session.meter())?;
        let from = instance.redo().end().0;
        let mut rows = 0;
        while instance.redo().end().0 - from < redo_mb * MB {
            insert(&session, &table, rows..rows + 10_000, 10_000)?;
            session.commit(CommitWrite::default())?;
            rows += 10_000;
        }
        drop((session, table));
        self.crash(instance);
        self.open("inserts, everything fits into the cache", "I", rows, None)
    }

    /// Updates random rows of a table larger than the cache until `redo_mb` of redo has been written, leaves one
    /// transaction open, and crashes.
    fn updates(&self, redo_mb: u64) -> Result<()> {
        let instance = self.create(SMALL_CACHE_MB, 2 * redo_mb + 512)?;
        let session = instance.connect(OWNER)?;
        let table = create_table(&session, "U", false)?;
        let rows = SMALL_CACHE_MB * ROWS_OF_CACHE_MB;
        insert(&session, &table, 0..rows, 100_000)?;
        session.commit(CommitWrite::default())?;
        let mut found = Found::default();
        let spec = ScanSpec { projection: Vec::new(), predicate: None, rowids: true };
        let mut scan = TableScan::new(session.worker().clone(), table.heap().clone(), spec)?;
        while scan.next(&mut found, 10_000)? {}
        instance.checkpoint(session.meter())?;
        let from = instance.redo().end().0;
        let (mut state, mut updates) = (1, 0);
        while instance.redo().end().0 - from < redo_mb * MB {
            let mut updater = Updater::new(session.worker().clone(), table.heap().clone());
            for _ in 0..200 {
                let n = random(&mut state) % rows;
                let filler = [b'a' + (updates % 26) as u8; FILLER];
                updater.push(found.rows[n as usize], &[Some(&key(n)), Some(&filler)])?;
                updates += 1;
            }
            updater.finish()?;
            session.commit(CommitWrite::default())?;
        }
        let open = instance.connect(OWNER)?;
        insert(&open, &table, 0..100_000, 1)?;
        instance.redo().flush(instance.redo().end())?;
        // Only a crash may end it.
        std::mem::forget(open);
        drop((scan, session, table, found));
        println!("{updates} updates of {rows} rows");
        self.crash(instance);
        self.open("random updates, larger than the cache", "U", rows, Some(SMALL_CACHE_MB))
    }

    fn crash(&self, instance: Arc<Instance>) {
        instance.health().stop(&Error::bug("a crash for a measurement"));
        instance.redo().abandon();
        drop(instance);
        // A copy of the files as the crash left them, to be opened as often as wanted.
    }

    /// Opens the database, warm and cold, each time from a fresh copy of the files that the crash left.
    fn open(&self, what: &str, table: &str, rows: u64, cache_mb: Option<u64>) -> Result<()> {
        for cold in [false, true] {
            let copy = self.directory.with_extension(if cold { "cold" } else { "warm" });
            copy_directory(self.directory, &copy)?;
            if cold {
                sync_and_forget(&copy)?;
            }
            let (since, processor) = (self.clock.monotonic_us(), processor_s());
            let instance = Instance::open(self.files.clone(), &copy, self.clock.clone(), None)?;
            let (open_s, processor) = (self.seconds(since), processor_s() - processor);
            let done = *instance.rolled_forward().ok_or_else(|| Error::bug("nothing was rolled forward"))?;
            let system = instance.system_meter().snapshot();
            let event = |event| system.event(event).micros as f64 / 1e6;
            let forward_s = done.elapsed_us as f64 / 1e6;
            println!(
                "{what}{}: open {open_s:.2} s ({processor:.2} s of processor) for {} MB of redo: {:.0} MB/s; \
                 rolled forward in {forward_s:.2} s: {:.0} MB/s; read to its end after {:.2} s, blocks written for {:.2} s{}",
                if cold { ", cold" } else { "" },
                done.bytes / MB,
                done.bytes as f64 / MB as f64 / open_s,
                done.bytes as f64 / MB as f64 / forward_s,
                done.reading_us as f64 / 1e6,
                done.writing_us as f64 / 1e6,
                if done.deferred { " (in the background)" } else { "" },
            );
            println!(
                "  {} records, {} vectors put into blocks, {} passed by; waits: log reads {:.2} s, block reads {:.2} s, block writes {:.2} s, \
                 free buffers {:.2} s; dead transactions {}",
                done.records,
                done.applied,
                done.passed,
                event(Event::LogFileSequentialRead),
                event(Event::DbFileSequentialRead) + event(Event::DbFileScatteredRead),
                event(Event::DbFileParallelWrite),
                event(Event::FreeBufferWaits),
                instance.dead_transactions(),
            );
            let session = instance.connect(OWNER)?;
            let first = session.catalog().require_table(OWNER, table).cloned()?;
            let since = self.clock.monotonic_us();
            let found = count(&session, &first)?;
            println!(
                "  all {found} rows read in {:.2} s{}",
                self.seconds(since),
                cache_mb.map_or("", |_| ", beside the rollback")
            );
            drop(first);
            if found != rows {
                return Err(Error::bug(format!("{rows} rows were committed, {found} are there")));
            }
            drop(session);
            let since = self.clock.monotonic_us();
            while !instance.processes().is_empty() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            let back_s = self.seconds(since);
            let since = self.clock.monotonic_us();
            instance.shutdown()?;
            println!("  the rest of the rollback {back_s:.2} s, the shutdown {:.2} s", self.seconds(since));
            drop(instance);
            std::fs::remove_dir_all(&copy).map_err(io)?;
        }
        Ok(())
    }
}

fn key(n: u64) -> [u8; 8] {
    // Spread over the index as random keys are.
    n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()
}

fn create_table(session: &Arc<Session>, name: &str, indexed: bool) -> Result<Arc<TableDef>> {
    let column = |name: &str, bytes| ColumnDef {
        name: name.to_owned(),
        data_type: DataType::Varchar2 { bytes },
        nullable: true,
        default: None,
    };
    let mut spec = TableSpec::new(OWNER, name, vec![column("ID", 8), column("FILLER", FILLER as u16)]);
    spec.tablespace = Some(TABLESPACE.to_owned());
    session.create_table(&spec)?;
    if indexed {
        session.create_index(&IndexSpec {
            logging: None,
            owner: OWNER.to_owned(),
            name: format!("{name}_ID"),
            table_owner: OWNER.to_owned(),
            table_name: name.to_owned(),
            columns: vec!["ID".to_owned()],
            unique: false,
            tablespace: Some(TABLESPACE.to_owned()),
            physical: PhysicalAttributes::default(),
            storage: Storage::default(),
        })?;
    }
    session.catalog().require_table(OWNER, name).cloned()
}

fn insert(session: &Arc<Session>, table: &Arc<TableDef>, rows: std::ops::Range<u64>, a_call: u64) -> Result<()> {
    let mut at = rows.start;
    while at < rows.end {
        let end = (at + a_call).min(rows.end);
        let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone())?;
        for n in at..end {
            inserter.push(&[Some(&key(n)), Some(&[b'x'; FILLER])])?;
        }
        inserter.finish()?;
        at = end;
    }
    Ok(())
}

/// Counts rows, and keeps their addresses where they are asked for.
#[derive(Default)]
struct Found {
    at: Option<(common::ObjectNumber, common::BlockAddress)>,
    rows: Vec<Rowid>,
}

impl RowSink for Found {
    fn block(&mut self, object: common::ObjectNumber, address: common::BlockAddress) {
        self.at = Some((object, address));
    }

    fn row(&mut self, slot: u16, _: &[Option<&[u8]>]) {
        if let Some((data_object, block)) = self.at {
            self.rows.push(Rowid { data_object, block, slot });
        }
    }
}

fn count(session: &Arc<Session>, table: &Arc<TableDef>) -> Result<u64> {
    let spec = ScanSpec { projection: Vec::new(), predicate: None, rowids: true };
    let mut scan = TableScan::new(session.worker().clone(), table.heap().clone(), spec)?;
    let mut found = Found::default();
    while scan.next(&mut found, 10_000)? {}
    Ok(found.rows.len() as u64)
}

fn copy_directory(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to).map_err(io)?;
    }
    std::fs::create_dir_all(to).map_err(io)?;
    for entry in std::fs::read_dir(from).map_err(io)? {
        let entry = entry.map_err(io)?;
        std::fs::copy(entry.path(), to.join(entry.file_name())).map_err(io)?;
    }
    Ok(())
}

/// Writes the files out and takes them out of the page cache.
fn sync_and_forget(directory: &Path) -> Result<()> {
    for entry in std::fs::read_dir(directory).map_err(io)? {
        let file = std::fs::File::open(entry.map_err(io)?.path()).map_err(io)?;
        file.sync_all().map_err(io)?;
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).map_err(|e| io(e.into()))?;
    }
    Ok(())
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or_else(|| Error::user(1, "which directory?"))?;
    let directory = Path::new(&directory).join("recovery");
    let mut number = |usual: u64| arguments.next().and_then(|s| s.parse().ok()).unwrap_or(usual);
    let (rows, redo_mb) = (number(1_000_000), number(1024));
    let only = arguments.next();
    let wanted = |what: &str| only.as_deref().is_none_or(|only| only == what);
    let files: Arc<dyn FileSystem> = Arc::new(OsFileSystem::new());
    let bench = Bench { files, clock: Arc::new(SystemClock::default()), directory: &directory };
    if wanted("rollback") {
        for indexed in [false, true] {
            for a_call in [rows, 1] {
                bench.rollback(rows, a_call, indexed)?;
            }
        }
    }
    if wanted("inserts") {
        bench.inserts(redo_mb)?;
    }
    if wanted("updates") {
        bench.updates(redo_mb)?;
    }
    std::fs::remove_dir_all(&directory).map_err(io)
}
