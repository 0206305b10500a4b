//! What a recording consists of.

use std::path::PathBuf;

use common::sync::Arc;
use sim::disk::FileId;

/// A change of the disk, or a promise about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `durable`: the bytes are on the disk when the call returns.
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
    Sync {
        file: FileId,
    },
    Create {
        path: PathBuf,
        file: FileId,
    },
    MakeDirectory {
        path: PathBuf,
    },
    /// Of a file or an empty directory.
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
}

/// Number of an operation in its recording.
pub type OperationNumber = usize;

/// How a life of the process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LifeEnd {
    /// By itself, with this exit code.
    Exited(i32),
    /// `kill -9`: what was written stays in the page cache.
    Killed,
}

/// One moment of a recording. Whatever happens between two moments happens at neither's side of a crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The kernel has been asked for the operation.
    Begun {
        number: OperationNumber,
        operation: Operation,
    },
    /// The operation has returned; a write may have moved fewer bytes than asked.
    Ended {
        number: OperationNumber,
        moved: usize,
    },
    /// The operation has failed and changed nothing.
    Failed {
        number: OperationNumber,
    },
    /// The process has said this to its client.
    Said(Vec<u8>),
    /// A process begins to work on what the one before has left.
    LifeBegun,
    LifeEnded(LifeEnd),
}
