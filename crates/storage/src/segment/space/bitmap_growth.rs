//! Automatic space management: entering extents into the bitmaps, and the two high-water marks.
//!
//! ```text
//! extent:  L1 L1 … | L2 (when the last is full) | L3 | extent map block | data …        metadata comes first
//! extent 0: L1 … L2 header data …
//!
//!           formatted          some formatted        nothing
//! |----------------------|----------------------|--------------…
//!                     low mark               high mark
//! ```
//!
//! An L1 covers 16 blocks in a segment's first MB, 64 up to 32 MB, 256 up to 1 GB, 1,024 beyond; a small extent joins
//! the L1 of the extent before it while that has room. Blocks above the high mark are unformatted in their L1, but the
//! L2's entry for that L1 stays empty until the mark passes.

use common::{BlockAddress, BlockClass, BlockRange, Error, Result};
use format::bitmap::{self, BlockState};
use format::block::BlockType;
use format::segment::{self, ExtentEntry, HighWaterMark, SegmentHeader};
use waits::Statistic;

use super::SegmentParts;
use super::bitmap::Bitmaps;
use crate::cache::BlockMut;
use crate::control::ExtentManagement;
use crate::process::metadata;
use crate::segment::Segment;
use crate::segment::extent::{Position, Reading};
use crate::txn::Worker;

const MB: u64 = 1 << 20;

/// Number of blocks that one L1 covers in a segment of `segment_bytes`, for an extent of `extent_bytes`.
fn coverage(segment_bytes: u64, extent_bytes: u64, uniform: bool) -> u32 {
    // Small autoallocate extents count by the segment's size alone; large and uniform ones also by their own size.
    let bytes = if uniform || extent_bytes > MB { segment_bytes.max(extent_bytes) } else { segment_bytes };
    match bytes {
        b if b < MB => 16,
        b if b < 32 * MB => 64,
        b if b < 1024 * MB => 256,
        _ => 1024,
    }
}

/// The metadata blocks at the start of an extent.
#[derive(Clone, Copy, Default)]
struct Plan {
    /// Number of blocks that each L1 covers.
    cover: u32,
    first_levels: u32,
    second_levels: u32,
    third_levels: u32,
    /// Segment header or extent map block.
    others: u32,
}

impl Plan {
    fn metadata(&self) -> u32 {
        self.first_levels + self.second_levels + self.third_levels + self.others
    }
}

/// The L2 entry to be written for an L1.
struct ParentMask {
    l1: BlockAddress,
    parent: BlockAddress,
    slot: usize,
    mask: u8,
}

/// The L2 for new L1 entries, and the L2s made for them. Filled from the header and written back to it.
struct Parents {
    second_level: BlockAddress,
    new_second_levels: Vec<BlockAddress>,
}

impl Bitmaps {
    /// Formats the bitmaps and the header in the first extent of a segment.
    pub(super) fn format(parts: &SegmentParts<'_>, s: &Worker, first: BlockRange) -> Result<BlockAddress> {
        let block_bytes = parts.block_size.bytes();
        let object = parts.spec.data_object;
        let tablespace = s.tablespaces().numbered(parts.spec.tablespace)?;
        let uniform = tablespace.extent_management() != ExtentManagement::Autoallocate;
        let cover = coverage(0, u64::from(first.blocks) * block_bytes as u64, uniform);
        let first_levels = first.blocks.div_ceil(cover);
        let second_levels = first_levels.div_ceil(bitmap::second_level_capacity(block_bytes) as u32);
        if second_levels as usize > segment::SECOND_LEVEL_INLINE {
            return Err(Error::unsupported("a first extent with more bitmap blocks than the segment header can list"));
        }
        let plan = Plan { cover, first_levels, second_levels, third_levels: 0, others: 1 };
        if plan.metadata() >= first.blocks {
            return Err(Error::user(
                3249,
                format!("an extent of {} blocks has no room for data beside its bitmaps", first.blocks),
            ));
        }
        debug_assert!(
            u64::from(first_levels) * u64::from(cover) >= u64::from(first.blocks),
            "{first:?}: not all is covered"
        );
        let l2 = |n: u32| first.start.plus(first_levels + n);
        let header_address = first.start.plus(first_levels + second_levels);
        for n in 0..second_levels {
            let mut block = s.new_block(l2(n), BlockClass::SecondLevelBitmap)?;
            s.change(&mut block, |bytes| {
                bitmap::init_upper(bytes, BlockType::SecondLevelBitmap, l2(n), object, header_address);
            });
        }
        let mut parents = Parents { second_level: l2(0), new_second_levels: (1..second_levels).map(l2).collect() };
        Self::make_first_levels(s, object.0, first, &plan, &mut parents)?;
        let mut header = s.new_block(header_address, BlockClass::SegmentHeader)?;
        s.change(&mut header, |bytes| {
            segment::init(bytes, true, header_address, object, parts.spec.owner);
            *segment::extent_mut(bytes, 0) = ExtentEntry {
                start: first.start.pack().into(),
                blocks: first.blocks.into(),
                first_level: first.start.pack().into(),
                metadata: plan.metadata().into(),
            };
            for n in 0..second_levels {
                segment::set_second_level(bytes, n as usize, l2(n));
            }
            let fields = segment::header_mut(bytes);
            fields.extents = 1.into();
            fields.blocks = first.blocks.into();
            for mark in [&mut fields.high, &mut fields.low] {
                mark.block = plan.metadata().into();
                mark.blocks = plan.metadata().into();
            }
            fields.freelists = 1.into();
            fields.freelist_groups = 1.into();
            fields.first_level_blocks = first_levels.into();
            fields.second_level_blocks = second_levels.into();
            fields.second_level_hint = l2(0).pack().into();
            fields.last_first_level = first.start.plus(first_levels - 1).pack().into();
            fields.last_second_level = l2(second_levels - 1).pack().into();
        });
        Ok(header_address)
    }

    /// Makes the L1 blocks at the start of an extent and enters them into their L2s, with no states yet.
    fn make_first_levels(s: &Worker, object: u32, range: BlockRange, plan: &Plan, parents: &mut Parents) -> Result<()> {
        for n in 0..plan.first_levels {
            let address = range.start.plus(n);
            let mut slot = None;
            while slot.is_none() {
                let mut upper = metadata::current_mut(s, parents.second_level, BlockClass::SecondLevelBitmap)?;
                slot = s.change(&mut upper, |bytes| bitmap::push_second_level(bytes, address, 0));
                if slot.is_none() {
                    if parents.new_second_levels.is_empty() {
                        return Err(Error::bug("no second-level bitmap block has room"));
                    }
                    parents.second_level = parents.new_second_levels.remove(0);
                }
            }
            let from = n * plan.cover;
            let blocks = plan.cover.min(range.blocks - from);
            let (parent, slot) = (parents.second_level, slot.unwrap_or(0));
            debug_assert!(from < range.blocks && blocks > 0, "{address} covers nothing of {range:?}");
            let mut block = s.new_block(address, BlockClass::FirstLevelBitmap)?;
            s.change(&mut block, |bytes| {
                bitmap::init_first_level(bytes, address, common::ObjectNumber(object), plan.cover as usize);
                bitmap::add_range(bytes, range.start.plus(from), blocks, BlockState::Unformatted);
                for index in 0..blocks.min(plan.metadata().saturating_sub(from)) {
                    bitmap::set_state(bytes, index as usize, BlockState::Metadata);
                }
                let fields = bitmap::first_level_mut(bytes);
                fields.parent = parent.pack().into();
                fields.parent_slot = (slot as u32).into();
            });
        }
        Ok(())
    }

    /// Enters an extent into the segment: into the last L1 if that has room for the whole extent, else with L1s of its
    /// own.
    pub(super) fn enter_extent(segment: &Segment, s: &Worker, range: BlockRange) -> Result<()> {
        let block_bytes = segment.block_size().bytes();
        let mut header = segment.header_block_mut(s)?;
        let fields = *segment::header(&header);
        let uniform = segment.tablespace.extent_management() != ExtentManagement::Autoallocate;
        let segment_bytes = u64::from(fields.blocks.get()) * block_bytes as u64;
        let cover = coverage(segment_bytes, u64::from(range.blocks) * block_bytes as u64, uniform);
        let map = u32::from(segment.needs_map_block(s, &header)?);
        // The mark must be at the end of all extents, because blocks that join an L1 in use are below it at once.
        let joins = fields.high.blocks == fields.blocks;
        let last = BlockAddress::unpack(fields.last_first_level.get());
        if joins && Self::join(segment, s, &mut header, last, range, map, cover)? {
            return Ok(());
        }
        let first_levels = range.blocks.div_ceil(cover);
        let last_second_level = BlockAddress::unpack(fields.last_second_level.get());
        let room = {
            let upper = metadata::current(s, last_second_level, BlockClass::SecondLevelBitmap)?;
            bitmap::second_level_capacity(block_bytes) as u32 - bitmap::upper(&upper).entries.get()
        };
        let second_levels =
            first_levels.saturating_sub(room).div_ceil(bitmap::second_level_capacity(block_bytes) as u32);
        let third_levels = Self::third_levels_needed(s, &fields, block_bytes, second_levels)?;
        let plan = Plan { cover, first_levels, second_levels, third_levels, others: map };
        if plan.metadata() >= range.blocks {
            return Err(Error::user(
                3249,
                format!("an extent of {} blocks has no room for data beside its bitmaps", range.blocks),
            ));
        }
        let second_at = |n: u32| range.start.plus(first_levels + n);
        let third_at = |n: u32| range.start.plus(first_levels + second_levels + n);
        let mut new_third: Vec<_> = (0..third_levels).map(third_at).collect();
        for n in 0..second_levels {
            Self::add_second_level(segment, s, &mut header, second_at(n), &mut new_third)?;
        }
        let mut parents =
            Parents { second_level: last_second_level, new_second_levels: (0..second_levels).map(second_at).collect() };
        Self::make_first_levels(s, segment.data_object().0, range, &plan, &mut parents)?;
        s.change(&mut header, |bytes| {
            let fields = segment::header_mut(bytes);
            fields.first_level_blocks = (fields.first_level_blocks.get() + first_levels).into();
            fields.last_first_level = range.start.plus(first_levels - 1).pack().into();
        });
        let entry = ExtentEntry {
            start: range.start.pack().into(),
            blocks: range.blocks.into(),
            first_level: range.start.pack().into(),
            metadata: plan.metadata().into(),
        };
        let map_at = range.start.plus(first_levels + second_levels + third_levels);
        debug_assert!(new_third.is_empty() && parents.new_second_levels.is_empty(), "{segment:?}: spare bitmap blocks");
        segment.append_extent(s, &mut header, entry, (map > 0).then_some(map_at))
    }

    /// Adds a whole extent to an L1 in use, if that has the right coverage and room. Searches know that L1 and find the
    /// blocks at once, so the high mark moves to the extent's end in the same step.
    fn join(
        segment: &Segment,
        s: &Worker,
        header: &mut BlockMut,
        l1: BlockAddress,
        range: BlockRange,
        maps: u32,
        cover: u32,
    ) -> Result<bool> {
        let mut block = metadata::current_mut(s, l1, BlockClass::FirstLevelBitmap)?;
        let fields = *bitmap::first_level(&block);
        let covered = u32::from(fields.covered.get());
        if u32::from(fields.limit.get()) != cover
            || covered + range.blocks > cover
            || usize::from(fields.ranges.get()) >= bitmap::RANGES_MAX
        {
            return Ok(false);
        }
        let entry = ExtentEntry {
            start: range.start.pack().into(),
            blocks: range.blocks.into(),
            first_level: l1.pack().into(),
            metadata: maps.into(),
        };
        let mut upper =
            metadata::current_mut(s, BlockAddress::unpack(fields.parent.get()), BlockClass::SecondLevelBitmap)?;
        let slot = fields.parent_slot.get() as usize;
        Self::check_slot(&upper, slot, l1)?;
        segment.append_extent(s, header, entry, (maps > 0).then_some(range.start))?;
        // Nothing fails from here on, so bitmaps, map and mark agree.
        s.change(&mut block, |bytes| {
            bitmap::add_range(bytes, range.start, range.blocks, BlockState::Unformatted);
            for index in covered..covered + maps {
                bitmap::set_state(bytes, index as usize, BlockState::Metadata);
            }
        });
        debug_assert_eq!(
            u32::from(bitmap::first_level(&block).covered.get()),
            covered + range.blocks,
            "{l1}: {range:?}"
        );
        let mask = bitmap::state_mask(&block);
        s.change(&mut upper, |bytes| bitmap::second_level_entry_mut(bytes, slot).states = mask);
        s.change(header, |bytes| {
            let fields = segment::header_mut(bytes);
            fields.high.extent = (fields.extents.get() - 1).into();
            fields.high.block = range.blocks.into();
            fields.high.blocks = fields.blocks;
        });
        Ok(true)
    }

    fn third_levels_needed(s: &Worker, fields: &SegmentHeader, block_bytes: usize, second_levels: u32) -> Result<u32> {
        let listed = fields.second_level_blocks.get();
        let inline = (segment::SECOND_LEVEL_INLINE as u32).saturating_sub(listed);
        let beyond = second_levels.saturating_sub(inline);
        if beyond == 0 {
            return Ok(0);
        }
        let capacity = bitmap::third_level_capacity(block_bytes) as u32;
        let last = BlockAddress::unpack(fields.last_third_level.get());
        let room = if last.is_none() {
            0
        } else {
            capacity - bitmap::upper(&metadata::current(s, last, BlockClass::ThirdLevelBitmap)?).entries.get()
        };
        Ok(beyond.saturating_sub(room).div_ceil(capacity))
    }

    /// Makes an L2 and lists it in the header, or in an L3 once the header is full.
    fn add_second_level(
        segment: &Segment,
        s: &Worker,
        header: &mut BlockMut,
        address: BlockAddress,
        new_third: &mut Vec<BlockAddress>,
    ) -> Result<()> {
        let object = segment.data_object();
        let listed = segment::header(header).second_level_blocks.get() as usize;
        let mut parent = segment.header;
        if listed < segment::SECOND_LEVEL_INLINE {
            s.change(header, |bytes| segment::set_second_level(bytes, listed, address));
        } else {
            loop {
                let last = BlockAddress::unpack(segment::header(header).last_third_level.get());
                if !last.is_none() {
                    let mut l3 = metadata::current_mut(s, last, BlockClass::ThirdLevelBitmap)?;
                    if s.change(&mut l3, |bytes| bitmap::push_third_level(bytes, address)) {
                        parent = last;
                        break;
                    }
                }
                if new_third.is_empty() {
                    return Err(Error::bug("no third-level bitmap block has room"));
                }
                let new = new_third.remove(0);
                let mut l3 = s.new_block(new, BlockClass::ThirdLevelBitmap)?;
                s.change(&mut l3, |bytes| {
                    bitmap::init_upper(bytes, BlockType::ThirdLevelBitmap, new, object, segment.header);
                });
                drop(l3);
                if !last.is_none() {
                    let mut previous = metadata::current_mut(s, last, BlockClass::ThirdLevelBitmap)?;
                    s.change(&mut previous, |bytes| bitmap::upper_mut(bytes).next = new.pack().into());
                }
                s.change(header, |bytes| {
                    let fields = segment::header_mut(bytes);
                    fields.third_level_blocks = (fields.third_level_blocks.get() + 1).into();
                    fields.last_third_level = new.pack().into();
                    if fields.first_third_level.get() == 0 {
                        fields.first_third_level = new.pack().into();
                    }
                });
            }
        }
        let mut upper = s.new_block(address, BlockClass::SecondLevelBitmap)?;
        s.change(&mut upper, |bytes| bitmap::init_upper(bytes, BlockType::SecondLevelBitmap, address, object, parent));
        s.change(header, |bytes| {
            let fields = segment::header_mut(bytes);
            fields.second_level_blocks = (fields.second_level_blocks.get() + 1).into();
            fields.last_second_level = address.pack().into();
            fields.second_level_hint = address.pack().into();
        });
        Ok(())
    }

    /// Moves the high mark: over the rest of the extent, or in a large extent over about a MB of whole L1s; a new
    /// extent is added when there is none above the mark. Does nothing when blocks below the mark are still
    /// unformatted: another session has raised it meanwhile.
    pub(super) fn raise_high_water(segment: &Segment, s: &Worker) -> Result<()> {
        let _growing = segment.growing(s);
        let mut before = None;
        let (next, entry) = loop {
            let header = segment.header_block(s, Reading::Current)?;
            let fields = *segment::header(&header);
            let mut next = Position::from(fields.high);
            let mut entry = (next.extent < fields.extents.get())
                .then(|| segment.extent_entry(s, &header, next.extent))
                .transpose()?;
            if entry.is_some_and(|e| next.block >= e.blocks.get()) {
                next = Position { extent: next.extent + 1, block: 0 };
                entry = (next.extent < fields.extents.get())
                    .then(|| segment.extent_entry(s, &header, next.extent))
                    .transpose()?;
            }
            drop(header);
            if let Some(before) = before.filter(|before| *before != fields.high) {
                // The new extent has joined an L1 in use and moved the high mark to its end.
                let mut header = segment.header_block_mut(s)?;
                s.change(&mut header, |bytes| segment::header_mut(bytes).low = before);
                return Ok(());
            }
            if before.is_none() && Self::has_unformatted(segment, s, &fields)? {
                return Ok(());
            }
            before = Some(fields.high);
            match entry {
                Some(entry) => break (next, entry),
                None => segment.grow(s, fields.blocks.get())?,
            }
        };
        let step = (MB / segment.block_size().bytes() as u64) as u32;
        let mut end = next.block;
        let mut masks = Vec::new();
        while end < entry.blocks.get() && end - next.block < step {
            let (l1, covered) = Self::chunk(s, &entry, end)?;
            end += covered;
            masks.push(Self::mask_for_parent(s, l1)?);
        }
        debug_assert!(
            end > next.block && end <= entry.blocks.get(),
            "{segment:?}: the mark moves to {end} of {entry:?}"
        );
        // The mark moves first, in the same record: blocks that searches can find must be below it, after a crash too.
        let mini = s.begin_mini();
        let mut header = segment.header_block_mut(s)?;
        s.change(&mut header, |bytes| {
            let fields = segment::header_mut(bytes);
            // No block below the old mark is unformatted, else the search would have used it.
            fields.low = fields.high;
            fields.high.extent = next.extent.into();
            fields.high.block = end.into();
            let passed = if fields.low.extent.get() == next.extent { end - fields.low.block.get() } else { end };
            fields.high.blocks = (fields.high.blocks.get() + passed).into();
        });
        s.meter().count(Statistic::HwmMoves, 1);
        for mask in masks {
            Self::tell(s, &mask)?;
        }
        mini.commit();
        Ok(())
    }

    /// True: a block below the high mark is unformatted. Mostly the L2 that the header names tells.
    fn has_unformatted(segment: &Segment, s: &Worker, fields: &SegmentHeader) -> Result<bool> {
        let hint = BlockAddress::unpack(fields.second_level_hint.get());
        if Self::lists_unformatted(s, hint)? {
            return Ok(true);
        }
        if fields.second_level_blocks.get() > 1 {
            for l2 in Self::second_levels(segment, s)? {
                if l2 != hint && Self::lists_unformatted(s, l2)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn lists_unformatted(s: &Worker, l2: BlockAddress) -> Result<bool> {
        let block = metadata::current(s, l2, BlockClass::SecondLevelBitmap)?;
        let entries = bitmap::upper(&block).entries.get() as usize;
        Ok((0..entries).any(|n| bitmap::second_level_entry(&block, n).states & BlockState::Unformatted.bit() != 0))
    }

    /// The L1 that covers block `offset` of an extent, and the number of blocks that it covers from there on within the
    /// extent.
    pub(super) fn chunk(s: &Worker, entry: &ExtentEntry, offset: u32) -> Result<(BlockAddress, u32)> {
        let first = BlockAddress::unpack(entry.first_level.get());
        let rest = entry.blocks.get() - offset;
        if first != entry.address() {
            return Ok((first, rest));
        }
        let cover =
            u32::from(bitmap::first_level(&metadata::current(s, first, BlockClass::FirstLevelBitmap)?).limit.get())
                .max(1);
        Ok((first.plus(offset / cover), (cover - offset % cover).min(rest)))
    }

    /// The L2 entry to be written for an L1. The L1's latch is released: no other session changes an L1 that searches
    /// cannot find yet.
    fn mask_for_parent(s: &Worker, l1: BlockAddress) -> Result<ParentMask> {
        let block = metadata::current(s, l1, BlockClass::FirstLevelBitmap)?;
        let fields = bitmap::first_level(&block);
        let (parent, slot) = (BlockAddress::unpack(fields.parent.get()), fields.parent_slot.get() as usize);
        Ok(ParentMask { l1, parent, slot, mask: bitmap::state_mask(&block) })
    }

    /// Makes an L1 visible to searches: writes its states into its L2's entry.
    fn tell(s: &Worker, told: &ParentMask) -> Result<()> {
        let mut upper = metadata::current_mut(s, told.parent, BlockClass::SecondLevelBitmap)?;
        Self::check_slot(&upper, told.slot, told.l1)?;
        s.change(&mut upper, |bytes| bitmap::second_level_entry_mut(bytes, told.slot).states = told.mask);
        Ok(())
    }

    /// The L1 that covers a block of extent `extent`, and the number of blocks that it covers from there on.
    pub(super) fn covering_first_level(
        segment: &Segment,
        s: &Worker,
        address: BlockAddress,
        extent: u32,
    ) -> Result<(BlockAddress, u32)> {
        let header = segment.header_block(s, Reading::Current)?;
        let entry = segment.extent_entry(s, &header, extent)?;
        drop(header);
        Self::chunk(s, &entry, address.block - entry.address().block)
    }

    /// Marks the blocks of a direct load as full, and moves the high mark to the end of the L1 in which the load ended.
    /// The low mark moves to the load's own end if no block below the load is unformatted.
    pub(super) fn mark_loaded(
        segment: &Segment,
        s: &Worker,
        from: Position,
        to: Position,
        note: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let (fields, entries) = segment.map(s, Reading::Current)?;
        let low = Position::from(fields.low);
        let mut formatted = true;
        Self::each_state(segment, s, &entries, low, from, Reading::Current, |_, state| {
            formatted &= state != BlockState::Unformatted;
        })?;
        let mut high = to.max(fields.high.into());
        let mut chunks = Vec::new();
        for (ordinal, entry) in entries.iter().enumerate() {
            let ordinal = ordinal as u32;
            if ordinal < from.extent || ordinal > to.extent {
                continue;
            }
            let end = if ordinal == to.extent { to.block } else { entry.blocks.get() };
            let mut at = if ordinal == from.extent { from.block } else { 0 };
            while at < end {
                let (l1, covered) = Self::chunk(s, entry, at)?;
                chunks.push((entry.address(), l1, at..(at + covered).min(end)));
                at += covered;
                high = high.max(Position { extent: ordinal, block: at });
            }
        }
        let mark = |position: Position| {
            let whole: u32 = entries[..position.extent as usize].iter().map(|entry| entry.blocks.get()).sum();
            HighWaterMark {
                extent: position.extent.into(),
                block: position.block.into(),
                blocks: (whole + position.block).into(),
            }
        };
        {
            let mini = s.begin_mini();
            let mut header = segment.header_block_mut(s)?;
            note()?;
            debug_assert!(
                high >= to && to >= from,
                "{segment:?}: loaded from {from:?} to {to:?}, the mark at {high:?}"
            );
            s.change(&mut header, |bytes| segment::header_mut(bytes).high = mark(high));
            mini.commit();
            s.meter().count(Statistic::HwmMoves, 1);
        }
        // Not one mini-transaction: a large load passes more bitmap blocks than a small cache has buffers. A crash
        // meanwhile leaves blocks below the mark that count as unformatted and can be used as such, because the load's
        // transaction has not committed.
        for (extent, l1, offsets) in chunks {
            let mut block = metadata::current_mut(s, l1, BlockClass::FirstLevelBitmap)?;
            s.change(&mut block, |bytes| {
                for offset in offsets {
                    if let Some(index) = bitmap::index_of(bytes, extent.plus(offset))
                        && bitmap::state(bytes, index) != BlockState::Metadata
                    {
                        bitmap::set_state(bytes, index, BlockState::Full);
                    }
                }
            });
            drop(block);
            let mask = Self::mask_for_parent(s, l1)?;
            Self::tell(s, &mask)?;
        }
        if formatted {
            let mut header = segment.header_block_mut(s)?;
            s.change(&mut header, |bytes| segment::header_mut(bytes).low = mark(to));
        }
        Ok(())
    }

    /// Calls `visit` with the state of each block from one position to another, extent by extent.
    pub(super) fn each_state(
        _: &Segment,
        s: &Worker,
        entries: &[ExtentEntry],
        from: Position,
        to: Position,
        reading: Reading,
        mut visit: impl FnMut(BlockAddress, BlockState),
    ) -> Result<()> {
        for (ordinal, entry) in entries.iter().enumerate() {
            let ordinal = ordinal as u32;
            if ordinal < from.extent || ordinal > to.extent {
                continue;
            }
            let mut at = if ordinal == from.extent { from.block } else { 0 };
            let end = if ordinal == to.extent { to.block } else { entry.blocks.get() };
            let mut l1 = BlockAddress::unpack(entry.first_level.get());
            let owns = l1 == entry.address();
            let mut skipped = 0;
            while at < end {
                let block = match reading {
                    Reading::Consistent => metadata::consistent(s, l1, BlockClass::FirstLevelBitmap)?,
                    Reading::Current => metadata::current(s, l1, BlockClass::FirstLevelBitmap)?,
                };
                let cover = u32::from(bitmap::first_level(&block).limit.get()).max(1);
                if owns && at >= skipped + cover {
                    // The high mark is behind this L1's part of the extent.
                    let chunks = (at - skipped) / cover;
                    skipped += chunks * cover;
                    l1 = l1.plus(chunks);
                    continue;
                }
                let stop = if owns { (skipped + cover).min(end) } else { end };
                for offset in at..stop {
                    let address = entry.address().plus(offset);
                    let index = bitmap::index_of(&block, address)
                        .ok_or_else(|| Error::corrupt(l1, format!("bitmap block does not cover {address}")))?;
                    visit(address, bitmap::state(&block, index));
                }
                at = stop;
                skipped = if owns { skipped + cover } else { skipped };
                l1 = if owns { l1.plus(1) } else { l1 };
            }
        }
        Ok(())
    }

    /// Formatted data blocks: all below the low mark, and those between the marks that their L1 shows as formatted.
    pub(super) fn formatted_ranges(segment: &Segment, s: &Worker) -> Result<Vec<BlockRange>> {
        let (header, entries) = segment.map(s, Reading::Consistent)?;
        let (low, high) = (Position::from(header.low), Position::from(header.high));
        let mut ranges: Vec<BlockRange> = Vec::new();
        for (ordinal, entry) in entries.iter().enumerate().take(low.extent as usize + 1) {
            let end = if ordinal == low.extent as usize { low.block } else { entry.blocks.get() };
            let start = entry.metadata.get();
            if end > start {
                ranges.push(BlockRange { start: entry.address().plus(start), blocks: end - start });
            }
        }
        debug_assert!(low <= high, "{segment:?}: the low mark {low:?} is above the high one {high:?}");
        Self::each_state(segment, s, &entries, low, high, Reading::Consistent, |address, state| {
            if matches!(state, BlockState::Unformatted | BlockState::Metadata) {
                return;
            }
            match ranges.last_mut() {
                Some(last) if last.start.file == address.file && last.start.block + last.blocks == address.block => {
                    last.blocks += 1;
                }
                _ => ranges.push(BlockRange { start: address, blocks: 1 }),
            }
        })?;
        Ok(ranges)
    }
}
