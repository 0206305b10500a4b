//! Calls that are made to fail.

use nix::errno::Errno;

/// Which calls a fault is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// Writes, including durable ones.
    Write,
    /// Syncs of files and directories.
    Sync,
    Rename,
    /// `ftruncate` and `fallocate`.
    Truncate,
}

impl FaultKind {
    pub const ALL: [Self; 4] = [Self::Write, Self::Sync, Self::Rename, Self::Truncate];
}

/// Makes one call fail: the `number`-th of its kind; the first is 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    pub number: u64,
    pub errno: Errno,
    /// Later calls of the kind fail as well: the device has gone.
    pub lasting: bool,
}
