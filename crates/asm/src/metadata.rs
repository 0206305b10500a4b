//! The metadata on the disks: snapshots, and a journal of later changes.
//!
//! A copy of the metadata has two areas for snapshots and one for the journal. A snapshot of generation g is in area g
//! mod 2; the journal holds the later changes, each a frame of its own that begins in a block of its own.
//!
//! ```text
//!   | snapshot, even generations | snapshot, odd generations | change | change | change | old frames ... |
//! ```
//!
//! Why not shadow copies alone: the metadata of a large group has megabytes, and a file grows by one unit at a time.
//! Why not a journal over blocks in place: all of it is in memory anyway, since every read needs it, so one write for a
//! change is enough.
//!
//! **A change** is one frame, written durably to each copy. It has happened when it is in all of them; a change that
//! one copy alone has after a crash may count or not. **A checkpoint** writes a snapshot to the area that the current
//! one does not use, durably, to each copy; then the journal begins anew, and frames of older generations in it are
//! ignored.
//!
//! **Mount** reads all copies, takes the most advanced one, by generation and then by changes, and begins a new
//! generation in all of them before anything is read or changed. So a change that had reached one copy only is then in
//! all of them, or in none that counts.
//!
//! **After a failed write** of a group without redundancy nothing more is written: a mount finds out which copies have
//! the change. A mirrored group goes on with the other copies; the disk is taken offline in these.

use std::io;

use common::sync::Arc;
use common::{Error, Result};
use device::AlignedBuffer;
use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::codec;
use crate::directory::{Change, Directory};
use crate::disk::Disk;
use crate::error::{corrupt, from_io};
use crate::header::Id;
use crate::layout::{Areas, BLOCK};
use crate::redundancy::Redundancy;

const SNAPSHOT: [u8; 4] = *b"HWAS";
const CHANGE: [u8; 4] = *b"HWAJ";

/// In front of a snapshot or a change.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone)]
#[repr(C)]
struct Frame {
    magic: [u8; 4],
    /// CRC-32C of the frame and its content, with this field zero.
    checksum: U32,
    group: Id,
    generation: U64,
    /// Which change of its generation, from 1; 0 for a snapshot.
    sequence: U64,
    /// Bytes that follow.
    length: U64,
    /// Of what follows; 0 from before mirroring.
    version: U32,
    reserved: [u8; 12],
}

const FRAME_BYTES: usize = 64;
const _: () = assert!(size_of::<Frame>() == FRAME_BYTES);

/// Location of a copy of the metadata.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(crate) disk: Arc<Disk>,
    pub(crate) offset: u64,
}

/// The outcome of a write to all copies.
#[derive(Default, Debug)]
pub(crate) struct Written {
    /// False: the journal has no room, and nothing was written.
    pub(crate) room: bool,
    /// Disks whose copies could not be written, with the reason. They are copies no more.
    pub(crate) failed: Vec<(Arc<Disk>, Error)>,
}

/// The metadata of a mounted group on its disks.
#[derive(Debug)]
pub(crate) struct Metadata {
    group: Id,
    areas: Areas,
    copies: Vec<Copy>,
    /// The loss of a copy is survived while there is another.
    mirrored: bool,
    generation: u64,
    sequence: u64,
    /// Offset of the next change in the journal.
    at: u64,
}

/// The result of reading at mount.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) directory: Directory,
    pub(crate) metadata: Metadata,
    /// Copies that could not be read, or that were behind the chosen one; a sentence for each.
    pub(crate) behind: Vec<String>,
}

/// The content of one copy.
struct Version {
    directory: Directory,
    generation: u64,
    sequence: u64,
}

fn frame(magic: [u8; 4], group: Id, generation: u64, sequence: u64, payload: &[u8]) -> AlignedBuffer {
    let mut header = Frame {
        magic,
        checksum: 0.into(),
        group,
        generation: generation.into(),
        sequence: sequence.into(),
        length: (payload.len() as u64).into(),
        version: codec::VERSION.into(),
        reserved: [0; 12],
    };
    let bytes = (FRAME_BYTES + payload.len()).next_multiple_of(BLOCK as usize);
    let mut buffer = AlignedBuffer::zeroed(bytes);
    buffer[..FRAME_BYTES].copy_from_slice(header.as_bytes());
    buffer[FRAME_BYTES..FRAME_BYTES + payload.len()].copy_from_slice(payload);
    header.checksum = crc32c::crc32c(&buffer[..FRAME_BYTES + payload.len()]).into();
    buffer[..FRAME_BYTES].copy_from_slice(header.as_bytes());
    buffer
}

/// The frame at the start of `bytes` and its content, when it is whole and of this kind and group.
fn unframe(bytes: &[u8], magic: [u8; 4], group: Id) -> Option<(Frame, &[u8])> {
    let (frame, rest) = Frame::read_from_prefix(bytes).ok()?;
    let length = usize::try_from(frame.length.get()).ok()?;
    let payload = rest.get(..length)?;
    if frame.magic != magic || frame.group != group {
        return None;
    }
    let unsummed = Frame { checksum: 0.into(), ..frame.clone() };
    let sum = crc32c::crc32c_append(crc32c::crc32c(unsummed.as_bytes()), payload);
    (sum == frame.checksum.get()).then_some((frame, payload))
}

impl Copy {
    fn read(&self, offset: u64, bytes: u64) -> io::Result<AlignedBuffer> {
        let mut buffer = AlignedBuffer::zeroed(bytes as usize);
        self.disk.read(self.offset + offset, &mut [&mut buffer])?;
        Ok(buffer)
    }

    /// The newer of the two snapshots.
    fn snapshot(&self, group: Id, areas: Areas) -> io::Result<Option<(u64, Directory)>> {
        let mut newest = None;
        for place in [0, 1] {
            let at = place * areas.snapshot_bytes;
            // Most of the area is empty: its first block has the length.
            let first = self.read(at, BLOCK)?;
            let Ok((frame, _)) = Frame::read_from_prefix(&first) else { continue };
            let bytes = frame.length.get().saturating_add(FRAME_BYTES as u64);
            if frame.magic != SNAPSHOT || frame.group != group || bytes > areas.snapshot_bytes {
                continue;
            }
            let whole = self.read(at, bytes.next_multiple_of(BLOCK))?;
            let Some((frame, payload)) = unframe(&whole, SNAPSHOT, group) else { continue };
            let generation = frame.generation.get();
            if generation % 2 == place
                && newest.as_ref().is_none_or(|(other, _)| generation > *other)
                && let Ok(directory) = codec::decode(frame.version.get().max(codec::UNMIRRORED), payload)
            {
                newest = Some((generation, directory));
            }
        }
        Ok(newest)
    }

    /// The content of this copy.
    ///
    /// # Errors
    /// ORA-15080 when it cannot be read, ORA-15196 when there is no whole snapshot, or a change does not fit it.
    fn load(&self, group: Id, areas: Areas) -> Result<Version> {
        let Some((generation, mut directory)) = self.snapshot(group, areas).map_err(from_io)? else {
            let text =
                format!("the copy on disk \"{}\" at offset {} has no whole snapshot", self.disk.name, self.offset);
            return Err(corrupt(text));
        };
        let journal = self.read(2 * areas.snapshot_bytes, areas.journal_bytes).map_err(from_io)?;
        let (mut at, mut sequence) = (0, 0);
        while let Some((frame, payload)) = journal.get(at..).and_then(|rest| unframe(rest, CHANGE, group)) {
            if frame.generation.get() != generation || frame.sequence.get() != sequence + 1 {
                break;
            }
            directory.apply(&codec::decode_change(payload)?)?;
            sequence += 1;
            at += (FRAME_BYTES + payload.len()).next_multiple_of(BLOCK as usize);
        }
        Ok(Version { directory, generation, sequence })
    }
}

impl Metadata {
    /// For a group that is being made: nothing is written before the first [`checkpoint`](Self::checkpoint).
    pub(crate) fn new(group: Id, areas: Areas, mirrored: bool, copies: Vec<Copy>) -> Self {
        Self { group, areas, copies, mirrored, generation: 0, sequence: 0, at: 0 }
    }

    /// Gives up the copies on a disk.
    pub(crate) fn remove_copies(&mut self, disk: u16) {
        self.copies.retain(|copy| copy.disk.number != disk);
    }

    /// More copies; they are current from the next [`checkpoint`](Self::checkpoint) on.
    pub(crate) fn add_copies(&mut self, copies: impl Iterator<Item = Copy>) {
        self.copies.extend(copies);
    }

    /// Reads all places for copies and takes the most advanced one. Places on disks that are to have no copy are not
    /// copies of the result.
    ///
    /// # Errors
    /// The first place's error when none can be used.
    pub(crate) fn load(group: Id, areas: Areas, places: Vec<Copy>) -> Result<Loaded> {
        let mut best: Option<Version> = None;
        let mut states = Vec::new();
        let mut first_error = None;
        for copy in &places {
            match copy.load(group, areas) {
                Ok(version) => {
                    let reached = (version.generation, version.sequence);
                    states.push(Ok(reached));
                    if best.as_ref().is_none_or(|best| reached > (best.generation, best.sequence)) {
                        best = Some(version);
                    }
                }
                Err(error) => {
                    states.push(Err(error.text.clone()));
                    first_error.get_or_insert(error);
                }
            }
        }
        let Some(best) = best else {
            return Err(first_error.unwrap_or_else(|| corrupt("the group has no copy of its metadata")));
        };
        let reached = (best.generation, best.sequence);
        let carries = |copy: &Copy| best.directory.disks.get(&copy.disk.number).is_some_and(|disk| disk.carrier);
        let (mut behind, mut copies) = (Vec::new(), Vec::new());
        for (copy, state) in places.into_iter().zip(states) {
            if !carries(&copy) {
                continue;
            }
            let place = format!("metadata on disk \"{}\" at offset {}", copy.disk.name, copy.offset);
            match state {
                Ok(state) if state == reached => {}
                Ok(_) => behind.push(format!("{place} was older than another copy")),
                Err(why) => behind.push(format!("{place} could not be used: {why}")),
            }
            copies.push(copy);
        }
        let mirrored = best.directory.redundancy != Redundancy::External;
        let (generation, sequence) = reached;
        let metadata = Self { group, areas, copies, mirrored, generation, sequence, at: u64::MAX };
        Ok(Loaded { directory: best.directory, metadata, behind })
    }

    /// Bytes that a snapshot can have.
    pub(crate) fn capacity(&self) -> u64 {
        self.areas.snapshot_bytes - FRAME_BYTES as u64
    }

    /// Reads all copies, and compares them with what they should have. A sentence for each problem.
    pub(crate) fn check(&self, directory: &Directory) -> Vec<String> {
        let wanted = codec::encode(directory);
        let problem = |copy: &Copy| {
            let what = match copy.load(self.group, self.areas) {
                Ok(version) if (version.generation, version.sequence) != (self.generation, self.sequence) => {
                    "is of another time".to_owned()
                }
                Ok(version) if codec::encode(&version.directory) != wanted => "has other content".to_owned(),
                Ok(_) => return None,
                Err(error) => format!("could not be used: {error}"),
            };
            Some(format!("metadata on disk \"{}\" at offset {} {what}", copy.disk.name, copy.offset))
        };
        self.copies.iter().filter_map(problem).collect()
    }

    /// Begins a new generation with all of the metadata.
    ///
    /// # Errors
    /// ORA-15080. Then the disks' generation is unknown, and nothing more must be written.
    pub(crate) fn checkpoint(&mut self, directory: &Directory) -> Result<Written> {
        let generation = self.generation + 1;
        let buffer = frame(SNAPSHOT, self.group, generation, 0, &codec::encode(directory));
        if buffer.len() as u64 > self.areas.snapshot_bytes {
            return Err(corrupt("the metadata has become larger than its place"));
        }
        let failed = self.write((generation % 2) * self.areas.snapshot_bytes, &buffer)?;
        self.generation = generation;
        self.sequence = 0;
        self.at = 0;
        Ok(Written { room: true, failed })
    }

    /// Appends a change of this generation, where the journal has room for it.
    ///
    /// # Errors
    /// As [`checkpoint`](Self::checkpoint).
    pub(crate) fn append(&mut self, change: &Change) -> Result<Written> {
        let buffer = frame(CHANGE, self.group, self.generation, self.sequence + 1, &codec::encode_change(change));
        let end = self.at.saturating_add(buffer.len() as u64);
        if end > self.areas.journal_bytes {
            return Ok(Written::default());
        }
        let failed = self.write(2 * self.areas.snapshot_bytes + self.at, &buffer)?;
        self.sequence += 1;
        self.at = end;
        Ok(Written { room: true, failed })
    }

    /// Writes to the same offset in each copy, durably. Returns the disks that are copies no more.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<Vec<(Arc<Disk>, Error)>> {
        let mut failed: Vec<(Arc<Disk>, Error)> = Vec::new();
        if self.copies.is_empty() {
            return Err(corrupt("the group has no disk with a copy of its metadata"));
        }
        if self.mirrored {
            // The copies are on different disks, which write at the same time.
            let mut copied = None;
            let started: Vec<_> = (self.copies.iter())
                .map(|copy| copy.disk.start_write(copy.offset + offset, &[bytes], &mut copied, true))
                .collect();
            for (write, copy) in started.into_iter().zip(&self.copies) {
                if let Err(error) = write.wait().map_err(from_io) {
                    failed.push((Arc::clone(&copy.disk), error));
                }
            }
        } else {
            for copy in &self.copies {
                copy.disk.write_durable(copy.offset + offset, &[bytes]).map_err(from_io)?;
            }
        }
        self.copies.retain(|copy| !failed.iter().any(|(disk, _)| disk.number == copy.disk.number));
        match failed.pop() {
            Some((_, error)) if self.copies.is_empty() => Err(error),
            last => {
                failed.extend(last);
                Ok(failed)
            }
        }
    }
}
