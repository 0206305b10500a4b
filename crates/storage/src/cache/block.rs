//! Pinned and latched blocks, as the rest of the engine holds them.

use std::cell::Cell;
use std::fmt;
use std::ops::{Deref, Range};
use std::time::Duration;

use common::sync::atomic::Ordering;
use common::sync::{Arc, RwLockReadGuard, RwLockWriteGuard};
use common::{BlockAddress, BlockClass, Result};
use device::AlignedBuffer;
use format::redo::{Reach, Vector, Version};
use waits::{Event, Meter, SegmentStatistic, Statistic};

use super::frame::{CLEAN, DETACHED, FrameRef};
use super::mini::Before;
use super::{Cache, counts, mini};
#[cfg(debug_assertions)]
use super::{checking, order};
#[cfg(debug_assertions)]
use crate::invariants::hold;
use crate::redo::{Lsn, RedoLog};

/// A pin of a frame, released on drop.
struct Pin(FrameRef);

impl Drop for Pin {
    fn drop(&mut self) {
        self.0.unpin();
    }
}

/// Waits for a latch that another session holds, and counts the wait by class, file and segment. `take` may give up:
/// that is a time-out of the wait.
#[cold]
fn busy_wait<G: Deref<Target = AlignedBuffer>>(
    cache: &Cache,
    meter: &Meter,
    address: BlockAddress,
    class: BlockClass,
    take: impl FnOnce() -> Option<G>,
) -> Option<G> {
    let unknown = counts::place(address, class, &[0]);
    let (guard, micros) =
        meter.described_wait(Event::BufferBusyWaits, unknown, -1, take, |guard| match content(guard) {
            Some(block) => (counts::place(address, class, block), counts::object_of(block)),
            None => (unknown, -1),
        });
    cache.count_buffer_wait(meter, address, class, micros);
    if let Some(block) = content(&guard) {
        counts::segment(meter, block, SegmentStatistic::BufferBusyWaits, 1);
    }
    if guard.is_none() {
        meter.timed_out(Event::BufferBusyWaits);
    }
    guard
}

/// The bytes of a latched buffer. None without the latch, and where the buffer has another block by now whose read has
/// taken the memory: the database writer comes to a buffer for the block that it had.
fn content<G: Deref<Target = AlignedBuffer>>(guard: &Option<G>) -> Option<&[u8]> {
    guard.as_ref().map(|guard| &***guard).filter(|bytes| !bytes.is_empty())
}

/// Latches in share mode a frame that the caller has pinned. A wait for the latch counts as a wait for the buffer.
pub(super) fn share(
    cache: &Cache,
    meter: &Meter,
    frame: FrameRef,
    address: BlockAddress,
    class: BlockClass,
) -> RwLockReadGuard<'static, AlignedBuffer> {
    match frame.latch.try_read() {
        Some(guard) => guard,
        None => {
            busy_wait(cache, meter, address, class, || Some(frame.latch.read())).unwrap_or_else(|| frame.latch.read())
        }
    }
}

/// A block latched in share mode. Dropping it releases the latch and the pin.
pub struct Block {
    held: Shared,
    address: BlockAddress,
}

enum Shared {
    Latched {
        guard: RwLockReadGuard<'static, AlignedBuffer>,
        #[cfg(debug_assertions)]
        _held: order::Held,
        _pin: Pin,
    },
    /// A block that this session has changed in the open mini-transaction and now reads.
    Own(BlockMut),
    /// The block as it was, in a buffer of its own. No session latches a clone for a change, so the order of latches
    /// does not apply to it.
    Clone { guard: RwLockReadGuard<'static, AlignedBuffer>, _pin: Pin },
    /// A private copy, as the block was.
    Copy(Vec<u8>),
    /// Part of a run that was read past the buffers.
    Private { run: Arc<AlignedBuffer>, place: Range<usize> },
}

impl Block {
    /// Latches a frame that the caller has pinned.
    pub(super) fn latch(
        cache: &Cache,
        meter: &Meter,
        frame: FrameRef,
        address: BlockAddress,
        class: BlockClass,
    ) -> Self {
        #[cfg(debug_assertions)]
        order::check(address, false);
        let guard = share(cache, meter, frame, address, class);
        counts::segment(meter, &guard, SegmentStatistic::LogicalReads, 1);
        let held = Shared::Latched {
            guard,
            #[cfg(debug_assertions)]
            _held: order::hold(address, false),
            _pin: Pin(frame),
        };
        Self { held, address }
    }

    /// A clone, pinned by the caller, as a block.
    pub(super) fn clone_in(frame: FrameRef, address: BlockAddress) -> Self {
        Self { held: Shared::Clone { guard: frame.latch.read(), _pin: Pin(frame) }, address }
    }

    /// A block that this thread has latched exclusively, and reads.
    pub(crate) fn own(block: BlockMut) -> Self {
        Self { address: block.address(), held: Shared::Own(block) }
    }

    /// A version of a block that is in no buffer.
    pub(crate) fn copy(address: BlockAddress, bytes: Vec<u8>) -> Self {
        Self { held: Shared::Copy(bytes), address }
    }

    /// A block that was read past the buffers.
    pub(super) fn private(address: BlockAddress, run: Arc<AlignedBuffer>, place: Range<usize>) -> Self {
        Self { held: Shared::Private { run, place }, address }
    }

    /// A block that others have read past the buffers.
    pub(crate) fn past(address: BlockAddress, bytes: &Arc<AlignedBuffer>) -> Self {
        Self::private(address, Arc::clone(bytes), 0..bytes.len())
    }

    /// True: the block was read past the buffers. Versions made of it are the reader's alone.
    pub(crate) fn is_private(&self) -> bool {
        matches!(self.held, Shared::Private { .. })
    }

    #[must_use]
    pub fn address(&self) -> BlockAddress {
        self.address
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.held {
            Shared::Latched { guard, .. } | Shared::Clone { guard, .. } => guard,
            Shared::Own(block) => block,
            Shared::Copy(bytes) => bytes,
            Shared::Private { run, place } => &run[place.clone()],
        }
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Block({})", self.address)
    }
}

/// A block latched exclusively. Dropping it releases the latch and the pin; within a [mini-transaction](super::Mini)
/// its end does.
pub struct BlockMut {
    /// None only during the drop.
    held: Option<Latched>,
    address: BlockAddress,
    /// Free bytes when the space manager last looked: its state on list or bitmap was derived from them.
    pub(crate) free_before: Option<usize>,
    /// The log knows nothing of the block: the next change is one of a block of zeros.
    fresh: bool,
    /// Number of the record with its last change, until that record has been written.
    unpublished: Option<u64>,
    /// It was changed under this latch.
    #[cfg(debug_assertions)]
    changed: bool,
}

common::sync::thread_local! {
    /// Blocks that this thread has latched exclusively.
    static LATCHED: Cell<u32> = const { Cell::new(0) };
}

#[cfg(debug_assertions)]
common::sync::thread_local! {
    /// Changed blocks whose latches this thread has given up.
    static RELEASED: Cell<u32> = const { Cell::new(0) };
}

/// Debug builds check one in so many changed blocks as a whole.
#[cfg(debug_assertions)]
const CHECKED: u32 = 16;

/// True: this thread has a block latched exclusively.
pub(crate) fn latches_any() -> bool {
    LATCHED.get() > 0
}

/// Counts one block in [`LATCHED`], until it is dropped.
struct Counted;

impl Counted {
    fn new() -> Self {
        LATCHED.set(LATCHED.get() + 1);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let _ = LATCHED.try_with(|latched| latched.set(latched.get() - 1));
    }
}

struct Latched {
    guard: RwLockWriteGuard<'static, AlignedBuffer>,
    _counted: Counted,
    #[cfg(debug_assertions)]
    _held: order::Held,
    pin: Pin,
}

impl BlockMut {
    pub(super) fn latch(
        cache: &Cache,
        meter: &Meter,
        frame: FrameRef,
        address: BlockAddress,
        class: BlockClass,
    ) -> Self {
        #[cfg(debug_assertions)]
        order::check(address, true);
        let guard = match frame.latch.try_write() {
            Some(guard) => guard,
            None => busy_wait(cache, meter, address, class, || Some(frame.latch.write()))
                .unwrap_or_else(|| frame.latch.write()),
        };
        Self::new(guard, address, Pin(frame))
    }

    pub(super) fn try_latch(frame: FrameRef, address: BlockAddress) -> Option<Self> {
        let pin = Pin(frame);
        let guard = pin.0.latch.try_write()?;
        Some(Self::new(guard, address, pin))
    }

    /// As [`BlockMut::latch`], but gives up after `most`: for a session that holds other blocks against the order of
    /// latches.
    pub(super) fn latch_within(
        cache: &Cache,
        meter: &Meter,
        frame: FrameRef,
        address: BlockAddress,
        class: BlockClass,
        most: Duration,
    ) -> Option<Self> {
        let pin = Pin(frame);
        let guard = match pin.0.latch.try_write() {
            Some(guard) => guard,
            None => busy_wait(cache, meter, address, class, || pin.0.latch.try_write_for(most))?,
        };
        Some(Self::new(guard, address, pin))
    }

    fn new(guard: RwLockWriteGuard<'static, AlignedBuffer>, address: BlockAddress, pin: Pin) -> Self {
        let held = Latched {
            guard,
            _counted: Counted::new(),
            #[cfg(debug_assertions)]
            _held: order::hold(address, true),
            pin,
        };
        Self {
            held: Some(held),
            address,
            free_before: None,
            fresh: false,
            unpublished: None,
            #[cfg(debug_assertions)]
            changed: false,
        }
    }

    #[must_use]
    pub fn address(&self) -> BlockAddress {
        self.address
    }

    /// True: the buffer was taken from the block before this session latched it, so a change would be lost.
    pub(super) fn is_detached(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.pin.0.state() == DETACHED)
    }

    /// Changes the block; there is no other way. The buffer becomes dirty, the change is counted, and its redo goes
    /// into the record of this thread. `after` gives the block's new version; `reach` is what the change may write, if
    /// that is known. Outside a mini-transaction the record is written at once.
    pub(crate) fn change<R>(
        &mut self,
        log: &RedoLog,
        meter: &Meter,
        reach: Option<&Reach>,
        after: impl FnOnce(Version) -> Version,
        change: impl FnOnce(&mut [u8]) -> R,
    ) -> R {
        // The reach was computed from the block before these bytes were put back.
        let reach = if self.put_back_pending() { None } else { reach };
        let Some(held) = &mut self.held else { unreachable!("a block is latched until it is dropped") };
        let frame = held.pin.0;
        // No redo of this change can lie before the present end of the log.
        let _ = frame.redo_from.compare_exchange(CLEAN, log.end().0, Ordering::AcqRel, Ordering::Relaxed);
        frame.set_dirty(true);
        #[cfg(debug_assertions)]
        {
            self.changed = true;
        }
        let fresh = std::mem::take(&mut self.fresh).then(Version::default);
        let (result, record) = mini::record(frame, &mut held.guard, self.address, fresh, reach, after, change);
        meter.count(Statistic::DbBlockChanges, 1);
        counts::segment(meter, &held.guard, SegmentStatistic::DbBlockChanges, 1);
        if fresh.is_some() {
            // A get of a new block could not be counted for a segment: the block belonged to none yet.
            counts::segment(meter, &held.guard, SegmentStatistic::LogicalReads, 1);
        }
        if mini::is_open() {
            self.unpublished = Some(record);
        } else {
            mini::publish(log, meter);
        }
        result
    }

    /// Applies redo to a block that recovery has found to need it. The redo from `from` on is needed until the block is
    /// written.
    pub fn recover(&mut self, vector: &Vector<'_>, from: Lsn) -> Result<()> {
        let Some(held) = &mut self.held else { unreachable!("a block is latched until it is dropped") };
        held.pin.0.redo_from.fetch_min(from.0, Ordering::AcqRel);
        held.pin.0.set_dirty(true);
        vector.apply(&mut held.guard)
    }

    /// Its record has been written: the mini-transaction no longer keeps it latched.
    pub(super) fn published(&mut self) {
        self.unpublished = None;
    }

    /// Takes back a change that is in no record. The log has as much of the block as before the change, so the old
    /// version is right again.
    pub(super) fn put_back(&mut self, before: &Before) {
        if let Some(held) = &mut self.held {
            before.put_into(&mut held.guard);
        }
    }

    /// As [`BlockMut::put_back`], for changes that were taken back while the block was in use. True when there were
    /// any.
    fn put_back_pending(&mut self) -> bool {
        let pending = mini::take_pending(self.address);
        pending.iter().for_each(|before| self.put_back(before));
        !pending.is_empty()
    }

    /// The buffer.
    pub(super) fn frame(&self) -> Option<FrameRef> {
        self.held.as_ref().map(|held| held.pin.0)
    }

    /// Zeroes a block that is about to be formatted.
    pub(super) fn clear(&mut self) {
        if let Some(held) = &mut self.held {
            held.guard.fill(0);
        }
        self.fresh = true;
        // Within a mini-transaction it stays latched: only the mini-transaction's end decides its contents.
        self.unpublished = mini::record_number();
    }
}

/// Whether the thread's test damages blocks.
#[cfg(debug_assertions)]
fn is_spoilt() -> bool {
    #[cfg(any(test, feature = "testing"))]
    return super::testing::spoils();
    #[cfg(not(any(test, feature = "testing")))]
    false
}

#[cfg(debug_assertions)]
impl BlockMut {
    /// A block that was changed is sound when its latch is given up. Checks that go through a whole block are made of
    /// one block in so many.
    fn check_released(&self) {
        if !self.changed || std::thread::panicking() || is_spoilt() {
            return;
        }
        if let Some(held) = &self.held {
            let whole = RELEASED.try_with(|released| released.replace(released.get().wrapping_add(1)));
            let whole = whole.is_ok_and(|released| released.is_multiple_of(CHECKED));
            hold(|| checking::check_released(&held.guard, self.address, whole));
        }
    }
}

impl Drop for BlockMut {
    fn drop(&mut self) {
        if self.unpublished.is_some() {
            self.put_back_pending();
        }
        #[cfg(debug_assertions)]
        if self.unpublished.is_none() {
            self.check_released();
        }
        let (Some(record), Some(held)) = (self.unpublished.take(), self.held.take()) else { return };
        let block = Self {
            held: Some(held),
            address: self.address,
            free_before: self.free_before,
            fresh: self.fresh,
            unpublished: Some(record),
            #[cfg(debug_assertions)]
            changed: self.changed,
        };
        if let Some(mut block) = mini::hold(block, record) {
            block.published();
        }
    }
}

impl Deref for BlockMut {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.held.as_ref().map_or(&[], |held| &held.guard)
    }
}

impl fmt::Debug for BlockMut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlockMut({})", self.address)
    }
}
