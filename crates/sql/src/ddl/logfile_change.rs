//! Execution of ALTER DATABASE ADD and DROP LOGFILE.

use common::{Error, Result};
use engine::dictionary::SystemPrivilege;
use storage::disk_group::same_file;

use super::logfile::{LogGroup, LogfileChange};
use crate::cursor::connection::Connection;

impl Connection {
    pub(super) fn alter_logfile(&self, change: &LogfileChange) -> Result<()> {
        let session = &self.session;
        session.catalog().check_system_privilege(&session.rights(), SystemPrivilege::AlterDatabase)?;
        let instance = session.instance();
        match change {
            LogfileChange::AddGroups(groups) => instance.add_log_groups(session, groups),
            LogfileChange::AddMembers { files, reuse, to } => {
                instance.add_log_members(session, self.group_number(to)?, files, *reuse)
            }
            LogfileChange::DropGroups(groups) => {
                groups.iter().try_for_each(|group| instance.drop_log_group(session, self.group_number(group)?))
            }
            LogfileChange::DropMembers(files) => {
                files.iter().try_for_each(|name| instance.drop_log_member(session, name))
            }
        }
    }

    /// The number of a group given by its files.
    fn group_number(&self, group: &LogGroup) -> Result<u32> {
        let names = match group {
            LogGroup::Number(number) => return Ok(*number),
            LogGroup::Members(names) => names,
        };
        let instance = self.session.instance();
        let is_one_of =
            |name: &String, others: &[String]| others.iter().any(|other| same_file(instance.directory(), name, other));
        let all = |some: &[String], others: &[String]| some.iter().all(|name| is_one_of(name, others));
        let groups = instance.redo().groups();
        let found = groups.iter().map(|group| &group.record).find(|group| {
            group.members.len() == names.len() && all(names, &group.members) && all(&group.members, names)
        });
        found.map(|group| group.number).ok_or_else(|| {
            Error::user(1514, format!("error in log specification: no such log ('{}')", names.join("', '")))
        })
    }
}
