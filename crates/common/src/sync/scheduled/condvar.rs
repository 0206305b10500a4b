//! Condition variables.

use std::cell::Cell;
use std::time::Duration;

use shuttle::rand::{RngCore, thread_rng};

use super::gate::Happening;
use super::{MutexGuard, point, yield_now};

/// The end of a wait with a time limit: there is no time under the scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TimeOuts {
    /// Only a notification ends it. The scheduler reports a thread that is never notified as a deadlock, which a
    /// time-out would hide.
    Never,
    /// One wait in [`ONE_IN`] times out, once other threads have run; the others end as with [`TimeOuts::Never`].
    #[default]
    Sometimes,
}

std::thread_local! {
    /// For the present exploration: all of its threads are this one thread of the machine.
    static TIME_OUTS: Cell<TimeOuts> = const { Cell::new(TimeOuts::Sometimes) };
}

/// One in so many waits with a limit times out.
const ONE_IN: u64 = 4;

impl TimeOuts {
    pub(super) fn apply(self) {
        TIME_OUTS.set(self);
    }

    fn ends_by_time() -> bool {
        TIME_OUTS.get() == Self::Sometimes && thread_rng().next_u64().is_multiple_of(ONE_IN)
    }
}

/// As `parking_lot`'s.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// As `parking_lot`'s.
#[derive(Default, Debug)]
pub struct Condvar {
    waiters: parking_lot::Mutex<Waiting>,
}

#[derive(Default, Debug)]
struct Waiting {
    next: u64,
    /// By unique numbers.
    waiting: Vec<(u64, Happening)>,
}

impl Condvar {
    #[must_use]
    pub const fn new() -> Self {
        Self { waiters: parking_lot::const_mutex(Waiting { next: 0, waiting: Vec::new() }) }
    }

    pub fn wait<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>) {
        let (_, woken) = self.begin();
        guard.let_go();
        woken.wait();
        guard.take_again();
    }

    /// [`TimeOuts`] decides how it ends.
    pub fn wait_for<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>, _most: Duration) -> WaitTimeoutResult {
        if !TimeOuts::ends_by_time() {
            self.wait(guard);
            return WaitTimeoutResult(false);
        }
        let (number, _) = self.begin();
        guard.let_go();
        yield_now();
        let timed_out = {
            let mut waiters = self.waiters.lock();
            let before = waiters.waiting.len();
            waiters.waiting.retain(|(other, _)| *other != number);
            waiters.waiting.len() < before
        };
        guard.take_again();
        WaitTimeoutResult(timed_out)
    }

    /// Adds the caller to the waiters. The caller still holds the lock, so it misses no later notification.
    fn begin(&self) -> (u64, Happening) {
        let woken = Happening::new();
        let mut waiters = self.waiters.lock();
        let number = waiters.next;
        waiters.next += 1;
        waiters.waiting.push((number, woken.clone()));
        (number, woken)
    }

    /// Wakes one waiter, of the scheduler's choice.
    pub fn notify_one(&self) -> bool {
        point();
        let woken = {
            let mut waiters = self.waiters.lock();
            match waiters.waiting.len() as u64 {
                0 => None,
                1 => waiters.waiting.pop(),
                many => {
                    let one = (thread_rng().next_u64() % many) as usize;
                    Some(waiters.waiting.swap_remove(one))
                }
            }
        };
        if let Some((_, woken)) = &woken {
            woken.happen();
        }
        woken.is_some()
    }

    pub fn notify_all(&self) -> usize {
        point();
        let woken = std::mem::take(&mut self.waiters.lock().waiting);
        woken.iter().for_each(|(_, woken)| woken.happen());
        woken.len()
    }
}
