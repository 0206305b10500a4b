//! Enqueues: locks held for as long as a piece of work takes, for instance to the end of a transaction.
//!
//! Grants and failures are counted here; the wait event has number and time of waits.

use std::fmt;

use crate::event::Event;
use crate::snapshot::EventTotals;

struct EnqueueData {
    letters: &'static str,
    name: &'static str,
    reason: &'static str,
    event: Event,
    about: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/enqueue.rs"));

impl Enqueue {
    /// The two letters of its type.
    #[must_use]
    pub fn letters(self) -> &'static str {
        ENQUEUES[self as usize].letters
    }

    /// The type in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        ENQUEUES[self as usize].name
    }

    /// The reason in the event's name.
    #[must_use]
    pub fn reason(self) -> &'static str {
        ENQUEUES[self as usize].reason
    }

    /// The wait event.
    #[must_use]
    pub fn event(self) -> Event {
        ENQUEUES[self as usize].event
    }

    /// What it protects, in a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        ENQUEUES[self as usize].about
    }

    /// The enqueue that an event is the wait for.
    #[must_use]
    pub fn of(event: Event) -> Option<Self> {
        Self::ALL.into_iter().find(|enqueue| enqueue.event() == event)
    }

    /// P1 of a wait for it: its letters and the mode.
    #[must_use]
    pub fn name_mode(self, mode: u16) -> u64 {
        let letters = self.letters().as_bytes();
        crate::event::enqueue_name_mode([letters[0], letters[1]], mode)
    }
}

impl fmt::Display for Enqueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{} ({})", self.letters(), self.name(), self.reason())
    }
}

/// Outcomes of the requests for an enqueue, for V$ENQUEUE_STATISTICS. V$ENQUEUE_STAT has the sum over the reasons of a
/// type.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EnqueueTotals {
    pub succeeded: u64,
    /// Given up: not to be waited for (so long), a deadlock, a cancel.
    pub failed: u64,
    /// Requests that had to wait.
    pub waits: u64,
    /// Microseconds of those waits.
    pub wait_us: u64,
}

impl EnqueueTotals {
    /// Requests that have ended.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.succeeded + self.failed
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.waits += other.waits;
        self.wait_us += other.wait_us;
    }

    pub(crate) fn subtract(&mut self, earlier: &Self) {
        self.succeeded = self.succeeded.saturating_sub(earlier.succeeded);
        self.failed = self.failed.saturating_sub(earlier.failed);
        self.waits = self.waits.saturating_sub(earlier.waits);
        self.wait_us = self.wait_us.saturating_sub(earlier.wait_us);
    }

    pub(crate) fn with(requests: [u64; 2], event: &EventTotals) -> Self {
        Self { succeeded: requests[0], failed: requests[1], waits: event.waits, wait_us: event.micros }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_enqueue_event_is_an_enqueue() {
        for event in Event::ALL {
            assert_eq!(event.name().starts_with("enq: "), Enqueue::of(event).is_some(), "{event}");
        }
        let tx = Enqueue::TxRowLockContention;
        assert_eq!(tx.to_string(), "TX-Transaction (row lock contention)");
        assert_eq!((tx.event(), tx.name_mode(6)), (Event::EnqTxRowLockContention, 0x5458_0006));
        for enqueue in Enqueue::ALL {
            let name = format!("enq: {} - {}", enqueue.letters(), enqueue.reason());
            assert_eq!((enqueue.event().name(), enqueue.letters().len()), (&*name, 2));
        }
    }
}
