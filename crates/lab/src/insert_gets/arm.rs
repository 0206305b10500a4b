//! One arm of `insert-gets`: the statements of the published test in one session, in their order.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use common::{Error, Result};
use report::tkprof;
use sql::Connection;

use super::measured::{Arm, Counters, Statement};
use super::published::{Figures, SegmentBlocks};
use crate::index::IndexFigures;
use crate::laboratory::{Laboratory, numbers};
use crate::management::Management;
use crate::progress::Progress;
use crate::source::Shape;
use crate::time::seconds;

/// The table that is inserted from.
pub(crate) const SOURCE: &str = "source_table";
/// Megabytes of each arm's datafile at scale 1, as published.
const DATAFILE_MB: f64 = 1_000.0;
const DATAFILE_MB_LEAST: f64 = 64.0;

/// The abbreviation in the names of an arm's objects.
pub(crate) fn short(arm: Management) -> &'static str {
    match arm {
        Management::Manual => "mssm",
        Management::Auto => "assm",
    }
}

/// The arm's tablespace.
pub(crate) fn tablespace(arm: Management) -> String {
    format!("{}_tbs", short(arm))
}

/// Makes the arm's tablespace.
pub(crate) fn create_tablespace(connection: &mut Connection, arm: Management, scale: f64) -> Result<()> {
    let short = short(arm);
    let megabytes = (DATAFILE_MB * scale).max(DATAFILE_MB_LEAST).ceil();
    connection.run(&format!(
        "create tablespace {short}_tbs datafile '{short}01.dbf' size {megabytes}M \
         extent management local autoallocate segment space management {}",
        arm.as_str()
    ))?;
    Ok(())
}

/// Runs the arm.
pub(crate) fn run(
    laboratory: &Laboratory,
    arm: Management,
    shape: &Shape,
    scale: f64,
    progress: &mut dyn Progress,
) -> Result<Arm> {
    let short = short(arm);
    let table = format!("target_table_{short}");
    let index = format!("{table}_ndx");
    let identifier = format!("run_insert_tests_{short}");
    let mut connection = laboratory.connect()?;
    let mut statements = Vec::new();
    create_tablespace(&mut connection, arm, scale)?;
    connection.run(&format!("alter session set tracefile_identifier = '{identifier}'"))?;
    connection.run("alter session set events '10046 trace name context forever, level 8'")?;
    connection.run(&format!("alter table {SOURCE} cache"))?;
    let mut step = |connection: &mut Connection, id: &str, text: String| -> Result<()> {
        progress.step(&format!("{}: {}", arm.as_str(), id.replace('_', " ")));
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
    Ok(Arm {
        statements,
        segments: SegmentBlocks {
            table: segment_blocks(&mut connection, &table)?,
            index: segment_blocks(&mut connection, &index)?,
        },
        table_extents: extents(&connection, &table)?,
        index: IndexFigures::of(&mut connection, &index)?,
    })
}

/// Runs a statement and measures it from its parse to its close.
fn measure(connection: &mut Connection, id: &str, text: &str) -> Result<Statement> {
    let meter = Arc::clone(connection.session().meter());
    let clock = Arc::clone(meter.clock());
    let before = Counters::now(&meter);
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
    let counted = Counters::now(&meter).since(&before);
    executed?;
    Ok(Statement::new(id, text, rows?, &counted, cpu_us, elapsed_us))
}

fn segment_blocks(connection: &mut Connection, segment: &str) -> Result<u64> {
    let name = segment.to_uppercase();
    let row = numbers(connection, &format!("select blocks from user_segments where segment_name = '{name}'"))?;
    row.first().copied().ok_or_else(|| Error::bug("a query without columns"))
}

fn extents(connection: &Connection, table: &str) -> Result<Vec<u64>> {
    let session = connection.session();
    let catalog = session.catalog();
    let definition = catalog.require_table(&session.user(), &table.to_uppercase())?;
    Ok(definition.segment.extents(session)?.iter().map(|extent| u64::from(extent.blocks)).collect())
}

/// Puts TKPROF's figures of each statement beside the meter's.
fn add_tkprof(statements: &mut [Statement], trace: &Path) -> Result<()> {
    let file = File::open(trace).map_err(|error| crate::laboratory::io(trace, &error))?;
    let options = tkprof::Options { inclusive: true, ..tkprof::Options::default() };
    let summary = tkprof::summarise(std::io::BufReader::new(file), &options)?;
    for statement in statements {
        let found = summary.statements.iter().find(|s| s.sql.as_deref().is_some_and(|sql| sql.trim() == statement.sql));
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
