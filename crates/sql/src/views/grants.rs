//! Object privileges. The grantor is not kept, so there is no GRANTOR.

use common::Result;

use super::view::{Rows, View, ViewColumn, ViewContext, s, text, yes};

const COLUMNS: &[ViewColumn] = &[
    text("GRANTEE", 128),
    text("OWNER", 128),
    text("TABLE_NAME", 128),
    text("PRIVILEGE", 40),
    text("GRANTABLE", 3),
    text("TYPE", 24),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_TAB_PRIVS", columns: COLUMNS, rows: |cx, rows| grants(cx, rows, |_, _| true) },
    View {
        name: "USER_TAB_PRIVS",
        columns: COLUMNS,
        rows: |cx, rows| {
            let user = cx.session.rights();
            grants(cx, rows, |grantee, owner| grantee == user || owner == user)
        },
    },
];

fn grants(cx: &ViewContext, rows: &mut Rows, shown: impl Fn(&str, &str) -> bool) -> Result<()> {
    for grantee in cx.catalog.grantees_all() {
        for ((number, privilege), grantable) in &grantee.objects {
            let Some(object) = cx.catalog.object_by_number(*number) else { continue };
            if shown(&grantee.name, object.owner()) {
                rows.add(&[
                    s(&grantee.name),
                    s(object.owner()),
                    s(object.name()),
                    s(privilege.name()),
                    yes(*grantable),
                    s(object.kind().to_string()),
                ])?;
            }
        }
    }
    Ok(())
}
