//! The control file's record of a disk group.

use serde::{Deserialize, Serialize};

/// Stage of a statement about a group. After a crash the group itself tells whether the statement took effect.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupStage {
    /// CREATE DISKGROUP is making it.
    Creating,
    #[default]
    There,
    /// DROP DISKGROUP is dropping it.
    Dropping,
}

/// A disk group of the database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GroupRecord {
    pub name: String,
    /// Search patterns of its disks. Relative patterns are relative to the data directory.
    pub patterns: Vec<String>,
    /// Its id in hexadecimal digits; None while it is being made.
    #[serde(default)]
    pub id: Option<String>,
    /// The names of its disks.
    #[serde(default)]
    pub disks: Vec<String>,
    /// True: an open of the database mounts it.
    pub mounted: bool,
    /// Of a mirrored group: disks with an older epoch are not the group.
    #[serde(default)]
    pub epoch: Option<u64>,
    #[serde(default)]
    pub stage: GroupStage,
}

impl GroupRecord {
    /// The group's id; None when it is unknown or its text is no id.
    pub fn group_id(&self) -> Option<[u8; 16]> {
        u128::from_str_radix(self.id.as_deref()?, 16).ok().map(u128::to_be_bytes)
    }

    /// The text of an id, as the control file has it.
    pub fn id_text(id: [u8; 16]) -> String {
        format!("{:032x}", u128::from_be_bytes(id))
    }

    /// The patterns in the form that `asm` takes.
    pub fn pattern(&self) -> String {
        self.patterns.join(",")
    }
}
