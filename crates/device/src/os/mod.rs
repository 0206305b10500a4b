//! The operating system's files.

mod file;
mod pool;
mod ring;
mod vectored;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use common::sync::{Arc, RwLock};

use self::file::{Background, OsDevice, OsFile};
use self::pool::ReadPool;
use self::ring::Rings;
use crate::device::{Device, FileAccess, FileIdentity, FileSystem};
use crate::lock::{Claim, lock_file};

/// Access to files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OsOptions {
    /// Bypass the page cache where the file system allows it in sectors of at most this many bytes; None for never.
    /// Requests that are no multiple of a file's sector go through the page cache.
    pub direct_sector_max: Option<usize>,
    /// Read in the background through io_uring where the kernel allows it.
    pub io_uring: bool,
}

impl Default for OsOptions {
    /// A log block is 512 bytes, so a disk with larger sectors would need two ways for one file.
    fn default() -> Self {
        Self { direct_sector_max: Some(512), io_uring: true }
    }
}

/// Files of the operating system, with O_DIRECT and io_uring where they are allowed.
#[derive(Debug)]
pub struct OsFileSystem {
    options: OsOptions,
    background: Arc<Background>,
    access: RwLock<FileAccess>,
}

impl Default for OsFileSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl OsFileSystem {
    /// Everything that this machine allows.
    #[must_use]
    pub fn new() -> Self {
        Self::with(OsOptions::default())
    }

    /// At most what `options` say.
    #[must_use]
    pub fn with(options: OsOptions) -> Self {
        let rings = if options.io_uring { Rings::probe() } else { None };
        let background = Arc::new(Background { rings, pool: ReadPool::new() });
        Self { options, background, access: RwLock::default() }
    }

    /// True: reads in the background go through io_uring.
    #[must_use]
    pub fn uses_io_uring(&self) -> bool {
        self.background.rings.is_some()
    }

    fn device(&self, buffered: File, path: &Path) -> io::Result<OsDevice> {
        let access = *self.access.read();
        let file = OsFile::new(buffered, path, self.options.direct_sector_max.filter(|_| access.direct))?;
        let background = access.background.then(|| Arc::clone(&self.background));
        Ok(OsDevice { file: Arc::new(file), background })
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

    fn identity(&self, path: &Path) -> io::Result<Option<FileIdentity>> {
        match fs::metadata(path) {
            // Of a block device, the device and not the node that leads to it.
            Ok(metadata) if metadata.file_type().is_block_device() => {
                Ok(Some(FileIdentity { device: u64::MAX, inode: metadata.rdev() }))
            }
            Ok(metadata) => Ok(Some(FileIdentity { device: metadata.dev(), inode: metadata.ino() })),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        let path = std::path::absolute(path)?;
        let missing = path.ancestors().take_while(|directory| !directory.exists()).count();
        fs::create_dir_all(&path)?;
        for (number, parent) in path.ancestors().skip(1).enumerate() {
            let synced = self.sync_directory(parent);
            if number < missing {
                synced?;
            }
            // An existing directory is synced too, where that is allowed: a process that was killed may have made it.
        }
        Ok(())
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

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        // A terminal or a pipe is no place for bytes.
        entries(directory, |metadata| metadata.is_file() || metadata.file_type().is_block_device())
    }

    fn directories(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        entries(directory, fs::Metadata::is_dir)
    }

    fn free_bytes(&self, directory: &Path) -> io::Result<Option<u64>> {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let space = rustix::fs::statvfs(directory)?;
        Ok(Some(space.f_bavail.saturating_mul(space.f_frsize)))
    }

    fn access_by(&self, access: FileAccess) {
        *self.access.write() = access;
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        lock_file(path)
    }
}

/// Beside the file itself, so that the rename stays within one file system.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

/// What is in a directory and of a kind, sorted. A link counts as its target; one that leads nowhere is of no kind.
fn entries(directory: &Path, wanted: impl Fn(&fs::Metadata) -> bool) -> io::Result<Vec<PathBuf>> {
    // As `join` would build the names for the caller: the directory "" is the current one.
    let read = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let mut found = Vec::new();
    for entry in fs::read_dir(read)? {
        let path = directory.join(entry?.file_name());
        if fs::metadata(&path).is_ok_and(|metadata| wanted(&metadata)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
