//! Figures of the engine's meters as parts of a snapshot: names, units and buckets as the views have them.

use common::BlockClass;
use waits::{Event, HISTOGRAM_BUCKETS, MeterSnapshot, Statistic, WaitClass, histogram_bound_us};

use super::records::{BackgroundEvent, ClassWaits, EventHistogram, SystemEvent, SystemStatistic};
use super::snapshot::Snapshot;

/// Bound of a histogram's last bucket, which holds all longer waits.
const LAST_BOUND_US: u64 = 1 << (HISTOGRAM_BUCKETS - 1);

impl Snapshot {
    /// Takes statistics, wait events, their histograms and waits by block class from the meters of the instance, in
    /// place of those that the snapshot has. `system` is the sum over all sessions, `background` that over background
    /// processes, taken first: the rest is the foreground's. Events and classes without waits are left out, as
    /// V$SYSTEM_EVENT does.
    pub fn set_meters(&mut self, system: &MeterSnapshot, background: &MeterSnapshot) {
        let statistic = |statistic: Statistic| SystemStatistic {
            name: statistic.name().to_owned(),
            value: statistic.shown(system.value(statistic)),
        };
        self.statistics = Statistic::ALL.into_iter().map(statistic).collect();
        self.events.clear();
        self.background_events.clear();
        self.event_histograms.clear();
        for event in Event::ALL {
            let (all, background) = (system.event(event), background.event(event));
            if all.waits == 0 {
                continue;
            }
            let name = || event.name().to_owned();
            self.events.push(SystemEvent {
                event: name(),
                class: event.class().name().to_owned(),
                idle: event.class() == WaitClass::Idle,
                waits: all.waits,
                timeouts: all.timeouts,
                micros: all.micros,
                foreground_waits: all.waits.saturating_sub(background.waits),
                foreground_timeouts: all.timeouts.saturating_sub(background.timeouts),
                foreground_micros: all.micros.saturating_sub(background.micros),
            });
            if background.waits > 0 {
                self.background_events.push(BackgroundEvent {
                    event: name(),
                    waits: background.waits,
                    timeouts: background.timeouts,
                    micros: background.micros,
                });
            }
            let buckets = all.histogram.iter().enumerate().filter(|(_, waits)| **waits > 0);
            self.event_histograms.extend(buckets.map(|(bucket, waits)| EventHistogram {
                event: name(),
                below_us: histogram_bound_us(bucket).unwrap_or(LAST_BOUND_US),
                waits: *waits,
            }));
        }
        let waited = BlockClass::ALL.into_iter().map(|class| (class, system.buffer_waits(class)));
        self.class_waits = waited
            .filter(|(_, waited)| waited.waits > 0)
            .map(|(class, waited)| ClassWaits {
                class: class.name().to_owned(),
                waits: waited.waits,
                centiseconds: waited.micros as f64 / 10_000.0,
            })
            .collect();
        self.sort();
    }
}
