//! Disk groups as the database uses them: their records, and their files among the others.
//!
//! See README.md in this folder.

mod files;
mod judge;
mod name;
mod notes;
mod rebalance;
mod record;
mod rooted;

pub use asm::{
    AuSize, DiscoveredDisk, DiskGroup, DiskMode, DiskStatistics, Environment, ExtentPlace, FileInfo, FileKind,
    GroupFile, GroupStatistics, HeaderStatus, Lanes, NewDisk, NewGroup, Operation, Redundancy, STRIPE_BYTES,
    STRIPE_WIDTH, Step, Striping, make_disks,
};
pub use files::{GroupFiles, MountedGroup};
pub use name::{InGroup, group_of_new, same_file};
pub use name::{is_in_group, resolve, tag_of};
pub use record::{GroupRecord, GroupStage};
