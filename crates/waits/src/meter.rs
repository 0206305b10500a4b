//! One session's meter.
//!
//! The session's own thread counts; others may read. Locks are taken only around waits and trace output, which are slow
//! anyway, and no lock is held while waiting. Checking for an active trace is one relaxed load.
//!
//! With the feature `unmeasured` nothing is counted, timed or traced.

use std::io;

use common::interconnect::{self, Carried};
use common::sync::unscheduled::Mutex as OwnMutex;
use common::sync::unscheduled::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use common::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, spin_loop};
use common::{BlockClass, Clock, ObjectNumber};

use crate::counters::{Counters, GetMode, MEASURED};
use crate::cpu_clock::CpuClock;
use crate::enqueue::Enqueue;
use crate::event::{Event, WaitClass};
use crate::latch::LatchName;
use crate::segment::SegmentStatistic;
use crate::snapshot::{EventTotals, MeterSnapshot};
use crate::statistic::{Statistic, Unit};
use crate::system::SystemMeter;
use crate::trace::{NO_CURSOR, TraceFile, TracedWait};

/// What a session is waiting for right now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CurrentWait {
    pub event: Event,
    pub parameters: [u64; 3],
    pub object: i64,
    /// On the meter's monotonic clock.
    pub since_us: u64,
}

/// A session's last completed wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastWait {
    pub event: Event,
    pub parameters: [u64; 3],
    pub object: i64,
    /// Duration of the wait.
    pub micros: u64,
    /// When it was over, on the meter's monotonic clock.
    pub ended_us: u64,
}

#[derive(Default, Debug)]
struct Waits {
    current: Option<CurrentWait>,
    last: Option<LastWait>,
}

/// Looks at a latch after the first before the session sleeps for it; each takes twice as long as the one before.
const LATCH_SPINS: u32 = 3;

const AS_SYSTEM: u32 = 0;
const UNTIMED: u32 = 1;
const TIMED: u32 = 2;

/// Counts the work of one session and times its waits.
#[derive(Debug)]
pub struct Meter {
    counters: Arc<Counters>,
    system: Arc<SystemMeter>,
    clock: Arc<dyn Clock>,
    sid: u32,
    serial: u32,
    /// Offset from the monotonic clock to the approximate wall clock.
    tim_base: u64,
    waits: OwnMutex<Waits>,
    /// 0 when no trace runs.
    trace_level: AtomicU32,
    trace: OwnMutex<Option<TraceFile>>,
    /// The session's own limit of its trace file.
    trace_bytes_max: OwnMutex<Option<u64>>,
    cursor: AtomicU64,
    /// The session's own setting of timing: [`AS_SYSTEM`], [`UNTIMED`] or [`TIMED`].
    timed: AtomicU32,
    cpu: CpuClock,
}

impl Meter {
    /// A meter for a new session; its counts are part of `system` from now on, also after the session has ended.
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
            waits: OwnMutex::default(),
            trace_level: AtomicU32::new(0),
            trace: OwnMutex::new(None),
            trace_bytes_max: OwnMutex::new(None),
            cursor: AtomicU64::new(NO_CURSOR),
            timed: AtomicU32::new(AS_SYSTEM),
            cpu: CpuClock::default(),
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

    /// The time of trace lines: microseconds, approximately since 1970-01-01 UTC, never going back.
    #[must_use]
    pub fn tim(&self) -> u64 {
        self.tim_at(self.clock.monotonic_us())
    }

    /// As [`tim`](Self::tim), of a reading of the monotonic clock.
    #[must_use]
    pub fn tim_at(&self, monotonic_us: u64) -> u64 {
        self.tim_base + monotonic_us
    }

    /// Adds `n` to a statistic. Times are in microseconds. Gets are counted by [`get`](Self::get) alone.
    #[inline]
    pub fn count(&self, statistic: Statistic, n: u64) {
        if statistic.unit() != Unit::Time || self.is_timed() {
            self.counters.count(statistic, n);
        }
    }

    /// Sets timing in this session; None: as in the system. Waits are counted in any case.
    pub fn set_timed(&self, timed: Option<bool>) {
        let word = timed.map_or(AS_SYSTEM, |timed| if timed { TIMED } else { UNTIMED });
        self.timed.store(word, Relaxed);
    }

    /// True: times are added up.
    #[inline]
    #[must_use]
    pub fn is_timed(&self) -> bool {
        match self.timed.load(Relaxed) {
            AS_SYSTEM => self.system.is_timed(),
            own => own == TIMED,
        }
    }

    /// Takes `n` off a statistic that is a level, such as `opened cursors current`.
    #[inline]
    pub fn discount(&self, statistic: Statistic, n: u64) {
        self.counters.discount(statistic, n);
    }

    /// A statistic in its own unit: times in microseconds.
    #[must_use]
    pub fn value(&self, statistic: Statistic) -> u64 {
        self.counters.value(statistic)
    }

    /// Counts one get of a block in the buffer cache. `db block gets` or `consistent gets`, their `from cache` forms
    /// and `session logical reads` follow from it.
    #[inline]
    pub fn get(&self, class: BlockClass, mode: GetMode) {
        self.counters.get(class, mode);
    }

    /// Gets of one class and mode so far.
    #[must_use]
    pub fn gets(&self, class: BlockClass, mode: GetMode) -> u64 {
        self.counters.gets(class, mode)
    }

    /// Runs `work`, which is expected to wait, and accounts for its time. `object` is the object's number, -1 for none.
    pub fn wait<R>(&self, event: Event, parameters: [u64; 3], object: i64, work: impl FnOnce() -> R) -> R {
        self.timed_wait(event, parameters, object, work).0
    }

    /// As [`wait`](Self::wait), and returns the wait's microseconds.
    pub fn timed_wait<R>(&self, event: Event, parameters: [u64; 3], object: i64, work: impl FnOnce() -> R) -> (R, u64) {
        self.described_wait(event, parameters, object, work, |_| (parameters, object))
    }

    /// As [`timed_wait`](Self::timed_wait), for a wait that can be described only when it is over: until then it is
    /// shown with `parameters` and `object`.
    pub fn described_wait<R>(
        &self,
        event: Event,
        parameters: [u64; 3],
        object: i64,
        work: impl FnOnce() -> R,
        describe: impl FnOnce(&R) -> ([u64; 3], i64),
    ) -> (R, u64) {
        if !MEASURED {
            return (work(), 0);
        }
        let (result, wait) = self.watched_wait(event, parameters, object, work, describe);
        self.over(wait);
        (result, wait.micros)
    }

    /// Waits, and returns the wait to account for.
    fn watched_wait<R>(
        &self,
        event: Event,
        parameters: [u64; 3],
        object: i64,
        work: impl FnOnce() -> R,
        describe: impl FnOnce(&R) -> ([u64; 3], i64),
    ) -> (R, LastWait) {
        if event.class() == WaitClass::Idle {
            self.trace(TraceFile::flush);
        }
        let since_us = self.clock.monotonic_us();
        interconnect::set_session(self.sid);
        self.waits.lock().current = Some(CurrentWait { event, parameters, object, since_us });
        let result = work();
        let ended_us = self.clock.monotonic_us();
        let micros = if self.is_timed() { ended_us.saturating_sub(since_us) } else { 0 };
        let (parameters, object) = describe(&result);
        (result, LastWait { event, parameters, object, micros, ended_us })
    }

    /// CPU time of the calling thread, microseconds, at `now_us` of the monotonic clock: 0.1 ms too high at most.
    #[must_use]
    pub fn thread_cpu_us(&self, now_us: u64) -> u64 {
        self.cpu.read(&*self.clock, now_us)
    }

    /// Accounts for a wait that is over.
    pub fn waited(&self, event: Event, parameters: [u64; 3], object: i64, micros: u64) {
        if MEASURED {
            let ended_us = self.clock.monotonic_us();
            let micros = if self.is_timed() { micros } else { 0 };
            self.over(LastWait { event, parameters, object, micros, ended_us });
        }
    }

    fn over(&self, wait: LastWait) {
        let traced = self.account(wait);
        let TracedWait { cursor, event, parameters, micros, object, tim } = traced;
        self.trace(|file| file.wait(cursor, event, parameters, micros, object, tim));
    }

    /// As [`over`](Self::over), while the session holds a latch: the line of the trace is deferred to the next one.
    fn over_in_latch(&self, wait: LastWait) {
        let traced = self.account(wait);
        if self.trace_level.load(Relaxed) != 0
            && let Some(file) = self.trace.lock().as_mut()
        {
            file.put_off(traced);
        }
    }

    /// Counts a wait that is over.
    fn account(&self, wait: LastWait) -> TracedWait {
        *self.waits.lock() = Waits { current: None, last: Some(wait) };
        let LastWait { event, parameters, object, micros, ended_us } = wait;
        self.counters.waited(event, micros, self.is_timed());
        // What the wait's requests have had carried to and from cells, and those that were started before it.
        let Carried { bytes, flash_reads, flash_bytes } = interconnect::take();
        if bytes > 0 {
            self.counters.count(Statistic::CellPhysicalIoInterconnectBytes, bytes);
        }
        if flash_reads > 0 {
            self.counters.count(Statistic::CellFlashCacheReadHits, flash_reads);
            self.counters.count(Statistic::PhysicalReadRequestsOptimized, flash_reads);
            self.counters.count(Statistic::PhysicalReadTotalBytesOptimized, flash_bytes);
        }
        self.cpu.waited();
        TracedWait { cursor: self.cursor.load(Relaxed), event, parameters, micros, object, tim: self.tim_at(ended_us) }
    }

    /// Notes that the wait for `event` that was accounted for last ended because its time was over.
    pub fn timed_out(&self, event: Event) {
        self.counters.timed_out(event);
    }

    /// Total waits for one event.
    #[must_use]
    pub fn event(&self, event: Event) -> EventTotals {
        self.counters.event(event)
    }

    /// The current wait, if there is one.
    #[must_use]
    pub fn current_wait(&self) -> Option<CurrentWait> {
        self.waits.lock().current
    }

    /// The last finished wait, while the session does not wait.
    #[must_use]
    pub fn last_wait(&self) -> Option<LastWait> {
        let waits = self.waits.lock();
        waits.last.filter(|_| waits.current.is_none())
    }

    /// Waits of a class so far, and their microseconds.
    #[must_use]
    pub fn class(&self, class: WaitClass) -> (u64, u64) {
        self.counters.class(class)
    }

    /// Takes a latch.
    #[inline]
    pub fn latch<'a, T: ?Sized>(&self, name: LatchName, latch: &'a Mutex<T>) -> MutexGuard<'a, T> {
        self.take_latch(name, std::ptr::from_ref(latch).addr(), || latch.try_lock(), || latch.lock())
    }

    /// Takes a latch to read the protected data.
    #[inline]
    pub fn latch_shared<'a, T: ?Sized>(&self, name: LatchName, latch: &'a RwLock<T>) -> RwLockReadGuard<'a, T> {
        self.take_latch(name, std::ptr::from_ref(latch).addr(), || latch.try_read(), || latch.read())
    }

    /// Takes a shared latch exclusively, to change the protected data.
    #[inline]
    pub fn latch_exclusive<'a, T: ?Sized>(&self, name: LatchName, latch: &'a RwLock<T>) -> RwLockWriteGuard<'a, T> {
        self.take_latch(name, std::ptr::from_ref(latch).addr(), || latch.try_write(), || latch.write())
    }

    /// Takes a latch by `try_take` if it is free, else, after some more looks, by `take`, which sleeps. `address`
    /// identifies it among latches of its name.
    #[inline]
    pub fn take_latch<G>(
        &self,
        name: LatchName,
        address: usize,
        try_take: impl Fn() -> Option<G>,
        take: impl FnOnce() -> G,
    ) -> G {
        self.counters.latch_get(name);
        match try_take() {
            Some(guard) => guard,
            None => self.miss_latch(name, address, try_take, take),
        }
    }

    #[cold]
    fn miss_latch<G>(
        &self,
        name: LatchName,
        address: usize,
        try_take: impl Fn() -> Option<G>,
        take: impl FnOnce() -> G,
    ) -> G {
        for turn in 1..=LATCH_SPINS {
            (0..1 << turn).for_each(|_| spin_loop());
            if let Some(guard) = try_take() {
                self.counters.latch_miss(name, None);
                return guard;
            }
        }
        let parameters = [address as u64, u64::from(name.number()), 0];
        if !MEASURED {
            return take();
        }
        let (guard, wait) = self.watched_wait(name.event(), parameters, -1, take, |_| (parameters, -1));
        self.over_in_latch(wait);
        self.counters.latch_miss(name, Some(wait.micros));
        guard
    }

    /// Counts a get of a latch in no-wait mode; `had`: true when it was free.
    #[inline]
    pub fn immediate_latch(&self, name: LatchName, had: bool) {
        self.counters.latch_immediate(name, had);
    }

    /// Counts a finished request for an enqueue.
    #[inline]
    pub fn enqueue(&self, enqueue: Enqueue, succeeded: bool) {
        self.counters.enqueue(enqueue, succeeded);
    }

    /// Takes an enqueue that is a lock: `try_take` takes it if it is free, `take` waits for it. `parameters` are P2 and
    /// P3 of the wait.
    pub fn take_enqueue<G>(
        &self,
        enqueue: Enqueue,
        mode: u16,
        parameters: [u64; 2],
        object: i64,
        try_take: impl FnOnce() -> Option<G>,
        take: impl FnOnce() -> G,
    ) -> G {
        let guard = try_take().unwrap_or_else(|| {
            let parameters = [enqueue.name_mode(mode), parameters[0], parameters[1]];
            self.wait(enqueue.event(), parameters, object, take)
        });
        self.enqueue(enqueue, true);
        guard
    }

    /// Counts for a segment, by its data object number.
    #[inline]
    pub fn segment(&self, object: ObjectNumber, statistic: SegmentStatistic, n: u64) {
        if MEASURED {
            self.counters.segments.count(object, statistic, n);
        }
    }

    /// What this session has counted for all segments together: each block counts for the segment that its own bytes
    /// name, wherever it was got.
    #[must_use]
    pub fn segment_sum(&self, statistic: SegmentStatistic) -> u64 {
        self.counters.segments.sum(statistic)
    }

    /// Counts a wait for a buffer by the class of its block, as V$WAITSTAT does. The wait event itself is accounted for
    /// separately.
    pub fn buffer_wait(&self, class: BlockClass, micros: u64) {
        self.counters.buffer_wait(class, if self.is_timed() { micros } else { 0 });
    }

    /// Waits for buffers of a class so far.
    #[must_use]
    pub fn buffer_waits(&self, class: BlockClass) -> u64 {
        self.counters.buffer_waits(class)
    }

    /// A copy of all counters.
    #[must_use]
    pub fn snapshot(&self) -> MeterSnapshot {
        self.counters.snapshot()
    }

    /// Traces into `file` from now on: 1 calls, with 4 bind values, with 8 waits. A level of 0 stops the trace.
    ///
    /// # Errors
    /// The error that [`stop_trace`](Self::stop_trace) returns about an earlier trace. The new one has started all the
    /// same.
    pub fn start_trace(&self, mut file: TraceFile, level: u32) -> io::Result<()> {
        if level == 0 {
            return self.stop_trace();
        }
        file.set_level(level);
        file.set_limit(self.trace_bytes_max());
        let before = self.trace.lock().replace(file);
        self.trace_level.store(level, Relaxed);
        before.map_or(Ok(()), TraceFile::finish)
    }

    /// Sets the limit of the session's trace file in bytes; None: as in the system. It applies to an active trace too.
    pub fn limit_trace(&self, bytes: Option<u64>) {
        *self.trace_bytes_max.lock() = bytes;
        self.trace(|file| file.set_limit(self.trace_bytes_max()));
    }

    fn trace_bytes_max(&self) -> u64 {
        let own = *self.trace_bytes_max.lock();
        own.unwrap_or_else(|| self.system.trace_bytes_max())
    }

    /// Ends an active trace, and closes its file.
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

    /// Writes to an active trace. `write` must not call this meter's waits or trace.
    #[inline]
    pub fn trace(&self, write: impl FnOnce(&mut TraceFile)) {
        if self.trace_level.load(Relaxed) != 0
            && let Some(file) = self.trace.lock().as_mut()
        {
            file.catch_up();
            write(file);
        }
    }

    /// Sets the cursor that waits belong to, [`NO_CURSOR`] for none. Returns the one before.
    pub fn set_current_cursor(&self, cursor: u64) -> u64 {
        self.cursor.swap(cursor, Relaxed)
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.system.end(&self.counters);
    }
}

#[cfg(test)]
mod tests {
    use common::SystemClock;

    use super::*;
    use crate::trace::{LEVEL_WAITS, TraceHeader};

    #[test]
    fn nothing_is_written_of_a_wait_for_a_latch_while_it_is_held() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("hw_ora_1.trc");
        let meter = Meter::new(&SystemMeter::new(), Arc::new(SystemClock::default()), 7, 3);
        meter.start_trace(TraceFile::new(&path, &TraceHeader::default()).unwrap(), LEVEL_WAITS).unwrap();
        let lines = |name: &str| std::fs::read_to_string(&path).unwrap().matches(name).count();
        let put_off = || meter.trace.lock().as_mut().map(TraceFile::count_put_off);
        let guard = meter.take_latch(LatchName::RedoAllocation, 1, || None, || 5);
        assert_eq!((guard, put_off()), (5, Some(1)));
        meter.trace(|file| {
            file.text("next");
            file.flush();
        });
        assert_eq!(put_off(), Some(0));
        assert_eq!(lines("nam='latch: redo allocation'"), 1);
        // Deferred lines are written when the trace ends.
        meter.take_latch(LatchName::RedoAllocation, 1, || None, || 6);
        meter.stop_trace().unwrap();
        assert_eq!(lines("nam='latch: redo allocation'"), 2);
    }
}
