//! Segments and their extents.

use std::sync::Arc;

use common::{BlockAddress, BlockRange, Result};
use engine::dictionary::{IndexDef, TableDef};
use scalar::Datum;
use storage::cells::FlashUse;
use storage::control::{ExtentManagement, SpaceManagement};
use storage::segment::{Segment, Storage};

use super::view::{Column, Each, Scope, Table, View, ViewContext, maybe, n, number, s, text};

/// The value of MAX_EXTENTS where no limit was set.
pub(crate) const UNLIMITED_EXTENTS: u32 = 2_147_483_645;
/// NEXT_EXTENT of a segment without NEXT in an autoallocate tablespace.
const AUTOALLOCATE_NEXT_BYTES: u64 = 1 << 20;

/// The STORAGE clause of a segment in whole blocks, or the defaults. Uniform extents ignore the clause.
#[derive(Clone, Copy)]
pub(crate) struct StorageFigures {
    initial: u64,
    next: u64,
    least_extents: u32,
    most_extents: u32,
    increase: Option<u32>,
    /// FREELISTS and FREELIST GROUPS; bitmaps know none.
    freelists: Option<(u16, u16)>,
    flash_cache: FlashUse,
}

impl StorageFigures {
    fn of(segment: &Segment, storage: &Storage) -> Self {
        let block_bytes = segment.block_size().bytes() as u64;
        let whole = |bytes: u64| bytes.div_ceil(block_bytes) * block_bytes;
        let uniform = match segment.tablespace().extent_management() {
            ExtentManagement::Uniform { blocks } => Some(u64::from(blocks) * block_bytes),
            ExtentManagement::Autoallocate => None,
        };
        let least = uniform.unwrap_or(common::limits::AUTOALLOCATE_UNIT_BYTES);
        Self {
            initial: storage.initial.map_or(least, whole),
            next: uniform.unwrap_or_else(|| storage.next.map_or(AUTOALLOCATE_NEXT_BYTES, whole)),
            least_extents: storage.minextents.unwrap_or(1),
            most_extents: storage.maxextents.unwrap_or(UNLIMITED_EXTENTS),
            increase: uniform.map(|_| 0).or(storage.pctincrease),
            freelists: match segment.management() {
                SpaceManagement::Manual => Some((storage.freelists, storage.freelist_groups)),
                SpaceManagement::Auto => None,
            },
            flash_cache: storage.flash_cache.unwrap_or_default(),
        }
    }
}

/// A row of a segment.
pub(crate) trait Stored {
    fn storage_figures(&self) -> StorageFigures;
}

impl Stored for Arc<TableDef> {
    fn storage_figures(&self) -> StorageFigures {
        StorageFigures::of(&self.segment, &self.storage)
    }
}

impl Stored for Arc<IndexDef> {
    fn storage_figures(&self) -> StorageFigures {
        StorageFigures::of(&self.segment, &self.storage)
    }
}

/// INITIAL_EXTENT to FREELIST_GROUPS.
pub(crate) const fn storage_columns<R: Stored>() -> [Column<R>; 7] {
    [
        number("INITIAL_EXTENT", |row: &R| n(row.storage_figures().initial)),
        number("NEXT_EXTENT", |row: &R| n(row.storage_figures().next)),
        number("MIN_EXTENTS", |row: &R| n(row.storage_figures().least_extents)),
        number("MAX_EXTENTS", |row: &R| n(row.storage_figures().most_extents)),
        number("PCT_INCREASE", |row: &R| maybe(row.storage_figures().increase, n)),
        number("FREELISTS", |row: &R| maybe(row.storage_figures().freelists, |(lists, _)| n(lists))),
        number("FREELIST_GROUPS", |row: &R| maybe(row.storage_figures().freelists, |(_, groups)| n(groups))),
    ]
}

/// A segment of a table or an index, or an undo segment.
struct SegmentRow {
    owner: String,
    name: String,
    kind: &'static str,
    management: SpaceManagement,
    tablespace: String,
    header: BlockAddress,
    block_bytes: u64,
    blocks: u64,
    extents: usize,
    storage: StorageFigures,
}

impl Stored for SegmentRow {
    fn storage_figures(&self) -> StorageFigures {
        self.storage
    }
}

const SEGMENTS: &[Column<SegmentRow>] = &[
    text("OWNER", 128, |row| s(&row.owner)),
    text("SEGMENT_NAME", 128, |row| s(&row.name)),
    text("PARTITION_NAME", 128, |_| Datum::Null),
    text("SEGMENT_TYPE", 18, |row| s(row.kind)),
    text("SEGMENT_SUBTYPE", 10, |row| {
        s(match row.management {
            SpaceManagement::Manual => "MSSM",
            SpaceManagement::Auto => "ASSM",
        })
    }),
    text("TABLESPACE_NAME", 30, |row| s(&row.tablespace)),
    number("HEADER_FILE", |row| n(row.header.file.0)),
    number("HEADER_BLOCK", |row| n(row.header.block)),
    number("BYTES", |row| n(row.blocks * row.block_bytes)),
    number("BLOCKS", |row| n(row.blocks)),
    number("EXTENTS", |row| n(row.extents)),
];

const SEGMENTS_END: &[Column<SegmentRow>] = &[
    number("RELATIVE_FNO", |row| n(row.header.file.0)),
    text("BUFFER_POOL", 7, |_| s("DEFAULT")),
    text("FLASH_CACHE", 7, |_| s("DEFAULT")),
    text("CELL_FLASH_CACHE", 7, |row| s(row.storage.flash_cache.name())),
];

/// An extent of such a segment.
struct Extent {
    owner: String,
    name: String,
    kind: &'static str,
    tablespace: String,
    number: u64,
    range: BlockRange,
    block_bytes: u64,
}

const EXTENTS: &[Column<Extent>] = &[
    text("OWNER", 128, |row| s(&row.owner)),
    text("SEGMENT_NAME", 128, |row| s(&row.name)),
    text("PARTITION_NAME", 128, |_| Datum::Null),
    text("SEGMENT_TYPE", 18, |row| s(row.kind)),
    text("TABLESPACE_NAME", 30, |row| s(&row.tablespace)),
    number("EXTENT_ID", |row| n(row.number)),
    number("FILE_ID", |row| n(row.range.start.file.0)),
    number("BLOCK_ID", |row| n(row.range.start.block)),
    number("BYTES", |row| n(u64::from(row.range.blocks) * row.block_bytes)),
    number("BLOCKS", |row| n(row.range.blocks)),
    number("RELATIVE_FNO", |row| n(row.range.start.file.0)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_SEGMENTS", &[SEGMENTS, &storage_columns(), SEGMENTS_END], |cx, each| {
        segments(cx, each, Scope::Dba)?;
        undo_segments(cx, each)
    }),
    &Table::new("USER_SEGMENTS", &[SEGMENTS, &storage_columns(), SEGMENTS_END], |cx, each| {
        segments(cx, each, Scope::User)
    })
    .without(&["OWNER", "HEADER_FILE", "HEADER_BLOCK", "RELATIVE_FNO"]),
    &Table::new("DBA_EXTENTS", &[EXTENTS], |cx, each| {
        extents(cx, each, Scope::Dba)?;
        undo_extents(cx, each)
    }),
    &Table::new("USER_EXTENTS", &[EXTENTS], |cx, each| extents(cx, each, Scope::User)).without(&[
        "OWNER",
        "FILE_ID",
        "BLOCK_ID",
        "RELATIVE_FNO",
    ]),
];

/// A table's or an index's segment.
pub(crate) struct FoundSegment {
    pub(crate) owner: String,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) segment: Arc<Segment>,
    pub(crate) storage: Storage,
}

pub(crate) fn all(cx: &ViewContext, scope: Scope) -> Vec<FoundSegment> {
    let user = cx.session.rights();
    let wanted = |owner: &str| scope == Scope::Dba || owner == user;
    let mut found = Vec::new();
    for table in cx.catalog.tables() {
        if wanted(&table.owner) {
            found.push(FoundSegment {
                owner: table.owner.clone(),
                name: table.name.clone(),
                kind: "TABLE",
                segment: Arc::clone(&table.segment),
                storage: table.storage.clone(),
            });
        }
        for index in table.indexes.iter().filter(|index| wanted(&index.owner)) {
            found.push(FoundSegment {
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

fn segments(cx: &ViewContext, each: Each<'_, SegmentRow>, scope: Scope) -> Result<()> {
    for found in all(cx, scope) {
        let segment = &found.segment;
        let extents = segment.extents(&cx.session)?;
        each(SegmentRow {
            kind: found.kind,
            management: segment.management(),
            tablespace: segment.tablespace().name().to_owned(),
            header: segment.header(),
            block_bytes: segment.block_size().bytes() as u64,
            blocks: extents.iter().map(|extent| u64::from(extent.blocks)).sum(),
            extents: extents.len(),
            storage: StorageFigures::of(segment, &found.storage),
            owner: found.owner,
            name: found.name,
        })?;
    }
    Ok(())
}

/// SEGMENT_TYPE of undo segments.
const UNDO: &str = "TYPE2 UNDO";

fn undo_segments(cx: &ViewContext, each: Each<'_, SegmentRow>) -> Result<()> {
    let unit = common::limits::AUTOALLOCATE_UNIT_BYTES;
    for segment in super::undo::segments(cx)? {
        let figures = segment.figures;
        each(SegmentRow {
            owner: "SYS".to_owned(),
            name: figures.name,
            kind: UNDO,
            management: SpaceManagement::Manual,
            tablespace: segment.tablespace,
            header: figures.header,
            block_bytes: segment.block_bytes,
            blocks: u64::from(figures.blocks),
            extents: figures.extents as usize,
            storage: StorageFigures {
                // Two extents are made with the segment, and it keeps two.
                initial: 2 * unit,
                next: unit,
                least_extents: 2,
                most_extents: figures.extents_most,
                increase: None,
                freelists: None,
                flash_cache: FlashUse::Default,
            },
        })?;
    }
    Ok(())
}

fn extents(cx: &ViewContext, each: Each<'_, Extent>, scope: Scope) -> Result<()> {
    for found in all(cx, scope) {
        let segment = &found.segment;
        for (number, range) in (0_u64..).zip(segment.extents(&cx.session)?) {
            each(Extent {
                owner: found.owner.clone(),
                name: found.name.clone(),
                kind: found.kind,
                tablespace: segment.tablespace().name().to_owned(),
                number,
                range,
                block_bytes: segment.block_size().bytes() as u64,
            })?;
        }
    }
    Ok(())
}

fn undo_extents(cx: &ViewContext, each: Each<'_, Extent>) -> Result<()> {
    let segments = super::undo::segments(cx)?;
    for extent in cx.session.instance().undo().extents(&cx.session)? {
        let Some(segment) = segments.iter().find(|segment| segment.figures.number == extent.segment) else { continue };
        each(Extent {
            owner: "SYS".to_owned(),
            name: segment.figures.name.clone(),
            kind: UNDO,
            tablespace: segment.tablespace.clone(),
            number: u64::from(extent.number),
            range: BlockRange { start: extent.start, blocks: extent.blocks },
            block_bytes: segment.block_bytes,
        })?;
    }
    Ok(())
}
