//! Space usage of segments: the figures of DBMS_SPACE, as a view.
//!
//! Oracle gives them by PL/SQL only; the columns have the names of its parameters. They are counted from each segment's
//! header, freelists and bitmaps when the view is read.

use common::Result;
use scalar::Datum;
use storage::control::SpaceManagement;

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, maybe, n, number, s, text};

const COLUMNS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("SEGMENT_NAME", 128),
    text("SEGMENT_TYPE", 18),
    text("TABLESPACE_NAME", 30),
    text("SEGMENT_SPACE_MANAGEMENT", 6),
    number("TOTAL_BLOCKS"),
    number("TOTAL_BYTES"),
    number("UNUSED_BLOCKS"),
    number("UNUSED_BYTES"),
    number("LAST_USED_EXTENT_FILE_ID"),
    number("LAST_USED_EXTENT_BLOCK_ID"),
    number("LAST_USED_BLOCK"),
    number("FREE_LIST_BLOCKS"),
    number("UNFORMATTED_BLOCKS"),
    number("UNFORMATTED_BYTES"),
    number("FS1_BLOCKS"),
    number("FS1_BYTES"),
    number("FS2_BLOCKS"),
    number("FS2_BYTES"),
    number("FS3_BLOCKS"),
    number("FS3_BYTES"),
    number("FS4_BLOCKS"),
    number("FS4_BYTES"),
    number("FULL_BLOCKS"),
    number("FULL_BYTES"),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_SEGMENT_SPACE", columns: COLUMNS, rows: |cx, rows| space(cx, rows, Scope::Dba) },
    View {
        name: "USER_SEGMENT_SPACE",
        columns: match COLUMNS.split_first() {
            Some((_, rest)) => rest,
            None => COLUMNS,
        },
        rows: |cx, rows| space(cx, rows, Scope::User),
    },
];

fn space(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for found in super::segments::all(cx, scope) {
        let segment = &found.segment;
        let usage = segment.space_usage(&cx.session)?;
        let block_bytes = segment.block_size().bytes() as u64;
        let manual = segment.management() == SpaceManagement::Manual;
        let both = |blocks: u32| [n(blocks), n(u64::from(blocks) * block_bytes)];
        let mut row = Vec::with_capacity(COLUMNS.len());
        if scope != Scope::User {
            row.push(s(&found.owner));
        }
        row.extend([
            s(&found.name),
            s(found.kind),
            s(segment.tablespace().name()),
            s(if manual { "MANUAL" } else { "AUTO" }),
        ]);
        row.extend(both(usage.blocks));
        row.extend(both(usage.unused));
        row.extend([
            maybe(usage.last_used_extent, |start| n(start.file.0)),
            maybe(usage.last_used_extent, |start| n(start.block)),
            n(usage.last_used_block),
            // Freelists know which blocks have room, bitmaps how much.
            maybe(manual.then_some(usage.on_freelists), n),
        ]);
        let [quarter, half, most, nearly_all] = usage.free;
        for blocks in [usage.unformatted, quarter, half, most, nearly_all, usage.full] {
            row.extend(if manual { [Datum::Null, Datum::Null] } else { both(blocks) });
        }
        rows.add(&row)?;
    }
    Ok(())
}
