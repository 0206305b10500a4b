//! The operations on the disk, in order.

use std::path::PathBuf;

use common::sync::Arc;

use super::image::Image;

/// A file, whatever its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// Notes of the workload between the operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note {
    /// Work begins that leads to the state of this number.
    Begun(usize),
    /// The state of this number must survive.
    Acknowledged(usize),
    /// The same of the states of one of several threads.
    PartBegun {
        part: usize,
        number: usize,
    },
    PartAcknowledged {
        part: usize,
        number: usize,
    },
    /// Whether the disk group can lose a disk now, and no data: see [`can_lose_disk`].
    Redundant(bool),
}

/// Whether a crash before the operation at `place` leaves a disk group that can lose a disk: it could before the
/// operation, and it can after the step that the operation is of.
#[must_use]
pub fn can_lose_disk(operations: &[Operation], place: usize) -> bool {
    let note = |operation: &Operation| match operation {
        Operation::Note(Note::Redundant(redundant)) => Some(*redundant),
        _ => None,
    };
    let before = operations[..place].iter().rev().find_map(note).unwrap_or(false);
    before && operations[place..].iter().find_map(note).unwrap_or(true)
}

impl Note {
    #[must_use]
    pub fn begun(part: usize, number: usize) -> Self {
        if part == 0 { Self::Begun(number) } else { Self::PartBegun { part, number } }
    }

    #[must_use]
    pub fn acknowledged(part: usize, number: usize) -> Self {
        if part == 0 { Self::Acknowledged(number) } else { Self::PartAcknowledged { part, number } }
    }
}

/// An operation that a crash can fall into, or a note.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `durable`: it returns when its bytes are on the disk.
    Write {
        file: FileId,
        offset: u64,
        bytes: Arc<[u8]>,
        durable: bool,
    },
    SetSize {
        file: FileId,
        bytes: u64,
    },
    /// `failed`: an error was reported, and its writes may be lost although a later sync succeeds.
    Sync {
        file: FileId,
        failed: bool,
    },
    Create {
        path: PathBuf,
        file: FileId,
    },
    Remove {
        path: PathBuf,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    SyncDirectory {
        path: PathBuf,
    },
    /// Between two lives a file gets the content that it had in an earlier image, durably.
    PutBack {
        file: FileId,
        path: PathBuf,
        earlier: Image,
    },
    /// A write or a sync begins, and ends with [`Operation::Ended`] of the same call: other threads' operations come
    /// between the two. Every other operation is atomic.
    Begun {
        call: u32,
        operation: Box<Operation>,
    },
    Ended {
        call: u32,
    },
    Note(Note),
}

impl Operation {
    /// The operation, whether it ends here or only begins.
    #[must_use]
    pub fn begun(&self) -> &Self {
        match self {
            Self::Begun { operation, .. } => operation,
            other => other,
        }
    }

    /// Goes on with a checksum over operations: the trace of a run.
    #[must_use]
    pub fn trace(&self, sum: u32) -> u32 {
        let (kind, place, length, bytes): (u8, u64, u64, &[u8]) = match self {
            Self::Write { file, offset, bytes, durable } => (u8::from(*durable), u64::from(file.0), *offset, bytes),
            Self::SetSize { file, bytes } => (2, u64::from(file.0), *bytes, &[]),
            Self::Sync { file, failed } => (3, u64::from(file.0), u64::from(*failed), &[]),
            Self::Create { path, file } => (4, u64::from(file.0), 0, path.as_os_str().as_encoded_bytes()),
            Self::Remove { path } => (5, 0, 0, path.as_os_str().as_encoded_bytes()),
            Self::Rename { from, to } => {
                let sum = crc32c::crc32c_append(sum, from.as_os_str().as_encoded_bytes());
                return crc32c::crc32c_append(sum, to.as_os_str().as_encoded_bytes());
            }
            Self::SyncDirectory { path } => (6, 0, 0, path.as_os_str().as_encoded_bytes()),
            Self::Note(Note::Begun(number)) => (7, *number as u64, 0, &[]),
            Self::Note(Note::Acknowledged(number)) => (8, *number as u64, 0, &[]),
            Self::Note(Note::PartBegun { part, number }) => (10, *part as u64, *number as u64, &[]),
            Self::Note(Note::PartAcknowledged { part, number }) => (11, *part as u64, *number as u64, &[]),
            Self::PutBack { file, path, .. } => (12, u64::from(file.0), 0, path.as_os_str().as_encoded_bytes()),
            Self::Note(Note::Redundant(redundant)) => (13, u64::from(*redundant), 0, &[]),
            Self::Begun { call, operation } => return operation.trace(crc32c::crc32c_append(sum, &call.to_le_bytes())),
            Self::Ended { call } => (9, u64::from(*call), 0, &[]),
        };
        let sum = crc32c::crc32c_append(sum, &[kind]);
        let sum = crc32c::crc32c_append(sum, &place.to_le_bytes());
        let sum = crc32c::crc32c_append(sum, &length.to_le_bytes());
        crc32c::crc32c_append(sum, bytes)
    }
}
