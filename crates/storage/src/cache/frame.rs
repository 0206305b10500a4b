//! A buffer: memory for one block, and its state.
//!
//! ```text
//! word     63 ……… 32   31      30 … 24   23 ……… 0
//!          address     dirty   state     pins
//! ```
//!
//! All of this is one word: a session that pins a buffer learns in the same step whether the buffer still holds the
//! block, and only a buffer that is idle and clean is reused.
//!
//! A get of a cached block writes one cache line that other sessions may have: the one with word and latch. Fields that
//! seldom change lie behind it.
//!
//! Buffers belong to the process, as a shared memory segment belongs to the host. They are never given back, so a
//! pinned buffer needs no count of references, which would be one more write a get. The pools of the next instance use
//! them again; only the block's own memory is freed meanwhile.

use common::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
use common::sync::unscheduled::Mutex as OwnMutex;
use common::sync::{Arc, Mutex, RwLock};
use common::{BlockAddress, BlockClass, ObjectNumber, Scn};
use device::AlignedBuffer;

use super::read::ReadBatch;

/// The buffer holds no block.
pub(super) const FREE: u8 = 0;
/// A read is on its way; [`Frame::batch`] says which.
pub(super) const READING: u8 = 1;
pub(super) const VALID: u8 = 2;
/// Out of the hash chains, because the read failed or the block was discarded; reused when the last pin goes.
pub(super) const DETACHED: u8 = 3;
/// The block as it was: a consistent-read clone. It never changes and is never written.
pub(super) const CLONE: u8 = 4;

/// Value of `redo_from` and `redo_writing` in a buffer that equals its block on disk.
pub(super) const CLEAN: u64 = u64::MAX;

/// A touch is counted at most once in this many seconds.
const TOUCH_SECONDS: u32 = 3;

const PINS: u64 = (1 << 24) - 1;
const STATE_SHIFT: u32 = 24;
const STATE: u64 = 0x7f << STATE_SHIFT;
const DIRTY: u64 = 1 << 31;
const TAG_SHIFT: u32 = 32;

/// Buffers that belong to no pool.
static SPARE: OwnMutex<Vec<FrameRef>> = OwnMutex::new(Vec::new());

/// A buffer. It lives as long as the process.
pub(super) type FrameRef = &'static Arc<Frame>;

#[repr(C, align(64))]
pub(super) struct Frame {
    /// Packed address of the block (0 for none), dirty flag, state, pins. The address changes only while the frame is
    /// in no hash chain.
    word: AtomicU64,
    pub(super) latch: RwLock<AlignedBuffer>,
    touched_at: AtomicU32,
    pub(super) touches: AtomicU16,
    pub(super) class: AtomicU8,
    /// Place in the pool's replacement list.
    index: AtomicU32,
    /// A write of the buffer is under way: nothing else may write the block before it has returned.
    pub(super) writing: AtomicBool,
    /// Redo up to here must be durable before the block is written.
    pub(super) redo_end: AtomicU64,
    /// Start of the redo that the buffer has and the block on disk lacks; [`CLEAN`] when it lacks none.
    pub(super) redo_from: AtomicU64,
    /// As `redo_from`, for the copy that is being written.
    pub(super) redo_writing: AtomicU64,
    /// First and last SCN at which the block looked like this. Set in clones only.
    seen: [AtomicU64; 2],
    pub(super) batch: Mutex<Option<Arc<ReadBatch>>>,
    /// The data object of the block as it was read, 0 for none: a session that has waited for the read needs no latch
    /// to count for it.
    read_object: AtomicU32,
}

fn tag_of(word: u64) -> u32 {
    (word >> TAG_SHIFT) as u32
}

/// Whether a buffer may go from one state to another.
fn follows(before: u8, state: u8) -> bool {
    match state {
        FREE => before == FREE,
        READING | CLONE => before == FREE,
        VALID => matches!(before, FREE | READING),
        DETACHED => matches!(before, READING | VALID | CLONE),
        _ => false,
    }
}

fn state_of(word: u64) -> u8 {
    ((word & STATE) >> STATE_SHIFT) as u8
}

/// A buffer for a pool, with the index `index` and a block's worth of zeros.
pub(super) fn take(index: u32, block_bytes: usize) -> FrameRef {
    let spare = SPARE.lock().pop();
    let frame = spare.unwrap_or_else(|| Box::leak(Box::new(Arc::new(Frame::new()))));
    frame.index.store(index, Ordering::Relaxed);
    frame.word.store(0, Ordering::Relaxed);
    frame.class.store(0, Ordering::Relaxed);
    frame.writing.store(false, Ordering::Relaxed);
    frame.redo_writing.store(CLEAN, Ordering::Relaxed);
    frame.reset(0, 0);
    *frame.latch.write() = AlignedBuffer::zeroed(block_bytes);
    frame
}

/// Takes a buffer back whose pool has gone. A buffer that a session still has pinned is left to that session, and not
/// used again.
pub(super) fn give_up(frame: FrameRef) {
    if frame.is_pinned() {
        return;
    }
    *frame.latch.write() = AlignedBuffer::zeroed(0);
    *frame.batch.lock() = None;
    // Under a scheduler the buffer's locks belong to the run of the test that made them.
    if !cfg!(feature = "shuttle") {
        SPARE.lock().push(frame);
    }
}

impl Frame {
    fn new() -> Self {
        Self {
            word: AtomicU64::new(0),
            latch: RwLock::new(AlignedBuffer::zeroed(0)),
            touched_at: AtomicU32::new(0),
            touches: AtomicU16::new(0),
            class: AtomicU8::new(0),
            index: AtomicU32::new(0),
            writing: AtomicBool::new(false),
            redo_end: AtomicU64::new(0),
            redo_from: AtomicU64::new(CLEAN),
            redo_writing: AtomicU64::new(CLEAN),
            seen: [AtomicU64::new(0), AtomicU64::new(0)],
            batch: Mutex::new(None),
            read_object: AtomicU32::new(0),
        }
    }

    pub(super) fn set_read_object(&self, object: Option<ObjectNumber>) {
        self.read_object.store(object.map_or(0, |object| object.0), Ordering::Release);
    }

    /// The data object of the block as it was read.
    pub(super) fn read_object(&self) -> Option<ObjectNumber> {
        let object = self.read_object.load(Ordering::Acquire);
        (object != 0).then_some(ObjectNumber(object))
    }

    pub(super) fn index(&self) -> u32 {
        self.index.load(Ordering::Relaxed)
    }

    /// The class of the block in it.
    pub(super) fn block_class(&self) -> BlockClass {
        let class = self.class.load(Ordering::Relaxed);
        BlockClass::ALL.into_iter().find(|known| *known as u8 == class).unwrap_or(BlockClass::Data)
    }

    pub(super) fn address(&self) -> BlockAddress {
        BlockAddress::unpack(tag_of(self.word.load(Ordering::Acquire)))
    }

    pub(super) fn set_address(&self, address: BlockAddress) {
        let tag = u64::from(address.pack()) << TAG_SHIFT;
        let before = self.replace(|word| word & !(u64::MAX << TAG_SHIFT) | tag);
        debug_assert_eq!(state_of(before), FREE, "a buffer gets a block while no chain has it");
    }

    pub(super) fn state(&self) -> u8 {
        state_of(self.word.load(Ordering::SeqCst))
    }

    pub(super) fn set_state(&self, state: u8) {
        let before = self.replace(|word| word & !STATE | u64::from(state) << STATE_SHIFT);
        debug_assert!(
            follows(state_of(before), state),
            "{}: state {state} after {}",
            BlockAddress::unpack(tag_of(before)),
            state_of(before)
        );
    }

    /// Changes the word; what it was before.
    fn replace(&self, change: impl Fn(u64) -> u64) -> u64 {
        let mut word = self.word.load(Ordering::Relaxed);
        while let Err(now) = self.word.compare_exchange_weak(word, change(word), Ordering::SeqCst, Ordering::Relaxed) {
            word = now;
        }
        word
    }

    pub(super) fn pin(&self) {
        let before = self.word.fetch_add(1, Ordering::AcqRel);
        debug_assert!(before & PINS < PINS, "the pins run into the state");
    }

    /// Pins the buffer if it holds this block in its current form, or a read of it is on its way. For a session that
    /// has found it without the lock of its chain: the buffer may have been reused since.
    pub(super) fn try_pin(&self, tag: u32) -> bool {
        let word = self.word.fetch_add(1, Ordering::AcqRel);
        let holds = tag_of(word) == tag && matches!(state_of(word), VALID | READING);
        if !holds {
            self.unpin();
        }
        holds
    }

    pub(super) fn unpin(&self) {
        let before = self.word.fetch_sub(1, Ordering::AcqRel);
        debug_assert!(before & PINS > 0, "a pin is released once");
    }

    #[cfg(any(test, feature = "testing"))]
    pub(super) fn pins(&self) -> u64 {
        self.word.load(Ordering::Acquire) & PINS
    }

    pub(super) fn is_pinned(&self) -> bool {
        self.word.load(Ordering::Acquire) & PINS > 0
    }

    /// Makes an idle buffer of a block FREE and pins it; false when it is pinned, dirty, another block's or in another
    /// state.
    pub(super) fn try_free(&self, address: BlockAddress, state: u8) -> bool {
        let idle = u64::from(address.pack()) << TAG_SHIFT | u64::from(state) << STATE_SHIFT;
        let free = u64::from(address.pack()) << TAG_SHIFT | u64::from(FREE) << STATE_SHIFT | 1;
        self.word.compare_exchange(idle, free, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    pub(super) fn is_dirty(&self) -> bool {
        self.word.load(Ordering::Acquire) & DIRTY > 0
    }

    pub(super) fn set_dirty(&self, dirty: bool) {
        if dirty {
            let before = self.word.fetch_or(DIRTY, Ordering::SeqCst);
            debug_assert!(before & PINS > 0, "a buffer is changed that nobody has pinned");
            debug_assert!(
                !matches!(state_of(before), READING | CLONE),
                "a buffer in state {} is changed",
                state_of(before)
            );
        } else {
            self.word.fetch_and(!DIRTY, Ordering::SeqCst);
        }
    }

    /// Counts a touch, unless one was counted in the last seconds.
    pub(super) fn touch(&self, now_s: u32) {
        if now_s.wrapping_sub(self.touched_at.load(Ordering::Relaxed)) >= TOUCH_SECONDS {
            self.touched_at.store(now_s, Ordering::Relaxed);
            self.touches.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Resets the counts and the redo places, for another block.
    pub(super) fn reset(&self, touches: u16, now_s: u32) {
        self.touches.store(touches, Ordering::Relaxed);
        self.touched_at.store(now_s, Ordering::Relaxed);
        self.set_dirty(false);
        self.redo_end.store(0, Ordering::Release);
        self.redo_from.store(CLEAN, Ordering::Release);
    }

    /// First and last SCN at which a clone's block looked like this.
    pub(super) fn seen(&self) -> [Scn; 2] {
        self.seen.each_ref().map(|scn| Scn(scn.load(Ordering::Acquire)))
    }

    pub(super) fn set_seen(&self, seen: [Scn; 2]) {
        debug_assert!(seen[0] <= seen[1], "nobody sees a clone from {:?} to {:?}", seen[0], seen[1]);
        for (to, scn) in self.seen.iter().zip(seen) {
            to.store(scn.0, Ordering::Release);
        }
    }
}

/// The fields that a get writes lie in the first cache line.
#[cfg(not(feature = "shuttle"))]
const _: () = assert!(std::mem::offset_of!(Frame, touches) < 64 && std::mem::offset_of!(Frame, latch) == 8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_keeps_its_parts_apart() {
        let frame = take(7, 0);
        let address = BlockAddress::unpack(0x0040_1234);
        let tag = address.pack();
        frame.set_address(address);
        assert!(!frame.try_pin(tag) && !frame.is_pinned(), "nothing is in it");
        frame.set_state(VALID);
        frame.pin();
        frame.set_dirty(true);
        frame.unpin();
        assert_eq!(
            (frame.address(), frame.state(), frame.is_dirty(), frame.is_pinned()),
            (address, VALID, true, false)
        );
        assert!(!frame.try_pin(tag + 1) && !frame.is_pinned(), "it holds another block");
        assert!(!frame.try_free(address, VALID), "dirty");
        assert!(frame.try_pin(tag) && frame.is_pinned());
        frame.set_dirty(false);
        assert!(!frame.try_free(address, VALID), "pinned");
        frame.unpin();
        assert!(frame.try_free(address, VALID) && frame.is_pinned());
        frame.unpin();
        frame.set_state(CLONE);
        assert!(!frame.try_pin(tag), "a search for the current block does not take a clone");
        assert!(!frame.try_free(address, VALID) && frame.try_free(address, CLONE));
        assert_eq!((frame.state(), frame.is_pinned(), frame.address()), (FREE, true, address));
        assert!(!frame.try_pin(tag) && frame.is_pinned());
        frame.unpin();
        give_up(frame);
    }
}
