//! The work of `insert-gets`: a source of rows, and the statements of the published test in one session an arm, in
//! their order.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{Error, Result};
use sql::Connection;
use waits::{SegmentStatistic, Statistic};

use super::arms;
use super::measured::{Rest, Run, Source, Statement};
use super::paper::{Figures, Paper, SegmentBlocks};
use crate::clustering;
use crate::experiment::plan::{Plan, Turn};
use crate::experiment::setting::Setting;
use crate::experiment::workload::Workload;
use crate::index::IndexFigures;
use crate::laboratory::{Laboratory, definition, load, numbers, traced};
use crate::management::{MANAGEMENT, is_auto};
use crate::progress::Progress;
use crate::source::{self, Shape};
use crate::text::grouped;
use crate::time::seconds;

/// The table that is inserted from.
const SOURCE: &str = "source_table";
/// Megabytes of buffer cache at scale 1: all that both arms make stays in it.
const CACHE_MB: f64 = 512.0;
/// Megabytes of each arm's datafile at scale 1, as published.
const DATAFILE_MB: f64 = 1_000.0;
const DATAFILE_MB_LEAST: f64 = 64.0;

/// A database with the source in it.
#[derive(Debug)]
pub struct Work {
    laboratory: Laboratory,
    shape: Shape,
    source: Source,
    /// Rows of the source over those of the usual one at scale 1: room grows with them, whichever source they are from.
    scale: f64,
    cache_mb: f64,
    /// Folder in which the database stays; None: it does not stay.
    data: Option<PathBuf>,
}

impl Workload for Work {
    type Run = Run;
    type Rest = Rest;
    type Known = ();
    type Paper = Paper;

    fn open(plan: &Plan, progress: &mut dyn Progress) -> Result<Self> {
        let options = &plan.options;
        let (shape, mut rows) = options.source.clone().unwrap_or_default().open(plan.scale)?;
        let scale = shape.rows as f64 / source::ROWS;
        let cache_mb = (CACHE_MB * scale.max(0.25)).ceil();
        let laboratory = Laboratory::create(
            options.data.as_deref(),
            options.device.as_ref(),
            [("db_cache_size", format!("{cache_mb}M"))],
        )?;
        progress.step(&format!("filling {SOURCE} with {} rows", grouped(shape.rows)));
        let mut connection = laboratory.connect()?;
        let loaded = load(&mut connection, SOURCE, &shape, &mut *rows, progress)?;
        let ranges = definition(&connection, SOURCE)?.segment.scan_ranges(connection.session())?;
        let source = Source {
            description: shape.description.clone(),
            rows: loaded,
            blocks: ranges.iter().map(|range| u64::from(range.blocks)).sum(),
            key: shape.key_name().to_owned(),
            published_shape: shape.published_shape,
            fitted: shape.fitted,
        };
        Ok(Self { laboratory, shape, source, scale, cache_mb, data: options.data.clone() })
    }

    fn run(&mut self, setting: Setting, _: Turn, progress: &mut dyn Progress) -> Result<Run> {
        run(&self.laboratory, &setting, &self.shape, self.scale, progress)
    }

    fn rest(&mut self, progress: &mut dyn Progress) -> Result<Rest> {
        let [manual, auto] = arms().map(|arm| format!("{}_tbs", short(&arm)));
        let clustering = clustering::run(&self.laboratory, [&manual, &auto], self.scale, progress)?;
        Ok(Rest { source: self.source.clone(), clustering })
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!("buffer cache {} MB; gets include those of undo", self.cache_mb)];
        let written = self.laboratory.database().instance().background_meter().value(Statistic::PhysicalWrites);
        if written > 0 {
            notes.push(format!("{} blocks were written in the background while the statements ran", grouped(written)));
        }
        let Some(data) = &self.data else { return notes };
        for arm in arms() {
            if let Some(trace) = self.laboratory.trace_file(&identifier(&arm)) {
                let trace = trace.strip_prefix(data).unwrap_or(&trace);
                notes.push(format!("trace of the {} arm: {}", arm.name(), data.join(trace).display()));
            }
        }
        notes
    }

    fn close(self) -> Result<()> {
        self.laboratory.close()
    }
}

/// The abbreviation in the names of an arm's objects.
fn short(arm: &Setting) -> &'static str {
    if is_auto(arm) { "assm" } else { "mssm" }
}

/// In the name of an arm's trace.
fn identifier(arm: &Setting) -> String {
    format!("run_insert_tests_{}", short(arm))
}

/// Runs an arm.
fn run(laboratory: &Laboratory, arm: &Setting, shape: &Shape, scale: f64, progress: &mut dyn Progress) -> Result<Run> {
    let (short, identifier) = (short(arm), identifier(arm));
    let table = format!("target_table_{short}");
    let index = format!("{table}_ndx");
    let mut connection = laboratory.connect()?;
    let mut statements = Vec::new();
    let megabytes = (DATAFILE_MB * scale).max(DATAFILE_MB_LEAST).ceil();
    connection.run(&format!(
        "create tablespace {short}_tbs datafile '{short}01.dbf' size {megabytes}M \
         extent management local autoallocate segment space management {}",
        arm.word(&MANAGEMENT)
    ))?;
    connection.run(&format!("alter session set tracefile_identifier = '{identifier}'"))?;
    connection.run("alter session set events '10046 trace name context forever, level 8'")?;
    connection.run(&format!("alter table {SOURCE} cache"))?;
    let mut step = |connection: &mut Connection, id: &str, text: String| -> Result<()> {
        progress.step(&format!("{}: {}", arm.name(), id.replace('_', " ")));
        statements.push(measure(connection, id, &text)?);
        Ok(())
    };
    // The first scan brings the source into the cache, where the published runs had it.
    connection.query(&format!("select /*+ full (s) warm */ count(*) from {SOURCE} s"))?;
    step(&mut connection, "source_scan", format!("select /*+ full (s) */ count(*) from {SOURCE} s"))?;
    connection.run(&format!("create table {table} tablespace {short}_tbs as select * from {SOURCE} where 1=2"))?;
    for (id, name) in [("first_insert", "first"), ("second_insert", "second")] {
        step(&mut connection, id, format!("insert /* {name}_{short}_insert */ into {table} select * from {SOURCE}"))?;
        connection.run("commit")?;
    }
    let key = shape.key_name().to_lowercase();
    step(&mut connection, "create_index", format!("create index {index} on {table}({key}) tablespace {short}_tbs"))?;
    step(
        &mut connection,
        "indexed_insert",
        format!("insert /* indexed_{short}_insert */ into {table} select * from {SOURCE}"),
    )?;
    connection.run("commit")?;
    connection.run("alter session set events '10046 trace name context off'")?;
    if let Some(trace) = laboratory.trace_file(&identifier) {
        add_tkprof(&mut statements, &trace)?;
    }
    let extents = definition(&connection, &table)?.segment.extents(connection.session())?;
    Ok(Run {
        statements,
        segments: SegmentBlocks {
            table: segment_blocks(&mut connection, &table)?,
            index: segment_blocks(&mut connection, &index)?,
        },
        table_extents: extents.iter().map(|extent| u64::from(extent.blocks)).collect(),
        index: IndexFigures::of(&mut connection, &index)?,
    })
}

/// Runs a statement and measures it from its parse to its close.
fn measure(connection: &mut Connection, id: &str, text: &str) -> Result<Statement> {
    let meter = Arc::clone(connection.session().meter());
    let clock = Arc::clone(meter.clock());
    let counters = || (meter.snapshot(), meter.segment_sum(SegmentStatistic::LogicalReads));
    let (before, segments_before) = counters();
    let (cpu_us, at_us) = (clock.thread_cpu_us(), clock.monotonic_us());
    let cursor = connection.parse(text)?;
    let executed = connection.execute(cursor);
    let rows = match &executed {
        Ok(executed) if executed.is_query => {
            connection.fetch(cursor, usize::MAX).map(|fetched| fetched.rows.len() as u64)
        }
        Ok(executed) => Ok(executed.rows.unwrap_or(0)),
        Err(_) => Ok(0),
    };
    connection.close(cursor);
    let (cpu_us, elapsed_us) = (clock.thread_cpu_us() - cpu_us, clock.monotonic_us() - at_us);
    let (after, segments) = counters();
    executed?;
    Ok(Statement::new(id, text, rows?, &after.minus(&before), segments - segments_before, cpu_us, elapsed_us))
}

fn segment_blocks(connection: &mut Connection, segment: &str) -> Result<u64> {
    let name = segment.to_uppercase();
    let row = numbers(connection, &format!("select blocks from user_segments where segment_name = '{name}'"))?;
    row.first().copied().ok_or_else(|| Error::bug("a query without columns"))
}

/// Puts TKPROF's figures of each statement beside the meter's.
fn add_tkprof(statements: &mut [Statement], trace: &Path) -> Result<()> {
    let texts: Vec<&str> = statements.iter().map(|statement| statement.sql.as_str()).collect();
    for (found, statement) in traced(trace, &texts)?.into_iter().zip(statements) {
        statement.tkprof = found.map(|found| {
            let total = found.total();
            Figures {
                query: total.query.max(0) as u64,
                current: total.current.max(0) as u64,
                disk: total.disk.max(0) as u64,
                cpu_s: seconds(total.cpu.max(0) as u64),
                elapsed_s: seconds(total.elapsed.max(0) as u64),
            }
        });
    }
    Ok(())
}
