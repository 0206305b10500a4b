//! One operation of a plan: pure data, which outlives the statement.

use crate::plan::hints::HintFate;

/// What an operation works on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlanObject {
    pub(crate) owner: String,
    pub(crate) name: String,
    /// What the statement calls it.
    pub(crate) alias: Option<String>,
    /// `TABLE`, `INDEX` …, as OBJECT_TYPE has it.
    pub(crate) kind: &'static str,
}

/// An operation, and what is thought and known of it before it runs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Step {
    pub(crate) operation: String,
    /// `FULL`, `RANGE SCAN` …; empty when there are none.
    pub(crate) options: String,
    pub(crate) object: Option<PlanObject>,
    /// Rows that it is expected to give; None without an estimate.
    pub(crate) rows: Option<u64>,
    /// Their bytes.
    pub(crate) bytes: Option<u64>,
    /// The conditions that say where it looks.
    pub(crate) access: Option<String>,
    /// The conditions that rows it has found must satisfy.
    pub(crate) filter: Option<String>,
    /// What became of the hints for it.
    pub(crate) hints: Vec<HintFate>,
}

impl Step {
    pub(crate) fn new(operation: impl Into<String>, options: impl Into<String>) -> Self {
        Self { operation: operation.into(), options: options.into(), ..Self::default() }
    }

    /// A change of a table's rows.
    pub(crate) fn change(operation: &str, owner: &str, table: &str) -> Self {
        let object = PlanObject { owner: owner.to_owned(), name: table.to_owned(), alias: None, kind: "TABLE" };
        Self { object: Some(object), ..Self::new(operation, "") }
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
        assert_eq!(Step::new("SORT", "ORDER BY").text(), "SORT ORDER BY");
        assert_eq!(Step::change("UPDATE", "U", "T").text(), "UPDATE T");
    }
}
