//! Directories and external tables.

use common::Result;
use engine::dictionary::{ExternalDef, SYS, SchemaObject};
use scalar::Datum;

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, s, text};

const DIRECTORIES: &[ViewColumn] = &[text("OWNER", 128), text("DIRECTORY_NAME", 128), text("DIRECTORY_PATH", 4000)];

const TABLES: &[ViewColumn] = &[
    text("OWNER", 128),
    text("TABLE_NAME", 128),
    text("TYPE_OWNER", 3),
    text("TYPE_NAME", 128),
    text("DEFAULT_DIRECTORY_OWNER", 3),
    text("DEFAULT_DIRECTORY_NAME", 128),
    text("REJECT_LIMIT", 40),
    text("ACCESS_TYPE", 7),
    text("ACCESS_PARAMETERS", 4000),
    text("PROPERTY", 10),
];

const LOCATIONS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("TABLE_NAME", 128),
    text("LOCATION", 4000),
    text("DIRECTORY_OWNER", 3),
    text("DIRECTORY_NAME", 128),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_DIRECTORIES", columns: DIRECTORIES, rows: |cx, rows| directories(cx, rows, Scope::Dba) },
    View { name: "ALL_DIRECTORIES", columns: DIRECTORIES, rows: |cx, rows| directories(cx, rows, Scope::All) },
    View { name: "DBA_EXTERNAL_TABLES", columns: TABLES, rows: |cx, rows| tables(cx, rows, Scope::Dba) },
    View { name: "ALL_EXTERNAL_TABLES", columns: TABLES, rows: |cx, rows| tables(cx, rows, Scope::All) },
    View { name: "USER_EXTERNAL_TABLES", columns: own(TABLES), rows: |cx, rows| tables(cx, rows, Scope::User) },
    View { name: "DBA_EXTERNAL_LOCATIONS", columns: LOCATIONS, rows: |cx, rows| locations(cx, rows, Scope::Dba) },
    View { name: "ALL_EXTERNAL_LOCATIONS", columns: LOCATIONS, rows: |cx, rows| locations(cx, rows, Scope::All) },
    View {
        name: "USER_EXTERNAL_LOCATIONS",
        columns: own(LOCATIONS),
        rows: |cx, rows| locations(cx, rows, Scope::User),
    },
];

const fn own(columns: &'static [ViewColumn]) -> &'static [ViewColumn] {
    match columns.split_first() {
        Some((_, rest)) => rest,
        None => columns,
    }
}

fn directories(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    cx.catalog
        .directories()
        .filter(|directory| cx.shows_object(scope, &SchemaObject::Directory((*directory).clone())))
        .try_for_each(|directory| rows.add(&[s(SYS), s(&directory.name), s(&directory.path)]))
}

fn shown(cx: &ViewContext, scope: Scope, mut each: impl FnMut(&ExternalDef, Vec<Datum>) -> Result<()>) -> Result<()> {
    for object in cx.catalog.others().filter(|object| cx.shows_object(scope, object)) {
        let SchemaObject::External(table) = object else { continue };
        let mut row = Vec::new();
        if scope != Scope::User {
            row.push(s(&table.owner));
        }
        row.push(s(&table.name));
        each(table, row)?;
    }
    Ok(())
}

fn tables(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    shown(cx, scope, |table, mut row| {
        row.extend([
            s(SYS),
            s(&table.driver),
            s(SYS),
            s(&table.directory),
            s(table.reject_limit.map_or_else(|| "UNLIMITED".to_owned(), |limit| limit.to_string())),
            s("CLOB"),
            if table.parameters.is_empty() { Datum::Null } else { s(&table.parameters) },
            s("ALL"),
        ]);
        rows.add(&row)
    })
}

fn locations(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    shown(cx, scope, |table, row| {
        table.locations.iter().try_for_each(|location| {
            let mut row = row.clone();
            row.extend([s(&location.name), s(SYS), s(location.directory.as_ref().unwrap_or(&table.directory))]);
            rows.add(&row)
        })
    })
}
