//! ALTER DISKGROUP: aliases, directories, templates and attributes of a group.

use std::path::PathBuf;

use common::Result;
use storage::disk_group::{NameRequest, TemplateRequest, is_in_group, is_named_by_group};

use super::Instance;
use super::session::Session;

impl Instance {
    /// ALTER DISKGROUP … ADD, DROP or RENAME of aliases and directories. A datafile that the database knows by an alias
    /// which goes or changes is known by the group's own name from then on.
    ///
    /// # Errors
    /// ORA-15001; those of [`asm::DiskGroup::change_names`] and of the control file.
    pub fn change_names(&self, s: &Session, name: &str, requests: &[NameRequest]) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        let group = self.groups().group(name)?;
        let losing: Vec<_> = group.group().check_names(requests)?;
        let losing: Vec<_> = losing.iter().map(|file| self.groups().full_name(file)).collect();
        // The control file first: after a crash in between it has names that lead to the files in any case.
        let files = self.control().data().datafiles.clone();
        let by_alias: Vec<(u16, String)> = (files.into_iter())
            .filter(|file| is_in_group(&file.name) && !is_named_by_group(&file.name))
            .map(|file| (file.number, self.groups().without_alias(PathBuf::from(&file.name))))
            .map(|(number, path)| (number, path.to_string_lossy().into_owned()))
            .filter(|(_, name)| losing.contains(name))
            .collect();
        if !by_alias.is_empty() {
            self.control().update(|data| {
                for file in &mut data.datafiles {
                    if let Some((_, name)) = by_alias.iter().find(|(number, _)| *number == file.number) {
                        file.name.clone_from(name);
                    }
                }
            })?;
        }
        group.group().change_names(requests)
    }

    /// ALTER DISKGROUP … ADD, ALTER or DROP TEMPLATE.
    ///
    /// # Errors
    /// ORA-15001; those of [`asm::DiskGroup::change_templates`].
    pub fn change_templates(&self, s: &Session, name: &str, requests: &[TemplateRequest]) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        self.groups().group(name)?.group().change_templates(requests)
    }

    /// ALTER DISKGROUP … SET ATTRIBUTE; after an error the attributes before the wrong one are set.
    ///
    /// # Errors
    /// ORA-15001; those of [`asm::DiskGroup::set_attribute`].
    pub fn set_attributes(&self, s: &Session, name: &str, attributes: &[(String, String)]) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        let group = self.groups().group(name)?;
        attributes.iter().try_for_each(|(name, value)| group.group().set_attribute(name, value))
    }
}
