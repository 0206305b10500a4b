//! Execution of ALTER DATABASE ADD and DROP LOGFILE.

use common::{Error, ErrorKind, Number, Result};
use engine::dictionary::SystemPrivilege;
use storage::disk_group::is_in_group;
use storage::redo::LogGroupSpec;

use super::logfile::{LogGroup, LogfileChange, NewLogGroup};
use crate::cursor::connection::Connection;

/// Bytes of each member of a group with neither a SIZE nor a file name.
const USUAL_BYTES: u64 = 100 << 20;

impl Connection {
    pub(super) fn alter_logfile(&self, change: &LogfileChange) -> Result<()> {
        let session = &self.session;
        session.catalog().check_system_privilege(&session.rights(), SystemPrivilege::AlterDatabase)?;
        let redo = session.instance().redo();
        if let Some(name) = change.names().find(|name| is_in_group(name)) {
            return Err(Error::unsupported(format!("log files in a disk group ('{name}')")));
        }
        let _changing = session.instance().changing(session);
        match change {
            LogfileChange::AddGroups(groups) => self.add_groups(groups),
            LogfileChange::AddMembers { files, reuse, to } => {
                let group = self.group_number(to)?;
                for name in files {
                    self.make_way(name, *reuse)?;
                    redo.add_member(group, name)?;
                }
                Ok(())
            }
            LogfileChange::DropGroups(groups) => {
                groups.iter().try_for_each(|group| redo.drop_group(self.group_number(group)?))
            }
            LogfileChange::DropMembers(files) => files.iter().try_for_each(|name| redo.drop_member(name)),
        }
    }

    /// Adds all groups or none.
    fn add_groups(&self, groups: &[NewLogGroup]) -> Result<()> {
        let instance = self.session.instance();
        let mut added = Vec::new();
        for group in groups {
            match self.add_group(group) {
                Ok(number) => added.push(number),
                Err(error) => {
                    for number in added {
                        let names = instance.redo().groups().into_iter().find(|group| group.record.number == number);
                        if instance.redo().drop_group(number).is_ok() {
                            for name in names.into_iter().flat_map(|group| group.record.members) {
                                // The first error is the one to report.
                                let _ = instance.files().remove(&instance.resolve(&name));
                            }
                        }
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn add_group(&self, group: &NewLogGroup) -> Result<u32> {
        let redo = self.session.instance().redo();
        let taken: Vec<u32> = redo.groups().iter().map(|group| group.record.number).collect();
        let number = match group.number {
            Some(number) => u32::try_from(number).unwrap_or(u32::MAX),
            None => (1..).find(|number| !taken.contains(number)).unwrap_or(u32::MAX),
        };
        let bytes = match (group.bytes, group.members.first()) {
            (Some(bytes), _) => bytes,
            (None, None) => USUAL_BYTES,
            (None, Some(name)) => self.bytes_of(name, group.reuse)?,
        };
        for name in &group.members {
            self.make_way(name, group.reuse)?;
        }
        redo.add_group(&LogGroupSpec { number, members: group.members.clone(), bytes })?;
        Ok(number)
    }

    /// The size of a file that is to be reused.
    fn bytes_of(&self, name: &str, reuse: bool) -> Result<u64> {
        let instance = self.session.instance();
        let path = instance.resolve(name);
        if reuse && instance.files().exists(&path).unwrap_or(false) {
            let size = instance.files().open(&path).and_then(|file| file.size());
            return size.map_err(|error| cannot_be_made(name, &error));
        }
        Err(Error::user(17610, format!("file '{name}' does not exist and no size specified")))
    }

    /// REUSE: removes an existing file. Files of the database are refused in any case.
    fn make_way(&self, name: &str, reuse: bool) -> Result<()> {
        let instance = self.session.instance();
        let path = instance.resolve(name);
        if instance.is_own_file(&path)? {
            return Err(Error::user(1577, format!("cannot add log file '{name}' - file already part of database")));
        }
        if !reuse || !instance.files().exists(&path).map_err(|error| cannot_be_made(name, &error))? {
            return Ok(());
        }
        instance.files().remove(&path).map_err(|error| cannot_be_made(name, &error))
    }

    /// The number of a group given by its files.
    fn group_number(&self, group: &LogGroup) -> Result<u32> {
        let names = match group {
            LogGroup::Number(number) => return Ok(u32::try_from(*number).unwrap_or(u32::MAX)),
            LogGroup::Members(names) => names,
        };
        let instance = self.session.instance();
        let paths = |names: &[String]| {
            let mut paths: Vec<_> = names.iter().map(|name| instance.resolve(name)).collect();
            paths.sort();
            paths
        };
        let wanted = paths(names);
        let groups = instance.redo().groups();
        let found = groups.iter().find(|group| paths(&group.record.members) == wanted);
        found.map(|group| group.record.number).ok_or_else(|| {
            Error::user(1514, format!("error in log specification: no such log ('{}')", names.join("', '")))
        })
    }
}

fn cannot_be_made(name: &str, error: &std::io::Error) -> Error {
    Error::new(
        ErrorKind::Io,
        Number::Ora(301),
        format!("error in adding log file '{name}' - file cannot be created: {error}"),
    )
}
