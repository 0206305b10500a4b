//! Privileges, and checks of them.
//!
//! A user holds the privileges granted to it, to its roles (and their roles), and to PUBLIC. The owner of an object
//! holds all on it. `… ANY …` privileges reach all schemas but SYS, whose tables are the dictionary.
//!
//! A stored program works with the privileges granted directly to its owner and to PUBLIC: roles do not count there
//! ([`super::Rights`]).

use std::fmt;

use common::{Error, ObjectNumber, Result};

use super::catalog::Catalog;
use super::directory::no_directory;
use super::object::{ObjectKind, SchemaObject};
use super::rights::Holder;
use super::table::TableDef;
use super::user::{PUBLIC, SYS, UserDef, UserNumber};

macro_rules! privileges {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $number:literal $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($variant,)* }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// As GRANT spells it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// As the dictionary's tables store it.
            #[must_use]
            pub fn number(self) -> i64 {
                match self { $(Self::$variant => $number,)* }
            }

            /// The privilege that GRANT spells `name`, in any case.
            #[must_use]
            pub fn find(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|privilege| privilege.name().eq_ignore_ascii_case(name))
            }

            pub(crate) fn from_number(number: i64) -> Option<Self> {
                Self::ALL.iter().copied().find(|privilege| privilege.number() == number)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

privileges! {
    /// System privileges. Some allow actions that Highwater does not have yet: they can be granted all the same, so
    /// that scripts run.
    SystemPrivilege {
        AlterSystem = -3 "ALTER SYSTEM",
        CreateSession = -5 "CREATE SESSION",
        AlterSession = -6 "ALTER SESSION",
        RestrictedSession = -7 "RESTRICTED SESSION",
        CreateTablespace = -10 "CREATE TABLESPACE",
        AlterTablespace = -11 "ALTER TABLESPACE",
        ManageTablespace = -12 "MANAGE TABLESPACE",
        DropTablespace = -13 "DROP TABLESPACE",
        UnlimitedTablespace = -15 "UNLIMITED TABLESPACE",
        CreateUser = -20 "CREATE USER",
        AlterUser = -22 "ALTER USER",
        DropUser = -23 "DROP USER",
        CreateTable = -40 "CREATE TABLE",
        CreateAnyTable = -41 "CREATE ANY TABLE",
        AlterAnyTable = -42 "ALTER ANY TABLE",
        LockAnyTable = -44 "LOCK ANY TABLE",
        DropAnyTable = -45 "DROP ANY TABLE",
        SelectAnyTable = -47 "SELECT ANY TABLE",
        InsertAnyTable = -48 "INSERT ANY TABLE",
        UpdateAnyTable = -49 "UPDATE ANY TABLE",
        DeleteAnyTable = -50 "DELETE ANY TABLE",
        CreateCluster = -60 "CREATE CLUSTER",
        CreateAnyIndex = -71 "CREATE ANY INDEX",
        AlterAnyIndex = -72 "ALTER ANY INDEX",
        DropAnyIndex = -73 "DROP ANY INDEX",
        CreateSynonym = -80 "CREATE SYNONYM",
        CreateAnySynonym = -81 "CREATE ANY SYNONYM",
        DropAnySynonym = -82 "DROP ANY SYNONYM",
        CreatePublicSynonym = -85 "CREATE PUBLIC SYNONYM",
        DropPublicSynonym = -86 "DROP PUBLIC SYNONYM",
        CreateView = -90 "CREATE VIEW",
        CreateAnyView = -91 "CREATE ANY VIEW",
        DropAnyView = -92 "DROP ANY VIEW",
        CreateSequence = -105 "CREATE SEQUENCE",
        CreateAnySequence = -106 "CREATE ANY SEQUENCE",
        AlterAnySequence = -107 "ALTER ANY SEQUENCE",
        DropAnySequence = -108 "DROP ANY SEQUENCE",
        SelectAnySequence = -109 "SELECT ANY SEQUENCE",
        CreateRole = -125 "CREATE ROLE",
        GrantAnyRole = -129 "GRANT ANY ROLE",
        AlterDatabase = -135 "ALTER DATABASE",
        CreateProcedure = -140 "CREATE PROCEDURE",
        CreateAnyProcedure = -141 "CREATE ANY PROCEDURE",
        AlterAnyProcedure = -142 "ALTER ANY PROCEDURE",
        DropAnyProcedure = -143 "DROP ANY PROCEDURE",
        ExecuteAnyProcedure = -144 "EXECUTE ANY PROCEDURE",
        CreateTrigger = -151 "CREATE TRIGGER",
        CreateAnyTrigger = -152 "CREATE ANY TRIGGER",
        AlterAnyTrigger = -153 "ALTER ANY TRIGGER",
        DropAnyTrigger = -154 "DROP ANY TRIGGER",
        AnalyzeAny = -165 "ANALYZE ANY",
        GrantAnyPrivilege = -167 "GRANT ANY PRIVILEGE",
        CreateType = -180 "CREATE TYPE",
        CreateOperator = -200 "CREATE OPERATOR",
        CreateIndextype = -205 "CREATE INDEXTYPE",
        SelectAnyDictionary = -237 "SELECT ANY DICTIONARY",
        GrantAnyObjectPrivilege = -244 "GRANT ANY OBJECT PRIVILEGE",
        CreateAnyDirectory = -177 "CREATE ANY DIRECTORY",
        DropAnyDirectory = -178 "DROP ANY DIRECTORY",
        CreateJob = -265 "CREATE JOB",
        CreateAnyJob = -266 "CREATE ANY JOB",
        ManageScheduler = -269 "MANAGE SCHEDULER",
        AuditSystem = -4 "AUDIT SYSTEM",
        BecomeUser = -21 "BECOME USER",
        CreateRollbackSegment = -30 "CREATE ROLLBACK SEGMENT",
        AlterRollbackSegment = -31 "ALTER ROLLBACK SEGMENT",
        DropRollbackSegment = -32 "DROP ROLLBACK SEGMENT",
        BackupAnyTable = -43 "BACKUP ANY TABLE",
        CommentAnyTable = -46 "COMMENT ANY TABLE",
        CreateAnyCluster = -61 "CREATE ANY CLUSTER",
        AlterAnyCluster = -62 "ALTER ANY CLUSTER",
        DropAnyCluster = -63 "DROP ANY CLUSTER",
        CreateDatabaseLink = -115 "CREATE DATABASE LINK",
        CreatePublicDatabaseLink = -120 "CREATE PUBLIC DATABASE LINK",
        DropPublicDatabaseLink = -121 "DROP PUBLIC DATABASE LINK",
        DropAnyRole = -126 "DROP ANY ROLE",
        AlterAnyRole = -127 "ALTER ANY ROLE",
        AuditAny = -128 "AUDIT ANY",
        ForceTransaction = -138 "FORCE TRANSACTION",
        ForceAnyTransaction = -139 "FORCE ANY TRANSACTION",
        CreateProfile = -160 "CREATE PROFILE",
        AlterProfile = -161 "ALTER PROFILE",
        DropProfile = -162 "DROP PROFILE",
        AlterResourceCost = -163 "ALTER RESOURCE COST",
        CreateMaterializedView = -172 "CREATE MATERIALIZED VIEW",
        CreateAnyMaterializedView = -173 "CREATE ANY MATERIALIZED VIEW",
        AlterAnyMaterializedView = -174 "ALTER ANY MATERIALIZED VIEW",
        DropAnyMaterializedView = -175 "DROP ANY MATERIALIZED VIEW",
        CreateAnyType = -181 "CREATE ANY TYPE",
        AlterAnyType = -182 "ALTER ANY TYPE",
        DropAnyType = -183 "DROP ANY TYPE",
        ExecuteAnyType = -184 "EXECUTE ANY TYPE",
        UnderAnyType = -186 "UNDER ANY TYPE",
        CreateLibrary = -188 "CREATE LIBRARY",
        CreateAnyLibrary = -189 "CREATE ANY LIBRARY",
        CreateAnyOperator = -201 "CREATE ANY OPERATOR",
        DropAnyOperator = -203 "DROP ANY OPERATOR",
        ExecuteAnyOperator = -204 "EXECUTE ANY OPERATOR",
        CreateAnyIndextype = -206 "CREATE ANY INDEXTYPE",
        DropAnyIndextype = -208 "DROP ANY INDEXTYPE",
        UnderAnyView = -209 "UNDER ANY VIEW",
        QueryRewrite = -210 "QUERY REWRITE",
        GlobalQueryRewrite = -211 "GLOBAL QUERY REWRITE",
        ManageAnyQueue = -218 "MANAGE ANY QUEUE",
        EnqueueAnyQueue = -219 "ENQUEUE ANY QUEUE",
        DequeueAnyQueue = -220 "DEQUEUE ANY QUEUE",
        CreateAnyContext = -222 "CREATE ANY CONTEXT",
        DropAnyContext = -223 "DROP ANY CONTEXT",
        AdministerDatabaseTrigger = -228 "ADMINISTER DATABASE TRIGGER",
        OnCommitRefresh = -233 "ON COMMIT REFRESH",
        ExemptAccessPolicy = -235 "EXEMPT ACCESS POLICY",
        Resumable = -236 "RESUMABLE",
        DebugConnectSession = -240 "DEBUG CONNECT SESSION",
        DebugAnyProcedure = -241 "DEBUG ANY PROCEDURE",
        FlashbackAnyTable = -243 "FLASHBACK ANY TABLE",
        Advisor = -263 "ADVISOR",
        ExecuteAnyProgram = -267 "EXECUTE ANY PROGRAM",
        ExecuteAnyClass = -268 "EXECUTE ANY CLASS",
        SelectAnyTransaction = -270 "SELECT ANY TRANSACTION",
        ChangeNotification = -274 "CHANGE NOTIFICATION",
        CreateExternalJob = -275 "CREATE EXTERNAL JOB",
        CreateAnyEdition = -285 "CREATE ANY EDITION",
        ExemptIdentityPolicy = -301 "EXEMPT IDENTITY POLICY",
        InheritAnyPrivileges = -350 "INHERIT ANY PRIVILEGES",
        ReadAnyTable = -397 "READ ANY TABLE",
    }
}

privileges! {
    /// Object privileges.
    ObjectPrivilege {
        Alter = 0 "ALTER",
        Delete = 3 "DELETE",
        Index = 5 "INDEX",
        Insert = 6 "INSERT",
        Select = 9 "SELECT",
        Update = 10 "UPDATE",
        References = 11 "REFERENCES",
        Execute = 12 "EXECUTE",
        Read = 17 "READ",
        Write = 18 "WRITE",
    }
}

impl ObjectPrivilege {
    /// The privileges that objects of this kind have.
    #[must_use]
    pub fn of(kind: ObjectKind) -> &'static [Self] {
        match kind {
            ObjectKind::Table => {
                &[Self::Alter, Self::Delete, Self::Index, Self::Insert, Self::Select, Self::Update, Self::References]
            }
            ObjectKind::View => &[Self::Delete, Self::Insert, Self::Select, Self::Update, Self::References],
            ObjectKind::Sequence => &[Self::Alter, Self::Select],
            ObjectKind::Synonym => &[],
            ObjectKind::Procedure | ObjectKind::Function | ObjectKind::Package => &[Self::Execute],
            ObjectKind::Directory => &[Self::Read, Self::Write],
        }
    }

    /// The system privilege that covers every object of the kind outside SYS.
    fn any(self, kind: ObjectKind) -> Option<SystemPrivilege> {
        if kind == ObjectKind::Sequence {
            return match self {
                Self::Alter => Some(SystemPrivilege::AlterAnySequence),
                Self::Select => Some(SystemPrivilege::SelectAnySequence),
                _ => None,
            };
        }
        if kind == ObjectKind::Directory {
            return None;
        }
        if kind.is_program() {
            return (self == Self::Execute).then_some(SystemPrivilege::ExecuteAnyProcedure);
        }
        Some(match self {
            Self::Alter => SystemPrivilege::AlterAnyTable,
            Self::Delete => SystemPrivilege::DeleteAnyTable,
            Self::Index => SystemPrivilege::CreateAnyIndex,
            Self::Insert => SystemPrivilege::InsertAnyTable,
            Self::Select => SystemPrivilege::SelectAnyTable,
            Self::Update => SystemPrivilege::UpdateAnyTable,
            Self::References | Self::Execute | Self::Read | Self::Write => return None,
        })
    }

    fn writes(self) -> bool {
        !matches!(self, Self::Select | Self::References | Self::Execute)
    }
}

impl Catalog {
    /// The user, its roles and their roles where those count, and PUBLIC.
    fn grantees(&self, user: &UserDef, roles: bool) -> Vec<&UserDef> {
        let mut found: Vec<UserNumber> = vec![user.number, UserNumber::PUBLIC];
        let mut at = 0;
        while roles && at < found.len() {
            if let Some(grantee) = self.user_by_number(found[at]) {
                let new: Vec<_> = grantee.roles.keys().copied().filter(|role| !found.contains(role)).collect();
                found.extend(new);
            }
            at += 1;
        }
        found.iter().filter_map(|number| self.user_by_number(*number).map(|user| &**user)).collect()
    }

    /// [`Catalog::grantees`] by name; empty for an unknown name.
    pub(crate) fn grantees_of(&self, holder: &(impl Holder + ?Sized)) -> Vec<&UserDef> {
        self.user(holder.name()).map_or_else(Vec::new, |user| self.grantees(user, holder.has_roles()))
    }

    /// True: `user` holds the privilege, directly or through a role.
    #[must_use]
    pub fn has_system_privilege(&self, user: &(impl Holder + ?Sized), privilege: SystemPrivilege) -> bool {
        user.name() == SYS || self.grantees_of(user).iter().any(|grantee| grantee.system.contains_key(&privilege))
    }

    /// # Errors
    /// ORA-01031 where `user` does not hold the privilege.
    pub fn check_system_privilege(&self, user: &(impl Holder + ?Sized), privilege: SystemPrivilege) -> Result<()> {
        if self.has_system_privilege(user, privilege) {
            return Ok(());
        }
        Err(insufficient(format_args!("{} lacks {privilege}", user.name())))
    }

    /// Checks that `user` has this privilege on `table`.
    ///
    /// # Errors
    /// ORA-00942 where `user` has no privilege on it, so may not learn that it exists; ORA-01031 where it has another
    /// one.
    pub fn check_table(
        &self,
        user: &(impl Holder + ?Sized),
        table: &TableDef,
        privilege: ObjectPrivilege,
    ) -> Result<()> {
        if table.is_dictionary() && privilege.writes() {
            return Err(insufficient(format_args!("{} is part of the dictionary", table.qualified_name())));
        }
        self.check_may(
            user,
            PrivilegeTarget { object: table.object, owner: &table.owner, kind: ObjectKind::Table },
            privilege,
        )
        .map_err(|denied| {
            denied.error(user.name(), privilege, &table.qualified_name(), || no_table(&table.owner, &table.name))
        })
    }

    /// Checks that `user` has this privilege on an object.
    ///
    /// # Errors
    /// As [`Catalog::check_table`]; instead of ORA-00942, ORA-02289 for sequences and ORA-04043 for procedures,
    /// functions and packages.
    pub fn check_object(
        &self,
        user: &(impl Holder + ?Sized),
        object: &SchemaObject,
        privilege: ObjectPrivilege,
    ) -> Result<()> {
        if let SchemaObject::Table(table) = object {
            return self.check_table(user, table, privilege);
        }
        let of = PrivilegeTarget { object: object.number(), owner: object.owner(), kind: object.kind() };
        self.check_may(user, of, privilege)
            .map_err(|denied| denied.error(user.name(), privilege, &object.qualified_name(), || no_object(object)))
    }

    /// True: `user` may know that the object exists.
    #[must_use]
    pub fn sees(&self, user: &(impl Holder + ?Sized), object: &SchemaObject) -> bool {
        let of = PrivilegeTarget { object: object.number(), owner: object.owner(), kind: object.kind() };
        user.name() == object.owner()
            || object.owner() == PUBLIC
            || ObjectPrivilege::ALL.iter().any(|any| self.may(user, of, *any))
    }

    fn check_may(
        &self,
        user: &(impl Holder + ?Sized),
        of: PrivilegeTarget<'_>,
        privilege: ObjectPrivilege,
    ) -> std::result::Result<(), Denied> {
        if self.may(user, of, privilege) {
            return Ok(());
        }
        let other = ObjectPrivilege::ALL.iter().any(|other| self.may(user, of, *other));
        Err(if other { Denied::This } else { Denied::All })
    }

    fn may(&self, user: &(impl Holder + ?Sized), of: PrivilegeTarget<'_>, privilege: ObjectPrivilege) -> bool {
        if user.name() == of.owner || user.name() == SYS {
            return true;
        }
        let any = if of.owner == SYS {
            (privilege == ObjectPrivilege::Select).then_some(SystemPrivilege::SelectAnyDictionary)
        } else {
            privilege.any(of.kind)
        };
        let holders = self.grantees_of(user);
        holders.iter().any(|holder| holder.objects.contains_key(&(of.object, privilege)))
            || any.is_some_and(|any| holders.iter().any(|holder| holder.system.contains_key(&any)))
    }
}

/// The object on which a privilege is checked.
#[derive(Clone, Copy)]
struct PrivilegeTarget<'a> {
    object: ObjectNumber,
    owner: &'a str,
    kind: ObjectKind,
}

/// Result of a failed check.
enum Denied {
    /// The user has another privilege on the object.
    This,
    /// The user has no privilege on it, so may not learn that it exists.
    All,
}

impl Denied {
    fn error(self, user: &str, privilege: ObjectPrivilege, object: &str, absent: impl FnOnce() -> Error) -> Error {
        match self {
            Self::This => insufficient(format_args!("{user} lacks {privilege} on {object}")),
            Self::All => absent(),
        }
    }
}

/// The error for an object that a user may not know of.
pub(crate) fn no_object(object: &SchemaObject) -> Error {
    match object.kind() {
        ObjectKind::Sequence => no_sequence(object.owner(), object.name()),
        ObjectKind::Directory => no_directory(object.name()),
        kind if kind.is_program() => Error::user(4043, format!("object {} does not exist", object.name())),
        _ => no_table(object.owner(), object.name()),
    }
}

/// ORA-02289.
pub(crate) fn no_sequence(owner: &str, name: &str) -> Error {
    Error::user(2289, format!("there is no sequence {owner}.{name}"))
}

/// ORA-00942 for a table that does not exist or that the user may not see.
pub(crate) fn no_table(owner: &str, name: &str) -> Error {
    Error::user(942, format!("there is no table or view {owner}.{name}"))
}

/// ORA-01031.
pub(crate) fn insufficient(why: impl fmt::Display) -> Error {
    Error::user(1031, format!("insufficient privileges: {why}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_numbers_are_unique() {
        let system: BTreeSet<_> = SystemPrivilege::ALL.iter().map(|p| p.number()).collect();
        assert_eq!(system.len(), SystemPrivilege::ALL.len());
        for privilege in SystemPrivilege::ALL {
            assert!(privilege.number() < 0, "roles have the positive numbers");
            assert_eq!(SystemPrivilege::find(&privilege.name().to_lowercase()), Some(*privilege));
            assert_eq!(SystemPrivilege::from_number(privilege.number()), Some(*privilege));
        }
        let object: BTreeSet<_> = ObjectPrivilege::ALL.iter().map(|p| p.number()).collect();
        assert_eq!(object.len(), ObjectPrivilege::ALL.len());
    }
}
