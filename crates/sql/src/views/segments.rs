//! Segments and their extents.

use std::sync::Arc;

use common::{BlockRange, Result};
use scalar::Datum;
use storage::control::{ExtentManagement, SpaceManagement};
use storage::segment::{Segment, Storage};

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, maybe, n, number, s, text};

const SEGMENTS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("SEGMENT_NAME", 128),
    text("PARTITION_NAME", 128),
    text("SEGMENT_TYPE", 18),
    text("SEGMENT_SUBTYPE", 10),
    text("TABLESPACE_NAME", 30),
    number("HEADER_FILE"),
    number("HEADER_BLOCK"),
    number("BYTES"),
    number("BLOCKS"),
    number("EXTENTS"),
    number("INITIAL_EXTENT"),
    number("NEXT_EXTENT"),
    number("MIN_EXTENTS"),
    number("MAX_EXTENTS"),
    number("PCT_INCREASE"),
    number("FREELISTS"),
    number("FREELIST_GROUPS"),
    number("RELATIVE_FNO"),
    text("BUFFER_POOL", 7),
];

const USER_SEGMENTS: &[ViewColumn] = &[
    text("SEGMENT_NAME", 128),
    text("PARTITION_NAME", 128),
    text("SEGMENT_TYPE", 18),
    text("SEGMENT_SUBTYPE", 10),
    text("TABLESPACE_NAME", 30),
    number("BYTES"),
    number("BLOCKS"),
    number("EXTENTS"),
    number("INITIAL_EXTENT"),
    number("NEXT_EXTENT"),
    number("MIN_EXTENTS"),
    number("MAX_EXTENTS"),
    number("PCT_INCREASE"),
    number("FREELISTS"),
    number("FREELIST_GROUPS"),
    text("BUFFER_POOL", 7),
];

const EXTENTS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("SEGMENT_NAME", 128),
    text("PARTITION_NAME", 128),
    text("SEGMENT_TYPE", 18),
    text("TABLESPACE_NAME", 30),
    number("EXTENT_ID"),
    number("FILE_ID"),
    number("BLOCK_ID"),
    number("BYTES"),
    number("BLOCKS"),
    number("RELATIVE_FNO"),
];

const USER_EXTENTS: &[ViewColumn] = &[
    text("SEGMENT_NAME", 128),
    text("PARTITION_NAME", 128),
    text("SEGMENT_TYPE", 18),
    text("TABLESPACE_NAME", 30),
    number("EXTENT_ID"),
    number("BYTES"),
    number("BLOCKS"),
];

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_SEGMENTS", columns: SEGMENTS, rows: |cx, rows| segments(cx, rows, Scope::Dba) },
    View { name: "USER_SEGMENTS", columns: USER_SEGMENTS, rows: |cx, rows| segments(cx, rows, Scope::User) },
    View { name: "DBA_EXTENTS", columns: EXTENTS, rows: |cx, rows| extents(cx, rows, Scope::Dba) },
    View { name: "USER_EXTENTS", columns: USER_EXTENTS, rows: |cx, rows| extents(cx, rows, Scope::User) },
];

/// The value of MAX_EXTENTS where no limit was set.
pub(crate) const UNLIMITED_EXTENTS: u32 = 2_147_483_645;
/// NEXT_EXTENT of a segment without NEXT in an autoallocate tablespace.
const AUTOALLOCATE_NEXT_BYTES: u64 = 1 << 20;

/// INITIAL_EXTENT, NEXT_EXTENT, MIN_EXTENTS, MAX_EXTENTS and PCT_INCREASE: the STORAGE clause in whole blocks, or the
/// defaults. Uniform extents ignore the clause.
pub(crate) fn extent_figures(segment: &Segment, storage: &Storage) -> [Datum; 5] {
    let block_bytes = segment.block_size().bytes() as u64;
    let whole = |bytes: u64| bytes.div_ceil(block_bytes) * block_bytes;
    let uniform = match segment.tablespace().extent_management() {
        ExtentManagement::Uniform { blocks } => Some(u64::from(blocks) * block_bytes),
        ExtentManagement::Autoallocate => None,
    };
    let least = uniform.unwrap_or(common::limits::AUTOALLOCATE_UNIT_BYTES);
    [
        n(storage.initial.map_or(least, whole)),
        n(uniform.unwrap_or_else(|| storage.next.map_or(AUTOALLOCATE_NEXT_BYTES, whole))),
        n(storage.minextents.unwrap_or(1)),
        n(storage.maxextents.unwrap_or(UNLIMITED_EXTENTS)),
        maybe(uniform.map(|_| 0).or(storage.pctincrease), n),
    ]
}

/// FREELISTS and FREELIST_GROUPS; bitmaps know none.
pub(crate) fn freelist_figures(segment: &Segment, storage: &Storage) -> [Datum; 2] {
    match segment.management() {
        SpaceManagement::Manual => [n(storage.freelists), n(storage.freelist_groups)],
        SpaceManagement::Auto => [Datum::Null, Datum::Null],
    }
}

/// A table's or an index's segment.
pub(crate) struct Found {
    pub(crate) owner: String,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) segment: Arc<Segment>,
    pub(crate) storage: Storage,
}

pub(crate) fn all(cx: &ViewContext, scope: Scope) -> Vec<Found> {
    let user = cx.session.rights();
    let wanted = |owner: &str| scope == Scope::Dba || owner == user;
    let mut found = Vec::new();
    for table in cx.catalog.tables() {
        if wanted(&table.owner) {
            found.push(Found {
                owner: table.owner.clone(),
                name: table.name.clone(),
                kind: "TABLE",
                segment: Arc::clone(&table.segment),
                storage: table.storage.clone(),
            });
        }
        for index in table.indexes.iter().filter(|index| wanted(&index.owner)) {
            found.push(Found {
                owner: index.owner.clone(),
                name: index.name.clone(),
                kind: "INDEX",
                segment: Arc::clone(&index.segment),
                storage: index.storage.clone(),
            });
        }
    }
    found
}

fn blocks(extents: &[BlockRange]) -> u64 {
    extents.iter().map(|extent| u64::from(extent.blocks)).sum()
}

fn segments(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for found in all(cx, scope) {
        let segment = &found.segment;
        let extents = segment.extents(&cx.session)?;
        let block_bytes = segment.block_size().bytes() as u64;
        let manual = segment.management() == SpaceManagement::Manual;
        let dba = scope == Scope::Dba;
        let mut row = Vec::new();
        if dba {
            row.push(s(&found.owner));
        }
        row.extend([
            s(&found.name),
            Datum::Null,
            s(found.kind),
            s(if manual { "MSSM" } else { "ASSM" }),
            s(segment.tablespace().name()),
        ]);
        if dba {
            row.extend([n(segment.header().file.0), n(segment.header().block)]);
        }
        row.extend([n(blocks(&extents) * block_bytes), n(blocks(&extents)), n(extents.len())]);
        row.extend(extent_figures(segment, &found.storage));
        row.extend(freelist_figures(segment, &found.storage));
        if dba {
            row.push(n(segment.header().file.0));
        }
        row.push(s("DEFAULT"));
        rows.add(&row)?;
    }
    if scope == Scope::Dba { undo_segments(cx, rows) } else { Ok(()) }
}

/// SEGMENT_TYPE of undo segments.
const UNDO: &str = "TYPE2 UNDO";

fn undo_segments(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    for segment in super::undo::segments(cx)? {
        let (figures, unit) = (&segment.figures, common::limits::AUTOALLOCATE_UNIT_BYTES);
        rows.add(&[
            s("SYS"),
            s(&figures.name),
            Datum::Null,
            s(UNDO),
            s("MSSM"),
            s(&segment.tablespace),
            n(figures.header.file.0),
            n(figures.header.block),
            n(u64::from(figures.blocks) * segment.block_bytes),
            n(figures.blocks),
            n(figures.extents),
            // Two extents are made with the segment, and it keeps two.
            n(2 * unit),
            n(unit),
            n(2),
            n(figures.extents_most),
            Datum::Null,
            Datum::Null,
            Datum::Null,
            n(figures.header.file.0),
            s("DEFAULT"),
        ])?;
    }
    Ok(())
}

fn undo_extents(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    let segments = super::undo::segments(cx)?;
    for extent in cx.session.instance().undo().extents(&cx.session)? {
        let Some(segment) = segments.iter().find(|segment| segment.figures.number == extent.segment) else { continue };
        rows.add(&[
            s("SYS"),
            s(&segment.figures.name),
            Datum::Null,
            s(UNDO),
            s(&segment.tablespace),
            n(extent.number),
            n(extent.start.file.0),
            n(extent.start.block),
            n(u64::from(extent.blocks) * segment.block_bytes),
            n(extent.blocks),
            n(extent.start.file.0),
        ])?;
    }
    Ok(())
}

fn extents(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for found in all(cx, scope) {
        let block_bytes = found.segment.block_size().bytes() as u64;
        for (number, extent) in found.segment.extents(&cx.session)?.iter().enumerate() {
            let dba = scope == Scope::Dba;
            let mut row = Vec::new();
            if dba {
                row.push(s(&found.owner));
            }
            row.extend([s(&found.name), Datum::Null, s(found.kind), s(found.segment.tablespace().name()), n(number)]);
            if dba {
                row.extend([n(extent.start.file.0), n(extent.start.block)]);
            }
            row.extend([n(u64::from(extent.blocks) * block_bytes), n(extent.blocks)]);
            if dba {
                row.push(n(extent.start.file.0));
            }
            rows.add(&row)?;
        }
    }
    if scope == Scope::Dba { undo_extents(cx, rows) } else { Ok(()) }
}
