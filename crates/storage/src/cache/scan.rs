//! Reading runs of blocks in order: gets for cached blocks, multiblock reads with read-ahead for the others.
//!
//! ```text
//! ranges   [128..136) [144..152) …        runs are cut at the end of a range, at cached blocks and at 1 MB
//! consumer     ^ block          read-ahead: the run behind the one being consumed is already on its way
//! ```

use common::sync::Arc;
use common::{BlockAddress, BlockClass, BlockRange, Result};
use waits::{GetMode, Meter};

use super::pool::Patience;
use super::read::ReadBatch;
use super::replacement::InsertPosition;
use super::{Block, Cache};

/// A scan over block ranges. Dropping it completes a read that is still on its way.
pub struct BlockScan {
    cache: Arc<Cache>,
    meter: Arc<Meter>,
    ranges: Vec<BlockRange>,
    class: BlockClass,
    entry: InsertPosition,
    read_blocks: u32,
    /// Next block to hand out: range and offset.
    next: (usize, u32),
    /// Next block to read ahead from.
    ahead: (usize, u32),
    flying: Vec<(BlockAddress, Arc<ReadBatch>)>,
}

impl std::fmt::Debug for BlockScan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BlockScan({} ranges)", self.ranges.len())
    }
}

/// Most runs on their way at a time.
const AHEAD_MAX: usize = 2;

impl BlockScan {
    /// `read_blocks` is the multiblock read count. `cold`: the buffers enter the cold end of the replacement list.
    pub(crate) fn new(
        cache: Arc<Cache>,
        meter: Arc<Meter>,
        ranges: Vec<BlockRange>,
        class: BlockClass,
        cold: bool,
        read_blocks: u32,
    ) -> Self {
        let entry = if cold { InsertPosition::Tail } else { InsertPosition::Midpoint };
        let read_blocks = read_blocks.max(1);
        Self { cache, meter, ranges, class, entry, read_blocks, next: (0, 0), ahead: (0, 0), flying: Vec::new() }
    }

    /// Blocks of all ranges.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.ranges.iter().map(|range| u64::from(range.blocks)).sum()
    }

    /// The next block, by a consistent get.
    ///
    /// # Errors
    /// Errors of [`Cache::get`].
    pub fn next_block(&mut self) -> Result<Option<Block>> {
        let (mut range, mut offset) = self.next;
        while range < self.ranges.len() && offset >= self.ranges[range].blocks {
            range += 1;
            offset = 0;
        }
        let Some(current) = self.ranges.get(range).copied() else {
            return Ok(None);
        };
        self.next = (range, offset);
        if self.ahead < (range, offset) {
            self.ahead = (range, offset);
        }
        self.read_ahead()?;
        let address = current.start.plus(offset);
        let block = self.cache.get(&self.meter, address, self.class, GetMode::Consistent)?;
        self.flying.retain(|(last, _)| *last != address);
        self.next = (range, offset + 1);
        Ok(Some(block))
    }

    /// Starts reads until enough are on their way, or until the next block to read is far ahead of the consumer.
    fn read_ahead(&mut self) -> Result<()> {
        while self.flying.len() < AHEAD_MAX {
            let (range, offset) = self.ahead;
            let Some(current) = self.ranges.get(range).copied() else {
                return Ok(());
            };
            if offset >= current.blocks {
                self.ahead = (range + 1, 0);
                continue;
            }
            let distance = if range == self.next.0 { offset.saturating_sub(self.next.1) } else { 0 };
            if distance > self.read_blocks * AHEAD_MAX as u32 {
                return Ok(());
            }
            let start = current.start.plus(offset);
            let pool = self.cache.pool(start)?;
            if pool.holds(&self.meter, start) {
                // Cached blocks need no reading ahead. A look too far ahead of the consumer would find blocks that are
                // evicted again before their turn.
                if self.ahead.0 > self.next.0 + 1 {
                    return Ok(());
                }
                self.ahead = (range, offset + 1);
                continue;
            }
            let count = self.read_blocks.min(current.blocks - offset);
            let file = self.cache.file(start.file)?;
            let (class, entry) = (self.class, self.entry);
            match pool.start_read(&self.cache, &self.meter, &file, start, count, class, entry, Patience::Never)? {
                Some(batch) => {
                    let read = batch.blocks();
                    self.ahead = (range, offset + read);
                    self.flying.push((start.plus(read - 1), batch));
                }
                None if pool.holds(&self.meter, start) => self.ahead = (range, offset + 1),
                // No buffer is free: the get reads the block that is wanted now alone.
                None => return Ok(()),
            }
        }
        Ok(())
    }
}

impl Drop for BlockScan {
    fn drop(&mut self) {
        for (address, batch) in self.flying.drain(..) {
            if let Ok(pool) = self.cache.pool(address) {
                batch.complete(&self.cache, pool, &self.meter, None);
            }
        }
    }
}
