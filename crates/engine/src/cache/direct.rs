//! Reading runs of blocks in order past the buffers: serial direct path reads.
//!
//! ```text
//! what is dirty of the ranges goes to disk first (enq: KO - fast object checkpoint), then
//! ranges   [128..256) [256..384) …        runs are cut at the end of a range and at 1 MB; some are in flight ahead of the consumer
//! ```
//!
//! What was committed before the scan's snapshot was taken was in the cache by then or on disk, so it is on disk once the dirty buffers are. A block that is
//! written while it is read may come in torn: its checksum tells, and then it is got through the cache.

use std::collections::VecDeque;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, Result};
use device::{AlignedBuffer, PendingRead};
use waits::{Event, GetMode, Meter, SegmentStatistic, Statistic};

use super::{Block, Cache, counts, structure, writer};
use crate::segment::BlockRange;
use crate::tablespace::Datafile;

/// Runs that are on their way at a time.
const AHEAD_MAX: usize = 3;

/// A read on its way.
struct Flight {
    start: BlockAddress,
    blocks: u32,
    file: Arc<Datafile>,
    read: std::io::Result<PendingRead>,
}

/// A scan over block ranges.
pub struct DirectScan {
    cache: Arc<Cache>,
    meter: Arc<Meter>,
    ranges: Vec<BlockRange>,
    class: BlockClass,
    read_blocks: u32,
    /// Next block to send for: range and offset.
    ahead: (usize, u32),
    flying: VecDeque<Flight>,
    /// The blocks of the run that is being handed out, and the address of the first of them.
    run: std::vec::IntoIter<AlignedBuffer>,
    next: BlockAddress,
    /// The block that was handed out last.
    last: Option<(BlockAddress, Arc<AlignedBuffer>)>,
}

impl std::fmt::Debug for DirectScan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DirectScan({} ranges)", self.ranges.len())
    }
}

impl DirectScan {
    /// Writes the ranges' dirty buffers, and begins. `read_blocks` is the multiblock read count.
    ///
    /// # Errors
    /// Those of writing.
    pub(crate) fn new(
        cache: Arc<Cache>,
        meter: Arc<Meter>,
        ranges: Vec<BlockRange>,
        class: BlockClass,
        read_blocks: u32,
    ) -> Result<Self> {
        for range in &ranges {
            let pool = cache.pool(range.start)?;
            writer::write_range_out(&cache, pool, &meter, *range)?;
        }
        Ok(Self {
            cache,
            meter,
            ranges,
            class,
            read_blocks: read_blocks.max(1),
            ahead: (0, 0),
            flying: VecDeque::new(),
            run: Vec::new().into_iter(),
            next: BlockAddress::NONE,
            last: None,
        })
    }

    /// Blocks of all ranges.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.ranges.iter().map(|range| u64::from(range.blocks)).sum()
    }

    /// The next block, by a consistent get.
    ///
    /// # Errors
    /// ORA-01115, ORA-01578.
    pub fn next_block(&mut self) -> Result<Option<Block>> {
        loop {
            if let Some(buffer) = self.run.next() {
                let address = self.next;
                self.next = address.plus(1);
                return self.hand_out(address, buffer).map(Some);
            }
            self.send()?;
            let Some(flight) = self.flying.pop_front() else { return Ok(None) };
            self.land(flight)?;
        }
    }

    /// The block that was handed out last, by another get.
    pub fn again(&self, address: BlockAddress) -> Option<Block> {
        let (last, buffer) = self.last.as_ref()?;
        (*last == address).then(|| self.got(address, buffer))
    }

    fn got(&self, address: BlockAddress, buffer: &Arc<AlignedBuffer>) -> Block {
        self.meter.get(self.class, GetMode::Consistent);
        self.meter.count(Statistic::ConsistentGetsDirect, 1);
        counts::segment(&self.meter, buffer, SegmentStatistic::LogicalReads, 1);
        Block::private(address, Arc::clone(buffer))
    }

    fn hand_out(&mut self, address: BlockAddress, buffer: AlignedBuffer) -> Result<Block> {
        let checked = format::block::check(&buffer, address).and_then(|()| structure::check(&buffer, address));
        if checked.is_err() {
            // Torn by a write at the same time, or damaged: the cache finds out.
            self.last = None;
            return self.cache.get(&self.meter, address, self.class, GetMode::Consistent);
        }
        let buffer = Arc::new(buffer);
        let block = self.got(address, &buffer);
        self.last = Some((address, buffer));
        Ok(block)
    }

    /// Sends for runs until enough are on their way.
    fn send(&mut self) -> Result<()> {
        while self.flying.len() < AHEAD_MAX {
            let (range, offset) = self.ahead;
            let Some(current) = self.ranges.get(range).copied() else { return Ok(()) };
            if offset >= current.blocks {
                self.ahead = (range + 1, 0);
                continue;
            }
            self.cache.health().check_readable()?;
            let start = current.start.plus(offset);
            let blocks = self.read_blocks.min(current.blocks - offset);
            let file = self.cache.file(start.file)?;
            file.check_block(start.plus(blocks - 1))?;
            let bytes = file.block_size().bytes();
            let buffers = (0..blocks).map(|_| AlignedBuffer::zeroed(bytes)).collect();
            self.meter.count(Statistic::PhysicalReads, u64::from(blocks));
            self.meter.count(Statistic::PhysicalReadsDirect, u64::from(blocks));
            self.meter.count(Statistic::PhysicalReadIoRequests, 1);
            self.meter.count(Statistic::PhysicalReadBytes, u64::from(blocks) * bytes as u64);
            file.count_read(u64::from(blocks));
            let read = file.submit_read(start.block, buffers);
            self.flying.push_back(Flight { start, blocks, file, read });
            self.ahead = (range, offset + blocks);
        }
        Ok(())
    }

    /// Waits for a read.
    fn land(&mut self, flight: Flight) -> Result<()> {
        let Flight { start, blocks, file, read } = flight;
        let at = [u64::from(start.file.0), u64::from(start.block), u64::from(blocks)];
        let wait = || read.and_then(PendingRead::wait);
        let (result, micros) = self.meter.described_wait(Event::DirectPathRead, at, -1, wait, |result| {
            (at, result.as_ref().ok().and_then(|buffers| buffers.first()).map_or(-1, |block| counts::object_of(block)))
        });
        file.count_read_time(u64::from(blocks), micros);
        let buffers = result.map_err(|error| file.read_error(start, &error))?;
        if let Some(first) = buffers.first() {
            counts::segment(&self.meter, first, SegmentStatistic::PhysicalReadRequests, 1);
        }
        for buffer in &buffers {
            counts::segment(&self.meter, buffer, SegmentStatistic::PhysicalReads, 1);
            counts::segment(&self.meter, buffer, SegmentStatistic::PhysicalReadsDirect, 1);
        }
        self.run = buffers.into_iter();
        self.next = start;
        // The next ones are on their way while these are worked on.
        self.send()
    }
}
