//! Enqueues and latches.

use report::statspack::Snapshot;
use report::statspack::records::{EnqueueStatistics, Latch};
use waits::{Enqueue, LatchName, MeterSnapshot};

pub(super) fn contention(all: &MeterSnapshot, snapshot: &mut Snapshot) {
    snapshot.enqueues = Enqueue::ALL
        .into_iter()
        .filter(|enqueue| all.enqueue(*enqueue).requests() > 0)
        .map(|enqueue| {
            let totals = all.enqueue(enqueue);
            EnqueueStatistics {
                kind: enqueue.letters().to_owned(),
                reason: enqueue.reason().to_owned(),
                name: enqueue.name().to_owned(),
                requests: totals.requests(),
                waits: totals.waits,
                gets: totals.succeeded,
                failed: totals.failed,
                milliseconds: totals.wait_us as f64 / 1_000.0,
            }
        })
        .collect();
    snapshot.latches = LatchName::ALL
        .into_iter()
        .map(|latch| {
            let totals = all.latch(latch);
            Latch {
                name: latch.name().to_owned(),
                gets: totals.gets,
                misses: totals.misses,
                sleeps: totals.sleeps,
                immediate_gets: totals.immediate_gets,
                immediate_misses: totals.immediate_misses,
                spin_gets: totals.spin_gets,
                wait_us: totals.wait_us,
            }
        })
        .collect();
}
