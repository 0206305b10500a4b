//! The counters of one session, and statistics that are sums over others.
//!
//! One session writes them, any may read them; all accesses are relaxed, so a reader may see one counter a moment
//! before another.
//!
//! These statistics are summed when read and not counted themselves, so that a get is one addition:
//!
//! | statistic | is what was counted under its own name, plus |
//! | --- | --- |
//! | db block gets, db block gets from cache | current gets of all block classes |
//! | consistent gets, consistent gets from cache | consistent gets of all block classes |
//! | session logical reads | gets of both modes |
//! | user I/O, concurrency, application wait time | microseconds of all events of the class |
//! | non-idle wait time, non-idle wait count | microseconds and number of waits of all classes but Idle |
//! | enqueue requests, enqueue timeouts | requests that have come to an end, and those of them that were given up |
//! | physical read total requests and bytes | reads of datafiles |
//! | physical write total requests and bytes | writes of datafiles and of the log |
//! | enqueue waits | waits of all events of enqueues |
//!
//! With the feature `unmeasured` nothing is counted.

use std::array;

use common::BlockClass;
use common::sync::unscheduled::atomic::{AtomicU64, Ordering::Relaxed};

use crate::enqueue::{Enqueue, EnqueueTotals};
use crate::event::{Event, WaitClass};
use crate::latch::{LatchName, LatchTotals};
use crate::segment::SegmentTable;
use crate::snapshot::{BufferWaits, EventTotals, HISTOGRAM_BUCKETS, MeterSnapshot, histogram_bucket};
use crate::statistic::Statistic;

/// True: counting and timing are compiled in.
pub(crate) const MEASURED: bool = !cfg!(feature = "unmeasured");

/// Bytes of a block of the log.
const LOG_BLOCK_BYTES: u64 = 512;

/// The mode of a get.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum GetMode {
    /// Current mode.
    Current = 0,
    /// As of a point in time.
    Consistent = 1,
}

#[derive(Debug)]
struct EventCounters {
    waits: AtomicU64,
    timeouts: AtomicU64,
    micros: AtomicU64,
    max_micros: AtomicU64,
    histogram: [AtomicU64; HISTOGRAM_BUCKETS],
}

#[derive(Debug)]
struct LatchCounters {
    gets: AtomicU64,
    misses: AtomicU64,
    spin_gets: AtomicU64,
    sleeps: AtomicU64,
    wait_us: AtomicU64,
    immediate_gets: AtomicU64,
    immediate_misses: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct Counters {
    statistics: [AtomicU64; Statistic::COUNT],
    gets: [[AtomicU64; 2]; BlockClass::COUNT],
    events: [EventCounters; Event::COUNT],
    /// Waits and microseconds by wait class: sums over the events of the class.
    classes: [[AtomicU64; 2]; WaitClass::ALL.len()],
    buffer_waits: [[AtomicU64; 2]; BlockClass::COUNT],
    latches: [LatchCounters; LatchName::COUNT],
    /// Requests that succeeded, and that failed.
    enqueues: [[AtomicU64; 2]; Enqueue::COUNT],
    pub(crate) segments: SegmentTable,
}

fn zeros<const N: usize>() -> [AtomicU64; N] {
    array::from_fn(|_| AtomicU64::new(0))
}

impl Counters {
    pub(crate) fn new() -> Self {
        Self {
            statistics: zeros(),
            gets: array::from_fn(|_| zeros()),
            events: array::from_fn(|_| EventCounters {
                waits: AtomicU64::new(0),
                timeouts: AtomicU64::new(0),
                micros: AtomicU64::new(0),
                max_micros: AtomicU64::new(0),
                histogram: zeros(),
            }),
            classes: array::from_fn(|_| zeros()),
            buffer_waits: array::from_fn(|_| zeros()),
            latches: array::from_fn(|_| LatchCounters {
                gets: AtomicU64::new(0),
                misses: AtomicU64::new(0),
                spin_gets: AtomicU64::new(0),
                sleeps: AtomicU64::new(0),
                wait_us: AtomicU64::new(0),
                immediate_gets: AtomicU64::new(0),
                immediate_misses: AtomicU64::new(0),
            }),
            enqueues: array::from_fn(|_| zeros()),
            segments: SegmentTable::new(),
        }
    }

    #[inline]
    pub(crate) fn count(&self, statistic: Statistic, n: u64) {
        add(&self.statistics[statistic as usize], n);
    }

    #[inline]
    pub(crate) fn discount(&self, statistic: Statistic, n: u64) {
        if MEASURED {
            self.statistics[statistic as usize].fetch_sub(n, Relaxed);
        }
    }

    #[inline]
    pub(crate) fn get(&self, class: BlockClass, mode: GetMode) {
        add(&self.gets[class as usize][mode as usize], 1);
    }

    pub(crate) fn gets(&self, class: BlockClass, mode: GetMode) -> u64 {
        self.gets[class as usize][mode as usize].load(Relaxed)
    }

    /// With `timed` false, times are not taken: then the wait is in no bucket of the histogram either.
    pub(crate) fn waited(&self, event: Event, micros: u64, timed: bool) {
        if !MEASURED {
            return;
        }
        let counters = &self.events[event as usize];
        add(&counters.waits, 1);
        add(&counters.micros, micros);
        counters.max_micros.fetch_max(micros, Relaxed);
        add(&counters.histogram[histogram_bucket(micros)], u64::from(timed));
        let [waits, time] = &self.classes[event.class() as usize];
        add(waits, 1);
        add(time, micros);
    }

    pub(crate) fn timed_out(&self, event: Event) {
        add(&self.events[event as usize].timeouts, 1);
    }

    #[inline]
    pub(crate) fn latch_get(&self, latch: LatchName) {
        add(&self.latches[latch as usize].gets, 1);
    }

    /// A get that had been counted did not have its latch at once. `wait_us`: it had to sleep so long.
    pub(crate) fn latch_miss(&self, latch: LatchName, wait_us: Option<u64>) {
        let counters = &self.latches[latch as usize];
        add(&counters.misses, 1);
        match wait_us {
            Some(micros) => {
                add(&counters.sleeps, 1);
                add(&counters.wait_us, micros);
            }
            None => add(&counters.spin_gets, 1),
        }
    }

    #[inline]
    pub(crate) fn latch_immediate(&self, latch: LatchName, had: bool) {
        let counters = &self.latches[latch as usize];
        add(if had { &counters.immediate_gets } else { &counters.immediate_misses }, 1);
    }

    fn latch(&self, latch: LatchName) -> LatchTotals {
        let counters = &self.latches[latch as usize];
        LatchTotals {
            gets: counters.gets.load(Relaxed),
            misses: counters.misses.load(Relaxed),
            spin_gets: counters.spin_gets.load(Relaxed),
            sleeps: counters.sleeps.load(Relaxed),
            wait_us: counters.wait_us.load(Relaxed),
            immediate_gets: counters.immediate_gets.load(Relaxed),
            immediate_misses: counters.immediate_misses.load(Relaxed),
        }
    }

    pub(crate) fn enqueue(&self, enqueue: Enqueue, succeeded: bool) {
        add(&self.enqueues[enqueue as usize][usize::from(!succeeded)], 1);
    }

    /// Waits and microseconds of a wait class.
    pub(crate) fn class(&self, class: WaitClass) -> (u64, u64) {
        let [waits, time] = &self.classes[class as usize];
        (waits.load(Relaxed), time.load(Relaxed))
    }

    pub(crate) fn event(&self, event: Event) -> EventTotals {
        let counters = &self.events[event as usize];
        EventTotals {
            waits: counters.waits.load(Relaxed),
            timeouts: counters.timeouts.load(Relaxed),
            micros: counters.micros.load(Relaxed),
            max_micros: counters.max_micros.load(Relaxed),
            histogram: array::from_fn(|bucket| counters.histogram[bucket].load(Relaxed)),
        }
    }

    pub(crate) fn buffer_waits(&self, class: BlockClass) -> u64 {
        self.buffer_waits[class as usize][0].load(Relaxed)
    }

    pub(crate) fn buffer_wait(&self, class: BlockClass, micros: u64) {
        let [waits, time] = &self.buffer_waits[class as usize];
        add(waits, 1);
        add(time, micros);
    }

    /// One statistic; sums are computed.
    pub(crate) fn value(&self, statistic: Statistic) -> u64 {
        let own = self.statistics[statistic as usize].load(Relaxed);
        own + derived(
            statistic,
            |counted| self.statistics[counted as usize].load(Relaxed),
            |mode| self.gets.iter().map(|by_mode| by_mode[mode as usize].load(Relaxed)).sum(),
            |class| self.class(class),
            |enqueue| {
                let [succeeded, failed] = self.enqueues[enqueue as usize].each_ref().map(|n| n.load(Relaxed));
                let waits = self.events[enqueue.event() as usize].waits.load(Relaxed);
                EnqueueTotals { succeeded, failed, waits, wait_us: 0 }
            },
        )
    }

    pub(crate) fn snapshot(&self) -> MeterSnapshot {
        let mut snapshot = MeterSnapshot::default();
        for (value, counter) in snapshot.statistics.iter_mut().zip(&self.statistics) {
            *value = counter.load(Relaxed);
        }
        for (values, counters) in snapshot.gets.iter_mut().zip(&self.gets) {
            *values = [counters[0].load(Relaxed), counters[1].load(Relaxed)];
        }
        for (totals, event) in snapshot.events.iter_mut().zip(Event::ALL) {
            *totals = self.event(event);
        }
        for (waits, counters) in snapshot.buffer_waits.iter_mut().zip(&self.buffer_waits) {
            *waits = BufferWaits { waits: counters[0].load(Relaxed), micros: counters[1].load(Relaxed) };
        }
        for (totals, latch) in snapshot.latches.iter_mut().zip(LatchName::ALL) {
            *totals = self.latch(latch);
        }
        for (totals, enqueue) in snapshot.enqueues.iter_mut().zip(Enqueue::ALL) {
            let requests = self.enqueues[enqueue as usize].each_ref().map(|n| n.load(Relaxed));
            *totals = EnqueueTotals::with(requests, &snapshot.events[enqueue.event() as usize]);
        }
        // From the copies, not from the counters, so that the parts of a snapshot add up.
        for statistic in Statistic::ALL {
            let sum = derived(
                statistic,
                |counted| snapshot.statistics[counted as usize],
                |mode| snapshot.gets.iter().map(|by_mode| by_mode[mode as usize]).sum(),
                |class| snapshot.class(class),
                |enqueue| snapshot.enqueues[enqueue as usize],
            );
            snapshot.statistics[statistic as usize] += sum;
        }
        snapshot
    }
}

#[inline]
fn add(counter: &AtomicU64, n: u64) {
    if MEASURED {
        counter.fetch_add(n, Relaxed);
    }
}

/// What the table at the top of this file adds to a statistic.
fn derived(
    statistic: Statistic,
    counted: impl Fn(Statistic) -> u64,
    gets: impl Fn(GetMode) -> u64,
    class: impl Fn(WaitClass) -> (u64, u64),
    enqueue: impl Fn(Enqueue) -> EnqueueTotals,
) -> u64 {
    let busy = || WaitClass::ALL.into_iter().filter(|class| *class != WaitClass::Idle);
    let enqueues = || Enqueue::ALL.into_iter().map(&enqueue);
    match statistic {
        Statistic::DbBlockGets | Statistic::DbBlockGetsFromCache => gets(GetMode::Current),
        Statistic::ConsistentGets | Statistic::ConsistentGetsFromCache => gets(GetMode::Consistent),
        Statistic::SessionLogicalReads => gets(GetMode::Current) + gets(GetMode::Consistent),
        Statistic::UserIoWaitTime => class(WaitClass::UserIo).1,
        Statistic::ConcurrencyWaitTime => class(WaitClass::Concurrency).1,
        Statistic::ApplicationWaitTime => class(WaitClass::Application).1,
        Statistic::NonIdleWaitTime => busy().map(|of| class(of).1).sum(),
        Statistic::NonIdleWaitCount => busy().map(|of| class(of).0).sum(),
        Statistic::PhysicalReadTotalIoRequests => counted(Statistic::PhysicalReadIoRequests),
        Statistic::PhysicalReadTotalBytes => counted(Statistic::PhysicalReadBytes),
        Statistic::PhysicalWriteTotalIoRequests => {
            counted(Statistic::PhysicalWriteIoRequests) + counted(Statistic::RedoWrites)
        }
        Statistic::PhysicalWriteTotalBytes => {
            counted(Statistic::PhysicalWriteBytes) + counted(Statistic::RedoBlocksWritten) * LOG_BLOCK_BYTES
        }
        Statistic::EnqueueRequests => enqueues().map(|totals| totals.requests()).sum(),
        Statistic::EnqueueTimeouts => enqueues().map(|totals| totals.failed).sum(),
        Statistic::EnqueueWaits => enqueues().map(|totals| totals.waits).sum(),
        _ => 0,
    }
}
