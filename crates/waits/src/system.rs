//! The sum over all sessions, those that have ended included.

use common::sync::{Arc, Mutex};

use crate::counters::Counters;
use crate::snapshot::MeterSnapshot;

/// Totals of the instance since it was started.
///
/// A session that ends moves from one part to the other under the lock, so that no total ever goes down.
#[derive(Default, Debug)]
pub struct SystemMeter {
    sessions: Mutex<Sessions>,
}

#[derive(Default, Debug)]
struct Sessions {
    live: Vec<Arc<Counters>>,
    ended: MeterSnapshot,
}

impl SystemMeter {
    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// All counters, added up over the sessions.
    #[must_use]
    pub fn snapshot(&self) -> MeterSnapshot {
        let sessions = self.sessions.lock();
        let mut total = sessions.ended.clone();
        for counters in &sessions.live {
            total.add(&counters.snapshot());
        }
        total
    }

    pub(crate) fn begin(&self, counters: &Arc<Counters>) {
        self.sessions.lock().live.push(Arc::clone(counters));
    }

    pub(crate) fn end(&self, counters: &Arc<Counters>) {
        let mut sessions = self.sessions.lock();
        let last = counters.snapshot();
        sessions.live.retain(|live| !Arc::ptr_eq(live, counters));
        sessions.ended.add(&last);
    }
}
