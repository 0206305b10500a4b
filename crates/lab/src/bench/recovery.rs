//! `bench recovery`: how long rolling back takes beside inserting, and opening a database after a crash.
//!
//! A crash is the instance given up as it is: it writes nothing more. The next open reads files that were written
//! moments ago; the page cache holds a part of them that depends on the file system, and where direct I/O works, none.

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use common::{Clock, Error, Result, SystemClock};
use device::FileSystem;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sql::{Connection, Database};
use storage::index::{IndexScan, Key};
use storage::recovery::RolledForward;
use storage::table::{Inserter, Updater};
use storage::txn::CommitWrite;
use waits::Statistic;

use super::BenchOptions;
use super::outcome::{Case, Outcome};
use crate::laboratory::{connect, numbers};
use crate::modelled_run::{ModelledRun, files_of};
use crate::progress::Progress;
use crate::text::grouped;
use crate::time::seconds;

/// Rows that are rolled back, at scale 1.
const ROWS: f64 = 1_000_000.0;
/// Redo that is recovered, megabytes at scale 1.
const REDO_MB: f64 = 1_024.0;
/// With a number, two lengths and the row's header this makes 100 bytes of a row.
const FILLER_BYTES: usize = 91;
/// Rows of 100 bytes that take more room than a megabyte of cache.
const ROWS_OF_CACHE_MB: u64 = 20_000;
/// Updates between two commits.
const UPDATES: u64 = 200;
const MB: u64 = 1 << 20;

/// A crash, and the open after it.
struct Opened {
    forward: RolledForward,
    open_us: u64,
}

pub(super) fn run(options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    let home = super::home(options)?;
    let rows = (ROWS * options.scale).ceil().max(1.0) as u64;
    let redo_mb = (REDO_MB * options.scale).ceil().max(8.0) as u64;
    let mut cases = Vec::new();
    for indexed in [false, true] {
        let (mut back, mut inserted) = (Vec::new(), Vec::new());
        for number in 1..=options.runs {
            progress.step(&format!("run {number} of {}: rollback{}", options.runs, with_index(indexed)));
            let (inserted_s, back_s) = rollback(&home.path().join("rollback"), options, rows, indexed)?;
            inserted.push(rows as f64 / inserted_s);
            back.push(rows as f64 / back_s);
        }
        let name = format!("rollback of an insert{}", with_index(indexed));
        cases.push(Case::new(&name, "rows/s", "the insert", Some(1.0), back, inserted));
    }
    let mut notes = vec![format!(
        "{} rows of 100 bytes are inserted and rolled back; {redo_mb} MB of redo are recovered of rows inserted with an index that \
         fit into the cache, and a sixteenth of that of random rows updated in a table larger than it; {} runs{}",
        grouped(rows),
        options.runs,
        if cfg!(debug_assertions) { "; A DEBUG BUILD: times mean nothing" } else { "" }
    )];
    type Work = fn(&Path, &BenchOptions, u64) -> Result<Opened>;
    for (name, work) in [("open, inserted rows", inserts as Work), ("open, random updates", updates as Work)] {
        let (mut opens, mut forwards) = (Vec::new(), Vec::new());
        for number in 1..=options.runs {
            progress.step(&format!("run {number} of {}: {name}", options.runs));
            let Opened { forward, open_us } = work(&home.path().join("crash"), options, redo_mb)?;
            let megabytes = forward.bytes as f64 / MB as f64;
            opens.push(megabytes / seconds(open_us.max(1)));
            forwards.push(megabytes / seconds(forward.elapsed_us.max(1)));
            notes.push(format!(
                "{name}, run {number}: open in {:.2} s, rolled forward in {:.2} s, the redo read to its end after {:.2} s; {} records, {} changes of blocks, \
                 {} were in their blocks already; the blocks were written {}",
                seconds(open_us),
                seconds(forward.elapsed_us),
                seconds(forward.reading_us),
                grouped(forward.records),
                grouped(forward.applied),
                grouped(forward.passed),
                if forward.deferred { "after the open".to_owned() } else { format!("in {:.2} s of it", seconds(forward.writing_us)) },
            ));
        }
        cases.push(Case::new(name, "MB/s", "-", None, opens, Vec::new()));
        cases.push(Case::new(&format!("{name}: roll forward"), "MB/s", "-", None, forwards, Vec::new()));
    }
    progress.end();
    Ok(Outcome { name: "recovery".to_owned(), cases, notes, skipped: Vec::new(), device: None })
}

fn with_index(indexed: bool) -> &'static str {
    if indexed { ", one index" } else { "" }
}

/// An empty database with a table T of a key and a filler.
fn create(
    directory: &Path,
    device: Option<&ModelledRun>,
    cache_mb: u64,
    log_mb: u64,
    indexed: bool,
) -> Result<(Arc<dyn FileSystem>, Arc<Database>, Connection)> {
    let options = CreateOptions {
        parameters: vec![("db_cache_size".to_owned(), format!("{cache_mb}M"))],
        log_bytes: log_mb * MB,
        ..CreateOptions::default()
    };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let files = files_of(device, directory, &clock).map_err(|error| crate::laboratory::io(directory, &error))?;
    let database = Database::new(Instance::create(Arc::clone(&files), directory, clock, None, &options)?);
    let mut connection = connect(&database)?;
    connection.run(
        "create tablespace bench_tbs datafile 'bench01.dbf' size 64M autoextend on next 64M \
         extent management local autoallocate segment space management auto",
    )?;
    connection.run(&format!("create table t (id number, filler varchar2({FILLER_BYTES})) tablespace bench_tbs"))?;
    if indexed {
        connection.run("create index t_id on t (id) tablespace bench_tbs")?;
    }
    Ok((files, database, connection))
}

/// Puts rows in; their keys are spread as random ones are.
fn insert(connection: &Connection, rows: std::ops::Range<u64>) -> Result<()> {
    let session = connection.session();
    let table = session.catalog().require_table(&session.user(), "T")?.clone();
    let filler = [b'x'; FILLER_BYTES];
    let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone())?;
    for n in rows {
        inserter.push(&[Some(&format::number::encode_i64(key(n))), Some(&filler)])?;
    }
    inserter.finish().map(drop)
}

fn key(n: u64) -> i64 {
    (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24) as i64
}

/// Seconds of inserting, and of rolling that back.
fn rollback(directory: &Path, options: &BenchOptions, rows: u64, indexed: bool) -> Result<(f64, f64)> {
    let (_, database, mut connection) = create(directory, options.device.as_ref(), options.cache_mb, 1_024, indexed)?;
    let clock = Arc::clone(connection.session().meter().clock());
    let start = clock.monotonic_us();
    insert(&connection, 0..rows)?;
    let between = clock.monotonic_us();
    connection.run("rollback")?;
    let end = clock.monotonic_us();
    expect(&mut connection, 0)?;
    drop(connection);
    database.instance().shutdown()?;
    drop(database);
    remove(directory)?;
    Ok((seconds((between - start).max(1)), seconds((end - between).max(1))))
}

/// Inserts rows until they have made this much redo.
fn inserts(directory: &Path, options: &BenchOptions, redo_mb: u64) -> Result<Opened> {
    let cache_mb = options.cache_mb.max(2 * redo_mb);
    let log_mb = redo_mb + redo_mb / 4 + 16;
    let (files, database, mut connection) = create(directory, options.device.as_ref(), cache_mb, log_mb, true)?;
    let from = checkpoint(&connection)?;
    let mut rows = 0;
    while redo_end(&connection) - from < redo_mb * MB {
        insert(&connection, rows..rows + 5_000)?;
        connection.commit(CommitWrite::default())?;
        rows += 5_000;
    }
    crash_and_open(files, directory, database, connection, rows)
}

/// Updates random rows of a table larger than the cache until they have made this much redo.
fn updates(directory: &Path, options: &BenchOptions, redo_mb: u64) -> Result<Opened> {
    // A sixteenth of it: nearly every update reads a block from disk, and making more redo so would take minutes.
    let redo_mb = (redo_mb / 16).max(8);
    let cache_mb = options.cache_mb.min((redo_mb / 2).max(16));
    let log_mb = 2 * redo_mb + 16;
    let (files, database, mut connection) = create(directory, options.device.as_ref(), cache_mb, log_mb, true)?;
    let rows = cache_mb * ROWS_OF_CACHE_MB;
    insert(&connection, 0..rows)?;
    connection.commit(CommitWrite::default())?;
    let from = checkpoint(&connection)?;
    let session = Arc::clone(connection.session());
    let table = session.catalog().require_table(&session.user(), "T")?.clone();
    let index = table.indexes.first().cloned().ok_or_else(|| Error::bug("the table has no index"))?;
    let mut n = 0_u64;
    while redo_end(&connection) - from < redo_mb * MB {
        let id = format::number::encode_i64(key(n.wrapping_mul(0xd129_0b26_88c9_dcd5) % rows));
        // Found by the index: UPDATE in SQL would scan the table for each.
        let _entered = session.enter(session.begin_snapshot());
        let place = || Bound::Included(Key::new([Some(&id[..])]));
        let found = IndexScan::new(&session, &index, place(), place(), false)?.next()?.map(|(_, rowid)| rowid);
        let rowid = found.ok_or_else(|| Error::bug("a row is not in the index"))?;
        let mut updater = Updater::new(session.worker().clone(), table.heap().clone());
        updater.push(rowid, &[Some(&id), Some(&[b'a' + (n % 26) as u8; FILLER_BYTES])])?;
        updater.finish()?;
        n += 1;
        if n.is_multiple_of(UPDATES) {
            connection.commit(CommitWrite::default())?;
        }
    }
    connection.commit(CommitWrite::default())?;
    // It would keep the instance.
    drop(session);
    crash_and_open(files, directory, database, connection, rows)
}

fn redo_end(connection: &Connection) -> u64 {
    connection.session().instance().redo().end().0
}

fn checkpoint(connection: &Connection) -> Result<u64> {
    let session = connection.session();
    session.instance().checkpoint(session.meter())?;
    Ok(redo_end(connection))
}

fn crash_and_open(
    files: Arc<dyn FileSystem>,
    directory: &Path,
    database: Arc<Database>,
    connection: Connection,
    rows: u64,
) -> Result<Opened> {
    let made = database.instance().system_meter().snapshot().value(Statistic::RedoSize);
    database.instance().health().stop(&Error::bug("a crash for a measurement"));
    database.instance().redo().abandon();
    drop(connection);
    drop(database);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let start = clock.monotonic_us();
    let instance = Instance::open(files, directory, clock.clone(), None)?;
    let open_us = clock.monotonic_us() - start;
    let forward = instance.rolled_forward().copied();
    let forward = forward.ok_or_else(|| Error::bug(format!("of {made} bytes of redo nothing was recovered")))?;
    let database = Database::new(instance);
    let mut connection = connect(&database)?;
    expect(&mut connection, rows)?;
    drop(connection);
    database.instance().shutdown()?;
    drop(database);
    remove(directory)?;
    Ok(Opened { forward, open_us })
}

fn expect(connection: &mut Connection, rows: u64) -> Result<()> {
    let found = numbers(connection, "select count(*) from t")?.first().copied().unwrap_or(0);
    if found == rows {
        return Ok(());
    }
    Err(Error::bug(format!("{rows} rows were to be there, {found} are")))
}

fn remove(directory: &Path) -> Result<()> {
    std::fs::remove_dir_all(directory).map_err(|error| crate::laboratory::io(directory, &error))
}
