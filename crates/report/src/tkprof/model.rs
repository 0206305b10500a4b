//! The totals of a trace. Times are microseconds as TKPROF reckons them (see
//! [`crate::trace::TimeUnit::nominal_microseconds`]).

use crate::trace::{Header, Reading};

/// A whole trace, summed up.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// Name of the trace file from the caller, if the file's own head does not have it.
    pub name: Option<String>,
    pub header: Header,
    pub reading: Reading,
    /// Figures of a call include those of its recursive calls.
    pub inclusive: bool,
    /// In the order of their first appearance.
    pub statements: Vec<Statement>,
    pub non_recursive: Totals,
    pub recursive: Totals,
    /// Waits of no cursor: also counted in `non_recursive`.
    pub waits_without_cursor: Vec<WaitTotals>,
    pub parse_errors: Vec<FailedParse>,
    pub lob_calls: Vec<LobTotals>,
    pub transactions: Transactions,
    pub sessions: u64,
    /// Cursors parsed by other users than SYS.
    pub user_statements: u64,
    /// Cursors parsed by SYS.
    pub internal_statements: u64,
    /// From the first to the last time in the trace.
    pub elapsed: Option<i64>,
}

/// All calls of one statement.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Statement {
    /// From the trace, or computed from the text where the trace has only the hash value and that agrees.
    pub sql_id: Option<String>,
    pub hash_value: Option<u64>,
    /// `None`: the trace began after the cursor was parsed.
    pub sql: Option<String>,
    /// The text is not complete.
    pub incomplete: bool,
    /// Command type.
    pub command: Option<u32>,
    /// Parsing user; 0 is SYS.
    pub user: Option<u32>,
    /// The deepest at which it was called; 0 is the user's own call.
    pub depth: u32,
    /// The last that was not 0.
    pub plan_hash: Option<u64>,
    /// Optimizer goal: the last that was not 0.
    pub goal: Option<u32>,
    /// Number of parses in the trace.
    pub cursors: u64,
    pub parse: Figures,
    /// UNMAP and SORT UNMAP included.
    pub execute: Figures,
    pub fetch: Figures,
    /// Not part of any total. At depth 1 and below the caller's figures include these times.
    pub close: Figures,
    /// One for each shape of plan, in the order of their first appearance.
    pub plans: Vec<Plan>,
    pub waits: Vec<WaitTotals>,
    pub errors: Vec<ErrorCount>,
}

impl Statement {
    /// Parse, execute and fetch together.
    #[must_use]
    pub fn total(&self) -> Figures {
        self.parse.plus(&self.execute).plus(&self.fetch)
    }
}

/// Sums over calls of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    pub count: u64,
    /// Where recursive calls are subtracted, it may be a little below zero: CPU clocks are coarse.
    pub cpu: i64,
    pub elapsed: i64,
    pub disk: i64,
    pub query: i64,
    pub current: i64,
    pub rows: i64,
    pub misses: i64,
}

impl Figures {
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            cpu: self.cpu.saturating_add(other.cpu),
            elapsed: self.elapsed.saturating_add(other.elapsed),
            disk: self.disk.saturating_add(other.disk),
            query: self.query.saturating_add(other.query),
            current: self.current.saturating_add(other.current),
            rows: self.rows.saturating_add(other.rows),
            misses: self.misses.saturating_add(other.misses),
        }
    }
}

/// Sums over the statements of one side: those of the user, or the recursive ones.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    pub parse: Figures,
    pub execute: Figures,
    pub fetch: Figures,
    pub waits: Vec<WaitTotals>,
}

impl Totals {
    /// Parse, execute and fetch together.
    #[must_use]
    pub fn total(&self) -> Figures {
        self.parse.plus(&self.execute).plus(&self.fetch)
    }
}

/// All waits for one event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WaitTotals {
    pub event: String,
    pub count: u64,
    pub max: i64,
    pub total: i64,
}

/// One shape of plan: the same operations in the same tree.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// Number of captures of its figures.
    pub captured: u64,
    pub row_sources: Vec<RowSource>,
}

/// One row source, over all captures of its plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RowSource {
    pub id: u32,
    pub parent: Option<u32>,
    pub position: Option<u32>,
    /// Steps from the root.
    pub level: u32,
    pub operation: String,
    pub object: Option<i64>,
    pub rows: Captured,
    pub query: Captured,
    pub reads: Captured,
    pub writes: Captured,
    pub elapsed: Captured,
    pub starts: Captured,
    /// The optimizer's estimates, from the first capture.
    pub cost: Option<i64>,
    pub size: Option<i64>,
    pub cardinality: Option<i64>,
}

/// A figure over several captures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Captured {
    pub first: Option<i64>,
    pub max: Option<i64>,
    pub sum: i64,
    /// Captures that have the figure.
    pub count: u64,
}

impl Captured {
    /// Takes one capture's figure.
    pub fn add(&mut self, value: Option<i64>) {
        let Some(value) = value else { return };
        self.first.get_or_insert(value);
        self.max = Some(self.max.map_or(value, |max| max.max(value)));
        self.sum = self.sum.saturating_add(value);
        self.count += 1;
    }

    /// The mean, a half rounded to the even neighbour, as TKPROF's is.
    #[must_use]
    pub fn average(&self) -> Option<i64> {
        let count = i64::try_from(self.count).ok().filter(|count| *count > 0)?;
        let (quotient, rest) = (self.sum.div_euclid(count), self.sum.rem_euclid(count));
        let up = match (rest.saturating_mul(2)).cmp(&count) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => quotient & 1,
            std::cmp::Ordering::Greater => 1,
        };
        Some(quotient.saturating_add(up))
    }
}

/// The number of times an error was raised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorCount {
    /// The ORA number.
    pub error: u32,
    pub count: u64,
}

/// A statement that could not be parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedParse {
    pub sql: String,
    pub error: u32,
    pub user: Option<u32>,
    pub depth: Option<u32>,
    pub count: u64,
}

/// Calls on LOBs of one kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LobTotals {
    pub operation: String,
    pub bytes: i64,
    pub figures: Figures,
}

/// Commits and rollbacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Transactions {
    pub commits: u64,
    pub rollbacks: u64,
    /// Of either, those that had changed nothing.
    pub read_only: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_goes_to_the_even_neighbour() {
        let average = |values: &[i64]| {
            let mut captured = Captured::default();
            values.iter().for_each(|value| captured.add(Some(*value)));
            captured.average()
        };
        assert_eq!(average(&[0, 1]), Some(0));
        assert_eq!(average(&[1, 2]), Some(2));
        assert_eq!(average(&[10, 11]), Some(10));
        assert_eq!(average(&[1, 1, 2]), Some(1));
        assert_eq!(average(&[1, 2, 2]), Some(2));
        assert_eq!(average(&[]), None);
        assert_eq!(average(&[i64::MAX, i64::MAX]), Some(i64::MAX / 2 + 1));
    }
}
