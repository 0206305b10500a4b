//! Making, opening, truncating and dropping a segment.

use ::cell::FlashUse;
use common::sync::Arc;
use common::{BlockAddress, BlockRange, Error, ErrorKind, Number, ObjectNumber, Result};
use format::transaction::Owner;
use waits::SegmentStatistic;

use super::extent::Reading;
use super::space::{Bitmaps, FreeLists, SegmentParts, SpaceManager};
use super::{Segment, SegmentSpec};
use crate::control::{ExtentManagement, SpaceManagement, TablespaceKind};
use crate::tablespace::{Tablespace, extent_step_blocks};
use crate::txn::Worker;

/// Most bytes of redo that give an extent back to its file.
const EXTENT_BYTES: u64 = 160;
/// Most bytes of redo that format a block of a freelist group.
const GROUP_BYTES: u64 = 512;
/// Most bytes of redo that format the bitmap blocks of an extent, for each block that they cover: a first-level one
/// covers sixteen or more.
const COVERED_BYTES: u64 = 16;

fn manager(tablespace: &Tablespace) -> Box<dyn SpaceManager> {
    match tablespace.space_management() {
        SpaceManagement::Manual => Box::new(FreeLists),
        SpaceManagement::Auto => Box::new(Bitmaps),
    }
}

/// Iterator over the sizes, in blocks, of the extents for which INITIAL, NEXT and MINEXTENTS ask.
struct InitialExtents {
    uniform: Option<u32>,
    /// Autoallocate: the ladder's steps, largest first. `smallest` is the smallest step to use.
    steps: [u32; 4],
    smallest: u32,
    /// Least blocks of the first extent: its metadata and a block of data.
    least: u32,
    left: u64,
    first: bool,
}

impl InitialExtents {
    fn new(tablespace: &Tablespace, spec: &SegmentSpec, least: u32) -> Self {
        let size = tablespace.block_size();
        let bytes = size.bytes() as u64;
        let storage = &spec.storage;
        let initial = storage.initial.unwrap_or(0).div_ceil(bytes);
        let more = u64::from(storage.minextents.unwrap_or(1).saturating_sub(1));
        let next = storage.next.or(storage.initial).unwrap_or(0).div_ceil(bytes);
        let uniform = match tablespace.extent_management() {
            ExtentManagement::Uniform { blocks } => Some(blocks),
            ExtentManagement::Autoallocate => None,
        };
        let automatic = tablespace.space_management() == SpaceManagement::Auto;
        Self {
            uniform,
            steps: [64 << 20, 8 << 20, 1 << 20, 64 << 10].map(|step: u64| (step / bytes) as u32),
            smallest: extent_step_blocks(size, automatic, 0),
            least,
            left: initial.saturating_add(next.saturating_mul(more)).max(u64::from(least)),
            first: true,
        }
    }
}

impl Iterator for InitialExtents {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.left == 0 {
            return None;
        }
        let mut blocks = match self.uniform {
            Some(blocks) => blocks,
            None => {
                let usable = |step: &u32| u64::from(*step) <= self.left && *step >= self.smallest;
                self.steps.into_iter().find(usable).unwrap_or(self.smallest)
            }
        };
        if self.first && self.uniform.is_none() {
            let holds = |step: &u32| *step >= blocks && *step >= self.least;
            blocks = self.steps.into_iter().rev().find(holds).unwrap_or(blocks);
        }
        debug_assert!(blocks > 0, "an extent without blocks");
        self.first = false;
        self.left = self.left.saturating_sub(u64::from(blocks));
        Some(blocks)
    }
}

impl Segment {
    /// Makes a segment with its first extents.
    ///
    /// # Errors
    /// ORA-00959, ORA-30022 for an undo tablespace, ORA-01658 when the tablespace has no room, and errors of the cache.
    pub fn create(s: &Worker, spec: &SegmentSpec) -> Result<Arc<Self>> {
        let tablespace = s.tablespaces().numbered(spec.tablespace)?;
        if tablespace.kind() == TablespaceKind::Undo {
            return Err(Error::user(30022, format!("cannot create segments in undo tablespace {}", tablespace.name())));
        }
        let space = manager(&tablespace);
        let groups = u32::from(spec.storage.freelist_groups);
        let least = if groups > 1 { groups + 2 } else { 2 };
        let mut sizes = InitialExtents::new(&tablespace, spec, least);
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
        let (header, first) = s.mini(|| {
            let first = tablespace.allocate(s, sizes.next().unwrap_or(least)).map_err(no_room)?;
            let parts = SegmentParts { spec, block_size: tablespace.block_size() };
            Ok((space.format_segment(&parts, s, first)?, first))
        })?;
        debug_assert!(
            BlockRange { start: first.start, blocks: first.blocks }.contains(header),
            "{header} in {first:?}"
        );
        let segment =
            Arc::new(Self { spec: spec.clone(), header, tablespace: tablespace.clone(), space, locks: Arc::default() });
        segment.tell_cells(s);
        segment.count_space(s, spec.data_object, first);
        for blocks in sizes {
            let added = {
                let _growing = segment.growing(s);
                s.check_cancelled().and_then(|()| {
                    s.mini(|| segment.tablespace.allocate(s, blocks).and_then(|range| segment.enter(s, range)))
                })
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
    /// ORA-08103 when the header is not that of this object; errors of the cache.
    pub fn open(s: &Worker, spec: &SegmentSpec, header: BlockAddress) -> Result<Arc<Self>> {
        let tablespace = s.tablespaces().numbered(spec.tablespace)?;
        let space = manager(&tablespace);
        let segment = Arc::new(Self { spec: spec.clone(), header, tablespace, space, locks: Arc::default() });
        segment.header_block(s, Reading::Current)?;
        segment.tell_cells(s);
        Ok(segment)
    }

    /// Tells the flash caches of cells what its STORAGE clause says.
    fn tell_cells(&self, s: &Worker) {
        self.set_flash_cache(s, self.spec.storage.flash_cache.unwrap_or_default());
    }

    /// What the segment wants of the flash caches of cells from now on.
    pub fn set_flash_cache(&self, s: &Worker, wanted: FlashUse) {
        s.store().cells().flash_rules().set(self.spec.data_object, wanted);
    }

    /// The same segment under changed attributes (PCTFREE, PCTUSED, INITRANS, name).
    #[must_use]
    pub fn with_attributes(&self, spec: &SegmentSpec) -> Arc<Self> {
        Arc::new(Self {
            spec: SegmentSpec { object: self.spec.object, data_object: self.spec.data_object, ..spec.clone() },
            header: self.header,
            tablespace: self.tablespace.clone(),
            space: manager(&self.tablespace),
            locks: self.locks.clone(),
        })
    }

    /// Gives every extent back. The segment must not be used afterwards.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn drop_segment(&self, s: &Worker) -> Result<()> {
        // Before its buffers are dropped: a reader that gets a block later does not change it any more.
        self.set_given_up();
        let _growing = self.growing(s);
        let extents = self.extents(s)?;
        for range in &extents {
            s.store().cache().discard(s.meter(), *range)?;
        }
        for range in extents {
            self.tablespace.free(s, range)?;
        }
        s.store().system_meter().forget_segment(self.spec.data_object);
        self.set_flash_cache(s, FlashUse::Default);
        Ok(())
    }

    /// Drops the segment's buffers. To be called before a mini-transaction that [empties](Segment::empty) the segment,
    /// because it waits for sessions that change its blocks.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn let_go(&self, s: &Worker) -> Result<()> {
        for range in self.extents(s)? {
            s.store().cache().discard(s.meter(), range)?;
        }
        Ok(())
    }

    /// Empties the segment: it gives back all extents but the first, and moves the high-water mark to the start.
    /// Returns the segment under its new data object number.
    ///
    /// # Errors
    /// Errors of the cache; the segment is then unchanged.
    pub fn truncate(&self, s: &Worker, data_object: ObjectNumber) -> Result<Arc<Self>> {
        self.let_go(s)?;
        let mini = s.begin_mini();
        let emptied = self.empty(s, data_object)?;
        self.set_given_up();
        mini.commit();
        Ok(emptied)
    }

    /// As [`Segment::truncate`], as a part of a mini-transaction. The caller commits that, and then marks the segment
    /// as [given up](Segment::set_given_up).
    ///
    /// # Errors
    /// Errors of the cache; the caller must then drop the mini-transaction.
    pub fn empty(&self, s: &Worker, data_object: ObjectNumber) -> Result<Arc<Self>> {
        let _growing = self.growing(s);
        let extents = self.extents(s)?;
        let spec = SegmentSpec { data_object, ..self.spec.clone() };
        let parts = SegmentParts { spec: &spec, block_size: self.block_size() };
        let header = self.space.format_segment(&parts, s, extents[0])?;
        debug_assert_eq!(header, self.header);
        debug_assert!(data_object.0 > self.spec.data_object.0, "{self:?}: {data_object:?} was given up before");
        for range in &extents[1..] {
            self.tablespace.free(s, *range)?;
        }
        s.store().system_meter().forget_segment(self.spec.data_object);
        let rules = s.store().cells().flash_rules();
        rules.set(data_object, rules.of(self.spec.data_object));
        self.set_flash_cache(s, FlashUse::Default);
        self.count_space(s, data_object, extents[0]);
        Ok(Arc::new(Self {
            spec,
            header,
            tablespace: self.tablespace.clone(),
            space: manager(&self.tablespace),
            locks: self.locks.clone(),
        }))
    }

    /// Least bytes of redo that [`Segment::empty`] makes, with the redo that makes the segment of an index an index
    /// again.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn bytes_to_empty(&self, s: &Worker) -> Result<u64> {
        let extents = self.extents(s)?;
        let groups = u64::from(self.spec.storage.freelist_groups);
        let formatted = self.block_size().bytes() as u64 + groups * GROUP_BYTES;
        Ok(formatted + u64::from(extents[0].blocks) * COVERED_BYTES + extents.len() as u64 * EXTENT_BYTES)
    }

    fn count_space(&self, s: &Worker, object: ObjectNumber, range: BlockRange) {
        let bytes = u64::from(range.blocks) * self.block_size().bytes() as u64;
        s.meter().segment(object, SegmentStatistic::SpaceAllocated, bytes);
    }

    /// Adds an extent. The caller holds the HW enqueue.
    pub(super) fn grow(&self, s: &Worker, blocks_so_far: u32) -> Result<()> {
        // The extent leaves the file's bitmap and enters the segment's map in one record, so it is never lost between
        // the two.
        let mini = s.begin_mini();
        let blocks = match self.tablespace.extent_management() {
            ExtentManagement::Uniform { blocks } => blocks,
            ExtentManagement::Autoallocate => {
                let automatic = self.management() == SpaceManagement::Auto;
                extent_step_blocks(self.block_size(), automatic, blocks_so_far)
            }
        };
        debug_assert!(blocks > 0, "{self:?}: it grows by nothing");
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
        self.space.add_extent(self, s, range)?;
        self.count_space(s, self.spec.data_object, range);
        mini.commit();
        Ok(())
    }

    /// Enters an extent into the segment, in the mini-transaction that took it from the file.
    fn enter(&self, s: &Worker, range: BlockRange) -> Result<()> {
        self.space.add_extent(self, s, range)?;
        self.count_space(s, self.spec.data_object, range);
        Ok(())
    }
}
