//! One operation of a plan: plain data that outlives the statement.

use crate::optimizer::cost::Cost;
use crate::plan::hints::HintFate;

/// The object of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlanObject {
    pub(crate) owner: String,
    pub(crate) name: String,
    /// Its name in the statement.
    pub(crate) alias: Option<String>,
    /// `TABLE`, `INDEX` …, as OBJECT_TYPE has it.
    pub(crate) kind: &'static str,
}

/// An operation, with its estimates and conditions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct PlanStep {
    pub(crate) operation: String,
    /// `FULL`, `RANGE SCAN` …; empty when there are none.
    pub(crate) options: String,
    pub(crate) object: Option<PlanObject>,
    /// Estimated rows; None without an estimate.
    pub(crate) rows: Option<u64>,
    /// Estimated bytes.
    pub(crate) bytes: Option<u64>,
    /// Estimated cost, that of the operations below included, in reads of a single block.
    pub(crate) cost: Option<u64>,
    /// The part of it that is reads.
    pub(crate) io_cost: Option<u64>,
    /// Access conditions: they limit the rows read.
    pub(crate) access: Option<String>,
    /// The access conditions are sent to cells, which check them where the rows are.
    pub(crate) in_storage: bool,
    /// Filter conditions: they are checked on the rows read.
    pub(crate) filter: Option<String>,
    /// The fates of its hints.
    pub(crate) hints: Vec<HintFate>,
    /// The way to its rows was chosen without statistics of the table.
    pub(crate) unanalyzed: bool,
}

impl PlanStep {
    pub(crate) fn new(operation: impl Into<String>, options: impl Into<String>) -> Self {
        Self { operation: operation.into(), options: options.into(), ..Self::default() }
    }

    /// A change of a table's rows.
    pub(crate) fn change(operation: &str, owner: &str, table: &str) -> Self {
        let object = PlanObject { owner: owner.to_owned(), name: table.to_owned(), alias: None, kind: "TABLE" };
        Self { object: Some(object), ..Self::new(operation, "") }
    }

    /// A filter of a join that is made, or used.
    pub(crate) fn of_join_filter(options: &str, name: &str) -> Self {
        let object = PlanObject { owner: String::new(), name: name.to_owned(), alias: None, kind: "" };
        Self { object: Some(object), ..Self::new("JOIN FILTER", options) }
    }

    /// Sets what is expected of it.
    pub(crate) fn expect(&mut self, rows: f64, row_bytes: f64, cost: Cost) {
        let rows = rows.max(1.0).round();
        self.rows = Some(rows as u64);
        self.bytes = Some((rows * row_bytes).round() as u64);
        self.cost = Some(cost.shown());
        self.io_cost = Some(cost.reads.round() as u64);
    }

    /// Operation and options: `TABLE ACCESS FULL`.
    pub(crate) fn title(&self) -> String {
        if self.options.is_empty() { self.operation.clone() } else { format!("{} {}", self.operation, self.options) }
    }

    /// The operation as STAT lines name it: with its object behind it.
    pub(crate) fn text(&self) -> String {
        match &self.object {
            Some(object) => format!("{} {}", self.title(), object.name),
            None => self.title(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_traces() {
        assert_eq!(PlanStep::new("SORT", "ORDER BY").text(), "SORT ORDER BY");
        assert_eq!(PlanStep::change("UPDATE", "U", "T").text(), "UPDATE T");
    }
}
