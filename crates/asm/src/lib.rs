//! Disk groups: files spread over several disks, and mirrored, as Oracle's ASM keeps them.
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

mod alias;
mod attribute;
mod availability;
mod buffers;
mod check;
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
mod judge;
mod lane;
mod layout;
mod level;
mod membership;
mod metadata;
mod mount;
mod moves;
mod name;
mod naming;
mod patient;
mod pattern;
mod pending;
mod rebalance;
mod redundancy;
mod regions;
mod repair_time;
mod shape;
mod space;
mod statistics;
mod template;

use std::path::PathBuf;

use common::Result;
use common::sync::Arc;
use common::sync::atomic::AtomicBool;

pub use alias::is_system_name;
pub use check::{CheckReport, Problem};
pub use create::{NewDisk, NewGroup};
pub use directory::DiskMode;
pub use discovery::{DiscoveredDisk, HeaderStatus, discover};
pub use environment::{DatabaseName, Environment, Notes};
pub use file::GroupFile;
pub use judge::{Judge, JudgedFile};
pub use lane::Lanes;
pub use layout::AuSize;
pub use mount::MountOptions;
pub use name::{FileKind, FileName, NewFile};
pub use naming::{NameInfo, NameRequest};
pub use pattern::make_disks;
pub use rebalance::{Operation, Step};
pub use redundancy::Redundancy;
pub use repair_time::repair_time_us;
pub use shape::{ExtentGrowth, STRIPE_BYTES, STRIPE_WIDTH, Striping};
pub use statistics::{DiskStatistics, ExtentPlace, FileInfo, GroupStatistics};
pub use template::{Protection, Template, TemplateAttributes, TemplateRequest};

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
        let disks = disks.iter().map(NewDisk::new).collect();
        create::create(environment, &NewGroup { name: name.to_owned(), au, disks, ..NewGroup::default() })
    }

    /// As [`create`](Self::create), with a redundancy, and names and failure groups of the disks.
    ///
    /// # Errors
    /// As [`create`](Self::create); ORA-15072 for too few failure groups; ORA-15010 for a disk's name in use; ORA-15000
    /// for an invalid name of a disk or a failure group; ORA-15036 for a size that a disk does not have; those of
    /// [`set_attribute`](Self::set_attribute).
    pub fn create_with(environment: &Environment, new: &NewGroup) -> Result<Self> {
        create::create(environment, new)
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
        mount::mount(environment, name, patterns, MountOptions::default())
    }

    /// As [`mount`](Self::mount), for a caller that knows the group's id, or that does without missing disks of a
    /// mirrored group.
    ///
    /// # Errors
    /// As [`mount`](Self::mount).
    pub fn mount_with(environment: &Environment, name: &str, patterns: &str, options: MountOptions) -> Result<Self> {
        mount::mount(environment, name, patterns, options)
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
        self.group.create_file(&NewFile::new(kind, tag, bytes))
    }

    /// As [`create_file`](Self::create_file), with a template and an alias.
    ///
    /// # Errors
    /// As [`create_file`](Self::create_file); ORA-15060 without such a template; ORA-15072 when its redundancy needs
    /// more failure groups; ORA-15005 for an alias in use; ORA-15173 or ORA-15129 without its directory; ORA-15177 for
    /// one that is a directory of the system; ORA-15052, ORA-15120, ORA-15124, ORA-15126, ORA-15128 for one that is no
    /// alias; ORA-15028 for the reuse of an open file.
    pub fn create_file_with(&self, new: &NewFile<'_>) -> Result<GroupFile> {
        self.group.create_file(new)
    }

    /// Checks changes of aliases and directories, and names the files whose aliases would go or change.
    ///
    /// # Errors
    /// Of a path those of [`create_file_with`](Self::create_file_with); ORA-15012 without such a file; ORA-15176 for a
    /// file that has an alias; ORA-15113 for a directory in place of an alias; ORA-15169 for a directory in itself;
    /// ORA-15177 for a name of the system; ORA-15178 for a directory that is not empty; ORA-15001.
    pub fn check_names(&self, requests: &[NameRequest]) -> Result<Vec<FileName>> {
        self.group.check_names(requests)
    }

    /// Changes aliases and directories: all that is asked for, or nothing.
    ///
    /// # Errors
    /// As [`check_names`](Self::check_names); ORA-15041 when the metadata has no room; HW-0070.
    pub fn change_names(&self, requests: &[NameRequest]) -> Result<()> {
        self.group.change_names(requests)
    }

    /// The names of files and directories, of the system and of users, by path.
    ///
    /// # Errors
    /// ORA-15001.
    pub fn names(&self) -> Result<Vec<NameInfo>> {
        self.group.names()
    }

    /// Adds, changes and drops templates.
    ///
    /// # Errors
    /// ORA-15108 for an invalid name; ORA-15007 for one in use; ORA-15060 without such a template; ORA-15008 for the
    /// drop of a system template; ORA-15067 for a redundancy that files of the group cannot have; ORA-15041; HW-0070;
    /// ORA-15001.
    pub fn change_templates(&self, requests: &[TemplateRequest]) -> Result<()> {
        self.group.change_templates(requests)
    }

    /// The templates, those of the system first.
    ///
    /// # Errors
    /// ORA-15001.
    pub fn templates(&self) -> Result<Vec<Template>> {
        self.group.templates()
    }

    /// Sets an attribute.
    ///
    /// # Errors
    /// ORA-15240 for an unknown one; HW-0001 for one that groups do not have here; ORA-15241 for one that cannot be
    /// changed; ORA-15238, ORA-15243, ORA-15244 and ORA-15234 for a wrong value; ORA-15041; HW-0070; ORA-15001.
    pub fn set_attribute(&self, name: &str, value: &str) -> Result<()> {
        self.group.set_attribute(name, value)
    }

    /// Cells may scan the group's disks: the attribute `cell.smart_scan_capable`.
    #[must_use]
    pub fn smart_scan(&self) -> bool {
        self.group.smart_scan()
    }

    /// Names and values of the attributes, by name.
    ///
    /// # Errors
    /// ORA-15001.
    pub fn attributes(&self) -> Result<Vec<(String, String)>> {
        self.group.attributes()
    }

    /// Opens a file by its name, `+DATA/DATAFILE/USERS.256.1` or `+DATA.256.1`, or by its alias.
    ///
    /// # Errors
    /// ORA-15012 when there is none; ORA-15001.
    pub fn open(&self, name: &str) -> Result<GroupFile> {
        self.group.open(name)
    }

    /// The name that the group has given to a file, by that or by its alias.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn name_of(&self, name: &str) -> Result<FileName> {
        self.group.name_of(name)
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

    /// The copies of a file's extents, in the order of the file.
    ///
    /// # Errors
    /// ORA-15012 when there is no such file; ORA-15001.
    pub fn extents(&self, number: u32) -> Result<Vec<ExtentPlace>> {
        self.group.extents(number)
    }

    /// Takes a disk offline: it is neither read nor written until it is brought [`online`](Self::online).
    ///
    /// # Errors
    /// ORA-15054 when there is no such disk; ORA-15066 when extents would have no good copy; HW-0070; ORA-15001.
    pub fn offline(&self, disk: &str) -> Result<()> {
        self.group.offline(disk)
    }

    /// Gives a disk that is offline so many microseconds before it is dropped by force, instead of disk_repair_time.
    ///
    /// # Errors
    /// ORA-15054 when there is no such disk; HW-0070; ORA-15001.
    pub fn set_repair_time(&self, disk: &str, left_us: u64) -> Result<()> {
        self.group.set_repair_time(disk, left_us)
    }

    /// Drops the disks by force that were offline for too long, if the others have their data. Returns their names; a
    /// rebalance makes their copies elsewhere. To be called now and then.
    ///
    /// # Errors
    /// HW-0070; ORA-15001.
    pub fn drop_unrepaired(&self) -> Result<Vec<String>> {
        self.group.drop_unrepaired()
    }

    /// Brings a disk online that is found where it was, or by the patterns. Copies on it that have become old are made
    /// anew; when this returns, all of them are.
    ///
    /// # Errors
    /// ORA-15054 when there is no such disk; ORA-15042 when it is not found; ORA-15080; HW-0070; ORA-15001.
    pub fn online(&self, disk: &str, patterns: &str) -> Result<()> {
        self.group.online(disk, patterns)
    }

    /// Adds disks. New extents use them; a [`rebalance`](Self::want_rebalance) moves others there.
    ///
    /// # Errors
    /// As of [`create_with`](Self::create_with) for each disk; ORA-15041 when the metadata has no room; HW-0070;
    /// ORA-15001.
    pub fn add_disks(&self, disks: &[NewDisk]) -> Result<()> {
        self.group.add_disks(disks)
    }

    /// Drops disks. They take no new extents, and leave the group when a [`rebalance`](Self::want_rebalance) has
    /// emptied them. With `force` they leave it at once, and the copies on them are given up; a rebalance makes others.
    ///
    /// # Errors
    /// ORA-15054 when there is no such disk; ORA-15072 when too few failure groups are left; ORA-15041 when the others
    /// have no room; ORA-15084 for an offline disk without force; ORA-15067 when force would lose data, or in a group
    /// without redundancy; HW-0070; ORA-15001.
    pub fn drop_disks(&self, names: &[String], force: bool) -> Result<()> {
        self.group.drop_disks(names, force)
    }

    /// Lets the disks that are being dropped stay.
    ///
    /// # Errors
    /// HW-0070; ORA-15001.
    pub fn undrop_disks(&self) -> Result<()> {
        self.group.undrop_disks()
    }

    /// Changes the size of a disk, None: to all that its file or device has. Extents behind the new end move first.
    ///
    /// # Errors
    /// ORA-15054; ORA-15036 for more than it has; ORA-15037 for too little; ORA-15041 when its extents have no room;
    /// ORA-15084 for an offline disk; ORA-15080; HW-0070; ORA-15001.
    pub fn resize_disk(&self, name: &str, bytes: Option<u64>) -> Result<()> {
        self.group.resize_disk(name, bytes)
    }

    /// Notes that a rebalance is to be done with this power, or with power 0 that it is to pause. The note stays until
    /// the rebalance is finished, also over a dismount.
    ///
    /// # Errors
    /// HW-0070; ORA-15001.
    pub fn want_rebalance(&self, power: u16) -> Result<()> {
        self.group.want_rebalance(power)
    }

    /// The power of the rebalance that is to be done.
    #[must_use]
    pub fn wanted_rebalance(&self) -> Option<u16> {
        self.group.wanted_rebalance()
    }

    /// Carries out the rebalance that is wanted, with a thread for each unit of its power. Returns when it is finished,
    /// paused, or `stopping` is set.
    ///
    /// # Errors
    /// ORA-15041 when there is no space for a copy that has to move; ORA-15080; HW-0070; ORA-15001.
    pub fn run_rebalance(&self, stopping: &AtomicBool) -> Result<()> {
        self.group.run_rebalance(stopping)
    }

    /// Carries out one move of a rebalance, in the caller's thread.
    ///
    /// # Errors
    /// As [`run_rebalance`](Self::run_rebalance).
    pub fn rebalance_step(&self) -> Result<Step> {
        self.group.rebalance_step()
    }

    /// The rebalance that is wanted, and how far it is.
    #[must_use]
    pub fn operation(&self) -> Option<Operation> {
        self.group.operation()
    }

    /// Grows with each mount of a mirrored group and with each change of its disks: a caller that keeps it recognises
    /// disks that were away meanwhile ([`MountOptions::epoch`]).
    ///
    /// # Errors
    /// ORA-15001.
    pub fn epoch(&self) -> Result<u64> {
        Ok(self.group.state()?.directory.epoch)
    }

    /// Checks headers, metadata, allocation and the copies of all extents; with `repair` mends what has a good copy.
    /// Files may be in use.
    ///
    /// # Errors
    /// HW-0070; ORA-15001.
    pub fn check(&self, repair: bool) -> Result<CheckReport> {
        self.group.check(repair)
    }

    /// Periodic housekeeping: regions of mirrored files that are written to no more are noted as alike in all copies.
    ///
    /// # Errors
    /// HW-0070; ORA-15080; ORA-15001.
    pub fn tidy(&self) -> Result<()> {
        self.group.tidy()
    }

    /// Makes all writes durable and notes that the copies of mirrored files are alike: for a caller that has ended its
    /// writes, and will not dismount the group.
    ///
    /// # Errors
    /// HW-0070; ORA-15080; ORA-15001.
    pub fn settle(&self) -> Result<()> {
        self.group.settle()
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
