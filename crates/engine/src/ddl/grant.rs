//! GRANT and REVOKE.

use std::sync::Arc;

use common::{Error, Result};

use super::statement::Ddl;
use crate::dictionary::access::is;
use crate::dictionary::privilege::insufficient;
use crate::dictionary::rows::{ObjectGrantRow, SystemGrantRow};
use crate::dictionary::{
    ConstraintDef, ObjectKind, ObjectPrivilege, SYS, SchemaObject, SystemPrivilege, TableDef, UserDef, UserKind,
    UserNumber,
};
use crate::instance::Session;

/// A privilege or role that GRANT without ON grants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Grant {
    Privilege(SystemPrivilege),
    Role(UserNumber),
}

impl Grant {
    fn number(self) -> i64 {
        match self {
            Self::Privilege(privilege) => privilege.number(),
            Self::Role(role) => i64::from(role.0),
        }
    }
}

impl Session {
    /// GRANT of system privileges and roles; `names` are theirs, `ALL PRIVILEGES` stands for every system privilege.
    /// `grantable`: WITH ADMIN OPTION.
    ///
    /// # Errors
    /// ORA-01919 neither a privilege nor a role, ORA-01917 no such user or role to grant to, ORA-01934 a role in a
    /// circle, ORA-01031.
    pub fn grant(self: &Arc<Self>, names: &[String], to: &[String], grantable: bool) -> Result<()> {
        self.ddl(|ddl| {
            for grant in ddl.grants(names)? {
                ddl.check_may_grant(grant)?;
                for grantee in to {
                    ddl.grant(grant, grantee, grantable)?;
                }
            }
            Ok(())
        })
    }

    /// REVOKE of system privileges and roles.
    ///
    /// # Errors
    /// As [`Session::grant`]; ORA-01951 and ORA-01952 where it was not granted.
    pub fn revoke(self: &Arc<Self>, names: &[String], from: &[String]) -> Result<()> {
        self.ddl(|ddl| {
            for grant in ddl.grants(names)? {
                ddl.check_may_grant(grant)?;
                for grantee in from {
                    ddl.revoke(grant, grantee)?;
                }
            }
            Ok(())
        })
    }

    /// GRANT … ON a table, view, sequence, procedure, function or package; [`ObjectPrivilege::ALL`] stands for those
    /// that it has. `grantable`: WITH GRANT OPTION.
    ///
    /// # Errors
    /// ORA-00942, ORA-01917, ORA-01749 to oneself, ORA-02204, 02205, 02224 and 02225 a privilege that the object does
    /// not have, ORA-01031.
    pub fn grant_on(
        self: &Arc<Self>,
        privileges: &[ObjectPrivilege],
        owner: &str,
        name: &str,
        to: &[String],
        grantable: bool,
    ) -> Result<()> {
        self.ddl(|ddl| {
            let Some(object) = ddl.catalog.object(owner, name) else {
                return ddl.catalog.require_table(owner, name).map(drop);
            };
            let privileges = ddl.privileges_to_grant(&object, privileges)?;
            for grantee in to {
                ddl.grant_on(&object, privileges, grantee, grantable)?;
            }
            Ok(())
        })
    }

    /// REVOKE … ON a table, view, sequence, procedure, function or package.
    ///
    /// # Errors
    /// ORA-00942, ORA-01917, ORA-01927 where it was not granted, ORA-02204, 02205, 02224, 02225, ORA-01031.
    /// ORA-01981 where foreign keys depend on a REFERENCES that goes, as [`Session::revoke_on_and`] drops them.
    pub fn revoke_on(
        self: &Arc<Self>,
        privileges: &[ObjectPrivilege],
        owner: &str,
        name: &str,
        from: &[String],
    ) -> Result<()> {
        self.revoke_on_and(privileges, owner, name, from, false)
    }

    /// REVOKE … ON; `cascade` (CASCADE CONSTRAINTS) drops the foreign keys of tables whose owners may no longer refer
    /// to the table.
    ///
    /// # Errors
    /// As [`Session::revoke_on`]; ORA-00054 when rows of such a table are being changed.
    pub fn revoke_on_and(
        self: &Arc<Self>,
        privileges: &[ObjectPrivilege],
        owner: &str,
        name: &str,
        from: &[String],
        cascade: bool,
    ) -> Result<()> {
        self.ddl(|ddl| {
            let all = privileges == ObjectPrivilege::ALL;
            let Some(object) = ddl.catalog.object(owner, name) else {
                return ddl.catalog.require_table(owner, name).map(drop);
            };
            let privileges = ddl.privileges_to_grant(&object, privileges)?;
            let referring = match &object {
                SchemaObject::Table(table) if privileges.contains(&ObjectPrivilege::References) => {
                    ddl.rightly_referring(table)
                }
                _ => Vec::new(),
            };
            for grantee in from {
                ddl.revoke_on(&object, privileges, grantee, all)?;
            }
            ddl.drop_references(&object, &referring, cascade)
        })
    }

    /// GRANT … ON DIRECTORY.
    ///
    /// # Errors
    /// ORA-22930 no such directory, ORA-22928 neither READ nor WRITE, and those of [`Session::grant_on`].
    pub fn grant_on_directory(
        self: &Arc<Self>,
        privileges: &[ObjectPrivilege],
        name: &str,
        to: &[String],
        grantable: bool,
    ) -> Result<()> {
        self.ddl(|ddl| {
            let object = SchemaObject::Directory(ddl.require_directory(name)?);
            let privileges = ddl.privileges_to_grant(&object, privileges)?;
            to.iter().try_for_each(|grantee| ddl.grant_on(&object, privileges, grantee, grantable))
        })
    }

    /// REVOKE … ON DIRECTORY.
    ///
    /// # Errors
    /// As [`Session::grant_on_directory`]; ORA-01927 where it was not granted.
    pub fn revoke_on_directory(
        self: &Arc<Self>,
        privileges: &[ObjectPrivilege],
        name: &str,
        from: &[String],
    ) -> Result<()> {
        self.ddl(|ddl| {
            let all = privileges == ObjectPrivilege::ALL;
            let object = SchemaObject::Directory(ddl.require_directory(name)?);
            let privileges = ddl.privileges_to_grant(&object, privileges)?;
            from.iter().try_for_each(|grantee| ddl.revoke_on(&object, privileges, grantee, all))
        })
    }
}

impl Ddl<'_> {
    fn grants(&self, names: &[String]) -> Result<Vec<Grant>> {
        let mut grants = Vec::new();
        for name in names {
            if name.eq_ignore_ascii_case("ALL PRIVILEGES") || name.eq_ignore_ascii_case("ALL") {
                grants.extend(SystemPrivilege::ALL.iter().copied().map(Grant::Privilege));
            } else if let Some(privilege) = SystemPrivilege::find(name) {
                grants.push(Grant::Privilege(privilege));
            } else {
                let role = self
                    .catalog
                    .user(name)
                    .filter(|role| role.kind == UserKind::Role && role.number != UserNumber::PUBLIC)
                    .ok_or_else(|| Error::user(1919, format!("there is no role or system privilege {name}")))?;
                grants.push(Grant::Role(role.number));
            }
        }
        Ok(grants)
    }

    fn grantee(&self, name: &str) -> Result<UserDef> {
        self.catalog
            .user(name)
            .map(|user| UserDef::clone(user))
            .ok_or_else(|| Error::user(1917, format!("there is no user or role {name}")))
    }

    fn check_may_grant(&self, grant: Grant) -> Result<()> {
        let user = self.session.rights();
        if user == SYS {
            return Ok(());
        }
        let any = match grant {
            Grant::Privilege(_) => SystemPrivilege::GrantAnyPrivilege,
            Grant::Role(_) => SystemPrivilege::GrantAnyRole,
        };
        let admin = self.catalog.grantees_of(&user).iter().any(|holder| match grant {
            Grant::Privilege(privilege) => holder.system.get(&privilege) == Some(&true),
            Grant::Role(role) => holder.roles.get(&role) == Some(&true),
        });
        if admin || self.catalog.has_system_privilege(&user, any) {
            return Ok(());
        }
        Err(insufficient(format_args!("{user} holds it without ADMIN OPTION, or not at all")))
    }

    /// Grants a new role to the user that has made it, WITH ADMIN OPTION.
    pub(super) fn grant_new_role(&mut self, role: UserNumber, to: &str) -> Result<()> {
        self.grant(Grant::Role(role), to, true)
    }

    /// Revokes a role from a grantee.
    pub(super) fn take_role(&mut self, role: UserNumber, from: &str) -> Result<()> {
        self.revoke(Grant::Role(role), from)
    }

    fn grant(&mut self, grant: Grant, grantee: &str, grantable: bool) -> Result<()> {
        let mut user = self.grantee(grantee)?;
        if let Grant::Role(role) = grant
            && self.catalog.user_by_number(role).is_some_and(|role| {
                self.catalog
                    .grantees_of(&role.name)
                    .iter()
                    .any(|held| held.number == user.number && held.kind == UserKind::Role)
            })
            && user.number != UserNumber::PUBLIC
        {
            return Err(Error::user(1934, format!("role {grantee} would be granted to itself")));
        }
        let held = match grant {
            Grant::Privilege(privilege) => user.system.get(&privilege).copied(),
            Grant::Role(role) => user.roles.get(&role).copied(),
        };
        if held.is_some_and(|held| held || !grantable) {
            return Ok(());
        }
        let (number, privilege) = (user.number.0, grant.number());
        match held {
            None => self.insert(&[SystemGrantRow { grantee: number, privilege, grantable }])?,
            Some(_) => {
                let row = [is("GRANTEE#", number)?, is("PRIVILEGE#", privilege)?];
                self.update::<SystemGrantRow>(&row, |row| row.grantable = true)?;
            }
        }
        match grant {
            Grant::Privilege(privilege) => user.system.insert(privilege, grantable),
            Grant::Role(role) => user.roles.insert(role, grantable),
        };
        self.catalog.put_user(user.clone());
        self.system_privileges_changed(&user, false)
    }

    fn revoke(&mut self, grant: Grant, grantee: &str) -> Result<()> {
        let mut user = self.grantee(grantee)?;
        let held = match grant {
            Grant::Privilege(privilege) => user.system.remove(&privilege),
            Grant::Role(role) => user.roles.remove(&role),
        };
        if held.is_none() {
            return Err(match grant {
                Grant::Privilege(privilege) => Error::user(1952, format!("{privilege} was not granted to {grantee}")),
                Grant::Role(_) => Error::user(1951, format!("the role was not granted to {grantee}")),
            });
        }
        self.delete::<SystemGrantRow>(&[is("GRANTEE#", user.number.0)?, is("PRIVILEGE#", grant.number())?])?;
        self.catalog.put_user(user.clone());
        let reaches_objects = match grant {
            Grant::Privilege(privilege) => privilege.name().contains(" ANY "),
            Grant::Role(_) => true,
        };
        self.system_privileges_changed(&user, reaches_objects)
    }

    /// The privileges among these that the object has, if the user may grant them on it.
    fn privileges_to_grant<'p>(
        &self,
        object: &SchemaObject,
        privileges: &'p [ObjectPrivilege],
    ) -> Result<&'p [ObjectPrivilege]> {
        let kind = object.kind();
        let valid = ObjectPrivilege::of(kind);
        let privileges = if privileges == ObjectPrivilege::ALL { valid } else { privileges };
        let wrong = privileges.iter().find(|privilege| !valid.contains(privilege));
        if let (Some(privilege), ObjectKind::Directory) = (wrong, kind) {
            return Err(Error::user(22928, format!("invalid privilege on directories: {privilege}")));
        }
        let user = self.session.rights();
        let any = SystemPrivilege::GrantAnyObjectPrivilege;
        let own = user == object.owner() || user == SYS;
        if !own && (object.owner() == SYS || !self.catalog.has_system_privilege(&user, any)) {
            let usual = match kind {
                ObjectKind::Directory => ObjectPrivilege::Read,
                kind if kind.is_program() => ObjectPrivilege::Execute,
                _ => ObjectPrivilege::Select,
            };
            self.catalog.check_object(&user, object, usual)?;
            let holders = self.catalog.grantees_of(&user);
            let option = |privilege: &ObjectPrivilege| {
                holders.iter().any(|holder| holder.objects.get(&(object.number(), *privilege)) == Some(&true))
            };
            if !privileges.iter().all(option) {
                return Err(insufficient(format_args!("{user} holds no GRANT OPTION on {}", object.qualified_name())));
            }
        }
        match wrong {
            Some(privilege) if kind == ObjectKind::Sequence => {
                Err(Error::user(2205, format!("only SELECT and ALTER are privileges on sequences, not {privilege}")))
            }
            Some(privilege) if kind.is_program() => {
                Err(Error::user(2225, format!("only EXECUTE is a privilege on procedures, not {privilege}")))
            }
            Some(privilege) if kind == ObjectKind::Table => {
                Err(Error::user(2224, format!("{privilege} privilege not allowed for tables")))
            }
            Some(privilege) => Err(Error::user(2204, format!("{privilege} is no privilege on views"))),
            None => Ok(privileges),
        }
    }

    fn grant_on(
        &mut self,
        of: &SchemaObject,
        privileges: &[ObjectPrivilege],
        grantee: &str,
        grantable: bool,
    ) -> Result<()> {
        let mut user = self.grantee(grantee)?;
        if self.session.rights() == grantee {
            return Err(Error::user(1749, "nobody grants privileges to or revokes them from oneself"));
        }
        if user.name == of.owner() {
            return Ok(());
        }
        for privilege in privileges {
            let key = (of.number(), *privilege);
            let held = user.objects.get(&key).copied();
            if held.is_some_and(|held| held || !grantable) {
                continue;
            }
            let (object, number) = (of.number().0, privilege.number());
            match held {
                None => {
                    let row = ObjectGrantRow { object, grantee: user.number.0, privilege: number, grantable };
                    self.insert(&[row])?;
                }
                Some(_) => {
                    let row = [is("OBJ#", object)?, is("GRANTEE#", user.number.0)?, is("PRIVILEGE#", number)?];
                    self.update::<ObjectGrantRow>(&row, |row| row.grantable = true)?;
                }
            }
            user.objects.insert(key, grantable);
        }
        self.catalog.put_user(user.clone());
        self.object_privileges_changed(of, &user, false)
    }

    /// `all`: REVOKE ALL, which takes the privileges that were granted.
    fn revoke_on(&mut self, of: &SchemaObject, privileges: &[ObjectPrivilege], grantee: &str, all: bool) -> Result<()> {
        let mut user = self.grantee(grantee)?;
        let mut count = 0;
        for privilege in privileges {
            if user.objects.remove(&(of.number(), *privilege)).is_none() {
                if all {
                    continue;
                }
                return Err(not_granted(*privilege, of, grantee));
            }
            count += 1;
            let object = of.number().0;
            let row = [is("OBJ#", object)?, is("GRANTEE#", user.number.0)?, is("PRIVILEGE#", privilege.number())?];
            self.delete::<ObjectGrantRow>(&row)?;
        }
        if let (0, Some(first)) = (count, privileges.first()) {
            return Err(not_granted(*first, of, grantee));
        }
        self.catalog.put_user(user.clone());
        self.object_privileges_changed(of, &user, true)
    }
}

impl Ddl<'_> {
    /// Foreign keys to a table from tables of other users that have the right to refer to it.
    fn rightly_referring(&self, table: &TableDef) -> Vec<Arc<ConstraintDef>> {
        let rightly = |foreign: &&Arc<ConstraintDef>| {
            self.catalog
                .table_by_number(foreign.table)
                .is_some_and(|child| child.owner != table.owner && self.may_refer(&child.owner, table))
        };
        table.referencing.iter().filter(rightly).cloned().collect()
    }

    fn may_refer(&self, user: &str, table: &TableDef) -> bool {
        self.catalog.check_table(user, table, ObjectPrivilege::References).is_ok()
    }

    /// Drops, of the foreign keys to a table, those whose owners may no longer refer to it.
    ///
    /// # Errors
    /// ORA-01981 without `cascade`.
    fn drop_references(&mut self, of: &SchemaObject, referring: &[Arc<ConstraintDef>], cascade: bool) -> Result<()> {
        let SchemaObject::Table(table) = of else { return Ok(()) };
        for foreign in referring {
            let Some(child) = self.catalog.table_by_number(foreign.table).cloned() else { continue };
            if self.may_refer(&child.owner, table) {
                continue;
            }
            if !cascade {
                let text = "CASCADE CONSTRAINTS must be specified to perform this revoke";
                return Err(Error::user(1981, format!("{text}: {} depends on it", foreign.qualified_name())));
            }
            self.lock(&child)?;
            self.forget_constraint(foreign)?;
        }
        Ok(())
    }
}

fn not_granted(privilege: ObjectPrivilege, of: &SchemaObject, grantee: &str) -> Error {
    Error::user(1927, format!("{privilege} on {} was not granted to {grantee}", of.qualified_name()))
}
