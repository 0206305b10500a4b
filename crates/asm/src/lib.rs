//! Disk groups: files spread over several disks, as Oracle's ASM with external redundancy keeps them.
//!
//! ```text
//!     GroupFile (a device::Device) ── extents ──> pieces ──> Disk ──> device::Device of a file or block device
//!          │
//!     DiskGroup ──> Group ──┬── Directory   files and their extents, in memory
//!                           ├── Space       which allocation units are free; follows from the extents
//!                           └── Metadata    snapshots and a journal of changes, on up to three disks
//! ```
//!
//! See README.md.

mod codec;
mod create;
mod cut;
mod directory;
mod discovery;
mod disk;
mod environment;
mod error;
mod file;
mod group;
mod header;
mod layout;
mod metadata;
mod mount;
mod name;
mod pattern;
mod pending;
mod space;
mod statistics;

use std::path::PathBuf;

use common::Result;
use common::sync::Arc;

pub use discovery::{DiscoveredDisk, HeaderStatus, discover};
pub use environment::Environment;
pub use file::GroupFile;
pub use layout::AuSize;
pub use name::{FileKind, FileName};
pub use pattern::make_disks;
pub use statistics::{DiskStatistics, FileInfo, GroupStatistics};

/// A mounted disk group. Its disks are claimed until this and all of its open files are dropped.
#[derive(Debug)]
pub struct DiskGroup {
    group: Arc<group::Group>,
    repaired: Vec<String>,
}

impl DiskGroup {
    /// Makes a group of these disks and mounts it. A disk is a file or a block device that is empty (its first 4 KB are
    /// zeros), or that was in a dropped group. Disks are named after the group and their place in the list:
    /// `DATA_0000`.
    ///
    /// # Errors
    /// ORA-15100 for an invalid name; ORA-15031 for no disks or too many; ORA-15020 for a disk given twice; ORA-15025
    /// for one that cannot be opened; ORA-15033 for one of another group; HW-0073 for one with other content; ORA-15037
    /// for one that is too small; ORA-15029 for one in use; ORA-15080 when a disk cannot be written. Until the last of
    /// these nothing has been written.
    pub fn create(environment: &Environment, name: &str, disks: &[PathBuf], au: AuSize) -> Result<Self> {
        create::create(environment, name, disks, au)
    }

    /// Finds a group's disks among the paths that the patterns match, and mounts it. Patterns are separated by commas;
    /// in a part of a path `*` stands for any characters, `?` for one and `%n` for a number. Disks of other
    /// groups and other files are skipped.
    ///
    /// # Errors
    /// ORA-15031 without a match of the patterns; ORA-15063 when no disk of the group is found; ORA-15030 when there
    /// are two groups of the name; ORA-15020 for a disk found twice; ORA-15024 for two with the same header; HW-0074
    /// for one that does not match its header; ORA-15042 with the names of missing disks; ORA-15036 for one that has
    /// become shorter; ORA-15029 for one in use; ORA-15001 when the group was being dropped; ORA-15196 when no copy of
    /// the metadata is usable, or it contradicts itself; ORA-15080.
    pub fn mount(environment: &Environment, name: &str, patterns: &str) -> Result<Self> {
        mount::mount(environment, name, patterns, None)
    }

    /// As [`mount`](Self::mount), for a caller that knows the group's id: disks of another group of the same name are
    /// skipped.
    ///
    /// # Errors
    /// As [`mount`](Self::mount).
    pub fn mount_known(environment: &Environment, name: &str, patterns: &str, id: [u8; 16]) -> Result<Self> {
        mount::mount(environment, name, patterns, Some(id))
    }

    /// In capitals.
    #[must_use]
    pub fn name(&self) -> &str {
        self.group.group_name()
    }

    /// No two groups have the same.
    #[must_use]
    pub fn id(&self) -> [u8; 16] {
        self.group.header().group
    }

    #[must_use]
    pub fn au_size(&self) -> AuSize {
        self.group.header().au
    }

    /// When the group was made, microseconds since 1970-01-01 UTC.
    #[must_use]
    pub fn created_us(&self) -> u64 {
        self.group.header().created_us
    }

    /// The repairs of the mount from copies, a sentence for each; they belong in the alert log.
    #[must_use]
    pub fn repaired(&self) -> &[String] {
        &self.repaired
    }

    /// Makes a file of `bytes` zeros, durably. `tag` is the middle of its name: a tablespace's, `group_1`.
    ///
    /// # Errors
    /// ORA-15124 or ORA-15126 for the tag; ORA-15041 when there is no space; HW-0070; ORA-15080; ORA-15001.
    pub fn create_file(&self, kind: FileKind, tag: &str, bytes: u64) -> Result<GroupFile> {
        self.group.create_file(kind, tag, bytes)
    }

    /// Opens a file by its name, `+DATA/DATAFILE/USERS.256.1` or `+DATA.256.1`.
    ///
    /// # Errors
    /// ORA-15012 when there is none; ORA-15001.
    pub fn open(&self, name: &str) -> Result<GroupFile> {
        self.group.open(name)
    }

    /// Opens a file by its number.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_number(&self, number: u32) -> Result<GroupFile> {
        self.group.open_number(number)
    }

    /// Deletes a file; its space is free when this returns.
    ///
    /// # Errors
    /// ORA-15012 when there is none; ORA-15028 while it is open; HW-0070; ORA-15001.
    pub fn delete(&self, name: &str) -> Result<()> {
        self.group.delete(name)
    }

    /// The files, by number.
    ///
    /// # Errors
    /// ORA-15001.
    pub fn files(&self) -> Result<Vec<FileInfo>> {
        self.group.files()
    }

    #[must_use]
    pub fn statistics(&self) -> GroupStatistics {
        self.group.statistics()
    }

    /// Lets the group be used no more. Its disks are free for others once this is dropped.
    ///
    /// # Errors
    /// ORA-15027 while files are open; ORA-15001.
    pub fn dismount(&self) -> Result<()> {
        self.group.dismount()
    }

    /// Drops the group: its disks become former disks, which can be taken again.
    ///
    /// # Errors
    /// ORA-15027 while files are open; ORA-15053 when there are files, without `including_contents`; HW-0070;
    /// ORA-15001; ORA-15080 when the group is dropped, but a disk's header does not say so yet.
    pub fn drop_group(&self, including_contents: bool) -> Result<()> {
        self.group.drop_group(including_contents)
    }
}
