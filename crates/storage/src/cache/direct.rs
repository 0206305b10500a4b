//! Reading runs of blocks in order past the buffers: serial direct path reads.
//!
//! ```text
//! first the dirty buffers of the ranges go to disk (enq: KO - fast object checkpoint), then
//! ranges   [128..256) [256..384) …      runs are cut at the end of a range and at 1 MB; some are ahead of the consumer
//! ```
//!
//! Everything committed before the scan's snapshot was in the cache by then or on disk, so it is on disk once the dirty
//! buffers are. A block that is written while it is read may come in torn: its checksum tells, and the scan then gets
//! it through the cache.

use std::collections::VecDeque;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, BlockRange, Error, Result};
use device::{AlignedBuffer, PendingRead};
use waits::{Event, GetMode, Meter, SegmentStatistic, Statistic};

use super::{Block, Cache, counts, structure, writer};
use crate::datafile::Datafile;

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
    /// Next block to read: range and offset.
    ahead: (usize, u32),
    flying: VecDeque<Flight>,
    /// The run whose blocks are being handed out.
    run: Option<ReadRun>,
    /// The block that was handed out last, if it passed its checks as read.
    last: Option<BlockAddress>,
    /// Buffers of runs that have been handed out, the latest last.
    spare: Vec<Arc<AlignedBuffer>>,
}

/// A run of blocks that have been read, in consecutive buffers.
struct ReadRun {
    /// Each buffer with the number of its first block.
    buffers: Vec<(u32, Arc<AlignedBuffer>)>,
    start: BlockAddress,
    block_bytes: usize,
    blocks: u32,
    /// Number of blocks that have been handed out.
    done: u32,
}

impl ReadRun {
    /// The buffer that holds a block, and the block's range in it.
    fn place(&self, number: u32) -> (&Arc<AlignedBuffer>, std::ops::Range<usize>) {
        let at = self.buffers.partition_point(|(first, _)| *first <= number).saturating_sub(1);
        let (first, buffer) = &self.buffers[at];
        let from = (number - first) as usize * self.block_bytes;
        (buffer, from..from + self.block_bytes)
    }

    fn block(&self, number: u32) -> &[u8] {
        let (buffer, place) = self.place(number);
        &buffer[place]
    }

    /// Neighbouring blocks of one object as a group: a block of it, and their number.
    fn objects(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let first = (at < self.blocks).then(|| self.block(at))?;
            let from = at;
            let object = counts::object_of(first);
            while at < self.blocks && counts::object_of(self.block(at)) == object {
                at += 1;
            }
            Some((first, u64::from(at - from)))
        })
    }
}

impl Cache {
    /// Writes the dirty buffers of these ranges, which have one block size.
    ///
    /// # Errors
    /// Errors of writing.
    pub(crate) fn write_out(&self, meter: &Meter, ranges: &[BlockRange]) -> Result<()> {
        let Some(first) = ranges.first() else { return Ok(()) };
        let pool = self.pool(first.start)?;
        let present = pool.present(ranges);
        ranges.iter().try_for_each(|range| {
            let end = BlockAddress { block: range.start.block + range.blocks, ..range.start };
            let place = |address: BlockAddress| present.partition_point(|other| *other < address);
            let blocks = &present[place(range.start)..place(end)];
            writer::write_range_out(self, pool, meter, *range, blocks)
        })
    }
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
    /// Errors of writing.
    pub(crate) fn new(
        cache: Arc<Cache>,
        meter: Arc<Meter>,
        ranges: Vec<BlockRange>,
        class: BlockClass,
        read_blocks: u32,
    ) -> Result<Self> {
        cache.write_out(&meter, &ranges)?;
        Ok(Self {
            cache,
            meter,
            ranges,
            class,
            read_blocks: read_blocks.max(1),
            ahead: (0, 0),
            flying: VecDeque::new(),
            run: None,
            last: None,
            spare: Vec::new(),
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
            match &mut self.run {
                Some(run) if run.done < run.blocks => {
                    let number = run.done;
                    run.done += 1;
                    return self.hand_out(number).map(Some);
                }
                _ => {}
            }
            self.send()?;
            let Some(flight) = self.flying.pop_front() else { return Ok(None) };
            self.land(flight)?;
        }
    }

    /// The block that was handed out last, by another get. None for any other address.
    pub fn again(&self, address: BlockAddress) -> Option<Block> {
        let run = self.run.as_ref().filter(|_| self.last == Some(address))?;
        Some(self.got(run, run.done - 1))
    }

    fn got(&self, run: &ReadRun, number: u32) -> Block {
        self.meter.get(self.class, GetMode::Consistent);
        self.meter.count(Statistic::ConsistentGetsDirect, 1);
        counts::segment(&self.meter, run.block(number), SegmentStatistic::LogicalReads, 1);
        let (buffer, place) = run.place(number);
        Block::private(run.start.plus(number), Arc::clone(buffer), place)
    }

    /// Hands out a block of the run.
    fn hand_out(&mut self, number: u32) -> Result<Block> {
        let Some(run) = &self.run else { return Err(Error::bug("no run of blocks has been read")) };
        let (address, bytes) = (run.start.plus(number), run.block(number));
        let checked = structure::check_read(bytes, address);
        if checked.is_err() || format::block::is_unformatted(bytes) {
            // Torn by a write at the same time, damaged, or lost by a disk: the get through the cache tells which.
            self.last = None;
            return self.cache.get(&self.meter, address, self.class, GetMode::Consistent);
        }
        self.last = Some(address);
        Ok(self.got(run, number))
    }

    /// A buffer for a run: a spare one that no reader uses any more, or a new one.
    fn buffer(&mut self, bytes: usize) -> AlignedBuffer {
        let mut free = None;
        self.spare.retain_mut(|buffer| {
            if free.is_some() || buffer.len() != bytes || Arc::strong_count(buffer) > 1 {
                return true;
            }
            free = Some(std::mem::replace(buffer, Arc::new(AlignedBuffer::zeroed(0))));
            false
        });
        free.and_then(|buffer| Arc::try_unwrap(buffer).ok()).unwrap_or_else(|| AlignedBuffer::zeroed(bytes))
    }

    /// Submits reads until enough are on their way.
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
            let mut buffers = Vec::with_capacity(2);
            let mut at = 0;
            while at < blocks {
                let part = file.blocks_before_cut(start.block + at, blocks - at).max(1);
                buffers.push(self.buffer(part as usize * bytes));
                at += part;
            }
            self.meter.count(Statistic::PhysicalReads, u64::from(blocks));
            self.meter.count(Statistic::PhysicalReadsDirect, u64::from(blocks));
            self.meter.count(Statistic::PhysicalReadIoRequests, 1);
            self.meter.count(Statistic::PhysicalReadTotalMultiBlockRequests, u64::from(blocks > 1));
            self.meter.count(Statistic::PhysicalReadBytes, u64::from(blocks) * bytes as u64);
            file.count_read(u64::from(blocks));
            let read = file.submit_read(start.block, buffers);
            self.flying.push_back(Flight { start, blocks, file, read });
            self.ahead = (range, offset + blocks);
        }
        Ok(())
    }

    /// Waits for a read, and makes it the current run.
    fn land(&mut self, flight: Flight) -> Result<()> {
        let Flight { start, blocks, file, read } = flight;
        let at = [u64::from(start.file.0), u64::from(start.block), u64::from(blocks)];
        let wait = || read.and_then(PendingRead::wait);
        let (result, micros) = self.meter.described_wait(Event::DirectPathRead, at, -1, wait, |result| {
            (at, result.as_ref().ok().and_then(|buffers| buffers.first()).map_or(-1, |block| counts::object_of(block)))
        });
        file.count_read_time(u64::from(blocks), micros);
        let buffers = result.map_err(|error| file.read_error(start, &error))?;
        let block_bytes = file.block_size().bytes();
        let mut first = 0;
        let buffers: Vec<_> = buffers
            .into_iter()
            .map(|buffer| {
                let number = first;
                first += (buffer.len() / block_bytes) as u32;
                (number, Arc::new(buffer))
            })
            .collect();
        if first != blocks {
            return Err(Error::bug(format!("a read of {blocks} blocks gave {first} back")));
        }
        let run = ReadRun { buffers, start, block_bytes, blocks, done: 0 };
        counts::segment(&self.meter, run.block(0), SegmentStatistic::PhysicalReadRequests, 1);
        for (block, count) in run.objects() {
            counts::segment(&self.meter, block, SegmentStatistic::PhysicalReads, count);
            counts::segment(&self.meter, block, SegmentStatistic::PhysicalReadsDirect, count);
        }
        self.last = None;
        if let Some(before) = self.run.replace(run) {
            self.spare.extend(before.buffers.into_iter().map(|(_, buffer)| buffer));
            // The oldest go first: buffers of sizes that no longer occur would stay for ever.
            let most = 4 * (AHEAD_MAX + 1);
            self.spare.drain(..self.spare.len().saturating_sub(most));
        }
        // The next runs are on their way while the caller works on this one.
        self.send()
    }
}
