//! The rows of a plan table, and the one that every session has for itself.
//!
//! A session without a table of that name sees its own PLAN_TABLE: rows in memory, private to the session, which go
//! with it. They survive a rollback.

use common::Result;
use scalar::Datum;

use super::display::PlanLine;
use super::hints;
use super::plan::CursorPlan;
use super::step::{PlanObject, PlanStep};
use crate::views::view::{ViewColumn, at, date, maybe, n, number, s, text};

/// The default name.
pub(crate) const PLAN_TABLE: &str = "PLAN_TABLE";

/// The columns of a plan table, in the order of [`PlanRow::values`].
pub(crate) const COLUMNS: &[ViewColumn] = &[
    text("STATEMENT_ID", 30),
    number("PLAN_ID"),
    date("TIMESTAMP"),
    text("OPERATION", 30),
    text("OPTIONS", 255),
    text("OBJECT_OWNER", 128),
    text("OBJECT_NAME", 128),
    text("OBJECT_ALIAS", 261),
    text("OBJECT_TYPE", 30),
    number("ID"),
    number("PARENT_ID"),
    number("DEPTH"),
    number("POSITION"),
    number("COST"),
    number("CARDINALITY"),
    number("BYTES"),
    text("ACCESS_PREDICATES", 4000),
    text("FILTER_PREDICATES", 4000),
    text("REMARKS", 4000),
];

/// Columns that a table must have to be a plan table.
pub(crate) const REQUIRED: &[&str] =
    &["STATEMENT_ID", "PLAN_ID", "TIMESTAMP", "OPERATION", "OPTIONS", "OBJECT_NAME", "ID", "PARENT_ID", "POSITION"];

/// A row of a plan table.
#[derive(Clone, Debug)]
pub(crate) struct PlanRow {
    pub(crate) statement_id: Option<String>,
    pub(crate) plan_id: u64,
    wall_us: u64,
    pub(crate) line: PlanLine,
    parent: Option<u64>,
    position: Option<u64>,
}

/// The rows of a plan.
pub(crate) fn rows(plan: &CursorPlan, statement_id: Option<&str>, plan_id: u64, wall_us: u64) -> Vec<PlanRow> {
    let (parents, positions) = (plan.parents(), plan.positions());
    plan.sources
        .iter()
        .enumerate()
        .map(|(at, source)| PlanRow {
            statement_id: statement_id.map(str::to_owned),
            plan_id,
            wall_us,
            line: PlanLine { id: at as u64, depth: source.depth, step: source.step.clone(), figures: None },
            parent: parents[at].map(|parent| parent as u64),
            // For the statement itself Oracle has its cost in this column.
            position: parents[at].map(|_| positions[at]),
        })
        .collect()
}

impl PlanRow {
    /// The values of [`COLUMNS`].
    ///
    /// # Errors
    /// When the time is out of range.
    pub(crate) fn values(&self) -> Result<Vec<Datum>> {
        let PlanLine { id, depth, step, .. } = &self.line;
        let object = step.object.as_ref();
        let full = |value: &String| if value.is_empty() { Datum::Null } else { s(value) };
        let cut = |value: &String| s(beginning(value, 4000));
        Ok(vec![
            maybe(self.statement_id.as_ref(), s),
            n(self.plan_id),
            at(self.wall_us)?,
            s(&step.operation),
            full(&step.options),
            maybe(object, |object| full(&object.owner)),
            maybe(object, |object| s(&object.name)),
            maybe(object.and_then(|object| object.alias.as_ref()), s),
            maybe(object, |object| s(object.kind)),
            n(*id),
            maybe(self.parent, n),
            n(*depth),
            maybe(self.position, n),
            // There is no cost.
            Datum::Null,
            maybe(step.rows, n),
            maybe(step.bytes, n),
            maybe(step.access.as_ref(), cut),
            maybe(step.filter.as_ref(), cut),
            maybe(hints::remarks(&step.hints).as_ref(), cut),
        ])
    }
}

/// The beginning of a text, cut to a column's width.
fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The columns that [`line`] reads, in its order.
pub(crate) const SHOWN: &str = "ID, DEPTH, OPERATION, OPTIONS, OBJECT_NAME, OBJECT_ALIAS, CARDINALITY, BYTES, ACCESS_PREDICATES, FILTER_PREDICATES";

/// A further column, where the table has it.
pub(crate) const REMARKS: &str = "REMARKS";

/// Reads a selected row of a plan table.
pub(crate) fn line(row: &[Datum]) -> PlanLine {
    let number = |at: usize| match row.get(at) {
        Some(Datum::Number(bytes)) => {
            format::number::decode_i64(&format::number::truncate(bytes, 0)).and_then(|n| u64::try_from(n).ok())
        }
        _ => None,
    };
    let text = |at: usize| match row.get(at) {
        Some(Datum::Varchar2(text) | Datum::Char(text)) => Some(text.clone()),
        _ => None,
    };
    let object = text(4).map(|name| PlanObject { owner: String::new(), name, alias: text(5), kind: "" });
    PlanLine {
        id: number(0).unwrap_or(0),
        depth: number(1).and_then(|depth| u32::try_from(depth).ok()).unwrap_or(0),
        step: PlanStep {
            operation: text(2).unwrap_or_default(),
            options: text(3).unwrap_or_default(),
            object,
            rows: number(6),
            bytes: number(7),
            access: text(8),
            filter: text(9),
            hints: text(10).map(|remarks| hints::of_remarks(&remarks)).unwrap_or_default(),
        },
        figures: None,
    }
}
