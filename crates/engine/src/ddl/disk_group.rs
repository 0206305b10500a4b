//! CREATE, ALTER and DROP DISKGROUP: the privileges they need. The work is done by `storage::disk_group`.

use std::sync::Arc;

use common::Result;

use crate::dictionary::SystemPrivilege;
use crate::instance::{DiskGroupSpec, Session};

/// A change to a disk group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiskGroupChange {
    Mount,
    Dismount,
    /// A file by its name.
    DropFile(String),
}

impl Session {
    /// CREATE DISKGROUP.
    ///
    /// # Errors
    /// ORA-01031, and those of [`crate::instance::Instance::create_disk_group`].
    pub fn create_disk_group(self: &Arc<Self>, spec: &DiskGroupSpec) -> Result<()> {
        self.ddl(|ddl| {
            ddl.check_privilege(SystemPrivilege::AlterDatabase)?;
            self.instance().create_disk_group(self, spec)
        })
    }

    /// ALTER DISKGROUP.
    ///
    /// # Errors
    /// ORA-01031, and those of the change.
    pub fn alter_disk_group(self: &Arc<Self>, name: &str, change: &DiskGroupChange) -> Result<()> {
        self.ddl(|ddl| {
            ddl.check_privilege(SystemPrivilege::AlterDatabase)?;
            match change {
                DiskGroupChange::Mount => self.instance().mount_disk_group(self, name),
                DiskGroupChange::Dismount => self.instance().dismount_disk_group(self, name),
                DiskGroupChange::DropFile(file) => self.instance().drop_group_file(self, name, file),
            }
        })
    }

    /// DROP DISKGROUP [INCLUDING CONTENTS].
    ///
    /// # Errors
    /// ORA-01031, and those of [`crate::instance::Instance::drop_disk_group`].
    pub fn drop_disk_group(self: &Arc<Self>, name: &str, contents: bool) -> Result<()> {
        self.ddl(|ddl| {
            ddl.check_privilege(SystemPrivilege::AlterDatabase)?;
            self.instance().drop_disk_group(self, name, contents)
        })
    }

    /// DROP DISKGROUP … FORCE INCLUDING CONTENTS.
    ///
    /// # Errors
    /// ORA-01031, and those of [`crate::instance::Instance::forget_lost_disk_group`].
    pub fn forget_lost_disk_group(self: &Arc<Self>, name: &str) -> Result<()> {
        self.ddl(|ddl| {
            ddl.check_privilege(SystemPrivilege::AlterDatabase)?;
            self.instance().forget_lost_disk_group(self, name)
        })
    }
}
