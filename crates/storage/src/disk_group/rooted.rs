//! The file system in which disks are looked for: relative paths are relative to the data directory, and disks of cells
//! are opened through their cells.

use std::io;
use std::path::{Path, PathBuf};

use ::cell::{CELL_FILE, Cells, is_own_file};
use common::sync::Arc;
use device::{Claim, Device, FileIdentity, FileSystem};

/// Another file system, seen from a directory. It serves only to find and open files.
#[derive(Debug)]
pub(super) struct Rooted {
    pub(super) below: Arc<dyn FileSystem>,
    pub(super) directory: PathBuf,
    pub(super) cells: Arc<Cells>,
}

impl Rooted {
    fn path(&self, path: &Path) -> PathBuf {
        if path.as_os_str().is_empty() { self.directory.clone() } else { self.directory.join(path) }
    }

    /// What is in a directory, relative as in the pattern: errors and views show what the user has written.
    fn as_given(&self, directory: &Path, paths: Vec<PathBuf>) -> Vec<PathBuf> {
        let as_given = |path: PathBuf| match path.strip_prefix(&self.directory) {
            Ok(rest) if directory.is_relative() => rest.to_owned(),
            _ => path,
        };
        paths.into_iter().map(as_given).collect()
    }
}

fn refused() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "disks are not made or changed by name here")
}

impl FileSystem for Rooted {
    fn create(&self, _: &Path, _: u64) -> io::Result<Arc<dyn Device>> {
        Err(refused())
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        match self.cells.of(path) {
            Some((cell, disk)) => cell.open(&disk),
            None => self.below.open(&self.path(path)),
        }
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        Err(refused())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.below.exists(&self.path(path))
    }

    fn identity(&self, path: &Path) -> io::Result<Option<FileIdentity>> {
        self.below.identity(&self.path(path))
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(refused())
    }

    fn create_directory(&self, _: &Path) -> io::Result<()> {
        Err(refused())
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.below.sync_directory(&self.path(path))
    }

    fn write_whole(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(refused())
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.below.read_whole(&self.path(path))
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let path = self.path(directory);
        let mut files = self.below.list(&path)?;
        if self.below.exists(&path.join(CELL_FILE))? {
            let is_own = |file: &PathBuf| file.file_name().and_then(|name| name.to_str()).is_some_and(is_own_file);
            files.retain(|file| !is_own(file));
        }
        Ok(self.as_given(directory, files))
    }

    fn directories(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(self.as_given(directory, self.below.directories(&self.path(directory))?))
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        self.below.claim(&self.path(path))
    }
}
