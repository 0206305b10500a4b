//! Manual space management: freelists.
//!
//! ```text
//! segment header (or freelist group block)        data blocks
//!   master list    head ----------------------->  b7 -> b8 -> b9
//!   process list 1 head ----------------------->  b3 -> b4
//! ```
//!
//! The process number modulo FREELISTS picks the list; with freelist groups the group is picked first in the same way.
//! The order of search of a single-row insert is: the transaction's own list (`transaction_list.rs`), own process list,
//! master list (up to five blocks move to the process list), a list of a transaction that has ended, high-water mark,
//! new extent. The search tries the block at the head of a list. A block that does not take the row is unlinked when it
//! is filled to PCTUSED; else the search walks past it.
//!
//! Rules:
//! 1. Latches are taken data block first, then header. Where the search goes the other way it releases the header
//!    before it latches the block, and then checks the block again.
//! 2. A block is unlinked only from the head of its list. A block that is not at the head stays until the search meets
//!    it there.
//! 3. A block's own flag says whether it is on a list; lists are hints in no other respect.
//! 4. No other session sees blocks between the old and the new high-water mark until they are linked.

use std::time::Duration;

use common::{BlockAddress, BlockClass, BlockRange, Error, Result};
use format::freelist::{self, FreeList};
use format::segment::{self, ExtentEntry};
use format::{heap, transaction};
use waits::Statistic;

use super::{SegmentParts, SpaceManager};
use crate::cache::BlockMut;
use crate::parameters::Parameter;
use crate::process::{SearchHint, metadata};
use crate::segment::extent::{Position, Reading};
use crate::segment::{RowRoom, Segment, SpaceUsage};
use crate::txn::{OwnFreelist, Worker};

/// Most blocks that move from the master list to a process list at a time.
const MASTER_MOVE: usize = 5;

/// Longest wait for a block that is latched against the order of latches.
const BUSY_WAIT: Duration = Duration::from_millis(2);

/// Number of new starts at the head after which the list counts as damaged.
const STARTS_MAX: u32 = 10_000;

/// Freelists: all state is in the blocks.
#[derive(Debug)]
pub(in crate::segment) struct FreeLists;

/// The place of a process's lists.
pub(super) struct Lists {
    pub(super) block: BlockAddress,
    pub(super) class: BlockClass,
    /// Slot of the process list; 0 when there is only the master list.
    own: usize,
}

impl Lists {
    pub(super) fn block_mut(&self, segment: &Segment, s: &Worker) -> Result<BlockMut> {
        let block = metadata::current_mut(s, self.block, self.class)?;
        if self.class == BlockClass::SegmentHeader {
            segment.check_header(&block)?;
        }
        Ok(block)
    }
}

/// Blocks that a search must use up before it moves the high-water mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum After {
    /// Blocks of the own and the master list.
    Lists,
    /// Blocks of other transactions' lists: transactions that have ended may have left them.
    TransactionLists,
    Nothing,
}

/// Detects lists that lead in a circle, or to blocks that are on no list. Changes by other sessions may send a search
/// back to the head now and then, but not for ever.
#[derive(Default)]
pub(super) struct Patrol {
    starts: u32,
    steps: u64,
    mark: Option<BlockAddress>,
    circles: u32,
}

impl Patrol {
    /// Notes that the search starts again at the head.
    pub(super) fn again(&mut self, segment: &Segment) -> Result<()> {
        self.starts += 1;
        (self.steps, self.mark) = (0, None);
        if self.starts < STARTS_MAX {
            return Ok(());
        }
        Err(Error::corrupt(segment.header, "its freelists lead to blocks that are on no freelist"))
    }

    /// Notes that the search goes on to `next`. False when it has been there (Brent's rule); a block that was moved
    /// meanwhile may cause that once.
    pub(super) fn step(&mut self, segment: &Segment, next: BlockAddress) -> Result<bool> {
        self.steps += 1;
        if self.mark == Some(next) {
            self.circles += 1;
            if self.circles > 1 {
                return Err(Error::corrupt(segment.header, format!("a freelist leads back to block {next}")));
            }
            return Ok(false);
        }
        if self.steps.is_power_of_two() {
            self.mark = Some(next);
        }
        Ok(true)
    }
}

impl FreeLists {
    pub(super) fn lists(segment: &Segment, s: &Worker) -> Lists {
        let storage = &segment.spec.storage;
        let process = s.process().0 as usize;
        let own = if storage.freelists > 1 { 1 + process % usize::from(storage.freelists) } else { 0 };
        if storage.freelist_groups > 1 {
            let group = process as u32 % u32::from(storage.freelist_groups);
            Lists { block: segment.header.plus(1 + group), class: BlockClass::FreeList, own }
        } else {
            Lists { block: segment.header, class: BlockClass::SegmentHeader, own }
        }
    }

    /// Takes a block off its list if it is at the head of one of this process's or this transaction's lists. Remembers
    /// the new head, so that the next search need not get the header again to find it. The caller has the block
    /// latched.
    pub(super) fn unlink(segment: &Segment, s: &Worker, block: &mut BlockMut) -> Result<bool> {
        let lists = Self::lists(segment, s);
        s.mini(|| {
            let address = block.address();
            let next = transaction::header(block).next_free();
            let mut header = lists.block_mut(segment, s)?;
            let transaction = s.own_freelist(segment.data_object());
            let slots = [lists.own, 0].into_iter().chain(transaction.map(|own| own.slot));
            let Some(slot) = slots.into_iter().find(|slot| freelist::list(&header, *slot).first() == address) else {
                return Ok(false);
            };
            debug_assert!(
                transaction::header(block).on_freelist(),
                "{segment:?}: {address} leaves a list that it is not on"
            );
            debug_assert!(next != address, "{segment:?}: {address} leads to itself");
            s.change(&mut header, |bytes| freelist::list_mut(bytes, slot).pop(next));
            s.change(block, |bytes| transaction::header_mut(bytes).set_freelist(false, BlockAddress::NONE));
            s.meter().count(Statistic::FreelistBlocksUnlinked, 1);
            let block = (!next.is_none()).then_some(next);
            match transaction.filter(|own| own.slot == slot) {
                Some(own) => s.set_own_freelist(segment.data_object(), OwnFreelist { candidate: block, ..own }),
                None => s.remember(segment.data_object(), SearchHint { block, first_level: None, shrinks: 0 }),
            }
            Ok(true)
        })
    }

    /// Puts a latched block at the head of this process's list.
    pub(super) fn link(segment: &Segment, s: &Worker, block: &mut BlockMut) -> Result<()> {
        let lists = Self::lists(segment, s);
        s.mini(|| {
            let address = block.address();
            debug_assert!(!transaction::header(block).on_freelist(), "{segment:?}: {address} is on a freelist already");
            debug_assert!(segment.owns(block), "{segment:?}: {address} is not of the segment");
            let mut header = lists.block_mut(segment, s)?;
            let head = freelist::list(&header, lists.own).first();
            s.change(block, |bytes| transaction::header_mut(bytes).set_freelist(true, head));
            s.change(&mut header, |bytes| freelist::list_mut(bytes, lists.own).push_chain(address, address, 1));
            s.meter().count(Statistic::FreelistBlocksLinked, 1);
            Ok(())
        })
    }

    /// Head of the process list. When that list is empty, blocks move to it from the master list, and to the master
    /// list from lists of transactions that have ended.
    fn head(segment: &Segment, s: &Worker) -> Result<Option<BlockAddress>> {
        let lists = Self::lists(segment, s);
        loop {
            let mut header = lists.block_mut(segment, s)?;
            let own = freelist::list(&header, lists.own).first();
            if !own.is_none() {
                return Ok(Some(own));
            }
            let master = freelist::list(&header, 0).first();
            if master.is_none() {
                if Self::refill_master(segment, s, header, &lists)?.is_some() {
                    continue;
                }
                return Ok(None);
            }
            // The chain leads through data blocks, against the order of latches, so only blocks that are free at once
            // are latched.
            let mut moved = Vec::new();
            let mut next = master;
            while moved.len() < MASTER_MOVE && !next.is_none() {
                let Some(block) = s.try_current_mut(next, BlockClass::Data)? else {
                    break;
                };
                next = transaction::header(&block).next_free();
                moved.push(block);
            }
            let (Some(first), Some(last)) = (moved.first().map(BlockMut::address), moved.last().map(BlockMut::address))
            else {
                drop(header);
                Self::await_block(s, master)?;
                continue;
            };
            let mini = s.begin_mini();
            if let Some(block) = moved.last_mut() {
                s.change(block, |bytes| transaction::header_mut(bytes).set_freelist(true, BlockAddress::NONE));
            }
            let count = moved.len() as u32;
            debug_assert!(
                moved.iter().all(|block| transaction::header(block).on_freelist()),
                "{segment:?}: the master list leads to blocks that are on none: {moved:?}"
            );
            s.change(&mut header, |bytes| {
                let master: &mut FreeList = freelist::list_mut(bytes, 0);
                master.head = next.pack().into();
                master.blocks = master.blocks.get().saturating_sub(count).into();
                if next.is_none() {
                    master.tail = 0.into();
                }
                freelist::list_mut(bytes, lists.own).push_chain(first, last, count);
            });
            mini.commit();
            return Ok(Some(first));
        }
    }

    /// Waits a moment for a block of a list that another session has latched. The caller has nothing latched except,
    /// for an index, blocks of the index.
    pub(super) fn await_block(s: &Worker, address: BlockAddress) -> Result<()> {
        s.check_cancelled()?;
        s.current_mut_within(address, BlockClass::Data, BUSY_WAIT).map(drop)
    }

    /// Moves the high-water mark by some blocks, formats them and links them; adds an extent first when there is none
    /// above the mark. Returns the first of the blocks. Does nothing and returns None while there are blocks that
    /// `after` puts first.
    fn bump(segment: &Segment, s: &Worker, after: After) -> Result<Option<BlockAddress>> {
        let lists = Self::lists(segment, s);
        let _growing = segment.growing(s);
        // Another session may have moved the mark while this one waited for the enqueue.
        let has_blocks = |header: &[u8]| match after {
            After::Lists => [lists.own, 0].into_iter().any(|slot| !freelist::list(header, slot).is_empty()),
            After::TransactionLists => Self::has_lists_of_others(segment, s, header),
            After::Nothing => false,
        };
        if lists.block != segment.header && has_blocks(&metadata::current(s, lists.block, lists.class)?) {
            return Ok(None);
        }
        let (extent, high, entry) = loop {
            let header = segment.header_block(s, Reading::Current)?;
            if lists.block == segment.header && has_blocks(&header) {
                return Ok(None);
            }
            let fields = *segment::header(&header);
            let mut at = Position::from(fields.high);
            let mut entry = if at.extent < fields.extents.get() {
                Some(segment.extent_entry(s, &header, at.extent)?)
            } else {
                None
            };
            if entry.is_some_and(|e| at.block >= e.blocks.get()) {
                at = Position { extent: at.extent + 1, block: 0 };
                entry = if at.extent < fields.extents.get() {
                    Some(segment.extent_entry(s, &header, at.extent)?)
                } else {
                    None
                };
            }
            drop(header);
            match entry {
                Some(entry) => break (at.extent, at.block.max(entry.metadata.get()), entry),
                None => segment.grow(s, fields.blocks.get())?,
            }
        };
        let count = Self::bump_blocks(segment, s, extent, high, &entry);
        debug_assert!(
            count > 0 && high + count <= entry.blocks.get(),
            "{segment:?}: {count} blocks from {high} of {entry:?}"
        );
        let first = entry.address().plus(high);
        let last = first.plus(count - 1);
        for n in 0..count - 1 {
            let address = first.plus(n);
            let mut block = s.new_block(address, BlockClass::Data)?;
            s.change(&mut block, |bytes| {
                segment.format_block(bytes, address, None);
                transaction::header_mut(bytes).set_freelist(true, address.plus(1));
            });
        }
        let mini = s.begin_mini();
        let mut last_block = s.new_block(last, BlockClass::Data)?;
        // Group and header are latched before either is changed: a block on a list must be below the mark.
        let mut group = if lists.block == segment.header { None } else { Some(lists.block_mut(segment, s)?) };
        let mut header = segment.header_block_mut(s)?;
        s.change(&mut header, |bytes| {
            let fields = segment::header_mut(bytes);
            // Metadata blocks that the mark passes count as below it too.
            let from = Position::from(fields.high);
            let passed = if from.extent == extent { high + count - from.block } else { high + count };
            fields.high.blocks = (fields.high.blocks.get() + passed).into();
            fields.high.extent = extent.into();
            fields.high.block = (high + count).into();
        });
        s.meter().count(Statistic::HwmMoves, 1);
        s.meter().count(Statistic::BlocksFormatted, u64::from(count));
        s.meter().count(Statistic::FreelistBlocksLinked, u64::from(count));
        let head = group.as_mut().unwrap_or(&mut header);
        Self::push_chain(segment, s, head, &lists, first, &mut last_block, count);
        mini.commit();
        Ok(Some(first))
    }

    /// Formats the last block of a chain so that it leads to the list's present head, and puts the chain in front of
    /// the list.
    fn push_chain(
        segment: &Segment,
        s: &Worker,
        header: &mut BlockMut,
        lists: &Lists,
        first: BlockAddress,
        last: &mut BlockMut,
        count: u32,
    ) {
        let address = last.address();
        let head = freelist::list(header, lists.own).first();
        s.change(last, |bytes| {
            segment.format_block(bytes, address, None);
            transaction::header_mut(bytes).set_freelist(true, head);
        });
        s.change(header, |bytes| freelist::list_mut(bytes, lists.own).push_chain(first, address, count));
    }

    /// Number of blocks by which the mark moves: 5 for each process list and the master; one at a time at the start of
    /// a segment; never past the extent.
    fn bump_blocks(segment: &Segment, s: &Worker, extent: u32, high: u32, entry: &ExtentEntry) -> u32 {
        let per_list = match s.parameters().unsigned(Parameter::BumpHighwaterMarkCount) as u32 {
            0 => 5,
            set => set,
        };
        let freelists = u32::from(segment.spec.storage.freelists);
        let lists = if freelists > 1 { freelists + 1 } else { 1 };
        let start = extent == 0 && high - entry.metadata.get() < 5;
        let count = if start { 1 } else { per_list * lists };
        count.min(entry.blocks.get() - high)
    }

    /// True: a watched block that is on no list has become emptier, and belongs on one now.
    fn has_fallen_below(segment: &Segment, block: &BlockMut) -> bool {
        block.free_before.is_some_and(|before| heap::free_after_commit(block) > before)
            && Self::is_to_be_linked(segment, block)
    }

    /// True: a block that did not take a row is filled to PCTUSED.
    pub(super) fn is_used(segment: &Segment, block: &[u8]) -> bool {
        heap::used_after_commit_percent(block) >= usize::from(segment.spec.pctused)
    }
}

impl SpaceManager for FreeLists {
    fn format_segment(&self, parts: &SegmentParts<'_>, s: &Worker, first: BlockRange) -> Result<BlockAddress> {
        let storage = &parts.spec.storage;
        let groups = u32::from(storage.freelist_groups);
        let metadata = if groups > 1 { 1 + groups } else { 1 };
        let header_address = first.start;
        let most = freelist::freelists_max(parts.block_size.bytes());
        if storage.freelists > most {
            return Err(Error::user(1590, format!("FREELISTS may be at most {most} at this block size")));
        }
        if metadata >= first.blocks {
            return Err(Error::user(
                3249,
                format!("an extent of {} blocks has no room for data beside {groups} freelist groups", first.blocks),
            ));
        }
        if groups > 1 {
            for group in 1..=groups {
                let address = first.start.plus(group);
                let mut block = s.new_block(address, BlockClass::FreeList)?;
                s.change(&mut block, |bytes| {
                    freelist::init_group(bytes, address, parts.spec.data_object, group, storage.freelists);
                });
            }
        }
        let mut header = s.new_block(header_address, BlockClass::SegmentHeader)?;
        s.change(&mut header, |bytes| {
            segment::init(bytes, false, header_address, parts.spec.data_object, parts.spec.owner);
            *segment::extent_mut(bytes, 0) = ExtentEntry {
                start: first.start.pack().into(),
                blocks: first.blocks.into(),
                first_level: 0.into(),
                metadata: metadata.into(),
            };
            let fields = segment::header_mut(bytes);
            fields.extents = 1.into();
            fields.blocks = first.blocks.into();
            fields.high.block = metadata.into();
            fields.high.blocks = metadata.into();
            fields.freelists = storage.freelists.into();
            fields.freelist_groups = storage.freelist_groups.into();
        });
        Ok(header_address)
    }

    fn add_extent(&self, segment: &Segment, s: &Worker, range: BlockRange) -> Result<()> {
        let mut header = segment.header_block_mut(s)?;
        let map_block = segment.needs_map_block(s, &header)?.then_some(range.start);
        let entry = ExtentEntry {
            start: range.start.pack().into(),
            blocks: range.blocks.into(),
            first_level: 0.into(),
            metadata: u32::from(map_block.is_some()).into(),
        };
        segment.append_extent(s, &mut header, entry, map_block)
    }

    fn block_for_insert(&self, segment: &Segment, s: &Worker, row: RowRoom) -> Result<BlockMut> {
        let object = segment.data_object();
        if let Some(block) = Self::own_block(segment, s, row)? {
            return Ok(block);
        }
        let release_limit = s.parameters().unsigned(Parameter::ReleaseInsertThreshold).max(1);
        let walk_limit = match s.parameters().unsigned(Parameter::WalkInsertThreshold) {
            0 => u64::MAX,
            set => set,
        };
        let (mut released, mut walked) = (0, 0);
        let mut patrol = Patrol::default();
        let mut candidate = s.search_hint(object).block;
        let mut remembered = candidate.is_some();
        loop {
            s.check_cancelled()?;
            let address = match candidate {
                Some(address) => address,
                None => match Self::head(segment, s)? {
                    Some(head) => head,
                    None => {
                        candidate = Self::bump(segment, s, After::Lists)?;
                        continue;
                    }
                },
            };
            let mut block = s.current_mut(address, BlockClass::Data)?;
            if !segment.owns(&block) || !transaction::header(&block).on_freelist() {
                // Since the block was remembered or read from the header, it was filled or the segment was emptied.
                s.remember(object, SearchHint::default());
                (candidate, remembered) = (None, false);
                patrol.again(segment)?;
                continue;
            }
            s.meter().count(Statistic::FreelistBlocksInspected, 1);
            if segment.takes(s, &mut block, row)? {
                s.remember(object, SearchHint { block: Some(address), first_level: None, shrinks: 0 });
                return Ok(block);
            }
            s.meter().count(Statistic::SpaceBlocksRejected, 1);
            s.remember(object, SearchHint::default());
            if Self::is_used(segment, &block) && Self::unlink(segment, s, &mut block)? {
                released += 1;
                (candidate, remembered) = (s.search_hint(object).block, false);
                if released > release_limit {
                    drop(block);
                    return Self::above_high_water(segment, s);
                }
                continue;
            }
            if remembered && transaction::header(&block).freelist_slot != 0 {
                // The block may be on a transaction's list by now: the search must not walk on along that list.
                (candidate, remembered) = (None, false);
                continue;
            }
            remembered = false;
            walked += 1;
            let next = transaction::header(&block).next_free();
            drop(block);
            if walked > walk_limit {
                return Self::above_high_water(segment, s);
            }
            if next.is_none() {
                // The search may have walked past the blocks behind the first of these before: that is no circle.
                candidate = Some(Self::behind_lists(segment, s)?);
                patrol = Patrol::default();
                continue;
            }
            candidate = Some(next);
            if !patrol.step(segment, next)? {
                candidate = None;
                patrol.again(segment)?;
            }
        }
    }

    fn changed(&self, segment: &Segment, s: &Worker, mut block: BlockMut, next_row: Option<RowRoom>) -> Result<()> {
        if let Some(next) = next_row {
            if !segment.fits(&block, next) {
                s.remember(segment.data_object(), SearchHint::default());
                if transaction::header(&block).on_freelist() && Self::is_used(segment, &block) {
                    Self::unlink(segment, s, &mut block)?;
                }
            }
            return Ok(());
        }
        if Self::has_fallen_below(segment, &block) { Self::link_freed(segment, s, block) } else { Ok(()) }
    }

    fn restored(&self, segment: &Segment, s: &Worker, mut block: BlockMut) -> Result<()> {
        if Self::has_fallen_below(segment, &block) { Self::link(segment, s, &mut block) } else { Ok(()) }
    }

    fn empty_block(&self, segment: &Segment, s: &Worker) -> Result<BlockMut> {
        let object = segment.data_object();
        let mut candidate = s.search_hint(object).block;
        let mut patrol = Patrol::default();
        loop {
            s.check_cancelled()?;
            let address = match candidate.take() {
                Some(address) => address,
                None => match Self::head(segment, s)? {
                    Some(head) => head,
                    None => {
                        candidate = Self::bump(segment, s, After::Lists)?;
                        continue;
                    }
                },
            };
            s.remember(object, SearchHint::default());
            // The caller has blocks of the index latched. By now the candidate may be one of them, or one that another
            // session has latched which waits for this session. So this does not wait until it is free: the next look
            // at the head shows how the list goes on.
            let Some(mut block) = s.current_mut_within(address, BlockClass::Data, BUSY_WAIT)? else {
                continue;
            };
            if segment.owns(&block)
                && transaction::header(&block).on_freelist()
                && Self::unlink(segment, s, &mut block)?
            {
                s.change(&mut block, |bytes| segment.format_block(bytes, address, None));
                return Ok(block);
            }
            drop(block);
            patrol.again(segment)?;
        }
    }

    fn release_block(&self, segment: &Segment, s: &Worker, mut block: BlockMut) -> Result<()> {
        let address = block.address();
        s.mini(|| {
            s.change(&mut block, |bytes| segment.format_block(bytes, address, None));
            Self::link(segment, s, &mut block)
        })
    }

    fn covering(&self, _: &Segment, _: &Worker, _: BlockAddress, _: u32) -> Result<Option<(BlockAddress, u32)>> {
        Ok(None)
    }

    fn loaded(
        &self,
        segment: &Segment,
        s: &Worker,
        from: Position,
        to: Position,
        note: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let (_, entries) = segment.map(s, Reading::Current)?;
        let mut passed = 0;
        for extent in from.extent..=to.extent.min(entries.len() as u32 - 1) {
            let start = if extent == from.extent { from.block } else { 0 };
            let end = if extent == to.extent { to.block } else { entries[extent as usize].blocks.get() };
            passed += end - start;
        }
        debug_assert!(to >= from, "{segment:?}: loaded from {from:?} to {to:?}");
        let mini = s.begin_mini();
        let mut header = segment.header_block_mut(s)?;
        note()?;
        s.change(&mut header, |bytes| {
            let fields = segment::header_mut(bytes);
            fields.high.extent = to.extent.into();
            fields.high.block = to.block.into();
            fields.high.blocks = (fields.high.blocks.get() + passed).into();
        });
        mini.commit();
        s.meter().count(Statistic::HwmMoves, 1);
        Ok(())
    }

    fn scan_ranges(&self, segment: &Segment, s: &Worker) -> Result<Vec<BlockRange>> {
        let (header, entries) = segment.map(s, Reading::Consistent)?;
        let high = Position::from(header.high);
        let mut ranges = Vec::new();
        for (ordinal, entry) in entries.iter().enumerate().take(high.extent as usize + 1) {
            let end = if ordinal == high.extent as usize { high.block } else { entry.blocks.get() };
            let start = entry.metadata.get();
            if end > start {
                ranges.push(BlockRange { start: entry.address().plus(start), blocks: end - start });
            }
        }
        Ok(ranges)
    }

    fn give_up(&self, segment: &Segment, _: &Worker, _: Option<BlockAddress>, _: u32) -> Result<u32> {
        Err(Error::user(
            10635,
            format!(
                "invalid segment or tablespace type: {} is in a tablespace with manual segment space management",
                segment.spec.name
            ),
        ))
    }

    fn usage(&self, segment: &Segment, s: &Worker) -> Result<SpaceUsage> {
        let (header, entries) = segment.map(s, Reading::Current)?;
        let mut on_freelists = 0;
        let groups = u32::from(segment.spec.storage.freelist_groups);
        let blocks: Vec<_> = if groups > 1 {
            (1..=groups).map(|n| (segment.header.plus(n), BlockClass::FreeList)).collect()
        } else {
            vec![(segment.header, BlockClass::SegmentHeader)]
        };
        for (address, class) in blocks {
            let block = metadata::current(s, address, class)?;
            for slot in 0..freelist::slots(block.len()) {
                on_freelists += freelist::list(&block, slot).blocks.get();
            }
        }
        Ok(SpaceUsage { on_freelists, ..SpaceUsage::below_mark(&header, &entries) })
    }
}

impl FreeLists {
    /// The next block when no block of the own list takes the row: the first block of an ended transaction's list,
    /// which becomes part of the master list, else a fresh block from above the mark.
    fn behind_lists(segment: &Segment, s: &Worker) -> Result<BlockAddress> {
        if let Some(fresh) = Self::bump(segment, s, After::TransactionLists)? {
            return Ok(fresh);
        }
        let lists = Self::lists(segment, s);
        loop {
            let header = lists.block_mut(segment, s)?;
            match Self::refill_master(segment, s, header, &lists)? {
                Some(first) if !first.is_none() => return Ok(first),
                // Another session was faster with that list.
                Some(_) => {}
                None => break,
            }
        }
        Self::bump(segment, s, After::Nothing)?.ok_or_else(|| Error::bug("a high-water mark was not moved"))
    }

    /// Fresh blocks from above the mark after a search has given up, though the list is not empty. They go to the head
    /// of the list, so the next look finds them.
    fn above_high_water(segment: &Segment, s: &Worker) -> Result<BlockMut> {
        loop {
            Self::bump(segment, s, After::Nothing)?;
            if let Some(head) = Self::head(segment, s)? {
                let block = s.current_mut(head, BlockClass::Data)?;
                if segment.owns(&block)
                    && transaction::header(&block).on_freelist()
                    && heap::is_empty(&block)
                    && transaction::header(&block).itl_count == segment.itl_slots()
                {
                    s.remember(segment.data_object(), SearchHint { block: Some(head), first_level: None, shrinks: 0 });
                    return Ok(block);
                }
            }
        }
    }
}
