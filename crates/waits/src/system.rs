//! The sum over all sessions, including those that have ended.

use common::ObjectNumber;
use common::sync::Arc;
use common::sync::unscheduled::Mutex;
use common::sync::unscheduled::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::counters::Counters;
use crate::segment::{SegmentSums, SegmentTotals};
use crate::snapshot::MeterSnapshot;

/// Totals of the instance since it was started.
///
/// A session that ends moves from one part to the other under the lock, so that no total ever goes down.
#[derive(Debug)]
pub struct SystemMeter {
    sessions: Mutex<Sessions>,
    /// Timing in sessions without a setting of their own.
    timed: AtomicBool,
    /// Limit in bytes of a trace file of those sessions.
    trace_bytes_max: AtomicU64,
}

impl Default for SystemMeter {
    fn default() -> Self {
        Self { sessions: Mutex::default(), timed: AtomicBool::new(true), trace_bytes_max: AtomicU64::new(u64::MAX) }
    }
}

#[derive(Default, Debug)]
struct Sessions {
    live: Vec<Arc<Counters>>,
    ended: MeterSnapshot,
    /// Segment statistics of ended sessions.
    segments: SegmentSums,
}

impl SystemMeter {
    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Sets timing; waits are counted in any case.
    pub fn set_timed(&self, timed: bool) {
        self.timed.store(timed, Relaxed);
    }

    #[inline]
    pub(crate) fn is_timed(&self) -> bool {
        self.timed.load(Relaxed)
    }

    /// Sets the limit in bytes of the files of later traces.
    pub fn limit_traces(&self, bytes: u64) {
        self.trace_bytes_max.store(bytes, Relaxed);
    }

    pub(crate) fn trace_bytes_max(&self) -> u64 {
        self.trace_bytes_max.load(Relaxed)
    }

    /// All counters, added up over the sessions.
    #[must_use]
    pub fn snapshot(&self) -> MeterSnapshot {
        let sessions = self.sessions.lock();
        let mut total = sessions.ended.clone();
        for counters in &sessions.live {
            total.add(&counters.snapshot());
        }
        total
    }

    /// The statistics of each segment that was used, by data object number, added up over the sessions.
    #[must_use]
    pub fn segments(&self) -> Vec<(ObjectNumber, SegmentTotals)> {
        self.segment_sums().rows()
    }

    /// The statistics of one segment.
    #[must_use]
    pub fn segment(&self, object: ObjectNumber) -> SegmentTotals {
        self.segment_sums().get(object)
    }

    fn segment_sums(&self) -> SegmentSums {
        let sessions = self.sessions.lock();
        let mut sums = sessions.segments.clone();
        sessions.live.iter().for_each(|counters| sums.add(&counters.segments));
        sums
    }

    /// Drops the counts of a dropped segment, so that its entry can be reused.
    pub fn forget_segment(&self, object: ObjectNumber) {
        let mut sessions = self.sessions.lock();
        sessions.segments.forget(object);
        sessions.live.iter().for_each(|counters| counters.segments.forget(object));
    }

    pub(crate) fn begin(&self, counters: &Arc<Counters>) {
        self.sessions.lock().live.push(Arc::clone(counters));
    }

    pub(crate) fn end(&self, counters: &Arc<Counters>) {
        let mut sessions = self.sessions.lock();
        let last = counters.snapshot();
        sessions.live.retain(|live| !Arc::ptr_eq(live, counters));
        sessions.ended.add(&last);
        sessions.segments.add(&counters.segments);
    }
}
