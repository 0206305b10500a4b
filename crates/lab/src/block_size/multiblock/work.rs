//! The tables and their scans: `select *` in arrays of 100 rows, traced, with nothing cached.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::Result;
use waits::Statistic;

use super::measured::{FlatFile, Profile, Rest, Scan, Table};
use super::{BLOCK_BYTES, Known, NAME, Paper, READ_COUNT, SCALE_FACTOR, SIZES, requests, table};
use crate::block_size::cache_parameter;
use crate::experiment::plan::{Plan, Turn};
use crate::experiment::setting::Setting;
use crate::experiment::workload::Workload;
use crate::laboratory::Laboratory;
use crate::progress::Progress;
use crate::text::grouped;
use crate::time::seconds;

/// Megabytes of cache of each block size, and sessions: for each of these there must be 1 MB, or reads are smaller.
const CACHE_MB: u32 = 32;
const SESSIONS: u32 = 30;
/// Values of DB_FILE_MULTIBLOCK_READ_COUNT.
const COUNTS: [u64; 3] = [0, 1, 16];

/// Rows of a fetch, as published.
const ARRAY: usize = 100;
/// The table that is scanned with an explicit multiblock read count.
pub(super) const COUNTED_BYTES: u32 = 8192;

/// A database with the tables.
#[derive(Debug)]
pub struct Work {
    laboratory: Laboratory,
    flat: FlatFile,
    /// By block size.
    tables: BTreeMap<u32, Table>,
}

impl Workload for Work {
    type Run = Scan;
    type Rest = Rest;
    type Known = Known;
    type Paper = Paper;

    fn open(plan: &Plan, progress: &mut dyn Progress) -> Result<Self> {
        let caches = SIZES.map(|bytes| (cache_parameter(bytes), format!("{CACHE_MB}M")));
        let parameters = caches.into_iter().chain([("sessions".to_owned(), SESSIONS.to_string())]);
        let laboratory = Laboratory::create(plan.options.data.as_deref(), plan.options.device.as_ref(), parameters)?;
        let flat = table::make_flat_file(laboratory.directory(), plan.scale * SCALE_FACTOR, progress)?;
        let mut connection = laboratory.connect()?;
        table::make_group(&laboratory, &mut connection, plan.scale, progress)?;
        let mut tables = BTreeMap::new();
        for bytes in SIZES {
            progress.step(&format!("loading {} rows into blocks of {bytes} bytes", grouped(flat.rows)));
            let (load_s, segment_bytes) = table::make(&mut connection, bytes)?;
            tables.insert(bytes, Table { segment_bytes, load_s });
        }
        drop(connection);
        Ok(Self { laboratory, flat, tables })
    }

    fn run(&mut self, setting: Setting, turn: Turn, _: &mut dyn Progress) -> Result<Scan> {
        let count = Some(u64::from(setting.number(&READ_COUNT))).filter(|count| *count > 0);
        scan(&self.laboratory, setting.number(&BLOCK_BYTES), count, turn.repetition)
    }

    fn rest(&mut self, progress: &mut dyn Progress) -> Result<Rest> {
        let mut counts = Vec::new();
        for count in COUNTS {
            progress.step(&format!("db_file_multiblock_read_count = {count}"));
            counts.push((count, scan(&self.laboratory, COUNTED_BYTES, Some(count), 0)?));
        }
        Ok(Rest { flat: self.flat, tables: self.tables.clone(), counts })
    }

    fn notes(&self) -> Vec<String> {
        vec![format!(
            "{NAME}: {CACHE_MB} MB of cache of each block size, not used by these direct path reads and flushed before \
             each; {SESSIONS} sessions"
        )]
    }

    fn close(self) -> Result<()> {
        self.laboratory.close()
    }
}

/// Reads the table of a block size; `count` is the multiblock read count. None leaves the default.
fn scan(laboratory: &Laboratory, block_bytes: u32, count: Option<u64>, repetition: u32) -> Result<Scan> {
    let name = table::name_of(block_bytes);
    let identifier = match count {
        None => format!("{name}_{repetition}"),
        Some(count) => format!("{name}_count_{count}_{repetition}"),
    };
    let mut connection = laboratory.connect()?;
    if let Some(count) = count {
        connection.run(&format!("alter session set db_file_multiblock_read_count = {count}"))?;
    }
    connection.run(&format!("alter session set tracefile_identifier = '{identifier}'"))?;
    connection.run("alter system flush buffer_cache")?;
    connection.run("alter session set events '10046 trace name context forever, level 8'")?;
    let meter = Arc::clone(connection.session().meter());
    let clock = Arc::clone(meter.clock());
    let group = laboratory.database().instance().groups().group("GROUP1")?;
    let (reads, before) = (group.statistics(), meter.snapshot());
    let (cpu_us, at_us) = (clock.thread_cpu_us(), clock.monotonic_us());
    let mut scan = Scan::default();
    let text = format!("select * from {name}");
    let cursor = connection.parse(&text)?;
    connection.execute(cursor)?;
    loop {
        let fetched = connection.fetch_arrays(cursor, ARRAY)?;
        scan.fetches += 1;
        scan.rows += fetched.rows() as u64;
        if fetched.end {
            break;
        }
    }
    connection.close(cursor);
    scan.cpu_s = seconds(clock.thread_cpu_us() - cpu_us);
    scan.elapsed_s = seconds(clock.monotonic_us() - at_us);
    let (counted, after) = (meter.snapshot().minus(&before), group.statistics());
    connection.run("alter session set events '10046 trace name context off'")?;
    scan.physical_reads = counted.value(Statistic::PhysicalReads);
    scan.consistent_gets = counted.value(Statistic::ConsistentGets);
    scan.group_reads = after.reads - reads.reads;
    scan.group_reads_cut = after.reads_cut - reads.reads_cut;
    if let Some(trace) = laboratory.trace_file(&identifier) {
        let found = requests::of(&trace, &text)?;
        (scan.direct_reads, scan.cached_reads, scan.read_wait_s) = (found.direct, found.cached, found.wait_s);
        let total = found.figures;
        scan.tkprof = Profile {
            fetches: total.count,
            cpu_s: seconds(total.cpu.max(0) as u64),
            elapsed_s: seconds(total.elapsed.max(0) as u64),
            disk: total.disk.max(0) as u64,
            query: total.query.max(0) as u64,
            rows: total.rows.max(0) as u64,
        };
    }
    Ok(scan)
}
