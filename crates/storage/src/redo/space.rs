//! Waiting for room: in the buffer, in the current log file, for the next one.

use std::time::Duration;

use common::sync::atomic::Ordering;
use common::{Error, Result};
use waits::{Event, Meter, Statistic};

use super::buffer::Full;
use super::group::Lsn;
use super::log::RedoLog;

/// Interval at which a waiting session checks whether the instance has stopped.
const LOOK: Duration = Duration::from_millis(100);
/// The part of a log file (one in so many) that is kept for sessions that hold latches.
const KEPT: u64 = 16;
/// Without threads: turns of work without any effect after which nothing will come of it.
const TURNS_MAX: u32 = 100;

/// Why a record could not be appended.
#[derive(Clone, Copy, Debug)]
pub struct NoRoom {
    pub(super) full: Full,
    /// What had changed by then.
    pub(super) seen: u64,
    /// The sequence that was current.
    pub(super) sequence: u32,
}

/// Room that is kept for a long record, until this is dropped.
#[must_use]
#[derive(Debug)]
pub struct Reserved<'a> {
    log: &'a RedoLog,
    blocks: u64,
}

impl Reserved<'_> {
    /// Whether it is enough for a record of so many bytes.
    pub fn holds(&self, bytes: u64) -> bool {
        super::layout::Write::blocks_of(bytes) <= self.blocks
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let before = self.log.core.reserved_blocks.fetch_sub(self.blocks, Ordering::SeqCst);
        debug_assert!(before >= self.blocks, "{} of {before} announced blocks are let go", self.blocks);
    }
}

impl NoRoom {
    /// Whether room comes without a checkpoint: what is in the buffer has been promised room in the current file.
    pub(crate) fn is_in_buffer(self) -> bool {
        self.full == Full::Buffer
    }
}

impl RedoLog {
    /// Called before block latches are taken for a change: waits while the current log file is nearly full and no other
    /// is free, so that the checkpoint that will free one meets no latch whose holder waits for it. Costs two loads
    /// when there is room.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped.
    pub fn wait_room(&self, meter: &Meter) -> Result<()> {
        self.wait_room_for(meter, 0)
    }

    /// As [`wait_room`](Self::wait_room), until a record of so many bytes leaves the part that is kept for sessions
    /// with latches. For a session that appends without latches a record that sessions with latches wait for.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped.
    pub(crate) fn wait_room_for(&self, meter: &Meter, bytes: u64) -> Result<()> {
        let core = &*self.core;
        let short = || !self.has_room_for(bytes);
        if !short() {
            return Ok(());
        }
        self.wait_accounted(meter, Event::LogFileSwitchCheckpointIncomplete, || {
            let mut turns = 0;
            while short() {
                self.check()?;
                // Again each time: a checkpoint that ended meanwhile may have begun before the redo that is in the way.
                core.instance.checkpoint_wanted(Lsn(core.buffer.end()), true);
                let seen = core.buffer.changes();
                if short() {
                    self.pause(seen, &mut turns)?;
                }
            }
            Ok(())
        })
    }

    /// Whether [`wait_room`](Self::wait_room) would not wait: the current log file is not nearly full, or another is
    /// free.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.has_room_for(0)
    }

    /// Whether [`wait_room_for`](Self::wait_room_for) would not wait.
    pub(crate) fn has_room_for(&self, bytes: u64) -> bool {
        let core = &*self.core;
        let blocks = if bytes == 0 { 0 } else { super::layout::Write::blocks_of(bytes) };
        core.next_free.load(Ordering::SeqCst) || core.buffer.blocks_left() >= self.kept_blocks() + blocks
    }

    /// Waits a while for a change since `seen`; without threads, does what the change may come from.
    fn pause(&self, seen: u64, turns: &mut u32) -> Result<()> {
        let core = &*self.core;
        if !core.inline {
            core.buffer.wait_change(seen, LOOK);
            return Ok(());
        }
        *turns += 1;
        if *turns > TURNS_MAX {
            return Err(core.fail(&Error::bug("a session waits for redo that only it could write")));
        }
        core.wake_writer();
        if core.buffer.changes() == seen { core.instance.writer_round() } else { Ok(()) }
    }

    /// Keeps room for a record of up to so many bytes that the caller appends with latches held, and waits as
    /// [`wait_room`](Self::wait_room) does until it is there. Until the caller lets go of it, other sessions stop that
    /// much earlier. One session at a time: two could want more than there is.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped.
    pub fn reserve(&self, meter: &Meter, bytes: u64) -> Result<Reserved<'_>> {
        let blocks = super::layout::Write::blocks_of(bytes.min(self.longest_latched_record()));
        self.core.reserved_blocks.fetch_add(blocks, Ordering::SeqCst);
        let reserved = Reserved { log: self, blocks };
        self.wait_room(meter)?;
        Ok(reserved)
    }

    /// Bytes that a record may have whose session holds latches: as much as [`reserve`](Self::reserve) can keep in the
    /// smallest file.
    pub fn longest_latched_record(&self) -> u64 {
        let file = self.core.record_bytes.load(Ordering::Relaxed);
        self.longest_record().min(file - file / KEPT)
    }

    fn kept_blocks(&self) -> u64 {
        let core = &*self.core;
        let kept = core.record_bytes.load(Ordering::Relaxed) / super::layout::PAYLOAD as u64 / KEPT;
        kept + core.reserved_blocks.load(Ordering::SeqCst)
    }

    fn check(&self) -> Result<()> {
        self.core.check()?;
        self.core.health.check()
    }

    /// Waits for what [`try_append`](Self::try_append) missed.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped.
    pub(crate) fn wait_for_space(&self, meter: &Meter, no_room: NoRoom) -> Result<()> {
        let core = &*self.core;
        let NoRoom { full, seen, sequence } = no_room;
        self.check()?;
        let end = core.buffer.end();
        let unwritten = core.taken.load(Ordering::SeqCst) < end;
        let event = match full {
            // What waits in the buffer was promised more room than it will need.
            Full::Buffer | Full::File if unwritten => {
                core.request(end);
                Event::LogBufferSpace
            }
            Full::Buffer => Event::LogBufferSpace,
            Full::File => {
                // Before the switch is asked for: after it none may be free any more.
                let free = core.next_free.load(Ordering::SeqCst);
                core.leave.fetch_max(sequence, Ordering::SeqCst);
                core.wake_writer();
                if free { Event::LogFileSwitchCompletion } else { Event::LogFileSwitchCheckpointIncomplete }
            }
            Full::Closed => Event::LogFileSwitchCompletion,
        };
        let wait = || {
            let mut turns = 0;
            while core.buffer.changes() == seen {
                self.check()?;
                if event == Event::LogFileSwitchCheckpointIncomplete {
                    core.instance.checkpoint_wanted(Lsn(end), true);
                }
                self.pause(seen, &mut turns)?;
            }
            Ok(())
        };
        if event == Event::LogBufferSpace {
            meter.count(Statistic::RedoBufferAllocationRetries, 1);
            meter.wait(event, [0; 3], -1, wait)
        } else {
            self.wait_accounted(meter, event, wait)
        }
    }

    fn wait_accounted(&self, meter: &Meter, event: Event, wait: impl FnOnce() -> Result<()>) -> Result<()> {
        meter.count(Statistic::RedoLogSpaceRequests, 1);
        let (result, micros) = meter.timed_wait(event, [0; 3], -1, wait);
        meter.count(Statistic::RedoLogSpaceWaitTime, micros);
        result
    }

    /// Goes on to the next log file, as ALTER SYSTEM SWITCH LOGFILE does; returns when the switch is done.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped.
    pub fn switch(&self, meter: &Meter) -> Result<()> {
        let core = &*self.core;
        let sequence = core.sequence.load(Ordering::SeqCst);
        let free = core.next_free.load(Ordering::SeqCst);
        core.leave.fetch_max(sequence, Ordering::SeqCst);
        core.wake_writer();
        let event = if free { Event::LogFileSwitchCompletion } else { Event::LogFileSwitchCheckpointIncomplete };
        meter.wait(event, [0; 3], -1, || {
            let mut turns = 0;
            loop {
                let seen = core.buffer.changes();
                if core.sequence.load(Ordering::SeqCst) != sequence && core.buffer.is_open() {
                    return Ok(());
                }
                self.check()?;
                if !core.next_free.load(Ordering::SeqCst) {
                    core.instance.checkpoint_wanted(self.end(), true);
                }
                self.pause(seen, &mut turns)?;
            }
        })
    }
}
