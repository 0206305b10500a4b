//! Expected figures of an arm, from the blocks' own arithmetic: rows of a block, rows that migrate, and the blocks that
//! DBMS_STATS reports.
//!
//! ```text
//! segment   whole autoallocate extents: 16 of 64 KB, then of 1 MB (from 64 MB on of 8 MB)
//! blocks    all of them but bitmap blocks and segment header
//! ```
//!
//! Nothing here was measured, and no published figure is used.

use super::setting::{BLOCK_BYTES, PCTFREE};
use crate::experiment::setting::Setting;

/// Bytes of an empty block under bitmaps that no row can take: headers, two ITL slots, directories, tail
/// (docs/formats/heap-block.md).
const FIXED_BYTES: u32 = 20 + 24 + 2 * SLOT_BYTES + 8 + 14 + 4 + 4;
const SLOT_BYTES: u32 = 24;
/// An entry of the row directory.
const DIRECTORY_BYTES: u32 = 2;
/// A row with one number of eight digits: three bytes of header, a length, five of the number; and its entry.
const ROW_BYTES: u32 = 3 + 1 + 5 + DIRECTORY_BYTES;
/// Bytes that the second number adds to it.
const GROWTH_BYTES: u32 = 1 + 5;
/// A row that has migrated: it says where it came from, and has an ITL slot of its own.
const MIGRATED_BYTES: u32 = ROW_BYTES + GROWTH_BYTES + 6 + SLOT_BYTES;
/// The most ITL slots of a block.
const SLOTS_MAX: u32 = 255;

/// The second-level bitmap block and the segment header.
const UPPER_BLOCKS: u64 = 2;
/// Blocks of data that a first-level bitmap block covers while the segment is small, and from 1 MB on.
const COVERED_FIRST: u64 = 16;
const COVERED: u64 = 64;

/// Under bitmaps the first extents of blocks of this size are of 1 MB.
const LARGE_BLOCK: u32 = 16 << 10;

/// Rows that a block takes by insertion: as many as leave PCTFREE of the whole block free.
pub(super) fn capacity(setting: Setting) -> u64 {
    filled(setting, FIXED_BYTES, ROW_BYTES)
}

/// Rows that migrate to a block before it is full: they leave PCTFREE of it free too. The first two find a slot.
pub(super) fn receiving(setting: Setting) -> u64 {
    filled(setting, FIXED_BYTES - 2 * SLOT_BYTES, MIGRATED_BYTES).min(u64::from(SLOTS_MAX))
}

fn filled(setting: Setting, fixed: u32, row: u32) -> u64 {
    let block_bytes = setting.number(&BLOCK_BYTES);
    let hundredths = (block_bytes - fixed) * 100 - block_bytes * setting.number(&PCTFREE);
    u64::from(hundredths / (row * 100))
}

/// Rows that migrate if each grows by as much as a number of eight digits takes: of each block those that its free
/// bytes have no room for. The last block, which is not full, is filled up by rows that migrate before its own rows
/// grow.
pub(super) fn migrating(setting: Setting, rows: u64) -> u64 {
    let full = capacity(setting);
    let free = u64::from(setting.number(&BLOCK_BYTES) - FIXED_BYTES) - full * u64::from(ROW_BYTES);
    let in_place = free / u64::from(GROWTH_BYTES);
    rows / full * full.saturating_sub(in_place) + (rows % full).saturating_sub(in_place)
}

/// Blocks that the statistics report after so many rows were inserted.
pub(super) fn blocks_before(setting: Setting, rows: u64) -> u64 {
    reported(setting.number(&BLOCK_BYTES), rows.div_ceil(capacity(setting)))
}

/// Blocks that they report after each row has grown.
pub(super) fn blocks_after(setting: Setting, rows: u64) -> u64 {
    let received = migrating(setting, rows).div_ceil(receiving(setting));
    reported(setting.number(&BLOCK_BYTES), rows.div_ceil(capacity(setting)) + received)
}

/// Blocks for data of the smallest segment that has so many.
fn reported(block_bytes: u32, needed: u64) -> u64 {
    const KB: u64 = 1024;
    let (mut bytes, mut data) = (0, 0);
    while data < needed {
        let extent = match bytes / (KB * KB) {
            0 if block_bytes < LARGE_BLOCK => 64 * KB,
            0 => KB * KB,
            1..64 => KB * KB,
            _ => 8 * KB * KB,
        };
        bytes += extent;
        let blocks = bytes / u64::from(block_bytes);
        let first = (KB * KB / u64::from(block_bytes)).min(blocks);
        let bitmaps = first.div_ceil(COVERED_FIRST) + (blocks - first).div_ceil(COVERED);
        data = blocks.saturating_sub(bitmaps + UPPER_BLOCKS);
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_size::pctfree::DECLARATION;
    use crate::block_size::pctfree::setting::{self, LOW, SIZES};

    /// All twelve published figures are arithmetic.
    #[test]
    fn the_published_blocks_are_what_arithmetic_says() {
        let published = DECLARATION.published().unwrap();
        for setting in setting::published() {
            let known = published.arm(setting).unwrap().blocks;
            let computed = [blocks_before(setting, published.paper.rows), blocks_after(setting, published.paper.rows)];
            assert_eq!(computed, known, "{}", setting.name());
        }
    }

    #[test]
    fn receiving_blocks_keep_their_free_share_and_have_so_many_slots() {
        let rows = SIZES.map(|bytes| receiving(setting::plain(bytes, LOW)));
        assert_eq!(rows, [76, 155, 255]);
    }
}
