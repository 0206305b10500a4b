//! A modelled device in real time: one queue, whose requests end when the model says.
//!
//! The waiters carry the model forward: one waiter at a time lets the model decide what comes next, and tells the
//! others when their requests end. Without a waiter nothing has to happen, because decisions depend on the times of
//! arrival alone and can be made later.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::time::Duration;

use common::Clock;
use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, Condvar, Mutex, MutexGuard};

use crate::lateness::Lateness;
use crate::model::{ArmTimes, Model, Request, Ticket};

/// A modelled device that requests of several files share.
#[derive(Debug)]
pub struct Spindle {
    clock: Arc<dyn Clock>,
    /// Microseconds of the clock for one of the model.
    dilate: f64,
    origin_us: u64,
    state: Mutex<SpindleState>,
    lateness: Lateness,
    untimed: AtomicBool,
}

#[derive(Debug)]
struct SpindleState {
    model: Box<dyn Model>,
    /// Those who wait for a decision.
    waiting: BTreeMap<Ticket, Arc<Condvar>>,
    /// Ends that have been decided and not been asked for yet.
    ends: BTreeMap<Ticket, f64>,
    /// Requests that were dropped before their ends were decided.
    forgotten: BTreeSet<Ticket>,
    /// One of the waiting carries the model forward.
    driven: bool,
}

impl SpindleState {
    /// Decides what can be decided until `now`, and tells those who wait for it.
    fn advance(&mut self, now: f64) {
        self.model.advance(now);
        let Self { model, waiting, ends, forgotten, .. } = self;
        forgotten.retain(|ticket| model.take_end(*ticket).is_none());
        waiting.retain(|ticket, waiter| match model.take_end(*ticket) {
            Some(end) => {
                ends.insert(*ticket, end);
                waiter.notify_one();
                false
            }
            None => true,
        });
    }

    fn end(&mut self, ticket: Ticket) -> Option<f64> {
        self.ends.remove(&ticket).or_else(|| self.model.take_end(ticket))
    }
}

/// A request that a device has taken, and whose end is to be asked for once: by [`Spindle::wait`] or
/// [`Spindle::forget`].
#[derive(Debug)]
pub struct Submitted {
    ticket: Ticket,
    at: f64,
}

impl Spindle {
    /// A device at rest. `dilate`: so many times slower than the model says.
    #[must_use]
    pub fn new(model: Box<dyn Model>, clock: Arc<dyn Clock>, dilate: f64) -> Self {
        let origin_us = clock.monotonic_us();
        let state = SpindleState {
            model,
            waiting: BTreeMap::new(),
            ends: BTreeMap::new(),
            forgotten: BTreeSet::new(),
            driven: false,
        };
        Self {
            clock,
            dilate,
            origin_us,
            state: Mutex::new(state),
            lateness: Lateness::default(),
            untimed: AtomicBool::new(false),
        }
    }

    /// Has requests end as soon as the files beneath do, without the model, until it is told otherwise: for work that a
    /// run needs and does not measure.
    pub fn set_untimed(&self, untimed: bool) {
        self.untimed.store(untimed, Ordering::Release);
    }

    pub(crate) fn is_untimed(&self) -> bool {
        self.untimed.load(Ordering::Acquire)
    }

    /// The present in the model's time.
    pub(crate) fn now(&self) -> f64 {
        self.clock.monotonic_us().saturating_sub(self.origin_us) as f64 / self.dilate
    }

    /// A request arrives.
    pub fn submit(&self, request: Request) -> Submitted {
        let mut state = self.state.lock();
        let at = self.now();
        Submitted { ticket: state.model.submit(at, request), at }
    }

    /// What has been written is to become durable.
    pub fn flush(&self) -> Submitted {
        let mut state = self.state.lock();
        let at = self.now();
        Submitted { ticket: state.model.flush(at), at }
    }

    /// True: the request has ended.
    pub fn is_done(&self, submitted: &Submitted) -> bool {
        let mut state = self.state.lock();
        let now = self.now();
        state.advance(now);
        let Some(end) = state.end(submitted.ticket) else { return false };
        state.ends.insert(submitted.ticket, end);
        end <= now
    }

    /// Blocks until the request ends. Its lateness begins at its end.
    pub fn wait(&self, submitted: Submitted) {
        self.wait_since(submitted, 0.0);
    }

    /// As [`wait`](Self::wait), for a caller that began to wait at the model's time `asked`. Lateness begins then at
    /// the earliest: what the caller did before is no delay of the device.
    pub fn wait_since(&self, submitted: Submitted, asked: f64) {
        let end = self.decided(submitted.ticket);
        let mut state = self.state.lock();
        let until = Condvar::new();
        loop {
            let now = self.now();
            if now >= end {
                drop(state);
                self.lateness.count(end - submitted.at, now - end.max(asked));
                return;
            }
            self.sleep(&until, &mut state, end - now);
        }
    }

    /// Drops a request whose end the caller does not want.
    pub fn forget(&self, submitted: Submitted) {
        let mut state = self.state.lock();
        if state.end(submitted.ticket).is_none() {
            state.forgotten.insert(submitted.ticket);
        }
    }

    /// Requests whose ends are still kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        let state = self.state.lock();
        state.ends.len() + state.forgotten.len() + state.waiting.len()
    }

    /// When a request ends; returns as soon as that is known.
    fn decided(&self, ticket: Ticket) -> f64 {
        let mut state = self.state.lock();
        let mine = Arc::new(Condvar::new());
        loop {
            let now = self.now();
            state.advance(now);
            if let Some(end) = state.end(ticket) {
                if !state.driven
                    && let Some(other) = state.waiting.values().next()
                {
                    // Another one carries the model forward from here on.
                    other.notify_one();
                }
                return end;
            }
            state.waiting.insert(ticket, Arc::clone(&mine));
            if state.driven {
                mine.wait(&mut state);
            } else {
                state.driven = true;
                // A request that arrives meanwhile does not begin before the ones that are there.
                let next = state.model.next_begin();
                self.sleep(&mine, &mut state, next.map_or(1.0, |next| next - now));
                state.driven = false;
            }
            state.waiting.remove(&ticket);
        }
    }

    fn sleep(&self, until: &Condvar, state: &mut MutexGuard<'_, SpindleState>, us: f64) {
        wake_on_time();
        let real = Duration::from_nanos((us.max(0.0) * self.dilate * 1e3).ceil() as u64);
        until.wait_for(state, real);
    }

    /// How late requests ended.
    pub fn lateness(&self) -> &Lateness {
        &self.lateness
    }

    /// What an arm has spent its time on so far; None for a device without one.
    pub fn arm(&self) -> Option<ArmTimes> {
        self.state.lock().model.arm()
    }

    /// Bytes of the address space.
    pub fn bytes(&self) -> u64 {
        self.state.lock().model.bytes()
    }
}

common::sync::thread_local! {
    static ON_TIME: Cell<bool> = const { Cell::new(false) };
}

/// Asks the kernel to wake the calling thread when it is due: by default it may wait for 50 microseconds, to wake
/// several threads at once.
fn wake_on_time() {
    ON_TIME.with(|on_time| {
        if !on_time.replace(true) {
            // Where the kernel refuses, ends are later, and counted so.
            let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        }
    });
}
