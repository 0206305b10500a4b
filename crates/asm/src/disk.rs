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

use crate::buffers::Buffer;
use crate::directory::DiskMode;
use crate::error;
use crate::lane::Started;
use crate::patient::{DiskDevice, Patient};

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
    /// The same device, where its requests are made by threads of its own.
    patient: Option<Arc<Patient>>,
    /// Bytes of the file or device, as they were found last.
    os_bytes: AtomicU64,
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
        device: DiskDevice,
        os_bytes: u64,
        claim: Arc<Claim>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        if let Some(patient) = &device.patient {
            patient.keep(&claim);
        }
        Self {
            number,
            name,
            path,
            device: device.device,
            patient: device.patient,
            os_bytes: AtomicU64::new(os_bytes),
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

    /// Bytes of the disk's file or device, as they were found last.
    pub(crate) fn os_bytes(&self) -> u64 {
        self.os_bytes.load(Ordering::Relaxed)
    }

    /// Bytes of the disk's file or device now.
    ///
    /// # Errors
    /// ORA-15080.
    pub(crate) fn measure(&self) -> common::Result<u64> {
        let bytes = self.device.size().map_err(|error| self.error("size", &error))?;
        self.os_bytes.store(bytes, Ordering::Relaxed);
        Ok(bytes)
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
        self.start_write(offset, buffers, &mut None, false).wait()
    }

    pub(crate) fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.start_write(offset, buffers, &mut None, true).wait().map(|_| ())
    }

    /// Starts a write, so that several disks write at the same time. `copied` has the bytes in memory of their own once
    /// a disk needs them there. Durable: these bytes alone, when the write has ended.
    pub(crate) fn start_write(
        &self,
        offset: u64,
        buffers: &[&[u8]],
        copied: &mut Option<Arc<Buffer>>,
        durable: bool,
    ) -> DiskWrite<'_> {
        let begun = self.clock.monotonic_us();
        let bytes = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        let request = match (self.check("write"), &self.patient) {
            (Err(error), _) => Request::Refused(error),
            (Ok(()), Some(patient)) => {
                let bytes = copied.get_or_insert_with(|| patient.gather(buffers));
                match patient.start_write(offset, Arc::clone(bytes), durable) {
                    Ok(started) => Request::Started(started),
                    Err(error) => Request::Ended(Err(error)),
                }
            }
            (Ok(()), None) if durable => Request::Ended(self.device.write_durable(offset, buffers)),
            (Ok(()), None) => Request::Ended(self.device.write_at(offset, buffers)),
        };
        DiskWrite { disk: self, request, begun, bytes, durable }
    }

    /// Makes the write of this number durable, and all before it.
    pub(crate) fn sync(&self, write: u64) -> io::Result<()> {
        self.start_sync(write).wait()
    }

    /// Starts a [`sync`](Self::sync), so that several disks sync at the same time.
    pub(crate) fn start_sync(&self, write: u64) -> DiskSync<'_> {
        let covered = self.written.load(Ordering::Acquire);
        let request = match (self.check("sync"), &self.patient) {
            (Err(error), _) => Request::Refused(error),
            _ if self.synced.load(Ordering::Acquire) >= write => {
                return DiskSync { disk: self, request: None, covered };
            }
            (Ok(()), Some(patient)) => match patient.start_sync() {
                Ok(started) => Request::Started(started),
                Err(error) => Request::Ended(Err(error)),
            },
            (Ok(()), None) => Request::Ended(self.device.sync()),
        };
        DiskSync { disk: self, request: Some(request), covered }
    }
}

/// A request to a disk that may be under way.
enum Request {
    /// Not made: an earlier one has failed.
    Refused(io::Error),
    Ended(io::Result<()>),
    Started(Started<()>),
}

/// A write that was started.
pub(crate) struct DiskWrite<'d> {
    disk: &'d Disk,
    request: Request,
    begun: u64,
    bytes: u64,
    durable: bool,
}

impl DiskWrite<'_> {
    /// The number of the write, for [`Disk::sync`].
    ///
    /// # Errors
    /// ORA-15080.
    pub(crate) fn wait(self) -> io::Result<u64> {
        let Self { disk, request, begun, bytes, durable } = self;
        let result = match request {
            Request::Refused(error) => return Err(error),
            Request::Ended(result) => result,
            Request::Started(started) => started.wait(),
        };
        add(&disk.counters.write_us, disk.clock.monotonic_us().saturating_sub(begun));
        add(&disk.counters.writes, 1);
        match result {
            Ok(()) => {
                add(&disk.counters.bytes_written, bytes);
                // A durable write needs no sync.
                Ok(if durable { 0 } else { disk.written.fetch_add(1, Ordering::AcqRel) + 1 })
            }
            Err(error) => {
                add(&disk.counters.write_errors, 1);
                if durable {
                    disk.failed.store(true, Ordering::Release);
                }
                Err(disk.named("write", error))
            }
        }
    }
}

/// A sync that was started.
pub(crate) struct DiskSync<'d> {
    disk: &'d Disk,
    /// None: an earlier sync has covered the write.
    request: Option<Request>,
    covered: u64,
}

impl DiskSync<'_> {
    /// # Errors
    /// ORA-15080; then the disk takes no more writes.
    pub(crate) fn wait(self) -> io::Result<()> {
        let Self { disk, request, covered } = self;
        let result = match request {
            None => return Ok(()),
            Some(Request::Refused(error)) => return Err(error),
            Some(Request::Ended(result)) => result,
            Some(Request::Started(started)) => started.wait(),
        };
        add(&disk.counters.syncs, 1);
        if let Err(error) = result {
            disk.failed.store(true, Ordering::Release);
            return Err(disk.named("sync", error));
        }
        disk.synced.fetch_max(covered, Ordering::AcqRel);
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
        let disk = Disk::new(
            0,
            "DATA_0000".into(),
            "d".into(),
            DiskDevice::plain(device),
            4096,
            Arc::default(),
            Arc::new(SystemClock::default()),
        );
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
