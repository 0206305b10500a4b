//! Writes around the buffers: of blocks that belong to no table yet, and of file headers.
//!
//! A load claims its blocks while it writes them. Buffers of them still in the cache show what the blocks were before,
//! for a scan of a table that is gone: sessions may read them, but not change them, and they are dropped without being
//! written.

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

/// Poll interval of a session that waits for the end of a claim; the instance may stop in between.
const LOOK: Duration = Duration::from_millis(100);

/// State of the writes around the buffers that are under way.
#[derive(Default, Debug)]
pub(super) struct Around {
    /// Start of the redo that blocks not yet on disk need, by number of its [`RedoKept`].
    kept: Mutex<BTreeMap<u64, Lsn>>,
    /// Blocks that loads under way have claimed.
    claims: Mutex<Vec<BlockRange>>,
    /// Number of claims, most of the time 0: a get looks at this alone then.
    claimed: AtomicUsize,
    released: Condvar,
}

/// Keeps redo from a place on until it is dropped. The load drops it when the blocks have been written to their file.
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

/// Blocks that a load is about to write past the cache. Until this is dropped no session changes a buffer of them: its
/// redo would follow the image in the log, and its buffer would be written over the load's block on disk. Readers may
/// still read what the blocks were.
#[derive(Debug)]
pub(crate) struct Claim {
    cache: Arc<Cache>,
    range: BlockRange,
}

impl Claim {
    /// Waits for a session that began to change the block's buffer before the claim. With `patience` false it returns
    /// false instead of waiting.
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
    /// The earliest place in the log that is still needed; None where no redo is kept.
    pub(super) fn needed_from(&self) -> Option<Lsn> {
        self.kept.lock().values().min().copied()
    }

    /// True: a load is about to write the block.
    pub(super) fn is_claimed(&self, address: BlockAddress) -> bool {
        self.claimed.load(Ordering::SeqCst) > 0 && self.claims.lock().iter().any(|range| range.contains(address))
    }
}

impl Cache {
    /// Keeps all redo from now on.
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
