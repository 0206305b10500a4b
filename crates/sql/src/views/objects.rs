//! Objects of all kinds.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{ProgramDef, ProgramStatus, SchemaObject};

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, at, date, maybe, n, number, s, text};

const COLUMNS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("OBJECT_NAME", 128),
    text("SUBOBJECT_NAME", 128),
    number("OBJECT_ID"),
    number("DATA_OBJECT_ID"),
    text("OBJECT_TYPE", 23),
    date("CREATED"),
    date("LAST_DDL_TIME"),
    text("TIMESTAMP", 19),
    text("STATUS", 7),
    text("TEMPORARY", 1),
    text("GENERATED", 1),
    text("SECONDARY", 1),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_OBJECTS", columns: COLUMNS, rows: |cx, rows| objects(cx, rows, Scope::Dba) },
    View { name: "ALL_OBJECTS", columns: COLUMNS, rows: |cx, rows| objects(cx, rows, Scope::All) },
    View {
        name: "USER_OBJECTS",
        columns: match COLUMNS.split_first() {
            Some((_, rest)) => rest,
            None => COLUMNS,
        },
        rows: |cx, rows| objects(cx, rows, Scope::User),
    },
];

struct Object<'a> {
    owner: &'a str,
    name: &'a str,
    number: u32,
    data_object: Option<u32>,
    kind: String,
    valid: bool,
    created_us: u64,
    changed_us: u64,
}

fn objects(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    let mut found: Vec<Object<'_>> = Vec::new();
    for table in cx.catalog.tables().filter(|table| cx.shows(scope, table)) {
        found.push(Object {
            owner: &table.owner,
            name: &table.name,
            number: table.object.0,
            data_object: Some(table.segment.data_object().0),
            kind: "TABLE".to_owned(),
            valid: true,
            created_us: table.created_us,
            changed_us: table.changed_us,
        });
        found.extend(table.indexes.iter().map(|index| Object {
            owner: &index.owner,
            name: &index.name,
            number: index.object.0,
            data_object: Some(index.segment.data_object().0),
            kind: "INDEX".to_owned(),
            valid: true,
            created_us: index.created_us,
            changed_us: index.changed_us,
        }));
    }
    let others: Vec<_> = cx.catalog.others().filter(|object| cx.shows_object(scope, object)).collect();
    for object in &others {
        let (created_us, changed_us) = object.times_us();
        found.push(Object {
            owner: object.owner(),
            name: object.name(),
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
        owner: &program.owner,
        name: &program.name,
        number: program.object.0,
        data_object: None,
        kind: program.kind.to_string(),
        valid: program.status == ProgramStatus::Valid,
        created_us: program.created_us,
        changed_us: program.changed_us,
    }));
    found.sort_by_key(|object| object.number);
    for object in found {
        let mut row = Vec::new();
        if scope != Scope::User {
            row.push(s(object.owner));
        }
        let created = crate::cursor::context::local_time(object.created_us)?;
        let stamp = format!(
            "{:04}-{:02}-{:02}:{:02}:{:02}:{:02}",
            created.year, created.month, created.day, created.hour, created.minute, created.second
        );
        row.extend([
            s(object.name),
            scalar::Datum::Null,
            n(object.number),
            maybe(object.data_object, n),
            s(object.kind),
            at(object.created_us)?,
            at(object.changed_us)?,
            s(stamp),
            s(if object.valid { "VALID" } else { "INVALID" }),
            s("N"),
            s("N"),
            s("N"),
        ]);
        rows.add(&row)?;
    }
    Ok(())
}
