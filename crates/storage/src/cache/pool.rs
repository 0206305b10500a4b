//! The buffers of one block size: hash chains find them, a replacement list decides which is reused.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use common::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use common::sync::unscheduled::atomic::AtomicU64;
use common::sync::{Arc, Condvar, Mutex, MutexGuard};
use common::{BlockAddress, BlockClass, BlockRange, BlockSize, Error, ErrorKind, FileNumber, Number, Result};
use waits::{Event, LatchName, Meter, SegmentStatistic, Statistic};

use super::Cache;
use super::around::RedoKept;
use super::chains::{self, Chains};
use super::frame::{self, CLEAN, CLONE, DETACHED, FREE, FrameRef, READING, VALID};
use super::read::ReadBatch;
use super::replacement::{InsertPosition, Replacement};
use super::writer::WriterWakes;
use crate::redo::Lsn;

/// Share of the replacement list, in percent, that a session scans for a victim before it asks the writer for help.
pub(super) const SCAN_PERCENT: usize = 40;
/// Dirty buffers that a session passes in one search before it asks the writer to clean the cold end of the list. Each
/// search passes them again, under the list's latch.
const DIRTY_PASSED: usize = 32;
/// Length of one wait for the writer; after [`FREE_WAITS_MAX`] of them every buffer counts as in use (ORA-00379).
const FREE_WAIT: Duration = Duration::from_millis(10);
const FREE_WAITS_MAX: usize = 3_000;
/// Least number of buffers of a pool that has any.
const BUFFERS_MIN: usize = 64;

/// What a session does when no buffer is free.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    Wait,
    Never,
}

/// What happens to a dirty buffer that is discarded.
#[derive(Clone, Copy)]
pub(super) enum Dirty<'a> {
    /// It is written first: redo that is no longer read must not be missed by redo that still is.
    Write,
    /// It is not written. The redo that it needs is kept until other content of the block is on disk.
    Keep(&'a RedoKept),
    /// It is not written, and its redo is not read again: the file is gone. The caller waits for the writer alone, not
    /// for sessions that still change the block.
    Forget,
}

/// The buffers of one block size.
pub struct Pool {
    size: BlockSize,
    capacity: usize,
    pub(super) chains: Chains,
    /// Frames by index, allocated from the first on as they are needed.
    frames: Box<[OnceLock<FrameRef>]>,
    pub(super) replacement: Mutex<Replacement>,
    wakes: Arc<WriterWakes>,
    /// Signalled by the writer after each round.
    freed: (Mutex<()>, Condvar),
    /// Number of times that the writer has told of clean buffers.
    announced: AtomicUsize,
    /// Sessions that wait for a clean buffer.
    pub(super) starved: AtomicUsize,
    /// Set by a session that has passed many dirty buffers in its search; taken by the writer.
    pub(super) cold_is_dirty: AtomicBool,
    physical_reads: AtomicU64,
    pub(super) physical_writes: AtomicU64,
    free_buffer_waits: AtomicU64,
    pub(super) write_complete_waits: AtomicU64,
}

/// A buffer as V$BH shows it.
#[derive(Clone, Copy, Debug)]
pub struct BufferState {
    pub address: BlockAddress,
    pub class: u8,
    pub dirty: bool,
    pub reading: bool,
    /// A consistent-read clone: the block as it was.
    pub clone: bool,
    pub touches: u16,
    pub block_bytes: usize,
}

/// Figures of a pool, for V$BUFFER_POOL_STATISTICS.
#[derive(Clone, Copy, Debug)]
pub struct PoolFigures {
    pub size: BlockSize,
    pub capacity: usize,
    pub buffers: usize,
    pub physical_reads: u64,
    pub physical_writes: u64,
    pub free_buffer_waits: u64,
    /// Waits for the end of a write of the buffer.
    pub write_complete_waits: u64,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({}, {} buffers)", self.size, self.capacity)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.frames().into_iter().for_each(frame::give_up);
    }
}

impl Pool {
    pub(super) fn new(size: BlockSize, bytes: u64, wakes: Arc<WriterWakes>) -> Self {
        let capacity = match (bytes / size.bytes() as u64) as usize {
            0 => 0,
            buffers => buffers.max(BUFFERS_MIN),
        };
        Self {
            size,
            capacity,
            chains: Chains::new(capacity),
            frames: (0..capacity).map(|_| OnceLock::new()).collect(),
            replacement: Mutex::new(Replacement::new()),
            freed: (Mutex::new(()), Condvar::new()),
            announced: AtomicUsize::new(0),
            wakes,
            starved: AtomicUsize::new(0),
            cold_is_dirty: AtomicBool::new(false),
            physical_reads: AtomicU64::new(0),
            physical_writes: AtomicU64::new(0),
            free_buffer_waits: AtomicU64::new(0),
            write_complete_waits: AtomicU64::new(0),
        }
    }

    /// Most buffers that the pool may have.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    #[must_use]
    pub fn block_size(&self) -> BlockSize {
        self.size
    }

    fn frame(&self, index: u32) -> Option<FrameRef> {
        self.frames.get(index as usize)?.get().copied()
    }

    /// The replacement list, under its latch.
    pub(super) fn list(&self, meter: &Meter) -> MutexGuard<'_, Replacement> {
        meter.latch(LatchName::CacheBuffersLruChain, &self.replacement)
    }

    /// The frame of a block, pinned, if it is in the cache.
    pub(super) fn find(&self, meter: &Meter, address: BlockAddress) -> Option<FrameRef> {
        let tag = address.pack();
        let bucket = self.chains.bucket(address);
        if let Some(frame) = bucket.quick(tag).and_then(|index| self.frame(index))
            && frame.try_pin(tag)
        {
            return Some(frame);
        }
        let chain = bucket.lock(meter);
        let frame = chain.current(tag)?;
        frame.pin();
        Some(frame)
    }

    /// As [`Pool::find`], if no read of the block is on its way.
    pub(super) fn find_valid(&self, meter: &Meter, address: BlockAddress) -> Option<FrameRef> {
        let frame = self.find(meter, address)?;
        if frame.state() == VALID {
            return Some(frame);
        }
        frame.unpin();
        None
    }

    /// True: the block is in the cache, or a read of it is on its way. The buffer is neither pinned nor touched.
    pub(super) fn holds(&self, meter: &Meter, address: BlockAddress) -> bool {
        let tag = address.pack();
        let bucket = self.chains.bucket(address);
        bucket.quick(tag).is_some() || bucket.lock(meter).current(tag).is_some()
    }

    /// Puts a frame into its chain, and takes the block's clones out of it. False when the chain has the block already.
    /// The frame gets its state here and no sooner: a session that looks without the lock must not find a buffer for
    /// which another session's buffer was entered first.
    fn publish(&self, meter: &Meter, frame: FrameRef, state: u8) -> bool {
        let address = frame.address();
        let tag = address.pack();
        {
            let mut chain = self.chains.bucket(address).lock(meter);
            if chain.current(tag).is_some() {
                return false;
            }
            frame.set_state(state);
            chain.add(chains::ChainEntry { tag, clone: false, frame });
        }
        self.drop_clones(meter, address);
        true
    }

    pub(super) fn unpublish(&self, meter: &Meter, frame: FrameRef) {
        let address = frame.address();
        self.chains.bucket(address).lock(meter).remove(address.pack(), frame);
    }

    /// The block's frame, pinned and valid; read from disk when it is not in the cache.
    pub(super) fn pin(
        &self,
        cache: &Cache,
        meter: &Meter,
        address: BlockAddress,
        class: BlockClass,
    ) -> Result<FrameRef> {
        loop {
            if let Some(frame) = self.find(meter, address) {
                if frame.state() == VALID {
                    frame.touch(now_s(meter));
                    return Ok(frame);
                }
                // Another session reads it, or this session has sent for it ahead.
                let batch = frame.batch.lock().clone();
                if let Some(batch) = batch {
                    if batch.complete(cache, self, meter, Some((address, class)))
                        && let Some(object) = frame.read_object()
                    {
                        meter.segment(object, SegmentStatistic::BufferBusyWaits, 1);
                    }
                    if frame.state() == DETACHED {
                        frame.unpin();
                        batch.failure(address)?;
                        continue;
                    }
                }
                frame.unpin();
                continue;
            }
            let file = cache.file(address.file)?;
            if let Some(batch) =
                self.start_read(cache, meter, &file, address, 1, class, InsertPosition::Midpoint, Patience::Wait)?
            {
                batch.complete(cache, self, meter, Some((address, class)));
                batch.failure(address)?;
            }
        }
    }

    /// The block's frame, pinned, without a read: for a block that the caller formats. The frame may still show the old
    /// block. True: a new buffer was taken, whose bytes were zero before any session could find it.
    pub(super) fn pin_new(
        &self,
        cache: &Cache,
        meter: &Meter,
        address: BlockAddress,
        class: BlockClass,
    ) -> Result<(FrameRef, bool)> {
        cache.file(address.file)?.check_block(address)?;
        loop {
            if let Some(frame) = self.find(meter, address) {
                if frame.state() == VALID {
                    frame.class.store(class as u8, Ordering::Relaxed);
                    return Ok((frame, false));
                }
                let batch = frame.batch.lock().clone();
                if let Some(batch) = batch {
                    batch.complete(cache, self, meter, Some((address, class)));
                }
                frame.unpin();
                continue;
            }
            let frame = self.take(cache, meter)?;
            frame.latch.write().fill(0);
            frame.set_address(address);
            frame.class.store(class as u8, Ordering::Relaxed);
            frame.reset(1, now_s(meter));
            if self.publish(meter, frame, VALID) {
                self.list(meter).insert(frame.index(), InsertPosition::Midpoint);
                return Ok((frame, true));
            }
            self.give_back(meter, frame);
        }
    }

    /// Starts to read up to `count` blocks from `start`; stops before the first that is in the cache. None when `start`
    /// itself is, or when no buffer is free and the caller has no patience. The caller waits for a buffer for the first
    /// block only: for the others it would wait with buffers in hand.
    #[expect(clippy::too_many_arguments, reason = "who reads what, where, and how")]
    pub(super) fn start_read(
        &self,
        cache: &Cache,
        meter: &Meter,
        file: &Arc<crate::datafile::Datafile>,
        start: BlockAddress,
        count: u32,
        class: BlockClass,
        entry: InsertPosition,
        patience: Patience,
    ) -> Result<Option<Arc<ReadBatch>>> {
        cache.health().check_readable()?;
        file.check_block(start)?;
        let batch = ReadBatch::new(start);
        // A session that meets one of the frames before the read is submitted waits on this lock.
        let mut pending = batch.begin();
        let now = now_s(meter);
        let mut frames = Vec::with_capacity(count as usize);
        for n in 0..count {
            let address = start.plus(n);
            if n > 0 && self.holds(meter, address) {
                break;
            }
            let frame = if n == 0 && patience == Patience::Wait {
                self.take(cache, meter)?
            } else {
                meter.count(Statistic::FreeBufferRequested, 1);
                match self.take_now(meter) {
                    Some(frame) => frame,
                    None => break,
                }
            };
            frame.set_address(address);
            frame.class.store(class as u8, Ordering::Relaxed);
            frame.reset(u16::from(entry == InsertPosition::Midpoint), now);
            *frame.batch.lock() = Some(batch.clone());
            if !self.publish(meter, frame, READING) {
                *frame.batch.lock() = None;
                self.give_back(meter, frame);
                break;
            }
            self.list(meter).insert(frame.index(), entry);
            frames.push(frame);
        }
        if frames.is_empty() {
            return Ok(None);
        }
        self.physical_reads.fetch_add(frames.len() as u64, Ordering::Relaxed);
        meter.count(Statistic::PhysicalReads, frames.len() as u64);
        meter.count(Statistic::PhysicalReadsCache, frames.len() as u64);
        meter.count(Statistic::PhysicalReadIoRequests, 1);
        meter.count(Statistic::PhysicalReadTotalMultiBlockRequests, u64::from(frames.len() > 1));
        let asked_for = usize::from(patience == Patience::Wait);
        meter.count(Statistic::PhysicalReadsCachePrefetch, (frames.len() - asked_for) as u64);
        meter.count(Statistic::PhysicalReadBytes, (frames.len() * self.size.bytes()) as u64);
        file.count_read(frames.len() as u64);
        batch.submit(&mut pending, file, frames, patience);
        drop(pending);
        Ok(Some(batch))
    }

    /// The buffers that have one of these blocks at present, with the blocks' addresses.
    fn within(&self, ranges: &[BlockRange]) -> impl Iterator<Item = (FrameRef, BlockAddress)> {
        let mut sorted = ranges.to_vec();
        sorted.sort_unstable_by_key(|range| range.start);
        self.frames().into_iter().filter(|frame| frame.state() == VALID).filter_map(move |frame| {
            let address = frame.address();
            let behind = sorted.partition_point(|range| range.start <= address);
            let range = sorted.get(behind.checked_sub(1)?)?;
            let is_within = range.start.file == address.file && address.block - range.start.block < range.blocks;
            is_within.then_some((frame, address))
        })
    }

    /// Of these blocks: how many have buffers, and how many of those buffers are dirty.
    pub(super) fn presence(&self, ranges: &[BlockRange]) -> (u64, u64) {
        let mut sums = (0, 0);
        for (frame, _) in self.within(ranges) {
            sums.0 += 1;
            sums.1 += u64::from(frame.is_dirty());
        }
        sums
    }

    /// The blocks of these ranges that may have buffers, in the order of their addresses.
    pub(super) fn present(&self, ranges: &[BlockRange]) -> Vec<BlockAddress> {
        let blocks: u64 = ranges.iter().map(|range| u64::from(range.blocks)).sum();
        let mut present: Vec<BlockAddress> = if blocks > self.frames().len() as u64 {
            self.within(ranges).map(|(_, address)| address).collect()
        } else {
            ranges.iter().flat_map(|range| (0..range.blocks).map(|block| range.start.plus(block))).collect()
        };
        present.sort_unstable();
        present.dedup();
        present
    }

    /// Checks the invariants of the buffers while no process is at work.
    ///
    /// # Errors
    /// ORA-00600 with the invariant that does not hold.
    pub(super) fn check_invariants(&self) -> Result<()> {
        let list = self.replacement.lock();
        list.check_invariants()?;
        self.chains.check_invariants()?;
        let wrong = |frame: FrameRef, what: &str| {
            let (index, address) = (frame.index(), frame.address());
            Err(Error::bug(format!("buffer {index} of the pool of {}, of block {address}: {what}", self.size)))
        };
        let chained: HashMap<u32, chains::ChainEntry> =
            self.chains.entries().into_iter().map(|entry| (entry.frame.index(), entry)).collect();
        for frame in self.frames() {
            if frame.is_pinned() {
                return wrong(frame, "it is pinned, and nobody is at work");
            }
            let entry = chained.get(&frame.index());
            let (free, dirty) = (list.free.contains(&frame.index()), frame.is_dirty());
            match (frame.state(), entry) {
                (VALID | READING, Some(entry)) if !entry.clone => {}
                (CLONE, Some(entry)) if entry.clone && !dirty => {}
                (FREE | DETACHED, None) => {}
                (state, entry) => {
                    return wrong(frame, &format!("state {state}, in a chain: {}", entry.is_some()));
                }
            }
            if free && (dirty || entry.is_some()) {
                return wrong(frame, "it is free, and dirty or in a chain");
            }
            if dirty && frame.redo_from.load(Ordering::Acquire) == CLEAN {
                return wrong(frame, "it is dirty and needs no redo");
            }
        }
        Ok(())
    }

    /// A free frame: in no chain, not on the list, and pinned once.
    fn take(&self, cache: &Cache, meter: &Meter) -> Result<FrameRef> {
        meter.count(Statistic::FreeBufferRequested, 1);
        for attempt in 0..=FREE_WAITS_MAX {
            // Read before the search: buffers that are clean since then are worth another search, not a wait.
            let announced = self.announced.load(Ordering::Acquire);
            if let Some(frame) = self.take_now(meter) {
                return Ok(frame);
            }
            // When the instance has stopped, the writer has ended for good.
            cache.health().check()?;
            if attempt > 0 && self.finish_a_read(meter) {
                continue;
            }
            if attempt < FREE_WAITS_MAX {
                self.wait_for_writer(cache, meter, announced)?;
            }
        }
        Err(Error::new(
            ErrorKind::OutOfResource,
            Number::Ora(379),
            format!("no free buffers available in the buffer pool for block size {}", self.size),
        ))
    }

    /// Completes a read that is on its way, started by any session. Until then the read keeps its buffers, and the
    /// session that started it may itself be waiting for one.
    fn finish_a_read(&self, meter: &Meter) -> bool {
        self.frames().iter().filter(|frame| frame.state() == READING).any(|frame| {
            let batch = frame.batch.lock().clone();
            batch.is_some_and(|batch| batch.try_complete(self, meter))
        })
    }

    pub(super) fn take_now(&self, meter: &Meter) -> Option<FrameRef> {
        let mut list = self.list(meter);
        if let Some(index) = list.free.pop() {
            let frame = self.frame(index)?;
            debug_assert!(frame.state() == FREE && !frame.is_dirty(), "buffer {index} is free and in use");
            frame.pin();
            return Some(frame);
        }
        if list.allocated() < self.capacity {
            let index = list.grow();
            let place = &self.frames[index as usize];
            let frame = *place.get_or_init(|| frame::take(index, self.size.bytes()));
            frame.pin();
            return Some(frame);
        }
        let limit = (list.length() * SCAN_PERCENT / 100).max(BUFFERS_MIN);
        let (mut at, mut dirty) = (list.tail(), 0);
        for _ in 0..limit {
            let index = at?;
            at = list.warmer(index);
            let frame = self.frame(index)?;
            meter.count(Statistic::FreeBufferInspected, 1);
            if frame.is_pinned() || frame.state() == READING {
                meter.count(Statistic::PinnedBuffersInspected, 1);
                continue;
            }
            if frame.touches.load(Ordering::Relaxed) >= 2 {
                frame.touches.store(0, Ordering::Relaxed);
                meter.count(Statistic::HotBuffersMovedToHeadOfLru, 1);
                if let Some(cooled) = list.heat(index).and_then(|cooled| self.frame(cooled)) {
                    cooled.touches.store(1, Ordering::Relaxed);
                }
                continue;
            }
            if frame.is_dirty() && frame.state() == VALID {
                meter.count(Statistic::DirtyBuffersInspected, 1);
                dirty += 1;
                if dirty == DIRTY_PASSED && !self.cold_is_dirty.swap(true, Ordering::AcqRel) {
                    meter.count(Statistic::DbwrMakeFreeRequests, 1);
                    self.wakes.post();
                }
                continue;
            }
            if self.claim(meter, frame) {
                list.remove(index);
                return Some(frame);
            }
        }
        None
    }

    /// Takes an idle, clean frame out of its chain and pins it. False when another session was faster, even when the
    /// frame has another block by now.
    fn claim(&self, meter: &Meter, frame: FrameRef) -> bool {
        let address = frame.address();
        // No session finds the frame through its chain while that is locked; a session that found it without the lock
        // learns from the word that it is free.
        let mut chain = self.chains.bucket(address).lock(meter);
        let state = frame.state();
        match state {
            VALID | CLONE => {}
            DETACHED => frame.set_dirty(false),
            _ => return false,
        }
        if !frame.try_free(address, state) {
            return false;
        }
        if state == DETACHED {
            frame.redo_from.store(CLEAN, Ordering::SeqCst);
        }
        let linked = chain.remove(address.pack(), frame);
        debug_assert!(linked || state == DETACHED, "a buffer that holds a block is in its chain");
        true
    }

    /// Returns a frame that came from [`Pool::take`] and was not published.
    pub(super) fn give_back(&self, meter: &Meter, frame: FrameRef) {
        debug_assert!(!frame.is_dirty(), "a buffer is given back with a change that is not written");
        frame.set_state(FREE);
        frame.set_address(BlockAddress::NONE);
        frame.unpin();
        self.list(meter).free.push(frame.index());
    }

    /// Waits until the writer has told of clean buffers more often than `announced` times.
    fn wait_for_writer(&self, cache: &Cache, meter: &Meter, announced: usize) -> Result<()> {
        self.free_buffer_waits.fetch_add(1, Ordering::Relaxed);
        self.starved.fetch_add(1, Ordering::AcqRel);
        meter.count(Statistic::DbwrMakeFreeRequests, 1);
        if self.wakes.is_inline() {
            let written = super::writer::write_cold(cache, self, meter);
            self.starved.fetch_sub(1, Ordering::AcqRel);
            return written;
        }
        self.wakes.post();
        meter.wait(Event::FreeBufferWaits, [0, 0, 0], -1, || {
            let mut freed = self.freed.0.lock();
            if self.announced.load(Ordering::Acquire) == announced {
                self.freed.1.wait_for(&mut freed, FREE_WAIT);
            }
        });
        self.starved.fetch_sub(1, Ordering::AcqRel);
        Ok(())
    }

    /// Tells waiting sessions that the writer has cleaned buffers.
    pub(super) fn announce_clean(&self) {
        let freed = self.freed.0.lock();
        self.announced.fetch_add(1, Ordering::AcqRel);
        drop(freed);
        self.freed.1.notify_all();
    }

    /// Every frame that holds a block.
    pub(super) fn frames(&self) -> Vec<FrameRef> {
        self.frames.iter().map_while(OnceLock::get).copied().collect()
    }

    /// Start of the redo that the pool's buffers need: the dirty ones, and those that are being written.
    pub(super) fn redo_needed_from(&self) -> u64 {
        let frames = self.frames();
        let needed = |frame: &FrameRef| {
            // The writer sets `redo_writing` before it clears `redo_from`, so one of the two is always seen.
            let from = frame.redo_from.load(Ordering::SeqCst);
            let writing = frame.redo_writing.load(Ordering::SeqCst);
            // A discarded buffer is not written again. If the frame has another block by now, that block needs only
            // later redo.
            let from = if frame.state() == DETACHED { CLEAN } else { from };
            from.min(writing)
        };
        frames.iter().map(needed).min().unwrap_or(u64::MAX)
    }

    /// Forgets a block. Waits for a session that changes it; a session that reads it keeps what it sees, in a detached
    /// buffer. When this returns, a write of the block has returned, and no later one follows.
    pub(super) fn discard(&self, cache: &Cache, meter: &Meter, address: BlockAddress, dirty: Dirty<'_>) -> Result<()> {
        loop {
            self.drop_clones(meter, address);
            let Some(frame) = self.find(meter, address) else { return Ok(()) };
            if frame.state() == READING {
                let batch = frame.batch.lock().clone();
                if let Some(batch) = batch {
                    batch.complete(cache, self, meter, None);
                }
                frame.unpin();
                continue;
            }
            // Under the latch, so that no change is lost between the look at the dirty flag and the end of the buffer.
            // Sessions that wait for the latch find the buffer detached.
            let latch = (!matches!(dirty, Dirty::Forget)).then(|| frame.latch.read_recursive());
            if frame.state() != VALID {
                drop(latch);
                frame.unpin();
                continue;
            }
            if frame.writing.load(Ordering::SeqCst) {
                // The write comes before any session can read the block from the disk again, where an older copy may
                // still be. It is not under the latch, which the writer may want.
                drop(latch);
                super::writer::wait_written(self, meter, frame, address);
                frame.unpin();
                continue;
            }
            if frame.is_dirty() {
                match dirty {
                    Dirty::Write => {
                        drop(latch);
                        frame.unpin();
                        let range = BlockRange { start: address, blocks: 1 };
                        super::writer::write_range(cache, self, meter, range)?;
                        continue;
                    }
                    Dirty::Keep(kept) => kept.lower(Lsn(frame.redo_from.load(Ordering::SeqCst))),
                    Dirty::Forget => {}
                }
            }
            self.unpublish(meter, frame);
            frame.set_state(DETACHED);
            drop(latch);
            // A write that has begun since either has found the buffer clean, or writes the copy that is dropped here.
            super::writer::wait_written(self, meter, frame, address);
            frame.unpin();
            self.release_idle(meter, frame);
            return Ok(());
        }
    }

    /// True: no session has the block latched for a change. With `patience` the caller waits until that is so.
    pub(super) fn is_unchanging(&self, meter: &Meter, address: BlockAddress, patience: bool) -> bool {
        let Some(frame) = self.find_valid(meter, address) else { return true };
        let free = if patience {
            drop(frame.latch.read_recursive());
            true
        } else {
            frame.latch.try_read_recursive().is_some()
        };
        frame.unpin();
        free
    }

    /// Takes a block that the caller has latched out of the cache. Its content is to be forgotten.
    pub(super) fn forget_latched(&self, meter: &Meter, frame: FrameRef) {
        self.unpublish(meter, frame);
        frame.set_state(DETACHED);
    }

    pub(super) fn discard_file(&self, cache: &Cache, meter: &Meter, file: FileNumber) {
        for frame in self.frames() {
            let address = frame.address();
            if address.file == file {
                // This writes nothing, so nothing can fail.
                let _ = self.discard(cache, meter, address, Dirty::Forget);
            }
        }
    }

    /// Frees a frame, unless it is in use or dirty.
    pub(super) fn release_idle(&self, meter: &Meter, frame: FrameRef) {
        if self.claim(meter, frame) {
            self.list(meter).remove(frame.index());
            self.give_back(meter, frame);
        }
    }

    /// Frees every frame that is neither in use nor dirty.
    pub(super) fn evict_all(&self, meter: &Meter) {
        for frame in self.frames() {
            self.release_idle(meter, frame);
        }
    }

    pub(super) fn buffers(&self) -> Vec<BufferState> {
        self.frames()
            .iter()
            .filter(|frame| matches!(frame.state(), VALID | READING | CLONE))
            .map(|frame| BufferState {
                address: frame.address(),
                class: frame.class.load(Ordering::Relaxed),
                dirty: frame.is_dirty(),
                reading: frame.state() == READING,
                clone: frame.state() == CLONE,
                touches: frame.touches.load(Ordering::Relaxed),
                block_bytes: self.size.bytes(),
            })
            .collect()
    }

    pub(super) fn figures(&self) -> PoolFigures {
        PoolFigures {
            size: self.size,
            capacity: self.capacity,
            buffers: self.frames.iter().map_while(OnceLock::get).count(),
            physical_reads: self.physical_reads.load(Ordering::Relaxed),
            physical_writes: self.physical_writes.load(Ordering::Relaxed),
            free_buffer_waits: self.free_buffer_waits.load(Ordering::Relaxed),
            write_complete_waits: self.write_complete_waits.load(Ordering::Relaxed),
        }
    }
}

pub(super) fn now_s(meter: &Meter) -> u32 {
    (meter.clock().monotonic_us() / 1_000_000) as u32
}
