//! The rows of V$ASM_DISKGROUP, V$ASM_DISK and V$ASM_FILE.

use std::path::PathBuf;

use crate::layout::AuSize;
use crate::name::FileName;

/// A group. Space in bytes, all disks together; counts since the group was mounted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupStatistics {
    pub name: String,
    pub au_size: AuSize,
    pub total_bytes: u64,
    pub free_bytes: u64,
    pub files: usize,
    /// Files that are open.
    pub open_files: usize,
    /// Requests of files: reads and writes.
    pub reads: u64,
    pub writes: u64,
    /// Of these, requests across the end of an allocation unit.
    pub reads_cut: u64,
    pub writes_cut: u64,
    pub disks: Vec<DiskStatistics>,
}

/// A disk. Its reads and writes include metadata; the group's own counts do not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiskStatistics {
    pub number: u16,
    pub name: String,
    pub path: PathBuf,
    /// Bytes of the file or block device; 0 when unknown.
    pub os_bytes: u64,
    /// Bytes of its allocation units.
    pub total_bytes: u64,
    pub free_bytes: u64,
    pub reads: u64,
    pub writes: u64,
    pub read_errors: u64,
    pub write_errors: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub read_us: u64,
    pub write_us: u64,
    pub syncs: u64,
    /// A write of it was not made durable; it takes no more writes until the group is mounted again.
    pub failed: bool,
}

/// A file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileInfo {
    pub name: FileName,
    /// Bytes as its users see them.
    pub bytes: u64,
    /// Bytes of its allocation units.
    pub space: u64,
    /// Microseconds since 1970-01-01 UTC.
    pub created_us: u64,
    pub open: bool,
}
