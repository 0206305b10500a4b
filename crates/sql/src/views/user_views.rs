//! Views that users made.

use common::Result;
use engine::dictionary::SchemaObject;

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, n, number, s, text};

/// TEXT is a LONG in Oracle.
const COLUMNS: &[ViewColumn] =
    &[text("OWNER", 128), text("VIEW_NAME", 128), number("TEXT_LENGTH"), text("TEXT", 4000), text("READ_ONLY", 1)];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_VIEWS", columns: COLUMNS, rows: |cx, rows| views(cx, rows, Scope::Dba) },
    View { name: "ALL_VIEWS", columns: COLUMNS, rows: |cx, rows| views(cx, rows, Scope::All) },
    View {
        name: "USER_VIEWS",
        columns: match COLUMNS.split_first() {
            Some((_, rest)) => rest,
            None => COLUMNS,
        },
        rows: |cx, rows| views(cx, rows, Scope::User),
    },
];

fn views(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for object in cx.catalog.others().filter(|object| cx.shows_object(scope, object)) {
        let SchemaObject::View(view) = object else { continue };
        let mut row = Vec::new();
        if scope != Scope::User {
            row.push(s(&view.owner));
        }
        let read_only = if view.read_only { "Y" } else { "N" };
        row.extend([s(&view.name), n(view.text.len()), s(&view.text), s(read_only)]);
        rows.add(&row)?;
    }
    Ok(())
}
