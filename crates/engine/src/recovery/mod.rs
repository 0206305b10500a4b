//! Roll forward: redo from the last checkpoint on is put into the blocks that lack it.
//!
//! See README.md in this folder.

mod unowned;

use std::collections::BTreeMap;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, Error, ErrorKind, Number, Result, Scn};
use device::AlignedBuffer;
use format::redo::{NEW, Record, Vector, Version};
use waits::Meter;

use crate::cache::Cache;
use crate::instance::{ControlData, DatafileRecord};
use crate::redo::RedoReader;

pub(crate) use unowned::free_unowned;

/// What a roll forward did.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct RolledForward {
    pub records: u64,
    /// Bytes of redo read.
    pub bytes: u64,
    /// Vectors put into blocks.
    pub applied: u64,
    /// Vectors whose blocks had them already, or whose file is gone.
    pub passed: u64,
    /// The last SCN in the log.
    pub scn: u64,
    /// Blocks that were torn and were put back from the double-write area.
    pub torn: u64,
    pub elapsed_us: u64,
}

/// Puts blocks back that a crash has torn in their places, from the double-write area; how many.
///
/// # Errors
/// Those of reading and writing files.
pub(crate) fn repair_torn(cache: &Arc<Cache>, meter: &Meter) -> Result<u64> {
    let mut torn = 0;
    let Some(area) = cache.double_write() else { return Ok(0) };
    for (address, whole) in area.blocks()? {
        let Ok(file) = cache.file(address.file) else { continue };
        if file.block_size().bytes() != whole.len() || file.check_block(address).is_err() {
            continue;
        }
        let mut found = AlignedBuffer::zeroed(whole.len());
        file.read_blocks(address, &mut found)?;
        if format::block::check(&found, address).is_err() {
            found.copy_from_slice(&whole);
            file.write_blocks(address, &found)?;
            file.sync_if_written(meter)?;
            torn += 1;
        }
    }
    Ok(torn)
}

/// Reads the log to its end and applies it.
///
/// # Errors
/// ORA-00353 for damaged redo, ORA-00600 for a block that lacks redo from before the checkpoint, those of the cache.
pub(crate) fn roll_forward(
    cache: &Arc<Cache>,
    meter: &Meter,
    control: &ControlData,
    reader: &mut RedoReader,
) -> Result<RolledForward> {
    // A file is made and cut without redo: no change of it may come to seem older than it is.
    let cut = |file: &DatafileRecord| file.cuts.last().map_or(0, |(scn, _)| *scn);
    let created = control.datafiles.iter().map(|file| file.created_scn.max(cut(file))).max().unwrap_or(0);
    let mut torn = BTreeMap::new();
    let mut done = RolledForward { scn: control.scn.max(created), ..RolledForward::default() };
    while let Some((_, bytes)) = reader.next()? {
        let record = Record::parse(bytes)?;
        done.records += 1;
        done.bytes += bytes.len() as u64;
        done.scn = done.scn.max(record.scn.0);
        for vector in record.vectors()? {
            if apply(cache, meter, control, &vector, &mut torn)? {
                done.applied += 1;
            } else {
                done.passed += 1;
            }
        }
    }
    match torn.into_values().next() {
        Some(error) => Err(error),
        None => Ok(done),
    }
}

/// Applies one vector; false when the block has it, or there is no such block any more.
///
/// A block that is made of nothing may be written around the cache, and torn by the crash, when redo of what it was before is still read. That redo is
/// passed by: `torn` holds such blocks until their image comes.
fn apply(
    cache: &Arc<Cache>,
    meter: &Meter,
    control: &ControlData,
    vector: &Vector<'_>,
    torn: &mut BTreeMap<BlockAddress, Error>,
) -> Result<bool> {
    let Some(file) = control.datafiles.iter().find(|file| file.number == vector.address.file.0) else {
        return Ok(false);
    };
    // The number was another file's before, or the file was longer once.
    if !file.had(vector.address.block, vector.after.scn) || vector.address.block >= cache.file(vector.address.file)?.blocks() {
        return Ok(false);
    }
    let class = BlockClass::ALL.into_iter().find(|class| *class as u16 == vector.class).unwrap_or(BlockClass::Data);
    if vector.code == NEW {
        torn.remove(&vector.address);
        let mut block = cache.get_new(meter, vector.address, class)?;
        block.recover(vector)?;
        return Ok(true);
    }
    if torn.contains_key(&vector.address) {
        return Ok(false);
    }
    let mut block = match cache.get_mut(meter, vector.address, class) {
        Err(error) if error.is_ora(1578) => {
            torn.insert(vector.address, error);
            return Ok(false);
        }
        block => block?,
    };
    let version = Version::of(&block);
    if version >= vector.after {
        return Ok(false);
    }
    if version != vector.before {
        return Err(Error::new(
            ErrorKind::Corrupt,
            Number::Ora(600),
            format!(
                "block {} is at SCN {} seq {}, redo goes on from SCN {} seq {}: redo is missing",
                vector.address, version.scn, version.seq, vector.before.scn, vector.before.seq
            ),
        ));
    }
    block.recover(vector)?;
    Ok(true)
}

impl RolledForward {
    /// Where the SCN goes on.
    #[must_use]
    pub fn next_scn(&self) -> Scn {
        Scn(self.scn + 1)
    }
}
