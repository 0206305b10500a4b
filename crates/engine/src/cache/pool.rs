//! The buffers of one block size: hash chains to find them, a replacement list to reuse them.

use std::fmt;
use std::time::Duration;

use common::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use common::sync::{Arc, Condvar, Mutex, RwLock};
use common::{BlockAddress, BlockClass, BlockSize, Error, ErrorKind, FileNumber, Number, Result};
use waits::{Event, Meter, Statistic};

use super::Cache;
use super::frame::{DETACHED, FREE, Frame, READING, VALID};
use super::read::ReadBatch;
use super::replacement::{Entry, Replacement};
use super::writer::WriterWakes;

/// Share of the replacement list, in percent, that a session scans for a victim before it asks the writer for help.
const SCAN_PERCENT: usize = 40;
/// How long a session waits for the writer at a time, and how often, before every buffer counts as in use.
const FREE_WAIT: Duration = Duration::from_millis(10);
const FREE_WAITS_MAX: usize = 3_000;
/// Buffers that a pool has at least, if it has any.
const BUFFERS_MIN: usize = 64;

type Bucket = Mutex<Vec<(u32, Arc<Frame>)>>;

/// Whether to wait for a buffer when none is free.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    Wait,
    Never,
}

/// The buffers of one block size.
pub struct Pool {
    size: BlockSize,
    capacity: usize,
    buckets: Box<[Bucket]>,
    frames: RwLock<Vec<Arc<Frame>>>,
    pub(super) replacement: Mutex<Replacement>,
    wakes: Arc<WriterWakes>,
    /// Signalled by the writer after each round.
    freed: (Mutex<u64>, Condvar),
    /// Sessions that wait for a clean buffer.
    pub(super) starved: AtomicUsize,
    gets: AtomicU64,
    physical_reads: AtomicU64,
    pub(super) physical_writes: AtomicU64,
    free_buffer_waits: AtomicU64,
}

/// A buffer as V$BH shows it.
#[derive(Clone, Copy, Debug)]
pub struct BufferState {
    pub address: BlockAddress,
    pub class: u8,
    pub dirty: bool,
    pub reading: bool,
    pub touches: u16,
    pub block_bytes: usize,
}

/// A pool's figures, for V$BUFFER_POOL_STATISTICS.
#[derive(Clone, Copy, Debug)]
pub struct PoolFigures {
    pub size: BlockSize,
    pub capacity: usize,
    pub buffers: usize,
    pub gets: u64,
    pub physical_reads: u64,
    pub physical_writes: u64,
    pub free_buffer_waits: u64,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({}, {} buffers)", self.size, self.capacity)
    }
}

impl Pool {
    pub(super) fn new(size: BlockSize, bytes: u64, wakes: Arc<WriterWakes>) -> Self {
        let capacity = match (bytes / size.bytes() as u64) as usize {
            0 => 0,
            buffers => buffers.max(BUFFERS_MIN),
        };
        let buckets = (2 * capacity).next_power_of_two();
        Self {
            size,
            capacity,
            buckets: (0..buckets).map(|_| Mutex::new(Vec::new())).collect(),
            frames: RwLock::new(Vec::new()),
            replacement: Mutex::new(Replacement::new()),
            freed: (Mutex::new(0), Condvar::new()),
            wakes,
            starved: AtomicUsize::new(0),
            gets: AtomicU64::new(0),
            physical_reads: AtomicU64::new(0),
            physical_writes: AtomicU64::new(0),
            free_buffer_waits: AtomicU64::new(0),
        }
    }

    /// Buffers that the pool may have.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    #[must_use]
    pub fn block_size(&self) -> BlockSize {
        self.size
    }

    fn bucket(&self, address: BlockAddress) -> &Bucket {
        // Fibonacci hashing: neighbouring blocks go to distant buckets, so to distant latches.
        let hash = u64::from(address.pack()).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        &self.buckets[hash as usize & (self.buckets.len() - 1)]
    }

    /// The frame of a block, pinned, if it is in the cache.
    pub(super) fn find(&self, address: BlockAddress) -> Option<Arc<Frame>> {
        let tag = address.pack();
        let bucket = self.bucket(address).lock();
        bucket.iter().find(|(t, _)| *t == tag).map(|(_, frame)| {
            frame.pin();
            frame.clone()
        })
    }

    /// As [`Pool::find`], if no read of the block is on its way.
    pub(super) fn find_valid(&self, address: BlockAddress) -> Option<Arc<Frame>> {
        let frame = self.find(address)?;
        if frame.state() == VALID {
            return Some(frame);
        }
        frame.unpin();
        None
    }

    /// Whether a block is in the cache, without touching it.
    pub(super) fn holds(&self, address: BlockAddress) -> bool {
        let tag = address.pack();
        self.bucket(address).lock().iter().any(|(t, _)| *t == tag)
    }

    /// Puts a frame into its chain; false when the block is there already.
    fn publish(&self, frame: &Arc<Frame>) -> bool {
        let address = frame.address();
        let tag = address.pack();
        let mut bucket = self.bucket(address).lock();
        if bucket.iter().any(|(t, _)| *t == tag) {
            return false;
        }
        bucket.push((tag, frame.clone()));
        true
    }

    pub(super) fn unpublish(&self, frame: &Frame) {
        let tag = frame.address().pack();
        let mut bucket = self.bucket(frame.address()).lock();
        if let Some(at) = bucket.iter().position(|(t, f)| *t == tag && f.index == frame.index) {
            bucket.swap_remove(at);
        }
    }

    /// The block's frame, pinned and valid; read from disk when it is not in the cache.
    pub(super) fn pin(
        &self,
        cache: &Cache,
        meter: &Meter,
        address: BlockAddress,
        class: BlockClass,
    ) -> Result<Arc<Frame>> {
        self.gets.fetch_add(1, Ordering::Relaxed);
        loop {
            if let Some(frame) = self.find(address) {
                if frame.state() == VALID {
                    frame.touch(now_s(meter));
                    return Ok(frame);
                }
                // Another session reads it, or this one reads ahead.
                let batch = frame.batch.lock().clone();
                if let Some(batch) = batch {
                    batch.complete(self, meter);
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
                self.start_read(cache, meter, &file, address, 1, class, Entry::Midpoint, Patience::Wait)?
            {
                batch.complete(self, meter);
                batch.failure(address)?;
            }
        }
    }

    /// The block's frame, pinned, with no read: for a block that is about to be formatted. It may still show what the block was; a buffer that was
    /// taken for it is zero before anybody can find it.
    pub(super) fn pin_new(
        &self,
        cache: &Cache,
        meter: &Meter,
        address: BlockAddress,
        class: BlockClass,
    ) -> Result<Arc<Frame>> {
        self.gets.fetch_add(1, Ordering::Relaxed);
        cache.file(address.file)?.check_block(address)?;
        loop {
            if let Some(frame) = self.find(address) {
                if frame.state() == VALID {
                    frame.class.store(class as u8, Ordering::Relaxed);
                    return Ok(frame);
                }
                let batch = frame.batch.lock().clone();
                if let Some(batch) = batch {
                    batch.complete(self, meter);
                }
                frame.unpin();
                continue;
            }
            let frame = self.take(cache, meter)?;
            frame.latch.write().fill(0);
            frame.set_address(address);
            frame.class.store(class as u8, Ordering::Relaxed);
            frame.reset(1, now_s(meter));
            frame.state.store(VALID, Ordering::Release);
            if self.publish(&frame) {
                self.replacement.lock().insert(frame.index, Entry::Midpoint);
                return Ok(frame);
            }
            self.give_back(&frame);
        }
    }

    /// Starts to read up to `count` blocks from `start`; stops before the first that is in the cache. None when `start` itself is, or when no
    /// buffer is free and the caller has no patience. For the blocks behind the first nobody waits: their buffers are held already by then.
    #[expect(clippy::too_many_arguments, reason = "who reads what, where, and how")]
    pub(super) fn start_read(
        &self,
        cache: &Cache,
        meter: &Meter,
        file: &Arc<crate::tablespace::Datafile>,
        start: BlockAddress,
        count: u32,
        class: BlockClass,
        entry: Entry,
        patience: Patience,
    ) -> Result<Option<Arc<ReadBatch>>> {
        cache.health().check_readable()?;
        file.check_block(start)?;
        let batch = ReadBatch::new(start);
        // Whoever meets one of the frames before the read is submitted waits on this lock.
        let mut pending = batch.begin();
        let now = now_s(meter);
        let mut frames = Vec::with_capacity(count as usize);
        for n in 0..count {
            let address = start.plus(n);
            if n > 0 && self.holds(address) {
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
            frame.reset(u16::from(entry == Entry::Midpoint), now);
            *frame.batch.lock() = Some(batch.clone());
            frame.state.store(READING, Ordering::Release);
            if !self.publish(&frame) {
                *frame.batch.lock() = None;
                self.give_back(&frame);
                break;
            }
            self.replacement.lock().insert(frame.index, entry);
            frames.push(frame);
        }
        if frames.is_empty() {
            return Ok(None);
        }
        self.physical_reads.fetch_add(frames.len() as u64, Ordering::Relaxed);
        meter.count(Statistic::PhysicalReads, frames.len() as u64);
        meter.count(Statistic::PhysicalReadsCache, frames.len() as u64);
        meter.count(Statistic::PhysicalReadIoRequests, 1);
        meter.count(Statistic::PhysicalReadBytes, (frames.len() * self.size.bytes()) as u64);
        file.count_read(frames.len() as u64);
        batch.submit(&mut pending, file, frames);
        drop(pending);
        Ok(Some(batch))
    }

    /// A frame in no chain and not on the list, pinned once.
    fn take(&self, cache: &Cache, meter: &Meter) -> Result<Arc<Frame>> {
        meter.count(Statistic::FreeBufferRequested, 1);
        for attempt in 0..=FREE_WAITS_MAX {
            if let Some(frame) = self.take_now(meter) {
                return Ok(frame);
            }
            // The writer has ended for good then.
            cache.health().check()?;
            if attempt > 0 && self.finish_a_read(meter) {
                continue;
            }
            if attempt < FREE_WAITS_MAX {
                self.wait_for_writer(cache, meter)?;
            }
        }
        Err(Error::new(
            ErrorKind::OutOfResource,
            Number::Ora(379),
            format!("no free buffers available in the buffer pool for block size {}", self.size),
        ))
    }

    /// Completes a read that is on its way, whoever started it: until then it keeps its buffers, and its session may be waiting for one itself.
    fn finish_a_read(&self, meter: &Meter) -> bool {
        self.frames().iter().filter(|frame| frame.state() == READING).any(|frame| {
            let batch = frame.batch.lock().clone();
            batch.is_some_and(|batch| batch.try_complete(self, meter))
        })
    }

    fn take_now(&self, meter: &Meter) -> Option<Arc<Frame>> {
        let mut list = self.replacement.lock();
        if let Some(index) = list.free.pop() {
            let frame = self.frames.read()[index as usize].clone();
            frame.pin();
            return Some(frame);
        }
        {
            let allocated = self.frames.read().len();
            if allocated < self.capacity {
                let index = list.grow();
                let frame = Arc::new(Frame::new(index, self.size.bytes()));
                frame.pin();
                self.frames.write().push(frame.clone());
                return Some(frame);
            }
        }
        let limit = (list.length() * SCAN_PERCENT / 100).max(BUFFERS_MIN);
        let mut at = list.tail();
        for _ in 0..limit {
            let index = at?;
            at = list.warmer(index);
            let frame = self.frames.read()[index as usize].clone();
            meter.count(Statistic::FreeBufferInspected, 1);
            if frame.is_pinned() || frame.state() == READING {
                continue;
            }
            if frame.touches.load(Ordering::Relaxed) >= 2 {
                frame.touches.store(0, Ordering::Relaxed);
                if let Some(cooled) = list.heat(index) {
                    self.frames.read()[cooled as usize].touches.store(1, Ordering::Relaxed);
                }
                continue;
            }
            if frame.is_dirty() && frame.state() == VALID {
                meter.count(Statistic::DirtyBuffersInspected, 1);
                continue;
            }
            if self.claim(&frame) {
                list.remove(index);
                return Some(frame);
            }
        }
        None
    }

    /// Takes an idle, clean frame out of its chain and pins it; false when somebody was faster, even when the frame has another block by now.
    fn claim(&self, frame: &Arc<Frame>) -> bool {
        let address = frame.address();
        let tag = address.pack();
        let mut bucket = self.bucket(address).lock();
        if frame.is_pinned() || frame.address() != address {
            return false;
        }
        match frame.state() {
            VALID if !frame.is_dirty() => {
                let Some(at) = bucket.iter().position(|(t, f)| *t == tag && f.index == frame.index) else {
                    return false;
                };
                bucket.swap_remove(at);
            }
            DETACHED => {}
            _ => return false,
        }
        frame.pin();
        frame.state.store(FREE, Ordering::Release);
        true
    }

    /// Returns a frame that came from [`Pool::take`] and was not published.
    fn give_back(&self, frame: &Frame) {
        frame.state.store(FREE, Ordering::Release);
        frame.set_address(BlockAddress::NONE);
        frame.unpin();
        self.replacement.lock().free.push(frame.index);
    }

    fn wait_for_writer(&self, cache: &Cache, meter: &Meter) -> Result<()> {
        self.free_buffer_waits.fetch_add(1, Ordering::Relaxed);
        self.starved.fetch_add(1, Ordering::AcqRel);
        if self.wakes.is_inline() {
            let written = super::writer::write_cold(cache, self, meter);
            self.starved.fetch_sub(1, Ordering::AcqRel);
            return written;
        }
        self.wakes.post();
        meter.wait(Event::FreeBufferWaits, [0, 0, 0], -1, || {
            let mut rounds = self.freed.0.lock();
            self.freed.1.wait_for(&mut rounds, FREE_WAIT);
        });
        self.starved.fetch_sub(1, Ordering::AcqRel);
        Ok(())
    }

    /// Tells waiting sessions that buffers were cleaned.
    pub(super) fn announce_clean(&self) {
        *self.freed.0.lock() += 1;
        self.freed.1.notify_all();
    }

    /// Every frame that holds a block.
    pub(super) fn frames(&self) -> Vec<Arc<Frame>> {
        self.frames.read().clone()
    }

    /// The least place in the log that a buffer needs redo from: one that is dirty, or that is being written.
    pub(super) fn redo_needed_from(&self) -> u64 {
        let frames = self.frames();
        let needed = |frame: &Arc<Frame>| {
            // A write takes its place over before it gives the other up.
            let from = frame.redo_from.load(Ordering::SeqCst);
            from.min(frame.redo_writing.load(Ordering::SeqCst))
        };
        frames.iter().map(needed).min().unwrap_or(u64::MAX)
    }

    /// Forgets a block, dirty or not. Whoever has it pinned keeps what it sees, as a block of nowhere; a write of it has returned afterwards.
    pub(super) fn discard(&self, meter: &Meter, address: BlockAddress) {
        while let Some(frame) = self.find(address) {
            if frame.state() == READING {
                let batch = frame.batch.lock().clone();
                if let Some(batch) = batch {
                    batch.complete(self, meter);
                }
                frame.unpin();
                continue;
            }
            self.unpublish(&frame);
            frame.state.store(DETACHED, Ordering::SeqCst);
            while frame.writing.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            frame.unpin();
            self.release_idle(&frame);
            return;
        }
    }

    pub(super) fn discard_file(&self, meter: &Meter, file: FileNumber) {
        for frame in self.frames() {
            let address = frame.address();
            if address.file == file && frame.state() != FREE {
                self.discard(meter, address);
            }
        }
    }

    /// Makes a frame free for anything, unless it is in use or dirty.
    fn release_idle(&self, frame: &Arc<Frame>) {
        if self.claim(frame) {
            self.replacement.lock().remove(frame.index);
            self.give_back(frame);
        }
    }

    /// Empties every frame that is neither in use nor dirty.
    pub(super) fn evict_all(&self) {
        for frame in self.frames() {
            self.release_idle(&frame);
        }
    }

    pub(super) fn buffers(&self) -> Vec<BufferState> {
        self.frames()
            .iter()
            .filter(|frame| matches!(frame.state(), VALID | READING))
            .map(|frame| BufferState {
                address: frame.address(),
                class: frame.class.load(Ordering::Relaxed),
                dirty: frame.is_dirty(),
                reading: frame.state() == READING,
                touches: frame.touches.load(Ordering::Relaxed),
                block_bytes: self.size.bytes(),
            })
            .collect()
    }

    pub(super) fn figures(&self) -> PoolFigures {
        PoolFigures {
            size: self.size,
            capacity: self.capacity,
            buffers: self.frames.read().len(),
            gets: self.gets.load(Ordering::Relaxed),
            physical_reads: self.physical_reads.load(Ordering::Relaxed),
            physical_writes: self.physical_writes.load(Ordering::Relaxed),
            free_buffer_waits: self.free_buffer_waits.load(Ordering::Relaxed),
        }
    }
}

fn now_s(meter: &Meter) -> u32 {
    (meter.clock().monotonic_us() / 1_000_000) as u32
}
