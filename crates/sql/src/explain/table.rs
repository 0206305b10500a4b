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
use crate::views::view::{Column, date, maybe, n, number, s, text, unless_zero};

/// The default name.
pub(crate) const PLAN_TABLE: &str = "PLAN_TABLE";

/// The columns of a plan table.
pub(crate) const COLUMNS: &[Column<PlanRow>] = &[
    text("STATEMENT_ID", 30, |row| maybe(row.statement_id.as_ref(), s)),
    number("PLAN_ID", |row| n(row.plan_id)),
    date("TIMESTAMP", |row| unless_zero(row.wall_us)),
    text("OPERATION", 30, |row| s(&row.line.step.operation)),
    text("OPTIONS", 255, |row| s(&row.line.step.options)),
    text("OBJECT_OWNER", 128, |row| maybe(row.object(), |object| s(&object.owner))),
    text("OBJECT_NAME", 128, |row| maybe(row.object(), |object| s(&object.name))),
    text("OBJECT_ALIAS", 261, |row| maybe(row.object().and_then(|object| object.alias.as_ref()), s)),
    text("OBJECT_TYPE", 30, |row| maybe(row.object(), |object| s(object.kind))),
    number("ID", |row| n(row.line.id)),
    number("PARENT_ID", |row| maybe(row.parent, n)),
    number("DEPTH", |row| n(row.line.depth)),
    number("POSITION", |row| maybe(row.position, n)),
    number("COST", |row| maybe(row.line.step.cost, n)),
    number("IO_COST", |row| maybe(row.line.step.io_cost, n)),
    number("CARDINALITY", |row| maybe(row.line.step.rows, n)),
    number("BYTES", |row| maybe(row.line.step.bytes, n)),
    text("ACCESS_PREDICATES", 4000, |row| maybe(row.line.step.access.as_ref(), cut)),
    text("FILTER_PREDICATES", 4000, |row| maybe(row.line.step.filter.as_ref(), cut)),
    text("REMARKS", 4000, |row| maybe(hints::remarks(&row.line.step).as_ref(), cut)),
];

/// A text, cut to a column's width.
fn cut(value: impl AsRef<str>) -> Datum {
    let value = value.as_ref();
    s(&value[..value.floor_char_boundary(4000)])
}

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
            // For the statement itself it is the cost.
            position: parents[at].map(|_| positions[at]).or(source.step.cost),
        })
        .collect()
}

impl PlanRow {
    fn object(&self) -> Option<&PlanObject> {
        self.line.step.object.as_ref()
    }

    /// The values of [`COLUMNS`].
    ///
    /// # Errors
    /// When the time is out of range.
    pub(crate) fn values(&self) -> Result<Vec<Datum>> {
        COLUMNS.iter().map(|column| column.value(self)).collect()
    }
}

/// The columns that [`line`] reads, in its order.
pub(crate) const SHOWN: &str = "ID, DEPTH, OPERATION, OPTIONS, OBJECT_NAME, OBJECT_ALIAS, CARDINALITY, BYTES, ACCESS_PREDICATES, FILTER_PREDICATES";

/// Further columns, where the table has them.
pub(crate) const OPTIONAL: [&str; 3] = ["REMARKS", "COST", "IO_COST"];

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
            in_storage: false,
            operation: text(2).unwrap_or_default(),
            options: text(3).unwrap_or_default(),
            object,
            rows: number(6),
            bytes: number(7),
            access: text(8),
            filter: text(9),
            cost: number(11),
            io_cost: number(12),
            hints: text(10).map(|remarks| hints::of_remarks(&remarks)).unwrap_or_default(),
            unanalyzed: text(10).is_some_and(|remarks| hints::is_unanalyzed(&remarks)),
        },
        figures: None,
    }
}
