//! Reads into the cache: one block or a run of blocks, submitted first and completed by the first session that needs a
//! block of it.
//!
//! While a read is on its way its frames are in the hash chains with state READING and no latch held. A session that
//! wants one of them completes the whole batch. So a read-ahead outlives its session: any waiter may complete it.

use std::fmt;

use common::sync::atomic::{AtomicU32, Ordering};
use common::sync::{Arc, Mutex, MutexGuard};
use common::{BlockAddress, BlockClass, Error, Result};
use device::{AlignedBuffer, PendingRead};
use waits::{Event, Meter, SegmentStatistic};

use super::frame::{DETACHED, FrameRef, VALID};
use super::pool::{Patience, Pool};
use super::{Cache, counts, structure};
use crate::datafile::Datafile;

/// One read call.
pub(super) struct ReadBatch {
    start: BlockAddress,
    blocks: AtomicU32,
    stage: Mutex<Stage>,
}

pub(super) enum Stage {
    /// The session that starts the read is collecting the frames.
    Collecting,
    Flying {
        read: std::io::Result<PendingRead>,
        frames: Vec<FrameRef>,
        file: Arc<Datafile>,
    },
    /// Done: the blocks that could not be read, each with its error.
    Done(Vec<(BlockAddress, Error)>),
}

impl fmt::Debug for ReadBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReadBatch({})", self.start)
    }
}

impl ReadBatch {
    pub(super) fn new(start: BlockAddress) -> Arc<Self> {
        Arc::new(Self { start, blocks: AtomicU32::new(0), stage: Mutex::new(Stage::Collecting) })
    }

    pub(super) fn begin(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock()
    }

    /// Hands the frames' memory to the device. A submission that fails is kept as the read's error. `patience`: a
    /// session that is going to wait for a single block reads it in its own thread.
    pub(super) fn submit(&self, stage: &mut Stage, file: &Arc<Datafile>, frames: Vec<FrameRef>, patience: Patience) {
        let buffers =
            frames.iter().map(|frame| std::mem::replace(&mut *frame.latch.write(), AlignedBuffer::zeroed(0))).collect();
        let alone = patience == Patience::Wait && frames.len() == 1;
        debug_assert!(
            !frames.is_empty() && matches!(stage, Stage::Collecting),
            "{self:?} is submitted once, with buffers"
        );
        self.blocks.store(frames.len() as u32, Ordering::Release);
        let block = self.start.block;
        let read = if alone { Ok(file.read_by_waiter(block, buffers)) } else { file.submit_read(block, buffers) };
        *stage = Stage::Flying { read, frames, file: file.clone() };
    }

    /// Number of blocks that this call reads.
    pub(super) fn blocks(&self) -> u32 {
        self.blocks.load(Ordering::Acquire)
    }

    /// Waits until the blocks are in their frames, and counts the wait. For the session that completes the read it is a
    /// read; for any other session it is a wait for that session, by the block that it wants. True when another session
    /// was reading.
    pub(super) fn complete(
        &self,
        cache: &Cache,
        pool: &Pool,
        meter: &Meter,
        wanted: Option<(BlockAddress, BlockClass)>,
    ) -> bool {
        let (mut stage, by_other) = match self.stage.try_lock() {
            Some(stage) => (stage, false),
            None => {
                let (address, class) = wanted.unwrap_or((self.start, BlockClass::Data));
                let at = counts::place(address, class, &[0]);
                let (stage, micros) = meter.timed_wait(Event::ReadByOtherSession, at, -1, || self.stage.lock());
                cache.count_buffer_wait(meter, address, class, micros);
                (stage, true)
            }
        };
        self.finish(&mut stage, pool, meter);
        by_other
    }

    /// As [`ReadBatch::complete`], but false at once when another session is completing it, or it is complete.
    pub(super) fn try_complete(&self, pool: &Pool, meter: &Meter) -> bool {
        match self.stage.try_lock() {
            Some(mut stage) => self.finish(&mut stage, pool, meter),
            None => false,
        }
    }

    /// Waits for the read unless a session has done so before. A failed read fails for every session that asks.
    fn finish(&self, stage: &mut Stage, pool: &Pool, meter: &Meter) -> bool {
        if !matches!(stage, Stage::Flying { .. }) {
            return false;
        }
        let Stage::Flying { read, frames, file } = std::mem::replace(stage, Stage::Collecting) else {
            return false;
        };
        let count = frames.len() as u64;
        let (event, at) = file.read_event(self.start.block, count);
        let wait = || read.and_then(PendingRead::wait);
        let (result, micros) = meter.described_wait(event, at, -1, wait, |result| {
            (at, result.as_ref().ok().and_then(|buffers| buffers.first()).map_or(-1, |block| counts::object_of(block)))
        });
        file.count_read_time(count, micros);
        let mut failures = Vec::new();
        match result {
            Ok(buffers) => {
                if let Some(block) = buffers.first() {
                    counts::segment(meter, block, SegmentStatistic::PhysicalReadRequests, 1);
                }
                for (frame, mut buffer) in frames.iter().zip(buffers) {
                    let address = frame.address();
                    counts::segment(meter, &buffer, SegmentStatistic::PhysicalReads, 1);
                    let check = |bytes: &[u8]| structure::check_read(bytes, address);
                    let checked = check(&buffer).or_else(|error| {
                        // A mirrored file may have it whole in another copy.
                        if file.repair(address, &mut buffer, check) { Ok(()) } else { Err(error) }
                    });
                    if checked.is_ok() {
                        file.look_behind_zeros(address, &mut buffer, check);
                    }
                    frame.set_read_object(format::object::data_object(&buffer));
                    *frame.latch.write() = buffer;
                    match checked {
                        Ok(()) => frame.set_state(VALID),
                        Err(error) => {
                            Self::fail(pool, meter, frame);
                            failures.push((address, error));
                        }
                    }
                }
            }
            Err(error) => {
                for frame in &frames {
                    *frame.latch.write() = AlignedBuffer::zeroed(pool.block_size().bytes());
                    Self::fail(pool, meter, frame);
                    failures.push((frame.address(), file.read_error(frame.address(), &error)));
                }
            }
        }
        for frame in &frames {
            debug_assert!(
                frame.state() != super::frame::READING,
                "a read has ended, and {} waits for it",
                frame.address()
            );
            *frame.batch.lock() = None;
            frame.unpin();
        }
        *stage = Stage::Done(failures);
        true
    }

    fn fail(pool: &Pool, meter: &Meter, frame: FrameRef) {
        pool.unpublish(meter, frame);
        frame.set_state(DETACHED);
    }

    /// # Errors
    /// The error of the read of this block, if it failed.
    pub(super) fn failure(&self, address: BlockAddress) -> Result<()> {
        match &*self.stage.lock() {
            Stage::Done(failures) => match failures.iter().find(|(failed, _)| *failed == address) {
                Some((_, error)) => Err(error.clone()),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }
}
