//! The files of a database, compared by identity and not by path: no statement may make, replace or take one of them as
//! something else.
//!
//! Two paths are one file when they have one identity (device and inode: links, `sub/../x`, another spelling of the
//! directory). A missing file has a place: the identity of its directory, and its name.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use common::Result;
use device::{FileIdentity, FileSystem};

use super::Instance;
use storage::cache::DoubleWrite;
use storage::control::{ControlData, ControlFile};
use storage::disk_group::GroupEpochs;
use storage::parameters::PARAMETER_FILE;

/// The file that locks the data directory.
const LOCK_FILE: &str = "lock";
/// Suffix of a file that is being written whole ([`FileSystem::write_whole`]).
const UNFINISHED: &str = ".new";

/// The target of a path.
#[derive(PartialEq, Eq)]
enum PathTarget {
    /// This file.
    File(FileIdentity),
    /// No file yet: a name in this directory.
    Name(FileIdentity, OsString),
    /// The file system tells files apart by their paths alone.
    Path(PathBuf),
}

impl PathTarget {
    fn of(files: &dyn FileSystem, path: &Path) -> io::Result<Self> {
        if let Some(file) = files.identity(path)? {
            return Ok(Self::File(file));
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(match (files.identity(parent)?, path.file_name()) {
            (Some(directory), Some(name)) => Self::Name(directory, name.to_owned()),
            _ => Self::Path(path.to_owned()),
        })
    }
}

/// True: two paths lead to one file.
///
/// # Errors
/// Errors of the file system.
pub(crate) fn same_place(files: &dyn FileSystem, one: &Path, other: &Path) -> io::Result<bool> {
    Ok(one == other || PathTarget::of(files, one)? == PathTarget::of(files, other)?)
}

impl Instance {
    /// Every file of the database: control files, parameter file, double-write area, lock, members of log groups,
    /// datafiles, disks of mounted groups.
    fn own_files(&self, data: &ControlData) -> Vec<PathBuf> {
        let whole: Vec<String> = (self.control().names())
            .chain(ControlFile::COPIES)
            .chain([PARAMETER_FILE, GroupEpochs::NAME])
            .map(str::to_owned)
            .collect();
        let unfinished = whole.iter().map(|name| format!("{name}{UNFINISHED}")).collect::<Vec<_>>();
        let fixed = whole.into_iter().chain([DoubleWrite::NAME, LOCK_FILE].map(str::to_owned)).chain(unfinished);
        let logs = data.log_groups.iter().flat_map(|group| group.members.iter().cloned());
        let datafiles = data.datafiles.iter().map(|file| file.name.clone());
        let disks = self.groups().mounted().into_iter().flat_map(|group| group.statistics().disks);
        let named = fixed.chain(logs).chain(datafiles).map(|name| self.resolve(&name));
        named.chain(disks.filter_map(|disk| disk.path).map(|path| self.directory().join(path))).collect()
    }

    /// True: a path leads to a file of this database. A caller that goes on to make or remove the file holds
    /// [`Instance::changing`].
    ///
    /// # Errors
    /// ORA-27037 when the file system fails.
    pub fn is_own_file(&self, path: &Path) -> Result<bool> {
        let data = self.control().data().clone();
        let own = self.own_files(&data);
        // A file of the database that cannot be read does not make another file one of its own.
        let same = |own: &PathBuf, place: &PathTarget| {
            own == path || PathTarget::of(&**self.files(), own).is_ok_and(|other| other == *place)
        };
        let told = PathTarget::of(&**self.files(), path).map(|place| own.iter().any(|file| same(file, &place)));
        told.map_err(|error| {
            let text = format!("unable to obtain file status of '{}': {error}", path.display());
            common::Error::new(common::ErrorKind::Io, common::Number::Ora(27037), text)
        })
    }
}
