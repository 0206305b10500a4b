//! Disk groups as the database uses them: their records, and their files among the others.
//!
//! See README.md in this folder.

mod epochs;
mod files;
mod judge;
mod name;
mod notes;
mod rebalance;
mod record;
mod rooted;

pub use asm::{
    AuSize, DiscoveredDisk, DiskGroup, DiskMode, DiskStatistics, Environment, ExtentPlace, FileInfo, FileKind,
    GroupFile, GroupStatistics, HeaderStatus, Lanes, NameInfo, NameRequest, NewDisk, NewGroup, Operation, Protection,
    Redundancy, STRIPE_BYTES, STRIPE_WIDTH, Step, Striping, Template, TemplateAttributes, TemplateRequest, make_disks,
    repair_time_us,
};
pub use epochs::GroupEpochs;
pub use files::{GroupFiles, MountedGroup};
pub use judge::LogVersion;
pub use name::{
    InGroup, NewName, group_name_of, group_of_new, is_in_group, is_named_by_group, resolve, same_file, tag_of,
};
pub use record::{GroupRecord, GroupStage};
