//! Checks of metadata blocks, and of the headers of table blocks, that come from disk. The engine computes with their
//! figures, so these must lie within the block: a checksum does not keep a wrong figure from making the engine loop or
//! reach outside. The check runs once a read, so the code that uses the blocks need not repeat it at each get.

use common::{BlockAddress, BlockSize, Error, Result, limits};
use format::block::{self, BlockType};
use format::transaction::{self, Owner};
use format::{bitmap, extent_bitmap, file, freelist, heap, segment, undo};

/// Checks a block that has passed [`block::check`].
///
/// # Errors
/// ORA-01578 with what is wrong.
pub(super) fn check(bytes: &[u8], address: BlockAddress) -> Result<()> {
    let wrong = match block::kind(bytes) {
        Some(BlockType::FirstLevelBitmap) => bitmap::validate_first_level(bytes).err(),
        Some(BlockType::SecondLevelBitmap) => {
            let (entries, most) = (bitmap::upper(bytes).entries.get(), bitmap::second_level_capacity(bytes.len()));
            (entries as usize > most).then(|| format!("{entries} bitmap blocks listed, {most} at the most"))
        }
        Some(BlockType::ThirdLevelBitmap) => {
            let (entries, most) = (bitmap::upper(bytes).entries.get(), bitmap::third_level_capacity(bytes.len()));
            (entries as usize > most).then(|| format!("{entries} bitmap blocks listed, {most} at the most"))
        }
        Some(BlockType::ExtentMap) => {
            let (entries, most) = (segment::map_header(bytes).entries.get(), segment::extents_per_map(bytes.len()));
            (entries as usize > most).then(|| format!("{entries} extents listed, {most} at the most"))
        }
        Some(BlockType::SegmentHeader | BlockType::PagetableSegmentHeader) => segment_header(bytes),
        Some(BlockType::FileSpaceHeader) => space_header(bytes),
        Some(BlockType::FileSpaceBitmap) => {
            let set: u32 = (0..extent_bitmap::units_per_block(bytes.len()))
                .map(|bit| u32::from(extent_bitmap::is_used(bytes, bit)))
                .sum();
            let header = extent_bitmap::header(bytes);
            (header.used.get() != set || header.first_unit.get() > limits::BLOCKS_PER_FILE_MAX)
                .then(|| format!("{set} units are used, the header says {}", header.used.get()))
        }
        Some(BlockType::Data) if transaction::header(bytes).owner == Owner::Table as u8 => {
            (!heap::is_within(bytes)).then(|| "the row directory does not lie within the block".to_owned())
        }
        Some(BlockType::UndoSegmentHeader) => undo::validate_header(bytes).err(),
        Some(BlockType::UndoBlock) => undo::validate_block(bytes).err(),
        _ => None,
    };
    wrong.map_or(Ok(()), |why| Err(Error::corrupt(address, why)))
}

/// Checks a block that was read from `address`, as [`block::check`] and [`check`] do.
///
/// # Errors
/// ORA-01578 with what is wrong.
pub(crate) fn check_read(bytes: &[u8], address: BlockAddress) -> Result<()> {
    block::check(bytes, address).and_then(|()| check(bytes, address))
}

fn segment_header(bytes: &[u8]) -> Option<String> {
    let header = segment::header(bytes);
    let mark = |mark: segment::HighWaterMark| (mark.extent.get(), mark.block.get());
    let (low, high) = (mark(header.low), mark(header.high));
    if header.extents.get() == 0 || high.0 >= header.extents.get() || high.1 > header.blocks.get() {
        return Some(format!("a high-water mark at {high:?} of {} extents", header.extents.get()));
    }
    if low > high || header.low.blocks.get() > header.high.blocks.get() {
        return Some(format!("the low mark at {low:?} is above the high one at {high:?}"));
    }
    if header.high.blocks.get() > header.blocks.get() {
        return Some(format!("{} blocks below the mark, of {}", header.high.blocks.get(), header.blocks.get()));
    }
    (header.freelists.get() > freelist::freelists_max(bytes.len()))
        .then(|| format!("{} freelists", header.freelists.get()))
}

fn space_header(bytes: &[u8]) -> Option<String> {
    let space = file::space_header(bytes);
    let size = BlockSize::from_bytes(bytes.len() as u64).ok()?;
    let (blocks, first) = (space.blocks.get(), space.first_block.get());
    if space.unit_blocks.get() == 0
        || first != file::header_area_blocks(size)
        || blocks < first
        || blocks > limits::BLOCKS_PER_FILE_MAX
        || space.units.get() != (blocks - first) / space.unit_blocks.get()
    {
        return Some(format!(
            "{} units of {} blocks from block {first} on in a file of {blocks}",
            space.units.get(),
            space.unit_blocks.get()
        ));
    }
    (space.free_units.get() > space.units.get() || space.first_free.get() > space.units.get())
        .then(|| format!("{} of {} units free", space.free_units.get(), space.units.get()))
}
