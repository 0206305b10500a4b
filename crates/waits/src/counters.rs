//! The counters of one session, and which statistics are sums over others.
//!
//! One session writes them, any may read them; all accesses are relaxed, so that a reader may see one counter a moment before another.
//!
//! These statistics are not counted where they happen but added up when read, so that a get is one addition:
//!
//! | statistic | is what was counted under its own name, plus |
//! | --- | --- |
//! | db block gets, db block gets from cache | current gets of all block classes |
//! | consistent gets, consistent gets from cache | consistent gets of all block classes |
//! | session logical reads | gets of both modes |
//! | user I/O, concurrency, application wait time | microseconds of all events of the class |
//! | non-idle wait time, non-idle wait count | microseconds and number of waits of all classes but Idle |

use std::array;

use common::BlockClass;
use common::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::event::{Event, WaitClass};
use crate::snapshot::{BufferWaits, EventTotals, HISTOGRAM_BUCKETS, MeterSnapshot, histogram_bucket};
use crate::statistic::Statistic;

/// How a block is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum GetMode {
    /// As it is now.
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
pub(crate) struct Counters {
    statistics: [AtomicU64; Statistic::COUNT],
    gets: [[AtomicU64; 2]; BlockClass::COUNT],
    events: [EventCounters; Event::COUNT],
    buffer_waits: [[AtomicU64; 2]; BlockClass::COUNT],
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
            buffer_waits: array::from_fn(|_| zeros()),
        }
    }

    #[inline]
    pub(crate) fn count(&self, statistic: Statistic, n: u64) {
        self.statistics[statistic as usize].fetch_add(n, Relaxed);
    }

    #[inline]
    pub(crate) fn discount(&self, statistic: Statistic, n: u64) {
        self.statistics[statistic as usize].fetch_sub(n, Relaxed);
    }

    #[inline]
    pub(crate) fn get(&self, class: BlockClass, mode: GetMode) {
        self.gets[class as usize][mode as usize].fetch_add(1, Relaxed);
    }

    pub(crate) fn gets(&self, class: BlockClass, mode: GetMode) -> u64 {
        self.gets[class as usize][mode as usize].load(Relaxed)
    }

    pub(crate) fn waited(&self, event: Event, micros: u64) {
        let counters = &self.events[event as usize];
        counters.waits.fetch_add(1, Relaxed);
        counters.micros.fetch_add(micros, Relaxed);
        counters.max_micros.fetch_max(micros, Relaxed);
        counters.histogram[histogram_bucket(micros)].fetch_add(1, Relaxed);
    }

    pub(crate) fn timed_out(&self, event: Event) {
        self.events[event as usize].timeouts.fetch_add(1, Relaxed);
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

    pub(crate) fn buffer_wait(&self, class: BlockClass, micros: u64) {
        let [waits, time] = &self.buffer_waits[class as usize];
        waits.fetch_add(1, Relaxed);
        time.fetch_add(micros, Relaxed);
    }

    /// One statistic, sums added.
    pub(crate) fn value(&self, statistic: Statistic) -> u64 {
        let own = self.statistics[statistic as usize].load(Relaxed);
        own + derived(
            statistic,
            |mode| self.gets.iter().map(|by_mode| by_mode[mode as usize].load(Relaxed)).sum(),
            |event| (self.events[event as usize].waits.load(Relaxed), self.events[event as usize].micros.load(Relaxed)),
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
        // From the copies, not from the counters, so that the parts of a snapshot add up.
        for statistic in Statistic::ALL {
            let sum = derived(
                statistic,
                |mode| snapshot.gets.iter().map(|by_mode| by_mode[mode as usize]).sum(),
                |event| (snapshot.events[event as usize].waits, snapshot.events[event as usize].micros),
            );
            snapshot.statistics[statistic as usize] += sum;
        }
        snapshot
    }
}

/// What the table at the top of this file adds to a statistic.
fn derived(statistic: Statistic, gets: impl Fn(GetMode) -> u64, event: impl Fn(Event) -> (u64, u64)) -> u64 {
    let class_micros = |class| Event::ALL.into_iter().filter(|e| e.class() == class).map(|e| event(e).1).sum();
    let busy = || Event::ALL.into_iter().filter(|e| e.class() != WaitClass::Idle);
    match statistic {
        Statistic::DbBlockGets | Statistic::DbBlockGetsFromCache => gets(GetMode::Current),
        Statistic::ConsistentGets | Statistic::ConsistentGetsFromCache => gets(GetMode::Consistent),
        Statistic::SessionLogicalReads => gets(GetMode::Current) + gets(GetMode::Consistent),
        Statistic::UserIoWaitTime => class_micros(WaitClass::UserIo),
        Statistic::ConcurrencyWaitTime => class_micros(WaitClass::Concurrency),
        Statistic::ApplicationWaitTime => class_micros(WaitClass::Application),
        Statistic::NonIdleWaitTime => busy().map(|e| event(e).1).sum(),
        Statistic::NonIdleWaitCount => busy().map(|e| event(e).0).sum(),
        _ => 0,
    }
}
