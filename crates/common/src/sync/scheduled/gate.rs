//! Admission: the part of a lock that the scheduler sees.
//!
//! A lock is a gate and, behind it, a lock of the machine with the data. Only admitted threads take the latter, so it
//! is always free for them, and the module needs no unsafe code.
//!
//! Threads are admitted in no order, as by the machine's locks. A thread that waits to write blocks later readers, but
//! not recursive ones.

use std::sync::Arc;

use parking_lot::{Mutex, const_mutex};
use shuttle::future::batch_semaphore::{BatchSemaphore, Fairness};

use super::point;

/// Something that happens once, and that threads wait for.
#[derive(Clone, Debug)]
pub(super) struct Happening(Arc<BatchSemaphore>);

impl Happening {
    pub(super) fn new() -> Self {
        Self(Arc::new(BatchSemaphore::new(0, Fairness::Unfair)))
    }

    /// Returns at once when it has happened.
    pub(super) fn wait(&self) {
        // There are no permits: the wait ends with the semaphore.
        let _ = self.0.acquire_blocking(1);
    }

    /// Signals the event. The caller goes on.
    pub(super) fn happen(&self) {
        self.0.close_no_scheduling_point();
    }
}

#[derive(Debug)]
pub(super) struct Gate(Mutex<Admitted>);

#[derive(Debug)]
struct Admitted {
    readers: usize,
    writer: bool,
    /// Threads that wait to write.
    writers_waiting: usize,
    /// The event on which the threads that are kept out wait.
    changed: Option<Happening>,
}

impl Admitted {
    fn admits(&self, entry: Entry) -> bool {
        match entry {
            Entry::Write => !self.writer && self.readers == 0,
            Entry::Read => !self.writer && self.writers_waiting == 0,
            Entry::ReadAgain => !self.writer,
        }
    }

    fn admit(&mut self, entry: Entry) {
        match entry {
            Entry::Write => self.writer = true,
            Entry::Read | Entry::ReadAgain => self.readers += 1,
        }
    }
}

/// A thread's request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Entry {
    Write,
    Read,
    /// A read, by a thread that may be reading already: waiting writers do not block it.
    ReadAgain,
}

impl Gate {
    pub(super) const fn new() -> Self {
        Self(const_mutex(Admitted { readers: 0, writer: false, writers_waiting: 0, changed: None }))
    }

    pub(super) fn try_enter(&self, entry: Entry) -> bool {
        point();
        let mut state = self.0.lock();
        let admitted = state.admits(entry);
        if admitted {
            state.admit(entry);
        }
        admitted
    }

    pub(super) fn enter(&self, entry: Entry) {
        point();
        let mut waits = false;
        loop {
            let changed = {
                let mut state = self.0.lock();
                if state.admits(entry) {
                    state.admit(entry);
                    state.writers_waiting -= usize::from(waits && entry == Entry::Write);
                    return;
                }
                state.writers_waiting += usize::from(!waits && entry == Entry::Write);
                waits = true;
                state.changed.get_or_insert_with(Happening::new).clone()
            };
            changed.wait();
        }
    }

    /// Ends the caller's admission. The caller has released the data's own lock before.
    pub(super) fn leave(&self, entry: Entry) {
        point();
        let changed = {
            let mut state = self.0.lock();
            match entry {
                Entry::Write => state.writer = false,
                Entry::Read | Entry::ReadAgain => state.readers -= 1,
            }
            state.changed.take()
        };
        if let Some(changed) = changed {
            changed.happen();
        }
    }
}

/// The guard of a thread that the gate has let in: it is always there.
pub(super) fn let_in<G>(guard: Option<G>) -> G {
    match guard {
        Some(guard) => guard,
        None => unreachable!("whom the gate lets in finds the data free"),
    }
}
