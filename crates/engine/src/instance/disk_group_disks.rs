//! ALTER DISKGROUP: the disks of a group, and its rebalance.

use common::sync::Arc;
use common::{Error, ErrorKind, Result};

use super::Instance;
use super::disk_group_change::{DiskSpec, patterns_of, record_of};
use super::session::Session;
use storage::disk_group::MountedGroup;

/// Which disks of a group a clause means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DisksOf {
    Named(Vec<String>),
    FailureGroups(Vec<String>),
    All,
}

/// What is to be done about the rebalance that follows a change of disks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RebalanceClause {
    /// None: 1.
    pub power: Option<u16>,
    /// The statement returns when the rebalance is finished.
    pub wait: bool,
}

/// Power of a rebalance that is told none.
const POWER: u16 = 1;

impl Instance {
    /// The names of the disks that a clause means.
    fn disks_meant(group: &MountedGroup, disks: &DisksOf) -> Result<Vec<String>> {
        let all = group.statistics().disks;
        let of_group = |wanted: &String| {
            let found: Vec<String> = (all.iter())
                .filter(|disk| disk.failure_group.eq_ignore_ascii_case(wanted))
                .map(|disk| disk.name.clone())
                .collect();
            if found.is_empty() {
                let text = format!("failure group \"{wanted}\" does not exist in diskgroup \"{}\"", group.name());
                return Err(Error::user(15054, text));
            }
            Ok(found)
        };
        match disks {
            DisksOf::Named(names) => Ok(names.clone()),
            DisksOf::FailureGroups(groups) => Ok(groups.iter().map(of_group).collect::<Result<Vec<_>>>()?.concat()),
            DisksOf::All => Ok(all.into_iter().map(|disk| disk.name).collect()),
        }
    }

    /// Has `change` change a mounted group under the lock of the database's structure. With WAIT, waits after that for
    /// the rebalance, without the lock.
    fn change_group(
        &self,
        s: &Session,
        name: &str,
        clause: RebalanceClause,
        change: impl FnOnce(&Arc<MountedGroup>) -> Result<()>,
    ) -> Result<()> {
        self.health().check()?;
        let group = {
            let _changing = self.changing(s);
            let group = self.groups().group(name)?;
            change(&group)?;
            group
        };
        if !clause.wait {
            return Ok(());
        }
        group.wait_rebalanced();
        if let Some(error) = group.group().operation().and_then(|operation| operation.error) {
            return Err(error);
        }
        // Disks that were dropped have left.
        let _changing = self.changing(s);
        self.confirm_disk_group(group.group())
    }

    /// ALTER DISKGROUP … ADD DISK.
    ///
    /// # Errors
    /// ORA-15001; those of [`asm::DiskGroup::add_disks`] and of the control file; with WAIT those of the rebalance.
    pub fn add_disks(&self, s: &Session, name: &str, disks: &[DiskSpec], clause: RebalanceClause) -> Result<()> {
        self.change_group(s, name, clause, |group| {
            let new = self.disks_found(disks)?;
            // The disks are found again after a crash.
            self.control().update(|data| {
                if let Some(record) = record_of(data, name) {
                    for pattern in patterns_of(disks) {
                        if !record.patterns.contains(&pattern) {
                            record.patterns.push(pattern);
                        }
                    }
                }
            })?;
            group.stop_rebalance();
            let added = group.group().add_disks(&new);
            self.after_change_of_disks(group, added, clause)
        })
    }

    /// ALTER DISKGROUP … DROP DISK.
    ///
    /// # Errors
    /// ORA-15001; those of [`asm::DiskGroup::drop_disks`] and of the control file; with WAIT those of the rebalance.
    pub fn drop_disks(
        &self,
        s: &Session,
        name: &str,
        disks: &DisksOf,
        force: bool,
        clause: RebalanceClause,
    ) -> Result<()> {
        self.change_group(s, name, clause, |group| {
            let disks = Self::disks_meant(group, disks)?;
            group.stop_rebalance();
            let dropped = group.group().drop_disks(&disks, force);
            self.after_change_of_disks(group, dropped, clause)
        })
    }

    /// ALTER DISKGROUP … UNDROP DISKS.
    ///
    /// # Errors
    /// ORA-15001; HW-0070; those of the control file.
    pub fn undrop_disks(&self, s: &Session, name: &str) -> Result<()> {
        let clause = RebalanceClause::default();
        self.change_group(s, name, clause, |group| {
            group.stop_rebalance();
            let undropped = group.group().undrop_disks();
            self.after_change_of_disks(group, undropped, clause)
        })
    }

    /// ALTER DISKGROUP … RESIZE.
    ///
    /// # Errors
    /// ORA-15001; those of [`asm::DiskGroup::resize_disk`] and of the control file; with WAIT those of the rebalance.
    pub fn resize_disks(
        &self,
        s: &Session,
        name: &str,
        disks: &DisksOf,
        bytes: Option<u64>,
        clause: RebalanceClause,
    ) -> Result<()> {
        self.change_group(s, name, clause, |group| {
            let disks = Self::disks_meant(group, disks)?;
            group.stop_rebalance();
            let resized = disks.iter().try_for_each(|disk| group.group().resize_disk(disk, bytes));
            self.after_change_of_disks(group, resized, clause)
        })
    }

    /// ALTER DISKGROUP … OFFLINE; with DROP AFTER the disks are dropped when they were offline for so many
    /// microseconds.
    ///
    /// # Errors
    /// ORA-15001; those of [`asm::DiskGroup::offline`].
    pub fn offline_disks(&self, s: &Session, name: &str, disks: &DisksOf, drop_after_us: Option<u64>) -> Result<()> {
        self.change_group(s, name, RebalanceClause::default(), |group| {
            for disk in Self::disks_meant(group, disks)? {
                group.group().offline(&disk)?;
                if let Some(left_us) = drop_after_us {
                    group.group().set_repair_time(&disk, left_us)?;
                }
            }
            Ok(())
        })
    }

    /// Periodic housekeeping of the mounted groups: a group that has dropped disks by itself is rebalanced.
    ///
    /// # Errors
    /// HW-0070; ORA-15080; those of the control file.
    pub(super) fn tidy_disk_groups(&self, s: &Session) -> Result<()> {
        let (changed, tidied) = self.groups().tidy();
        if changed.is_empty() {
            return tidied;
        }
        let _changing = self.changing(s);
        let rebalanced: Vec<_> = (changed.iter())
            .map(|group| self.after_change_of_disks(group, Ok(()), RebalanceClause::default()))
            .collect();
        rebalanced.into_iter().fold(tidied, Result::and)
    }

    /// ALTER DISKGROUP … ONLINE. Copies that are missing or old are made before it returns.
    ///
    /// # Errors
    /// ORA-15001; those of [`asm::DiskGroup::online`].
    pub fn online_disks(&self, s: &Session, name: &str, disks: &DisksOf) -> Result<()> {
        let clause = RebalanceClause::default();
        self.change_group(s, name, clause, |group| {
            let record = self.control().data().disk_groups.iter().find(|record| record.name == name).cloned();
            let pattern = record.map_or_else(String::new, |record| record.pattern());
            let names = Self::disks_meant(group, disks)?;
            let online: Vec<_> = names.iter().map(|disk| group.group().online(disk, &pattern)).collect();
            // Files that were made meanwhile lack copies on these disks.
            let rebalanced = self.rebalance(group, clause);
            online.into_iter().collect::<Result<()>>().and(rebalanced)
        })
    }

    /// ALTER DISKGROUP … REBALANCE.
    ///
    /// # Errors
    /// ORA-15001; HW-0070; with WAIT those of [`asm::DiskGroup::run_rebalance`].
    pub fn rebalance_disk_group(&self, s: &Session, name: &str, clause: RebalanceClause) -> Result<()> {
        self.change_group(s, name, clause, |group| self.rebalance(group, clause))
    }

    /// ALTER DISKGROUP … CHECK. Files may be in use; the notes have each problem.
    ///
    /// # Errors
    /// HW-0075 with the number of problems that are left; ORA-15001; those of [`asm::DiskGroup::check`].
    pub fn check_disk_group(&self, name: &str, repair: bool) -> Result<()> {
        self.health().check()?;
        let group = self.groups().group(name)?;
        let report = group.group().check(repair)?;
        if report.left() == 0 {
            return Ok(());
        }
        let first = report.problems.iter().find(|problem| !problem.mended);
        let first = first.map_or_else(String::new, |first| format!(", the first: {}", first.text));
        let text = format!("the check of diskgroup \"{name}\" leaves {} problems{first}", report.left());
        Err(Error::own(ErrorKind::Corrupt, 75, text))
    }

    fn after_change_of_disks(
        &self,
        group: &Arc<MountedGroup>,
        changed: Result<()>,
        clause: RebalanceClause,
    ) -> Result<()> {
        self.confirm_disk_group(group.group())?;
        match changed {
            Ok(()) => self.rebalance(group, clause),
            // Some of the disks may have changed, and a rebalance may have been under way before.
            Err(error) => {
                if group.group().wanted_rebalance().is_none() {
                    let _ = group.group().want_rebalance(clause.power.unwrap_or(POWER));
                }
                let _ = group.start_rebalance(self.cache().wakes().is_inline());
                Err(error)
            }
        }
    }

    fn rebalance(&self, group: &Arc<MountedGroup>, clause: RebalanceClause) -> Result<()> {
        group.stop_rebalance();
        group.group().want_rebalance(clause.power.unwrap_or(POWER))?;
        group.start_rebalance(self.cache().wakes().is_inline())
    }
}
