//! All counters of a session or of the system at one moment, and differences of two such.

use common::BlockClass;

use crate::counters::GetMode;
use crate::enqueue::{Enqueue, EnqueueTotals};
use crate::event::{Event, WaitClass};
use crate::latch::{LatchName, LatchTotals};
use crate::statistic::Statistic;

/// Buckets of a wait histogram. Bucket 0 holds waits of less than a microsecond, bucket n those of less than 2^n; the
/// last all longer ones.
pub const HISTOGRAM_BUCKETS: usize = 32;

/// Microseconds below which the waits of a bucket lie; None for the last.
#[must_use]
pub fn histogram_bound_us(bucket: usize) -> Option<u64> {
    (bucket + 1 < HISTOGRAM_BUCKETS).then(|| 1 << bucket)
}

/// The bucket of a wait that took so long.
#[must_use]
pub fn histogram_bucket(micros: u64) -> usize {
    ((u64::BITS - micros.leading_zeros()) as usize).min(HISTOGRAM_BUCKETS - 1)
}

/// Total waits for one event.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EventTotals {
    pub waits: u64,
    /// Waits that ended because their time was over.
    pub timeouts: u64,
    pub micros: u64,
    pub max_micros: u64,
    /// Waits by duration, see [`HISTOGRAM_BUCKETS`].
    pub histogram: [u64; HISTOGRAM_BUCKETS],
}

impl EventTotals {
    fn add(&mut self, other: &Self) {
        self.waits += other.waits;
        self.timeouts += other.timeouts;
        self.micros += other.micros;
        self.max_micros = self.max_micros.max(other.max_micros);
        for (mine, others) in self.histogram.iter_mut().zip(&other.histogram) {
            *mine += others;
        }
    }

    /// The longest wait of an interval is not known; the one of the whole time up to its end is kept.
    fn subtract(&mut self, earlier: &Self) {
        self.waits = self.waits.saturating_sub(earlier.waits);
        self.timeouts = self.timeouts.saturating_sub(earlier.timeouts);
        self.micros = self.micros.saturating_sub(earlier.micros);
        for (mine, before) in self.histogram.iter_mut().zip(&earlier.histogram) {
            *mine = mine.saturating_sub(*before);
        }
    }
}

/// Waits for buffers of one block class, for V$WAITSTAT.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BufferWaits {
    pub waits: u64,
    pub micros: u64,
}

/// A copy of all counters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeterSnapshot {
    pub(crate) statistics: Vec<u64>,
    pub(crate) gets: Vec<[u64; 2]>,
    pub(crate) events: Vec<EventTotals>,
    pub(crate) buffer_waits: Vec<BufferWaits>,
    pub(crate) latches: Vec<LatchTotals>,
    pub(crate) enqueues: Vec<EnqueueTotals>,
}

impl Default for MeterSnapshot {
    fn default() -> Self {
        Self {
            statistics: vec![0; Statistic::COUNT],
            gets: vec![[0; 2]; BlockClass::COUNT],
            events: vec![EventTotals::default(); Event::COUNT],
            buffer_waits: vec![BufferWaits::default(); BlockClass::COUNT],
            latches: vec![LatchTotals::default(); LatchName::COUNT],
            enqueues: vec![EnqueueTotals::default(); Enqueue::COUNT],
        }
    }
}

impl MeterSnapshot {
    /// A statistic in its own unit: times in microseconds. [`Statistic::shown`] converts it for the views.
    #[must_use]
    pub fn value(&self, statistic: Statistic) -> u64 {
        self.statistics[statistic as usize]
    }

    #[must_use]
    pub fn gets(&self, class: BlockClass, mode: GetMode) -> u64 {
        self.gets[class as usize][mode as usize]
    }

    #[must_use]
    pub fn event(&self, event: Event) -> EventTotals {
        self.events[event as usize]
    }

    #[must_use]
    pub fn buffer_waits(&self, class: BlockClass) -> BufferWaits {
        self.buffer_waits[class as usize]
    }

    /// What was done with the latches of a name.
    #[must_use]
    pub fn latch(&self, latch: LatchName) -> LatchTotals {
        self.latches[latch as usize]
    }

    /// Outcomes of the requests for an enqueue.
    #[must_use]
    pub fn enqueue(&self, enqueue: Enqueue) -> EnqueueTotals {
        self.enqueues[enqueue as usize]
    }

    /// Waits and microseconds of a wait class.
    #[must_use]
    pub fn class(&self, class: WaitClass) -> (u64, u64) {
        let events = Event::ALL.into_iter().filter(|event| event.class() == class).map(|event| self.event(event));
        events.fold((0, 0), |(waits, micros), event| (waits + event.waits, micros + event.micros))
    }

    /// The difference from `earlier` to this. A level such as `opened cursors current` that has sunk gives 0.
    #[must_use]
    pub fn minus(&self, earlier: &Self) -> Self {
        let mut difference = self.clone();
        for (mine, before) in difference.statistics.iter_mut().zip(&earlier.statistics) {
            *mine = mine.saturating_sub(*before);
        }
        for (mine, before) in difference.gets.iter_mut().zip(&earlier.gets) {
            *mine = [mine[0].saturating_sub(before[0]), mine[1].saturating_sub(before[1])];
        }
        for (mine, before) in difference.events.iter_mut().zip(&earlier.events) {
            mine.subtract(before);
        }
        for (mine, before) in difference.buffer_waits.iter_mut().zip(&earlier.buffer_waits) {
            mine.waits = mine.waits.saturating_sub(before.waits);
            mine.micros = mine.micros.saturating_sub(before.micros);
        }
        for (mine, before) in difference.latches.iter_mut().zip(&earlier.latches) {
            mine.subtract(before);
        }
        for (mine, before) in difference.enqueues.iter_mut().zip(&earlier.enqueues) {
            mine.subtract(before);
        }
        difference
    }

    /// Adds another session's counters to these.
    pub fn add(&mut self, other: &Self) {
        for (mine, others) in self.statistics.iter_mut().zip(&other.statistics) {
            *mine = mine.wrapping_add(*others);
        }
        for (mine, others) in self.gets.iter_mut().zip(&other.gets) {
            *mine = [mine[0] + others[0], mine[1] + others[1]];
        }
        for (mine, others) in self.events.iter_mut().zip(&other.events) {
            mine.add(others);
        }
        for (mine, others) in self.buffer_waits.iter_mut().zip(&other.buffer_waits) {
            mine.waits += others.waits;
            mine.micros += others.micros;
        }
        for (mine, others) in self.latches.iter_mut().zip(&other.latches) {
            mine.add(others);
        }
        for (mine, others) in self.enqueues.iter_mut().zip(&other.enqueues) {
            mine.add(others);
        }
    }
}
