//! Automatic space management: the search through three levels of bitmaps.
//!
//! ```text
//! process's last block -> its L1 -> segment header (hint) -> L2 -> L1s whose mask promises room -> blocks
//! ```
//!
//! The process number picks the L1 among those of an L2 and the place in the L1 where the search starts, so that sessions spread. Unformatted
//! blocks are formatted sixteen at a time.
//!
//! Rules:
//! 1. A state is a hint: the block is latched and looked at before it is used. A block that refuses a row though it seemed to have room becomes
//!    Full once an eighth of a block or less is left above PCTFREE.
//! 2. The search lets go of a bitmap block before it takes a data block. A change goes the other way: data block, then L1, then L2.
//! 3. State changes are written only when a quarter, PCTFREE or a refusal is crossed; an L2 entry only when the best state in its L1 changes.
//! 4. Blocks of a batch are formatted before their L1 says so; two sessions that pick the same batch meet on the FB enqueue.
//! 5. A search gives up on half-full blocks after [`REFUSALS_MAX`] refusals and takes an empty one: wasted probes stay bounded.

use common::{BlockAddress, BlockClass, Error, Result};
use format::bitmap::{self, BlockState};
use format::block::{self, BlockType};
use format::transaction::Owner;
use format::{heap, segment, transaction};

use super::{SegmentParts, SpaceManager};
use crate::cache::BlockMut;
use crate::instance::Session;
use crate::segment::extent::{Position, Reading};
use crate::segment::{BlockRange, RowRoom, SearchHint, Segment, SpaceUsage, metadata};

/// Blocks formatted at a time.
const FORMAT_BATCH: usize = 16;
/// Probes of half-full blocks that may refuse a row before an empty block is taken.
const REFUSALS_MAX: usize = 5;

/// Bitmaps: all state is in the blocks.
#[derive(Debug)]
pub(in crate::segment) struct Bitmaps;

/// What a search looks for.
#[derive(Clone, Copy)]
enum Want {
    /// A block in which a row fits.
    Row(RowRoom),
    /// An index block without content.
    Empty,
}

impl Want {
    /// Whether a block of this state may serve; `sure` asks for more than a guess.
    fn may_serve(self, state: BlockState, segment: &Segment, sure: bool) -> bool {
        match self {
            Self::Empty => state == BlockState::Free100,
            Self::Row(_) if sure => state == BlockState::Free100,
            Self::Row(row) => {
                let block_bytes = segment.block_size().bytes();
                let reserve = block_bytes * usize::from(segment.spec.pctfree) / 100;
                state == BlockState::Free100 || state.free_most(block_bytes) >= row.bytes + reserve
            }
        }
    }

    /// The states that may serve, as an L2 entry's mask; unformatted blocks serve always.
    fn mask(self, segment: &Segment, sure: bool) -> u8 {
        BlockState::DATA
            .into_iter()
            .filter(|state| *state == BlockState::Unformatted || self.may_serve(*state, segment, sure))
            .fold(0, |mask, state| mask | state.bit())
    }
}

impl Bitmaps {
    /// The L2 blocks of a segment, the hinted one first.
    pub(super) fn second_levels(segment: &Segment, s: &Session) -> Result<Vec<BlockAddress>> {
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

    fn search(segment: &Segment, s: &Session, want: Want) -> Result<BlockMut> {
        let object = segment.data_object();
        let hint = s.search_hint(object);
        let mut refusals = 0;
        if let (Some(address), Want::Row(_)) = (hint.block, want)
            && let Some(block) = Self::probe(segment, s, address, want, &mut refusals)?
        {
            return Ok(block);
        }
        if let Some(l1) = hint.first_level
            && let Some(block) = Self::search_first_level(segment, s, l1, want, &mut refusals, true)?
        {
            return Ok(block);
        }
        loop {
            s.check_cancelled()?;
            for l2 in Self::second_levels(segment, s)? {
                let sure = refusals >= REFUSALS_MAX;
                let mask = want.mask(segment, sure);
                let candidates: Vec<_> = {
                    let block = metadata::current(s, l2, BlockClass::SecondLevelBitmap)?;
                    (0..bitmap::upper(&block).entries.get() as usize)
                        .map(|n| *bitmap::second_level_entry(&block, n))
                        .filter(|entry| entry.states & mask != 0)
                        .map(|entry| BlockAddress::unpack(entry.first_level.get()))
                        .collect()
                };
                let start = s.process().0 as usize % candidates.len().max(1);
                for n in 0..candidates.len() {
                    let l1 = candidates[(start + n) % candidates.len()];
                    if let Some(block) = Self::search_first_level(segment, s, l1, want, &mut refusals, false)? {
                        return Ok(block);
                    }
                }
            }
            Self::raise_high_water(segment, s)?;
        }
    }

    /// Looks for a block among those that an L1 covers; formats a batch when only unformatted ones are left. An L1 that is but remembered may be
    /// another segment's by now.
    fn search_first_level(
        segment: &Segment,
        s: &Session,
        l1: BlockAddress,
        want: Want,
        refusals: &mut usize,
        hinted: bool,
    ) -> Result<Option<BlockMut>> {
        let (candidates, batch) = {
            let block = s.current(l1, BlockClass::FirstLevelBitmap)?;
            let header = bitmap::first_level(&block);
            if block::kind(&block) != Some(BlockType::FirstLevelBitmap)
                || header.object.get() != segment.data_object().0
            {
                if hinted {
                    return Ok(None);
                }
                return Err(Error::corrupt(l1, format!("it is no bitmap block of {}", segment.name())));
            }
            let covered = usize::from(header.covered.get());
            let batch = Self::next_batch(s, &block);
            let batch = batch.and_then(|index| Some((index, bitmap::address_of(&block, index)?)));
            let sure = *refusals >= REFUSALS_MAX;
            let start = s.process().0 as usize * FORMAT_BATCH % covered.max(1);
            let candidates: Vec<_> = (0..covered)
                .map(|n| (start + n) % covered)
                .filter(|index| want.may_serve(bitmap::state(&block, *index), segment, sure))
                .filter_map(|index| bitmap::address_of(&block, index))
                .take(REFUSALS_MAX + 1)
                .collect();
            (candidates, batch)
        };
        for address in candidates {
            if let Some(block) = Self::probe(segment, s, address, want, refusals)? {
                Self::remember(segment, s, address, l1);
                return Ok(Some(block));
            }
        }
        if let Some(batch) = batch {
            for address in Self::format_batch(segment, s, l1, batch)? {
                if let Some(block) = Self::probe(segment, s, address, want, refusals)? {
                    Self::remember(segment, s, address, l1);
                    return Ok(Some(block));
                }
            }
        }
        Ok(None)
    }

    /// The place in an L1 of the first block of a batch with unformatted blocks; the process number picks which.
    fn next_batch(s: &Session, l1: &[u8]) -> Option<usize> {
        let header = bitmap::first_level(l1);
        if header.counts[BlockState::Unformatted as usize].get() == 0 {
            return None;
        }
        let covered = usize::from(header.covered.get());
        let batches = covered.div_ceil(FORMAT_BATCH);
        let start = s.process().0 as usize % batches.max(1);
        let batch = |n: usize| (start + n) % batches * FORMAT_BATCH;
        (0..batches).map(batch).find(|first| !Self::unformatted(l1, *first).is_empty())
    }

    /// The unformatted blocks of a batch, as places in its L1.
    fn unformatted(l1: &[u8], batch: usize) -> Vec<usize> {
        let covered = usize::from(bitmap::first_level(l1).covered.get());
        let is_unformatted = |index: &usize| bitmap::state(l1, *index) == BlockState::Unformatted;
        (batch..(batch + FORMAT_BATCH).min(covered)).filter(is_unformatted).collect()
    }

    fn remember(segment: &Segment, s: &Session, block: BlockAddress, l1: BlockAddress) {
        s.remember(segment.data_object(), SearchHint { block: Some(block), first_level: Some(l1) });
    }

    /// Latches a block and lets it decide.
    fn probe(
        segment: &Segment,
        s: &Session,
        address: BlockAddress,
        want: Want,
        refusals: &mut usize,
    ) -> Result<Option<BlockMut>> {
        let mut block = match want {
            Want::Row(_) => s.current_mut(address, BlockClass::Data)?,
            // The caller holds blocks of the index: waiting for one more, which may have got into the tree meanwhile, could be for ever.
            Want::Empty => match s.try_current_mut(address, BlockClass::Data)? {
                Some(block) => block,
                None => return Ok(None),
            },
        };
        if !segment.owns(&block) {
            return Ok(None);
        }
        match want {
            Want::Empty => {
                // The flag says that nobody has taken the block since its state was read.
                if !transaction::header(&block).on_freelist() {
                    return Ok(None);
                }
                s.change(&mut block, |bytes| transaction::header_mut(bytes).set_freelist(false, BlockAddress::NONE));
                Ok(Some(block))
            }
            Want::Row(row) => {
                if segment.takes(s, &mut block, row)? {
                    return Ok(Some(block));
                }
                *refusals += 1;
                if Self::is_used_up(segment, &block) {
                    Self::set_state(segment, s, &mut block, BlockState::Full)?;
                }
                Ok(None)
            }
        }
    }

    /// Whether a block that refused a row has so little left above PCTFREE that it counts as full.
    fn is_used_up(segment: &Segment, block: &[u8]) -> bool {
        let reserve = block.len() * usize::from(segment.spec.pctfree) / 100;
        heap::free_after_commit(block) <= reserve + block.len() / 8
    }

    /// Writes a block's state into its L1, and into the L2 when the best state in the L1 changes. The block is latched.
    fn set_state(segment: &Segment, s: &Session, block: &mut BlockMut, state: BlockState) -> Result<()> {
        let _group = s.group();
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
        let before = bitmap::state_mask(&bitmap_block);
        s.change(&mut bitmap_block, |bytes| bitmap::set_state(bytes, index, state));
        Self::tell_parent(s, &bitmap_block, before)
    }

    /// Brings an L1's entry in its L2 up to date when its best state has changed.
    pub(super) fn tell_parent(s: &Session, first_level: &BlockMut, before: u8) -> Result<()> {
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

    /// Whether an L2 lists an L1 where that says.
    pub(super) fn check_slot(upper: &BlockMut, slot: usize, l1: BlockAddress) -> Result<()> {
        if slot < bitmap::upper(upper).entries.get() as usize
            && bitmap::second_level_entry(upper, slot).first_level.get() == l1.pack()
        {
            return Ok(());
        }
        Err(Error::corrupt(upper.address(), format!("{l1} is not in slot {slot} of its second-level bitmap block")))
    }

    /// Formats a batch: up to sixteen consecutive unformatted blocks of an L1. Returns their addresses; where another session was faster, those of
    /// the blocks of the batch that are empty.
    fn format_batch(
        segment: &Segment,
        s: &Session,
        l1: BlockAddress,
        (batch, first): (usize, BlockAddress),
    ) -> Result<Vec<BlockAddress>> {
        let _formatting = segment.formatting(s, first);
        let _group = s.group();
        let mut bitmap_block = metadata::current_mut(s, l1, BlockClass::FirstLevelBitmap)?;
        let indexes = Self::unformatted(&bitmap_block, batch);
        if indexes.is_empty() {
            let covered = usize::from(bitmap::first_level(&bitmap_block).covered.get());
            let mut empty: Vec<_> = (batch..(batch + FORMAT_BATCH).min(covered))
                .filter(|index| bitmap::state(&bitmap_block, *index) == BlockState::Free100)
                .filter_map(|index| bitmap::address_of(&bitmap_block, index))
                .collect();
            // Who has formatted them begins with the first.
            let start = s.process().0 as usize % empty.len().max(1);
            empty.rotate_left(start);
            return Ok(empty);
        }
        let mut addresses = Vec::with_capacity(indexes.len());
        for index in &indexes {
            let Some(address) = bitmap::address_of(&bitmap_block, *index) else {
                return Err(Error::corrupt(l1, format!("covered block {index} is in no range")));
            };
            // Nobody else reaches an unformatted block, so holding the L1 over it breaks no order.
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
        Self::tell_parent(s, &bitmap_block, before)?;
        Ok(addresses)
    }
}

impl SpaceManager for Bitmaps {
    fn format_segment(&self, parts: &SegmentParts<'_>, s: &Session, first: BlockRange) -> Result<BlockAddress> {
        Self::format(parts, s, first)
    }

    fn add_extent(&self, segment: &Segment, s: &Session, range: BlockRange) -> Result<()> {
        Self::enter_extent(segment, s, range)
    }

    fn block_for_insert(&self, segment: &Segment, s: &Session, row: RowRoom) -> Result<BlockMut> {
        Self::search(segment, s, Want::Row(row))
    }

    fn changed(&self, segment: &Segment, s: &Session, mut block: BlockMut, next_row: Option<RowRoom>) -> Result<()> {
        let (bytes, pctfree) = (block.len(), segment.spec.pctfree);
        let before = block.free_before.map(|free| BlockState::of(free, bytes, pctfree));
        let mut state = BlockState::of(heap::free_after_commit(&block), bytes, pctfree);
        if let Some(next) = next_row
            && !segment.fits(&block, next)
        {
            let l1 = transaction::header(&block).bitmap_block();
            s.remember(segment.data_object(), SearchHint { block: None, first_level: Some(l1) });
            if Self::is_used_up(segment, &block) {
                state = BlockState::Full;
            }
        }
        if before != Some(state) {
            Self::set_state(segment, s, &mut block, state)?;
        }
        Ok(())
    }

    fn restored(&self, segment: &Segment, s: &Session, block: BlockMut) -> Result<()> {
        self.changed(segment, s, block, None)
    }

    fn empty_block(&self, segment: &Segment, s: &Session) -> Result<BlockMut> {
        // Between the two records the block is one that is on no list: it is lost for use at worst.
        let mut block = Self::search(segment, s, Want::Empty)?;
        s.remember(segment.data_object(), SearchHint { block: None, ..s.search_hint(segment.data_object()) });
        Self::set_state(segment, s, &mut block, BlockState::Full)?;
        Ok(block)
    }

    fn release_block(&self, segment: &Segment, s: &Session, mut block: BlockMut) -> Result<()> {
        let address = block.address();
        let _group = s.group();
        let l1 = transaction::header(&block).bitmap_block();
        s.change(&mut block, |bytes| {
            segment.format_block(bytes, address, Some(l1));
            transaction::header_mut(bytes).set_freelist(true, BlockAddress::NONE);
        });
        Self::set_state(segment, s, &mut block, BlockState::Free100)
    }

    fn covering(
        &self,
        segment: &Segment,
        s: &Session,
        address: BlockAddress,
        extent: u32,
    ) -> Result<Option<(BlockAddress, u32)>> {
        Self::covering_first_level(segment, s, address, extent).map(Some)
    }

    fn loaded(&self, segment: &Segment, s: &Session, from: Position, to: Position) -> Result<()> {
        Self::mark_loaded(segment, s, from, to)
    }

    fn scan_ranges(&self, segment: &Segment, s: &Session) -> Result<Vec<BlockRange>> {
        Self::formatted_ranges(segment, s)
    }

    fn usage(&self, segment: &Segment, s: &Session) -> Result<SpaceUsage> {
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
