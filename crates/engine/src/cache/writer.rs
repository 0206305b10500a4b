//! Writing dirty buffers: coldest first in the background, all of them at a checkpoint.
//!
//! A buffer is pinned while its copy is written, so it is not evicted before the write has returned; the copy is taken under the share latch, so a
//! half-made change is never written. Neighbouring blocks go out in one write. A write that fails stops the instance: the block's contents would
//! otherwise be lost unseen.

use std::time::Duration;

use common::sync::atomic::Ordering;
use common::sync::{Arc, Condvar, Mutex};
use common::{Result, limits};
use device::AlignedBuffer;
use waits::{Event, Meter, Statistic};

use super::Cache;
use super::frame::{Frame, VALID};
use super::pool::Pool;

/// Share of the pool, in percent, that may be dirty before the writer starts on its own.
const DIRTY_PERCENT: usize = 25;
/// Share of the replacement list, in percent, that is cleaned in one round.
const ROUND_PERCENT: usize = 25;

/// Wakes the background writer before its time.
#[derive(Debug, Default)]
pub(crate) struct WriterWakes {
    posted: Mutex<bool>,
    signal: Condvar,
}

impl WriterWakes {
    pub(crate) fn post(&self) {
        *self.posted.lock() = true;
        self.signal.notify_all();
    }

    /// Waits until it is posted or `period` has passed.
    pub(crate) fn wait(&self, period: Duration) {
        let mut posted = self.posted.lock();
        if !*posted {
            self.signal.wait_for(&mut posted, period);
        }
        *posted = false;
    }
}

/// Writes every dirty buffer of a pool, in address order.
pub(super) fn write_all(cache: &Cache, pool: &Pool, meter: &Meter) -> Result<()> {
    let mut dirty: Vec<_> = pool.frames().into_iter().filter(|frame| frame.is_dirty()).collect();
    write(cache, pool, meter, &mut dirty, Latched::Wait)?;
    pool.announce_clean();
    Ok(())
}

/// One background round: when sessions starve or much of the pool is dirty, the cold part of the list is cleaned.
pub(super) fn write_cold(cache: &Cache, pool: &Pool, meter: &Meter) -> Result<()> {
    let frames = pool.frames();
    if frames.is_empty() {
        return Ok(());
    }
    let starved = pool.starved.load(Ordering::Acquire) > 0;
    let dirty = frames.iter().filter(|frame| frame.is_dirty()).count();
    if dirty == 0 || (!starved && dirty * 100 < pool.capacity() * DIRTY_PERCENT) {
        return Ok(());
    }
    let limit = (pool.capacity() * ROUND_PERCENT / 100).max(64);
    let mut cold = Vec::with_capacity(limit);
    {
        let list = pool.replacement.lock();
        let mut at = list.tail();
        while let Some(index) = at {
            let frame = &frames.get(index as usize);
            if let Some(frame) = frame
                && frame.is_dirty()
            {
                cold.push(Arc::clone(frame));
                if cold.len() >= limit {
                    break;
                }
            }
            at = list.warmer(index);
        }
    }
    write(cache, pool, meter, &mut cold, Latched::Skip)?;
    pool.announce_clean();
    Ok(())
}

/// What to do with a buffer that a session has latched for a change. A checkpoint waits for it. The background writer must not: the session may be
/// waiting for the writer to clean a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Latched {
    Wait,
    Skip,
}

fn write(cache: &Cache, pool: &Pool, meter: &Meter, frames: &mut [Arc<Frame>], latched: Latched) -> Result<()> {
    frames.sort_by_key(|frame| frame.address());
    let block_bytes = pool.block_size().bytes();
    let run_max = (limits::IO_BYTES_MAX / block_bytes).max(1);
    let mut scratch = AlignedBuffer::zeroed(run_max * block_bytes);
    let mut run: Vec<Arc<Frame>> = Vec::with_capacity(run_max);
    for frame in frames.iter() {
        let follows = run.last().is_some_and(|last| last.address().plus(1) == frame.address());
        if !run.is_empty() && (!follows || run.len() == run_max) {
            write_run(cache, pool, meter, &mut run, &scratch)?;
        }
        if copy(frame, &mut scratch[run.len() * block_bytes..][..block_bytes], latched) {
            run.push(frame.clone());
        } else if !run.is_empty() {
            write_run(cache, pool, meter, &mut run, &scratch)?;
        }
    }
    if !run.is_empty() {
        write_run(cache, pool, meter, &mut run, &scratch)?;
    }
    Ok(())
}

/// Copies a dirty buffer, sealed, and pins it; false when there is nothing to write any more.
fn copy(frame: &Arc<Frame>, to: &mut [u8], latched: Latched) -> bool {
    frame.pin();
    let bytes = match latched {
        Latched::Wait => Some(frame.latch.read()),
        Latched::Skip => frame.latch.try_read(),
    };
    let Some(bytes) = bytes else {
        frame.unpin();
        return false;
    };
    if frame.state() != VALID || !frame.is_dirty() {
        drop(bytes);
        frame.unpin();
        return false;
    }
    to.copy_from_slice(&bytes);
    // Nobody changes the block while the latch is held; a later change makes it dirty again.
    frame.dirty.store(false, Ordering::Release);
    drop(bytes);
    format::block::seal(to);
    true
}

fn write_run(cache: &Cache, pool: &Pool, meter: &Meter, run: &mut Vec<Arc<Frame>>, scratch: &[u8]) -> Result<()> {
    let start = run[0].address();
    let bytes = run.len() * pool.block_size().bytes();
    let result = cache.file(start.file).and_then(|file| {
        meter.wait(Event::DbFileParallelWrite, [1, 0, u64::from(u32::MAX)], -1, || {
            file.write_blocks(start, &scratch[..bytes])
        })
    });
    if let Err(error) = result {
        for frame in run.iter() {
            frame.dirty.store(true, Ordering::Release);
            frame.unpin();
        }
        return Err(cache.health().stop(&error));
    }
    pool.physical_writes.fetch_add(run.len() as u64, Ordering::Relaxed);
    meter.count(Statistic::PhysicalWrites, run.len() as u64);
    meter.count(Statistic::PhysicalWritesFromCache, run.len() as u64);
    meter.count(Statistic::PhysicalWriteIoRequests, 1);
    meter.count(Statistic::PhysicalWriteBytes, bytes as u64);
    for frame in run.drain(..) {
        frame.unpin();
    }
    Ok(())
}
