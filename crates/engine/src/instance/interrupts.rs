//! Interrupts of a session's worker: a cancel, a kill, the close of the instance.

use common::Result;
use common::sync::Arc;
use common::sync::atomic::Ordering;

use super::calls::Calls;
use super::entry::SessionEntry;
use super::kill::killed;
use super::session::cancelled;
use storage::health::Health;
use storage::process::Client;

/// A session as its worker knows it.
#[derive(Debug)]
pub(super) struct Interrupts {
    entry: Arc<SessionEntry>,
    calls: Arc<Calls>,
    health: Arc<Health>,
}

impl Interrupts {
    pub(super) fn new(entry: Arc<SessionEntry>, calls: Arc<Calls>, health: Arc<Health>) -> Self {
        Self { entry, calls, health }
    }
}

impl Client for Interrupts {
    fn check(&self, tidying: bool) -> Result<()> {
        if self.entry.is_killed() {
            return if tidying { Ok(()) } else { Err(self.entry.calls.death_in_call()) };
        }
        self.health.check_stopped()?;
        if self.entry.is_orphaned() && !tidying {
            return Err(killed());
        }
        if !self.entry.cancelled.load(Ordering::Relaxed) {
            return self.calls.check(&self.entry.calls);
        }
        self.entry.cancelled.store(false, Ordering::Release);
        Err(cancelled())
    }

    fn user(&self) -> Arc<str> {
        self.entry.user()
    }

    fn statement(&self) -> Option<Arc<str>> {
        self.entry.statement()
    }
}
