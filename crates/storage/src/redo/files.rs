//! The members of log groups as files.

use std::io;
use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{Error, ErrorKind, Number, Result};
use device::{AlignedBuffer, Device, FileSystem};

use super::group::{LogGroupRecord, LogGroupSpec, no_member};
use super::layout::{BLOCK, FIRST_BLOCK, LogHeader};
use crate::disk_group::{is_in_group, resolve};

/// Zeros are written in pieces of this size.
const FILL_BYTES: usize = 1 << 20;
/// The fewest blocks a log file may have: 256 KB, so that the longest mini-transaction is far shorter than a file. That
/// is the split of an index block of 32 KB under a transaction: two new blocks, what the old one loses, and the undo of
/// what was to go in. A record that does not fit stops the instance.
pub const BLOCKS_MIN: u32 = if cfg!(test) { 64 } else { 512 };

/// An open member.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) path: PathBuf,
    pub(super) device: Arc<dyn Device>,
}

/// The members of a group that can be used, and what is wrong with the others.
#[derive(Debug, Default)]
pub(super) struct Opened {
    pub(super) members: Vec<Member>,
    pub(super) problems: Vec<(PathBuf, String)>,
}

/// Opens the members that are there and long enough, whatever they hold.
pub(super) fn open(files: &dyn FileSystem, directory: &Path, group: &LogGroupRecord) -> Opened {
    let mut opened = Opened::default();
    let wanted = u64::from(group.blocks()) * BLOCK as u64;
    for name in &group.members {
        let path = resolve(directory, name);
        let tried = files.open(&path).and_then(|device| {
            let size = device.size()?;
            if size < wanted {
                return Err(io::Error::other(format!("the file has {size} bytes instead of {wanted}")));
            }
            Ok(device)
        });
        match tried {
            Ok(device) => opened.members.push(Member { path, device }),
            Err(error) => opened.problems.push((path, error.to_string())),
        }
    }
    opened
}

/// The header of a log file; of a mirrored one from the first copy that has it whole.
fn header_of(device: &dyn Device) -> Result<LogHeader, String> {
    let mut bytes = AlignedBuffer::zeroed(2 * BLOCK);
    let read = device.read_at(0, &mut [&mut bytes]).map_err(|error| error.to_string());
    let first = read.and_then(|()| LogHeader::decode(&bytes));
    let copies = if first.is_ok() || device.copies() < 2 { 0 } else { device.copies() };
    let other = (0..copies).find_map(|copy| {
        device.read_copy(copy, 0, &mut [&mut bytes]).ok()?;
        LogHeader::decode(&bytes).ok()
    });
    other.map_or(first, Ok)
}

/// Opens the members that hold the redo of the group's sequence.
///
/// # Errors
/// ORA-00313 when none does.
pub(super) fn open_written(
    files: &dyn FileSystem,
    directory: &Path,
    group: &LogGroupRecord,
    database: u64,
) -> Result<Vec<Member>> {
    let Opened { members, mut problems } = open(files, directory, group);
    let mut good = Vec::new();
    for member in members {
        match header_of(&*member.device) {
            Ok(header) if header.database != database => {
                problems.push((member.path, "the file belongs to another database".to_owned()));
            }
            Ok(header) if header.sequence != group.sequence || header.group != group.number => {
                let why = format!(
                    "the file is of group {} sequence {}, needed is group {} sequence {}",
                    header.group, header.sequence, group.number, group.sequence
                );
                problems.push((member.path, why));
            }
            Ok(header) if header.first_lsn != group.first_lsn => {
                problems.push((member.path, "the redo header does not match the control file".to_owned()));
            }
            Ok(_) => good.push(member),
            Err(why) => problems.push((member.path, why)),
        }
    }
    if good.is_empty() { Err(no_member(group, &problems)) } else { Ok(good) }
}

/// Makes the members of a new group, full of zeros that are really written: a later write of redo then changes no
/// metadata of the file system. On an error none is left.
///
/// # Errors
/// ORA-00336 too small; ORA-00301 when a file cannot be made, also because there is one.
pub(super) fn make(files: &dyn FileSystem, directory: &Path, spec: &LogGroupSpec) -> Result<LogGroupRecord> {
    let members = if spec.members.is_empty() {
        LogGroupSpec::usual(spec.number, 1, spec.bytes).members
    } else {
        spec.members.clone()
    };
    const { assert!(BLOCKS_MIN > FIRST_BLOCK, "a log file has room for redo") };
    let record = LogGroupRecord::new(spec.number, members, spec.bytes / BLOCK as u64 * BLOCK as u64);
    check_size(record.bytes)?;
    for (index, name) in record.members.iter().enumerate() {
        if let Err(error) = make_member(files, &resolve(directory, name), record.bytes) {
            for made in &record.members[..index] {
                let _ = files.remove(&resolve(directory, made));
            }
            return Err(error);
        }
    }
    sync_directories(files, directory, &record.members)?;
    Ok(record)
}

pub(super) fn check_size(bytes: u64) -> Result<()> {
    let blocks = bytes / BLOCK as u64;
    if blocks < u64::from(BLOCKS_MIN) {
        return Err(Error::user(
            336,
            format!("log file size {blocks} blocks is less than minimum {BLOCKS_MIN} blocks"),
        ));
    }
    if blocks > u64::from(u32::MAX) {
        return Err(Error::user(1127, format!("log file size {blocks} blocks is more than {} blocks", u32::MAX)));
    }
    Ok(())
}

pub(super) fn sync_directories(files: &dyn FileSystem, directory: &Path, names: &[String]) -> Result<()> {
    for name in names {
        let path = resolve(directory, name);
        if let Some(parent) = path.parent() {
            files.sync_directory(parent).map_err(|e| failed(301, "error in adding log file", &path, &e))?;
        }
    }
    Ok(())
}

/// Makes one member. One in a disk group is there already, full of zeros.
pub(super) fn make_member(files: &dyn FileSystem, path: &Path, bytes: u64) -> Result<()> {
    if path.to_str().is_some_and(is_in_group) {
        let size = files.open(path).and_then(|device| device.size());
        return match size {
            Ok(size) if size >= bytes => Ok(()),
            Ok(size) => {
                let error = io::Error::other(format!("the file has {size} bytes instead of {bytes}"));
                Err(failed(301, "error in adding log file", path, &error))
            }
            Err(error) => Err(failed(301, "error in adding log file", path, &error)),
        };
    }
    let device = files.create(path, bytes).map_err(|e| failed(301, "error in adding log file", path, &e))?;
    let zeros = AlignedBuffer::zeroed(FILL_BYTES);
    let mut at = 0;
    let filled = loop {
        if at >= bytes {
            break device.sync();
        }
        let now = (bytes - at).min(FILL_BYTES as u64);
        if let Err(error) = device.write_at(at, &[&zeros[..now as usize]]) {
            break Err(error);
        }
        at += now;
    };
    filled.map_err(|error| {
        let _ = files.remove(path);
        failed(301, "error in adding log file", path, &error)
    })
}

/// Writes the header of a new sequence to all members, durably.
pub(super) fn write_header(members: &[Member], header: LogHeader) -> Result<()> {
    debug_assert!(header.sequence > 0 && header.blocks > FIRST_BLOCK, "{header:?}");
    let mut bytes = AlignedBuffer::zeroed(2 * BLOCK);
    bytes.copy_from_slice(&header.encode());
    for member in members {
        member
            .device
            .write_durable(0, &[&bytes])
            .map_err(|e| failed(340, "cannot write the header of log", &member.path, &e))?;
    }
    Ok(())
}

/// The offset of a block in a log file.
pub(super) fn offset(block: u32) -> u64 {
    u64::from(block) * BLOCK as u64
}

/// Blocks for redo in a file of so many.
pub(super) fn redo_blocks(blocks: u32) -> u64 {
    u64::from(blocks.saturating_sub(FIRST_BLOCK))
}

pub(super) fn failed(number: u32, what: &str, path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Io, Number::Ora(number), format!("{what} '{}': {error}", path.display()))
}
