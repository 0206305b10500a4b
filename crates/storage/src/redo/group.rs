//! Log groups as the control file describes them.

use std::path::PathBuf;

use common::{Error, ErrorKind, Number, Result};
use serde::{Deserialize, Serialize};

use super::layout::{BLOCK, FIRST_BLOCK};

/// Bytes of redo ever generated before this place: a logical position, without block headers and wastage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub struct Lsn(pub u64);

/// A place in the log files: sequence, block of the file, byte of the block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub struct Rba {
    pub sequence: u32,
    pub block: u32,
    pub offset: u16,
}

/// How a group is to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogGroupSpec {
    pub number: u32,
    /// As the user gave them; relative names are relative to the data directory. A member in a disk group has its full
    /// name there: the group has made it. None: one member with the usual name.
    pub members: Vec<String>,
    pub bytes: u64,
}

impl LogGroupSpec {
    /// A group with `members` members of the usual names: `redo01.log`, `redo01a.log`, `redo01b.log` and so on.
    #[must_use]
    pub fn usual(number: u32, members: usize, bytes: u64) -> Self {
        Self { number, members: (0..members).map(|member| usual_name(number, member)).collect(), bytes }
    }
}

fn usual_name(group: u32, member: usize) -> String {
    match member.checked_sub(1) {
        None => format!("redo{group:02}.log"),
        Some(letter) => format!("redo{group:02}{}.log", char::from(b'a' + (letter % 26) as u8)),
    }
}

/// Whether a group's redo is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogGroupState {
    /// Never written.
    Unused,
    /// Being written.
    Current,
    /// A crash would need it.
    Active,
    /// May be written again.
    Inactive,
}

impl LogGroupState {
    /// As V$LOG shows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unused => "UNUSED",
            Self::Current => "CURRENT",
            Self::Active => "ACTIVE",
            Self::Inactive => "INACTIVE",
        }
    }
}

/// A group in the control file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LogGroupRecord {
    pub number: u32,
    pub members: Vec<String>,
    pub bytes: u64,
    /// Of the redo that is or was last written to it; 0 for none.
    pub sequence: u32,
    pub state: LogGroupState,
    pub first_lsn: u64,
    pub first_scn: u64,
    pub first_us: u64,
    /// The block after the last one of the sequence; none as long as the sequence goes on. What lies behind it is of no
    /// sequence that counts.
    pub end_block: Option<u32>,
    /// Where the sequence ended, with `end_block`.
    pub end_lsn: Option<u64>,
    pub next_scn: Option<u64>,
}

impl LogGroupRecord {
    pub(super) fn new(number: u32, members: Vec<String>, bytes: u64) -> Self {
        Self {
            number,
            members,
            bytes,
            sequence: 0,
            state: LogGroupState::Unused,
            first_lsn: 0,
            first_scn: 0,
            first_us: 0,
            end_block: None,
            end_lsn: None,
            next_scn: None,
        }
    }

    /// Blocks in each member.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        u32::try_from(self.bytes / BLOCK as u64).unwrap_or(u32::MAX)
    }
}

/// What is true of the groups of a log, in memory and in the control file.
///
/// # Errors
/// ORA-00600 with what is not so.
pub(crate) fn check_groups(records: &[LogGroupRecord]) -> Result<()> {
    for (at, record) in records.iter().enumerate() {
        let (number, others) = (record.number, &records[..at]);
        invariant!(!record.members.is_empty(), "log group {number} has no members");
        invariant!(record.blocks() > FIRST_BLOCK, "log group {number} has no room: {record:?}");
        let named = |name: &String| others.iter().flat_map(|other| &other.members).any(|other| other == name);
        let twice = record.members.iter().find(|name| named(name));
        invariant!(twice.is_none(), "log member {twice:?} stands there twice");
        invariant!(others.iter().all(|other| other.number != number), "log group {number} stands there twice");
        invariant!(
            (record.sequence == 0) == (record.state == LogGroupState::Unused),
            "log group {number} has redo or has none: {record:?}"
        );
        invariant!(
            record.sequence == 0 || others.iter().all(|other| other.sequence != record.sequence),
            "log sequence {} is in two groups: {records:?}",
            record.sequence
        );
        invariant!(
            record.end_block.is_some() == record.end_lsn.is_some(),
            "log group {number} ends by half: {record:?}"
        );
        invariant!(
            record.end_block.is_none_or(|end| (FIRST_BLOCK..=record.blocks()).contains(&end)),
            "log group {number} ends outside of its file: {record:?}"
        );
        invariant!(
            record.end_lsn.is_none_or(|end| end >= record.first_lsn),
            "log group {number} ends before it begins: {record:?}"
        );
    }
    let newest = records.iter().map(|record| record.sequence).max().unwrap_or(0);
    for record in records.iter().filter(|record| record.sequence > 0) {
        invariant!(
            record.sequence == newest || (record.end_block.is_some() && record.state != LogGroupState::Current),
            "log sequence {} has a successor and goes on: {records:?}",
            record.sequence
        );
        let next = records.iter().find(|next| next.sequence == record.sequence + 1);
        invariant!(
            next.is_none_or(|next| Some(next.first_lsn) == record.end_lsn),
            "log sequence {} ends where the next does not begin: {records:?}",
            record.sequence
        );
    }
    Ok(())
}

/// What V$LOG and V$LOGFILE show about a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogGroupStatus {
    pub record: LogGroupRecord,
    /// Name and whether it could not be used when it was last tried (INVALID).
    pub members: Vec<(String, bool)>,
}

/// ORA-00313 with the members' names and what is wrong with each (ORA-00312).
pub(super) fn no_member(group: &LogGroupRecord, problems: &[(PathBuf, String)]) -> Error {
    let mut text = format!("open failed for members of log group {} of thread 1", group.number);
    for (path, why) in problems {
        text += &format!("; ORA-00312: online log {} thread 1: '{}': {why}", group.number, path.display());
    }
    Error::new(ErrorKind::Corrupt, Number::Ora(313), text)
}
