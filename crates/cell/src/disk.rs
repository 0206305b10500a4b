//! A disk of a cell in this process.

use std::io;

use common::sync::Arc;
use device::{AlignedBuffer, CellDisk, Device, PendingRead};

use crate::block_message::BlockRequest;
use crate::hash;
use crate::storage_index::StorageIndex;
use crate::stored_disk::StoredDisk;
use crate::traffic::Traffic;

/// A disk whose requests are counted as the messages that they would be for a cell elsewhere.
#[derive(Debug)]
pub(crate) struct LocalDisk {
    name: String,
    place: CellDisk,
    below: Arc<StoredDisk>,
    index: Arc<StorageIndex>,
    traffic: Arc<Traffic>,
}

fn length(buffers: impl Iterator<Item = usize>) -> u64 {
    buffers.sum::<usize>() as u64
}

impl LocalDisk {
    pub(crate) fn new(
        cell: &str,
        name: &str,
        below: Arc<StoredDisk>,
        index: Arc<StorageIndex>,
        traffic: Arc<Traffic>,
    ) -> Self {
        let place = CellDisk { cell: hash(cell), disk: hash(name) };
        Self { name: name.to_owned(), place, below, index, traffic }
    }

    fn counted<T>(&self, request: BlockRequest, done: io::Result<T>) -> io::Result<T> {
        if done.is_ok() {
            self.traffic.block_request(request, &self.name);
        }
        done
    }
}

impl Device for LocalDisk {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let request = BlockRequest::Read { offset, bytes: length(buffers.iter().map(|buffer| buffer.len())) };
        self.counted(request, self.below.read_at(offset, buffers))
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        let bytes = length(buffers.iter().map(|buffer| buffer.len()));
        let _forgetting = self.index.write(offset, bytes);
        self.counted(BlockRequest::Write { offset, bytes, durable: false }, self.below.write_at(offset, buffers))
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        let bytes = length(buffers.iter().map(|buffer| buffer.len()));
        let _forgetting = self.index.write(offset, bytes);
        self.counted(BlockRequest::Write { offset, bytes, durable: true }, self.below.write_durable(offset, buffers))
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let request = BlockRequest::Read { offset, bytes: length(buffers.iter().map(|buffer| buffer.len())) };
        self.counted(request, self.below.submit_read(offset, buffers))
    }

    fn sync(&self) -> io::Result<()> {
        self.counted(BlockRequest::Sync, self.below.sync())
    }

    fn size(&self) -> io::Result<u64> {
        self.counted(BlockRequest::Size, self.below.size())
    }

    /// Grid disks are cut out of devices before; nothing makes them longer.
    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.index.clear();
        self.below.set_size(bytes)
    }

    fn direct(&self) -> bool {
        self.below.direct()
    }

    fn cell_disk(&self, _offset: u64) -> Option<CellDisk> {
        Some(self.place)
    }
}
