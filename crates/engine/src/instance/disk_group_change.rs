//! CREATE, ALTER and DROP DISKGROUP.
//!
//! The control file knows a group before it is made and until it is gone, with the stage of the statement under way
//! ([`GroupStage`]). After a crash in between, the next open finds out whether the group exists (`open.rs`).

use std::path::Path;
use std::time::Duration;

use asm::{AuSize, DiskGroup, NewDisk, NewGroup, Redundancy};
use common::sync::Arc;
use common::{Error, ErrorKind, Result};

use super::Instance;
use super::disk_group_open::{files_in, is_gone};
use super::session::Session;
use storage::control::ControlData;
use storage::disk_group::{GroupRecord, GroupStage, InGroup, MountedGroup, resolve};

/// Time that a statement waits for open handles of a removed file to close: the writer closes its own after a write.
const REMOVAL_PATIENCE: Duration = Duration::from_secs(10);

/// Disks that a statement names by a pattern.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DiskSpec {
    /// Of paths; a relative one starts at the data directory.
    pub pattern: String,
    /// For a pattern that finds one disk.
    pub name: Option<String>,
    /// None: each disk is a failure group of its own.
    pub failure_group: Option<String>,
    /// None: all of the disk.
    pub bytes: Option<u64>,
    /// The disk may be a member of a group that is not mounted.
    pub force: bool,
}

impl DiskSpec {
    #[must_use]
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), ..Self::default() }
    }
}

/// A group to make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiskGroupSpec {
    /// In capitals.
    pub name: String,
    pub redundancy: Redundancy,
    pub disks: Vec<DiskSpec>,
    /// Bytes of an allocation unit; None: 1 MB.
    pub au_bytes: Option<u64>,
    /// Names and values of other attributes.
    pub attributes: Vec<(String, String)>,
}

impl DiskGroupSpec {
    /// A group without redundancy, of the disks that a pattern finds.
    #[must_use]
    pub fn external(name: impl Into<String>, pattern: impl Into<String>) -> Self {
        let disks = vec![DiskSpec::new(pattern)];
        Self { name: name.into(), redundancy: Redundancy::External, disks, au_bytes: None, attributes: Vec::new() }
    }
}

/// The patterns by which a group's disks are found again.
pub(super) fn patterns_of(disks: &[DiskSpec]) -> Vec<String> {
    disks.iter().map(|disk| disk.pattern.clone()).collect()
}

pub(super) fn no_group(name: &str) -> Error {
    Error::user(15001, format!("diskgroup \"{name}\" does not exist or is not mounted"))
}

/// The group's record among the others.
pub(crate) fn record_of<'d>(data: &'d mut ControlData, name: &str) -> Option<&'d mut GroupRecord> {
    data.disk_groups.iter_mut().find(|group| group.name == name)
}

impl Instance {
    /// CREATE DISKGROUP: makes a group of all disks that the patterns find, and mounts it.
    ///
    /// # Errors
    /// ORA-15030 for a name in use; ORA-15031 for a pattern without a match; HW-0073 for a file of this database;
    /// ORA-15238 for the size of allocation units; those of [`DiskGroup::create`] and of the control file. After an
    /// error there is no group.
    pub fn create_disk_group(&self, s: &Session, spec: &DiskGroupSpec) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        if self.control().data().disk_groups.iter().any(|group| group.name == spec.name) {
            let text = format!("diskgroup name \"{}\" is in use by another diskgroup", spec.name);
            return Err(Error::user(15030, text));
        }
        let au = spec.au_bytes.map_or(Ok(AuSize::default()), AuSize::new)?;
        let new = NewGroup {
            name: spec.name.clone(),
            redundancy: spec.redundancy,
            au,
            disks: self.disks_found(&spec.disks)?,
            attributes: spec.attributes.clone(),
        };
        let record = GroupRecord {
            name: spec.name.clone(),
            patterns: patterns_of(&spec.disks),
            id: None,
            disks: Vec::new(),
            mounted: true,
            epoch: None,
            stage: GroupStage::Creating,
        };
        self.control().update(|data| data.disk_groups.push(record.clone()))?;
        let made = DiskGroup::create_with(self.groups().environment(), &new);
        let group = match made {
            Ok(group) => group,
            Err(error) => {
                // The first error is the one to report.
                let _ = self.unmake(&record, &error);
                return Err(error);
            }
        };
        if let Err(error) = self.confirm_disk_group(&group) {
            if self.health().check().is_ok() && group.drop_group(false).is_ok() {
                let _ = self.forget_disk_group(&spec.name);
            }
            return Err(error);
        }
        self.groups().add(group);
        Ok(())
    }

    /// Cleans up after a failed creation. When a disk failed, the group may exist: then it is dropped. If that cannot
    /// be found out, the next open does it.
    fn unmake(&self, record: &GroupRecord, error: &Error) -> Result<()> {
        if error.kind == ErrorKind::Io {
            match self.groups().mount(record, false) {
                Ok(mounted) => {
                    let dropped = mounted.group().drop_group(false);
                    self.groups().forget(&record.name);
                    dropped?;
                }
                Err(error) if is_gone(&error) => {}
                Err(error) => return Err(error),
            }
        }
        self.forget_disk_group(&record.name)
    }

    /// The disks that patterns find.
    ///
    /// # Errors
    /// ORA-15031 for a pattern without a match; HW-0073 for a file of this database; ORA-15010 for a name that several
    /// disks would have.
    pub(super) fn disks_found(&self, specs: &[DiskSpec]) -> Result<Vec<NewDisk>> {
        let mut disks: Vec<NewDisk> = Vec::new();
        for spec in specs {
            let found = self.groups().discover(&spec.pattern)?;
            if let Some(name) = spec.name.as_ref().filter(|_| found.len() > 1) {
                let text =
                    format!("disk name \"{name}\" is given to {} disks, which \"{}\" finds", found.len(), spec.pattern);
                return Err(Error::user(15010, text));
            }
            for disk in found {
                self.check_not_own(&disk.path.to_string_lossy())?;
                if spec.force {
                    self.check_not_mounted(&disk.path)?;
                }
                if !disks.iter().any(|other| other.path == disk.path) {
                    let DiskSpec { name, failure_group, bytes, force, .. } = spec.clone();
                    disks.push(NewDisk { path: disk.path, name, failure_group, bytes, force });
                }
            }
        }
        Ok(disks)
    }

    /// Refuses a disk of a mounted group: not even FORCE takes it. Other disks are told by their headers.
    fn check_not_mounted(&self, disk: &Path) -> Result<()> {
        let path = self.directory().join(disk);
        for group in self.groups().mounted() {
            let paths = group.statistics().disks.into_iter().filter_map(|disk| disk.path);
            if paths.into_iter().any(|own| self.directory().join(own) == path) {
                let text = format!("disk \"{}\" is already mounted by diskgroup \"{}\"", disk.display(), group.name());
                return Err(Error::user(15029, text));
            }
        }
        Ok(())
    }

    /// Refuses a disk that is a file of this database. Disks of mounted groups are recognised by their headers.
    fn check_not_own(&self, disk: &str) -> Result<()> {
        let path = resolve(self.directory(), disk);
        let is_disk = |group: Arc<MountedGroup>| {
            let paths = group.statistics().disks.into_iter().filter_map(|disk| disk.path);
            paths.into_iter().any(|disk| self.directory().join(disk) == path)
        };
        if self.is_own_file(&path)? && !self.groups().mounted().into_iter().any(is_disk) {
            let text = format!("disk \"{disk}\" holds something else: it is a file of this database");
            return Err(Error::own(ErrorKind::User, 73, text));
        }
        Ok(())
    }

    /// Records in the control file that the group exists.
    pub(super) fn confirm_disk_group(&self, group: &DiskGroup) -> Result<()> {
        let statistics = group.statistics();
        let disks: Vec<_> = statistics.disks.into_iter().map(|disk| disk.name).collect();
        let epoch = (statistics.redundancy != Redundancy::External).then(|| group.epoch()).transpose()?;
        self.control().update(|data| {
            if let Some(record) = record_of(data, group.name()) {
                record.id = Some(GroupRecord::id_text(group.id()));
                record.disks = disks;
                record.mounted = true;
                // A disk may have failed meanwhile, and its epoch be kept already.
                record.epoch = record.epoch.max(epoch);
                record.stage = GroupStage::There;
            }
        })
    }

    pub(super) fn forget_disk_group(&self, name: &str) -> Result<()> {
        self.control().update(|data| data.disk_groups.retain(|group| group.name != name))
    }

    /// DROP DISKGROUP: frees its disks. With `contents`, files in it that no tablespace has are dropped too.
    ///
    /// # Errors
    /// ORA-15001 for a group that does not exist or is not mounted; ORA-15053 for one with files, without `contents`;
    /// ORA-15027 while files are in use; HW-0070; ORA-15080; those of the control file.
    pub fn drop_disk_group(&self, s: &Session, name: &str, contents: bool) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        let group = self.groups().group(name)?;
        if contents {
            self.check_unused(&group)?;
        }
        group.stop_rebalance();
        self.wait_removed(&group);
        // Conditions are checked before anything is recorded.
        let statistics = group.statistics();
        if statistics.open_files == 0 && (contents || statistics.files == 0) {
            self.set_stage(name, GroupStage::Dropping)?;
        }
        let dropped = group.group().drop_group(contents);
        match &dropped {
            // The group is gone; a disk header that does not say so yet does not bring it back.
            Err(error) if group.files().is_ok() => {
                // After HW-0070 the metadata is unknown: the next open reads it.
                if !error.is_own(70) {
                    self.set_stage(name, GroupStage::There)?;
                }
            }
            _ => {
                self.groups().forget(name);
                self.forget_disk_group(name)?;
            }
        }
        dropped
    }

    /// Refuses a group that has files of the database, none of which is open: a log file is only while it is current.
    /// The group refuses open ones itself.
    fn check_unused(&self, group: &MountedGroup) -> Result<()> {
        let name = group.name();
        let file = files_in(self.control().data(), name).into_iter().next();
        match file.filter(|_| group.statistics().open_files == 0) {
            None => Ok(()),
            Some(file) => {
                let text = format!("active use of diskgroup \"{name}\" precludes its dismount: {file} is in it");
                Err(Error::user(15027, text))
            }
        }
    }

    /// Waits for files that a statement has removed while the writer had them open. Single-threaded (simulation) there
    /// is no writer that could close them meanwhile.
    fn wait_removed(&self, group: &MountedGroup) {
        if !self.cache().wakes().is_inline() {
            group.wait_removed(REMOVAL_PATIENCE);
        }
    }

    /// DROP DISKGROUP … FORCE INCLUDING CONTENTS: the database forgets a group that can no longer be mounted. Its disks
    /// stay as they are.
    ///
    /// # Errors
    /// ORA-15001 for an unknown group; ORA-15230 for one that is mounted, or can be; ORA-15029, ORA-15080 and their kin
    /// when that cannot be found out; those of the control file.
    pub fn forget_lost_disk_group(&self, s: &Session, name: &str) -> Result<()> {
        const LOST: [u32; 8] = [15001, 15020, 15024, 15031, 15036, 15042, 15063, 15196];
        self.health().check()?;
        let _changing = self.changing(s);
        let record = self.control().data().disk_groups.iter().find(|group| group.name == name).cloned();
        let record = record.ok_or_else(|| no_group(name))?;
        let needless = || Error::user(15230, format!("diskgroup \"{name}\" does not require the FORCE option"));
        if self.groups().group(name).is_ok() {
            return Err(needless());
        }
        match self.groups().mount(&record, true) {
            Ok(mounted) => {
                mounted.group().dismount()?;
                self.groups().forget(name);
                Err(needless())
            }
            Err(error) if error.is_own(74) || LOST.into_iter().any(|number| error.is_ora(number)) => {
                self.forget_disk_group(name)
            }
            Err(error) => Err(error),
        }
    }

    fn set_stage(&self, name: &str, stage: GroupStage) -> Result<()> {
        self.control().update(|data| {
            if let Some(record) = record_of(data, name) {
                record.stage = stage;
            }
        })
    }

    /// ALTER DISKGROUP … MOUNT; with `force` without the missing disks of a mirrored group.
    ///
    /// # Errors
    /// ORA-15001 for an unknown group; ORA-15013 for a mounted one; those of [`DiskGroup::mount`] and of the control
    /// file.
    pub fn mount_disk_group(&self, s: &Session, name: &str, force: bool) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        let record = self.control().data().disk_groups.iter().find(|group| group.name == name).cloned();
        let record = record.ok_or_else(|| no_group(name))?;
        if self.groups().group(name).is_ok() {
            return Err(Error::user(15013, format!("diskgroup \"{name}\" is already mounted")));
        }
        let mounted = self.groups().mount(&record, force)?;
        self.confirm_disk_group(mounted.group())?;
        mounted.start_rebalance(self.cache().wakes().is_inline())
    }

    /// ALTER DISKGROUP … DISMOUNT; the group stays dismounted at the next open.
    ///
    /// # Errors
    /// ORA-15001 for a group that is not mounted; ORA-15027 while files are in use; those of the control file.
    pub fn dismount_disk_group(&self, s: &Session, name: &str) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        let group = self.groups().group(name)?;
        self.check_unused(&group)?;
        group.stop_rebalance();
        self.wait_removed(&group);
        group.group().dismount()?;
        self.groups().forget(name);
        self.control().update(|data| {
            if let Some(record) = record_of(data, name) {
                record.mounted = false;
            }
        })
    }

    /// ALTER DISKGROUP … DROP FILE: deletes a file of no tablespace, such as a crash leaves.
    ///
    /// # Errors
    /// ORA-15001; ORA-15012 when there is no such file in the group; ORA-15028 when it is a file of the database.
    pub fn drop_group_file(&self, s: &Session, name: &str, file: &str) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        let group = self.groups().group(name)?;
        match self.groups().find(Path::new(file)) {
            Some(InGroup { group: wanted, name }) if wanted == group.name() => {
                // A log file is open only while it is current.
                let full = self.groups().full_name(group.group().open(&name)?.name());
                if files_in(self.control().data(), &wanted).iter().any(|used| used.name.eq_ignore_ascii_case(&full)) {
                    let text = format!("ASM file \"{name}\" not dropped; currently being accessed");
                    return Err(Error::user(15028, text));
                }
                group.group().delete(&name)
            }
            _ => Err(Error::user(15012, format!("ASM file \"{file}\" does not exist"))),
        }
    }
}
