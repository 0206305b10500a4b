//! The control file: what belongs to the database, and whether it was closed cleanly.
//!
//! See README.md in this folder.

mod file;
mod slots;

pub use file::{
    Autoextend, ControlData, ControlFile, DatafileRecord, Existing, ExtentManagement, Shutdown, SpaceManagement,
    TablespaceKind, TablespaceRecord, is_group_alone,
};
