//! The names in a group: aliases and directories of users among the names and directories of the system.
//!
//! The system's directories follow from the files, and are there as long as one of their files is, or a name that a
//! user has put there:
//!
//! ```text
//!   +DATA/ORCL                               the database
//!   +DATA/ORCL/DATAFILE                      a kind of files
//!   +DATA/ORCL/DATAFILE/users.256.1          a file
//! ```

use std::collections::{BTreeMap, BTreeSet};

use common::{Error, Result};

use crate::alias::{
    NameChange, Names, check_length, directory_of, is_at_or_beneath, is_system_name, key, last, path_in,
};
use crate::directory::{Change, FileEntry};
use crate::error;
use crate::group::{Group, GroupState};
use crate::name::{FileKind, FileName};

/// A change of aliases or directories. Names have the group: `+DATA/mine/users.dbf`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NameRequest {
    AddDirectory(String),
    DropDirectory {
        name: String,
        /// With the aliases and directories in it.
        force: bool,
    },
    RenameDirectory {
        from: String,
        to: String,
    },
    AddAlias {
        alias: String,
        /// The file's name.
        file: String,
    },
    DropAlias(String),
    RenameAlias {
        from: String,
        to: String,
    },
}

/// A row of V$ASM_ALIAS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameInfo {
    /// Without its directory.
    pub name: String,
    /// Number of the row in the group, from 0.
    pub index: u32,
    /// Number of the directory that it is in; 0: the group's own.
    pub parent: u32,
    /// Number of the directory that it is; None: it is a file's name.
    pub directory: Option<u32>,
    /// Number and incarnation of the file.
    pub file: Option<(u32, u32)>,
    /// It was not made by a user.
    pub system: bool,
}

/// The names of the system in a group, as keys.
struct SystemNames<'s> {
    database: String,
    files: &'s BTreeMap<u32, FileEntry>,
}

impl SystemNames<'_> {
    /// The directory of a kind.
    fn directory(&self, kind: FileKind) -> String {
        match &*self.database {
            "" => kind.name().to_owned(),
            database => format!("{database}/{}", kind.name()),
        }
    }

    /// The directories that are there.
    fn directories(&self) -> BTreeSet<String> {
        let kinds: BTreeSet<FileKind> = self.files.values().map(|file| file.kind).collect();
        let database = Some(self.database.clone()).filter(|database| !database.is_empty() && !kinds.is_empty());
        database.into_iter().chain(kinds.into_iter().map(|kind| self.directory(kind))).collect()
    }

    /// True: files' names are beneath the path, now or as soon as there is one.
    fn is_reserved(&self, key: &str) -> bool {
        (!self.database.is_empty() && key == self.database)
            || FileKind::ALL.into_iter().any(|kind| self.directory(kind) == key)
    }
}

/// The names as they are while a statement is checked.
struct Checking<'s> {
    group: &'s str,
    system: SystemNames<'s>,
    directories: BTreeSet<String>,
    names: Names,
}

fn exists(path: &str) -> Error {
    Error::user(15005, format!("name \"{path}\" is already used by an existing alias"))
}

fn missing(entry: &str, directory: &str) -> Error {
    let directory = if directory.is_empty() { "/" } else { directory };
    Error::user(15173, format!("entry '{entry}' does not exist in directory '{directory}'"))
}

fn of_system(path: &str) -> Error {
    Error::user(15177, format!("cannot operate on system aliases: '{path}' is one"))
}

fn no_directory(path: &str) -> Error {
    Error::user(15129, format!("entry '{path}' does not refer to a valid directory"))
}

impl Checking<'_> {
    fn is_directory(&self, key: &str) -> bool {
        key.is_empty()
            || self.names.get(key).is_some_and(|entry| entry.file.is_none())
            || self.directories.contains(key)
            || self.names.beneath(key).next().is_some()
    }

    /// Checks that the directory of a path is there.
    fn check_parent(&self, path: &str) -> Result<()> {
        let directory = directory_of(path);
        let mut before = "";
        for (at, _) in directory.match_indices('/').chain([(directory.len(), "")]) {
            let part = &directory[..at];
            if !self.is_directory(&key(part)) {
                let is_alias = self.names.get(&key(part)).is_some();
                return Err(if is_alias { no_directory(part) } else { missing(last(part), before) });
            }
            before = part;
        }
        Ok(())
    }

    /// Checks that a new name can be made; of an alias, that it is not in the way of the system's.
    fn check_new(&self, path: &str, directory: bool) -> Result<()> {
        let key = key(path);
        self.check_parent(path)?;
        if self.names.get(&key).is_some() || self.is_directory(&key) {
            return Err(exists(path));
        }
        if !directory && self.system.is_reserved(&key) { Err(of_system(path)) } else { Ok(()) }
    }

    /// Checks that there is a directory of a user with this path, and no file of the system in it.
    fn check_users_directory(&self, path: &str) -> Result<()> {
        let key = key(path);
        self.check_parent(path)?;
        let with_files = self.directories.iter().any(|directory| is_at_or_beneath(directory, &key));
        match self.names.get(&key) {
            Some(entry) if entry.file.is_some() => Err(no_directory(path)),
            Some(_) if !with_files => Ok(()),
            None if !self.is_directory(&key) => Err(missing(last(path), directory_of(path))),
            _ => Err(of_system(path)),
        }
    }

    /// Checks that there is such an alias.
    fn check_alias(&self, path: &str) -> Result<()> {
        self.check_parent(path)?;
        match self.names.get(&key(path)) {
            Some(entry) if entry.file.is_some() => Ok(()),
            None if !self.is_directory(&key(path)) => Err(missing(last(path), directory_of(path))),
            _ => Err(Error::user(15113, format!("alias name '{path}' refers to a directory"))),
        }
    }

    fn rename(&self, from: String, to: String, directory: bool) -> Result<NameChange> {
        if key(&to) != key(&from) {
            if directory && is_at_or_beneath(&key(&to), &key(&from)) {
                let text = format!("destination '{to}' is a subdirectory of '{from}'");
                return Err(Error::user(15169, text));
            }
            self.check_new(&to, directory)?;
        }
        for (beneath, _) in self.names.beneath(&key(&from)) {
            check_length(&format!("{to}{}", &beneath[from.len()..]))?;
        }
        Ok(NameChange::Rename { from, to })
    }

    /// The path of an alias that is to be changed.
    fn alias_path(&self, name: &str) -> Result<String> {
        if is_system_name(name) { Err(of_system(name)) } else { path_in(self.group, name) }
    }

    /// The change that a request makes.
    fn change(&self, request: &NameRequest, find: impl Fn(&str) -> Result<u32>) -> Result<NameChange> {
        match request {
            NameRequest::AddDirectory(name) => {
                let path = path_in(self.group, name)?;
                self.check_new(&path, true)?;
                Ok(NameChange::AddDirectory(path))
            }
            NameRequest::DropDirectory { name, force } => {
                let path = path_in(self.group, name)?;
                self.check_users_directory(&path)?;
                if !force && self.names.beneath(&key(&path)).next().is_some() {
                    let text = format!("directory '{path}' is not empty; cannot drop this directory");
                    return Err(Error::user(15178, text));
                }
                Ok(NameChange::Remove(path))
            }
            NameRequest::RenameDirectory { from, to } => {
                let (from, to) = (path_in(self.group, from)?, path_in(self.group, to)?);
                self.check_users_directory(&from)?;
                self.rename(from, to, true)
            }
            NameRequest::AddAlias { alias, file } => {
                let path = path_in(self.group, alias)?;
                let number = find(file)?;
                self.check_new(&path, false)?;
                if self.names.of_file(number).is_some() {
                    let text = format!("file '{file}' already has an alias associated with it");
                    return Err(Error::user(15176, text));
                }
                Ok(NameChange::AddAlias { path, file: number })
            }
            NameRequest::DropAlias(name) => {
                let path = self.alias_path(name)?;
                self.check_alias(&path)?;
                Ok(NameChange::Remove(path))
            }
            NameRequest::RenameAlias { from, to } => {
                let (from, to) = (self.alias_path(from)?, path_in(self.group, to)?);
                self.check_alias(&from)?;
                self.rename(from, to, false)
            }
        }
    }
}

impl Group {
    fn system_names<'s>(&self, state: &'s GroupState) -> SystemNames<'s> {
        SystemNames { database: key(&self.environment.database.get()), files: &state.directory.files }
    }

    fn checking<'s>(&'s self, state: &'s GroupState) -> Checking<'s> {
        let system = self.system_names(state);
        let directories = system.directories();
        Checking { group: self.group_name(), system, directories, names: state.directory.names.clone() }
    }

    /// The changes that requests make, one after the other, and the names after them.
    fn changes_of(&self, state: &GroupState, requests: &[NameRequest]) -> Result<(Vec<NameChange>, Names)> {
        let mut checking = self.checking(state);
        let mut changes = Vec::with_capacity(requests.len());
        for request in requests {
            let change = checking.change(request, |file| self.find(state, file))?;
            checking.names.apply(&change)?;
            changes.push(change);
        }
        Ok((changes, checking.names))
    }

    /// See [`DiskGroup::check_names`](crate::DiskGroup::check_names).
    pub(crate) fn check_names(&self, requests: &[NameRequest]) -> Result<Vec<FileName>> {
        let state = self.state()?;
        let (_, after) = self.changes_of(&state, requests)?;
        let directory = &state.directory;
        let changed = |file: &&FileEntry| {
            let before = directory.names.of_file(file.number);
            before.is_some() && before != after.of_file(file.number)
        };
        Ok(directory.files.values().filter(changed).map(|file| self.file_name(file)).collect())
    }

    /// Changes names: all that is asked for, or nothing.
    pub(crate) fn change_names(&self, requests: &[NameRequest]) -> Result<()> {
        let mut state = self.state()?;
        let (changes, _) = self.changes_of(&state, requests)?;
        self.commit_in(&mut state, &Change::Names(changes))
    }

    /// The path of the alias of a new file.
    ///
    /// # Errors
    /// ORA-15005 when the name is in use; ORA-15173 without its directory; those of [`path_in`].
    pub(crate) fn path_of_new(&self, state: &GroupState, alias: &str) -> Result<String> {
        let path = path_in(self.group_name(), alias)?;
        self.checking(state).check_new(&path, false)?;
        Ok(path)
    }

    /// The number of the file that an alias leads to.
    ///
    /// # Errors
    /// ORA-15012.
    pub(crate) fn find_alias(&self, state: &GroupState, name: &str) -> Result<u32> {
        let path = path_in(self.group_name(), name).map_err(|_| error::no_file(name))?;
        let entry = state.directory.names.get(&key(&path));
        entry.and_then(|entry| entry.file).ok_or_else(|| error::no_file(name))
    }

    /// The alias of a file, with the group.
    pub(crate) fn alias_of(&self, state: &GroupState, file: u32) -> Option<String> {
        let names = &state.directory.names;
        names.of_file(file).map(|key| format!("+{}/{}", self.group_name(), names.spelled(key)))
    }

    /// All names, by path.
    pub(crate) fn names(&self) -> Result<Vec<NameInfo>> {
        struct Entry {
            name: String,
            file: Option<(u32, u32)>,
            system: bool,
        }
        let state = self.state()?;
        let system = self.system_names(&state);
        let mut all: BTreeMap<String, Entry> = BTreeMap::new();
        for file in state.directory.files.values() {
            let name = format!("{}.{}.{}", file.tag, file.number, file.incarnation);
            let path = format!("{}/{}", system.directory(file.kind), key(&name));
            all.insert(path, Entry { name, file: Some((file.number, file.incarnation)), system: true });
        }
        for (path, entry) in state.directory.names.entries() {
            let incarnation = |file: u32| state.directory.files.get(&file).map_or(0, |file| file.incarnation);
            let file = entry.file.map(|file| (file, incarnation(file)));
            all.insert(path.clone(), Entry { name: entry.name.clone(), file, system: false });
        }
        let above: BTreeSet<String> =
            all.keys().flat_map(|path| path.match_indices('/').map(|(at, _)| path[..at].to_owned())).collect();
        for path in above {
            let name = last(&path).to_owned();
            all.entry(path).or_insert(Entry { name, file: None, system: true });
        }
        let directories: BTreeMap<String, u32> =
            all.iter().filter(|(_, entry)| entry.file.is_none()).map(|(path, _)| path.clone()).zip(1..).collect();
        let number = |path: &str| directories.get(path).copied();
        let info = |(index, (path, entry)): (u32, (String, Entry))| NameInfo {
            index,
            parent: number(directory_of(&path)).unwrap_or(0),
            directory: number(&path),
            name: entry.name,
            file: entry.file,
            system: entry.system,
        };
        Ok((0..).zip(all).map(info).collect())
    }
}
