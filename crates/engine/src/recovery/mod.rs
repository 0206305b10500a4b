//! Roll forward: redo from the last checkpoint on is put into the blocks that lack it.
//!
//! See README.md in this folder.

use common::sync::Arc;
use common::{BlockClass, Error, ErrorKind, Number, Result, Scn};
use device::AlignedBuffer;
use format::redo::{NEW, Record, Vector, Version};
use waits::Meter;

use crate::cache::Cache;
use crate::instance::ControlData;
use crate::redo::RedoReader;

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
    let mut done = RolledForward { scn: control.scn, ..RolledForward::default() };
    while let Some((_, bytes)) = reader.next()? {
        let record = Record::parse(bytes)?;
        done.records += 1;
        done.bytes += bytes.len() as u64;
        done.scn = done.scn.max(record.scn.0);
        for vector in record.vectors()? {
            if apply(cache, meter, control, &vector)? {
                done.applied += 1;
            } else {
                done.passed += 1;
            }
        }
    }
    Ok(done)
}

/// Applies one vector; false when the block has it, or there is no such block any more.
fn apply(cache: &Arc<Cache>, meter: &Meter, control: &ControlData, vector: &Vector<'_>) -> Result<bool> {
    let Some(file) = control.datafiles.iter().find(|file| file.number == vector.address.file.0) else {
        return Ok(false);
    };
    // The number was another file's before, or the file was longer once.
    if vector.after.scn < file.created_scn || vector.address.block >= cache.file(vector.address.file)?.blocks() {
        return Ok(false);
    }
    let class = BlockClass::ALL.into_iter().find(|class| *class as u16 == vector.class).unwrap_or(BlockClass::Data);
    if vector.code == NEW {
        let mut block = cache.get_new(meter, vector.address, class)?;
        block.recover(vector)?;
        return Ok(true);
    }
    let mut block = cache.get_mut(meter, vector.address, class)?;
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
