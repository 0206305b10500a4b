//! A clock that advances only when it is read.

use common::Clock;
use common::sync::atomic::{AtomicU64, Ordering};

/// Microseconds of each step: enough that no two readings are the same.
const STEP_US: u64 = 7;
/// 2025-01-01.
const ORIGIN_US: u64 = 1_735_689_600_000_000;

/// A clock that advances a little with each reading, and by hand.
#[derive(Debug, Default)]
pub struct SimulatedClock(AtomicU64);

impl SimulatedClock {
    /// Lets time pass.
    pub fn pass(&self, micros: u64) {
        self.0.fetch_add(micros, Ordering::Relaxed);
    }
}

impl Clock for SimulatedClock {
    fn monotonic_us(&self) -> u64 {
        self.0.fetch_add(STEP_US, Ordering::Relaxed)
    }

    fn wall_us(&self) -> u64 {
        ORIGIN_US + self.monotonic_us()
    }

    fn thread_cpu_us(&self) -> u64 {
        0
    }
}
