//! Throughput of full scans of one cached table, by one session and by two at once: what readers of unchanging blocks
//! cost each other.
//!
//! ```text
//! cargo run --release -p engine --example readers -- [rows] [runs] [scans a run]
//! ```
//!
//! Runs of one session and of two alternate. The first line of output is the upper bound: two threads that share
//! nothing.

#![expect(clippy::print_stdout, reason = "a measurement to look at")]

use std::hint::black_box;
use std::path::Path;
use std::sync::Barrier;

use common::sync::{Arc, spawn};
use common::{BlockAddress, Clock, DataType, Error, ObjectNumber, Result, SystemClock};
use device::MemoryFileSystem;
use engine::ddl::TableSpec;
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{Instance, Session};
use engine::startup::CreateOptions;
use scan::{RowSink, ScanSpec};
use storage::table::{Inserter, TableScan};
use storage::txn::CommitWrite;

/// Counts rows, and looks at each column that it is given.
#[derive(Default)]
struct Sum {
    rows: u64,
    bytes: u64,
}

impl RowSink for Sum {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        self.rows += 1;
        self.bytes += columns.iter().flatten().map(|column| column.len() as u64).sum::<u64>();
    }

    fn rows(&mut self, count: usize) {
        self.rows += count as u64;
    }
}

fn table(instance: &Arc<Instance>, rows: u64) -> Result<Arc<TableDef>> {
    let session = instance.connect("SYSTEM")?;
    let column = |name: &str, bytes| ColumnDef {
        name: name.to_owned(),
        data_type: DataType::Varchar2 { bytes },
        nullable: true,
        default: None,
    };
    let columns = vec![column("ID", 20), column("KIND", 10), column("FILLER", 200)];
    let table = session.create_table(&TableSpec::new("SYSTEM", "READERS", columns))?;
    let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone())?;
    for n in 0..rows {
        let (id, kind) = (format!("{n:010}"), format!("k{}", n % 7));
        inserter.push(&[Some(id.as_bytes()), Some(kind.as_bytes()), Some(&[b'x'; 70])])?;
    }
    inserter.finish()?;
    session.commit(CommitWrite::default())?;
    instance.checkpoint(session.meter())?;
    Ok(table)
}

fn scan(session: &Arc<Session>, table: &Arc<TableDef>, spec: &ScanSpec) -> Result<u64> {
    let mut sink = Sum::default();
    let mut scan = TableScan::new(session.worker().clone(), table.heap().clone(), spec.clone())?;
    while scan.next(&mut sink, usize::MAX)? {}
    black_box(sink.bytes);
    Ok(sink.rows)
}

/// Units of work a second over `threads` threads that start together, until the last has ended; each runs `work`.
fn together(threads: usize, work: impl Fn() -> Result<u64> + Clone + Send + 'static) -> Result<f64> {
    let clock = SystemClock::default();
    let begin = Arc::new(Barrier::new(threads + 1));
    let mut running = Vec::new();
    for _ in 0..threads {
        let (begin, work) = (begin.clone(), work.clone());
        let run = move || {
            begin.wait();
            work()
        };
        running.push(spawn("reader", run).map_err(|error| Error::bug(error.to_string()))?);
    }
    begin.wait();
    let since = clock.monotonic_us();
    let mut done = 0;
    for thread in running {
        done += thread.join().map_err(|_| Error::bug("a reader panicked"))??;
    }
    Ok(done as f64 * 1e6 / (clock.monotonic_us() - since).max(1) as f64)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Alternates one thread and two; prints the medians and their ratio.
fn compare(name: &str, runs: usize, work: impl Fn() -> Result<u64> + Clone + Send + 'static) -> Result<()> {
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        one.push(together(1, work.clone())?);
        two.push(together(2, work.clone())?);
    }
    let (one, two) = (median(&mut one), median(&mut two));
    println!("{name:24} one {one:12.0}/s   two {two:12.0}/s   ratio {:.2}", two / one);
    Ok(())
}

fn private(rounds: u64) -> u64 {
    (0..rounds).fold(1_u64, |x, n| black_box((x ^ n).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
    rounds
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let mut argument = |usual| arguments.next().and_then(std::result::Result::ok).unwrap_or(usual);
    let (rows, runs, scans) = (argument(500_000), argument(5) as usize, argument(10));
    let options = CreateOptions {
        parameters: vec![("db_cache_size".to_owned(), (rows * 130 + (32 << 20)).to_string())],
        ..CreateOptions::default()
    };
    let clock = Arc::new(SystemClock::default());
    let instance = Instance::create(Arc::new(MemoryFileSystem::new()), Path::new("/readers"), clock, None, &options)?;
    let table = table(&instance, rows)?;
    compare("shares nothing", runs, || Ok(private(200_000_000)))?;
    for (name, projection) in
        [("counts rows", vec![]), ("reads two columns", vec![0, 1]), ("reads all columns", vec![0, 1, 2])]
    {
        let (instance, table) = (instance.clone(), table.clone());
        let spec = ScanSpec { projection, predicate: None, rowids: false };
        compare(name, runs, move || {
            let session = instance.connect("SYSTEM")?;
            (0..scans).map(|_| scan(&session, &table, &spec)).sum()
        })?;
    }
    instance.shutdown()
}
