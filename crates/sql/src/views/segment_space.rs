//! Space usage of segments: the figures of DBMS_SPACE, as a view.
//!
//! Oracle gives them by PL/SQL only; the columns have the names of its parameters. They are counted from each segment's
//! header, freelists and bitmaps when the view is read.

use common::Result;
use scalar::Datum;
use storage::control::SpaceManagement;
use storage::segment::SpaceUsage;

use super::segments::FoundSegment;
use super::view::{Column, Each, Scope, Table, View, ViewContext, maybe, n, number, s, text};

/// A segment and the blocks in it.
struct SegmentSpace {
    found: FoundSegment,
    usage: SpaceUsage,
}

impl SegmentSpace {
    fn is_manual(&self) -> bool {
        self.found.segment.management() == SpaceManagement::Manual
    }

    fn bytes(&self, blocks: u32) -> Datum {
        n(u64::from(blocks) * self.found.segment.block_size().bytes() as u64)
    }

    /// Blocks that only bitmaps know.
    fn by_state(&self, blocks: fn(&SpaceUsage) -> u32) -> Option<u32> {
        (!self.is_manual()).then(|| blocks(&self.usage))
    }

    fn blocks_by_state(&self, blocks: fn(&SpaceUsage) -> u32) -> Datum {
        maybe(self.by_state(blocks), n)
    }

    fn bytes_by_state(&self, blocks: fn(&SpaceUsage) -> u32) -> Datum {
        maybe(self.by_state(blocks), |blocks| self.bytes(blocks))
    }
}

const COLUMNS: &[Column<SegmentSpace>] = &[
    text("OWNER", 128, |row| s(&row.found.owner)),
    text("SEGMENT_NAME", 128, |row| s(&row.found.name)),
    text("SEGMENT_TYPE", 18, |row| s(row.found.kind)),
    text("TABLESPACE_NAME", 30, |row| s(row.found.segment.tablespace().name())),
    text("SEGMENT_SPACE_MANAGEMENT", 6, |row| s(if row.is_manual() { "MANUAL" } else { "AUTO" })),
    number("TOTAL_BLOCKS", |row| n(row.usage.blocks)),
    number("TOTAL_BYTES", |row| row.bytes(row.usage.blocks)),
    number("UNUSED_BLOCKS", |row| n(row.usage.unused)),
    number("UNUSED_BYTES", |row| row.bytes(row.usage.unused)),
    number("LAST_USED_EXTENT_FILE_ID", |row| maybe(row.usage.last_used_extent, |start| n(start.file.0))),
    number("LAST_USED_EXTENT_BLOCK_ID", |row| maybe(row.usage.last_used_extent, |start| n(start.block))),
    number("LAST_USED_BLOCK", |row| n(row.usage.last_used_block)),
    // Freelists know which blocks have room, bitmaps how much.
    number("FREE_LIST_BLOCKS", |row| maybe(row.is_manual().then_some(row.usage.on_freelists), n)),
    number("UNFORMATTED_BLOCKS", |row| row.blocks_by_state(|usage| usage.unformatted)),
    number("UNFORMATTED_BYTES", |row| row.bytes_by_state(|usage| usage.unformatted)),
    number("FS1_BLOCKS", |row| row.blocks_by_state(|usage| usage.free[0])),
    number("FS1_BYTES", |row| row.bytes_by_state(|usage| usage.free[0])),
    number("FS2_BLOCKS", |row| row.blocks_by_state(|usage| usage.free[1])),
    number("FS2_BYTES", |row| row.bytes_by_state(|usage| usage.free[1])),
    number("FS3_BLOCKS", |row| row.blocks_by_state(|usage| usage.free[2])),
    number("FS3_BYTES", |row| row.bytes_by_state(|usage| usage.free[2])),
    number("FS4_BLOCKS", |row| row.blocks_by_state(|usage| usage.free[3])),
    number("FS4_BYTES", |row| row.bytes_by_state(|usage| usage.free[3])),
    number("FULL_BLOCKS", |row| row.blocks_by_state(|usage| usage.full)),
    number("FULL_BYTES", |row| row.bytes_by_state(|usage| usage.full)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_SEGMENT_SPACE", &[COLUMNS], |cx, each| space(cx, each, Scope::Dba)),
    &Table::new("USER_SEGMENT_SPACE", &[COLUMNS], |cx, each| space(cx, each, Scope::User)).without(&["OWNER"]),
];

fn space(cx: &ViewContext, each: Each<'_, SegmentSpace>, scope: Scope) -> Result<()> {
    for found in super::segments::all(cx, scope) {
        let usage = found.segment.space_usage(&cx.session)?;
        each(SegmentSpace { found, usage })?;
    }
    Ok(())
}
