//! Synonyms.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{PUBLIC, Rights, SchemaObject, SynonymDef};
use scalar::Datum;

use super::view::{Column, Each, Scope, Table, View, ViewContext, s, text};

const SYNONYMS: &[Column<Arc<SynonymDef>>] = &[
    text("OWNER", 128, |synonym| s(&synonym.owner)),
    text("SYNONYM_NAME", 128, |synonym| s(&synonym.name)),
    text("TABLE_OWNER", 128, |synonym| s(&synonym.target_owner)),
    text("TABLE_NAME", 128, |synonym| s(&synonym.target_name)),
    text("DB_LINK", 128, |_| Datum::Null),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_SYNONYMS", &[SYNONYMS], |cx, each| synonyms(cx, each, Scope::Dba)),
    &Table::new("ALL_SYNONYMS", &[SYNONYMS], |cx, each| synonyms(cx, each, Scope::All)),
    &Table::new("USER_SYNONYMS", &[SYNONYMS], |cx, each| synonyms(cx, each, Scope::User)).without(&["OWNER"]),
    &Table::new("SYN", &[SYNONYMS], |cx, each| synonyms(cx, each, Scope::User)).without(&["OWNER"]),
];

fn synonyms(cx: &ViewContext, each: Each<'_, Arc<SynonymDef>>, scope: Scope) -> Result<()> {
    let user = cx.session.rights();
    for object in cx.catalog.others() {
        let SchemaObject::Synonym(synonym) = object else { continue };
        // ALL_SYNONYMS also has other users' synonyms for objects that the user may use.
        let shown = match scope {
            Scope::Dba => true,
            Scope::User => synonym.owner == user,
            Scope::All => synonym.owner == user || synonym.owner == PUBLIC || reaches(cx, &user, object),
        };
        if shown {
            each(Arc::clone(synonym))?;
        }
    }
    Ok(())
}

fn reaches(cx: &ViewContext, user: &Rights, synonym: &SchemaObject) -> bool {
    let resolved = cx.catalog.resolve(synonym.owner(), Some(synonym.owner()), synonym.name());
    resolved.ok().and_then(|resolved| resolved.object).is_some_and(|object| cx.catalog.sees(user, &object))
}
