//! Calls that are made to fail.

use nix::errno::Errno;

/// How the names of the mirrored group's disks begin.
pub const MIRRORED_DISK: &str = "disk3_";

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
    /// Writes and syncs of a disk of the mirrored group: from the one that fails on, all of that disk fail.
    Disk,
}

impl FaultKind {
    pub const ALL: [Self; 5] = [Self::Write, Self::Sync, Self::Rename, Self::Truncate, Self::Disk];
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
