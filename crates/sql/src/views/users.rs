//! Users and their grants.

use std::sync::Arc;

use engine::dictionary::{SystemPrivilege, UserDef};

use super::view::{Column, Table, View, date, n, number, s, text, unless_zero, yes};

const USERS: &[Column<Arc<UserDef>>] = &[
    text("USERNAME", 128, |user| s(&user.name)),
    number("USER_ID", |user| n(user.number.0)),
    text("ACCOUNT_STATUS", 32, |user| s(if user.locked { "LOCKED" } else { "OPEN" })),
    text("DEFAULT_TABLESPACE", 30, |user| s(&user.default_tablespace)),
    date("CREATED", |user| unless_zero(user.created_us)),
];

const ROLES: &[Column<Arc<UserDef>>] =
    &[text("ROLE", 128, |role| s(&role.name)), number("ROLE_ID", |role| n(role.number.0))];

/// A system privilege of a user or a role.
struct Grant {
    grantee: Arc<UserDef>,
    privilege: SystemPrivilege,
    grantable: bool,
}

const SYSTEM_PRIVILEGES: &[Column<Grant>] = &[
    text("GRANTEE", 128, |row| s(&row.grantee.name)),
    text("PRIVILEGE", 40, |row| s(row.privilege.name())),
    text("ADMIN_OPTION", 3, |row| yes(row.grantable)),
];

const OWN_PRIVILEGES: &[Column<SystemPrivilege>] = &[text("PRIVILEGE", 40, |privilege| s(privilege.name()))];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_USERS", &[USERS], |cx, each| cx.catalog.users().cloned().try_for_each(each)),
    &Table::new("USER_USERS", &[USERS], |cx, each| {
        let user = cx.session.rights();
        cx.catalog.users().filter(|known| known.name == user).cloned().try_for_each(each)
    }),
    &Table::new("ALL_USERS", &[USERS], |cx, each| cx.catalog.users().cloned().try_for_each(each))
        .without(&["ACCOUNT_STATUS", "DEFAULT_TABLESPACE"]),
    &Table::new("DBA_SYS_PRIVS", &[SYSTEM_PRIVILEGES], |cx, each| {
        for grantee in cx.catalog.grantees_all() {
            for (privilege, grantable) in &grantee.system {
                each(Grant { grantee: Arc::clone(grantee), privilege: *privilege, grantable: *grantable })?;
            }
        }
        Ok(())
    }),
    &Table::new("SESSION_PRIVS", &[OWN_PRIVILEGES], |cx, each| {
        let user = cx.session.rights();
        let held = |privilege: &SystemPrivilege| cx.catalog.has_system_privilege(&user, *privilege);
        SystemPrivilege::ALL.iter().copied().filter(held).try_for_each(each)
    }),
    &Table::new("DBA_ROLES", &[ROLES], |cx, each| cx.catalog.roles().cloned().try_for_each(each)),
];
