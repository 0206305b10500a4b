//! A file of a group, open: it is a [`Device`] as an ordinary file is.
//!
//! - **The locations of bytes** are in memory for as long as the file is open, so a request costs a look into a list
//!   and goes to the disks itself. A request that crosses the end of an extent is cut there, and counted.
//! - **A write** goes to all copies, and is done when all that are online have it. A copy that cannot be written takes
//!   its disk offline first.
//! - **A read** goes to the first copy that is online; after an error to the next, and the bad copy is written again.
//! - **Growing** takes units, fills them with zeros, makes that durable, and then changes the metadata: a file never
//!   shows the earlier content of a unit. A crash before the last step leaves the old size and the units free.
//! - **Shrinking** waits for writes in flight: a write to a unit must not reach the file that gets it next. It does
//!   not wait for reads; the caller must not read a range while it is cut off, as elsewhere.
//! - **Moving** an extent (`rebalance.rs`) locks its region against writes. Reads keep the map that they began with,
//!   and the unit that was left is free when no read has that map any more.
//! - A size that has been set is durable at once, unlike with an ordinary file, whose size waits for a sync.

use std::fmt;
use std::io;
use std::sync::Weak;

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Arc, Mutex, RwLock};
use device::{AlignedBuffer, CellDisk, Device, PendingRead, Place, Places};

use crate::cut::{RequestPiece, cut, divide, divide_mut};
use crate::directory::{Change, DiskMode, Pointer, Region};
use crate::disk::{Disk, DiskSync};
use crate::error::to_io;
use crate::group::{Group, fill_range};
use crate::name::FileName;
use crate::pending::{InFlight, Pieces, whole_buffers};
use crate::regions::Regions;
use crate::shape::Shape;

/// Zeros are written in pieces of this size.
const ZERO_BYTES: usize = 1 << 20;
/// Looks at the disks of an extent's copies before a read has none.
pub(crate) const LOOKS: u32 = 100;
/// Blocks that a repair reads and writes whole.
const REPAIR_BLOCK: u64 = 4096;

/// State shared by all users of an open file.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) number: u32,
    map: RwLock<Arc<Map>>,
    /// Held while the size changes.
    resize: Mutex<()>,
    /// Held shared while writes are in flight.
    writes: RwLock<()>,
    regions: Arc<Regions>,
    last_writes: LastWrites,
    /// Earlier maps that reads under way may still have.
    earlier: Mutex<Vec<Weak<Map>>>,
}

/// Where a file's bytes are.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    pub(crate) size: u64,
    pub(crate) copies: usize,
    pub(crate) shape: Shape,
    /// As in the metadata: the copies of the first extent, those of the second, and so on.
    pub(crate) extents: Vec<Pointer>,
}

impl Map {
    fn copies_of(&self, extent: usize) -> &[Pointer] {
        self.extents.get(extent * self.copies..(extent + 1) * self.copies).unwrap_or_default()
    }

    fn extents(&self) -> u64 {
        (self.extents.len() / self.copies) as u64
    }
}

/// For each disk, the number of this file's last write to it.
#[derive(Debug)]
struct LastWrites(RwLock<Vec<AtomicU64>>);

impl LastWrites {
    /// Earlier writes to the disks may be the file's, from when it was open last, and not be durable yet.
    fn new(disks: &[Arc<Disk>]) -> Self {
        let numbers = disks.iter().map(|disk| usize::from(disk.number) + 1).max().unwrap_or(0);
        let mut last: Vec<_> = (0..numbers).map(|_| AtomicU64::new(0)).collect();
        for disk in disks {
            last[usize::from(disk.number)] = AtomicU64::new(disk.written());
        }
        Self(RwLock::new(last))
    }

    fn note(&self, disk: u16, write: u64) {
        let at = usize::from(disk);
        if let Some(last) = self.0.read().get(at) {
            last.fetch_max(write, Ordering::AcqRel);
            return;
        }
        let mut all = self.0.write();
        while all.len() <= at {
            all.push(AtomicU64::new(0));
        }
        all[at].fetch_max(write, Ordering::AcqRel);
    }

    fn all(&self) -> Vec<(u16, u64)> {
        let last = |(disk, last): (usize, &AtomicU64)| (disk as u16, last.load(Ordering::Acquire));
        self.0.read().iter().enumerate().map(last).filter(|(_, last)| *last > 0).collect()
    }
}

impl OpenFile {
    pub(crate) fn new(number: u32, map: Map, regions: Arc<Regions>, disks: &[Arc<Disk>]) -> Self {
        Self {
            number,
            map: RwLock::new(Arc::new(map)),
            resize: Mutex::new(()),
            writes: RwLock::new(()),
            regions,
            last_writes: LastWrites::new(disks),
            earlier: Mutex::default(),
        }
    }

    /// Changes the map. Reads that have begun keep the one that they have.
    fn change_map(&self, change: impl FnOnce(&mut Map)) {
        let mut map = self.map.write();
        let mut changed = Map::clone(&map);
        change(&mut changed);
        let before = std::mem::replace(&mut *map, Arc::new(changed));
        let mut earlier = self.earlier.lock();
        earlier.retain(|map| map.strong_count() > 0);
        earlier.push(Arc::downgrade(&before));
    }

    /// All earlier maps that somebody may still read by.
    pub(crate) fn readers(&self) -> Vec<Weak<Map>> {
        self.earlier.lock().iter().filter(|map| map.strong_count() > 0).cloned().collect()
    }

    pub(crate) fn map(&self) -> Arc<Map> {
        Arc::clone(&self.map.read())
    }

    /// Changes the pointers at these positions.
    pub(crate) fn move_pointers(&self, moves: impl Iterator<Item = (usize, Pointer)>) {
        self.change_map(|map| {
            for (position, to) in moves {
                if let Some(pointer) = map.extents.get_mut(position) {
                    *pointer = to;
                }
            }
        });
    }

    /// The copies on a disk do not exist any more.
    pub(crate) fn forget_disk(&self, disk: u16) {
        self.change_map(|map| {
            for pointer in map.extents.iter_mut().filter(|pointer| !pointer.is_none() && pointer.disk() == disk) {
                *pointer = Pointer::NONE;
            }
        });
    }

    /// Notes a write that was not made through the file.
    pub(crate) fn note_write(&self, disk: u16, write: u64) {
        self.last_writes.note(disk, write);
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

/// The regions of a write, left when this is dropped.
struct Entered<'f> {
    regions: &'f Regions,
    entered: Vec<u32>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.regions.leave(&self.entered);
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
    fn pieces(&self, map: &Map, offset: u64, bytes: usize) -> io::Result<Vec<RequestPiece>> {
        let end = length(offset, bytes)?;
        if bytes == 0 {
            return Ok(Vec::new());
        }
        if end > map.size {
            let got = map.size.saturating_sub(offset);
            let text = format!(
                "read of {bytes} bytes at offset {offset} of {} met the end of the file after {got}",
                self.name
            );
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
        }
        Ok(cut(map.shape, offset, bytes as u64))
    }

    /// Enters the regions of a write. The group notes those of a mirrored file that were clean.
    fn enter(&self, map: &Map, pieces: &[RequestPiece]) -> io::Result<Entered<'_>> {
        let each = Region::extents(self.group.header().au);
        let mut wanted: Vec<u32> = pieces.iter().map(|piece| (piece.extent as u64 / each) as u32).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let clean = self.file.regions.enter(&wanted);
        let entered = Entered { regions: &self.file.regions, entered: wanted };
        if map.copies > 1 && !clean.is_empty() {
            self.group.note_dirty(self.file.number, &self.file.regions, &clean).map_err(to_io)?;
        }
        Ok(entered)
    }

    /// Writes to all copies; the file grows first where it is too short.
    fn write_by(&self, offset: u64, buffers: &[&[u8]], durable: bool) -> io::Result<()> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        let end = length(offset, bytes)?;
        if bytes > 0 && end > self.size_now() {
            self.grow(end)?;
        }
        let _in_flight = self.file.writes.read();
        let pieces = self.pieces(&self.file.map(), offset, bytes)?;
        self.group.count_cuts(false, pieces.len());
        if pieces.is_empty() {
            return Ok(());
        }
        let _entered = self.enter(&self.file.map(), &pieces)?;
        // The map as it is now that no extent of these regions moves.
        let map = self.file.map();
        match &pieces[..] {
            [piece] => self.write_copies(&map, piece, buffers, durable),
            _ => (divide(buffers, &pieces).iter().zip(&pieces))
                .try_for_each(|(parts, piece)| self.write_copies(&map, piece, parts, durable)),
        }
    }

    /// Writes a piece to all copies that are online. The caller is in the piece's region.
    fn write_copies(&self, map: &Map, piece: &RequestPiece, parts: &[&[u8]], durable: bool) -> io::Result<()> {
        let unit = self.group.unit_bytes();
        let copies: Vec<(Pointer, Arc<Disk>, DiskMode)> = (map.copies_of(piece.extent).iter())
            .filter(|copy| !copy.is_none())
            .filter_map(|copy| self.group.disk(copy.disk()).map(|disk| (*copy, disk)))
            .map(|(copy, disk)| (copy, Arc::clone(&disk), disk.mode()))
            .filter(|(_, _, mode)| *mode != DiskMode::Offline)
            .collect();
        let mut copied = None;
        let started: Vec<_> = (copies.iter())
            .map(|(copy, disk, _)| disk.start_write(piece.at(*copy, unit), parts, &mut copied, durable))
            .collect();
        let (mut good, mut failed) = (0, Vec::new());
        for (write, (copy, disk, mode)) in started.into_iter().zip(&copies) {
            match write.wait() {
                Ok(number) => {
                    self.file.last_writes.note(copy.disk(), number);
                    // A disk that has come online meanwhile has the write.
                    good += u32::from(*mode == DiskMode::Online || disk.mode() == DiskMode::Online);
                }
                Err(error) => failed.push((disk, error)),
            }
        }
        // What one copy has and another has not is no write that counts: the disk without it goes first. If it may not
        // go, the copies stay different until the next mount makes them alike.
        for (disk, error) in failed {
            if let Err(error) = self.group.take_offline(disk, error) {
                self.note_torn(piece);
                return Err(error);
            }
        }
        if good == 0 { Err(self.no_copy(map, piece, &[])) } else { Ok(()) }
    }

    /// The copies of a piece's region stay different from each other: the region is not to be cleaned.
    fn note_torn(&self, piece: &RequestPiece) {
        let each = Region::extents(self.group.header().au);
        self.file.regions.set_torn((piece.extent as u64 / each) as u32);
    }

    /// No copy of a piece can be used.
    fn no_copy(&self, map: &Map, piece: &RequestPiece, failures: &[String]) -> io::Error {
        let mut why = failures.to_vec();
        for copy in map.copies_of(piece.extent) {
            match self.group.disk(copy.disk()) {
                _ if copy.is_none() => {}
                None => why.push(format!("disk {} is missing", copy.disk())),
                Some(disk) if disk.mode() != DiskMode::Online => {
                    why.push(format!("disk \"{}\" is {}", disk.name, disk.mode().name().to_ascii_lowercase()));
                }
                Some(_) => {}
            }
        }
        let text = format!(
            "no copy of extent {} of file {} in diskgroup \"{}\" can be used, from offset {} of the extent on: {}",
            piece.extent,
            self.name,
            self.group.group_name(),
            piece.within,
            why.join("; ")
        );
        io::Error::other(common::Error::new(common::ErrorKind::Io, common::Number::Ora(15081), text))
    }

    fn sync_disks(&self) -> io::Result<()> {
        let disk = |(number, last)| self.group.disk(number).map(|disk| (disk, last));
        let disks: Vec<_> = (self.file.last_writes.all().into_iter().filter_map(disk))
            .filter(|(disk, _)| disk.mode() != DiskMode::Offline)
            .collect();
        let started: Vec<_> = disks.iter().map(|(disk, last)| disk.start_sync(*last)).collect();
        let ended: Vec<_> = started.into_iter().map(DiskSync::wait).collect();
        (ended.into_iter().zip(&disks))
            .try_for_each(|(ended, (disk, _))| ended.or_else(|error| self.group.take_offline(disk, error)))
    }

    /// Makes the file at least this long.
    fn grow(&self, bytes: u64) -> io::Result<()> {
        let _resize = self.file.resize.lock();
        let map = self.file.map();
        let old = map.size;
        if bytes <= old {
            return Ok(());
        }
        let (have, wanted) = (map.extents(), map.shape.extents_of(bytes));
        let mut added = self.group.reserve(map.copies, map.shape, have..wanted).map_err(to_io)?;
        let filled = self
            .fill_tail(&map, old, bytes)
            .and_then(|()| {
                let behind = bytes.saturating_sub(map.shape.bytes_of(have));
                self.group.fill(map.shape, map.copies, &mut added, behind)
            })
            .and_then(|()| self.sync_disks());
        if let Err(error) = filled {
            self.group.release(&added);
            return Err(error);
        }
        // The map changes before the group is unlocked: what moves extents finds them in both or in neither.
        let mut state = self.group.state().map_err(to_io)?;
        self.group.give_up_lost(&mut state, map.copies, &mut added).map_err(to_io)?;
        let change = Change::Extend { number: self.file.number, size: bytes, extents: added };
        self.group.commit_or_release_in(&mut state, &change).map_err(to_io)?;
        if let Change::Extend { extents, .. } = change {
            self.file.change_map(|map| {
                map.extents.extend(extents);
                map.size = bytes;
            });
        }
        Ok(())
    }

    /// Fills the rest of the file's last extents with zeros; they hold old content.
    fn fill_tail(&self, map: &Map, old: u64, new: u64) -> io::Result<()> {
        let end = new.min(map.shape.bytes_of(map.extents()));
        if old >= end {
            return Ok(());
        }
        let pieces = cut(map.shape, old, end - old);
        let _entered = self.enter(map, &pieces)?;
        let map = self.file.map();
        let zeros = zeros(end - old);
        for piece in pieces {
            for copy in map.copies_of(piece.extent).iter().filter(|copy| !copy.is_none()) {
                let Some(disk) = self.group.disk(copy.disk()).filter(|disk| disk.mode() != DiskMode::Offline) else {
                    continue;
                };
                match fill_range(&disk, piece.at(*copy, self.group.unit_bytes()), piece.bytes as u64, &zeros) {
                    Ok(number) => self.file.last_writes.note(copy.disk(), number),
                    Err(error) => {
                        if let Err(error) = self.group.take_offline(&disk, error) {
                            self.note_torn(&piece);
                            return Err(error);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes the file at most this long.
    fn shrink(&self, bytes: u64) -> io::Result<()> {
        let _resize = self.file.resize.lock();
        let _no_writes = self.file.writes.write();
        let map = self.file.map();
        if bytes >= map.size {
            return Ok(());
        }
        let keep = map.shape.extents_of(bytes);
        let each = Region::extents(self.group.header().au);
        // An extent that goes must not move meanwhile.
        let last: Vec<u32> = ((keep / each) as u32..map.extents().div_ceil(each) as u32).collect();
        self.file.regions.enter(&last);
        let _entered = Entered { regions: &self.file.regions, entered: last };
        drop(map);
        self.group.commit(&Change::Shrink { number: self.file.number, size: bytes }).map_err(to_io)?;
        self.file.regions.forget_from(keep.div_ceil(each) as u32);
        let mut freed = Vec::new();
        self.file.change_map(|map| {
            map.size = bytes;
            freed = map.extents.split_off(keep as usize * map.copies);
        });
        self.group.release(&freed);
        Ok(())
    }

    /// Reads a piece from the first copy that can be read. Copies that cannot are written again.
    fn read_piece(&self, map: &Map, piece: &RequestPiece, parts: &mut [&mut [u8]]) -> io::Result<()> {
        for _ in 1..LOOKS {
            match self.read_copies(map, piece, parts) {
                // One disk may come online and another go offline between the looks at the two.
                None => std::thread::yield_now(),
                Some(read) => return read,
            }
        }
        self.read_copies(map, piece, parts).unwrap_or_else(|| Err(self.no_copy(map, piece, &[])))
    }

    /// As [`read_piece`](Self::read_piece), with one look at each disk. None: no copy was on a disk that was online.
    fn read_copies(&self, map: &Map, piece: &RequestPiece, parts: &mut [&mut [u8]]) -> Option<io::Result<()>> {
        let mut bad = Vec::new();
        let mut failures = Vec::new();
        let mut only = None;
        for copy in map.copies_of(piece.extent).iter().filter(|copy| !copy.is_none()) {
            let Some(disk) = self.group.disk(copy.disk()).filter(|disk| disk.mode() == DiskMode::Online) else {
                continue;
            };
            match disk.read(piece.at(*copy, self.group.unit_bytes()), parts) {
                Ok(()) => {
                    if !bad.is_empty() {
                        self.repair_piece(piece, &bad);
                    }
                    return Some(Ok(()));
                }
                Err(error) => {
                    bad.push(*copy);
                    failures.push(error.to_string());
                    only = Some(error);
                }
            }
        }
        match only {
            Some(error) if map.copies == 1 => Some(Err(error)),
            Some(_) => Some(Err(self.no_copy(map, piece, &failures))),
            None => None,
        }
    }

    /// Writes bad copies of a piece again, from a good one. The read that has found them is done: what goes wrong here
    /// takes a disk offline, or leaves the copy as it is.
    fn repair_piece(&self, piece: &RequestPiece, bad: &[Pointer]) {
        let each = Region::extents(self.group.header().au);
        let region = (piece.extent as u64 / each) as u32;
        self.file.regions.lock(region);
        let outcome = self.repair_locked(piece, bad);
        self.file.regions.unlock(region);
        if let Err(error) = outcome {
            self.group.note(format!("a copy of extent {} of {} was not repaired: {error}", piece.extent, self.name));
        }
    }

    fn repair_locked(&self, piece: &RequestPiece, bad: &[Pointer]) -> io::Result<()> {
        let map = self.file.map();
        let unit = self.group.unit_bytes();
        // Whole blocks, because a device may be able to write no less; an extent ends with one.
        let from = piece.within / REPAIR_BLOCK * REPAIR_BLOCK;
        let to = (piece.within + piece.bytes as u64).next_multiple_of(REPAIR_BLOCK);
        let whole = RequestPiece { within: from, bytes: (to - from) as usize, ..*piece };
        let mut buffer = AlignedBuffer::zeroed(whole.bytes);
        let copies = map.copies_of(piece.extent);
        let online = |copy: &Pointer| {
            let disk = if copy.is_none() { None } else { self.group.disk(copy.disk()) };
            disk.filter(|disk| disk.mode() == DiskMode::Online)
        };
        let good = copies.iter().filter(|copy| !bad.contains(copy)).find(|copy| {
            online(copy).is_some_and(|disk| disk.read(whole.at(**copy, unit), &mut [&mut buffer]).is_ok())
        });
        if good.is_none() {
            return Ok(());
        }
        for copy in copies.iter().filter(|copy| bad.contains(copy)) {
            let Some(disk) = online(copy) else { continue };
            match disk.write(whole.at(*copy, unit), &[&buffer]) {
                Ok(number) => {
                    self.file.last_writes.note(copy.disk(), number);
                    self.group.count_repair();
                    self.group.note(format!(
                        "extent {} of {} was repaired on disk \"{}\" from another copy",
                        piece.extent, self.name, disk.name
                    ));
                }
                Err(error) => self.group.take_offline(&disk, error)?,
            }
        }
        Ok(())
    }

    /// The disk and the offset from which a piece is read first.
    fn first_copy(&self, map: &Map, piece: &RequestPiece) -> Option<(Arc<Disk>, u64)> {
        map.copies_of(piece.extent).iter().filter(|copy| !copy.is_none()).find_map(|copy| {
            let disk = self.group.disk(copy.disk()).filter(|disk| disk.mode() == DiskMode::Online)?;
            Some((disk, piece.at(*copy, self.group.unit_bytes())))
        })
    }
}

impl Device for GroupFile {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        let map = self.file.map();
        let pieces = self.pieces(&map, offset, bytes)?;
        self.group.count_cuts(true, pieces.len());
        match &pieces[..] {
            [] => Ok(()),
            [piece] => self.read_piece(&map, piece, buffers),
            _ => (divide_mut(buffers, &pieces).iter_mut().zip(&pieces))
                .try_for_each(|(parts, piece)| self.read_piece(&map, piece, parts)),
        }
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write_by(offset, buffers, false)
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.write_by(offset, buffers, true)
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let sizes: Vec<usize> = buffers.iter().map(|buffer| buffer.len()).collect();
        let map = self.file.map();
        let pieces = match self.pieces(&map, offset, sizes.iter().sum()) {
            Ok(pieces) => pieces,
            Err(error) => return Ok(PendingRead::ready(Err(error))),
        };
        self.group.count_cuts(true, pieces.len());
        if pieces.is_empty() {
            return Ok(PendingRead::ready(Ok(buffers)));
        }
        let submit = |piece: &RequestPiece, buffers| match self.first_copy(&map, piece) {
            // The wait for it reads the other copies.
            Some((disk, at)) if map.copies > 1 => {
                disk.submit_read(at, buffers).or_else(|error| Ok(PendingRead::ready(Err(error))))
            }
            Some((disk, at)) => disk.submit_read(at, buffers),
            None => Ok(PendingRead::ready(Err(self.no_copy(&map, piece, &[])))),
        };
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
        let pieces = Pieces { reads, copy_to };
        Ok(PendingRead::new(InFlight { pieces, file: self.clone(), map, offset, sizes }))
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_disks()
    }

    fn copies(&self) -> usize {
        self.file.map.read().copies
    }

    fn read_copy(&self, copy: usize, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        let map = self.file.map();
        let pieces = self.pieces(&map, offset, bytes)?;
        for (parts, piece) in divide_mut(buffers, &pieces).iter_mut().zip(&pieces) {
            let pointer = map.copies_of(piece.extent).get(copy).copied().filter(|pointer| !pointer.is_none());
            let disk = pointer.and_then(|pointer| self.group.disk(pointer.disk()));
            match (pointer, disk.filter(|disk| disk.mode() == DiskMode::Online)) {
                (Some(pointer), Some(disk)) => disk.read(piece.at(pointer, self.group.unit_bytes()), parts)?,
                _ => return Err(self.no_copy(&map, piece, &[])),
            }
        }
        Ok(())
    }

    fn repair(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        let bytes = buffers.iter().map(|buffer| buffer.len()).sum();
        self.write_by(offset, buffers, false)?;
        for piece in self.pieces(&self.file.map(), offset, bytes)? {
            self.group.count_repair();
            self.group.note(format!(
                "damaged bytes of extent {} of {}, from offset {} of the extent on, were written again from another copy",
                piece.extent, self.name, piece.within
            ));
        }
        Ok(())
    }

    fn places(&self, offset: u64, bytes: u64) -> io::Result<Option<Places>> {
        let map = self.file.map();
        let pieces = self.pieces(&map, offset, usize::try_from(bytes).map_err(|_| io::ErrorKind::InvalidInput)?)?;
        let place = |piece: &RequestPiece| {
            let (disk, offset) = self.first_copy(&map, piece)?;
            Some(Place { disk: disk.path.clone(), offset, bytes: piece.bytes as u64 })
        };
        let runs: Option<Vec<Place>> = pieces.iter().map(place).collect();
        // Units that extents leave are not used again while somebody has this map.
        Ok(runs.map(|runs| Places::new(runs, map)))
    }

    fn cell_disk(&self, offset: u64) -> Option<CellDisk> {
        let map = self.file.map();
        let pieces = self.pieces(&map, offset, 1).ok()?;
        let (disk, offset) = self.first_copy(&map, pieces.first()?)?;
        disk.device.cell_disk(offset)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.size_now())
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        if bytes > self.size_now() { self.grow(bytes) } else { self.shrink(bytes) }
    }

    fn cuts_at(&self) -> Option<u64> {
        Some(self.file.map.read().shape.cuts_at())
    }

    fn direct(&self) -> bool {
        self.group.disks_are_direct()
    }
}

/// A buffer of zeros for filling, a piece at a time.
pub(crate) fn zeros(bytes: u64) -> AlignedBuffer {
    AlignedBuffer::zeroed((ZERO_BYTES as u64).min(bytes) as usize)
}
