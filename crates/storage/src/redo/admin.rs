//! Adding and dropping groups and members, as ALTER DATABASE does.

use std::path::Path;

use common::{Error, Result};

use super::core::Groups;
use super::group::{LogGroupRecord, LogGroupSpec, LogGroupState, check_groups};
use super::log::RedoLog;
use super::{files, switch};
use crate::disk_group::{resolve, same_file};
use crate::invariants::hold;

/// Group numbers go from 1 to this.
const GROUPS_MAX: u32 = 255;

/// Whether a new group's number and names are free.
pub(super) fn check_new(records: &[LogGroupRecord], directory: &Path, spec: &LogGroupSpec) -> Result<()> {
    if spec.number == 0 || spec.number > GROUPS_MAX {
        return Err(Error::user(1185, format!("logfile group number {} is invalid", spec.number)));
    }
    if records.iter().any(|record| record.number == spec.number) {
        return Err(Error::user(1184, format!("logfile group {} already exists", spec.number)));
    }
    for (index, name) in spec.members.iter().enumerate() {
        if spec.members[..index].iter().any(|other| same_file(directory, other, name)) {
            return Err(known(name));
        }
        check_name(records, directory, name)?;
    }
    Ok(())
}

fn check_name(records: &[LogGroupRecord], directory: &Path, name: &str) -> Result<()> {
    let taken = records.iter().flat_map(|record| &record.members).any(|other| same_file(directory, other, name));
    if taken { Err(known(name)) } else { Ok(()) }
}

fn known(name: &str) -> Error {
    Error::user(1577, format!("cannot add log file '{name}' - file already part of database"))
}

fn find(records: &mut [LogGroupRecord], number: u32) -> Option<&mut LogGroupRecord> {
    records.iter_mut().find(|record| record.number == number)
}

impl RedoLog {
    /// Checks a group that is to be added, before files of it are made.
    ///
    /// # Errors
    /// ORA-01184, ORA-01185 for the number; ORA-01577 for a name; ORA-00336, ORA-01127 for the size.
    pub fn check_group(&self, spec: &LogGroupSpec) -> Result<()> {
        check_new(&self.core.groups.lock().records, &self.core.directory, spec)?;
        files::check_size(spec.bytes)
    }

    /// Adds a group; its files are made.
    ///
    /// # Errors
    /// As [`RedoLog::create`].
    pub fn add_group(&self, spec: &LogGroupSpec) -> Result<()> {
        let core = &*self.core;
        let mut groups = core.groups.lock();
        check_new(&groups.records, &core.directory, spec)?;
        let record = files::make(&*core.files, &core.directory, spec)?;
        let mut records = groups.records.clone();
        let members = record.members.clone();
        records.push(record);
        if let Err(error) = self.store(&mut groups, records) {
            // One copy of the control file may have them, if the instance has stopped.
            if core.health.check().is_ok() {
                for name in members {
                    let _ = core.files.remove(&resolve(&core.directory, &name));
                }
            }
            return Err(error);
        }
        drop(groups);
        core.wake_writer();
        core.buffer.wake();
        Ok(())
    }

    /// Adds a member to a group; it is written from the next time on that the group becomes current.
    ///
    /// # Errors
    /// ORA-00359 no such group; ORA-01577 the file is part of the database; ORA-00301 it cannot be made.
    pub fn add_member(&self, group: u32, name: &str) -> Result<()> {
        let core = &*self.core;
        let mut groups = core.groups.lock();
        check_name(&groups.records, &core.directory, name)?;
        let mut records = groups.records.clone();
        let record = find(&mut records, group)
            .ok_or_else(|| Error::user(359, format!("logfile group {group} does not exist")))?;
        let path = resolve(&core.directory, name);
        files::make_member(&*core.files, &path, record.bytes)?;
        record.members.push(name.to_owned());
        let stored = files::sync_directories(&*core.files, &core.directory, &[name.to_owned()])
            .and_then(|()| self.store(&mut groups, records));
        match stored {
            Ok(()) => groups.invalid.push(name.to_owned()),
            Err(_) if core.health.check().is_err() => {}
            Err(_) => {
                let _ = core.files.remove(&path);
            }
        }
        stored
    }

    /// Drops a group; its files stay.
    ///
    /// # Errors
    /// ORA-01515 no such group; ORA-01623 it is current; ORA-01624 a crash would need it; ORA-01567 fewer than two
    /// would be left.
    pub fn drop_group(&self, group: u32) -> Result<()> {
        let mut groups = self.core.groups.lock();
        let mut records = groups.records.clone();
        let record = find(&mut records, group)
            .ok_or_else(|| Error::user(1515, format!("error dropping log group {group}: no such log")))?;
        match record.state {
            LogGroupState::Current => {
                return Err(Error::user(1623, format!("log {group} is current log for instance - cannot drop")));
            }
            LogGroupState::Active => {
                return Err(Error::user(1624, format!("log {group} needed for crash recovery of instance")));
            }
            LogGroupState::Unused | LogGroupState::Inactive => {}
        }
        if records.len() <= 2 {
            let text = format!("dropping log {group} would leave less than 2 log files for instance");
            return Err(Error::user(1567, text));
        }
        records.retain(|record| record.number != group);
        debug_assert!(records.len() >= 2, "a log has two groups");
        self.store(&mut groups, records)
    }

    /// Drops a member; its file stays.
    ///
    /// # Errors
    /// ORA-00360 no such member; ORA-00361 it is the group's last; ORA-00362 a crash would need the group, and no other
    /// member holds its redo; ORA-01609 its group is current.
    pub fn drop_member(&self, name: &str) -> Result<()> {
        let core = &*self.core;
        let mut groups = core.groups.lock();
        let mut records = groups.records.clone();
        let is_it = |member: &String| same_file(&core.directory, member, name);
        let record = records
            .iter_mut()
            .find(|record| record.members.iter().any(is_it))
            .ok_or_else(|| Error::user(360, format!("not a logfile member: {name}")))?;
        if record.state == LogGroupState::Current {
            let text = format!("log {} is the current log for thread 1 - cannot drop members", record.number);
            return Err(Error::user(1609, text));
        }
        if record.members.len() == 1 {
            let text = format!("cannot remove last log member {name} for group {}", record.number);
            return Err(Error::user(361, text));
        }
        record.members.retain(|member| !is_it(member));
        if record.state == LogGroupState::Active
            && let Err(error) = files::open_written(&*core.files, &core.directory, record, core.database)
        {
            let text = format!("member is required to form a valid logfile in group {}: {}", record.number, error.text);
            return Err(Error::user(362, text));
        }
        self.store(&mut groups, records)
    }

    fn store(&self, groups: &mut Groups, records: Vec<LogGroupRecord>) -> Result<()> {
        hold(|| check_groups(&records));
        self.core.instance.store(&records)?;
        groups.records = records;
        switch::note_free(&self.core, groups);
        Ok(())
    }
}
