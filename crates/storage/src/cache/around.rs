//! Writes around the buffers: of blocks that are nobody's yet, and of file headers.
//!
//! A load claims its blocks while it writes them. What the cache still has of them is what they were before, for a scan
//! of a table that is gone: it may be read, but not changed, and is dropped without being written.

use std::collections::BTreeMap;
use std::time::Duration;

use common::sync::atomic::{AtomicUsize, Ordering};
use common::sync::{Arc, Condvar, Mutex};
use common::{BlockAddress, BlockClass, BlockRange, Result};
use waits::{Event, Meter};

use super::pool::Dirty;
use super::{Cache, counts};
use crate::datafile::Datafile;
use crate::redo::Lsn;

/// A session that waits for the end of a claim looks this often whether the instance goes on.
const LOOK: Duration = Duration::from_millis(100);

/// What writes around the buffers have under way.
#[derive(Default, Debug)]
pub(super) struct Around {
    /// From where in the log redo of blocks is needed that are not on disk yet, by number.
    kept: Mutex<BTreeMap<u64, Lsn>>,
    /// Blocks of loads under way.
    claims: Mutex<Vec<BlockRange>>,
    /// How many claims there are: most of the time none.
    claimed: AtomicUsize,
    released: Condvar,
}

/// Redo from a place on stays needed until this is dropped, which is when the blocks have been written to their file.
#[derive(Debug)]
pub(crate) struct RedoKept {
    cache: Arc<Cache>,
    number: u64,
}

impl RedoKept {
    /// Keeps redo from an earlier place on as well.
    pub(super) fn lower(&self, from: Lsn) {
        if let Some(kept) = self.cache.around.kept.lock().get_mut(&self.number) {
            *kept = from.min(*kept);
        }
    }
}

impl Drop for RedoKept {
    fn drop(&mut self) {
        self.cache.around.kept.lock().remove(&self.number);
    }
}

/// Blocks that a load is about to write past the cache. Until this is dropped nobody changes a buffer of them: its redo
/// would follow the image in the log, and the buffer the load's write on disk. Readers may still read what the blocks
/// were.
#[derive(Debug)]
pub(crate) struct Claim {
    cache: Arc<Cache>,
    range: BlockRange,
}

impl Claim {
    /// Waits for a session that began to change the block's buffer before the claim; with `patience` false, says false
    /// instead.
    ///
    /// # Errors
    /// When the block's file is gone.
    pub(crate) fn settle(&self, meter: &Meter, address: BlockAddress, patience: bool) -> Result<bool> {
        Ok(self.cache.pool(address)?.is_unchanging(meter, address, patience))
    }

    /// Drops the block's buffer without writing it. Redo that it needed is `kept` until the block's new content is on
    /// disk.
    ///
    /// # Errors
    /// When the block's file is gone.
    pub(crate) fn drop_buffer(&self, meter: &Meter, address: BlockAddress, kept: &RedoKept) -> Result<()> {
        self.cache.pool(address)?.discard(&self.cache, meter, address, Dirty::Keep(kept))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let around = &self.cache.around;
        let mut claims = around.claims.lock();
        if let Some(at) = claims.iter().position(|range| *range == self.range) {
            claims.swap_remove(at);
            around.claimed.fetch_sub(1, Ordering::SeqCst);
        }
        around.released.notify_all();
    }
}

impl Around {
    /// The least place that is needed.
    pub(super) fn needed_from(&self) -> Option<Lsn> {
        self.kept.lock().values().min().copied()
    }

    /// Whether a load is about to write the block.
    pub(super) fn is_claimed(&self, address: BlockAddress) -> bool {
        self.claimed.load(Ordering::SeqCst) > 0 && self.claims.lock().iter().any(|range| range.contains(address))
    }
}

impl Cache {
    /// Keeps the redo that will be made from now on.
    ///
    /// # Errors
    /// Before the instance has opened its log.
    pub(crate) fn keep_redo(self: &Arc<Self>) -> Result<RedoKept> {
        let mut kept = self.around.kept.lock();
        let from = self.redo()?.end();
        let number = kept.last_key_value().map_or(0, |(last, _)| last + 1);
        kept.insert(number, from);
        drop(kept);
        Ok(RedoKept { cache: self.clone(), number })
    }

    /// Claims blocks for a load that is going to write them past the cache.
    pub(crate) fn claim(self: &Arc<Self>, range: BlockRange) -> Claim {
        let mut claims = self.around.claims.lock();
        claims.push(range);
        // Before any buffer is looked at: a session that latches one later sees the claim.
        self.around.claimed.fetch_add(1, Ordering::SeqCst);
        drop(claims);
        Claim { cache: self.clone(), range }
    }

    /// Waits until no load is about to write the block. The caller has nothing latched.
    pub(super) fn wait_unclaimed(&self, meter: &Meter, address: BlockAddress, class: BlockClass) -> Result<()> {
        let at = counts::place(address, class, &[0]);
        meter.wait(Event::BufferBusyWaits, at, -1, || {
            let mut claims = self.around.claims.lock();
            while claims.iter().any(|range| range.contains(address)) {
                self.health.check()?;
                self.around.released.wait_for(&mut claims, LOOK);
            }
            Ok(())
        })
    }

    /// Writes a sealed block that has no redo, durably; a crash leaves it as it was or as it shall be.
    ///
    /// # Errors
    /// ORA-01114.
    pub fn write_whole(&self, meter: &Meter, file: &Datafile, address: BlockAddress, block: &[u8]) -> Result<()> {
        let area = self.double_write().map(|area| area.write(&[address], block)).transpose()?;
        let at = [u64::from(address.file.0), u64::from(address.block), 1];
        let (written, micros) =
            meter.timed_wait(Event::DbFileSingleWrite, at, -1, || file.write_blocks(address, block));
        written?;
        file.count_write_time(micros);
        file.sync_if_written(meter)?;
        drop(area);
        Ok(())
    }
}
