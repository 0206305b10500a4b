//! `bench insert`: insert-select, create index, insert with the index present and full scans, beside PostgreSQL and
//! beside the disk.

use common::{Error, Result};

use super::BenchOptions;
use super::disk;
use super::highwater::Highwater;
use super::outcome::{Case, Outcome};
use crate::progress::Progress;
use crate::source::{Rows, Shape, SourceName};
use crate::text::grouped;
use peer::{Installation, Postgres, settings};

pub(super) const SOURCE: &str = "source_table";
pub(super) const TARGET: &str = "target_table";
/// The filter of the full scan: no index helps, few rows pass.
pub(super) const FILTER: &str = "object_type = 'TABLE' and owner <> 'SYS'";

/// One of the two databases. Times are in seconds.
pub(super) trait Side {
    /// Makes the source table, in the cache and on disk.
    fn load(&mut self, shape: &Shape, rows: &mut dyn Rows, progress: &mut dyn Progress) -> Result<()>;
    /// An empty target table without indexes; the one of the run before is dropped.
    fn fresh_target(&mut self) -> Result<()>;
    /// With its commit.
    fn insert_select(&mut self) -> Result<f64>;
    fn create_index(&mut self, key: &str) -> Result<f64>;
    /// All changed blocks are written and synced.
    fn checkpoint(&mut self) -> Result<f64>;
    /// Time and the count that the query gave.
    fn filtered_scan(&mut self) -> Result<(f64, u64)>;
}

/// Rates of one side's runs, a case each.
#[derive(Default)]
struct Rates {
    insert: Vec<f64>,
    insert_durable: Vec<f64>,
    index: Vec<f64>,
    index_durable: Vec<f64>,
    indexed: Vec<f64>,
    indexed_durable: Vec<f64>,
    scan: Vec<f64>,
    counts: Vec<u64>,
}

impl Rates {
    /// One run.
    fn run(&mut self, side: &mut dyn Side, shape: &Shape) -> Result<()> {
        let rows = shape.rows as f64;
        side.fresh_target()?;
        let (time, written) = (side.insert_select()?, side.checkpoint()?);
        self.insert.push(rows / time);
        self.insert_durable.push(rows / (time + written));
        let (time, written) = (side.create_index(shape.key_name())?, side.checkpoint()?);
        self.index.push(rows / time);
        self.index_durable.push(rows / (time + written));
        let (time, written) = (side.insert_select()?, side.checkpoint()?);
        self.indexed.push(rows / time);
        self.indexed_durable.push(rows / (time + written));
        // The first scan after an insert may still have work to do for it.
        side.filtered_scan()?;
        let (time, count) = side.filtered_scan()?;
        self.scan.push(2.0 * rows / time);
        self.counts.push(count);
        Ok(())
    }
}

pub(super) fn run(options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    let home = super::home(options)?;
    let mut skipped = Vec::new();
    let source = SourceName::Objects;
    let (shape, mut rows) = source.open(options.scale)?;
    progress.step(&format!("Highwater: loading {} rows", grouped(shape.rows)));
    let mut ours = Highwater::start(home.path(), options)?;
    ours.load(&shape, &mut *rows, progress)?;
    let installation = match options.installation() {
        Ok(found) => Some(found),
        Err(why) => {
            skipped.push(format!("skipped: beside PostgreSQL: {why}"));
            None
        }
    };
    let mut theirs = match &installation {
        Some(installation) => {
            progress.step(&format!("PostgreSQL: loading {} rows", grouped(shape.rows)));
            let mut server = Postgres::start(installation, home.path(), options.cache_mb)?;
            server.load(&shape, &mut *source.open(options.scale)?.1, progress)?;
            Some(server)
        }
        None => None,
    };
    let (mut our_rates, mut their_rates) = (Rates::default(), Rates::default());
    for number in 1..=options.runs {
        progress.step(&format!("run {number} of {}: Highwater", options.runs));
        our_rates.run(&mut ours, &shape)?;
        if let Some(server) = &mut theirs {
            progress.step(&format!("run {number} of {}: PostgreSQL", options.runs));
            their_rates.run(server, &shape)?;
        }
    }
    if !their_rates.counts.is_empty() && their_rates.counts != our_rates.counts {
        return Err(Error::bug(format!(
            "the same query counted {:?} rows here and {:?} in PostgreSQL",
            our_rates.counts, their_rates.counts
        )));
    }
    drop(theirs);
    let mut cases = cases(&our_rates, &their_rates);
    cases.push(from_disk(&mut ours, options, &mut skipped, progress)?);
    progress.step("closing");
    ours.stop()?;
    progress.end();
    Ok(Outcome {
        name: "insert".to_owned(),
        cases,
        notes: notes(options, &shape, installation.as_ref()),
        skipped,
        device: None,
    })
}

fn cases(ours: &Rates, theirs: &Rates) -> Vec<Case> {
    let case = |name: &str, limit: Option<f64>, of: fn(&Rates) -> &Vec<f64>| {
        Case::new(name, "rows/s", "PostgreSQL", limit, of(ours).clone(), of(theirs).clone())
    };
    vec![
        case("insert-select", Some(1.5), |rates| &rates.insert),
        case("insert-select and checkpoint", None, |rates| &rates.insert_durable),
        case("create index", Some(1.5), |rates| &rates.index),
        case("create index and checkpoint", None, |rates| &rates.index_durable),
        case("insert with the index", Some(1.5), |rates| &rates.indexed),
        case("insert with the index and checkpoint", None, |rates| &rates.indexed_durable),
        case("cached full scan with a filter", Some(1.0), |rates| &rates.scan),
    ]
}

/// The scan of a table that has no block in the cache, compared with the disk's own rate.
fn from_disk(
    ours: &mut Highwater,
    options: &BenchOptions,
    skipped: &mut Vec<String>,
    progress: &mut dyn Progress,
) -> Result<Case> {
    progress.step("making a table to read from disk");
    let (file, bytes) = ours.make_big_table()?;
    let fio = options.fio().map_err(|why| skipped.push(format!("skipped: beside the disk: {why}"))).is_ok();
    // The first of each is not counted: it is also the first to touch the memory of the buffer cache, and to find the
    // file on the disk.
    ours.scan_from_disk()?;
    if fio {
        disk::read(&file, bytes)?;
    }
    let (mut scans, mut reads) = (Vec::new(), Vec::new());
    for number in 1..=options.runs {
        progress.step(&format!("run {number} of {}: full scan from disk", options.runs));
        scans.push(ours.scan_from_disk()?);
        if fio {
            reads.push(disk::read(&file, bytes)?);
        }
    }
    Ok(Case::new("uncached full scan", "MB/s", "fio 1 MB O_DIRECT", Some(0.9), scans, reads))
}

fn notes(options: &BenchOptions, shape: &Shape, installation: Option<&Installation>) -> Vec<String> {
    let mut notes = vec![
        format!(
            "{} rows of {} columns a statement, {} runs of each side in turn, both on one file system, {} MB of buffer cache each, one session{}",
            grouped(shape.rows),
            shape.columns.len(),
            options.runs,
            options.cache_mb,
            if cfg!(debug_assertions) { "; A DEBUG BUILD: times mean nothing" } else { "" }
        ),
        "durable: both sides have committed, with their log synced, when a time is taken. The lines with 'and checkpoint' add the time in which each side \
         writes and syncs all changed blocks."
            .to_owned(),
    ];
    if let Some(found) = installation {
        let set: Vec<String> =
            settings(options.cache_mb).iter().map(|(name, value)| format!("{name}={value}")).collect();
        notes.push(format!(
            "{}: {}; log and all else by default (wal_level replica, synchronous_commit on, full_page_writes on, max_wal_size 1 GB); numbers are bigint, dates \
             timestamp(0); fillfactor 100 where Highwater keeps PCTFREE 10",
            found.version,
            set.join(", ")
        ));
    }
    notes
}
