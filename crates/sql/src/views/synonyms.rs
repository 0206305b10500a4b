//! Synonyms.

use common::Result;
use engine::dictionary::{PUBLIC, Rights, SchemaObject};
use scalar::Datum;

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, s, text};

const COLUMNS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("SYNONYM_NAME", 128),
    text("TABLE_OWNER", 128),
    text("TABLE_NAME", 128),
    text("DB_LINK", 128),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_SYNONYMS", columns: COLUMNS, rows: |cx, rows| synonyms(cx, rows, Scope::Dba) },
    View { name: "ALL_SYNONYMS", columns: COLUMNS, rows: |cx, rows| synonyms(cx, rows, Scope::All) },
    View { name: "USER_SYNONYMS", columns: own(), rows: |cx, rows| synonyms(cx, rows, Scope::User) },
    View { name: "SYN", columns: own(), rows: |cx, rows| synonyms(cx, rows, Scope::User) },
];

const fn own() -> &'static [ViewColumn] {
    match COLUMNS.split_first() {
        Some((_, rest)) => rest,
        None => COLUMNS,
    }
}

fn synonyms(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    let user = cx.session.rights();
    for object in cx.catalog.others() {
        let SchemaObject::Synonym(synonym) = object else { continue };
        // ALL_SYNONYMS also has other users' synonyms for objects that the user may use.
        let shown = match scope {
            Scope::Dba => true,
            Scope::User => synonym.owner == user,
            Scope::All => synonym.owner == user || synonym.owner == PUBLIC || reaches(cx, &user, object),
        };
        if !shown {
            continue;
        }
        let mut row = Vec::new();
        if scope != Scope::User {
            row.push(s(&synonym.owner));
        }
        row.extend([s(&synonym.name), s(&synonym.target_owner), s(&synonym.target_name), Datum::Null]);
        rows.add(&row)?;
    }
    Ok(())
}

fn reaches(cx: &ViewContext, user: &Rights, synonym: &SchemaObject) -> bool {
    let resolved = cx.catalog.resolve(synonym.owner(), Some(synonym.owner()), synonym.name());
    resolved.ok().and_then(|resolved| resolved.object).is_some_and(|object| cx.catalog.sees(user, &object))
}
