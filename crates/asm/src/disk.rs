//! One disk of a mounted group: its device, its counters, and the state of its syncs.
//!
//! Several files share a disk, and a failed sync is reported once. So the disk remembers it: from then on every write
//! and sync of the disk fails, for all files, until the group is mounted again.
//!
//! A sync makes the writes of all files durable. Writes are numbered; a sync that another file's sync has covered costs
//! nothing.

use std::io;
use std::path::PathBuf;

use common::Clock;
use common::sync::Arc;
use common::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use device::{AlignedBuffer, Claim, Device, PendingRead, ReadInFlight};

use crate::directory::DiskMode;
use crate::error;

/// I/O counters of a disk since its mount.
#[derive(Default, Debug)]
pub(crate) struct Counters {
    pub(crate) reads: AtomicU64,
    pub(crate) writes: AtomicU64,
    pub(crate) read_errors: AtomicU64,
    pub(crate) write_errors: AtomicU64,
    pub(crate) bytes_read: AtomicU64,
    pub(crate) bytes_written: AtomicU64,
    pub(crate) read_us: AtomicU64,
    pub(crate) write_us: AtomicU64,
    pub(crate) syncs: AtomicU64,
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

#[derive(Debug)]
pub(crate) struct Disk {
    pub(crate) number: u16,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) device: Arc<dyn Device>,
    pub(crate) counters: Counters,
    clock: Arc<dyn Clock>,
    /// Writes that have returned, plus one: writes of a killed process may not be durable, and count as the first.
    written: AtomicU64,
    /// Number of these known to be durable.
    synced: AtomicU64,
    failed: AtomicBool,
    /// As in the metadata, for requests, which do not take the group's lock.
    mode: AtomicU8,
    claim: Arc<Claim>,
}

impl Disk {
    /// A disk that is online.
    pub(crate) fn new(
        number: u16,
        name: String,
        path: PathBuf,
        device: Arc<dyn Device>,
        claim: Arc<Claim>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            number,
            name,
            path,
            device,
            counters: Counters::default(),
            clock,
            written: AtomicU64::new(1),
            synced: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            mode: AtomicU8::new(DiskMode::Online as u8),
            claim,
        }
    }

    /// The same disk, open again: its writes are numbered on from those of the earlier one.
    pub(crate) fn following(self, earlier: Option<&Arc<Self>>) -> Self {
        if let Some(earlier) = earlier {
            self.written.store(earlier.written() + 1, Ordering::Release);
        }
        self
    }

    /// The right to use the path, shared with the same disk when it is opened again.
    pub(crate) fn claim(&self) -> Arc<Claim> {
        Arc::clone(&self.claim)
    }

    pub(crate) fn mode(&self) -> DiskMode {
        DiskMode::from_code(self.mode.load(Ordering::Acquire)).unwrap_or(DiskMode::Offline)
    }

    pub(crate) fn set_mode(&self, mode: DiskMode) {
        self.mode.store(mode as u8, Ordering::Release);
    }

    /// An error of the disk's device, with the disk in it.
    pub(crate) fn error(&self, what: &str, error: &io::Error) -> common::Error {
        error::io(&self.name, &self.path, what, error)
    }

    fn named(&self, what: &str, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), self.error(what, &error))
    }

    /// The number of the last write that has returned.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    /// True: a sync or a durable write has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    fn check(&self, what: &str) -> io::Result<()> {
        if self.has_failed() {
            let error = io::Error::other("an earlier write was not made durable; mount the group again");
            return Err(self.named(what, error));
        }
        Ok(())
    }

    pub(crate) fn read(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let bytes = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        let begun = self.clock.monotonic_us();
        let result = self.device.read_at(offset, buffers);
        self.count_read(begun, bytes, result.is_ok());
        result.map_err(|error| self.named("read", error))
    }

    fn count_read(&self, begun: u64, bytes: u64, good: bool) {
        add(&self.counters.read_us, self.clock.monotonic_us().saturating_sub(begun));
        add(&self.counters.reads, 1);
        if good {
            add(&self.counters.bytes_read, bytes);
        } else {
            add(&self.counters.read_errors, 1);
        }
    }

    /// Starts a read; its time counts from here to the wait for it.
    pub(crate) fn submit_read(self: &Arc<Self>, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let bytes = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        let begun = self.clock.monotonic_us();
        match self.device.submit_read(offset, buffers) {
            Ok(read) => Ok(PendingRead::new(Counted { read, disk: Arc::clone(self), begun, bytes })),
            Err(error) => {
                self.count_read(begun, bytes, false);
                Err(self.named("read", error))
            }
        }
    }

    /// Writes, and returns the number for [`sync`](Self::sync).
    pub(crate) fn write(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<u64> {
        self.check("write")?;
        self.write_by(buffers, |device| device.write_at(offset, buffers))?;
        Ok(self.written.fetch_add(1, Ordering::AcqRel) + 1)
    }

    pub(crate) fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.check("write")?;
        let result = self.write_by(buffers, |device| device.write_durable(offset, buffers));
        if result.is_err() {
            self.failed.store(true, Ordering::Release);
        }
        result
    }

    fn write_by(&self, buffers: &[&[u8]], write: impl FnOnce(&dyn Device) -> io::Result<()>) -> io::Result<()> {
        let begun = self.clock.monotonic_us();
        let result = write(&*self.device);
        add(&self.counters.write_us, self.clock.monotonic_us().saturating_sub(begun));
        add(&self.counters.writes, 1);
        match result {
            Ok(()) => {
                add(&self.counters.bytes_written, buffers.iter().map(|buffer| buffer.len() as u64).sum());
                Ok(())
            }
            Err(error) => {
                add(&self.counters.write_errors, 1);
                Err(self.named("write", error))
            }
        }
    }

    /// Makes the write of this number durable, and all before it.
    pub(crate) fn sync(&self, write: u64) -> io::Result<()> {
        self.check("sync")?;
        if self.synced.load(Ordering::Acquire) >= write {
            return Ok(());
        }
        let covered = self.written.load(Ordering::Acquire);
        add(&self.counters.syncs, 1);
        if let Err(error) = self.device.sync() {
            self.failed.store(true, Ordering::Release);
            return Err(self.named("sync", error));
        }
        self.synced.fetch_max(covered, Ordering::AcqRel);
        Ok(())
    }
}

/// A read in flight that is counted when it is done.
struct Counted {
    read: PendingRead,
    disk: Arc<Disk>,
    begun: u64,
    bytes: u64,
}

impl ReadInFlight for Counted {
    fn is_done(&mut self) -> bool {
        self.read.is_done()
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let Self { read, disk, begun, bytes } = *self;
        let result = read.wait();
        disk.count_read(begun, bytes, result.is_ok());
        result.map_err(|error| disk.named("read", error))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use common::SystemClock;
    use device::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};

    use super::*;

    fn disk() -> (FaultyFileSystem, Disk) {
        let files = FaultyFileSystem::new(Arc::new(MemoryFileSystem::new()));
        let device = files.create(Path::new("d"), 4096).unwrap();
        let disk =
            Disk::new(0, "DATA_0000".into(), "d".into(), device, Arc::default(), Arc::new(SystemClock::default()));
        (files, disk)
    }

    #[test]
    fn a_sync_covers_what_was_written_before_it_by_whomever() {
        let (files, disk) = disk();
        let first = disk.write(0, &[b"1"]).unwrap();
        let second = disk.write(1, &[b"2"]).unwrap();
        disk.sync(first).unwrap();
        disk.sync(second).unwrap();
        disk.sync(0).unwrap();
        assert_eq!(files.syncs(), 1);
        disk.sync(disk.write(2, &[b"3"]).unwrap()).unwrap();
        assert_eq!(files.syncs(), 2);
    }

    #[test]
    fn the_first_sync_covers_writes_before_the_mount() {
        let (files, disk) = disk();
        disk.sync(disk.written()).unwrap();
        disk.sync(disk.written()).unwrap();
        assert_eq!(files.syncs(), 1);
    }

    #[test]
    fn after_a_failed_sync_the_disk_takes_no_writes_and_no_syncs() {
        let (files, disk) = disk();
        files.fail(1, Fault::Sync);
        let write = disk.write(0, &[b"1"]).unwrap();
        let error = disk.sync(write).unwrap_err();
        assert!(error.to_string().starts_with("ORA-15080: sync of disk \"DATA_0000\" (d) failed"), "{error}");
        disk.sync(write).unwrap_err();
        disk.sync(0).unwrap_err();
        disk.write(0, &[b"1"]).unwrap_err();
        disk.read(0, &mut [&mut [0]]).unwrap();
        assert_eq!(disk.counters.writes.load(Ordering::Relaxed), 1);
    }
}
