//! Directories and external tables.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{DirectoryDef, ExternalDef, ExternalLocation, SYS, SchemaObject};

use super::view::{Column, Each, Scope, Table, View, ViewContext, s, text};

const DIRECTORIES: &[Column<Arc<DirectoryDef>>] = &[
    text("OWNER", 128, |_| s(SYS)),
    text("DIRECTORY_NAME", 128, |directory| s(&directory.name)),
    text("DIRECTORY_PATH", 4000, |directory| s(&directory.path)),
];

const TABLES: &[Column<Arc<ExternalDef>>] = &[
    text("OWNER", 128, |table| s(&table.owner)),
    text("TABLE_NAME", 128, |table| s(&table.name)),
    text("TYPE_OWNER", 3, |_| s(SYS)),
    text("TYPE_NAME", 128, |table| s(&table.driver)),
    text("DEFAULT_DIRECTORY_OWNER", 3, |_| s(SYS)),
    text("DEFAULT_DIRECTORY_NAME", 128, |table| s(&table.directory)),
    text("REJECT_LIMIT", 40, |table| {
        s(table.reject_limit.map_or_else(|| "UNLIMITED".to_owned(), |limit| limit.to_string()))
    }),
    text("ACCESS_TYPE", 7, |_| s("CLOB")),
    text("ACCESS_PARAMETERS", 4000, |table| s(&table.parameters)),
    text("PROPERTY", 10, |_| s("ALL")),
];

/// A file of an external table.
struct Location {
    table: Arc<ExternalDef>,
    location: ExternalLocation,
}

const LOCATIONS: &[Column<Location>] = &[
    text("OWNER", 128, |row| s(&row.table.owner)),
    text("TABLE_NAME", 128, |row| s(&row.table.name)),
    text("LOCATION", 4000, |row| s(&row.location.name)),
    text("DIRECTORY_OWNER", 3, |_| s(SYS)),
    text("DIRECTORY_NAME", 128, |row| s(row.location.directory.as_ref().unwrap_or(&row.table.directory))),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_DIRECTORIES", &[DIRECTORIES], |cx, each| directories(cx, each, Scope::Dba)),
    &Table::new("ALL_DIRECTORIES", &[DIRECTORIES], |cx, each| directories(cx, each, Scope::All)),
    &Table::new("DBA_EXTERNAL_TABLES", &[TABLES], |cx, each| tables(cx, each, Scope::Dba)),
    &Table::new("ALL_EXTERNAL_TABLES", &[TABLES], |cx, each| tables(cx, each, Scope::All)),
    &Table::new("USER_EXTERNAL_TABLES", &[TABLES], |cx, each| tables(cx, each, Scope::User)).without(&["OWNER"]),
    &Table::new("DBA_EXTERNAL_LOCATIONS", &[LOCATIONS], |cx, each| locations(cx, each, Scope::Dba)),
    &Table::new("ALL_EXTERNAL_LOCATIONS", &[LOCATIONS], |cx, each| locations(cx, each, Scope::All)),
    &Table::new("USER_EXTERNAL_LOCATIONS", &[LOCATIONS], |cx, each| locations(cx, each, Scope::User))
        .without(&["OWNER"]),
];

fn directories(cx: &ViewContext, each: Each<'_, Arc<DirectoryDef>>, scope: Scope) -> Result<()> {
    cx.catalog
        .directories()
        .filter(|directory| cx.shows_object(scope, &SchemaObject::Directory((*directory).clone())))
        .try_for_each(|directory| each(Arc::clone(directory)))
}

fn tables(cx: &ViewContext, each: Each<'_, Arc<ExternalDef>>, scope: Scope) -> Result<()> {
    for object in cx.catalog.others().filter(|object| cx.shows_object(scope, object)) {
        if let SchemaObject::External(table) = object {
            each(Arc::clone(table))?;
        }
    }
    Ok(())
}

fn locations(cx: &ViewContext, each: Each<'_, Location>, scope: Scope) -> Result<()> {
    tables(
        cx,
        &mut |table| {
            let location = |location: &ExternalLocation| Location { table: table.clone(), location: location.clone() };
            table.locations.iter().map(location).try_for_each(&mut *each)
        },
        scope,
    )
}
