//! The session's own PLAN_TABLE, and the plans of cursors with the figures of their executions.

use std::sync::Arc;

use common::Result;
use scalar::Datum;

use super::view::{Column, Each, Table, View, ViewContext, date, maybe, n, number, s, text, unless_zero};
use crate::cursor::library::SharedCursor;
use crate::cursor::open::RowSource;
use crate::explain::hints;
use crate::explain::plan::CursorPlan;
use crate::explain::step::PlanObject;
use crate::explain::table;
use crate::scan::figures::FiguresValue;

/// An operation of a cursor's plan.
struct Operation {
    cursor: Arc<SharedCursor>,
    plan: Arc<CursorPlan>,
    id: usize,
    parent: Option<usize>,
    position: u64,
}

impl Operation {
    fn source(&self) -> &RowSource {
        &self.plan.sources[self.id]
    }

    fn object(&self) -> Option<&PlanObject> {
        self.source().step.object.as_ref()
    }

    /// A figure of the last execution; NULL where no execution was measured.
    fn last(&self, figure: fn(&FiguresValue) -> u64) -> Datum {
        maybe(self.plan.measured.then(|| figure(&self.source().figures)), n)
    }

    /// A figure of all executions.
    fn total(&self, figure: fn(&FiguresValue) -> u64) -> Datum {
        maybe(self.plan.measured.then(|| figure(&self.plan.totals[self.id])), n)
    }
}

const CURSOR: &[Column<Operation>] = &[
    text("SQL_ID", 13, |row| s(&row.cursor.sql_id)),
    number("HASH_VALUE", |row| n(row.cursor.hash)),
    number("PLAN_HASH_VALUE", |row| n(row.plan.hash)),
    number("CHILD_NUMBER", |_| n(0)),
];

const STEPS: &[Column<Operation>] = &[
    date("TIMESTAMP", |row| unless_zero(row.plan.wall_us)),
    text("OPERATION", 30, |row| s(&row.source().step.operation)),
    text("OPTIONS", 30, |row| s(&row.source().step.options)),
    number("OBJECT#", |row| maybe((row.source().object != 0).then_some(row.source().object), n)),
    text("OBJECT_OWNER", 128, |row| maybe(row.object(), |object| s(&object.owner))),
    text("OBJECT_NAME", 128, |row| maybe(row.object(), |object| s(&object.name))),
    text("OBJECT_ALIAS", 261, |row| maybe(row.object().and_then(|object| object.alias.as_ref()), s)),
    text("OBJECT_TYPE", 20, |row| maybe(row.object(), |object| s(object.kind))),
    number("ID", |row| n(row.id)),
    number("PARENT_ID", |row| maybe(row.parent, n)),
    number("DEPTH", |row| n(row.source().depth)),
    number("POSITION", |row| maybe(row.parent, |_| n(row.position))),
    number("COST", |row| maybe(row.source().step.cost, n)),
    number("IO_COST", |row| maybe(row.source().step.io_cost, n)),
    number("CARDINALITY", |row| maybe(row.source().step.rows, n)),
    number("BYTES", |row| maybe(row.source().step.bytes, n)),
    text("ACCESS_PREDICATES", 4000, |row| maybe(row.source().step.access.as_ref(), s)),
    text("FILTER_PREDICATES", 4000, |row| maybe(row.source().step.filter.as_ref(), s)),
    text("REMARKS", 4000, |row| maybe(hints::remarks(&row.source().step).as_ref(), s)),
];

const OPERATION_ID: &[Column<Operation>] = &[number("OPERATION_ID", |row| n(row.id))];

const FIGURES: &[Column<Operation>] = &[
    number("EXECUTIONS", |row| maybe(row.plan.measured.then_some(row.plan.executions), n)),
    number("LAST_STARTS", |row| row.last(|figures| figures.starts)),
    number("STARTS", |row| row.total(|figures| figures.starts)),
    number("LAST_OUTPUT_ROWS", |row| row.last(|figures| figures.rows)),
    number("OUTPUT_ROWS", |row| row.total(|figures| figures.rows)),
    number("LAST_CR_BUFFER_GETS", |row| row.last(|figures| figures.consistent)),
    number("CR_BUFFER_GETS", |row| row.total(|figures| figures.consistent)),
    number("LAST_CU_BUFFER_GETS", |row| row.last(|figures| figures.current)),
    number("CU_BUFFER_GETS", |row| row.total(|figures| figures.current)),
    number("LAST_DISK_READS", |row| row.last(|figures| figures.reads)),
    number("DISK_READS", |row| row.total(|figures| figures.reads)),
    number("LAST_DISK_WRITES", |row| row.last(|figures| figures.writes)),
    number("DISK_WRITES", |row| row.total(|figures| figures.writes)),
    // Microseconds.
    number("LAST_ELAPSED_TIME", |row| row.last(|figures| figures.micros)),
    number("ELAPSED_TIME", |row| row.total(|figures| figures.micros)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    // The plans of this session's EXPLAIN PLAN statements.
    &Table::new(table::PLAN_TABLE, &[table::COLUMNS], |cx, each| {
        let known = cx.tables.nested.shared().plan_rows.lock().clone();
        known.into_iter().try_for_each(each)
    }),
    &Table::new("V$SQL_PLAN", &[CURSOR, STEPS], operations),
    &Table::new("V$SQL_PLAN_STATISTICS", &[CURSOR, OPERATION_ID, FIGURES], |cx, each| {
        operations(cx, &mut |operation| {
            // In Oracle the statement itself has none.
            if operation.plan.measured && operation.id > 0 { each(operation) } else { Ok(()) }
        })
    }),
    &Table::new("V$SQL_PLAN_STATISTICS_ALL", &[CURSOR, STEPS, FIGURES], operations),
];

/// Every operation of every cursor's plan.
fn operations(cx: &ViewContext, each: Each<'_, Operation>) -> Result<()> {
    for (cursor, plan) in cx.tables.database.library().plans() {
        for (id, (parent, position)) in plan.parents().into_iter().zip(plan.positions()).enumerate() {
            each(Operation { cursor: Arc::clone(&cursor), plan: Arc::clone(&plan), id, parent, position })?;
        }
    }
    Ok(())
}
