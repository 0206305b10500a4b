//! ALTER DATABASE ADD and DROP LOGFILE: the files of the redo log.
//!
//! A group without names gets members where DB_CREATE_ONLINE_LOG_DEST_n or DB_CREATE_FILE_DEST say. Files that the
//! database has named are deleted with their group; others stay.
//!
//! A member in a disk group is made before the control file has it, because the group names it; it is deleted after the
//! control file has it no more. A crash in between leaves a file that no log group has, as with datafiles.

use std::path::Path;

use common::{Error, ErrorKind, Number, Result};

use super::Instance;
use super::session::Session;
use super::system_files::{SystemFile, is_system_named};
use storage::disk_group::{group_of_new, is_in_group};
use storage::parameters::SessionParameters;
use storage::redo::{LogGroupSpec, LogGroupStatus};

/// Bytes of each member of a group with neither a SIZE nor a file name.
const USUAL_BYTES: u64 = 100 << 20;

/// A log group to add.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewLogGroup {
    /// None: the lowest one that is free.
    pub number: Option<u32>,
    /// Names of files, or of disk groups that name the files. None: the database names them.
    pub members: Vec<String>,
    /// Of each member. None: as large as the file that is to be reused, or 100 MB.
    pub bytes: Option<u64>,
    /// Existing files are replaced.
    pub reuse: bool,
}

fn cannot_be_made(name: &str, error: &std::io::Error) -> Error {
    Error::new(
        ErrorKind::Io,
        Number::Ora(301),
        format!("error in adding log file '{name}' - file cannot be created: {error}"),
    )
}

impl Instance {
    /// ADD LOGFILE: adds all groups or none.
    ///
    /// # Errors
    /// Those of [`storage::redo::RedoLog::add_group`]; ORA-01577 for a file of the database; ORA-17610 for a missing
    /// size; ORA-15001, ORA-15041 and their kin for a disk group.
    pub fn add_log_groups(&self, s: &Session, groups: &[NewLogGroup]) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        let mut added = Vec::new();
        for group in groups {
            match self.add_log_group(s, group) {
                Ok(number) => added.push(number),
                Err(error) => {
                    for number in added {
                        // The first error is the one to report.
                        let _ = self.remove_log_group(number, true);
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn add_log_group(&self, s: &Session, group: &NewLogGroup) -> Result<u32> {
        let taken: Vec<u32> = self.redo().groups().iter().map(|group| group.record.number).collect();
        let free = || (1..).find(|number| !taken.contains(number)).unwrap_or(u32::MAX);
        let number = group.number.unwrap_or_else(free);
        let bytes = match (group.bytes, group.members.first()) {
            (Some(bytes), _) => bytes,
            (None, Some(name)) if !is_in_group(name) => self.bytes_of_log(name, group.reuse)?,
            (None, _) => USUAL_BYTES,
        };
        for name in group.members.iter().filter(|name| !is_in_group(name)) {
            self.make_way_for_log(name, group.reuse)?;
        }
        // Before files are made in disk groups, which have names only then.
        let files = group.members.iter().filter(|name| !is_in_group(name)).cloned().collect();
        self.redo().check_group(&LogGroupSpec { number, members: files, bytes })?;
        let names = if group.members.is_empty() {
            self.unnamed_members(s.parameters(), number)?
        } else {
            group.members.clone()
        };
        if names.is_empty() && group.number.is_none() {
            let text = "a name of a file is expected, because neither DB_CREATE_FILE_DEST nor DB_CREATE_ONLINE_LOG_DEST_1 is set";
            return Err(Error::user(2236, text));
        }
        let members = self.make_members(number, &names, bytes)?;
        let added = self.redo().add_group(&LogGroupSpec { number, members: members.clone(), bytes });
        self.or_remove_members(&members, added).map(|()| number)
    }

    /// ADD LOGFILE MEMBER.
    ///
    /// # Errors
    /// Those of [`storage::redo::RedoLog::add_member`]; ORA-01577 for a file of the database; ORA-15001, ORA-15041 and
    /// their kin for a disk group. The members before the one that fails stay.
    pub fn add_log_members(&self, s: &Session, group: u32, files: &[String], reuse: bool) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        for name in files {
            let added = if is_in_group(name) {
                let bytes = self.log_group(group)?.record.bytes;
                let members = self.make_members(group, std::slice::from_ref(name), bytes)?;
                let added = members.iter().try_for_each(|name| self.redo().add_member(group, name));
                self.or_remove_members(&members, added)
            } else {
                self.make_way_for_log(name, reuse)?;
                self.redo().add_member(group, name)
            };
            added?;
        }
        Ok(())
    }

    /// The names of a group's members where none are given, by the parameters; none: the usual one.
    pub(crate) fn unnamed_members(&self, parameters: &SessionParameters, number: u32) -> Result<Vec<String>> {
        let places = self.log_destinations(parameters);
        places.iter().map(|place| self.system_name(place, SystemFile::OnlineLog, &number.to_string())).collect()
    }

    fn log_group(&self, number: u32) -> Result<LogGroupStatus> {
        let found = self.redo().groups().into_iter().find(|group| group.record.number == number);
        found.ok_or_else(|| Error::user(359, format!("logfile group {number} does not exist")))
    }

    /// Makes the members that are in disk groups. Returns the names of all; on an error none is left.
    pub(crate) fn make_members(&self, number: u32, names: &[String], bytes: u64) -> Result<Vec<String>> {
        let mut members = Vec::new();
        for name in names {
            if !is_in_group(name) {
                members.push(name.clone());
                continue;
            }
            let made = group_of_new(name).and_then(|group| self.groups().create_log(&group, number, bytes));
            match made {
                Ok(name) => members.push(name),
                Err(error) => return self.or_remove_members(&members, Err(error)),
            }
        }
        Ok(members)
    }

    /// After an error removes the files that disk groups have made.
    fn or_remove_members<T>(&self, members: &[String], done: Result<T>) -> Result<T> {
        // One copy of the control file may have them, if the instance has stopped.
        if done.is_err() && self.health().check().is_ok() {
            for name in members.iter().filter(|name| is_in_group(name)) {
                // The first error is the one to report.
                let _ = self.files().remove(Path::new(name));
            }
        }
        done
    }

    /// The size of a file that is to be reused.
    fn bytes_of_log(&self, name: &str, reuse: bool) -> Result<u64> {
        let path = self.resolve(name);
        if reuse && self.files().exists(&path).unwrap_or(false) {
            let size = self.files().open(&path).and_then(|file| file.size());
            return size.map_err(|error| cannot_be_made(name, &error));
        }
        Err(Error::user(17610, format!("file '{name}' does not exist and no size specified")))
    }

    /// REUSE: removes an existing file. Files of the database are refused in any case.
    fn make_way_for_log(&self, name: &str, reuse: bool) -> Result<()> {
        let path = self.resolve(name);
        if self.is_own_file(&path)? {
            return Err(Error::user(1577, format!("cannot add log file '{name}' - file already part of database")));
        }
        if !reuse || !self.files().exists(&path).map_err(|error| cannot_be_made(name, &error))? {
            return Ok(());
        }
        self.files().remove(&path).map_err(|error| cannot_be_made(name, &error))
    }

    /// DROP LOGFILE. Files that the database has named itself are deleted; others stay.
    ///
    /// # Errors
    /// Those of [`storage::redo::RedoLog::drop_group`]; ORA-01259 when a file cannot be deleted (the log group is gone
    /// then).
    pub fn drop_log_group(&self, s: &Session, number: u32) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        self.remove_log_group(number, false)
    }

    fn remove_log_group(&self, number: u32, all_files: bool) -> Result<()> {
        let members = self.log_group(number).map(|group| group.record.members).unwrap_or_default();
        self.redo().drop_group(number)?;
        self.delete_members(&members, all_files)
    }

    /// DROP LOGFILE MEMBER. A file that the database has named itself is deleted; another one stays.
    ///
    /// # Errors
    /// Those of [`storage::redo::RedoLog::drop_member`]; ORA-01259 when the file cannot be deleted (the member is gone
    /// then).
    pub fn drop_log_member(&self, s: &Session, name: &str) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        let before = self.log_members();
        self.redo().drop_member(name)?;
        let after = self.log_members();
        let gone: Vec<_> = before.into_iter().filter(|name| !after.contains(name)).collect();
        self.delete_members(&gone, false)
    }

    fn log_members(&self) -> Vec<String> {
        self.redo().groups().into_iter().flat_map(|group| group.record.members).collect()
    }

    fn delete_members(&self, members: &[String], all_files: bool) -> Result<()> {
        let mut failed = None;
        for name in members.iter().filter(|name| all_files || is_system_named(name)) {
            let path = self.resolve(name);
            // In a group that is lost there is nothing to delete.
            let is_lost = self.groups().find(&path).is_some_and(|file| self.groups().group(&file.group).is_err());
            if is_lost {
                self.note(format!("Log file {name} is not deleted: its disk group is not mounted."));
            } else if let Err(error) = self.files().remove(&path) {
                let text = format!("unable to delete log file '{name}': {error}");
                failed.get_or_insert_with(|| Error::new(ErrorKind::Io, Number::Ora(1259), text));
            }
        }
        failed.map_or(Ok(()), Err)
    }
}
