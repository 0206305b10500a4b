//! A buffer: memory for one block, and what is known of it.

use common::BlockAddress;
use common::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
use common::sync::{Arc, Mutex, RwLock};
use device::AlignedBuffer;

use super::read::ReadBatch;

/// Nothing in it.
pub(super) const FREE: u8 = 0;
/// A read is on its way; [`Frame::batch`] says which.
pub(super) const READING: u8 = 1;
pub(super) const VALID: u8 = 2;
/// Out of the hash chains, because the read failed or the block was discarded; reused when the last pin goes.
pub(super) const DETACHED: u8 = 3;

/// Of a buffer that is as its block on disk.
pub(super) const CLEAN: u64 = u64::MAX;

/// A touch is counted at most once in this many seconds.
const TOUCH_SECONDS: u32 = 3;

pub(super) struct Frame {
    /// Place in the pool's replacement list.
    pub(super) index: u32,
    /// Packed address of the block, 0 for none. Changes only while the frame is in no hash chain.
    tag: AtomicU64,
    pub(super) state: AtomicU8,
    pub(super) class: AtomicU8,
    pub(super) pins: AtomicU32,
    /// A write of it is under way: the block must not be written again, by the writer or by other means, before it has returned.
    pub(super) writing: AtomicBool,
    pub(super) dirty: AtomicBool,
    /// Redo up to here must be durable before the block is written.
    pub(super) redo_end: AtomicU64,
    /// No redo of the block that is not on disk with it lies before this; [`CLEAN`] when there is none.
    pub(super) redo_from: AtomicU64,
    /// As `redo_from`, of what is being written.
    pub(super) redo_writing: AtomicU64,
    pub(super) touches: AtomicU16,
    touched_at: AtomicU32,
    pub(super) latch: Arc<RwLock<AlignedBuffer>>,
    pub(super) batch: Mutex<Option<Arc<ReadBatch>>>,
}

impl Frame {
    pub(super) fn new(index: u32, block_bytes: usize) -> Self {
        Self {
            index,
            tag: AtomicU64::new(0),
            state: AtomicU8::new(FREE),
            class: AtomicU8::new(0),
            pins: AtomicU32::new(0),
            writing: AtomicBool::new(false),
            dirty: AtomicBool::new(false),
            redo_end: AtomicU64::new(0),
            redo_from: AtomicU64::new(CLEAN),
            redo_writing: AtomicU64::new(CLEAN),
            touches: AtomicU16::new(0),
            touched_at: AtomicU32::new(0),
            latch: Arc::new(RwLock::new(AlignedBuffer::zeroed(block_bytes))),
            batch: Mutex::new(None),
        }
    }

    pub(super) fn address(&self) -> BlockAddress {
        BlockAddress::unpack(self.tag.load(Ordering::Acquire) as u32)
    }

    pub(super) fn set_address(&self, address: BlockAddress) {
        self.tag.store(u64::from(address.pack()), Ordering::Release);
    }

    pub(super) fn state(&self) -> u8 {
        self.state.load(Ordering::Acquire)
    }

    pub(super) fn pin(&self) {
        self.pins.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn unpin(&self) {
        let before = self.pins.fetch_sub(1, Ordering::AcqRel);
        debug_assert!(before > 0, "a pin is released once");
    }

    pub(super) fn is_pinned(&self) -> bool {
        self.pins.load(Ordering::Acquire) > 0
    }

    pub(super) fn is_dirty(&self) -> bool {
        self.dirty.load(Ordering::Acquire)
    }

    /// Counts a touch, unless one was counted in the last seconds.
    pub(super) fn touch(&self, now_s: u32) {
        if now_s.wrapping_sub(self.touched_at.load(Ordering::Relaxed)) >= TOUCH_SECONDS {
            self.touched_at.store(now_s, Ordering::Relaxed);
            self.touches.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Starts a new life for another block.
    pub(super) fn reset(&self, touches: u16, now_s: u32) {
        self.touches.store(touches, Ordering::Relaxed);
        self.touched_at.store(now_s, Ordering::Relaxed);
        self.dirty.store(false, Ordering::Release);
        self.redo_end.store(0, Ordering::Release);
        self.redo_from.store(CLEAN, Ordering::Release);
    }
}
