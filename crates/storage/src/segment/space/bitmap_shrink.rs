//! Automatic space management: giving up the last extents, and lowering the high-water marks.
//!
//! The reverse of `bitmap_growth.rs`: an extent leaves the map, the bitmaps and the header, and enters its file's
//! bitmap, in one record of the log. The caller has locked the table: no session looks for room in it, and no block
//! that leaves it has a row.

use common::{BlockAddress, BlockClass, BlockRange, Error, Result};
use format::bitmap::{self, BlockState};
use format::segment::{self, ExtentEntry, HighWaterMark};

use super::bitmap::Bitmaps;
use crate::process::metadata;
use crate::segment::Segment;
use crate::segment::extent::{Position, Reading};
use crate::txn::Worker;

/// The last extent's share of the segment's metadata, from which header and map without it follow.
struct Leaving {
    entry: ExtentEntry,
    range: BlockRange,
    /// Blocks of the extent before it.
    before_blocks: u32,
    /// Number of first-level bitmap blocks of its own; None where it has joined that of an extent before it.
    own: Option<u32>,
    /// Second-level bitmap blocks in it.
    second_levels: u32,
    last_first_level: BlockAddress,
    last_second_level: BlockAddress,
    /// An extent map block in it, and the map block before that one.
    map: Option<BlockAddress>,
    previous_map: BlockAddress,
}

impl Bitmaps {
    /// Gives up extents from the end on, down to the one with block `last` of the segment, and at least `keep` blocks;
    /// then lowers the marks to behind `last`. Returns the number of extents given up. An extent stays if it has a
    /// third-level bitmap block, or a block to which a third-level one refers.
    pub(super) fn give_up(segment: &Segment, s: &Worker, last: Option<BlockAddress>, keep: u32) -> Result<u32> {
        let _growing = segment.growing(s);
        let mut gone = 0;
        loop {
            let (fields, entries) = segment.map(s, Reading::Current)?;
            let Some(entry) = entries.last().copied() else { return Ok(gone) };
            let range = BlockRange { start: entry.address(), blocks: entry.blocks.get() };
            let left = fields.blocks.get() - range.blocks;
            if entries.len() == 1 || left < keep || last.is_some_and(|last| range.contains(last)) {
                break;
            }
            let Some(leaving) = Self::leaving(segment, s, &entries)? else { break };
            s.store().cache().discard(s.meter(), range)?;
            Self::leave(segment, s, &leaving)?;
            gone += 1;
        }
        Self::lower_marks(segment, s, last)?;
        Ok(gone)
    }

    /// The last extent's share of the segment's metadata; None where the extent must stay.
    fn leaving(segment: &Segment, s: &Worker, entries: &[ExtentEntry]) -> Result<Option<Leaving>> {
        let [.., before, entry] = entries else { return Ok(None) };
        let header = segment.header_block(s, Reading::Current)?;
        let fields = *segment::header(&header);
        let range = BlockRange { start: entry.address(), blocks: entry.blocks.get() };
        let listed = fields.second_level_blocks.get();
        let inline = (listed as usize).min(segment::SECOND_LEVEL_INLINE);
        let inside = (0..inline).filter(|n| range.contains(segment::second_level(&header, *n))).count() as u32;
        let has_own = entry.first_level.get() == entry.start.get();
        if fields.third_level_blocks.get() > 0 && has_own {
            return Ok(None);
        }
        let last_second_level = segment::second_level(&header, (listed - inside - 1) as usize);
        let own = if has_own { Some(Self::own_first_levels(s, entry)?) } else { None };
        let before_first = BlockAddress::unpack(before.first_level.get());
        let last_first_level = match before.first_level.get() == before.start.get() {
            true => before_first.plus(Self::own_first_levels(s, before)? - 1),
            false => before_first,
        };
        let last_map = BlockAddress::unpack(fields.last_map.get());
        let map = Some(last_map).filter(|map| !map.is_none() && range.contains(*map));
        let mut previous_map = BlockAddress::NONE;
        if map.is_some() {
            let mut at = BlockAddress::unpack(fields.first_map.get());
            while at != last_map && !at.is_none() {
                previous_map = at;
                at = BlockAddress::unpack(
                    segment::map_header(&metadata::current(s, at, BlockClass::ExtentMap)?).next.get(),
                );
            }
        }
        Ok(Some(Leaving {
            entry: *entry,
            range,
            before_blocks: before.blocks.get(),
            own,
            second_levels: inside,
            last_first_level: if own.is_some() {
                last_first_level
            } else {
                BlockAddress::unpack(fields.last_first_level.get())
            },
            last_second_level,
            map,
            previous_map,
        }))
    }

    /// Number of first-level bitmap blocks at the beginning of an extent that has its own.
    fn own_first_levels(s: &Worker, entry: &ExtentEntry) -> Result<u32> {
        let first = metadata::current(s, entry.address(), BlockClass::FirstLevelBitmap)?;
        let cover = u32::from(bitmap::first_level(&first).limit.get()).max(1);
        Ok(entry.blocks.get().div_ceil(cover))
    }

    fn leave(segment: &Segment, s: &Worker, leaving: &Leaving) -> Result<()> {
        let Leaving { entry, range, own, .. } = leaving;
        let mini = s.begin_mini();
        let mut header = segment.header_block_mut(s)?;
        match own {
            None => Self::part(s, BlockAddress::unpack(entry.first_level.get()), *range)?,
            Some(count) => {
                for n in (0..*count).rev() {
                    Self::strike(s, range, range.start.plus(n))?;
                }
            }
        }
        let last_map = BlockAddress::unpack(segment::header(&header).last_map.get());
        if let Some(previous) = leaving.map.map(|_| leaving.previous_map).filter(|map| !map.is_none()) {
            let mut map = metadata::current_mut(s, previous, BlockClass::ExtentMap)?;
            s.change(&mut map, |bytes| segment::map_header_mut(bytes).next = 0.into());
        }
        let ordinal = segment::header(&header).extents.get() - 1;
        debug_assert!(ordinal > 0, "{segment:?}: its first extent leaves");
        debug_assert!(!range.contains(segment.header), "{segment:?}: its header leaves with {range:?}");
        let inline = (ordinal as usize) < segment::extents_inline(&header);
        if !inline && leaving.map.is_none() {
            let mut map = metadata::current_mut(s, last_map, BlockClass::ExtentMap)?;
            s.change(&mut map, |bytes| {
                let fields = segment::map_header_mut(bytes);
                fields.entries = (fields.entries.get() - 1).into();
            });
        }
        s.change(&mut header, |bytes| {
            if inline {
                *segment::extent_mut(bytes, ordinal as usize) =
                    ExtentEntry { start: 0.into(), blocks: 0.into(), first_level: 0.into(), metadata: 0.into() };
            }
            let listed = segment::header(bytes).second_level_blocks.get();
            for n in listed - leaving.second_levels..listed {
                segment::set_second_level(bytes, n as usize, BlockAddress::NONE);
            }
            let fields = segment::header_mut(bytes);
            fields.second_level_blocks = (listed - leaving.second_levels).into();
            fields.last_second_level = leaving.last_second_level.pack().into();
            if range.contains(BlockAddress::unpack(fields.second_level_hint.get())) {
                fields.second_level_hint = leaving.last_second_level.pack().into();
            }
            fields.first_level_blocks = (fields.first_level_blocks.get() - own.unwrap_or(0)).into();
            fields.last_first_level = leaving.last_first_level.pack().into();
            if leaving.map.is_some() {
                fields.map_blocks = (fields.map_blocks.get() - 1).into();
                fields.last_map = leaving.previous_map.pack().into();
                if leaving.previous_map.is_none() {
                    fields.first_map = 0.into();
                }
            }
            fields.extents = ordinal.into();
            fields.blocks = (fields.blocks.get() - range.blocks).into();
            // The mark moves to the end of the extent before it.
            let end = HighWaterMark {
                extent: (ordinal - 1).into(),
                block: leaving.before_blocks.into(),
                blocks: fields.blocks,
            };
            for mark in [&mut fields.high, &mut fields.low] {
                if mark.extent.get() >= ordinal {
                    *mark = end;
                }
            }
        });
        drop(header);
        segment.tablespace.free(s, *range)?;
        mini.commit();
        Ok(())
    }

    /// Takes an extent out of a first-level bitmap block that it has joined.
    fn part(s: &Worker, l1: BlockAddress, range: BlockRange) -> Result<()> {
        let mut block = metadata::current_mut(s, l1, BlockClass::FirstLevelBitmap)?;
        let before = bitmap::state_mask(&block);
        if !s.change(&mut block, |bytes| bitmap::remove_last_range(bytes, range.start, range.blocks)) {
            return Err(Error::corrupt(
                l1,
                format!("the last blocks that it covers are not those from {}", range.start),
            ));
        }
        Self::tell_parent(s, &block, before)
    }

    /// Takes a first-level bitmap block out of its second-level one, unless that leaves the segment too.
    fn strike(s: &Worker, range: &BlockRange, l1: BlockAddress) -> Result<()> {
        let (parent, slot) = {
            let block = metadata::current(s, l1, BlockClass::FirstLevelBitmap)?;
            let fields = bitmap::first_level(&block);
            (BlockAddress::unpack(fields.parent.get()), fields.parent_slot.get() as usize)
        };
        if range.contains(parent) {
            return Ok(());
        }
        let mut upper = metadata::current_mut(s, parent, BlockClass::SecondLevelBitmap)?;
        Self::check_slot(&upper, slot, l1)?;
        if slot + 1 != bitmap::upper(&upper).entries.get() as usize {
            return Err(Error::corrupt(parent, format!("{l1} is not the last bitmap block that it lists")));
        }
        s.change(&mut upper, |bytes| bitmap::upper_mut(bytes).entries = (slot as u32).into());
        Ok(())
    }

    /// Lowers the marks within the last extents: the low mark to behind block `last`, the high mark to the end of the
    /// part of the bitmap block that covers `last`. Blocks behind `last` become unformatted.
    fn lower_marks(segment: &Segment, s: &Worker, last: Option<BlockAddress>) -> Result<()> {
        let (fields, entries) = segment.map(s, Reading::Current)?;
        let high = Position::from(fields.high);
        let first = entries.first().map_or(0, |entry| entry.metadata.get());
        let behind = entries.iter().enumerate().find_map(|(ordinal, entry)| {
            let last = last?;
            let range = BlockRange { start: entry.address(), blocks: entry.blocks.get() };
            let block = range.contains(last).then(|| last.block - range.start.block + 1)?;
            Some(Position { extent: ordinal as u32, block })
        });
        let low = behind.unwrap_or(Position { extent: 0, block: first });
        if low >= high {
            return Ok(());
        }
        // The high mark stands at the end of a bitmap block's part; extents that have joined a bitmap block in use are
        // below it.
        let at = low.block.saturating_sub(1);
        let entry = &entries[low.extent as usize];
        let (_, covered) = Self::chunk(s, entry, at)?;
        let mut top = Position { extent: low.extent, block: at + covered };
        for (ordinal, entry) in entries.iter().enumerate().skip(low.extent as usize + 1) {
            if entry.first_level.get() != entry.start.get() {
                top = Position { extent: ordinal as u32, block: entry.blocks.get() };
            }
        }
        let top = top.min(high);
        debug_assert!(low < high && top <= high, "{segment:?}: marks {low:?} and {top:?} instead of {high:?}");
        let mark = |position: Position| {
            let whole: u32 = entries[..position.extent as usize].iter().map(|entry| entry.blocks.get()).sum();
            HighWaterMark {
                extent: position.extent.into(),
                block: position.block.into(),
                blocks: (whole + position.block).into(),
            }
        };
        let mut parts = Vec::new();
        for (ordinal, entry) in entries.iter().enumerate() {
            let ordinal = ordinal as u32;
            if ordinal < low.extent || ordinal > high.extent {
                continue;
            }
            let mut at = if ordinal == low.extent { low.block } else { 0 };
            let end = if ordinal == high.extent { high.block } else { entry.blocks.get() };
            while at < end {
                let (l1, covered) = Self::chunk(s, entry, at)?;
                parts.push((l1, entry.address(), at..(at + covered).min(end), Position { extent: ordinal, block: at }));
                at += covered;
            }
        }
        // The low mark moves first, then the high mark with each bitmap block from the end on: so after a crash at any
        // place the marks are right for the blocks below them.
        {
            let mut header = segment.header_block_mut(s)?;
            let low = mark(low.min(top).min(Position::from(fields.low)));
            s.change(&mut header, |bytes| segment::header_mut(bytes).low = low);
        }
        for (l1, extent, offsets, from) in parts.into_iter().rev() {
            let mini = s.begin_mini();
            let above = from >= top;
            let mut header = segment.header_block_mut(s)?;
            Self::unformat(s, l1, extent, offsets, above)?;
            let high = mark(if above { from } else { top });
            s.change(&mut header, |bytes| segment::header_mut(bytes).high = high);
            drop(header);
            mini.commit();
        }
        Ok(())
    }

    /// Marks blocks of an extent as unformatted. `above`: they are above the high mark, so searches must not find them.
    fn unformat(
        s: &Worker,
        l1: BlockAddress,
        extent: BlockAddress,
        offsets: std::ops::Range<u32>,
        above: bool,
    ) -> Result<()> {
        let mut block = metadata::current_mut(s, l1, BlockClass::FirstLevelBitmap)?;
        s.change(&mut block, |bytes| {
            for offset in offsets {
                if let Some(index) = bitmap::index_of(bytes, extent.plus(offset))
                    && bitmap::state(bytes, index) != BlockState::Metadata
                {
                    bitmap::set_state(bytes, index, BlockState::Unformatted);
                }
            }
        });
        let fields = bitmap::first_level(&block);
        let (parent, slot) = (BlockAddress::unpack(fields.parent.get()), fields.parent_slot.get() as usize);
        let mask = if above { 0 } else { bitmap::state_mask(&block) };
        let mut upper = metadata::current_mut(s, parent, BlockClass::SecondLevelBitmap)?;
        Self::check_slot(&upper, slot, l1)?;
        s.change(&mut upper, |bytes| bitmap::second_level_entry_mut(bytes, slot).states = mask);
        Ok(())
    }
}
