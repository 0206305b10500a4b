//! The system monitor: periodic housekeeping. Today that is undo ([`UndoSegments::round`]), retrying to roll back
//! transactions that a crash has left, and noting which regions of mirrored files are written to no more.
//!
//! It has a thread of its own: the database writer must never wait for room in the log, which its own writes make.

use std::sync::Weak;
use std::time::Duration;

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{self, Arc, Condvar, Mutex};
use common::{Error, ErrorKind, Number, Result};
use waits::{Event, Meter};

use super::Instance;
use super::session::Session;
use super::sessions::Background;
use storage::undo::UndoSegments;

#[derive(Debug)]
pub(super) struct Monitor {
    closed: Mutex<bool>,
    wake: Condvar,
    /// When the last round was, on the monotonic clock.
    last_us: AtomicU64,
    /// Why the last round failed.
    noted: Mutex<Option<String>>,
}

impl Monitor {
    pub(super) fn new(now_us: u64) -> Self {
        Self {
            closed: Mutex::new(false),
            wake: Condvar::default(),
            last_us: AtomicU64::new(now_us),
            noted: Mutex::default(),
        }
    }

    /// Ends the thread, after a round under way.
    pub(super) fn close(&self) {
        *self.closed.lock() = true;
        self.wake.notify_all();
    }

    /// True: a round is due, which the caller then makes.
    pub(super) fn is_due(&self, now_us: u64) -> bool {
        let due = now_us.saturating_sub(self.last_us.load(Ordering::Relaxed)) >= UndoSegments::ROUND_US;
        if due {
            self.last_us.store(now_us, Ordering::Relaxed);
        }
        due
    }

    /// Notes why a round failed, once for as long as it is the same.
    fn note(&self, instance: &Instance, outcome: Result<()>) {
        let mut noted = self.noted.lock();
        let failure = outcome.err().filter(|error| instance.health().check().is_ok() && !error.is_ora(1089));
        let text = failure.map(|error| error.to_string());
        if *noted != text {
            if let Some(text) = &text {
                instance.note(format!("the system monitor: {text}"));
            }
            *noted = text;
        }
    }

    /// The thread's loop. It holds the instance during a round only, so an unused instance ends.
    fn run(&self, meter: &Meter, instance: &Weak<Instance>) {
        loop {
            let seconds = UndoSegments::ROUND_US / 1_000_000;
            let closed = meter.wait(Event::SmonTimer, [seconds, 0, 0], -1, || {
                let mut closed = self.closed.lock();
                if !*closed {
                    self.wake.wait_for(&mut closed, Duration::from_micros(UndoSegments::ROUND_US));
                }
                *closed
            });
            if closed {
                return;
            }
            let Some(instance) = instance.upgrade() else { return };
            // The wake may be spurious. A failure is retried in the next round; an instance that has stopped reports
            // that to its sessions.
            if instance.health().check().is_err() {
                return;
            }
            if self.is_due(instance.clock().monotonic_us()) {
                self.note(&instance, instance.monitor_round());
            }
        }
    }
}

impl Instance {
    pub(super) fn start_monitor(self: &Arc<Self>) -> Result<()> {
        let (monitor, instance) = (self.monitor.clone(), Arc::downgrade(self));
        let meter = self.sessions.background(Background::MONITOR).meter.clone();
        sync::spawn("smon", move || monitor.run(&meter, &instance)).map(drop).map_err(|error| {
            Error::new(ErrorKind::Io, Number::Ora(443), format!("cannot start the system monitor: {error}"))
        })
    }

    /// One round of the system monitor.
    ///
    /// # Errors
    /// Errors of the cache; ORA-01089 when the instance is being closed.
    pub fn monitor_round(self: &Arc<Self>) -> Result<()> {
        let entry = self.sessions.background(Background::MONITOR).clone();
        let session = Arc::new(Session::new(self.clone(), entry, None));
        let _call = session.call()?;
        // What one of these cannot do keeps none of the others from their work.
        let tidied = self.tidy_disk_groups(&session);
        let rolled_back = self.retry_rollbacks(&session);
        self.undo().round(&session).and(rolled_back).and(tidied)
    }
}
