//! The control file: what belongs to the database, and whether it was closed cleanly.
//!
//! See README.md in this folder.

mod file;

pub use file::{
    Autoextend, ControlData, ControlFile, DatafileRecord, Existing, ExtentManagement, Shutdown, SpaceManagement,
    TablespaceKind, TablespaceRecord,
};
