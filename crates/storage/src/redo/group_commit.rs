//! Group commit: whether the next log write is delayed a moment, so that it also serves sessions that are about to
//! commit.
//!
//! Sessions that commit one transaction after another come back soon after a write has served them. A write that begins
//! when the first of them is back leaves the others to the next write, and each write serves half of them. A write that
//! begins when as many sessions wait as at the end of the write before serves all of them. The delay is at most the
//! average time of a write: a session that meets a write in flight waits as long. Where the expected sessions do not
//! come, the next writes are not delayed.

use common::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use common::sync::yield_now;

/// Most writes without a delay after a delay that was in vain.
const PENALTY_MAX: u32 = 255;

/// Group size at which waiting for more commits stops paying off: the device would idle, and the sessions that come
/// keep the processors busy during the write anyway.
const ENOUGH: usize = 6;

#[derive(Default, Debug)]
pub(super) struct GroupCommit {
    /// Threads that wait for redo and have not been served.
    waiting: AtomicUsize,
    /// Threads that waited at the end of the last write, the served ones included.
    expected: AtomicUsize,
    /// Writes from now on that are not delayed.
    skip: AtomicU32,
    /// What `skip` was set to last.
    penalty: AtomicU32,
}

impl GroupCommit {
    /// A thread begins to wait for its redo.
    pub(super) fn begin_wait(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// A thread ends its wait without being woken: it wrote the redo itself, or gives up.
    pub(super) fn end_wait(&self) {
        let before = self.waiting.fetch_sub(1, Ordering::Relaxed);
        debug_assert!(before > 0, "a thread ends a wait that it has not begun");
    }

    /// A write has ended and wakes `sleepers` threads.
    pub(super) fn served(&self, sleepers: usize) {
        let before = self.waiting.fetch_sub(sleepers, Ordering::Relaxed);
        debug_assert!(before >= sleepers, "{sleepers} threads were served, and {before} waited");
        self.expected.store(before, Ordering::Relaxed);
    }

    /// Whether the group is as large as expected, or large enough.
    fn complete(&self) -> bool {
        let waiting = self.waiting.load(Ordering::Relaxed);
        waiting >= ENOUGH || waiting >= self.expected.load(Ordering::Relaxed)
    }

    /// Delays a writer before its write until the group is complete, at most `most_us` on the clock `now_us`. Other
    /// threads run meanwhile.
    pub(super) fn gather(&self, most_us: u64, now_us: impl Fn() -> u64) {
        if self.complete() {
            return;
        }
        let skip = self.skip.load(Ordering::Relaxed);
        if skip > 0 {
            self.skip.store(skip - 1, Ordering::Relaxed);
            return;
        }
        let since = now_us();
        while now_us().saturating_sub(since) < most_us {
            yield_now();
            if self.complete() {
                self.penalty.store(0, Ordering::Relaxed);
                return;
            }
        }
        let penalty = (2 * self.penalty.load(Ordering::Relaxed) + 1).min(PENALTY_MAX);
        self.penalty.store(penalty, Ordering::Relaxed);
        self.skip.store(penalty, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// How long the delay is while `come` threads come, one each microsecond.
    fn gather(group: &GroupCommit, come: u64) -> u64 {
        let now = Cell::new(0);
        group.gather(100, || {
            now.set(now.get() + 1);
            if now.get() > 1 && now.get() <= come + 1 {
                group.begin_wait();
            }
            now.get()
        });
        now.get()
    }

    #[test]
    fn a_write_is_delayed_until_the_served_sessions_are_back_and_not_for_long_in_vain() {
        let group = GroupCommit::default();
        group.begin_wait();
        assert_eq!(gather(&group, 0), 0, "nobody else is expected");
        // Four more sleep; the write serves all of them and the writer.
        (0..4).for_each(|_| group.begin_wait());
        group.served(4);
        group.end_wait();
        group.begin_wait();
        let waited = gather(&group, 4);
        assert!((4..10).contains(&waited), "{waited}");
        group.served(4);
        group.end_wait();
        // Now nobody comes: one write is delayed, the next ones are not.
        group.begin_wait();
        assert!(gather(&group, 0) >= 100);
        assert_eq!(gather(&group, 0), 0);
        assert!(gather(&group, 0) >= 100);
        for _ in 0..3 {
            assert_eq!(gather(&group, 0), 0);
        }
        // After a write that served its writer alone, no write is delayed.
        group.served(0);
        group.end_wait();
        group.begin_wait();
        assert_eq!(gather(&group, 0), 0);
    }
}
