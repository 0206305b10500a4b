//! Object privileges. The grantor is not kept, so there is no GRANTOR.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{ObjectPrivilege, SchemaObject, UserDef};

use super::view::{Column, Each, Table, View, ViewContext, s, text, yes};

/// A privilege on an object that a user or a role has been given.
struct Grant {
    grantee: Arc<UserDef>,
    object: SchemaObject,
    privilege: ObjectPrivilege,
    grantable: bool,
}

const GRANTS: &[Column<Grant>] = &[
    text("GRANTEE", 128, |row| s(&row.grantee.name)),
    text("OWNER", 128, |row| s(row.object.owner())),
    text("TABLE_NAME", 128, |row| s(row.object.name())),
    text("PRIVILEGE", 40, |row| s(row.privilege.name())),
    text("GRANTABLE", 3, |row| yes(row.grantable)),
    text("TYPE", 24, |row| s(row.object.kind().to_string())),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_TAB_PRIVS", &[GRANTS], |cx, each| grants(cx, each, |_, _| true)),
    &Table::new("USER_TAB_PRIVS", &[GRANTS], |cx, each| {
        let user = cx.session.rights();
        grants(cx, each, |grantee, owner| grantee == user || owner == user)
    }),
];

fn grants(cx: &ViewContext, each: Each<'_, Grant>, shown: impl Fn(&str, &str) -> bool) -> Result<()> {
    for grantee in cx.catalog.grantees_all() {
        for ((number, privilege), grantable) in &grantee.objects {
            let Some(object) = cx.catalog.object_by_number(*number) else { continue };
            if shown(&grantee.name, object.owner()) {
                each(Grant { grantee: Arc::clone(grantee), object, privilege: *privilege, grantable: *grantable })?;
            }
        }
    }
    Ok(())
}
