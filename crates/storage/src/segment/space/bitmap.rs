//! Automatic space management: the search through three levels of bitmaps.
//!
//! ```text
//! process's last block -> its L1 -> segment header (hint) -> L2 -> L1s whose mask promises room -> blocks
//! ```
//!
//! The process number picks the L1 among those of an L2, the batch of sixteen blocks in the L1 that the search looks at
//! and formats first, and the place in each batch, so that sessions spread. The search passes over a block in which
//! another session has a transaction, or that it has pinned, and raises the high-water mark where no other block is
//! left: concurrency is bought with space, as in Oracle.
//!
//! Rules:
//! 1. A state is a hint: the search latches the block and looks at it before it uses it. A block that refuses a row
//!    though it seemed to have room becomes Full once an eighth of a block or less is left above PCTFREE.
//! 2. The search lets go of a bitmap block before it takes a data block. A change goes the other way: data block, then
//!    L1, then L2.
//! 3. State changes are written only when a quarter, PCTFREE or a refusal is crossed; an L2 entry only when the best
//!    state in its L1 changes.
//! 4. Blocks of a batch are formatted before their L1 says so; two sessions that pick the same batch meet on the FB
//!    enqueue.
//! 5. A search gives up on half-full blocks after `REFUSALS_MAX` refusals and takes an empty one: wasted probes stay
//!    bounded. Nor does it pass over more than `PASSED_MAX` blocks that are in use.

use common::{BlockAddress, BlockClass, BlockRange, Error, Result};
use format::bitmap::{self, BlockState};
use format::transaction::Owner;
use format::{heap, segment, transaction};
use waits::Statistic;

use super::bitmap_search::{Want, in_batch};
use super::{SegmentParts, SpaceManager};
use crate::cache::BlockMut;
use crate::parameters::Parameter;
use crate::process::metadata;
use crate::segment::extent::{Position, Reading};
use crate::segment::{RowRoom, Segment, SpaceUsage};
use crate::txn::Worker;

/// Number of blocks formatted at a time.
pub(super) const FORMAT_BATCH: usize = 16;
/// Bitmaps: all state is in the blocks.
#[derive(Debug)]
pub(in crate::segment) struct Bitmaps;

impl Bitmaps {
    /// The L2 blocks of a segment, the hinted one first.
    pub(in crate::segment) fn second_levels(segment: &Segment, s: &Worker) -> Result<Vec<BlockAddress>> {
        let header = segment.header_block(s, Reading::Current)?;
        let fields = *segment::header(&header);
        let count = fields.second_level_blocks.get() as usize;
        let mut all: Vec<_> =
            (0..count.min(segment::SECOND_LEVEL_INLINE)).map(|n| segment::second_level(&header, n)).collect();
        drop(header);
        let mut next = BlockAddress::unpack(fields.first_third_level.get());
        for _ in 0..fields.third_level_blocks.get() {
            let block = metadata::current(s, next, BlockClass::ThirdLevelBitmap)?;
            let upper = bitmap::upper(&block);
            all.extend((0..upper.entries.get() as usize).map(|n| bitmap::third_level_entry(&block, n)));
            next = BlockAddress::unpack(upper.next.get());
        }
        let hint = BlockAddress::unpack(fields.second_level_hint.get());
        if let Some(at) = all.iter().position(|l2| *l2 == hint) {
            all.rotate_left(at);
        }
        Ok(all)
    }

    /// The unformatted blocks of a batch, as indexes in its L1.
    pub(super) fn unformatted(l1: &[u8], batch: usize) -> Vec<usize> {
        let covered = usize::from(bitmap::first_level(l1).covered.get());
        let is_unformatted = |index: &usize| bitmap::state(l1, *index) == BlockState::Unformatted;
        (batch..(batch + FORMAT_BATCH).min(covered)).filter(is_unformatted).collect()
    }

    /// True: a block that refused a row has so little left above PCTFREE that it counts as full.
    pub(super) fn is_used_up(segment: &Segment, block: &[u8]) -> bool {
        let reserve = block.len() * usize::from(segment.spec.pctfree) / 100;
        heap::free_after_commit(block) <= reserve + block.len() / 8
    }

    /// Writes a block's state into its L1, and into the L2 when the best state in the L1 changes. The caller has the
    /// block latched.
    pub(super) fn set_state(segment: &Segment, s: &Worker, block: &mut BlockMut, state: BlockState) -> Result<()> {
        s.mini(|| {
            let l1 = transaction::header(block).bitmap_block();
            let address = block.address();
            let mut bitmap_block = metadata::current_mut(s, l1, BlockClass::FirstLevelBitmap)?;
            if bitmap::first_level(&bitmap_block).object.get() != segment.data_object().0 {
                return Err(Error::corrupt(address, format!("its bitmap block {l1} is of another segment")));
            }
            let Some(index) = bitmap::index_of(&bitmap_block, address) else {
                return Err(Error::corrupt(address, format!("its bitmap block {l1} does not cover it")));
            };
            if bitmap::state(&bitmap_block, index) == state {
                return Ok(());
            }
            debug_assert!(
                bitmap::state(&bitmap_block, index) != BlockState::Metadata && state != BlockState::Metadata,
                "{segment:?}: {address} is metadata for good"
            );
            let before = bitmap::state_mask(&bitmap_block);
            s.change(&mut bitmap_block, |bytes| bitmap::set_state(bytes, index, state));
            s.meter().count(Statistic::SpaceBitmapStateChanges, 1);
            Self::tell_parent(s, &bitmap_block, before)
        })
    }

    /// Brings an L1's entry in its L2 up to date when its best state has changed.
    pub(super) fn tell_parent(s: &Worker, first_level: &BlockMut, before: u8) -> Result<()> {
        let mask = bitmap::state_mask(first_level);
        let best = |mask: u8| (mask & BlockState::Unformatted.bit(), mask.leading_zeros());
        if best(mask) == best(before) {
            return Ok(());
        }
        let header = bitmap::first_level(first_level);
        let (parent, slot) = (BlockAddress::unpack(header.parent.get()), header.parent_slot.get() as usize);
        let mut upper = metadata::current_mut(s, parent, BlockClass::SecondLevelBitmap)?;
        Self::check_slot(&upper, slot, first_level.address())?;
        s.change(&mut upper, |bytes| bitmap::second_level_entry_mut(bytes, slot).states = mask);
        Ok(())
    }

    /// Checks that an L2 lists an L1 in the slot that the L1 names.
    pub(super) fn check_slot(upper: &BlockMut, slot: usize, l1: BlockAddress) -> Result<()> {
        if slot < bitmap::upper(upper).entries.get() as usize
            && bitmap::second_level_entry(upper, slot).first_level.get() == l1.pack()
        {
            return Ok(());
        }
        Err(Error::corrupt(upper.address(), format!("{l1} is not in slot {slot} of its second-level bitmap block")))
    }

    /// Formats a batch: up to sixteen consecutive unformatted blocks of an L1. Returns their addresses; where another
    /// session was faster, the addresses of the batch's empty blocks.
    pub(super) fn format_batch(
        segment: &Segment,
        s: &Worker,
        l1: BlockAddress,
        (batch, first): (usize, BlockAddress),
    ) -> Result<Vec<BlockAddress>> {
        let _formatting = segment.formatting(s, first);
        s.mini(|| {
            let mut bitmap_block = metadata::current_mut(s, l1, BlockClass::FirstLevelBitmap)?;
            let indexes = Self::unformatted(&bitmap_block, batch);
            if indexes.is_empty() {
                let covered = usize::from(bitmap::first_level(&bitmap_block).covered.get());
                let mut empty: Vec<_> = (batch..(batch + FORMAT_BATCH).min(covered))
                    .filter(|index| bitmap::state(&bitmap_block, *index) == BlockState::Free100)
                    .filter_map(|index| bitmap::address_of(&bitmap_block, index))
                    .collect();
                let start = in_batch(s.process().0 as usize, empty.len()).next().unwrap_or(0);
                empty.rotate_left(start);
                return Ok(empty);
            }
            let mut addresses = Vec::with_capacity(indexes.len());
            for index in &indexes {
                let Some(address) = bitmap::address_of(&bitmap_block, *index) else {
                    return Err(Error::corrupt(l1, format!("covered block {index} is in no range")));
                };
                // No other session reaches an unformatted block, so holding the L1 over it breaks no order.
                let mut block = s.new_block(address, BlockClass::Data)?;
                s.change(&mut block, |bytes| {
                    segment.format_block(bytes, address, Some(l1));
                    if segment.spec.owner == Owner::Index {
                        transaction::header_mut(bytes).set_freelist(true, BlockAddress::NONE);
                    }
                });
                addresses.push(address);
            }
            let before = bitmap::state_mask(&bitmap_block);
            s.change(&mut bitmap_block, |bytes| {
                for index in indexes {
                    bitmap::set_state(bytes, index, BlockState::Free100);
                }
            });
            debug_assert!(addresses.len() <= FORMAT_BATCH, "{} blocks of a batch are formatted", addresses.len());
            s.meter().count(Statistic::BlocksFormatted, addresses.len() as u64);
            s.meter().count(Statistic::SpaceBitmapStateChanges, addresses.len() as u64);
            Self::tell_parent(s, &bitmap_block, before)?;
            let start = in_batch(s.process().0 as usize, addresses.len()).next().unwrap_or(0);
            addresses.rotate_left(start);
            Ok(addresses)
        })
    }
}

impl SpaceManager for Bitmaps {
    fn format_segment(&self, parts: &SegmentParts<'_>, s: &Worker, first: BlockRange) -> Result<BlockAddress> {
        Self::format(parts, s, first)
    }

    fn add_extent(&self, segment: &Segment, s: &Worker, range: BlockRange) -> Result<()> {
        Self::enter_extent(segment, s, range)
    }

    fn block_for_insert(&self, segment: &Segment, s: &Worker, row: RowRoom) -> Result<BlockMut> {
        Self::search(segment, s, Want::Row(row))
    }

    fn changed(&self, segment: &Segment, s: &Worker, mut block: BlockMut, next_row: Option<RowRoom>) -> Result<()> {
        let (bytes, pctfree) = (block.len(), segment.spec.pctfree);
        let before = block.free_before.map(|free| BlockState::of(free, bytes, pctfree));
        let mut state = BlockState::of(heap::free_after_commit(&block), bytes, pctfree);
        if let Some(next) = next_row
            && !segment.fits(&block, next)
        {
            let l1 = transaction::header(&block).bitmap_block();
            segment.remember(s, None, Some(l1));
            let legacy = next.own_slot && s.parameters().boolean(Parameter::LegacySpaceSearch);
            if Self::is_used_up(segment, &block) || !legacy && segment.lacks_slot(&block, next) {
                state = BlockState::Full;
            }
        }
        if before != Some(state) {
            Self::set_state(segment, s, &mut block, state)?;
        }
        Ok(())
    }

    fn restored(&self, segment: &Segment, s: &Worker, block: BlockMut) -> Result<()> {
        self.changed(segment, s, block, None)
    }

    fn empty_block(&self, segment: &Segment, s: &Worker) -> Result<BlockMut> {
        // A crash between the two records leaves the block on no list: at worst it is lost for use.
        let mut block = Self::search(segment, s, Want::Empty)?;
        segment.remember(s, None, segment.hint(s).first_level);
        Self::set_state(segment, s, &mut block, BlockState::Full)?;
        Ok(block)
    }

    fn release_block(&self, segment: &Segment, s: &Worker, mut block: BlockMut) -> Result<()> {
        let address = block.address();
        s.mini(|| {
            let l1 = transaction::header(&block).bitmap_block();
            s.change(&mut block, |bytes| {
                segment.format_block(bytes, address, Some(l1));
                transaction::header_mut(bytes).set_freelist(true, BlockAddress::NONE);
            });
            Self::set_state(segment, s, &mut block, BlockState::Free100)
        })
    }

    fn covering(
        &self,
        segment: &Segment,
        s: &Worker,
        address: BlockAddress,
        extent: u32,
    ) -> Result<Option<(BlockAddress, u32)>> {
        Self::covering_first_level(segment, s, address, extent).map(Some)
    }

    fn loaded(
        &self,
        segment: &Segment,
        s: &Worker,
        from: Position,
        to: Position,
        note: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        Self::mark_loaded(segment, s, from, to, note)
    }

    fn scan_ranges(&self, segment: &Segment, s: &Worker) -> Result<Vec<BlockRange>> {
        Self::formatted_ranges(segment, s)
    }

    fn give_up(&self, segment: &Segment, s: &Worker, last: Option<BlockAddress>, keep: u32) -> Result<u32> {
        Self::give_up(segment, s, last, keep)
    }

    fn usage(&self, segment: &Segment, s: &Worker) -> Result<SpaceUsage> {
        let (header, entries) = segment.map(s, Reading::Current)?;
        let mut usage = SpaceUsage::below_mark(&header, &entries);
        let high = Position::from(header.high);
        Self::each_state(
            segment,
            s,
            &entries,
            Position { extent: 0, block: 0 },
            high,
            Reading::Current,
            |_, state| match state {
                BlockState::Unformatted => usage.unformatted += 1,
                BlockState::Full => usage.full += 1,
                BlockState::Free25 => usage.free[0] += 1,
                BlockState::Free50 => usage.free[1] += 1,
                BlockState::Free75 => usage.free[2] += 1,
                BlockState::Free100 => usage.free[3] += 1,
                BlockState::Metadata => {}
            },
        )?;
        Ok(usage)
    }
}
