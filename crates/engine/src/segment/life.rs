//! Making, opening, truncating and dropping a segment.

use common::sync::{Arc, Mutex};
use common::{BlockAddress, BlockClass, Error, ErrorKind, Number, ObjectNumber, Result};
use format::block::BlockType;
use format::transaction::Owner;
use format::{block, segment};

use super::space::{Bitmaps, FreeLists, SegmentParts, SpaceManager};
use super::{Segment, SegmentSpec};
use crate::instance::{ExtentManagement, Session, SpaceManagement};
use crate::tablespace::{Tablespace, extent_step_blocks};

fn manager(tablespace: &Tablespace) -> Box<dyn SpaceManager> {
    match tablespace.space_management() {
        SpaceManagement::Manual => Box::new(FreeLists),
        SpaceManagement::Auto => Box::new(Bitmaps),
    }
}

/// Sizes in blocks of the extents that INITIAL, NEXT and MINEXTENTS ask for.
fn initial_extents(tablespace: &Tablespace, spec: &SegmentSpec, least: u32) -> Vec<u32> {
    let size = tablespace.block_size();
    let bytes = size.bytes() as u64;
    let storage = &spec.storage;
    let initial = storage.initial.unwrap_or(0).div_ceil(bytes) as u32;
    let more = storage.minextents.unwrap_or(1).saturating_sub(1);
    let next = storage.next.or(storage.initial).unwrap_or(0).div_ceil(bytes) as u32;
    let mut want = initial.saturating_add(next.saturating_mul(more)).max(least);
    let mut extents = Vec::new();
    match tablespace.extent_management() {
        ExtentManagement::Uniform { blocks } => {
            for _ in 0..want.div_ceil(blocks).max(1) {
                extents.push(blocks);
            }
        }
        ExtentManagement::Autoallocate => {
            let automatic = tablespace.space_management() == SpaceManagement::Auto;
            let smallest = extent_step_blocks(size, automatic, 0);
            let steps = [64 << 20, 8 << 20, 1 << 20, 64 << 10].map(|step: u64| (step / bytes) as u32);
            loop {
                let step = steps.into_iter().find(|s| *s <= want && *s >= smallest).unwrap_or(smallest);
                // The first extent must hold all metadata and a data block.
                let step = if extents.is_empty() {
                    steps.into_iter().rev().find(|s| *s >= step && *s >= least).unwrap_or(step)
                } else {
                    step
                };
                extents.push(step);
                if want <= step {
                    break;
                }
                want -= step;
            }
        }
    }
    extents
}

impl Segment {
    /// Makes a segment with its first extents.
    ///
    /// # Errors
    /// ORA-00959, ORA-01658 when the tablespace has no room, and those of the cache.
    pub fn create(s: &Session, spec: &SegmentSpec) -> Result<Arc<Self>> {
        let tablespace = s.instance().tablespaces().numbered(spec.tablespace)?;
        let space = manager(&tablespace);
        let groups = u32::from(spec.storage.freelist_groups);
        let least = if groups > 1 { groups + 2 } else { 2 };
        let sizes = initial_extents(&tablespace, spec, least);
        let no_room = |error: Error| {
            if error.is_ora(1653) {
                Error::new(
                    ErrorKind::OutOfResource,
                    Number::Ora(1658),
                    format!(
                        "unable to create INITIAL extent for segment {} in tablespace {}",
                        spec.name,
                        tablespace.name()
                    ),
                )
            } else {
                error
            }
        };
        let first = tablespace.allocate(s, sizes[0]).map_err(no_room)?;
        let parts = SegmentParts { spec, block_size: tablespace.block_size() };
        let header = match space.format_segment(&parts, s, first) {
            Ok(header) => header,
            Err(error) => {
                tablespace.free(s, first)?;
                return Err(error);
            }
        };
        let segment = Arc::new(Self {
            spec: spec.clone(),
            header,
            tablespace: tablespace.clone(),
            space,
            growth: Mutex::new(()),
        });
        for blocks in &sizes[1..] {
            let added = {
                let _growing = segment.growing(s);
                segment.tablespace.allocate(s, *blocks).and_then(|range| segment.space.add_extent(&segment, s, range))
            };
            if let Err(error) = added {
                segment.drop_segment(s)?;
                return Err(no_room(error));
            }
        }
        Ok(segment)
    }

    /// Opens a segment whose header is at `header`.
    ///
    /// # Errors
    /// ORA-08103 when the header is not that of this object; those of the cache.
    pub fn open(s: &Session, spec: &SegmentSpec, header: BlockAddress) -> Result<Arc<Self>> {
        let tablespace = s.instance().tablespaces().numbered(spec.tablespace)?;
        {
            let block = s.current(header, BlockClass::SegmentHeader)?;
            let expected = match tablespace.space_management() {
                SpaceManagement::Manual => BlockType::SegmentHeader,
                SpaceManagement::Auto => BlockType::PagetableSegmentHeader,
            };
            let object = segment::header(&block).object.get();
            if block::kind(&block) != Some(expected) || object != spec.data_object.0 {
                return Err(Error::new(
                    ErrorKind::Corrupt,
                    Number::Ora(8103),
                    format!("object no longer exists: block {header} is not the segment header of {}", spec.name),
                ));
            }
        }
        let space = manager(&tablespace);
        Ok(Arc::new(Self { spec: spec.clone(), header, tablespace, space, growth: Mutex::new(()) }))
    }

    /// The same segment under changed attributes (PCTFREE, PCTUSED, INITRANS, name).
    #[must_use]
    pub fn with_attributes(&self, spec: &SegmentSpec) -> Arc<Self> {
        Arc::new(Self {
            spec: SegmentSpec { object: self.spec.object, data_object: self.spec.data_object, ..spec.clone() },
            header: self.header,
            tablespace: self.tablespace.clone(),
            space: manager(&self.tablespace),
            growth: Mutex::new(()),
        })
    }

    /// Gives every extent back. The segment must not be used afterwards.
    ///
    /// # Errors
    /// Those of the cache.
    pub fn drop_segment(&self, s: &Session) -> Result<()> {
        let _growing = self.growing(s);
        let extents = self.extents(s)?;
        for range in &extents {
            s.instance().cache().discard(s.meter(), *range);
        }
        for range in extents {
            self.tablespace.free(s, range)?;
        }
        Ok(())
    }

    /// Empties the segment: all extents but the first are given back, the high-water mark goes to the start. Returns the segment under its new data
    /// object number.
    ///
    /// # Errors
    /// Those of the cache.
    pub fn truncate(&self, s: &Session, data_object: ObjectNumber) -> Result<Arc<Self>> {
        let _growing = self.growing(s);
        let extents = self.extents(s)?;
        for range in &extents {
            s.instance().cache().discard(s.meter(), *range);
        }
        let spec = SegmentSpec { data_object, ..self.spec.clone() };
        let parts = SegmentParts { spec: &spec, block_size: self.block_size() };
        let header = self.space.format_segment(&parts, s, extents[0])?;
        debug_assert_eq!(header, self.header);
        for range in &extents[1..] {
            self.tablespace.free(s, *range)?;
        }
        Ok(Arc::new(Self {
            spec,
            header,
            tablespace: self.tablespace.clone(),
            space: manager(&self.tablespace),
            growth: Mutex::new(()),
        }))
    }

    /// Adds an extent; the HW enqueue is held by the caller.
    pub(super) fn grow(&self, s: &Session, blocks_so_far: u32) -> Result<()> {
        let blocks = match self.tablespace.extent_management() {
            ExtentManagement::Uniform { blocks } => blocks,
            ExtentManagement::Autoallocate => {
                let automatic = self.management() == SpaceManagement::Auto;
                extent_step_blocks(self.block_size(), automatic, blocks_so_far)
            }
        };
        let range = self.tablespace.allocate(s, blocks).map_err(|error| {
            if !error.is_ora(1653) {
                return error;
            }
            let (number, what) = match self.spec.owner {
                Owner::Table => (1653, "table"),
                Owner::Index => (1654, "index"),
            };
            Error::new(
                ErrorKind::OutOfResource,
                Number::Ora(number),
                format!(
                    "unable to extend {what} {} by {blocks} blocks in tablespace {}",
                    self.spec.name,
                    self.tablespace.name()
                ),
            )
        })?;
        self.space.add_extent(self, s, range)
    }
}
