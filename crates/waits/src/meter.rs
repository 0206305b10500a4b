//! One session's meter.

use common::sync::{Arc, Mutex};
use common::{BlockClass, Clock};

use crate::counters::{Counters, GetMode};
use crate::event::Event;
use crate::snapshot::{EventTotals, MeterSnapshot};
use crate::statistic::Statistic;
use crate::system::SystemMeter;

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
    current: Mutex<Option<CurrentWait>>,
}

impl Meter {
    /// A meter for a new session; what it counts is part of `system` from now on, also after the session has ended.
    #[must_use]
    pub fn new(system: &Arc<SystemMeter>, clock: Arc<dyn Clock>, sid: u32, serial: u32) -> Arc<Self> {
        let counters = Arc::new(Counters::new());
        system.begin(&counters);
        Arc::new(Self { counters, system: Arc::clone(system), clock, sid, serial, current: Mutex::new(None) })
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
        let _ = (parameters, object);
        self.counters.waited(event, micros);
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
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.system.end(&self.counters);
    }
}
