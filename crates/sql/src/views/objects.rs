//! Objects of all kinds.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{ProgramDef, ProgramStatus, SchemaObject};
use scalar::{DateTime, Datum};

use super::view::{
    Column, Each, Scope, Table, View, ViewContext, date, maybe, n, number, s, text, unless_zero, written,
};

struct Object {
    owner: String,
    name: String,
    number: u32,
    data_object: Option<u32>,
    kind: String,
    valid: bool,
    created_us: u64,
    changed_us: u64,
}

/// `YYYY-MM-DD:HH24:MI:SS`.
fn stamp(time: &DateTime) -> String {
    let DateTime { year, month, day, hour, minute, second, .. } = time;
    format!("{year:04}-{month:02}-{day:02}:{hour:02}:{minute:02}:{second:02}")
}

const OBJECTS: &[Column<Object>] = &[
    text("OWNER", 128, |object| s(&object.owner)),
    text("OBJECT_NAME", 128, |object| s(&object.name)),
    text("SUBOBJECT_NAME", 128, |_| Datum::Null),
    number("OBJECT_ID", |object| n(object.number)),
    number("DATA_OBJECT_ID", |object| maybe(object.data_object, n)),
    text("OBJECT_TYPE", 23, |object| s(&object.kind)),
    date("CREATED", |object| unless_zero(object.created_us)),
    date("LAST_DDL_TIME", |object| unless_zero(object.changed_us)),
    written("TIMESTAMP", 19, |object| Some(object.created_us), stamp),
    text("STATUS", 7, |object| s(if object.valid { "VALID" } else { "INVALID" })),
    text("TEMPORARY", 1, |_| s("N")),
    text("GENERATED", 1, |_| s("N")),
    text("SECONDARY", 1, |_| s("N")),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_OBJECTS", &[OBJECTS], |cx, each| objects(cx, each, Scope::Dba)),
    &Table::new("ALL_OBJECTS", &[OBJECTS], |cx, each| objects(cx, each, Scope::All)),
    &Table::new("USER_OBJECTS", &[OBJECTS], |cx, each| objects(cx, each, Scope::User)).without(&["OWNER"]),
];

fn objects(cx: &ViewContext, each: Each<'_, Object>, scope: Scope) -> Result<()> {
    let mut found: Vec<Object> = Vec::new();
    for table in cx.catalog.tables().filter(|table| cx.shows(scope, table)) {
        found.push(Object {
            owner: table.owner.clone(),
            name: table.name.clone(),
            number: table.object.0,
            data_object: Some(table.segment.data_object().0),
            kind: "TABLE".to_owned(),
            valid: true,
            created_us: table.created_us,
            changed_us: table.changed_us,
        });
        found.extend(table.indexes.iter().map(|index| Object {
            owner: index.owner.clone(),
            name: index.name.clone(),
            number: index.object.0,
            data_object: Some(index.segment.data_object().0),
            kind: "INDEX".to_owned(),
            valid: true,
            created_us: index.created_us,
            changed_us: index.changed_us,
        }));
    }
    for object in cx.catalog.others().filter(|object| cx.shows_object(scope, object)) {
        let (created_us, changed_us) = object.times_us();
        found.push(Object {
            owner: object.owner().to_owned(),
            name: object.name().to_owned(),
            number: object.number().0,
            data_object: None,
            kind: object.kind().to_string(),
            // A view whose last use failed is invalid; synonyms are resolved when they are used.
            valid: match object {
                SchemaObject::View(view) => cx.tables.view_query(view).is_ok(),
                SchemaObject::Program(program) => program.status == ProgramStatus::Valid,
                _ => true,
            },
            created_us,
            changed_us,
        });
    }
    // Bodies and triggers have name spaces of their own.
    let user = cx.session.user();
    let shown =
        |program: &&Arc<ProgramDef>| !program.kind.shares_names() && (scope == Scope::Dba || program.owner == user);
    found.extend(cx.catalog.programs().filter(shown).map(|program| Object {
        owner: program.owner.clone(),
        name: program.name.clone(),
        number: program.object.0,
        data_object: None,
        kind: program.kind.to_string(),
        valid: program.status == ProgramStatus::Valid,
        created_us: program.created_us,
        changed_us: program.changed_us,
    }));
    found.sort_by_key(|object| object.number);
    found.into_iter().try_for_each(each)
}
