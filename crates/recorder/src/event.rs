//! Events of a recording.

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
    /// Removal of a file or an empty directory.
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

/// End of a life of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LifeEnd {
    /// Normal end, with this exit code.
    Exited(i32),
    /// `kill -9`: writes stay in the page cache.
    Killed,
}

/// One moment of a recording. Between two moments no crash is distinguishable.
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
    /// Output of the process to its client.
    Said(Vec<u8>),
    /// A process begins to work on the files of the one before.
    LifeBegun,
    LifeEnded(LifeEnd),
}
