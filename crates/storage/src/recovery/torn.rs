//! Blocks that a crash has torn in their places.

use common::Result;
use common::sync::Arc;
use device::AlignedBuffer;
use waits::Meter;

use crate::cache::Cache;

/// Puts torn blocks back from the double-write area. Returns their number.
///
/// # Errors
/// Errors of reading and writing files.
pub fn repair_torn(cache: &Arc<Cache>, meter: &Meter) -> Result<u64> {
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
