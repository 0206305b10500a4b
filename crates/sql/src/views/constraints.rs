//! Constraints and their columns.

use common::Result;
use engine::dictionary::{ConstraintDef, ConstraintKind, OnDelete, TableDef};
use scalar::Datum;

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, at, date, maybe, n, number, s, text};

const CONSTRAINTS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("CONSTRAINT_NAME", 128),
    text("CONSTRAINT_TYPE", 1),
    text("TABLE_NAME", 128),
    text("SEARCH_CONDITION", 4000),
    text("R_OWNER", 128),
    text("R_CONSTRAINT_NAME", 128),
    text("DELETE_RULE", 9),
    text("STATUS", 8),
    text("DEFERRABLE", 14),
    text("DEFERRED", 9),
    text("VALIDATED", 13),
    text("GENERATED", 14),
    date("LAST_CHANGE"),
    text("INDEX_OWNER", 128),
    text("INDEX_NAME", 128),
];

const COLUMNS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("CONSTRAINT_NAME", 128),
    text("TABLE_NAME", 128),
    text("COLUMN_NAME", 4000),
    number("POSITION"),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_CONSTRAINTS", columns: CONSTRAINTS, rows: |cx, rows| constraints(cx, rows, Scope::Dba) },
    View { name: "ALL_CONSTRAINTS", columns: CONSTRAINTS, rows: |cx, rows| constraints(cx, rows, Scope::All) },
    View { name: "USER_CONSTRAINTS", columns: CONSTRAINTS, rows: |cx, rows| constraints(cx, rows, Scope::User) },
    View { name: "DBA_CONS_COLUMNS", columns: COLUMNS, rows: |cx, rows| columns(cx, rows, Scope::Dba) },
    View { name: "ALL_CONS_COLUMNS", columns: COLUMNS, rows: |cx, rows| columns(cx, rows, Scope::All) },
    View { name: "USER_CONS_COLUMNS", columns: COLUMNS, rows: |cx, rows| columns(cx, rows, Scope::User) },
];

/// The constraints of a view, each with its table.
fn shown(cx: &ViewContext, scope: Scope) -> impl Iterator<Item = (&ConstraintDef, &TableDef)> {
    cx.catalog.constraints().filter_map(move |constraint| {
        let table = cx.catalog.table_by_number(constraint.table)?;
        cx.shows(scope, table).then_some((&**constraint, &**table))
    })
}

fn constraints(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for (constraint, table) in shown(cx, scope) {
        let key = constraint.reference.as_ref().and_then(|r| cx.catalog.constraint_by_number(r.key));
        let index = constraint.index.and_then(|index| cx.catalog.index_by_number(index));
        let on_delete = constraint.reference.as_ref().map(|reference| reference.on_delete);
        let choose = |is: bool, yes: &str, no: &str| s(if is { yes } else { no });
        let state = constraint.state;
        rows.add(&[
            s(&constraint.owner),
            s(&constraint.name),
            s(constraint.kind.letter()),
            s(&table.name),
            maybe(constraint.condition.as_ref(), s),
            maybe(key, |key| s(&key.owner)),
            maybe(key, |key| s(&key.name)),
            maybe(on_delete, |rule: OnDelete| s(rule.rule())),
            choose(state.enabled, "ENABLED", "DISABLED"),
            choose(state.deferrable, "DEFERRABLE", "NOT DEFERRABLE"),
            choose(state.deferred, "DEFERRED", "IMMEDIATE"),
            choose(state.validated, "VALIDATED", "NOT VALIDATED"),
            choose(constraint.generated, "GENERATED NAME", "USER NAME"),
            at(constraint.changed_us)?,
            maybe(index, |index| s(&index.owner)),
            maybe(index, |index| s(&index.name)),
        ])?;
    }
    Ok(())
}

fn columns(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for (constraint, table) in shown(cx, scope) {
        // The columns of a check have no order.
        let ordered = !matches!(constraint.kind, ConstraintKind::Check | ConstraintKind::NotNull);
        for (position, column) in constraint.columns.iter().enumerate() {
            rows.add(&[
                s(&constraint.owner),
                s(&constraint.name),
                s(&table.name),
                s(&table.columns[usize::from(*column)].name),
                if ordered { n(position + 1) } else { Datum::Null },
            ])?;
        }
    }
    Ok(())
}
