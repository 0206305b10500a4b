//! Enqueues of a segment: HW for its marks and extents, FB for batches of blocks during their formatting.

use common::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use common::sync::{Condvar, Mutex, MutexGuard};
use common::{BlockAddress, Result};
use format::segment;
use waits::Enqueue;

use super::Segment;
use super::extent::Reading;
use crate::txn::Worker;

/// Mode of both: exclusive.
const EXCLUSIVE: u16 = 6;

/// The locks of a segment, shared by all its definitions.
#[derive(Default, Debug)]
pub(super) struct SegmentLocks {
    /// HW: one session at a time moves a high-water mark or adds an extent.
    high_water: Mutex<()>,
    /// FB: the first blocks of the batches that are being formatted.
    batches: Mutex<Vec<BlockAddress>>,
    formatted: Condvar,
    /// Number of shrinks of the segment since the start of the instance.
    pub(super) shrinks: AtomicU32,
    /// SCN of the last move of the rows: older snapshots do not find their rows here.
    pub(super) readable_from: AtomicU64,
    /// Last data object number under which the segment was given up, with all numbers before it.
    pub(super) given_up: AtomicU32,
    /// Number of splits of the index whose segment this is, since the start of the instance.
    index_splits: AtomicU32,
    /// Blocks below the mark, as an estimate has read them; 0: unknown, because the mark may have moved since.
    blocks: AtomicU32,
}

/// The FB enqueue of a batch of blocks, until it is dropped.
#[derive(Debug)]
pub struct Formatting<'a> {
    locks: &'a SegmentLocks,
    batch: BlockAddress,
}

impl Drop for Formatting<'_> {
    fn drop(&mut self) {
        let mut batches = self.locks.batches.lock();
        let before = batches.len();
        batches.retain(|batch| *batch != self.batch);
        debug_assert_eq!(batches.len() + 1, before, "the batch at {} has one holder", self.batch);
        drop(batches);
        self.locks.formatted.notify_all();
    }
}

impl SegmentLocks {
    fn take(&self, batches: &mut Vec<BlockAddress>, batch: BlockAddress) -> Option<Formatting<'_>> {
        if batches.contains(&batch) {
            return None;
        }
        batches.push(batch);
        Some(Formatting { locks: self, batch })
    }

    fn wait(&self, batch: BlockAddress) -> Formatting<'_> {
        let mut batches = self.batches.lock();
        loop {
            match self.take(&mut batches, batch) {
                Some(formatting) => return formatting,
                None => self.formatted.wait(&mut batches),
            }
        }
    }
}

impl SegmentLocks {
    /// Notes the blocks below the high-water mark in this segment header, for estimates.
    pub(super) fn note_blocks(&self, header: &[u8]) {
        self.blocks.store(segment::header(header).high.blocks.get(), Ordering::Relaxed);
    }
}

impl Segment {
    /// Takes the HW enqueue. A wait for it is a wait event.
    pub fn growing(&self, s: &Worker) -> MutexGuard<'_, ()> {
        let at = [u64::from(self.tablespace.number().0), u64::from(self.header.pack())];
        let lock = &self.locks.high_water;
        let object = i64::from(self.spec.data_object.0);
        self.locks.blocks.store(0, Ordering::Relaxed);
        s.meter().take_enqueue(Enqueue::HwContention, EXCLUSIVE, at, object, || lock.try_lock(), || lock.lock())
    }

    /// Counts a split of the index whose segment this is. The blocks that it changes are latched.
    pub(crate) fn note_index_split(&self) {
        self.locks.index_splits.fetch_add(1, Ordering::Release);
    }

    /// Number of splits of the index since the start of the instance. The splits of blocks that the caller has seen
    /// changed are counted.
    pub(crate) fn index_splits(&self) -> u32 {
        self.locks.index_splits.load(Ordering::Acquire)
    }

    /// Blocks below the high-water mark, for estimates: the segment header is read once after each move of the mark. A
    /// move that is under way may be missed until the next one.
    ///
    /// # Errors
    /// Errors of the cache.
    pub fn estimated_blocks(&self, s: &Worker) -> Result<u32> {
        let known = self.locks.blocks.load(Ordering::Relaxed);
        if known > 0 {
            return Ok(known);
        }
        let header = self.header_block(s, Reading::Consistent)?;
        Ok(segment::header(&header).high.blocks.get())
    }

    /// The same where no get is worth it: None until somebody has read the segment header, as each scan does.
    #[must_use]
    pub fn known_blocks(&self) -> Option<u32> {
        Some(self.locks.blocks.load(Ordering::Relaxed)).filter(|blocks| *blocks > 0)
    }

    /// Takes the FB enqueue of the batch that begins with block `batch`. Its holder waits for latches only, and never
    /// for a session that waits for the enqueue: a session that wants it for a table's segment has no block latched,
    /// and one that wants it for an index's segment never waits for room in the log.
    pub fn formatting(&self, s: &Worker, batch: BlockAddress) -> Formatting<'_> {
        let at = [u64::from(self.tablespace.number().0), u64::from(batch.pack())];
        let locks = &*self.locks;
        let try_take = || locks.take(&mut locks.batches.lock(), batch);
        let object = i64::from(self.spec.data_object.0);
        s.meter().take_enqueue(Enqueue::FbContention, EXCLUSIVE, at, object, try_take, || locks.wait(batch))
    }
}
