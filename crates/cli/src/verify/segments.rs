//! Stage 2: what the dictionary says is there, against the space that the files say is used.
//!
//! 1. Every extent lies in whole units behind the header area of a file of its tablespace, and in no other segment's extent.
//! 2. A unit is marked used exactly when an extent has it.
//! 3. A segment header is its segment's: object, kind, extents, blocks, marks in order.
//! 4. Freelists or bitmaps, rows, indexes: `lists.rs`, `maps.rs`, `rows.rs`.

use std::collections::HashMap;
use std::path::Path;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, FileNumber, Result, SystemClock};
use device::DirectoryLock;
use engine::catalog::{IndexDef, TableDef};
use engine::instance::{Instance, Session, SpaceManagement};
use engine::segment::{BlockRange, Segment};
use engine::tablespace::Tablespace;
use format::block::{self, BlockType};
use format::file::{self, FIRST_BITMAP_BLOCK, SPACE_HEADER_BLOCK};
use format::segment::{self, HighWaterMark, SegmentHeader};
use format::{extent_bitmap, transaction};

use super::read_only::ReadOnlyFileSystem;
use super::{Findings, lists, maps, rows};

/// A segment with its header and extents read.
pub(super) struct Whole<'a> {
    pub(super) segment: &'a Segment,
    pub(super) header: SegmentHeader,
    pub(super) extents: Vec<BlockRange>,
}

impl Whole<'_> {
    pub(super) fn contains(&self, address: BlockAddress) -> bool {
        self.extents.iter().any(|extent| extent.contains(address))
    }

    /// The blocks below a mark, in extent order.
    pub(super) fn below(&self, mark: HighWaterMark) -> impl Iterator<Item = BlockAddress> + '_ {
        let (last, blocks) = (mark.extent.get() as usize, mark.block.get());
        self.extents.iter().enumerate().take(last + 1).flat_map(move |(ordinal, extent)| {
            let count = if ordinal < last { extent.blocks } else { blocks.min(extent.blocks) };
            (0..count).map(|n| extent.start.plus(n))
        })
    }
}

/// Who has a unit of a file.
type Claims = HashMap<(FileNumber, u32), String>;

/// # Errors
/// When the database cannot be opened, or a block cannot be read.
pub(super) fn verify(directory: &Path, lock: DirectoryLock, findings: &mut Findings) -> Result<()> {
    let files = Arc::new(ReadOnlyFileSystem::default());
    let instance = Instance::open(files, directory, Arc::new(SystemClock::default()), Some(lock))?;
    let session = instance.connect("SYS")?;
    let result = verify_open(&session, findings);
    drop(session);
    result.and(instance.shutdown())
}

fn verify_open(session: &Arc<Session>, findings: &mut Findings) -> Result<()> {
    let catalog = session.catalog();
    let mut claims = Claims::new();
    for table in catalog.tables() {
        if let Some(whole) = verify_segment(session, &table.segment, &mut claims, findings)? {
            verify_table(session, table, &whole, findings)?;
        }
    }
    for index in catalog.indexes() {
        if let Some(whole) = verify_segment(session, &index.segment, &mut claims, findings)? {
            verify_index(session, index, &whole, findings)?;
        }
    }
    for tablespace in session.instance().tablespaces().all() {
        for file in tablespace.files() {
            verify_units(session, &tablespace, file, &claims, findings)?;
        }
    }
    Ok(())
}

fn verify_table(
    session: &Arc<Session>,
    table: &Arc<TableDef>,
    whole: &Whole<'_>,
    findings: &mut Findings,
) -> Result<()> {
    verify_space(session, whole, findings)?;
    rows::verify_pieces(session, whole, findings)?;
    findings.rows += rows::verify_table(session, table, findings)?;
    Ok(())
}

fn verify_index(
    session: &Arc<Session>,
    index: &Arc<IndexDef>,
    whole: &Whole<'_>,
    findings: &mut Findings,
) -> Result<()> {
    verify_space(session, whole, findings)?;
    if !whole.contains(index.root) {
        findings.block(index.root, format!("the root of {} is outside its segment", index.qualified_name()));
        return Ok(());
    }
    findings.entries += rows::verify_index(session, index, findings)?;
    Ok(())
}

fn verify_space(session: &Session, whole: &Whole<'_>, findings: &mut Findings) -> Result<()> {
    match whole.segment.management() {
        SpaceManagement::Manual => lists::verify(session, whole, findings),
        SpaceManagement::Auto => maps::verify(session, whole, findings),
    }
}

/// Rules 1 and 3; None when the header is so wrong that nothing more can be said.
fn verify_segment<'a>(
    session: &Session,
    segment: &'a Segment,
    claims: &mut Claims,
    findings: &mut Findings,
) -> Result<Option<Whole<'a>>> {
    findings.segments += 1;
    let name = segment.name();
    let bytes = session.current(segment.header(), BlockClass::SegmentHeader)?;
    let kind = block::kind(&bytes);
    let expected = match segment.management() {
        SpaceManagement::Manual => BlockType::SegmentHeader,
        SpaceManagement::Auto => BlockType::PagetableSegmentHeader,
    };
    if kind != Some(expected) {
        let kind = kind.map_or("nothing", BlockType::name);
        findings.block(segment.header(), format!("{name}: a segment header is expected here, not {kind}"));
        return Ok(None);
    }
    let header = *segment::header(&bytes);
    drop(bytes);
    if header.object.get() != segment.data_object().0 {
        let why =
            format!("{name}: the segment header is of object {}, not {}", header.object.get(), segment.data_object().0);
        findings.block(segment.header(), why);
        return Ok(None);
    }
    let extents = segment.extents(session)?;
    let whole = Whole { segment, header, extents };
    let blocks: u64 = whole.extents.iter().map(|extent| u64::from(extent.blocks)).sum();
    if blocks != u64::from(header.blocks.get()) {
        let why = format!("{name}: {blocks} blocks in its extents, its header says {}", header.blocks.get());
        findings.block(segment.header(), why);
    }
    if !whole.contains(segment.header()) {
        findings.block(segment.header(), format!("{name}: the segment header is in none of its extents"));
    }
    verify_marks(&whole, findings);
    for extent in &whole.extents {
        claim(session, segment, *extent, claims, findings)?;
    }
    Ok(Some(whole))
}

fn verify_marks(whole: &Whole<'_>, findings: &mut Findings) {
    let (name, at) = (whole.segment.name(), whole.segment.header());
    let mut check = |which: &str, mark: HighWaterMark| {
        let below = whole.below(mark).count();
        let outside = mark.extent.get() as usize >= whole.extents.len().max(1);
        if outside || below != mark.blocks.get() as usize {
            let (extent, block) = (mark.extent.get(), mark.block.get());
            let why = format!(
                "{name}: the {which} at extent {extent} block {block} has {below} blocks below it, not {}",
                mark.blocks.get()
            );
            findings.block(at, why);
        }
    };
    check("high-water mark", whole.header.high);
    if whole.segment.management() == SpaceManagement::Auto {
        check("low high-water mark", whole.header.low);
        if whole.header.low.blocks.get() > whole.header.high.blocks.get() {
            findings.block(at, format!("{name}: the low high-water mark is above the high one"));
        }
    }
}

/// First block behind a file's header area, and blocks of a unit.
fn units_of(session: &Session, tablespace: &Tablespace, file: FileNumber) -> Result<(file::SpaceHeader, u32)> {
    let bytes = session.current(BlockAddress::new(file, SPACE_HEADER_BLOCK), BlockClass::FileBitmapIndex)?;
    Ok((*file::space_header(&bytes), tablespace.unit_blocks()))
}

fn claim(
    session: &Session,
    segment: &Segment,
    extent: BlockRange,
    claims: &mut Claims,
    findings: &mut Findings,
) -> Result<()> {
    let name = segment.name();
    let tablespace = segment.tablespace();
    if !tablespace.files().contains(&extent.start.file) {
        findings
            .block(extent.start, format!("an extent of {name} is in no file of its tablespace {}", tablespace.name()));
        return Ok(());
    }
    let (space, unit) = units_of(session, tablespace, extent.start.file)?;
    let first = space.first_block.get();
    let inside =
        extent.start.block >= first && (extent.start.block - first) / unit + extent.blocks / unit <= space.units.get();
    if !inside
        || !(extent.start.block - first).is_multiple_of(unit)
        || !extent.blocks.is_multiple_of(unit)
        || extent.blocks == 0
    {
        findings.block(
            extent.start,
            format!("an extent of {name} with {} blocks is not made of units of its file", extent.blocks),
        );
        return Ok(());
    }
    let number = (extent.start.block - first) / unit;
    for n in number..number + extent.blocks / unit {
        if let Some(other) = claims.insert((extent.start.file, n), name.to_owned()) {
            findings.block(
                BlockAddress::new(extent.start.file, first + n * unit),
                format!("belongs to {other} and to {name}"),
            );
        }
    }
    Ok(())
}

/// Rule 2.
fn verify_units(
    session: &Session,
    tablespace: &Tablespace,
    file: FileNumber,
    claims: &Claims,
    findings: &mut Findings,
) -> Result<()> {
    let (space, unit) = units_of(session, tablespace, file)?;
    let mut at = BlockAddress::new(file, FIRST_BITMAP_BLOCK);
    let mut number = 0;
    while number < space.units.get() {
        let bytes = session.current(at, BlockClass::FileBitmap)?;
        let here = extent_bitmap::units_per_block(bytes.len()).min(space.units.get() - number);
        for bit in 0..here {
            let used = extent_bitmap::is_used(&bytes, bit);
            let start = BlockAddress::new(file, space.first_block.get() + (number + bit) * unit);
            match (used, claims.get(&(file, number + bit))) {
                (true, None) => findings.block(start, "its unit is marked used and is in no segment"),
                (false, Some(name)) => findings.block(start, format!("its unit is marked free and is in {name}")),
                _ => {}
            }
        }
        number += here;
        at = at.plus(1);
    }
    Ok(())
}

/// Whether a block is formatted for the segment.
pub(super) fn is_own(whole: &Whole<'_>, bytes: &[u8]) -> bool {
    block::kind(bytes) == Some(BlockType::Data)
        && transaction::header(bytes).object_number() == whole.segment.data_object()
}
