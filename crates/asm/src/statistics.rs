//! The rows of V$ASM_DISKGROUP, V$ASM_DISK and V$ASM_FILE.

use std::collections::BTreeMap;
use std::path::PathBuf;

use common::sync::atomic::{AtomicU64, Ordering};

use crate::directory::{DiskEntry, DiskMode};
use crate::disk::{Counters, Disk};
use crate::layout::AuSize;
use crate::name::FileName;
use crate::redundancy::Redundancy;
use crate::shape::Striping;

/// A group. Space in bytes, all disks together; counts since the group was mounted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupStatistics {
    pub name: String,
    pub au_size: AuSize,
    pub redundancy: Redundancy,
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
    /// Copies that were written again from another one.
    pub repairs: u64,
    /// Regions whose copies may differ, and those whose copies on disks that are not online are old.
    pub dirty_regions: usize,
    pub stale_regions: usize,
    pub disks: Vec<DiskStatistics>,
}

/// A disk. Its reads and writes include metadata; the group's own counts do not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiskStatistics {
    pub number: u16,
    pub name: String,
    pub failure_group: String,
    pub mode: DiskMode,
    /// It is being dropped.
    pub dropping: bool,
    /// It has a current copy of the metadata.
    pub carrier: bool,
    /// When it went offline, microseconds since 1970-01-01 UTC.
    pub offline_since_us: Option<u64>,
    /// When it is not online: microseconds after which it is dropped, if the group is mounted for so long.
    pub repair_left_us: Option<u64>,
    /// None: it is not to be found.
    pub path: Option<PathBuf>,
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

impl GroupStatistics {
    /// Bytes that must be free so that all copies can be made again after the loss of a failure group, the largest one;
    /// with three copies after the loss of two.
    #[must_use]
    pub fn required_mirror_free_bytes(&self) -> u64 {
        let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
        for disk in &self.disks {
            *groups.entry(&disk.failure_group).or_default() += disk.total_bytes;
        }
        let mut sizes: Vec<u64> = groups.into_values().collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes.iter().take(usize::from(self.redundancy.copies()) - 1).sum()
    }

    /// Bytes of new files that leave so much free on disks that take them; below 0 when less is free already.
    #[must_use]
    pub fn usable_file_bytes(&self) -> i64 {
        let usable = self.disks.iter().filter(|disk| disk.mode == DiskMode::Online && !disk.dropping);
        let free: u64 = usable.map(|disk| disk.free_bytes).sum();
        let left = free as i64 - self.required_mirror_free_bytes() as i64;
        left / i64::from(self.redundancy.copies())
    }
}

impl DiskStatistics {
    pub(crate) fn new(entry: &DiskEntry, disk: Option<&Disk>, total_bytes: u64, free_bytes: u64) -> Self {
        let count = |counter: fn(&Counters) -> &AtomicU64| {
            disk.map_or(0, |disk| counter(&disk.counters).load(Ordering::Relaxed))
        };
        Self {
            number: entry.number,
            name: entry.name.clone(),
            failure_group: entry.failure_group.clone(),
            mode: entry.mode,
            dropping: entry.dropping,
            carrier: entry.carrier,
            offline_since_us: Some(entry.offline_since_us).filter(|since| *since > 0),
            repair_left_us: None,
            path: disk.map(|disk| disk.path.clone()),
            os_bytes: disk.map_or(0, Disk::os_bytes),
            total_bytes,
            free_bytes,
            reads: count(|counters| &counters.reads),
            writes: count(|counters| &counters.writes),
            read_errors: count(|counters| &counters.read_errors),
            write_errors: count(|counters| &counters.write_errors),
            bytes_read: count(|counters| &counters.bytes_read),
            bytes_written: count(|counters| &counters.bytes_written),
            read_us: count(|counters| &counters.read_us),
            write_us: count(|counters| &counters.write_us),
            syncs: count(|counters| &counters.syncs),
            failed: disk.is_some_and(Disk::has_failed),
        }
    }
}

/// Location of one copy of an extent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExtentPlace {
    /// Offset in the file of the extent's first byte; of the eight extents that a finely striped file fills at the same
    /// time, as if they were filled one after another.
    pub file_offset: u64,
    /// 0 for the primary copy.
    pub copy: u8,
    pub disk: u16,
    /// Offset on the disk.
    pub offset: u64,
    pub bytes: u64,
}

/// A file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileInfo {
    pub name: FileName,
    /// Bytes as its users see them.
    pub bytes: u64,
    /// Bytes of its allocation units, of all copies.
    pub space: u64,
    pub copies: u8,
    pub striping: Striping,
    /// Microseconds since 1970-01-01 UTC.
    pub created_us: u64,
    pub open: bool,
    /// The name that a user has given it, with the group.
    pub alias: Option<String>,
}
