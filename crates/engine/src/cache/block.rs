//! Pinned and latched blocks, as the rest of the engine holds them.

use std::fmt;
use std::ops::Deref;

use common::sync::atomic::Ordering;
use common::sync::{Arc, ArcRwLockReadGuard, ArcRwLockWriteGuard, RawRwLock, RwLock};
use common::{BlockAddress, BlockClass, Scn};
use device::AlignedBuffer;
use waits::{Event, Meter, Statistic};

use super::frame::Frame;
#[cfg(debug_assertions)]
use super::order;

/// A pin; gone when dropped.
struct Pin(Arc<Frame>);

impl Drop for Pin {
    fn drop(&mut self) {
        self.0.unpin();
    }
}

/// Waits for a latch that is not had at once, and counts the wait by file, block and class.
fn busy_wait<G: Deref<Target = AlignedBuffer>>(
    meter: &Meter,
    address: BlockAddress,
    class: BlockClass,
    take: impl FnOnce() -> G,
) -> G {
    let start = meter.clock().monotonic_us();
    let guard = take();
    let waited = meter.clock().monotonic_us() - start;
    let number = class.number(format::undo::segment_of(&guard).unwrap_or(1));
    meter.waited(
        Event::BufferBusyWaits,
        [u64::from(address.file.0), u64::from(address.block), u64::from(number)],
        -1,
        waited,
    );
    meter.buffer_wait(class, waited);
    guard
}

/// A block latched in share mode. The latch and the pin go when it is dropped.
pub struct Block {
    guard: ArcRwLockReadGuard<RawRwLock, AlignedBuffer>,
    address: BlockAddress,
    #[cfg(debug_assertions)]
    _held: order::Held,
    _pin: Pin,
}

impl Block {
    /// Latches a frame that the caller has pinned.
    pub(super) fn latch(meter: &Meter, frame: Arc<Frame>, address: BlockAddress, class: BlockClass) -> Self {
        #[cfg(debug_assertions)]
        order::check(address, false);
        let guard = RwLock::try_read_arc(&frame.latch)
            .unwrap_or_else(|| busy_wait(meter, address, class, || RwLock::read_arc(&frame.latch)));
        Self {
            guard,
            address,
            #[cfg(debug_assertions)]
            _held: order::hold(address, false),
            _pin: Pin(frame),
        }
    }

    #[must_use]
    pub fn address(&self) -> BlockAddress {
        self.address
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.guard
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Block({})", self.address)
    }
}

/// A block latched exclusively. The latch and the pin go when it is dropped.
pub struct BlockMut {
    guard: ArcRwLockWriteGuard<RawRwLock, AlignedBuffer>,
    address: BlockAddress,
    /// Free bytes when the space manager last looked: what its state on list or bitmap was derived from.
    pub(crate) free_before: Option<usize>,
    #[cfg(debug_assertions)]
    _held: order::Held,
    pin: Pin,
}

impl BlockMut {
    pub(super) fn latch(meter: &Meter, frame: Arc<Frame>, address: BlockAddress, class: BlockClass) -> Self {
        #[cfg(debug_assertions)]
        order::check(address, true);
        let guard = RwLock::try_write_arc(&frame.latch)
            .unwrap_or_else(|| busy_wait(meter, address, class, || RwLock::write_arc(&frame.latch)));
        Self {
            guard,
            address,
            free_before: None,
            #[cfg(debug_assertions)]
            _held: order::hold(address, true),
            pin: Pin(frame),
        }
    }

    pub(super) fn try_latch(frame: Arc<Frame>, address: BlockAddress) -> Option<Self> {
        let pin = Pin(frame);
        let guard = RwLock::try_write_arc(&pin.0.latch)?;
        Some(Self {
            guard,
            address,
            free_before: None,
            #[cfg(debug_assertions)]
            _held: order::hold(address, true),
            pin,
        })
    }

    #[must_use]
    pub fn address(&self) -> BlockAddress {
        self.address
    }

    /// Changes the block: the one way to do so. The buffer becomes dirty and the change is counted; redo will be made here.
    pub fn change<R>(&mut self, meter: &Meter, scn: Scn, change: impl FnOnce(&mut [u8]) -> R) -> R {
        self.pin.0.dirty.store(true, Ordering::Release);
        let result = change(&mut self.guard);
        format::block::touch(&mut self.guard, scn);
        meter.count(Statistic::DbBlockChanges, 1);
        result
    }

    /// Zeroes a block that is about to be formatted.
    pub(super) fn clear(&mut self) {
        self.guard.fill(0);
    }
}

impl Deref for BlockMut {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.guard
    }
}

impl fmt::Debug for BlockMut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlockMut({})", self.address)
    }
}
