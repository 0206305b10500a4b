//! Time and randomness come through traits, so that a simulator can supply both.

use std::fmt;
use std::time::Instant;

/// Wall time and a monotonic clock.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Microseconds on a clock that never goes back; its origin is arbitrary.
    fn monotonic_us(&self) -> u64;
    /// Microseconds since 1970-01-01 UTC.
    fn wall_us(&self) -> u64;
    /// CPU time of the calling thread, microseconds.
    fn thread_cpu_us(&self) -> u64;
}

/// Random numbers.
pub trait Random: fmt::Debug + Send + Sync {
    fn next_u64(&self) -> u64;
}

/// The machine's own clock.
#[derive(Debug)]
pub struct SystemClock {
    origin: Instant,
}

impl Default for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the real clock")]
    fn default() -> Self {
        Self { origin: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn monotonic_us(&self) -> u64 {
        self.origin.elapsed().as_micros() as u64
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that reads the real clock")]
    fn wall_us(&self) -> u64 {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_micros() as u64)
    }

    fn thread_cpu_us(&self) -> u64 {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        (time.tv_sec as u64) * 1_000_000 + (time.tv_nsec as u64) / 1_000
    }
}
