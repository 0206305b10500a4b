//! CREATE, ALTER and DROP DISKGROUP: the privileges they need. The work is done by `storage::disk_group`.

use std::sync::Arc;

use common::Result;
use storage::disk_group::{NameRequest, TemplateRequest};

use crate::dictionary::SystemPrivilege;
use crate::instance::{DiskGroupSpec, DiskSpec, DisksOf, RebalanceClause, Session};

/// A change to a disk group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiskGroupChange {
    Mount {
        force: bool,
    },
    Dismount,
    /// A file by its name.
    DropFile(String),
    AddDisks(Vec<DiskSpec>, RebalanceClause),
    DropDisks {
        disks: DisksOf,
        force: bool,
        rebalance: RebalanceClause,
    },
    UndropDisks,
    ResizeDisks {
        disks: DisksOf,
        /// None: all that the disks have.
        bytes: Option<u64>,
        rebalance: RebalanceClause,
    },
    Online(DisksOf),
    /// With the time after which they are dropped, in microseconds; None: the group's disk_repair_time.
    Offline(DisksOf, Option<u64>),
    /// Aliases and directories.
    Names(Vec<NameRequest>),
    Templates(Vec<TemplateRequest>),
    /// Names and values.
    SetAttributes(Vec<(String, String)>),
    Rebalance(RebalanceClause),
    Check {
        repair: bool,
    },
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
            let instance = self.instance();
            match change {
                DiskGroupChange::Mount { force } => instance.mount_disk_group(self, name, *force),
                DiskGroupChange::Dismount => instance.dismount_disk_group(self, name),
                DiskGroupChange::DropFile(file) => instance.drop_group_file(self, name, file),
                DiskGroupChange::AddDisks(disks, rebalance) => instance.add_disks(self, name, disks, *rebalance),
                DiskGroupChange::DropDisks { disks, force, rebalance } => {
                    instance.drop_disks(self, name, disks, *force, *rebalance)
                }
                DiskGroupChange::UndropDisks => instance.undrop_disks(self, name),
                DiskGroupChange::ResizeDisks { disks, bytes, rebalance } => {
                    instance.resize_disks(self, name, disks, *bytes, *rebalance)
                }
                DiskGroupChange::Online(disks) => instance.online_disks(self, name, disks),
                DiskGroupChange::Offline(disks, drop_after_us) => {
                    instance.offline_disks(self, name, disks, *drop_after_us)
                }
                DiskGroupChange::Names(requests) => instance.change_names(self, name, requests),
                DiskGroupChange::Templates(requests) => instance.change_templates(self, name, requests),
                DiskGroupChange::SetAttributes(attributes) => instance.set_attributes(self, name, attributes),
                DiskGroupChange::Check { repair } => instance.check_disk_group(name, *repair),
                DiskGroupChange::Rebalance(rebalance) => instance.rebalance_disk_group(self, name, *rebalance),
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
