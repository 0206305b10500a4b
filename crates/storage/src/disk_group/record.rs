//! What the control file says about a disk group.

use serde::{Deserialize, Serialize};

/// How far a statement about a group has come; after a crash the group itself tells what became of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupStage {
    /// It is being made.
    Creating,
    #[default]
    There,
    /// It is being dropped.
    Dropping,
}

/// A disk group of the database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GroupRecord {
    pub name: String,
    /// Where its disks are looked for; relative ones are relative to the data directory.
    pub patterns: Vec<String>,
    /// Its id in hexadecimal digits; none while it is being made.
    #[serde(default)]
    pub id: Option<String>,
    /// The names of its disks.
    #[serde(default)]
    pub disks: Vec<String>,
    /// Whether it is mounted when the database opens.
    pub mounted: bool,
    #[serde(default)]
    pub stage: GroupStage,
}

impl GroupRecord {
    /// The group's id, when it is known and reads as one.
    pub fn group_id(&self) -> Option<[u8; 16]> {
        u128::from_str_radix(self.id.as_deref()?, 16).ok().map(u128::to_be_bytes)
    }

    /// An id as it is kept.
    pub fn id_text(id: [u8; 16]) -> String {
        format!("{:032x}", u128::from_be_bytes(id))
    }

    /// The patterns as the crate takes them.
    pub fn pattern(&self) -> String {
        self.patterns.join(",")
    }
}
