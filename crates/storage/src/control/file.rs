//! The control file: the parts of the database, and whether it was closed cleanly.
//!
//! The copies that CONTROL_FILES names, each a line of header and a JSON document:
//!
//! ```text
//! HIGHWATER CONTROL <version> <CRC-32C of the rest> <sequence>
//! { "database_id": …, "tablespaces": […], "datafiles": […] }
//! ```
//!
//! Each change writes all of them, one after the other: a file of the file system whole (temporary file, sync, rename),
//! one in a disk group in its two slots (`slots.rs`). So a crash leaves at least one document in each. At open the
//! valid one with the highest sequence counts; with no valid copy the database is refused.
//!
//! A change that fails may be in one copy by then, and would count at the next open though it was reported as not made.
//! So the old document is written once more, under a later sequence. Where that fails too, it is unknown which of the
//! two counts, and the instance stops.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{BlockSize, Error, ErrorKind, FileNumber, Number, Result, TablespaceNumber};
use device::FileSystem;
use serde::{Deserialize, Serialize};

use super::slots::Slots;
use crate::disk_group::{GroupRecord, is_in_group, resolve};
use crate::health::Health;
use crate::invariants::hold;
use crate::parameters::{Parameter, Parameters};
use crate::redo::{LogGroupRecord, Rba, check_groups};

const HEADER: &str = "HIGHWATER CONTROL";
/// The version that is written. Version 1 had no [`ControlData::complete`], [`TablespaceRecord::unfinished`] and
/// [`TablespaceRecord::dropping`].
const VERSION: u32 = 2;
/// The oldest version that is read; it is written anew as [`VERSION`] when the database is opened.
const VERSION_MIN: u32 = 1;

/// The way of sizing extents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtentManagement {
    /// 64 KB, 1 MB, 8 MB, 64 MB as the segment grows.
    Autoallocate,
    /// Every extent has this many blocks.
    Uniform { blocks: u32 },
}

/// The way of keeping track of the room in a segment's blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpaceManagement {
    /// Freelists.
    Manual,
    /// Bitmaps.
    Auto,
}

/// The use of a tablespace.
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
    /// RETENTION GUARANTEE: undo within undo_retention is kept even if statements fail for it.
    #[serde(default)]
    pub retention_guarantee: bool,
    /// The statement that makes it has not ended: not all of its contents are durable yet, and no session works in it.
    /// An open removes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// DROP TABLESPACE INCLUDING CONTENTS is about to commit that its tables are gone; true: with AND DATAFILES. An
    /// open that finds no table in it any more completes the drop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropping: Option<bool>,
    /// NOLOGGING as the default of objects made in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nologging: bool,
}

impl TablespaceRecord {
    /// # Errors
    /// When the stored size is not a block size of ours.
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
    /// Redo from before this SCN belongs to an earlier file of the same number.
    #[serde(default)]
    pub created_scn: u64,
    /// SCNs at which the file was cut, each with the blocks left. Redo from before a cut, of blocks behind its end, is
    /// of blocks that are gone, even if the file has grown again since. SCNs and blocks both rise from one entry to the
    /// next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<(u64, u32)>,
}

impl DatafileRecord {
    #[must_use]
    pub fn file(&self) -> FileNumber {
        FileNumber(self.number)
    }

    /// Notes that the file is cut to `blocks` at this SCN.
    pub(crate) fn cut(&mut self, scn: u64, blocks: u32) {
        self.cuts.retain(|(_, other)| *other < blocks);
        self.cuts.push((scn, blocks));
        debug_assert!(
            self.cuts.is_sorted_by(|a, b| a.0 <= b.0 && a.1 < b.1),
            "cuts of file {}: {:?}",
            self.number,
            self.cuts
        );
    }

    /// True: a change of the block at this SCN was made to this file, and not to an earlier file of its number or a
    /// block that was cut off.
    pub fn had(&self, block: u32, scn: u64) -> bool {
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
    /// The creation of the database has ended. Before that no user has been promised anything in it.
    #[serde(default = "yes")]
    pub complete: bool,
    pub shutdown: Shutdown,
    pub scn: u64,
    /// SCN in every datafile's header since the last clean close. After a crash headers may be of any time, and redo
    /// tells.
    #[serde(default)]
    pub closed_scn: Option<u64>,
    pub tablespaces: Vec<TablespaceRecord>,
    pub datafiles: Vec<DatafileRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disk_groups: Vec<GroupRecord>,
    /// Empty in a database from before there was redo.
    #[serde(default)]
    pub log_groups: Vec<LogGroupRecord>,
    /// Start of the redo that a recovery after a crash reads.
    #[serde(default)]
    pub checkpoint: Option<Rba>,
    /// Small facts of other parts, such as where the dictionary starts.
    pub bootstrap: BTreeMap<String, String>,
}

fn yes() -> bool {
    true
}

/// Contents of a directory, as far as a database is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    /// No database.
    Nothing,
    /// A database whose creation was cut short: creating it again makes it anew.
    Unfinished,
    /// A database, or remains of one.
    Database,
}

impl ControlData {
    /// Checks that names and numbers are unique, that files belong to tablespaces of the document, and that the cuts of
    /// a file rise in time.
    ///
    /// # Errors
    /// ORA-00600 with the invariant that does not hold.
    pub fn check_invariants(&self) -> Result<()> {
        for (at, tablespace) in self.tablespaces.iter().enumerate() {
            let same = |other: &TablespaceRecord| other.number == tablespace.number || other.name == tablespace.name;
            invariant!(
                !self.tablespaces[..at].iter().any(same),
                "control file: tablespace {} stands there twice",
                tablespace.name
            );
            invariant!(
                tablespace.block_size().is_ok(),
                "control file: tablespace {} has blocks of {} bytes",
                tablespace.name,
                tablespace.block_bytes
            );
        }
        for (at, file) in self.datafiles.iter().enumerate() {
            let number = file.number;
            invariant!(
                self.datafiles[..at].iter().all(|other| other.number != number && other.name != file.name),
                "control file: datafile {number}, '{}', stands there twice",
                file.name
            );
            invariant!(
                self.tablespaces.iter().any(|tablespace| tablespace.number == file.tablespace),
                "control file: datafile {number} is of no tablespace"
            );
            invariant!(number > 0 && file.blocks > 0, "control file: datafile {number} has {} blocks", file.blocks);
            invariant!(
                file.cuts.is_sorted_by(|a, b| a.0 <= b.0 && a.1 < b.1),
                "control file: the cuts of datafile {number} do not rise: {:?}",
                file.cuts
            );
        }
        for (at, group) in self.disk_groups.iter().enumerate() {
            invariant!(
                self.disk_groups[..at].iter().all(|other| other.name != group.name),
                "control file: disk group {} stands there twice",
                group.name
            );
        }
        check_groups(&self.log_groups)?;
        let newest = self.log_groups.iter().map(|group| group.sequence).max().unwrap_or(0);
        invariant!(
            self.checkpoint.is_none_or(|place| self.log_groups.is_empty() || place.sequence <= newest),
            "control file: the checkpoint is in a log sequence to come: {:?}, {newest}",
            self.checkpoint
        );
        Ok(())
    }

    /// What is true of a document that takes the place of another one.
    fn follows(&self, before: &Self) -> Result<()> {
        invariant!(self.database_id == before.database_id, "control file: it is another database's");
        invariant!(self.scn >= before.scn, "control file: the SCN goes back from {} to {}", before.scn, self.scn);
        // Within a sequence it may: a position is where a write began, and not every write is remembered.
        let sequence = |data: &Self| data.checkpoint.map(|place| place.sequence);
        invariant!(
            sequence(self) >= sequence(before),
            "control file: the checkpoint goes back from {:?} to {:?}",
            before.checkpoint,
            self.checkpoint
        );
        self.check_invariants()
    }

    /// True: the creation of the database was cut short. Version 1 did not record that; there a missing dictionary
    /// shows it.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        !self.complete || self.bootstrap.is_empty()
    }
}

/// A place of the document.
#[derive(Debug)]
struct Copy {
    /// As CONTROL_FILES has it.
    name: String,
    path: PathBuf,
    /// Of a copy in a disk group.
    slots: Option<Slots>,
}

/// The control file of a running instance.
#[derive(Debug)]
pub struct ControlFile {
    files: Arc<dyn FileSystem>,
    copies: Vec<Copy>,
    data: ControlData,
    /// Health of the instance; None before the instance sets it.
    health: Option<Arc<Health>>,
    notes: Vec<String>,
}

fn bad(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Corrupt, Number::Ora(205), text)
}

/// Most copies.
const COPIES_MAX: usize = 8;

impl ControlFile {
    /// Names of the copies where CONTROL_FILES is not set.
    pub const COPIES: [&str; 2] = ["control01.ctl", "control02.ctl"];

    /// Bytes of a new copy in a disk group.
    pub const GROUP_BYTES: u64 = Slots::BYTES;

    /// The names of CONTROL_FILES: of files, or of disk groups in which copies are to be made.
    ///
    /// # Errors
    /// ORA-00208 for more than eight; ORA-02097 for none, or for one twice.
    pub fn places(parameters: &Parameters) -> Result<Vec<String>> {
        let text = parameters.text(Parameter::ControlFiles);
        let names: Vec<String> = (text.split(','))
            .map(|name| name.trim().trim_matches(['"', '\'']).to_owned())
            .filter(|name| !name.is_empty())
            .collect();
        let twice = |(at, name): (usize, &String)| names[..at].contains(name) && name.contains(['/', '.']);
        if names.is_empty() || names.iter().enumerate().any(twice) {
            let text = format!("control_files cannot take this value: '{text}' names no file, or one twice");
            return Err(Error::user(2097, text));
        }
        if names.len() > COPIES_MAX {
            return Err(Error::user(208, format!("control_files names {} files, more than {COPIES_MAX}", names.len())));
        }
        Ok(names)
    }

    /// Writes the control file of a new database. Copies in disk groups have been made.
    ///
    /// # Errors
    /// ORA-00205 when a copy in a disk group is not there; ORA-00206 when one cannot be written.
    pub fn create(files: Arc<dyn FileSystem>, directory: &Path, places: &[String], data: ControlData) -> Result<Self> {
        let mut control = Self { files, copies: Vec::new(), data, health: None, notes: Vec::new() };
        for name in places {
            control.copies.push(control.new_copy(directory, name)?);
        }
        control.write()?;
        Ok(control)
    }

    fn new_copy(&self, directory: &Path, name: &str) -> Result<Copy> {
        let path = resolve(directory, name);
        let slots = if is_in_group(name) {
            let device = self.files.open(&path).map_err(|error| bad(unidentified(name, &error)))?;
            Some(Slots::new(device))
        } else {
            None
        };
        Ok(Copy { name: name.to_owned(), path, slots })
    }

    /// Adds a copy, which is written.
    ///
    /// # Errors
    /// As of [`create`](Self::create).
    pub fn add_copy(&mut self, directory: &Path, name: &str) -> Result<()> {
        let copy = self.new_copy(directory, name)?;
        self.copies.push(copy);
        self.write()
    }

    /// Reads all copies and takes the newest valid one. A copy in a directory that is missing, and any copy that is
    /// damaged, are written anew with the next change. Places that are disk groups without a file's name are skipped.
    ///
    /// # Errors
    /// ORA-00205 when no copy is valid, or when one in a disk group is not there; ORA-00201 when a copy is of a version
    /// that this release does not read.
    pub fn open(files: Arc<dyn FileSystem>, directory: &Path, places: &[String]) -> Result<Self> {
        let mut best: Option<ControlData> = None;
        let (mut copies, mut problems) = (Vec::new(), Vec::new());
        for name in places.iter().filter(|name| !is_group_alone(name)) {
            let path = resolve(directory, name);
            let (slots, read) = if is_in_group(name) {
                let device = files.open(&path).map_err(|error| bad(unidentified(name, &error)))?;
                match Slots::open(Arc::clone(&device)) {
                    Ok((slots, bytes)) => (Some(slots), Ok(bytes)),
                    Err(error) => (Some(Slots::new(device)), Err(bad(error.to_string()))),
                }
            } else {
                (None, files.read_whole(&path).map_err(|error| bad(error.to_string())))
            };
            copies.push(Copy { name: name.clone(), path, slots });
            match read.and_then(|bytes| parse(&bytes)) {
                // Another copy may be of a version that is read, but it would be older.
                Err(error) if error.is_ora(201) => return Err(error),
                Ok(data) if best.as_ref().is_none_or(|b| b.sequence < data.sequence) => best = Some(data),
                Ok(_) => {}
                Err(why) => problems.push(format!("{name}: {}", why.text)),
            }
        }
        let data = best.ok_or_else(|| bad(format!("no valid control file ({})", problems.join("; "))))?;
        let notes = problems.iter().map(|why| format!("A copy of the control file is written anew: {why}.")).collect();
        Ok(Self { files, copies, data, health: None, notes })
    }

    /// Sentences about copies that were missing or damaged, for the user who opened the database.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The names of the copies.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.copies.iter().map(|copy| copy.name.as_str())
    }

    #[must_use]
    pub fn data(&self) -> &ControlData {
        &self.data
    }

    /// Sets the health that is stopped when the contents of the copies become unknown.
    pub fn set_health(&mut self, health: Arc<Health>) {
        self.health = Some(health);
    }

    /// Changes the document and writes it. On an error the document is the old one, in the copies too.
    ///
    /// # Errors
    /// ORA-00206 when a copy cannot be written; HW-0010, and the instance is stopped, when the old document cannot be
    /// written again either.
    pub fn update<R>(&mut self, change: impl FnOnce(&mut ControlData) -> R) -> Result<R> {
        let before = self.data.clone();
        let result = change(&mut self.data);
        hold(|| self.data.follows(&before));
        let Err(error) = self.write() else { return Ok(result) };
        let sequence = self.data.sequence;
        self.data = ControlData { sequence, ..before };
        match (self.write(), &self.health) {
            (Err(again), Some(health)) => Err(health.stop(&again)),
            _ => Err(error),
        }
    }

    fn write(&mut self) -> Result<()> {
        debug_assert!(self.data.sequence < u64::MAX, "the sequence of the control file has an end");
        self.data.sequence += 1;
        let body = serde_json::to_string_pretty(&self.data).map_err(|e| Error::bug(e.to_string()))?;
        let bytes =
            format!("{HEADER} {VERSION} {:08x} {}\n{body}\n", crc32c::crc32c(body.as_bytes()), self.data.sequence);
        for copy in &mut self.copies {
            let written = match &mut copy.slots {
                Some(slots) => slots.write(self.data.sequence, bytes.as_bytes()),
                None => self.files.write_whole(&copy.path, bytes.as_bytes()),
            };
            written.map_err(|error| {
                let text = format!("error in writing control file '{}': {error}", copy.name);
                Error::new(ErrorKind::Io, Number::Ora(206), text)
            })?;
        }
        Ok(())
    }
}

fn unidentified(name: &str, error: &std::io::Error) -> String {
    format!("error in identifying control file '{name}': {error}")
}

/// True: the name is that of a disk group, in which a copy is to be made.
#[must_use]
pub fn is_group_alone(name: &str) -> bool {
    is_in_group(name) && !name.contains(['/', '.'])
}

fn parse(bytes: &[u8]) -> Result<ControlData> {
    let text = std::str::from_utf8(bytes).map_err(|_| bad("not text"))?;
    let (head, body) = text.split_once('\n').ok_or_else(|| bad("no header line"))?;
    let rest = head.strip_prefix(HEADER).ok_or_else(|| bad("not a control file"))?;
    let mut words = rest.split_whitespace();
    let version: u32 =
        words.next().and_then(|word| word.parse().ok()).ok_or_else(|| bad("no version in its header"))?;
    if !(VERSION_MIN..=VERSION).contains(&version) {
        let text = format!(
            "control file version {version} is not one that this release reads ({VERSION_MIN} to {VERSION}): open the database with the release that \
             wrote it"
        );
        return Err(Error::new(ErrorKind::Corrupt, Number::Ora(201), text));
    }
    let sum = words.next().and_then(|word| u32::from_str_radix(word, 16).ok());
    let body = body.strip_suffix('\n').unwrap_or(body);
    if sum != Some(crc32c::crc32c(body.as_bytes())) {
        return Err(bad("checksum does not match"));
    }
    serde_json::from_str(body).map_err(|e| bad(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{
        "sequence": 1, "database_id": 5, "database_name": "D", "created_us": 0, "block_bytes": 8192,
        "shutdown": "open", "scn": 10, "checkpoint": { "sequence": 1, "block": 2, "offset": 16 },
        "tablespaces": [{ "number": 0, "name": "SYSTEM", "block_bytes": 8192, "extent_management": "autoallocate",
            "space_management": "manual", "kind": "permanent" }],
        "datafiles": [{ "number": 1, "tablespace": 0, "name": "a.dbf", "blocks": 100, "autoextend": null,
            "created_us": 0, "cuts": [[3, 50], [4, 60]] }],
        "log_groups": [{ "number": 1, "members": ["redo01.log"], "bytes": 262144, "sequence": 1, "state": "current",
            "first_lsn": 0, "first_scn": 0, "first_us": 0, "end_block": null, "end_lsn": null, "next_scn": null }],
        "bootstrap": {}
    }"#;

    fn sound() -> ControlData {
        let data: ControlData = serde_json::from_str(DOCUMENT).unwrap();
        data.check_invariants().unwrap();
        data
    }

    fn broken(change: impl FnOnce(&mut ControlData)) -> String {
        let mut data = sound();
        change(&mut data);
        data.check_invariants().unwrap_err().text
    }

    #[test]
    fn a_broken_document_is_seen() {
        let said = broken(|data| data.tablespaces.push(data.tablespaces[0].clone()));
        assert!(said.contains("tablespace SYSTEM stands there twice"), "{said}");
        let said = broken(|data| data.datafiles.push(data.datafiles[0].clone()));
        assert!(said.contains("datafile 1, 'a.dbf', stands there twice"), "{said}");
        let said = broken(|data| data.datafiles[0].tablespace = 9);
        assert!(said.contains("is of no tablespace"), "{said}");
        let said = broken(|data| data.datafiles[0].cuts.reverse());
        assert!(said.contains("do not rise"), "{said}");
        let said = broken(|data| data.log_groups[0].members.clear());
        assert!(said.contains("has no members"), "{said}");
        let said = broken(|data| data.checkpoint = Some(Rba { sequence: 2, block: 2, offset: 16 }));
        assert!(said.contains("in a log sequence to come"), "{said}");
    }

    #[test]
    fn a_document_that_goes_back_is_seen() {
        let before = sound();
        let mut after = sound();
        after.log_groups[0].sequence = 2;
        (after.scn, after.checkpoint) = (11, Some(Rba { sequence: 2, block: 2, offset: 16 }));
        after.follows(&before).unwrap();
        assert!(before.follows(&after).unwrap_err().text.contains("the SCN goes back"));
        after.scn = before.scn;
        assert!(before.follows(&after).unwrap_err().text.contains("the checkpoint goes back"));
    }
}
