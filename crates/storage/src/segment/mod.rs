//! Segments: the extents of a table or an index, their high-water marks, and the search for room in them.
//!
//! See README.md in this folder.

mod block_map;
mod check;
mod direct;
mod extent;
mod gone;
mod header;
mod life;
mod locks;
pub(crate) mod past_cache;
mod seen;
mod shrink;
pub(crate) mod smart_scan;
mod space;
mod usage;

use crate::control::SpaceManagement;
pub use block_map::{BlockMap, BlockUse, Freelist, MappedBlock, Rows};
pub use direct::DirectLoad;
pub(crate) use gone::is_of;
pub use usage::SpaceUsage;

use std::fmt;

use ::cell::FlashUse;
use common::sync::Arc;
use common::{BlockAddress, BlockSize, ObjectNumber, Result, TablespaceNumber, Xid};
use format::transaction::Owner;

use crate::cache::BlockMut;
use crate::tablespace::Tablespace;
use crate::txn::Worker;
use locks::SegmentLocks;
use space::SpaceManager;

/// The STORAGE clause. Sizes in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Storage {
    pub initial: Option<u64>,
    pub next: Option<u64>,
    pub minextents: Option<u32>,
    pub maxextents: Option<u32>,
    pub pctincrease: Option<u32>,
    pub freelists: u16,
    pub freelist_groups: u16,
    /// CELL_FLASH_CACHE. None: it was not given, which is the default.
    pub flash_cache: Option<FlashUse>,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            initial: None,
            next: None,
            minextents: None,
            maxextents: None,
            pctincrease: None,
            freelists: 1,
            freelist_groups: 1,
            flash_cache: None,
        }
    }
}

/// The specification of a segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SegmentSpec {
    /// `OWNER.NAME`, for messages.
    pub name: String,
    pub object: ObjectNumber,
    pub data_object: ObjectNumber,
    pub tablespace: TablespaceNumber,
    pub owner: Owner,
    pub pctfree: u8,
    pub pctused: u8,
    pub initrans: u8,
    /// MAXTRANS: most transactions that may have ITL slots in a block at once. Slots take at most half of a block.
    pub maxtrans: u8,
    pub storage: Storage,
}

/// The room that a row, or a piece of one, needs in a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowRoom {
    /// Its bytes without the directory entry.
    pub bytes: usize,
    /// The row's transaction, if the row may use room that this has freed itself, under the ITL slot that it has in the
    /// block.
    pub own: Option<Xid>,
    /// True: it takes an ITL slot of its own, as a migrated row does. The slot's room is not in `bytes`.
    pub own_slot: bool,
}

impl From<usize> for RowRoom {
    fn from(bytes: usize) -> Self {
        Self { bytes, own: None, own_slot: false }
    }
}

/// An open segment.
pub struct Segment {
    spec: SegmentSpec,
    header: BlockAddress,
    tablespace: Arc<Tablespace>,
    space: Box<dyn SpaceManager>,
    locks: Arc<SegmentLocks>,
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Segment({} at {})", self.spec.name, self.header)
    }
}

impl Segment {
    /// Address of the segment header.
    #[must_use]
    pub fn header(&self) -> BlockAddress {
        self.header
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    #[must_use]
    pub fn object(&self) -> ObjectNumber {
        self.spec.object
    }

    #[must_use]
    pub fn data_object(&self) -> ObjectNumber {
        self.spec.data_object
    }

    #[must_use]
    pub fn spec(&self) -> &SegmentSpec {
        &self.spec
    }

    #[must_use]
    pub fn tablespace(&self) -> &Arc<Tablespace> {
        &self.tablespace
    }

    #[must_use]
    pub fn pctfree(&self) -> u8 {
        self.spec.pctfree
    }

    #[must_use]
    pub fn block_size(&self) -> BlockSize {
        self.tablespace.block_size()
    }

    #[must_use]
    pub fn management(&self) -> SpaceManagement {
        self.tablespace.space_management()
    }

    /// Number of ITL slots of a new block: INITRANS, but at least two, and in a table's block not more than MAXTRANS.
    #[must_use]
    pub fn itl_slots(&self) -> u8 {
        let slots = self.spec.initrans.max(2);
        if self.spec.owner == Owner::Table { slots.min(self.spec.maxtrans.max(1)) } else { slots }
    }

    /// Most ITL slots of a block, as far as its size allows: MAXTRANS. In an index one of them is for splits, so it has
    /// at least two.
    #[must_use]
    pub fn itl_slots_max(&self) -> u8 {
        if self.spec.owner == Owner::Table { self.spec.maxtrans } else { self.spec.maxtrans.max(2) }
    }

    /// A formatted heap block in which a row fits by PCTFREE. The block that this process used last is tried first;
    /// under freelists, the blocks in which the transaction has freed room are tried before that.
    ///
    /// # Errors
    /// ORA-01653 when the segment cannot grow, and errors of the cache.
    pub fn block_for_insert(&self, s: &Worker, row: impl Into<RowRoom>) -> Result<BlockMut> {
        let mut block = self.space.block_for_insert(self, s, row.into())?;
        debug_assert!(self.owns(&block), "{self:?}: {block:?} is not of the segment, and rows are to go into it");
        block.free_before = Some(format::heap::free_after_commit(&block));
        Ok(block)
    }

    /// True: the row fits into the block in its present form, by PCTFREE.
    #[must_use]
    pub fn fits(&self, block: &[u8], row: RowRoom) -> bool {
        let pctfree = self.spec.pctfree;
        if row.own_slot {
            return format::heap::change::fits_migrated(block, row.bytes, pctfree, self.itl_slots_max());
        }
        format::heap::fits(block, row.bytes, pctfree)
            || row
                .own
                .and_then(|xid| format::itl::find(block, xid))
                .is_some_and(|itl| format::heap::change::fits(block, row.bytes, pctfree, itl))
    }

    /// True: the row fits into the block, after a cleanup where one can make room. In a serializable transaction it
    /// must also fit into the block as the transaction sees it.
    fn takes(&self, s: &Worker, block: &mut BlockMut, row: RowRoom) -> Result<bool> {
        if !self.fits(block, row) && !self.make_fit(s, block, row)? {
            return Ok(false);
        }
        let Some(past) = s.past(block)? else { return Ok(true) };
        let with_slot = RowRoom { bytes: row.bytes + format::transaction::ITL_BYTES, own_slot: false, ..row };
        Ok(past.has_slot(row.own_slot, self.itl_slots_max()) && self.fits(&past.bytes, with_slot))
    }

    /// Makes room in a block that refuses a row: cleans out transactions that have ended, and in a block without rows
    /// removes ITL slots that no snapshot needs. True when the row fits then.
    fn make_fit(&self, s: &Worker, block: &mut BlockMut, row: RowRoom) -> Result<bool> {
        s.clean_current(block)?;
        let keep = self.itl_slots();
        if format::heap::is_empty(block) && format::transaction::header(block).itl_count > keep {
            let oldest = s.store().oldest_snapshot(s.meter());
            let over = |itl: &format::itl::Itl| itl.committed().is_some_and(|scn| scn < oldest);
            s.change(block, |bytes| format::itl::remove(bytes, keep, over));
            debug_assert!(
                format::transaction::header(block).itl_count >= keep,
                "{self:?}: {block:?} has too few slots"
            );
        }
        let fits = self.fits(block, RowRoom { own: None, ..row });
        if !fits && format::heap::is_empty(block) && format::transaction::header(block).itl_count == keep {
            return Err(common::Error::bug(format!("a row of {} bytes does not fit into an empty block", row.bytes)));
        }
        Ok(fits)
    }

    /// True: the row lacks an ITL slot, because the block has as many as it may have.
    fn lacks_slot(&self, block: &[u8], row: RowRoom) -> bool {
        row.own_slot
            && format::itl::free_slot(block).is_none()
            && !format::itl::may_have_more(block, self.itl_slots_max())
    }

    /// To be called after rows were put into a block of [`Segment::block_for_insert`]. Updates the block's state on
    /// list or bitmap by its fullness. `next_row` is the size of the row that is to follow, if there is one: a block
    /// that has no room for it is marked full here, while it is latched.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn inserted(&self, s: &Worker, block: BlockMut, next_row: Option<RowRoom>) -> Result<()> {
        debug_assert!(self.owns(&block), "{self:?}: rows were put into {block:?}, which is not of the segment");
        self.space.changed(self, s, block, next_row)
    }

    /// Notes the free bytes before a delete or an update changes the block.
    pub fn watch(&self, block: &mut BlockMut) {
        block.free_before = Some(format::heap::free_after_commit(block));
    }

    /// To be called after a change of a block that was [watched](Segment::watch): its free bytes may be more or less.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn changed(&self, s: &Worker, block: BlockMut) -> Result<()> {
        self.space.changed(self, s, block, None)
    }

    /// To be called after undo has taken back a change of a block that was [watched](Segment::watch).
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn restored(&self, s: &Worker, block: BlockMut) -> Result<()> {
        self.space.restored(self, s, block)
    }

    /// To be called after the undo of a load has emptied a block that was [watched](Segment::watch): the state of a
    /// loaded block on list or bitmap does not tell the bytes that were free in it.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn emptied(&self, s: &Worker, mut block: BlockMut) -> Result<()> {
        if self.management() == SpaceManagement::Auto {
            block.free_before = None;
        }
        self.space.restored(self, s, block)
    }

    /// An empty index block: formatted, off every list, its body zero.
    ///
    /// # Errors
    /// ORA-01654 when the segment cannot grow, and errors of the cache.
    pub fn empty_block(&self, s: &Worker) -> Result<BlockMut> {
        let block = self.space.empty_block(self, s)?;
        debug_assert!(self.owns(&block), "{self:?}: {block:?} is not of the segment");
        debug_assert!(!format::transaction::header(&block).on_freelist(), "{self:?}: {block:?} can be given out twice");
        Ok(block)
    }

    /// Gives back an index block that has become empty.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn release_block(&self, s: &Worker, block: BlockMut) -> Result<()> {
        debug_assert!(self.owns(&block), "{self:?}: {block:?} is given back to a segment that it is not of");
        debug_assert!(!format::transaction::header(&block).on_freelist(), "{self:?}: {block:?} is given back twice");
        self.space.release_block(self, s, block)
    }

    /// The owner part of the header of this segment's blocks.
    fn block_owner(&self, bitmap: Option<BlockAddress>) -> format::transaction::BlockOwner {
        format::transaction::BlockOwner {
            owner: self.spec.owner,
            object: self.spec.data_object,
            itl_slots: self.itl_slots(),
            bitmap,
        }
    }

    /// Formats an empty block of this segment.
    fn format_block(&self, block: &mut [u8], address: BlockAddress, bitmap: Option<BlockAddress>) {
        format::block::format(block, format::block::BlockType::Data, address);
        match self.spec.owner {
            Owner::Table => format::heap::init(block, self.block_owner(bitmap)),
            Owner::Index => format::transaction::init(block, self.block_owner(bitmap)),
        }
    }

    /// True: the bytes are a formatted block of this segment.
    fn owns(&self, block: &[u8]) -> bool {
        format::block::kind(block) == Some(format::block::BlockType::Data)
            && format::transaction::header(block).object_number() == self.spec.data_object
    }
}
