//! Constraints and their columns.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{ConstraintDef, ConstraintKind, IndexDef, TableDef};
use scalar::Datum;

use super::view::{Column, Each, Scope, Table, View, ViewContext, date, maybe, n, number, s, text, unless_zero};

/// A constraint, its table, the key that it refers to, and its index.
struct Constraint {
    constraint: Arc<ConstraintDef>,
    table: Arc<TableDef>,
    key: Option<Arc<ConstraintDef>>,
    index: Option<Arc<IndexDef>>,
}

/// A column of a constraint, with its position among them.
struct ConstraintColumn {
    constraint: Arc<ConstraintDef>,
    table: Arc<TableDef>,
    column: u16,
    position: usize,
}

fn choose(is: bool, yes: &str, no: &str) -> Datum {
    s(if is { yes } else { no })
}

const CONSTRAINTS: &[Column<Constraint>] = &[
    text("OWNER", 128, |row| s(&row.constraint.owner)),
    text("CONSTRAINT_NAME", 128, |row| s(&row.constraint.name)),
    text("CONSTRAINT_TYPE", 1, |row| s(row.constraint.kind.letter())),
    text("TABLE_NAME", 128, |row| s(&row.table.name)),
    text("SEARCH_CONDITION", 4000, |row| maybe(row.constraint.condition.as_ref(), s)),
    text("R_OWNER", 128, |row| maybe(row.key.as_ref(), |key| s(&key.owner))),
    text("R_CONSTRAINT_NAME", 128, |row| maybe(row.key.as_ref(), |key| s(&key.name))),
    text("DELETE_RULE", 9, |row| maybe(row.constraint.reference.as_ref(), |reference| s(reference.on_delete.rule()))),
    text("STATUS", 8, |row| choose(row.constraint.state.enabled, "ENABLED", "DISABLED")),
    text("DEFERRABLE", 14, |row| choose(row.constraint.state.deferrable, "DEFERRABLE", "NOT DEFERRABLE")),
    text("DEFERRED", 9, |row| choose(row.constraint.state.deferred, "DEFERRED", "IMMEDIATE")),
    text("VALIDATED", 13, |row| choose(row.constraint.state.validated, "VALIDATED", "NOT VALIDATED")),
    text("GENERATED", 14, |row| choose(row.constraint.generated, "GENERATED NAME", "USER NAME")),
    date("LAST_CHANGE", |row| unless_zero(row.constraint.changed_us)),
    text("INDEX_OWNER", 128, |row| maybe(row.index.as_ref(), |index| s(&index.owner))),
    text("INDEX_NAME", 128, |row| maybe(row.index.as_ref(), |index| s(&index.name))),
];

const COLUMNS: &[Column<ConstraintColumn>] = &[
    text("OWNER", 128, |row| s(&row.constraint.owner)),
    text("CONSTRAINT_NAME", 128, |row| s(&row.constraint.name)),
    text("TABLE_NAME", 128, |row| s(&row.table.name)),
    text("COLUMN_NAME", 4000, |row| s(&row.table.columns[usize::from(row.column)].name)),
    number("POSITION", |row| match row.constraint.kind {
        // The columns of a check have no order.
        ConstraintKind::Check | ConstraintKind::NotNull => Datum::Null,
        _ => n(row.position + 1),
    }),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_CONSTRAINTS", &[CONSTRAINTS], |cx, each| constraints(cx, each, Scope::Dba)),
    &Table::new("ALL_CONSTRAINTS", &[CONSTRAINTS], |cx, each| constraints(cx, each, Scope::All)),
    &Table::new("USER_CONSTRAINTS", &[CONSTRAINTS], |cx, each| constraints(cx, each, Scope::User)),
    &Table::new("DBA_CONS_COLUMNS", &[COLUMNS], |cx, each| columns(cx, each, Scope::Dba)),
    &Table::new("ALL_CONS_COLUMNS", &[COLUMNS], |cx, each| columns(cx, each, Scope::All)),
    &Table::new("USER_CONS_COLUMNS", &[COLUMNS], |cx, each| columns(cx, each, Scope::User)),
];

/// The constraints of a view, each with its table.
fn shown(cx: &ViewContext, scope: Scope) -> impl Iterator<Item = (&Arc<ConstraintDef>, &Arc<TableDef>)> {
    cx.catalog.constraints().filter_map(move |constraint| {
        let table = cx.catalog.table_by_number(constraint.table)?;
        cx.shows(scope, table).then_some((constraint, table))
    })
}

fn constraints(cx: &ViewContext, each: Each<'_, Constraint>, scope: Scope) -> Result<()> {
    for (constraint, table) in shown(cx, scope) {
        let key = constraint.reference.as_ref().and_then(|r| cx.catalog.constraint_by_number(r.key)).cloned();
        let index = constraint.index.and_then(|index| cx.catalog.index_by_number(index)).cloned();
        each(Constraint { constraint: Arc::clone(constraint), table: Arc::clone(table), key, index })?;
    }
    Ok(())
}

fn columns(cx: &ViewContext, each: Each<'_, ConstraintColumn>, scope: Scope) -> Result<()> {
    for (constraint, table) in shown(cx, scope) {
        for (position, column) in constraint.columns.iter().enumerate() {
            let (constraint, table) = (Arc::clone(constraint), Arc::clone(table));
            each(ConstraintColumn { constraint, table, column: *column, position })?;
        }
    }
    Ok(())
}
