//! The session's own PLAN_TABLE, and the plans of cursors with the figures of their executions.

use common::Result;
use scalar::Datum;

use super::view::{Rows, View, ViewColumn, ViewContext, at, date, maybe, n, number, s, text};
use crate::cursor::library::SharedCursor;
use crate::explain::hints;
use crate::explain::plan::CursorPlan;
use crate::explain::table;
use crate::scan::figures::FiguresValue;

/// The columns of V$SQL_PLAN and the statistics behind them, as one list of columns.
macro_rules! columns {
    ($($more:expr),*) => {
        &[
            text("SQL_ID", 13),
            number("HASH_VALUE"),
            number("PLAN_HASH_VALUE"),
            number("CHILD_NUMBER"),
            date("TIMESTAMP"),
            text("OPERATION", 30),
            text("OPTIONS", 30),
            number("OBJECT#"),
            text("OBJECT_OWNER", 128),
            text("OBJECT_NAME", 128),
            text("OBJECT_ALIAS", 261),
            text("OBJECT_TYPE", 20),
            number("ID"),
            number("PARENT_ID"),
            number("DEPTH"),
            number("POSITION"),
            number("CARDINALITY"),
            number("BYTES"),
            text("ACCESS_PREDICATES", 4000),
            text("FILTER_PREDICATES", 4000),
            text("REMARKS", 4000),
            $($more),*
        ]
    };
}

const STATISTICS: &[ViewColumn] = &[
    text("SQL_ID", 13),
    number("HASH_VALUE"),
    number("PLAN_HASH_VALUE"),
    number("CHILD_NUMBER"),
    number("OPERATION_ID"),
    number("EXECUTIONS"),
    number("LAST_STARTS"),
    number("STARTS"),
    number("LAST_OUTPUT_ROWS"),
    number("OUTPUT_ROWS"),
    number("LAST_CR_BUFFER_GETS"),
    number("CR_BUFFER_GETS"),
    number("LAST_CU_BUFFER_GETS"),
    number("CU_BUFFER_GETS"),
    number("LAST_DISK_READS"),
    number("DISK_READS"),
    number("LAST_DISK_WRITES"),
    number("DISK_WRITES"),
    // Microseconds.
    number("LAST_ELAPSED_TIME"),
    number("ELAPSED_TIME"),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: table::PLAN_TABLE, columns: table::COLUMNS, rows: own },
    View {
        name: "V$SQL_PLAN",
        columns: columns!(),
        rows: |cx, rows| each(cx, |cursor, plan, id| rows.add(&steps(cursor, plan, id)?)),
    },
    View {
        name: "V$SQL_PLAN_STATISTICS",
        columns: STATISTICS,
        rows: |cx, rows| {
            each(cx, |cursor, plan, id| {
                // In Oracle the statement itself has none.
                if !plan.measured || id == 0 {
                    return Ok(());
                }
                let mut values =
                    vec![s(&cursor.sql_id), n(cursor.hash), n(plan.hash), n(0), n(id as u64), n(plan.executions)];
                values.extend(figures(plan, id));
                rows.add(&values)
            })
        },
    },
    View {
        name: "V$SQL_PLAN_STATISTICS_ALL",
        columns: columns!(
            number("EXECUTIONS"),
            number("LAST_STARTS"),
            number("STARTS"),
            number("LAST_OUTPUT_ROWS"),
            number("OUTPUT_ROWS"),
            number("LAST_CR_BUFFER_GETS"),
            number("CR_BUFFER_GETS"),
            number("LAST_CU_BUFFER_GETS"),
            number("CU_BUFFER_GETS"),
            number("LAST_DISK_READS"),
            number("DISK_READS"),
            number("LAST_DISK_WRITES"),
            number("DISK_WRITES"),
            number("LAST_ELAPSED_TIME"),
            number("ELAPSED_TIME")
        ),
        rows: |cx, rows| {
            each(cx, |cursor, plan, id| {
                let mut values = steps(cursor, plan, id)?;
                if plan.measured {
                    values.push(n(plan.executions));
                    values.extend(figures(plan, id));
                } else {
                    values.resize(values.len() + 15, Datum::Null);
                }
                rows.add(&values)
            })
        },
    },
];

/// The plans of this session's EXPLAIN PLAN statements.
fn own(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    let known = cx.tables.nested.shared().plan_rows.lock().clone();
    known.iter().try_for_each(|row| rows.add(&row.values()?))
}

/// Every operation of every cursor's plan.
fn each(cx: &ViewContext, mut add: impl FnMut(&SharedCursor, &CursorPlan, usize) -> Result<()>) -> Result<()> {
    for (cursor, plan) in cx.tables.database.library().plans() {
        (0..plan.sources.len()).try_for_each(|id| add(&cursor, &plan, id))?;
    }
    Ok(())
}

fn steps(cursor: &SharedCursor, plan: &CursorPlan, id: usize) -> Result<Vec<Datum>> {
    let source = &plan.sources[id];
    let (step, object) = (&source.step, source.step.object.as_ref());
    let parent = plan.parents()[id];
    let full = |value: &str| if value.is_empty() { Datum::Null } else { s(value) };
    Ok(vec![
        s(&cursor.sql_id),
        n(cursor.hash),
        n(plan.hash),
        n(0),
        at(plan.wall_us)?,
        s(&step.operation),
        full(&step.options),
        maybe((source.object != 0).then_some(source.object), n),
        maybe(object, |object| full(&object.owner)),
        maybe(object, |object| s(&object.name)),
        maybe(object.and_then(|object| object.alias.as_ref()), s),
        maybe(object, |object| s(object.kind)),
        n(id as u64),
        maybe(parent, |parent| n(parent as u64)),
        n(source.depth),
        maybe(parent, |_| n(plan.positions()[id])),
        maybe(step.rows, n),
        maybe(step.bytes, n),
        maybe(step.access.as_ref(), s),
        maybe(step.filter.as_ref(), s),
        maybe(hints::remarks(&step.hints).as_ref(), s),
    ])
}

/// The figures of the last execution, and of all.
fn figures(plan: &CursorPlan, id: usize) -> Vec<Datum> {
    let (last, total) = (&plan.sources[id].figures, &plan.totals[id]);
    let values: [fn(&FiguresValue) -> u64; 7] =
        [|f| f.starts, |f| f.rows, |f| f.consistent, |f| f.current, |f| f.reads, |f| f.writes, |f| f.micros];
    values.into_iter().flat_map(|value| [n(value(last)), n(value(total))]).collect()
}
