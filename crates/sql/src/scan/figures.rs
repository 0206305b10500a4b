//! The cost of one row source of a plan: rows, gets, reads and time, for the STAT lines of a trace.

use common::sync::atomic::{AtomicU64, Ordering};
use waits::{Meter, Statistic};

/// Figures of a row source; they grow while it runs.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    starts: AtomicU64,
    rows: AtomicU64,
    consistent: AtomicU64,
    current: AtomicU64,
    reads: AtomicU64,
    writes: AtomicU64,
    micros: AtomicU64,
}

/// A copy of the figures.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct FiguresValue {
    pub(crate) starts: u64,
    pub(crate) rows: u64,
    pub(crate) consistent: u64,
    pub(crate) current: u64,
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    pub(crate) micros: u64,
}

impl FiguresValue {
    /// Gets of both kinds.
    pub(crate) fn buffers(&self) -> u64 {
        self.consistent + self.current
    }

    /// Adds the work, without the rows, of a row source under this one.
    pub(crate) fn add_work(&mut self, under: &Self) {
        self.consistent += under.consistent;
        self.current += under.current;
        self.reads += under.reads;
        self.writes += under.writes;
        self.micros += under.micros;
    }

    /// Adds those of another execution.
    pub(crate) fn add(&mut self, other: &Self) {
        self.starts += other.starts;
        self.rows += other.rows;
        self.add_work(other);
    }
}

impl Figures {
    /// Runs `work` and adds its cost to the session.
    pub(crate) fn measure<R>(&self, meter: &Meter, work: impl FnOnce() -> R) -> R {
        let value = |statistic| meter.value(statistic);
        let gets = value(Statistic::ConsistentGets);
        let current = value(Statistic::DbBlockGets);
        let reads = value(Statistic::PhysicalReads);
        let writes = value(Statistic::PhysicalWrites);
        let start = meter.clock().monotonic_us();
        let result = work();
        let add = |counter: &AtomicU64, now: u64, before: u64| {
            counter.fetch_add(now.saturating_sub(before), Ordering::Relaxed);
        };
        add(&self.consistent, value(Statistic::ConsistentGets), gets);
        add(&self.current, value(Statistic::DbBlockGets), current);
        add(&self.reads, value(Statistic::PhysicalReads), reads);
        add(&self.writes, value(Statistic::PhysicalWrites), writes);
        add(&self.micros, meter.clock().monotonic_us(), start);
        result
    }

    /// The same where the cost is wanted.
    pub(crate) fn measure_if<R>(&self, wanted: bool, meter: &Meter, work: impl FnOnce() -> R) -> R {
        if wanted { self.measure(meter, work) } else { work() }
    }

    /// Counts a start of the row source.
    pub(crate) fn start(&self) {
        self.starts.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn rows(&self, n: u64) {
        self.rows.fetch_add(n, Ordering::Relaxed);
    }

    pub(crate) fn value(&self) -> FiguresValue {
        FiguresValue {
            starts: self.starts.load(Ordering::Relaxed),
            rows: self.rows.load(Ordering::Relaxed),
            consistent: self.consistent.load(Ordering::Relaxed),
            current: self.current.load(Ordering::Relaxed),
            reads: self.reads.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            micros: self.micros.load(Ordering::Relaxed),
        }
    }
}
