//! Several sessions inserting an ever-increasing value at once: the clustering factor of an index on it.
//!
//! Each session is a thread with a connection of its own. The sessions take values from one counter and insert them one
//! row a statement, each committed. Space management sends the sessions to blocks, and so decides if the rows of
//! neighbouring values end up in the same block.

use std::sync::Arc;

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{self, JoinHandle};
use common::{Error, Result};
use format::number;
use scalar::Datum;
use serde::Serialize;
use serde_json::{Value, json};
use sql::Database;
use waits::Event;

use crate::experiment::expectation::Finding;
use crate::grid::Grid;
use crate::index::IndexFigures;
use crate::laboratory::{Laboratory, connect, formatted_blocks};
use crate::progress::Progress;
use crate::text::grouped;
use crate::time::seconds;

/// Sessions at once.
const SESSIONS: u64 = 5;
/// Rows at scale 1, all sessions together.
const ROWS: f64 = 100_000.0;
const ROWS_LEAST: u64 = 500;
/// Bytes that make a row of about the source's length.
const FILLER_BYTES: usize = 80;

/// One way of managing space while several sessions insert.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ClusteringCase {
    pub name: String,
    pub clustering_factor: u64,
    /// Blocks with rows.
    pub blocks: u64,
    pub buffer_busy_waits: u64,
    pub elapsed_s: f64,
}

/// Several sessions inserting an ever-increasing value at once.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Clustering {
    pub sessions: u64,
    pub rows: u64,
    /// Freelists 1, freelists as many as sessions, bitmaps.
    pub cases: Vec<ClusteringCase>,
}

impl Clustering {
    /// Names of the cases.
    pub const ONE_FREELIST: &str = "manual, freelists 1";
    pub const FREELIST_EACH: &str = "manual, freelists 5";
    pub const BITMAPS: &str = "auto";

    /// The printed table.
    pub(crate) fn grid(&self) -> Grid {
        let head = format!("{} sessions at once, {} rows", self.sessions, grouped(self.rows));
        let mut grid = Grid::new(&[&head, "clustering factor", "blocks", "buffer busy waits", "elapsed s"], 1);
        for case in &self.cases {
            grid.row([
                case.name.clone(),
                grouped(case.clustering_factor),
                grouped(case.blocks),
                grouped(case.buffer_busy_waits),
                format!("{:.2}", case.elapsed_s),
            ]);
        }
        grid
    }
}

/// Holds when bitmaps leave an index on the value with a worse clustering factor than one freelist does.
///
/// # Errors
/// ORA-00600 when a case was not run.
pub(crate) fn judge(measured: &Clustering) -> Result<Finding> {
    let of = |name: &str| measured.cases.iter().find(|case| case.name == name);
    let words: Vec<String> =
        measured.cases.iter().map(|case| format!("{}: {}", case.name, grouped(case.clustering_factor))).collect();
    let figures = format!("{} rows; {} (published without figures)", grouped(measured.rows), words.join("; "));
    match (of(Clustering::ONE_FREELIST), of(Clustering::BITMAPS)) {
        (Some(manual), Some(auto)) => {
            let holds = auto.clustering_factor > manual.clustering_factor;
            Ok(Finding::new(Value::Null, json!(measured), figures, holds))
        }
        _ => Err(Error::bug("a case of the clustering factor was not run")),
    }
}

/// Runs the three cases, in tablespaces under freelists and under bitmaps.
pub(crate) fn run(
    laboratory: &Laboratory,
    [manual, auto]: [&str; 2],
    scale: f64,
    progress: &mut dyn Progress,
) -> Result<Clustering> {
    let rows = ((ROWS * scale) as u64).max(ROWS_LEAST) / SESSIONS * SESSIONS;
    let cases = [
        (Clustering::ONE_FREELIST, manual, "one", " storage (freelists 1)"),
        (Clustering::FREELIST_EACH, manual, "each", " storage (freelists 5)"),
        (Clustering::BITMAPS, auto, "auto", ""),
    ];
    let mut measured = Vec::new();
    for (name, tablespace, suffix, storage) in cases {
        progress.step(&format!("{SESSIONS} sessions at once: {name}"));
        let table = format!("increasing_{suffix}");
        let mut connection = laboratory.connect()?;
        connection
            .run(&format!("create table {table} (id number, filler varchar2(100)) tablespace {tablespace}{storage}"))?;
        measured.push(case(laboratory, name, &table, rows)?);
    }
    Ok(Clustering { sessions: SESSIONS, rows, cases: measured })
}

fn case(laboratory: &Laboratory, name: &str, table: &str, rows: u64) -> Result<ClusteringCase> {
    let clock = Arc::clone(laboratory.database().instance().clock());
    let counter = Arc::new(AtomicU64::new(1));
    let from_us = clock.monotonic_us();
    let mut threads: Vec<JoinHandle<Result<u64>>> = Vec::new();
    for number in 0..SESSIONS {
        let (database, counter, table) = (Arc::clone(laboratory.database()), Arc::clone(&counter), table.to_owned());
        let thread = sync::spawn(&format!("session{number}"), move || insert(&database, &counter, &table, rows))
            .map_err(|error| Error::own(common::ErrorKind::OutOfResource, 2, format!("no thread: {error}")))?;
        threads.push(thread);
    }
    // All are joined, also after an error.
    let results: Vec<Result<u64>> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap_or_else(|_| Err(Error::bug("a session's thread panicked"))))
        .collect();
    let elapsed_us = clock.monotonic_us() - from_us;
    let buffer_busy_waits = results.into_iter().sum::<Result<u64>>()?;
    let mut connection = laboratory.connect()?;
    let index = format!("{table}_ndx");
    connection.run(&format!("create index {index} on {table}(id)"))?;
    let figures = IndexFigures::of(&mut connection, &index)?;
    if figures.num_rows != rows {
        return Err(Error::bug(format!("{} of {rows} rows were inserted", figures.num_rows)));
    }
    Ok(ClusteringCase {
        name: name.to_owned(),
        clustering_factor: figures.clustering_factor,
        blocks: formatted_blocks(&connection, table)?,
        buffer_busy_waits,
        elapsed_s: seconds(elapsed_us),
    })
}

/// One session: takes the next value and inserts it, until there are `rows`. Returns its buffer busy waits.
fn insert(database: &Arc<Database>, counter: &AtomicU64, table: &str, rows: u64) -> Result<u64> {
    let mut connection = connect(database)?;
    let cursor = connection.parse(&format!("insert into {table} values (:id, :filler)"))?;
    let commit = connection.parse("commit")?;
    loop {
        let value = counter.fetch_add(1, Ordering::Relaxed);
        if value > rows {
            break;
        }
        connection.bind(cursor, "id", Datum::Number(number::encode_i64(value as i64)))?;
        connection.bind(cursor, "filler", Datum::Varchar2("x".repeat(FILLER_BYTES)))?;
        connection.execute(cursor)?;
        connection.execute(commit)?;
    }
    connection.close(cursor);
    connection.close(commit);
    Ok(connection.session().meter().event(Event::BufferBusyWaits).waits)
}
