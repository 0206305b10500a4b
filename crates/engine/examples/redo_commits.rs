//! Cost of a commit: sessions that insert a row of 260 bytes and commit it, again and again, as `highwater bench
//! commit` has it, without the SQL.
//!
//! ```text
//! cargo run --release -p engine --example redo_commits -- <directory> [rows a session] [sessions,…] [runs]
//! ```
//!
//! Beside the rates: what the log writer made of them, CPU and context switches a commit (Linux), and the rate of
//! single durable blocks, one after another.

#![expect(clippy::print_stdout, reason = "a measurement to look at")]

use std::path::Path;

use common::sync::{Arc, Mutex, spawn};
use common::{Clock, DataType, Error, Result, SystemClock};
use device::{AlignedBuffer, FileSystem, OsFileSystem};
use engine::ddl::TableSpec;
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use format::number;
use storage::control::SpaceManagement;
use storage::table::Inserter;
use storage::txn::CommitWrite;
use waits::{Event, MeterSnapshot, Statistic};

const MB: u64 = 1 << 20;
/// With two numbers and what a row has in front of its columns this makes 260 bytes of a row.
const FILLER_BYTES: usize = 246;
/// The log writer writes at most as often as this thread looks.
const BLOCK: usize = 512;

fn io(error: std::io::Error) -> Error {
    Error::bug(error.to_string())
}

/// Durable writes of one block a second, one after another, into a file that has been written before.
fn raw(files: &Arc<dyn FileSystem>, path: &Path, clock: &SystemClock) -> Result<f64> {
    const BYTES: u64 = 8 * MB;
    let device = files.create(path, BYTES).map_err(io)?;
    let zeros = AlignedBuffer::zeroed(BYTES as usize);
    device.write_at(0, &[&zeros]).and_then(|()| device.sync()).map_err(io)?;
    let block = AlignedBuffer::zeroed(BLOCK);
    let (since, mut writes) = (clock.monotonic_us(), 0_u64);
    while clock.monotonic_us() - since < 1_000_000 {
        device.write_durable(writes * BLOCK as u64 % BYTES, &[&block]).map_err(io)?;
        writes += 1;
    }
    let micros = clock.monotonic_us() - since;
    files.remove(path).map_err(io)?;
    Ok(writes as f64 * 1e6 / micros as f64)
}

/// Processor time of this process, in microseconds; 0 without /proc. The clock's tick is 10 ms.
fn cpu_us() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
    (ticks(11) + ticks(12)) * 10_000
}

/// Voluntary and involuntary context switches of a thread.
fn switches(thread: &Path) -> u64 {
    let text = std::fs::read_to_string(thread.join("status")).unwrap_or_default();
    let counts = text.lines().filter(|line| line.contains("ctxt_switches"));
    counts.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum()
}

/// Context switches of the log writer's threads.
fn writer_switches() -> u64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0 };
    let named = threads
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| std::fs::read_to_string(path.join("comm")).is_ok_and(|name| name.starts_with("lg")));
    named.map(|path| switches(&path)).sum()
}

fn table(session: &Arc<Session>, name: &str) -> Result<Arc<TableDef>> {
    let column = |name: &str, data_type| ColumnDef { name: name.to_owned(), data_type, nullable: true, default: None };
    let number = || DataType::Number { precision: None, scale: 0 };
    let columns = vec![
        column("SESSION_ID", number()),
        column("N", number()),
        column("FILLER", DataType::Varchar2 { bytes: FILLER_BYTES as u16 }),
    ];
    let mut spec = TableSpec::new("SYSTEM", name, columns);
    spec.tablespace = Some("BENCH_TBS".to_owned());
    session.create_table(&spec)
}

fn insert_and_commit(session: &Arc<Session>, table: &Arc<TableDef>, id: i64, rows: u64) -> Result<u64> {
    let thread = Path::new("/proc/thread-self");
    let before = switches(thread);
    let filler = vec![b'x'; FILLER_BYTES];
    for row in 0..rows {
        let _call = session.call()?;
        let _entered = session.enter(session.begin_snapshot());
        let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone())?;
        inserter.push(&[Some(&number::encode_i64(id)), Some(&number::encode_i64(row as i64)), Some(&filler)])?;
        inserter.finish()?;
        session.commit(CommitWrite::default())?;
    }
    Ok(switches(thread) - before)
}

struct Measured {
    micros: u64,
    cpu_us: u64,
    counted: MeterSnapshot,
    session_switches: u64,
    writer_switches: u64,
}

fn run(instance: &Arc<Instance>, clock: &SystemClock, name: &str, sessions: u32, rows: u64) -> Result<Measured> {
    let owner = instance.connect("SYSTEM")?;
    let table = table(&owner, name)?;
    instance.checkpoint(owner.meter())?;
    let begin = Arc::new(std::sync::Barrier::new(sessions as usize + 1));
    let ended = Arc::new(Mutex::new(0_u64));
    let mut threads = Vec::new();
    for id in 0..sessions {
        let (session, table) = (instance.connect("SYSTEM")?, table.clone());
        let (begin, ended) = (begin.clone(), ended.clone());
        let work = move || {
            begin.wait();
            let done = insert_and_commit(&session, &table, i64::from(id), rows);
            if let Ok(switches) = &done {
                *ended.lock() += switches;
            }
            done
        };
        threads.push(spawn(&format!("session {id}"), work).map_err(io)?);
    }
    let before = (instance.system_meter().snapshot(), cpu_us(), writer_switches());
    begin.wait();
    let since = clock.monotonic_us();
    for thread in threads {
        thread.join().map_err(|_| Error::bug("a session panicked"))??;
    }
    let micros = clock.monotonic_us() - since;
    let measured = Measured {
        micros,
        cpu_us: cpu_us() - before.1,
        counted: instance.system_meter().snapshot().minus(&before.0),
        session_switches: *ended.lock(),
        writer_switches: writer_switches() - before.2,
    };
    owner.drop_table("SYSTEM", name)?;
    Ok(measured)
}

fn print(sessions: u32, commits: u64, measured: &Measured) {
    let (counted, all) = (&measured.counted, commits as f64);
    let value = |statistic| counted.value(statistic) as f64;
    let writes = value(Statistic::RedoWrites).max(1.0);
    let average = |event| {
        let totals = counted.event(event);
        totals.micros as f64 / totals.waits.max(1) as f64
    };
    println!(
        "{sessions:2} sessions: {:6.0} commits/s, {:.2} commits a write, {:6.0} writes/s of {:.2} blocks, redo {:.0} bytes and {:.2} records a commit, \
         wastage {:.0} a write; log file parallel write {:.1} us, log file sync {:.1} us ({:.2} waits a commit), LGWR wait for redo copy {}; \
         a commit: {:.1} us of CPU, {:.2} switches of sessions, {:.2} of writers",
        all * 1e6 / measured.micros as f64,
        all / writes,
        writes * 1e6 / measured.micros as f64,
        value(Statistic::RedoBlocksWritten) / writes,
        value(Statistic::RedoSize) / all,
        value(Statistic::RedoEntries) / all,
        value(Statistic::RedoWastage) / writes,
        average(Event::LogFileParallelWrite),
        average(Event::LogFileSync),
        counted.event(Event::LogFileSync).waits as f64 / all,
        counted.event(Event::LgwrWaitForRedoCopy).waits,
        measured.cpu_us as f64 / all,
        measured.session_switches as f64 / all,
        measured.writer_switches as f64 / all,
    );
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or_else(|| Error::user(1, "which directory?"))?;
    let directory = Path::new(&directory).join("redo_commits");
    let rows = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(5_000_u64);
    let cases = arguments.next().unwrap_or_else(|| "1,5,16".to_owned());
    let runs = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(3_u32);
    let files: Arc<dyn FileSystem> = Arc::new(OsFileSystem::new());
    let clock = Arc::new(SystemClock::default());
    let parameters = vec![("db_cache_size".to_owned(), "512M".to_owned())];
    let options = CreateOptions { parameters, log_bytes: 128 * MB, ..CreateOptions::default() };
    let instance = Instance::create(files.clone(), &directory, clock.clone(), None, &options)?;
    println!("durable writes of one block, one after another: {:.0}/s", raw(&files, &directory.join("raw"), &clock)?);
    let tablespace = TablespaceSpec {
        logging: true,
        name: "BENCH_TBS".to_owned(),
        files: vec![DatafileSpec {
            name: "bench01.dbf".to_owned(),
            bytes: 64 * MB,
            reuse: false,
            autoextend: Some((64 * MB, None)),
        }],
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Auto,
    };
    instance.create_tablespace(&*instance.connect("SYSTEM")?, &tablespace)?;
    for number in 1..=runs {
        for sessions in cases.split(',').filter_map(|n| n.parse::<u32>().ok()) {
            let measured = run(&instance, &clock, &format!("T{number}_{sessions}"), sessions, rows)?;
            print(sessions, u64::from(sessions) * rows, &measured);
        }
    }
    instance.shutdown()?;
    std::fs::remove_dir_all(&directory).map_err(io)
}
