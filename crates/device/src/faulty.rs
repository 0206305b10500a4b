//! A file system that fails on request.
//!
//! It counts reads, writes, syncs and changes of size of all its files, and applies faults set for the nth of them from
//! now on, each once, or for all from the nth on. Writing, syncing and renaming a whole file counts as one write and
//! one sync. A file as a whole can be lost, have ranges that cannot be read until they are written again, or hang.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use common::sync::{Arc, Condvar, Mutex};

use crate::buffer::AlignedBuffer;
use crate::device::{Device, FileAccess, FileIdentity, FileSystem, PendingRead};
use crate::lock::Claim;

/// Kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Nothing is read.
    Read,
    /// Nothing is written.
    Write,
    /// Only so many bytes of the write arrive, and it fails.
    TornWrite { bytes: usize },
    /// Nothing is written, and the write does not fail.
    LostWrite,
    /// Nothing is made durable.
    Sync,
    /// A file is not made, or not extended: there is no space.
    Growth,
    /// A file is not made shorter.
    Cut,
    /// A file is not removed.
    Remove,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum IoKind {
    Read = 0,
    Write = 1,
    Sync = 2,
    Growth = 3,
    Cut = 4,
    Remove = 5,
}

impl Fault {
    fn kind(self) -> IoKind {
        match self {
            Self::Read => IoKind::Read,
            Self::Write | Self::TornWrite { .. } | Self::LostWrite => IoKind::Write,
            Self::Sync => IoKind::Sync,
            Self::Growth => IoKind::Growth,
            Self::Cut => IoKind::Cut,
            Self::Remove => IoKind::Remove,
        }
    }
}

/// Faults to come, and counters of operations.
#[derive(Default, Debug)]
struct FaultPlan {
    counts: [u64; 6],
    /// Count of the operation, and fault.
    faults: Vec<(u64, Fault)>,
    /// Count of the first operation, and fault.
    lasting: Vec<(u64, Fault)>,
    /// Files of which no request succeeds.
    lost: Vec<PathBuf>,
    /// Ranges of files that cannot be read.
    unreadable: Vec<(PathBuf, Range<u64>)>,
    /// Files whose requests do not end.
    hung: Vec<PathBuf>,
}

/// Counts one operation and returns its fault.
fn next(plan: &Mutex<FaultPlan>, kind: IoKind) -> Option<Fault> {
    let mut plan = plan.lock();
    plan.counts[kind as usize] += 1;
    let count = plan.counts[kind as usize];
    let lasting = plan.lasting.iter().find(|(from, fault)| fault.kind() == kind && *from <= count);
    if let Some((_, fault)) = lasting {
        return Some(*fault);
    }
    let position = plan.faults.iter().position(|(at, fault)| fault.kind() == kind && *at == count)?;
    Some(plan.faults.swap_remove(position).1)
}

fn failure(what: &str) -> io::Error {
    io::Error::other(format!("{what} failed on purpose"))
}

/// Another file system's files, with faults.
#[derive(Debug)]
pub struct FaultyFileSystem {
    inner: Arc<dyn FileSystem>,
    plan: Arc<Mutex<FaultPlan>>,
    /// Signalled when files hang no more.
    released: Arc<Condvar>,
}

impl FaultyFileSystem {
    /// The same as `inner` as long as no faults are set.
    #[must_use]
    pub fn new(inner: Arc<dyn FileSystem>) -> Self {
        Self { inner, plan: Arc::default(), released: Arc::default() }
    }

    /// Sets a fault for the `nth` operation of its kind from now on; 1 is the next.
    pub fn fail(&self, nth: u64, fault: Fault) {
        let mut plan = self.plan.lock();
        let at = plan.counts[fault.kind() as usize] + nth;
        plan.faults.push((at, fault));
    }

    /// Sets a fault for the `nth` operation of its kind from now on, and for all later ones.
    pub fn fail_from(&self, nth: u64, fault: Fault) {
        let mut plan = self.plan.lock();
        let from = plan.counts[fault.kind() as usize] + nth;
        plan.lasting.push((from, fault));
    }

    /// Forgets all faults that are set, of files as of operations.
    pub fn heal(&self) {
        let mut plan = self.plan.lock();
        plan.faults.clear();
        plan.lasting.clear();
        plan.lost.clear();
        plan.unreadable.clear();
        plan.hung.clear();
        drop(plan);
        self.released.notify_all();
    }

    /// Lets every request to a file fail, and its open.
    pub fn lose(&self, path: &Path) {
        self.plan.lock().lost.push(path.to_owned());
    }

    /// Lets reads of this range of a file fail until it is written, as of bad sectors.
    pub fn make_unreadable(&self, path: &Path, range: Range<u64>) {
        self.plan.lock().unreadable.push((path.to_owned(), range));
    }

    /// Lets requests that hang go on, to whatever else was planned.
    pub fn release(&self, path: &Path) {
        self.plan.lock().hung.retain(|hung| hung != path);
        self.released.notify_all();
    }

    /// Lets requests to a file hang until [`heal`](Self::heal) or [`release`](Self::release).
    pub fn hang(&self, path: &Path) {
        self.plan.lock().hung.push(path.to_owned());
    }

    /// Reads so far.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.plan.lock().counts[IoKind::Read as usize]
    }

    /// Writes so far.
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.plan.lock().counts[IoKind::Write as usize]
    }

    /// Syncs so far.
    #[must_use]
    pub fn syncs(&self) -> u64 {
        self.plan.lock().counts[IoKind::Sync as usize]
    }

    /// Inverts the bits of one byte of a file, like bit rot.
    ///
    /// # Errors
    /// When there is no such byte.
    pub fn flip(&self, path: &Path, offset: u64) -> io::Result<()> {
        let device = self.inner.open(path)?;
        let mut byte = [0];
        device.read_at(offset, &mut [&mut byte])?;
        device.write_at(offset, &[&[!byte[0]]])
    }

    fn wrap(&self, inner: Arc<dyn Device>, path: &Path) -> Arc<dyn Device> {
        let (plan, released) = (Arc::clone(&self.plan), Arc::clone(&self.released));
        Arc::new(FaultyDevice { inner, path: path.to_owned(), plan, released })
    }
}

impl FileSystem for FaultyFileSystem {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        if next(&self.plan, IoKind::Growth).is_some() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(self.wrap(self.inner.create(path, bytes)?, path))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        if self.plan.lock().lost.iter().any(|lost| lost == path) {
            return Err(failure(&format!("open of {}", path.display())));
        }
        Ok(self.wrap(self.inner.open(path)?, path))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match next(&self.plan, IoKind::Remove) {
            Some(_) => Err(failure("removal")),
            None => self.inner.remove(path),
        }
    }

    fn access_by(&self, access: FileAccess) {
        self.inner.access_by(access);
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.inner.exists(path)
    }

    fn identity(&self, path: &Path) -> io::Result<Option<FileIdentity>> {
        self.inner.identity(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.inner.create_directory(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        match next(&self.plan, IoKind::Sync) {
            Some(_) => Err(failure("sync")),
            None => self.inner.sync_directory(path),
        }
    }

    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let written = next(&self.plan, IoKind::Write);
        let synced = next(&self.plan, IoKind::Sync);
        match (written, synced) {
            (Some(Fault::LostWrite), None) => Ok(()),
            // The rename is the last step: without a complete file before it, the old content stays.
            (Some(_), _) => Err(failure("write")),
            (None, Some(_)) => Err(failure("sync")),
            (None, None) => self.inner.write_whole(path, bytes),
        }
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        match next(&self.plan, IoKind::Read) {
            Some(_) => Err(failure("read")),
            None => self.inner.read_whole(path),
        }
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.inner.list(directory)
    }

    fn directories(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.inner.directories(directory)
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        self.inner.claim(path)
    }
}

#[derive(Debug)]
struct FaultyDevice {
    inner: Arc<dyn Device>,
    path: PathBuf,
    plan: Arc<Mutex<FaultPlan>>,
    released: Arc<Condvar>,
}

impl FaultyDevice {
    /// The fault of a request; waits while the file hangs.
    fn next(&self, kind: IoKind) -> Option<Fault> {
        let mut plan = self.plan.lock();
        while plan.hung.contains(&self.path) {
            self.released.wait(&mut plan);
        }
        let lost = plan.lost.contains(&self.path);
        drop(plan);
        let lost = lost.then_some(match kind {
            IoKind::Read => Fault::Read,
            IoKind::Sync => Fault::Sync,
            _ => Fault::Write,
        });
        lost.or_else(|| next(&self.plan, kind))
    }

    fn next_read(&self, offset: u64, bytes: usize) -> Option<Fault> {
        let end = offset + bytes as u64;
        let hit = |(path, range): &(PathBuf, Range<u64>)| *path == self.path && range.start < end && offset < range.end;
        let unreadable = self.plan.lock().unreadable.iter().any(hit);
        self.next(IoKind::Read).or(unreadable.then_some(Fault::Read))
    }

    /// Ranges that are written whole can be read again.
    fn written(&self, offset: u64, bytes: usize) {
        let end = offset + bytes as u64;
        let whole =
            |(path, range): &(PathBuf, Range<u64>)| *path == self.path && offset <= range.start && range.end <= end;
        self.plan.lock().unreadable.retain(|one| !whole(one));
    }

    fn failure(&self, what: &str) -> io::Error {
        failure(&format!("{what} of {}", self.path.display()))
    }
}

impl Device for FaultyDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        match self.next_read(offset, buffers.iter().map(|buffer| buffer.len()).sum()) {
            Some(_) => Err(self.failure("read")),
            None => self.inner.read_at(offset, buffers),
        }
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        match self.next(IoKind::Write) {
            Some(Fault::TornWrite { bytes }) => {
                let all = buffers.concat();
                self.inner.write_at(offset, &[&all[..bytes.min(all.len())]])?;
                Err(self.failure("write"))
            }
            Some(Fault::LostWrite) => Ok(()),
            Some(_) => Err(self.failure("write")),
            None => {
                self.inner.write_at(offset, buffers)?;
                self.written(offset, buffers.iter().map(|buffer| buffer.len()).sum());
                Ok(())
            }
        }
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        match self.next_read(offset, buffers.iter().map(|buffer| buffer.len()).sum()) {
            Some(_) => Ok(PendingRead::ready(Err(self.failure("read")))),
            None => self.inner.submit_read(offset, buffers),
        }
    }

    fn sync(&self) -> io::Result<()> {
        match self.next(IoKind::Sync) {
            Some(_) => Err(self.failure("sync")),
            None => self.inner.sync(),
        }
    }

    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        if bytes > self.inner.size()? && next(&self.plan, IoKind::Growth).is_some() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if bytes < self.inner.size()? && next(&self.plan, IoKind::Cut).is_some() {
            return Err(self.failure("cut"));
        }
        self.inner.set_size(bytes)
    }

    fn direct(&self) -> bool {
        self.inner.direct()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryFileSystem;

    #[test]
    fn each_fault_happens_once_at_its_operation() {
        let files = FaultyFileSystem::new(Arc::new(MemoryFileSystem::new()));
        let path = Path::new("f");
        let device = files.create(path, 8).unwrap();
        files.fail(2, Fault::Write);
        files.fail(3, Fault::TornWrite { bytes: 3 });
        files.fail(4, Fault::LostWrite);
        files.fail(1, Fault::Sync);
        files.fail(2, Fault::Read);
        device.write_at(0, &[b"11111111"]).unwrap();
        device.write_at(0, &[b"22222222"]).unwrap_err();
        device.write_at(0, &[b"33", b"333333"]).unwrap_err();
        device.write_at(0, &[b"44444444"]).unwrap();
        device.sync().unwrap_err();
        device.sync().unwrap();
        assert_eq!(files.read_whole(path).unwrap(), b"33311111");
        files.read_whole(path).unwrap_err();
        files.flip(path, 0).unwrap();
        assert_eq!(files.read_whole(path).unwrap()[0], !b'3');
        assert_eq!((files.writes(), files.syncs(), files.reads()), (4, 2, 3));
    }

    #[test]
    fn a_file_is_lost_or_has_bad_ranges_until_they_are_written() {
        let files = FaultyFileSystem::new(Arc::new(MemoryFileSystem::new()));
        let (one, other) = (files.create(Path::new("1"), 100).unwrap(), files.create(Path::new("2"), 100).unwrap());
        files.make_unreadable(Path::new("1"), 10..20);
        one.read_at(0, &mut [&mut [0; 10]]).unwrap();
        one.read_at(0, &mut [&mut [0; 11]]).unwrap_err();
        one.write_at(15, &[&[1; 50]]).unwrap();
        one.read_at(19, &mut [&mut [0; 5]]).unwrap_err();
        one.write_at(5, &[&[1; 50]]).unwrap();
        one.read_at(0, &mut [&mut [0; 100]]).unwrap();
        files.lose(Path::new("1"));
        other.write_at(0, &[b"x"]).unwrap();
        one.write_at(0, &[b"x"]).unwrap_err();
        one.read_at(0, &mut [&mut [0]]).unwrap_err();
        one.sync().unwrap_err();
        files.open(Path::new("1")).unwrap_err();
        files.heal();
        one.sync().unwrap();
    }

    #[test]
    fn a_failed_growth_changes_nothing() {
        let files = FaultyFileSystem::new(Arc::new(MemoryFileSystem::new()));
        files.fail(1, Fault::Growth);
        files.fail(3, Fault::Growth);
        assert_eq!(files.create(Path::new("f"), 8).unwrap_err().kind(), io::ErrorKind::StorageFull);
        let device = files.create(Path::new("f"), 8).unwrap();
        assert_eq!(device.set_size(16).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(device.size().unwrap(), 8);
        device.set_size(4).unwrap();
    }
}
