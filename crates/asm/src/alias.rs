//! Names that users give to files, and the directories of these.
//!
//! ```text
//!   +DATA/mine                        a directory
//!   +DATA/mine/users.dbf              an alias: another name of a file
//!   +DATA/ORCL/DATAFILE/users.dbf     an alias in a directory of the system
//! ```
//!
//! The names and directories of the system follow from the files (`naming.rs`) and are not here. A path is without the
//! group, and is compared without regard to case.

use std::collections::BTreeMap;

use common::{Error, Result};

use crate::error::corrupt;

/// Bytes of a directory's or an alias's own name at most.
pub(crate) const NAME_BYTES: usize = 48;
/// Bytes of a path at most.
pub(crate) const PATH_BYTES: usize = 255;

/// A change of the names; paths are without the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NameChange {
    AddDirectory(String),
    AddAlias {
        path: String,
        file: u32,
    },
    /// With all that is beneath.
    Remove(String),
    /// With all that is beneath.
    Rename {
        from: String,
        to: String,
    },
}

/// An alias or a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Named {
    /// The last part of its path, as its user has written it.
    pub(crate) name: String,
    /// None: a directory.
    pub(crate) file: Option<u32>,
}

/// Aliases and directories of users.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Names {
    /// By path in capitals.
    entries: BTreeMap<String, Named>,
    /// The paths of the aliases by file.
    of_file: BTreeMap<u32, String>,
}

/// A path as the key of an entry.
pub(crate) fn key(path: &str) -> String {
    path.to_ascii_uppercase()
}

/// The last part of a path.
pub(crate) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The directory of a path; empty: the group's own.
pub(crate) fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// True: the path is the other one, or beneath it.
pub(crate) fn is_at_or_beneath(key: &str, directory: &str) -> bool {
    key.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// True: the name has a number and an incarnation at its end, as those that the system makes.
#[must_use]
pub fn is_system_name(name: &str) -> bool {
    let mut parts = last(name).rsplitn(3, '.');
    let mut is_number =
        || parts.next().is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    is_number() && is_number() && parts.next().is_some_and(|rest| !rest.is_empty())
}

/// The path of an alias or a directory within the group, from a name with the group.
///
/// # Errors
/// ORA-15120 without the `+`; ORA-15052 for a name in another group; ORA-15124 for one that no alias can have;
/// ORA-15126 and ORA-15128 for one that is too long.
pub(crate) fn path_in(group: &str, name: &str) -> Result<String> {
    let rest = name.strip_prefix('+').ok_or_else(|| {
        Error::user(15120, format!("ASM file name '{name}' does not begin with the ASM prefix character"))
    })?;
    let (of_group, path) = rest.split_once('/').unwrap_or((rest, ""));
    if !of_group.eq_ignore_ascii_case(group) {
        return Err(Error::user(15052, format!("ASM file name '{name}' is not in diskgroup \"{group}\"")));
    }
    for part in path.split('/') {
        let is_fit = |c: char| c.is_ascii_alphanumeric() || "_-$#. ".contains(c);
        let blank = part.starts_with(' ') || part.ends_with(' ');
        if part.is_empty() || blank || !part.chars().all(is_fit) || is_system_name(part) {
            return Err(Error::user(15124, format!("ASM file name '{name}' contains an invalid alias name")));
        }
        if part.len() > NAME_BYTES {
            let text =
                format!("component within ASM file name \"{part}\" exceeds maximum length of {NAME_BYTES} bytes");
            return Err(Error::user(15126, text));
        }
    }
    check_length(path)?;
    Ok(path.to_owned())
}

/// Checks that a path is not too long.
///
/// # Errors
/// ORA-15128.
pub(crate) fn check_length(path: &str) -> Result<()> {
    if path.len() <= PATH_BYTES {
        return Ok(());
    }
    Err(Error::user(15128, format!("ASM file name '{path}' exceeds maximum length {PATH_BYTES}")))
}

impl Names {
    /// All entries by path, in capitals.
    pub(crate) fn entries(&self) -> &BTreeMap<String, Named> {
        &self.entries
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Named> {
        self.entries.get(key)
    }

    /// The path of a file's alias, as a key.
    pub(crate) fn of_file(&self, file: u32) -> Option<&str> {
        self.of_file.get(&file).map(String::as_str)
    }

    /// The entries beneath a path.
    pub(crate) fn beneath(&self, key: &str) -> impl Iterator<Item = (&String, &Named)> {
        // '0' comes behind '/'.
        self.entries.range(format!("{key}/")..format!("{key}0"))
    }

    /// A path with the spellings of its directories.
    pub(crate) fn spelled(&self, key: &str) -> String {
        let mut path = String::with_capacity(key.len());
        for (at, _) in key.match_indices('/').chain([(key.len(), "")]) {
            let own = key[..at].rsplit('/').next().unwrap_or_default();
            let name = self.entries.get(&key[..at]).map_or(own, |entry| &entry.name);
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(name);
        }
        path
    }

    fn insert(&mut self, path: &str, file: Option<u32>) -> Result<()> {
        let key = key(path);
        if self.entries.contains_key(&key) || file.is_some_and(|file| self.of_file.contains_key(&file)) {
            return Err(corrupt(format!("the name {path} is there a second time")));
        }
        if let Some(file) = file {
            self.of_file.insert(file, key.clone());
        }
        self.entries.insert(key, Named { name: last(path).to_owned(), file });
        Ok(())
    }

    fn take(&mut self, key: &str) -> Option<Named> {
        let entry = self.entries.remove(key)?;
        if let Some(file) = entry.file {
            self.of_file.remove(&file);
        }
        Some(entry)
    }

    /// The file is no more, nor is its alias.
    pub(crate) fn forget_file(&mut self, file: u32) {
        if let Some(key) = self.of_file.remove(&file) {
            self.entries.remove(&key);
        }
    }

    /// Applies a change, or refuses it and does nothing.
    ///
    /// # Errors
    /// ORA-15196 when it does not fit the names.
    pub(crate) fn apply(&mut self, change: &NameChange) -> Result<()> {
        let missing = |path: &str| corrupt(format!("a change of the name {path}, which is not there"));
        match change {
            NameChange::AddDirectory(path) => self.insert(path, None),
            NameChange::AddAlias { path, file } => self.insert(path, Some(*file)),
            NameChange::Remove(path) => {
                let key = key(path);
                if !self.entries.contains_key(&key) {
                    return Err(missing(path));
                }
                let beneath: Vec<_> = self.beneath(&key).map(|(key, _)| key.clone()).collect();
                beneath.iter().chain([&key]).for_each(|key| drop(self.take(key)));
                Ok(())
            }
            NameChange::Rename { from, to } => {
                let (from, to_key) = (key(from), key(to));
                // A name may change to another spelling of itself.
                if !self.entries.contains_key(&from)
                    || (to_key != from && (self.entries.contains_key(&to_key) || is_at_or_beneath(&to_key, &from)))
                {
                    return Err(missing(&from));
                }
                let beneath: Vec<_> = self.beneath(&from).map(|(key, _)| key.clone()).collect();
                for key in beneath.into_iter().chain([from.clone()]) {
                    let Some(mut entry) = self.take(&key) else { continue };
                    let new_key = format!("{to_key}{}", &key[from.len()..]);
                    if key == from {
                        last(to).clone_into(&mut entry.name);
                    }
                    if let Some(file) = entry.file {
                        self.of_file.insert(file, new_key.clone());
                    }
                    self.entries.insert(new_key, entry);
                }
                Ok(())
            }
        }
    }

    /// The entries with their paths, each ending with the entry's own spelling.
    pub(crate) fn stored(&self) -> impl Iterator<Item = (String, Option<u32>)> {
        self.entries.iter().map(|(key, entry)| {
            let directory = directory_of(key);
            let slash = if directory.is_empty() { "" } else { "/" };
            (format!("{directory}{slash}{}", entry.name), entry.file)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(changes: &[NameChange]) -> Names {
        let mut names = Names::default();
        changes.iter().for_each(|change| names.apply(change).unwrap());
        names
    }

    fn directory(path: &str) -> NameChange {
        NameChange::AddDirectory(path.into())
    }

    fn alias(path: &str, file: u32) -> NameChange {
        NameChange::AddAlias { path: path.into(), file }
    }

    fn rename(from: &str, to: &str) -> NameChange {
        NameChange::Rename { from: from.into(), to: to.into() }
    }

    #[test]
    fn a_renamed_directory_takes_what_is_beneath_with_it_and_no_neighbour() {
        let mut names = names(&[
            directory("Old"),
            directory("Old/Sub"),
            alias("old/sub/One.dbf", 256),
            directory("old-er"),
            directory("Old.x"),
            alias("Old0", 257),
        ]);
        names.apply(&rename("OLD", "New")).unwrap();
        let paths: Vec<_> = names.entries().keys().map(|key| names.spelled(key)).collect();
        assert_eq!(paths, ["New", "New/Sub", "New/Sub/One.dbf", "old-er", "Old.x", "Old0"]);
        assert_eq!(names.of_file(256), Some("NEW/SUB/ONE.DBF"));
        names.apply(&rename("new", "NEW")).unwrap();
        assert_eq!(names.spelled("NEW/SUB"), "NEW/Sub");
        names.apply(&NameChange::Remove("new".into())).unwrap();
        assert_eq!((names.entries().len(), names.of_file(256)), (3, None));
        names.forget_file(257);
        assert_eq!(names.entries().len(), 2);
    }

    #[test]
    fn changes_that_do_not_fit_change_nothing() {
        let before = names(&[directory("a"), directory("a/b"), alias("a/f", 256)]);
        let mut names = before.clone();
        for wrong in [
            directory("A"),
            alias("a/F", 300),
            alias("other", 256),
            NameChange::Remove("x".into()),
            rename("x", "y"),
            rename("a", "A/B/C"),
            rename("a/b", "a/f"),
        ] {
            assert!(names.apply(&wrong).unwrap_err().is_ora(15196), "{wrong:?}");
            assert_eq!(names, before);
        }
    }

    #[test]
    fn paths_are_checked() {
        assert_eq!(path_in("DATA", "+data/Dir/my file-1.dbf").unwrap(), "Dir/my file-1.dbf");
        for (wrong, number) in [
            ("data/x", 15120),
            ("+FRA/x", 15052),
            ("+DATA", 15124),
            ("+DATA/", 15124),
            ("+DATA//x", 15124),
            ("+DATA/x/", 15124),
            ("+DATA/x(fine)", 15124),
            ("+DATA/ x", 15124),
            ("+DATA/ä", 15124),
            ("+DATA/ORCL/DATAFILE/users.256.1", 15124),
        ] {
            assert!(path_in("DATA", wrong).unwrap_err().is_ora(number), "{wrong}");
        }
        assert!(path_in("DATA", &format!("+DATA/{}", "a".repeat(49))).unwrap_err().is_ora(15126));
        let long = vec!["a".repeat(48); 6].join("/");
        assert!(path_in("DATA", &format!("+DATA/{long}")).unwrap_err().is_ora(15128));
        assert!(is_system_name("+DATA/users.256.1") && !is_system_name("users.dbf") && !is_system_name(".1.2"));
        assert!(!is_system_name("users.1.dbf") && !is_system_name("users.256"));
    }
}
