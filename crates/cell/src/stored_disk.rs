//! A disk as its cell has it: the file itself, and what the cell's flash has of it.

use std::io;

use common::sync::Arc;
use device::{AlignedBuffer, Device, PendingRead, ReadInFlight};

use crate::flash_cache::{Fill, FlashCache};
use crate::flash_use::{FlashRules, FlashUse};

/// Longer reads of a segment that is not to be kept are not cached: they are those of scans.
const SMALL_READ: usize = 128 << 10;

/// The part of a cell's flash cache that is for a disk.
#[derive(Clone, Debug)]
pub(crate) struct Cached {
    pub(crate) cache: Arc<FlashCache>,
    /// The disk's number in the cache.
    pub(crate) disk: u32,
    pub(crate) rules: Arc<FlashRules>,
}

/// A disk of a cell. Reads that the flash cache can answer do not come to the file; writes go to both.
#[derive(Debug)]
pub(crate) struct StoredDisk {
    below: Arc<dyn Device>,
    cached: Option<Cached>,
}

fn length<'b>(buffers: impl IntoIterator<Item = &'b [u8]>) -> usize {
    buffers.into_iter().map(<[u8]>::len).sum()
}

impl Cached {
    /// What the cache does about bytes that were read or written: None, nothing; else whether they are to be kept.
    fn is_kept(&self, parts: &[&[u8]]) -> Option<bool> {
        let wanted = parts.first().map_or(FlashUse::Default, |first| self.rules.of_block(first));
        match wanted {
            FlashUse::Keep => Some(true),
            FlashUse::Default => (length(parts.iter().copied()) <= SMALL_READ).then_some(false),
            FlashUse::None => None,
        }
    }
}

impl StoredDisk {
    pub(crate) fn new(below: Arc<dyn Device>, cached: Option<Cached>) -> Self {
        Self { below, cached }
    }

    /// Starts a read of a scan. True: the flash cache answers it.
    ///
    /// # Errors
    /// As [`Device::submit_read`].
    pub(crate) fn submit_scan_read(
        &self,
        offset: u64,
        buffer: AlignedBuffer,
        wanted: FlashUse,
    ) -> io::Result<(PendingRead, bool)> {
        let Some(cached) = &self.cached else {
            return self.below.submit_read(offset, vec![buffer]).map(|read| (read, false));
        };
        let bytes = buffer.len() as u64;
        match cached.cache.submit_read((cached.disk, &self.below), offset, vec![buffer]) {
            Ok(read) => Ok((read, true)),
            Err(buffers) if wanted == FlashUse::Keep => {
                let fill = cached.cache.begin_fill(cached.disk, offset, bytes);
                let read = self.below.submit_read(offset, buffers)?;
                Ok((PendingRead::new(Filling { read, fill, cached: cached.clone() }), false))
            }
            Err(buffers) => self.below.submit_read(offset, buffers).map(|read| (read, false)),
        }
    }

    fn write(
        &self,
        offset: u64,
        buffers: &[&[u8]],
        write: impl FnOnce(&dyn Device) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(cached) = &self.cached else { return write(&*self.below) };
        let bytes = length(buffers.iter().copied()) as u64;
        let writing = cached.cache.begin_write(cached.disk, offset, bytes);
        write(&*self.below)?;
        if let Some(keep) = cached.is_kept(buffers) {
            writing.done(buffers, keep);
        }
        Ok(())
    }
}

impl Device for StoredDisk {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let Some(cached) = &self.cached else { return self.below.read_at(offset, buffers) };
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        // A buffer of the cache's own: it may have to be read from the disk again.
        if let Ok(read) =
            cached.cache.submit_read((cached.disk, &self.below), offset, vec![AlignedBuffer::zeroed(bytes)])
        {
            let mut at = 0;
            for part in read.wait()? {
                for buffer in &mut *buffers {
                    buffer.copy_from_slice(&part[at..at + buffer.len()]);
                    at += buffer.len();
                }
            }
            return Ok(());
        }
        let fill = cached.cache.begin_fill(cached.disk, offset, bytes as u64);
        self.below.read_at(offset, buffers)?;
        let parts: Vec<&[u8]> = buffers.iter().map(|buffer| &**buffer).collect();
        if let (Some(fill), Some(keep)) = (fill, cached.is_kept(&parts)) {
            fill.finish(&parts, keep);
        }
        Ok(())
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write(offset, buffers, |below| below.write_at(offset, buffers))
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write(offset, buffers, |below| below.write_durable(offset, buffers))
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let Some(cached) = &self.cached else { return self.below.submit_read(offset, buffers) };
        match cached.cache.submit_read((cached.disk, &self.below), offset, buffers) {
            Ok(read) => Ok(read),
            Err(buffers) => {
                let bytes = length(buffers.iter().map(|buffer| &**buffer)) as u64;
                let fill = cached.cache.begin_fill(cached.disk, offset, bytes);
                let read = self.below.submit_read(offset, buffers)?;
                Ok(PendingRead::new(Filling { read, fill, cached: cached.clone() }))
            }
        }
    }

    fn sync(&self) -> io::Result<()> {
        self.below.sync()
    }

    fn size(&self) -> io::Result<u64> {
        self.below.size()
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        if let Some(cached) = &self.cached {
            cached.cache.forget(cached.disk);
        }
        self.below.set_size(bytes)
    }

    fn direct(&self) -> bool {
        self.below.direct()
    }
}

/// A read of the file whose bytes may be cached when they are there.
struct Filling {
    read: PendingRead,
    fill: Option<Fill>,
    cached: Cached,
}

impl ReadInFlight for Filling {
    fn is_done(&mut self) -> bool {
        self.read.is_done()
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let Self { read, fill, cached } = *self;
        let buffers = read.wait()?;
        let parts: Vec<&[u8]> = buffers.iter().map(|buffer| &**buffer).collect();
        if let (Some(fill), Some(keep)) = (fill, cached.is_kept(&parts)) {
            fill.finish(&parts, keep);
        }
        Ok(buffers)
    }
}
