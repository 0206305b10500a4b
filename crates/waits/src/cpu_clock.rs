//! CPU time of a session's thread, without a system call for each reading: a statement of a few microseconds would
//! spend a good part of them in asking.

use common::Clock;
use common::sync::ThreadId;
use common::sync::unscheduled::Mutex as OwnMutex;

/// For how long the thread counts as running since its clock was looked at, in microseconds: the most by which a
/// reading is too high.
const TRUSTED_US: u64 = 100;

#[derive(Debug)]
struct Look {
    thread: ThreadId,
    /// When the clock was looked at, on the monotonic clock.
    at_us: u64,
    /// What it showed.
    cpu_us: u64,
    /// The last reading that was given.
    given_us: u64,
    /// The thread has waited since.
    waited: bool,
}

/// Readings of one session, which mostly stays on one thread.
#[derive(Default, Debug)]
pub(crate) struct CpuClock(OwnMutex<Option<Look>>);

impl CpuClock {
    /// CPU time of the calling thread at `now_us` of the monotonic clock: never less than the reading before, and too
    /// high by [`TRUSTED_US`] at most.
    pub(crate) fn read(&self, clock: &dyn Clock, now_us: u64) -> u64 {
        let thread = ThreadId::current();
        let mut last = self.0.lock();
        let before = match &mut *last {
            Some(look) if look.thread == thread => {
                let passed = now_us.saturating_sub(look.at_us);
                if !look.waited && passed < TRUSTED_US {
                    look.given_us = look.given_us.max(look.cpu_us + passed);
                    return look.given_us;
                }
                look.given_us
            }
            _ => 0,
        };
        let cpu_us = clock.thread_cpu_us();
        let given_us = cpu_us.max(before);
        *last = Some(Look { thread, at_us: now_us, cpu_us, given_us, waited: false });
        given_us
    }

    /// The session has waited: its thread may have stood still.
    pub(crate) fn waited(&self) {
        if let Some(look) = &mut *self.0.lock() {
            look.waited = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[derive(Default, Debug)]
    struct Thread {
        cpu_us: AtomicU64,
        looks: AtomicU64,
    }

    impl Clock for Thread {
        fn monotonic_us(&self) -> u64 {
            0
        }

        fn wall_us(&self) -> u64 {
            0
        }

        fn thread_cpu_us(&self) -> u64 {
            self.looks.fetch_add(1, Ordering::Relaxed);
            self.cpu_us.load(Ordering::Relaxed)
        }
    }

    impl Thread {
        fn runs(&self, micros: u64) {
            self.cpu_us.fetch_add(micros, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_thread_that_runs_is_looked_at_now_and_then() {
        let (clock, thread) = (CpuClock::default(), Thread::default());
        thread.runs(5_000);
        for now in 0..1_000 {
            assert_eq!(clock.read(&thread, now), 5_000 + now);
            thread.runs(1);
        }
        assert_eq!(thread.looks.load(Ordering::Relaxed), 1_000 / TRUSTED_US);
    }

    #[test]
    fn a_wait_is_no_cpu_time() {
        let (clock, thread) = (CpuClock::default(), Thread::default());
        assert_eq!(clock.read(&thread, 0), 0);
        thread.runs(10);
        clock.waited();
        assert_eq!(clock.read(&thread, 90), 10);
    }

    #[test]
    fn readings_are_too_high_by_so_much_at_most_and_never_fall() {
        let (clock, thread) = (CpuClock::default(), Thread::default());
        let (mut now, mut last) = (0, 0);
        // It runs for a tenth of the time, and no wait is told of.
        for step in 0..10_000 {
            now += 7;
            thread.runs(u64::from(step % 10 == 0) * 7);
            let (reading, truth) = (clock.read(&thread, now), thread.cpu_us.load(Ordering::Relaxed));
            assert!(last <= reading && truth <= reading && reading <= truth + TRUSTED_US, "{reading}, {truth}");
            last = reading;
        }
    }
}
