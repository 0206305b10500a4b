//! Users and roles: names and privileges.

use std::collections::{BTreeMap, BTreeSet};

use common::ObjectNumber;

use super::privilege::{ObjectPrivilege, SystemPrivilege};

/// Number of a user or a role (`USER#`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UserNumber(pub u32);

impl UserNumber {
    pub const SYS: Self = Self(0);
    pub const PUBLIC: Self = Self(1);
    pub const CONNECT: Self = Self(2);
    pub const RESOURCE: Self = Self(3);
    pub const DBA: Self = Self(4);
    pub const SYSTEM: Self = Self(5);
    /// The first number given to a user that CREATE USER makes.
    pub const FIRST: u32 = 32;
}

/// The owner of the dictionary.
pub const SYS: &str = "SYS";
/// The default user.
pub const SYSTEM: &str = "SYSTEM";
/// The group of all users.
pub const PUBLIC: &str = "PUBLIC";

/// Users log on and own objects; roles are only granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UserKind {
    Role,
    User,
}

/// A user or a role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserDef {
    pub number: UserNumber,
    pub name: String,
    pub kind: UserKind,
    /// The verifier of the password (see password.rs); None where none was set.
    pub verifier: Option<String>,
    pub default_tablespace: String,
    pub locked: bool,
    /// Wall time, microseconds since 1970.
    pub created_us: u64,
    /// System privileges granted directly; true: WITH ADMIN OPTION.
    pub system: BTreeMap<SystemPrivilege, bool>,
    /// Roles granted directly; true: WITH ADMIN OPTION.
    pub roles: BTreeMap<UserNumber, bool>,
    /// Object privileges granted directly; true: WITH GRANT OPTION.
    pub objects: BTreeMap<(ObjectNumber, ObjectPrivilege), bool>,
    /// Tablespaces in which the user has QUOTA UNLIMITED.
    pub quotas: BTreeSet<String>,
}

impl UserDef {
    /// Without any privilege.
    #[must_use]
    pub fn new(number: UserNumber, name: &str, kind: UserKind, default_tablespace: &str, created_us: u64) -> Self {
        Self {
            number,
            name: name.to_owned(),
            kind,
            verifier: None,
            default_tablespace: default_tablespace.to_owned(),
            locked: false,
            created_us,
            system: BTreeMap::new(),
            roles: BTreeMap::new(),
            objects: BTreeMap::new(),
            quotas: BTreeSet::new(),
        }
    }
}
