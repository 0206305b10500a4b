//! An operating system file behind [`Device`].
//!
//! Each file is open twice where direct I/O works: once direct, once through the page cache. The request alone decides
//! which one serves it:
//!
//! | offset and total length | memory and each length | goes |
//! | --- | --- | --- |
//! | multiples of the sector | multiples of the sector | direct, no copy |
//! | multiples of the sector | any | direct, through one aligned buffer |
//! | any other | any | page cache |
//!
//! The kernel keeps the two views of a file coherent for requests that do not overlap in time. Two that overlap in time
//! and in range are the caller's bug with one descriptor as well. When the kernel refuses a direct request (EINVAL),
//! the file goes on through the page cache for good.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, IoSliceMut, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use common::sync::Arc;
use common::sync::atomic::{AtomicBool, Ordering};
use rustix::fs::{AtFlags, FallocateFlags, OFlags, StatxFlags};
use rustix::io::Errno;

use super::pool::ReadPool;
use super::ring::Rings;
use super::vectored;
use crate::buffer::AlignedBuffer;
use crate::device::{Device, PendingRead};

/// Zeros are written in pieces of this size where the file system cannot allocate by itself.
const ZERO_FILL_BYTES: usize = 1 << 20;
/// Bytes allocated in one call, however often signals come.
const PIECE_BYTES_LEAST: u64 = 64 << 10;

/// The file's second, direct descriptor.
#[derive(Debug)]
struct Direct {
    file: File,
    /// Offsets, lengths and addresses must be multiples of this.
    sector: usize,
    /// The kernel has refused a direct request.
    refused: AtomicBool,
}

/// Which of a file's two descriptors a request uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Chosen {
    Direct,
    Buffered,
}

impl Chosen {
    pub(super) fn file(self, file: &OsFile) -> &File {
        match (self, &file.direct) {
            (Self::Direct, Some(direct)) => &direct.file,
            _ => &file.buffered,
        }
    }
}

/// [`vectored::write`] or [`vectored::write_durable`].
type WriteCall = fn(&File, u64, &mut [IoSlice<'_>], usize) -> Result<usize, Errno>;

/// An open file.
#[derive(Debug)]
pub(super) struct OsFile {
    buffered: File,
    direct: Option<Direct>,
}

impl OsFile {
    /// Wraps `buffered`, and opens `path` a second time for direct I/O unless it is refused or needs sectors larger
    /// than `sector_max`.
    pub(super) fn new(buffered: File, path: &Path, sector_max: Option<usize>) -> io::Result<Self> {
        let direct = match sector_max {
            Some(sector_max) => open_direct(path, sector_max)?,
            None => None,
        };
        Ok(Self { buffered, direct })
    }

    /// The descriptor with which a read into these buffers needs no copy.
    pub(super) fn choose(&self, offset: u64, buffers: &[AlignedBuffer]) -> Chosen {
        let bytes = buffers.iter().map(|b| b.len()).sum();
        match self.direct_for(offset, bytes) {
            Some(direct) if buffers.iter().all(|b| is_aligned(b, direct.sector)) => Chosen::Direct,
            _ => Chosen::Buffered,
        }
    }

    /// Completes a read through `chosen` that moved `done` bytes, or failed.
    pub(super) fn complete_read(
        &self,
        chosen: Chosen,
        offset: u64,
        buffers: &mut [AlignedBuffer],
        done: Result<usize, Errno>,
    ) -> io::Result<()> {
        let done = match done {
            Ok(done) => done,
            Err(Errno::INVAL) if chosen == Chosen::Direct => {
                self.refuse_direct();
                0
            }
            Err(Errno::INTR | Errno::AGAIN) => 0,
            Err(errno) => return Err(errno.into()),
        };
        let mut parts: Vec<&mut [u8]> = buffers.iter_mut().map(|b| &mut **b).collect();
        self.read_rest(offset, &mut parts, done)
    }

    fn refuse_direct(&self) {
        if let Some(direct) = &self.direct {
            direct.refused.store(true, Ordering::Relaxed);
        }
    }

    /// Reads the rest after the first `done` bytes, through the page cache.
    fn read_rest(&self, offset: u64, buffers: &mut [&mut [u8]], mut done: usize) -> io::Result<()> {
        let wanted = buffers.iter().map(|b| b.len()).sum();
        if done < wanted {
            done += vectored::read(&self.buffered, offset + done as u64, &mut slices_mut(buffers, done), 1)?;
        }
        if done < wanted { Err(vectored::unexpected_end(offset, wanted, done)) } else { Ok(()) }
    }

    /// The direct descriptor, when a request at `offset` for `bytes` in all may use it.
    fn direct_for(&self, offset: u64, bytes: usize) -> Option<&Direct> {
        self.direct.as_ref().filter(|direct| {
            offset.is_multiple_of(direct.sector as u64)
                && bytes.is_multiple_of(direct.sector)
                && !direct.refused.load(Ordering::Relaxed)
        })
    }

    pub(super) fn read(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let wanted = buffers.iter().map(|b| b.len()).sum();
        let mut done = 0;
        if let Some(direct) = self.direct_for(offset, wanted) {
            let aligned = buffers.iter().all(|b| is_aligned(b, direct.sector));
            let result = if aligned {
                vectored::read(&direct.file, offset, &mut slices_mut(buffers, 0), direct.sector)
            } else {
                read_bounced(direct, offset, buffers, wanted)
            };
            match result {
                Ok(bytes) => done = bytes,
                Err(Errno::INVAL) => self.refuse_direct(),
                Err(errno) => return Err(errno.into()),
            }
        }
        self.read_rest(offset, buffers, done)
    }

    fn write(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write_by(vectored::write, offset, buffers)
    }

    /// Writes and syncs; in one call where the operating system can.
    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        match self.write_by(vectored::write_durable, offset, buffers) {
            Err(error)
                if [Errno::OPNOTSUPP, Errno::NOSYS].iter().any(|e| error.raw_os_error() == Some(e.raw_os_error())) =>
            {
                self.write(offset, buffers)?;
                self.buffered.sync_data()
            }
            other => other,
        }
    }

    fn write_by(&self, write: WriteCall, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        let wanted = buffers.iter().map(|b| b.len()).sum();
        let mut done = 0;
        if let Some(direct) = self.direct_for(offset, wanted) {
            let aligned = buffers.iter().all(|b| is_aligned(b, direct.sector));
            let result = if aligned {
                write(&direct.file, offset, &mut slices(buffers, 0), direct.sector)
            } else {
                let mut bounce = AlignedBuffer::zeroed(wanted);
                let mut rest = &mut *bounce;
                for buffer in buffers {
                    let (part, after) = rest.split_at_mut(buffer.len());
                    part.copy_from_slice(buffer);
                    rest = after;
                }
                write(&direct.file, offset, &mut [IoSlice::new(&bounce)], direct.sector)
            };
            match result {
                Ok(bytes) => done = bytes,
                Err(Errno::INVAL) => self.refuse_direct(),
                Err(errno) => return Err(errno.into()),
            }
        }
        if done < wanted {
            done += write(&self.buffered, offset + done as u64, &mut slices(buffers, done), 1)?;
        }
        if done < wanted { Err(io::ErrorKind::WriteZero.into()) } else { Ok(()) }
    }

    /// Allocates the bytes from `from` to `to`, or leaves the file unchanged.
    fn grow(&self, from: u64, to: u64) -> io::Result<()> {
        let (mut at, mut piece) = (from, to - from);
        let allocated = loop {
            if at >= to {
                break Ok(());
            }
            let bytes = piece.min(to - at);
            match rustix::fs::fallocate(&self.buffered, FallocateFlags::empty(), at, bytes) {
                Ok(()) => at += bytes,
                // Under many kernels a file system in memory gives up its allocation when a signal comes: if there are
                // many, only small pieces succeed.
                Err(Errno::INTR) => piece = (piece / 2).max(PIECE_BYTES_LEAST),
                Err(Errno::OPNOTSUPP | Errno::NOSYS) => break self.zero_fill(at, to),
                Err(error) => break Err(error.into()),
            }
        };
        if allocated.is_err() {
            // The first error is the one to report; a file that stays too long is only untidy.
            let _ = self.buffered.set_len(from);
        }
        allocated
    }

    fn zero_fill(&self, from: u64, to: u64) -> io::Result<()> {
        let zeros = AlignedBuffer::zeroed(ZERO_FILL_BYTES);
        let mut at = from;
        while at < to {
            let bytes = (to - at).min(ZERO_FILL_BYTES as u64);
            self.write(at, &[&zeros[..bytes as usize]])?;
            at += bytes;
        }
        Ok(())
    }
}

/// An open file with its means for background reads.
#[derive(Debug)]
pub(super) struct OsDevice {
    pub(super) file: Arc<OsFile>,
    /// None: submitted reads are done by the thread that waits for them.
    pub(super) background: Option<Arc<Background>>,
}

/// Means for background reads.
#[derive(Debug)]
pub(super) struct Background {
    pub(super) rings: Option<Arc<Rings>>,
    pub(super) pool: ReadPool,
}

impl Device for OsDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.file.read(offset, buffers)
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.file.write(offset, buffers)
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.file.write_durable(offset, buffers)
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        if buffers.iter().all(|b| b.is_empty()) {
            return Ok(PendingRead::ready(Ok(buffers)));
        }
        let Some(background) = &self.background else {
            let device = Self { file: Arc::clone(&self.file), background: None };
            return Ok(PendingRead::by_waiter(Arc::new(device), offset, buffers));
        };
        let buffers = match &background.rings {
            Some(rings) => match rings.submit(&self.file, offset, buffers) {
                Ok(read) => return Ok(PendingRead::new(read)),
                Err(buffers) => buffers,
            },
            None => buffers,
        };
        Ok(background.pool.submit(&self.file, offset, buffers))
    }

    fn sync(&self) -> io::Result<()> {
        self.file.buffered.sync_data()
    }

    fn size(&self) -> io::Result<u64> {
        let metadata = self.file.buffered.metadata()?;
        if metadata.file_type().is_block_device() {
            // A block device has no size in its metadata, but an end. Nobody uses the position that this moves.
            return (&self.file.buffered).seek(SeekFrom::End(0));
        }
        Ok(metadata.len())
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        let now = self.size()?;
        if self.file.buffered.metadata()?.file_type().is_block_device() {
            let text = format!("a block device of {now} bytes cannot be given {bytes}");
            return if bytes == now { Ok(()) } else { Err(io::Error::new(io::ErrorKind::Unsupported, text)) };
        }
        if bytes > now { self.file.grow(now, bytes) } else { self.file.buffered.set_len(bytes) }
    }

    fn direct(&self) -> bool {
        self.file.direct.as_ref().is_some_and(|direct| !direct.refused.load(Ordering::Relaxed))
    }
}

/// Opens `path` with O_DIRECT. None where the file system refuses it, where it needs larger sectors than wanted, or
/// where a trial read of one sector fails.
fn open_direct(path: &Path, sector_max: usize) -> io::Result<Option<Direct>> {
    let file = match OpenOptions::new().read(true).write(true).custom_flags(OFlags::DIRECT.bits() as i32).open(path) {
        Ok(file) => file,
        Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => return Ok(None),
        Err(error) => return Err(error),
    };
    let sector = match rustix::fs::statx(&file, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN) {
        Ok(stat) if stat.stx_mask & StatxFlags::DIOALIGN.bits() != 0 => {
            if stat.stx_dio_offset_align == 0 {
                return Ok(None);
            }
            stat.stx_dio_offset_align.max(stat.stx_dio_mem_align).max(512) as usize
        }
        // Kernels before 6.1 do not say; the trial decides.
        _ => 512,
    };
    if sector > sector_max || !sector.is_power_of_two() {
        return Ok(None);
    }
    let mut trial = AlignedBuffer::zeroed(sector);
    match vectored::read(&file, 0, &mut [IoSliceMut::new(&mut trial)], sector) {
        Ok(_) => Ok(Some(Direct { file, sector, refused: AtomicBool::new(false) })),
        Err(Errno::INVAL) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

fn is_aligned(bytes: &[u8], sector: usize) -> bool {
    bytes.len().is_multiple_of(sector) && (bytes.as_ptr() as usize).is_multiple_of(sector)
}

fn read_bounced(direct: &Direct, offset: u64, buffers: &mut [&mut [u8]], wanted: usize) -> Result<usize, Errno> {
    let mut bounce = AlignedBuffer::zeroed(wanted);
    let done = vectored::read(&direct.file, offset, &mut [IoSliceMut::new(&mut bounce)], direct.sector)?;
    let mut rest = &bounce[..done];
    for buffer in buffers {
        let (part, after) = rest.split_at(rest.len().min(buffer.len()));
        buffer[..part.len()].copy_from_slice(part);
        rest = after;
    }
    Ok(done)
}

/// The buffers without their first `skip` bytes.
fn slices_mut<'a>(buffers: &'a mut [&mut [u8]], mut skip: usize) -> Vec<IoSliceMut<'a>> {
    let mut slices = Vec::with_capacity(buffers.len());
    for buffer in buffers {
        let skipped = skip.min(buffer.len());
        skip -= skipped;
        slices.push(IoSliceMut::new(&mut buffer[skipped..]));
    }
    slices
}

/// The buffers without their first `skip` bytes.
fn slices<'a>(buffers: &[&'a [u8]], mut skip: usize) -> Vec<IoSlice<'a>> {
    let mut slices = Vec::with_capacity(buffers.len());
    for buffer in buffers {
        let skipped = skip.min(buffer.len());
        skip -= skipped;
        slices.push(IoSlice::new(&buffer[skipped..]));
    }
    slices
}
