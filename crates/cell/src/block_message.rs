//! Requests for bytes of a disk, and what comes before the bytes of an answer.
//!
//! Only the heads are made here; the bytes themselves follow a head, and a cell in this process takes them where they
//! are. The length of a message is that of its head and its bytes.

use crate::message::{VERSION, put_bytes, put_number};

/// What is asked of a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlockRequest {
    /// So many bytes from an offset on.
    Read {
        offset: u64,
        bytes: u64,
    },
    /// So many bytes follow.
    Write {
        offset: u64,
        bytes: u64,
        durable: bool,
    },
    Sync,
    Size,
}

impl BlockRequest {
    /// The bytes before those that a write has.
    pub(crate) fn head(self, disk: &str) -> Vec<u8> {
        let mut to = Vec::with_capacity(32);
        to.push(VERSION);
        put_bytes(&mut to, disk.as_bytes());
        match self {
            Self::Read { offset, bytes } => {
                to.push(0);
                put_number(&mut to, offset);
                put_number(&mut to, bytes);
            }
            Self::Write { offset, bytes, durable } => {
                to.push(if durable { 2 } else { 1 });
                put_number(&mut to, offset);
                put_number(&mut to, bytes);
            }
            Self::Sync => to.push(3),
            Self::Size => to.push(4),
        }
        to
    }

    /// Length of the request, in bytes.
    pub(crate) fn message_bytes(self, disk: &str) -> u64 {
        let follow = if let Self::Write { bytes, .. } = self { bytes } else { 0 };
        self.head(disk).len() as u64 + follow
    }

    /// Length of the answer to it, in bytes: the version, whether it was done, and what was asked for.
    pub(crate) fn answer_bytes(self) -> u64 {
        let mut to = vec![VERSION, 1];
        match self {
            Self::Read { bytes, .. } => {
                put_number(&mut to, bytes);
                to.len() as u64 + bytes
            }
            Self::Write { .. } | Self::Sync => to.len() as u64,
            Self::Size => to.len() as u64 + 8,
        }
    }
}
