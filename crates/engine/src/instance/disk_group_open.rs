//! Disk groups when a database is opened.

use std::fmt;

use common::sync::Arc;
use common::{Error, ErrorKind, Result};

use super::Instance;
use storage::control::ControlData;
use storage::disk_group::{GroupRecord, GroupStage, MountedGroup, group_name_of, is_in_group};

/// Files that an error about a missing group names.
const NAMED_FILES: usize = 4;

fn is_of(name: &str, group: &str) -> bool {
    is_in_group(name) && group_name_of(name) == group
}

/// A file of the database in a group.
#[derive(Clone, Debug)]
pub(crate) struct UsedFile {
    pub(crate) name: String,
    /// `datafile 5`, `log group 2`.
    what: String,
}

impl fmt::Display for UsedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} '{}'", self.what, self.name)
    }
}

/// The files of the database in a group.
pub(crate) fn files_in(data: &ControlData, group: &str) -> Vec<UsedFile> {
    let used = |name: &String, what: String| is_of(name, group).then(|| UsedFile { name: name.clone(), what });
    let datafiles = data.datafiles.iter().filter_map(|file| used(&file.name, format!("datafile {}", file.number)));
    let members = data.log_groups.iter().flat_map(|log| log.members.iter().map(|member| (log.number, member)));
    datafiles.chain(members.filter_map(|(number, member)| used(member, format!("log group {number}")))).collect()
}

/// True: the database cannot be opened without the group: it has datafiles, or all members of a log group.
pub(crate) fn is_needed(data: &ControlData, group: &GroupRecord) -> bool {
    let of_group = |name: &String| is_of(name, &group.name);
    data.datafiles.iter().any(|file| of_group(&file.name))
        || data.log_groups.iter().any(|log| log.members.iter().all(of_group))
}

/// The error of a needed group's mount, with the files that are in the group.
fn with_files(error: Error, data: &ControlData, group: &GroupRecord) -> Error {
    let files = files_in(data, &group.name);
    let more =
        if files.len() > NAMED_FILES { format!(" and {} more", files.len() - NAMED_FILES) } else { String::new() };
    let named = files.iter().take(NAMED_FILES).map(UsedFile::to_string).collect::<Vec<_>>().join(", ");
    Error { text: format!("{}; diskgroup \"{}\" has {named}{more}", error.text, group.name), ..error }
}

/// A group that was mounted before the control file was read is the one that it knows.
fn check_id(mounted: &MountedGroup, record: &GroupRecord) -> Result<()> {
    if record.group_id().is_none_or(|id| id == mounted.group().id()) {
        return Ok(());
    }
    let text = format!(
        "ASM_DISKSTRING finds another diskgroup \"{}\" than the one with the files of the database",
        record.name
    );
    Err(Error::own(ErrorKind::User, 74, text))
}

/// True: a mount's error says that there is no such group.
pub(super) fn is_gone(error: &Error) -> bool {
    [15001, 15031, 15042, 15063].into_iter().any(|number| error.is_ora(number))
}

impl Instance {
    /// Mounts the groups, before datafiles and logs are opened. A group without which the database can be opened stays
    /// dismounted when it cannot be mounted. A mirrored group is mounted without missing disks where the control file
    /// knows its epoch, so that disks which were away are not taken for it.
    ///
    /// # Errors
    /// Errors of the mount of a group that is needed, with the names of its disks and of the files in it; those of the
    /// control file.
    pub(crate) fn mount_disk_groups(&self, data: &ControlData) -> Result<()> {
        for record in data.disk_groups.iter().filter(|group| group.mounted) {
            // With the control file.
            if let Ok(mounted) = self.groups().group(&record.name) {
                check_id(&mounted, record)?;
                self.go_on_rebalancing(&mounted);
                continue;
            }
            match self.groups().mount(record, record.epoch.is_some()) {
                // A group with files is not the one that was being made: that has none yet.
                Ok(mounted) if record.stage == GroupStage::Creating && mounted.statistics().files > 0 => {
                    mounted.group().dismount()?;
                    self.groups().forget(&record.name);
                    self.forget_disk_group(&record.name)?;
                }
                Ok(mounted) if record.stage != GroupStage::There => self.confirm_disk_group(mounted.group())?,
                Ok(mounted) => self.go_on_rebalancing(&mounted),
                Err(error) if is_needed(data, record) => return Err(with_files(error, data, record)),
                // A crash in CREATE or in DROP: the group does not exist.
                Err(error) if record.stage != GroupStage::There && is_gone(&error) => {
                    self.forget_disk_group(&record.name)?;
                }
                Err(error) => self.groups().note(format!("Disk group {} is not mounted: {error}.", record.name)),
            }
        }
        Ok(())
    }

    /// A rebalance that cannot go on does not keep the database closed.
    fn go_on_rebalancing(&self, mounted: &Arc<MountedGroup>) {
        if let Err(error) = mounted.start_rebalance(self.cache().wakes().is_inline()) {
            self.groups().note(format!("The rebalance of disk group {} stops: {error}.", mounted.name()));
        }
    }
}
