//! A disk's device that gives up requests which do not end.

use std::io;

use common::sync::Arc;
use device::{AlignedBuffer, CellDisk, Claim, Device, PendingRead, ReadInFlight};

use crate::buffers::Buffer;
use crate::lane::{Lane, Started};

/// A device whose requests are made by the threads of its lane. They work on copies of the callers' memory, which a
/// request that was given up may still use.
#[derive(Debug)]
pub(crate) struct Patient {
    inner: Arc<dyn Device>,
    lane: Arc<Lane>,
}

impl Patient {
    pub(crate) fn new(inner: Arc<dyn Device>, lane: Arc<Lane>) -> Self {
        Self { inner, lane }
    }

    fn start<T: Send + 'static>(
        &self,
        request: impl FnOnce(&dyn Device) -> io::Result<T> + Send + 'static,
    ) -> io::Result<Started<T>> {
        // The lane is there until the request has ended: an open of the disk finds the request that was given up.
        let (inner, lane) = (Arc::clone(&self.inner), Arc::clone(&self.lane));
        self.lane.start(move || {
            let done = request(&*inner);
            drop(lane);
            done
        })
    }

    /// Has the lane keep the right to use the disk.
    pub(crate) fn keep(&self, claim: &Arc<Claim>) {
        self.lane.keep(claim);
    }

    /// One buffer with the content of several, for writes.
    pub(crate) fn gather(&self, buffers: &[&[u8]]) -> Arc<Buffer> {
        Arc::new(self.lane.buffers().gather(buffers))
    }

    /// Starts a write; durable: of these bytes, when it has ended.
    pub(crate) fn start_write(&self, offset: u64, bytes: Arc<Buffer>, durable: bool) -> io::Result<Started<()>> {
        self.start(move |device| {
            let write = if durable { Device::write_durable } else { Device::write_at };
            write(device, offset, &[&bytes])
        })
    }

    pub(crate) fn start_sync(&self) -> io::Result<Started<()>> {
        self.start(|device| device.sync())
    }

    fn start_read(&self, offset: u64, mut buffers: Vec<AlignedBuffer>) -> io::Result<Started<Vec<AlignedBuffer>>> {
        self.start(move |device| {
            let mut parts: Vec<&mut [u8]> = buffers.iter_mut().map(|buffer| &mut **buffer).collect();
            device.read_at(offset, &mut parts)?;
            Ok(buffers)
        })
    }
}

impl Device for Patient {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let mut read = self.lane.buffers().take(buffers.iter().map(|buffer| buffer.len()).sum());
        let started = self.start(move |device| device.read_at(offset, &mut [&mut read]).map(|()| read))?;
        let read = started.wait()?;
        let mut at = 0;
        for buffer in buffers {
            let end = at + buffer.len();
            buffer.copy_from_slice(&read[at..end]);
            at = end;
        }
        Ok(())
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.start_write(offset, self.gather(buffers), false)?.wait()
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.start_write(offset, self.gather(buffers), true)?.wait()
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        Ok(PendingRead::new(LaneRead(self.start_read(offset, buffers)?)))
    }

    fn sync(&self) -> io::Result<()> {
        self.start_sync()?.wait()
    }

    fn size(&self) -> io::Result<u64> {
        self.start(|device| device.size())?.wait()
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.start(move |device| device.set_size(bytes))?.wait()
    }

    fn direct(&self) -> bool {
        self.inner.direct()
    }

    fn cell_disk(&self, offset: u64) -> Option<CellDisk> {
        self.inner.cell_disk(offset)
    }
}

struct LaneRead(Started<Vec<AlignedBuffer>>);

impl ReadInFlight for LaneRead {
    fn is_done(&mut self) -> bool {
        self.0.is_done()
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        self.0.wait()
    }
}

/// The device of a disk, as its group uses it.
#[derive(Clone, Debug)]
pub(crate) struct DiskDevice {
    pub(crate) device: Arc<dyn Device>,
    /// The same, where requests are given up.
    pub(crate) patient: Option<Arc<Patient>>,
}

impl DiskDevice {
    /// Without a time-out.
    pub(crate) fn plain(device: Arc<dyn Device>) -> Self {
        Self { device, patient: None }
    }

    pub(crate) fn patient(device: Arc<dyn Device>, lane: Arc<Lane>) -> Self {
        let patient = Arc::new(Patient::new(device, lane));
        Self { device: Arc::<Patient>::clone(&patient), patient: Some(patient) }
    }

    /// A disk of a group without redundancy is waited for without end: there is nothing to go on with.
    pub(crate) fn of_group(self, mirrored: bool) -> Self {
        match self.patient {
            Some(patient) if !mirrored => Self::plain(Arc::clone(&patient.inner)),
            patient => Self { device: self.device, patient },
        }
    }
}
