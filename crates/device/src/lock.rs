//! One process a data directory, and one a disk.
//!
//! The lock is the kernel's, on an open file: it ends with the process, in any case, and leaves nothing to clean up.
//! The file itself stays; its presence means nothing.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

/// Name of the file in the directory that carries the lock.
const LOCK_FILE: &str = "lock";

/// Holds a directory's lock until it is dropped.
#[derive(Debug)]
pub struct DirectoryLock {
    _file: File,
}

/// Holds one file against other claims until it is dropped.
#[derive(Default, Debug)]
pub struct Claim {
    _file: Option<File>,
}

/// Locks the file itself: for files outside of data directories, such as block devices.
pub(crate) fn lock_file(path: &Path) -> io::Result<Claim> {
    let file = fs::OpenOptions::new().read(true).write(true).open(path)?;
    lock(&file, path)?;
    Ok(Claim { _file: Some(file) })
}

fn lock(file: &File, path: &Path) -> io::Result<()> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => {
            io::Error::new(io::ErrorKind::WouldBlock, format!("{} is in use by another process", path.display()))
        }
        TryLockError::Error(error) => error,
    })
}

/// Takes the directory's lock for this process.
///
/// # Errors
/// [`io::ErrorKind::WouldBlock`] when another process (or another lock in this one) has it.
pub fn lock_directory(path: &Path) -> io::Result<DirectoryLock> {
    let file = fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path.join(LOCK_FILE))?;
    lock(&file, path)?;
    Ok(DirectoryLock { _file: file })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_claimed_once_by_whatever_name() {
        let directory = tempfile::tempdir().unwrap();
        let (path, link) = (directory.path().join("disk"), directory.path().join("link"));
        fs::write(&path, b"x").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let first = lock_file(&path).unwrap();
        assert_eq!(lock_file(&link).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        assert_eq!(fs::read(&path).unwrap(), b"x");
        drop(first);
        lock_file(&link).unwrap();
        assert_eq!(lock_file(&directory.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn second_lock_is_refused_until_the_first_goes() {
        let directory = tempfile::tempdir().unwrap();
        let first = lock_directory(directory.path()).unwrap();
        assert_eq!(lock_directory(directory.path()).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(first);
        lock_directory(directory.path()).unwrap();
    }
}
