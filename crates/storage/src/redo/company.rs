//! Whether the next write is worth a moment's wait for those who are about to commit as well.
//!
//! Sessions that commit one transaction after another come back soon after they have been served. A write that begins as soon as the first of them is back
//! leaves the others to the next one, and so each write serves half of them. One that begins when as many wait as did at the end of the write before serves
//! all. Nobody is waited for longer than a write takes, which is what a session that meets a write in flight waits too; and where those who are waited
//! for do not come, the next writes do not wait at all.

use common::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Writes that do not wait after one that waited in vain, at the most.
const PENALTY_MAX: u32 = 255;

/// So many share a write well enough: to wait for more would leave the device idle while those who come keep the processors busy during the write as well.
const ENOUGH: usize = 6;

#[derive(Default, Debug)]
pub(super) struct Company {
    /// Threads that wait for redo and have not been served.
    waiting: AtomicUsize,
    /// Those who waited when the last write ended, and whom it has served.
    expected: AtomicUsize,
    /// Writes that are not to wait, and how many it were the last time.
    skip: AtomicU32,
    penalty: AtomicU32,
}

impl Company {
    /// A thread begins to wait for its redo.
    pub(super) fn came(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// A thread that has written for itself has what it waited for.
    pub(super) fn left(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// A write has ended, and has served so many who slept.
    pub(super) fn served(&self, sleepers: usize) {
        self.expected.store(self.waiting.fetch_sub(sleepers, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether as many wait as can be expected, or enough for a write of their own while the others work.
    fn complete(&self) -> bool {
        let waiting = self.waiting.load(Ordering::Relaxed);
        waiting >= ENOUGH || waiting >= self.expected.load(Ordering::Relaxed)
    }

    /// Waits until as many wait as can be expected, but at most `most_us` by `now_us`. Other threads run meanwhile.
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
            std::thread::yield_now();
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

    /// How long a gathering takes while `come` threads come, one each microsecond.
    fn gather(company: &Company, come: u64) -> u64 {
        let now = Cell::new(0);
        company.gather(100, || {
            now.set(now.get() + 1);
            if now.get() > 1 && now.get() <= come + 1 {
                company.came();
            }
            now.get()
        });
        now.get()
    }

    #[test]
    fn as_many_are_waited_for_as_were_served_and_nobody_who_does_not_come_for_long() {
        let company = Company::default();
        company.came();
        assert_eq!(gather(&company, 0), 0, "nobody else is known");
        // Four more sleep; all are served, the writer too.
        (0..4).for_each(|_| company.came());
        company.served(4);
        company.left();
        company.came();
        let waited = gather(&company, 4);
        assert!((4..10).contains(&waited), "{waited}");
        company.served(4);
        company.left();
        // Now nobody comes: the writer waits once, then not at all for a while.
        company.came();
        assert!(gather(&company, 0) >= 100);
        assert_eq!(gather(&company, 0), 0);
        assert!(gather(&company, 0) >= 100);
        for _ in 0..3 {
            assert_eq!(gather(&company, 0), 0);
        }
        // A write that has served its writer alone makes nobody wait.
        company.served(0);
        company.left();
        company.came();
        assert_eq!(gather(&company, 0), 0);
    }
}
