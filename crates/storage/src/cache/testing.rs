//! Test access to buffers and pools, for tests outside of the crate.

use std::fmt;

use std::cell::Cell;

use common::sync::atomic::Ordering;
use common::{BlockAddress, Error, ErrorKind, Number, Result};
use waits::Meter;

use super::frame::FrameRef;
use super::pool::Pool;
use super::{Cache, mini, writer};

common::sync::thread_local! {
    /// Gets within mini-transactions that still succeed before one fails.
    static FAILS_AFTER: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Makes a get of a block fail that this thread makes within a mini-transaction, after `after` gets that do not; None:
/// no get fails. Returns the rest of the number set before: None when that get has failed.
pub fn fail_get_in_mini(after: Option<u64>) -> Option<u64> {
    FAILS_AFTER.replace(after)
}

common::sync::thread_local! {
    /// Blocks that this thread changes need not be sound.
    static SPOILS: Cell<bool> = const { Cell::new(false) };
}

/// Does `work`, which damages blocks: those whose latches it gives up are not checked.
pub fn spoil<R>(work: impl FnOnce() -> R) -> R {
    let before = SPOILS.replace(true);
    let result = work();
    SPOILS.set(before);
    result
}

pub(super) fn spoils() -> bool {
    SPOILS.try_with(Cell::get).unwrap_or_default()
}

/// # Errors
/// ORA-01115 when this get is the one to fail.
pub(super) fn check_get(address: BlockAddress) -> Result<()> {
    match FAILS_AFTER.get() {
        Some(0) if mini::is_open() => {
            FAILS_AFTER.set(None);
            Err(Error::new(ErrorKind::Io, Number::Ora(1115), format!("IO error reading block {address} (a test's)")))
        }
        Some(left) if mini::is_open() => {
            FAILS_AFTER.set(Some(left - 1));
            Ok(())
        }
        _ => Ok(()),
    }
}

/// A pinned buffer. Dropping it unpins the buffer.
pub struct PinnedBuffer<'a> {
    pool: &'a Pool,
    frame: FrameRef,
    address: BlockAddress,
}

impl fmt::Debug for PinnedBuffer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedBuffer({})", self.address)
    }
}

impl Drop for PinnedBuffer<'_> {
    fn drop(&mut self) {
        self.frame.unpin();
    }
}

impl PinnedBuffer<'_> {
    /// Number of pins on the buffer.
    #[must_use]
    pub fn pins(&self) -> u64 {
        self.frame.pins()
    }

    /// Latches the buffer in share mode for as long as the result lives.
    #[must_use]
    pub fn latch_shared(&self) -> impl Sized + use<'_> {
        self.frame.latch.read()
    }

    /// True: marks the buffer as being written. False: takes the mark away.
    pub fn set_writing(&self, writing: bool) {
        self.frame.writing.store(writing, Ordering::SeqCst);
    }

    /// Waits until no session and no writer is writing the buffer.
    pub fn wait_written(&self, meter: &Meter) {
        writer::wait_written(self.pool, meter, self.frame, self.address);
    }
}

impl Cache {
    /// Pins the buffer of a block that is in the cache.
    #[must_use]
    pub fn pin_for_test(&self, meter: &Meter, address: BlockAddress) -> Option<PinnedBuffer<'_>> {
        let pool = self.pool(address).ok()?;
        Some(PinnedBuffer { pool, frame: pool.find_valid(meter, address)?, address })
    }

    /// True: the block is in the cache.
    #[must_use]
    pub fn holds_for_test(&self, meter: &Meter, address: BlockAddress) -> bool {
        self.pool(address).is_ok_and(|pool| pool.holds(meter, address))
    }

    /// Number of current buffers of the block in its chain.
    #[must_use]
    pub fn buffers_for_test(&self, meter: &Meter, address: BlockAddress) -> usize {
        self.pool(address).map_or(0, |pool| pool.chains.bucket(address).lock(meter).count(address.pack()))
    }

    /// Locks the chain of a block and its pool's replacement list for as long as the result lives.
    #[must_use]
    pub fn lock_lists_for_test<'a>(&'a self, meter: &'a Meter, address: BlockAddress) -> Option<impl Sized + use<'a>> {
        let pool = self.pool(address).ok()?;
        Some((pool.chains.bucket(address).lock(meter), pool.replacement.lock()))
    }
}
