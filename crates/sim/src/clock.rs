//! Time that passes only because somebody looks at it.

use common::Clock;
use common::sync::atomic::{AtomicU64, Ordering};

/// Microseconds that pass with each look: enough that no two are the same.
const STEP_US: u64 = 7;
/// 2025-01-01.
const ORIGIN_US: u64 = 1_735_689_600_000_000;

/// A clock that goes on a little with each look, and by hand.
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
