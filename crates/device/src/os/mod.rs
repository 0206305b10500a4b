//! The operating system's files.

mod file;
mod vectored;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use common::sync::Arc;

use self::file::{OsDevice, OsFile};
use crate::device::{Device, FileSystem};

/// The largest sector with which every block and every log block can be written on its own: half the smallest database block is not
/// needed, a log block of 512 bytes is.
const SECTOR_WANTED: usize = 512;

/// Files of the operating system, with O_DIRECT where the file system and the disk allow it.
#[derive(Debug)]
pub struct OsFileSystem {
    /// None: direct I/O is not wanted.
    sector_max: Option<usize>,
}

impl Default for OsFileSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl OsFileSystem {
    /// Direct I/O where the disk's sectors are 512 bytes.
    #[must_use]
    pub fn new() -> Self {
        Self { sector_max: Some(SECTOR_WANTED) }
    }

    /// Never direct I/O.
    #[must_use]
    pub fn buffered() -> Self {
        Self { sector_max: None }
    }

    /// Direct I/O also where the disk's sectors are as large as `bytes`; requests that are no multiple of them go through the page
    /// cache.
    #[must_use]
    pub fn with_sector(bytes: usize) -> Self {
        Self { sector_max: Some(bytes) }
    }

    fn device(&self, buffered: File, path: &Path) -> io::Result<OsDevice> {
        Ok(OsDevice { file: Arc::new(OsFile::new(buffered, path, self.sector_max)?) })
    }
}

impl FileSystem for OsFileSystem {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let device = self.device(file, path).and_then(|device| device.set_size(bytes).map(|()| device));
        match device {
            Ok(device) => Ok(Arc::new(device)),
            Err(error) => {
                // Ours, and of no use; the first error is the one to report.
                let _ = fs::remove_file(path);
                Err(error)
            }
        }
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Arc::new(self.device(file, path)?))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        path.try_exists()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let temporary = temporary_name(path);
        let written = (|| {
            let mut file = File::create(&temporary)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&temporary, path)
        })();
        if let Err(error) = written {
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        match path.parent() {
            Some(directory) if !directory.as_os_str().is_empty() => self.sync_directory(directory),
            _ => self.sync_directory(Path::new(".")),
        }
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }
}

/// Beside the file itself, so that the rename stays within one file system.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}
