//! The control file: what belongs to the database, and whether it was closed cleanly.
//!
//! Two copies, `control01.ctl` and `control02.ctl`, each a line of header and a JSON document:
//!
//! ```text
//! HIGHWATER CONTROL 1 <CRC-32C of the rest> <sequence>
//! { "database_id": …, "tablespaces": […], "datafiles": […] }
//! ```
//!
//! Each change writes both whole (temporary file, sync, rename), one after the other, so a crash leaves at least one. At open the valid copy with the
//! higher sequence counts; with no valid copy the database is refused.
//!
//! A change that fails may be in one copy by then, and would count at the next open though it was reported as not made. So the document is written once
//! more as it was, under a later sequence; where that fails too nobody knows which of the two counts, and the instance stops.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{BlockSize, Error, ErrorKind, FileNumber, Number, Result, TablespaceNumber};
use device::FileSystem;
use serde::{Deserialize, Serialize};

use super::health::Health;
use crate::disk_group::GroupRecord;
use crate::redo::{LogGroupRecord, Rba};

const COPIES: [&str; 2] = ["control01.ctl", "control02.ctl"];
const HEADER: &str = "HIGHWATER CONTROL 1";

/// How extents are sized.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtentManagement {
    /// 64 KB, 1 MB, 8 MB, 64 MB as the segment grows.
    Autoallocate,
    /// Every extent has this many blocks.
    Uniform { blocks: u32 },
}

/// How the room in a segment's blocks is kept track of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpaceManagement {
    /// Freelists.
    Manual,
    /// Bitmaps.
    Auto,
}

/// What a tablespace is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TablespaceKind {
    /// Tables and indexes.
    #[default]
    Permanent,
    /// Undo segments, and nothing else.
    Undo,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TablespaceRecord {
    pub number: u32,
    pub name: String,
    pub block_bytes: u64,
    pub extent_management: ExtentManagement,
    pub space_management: SpaceManagement,
    #[serde(default)]
    pub kind: TablespaceKind,
    /// RETENTION GUARANTEE: undo that is within undo_retention is kept at the price of statements that fail.
    #[serde(default)]
    pub retention_guarantee: bool,
}

impl TablespaceRecord {
    /// # Errors
    /// When the stored size is none of ours.
    pub fn block_size(&self) -> Result<BlockSize> {
        BlockSize::from_bytes(self.block_bytes)
    }

    #[must_use]
    pub fn tablespace(&self) -> TablespaceNumber {
        TablespaceNumber(self.number)
    }
}

/// `next` and `max` in blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Autoextend {
    pub next: u32,
    pub max: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DatafileRecord {
    pub number: u16,
    pub tablespace: u32,
    /// As the user gave it; relative names are relative to the data directory.
    pub name: String,
    pub blocks: u32,
    pub autoextend: Option<Autoextend>,
    pub created_us: u64,
    /// Redo from before this is of another file that had the number.
    #[serde(default)]
    pub created_scn: u64,
    /// When the file was made shorter, and to how many blocks: redo of blocks behind that and from before is of blocks that are gone, also when
    /// the file has grown again since. Both rise from one to the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<(u64, u32)>,
}

impl DatafileRecord {
    #[must_use]
    pub fn file(&self) -> FileNumber {
        FileNumber(self.number)
    }

    /// Notes that the file is cut to so many blocks at this SCN.
    pub(crate) fn cut(&mut self, scn: u64, blocks: u32) {
        self.cuts.retain(|(_, other)| *other < blocks);
        self.cuts.push((scn, blocks));
    }

    /// Whether a change of a block at this SCN was made to this file, and not to what had its number or its place before.
    pub(crate) fn had(&self, block: u32, scn: u64) -> bool {
        scn >= self.created_scn && self.cuts.iter().all(|(at, blocks)| block < *blocks || scn >= *at)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shutdown {
    Clean,
    /// The instance is running, or it died.
    Open,
}

/// The document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ControlData {
    pub sequence: u64,
    pub database_id: u64,
    pub database_name: String,
    pub created_us: u64,
    pub block_bytes: u64,
    pub shutdown: Shutdown,
    pub scn: u64,
    /// What each datafile's header says since the last clean close; after a crash headers may be of any time, and redo tells.
    #[serde(default)]
    pub closed_scn: Option<u64>,
    pub tablespaces: Vec<TablespaceRecord>,
    pub datafiles: Vec<DatafileRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disk_groups: Vec<GroupRecord>,
    /// None in a database that was made before there was redo.
    #[serde(default)]
    pub log_groups: Vec<LogGroupRecord>,
    /// Where redo has to be read from after a crash.
    #[serde(default)]
    pub checkpoint: Option<Rba>,
    /// Small facts of other parts, such as where the dictionary starts.
    pub bootstrap: BTreeMap<String, String>,
}

/// The control file of a running instance.
#[derive(Debug)]
pub struct ControlFile {
    files: Arc<dyn FileSystem>,
    directory: PathBuf,
    data: ControlData,
    /// Of the instance, once there is one.
    health: Option<Arc<Health>>,
}

fn bad(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Corrupt, Number::Ora(205), text)
}

impl ControlFile {
    /// Writes the control file of a new database.
    ///
    /// # Errors
    /// ORA-00200 when it cannot be written, or when the directory has one already.
    pub fn create(files: Arc<dyn FileSystem>, directory: &Path, data: ControlData) -> Result<Self> {
        let mut control = Self { files, directory: directory.to_owned(), data, health: None };
        control.write()?;
        Ok(control)
    }

    /// Whether a directory holds a database.
    #[must_use]
    pub fn exists(files: &dyn FileSystem, directory: &Path) -> bool {
        COPIES.iter().any(|copy| files.exists(&directory.join(copy)).unwrap_or(true))
    }

    /// Reads both copies and takes the newer valid one.
    ///
    /// # Errors
    /// ORA-00205 when no copy is valid.
    pub fn open(files: Arc<dyn FileSystem>, directory: &Path) -> Result<Self> {
        let mut best: Option<ControlData> = None;
        let mut problems = Vec::new();
        for copy in COPIES {
            let parsed =
                files.read_whole(&directory.join(copy)).map_err(|e| e.to_string()).and_then(|bytes| parse(&bytes));
            match parsed {
                Ok(data) if best.as_ref().is_none_or(|b| b.sequence < data.sequence) => best = Some(data),
                Ok(_) => {}
                Err(why) => problems.push(format!("{copy}: {why}")),
            }
        }
        let data = best.ok_or_else(|| bad(format!("no valid control file ({})", problems.join("; "))))?;
        Ok(Self { files, directory: directory.to_owned(), data, health: None })
    }

    #[must_use]
    pub fn data(&self) -> &ControlData {
        &self.data
    }

    /// Who is told when it is not known any more what the copies say.
    pub(super) fn set_health(&mut self, health: Arc<Health>) {
        self.health = Some(health);
    }

    /// Changes the document and writes it; on an error the document is as it was, in the copies too.
    ///
    /// # Errors
    /// ORA-00206 when a copy cannot be written; HW-0010, and the instance is stopped, when it cannot be written as it was either.
    pub fn update<R>(&mut self, change: impl FnOnce(&mut ControlData) -> R) -> Result<R> {
        let before = self.data.clone();
        let result = change(&mut self.data);
        let Err(error) = self.write() else { return Ok(result) };
        let sequence = self.data.sequence;
        self.data = ControlData { sequence, ..before };
        match (self.write(), &self.health) {
            (Err(again), Some(health)) => Err(health.stop(&again)),
            _ => Err(error),
        }
    }

    fn write(&mut self) -> Result<()> {
        self.data.sequence += 1;
        let body = serde_json::to_string_pretty(&self.data).map_err(|e| Error::bug(e.to_string()))?;
        let bytes = format!("{HEADER} {:08x} {}\n{body}\n", crc32c::crc32c(body.as_bytes()), self.data.sequence);
        for copy in COPIES {
            self.files.write_whole(&self.directory.join(copy), bytes.as_bytes()).map_err(|e| {
                Error::new(ErrorKind::Io, Number::Ora(206), format!("error in writing control file '{copy}': {e}"))
            })?;
        }
        Ok(())
    }
}

fn parse(bytes: &[u8]) -> Result<ControlData, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "not text".to_owned())?;
    let (head, body) = text.split_once('\n').ok_or("no header line")?;
    let sum = head.strip_prefix(HEADER).and_then(|rest| rest.split_whitespace().next()).ok_or("not a control file")?;
    let body = body.strip_suffix('\n').unwrap_or(body);
    if u32::from_str_radix(sum, 16) != Ok(crc32c::crc32c(body.as_bytes())) {
        return Err("checksum does not match".to_owned());
    }
    serde_json::from_str(body).map_err(|e| e.to_string())
}
