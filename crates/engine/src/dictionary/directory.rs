//! Names for directories of the operating system.

use std::sync::Arc;

use common::{Error, ObjectNumber, Result};

use super::catalog::Catalog;
use super::object::SchemaObject;
use super::privilege::ObjectPrivilege;
use super::rights::Holder;

/// A name for a directory of the operating system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DirectoryDef {
    pub object: ObjectNumber,
    pub name: String,
    /// Absolute.
    pub path: String,
    /// Wall time, microseconds since 1970.
    pub created_us: u64,
    pub changed_us: u64,
}

/// ORA-22930.
pub(crate) fn no_directory(name: &str) -> Error {
    Error::user(22930, format!("directory does not exist: {name}"))
}

impl Catalog {
    /// The directory, if `user` has this privilege on it.
    ///
    /// # Errors
    /// ORA-06564 where there is none, or the user has no privilege on it; ORA-29289 where the user has another one.
    pub fn usable_directory(
        &self,
        user: &(impl Holder + ?Sized),
        name: &str,
        privilege: ObjectPrivilege,
    ) -> Result<&Arc<DirectoryDef>> {
        let absent = || Error::user(6564, format!("object {name} does not exist: no directory that you may use"));
        let directory = self.directory(name).ok_or_else(absent)?;
        let object = SchemaObject::Directory(directory.clone());
        match self.check_object(user, &object, privilege) {
            Ok(()) => Ok(directory),
            Err(error) if error.is_ora(1031) => {
                Err(Error::user(29289, format!("directory access denied: {} lacks {privilege} on {name}", user.name())))
            }
            Err(_) => Err(absent()),
        }
    }
}
