//! One session's meter.
//!
//! The session's own thread counts; others may read. Locks are taken only around waits and trace output, which are slow anyway, and no
//! lock is held while waiting. Whether a trace runs is one relaxed load.

use std::io;

use common::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use common::sync::{Arc, Mutex};
use common::{BlockClass, Clock};

use crate::counters::{Counters, GetMode};
use crate::event::{Event, WaitClass};
use crate::snapshot::{EventTotals, MeterSnapshot};
use crate::statistic::Statistic;
use crate::system::SystemMeter;
use crate::trace::{NO_CURSOR, TraceFile};

/// What a session is waiting for right now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CurrentWait {
    pub event: Event,
    pub parameters: [u64; 3],
    pub object: i64,
    /// On the meter's monotonic clock.
    pub since_us: u64,
}

/// Counts what one session does and times what it waits for.
#[derive(Debug)]
pub struct Meter {
    counters: Arc<Counters>,
    system: Arc<SystemMeter>,
    clock: Arc<dyn Clock>,
    sid: u32,
    serial: u32,
    /// Added to the monotonic clock it gives about the wall clock.
    tim_base: u64,
    current: Mutex<Option<CurrentWait>>,
    /// 0 when no trace runs.
    trace_level: AtomicU32,
    trace: Mutex<Option<TraceFile>>,
    cursor: AtomicU64,
}

impl Meter {
    /// A meter for a new session; what it counts is part of `system` from now on, also after the session has ended.
    #[must_use]
    pub fn new(system: &Arc<SystemMeter>, clock: Arc<dyn Clock>, sid: u32, serial: u32) -> Arc<Self> {
        let counters = Arc::new(Counters::new());
        system.begin(&counters);
        let tim_base = clock.wall_us().saturating_sub(clock.monotonic_us());
        Arc::new(Self {
            counters,
            system: Arc::clone(system),
            clock,
            sid,
            serial,
            tim_base,
            current: Mutex::new(None),
            trace_level: AtomicU32::new(0),
            trace: Mutex::new(None),
            cursor: AtomicU64::new(NO_CURSOR),
        })
    }

    #[must_use]
    pub fn sid(&self) -> u32 {
        self.sid
    }

    #[must_use]
    pub fn serial(&self) -> u32 {
        self.serial
    }

    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    #[must_use]
    pub fn system(&self) -> &Arc<SystemMeter> {
        &self.system
    }

    /// The time of trace lines: microseconds, about those since 1970-01-01 UTC, never going back.
    #[must_use]
    pub fn tim(&self) -> u64 {
        self.tim_base + self.clock.monotonic_us()
    }

    /// Adds `n` to a statistic. Times are in microseconds. Gets are counted by [`get`](Self::get) alone.
    #[inline]
    pub fn count(&self, statistic: Statistic, n: u64) {
        self.counters.count(statistic, n);
    }

    /// Takes `n` off a statistic that is a level, such as `opened cursors current`.
    #[inline]
    pub fn discount(&self, statistic: Statistic, n: u64) {
        self.counters.discount(statistic, n);
    }

    /// A statistic as it is counted: times in microseconds.
    #[must_use]
    pub fn value(&self, statistic: Statistic) -> u64 {
        self.counters.value(statistic)
    }

    /// Counts one get of a block in the buffer cache. `db block gets` or `consistent gets`, their `from cache` forms and
    /// `session logical reads` follow from it.
    #[inline]
    pub fn get(&self, class: BlockClass, mode: GetMode) {
        self.counters.get(class, mode);
    }

    /// Gets of one class and mode so far.
    #[must_use]
    pub fn gets(&self, class: BlockClass, mode: GetMode) -> u64 {
        self.counters.gets(class, mode)
    }

    /// Does `work`, which is expected to wait, and accounts for the time it takes. `object` is the object's number, -1 for none.
    pub fn wait<R>(&self, event: Event, parameters: [u64; 3], object: i64, work: impl FnOnce() -> R) -> R {
        if event.class() == WaitClass::Idle {
            self.trace(TraceFile::flush);
        }
        let since_us = self.clock.monotonic_us();
        *self.current.lock() = Some(CurrentWait { event, parameters, object, since_us });
        let result = work();
        let micros = self.clock.monotonic_us().saturating_sub(since_us);
        *self.current.lock() = None;
        self.waited(event, parameters, object, micros);
        result
    }

    /// Accounts for a wait that is over.
    pub fn waited(&self, event: Event, parameters: [u64; 3], object: i64, micros: u64) {
        self.counters.waited(event, micros);
        self.trace(|file| file.wait(self.cursor.load(Relaxed), event, parameters, micros, object, self.tim()));
    }

    /// Notes that the wait for `event` that was accounted for last ended because its time was over.
    pub fn timed_out(&self, event: Event) {
        self.counters.timed_out(event);
    }

    /// What was waited for one event so far.
    #[must_use]
    pub fn event(&self, event: Event) -> EventTotals {
        self.counters.event(event)
    }

    /// What the session is waiting for, if it is.
    #[must_use]
    pub fn current_wait(&self) -> Option<CurrentWait> {
        *self.current.lock()
    }

    /// Counts a wait for a buffer by the class of its block, as V$WAITSTAT does. The wait event itself is accounted for separately.
    pub fn buffer_wait(&self, class: BlockClass, micros: u64) {
        self.counters.buffer_wait(class, micros);
    }

    /// A copy of all counters.
    #[must_use]
    pub fn snapshot(&self) -> MeterSnapshot {
        self.counters.snapshot()
    }

    /// Traces into `file` from now on: 1 calls, with 4 bind values, with 8 waits. A level of 0 stops the trace.
    ///
    /// # Errors
    /// What [`stop_trace`](Self::stop_trace) says about a trace that ran before. The new one has started all the same.
    pub fn start_trace(&self, mut file: TraceFile, level: u32) -> io::Result<()> {
        if level == 0 {
            return self.stop_trace();
        }
        file.set_level(level);
        let before = self.trace.lock().replace(file);
        self.trace_level.store(level, Relaxed);
        before.map_or(Ok(()), TraceFile::finish)
    }

    /// Ends the trace, if one runs, and closes its file.
    ///
    /// # Errors
    /// When not all of the trace could be written.
    pub fn stop_trace(&self) -> io::Result<()> {
        self.trace_level.store(0, Relaxed);
        self.trace.lock().take().map_or(Ok(()), TraceFile::finish)
    }

    /// The level of the trace that runs, 0 for none.
    #[must_use]
    pub fn trace_level(&self) -> u32 {
        self.trace_level.load(Relaxed)
    }

    /// Writes to the trace, if one runs. `write` must not call this meter's waits or trace.
    #[inline]
    pub fn trace(&self, write: impl FnOnce(&mut TraceFile)) {
        if self.trace_level.load(Relaxed) != 0
            && let Some(file) = self.trace.lock().as_mut()
        {
            write(file);
        }
    }

    /// The cursor that waits belong to from now on, [`NO_CURSOR`] for none. Returns the one before.
    pub fn set_current_cursor(&self, cursor: u64) -> u64 {
        self.cursor.swap(cursor, Relaxed)
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.system.end(&self.counters);
    }
}
