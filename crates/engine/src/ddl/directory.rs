//! CREATE and DROP DIRECTORY: names for directories of the operating system.
//!
//! A directory belongs to SYS, whoever makes it; its maker gets READ and WRITE on it. A missing directory is found when
//! it is used.

use std::path::Path;
use std::sync::Arc;

use common::{Error, ObjectNumber, Result, limits};

use super::check::check_name;
use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::directory::no_directory;
use crate::dictionary::rows::{DirectoryRow, KIND_DIRECTORY, ObjectGrantRow};
use crate::dictionary::table_rows::object_row;
use crate::dictionary::{DirectoryDef, Holder, ObjectKind, ObjectPrivilege, SYS, SystemPrivilege, UserDef, UserNumber};
use crate::instance::Session;

impl Session {
    /// CREATE [OR REPLACE] DIRECTORY. A relative path is taken from the process's present working directory.
    ///
    /// # Errors
    /// ORA-00955 name in use, ORA-02236 for a path of no or too many characters, ORA-01031, ORA-00972.
    pub fn create_directory(self: &Arc<Self>, name: &str, path: &str, replace: bool) -> Result<Arc<DirectoryDef>> {
        self.ddl(|ddl| ddl.create_directory(name, path, replace))
    }

    /// DROP DIRECTORY. The directory itself and its files stay.
    ///
    /// # Errors
    /// ORA-04043 no such directory, ORA-01031.
    pub fn drop_directory(self: &Arc<Self>, name: &str) -> Result<()> {
        self.ddl(|ddl| {
            ddl.check_privilege(SystemPrivilege::DropAnyDirectory)?;
            let directory = ddl.catalog.directory(name).cloned();
            let directory =
                directory.ok_or_else(|| Error::user(4043, format!("object {name} does not exist: no directory")))?;
            ddl.drop_directory(&directory)
        })
    }
}

impl Ddl<'_> {
    pub(super) fn require_directory(&self, name: &str) -> Result<Arc<DirectoryDef>> {
        self.catalog.directory(name).cloned().ok_or_else(|| no_directory(name))
    }

    fn create_directory(&mut self, name: &str, path: &str, replace: bool) -> Result<Arc<DirectoryDef>> {
        self.check_privilege(SystemPrivilege::CreateAnyDirectory)?;
        check_name(name)?;
        let path = absolute(path)?;
        let old = self.catalog.directory(name).cloned();
        if old.is_some() && !replace {
            return Err(Error::user(955, format!("the name {name} is used by another directory")));
        }
        let now = self.now_us();
        let directory = match old {
            Some(old) => {
                self.update::<DirectoryRow>(&equal("OBJ#", old.object.0)?, |row| row.path.clone_from(&path))?;
                self.touch(old.object, now)?;
                DirectoryDef { path, changed_us: now, ..DirectoryDef::clone(&old) }
            }
            None => {
                let object = self.new_object();
                self.insert(&[object_row(object, ObjectNumber(0), UserNumber::SYS, name, KIND_DIRECTORY, now)])?;
                self.insert(&[DirectoryRow { object: object.0, path: path.clone() }])?;
                self.give_to_maker(object)?;
                DirectoryDef { object, name: name.to_owned(), path, created_us: now, changed_us: now }
            }
        };
        Ok(self.catalog.put_directory(directory))
    }

    /// Grants READ and WRITE, WITH GRANT OPTION, to the user that makes a directory.
    fn give_to_maker(&mut self, object: ObjectNumber) -> Result<()> {
        let rights = self.session.rights();
        let Some(user) = self.catalog.user(rights.name()).filter(|user| user.name != SYS) else { return Ok(()) };
        let mut user = UserDef::clone(user);
        for privilege in ObjectPrivilege::of(ObjectKind::Directory) {
            let (grantee, number) = (user.number.0, privilege.number());
            self.insert(&[ObjectGrantRow { object: object.0, grantee, privilege: number, grantable: true }])?;
            user.objects.insert((object, *privilege), true);
        }
        self.catalog.put_user(user);
        Ok(())
    }

    pub(super) fn drop_directory(&mut self, directory: &DirectoryDef) -> Result<()> {
        self.delete::<DirectoryRow>(&equal("OBJ#", directory.object.0)?)?;
        self.delete_object_rows(directory.object)?;
        self.catalog.remove_directory(directory);
        Ok(())
    }
}

fn absolute(path: &str) -> Result<String> {
    let wrong = |why: &str| Error::user(2236, format!("invalid file name: the path of a directory {why}"));
    if path.is_empty() {
        return Err(wrong("is empty"));
    }
    let absolute = std::path::absolute(Path::new(path)).map_err(|error| wrong(&format!("has no meaning: {error}")))?;
    let absolute = absolute.into_os_string().into_string().map_err(|_| wrong("is not UTF-8"))?;
    if absolute.len() > limits::VARCHAR2_BYTES_MAX {
        return Err(wrong(&format!("has more than {} bytes", limits::VARCHAR2_BYTES_MAX)));
    }
    Ok(absolute)
}
