//! The check of a whole segment, for tests. No session may work in the segment meanwhile.

use std::collections::HashSet;

use common::{BlockAddress, BlockClass, BlockRange, Result};
use format::bitmap::{self, BlockState};
use format::freelist;
use format::segment::SegmentHeader;
use format::transaction;

use super::Segment;
use super::extent::{Position, Reading};
use super::space::Bitmaps;
use crate::control::SpaceManagement;
use crate::process::metadata;
use crate::txn::Worker;

impl Segment {
    /// Extents are apart and hold the header. Marks stand at a place of them, the low one not above the high one.
    /// Freelists lead through blocks below the mark, each block once, to the tail that the list names; bitmap blocks of
    /// all levels name each other, and say of each block what its place among the marks allows.
    ///
    /// # Errors
    /// ORA-00600 with the invariant that does not hold; errors of the cache.
    pub fn check_invariants(&self, s: &Worker) -> Result<()> {
        let (fields, entries) = self.map(s, Reading::Current)?;
        let extents: Vec<_> =
            entries.iter().map(|entry| BlockRange { start: entry.address(), blocks: entry.blocks.get() }).collect();
        let mut sorted = extents.clone();
        sorted.sort_by_key(|range| range.start);
        let apart = |pair: &[BlockRange]| !pair[0].contains(pair[1].start);
        invariant!(sorted.windows(2).all(apart), "{self:?}: extents overlap: {sorted:?}");
        invariant!(sorted.iter().any(|range| range.contains(self.header)), "{self:?}: the header is in no extent");
        let (low, high) = (Position::from(fields.low), Position::from(fields.high));
        invariant!(
            low <= high || self.management() == SpaceManagement::Manual,
            "{self:?}: the low mark {low:?} is above the high one {high:?}"
        );
        match self.management() {
            SpaceManagement::Manual => self.check_freelists(s, &extents, high),
            SpaceManagement::Auto => self.check_bitmaps(s, &fields, &extents, low, high),
        }
    }

    /// The place of a block among the extents.
    fn place(extents: &[BlockRange], address: BlockAddress) -> Option<Position> {
        let extent = extents.iter().position(|range| range.contains(address))?;
        Some(Position { extent: extent as u32, block: address.block - extents[extent].start.block })
    }

    fn check_freelists(&self, s: &Worker, extents: &[BlockRange], high: Position) -> Result<()> {
        let groups = u32::from(self.spec.storage.freelist_groups);
        let holders: Vec<_> = match groups {
            0 | 1 => vec![(self.header, BlockClass::SegmentHeader)],
            _ => (1..=groups).map(|group| (self.header.plus(group), BlockClass::FreeList)).collect(),
        };
        let mut listed = HashSet::new();
        for (holder, class) in holders {
            let lists: Vec<_> = {
                let block = metadata::current(s, holder, class)?;
                (0..freelist::slots(block.len())).map(|slot| *freelist::list(&block, slot)).collect()
            };
            let mut owners = HashSet::new();
            for (slot, list) in lists.into_iter().enumerate() {
                if let Some(owner) = list.owner() {
                    invariant!(owners.insert(owner), "{self:?}: freelist {slot} is another one of {owner}");
                }
                let (mut next, mut last, mut blocks) = (list.first(), BlockAddress::NONE, 0);
                while !next.is_none() {
                    let below = Self::place(extents, next).is_some_and(|place| place < high);
                    invariant!(below, "{self:?}: freelist {slot} leads to {next}, which is not below the mark");
                    invariant!(listed.insert(next), "{self:?}: block {next} is on freelist {slot} and on another one");
                    let block = s.current(next, BlockClass::Data)?;
                    invariant!(
                        self.owns(&block) && transaction::header(&block).on_freelist(),
                        "{self:?}: block {next} is on freelist {slot} and does not say so"
                    );
                    (last, blocks) = (next, blocks + 1);
                    next = transaction::header(&block).next_free();
                }
                invariant!(
                    last == list.last() && blocks == list.blocks.get(),
                    "{self:?}: freelist {slot} has {blocks} blocks and ends at {last}; it says {list:?}"
                );
            }
        }
        Ok(())
    }

    fn check_bitmaps(
        &self,
        s: &Worker,
        fields: &SegmentHeader,
        extents: &[BlockRange],
        low: Position,
        high: Position,
    ) -> Result<()> {
        let second_levels = Bitmaps::second_levels(self, s)?;
        let (listed, said) = (second_levels.len(), fields.second_level_blocks.get() as usize);
        invariant!(listed == said, "{self:?}: {listed} second-level bitmap blocks are listed, and it says {said}");
        let mut covered = HashSet::new();
        let mut first_levels = 0;
        for l2 in second_levels {
            let entries: Vec<_> = {
                let block = metadata::current(s, l2, BlockClass::SecondLevelBitmap)?;
                (0..bitmap::upper(&block).entries.get() as usize)
                    .map(|slot| *bitmap::second_level_entry(&block, slot))
                    .collect()
            };
            for (slot, entry) in entries.into_iter().enumerate() {
                first_levels += 1;
                let l1 = BlockAddress::unpack(entry.first_level.get());
                let block = metadata::current(s, l1, BlockClass::FirstLevelBitmap)?;
                let header = bitmap::first_level(&block);
                invariant!(
                    header.parent.get() == l2.pack() && header.parent_slot.get() as usize == slot,
                    "{self:?}: {l1} is in slot {slot} of {l2} and says otherwise: {header:?}"
                );
                let mut below = false;
                for index in 0..usize::from(header.covered.get()) {
                    let Some(address) = bitmap::address_of(&block, index) else { continue };
                    let state = bitmap::state(&block, index);
                    invariant!(covered.insert(address), "{self:?}: {address} is covered by {l1} and by another one");
                    let place = Self::place(extents, address);
                    let Some(place) = place else {
                        return Err(common::Error::bug(format!("{self:?}: {l1} covers {address} of another segment")));
                    };
                    below |= place < high && state != BlockState::Metadata;
                    let allowed = match state {
                        BlockState::Metadata => true,
                        BlockState::Unformatted => place >= low,
                        _ => place < high,
                    };
                    invariant!(
                        allowed,
                        "{self:?}: {address} at {place:?} is {state:?}, the marks are {low:?}, {high:?}"
                    );
                }
                // A search finds in the second level what is below the mark, and nothing else.
                let (mask, best) = (bitmap::state_mask(&block), |mask: u8| mask.leading_zeros());
                let unformatted = BlockState::Unformatted.bit();
                invariant!(
                    !below || (best(entry.states) == best(mask) && entry.states & unformatted == mask & unformatted),
                    "{self:?}: {l2} says {:#b} of {l1}, which says {mask:#b}",
                    entry.states
                );
                invariant!(
                    below || entry.states == 0,
                    "{self:?}: {l1} is above the mark, and searches find it in {l2}"
                );
            }
        }
        let said = fields.first_level_blocks.get();
        invariant!(
            first_levels == said,
            "{self:?}: {first_levels} first-level bitmap blocks are listed, and it says {said}"
        );
        let blocks: usize = extents.iter().map(|range| range.blocks as usize).sum();
        invariant!(covered.len() == blocks, "{self:?}: {} of {blocks} blocks are covered", covered.len());
        Ok(())
    }
}
