//! Users and their grants.

use common::Result;

use super::view::{Rows, View, ViewContext, at, date, n, number, s, text, yes};

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "DBA_USERS",
        columns: &[
            text("USERNAME", 128),
            number("USER_ID"),
            text("ACCOUNT_STATUS", 32),
            text("DEFAULT_TABLESPACE", 30),
            date("CREATED"),
        ],
        rows: |cx, rows| users(cx, rows, |_| true),
    },
    View {
        name: "USER_USERS",
        columns: &[
            text("USERNAME", 128),
            number("USER_ID"),
            text("ACCOUNT_STATUS", 32),
            text("DEFAULT_TABLESPACE", 30),
            date("CREATED"),
        ],
        rows: |cx, rows| {
            let user = cx.session.rights();
            users(cx, rows, |name| name == user)
        },
    },
    View {
        name: "ALL_USERS",
        columns: &[text("USERNAME", 128), number("USER_ID"), date("CREATED")],
        rows: |cx, rows| {
            cx.catalog.users().try_for_each(|user| rows.add(&[s(&user.name), n(user.number.0), at(user.created_us)?]))
        },
    },
    View {
        name: "DBA_SYS_PRIVS",
        columns: &[text("GRANTEE", 128), text("PRIVILEGE", 40), text("ADMIN_OPTION", 3)],
        rows: |cx, rows| {
            for user in cx.catalog.grantees_all() {
                for (privilege, grantable) in &user.system {
                    rows.add(&[s(&user.name), s(privilege.name()), yes(*grantable)])?;
                }
            }
            Ok(())
        },
    },
    View {
        name: "SESSION_PRIVS",
        columns: &[text("PRIVILEGE", 40)],
        rows: |cx, rows| {
            let user = cx.session.rights();
            engine::dictionary::SystemPrivilege::ALL
                .iter()
                .filter(|privilege| cx.catalog.has_system_privilege(&user, **privilege))
                .try_for_each(|privilege| rows.add(&[s(privilege.name())]))
        },
    },
    View {
        name: "DBA_ROLES",
        columns: &[text("ROLE", 128), number("ROLE_ID")],
        rows: |cx, rows| cx.catalog.roles().try_for_each(|role| rows.add(&[s(&role.name), n(role.number.0)])),
    },
];

fn users(cx: &ViewContext, rows: &mut Rows, wanted: impl Fn(&str) -> bool) -> Result<()> {
    for user in cx.catalog.users().filter(|user| wanted(&user.name)) {
        rows.add(&[
            s(&user.name),
            n(user.number.0),
            s(if user.locked { "LOCKED" } else { "OPEN" }),
            s(&user.default_tablespace),
            at(user.created_us)?,
        ])?;
    }
    Ok(())
}
