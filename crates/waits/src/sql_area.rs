//! What each statement has cost so far: the figures of V$SQL.
//!
//! A call begins with a reading of its session's counters and ends with another; the difference is added to the
//! statement. Calls made inside it are included, as in Oracle: the figures of a PL/SQL block and of the statements in
//! it overlap.

use std::collections::HashMap;

use common::sync::atomic::{AtomicU64, Ordering::Relaxed};
use common::sync::{Arc, Mutex, MutexGuard};

use crate::event::WaitClass;
use crate::latch::LatchName;
use crate::meter::Meter;
use crate::statistic::Statistic;

/// A session's counters at one moment, those that a statement's figures need. Times in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CallReading {
    pub elapsed_us: u64,
    pub cpu_us: u64,
    pub consistent_gets: u64,
    pub current_gets: u64,
    pub disk_reads: u64,
    pub direct_writes: u64,
    pub sorts: u64,
    pub application_wait_us: u64,
    pub concurrency_wait_us: u64,
    pub user_io_wait_us: u64,
    pub physical_read_requests: u64,
    pub physical_read_bytes: u64,
    pub physical_write_requests: u64,
    pub physical_write_bytes: u64,
    /// Bytes on disk of what cells scanned.
    pub eligible_bytes: u64,
    /// Bytes of messages to and from cells.
    pub interconnect_bytes: u64,
    /// Bytes of the cells' answers to scans.
    pub returned_bytes: u64,
}

impl CallReading {
    /// A reading by the session's own thread.
    #[must_use]
    pub fn now(meter: &Meter) -> Self {
        let elapsed_us = meter.clock().monotonic_us();
        Self {
            elapsed_us,
            cpu_us: meter.thread_cpu_us(elapsed_us),
            consistent_gets: meter.value(Statistic::ConsistentGets),
            current_gets: meter.value(Statistic::DbBlockGets),
            disk_reads: meter.value(Statistic::PhysicalReads),
            direct_writes: meter.value(Statistic::PhysicalWritesDirect),
            sorts: meter.value(Statistic::SortsMemory) + meter.value(Statistic::SortsDisk),
            application_wait_us: meter.class(WaitClass::Application).1,
            concurrency_wait_us: meter.class(WaitClass::Concurrency).1,
            user_io_wait_us: meter.class(WaitClass::UserIo).1,
            physical_read_requests: meter.value(Statistic::PhysicalReadIoRequests),
            physical_read_bytes: meter.value(Statistic::PhysicalReadBytes),
            physical_write_requests: meter.value(Statistic::PhysicalWriteIoRequests),
            physical_write_bytes: meter.value(Statistic::PhysicalWriteBytes),
            eligible_bytes: meter.value(Statistic::CellPhysicalIoBytesEligibleForPredicateOffload),
            interconnect_bytes: meter.value(Statistic::CellPhysicalIoInterconnectBytes),
            returned_bytes: meter.value(Statistic::CellPhysicalIoInterconnectBytesReturnedBySmartScan),
        }
    }

    /// What was counted between `begin`, of the same session, and this.
    #[must_use]
    pub fn since(&self, begin: &Self) -> Self {
        Self {
            elapsed_us: self.elapsed_us.saturating_sub(begin.elapsed_us),
            cpu_us: self.cpu_us.saturating_sub(begin.cpu_us),
            consistent_gets: self.consistent_gets.saturating_sub(begin.consistent_gets),
            current_gets: self.current_gets.saturating_sub(begin.current_gets),
            disk_reads: self.disk_reads.saturating_sub(begin.disk_reads),
            direct_writes: self.direct_writes.saturating_sub(begin.direct_writes),
            sorts: self.sorts.saturating_sub(begin.sorts),
            application_wait_us: self.application_wait_us.saturating_sub(begin.application_wait_us),
            concurrency_wait_us: self.concurrency_wait_us.saturating_sub(begin.concurrency_wait_us),
            user_io_wait_us: self.user_io_wait_us.saturating_sub(begin.user_io_wait_us),
            physical_read_requests: self.physical_read_requests.saturating_sub(begin.physical_read_requests),
            physical_read_bytes: self.physical_read_bytes.saturating_sub(begin.physical_read_bytes),
            physical_write_requests: self.physical_write_requests.saturating_sub(begin.physical_write_requests),
            physical_write_bytes: self.physical_write_bytes.saturating_sub(begin.physical_write_bytes),
            eligible_bytes: self.eligible_bytes.saturating_sub(begin.eligible_bytes),
            interconnect_bytes: self.interconnect_bytes.saturating_sub(begin.interconnect_bytes),
            returned_bytes: self.returned_bytes.saturating_sub(begin.returned_bytes),
        }
    }
}

/// What kind of call it was, for the counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SqlCall {
    Parse,
    Execute,
    Fetch,
}

/// Figures of one statement since it was first seen. Times in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SqlFigures {
    pub executions: u64,
    pub parse_calls: u64,
    pub fetches: u64,
    /// Rows fetched, or changed.
    pub rows_processed: u64,
    pub sorts: u64,
    pub buffer_gets: u64,
    pub disk_reads: u64,
    pub direct_writes: u64,
    pub elapsed_us: u64,
    pub cpu_us: u64,
    pub application_wait_us: u64,
    pub concurrency_wait_us: u64,
    /// There is one instance, so there are no cluster waits.
    pub cluster_wait_us: u64,
    pub user_io_wait_us: u64,
    pub physical_read_requests: u64,
    pub physical_read_bytes: u64,
    pub physical_write_requests: u64,
    pub physical_write_bytes: u64,
    /// Bytes on disk of what cells scanned.
    pub eligible_bytes: u64,
    /// Bytes of messages to and from cells.
    pub interconnect_bytes: u64,
    /// Bytes of the cells' answers to scans.
    pub returned_bytes: u64,
    /// When it was last called, microseconds since 1970.
    pub last_active_us: u64,
}

/// The properties of a statement at its parse.
#[derive(Clone, Debug)]
pub struct SqlSource {
    pub text: Arc<str>,
    /// [`crate::sql_id`] and [`crate::sql_hash`] of the text.
    pub sql_id: Arc<str>,
    pub hash: u32,
    /// The number of the command: 3 for SELECT.
    pub command: u32,
    /// The schema in which it is parsed.
    pub schema: Arc<str>,
    /// MODULE of the parsing session.
    pub module: Option<Arc<str>>,
    pub action: Option<Arc<str>>,
}

/// Place of the time of the last call among a statement's figures.
const LAST_ACTIVE: usize = 20;

/// A statement and its cost.
#[derive(Debug)]
pub struct SqlStatement {
    source: SqlSource,
    first_load_us: u64,
    /// `executions` to `last_active_us` of [`SqlFigures`], in that order but for the cluster's.
    figures: [AtomicU64; LAST_ACTIVE + 1],
}

impl SqlStatement {
    /// The properties at its first parse.
    #[must_use]
    pub fn source(&self) -> &SqlSource {
        &self.source
    }

    /// When it was first seen, microseconds since 1970.
    #[must_use]
    pub fn first_load_us(&self) -> u64 {
        self.first_load_us
    }

    /// Adds a call of the statement that ended at `ended_us` since 1970, with its cost `took`. `rows` were fetched or
    /// changed by it.
    pub fn ended(&self, took: &CallReading, ended_us: u64, call: SqlCall, rows: u64) {
        let add = [
            u64::from(call == SqlCall::Execute),
            u64::from(call == SqlCall::Parse),
            u64::from(call == SqlCall::Fetch),
            rows,
            took.sorts,
            took.consistent_gets + took.current_gets,
            took.disk_reads,
            took.direct_writes,
            took.elapsed_us,
            took.cpu_us,
            took.application_wait_us,
            took.concurrency_wait_us,
            took.user_io_wait_us,
            took.physical_read_requests,
            took.physical_read_bytes,
            took.physical_write_requests,
            took.physical_write_bytes,
            took.eligible_bytes,
            took.interconnect_bytes,
            took.returned_bytes,
        ];
        for (figure, n) in self.figures.iter().zip(add).filter(|(_, n)| *n > 0) {
            figure.fetch_add(n, Relaxed);
        }
        self.figures[LAST_ACTIVE].store(ended_us, Relaxed);
    }

    /// What it has cost so far.
    #[must_use]
    pub fn figures(&self) -> SqlFigures {
        let figure = |at: usize| self.figures[at].load(Relaxed);
        SqlFigures {
            executions: figure(0),
            parse_calls: figure(1),
            fetches: figure(2),
            rows_processed: figure(3),
            sorts: figure(4),
            buffer_gets: figure(5),
            disk_reads: figure(6),
            direct_writes: figure(7),
            elapsed_us: figure(8),
            cpu_us: figure(9),
            application_wait_us: figure(10),
            concurrency_wait_us: figure(11),
            cluster_wait_us: 0,
            user_io_wait_us: figure(12),
            physical_read_requests: figure(13),
            physical_read_bytes: figure(14),
            physical_write_requests: figure(15),
            physical_write_bytes: figure(16),
            eligible_bytes: figure(17),
            interconnect_bytes: figure(18),
            returned_bytes: figure(19),
            last_active_us: figure(LAST_ACTIVE),
        }
    }
}

/// The statements whose figures are kept. Beyond the limit, unreferenced ones are dropped, the least recently called
/// first.
#[derive(Debug)]
pub struct SqlArea {
    capacity: usize,
    statements: Mutex<HashMap<Arc<str>, Arc<SqlStatement>>>,
}

impl SqlArea {
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { capacity, statements: Mutex::default() }
    }

    /// The statement with the source's text, made from the source if new.
    pub fn statement(&self, meter: &Meter, source: &SqlSource) -> Arc<SqlStatement> {
        if let Some(known) = self.latched(meter).get(&source.text) {
            return known.clone();
        }
        let now = meter.clock().wall_us();
        let figures = [const { AtomicU64::new(0) }; LAST_ACTIVE + 1];
        figures[LAST_ACTIVE].store(now, Relaxed);
        let new = Arc::new(SqlStatement { source: source.clone(), first_load_us: now, figures });
        let mut statements = self.latched(meter);
        if statements.len() >= self.capacity {
            age_out(&mut statements, self.capacity);
        }
        // Another session may have been faster.
        statements.entry(source.text.clone()).or_insert(new).clone()
    }

    fn latched(&self, meter: &Meter) -> MutexGuard<'_, HashMap<Arc<str>, Arc<SqlStatement>>> {
        meter.latch(LatchName::SharedPool, &self.statements)
    }

    /// Drops unreferenced statements.
    pub fn flush(&self, meter: &Meter) {
        self.latched(meter).retain(|_, statement| Arc::strong_count(statement) > 1);
    }

    /// All of them, in no order.
    #[must_use]
    pub fn statements(&self) -> Vec<Arc<SqlStatement>> {
        self.statements.lock().values().cloned().collect()
    }
}

/// Makes room: drops an eighth of the statements, if so many are unreferenced.
fn age_out(statements: &mut HashMap<Arc<str>, Arc<SqlStatement>>, capacity: usize) {
    let idle = statements.values().filter(|statement| Arc::strong_count(statement) == 1);
    let mut ages: Vec<_> = idle.map(|statement| statement.figures[13].load(Relaxed)).collect();
    ages.sort_unstable();
    let Some(limit) = ages.get((capacity / 8).min(ages.len().saturating_sub(1))).copied() else { return };
    statements.retain(|_, statement| Arc::strong_count(statement) > 1 || statement.figures[13].load(Relaxed) > limit);
}
