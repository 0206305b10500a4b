//! Several sessions inserting an ever-increasing value at once: the clustering factor of an index on it.
//!
//! Each session is a thread with a connection of its own. They take values from one counter and insert them one row a statement, each committed. Whether the
//! rows of neighbouring values end up in the same block is decided by where space management sends the sessions.

use std::sync::Arc;

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{self, JoinHandle};
use common::{Error, Result};
use format::number;
use scalar::Datum;
use sql::Database;
use waits::Event;

use crate::arm::{index_figures, short};
use crate::laboratory::{Laboratory, connect};
use crate::measured::{Clustering, ClusteringCase, seconds};
use crate::progress::Progress;
use crate::published::ArmName;

/// Sessions at once.
pub(crate) const SESSIONS: u64 = 5;
/// Rows at scale 1, all sessions together.
const ROWS: f64 = 100_000.0;
const ROWS_LEAST: u64 = 500;
/// Bytes that make a row of about the source's length.
const FILLER_BYTES: usize = 80;

/// Runs the three cases in the arms' tablespaces.
pub(crate) fn run(laboratory: &Laboratory, scale: f64, progress: &mut dyn Progress) -> Result<Clustering> {
    let rows = ((ROWS * scale) as u64).max(ROWS_LEAST) / SESSIONS * SESSIONS;
    let cases = [
        (Clustering::ONE_FREELIST, ArmName::Manual, "one", " storage (freelists 1)"),
        (Clustering::FREELIST_EACH, ArmName::Manual, "each", " storage (freelists 5)"),
        (Clustering::BITMAPS, ArmName::Auto, "auto", ""),
    ];
    let mut measured = Vec::new();
    for (name, arm, suffix, storage) in cases {
        progress.step(&format!("{SESSIONS} sessions at once: {name}"));
        let table = format!("increasing_{suffix}");
        let mut connection = laboratory.connect()?;
        connection.run(&format!(
            "create table {table} (id number, filler varchar2(100)) tablespace {}_tbs{storage}",
            short(arm)
        ))?;
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
    let figures = index_figures(&mut connection, &index)?;
    if figures.num_rows != rows {
        return Err(Error::bug(format!("{} of {rows} rows were inserted", figures.num_rows)));
    }
    let session = Arc::clone(connection.session());
    let catalog = session.catalog();
    let definition = catalog.require_table(&session.user(), &table.to_uppercase())?;
    let usage = definition.segment.space_usage(&session)?;
    Ok(ClusteringCase {
        name: name.to_owned(),
        clustering_factor: figures.clustering_factor,
        blocks: u64::from(usage.below_high_water.saturating_sub(usage.metadata + usage.unformatted)),
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
