//! A file of a group, open: it is a [`Device`] as an ordinary file is.
//!
//! - **The locations of bytes** are in memory for as long as the file is open, so a request costs a look into a list
//!   and goes to the disks itself. A request that crosses the end of an allocation unit is cut there, and counted.
//! - **Growing** takes units, fills them with zeros, makes that durable, and then changes the metadata: a file never
//!   shows the earlier content of a unit. A crash before the last step leaves the old size and the units free.
//! - **Shrinking** waits for writes in flight: a write to a unit must not reach the file that gets it next. It does not
//!   wait for reads; the caller must not read a range while it is cut off, as elsewhere.
//! - A size that has been set is durable at once, unlike with an ordinary file, whose size waits for a sync.

use std::fmt;
use std::io;

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Arc, Mutex, RwLock};
use device::{AlignedBuffer, Device, PendingRead};

use crate::cut::{RequestPiece, cut, divide, divide_mut};
use crate::directory::{Change, Pointer};
use crate::disk::Disk;
use crate::error::to_io;
use crate::group::Group;
use crate::name::FileName;
use crate::pending::{Pieces, whole_buffers};

/// Zeros are written in pieces of this size.
const ZERO_BYTES: usize = 1 << 20;

/// State shared by all users of an open file.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) number: u32,
    map: RwLock<Map>,
    /// Held while the size changes.
    resize: Mutex<()>,
    /// Held shared while writes are in flight.
    writes: RwLock<()>,
    /// For each disk, the number of this file's last write to it.
    last_writes: Vec<AtomicU64>,
}

#[derive(Debug)]
struct Map {
    size: u64,
    extents: Vec<Pointer>,
}

impl OpenFile {
    /// Earlier writes to the disks may be the file's, from when it was open last, and not be durable yet.
    pub(crate) fn new(number: u32, size: u64, extents: Vec<Pointer>, disks: &[Arc<Disk>]) -> Self {
        Self {
            number,
            map: RwLock::new(Map { size, extents }),
            resize: Mutex::new(()),
            writes: RwLock::new(()),
            last_writes: disks.iter().map(|disk| AtomicU64::new(disk.written())).collect(),
        }
    }
}

/// A file of a disk group. While one of these exists the file cannot be deleted, nor its group dismounted.
#[derive(Clone)]
pub struct GroupFile {
    pub(crate) group: Arc<Group>,
    pub(crate) file: Arc<OpenFile>,
    pub(crate) name: FileName,
}

impl fmt::Debug for GroupFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GroupFile({})", self.name)
    }
}

fn length(offset: u64, bytes: usize) -> io::Result<u64> {
    let end = offset.checked_add(bytes as u64).filter(|end| i64::try_from(*end).is_ok());
    end.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

impl GroupFile {
    /// The file's name.
    #[must_use]
    pub fn name(&self) -> &FileName {
        &self.name
    }

    fn size_now(&self) -> u64 {
        self.file.map.read().size
    }

    /// The pieces of a request, or an error when the file ends before it does.
    fn pieces(&self, offset: u64, bytes: usize) -> io::Result<Vec<RequestPiece>> {
        let end = length(offset, bytes)?;
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let map = self.file.map.read();
        if end > map.size {
            let got = map.size.saturating_sub(offset);
            let text = format!(
                "read of {bytes} bytes at offset {offset} of {} met the end of the file after {got}",
                self.name
            );
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
        }
        Ok(cut(&map.extents, self.group.unit_bytes(), offset, bytes as u64))
    }

    /// Writes inside the file's size, calling `write` for each piece.
    fn write_by(
        &self,
        offset: u64,
        buffers: &[&[u8]],
        write: impl Fn(&RequestPiece, &[&[u8]]) -> io::Result<()>,
    ) -> io::Result<()> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        let end = length(offset, bytes)?;
        if bytes > 0 && end > self.size_now() {
            self.grow(end)?;
        }
        let _in_flight = self.file.writes.read();
        let pieces = self.pieces(offset, bytes)?;
        self.group.count_cuts(false, pieces.len());
        match &pieces[..] {
            [] => Ok(()),
            [piece] => write(piece, buffers),
            _ => divide(buffers, &pieces).iter().zip(&pieces).try_for_each(|(parts, piece)| write(piece, parts)),
        }
    }

    fn write_piece(&self, piece: &RequestPiece, parts: &[&[u8]]) -> io::Result<()> {
        let number = self.group.disk(piece.disk).write(piece.at, parts)?;
        self.file.last_writes[piece.disk].fetch_max(number, Ordering::AcqRel);
        Ok(())
    }

    fn sync_disks(&self) -> io::Result<()> {
        for (disk, last) in self.file.last_writes.iter().enumerate() {
            let last = last.load(Ordering::Acquire);
            if last > 0 {
                self.group.disk(disk).sync(last)?;
            }
        }
        Ok(())
    }

    /// Makes the file at least this long.
    fn grow(&self, bytes: u64) -> io::Result<()> {
        let _resize = self.file.resize.lock();
        let old = self.size_now();
        if bytes <= old {
            return Ok(());
        }
        let (last, have) = {
            let map = self.file.map.read();
            (map.extents.last().copied(), map.extents.len() as u64)
        };
        let unit = self.group.unit_bytes();
        let added = self.group.reserve(bytes.div_ceil(unit).saturating_sub(have)).map_err(to_io)?;
        let filled = self
            .fill_tail(last, have, old, bytes)
            .and_then(|()| self.group.fill(&added, bytes.saturating_sub(have * unit)))
            .and_then(|()| self.sync_disks());
        if let Err(error) = filled {
            self.group.release(&added);
            return Err(error);
        }
        let change = Change::Extend { number: self.file.number, size: bytes, extents: added };
        self.group.commit_or_release(&change).map_err(to_io)?;
        if let Change::Extend { extents, .. } = change {
            let mut map = self.file.map.write();
            map.extents.extend(extents);
            map.size = bytes;
        }
        Ok(())
    }

    /// Fills the rest of the file's last unit with zeros; it holds old content.
    fn fill_tail(&self, last: Option<Pointer>, have: u64, old: u64, new: u64) -> io::Result<()> {
        let unit = self.group.unit_bytes();
        let end = new.min(have * unit);
        match last {
            Some(last) if old < end => {
                let at = u64::from(last.unit()) * unit + old - (have - 1) * unit;
                let number = self.group.fill_range(last.disk(), at, end - old, &zeros(end - old))?;
                self.file.last_writes[last.disk()].fetch_max(number, Ordering::AcqRel);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Makes the file at most this long.
    fn shrink(&self, bytes: u64) -> io::Result<()> {
        let _resize = self.file.resize.lock();
        let _no_writes = self.file.writes.write();
        if bytes >= self.size_now() {
            return Ok(());
        }
        self.group.commit(&Change::Shrink { number: self.file.number, size: bytes }).map_err(to_io)?;
        let keep = bytes.div_ceil(self.group.unit_bytes()) as usize;
        let freed = {
            let mut map = self.file.map.write();
            map.size = bytes;
            map.extents.split_off(keep)
        };
        self.group.release(&freed);
        Ok(())
    }
}

impl Device for GroupFile {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        let pieces = self.pieces(offset, bytes)?;
        self.group.count_cuts(true, pieces.len());
        match &pieces[..] {
            [] => Ok(()),
            [piece] => self.group.disk(piece.disk).read(piece.at, buffers),
            _ => divide_mut(buffers, &pieces)
                .iter_mut()
                .zip(&pieces)
                .try_for_each(|(parts, piece)| self.group.disk(piece.disk).read(piece.at, parts)),
        }
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write_by(offset, buffers, |piece, parts| self.write_piece(piece, parts))
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write_by(offset, buffers, |piece, parts| self.group.disk(piece.disk).write_durable(piece.at, parts))
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        let pieces = match self.pieces(offset, bytes) {
            Ok(pieces) => pieces,
            Err(error) => return Ok(PendingRead::ready(Err(error))),
        };
        self.group.count_cuts(true, pieces.len());
        match &pieces[..] {
            [] => return Ok(PendingRead::ready(Ok(buffers))),
            [piece] => return self.group.disk(piece.disk).submit_read(piece.at, buffers),
            _ => {}
        }
        let submit = |piece: &RequestPiece, buffers| self.group.disk(piece.disk).submit_read(piece.at, buffers);
        let mut reads = Vec::with_capacity(pieces.len());
        let copy_to = match whole_buffers(&buffers, pieces.iter().map(|piece| piece.bytes)) {
            Some(counts) => {
                let mut buffers = buffers.into_iter();
                for (piece, count) in pieces.iter().zip(counts) {
                    reads.push(submit(piece, buffers.by_ref().take(count).collect())?);
                }
                None
            }
            None => {
                for piece in &pieces {
                    reads.push(submit(piece, vec![AlignedBuffer::zeroed(piece.bytes)])?);
                }
                Some(buffers)
            }
        };
        Ok(PendingRead::new(Pieces { reads, copy_to }))
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_disks()
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.size_now())
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        if bytes > self.size_now() { self.grow(bytes) } else { self.shrink(bytes) }
    }

    fn cuts_at(&self) -> Option<u64> {
        Some(self.group.unit_bytes())
    }

    fn direct(&self) -> bool {
        self.group.disks_are_direct()
    }
}

/// A buffer of zeros for filling, a piece at a time.
pub(crate) fn zeros(bytes: u64) -> AlignedBuffer {
    AlignedBuffer::zeroed((ZERO_BYTES as u64).min(bytes) as usize)
}
