//! What was waited for.

use common::BlockClass;
use report::statspack::Snapshot;
use report::statspack::records::{BackgroundEvent, ClassWaits, EnqueueStatistics, EventHistogram, Latch, SystemEvent};
use waits::{Enqueue, Event, LatchName, MeterSnapshot, WaitClass, histogram_bound_us};

use super::centiseconds;

/// Events; `background` are those of background processes alone.
pub(super) fn events(all: &MeterSnapshot, background: &MeterSnapshot, snapshot: &mut Snapshot) {
    for event in Event::ALL {
        let (totals, behind) = (all.event(event), background.event(event));
        if totals.waits == 0 {
            continue;
        }
        let name = || event.name().to_owned();
        snapshot.events.push(SystemEvent {
            event: name(),
            class: event.class().name().to_owned(),
            idle: event.class() == WaitClass::Idle,
            waits: totals.waits,
            timeouts: totals.timeouts,
            micros: totals.micros,
            foreground_waits: totals.waits.saturating_sub(behind.waits),
            foreground_timeouts: totals.timeouts.saturating_sub(behind.timeouts),
            foreground_micros: totals.micros.saturating_sub(behind.micros),
        });
        if behind.waits > 0 {
            snapshot.background_events.push(BackgroundEvent {
                event: name(),
                waits: behind.waits,
                timeouts: behind.timeouts,
                micros: behind.micros,
            });
        }
        let mut last = 0;
        for (bucket, waits) in totals.histogram.iter().enumerate().filter(|(_, waits)| **waits > 0) {
            // The last bucket has no bound: its waits may be longer than twice the one before.
            let below_us = histogram_bound_us(bucket).unwrap_or(1 << bucket);
            debug_assert!(below_us > last, "bounds rise");
            last = below_us;
            snapshot.event_histograms.push(EventHistogram { event: name(), below_us, waits: *waits });
        }
    }
}

/// Buffers by class, enqueues and latches.
pub(super) fn contention(all: &MeterSnapshot, snapshot: &mut Snapshot) {
    snapshot.class_waits = BlockClass::ALL
        .iter()
        .map(|class| {
            let waits = all.buffer_waits(*class);
            ClassWaits {
                class: class.name().to_owned(),
                waits: waits.waits,
                centiseconds: centiseconds(waits.micros),
            }
        })
        .collect();
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
