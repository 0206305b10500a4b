//! Writing dirty buffers: coldest first in the background, all of them at a checkpoint.
//!
//! The writer pins a buffer while its copy is written, so the buffer is not evicted before the write has returned. It
//! takes the copy under the share latch, so a half-made change is never written. Neighbouring blocks go out in one
//! write. A write that fails stops the instance: the block's contents would otherwise be lost unseen.

use std::time::Duration;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, Condvar, Mutex, yield_now};
use common::{BlockAddress, BlockRange, Result, limits};
use device::AlignedBuffer;
use format::block::BlockType;
use format::object::data_object;
use waits::{Event, Meter, SegmentStatistic, Statistic};

use super::checking::Checking;
use super::double_write;
use super::frame::{CLEAN, Frame, FrameRef, VALID};
use super::pool::{Pool, SCAN_PERCENT};
use super::{Cache, block, counts};
use crate::datafile::Datafile;
use crate::redo::Lsn;

/// Share of the pool, in percent, that may be dirty before the writer starts on its own.
const DIRTY_PERCENT: usize = 25;
/// Share of the replacement list, in percent, that is cleaned in one round.
const ROUND_PERCENT: usize = 25;
/// Buffers that the writer looks at while it holds the latch of the replacement list: sessions want it for each read.
const SCANNED_AT_ONCE: usize = 128;

/// Old buffers that one call writes before it turns to sessions that wait for a clean one.
const BUFFERS_AT_ONCE: usize = 2048;

/// The signal that wakes the background writer before its time.
#[derive(Debug, Default)]
pub struct WriterWakes {
    posted: Mutex<bool>,
    signal: Condvar,
    /// Single-threaded (simulation): a session that needs clean buffers writes them itself.
    inline: AtomicBool,
}

impl WriterWakes {
    pub fn set_inline(&self) {
        self.inline.store(true, Ordering::Release);
    }

    pub fn is_inline(&self) -> bool {
        self.inline.load(Ordering::Acquire)
    }

    pub(crate) fn post(&self) {
        *self.posted.lock() = true;
        self.signal.notify_all();
    }

    /// Waits until a session posts the writer or `period` has passed.
    pub fn wait(&self, period: Duration) {
        let mut posted = self.posted.lock();
        if !*posted {
            self.signal.wait_for(&mut posted, period);
        }
        *posted = false;
    }
}

/// Writes every dirty buffer of a pool, in address order.
pub(super) fn write_all(cache: &Cache, pool: &Pool, meter: &Meter) -> Result<()> {
    let frames = pool.frames();
    let dirty = frames.iter().filter(|frame| frame.is_dirty()).copied().collect();
    let written = write(cache, pool, meter, dirty, Latched::Wait)?;
    meter.count(Statistic::DbwrCheckpointBuffersWritten, written);
    meter.count(Statistic::DbwrThreadCheckpointBuffersWritten, written);
    // A buffer that another session writes is clean by its flag, but its copy may not be on its way to the disk yet.
    for frame in &frames {
        wait_written(pool, meter, frame, frame.address());
    }
    pool.announce_clean();
    Ok(())
}

/// Writes the dirty buffers of a range of blocks.
pub(super) fn write_range(cache: &Cache, pool: &Pool, meter: &Meter, range: BlockRange) -> Result<()> {
    let mut dirty = Vec::new();
    for n in 0..range.blocks {
        if let Some(frame) = pool.find(meter, range.start.plus(n)) {
            if frame.is_dirty() {
                dirty.push(frame);
            }
            frame.unpin();
        }
    }
    let written = write(cache, pool, meter, dirty, Latched::Wait)?;
    meter.count(Statistic::PhysicalWritesNonCheckpoint, written);
    Ok(())
}

/// Writes the dirty buffers of a range of blocks for a caller that is going to read the range from disk. It waits for
/// writes by other sessions, too. `blocks`: those of the range that may have buffers.
pub(super) fn write_range_out(
    cache: &Cache,
    pool: &Pool,
    meter: &Meter,
    range: BlockRange,
    blocks: &[BlockAddress],
) -> Result<()> {
    let mut there = Vec::new();
    for &address in blocks {
        if let Some(frame) = pool.find(meter, address) {
            there.push((frame, address, frame.is_dirty()));
            frame.unpin();
        }
    }
    if there.iter().any(|(.., dirty)| *dirty) {
        let at = [u64::from(range.start.file.0), u64::from(range.start.block), u64::from(range.blocks)];
        let dirty = there.iter().filter(|(.., dirty)| *dirty).map(|(frame, ..)| *frame).collect();
        let checkpoint = || write(cache, pool, meter, dirty, Latched::Wait);
        let written = meter.wait(Event::EnqKoFastObjectCheckpoint, at, -1, checkpoint)?;
        meter.count(Statistic::DbwrCheckpointBuffersWritten, written);
    }
    // A buffer that another session writes is clean by its flag, but its copy may not be on the disk yet.
    there.iter().for_each(|(frame, address, _)| wait_written(pool, meter, frame, *address));
    Ok(())
}

/// Writes the buffers that need redo from before `lsn`. Blocks that a session has latched for a change are left for the
/// next call.
pub(super) fn write_older(cache: &Cache, pool: &Pool, meter: &Meter, lsn: Lsn) -> Result<()> {
    let old = |frame: &FrameRef| frame.is_dirty() && frame.redo_from.load(Ordering::Acquire) < lsn.0;
    let mut frames: Vec<_> = pool.frames().into_iter().filter(old).collect();
    // A clean buffer may be given to another block at any moment, so the address of each is read once.
    frames.sort_by_cached_key(|frame| frame.address());
    for some in frames.chunks(BUFFERS_AT_ONCE) {
        let written = write(cache, pool, meter, some.to_vec(), Latched::Skip)?;
        meter.count(Statistic::DbwrCheckpointBuffersWritten, written);
        pool.announce_clean();
        // Sessions that wait for a buffer must not wait until all old buffers are written.
        if pool.starved.load(Ordering::Acquire) > 0 {
            write_cold(cache, pool, meter)?;
        }
    }
    Ok(())
}

/// One background round: when sessions starve, have met many dirty buffers at the cold end, or much of the pool is
/// dirty, it cleans the cold part of the list.
pub(super) fn write_cold(cache: &Cache, pool: &Pool, meter: &Meter) -> Result<()> {
    let frames = pool.frames();
    if frames.is_empty() {
        return Ok(());
    }
    let asked = pool.cold_is_dirty.swap(false, Ordering::AcqRel);
    let starved = pool.starved.load(Ordering::Acquire) > 0;
    let dirty = frames.iter().filter(|frame| frame.is_dirty()).count();
    let many = dirty * 100 >= pool.capacity() * DIRTY_PERCENT;
    if dirty == 0 || !(asked || starved || many) {
        return Ok(());
    }
    meter.count(Statistic::SummedDirtyQueueLength, dirty as u64);
    meter.count(Statistic::DbwrLruScans, 1);
    // Searches go no further than this; what is warmer may well be changed again before it is cold.
    let depth = if starved || many { frames.len() } else { frames.len() * SCAN_PERCENT / 100 };
    let cold = coldest(pool, meter, &frames, depth, (pool.capacity() * ROUND_PERCENT / 100).max(64));
    // The coldest first, so that sessions soon find clean buffers where they look for them.
    for some in cold.chunks((double_write::BATCH / pool.block_size().bytes()).min(double_write::BLOCKS_MAX)) {
        let written = write(cache, pool, meter, some.to_vec(), Latched::Skip)?;
        meter.count(Statistic::PhysicalWritesNonCheckpoint, written);
        pool.announce_clean();
    }
    Ok(())
}

/// Dirty buffers among the `depth` coldest, at most `limit` of them. The latch is given back again and again. A buffer
/// that has left the list meanwhile sends the search back to the tail, and one that has got another place leads it on
/// from there: so a buffer may be found twice, which [`write`] passes by, and a few that are not cold are found.
fn coldest(pool: &Pool, meter: &Meter, frames: &[FrameRef], depth: usize, limit: usize) -> Vec<FrameRef> {
    let (mut cold, mut scanned, mut next) = (Vec::with_capacity(limit), 0, None);
    while scanned < depth && cold.len() < limit {
        let list = pool.list(meter);
        let mut at = next.filter(|index| list.is_linked(*index)).or_else(|| list.tail());
        for _ in 0..SCANNED_AT_ONCE.min(depth - scanned) {
            let Some(index) = at.filter(|_| cold.len() < limit) else { break };
            scanned += 1;
            if let Some(frame) = frames.get(index as usize).copied()
                && frame.is_dirty()
            {
                cold.push(frame);
            }
            at = list.warmer(index);
        }
        if at.is_none() {
            break;
        }
        next = at;
        drop(list);
        // Sessions that wait for the latch have it before the search goes on.
        yield_now();
    }
    meter.count(Statistic::DbwrBuffersScanned, scanned as u64);
    meter.count(Statistic::DbwrSummedScanDepth, scanned as u64);
    cold
}

/// What a writer does with a buffer that a session has latched for a change. A checkpoint waits for it. The background
/// writer must not: the session may be waiting for the writer to clean a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Latched {
    Wait,
    Skip,
}

/// Writes buffers. Returns the number of buffers written.
fn write(cache: &Cache, pool: &Pool, meter: &Meter, frames: Vec<FrameRef>, latched: Latched) -> Result<u64> {
    // A frame that gets another block before its turn comes is passed by.
    let mut frames: Vec<_> = frames.into_iter().map(|frame| (frame.address(), frame)).collect();
    frames.sort_by_key(|(address, _)| *address);
    let block_bytes = pool.block_size().bytes();
    let most = (double_write::BATCH / block_bytes).min(double_write::BLOCKS_MAX).min(frames.len().max(1));
    let mut batch = WriteBatch {
        cache,
        pool,
        meter,
        scratch: AlignedBuffer::zeroed(most * block_bytes),
        most,
        runs: Vec::new(),
        blocks: 0,
        redo_end: Lsn(0),
        written: 0,
    };
    for (address, frame) in frames {
        if batch.blocks == batch.most {
            batch.write()?;
        }
        let mut copied = copy(cache, pool, meter, frame, address, batch.next_place(), Latched::Skip);
        if copied == Copied::Busy && latched == Latched::Wait {
            // Before the wait: the holder of the latch may be waiting for a buffer, even for one of this batch, and so
            // may the writer of that buffer.
            batch.write()?;
            copied = copy(cache, pool, meter, frame, address, batch.next_place(), Latched::Wait);
        }
        if let Copied::Yes(redo_end) = copied {
            batch.add(address, frame, redo_end);
        }
    }
    batch.write()?;
    Ok(batch.written)
}

/// Consecutive blocks, copied and pinned.
struct BlockRun {
    start: BlockAddress,
    frames: Vec<FrameRef>,
}

/// Blocks that are copied, pinned and written together: first to the double-write area, then run by run to their
/// places.
struct WriteBatch<'a> {
    cache: &'a Cache,
    pool: &'a Pool,
    meter: &'a Meter,
    scratch: AlignedBuffer,
    /// Most blocks of a batch.
    most: usize,
    runs: Vec<BlockRun>,
    blocks: usize,
    /// End of the redo that must be durable before the batch is written.
    redo_end: Lsn,
    /// Number of blocks written by the batches before this one.
    written: u64,
}

impl WriteBatch<'_> {
    fn block_bytes(&self) -> usize {
        self.pool.block_size().bytes()
    }

    fn next_place(&mut self) -> &mut [u8] {
        let bytes = self.block_bytes();
        &mut self.scratch[self.blocks * bytes..(self.blocks + 1) * bytes]
    }

    fn add(&mut self, address: BlockAddress, frame: FrameRef, redo_end: Lsn) {
        debug_assert!(self.blocks < self.most, "a batch has {} blocks at the most", self.most);
        debug_assert!(self.runs.iter().all(|run| run.start != address), "block {address} is written twice at once");
        self.blocks += 1;
        self.redo_end = self.redo_end.max(redo_end);
        let run_max = (limits::IO_BYTES_MAX / self.block_bytes()).max(1);
        match self.runs.last_mut() {
            Some(run) if run.start.plus(run.frames.len() as u32) == address && run.frames.len() < run_max => {
                run.frames.push(frame);
            }
            _ => self.runs.push(BlockRun { start: address, frames: vec![frame] }),
        }
    }

    fn write(&mut self) -> Result<()> {
        if self.blocks == 0 {
            return Ok(());
        }
        let result = self.write_all();
        for frame in self.runs.drain(..).flat_map(|run| run.frames) {
            if result.is_err() {
                frame.redo_from.fetch_min(frame.redo_writing.load(Ordering::SeqCst), Ordering::SeqCst);
                frame.set_dirty(true);
            }
            release(frame);
        }
        self.written += self.blocks as u64;
        (self.blocks, self.redo_end) = (0, Lsn(0));
        result.map_err(|error| self.cache.health().stop(&error))
    }

    fn write_all(&self) -> Result<()> {
        self.check_structure()?;
        let frames: usize = self.runs.iter().map(|run| run.frames.len()).sum();
        debug_assert_eq!(frames, self.blocks, "each block of a batch is of one run");
        // The redo must be durable before the blocks are.
        self.cache.flush_redo(self.redo_end)?;
        let bytes = self.blocks * self.block_bytes();
        let addresses: Vec<_> =
            self.runs.iter().flat_map(|run| (0..run.frames.len() as u32).map(|n| run.start.plus(n))).collect();
        let area = self.cache.double_write().map(|area| area.write(&addresses, &self.scratch[..bytes])).transpose()?;
        let mut at = 0;
        let mut files: Vec<Arc<Datafile>> = Vec::new();
        for run in &self.runs {
            let (count, end) = (run.frames.len() as u64, at + run.frames.len() * self.block_bytes());
            let file = self.cache.file(run.start.file)?;
            let write = || file.write_blocks(run.start, &self.scratch[at..end]);
            let (written, micros) =
                self.meter.timed_wait(Event::DbFileParallelWrite, [1, 0, u64::from(u32::MAX)], -1, write);
            written?;
            file.count_write_time(micros);
            self.count_segments(&self.scratch[at..end]);
            if files.iter().all(|other| other.number() != file.number()) {
                files.push(file);
            }
            self.pool.physical_writes.fetch_add(count, Ordering::Relaxed);
            self.meter.count(Statistic::PhysicalWrites, count);
            self.meter.count(Statistic::PhysicalWritesFromCache, count);
            self.meter.count(Statistic::PhysicalWriteIoRequests, 1);
            self.meter.count(Statistic::PhysicalWriteTotalMultiBlockRequests, u64::from(count > 1));
            self.meter.count(Statistic::PhysicalWriteBytes, (end - at) as u64);
            at = end;
        }
        // Before the next batch overwrites the area, the blocks must be durable in their places.
        if area.is_some() {
            for file in files {
                file.sync_if_written(self.meter)?;
            }
        }
        Ok(())
    }
}

impl WriteBatch<'_> {
    /// With DB_BLOCK_CHECKING a block that fails its checks is not written.
    fn check_structure(&self) -> Result<()> {
        let checking = self.cache.checking();
        if checking == Checking::Off {
            return Ok(());
        }
        let addresses = self.runs.iter().flat_map(|run| (0..run.frames.len() as u32).map(|n| run.start.plus(n)));
        let blocks = self.scratch.chunks_exact(self.block_bytes());
        addresses.zip(blocks).try_for_each(|(address, block)| checking.check(block, address))
    }

    /// Counts the written blocks by segment.
    fn count_segments(&self, blocks: &[u8]) {
        let mut last = None;
        for block in blocks.chunks_exact(self.block_bytes()) {
            let object = data_object(block);
            counts::segment(self.meter, block, SegmentStatistic::PhysicalWrites, 1);
            if object != last {
                counts::segment(self.meter, block, SegmentStatistic::PhysicalWriteRequests, 1);
            }
            last = object;
            match format::block::kind(block) {
                Some(BlockType::UndoBlock) => self.meter.count(Statistic::DbwrUndoBlockWrites, 1),
                Some(BlockType::UndoSegmentHeader) => self.meter.count(Statistic::DbwrTransactionTableWrites, 1),
                _ => {}
            }
        }
    }
}

/// Waits for the end of a write of the buffer, if one is under way.
pub(super) fn wait_written(pool: &Pool, meter: &Meter, frame: &Frame, address: BlockAddress) {
    let writing = || frame.writing.load(Ordering::SeqCst);
    if writing() {
        pool.write_complete_waits.fetch_add(1, Ordering::Relaxed);
        let at = [u64::from(address.file.0), u64::from(address.block), 0];
        meter.wait(Event::WriteCompleteWaits, at, -1, || {
            while writing() {
                yield_now();
            }
        });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    /// Copied. Its redo up to this place must be durable first.
    Yes(Lsn),
    /// The buffer is clean: there is nothing to write.
    Clean,
    /// A session has the block latched for a change, or another writer is writing an earlier copy.
    Busy,
}

fn release(frame: &Frame) {
    frame.redo_writing.store(CLEAN, Ordering::SeqCst);
    frame.writing.store(false, Ordering::SeqCst);
    frame.unpin();
}

/// Takes the right to write a buffer. Two copies of a block on their way to the disk at once could land in the wrong
/// order.
fn begin(pool: &Pool, meter: &Meter, frame: &Frame, address: BlockAddress, latched: Latched) -> bool {
    while frame.writing.swap(true, Ordering::SeqCst) {
        meter.count(Statistic::DbwrRevisitedBeingWrittenBuffer, 1);
        if latched == Latched::Skip {
            return false;
        }
        wait_written(pool, meter, frame, address);
    }
    true
}

/// Copies and seals a dirty buffer, and pins it.
fn copy(
    cache: &Cache,
    pool: &Pool,
    meter: &Meter,
    frame: FrameRef,
    address: BlockAddress,
    to: &mut [u8],
    latched: Latched,
) -> Copied {
    frame.pin();
    // Taken before the state is looked at: a discard takes the block away first and looks at `writing` afterwards.
    if !begin(pool, meter, frame, address, latched) {
        frame.unpin();
        return Copied::Busy;
    }
    let bytes = match latched {
        Latched::Wait => Some(block::share(cache, meter, frame, address, frame.block_class())),
        Latched::Skip => frame.latch.try_read(),
    };
    let Some(bytes) = bytes else {
        release(frame);
        return Copied::Busy;
    };
    if frame.state() != VALID || !frame.is_dirty() || frame.address() != address {
        drop(bytes);
        release(frame);
        return Copied::Clean;
    }
    to.copy_from_slice(&bytes);
    // No session changes the block while the latch is held; a later change makes it dirty again.
    frame.redo_writing.store(frame.redo_from.load(Ordering::SeqCst), Ordering::SeqCst);
    frame.redo_from.store(CLEAN, Ordering::SeqCst);
    frame.set_dirty(false);
    let redo_end = frame.redo_end.load(Ordering::Acquire);
    drop(bytes);
    format::block::seal(to);
    debug_assert!(format::block::check(to, address).is_ok(), "block {address} would not be read again");
    Copied::Yes(Lsn(redo_end))
}
