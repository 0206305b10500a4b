//! Views that users made.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{SchemaObject, ViewDef};

use super::view::{Column, Each, Scope, Table, View, ViewContext, n, number, s, text};

const VIEWS_OF_USERS: &[Column<Arc<ViewDef>>] = &[
    text("OWNER", 128, |view| s(&view.owner)),
    text("VIEW_NAME", 128, |view| s(&view.name)),
    number("TEXT_LENGTH", |view| n(view.text.len())),
    // A LONG in Oracle.
    text("TEXT", 4000, |view| s(&view.text)),
    text("READ_ONLY", 1, |view| s(if view.read_only { "Y" } else { "N" })),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_VIEWS", &[VIEWS_OF_USERS], |cx, each| views(cx, each, Scope::Dba)),
    &Table::new("ALL_VIEWS", &[VIEWS_OF_USERS], |cx, each| views(cx, each, Scope::All)),
    &Table::new("USER_VIEWS", &[VIEWS_OF_USERS], |cx, each| views(cx, each, Scope::User)).without(&["OWNER"]),
];

fn views(cx: &ViewContext, each: Each<'_, Arc<ViewDef>>, scope: Scope) -> Result<()> {
    for object in cx.catalog.others().filter(|object| cx.shows_object(scope, object)) {
        if let SchemaObject::View(view) = object {
            each(Arc::clone(view))?;
        }
    }
    Ok(())
}
