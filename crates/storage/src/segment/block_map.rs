//! The use of each block of a segment, for a picture of it. The engine decides nothing by it.

use std::collections::HashMap;

use common::{BlockAddress, BlockClass, Result};
use format::bitmap::{self, BlockState};
use format::block::{self, BlockType};
use format::transaction::Owner;
use format::{freelist, heap, index, transaction};

use super::Segment;
use super::extent::{Position, Reading};
use crate::control::SpaceManagement;
use crate::process::metadata;
use crate::txn::Worker;

/// A freelist on which a block is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Freelist {
    Master,
    /// Counted from 1.
    Process(u16),
    Transaction,
}

/// The use of a block of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockUse {
    Header,
    ExtentMap,
    FreelistGroup,
    /// A bitmap block of level 1, 2 or 3.
    Bitmap(u8),
    /// Below the high-water mark, and not formatted yet (automatic management).
    Unformatted,
    Rows(Rows),
    /// A block of an index; level 0 is a leaf. A block below the mark without an entry is free.
    Index {
        level: u8,
        entries: u16,
    },
    AboveHighWater,
}

/// The contents of a table's block.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rows {
    /// Rows that begin here and are here, whole or in part.
    pub rows: u16,
    /// Stubs: rows that begin here and have migrated to another block.
    pub migrated_away: u16,
    /// Rows that have migrated here.
    pub migrated_here: u16,
    /// Pieces of rows that go on in another block, or come from one.
    pub chained: u16,
    /// Bytes in use, in percent of the block.
    pub used_percent: u8,
}

/// A block of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MappedBlock {
    pub address: BlockAddress,
    pub holds: BlockUse,
    /// Its state in the bitmap (automatic management).
    pub state: Option<BlockState>,
    /// The group, from 1, and the freelist that it is on (manual management).
    pub freelist: Option<(u32, Freelist)>,
}

/// The blocks of a segment, extent by extent.
#[derive(Clone, Debug)]
pub struct BlockMap {
    pub management: SpaceManagement,
    pub extents: Vec<Vec<MappedBlock>>,
}

impl Segment {
    /// The use of every block of the segment. Gets the blocks one by one, in the order of the extents.
    ///
    /// # Errors
    /// Errors of the cache; ORA-01578 for a damaged block.
    pub fn block_map(&self, s: &Worker) -> Result<BlockMap> {
        let (header, entries) = self.map(s, Reading::Current)?;
        let high = Position::from(header.high);
        let listed = match self.management() {
            SpaceManagement::Manual => self.listed(s)?,
            SpaceManagement::Auto => HashMap::new(),
        };
        let mut states = HashMap::new();
        let mut extents = Vec::with_capacity(entries.len());
        for (extent, entry) in (0..).zip(&entries) {
            let mut blocks = Vec::with_capacity(entry.blocks.get() as usize);
            for number in 0..entry.blocks.get() {
                let address = entry.address().plus(number);
                // Bitmap blocks of an extent above the mark are formatted all the same.
                let above = Position { extent, block: number } >= high && number >= entry.metadata.get();
                let holds = if above { BlockUse::AboveHighWater } else { self.use_of(s, address, &mut states)? };
                blocks.push(MappedBlock { address, holds, state: None, freelist: listed.get(&address).copied() });
            }
            extents.push(blocks);
        }
        for mapped in extents.iter_mut().flatten() {
            mapped.state = states.get(&mapped.address).copied().filter(|state| *state != BlockState::Metadata);
            if mapped.state == Some(BlockState::Unformatted) && mapped.holds != BlockUse::AboveHighWater {
                mapped.holds = BlockUse::Unformatted;
            }
        }
        Ok(BlockMap { management: self.management(), extents })
    }

    /// The place of every block on a freelist: the group, from 1, and the list.
    fn listed(&self, s: &Worker) -> Result<HashMap<BlockAddress, (u32, Freelist)>> {
        let groups = u32::from(self.spec.storage.freelist_groups);
        let holders: Vec<_> = if groups > 1 {
            (1..=groups).map(|group| (group, self.header.plus(group), BlockClass::FreeList)).collect()
        } else {
            vec![(1, self.header, BlockClass::SegmentHeader)]
        };
        let mut listed = HashMap::new();
        for (group, address, class) in holders {
            let lists: Vec<(Freelist, BlockAddress)> = {
                let block = metadata::current(s, address, class)?;
                (0..freelist::slots(block.len()))
                    .map(|slot| {
                        let list = freelist::list(&block, slot);
                        let which = match (list.owner(), slot) {
                            (Some(_), _) => Freelist::Transaction,
                            (None, 0) => Freelist::Master,
                            (None, slot) => Freelist::Process(slot as u16),
                        };
                        (which, list.first())
                    })
                    .collect()
            };
            for (which, mut next) in lists {
                // A block that is met again would be a circle, which `verify` reports.
                while !next.is_none() && listed.insert(next, (group, which)).is_none() {
                    let block = s.current(next, BlockClass::Data)?;
                    next = transaction::header(&block).next_free();
                }
            }
        }
        Ok(listed)
    }

    fn use_of(
        &self,
        s: &Worker,
        address: BlockAddress,
        states: &mut HashMap<BlockAddress, BlockState>,
    ) -> Result<BlockUse> {
        let block = s.current(address, BlockClass::Data)?;
        Ok(match block::kind(&block) {
            Some(BlockType::SegmentHeader | BlockType::PagetableSegmentHeader) => BlockUse::Header,
            Some(BlockType::ExtentMap) => BlockUse::ExtentMap,
            Some(BlockType::FreeListGroup) => BlockUse::FreelistGroup,
            Some(BlockType::FirstLevelBitmap) => {
                for at in 0..usize::from(bitmap::first_level(&block).covered.get()) {
                    if let Some(covered) = bitmap::address_of(&block, at) {
                        states.insert(covered, bitmap::state(&block, at));
                    }
                }
                BlockUse::Bitmap(1)
            }
            Some(BlockType::SecondLevelBitmap) => BlockUse::Bitmap(2),
            Some(BlockType::ThirdLevelBitmap) => BlockUse::Bitmap(3),
            Some(BlockType::Data) if self.owns(&block) => match self.spec.owner {
                Owner::Table => BlockUse::Rows(rows(&block)),
                Owner::Index => {
                    let level = index::level(&block);
                    let entries = match level {
                        0 => index::Leaf::of(&block).entries(),
                        _ => index::Branch::of(&block).children(),
                    };
                    BlockUse::Index { level, entries: entries as u16 }
                }
            },
            // A block of the segment that had the extent before, or of none.
            _ => BlockUse::Unformatted,
        })
    }
}

fn rows(block: &[u8]) -> Rows {
    let mut found = Rows { used_percent: heap::used_percent(block).min(100) as u8, ..Rows::default() };
    for slot in 0..heap::slot_count(block) {
        let Some(piece) = heap::row(block, slot).filter(|piece| !piece.is_deleted()) else { continue };
        if piece.is_stub() {
            found.migrated_away += 1;
            continue;
        }
        found.rows += u16::from(piece.starts_row());
        found.migrated_here += u16::from(piece.starts_row() && piece.head_address().is_some());
        found.chained += u16::from(piece.continues() || !piece.starts_row());
    }
    found
}
