//! Faults of single files, such as a group's disks: they last until they are healed, or until what is bad is written.

use std::ops::Range;

use super::operation::FileId;

/// A fault of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileFault {
    /// No request succeeds, nor an open.
    Gone,
    /// No request is answered in time, nor an open. Of the writes some reach the disk at once, and the others when the
    /// fault ends.
    Hanging,
    /// The nth read, write or sync from now on fails, once; 1 is the next.
    Read(u64),
    Write(u64),
    Sync(u64),
    /// Reads of this range fail until it is written whole.
    Unreadable(Range<u64>),
    /// A bit of the byte at this offset is flipped, until it is written. A crash leaves the byte as it was: the
    /// recording does not have the flip.
    Flipped(u64),
}

/// Requests that met a fault, by its kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FaultsMet {
    pub gone: u64,
    pub hanging: u64,
    pub reads: u64,
    pub writes: u64,
    pub syncs: u64,
    pub unreadable: u64,
    pub flipped: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Request {
    Read { offset: u64, bytes: u64 },
    Write,
    Sync,
}

/// A write that was given up, and has not reached its file.
#[derive(Debug)]
pub(super) struct LateWrite {
    pub(super) file: FileId,
    pub(super) offset: u64,
    pub(super) bytes: Box<[u8]>,
}

/// The faults that are set.
#[derive(Default, Debug)]
pub(super) struct Broken {
    faults: Vec<(FileId, FileFault)>,
    pub(super) met: FaultsMet,
    late: Vec<LateWrite>,
}

fn overlap(range: &Range<u64>, offset: u64, bytes: u64) -> bool {
    range.start < offset + bytes && offset < range.end
}

impl Broken {
    pub(super) fn set(&mut self, file: FileId, fault: FileFault) {
        self.faults.push((file, fault));
    }

    /// Ends all faults. The writes that were given up reach their files now.
    #[must_use]
    pub(super) fn heal(&mut self) -> Vec<LateWrite> {
        self.faults.clear();
        std::mem::take(&mut self.late)
    }

    /// Holds a write to a file that hangs. False: it is one of those that reach the file at once.
    pub(super) fn hold(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> bool {
        let held = !self.met.hanging.is_multiple_of(3);
        if held {
            self.late.push(LateWrite { file, offset, bytes: bytes.into() });
        }
        held
    }

    pub(super) fn is_hanging(&self, file: FileId) -> bool {
        self.faults.contains(&(file, FileFault::Hanging))
    }

    pub(super) fn is_gone(&self, file: FileId) -> bool {
        self.faults.contains(&(file, FileFault::Gone))
    }

    /// Whether faults are set that did not strike yet, or still do.
    pub(super) fn is_any(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Whether a request fails.
    pub(super) fn fails(&mut self, file: FileId, request: Request) -> bool {
        if self.faults.is_empty() {
            return false;
        }
        if self.is_gone(file) {
            self.met.gone += 1;
            return true;
        }
        if self.is_hanging(file) {
            self.met.hanging += 1;
            return true;
        }
        let mut fails = false;
        let met = &mut self.met;
        self.faults.retain_mut(|(of, fault)| {
            if *of != file {
                return true;
            }
            let (left, count) = match (fault, request) {
                (FileFault::Read(left), Request::Read { .. }) => (left, &mut met.reads),
                (FileFault::Write(left), Request::Write) => (left, &mut met.writes),
                (FileFault::Sync(left), Request::Sync) => (left, &mut met.syncs),
                (FileFault::Unreadable(range), Request::Read { offset, bytes }) if overlap(range, offset, bytes) => {
                    met.unreadable += 1;
                    fails = true;
                    return true;
                }
                _ => return true,
            };
            *left = left.saturating_sub(1);
            if *left == 0 {
                *count += 1;
                fails = true;
            }
            *left > 0
        });
        fails
    }

    /// Flips the bits that are flipped in what was read.
    pub(super) fn flip(&mut self, file: FileId, offset: u64, buffers: &mut [&mut [u8]]) {
        let Self { faults, met, .. } = self;
        for (of, fault) in faults {
            let FileFault::Flipped(at) = fault else { continue };
            let Some(mut at) = at.checked_sub(offset).filter(|_| *of == file) else { continue };
            for buffer in &mut *buffers {
                if let Some(byte) = buffer.get_mut(at as usize) {
                    *byte ^= 0x10;
                    met.flipped += 1;
                    break;
                }
                at -= buffer.len() as u64;
            }
        }
    }

    /// Bytes were written: what was bad there is good.
    pub(super) fn written(&mut self, file: FileId, offset: u64, bytes: u64) {
        self.faults.retain(|(of, fault)| match fault {
            FileFault::Unreadable(range) => *of != file || range.start < offset || range.end > offset + bytes,
            FileFault::Flipped(at) => *of != file || !(offset..offset + bytes).contains(at),
            _ => true,
        });
    }
}
