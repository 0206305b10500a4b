//! CREATE, ALTER and DROP USER.

use std::sync::Arc;

use common::{Error, Result};

use super::check::check_name;
use super::statement::Ddl;
use crate::dictionary::access::{Condition, equal, is};
use crate::dictionary::field::Moment;
use crate::dictionary::privilege::insufficient;
use crate::dictionary::rows::{
    DictionaryRow, JobRow, ObjectGrantRow, QuotaRow, SchedulerArgumentRow, SchedulerJobRow, SystemGrantRow, UserRow,
};
use crate::dictionary::{
    DEFAULT_TABLESPACE, SYS, SystemPrivilege, UserDef, UserKind, UserNumber, authenticate, password,
};
use crate::instance::Session;
use storage::txn::LockWait;

/// A user's quota on a tablespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quota {
    Unlimited,
    /// Bytes. Only 0, which takes the quota away, is supported.
    Bytes(u64),
}

/// Options of CREATE USER and ALTER USER; None: not given.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct UserSpec {
    pub password: Option<String>,
    pub default_tablespace: Option<String>,
    pub quotas: Vec<(String, Quota)>,
    pub locked: Option<bool>,
}

impl Session {
    /// CREATE USER.
    ///
    /// # Errors
    /// ORA-01920 name in use, ORA-00959 no such tablespace, ORA-01031.
    pub fn create_user(self: &Arc<Self>, name: &str, spec: &UserSpec) -> Result<()> {
        self.ddl(|ddl| ddl.create_user(name, spec))
    }

    /// ALTER USER. Users may change their own password.
    ///
    /// # Errors
    /// ORA-01918 no such user, ORA-00959, ORA-01031.
    pub fn alter_user(self: &Arc<Self>, name: &str, spec: &UserSpec) -> Result<()> {
        self.ddl(|ddl| ddl.alter_user(name, spec))
    }

    /// `DROP USER [CASCADE]`.
    ///
    /// # Errors
    /// ORA-01918 no such user, ORA-01922 owns objects and CASCADE was not said, ORA-01940 is the session's own,
    /// ORA-01031.
    pub fn drop_user(self: &Arc<Self>, name: &str, cascade: bool) -> Result<()> {
        self.ddl(|ddl| ddl.drop_user(name, cascade))
    }

    /// CREATE ROLE. Its creator may grant it on.
    ///
    /// # Errors
    /// ORA-01921 name in use, ORA-01031.
    pub fn create_role(self: &Arc<Self>, name: &str) -> Result<()> {
        self.ddl(|ddl| ddl.create_role(name))
    }

    /// DROP ROLE. It is revoked from all grantees.
    ///
    /// # Errors
    /// ORA-01919 no such role, ORA-01031.
    pub fn drop_role(self: &Arc<Self>, name: &str) -> Result<()> {
        self.ddl(|ddl| ddl.drop_role(name))
    }

    /// Checks that a session may log on as `name` with `password`. None: the operating system's user, who could open
    /// the files, logs on as any user.
    ///
    /// # Errors
    /// ORA-01017 wrong password, none set, or no such user; ORA-28000 locked; ORA-01045 without CREATE SESSION.
    pub fn authenticate(&self, name: &str, password: Option<&str>) -> Result<()> {
        authenticate(&self.catalog(), name, password)
    }
}

fn user_row(user: &UserDef) -> UserRow {
    UserRow {
        number: user.number.0,
        name: user.name.clone(),
        kind: u8::from(user.kind == UserKind::User),
        verifier: user.verifier.clone(),
        default_tablespace: user.default_tablespace.clone(),
        locked: user.locked,
        created: Moment(user.created_us),
    }
}

impl Ddl<'_> {
    fn create_user(&mut self, name: &str, spec: &UserSpec) -> Result<()> {
        self.check_privilege(SystemPrivilege::CreateUser)?;
        check_name(name)?;
        if self.catalog.user(name).is_some() {
            return Err(Error::user(1920, format!("the name {name} is used by another user or role")));
        }
        let mut user = UserDef::new(self.next_user_number(), name, UserKind::User, DEFAULT_TABLESPACE, self.now_us());
        self.apply(&mut user, spec)?;
        self.insert(&[user_row(&user)])?;
        self.catalog.put_user(user);
        Ok(())
    }

    fn next_user_number(&self) -> UserNumber {
        let highest = self.catalog.grantees_all().map(|user| user.number.0).max().unwrap_or(0);
        UserNumber((highest + 1).max(UserNumber::FIRST))
    }

    fn create_role(&mut self, name: &str) -> Result<()> {
        self.check_privilege(SystemPrivilege::CreateRole)?;
        check_name(name)?;
        if self.catalog.user(name).is_some() {
            return Err(Error::user(1921, format!("role name {name} conflicts with another user or role name")));
        }
        let role = UserDef::new(self.next_user_number(), name, UserKind::Role, DEFAULT_TABLESPACE, self.now_us());
        self.insert(&[user_row(&role)])?;
        let number = role.number;
        self.catalog.put_user(role);
        let creator = self.session.user();
        if creator == SYS { Ok(()) } else { self.grant_new_role(number, &creator) }
    }

    fn drop_role(&mut self, name: &str) -> Result<()> {
        let role = self.catalog.user(name).filter(|role| role.kind == UserKind::Role).cloned();
        let role = role.ok_or_else(|| Error::user(1919, format!("role {name} does not exist")))?;
        if role.number.0 < UserNumber::FIRST {
            return Err(insufficient(format_args!("{name} belongs to the database")));
        }
        let administers = self
            .catalog
            .grantees_of(&self.session.rights())
            .iter()
            .any(|holder| holder.roles.get(&role.number) == Some(&true));
        if !administers {
            self.check_privilege(SystemPrivilege::DropAnyRole)?;
        }
        let holders: Vec<_> =
            self.catalog.grantees_all().filter(|holder| holder.roles.contains_key(&role.number)).cloned().collect();
        for holder in holders {
            self.take_role(role.number, &holder.name)?;
        }
        self.delete::<SystemGrantRow>(&equal("GRANTEE#", role.number.0)?)?;
        self.delete::<ObjectGrantRow>(&equal("GRANTEE#", role.number.0)?)?;
        self.delete::<UserRow>(&equal("USER#", role.number.0)?)?;
        self.catalog.remove_user(role.number);
        Ok(())
    }

    fn alter_user(&mut self, name: &str, spec: &UserSpec) -> Result<()> {
        let own_password = UserSpec { password: spec.password.clone(), ..UserSpec::default() };
        if self.session.rights() != name || *spec != own_password {
            self.check_privilege(SystemPrivilege::AlterUser)?;
        }
        let mut user = UserDef::clone(self.catalog.require_user(name)?);
        self.apply(&mut user, spec)?;
        self.update::<UserRow>(&equal("USER#", user.number.0)?, |row| *row = user_row(&user))?;
        self.catalog.put_user(user);
        Ok(())
    }

    fn apply(&mut self, user: &mut UserDef, spec: &UserSpec) -> Result<()> {
        if let Some(name) = &spec.default_tablespace {
            self.session.instance().tablespaces().named(name)?;
            user.default_tablespace.clone_from(name);
        }
        if let Some(password) = &spec.password {
            user.verifier = Some(password::verifier(password, self.session.meter().clock().wall_us())?);
        }
        if let Some(locked) = spec.locked {
            user.locked = locked;
        }
        for (tablespace, quota) in &spec.quotas {
            self.session.instance().tablespaces().named(tablespace)?;
            match quota {
                Quota::Unlimited => {
                    if user.quotas.insert(tablespace.clone()) {
                        self.insert(&[QuotaRow { user: user.number.0, tablespace: tablespace.clone() }])?;
                    }
                }
                Quota::Bytes(0) => {
                    if user.quotas.remove(tablespace) {
                        self.delete::<QuotaRow>(&[is("USER#", user.number.0)?, is("TS", tablespace.clone())?])?;
                    }
                }
                Quota::Bytes(_) => return Err(Error::unsupported("a quota other than UNLIMITED and 0")),
            }
        }
        Ok(())
    }

    fn drop_user(&mut self, name: &str, cascade: bool) -> Result<()> {
        self.check_privilege(SystemPrivilege::DropUser)?;
        let user = self.catalog.require_user(name)?.clone();
        if user.number.0 < UserNumber::FIRST {
            return Err(insufficient(format_args!("{name} belongs to the database")));
        }
        if self.session.user() == name {
            return Err(Error::user(1940, format!("{name} is connected and cannot be dropped")));
        }
        let tables: Vec<_> = self.catalog.tables_of(name).cloned().collect();
        let indexes: Vec<_> = self.catalog.indexes().filter(|index| index.owner == name).cloned().collect();
        let others: Vec<_> = self.catalog.others_of(name).cloned().collect();
        // Package bodies and triggers, of which some go with a package or a table.
        let programs: Vec<_> = self.catalog.programs().filter(|program| program.owner == name).cloned().collect();
        let owns_objects = !tables.is_empty() || !indexes.is_empty() || !others.is_empty() || !programs.is_empty();
        if owns_objects && !cascade {
            return Err(Error::user(1922, format!("{name} owns objects: CASCADE drops them too")));
        }
        for table in &tables {
            self.drop_table(table, true)?;
        }
        for index in indexes.iter().filter(|index| index.table_owner != name) {
            self.drop_index(index)?;
        }
        for other in &others {
            self.drop_other(other)?;
        }
        for program in &programs {
            if let Some(left) = self.catalog.program_by_number(program.object).cloned() {
                self.remove_program(&left)?;
            }
        }
        self.delete_jobs_of(name)?;
        let number = user.number.0;
        self.delete::<SystemGrantRow>(&equal("GRANTEE#", number)?)?;
        self.delete::<ObjectGrantRow>(&equal("GRANTEE#", number)?)?;
        self.delete::<QuotaRow>(&equal("USER#", number)?)?;
        self.delete::<UserRow>(&equal("USER#", number)?)?;
        self.catalog.remove_user(user.number);
        Ok(())
    }
}

impl Ddl<'_> {
    /// Deletes the jobs of a user that is dropped.
    ///
    /// # Errors
    /// ORA-00054 where another transaction changes one of them: a DDL statement does not wait.
    pub(super) fn delete_jobs_of(&mut self, user: &str) -> Result<()> {
        let name = || user.to_owned();
        self.delete_unlocked::<JobRow>(&equal("POWNER", name())?)?;
        self.delete_unlocked::<SchedulerJobRow>(&equal("OWNER", name())?)?;
        self.delete_unlocked::<SchedulerArgumentRow>(&equal("OWNER", name())?)
    }

    fn delete_unlocked<R: DictionaryRow>(&mut self, conditions: &[Condition]) -> Result<()> {
        for (rowid, _) in self.select::<R>(conditions)? {
            self.session.lock_own::<R>(rowid, LockWait::NoWait)?;
            self.session.delete_own::<R>(rowid)?;
        }
        Ok(())
    }
}
