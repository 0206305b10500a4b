//! One scan: `select *` in arrays of 100 rows, traced, with nothing cached.

use std::sync::Arc;

use common::Result;
use waits::Statistic;

use super::measured::{Profile, Scan};
use super::{requests, table};
use crate::laboratory::Laboratory;
use crate::time::seconds;

/// Rows of a fetch, as published.
const ARRAY: usize = 100;
/// The table whose scans are done with a multiblock read count that is set.
pub(super) const COUNTED_BYTES: u32 = 8192;

/// Reads the table of a block size; `count` is the multiblock read count, which else is not set.
pub(super) fn scan(laboratory: &Laboratory, block_bytes: u32, count: Option<u64>, repetition: u32) -> Result<Scan> {
    let name = table::name_of(block_bytes);
    let identifier = match count {
        None => format!("{name}_{repetition}"),
        Some(count) => format!("{name}_count_{count}"),
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
