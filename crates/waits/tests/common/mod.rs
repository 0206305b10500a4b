//! A clock that the test moves.

use common::Clock;
use common::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Wall time when the clock shows 0: 2026-01-02 03:04:05 UTC.
pub(crate) const START_US: u64 = 1_767_323_045_000_000;

#[derive(Default, Debug)]
pub(crate) struct ManualClock(AtomicU64);

impl ManualClock {
    pub(crate) fn advance(&self, micros: u64) {
        self.0.fetch_add(micros, Relaxed);
    }
}

impl Clock for ManualClock {
    fn monotonic_us(&self) -> u64 {
        self.0.load(Relaxed)
    }

    fn wall_us(&self) -> u64 {
        START_US + self.0.load(Relaxed)
    }

    fn thread_cpu_us(&self) -> u64 {
        self.0.load(Relaxed) / 2
    }
}
