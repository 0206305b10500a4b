//! One process a data directory.
//!
//! The lock is the kernel's, on an open file: it goes with the process, however that ends, and leaves nothing to clean up. The file
//! itself stays; its presence means nothing.

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

/// Takes the directory's lock for this process.
///
/// # Errors
/// [`io::ErrorKind::WouldBlock`] when another process (or another lock in this one) has it.
pub fn lock_directory(path: &Path) -> io::Result<DirectoryLock> {
    let file = fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path.join(LOCK_FILE))?;
    match file.try_lock() {
        Ok(()) => Ok(DirectoryLock { _file: file }),
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::new(io::ErrorKind::WouldBlock, format!("{} is in use by another process", path.display())))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_lock_is_refused_until_the_first_goes() {
        let directory = tempfile::tempdir().unwrap();
        let first = lock_directory(directory.path()).unwrap();
        assert_eq!(lock_directory(directory.path()).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(first);
        lock_directory(directory.path()).unwrap();
    }
}
