//! The two traits that all file access goes through.
//!
//! Rules of every implementation, checked by the property test in `tests/alike.rs`:
//!
//! 1. A read or write is whole or an error. A read past the end of the file is [`io::ErrorKind::UnexpectedEof`].
//! 2. A read sees every write that returned before it began, through whichever device on the same path.
//! 3. A write past the end makes the file longer, zero bytes in between. The engine never does this to a datafile: it
//!    grows the file first, because only [`Device::set_size`] allocates space that cannot run out later.
//! 4. Nothing is durable before [`Device::sync`] or its own [`Device::write_durable`] returned; a new or renamed file
//!    not before [`FileSystem::sync_directory`].
//! 5. Any offset, length and memory address works. Those that are multiples of the sector go to the disk without a
//!    copy.

use std::any::Any;
use std::fmt::{self, Debug};
use std::io;
use std::path::{Path, PathBuf};

use common::sync::Arc;

use crate::buffer::AlignedBuffer;
use crate::lock::Claim;

/// One file.
pub trait Device: Send + Sync + Debug {
    /// Reads from `offset` into the buffers, one after another, until all are full.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] when the file ends before that; then the buffers' content is undefined.
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()>;

    /// Writes the buffers one after another from `offset` on.
    ///
    /// # Errors
    /// After an error any part of the range may have been written.
    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()>;

    /// Writes as [`write_at`](Self::write_at) does, and returns when these bytes are durable; other writes are not
    /// included. Inside the file this costs one round trip to the disk where the operating system can do that, else a
    /// write and a [`sync`](Self::sync).
    ///
    /// # Errors
    /// Errors of `write_at` and `sync`.
    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write_at(offset, buffers)?;
        self.sync()
    }

    /// Starts a read and returns; the buffers come back from [`PendingRead::wait`].
    ///
    /// # Errors
    /// When the read could not be started. An error of the read itself comes from `wait`.
    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead>;

    /// Makes all writes that have returned durable, and the file's size with them.
    ///
    /// # Errors
    /// After an error the durable state is unknown. The caller must stop writing to this file.
    fn sync(&self) -> io::Result<()>;

    /// The file's size in bytes.
    ///
    /// # Errors
    /// When the file system refuses.
    fn size(&self) -> io::Result<u64>;

    /// Makes the file longer or shorter. New bytes are zero and really allocated: writing them cannot run out of space.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`] when there is no room; the file then keeps its old size.
    fn set_size(&self, bytes: u64) -> io::Result<()>;

    /// True: aligned reads and writes bypass the operating system's page cache.
    fn direct(&self) -> bool;

    /// Copies that there are of each byte: more than one where the device mirrors its bytes.
    fn copies(&self) -> usize {
        1
    }

    /// As [`read_at`](Self::read_at), from one of the copies: for a caller that knows that what it has read is damaged.
    ///
    /// # Errors
    /// As [`read_at`](Self::read_at), and when this copy cannot be used.
    fn read_copy(&self, _copy: usize, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.read_at(offset, buffers)
    }

    /// Writes again what one of the copies has, to all of them. No other write of the range is under way.
    ///
    /// # Errors
    /// As [`write_at`](Self::write_at).
    fn repair(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write_at(offset, buffers)
    }

    /// The disks that these bytes are on, one run after another, where the device knows them and lets others work on
    /// them there.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] when the file ends before.
    fn places(&self, _offset: u64, _bytes: u64) -> io::Result<Option<Places>> {
        Ok(None)
    }

    /// The cell that requests for a byte go to. None: to none.
    fn cell_disk(&self, _offset: u64) -> Option<CellDisk> {
        None
    }

    /// Reads are cut at the multiples of so many bytes of the file: buffers that end there need no copy. None: they are
    /// not cut.
    fn cuts_at(&self) -> Option<u64> {
        None
    }
}

/// A disk in a storage cell, as waits name it: hashes of the names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellDisk {
    pub cell: u32,
    pub disk: u32,
}

/// A run of bytes on a disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub disk: PathBuf,
    pub offset: u64,
    pub bytes: u64,
}

/// Where bytes of a file are. They stay there until this is dropped.
#[derive(Clone, Debug)]
pub struct Places {
    pub runs: Vec<Place>,
    held: Arc<dyn Any + Send + Sync>,
}

impl Places {
    /// `held` keeps the bytes where they are.
    #[must_use]
    pub fn new(runs: Vec<Place>, held: Arc<dyn Any + Send + Sync>) -> Self {
        Self { runs, held }
    }

    /// Keeps the bytes where they are without the list of the runs.
    #[must_use]
    pub fn held(&self) -> Arc<dyn Any + Send + Sync> {
        Arc::clone(&self.held)
    }
}

/// Identity of a file: two paths with one identity lead to one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FileIdentity {
    /// The file system that the file is in.
    pub device: u64,
    /// The file's number in the file system.
    pub inode: u64,
}

/// Access to files that are opened from now on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileAccess {
    /// Bypasses the page cache of the operating system, where the file system allows it.
    pub direct: bool,
    /// Submitted reads go on while their submitter does something else; else the submitter reads when it waits for
    /// them.
    pub background: bool,
}

impl Default for FileAccess {
    fn default() -> Self {
        Self { direct: true, background: true }
    }
}

/// A directory of files.
pub trait FileSystem: Send + Sync + Debug {
    /// Makes a file of `bytes` zeros, really allocated.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] when there is such a file; [`io::ErrorKind::StorageFull`] when there is no
    /// room, and then no file is left behind.
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>>;

    /// Opens a file for reading and writing.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] when there is none.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>>;

    /// Removes a file. Devices already open on it go on working.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] when there is none.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// True: there is such a file or directory.
    ///
    /// # Errors
    /// Errors of the file system.
    fn exists(&self, path: &Path) -> io::Result<bool>;

    /// Identity of the file or directory at a path, links followed; None where there is none, or where files have only
    /// their paths. An identity may be reused once its file is gone.
    ///
    /// # Errors
    /// Errors of the file system.
    fn identity(&self, _path: &Path) -> io::Result<Option<FileIdentity>> {
        Ok(None)
    }

    /// Gives a file another name. A file that has it already is replaced.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] when there is no file `from`.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Makes a directory and those above it, and their names durable; no error when it is there.
    ///
    /// # Errors
    /// When the file system refuses.
    fn create_directory(&self, path: &Path) -> io::Result<()>;

    /// Makes creations, removals and renames in a directory durable.
    ///
    /// # Errors
    /// When the file system refuses.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;

    /// Replaces a file's content by `bytes`, durably: a reader sees the old content or the new one, also after a crash.
    ///
    /// # Errors
    /// When any of its steps fails; the old content stays then.
    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// All bytes of a file.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] when there is none.
    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The files and block devices in a directory, without directories and anything else, sorted by name.
    ///
    /// # Errors
    /// When there is no such directory, or the implementation cannot list.
    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let text = format!("the files of {} cannot be listed", directory.display());
        Err(io::Error::new(io::ErrorKind::Unsupported, text))
    }

    /// The directories in a directory, sorted by name.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn directories(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        let text = format!("the directories of {} cannot be listed", directory.display());
        Err(io::Error::new(io::ErrorKind::Unsupported, text))
    }

    /// Bytes by which files in a directory may still grow; None where there is no limit that is known.
    ///
    /// # Errors
    /// Errors of the file system.
    fn free_bytes(&self, _directory: &Path) -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// What has the files of a directory where they are elsewhere; the caller knows its type. None: the files are here.
    ///
    /// # Errors
    /// When it cannot be reached.
    fn host(&self, _directory: &Path) -> io::Result<Option<Arc<dyn Any + Send + Sync>>> {
        Ok(None)
    }

    /// Sets the access to files that are opened from now on. Open files stay as they are; an implementation with one
    /// kind of access ignores it.
    fn access_by(&self, _access: FileAccess) {}

    /// Claims a file against all other claims; reading and writing are not hindered. Where there are no other users, as
    /// in memory, a claim is always granted.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] when it is claimed already.
    fn claim(&self, _path: &Path) -> io::Result<Claim> {
        Ok(Claim::default())
    }
}

/// A read of an implementation of [`Device::submit_read`].
pub trait ReadInFlight: Send {
    /// True: [`wait`](Self::wait) would return at once.
    fn is_done(&mut self) -> bool;

    /// Blocks until the read is done.
    ///
    /// # Errors
    /// The read's own error.
    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>>;
}

/// A read that has been started. Dropping it waits for the read where that is needed to keep the memory safe.
pub struct PendingRead(Box<dyn ReadInFlight>);

impl PendingRead {
    /// Wraps an implementation's read.
    #[must_use]
    pub fn new(read: impl ReadInFlight + 'static) -> Self {
        Self(Box::new(read))
    }

    /// A read by the thread that waits for it, when it does.
    #[must_use]
    pub fn by_waiter(device: Arc<dyn Device>, offset: u64, buffers: Vec<AlignedBuffer>) -> Self {
        Self::new(ByWaiter { device, offset, buffers, result: None })
    }

    /// A completed read.
    #[must_use]
    pub fn ready(result: io::Result<Vec<AlignedBuffer>>) -> Self {
        Self::new(Ready(result))
    }

    /// True: [`wait`](Self::wait) would return at once.
    #[must_use]
    pub fn is_done(&mut self) -> bool {
        self.0.is_done()
    }

    /// Blocks until the read is done and gives the buffers back, full.
    ///
    /// # Errors
    /// The read's own error; the buffers are lost then.
    pub fn wait(self) -> io::Result<Vec<AlignedBuffer>> {
        self.0.wait()
    }
}

impl Debug for PendingRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PendingRead")
    }
}

struct ByWaiter {
    device: Arc<dyn Device>,
    offset: u64,
    buffers: Vec<AlignedBuffer>,
    result: Option<io::Result<()>>,
}

impl ByWaiter {
    fn read(&mut self) -> io::Result<()> {
        let mut parts: Vec<&mut [u8]> = self.buffers.iter_mut().map(|buffer| &mut **buffer).collect();
        self.device.read_at(self.offset, &mut parts)
    }
}

impl ReadInFlight for ByWaiter {
    fn is_done(&mut self) -> bool {
        if self.result.is_none() {
            self.result = Some(self.read());
        }
        true
    }

    fn wait(mut self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let result = self.result.take();
        result.unwrap_or_else(|| self.read())?;
        Ok(self.buffers)
    }
}

struct Ready(io::Result<Vec<AlignedBuffer>>);

impl ReadInFlight for Ready {
    fn is_done(&mut self) -> bool {
        true
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        self.0
    }
}
