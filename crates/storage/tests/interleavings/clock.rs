//! A clock that goes on by being read.

use common::Clock;
use common::sync::unscheduled::atomic::{AtomicU64, Ordering};

/// Each reading is so many microseconds after the one before.
#[derive(Debug)]
pub(crate) struct Ticking {
    now_us: AtomicU64,
    step_us: u64,
}

impl Ticking {
    pub(crate) fn new(step_us: u64) -> Self {
        Self { now_us: AtomicU64::new(1_000_000), step_us }
    }
}

impl Clock for Ticking {
    fn monotonic_us(&self) -> u64 {
        self.now_us.fetch_add(self.step_us, Ordering::Relaxed)
    }

    fn wall_us(&self) -> u64 {
        self.monotonic_us()
    }

    fn thread_cpu_us(&self) -> u64 {
        self.monotonic_us()
    }
}
