//! Disk groups when a database is opened.

use common::{Error, Result};

use super::Instance;
use storage::control::ControlData;
use storage::disk_group::{GroupRecord, GroupStage, is_in_group};

/// True: datafiles of the database are in the group.
pub(crate) fn has_datafiles(data: &ControlData, group: &GroupRecord) -> bool {
    let prefix = format!("+{}/", group.name);
    let starts = |name: &str| {
        is_in_group(name) && name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(&prefix))
    };
    data.datafiles.iter().any(|file| starts(&file.name))
}

/// True: a mount's error says that there is no such group.
pub(super) fn is_gone(error: &Error) -> bool {
    [15001, 15031, 15042, 15063].into_iter().any(|number| error.is_ora(number))
}

impl Instance {
    /// Mounts the groups, before datafiles are opened. A group without datafiles does not keep the database closed: it
    /// stays dismounted. A mirrored group is mounted without missing disks where the control file knows its epoch, so
    /// that disks which were away are not taken for it.
    ///
    /// # Errors
    /// Errors of the mount of a group that has datafiles, with the disk's name; those of the control file.
    pub(crate) fn mount_disk_groups(&self, data: &ControlData) -> Result<()> {
        for record in data.disk_groups.iter().filter(|group| group.mounted) {
            match self.groups().mount(record, record.epoch.is_some()) {
                // A group with files is not the one that was being made: that has none yet.
                Ok(mounted) if record.stage == GroupStage::Creating && mounted.statistics().files > 0 => {
                    mounted.group().dismount()?;
                    self.groups().forget(&record.name);
                    self.forget_disk_group(&record.name)?;
                }
                Ok(mounted) if record.stage != GroupStage::There => self.confirm_disk_group(mounted.group())?,
                Ok(mounted) => {
                    // A rebalance that cannot go on does not keep the database closed.
                    if let Err(error) = mounted.start_rebalance(self.cache().wakes().is_inline()) {
                        self.groups().note(format!("The rebalance of disk group {} stops: {error}.", record.name));
                    }
                }
                Err(error) if has_datafiles(data, record) => return Err(error),
                // A crash in CREATE or in DROP: the group does not exist.
                Err(error) if record.stage != GroupStage::There && is_gone(&error) => {
                    self.forget_disk_group(&record.name)?;
                }
                Err(error) => self.groups().note(format!("Disk group {} is not mounted: {error}.", record.name)),
            }
        }
        Ok(())
    }
}
