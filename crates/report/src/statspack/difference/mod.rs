//! The report between two snapshots, by Statspack's formulas.
//!
//! ```text
//! check.rs        which pairs make no report
//! first_page.rs   database, host, window, caches, load profile, efficiencies, memory
//! waits.rs        time model, wait events, histograms, buffer waits, enqueues, latches
//! sql.rs          statements at the top of something
//! activity.rs     statistics of the instance and of the operating system, undo, library cache, parameters
//! io.rs           tablespaces, files, buffer pools, storage cells
//! segments.rs     segments at the top of something
//! ```
//!
//! 1. A counter's difference is its end value less its begin value; what the begin snapshot lacks began at zero, except
//!    a statistic of the instance.
//! 2. What the snapshots do not hold is None, and so is what would be divided by zero. An empty list is None.
//! 3. Figures are kept as they come out; rounding is the printer's.

mod activity;
mod check;
mod first_page;
mod io;
mod segments;
mod sql;
mod waits;

use common::Result;

use super::snapshot::Snapshot;
use crate::model::{Kind, Report};

/// The report between two snapshots.
///
/// # Errors
/// ORA-20200 when the snapshots are of different databases or instances, they are one and the same or in the wrong
/// order, the instance was started between them (another time of its start, or a counter of waits or time that fell),
/// or a statistic of the instance is in one of them only.
pub fn difference(begin: &Snapshot, end: &Snapshot) -> Result<Report> {
    check::check(begin, end)?;
    let pair = Pair::new(begin, end);
    let mut report = Report::new(Kind::Statspack);
    pair.first_page(&mut report);
    pair.waits(&mut report);
    pair.sql(&mut report);
    pair.activity(&mut report);
    pair.io(&mut report);
    pair.segments(&mut report);
    Ok(report)
}

/// The two snapshots, and common divisors.
struct Pair<'a> {
    begin: &'a Snapshot,
    end: &'a Snapshot,
    /// Seconds between them; zero within one second.
    elapsed_s: f64,
    /// Commits and rollbacks.
    transactions: Option<f64>,
    /// Microseconds of all waits that are not idle, background processes included.
    waited_us: f64,
}

impl<'a> Pair<'a> {
    fn new(begin: &'a Snapshot, end: &'a Snapshot) -> Self {
        let mut pair = Self {
            begin,
            end,
            elapsed_s: (end.header.utc_s - begin.header.utc_s) as f64,
            transactions: None,
            waited_us: 0.0,
        };
        pair.transactions = both(pair.statistic("user commits"), pair.statistic("user rollbacks"));
        pair.waited_us = pair.events().iter().filter(|event| !event.idle).map(|event| event.system.micros as f64).sum();
        pair
    }

    /// The difference of a statistic of V$SYSSTAT, in its own unit.
    fn statistic(&self, name: &str) -> Option<f64> {
        let value =
            |snapshot: &Snapshot| snapshot.statistics.iter().find(|line| line.name == name).map(|line| line.value);
        Some(value(self.end)? as f64 - value(self.begin)? as f64)
    }

    /// The difference of a line of the time model, microseconds.
    fn time_model_us(&self, name: &str) -> Option<f64> {
        let value =
            |snapshot: &Snapshot| snapshot.time_model.iter().find(|line| line.name == name).map(|line| line.micros);
        Some(value(self.end)?.saturating_sub(value(self.begin).unwrap_or(0)) as f64)
    }

    fn per_second(&self, value: f64) -> Option<f64> {
        over(value, self.elapsed_s)
    }

    fn per_transaction(&self, value: f64) -> Option<f64> {
        over(value, self.transactions?)
    }

    /// Call time in microseconds: waits that are not idle, and CPU. What the shares of events are of.
    fn call_time_us(&self) -> f64 {
        self.waited_us + self.statistic("CPU used by this session").unwrap_or(0.0) * 10_000.0
    }
}

/// None where the divisor is zero.
fn over(value: f64, by: f64) -> Option<f64> {
    (by != 0.0).then(|| value / by)
}

fn percent(part: f64, whole: f64) -> Option<f64> {
    over(100.0 * part, whole)
}

/// The sum; None counts as nothing when the other is there.
fn both(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}

/// The difference of a counter's two values.
fn since(end: u64, begin: u64) -> f64 {
    end.saturating_sub(begin) as f64
}

/// An empty list is None.
fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

/// The most first; of two with as much, the second measure decides, then the name.
fn descending<T>(list: &mut [T], first: impl Fn(&T) -> f64, second: impl Fn(&T) -> f64, name: impl Fn(&T) -> &str) {
    list.sort_by(|one, other| {
        first(other)
            .total_cmp(&first(one))
            .then_with(|| second(other).total_cmp(&second(one)))
            .then_with(|| name(one).cmp(name(other)))
    });
}
