//! Time model, wait events and their histograms, buffer waits by class, enqueues, latches.

use std::collections::HashMap;

use super::super::records::{BackgroundEvent, EnqueueStatistics};
use super::super::snapshot::Snapshot;
use super::{Pair, descending, over, percent, since, some};
use crate::figure::Figure;
use crate::model::{Bucket, BufferWait, Enqueue, Event, EventHistogram, Latch, LatchMiss, Report, TimeModelLine};

/// Rows of the first page's list.
const TOP_EVENTS: usize = 5;

/// Smaller waits, in microseconds, are not listed.
const LEAST_US: u64 = 1000;

/// Idle events that Statspack never lists.
const NEVER_LISTED: [&str; 5] =
    ["smon timer", "pmon timer", "dispatcher timer", "dispatcher listen timer", "rdbms ipc message"];

/// Bounds of histograms: microseconds below a millisecond, then Statspack's, the last of which is a second.
/// Milliseconds are 1,024 µs.
const BOUNDS_US: [u64; 14] =
    [8, 16, 32, 64, 128, 256, 512, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 20];

/// Waits of one kind of processes over the window.
#[derive(Clone, Copy, Default)]
pub(super) struct Waited {
    waits: u64,
    timeouts: u64,
    pub(super) micros: u64,
}

impl Waited {
    fn since(self, begin: Self) -> Self {
        Self {
            waits: self.waits.saturating_sub(begin.waits),
            timeouts: self.timeouts.saturating_sub(begin.timeouts),
            micros: self.micros.saturating_sub(begin.micros),
        }
    }
}

/// An event's waits over the window.
pub(super) struct EventWaits<'a> {
    name: &'a str,
    pub(super) idle: bool,
    pub(super) system: Waited,
    foreground: Waited,
    background: Waited,
}

impl Pair<'_> {
    pub(super) fn waits(&self, report: &mut Report) {
        let events = self.events();
        report.time_model = some(self.time_model());
        report.top_events = some(self.top_events(&events));
        report.foreground_events = some(self.event_list(&events, |event| event.foreground));
        report.background_events = some(self.event_list(&events, |event| event.background));
        report.all_events = some(self.event_list(&events, |event| event.system));
        report.histograms = some(self.histograms(&events));
        report.buffer_waits = some(self.buffer_waits());
        report.enqueues = some(self.enqueues());
        report.latches = some(self.latches());
        report.latch_misses = some(self.latch_misses());
    }

    /// All events of the end snapshot, idle ones too.
    pub(super) fn events(&self) -> Vec<EventWaits<'_>> {
        let background = |snapshot: &Snapshot, name: &str| {
            let of =
                |event: &BackgroundEvent| Waited { waits: event.waits, timeouts: event.timeouts, micros: event.micros };
            snapshot.background_events.iter().find(|event| event.event == name).map(of).unwrap_or_default()
        };
        let events = self.end.events.iter().map(|event| {
            let system = |event: &super::super::records::SystemEvent| {
                [
                    Waited { waits: event.waits, timeouts: event.timeouts, micros: event.micros },
                    Waited {
                        waits: event.foreground_waits,
                        timeouts: event.foreground_timeouts,
                        micros: event.foreground_micros,
                    },
                ]
            };
            let before = self.begin.events.iter().find(|before| before.event == event.event).map(system);
            let before = before.unwrap_or_default();
            let now = system(event);
            let name = event.event.as_str();
            EventWaits {
                name,
                idle: event.idle,
                system: now[0].since(before[0]),
                foreground: now[1].since(before[1]),
                background: background(self.end, name).since(background(self.begin, name)),
            }
        });
        events.collect()
    }

    fn time_model(&self) -> Vec<TimeModelLine> {
        let total = self.time_model_us("DB time");
        let mut lines: Vec<TimeModelLine> = self
            .end
            .time_model
            .iter()
            .filter_map(|line| {
                let micros = self.time_model_us(&line.name)?;
                let of_db_time = line.name != "DB time" && !line.name.starts_with("background");
                let percent = total.filter(|_| of_db_time).and_then(|total| percent(micros, total));
                let seconds = Some(Figure::exact(micros / 1e6));
                Some(TimeModelLine { name: line.name.clone(), seconds, percent })
            })
            .collect();
        // Lines without a share last.
        descending(&mut lines, |line| line.percent.unwrap_or(-1.0), |_| 0.0, |line| &line.name);
        lines
    }

    fn top_events(&self, events: &[EventWaits<'_>]) -> Vec<Event> {
        let waited = events.iter().filter(|event| !event.idle && event.system.waits > 0);
        let mut lines: Vec<Event> = waited
            .map(|event| Event {
                timeouts_percent: None,
                waits_per_transaction: None,
                ..self.event(event, event.system)
            })
            .collect();
        if let Some(cpu) = self.statistic("CPU used by this session") {
            lines.push(Event {
                name: "CPU time".to_owned(),
                total_s: Some(Figure::exact(cpu / 100.0)),
                percent: percent(cpu * 10_000.0, self.call_time_us()),
                ..Event::default()
            });
        }
        by_time(&mut lines);
        lines.truncate(TOP_EVENTS);
        lines
    }

    fn event_list(&self, events: &[EventWaits<'_>], of: impl Fn(&EventWaits<'_>) -> Waited) -> Vec<Event> {
        let list = |idle: bool| {
            let listed = |event: &&EventWaits<'_>| {
                let waited = of(event);
                event.idle == idle
                    && waited.waits > 0
                    && waited.micros >= LEAST_US
                    && !NEVER_LISTED.contains(&event.name)
            };
            let mut lines: Vec<Event> =
                events.iter().filter(listed).map(|event| self.event(event, of(event))).collect();
            by_time(&mut lines);
            lines
        };
        let mut lines = list(false);
        lines.extend(list(true));
        lines
    }

    fn event(&self, event: &EventWaits<'_>, waited: Waited) -> Event {
        let (waits, micros) = (waited.waits as f64, waited.micros as f64);
        Event {
            name: event.name.to_owned(),
            cut: false,
            waits: Some(Figure::exact(waits)),
            timeouts_percent: percent(waited.timeouts as f64, waits).filter(|_| waited.timeouts > 0),
            total_s: Some(Figure::exact(micros / 1e6)),
            average_ms: over(micros / 1e3, waits).map(Figure::exact),
            waits_per_transaction: self.per_transaction(waits),
            percent: if event.idle { None } else { percent(micros, self.call_time_us()) },
            // Statspack does not print it.
            class: None,
        }
    }

    /// By name, idle events last.
    fn histograms(&self, events: &[EventWaits<'_>]) -> Vec<EventHistogram> {
        let key = |event: &str, below: u64| (event.to_owned(), below);
        let before: HashMap<(String, u64), u64> = self
            .begin
            .event_histograms
            .iter()
            .map(|bucket| (key(&bucket.event, bucket.below_us), bucket.waits))
            .collect();
        let mut listed: Vec<&EventWaits<'_>> =
            events.iter().filter(|event| !NEVER_LISTED.contains(&event.name)).collect();
        listed.sort_by_key(|event| (event.idle, event.name));
        let spread = |event: &&EventWaits<'_>| {
            let mut counts = [0.0; BOUNDS_US.len() + 1];
            for bucket in self.end.event_histograms.iter().filter(|bucket| bucket.event == event.name) {
                let earlier = before.get(&key(&bucket.event, bucket.below_us)).copied().unwrap_or(0);
                let at = BOUNDS_US.partition_point(|bound| *bound < bucket.below_us);
                counts[at] += since(bucket.waits, earlier);
            }
            let waits: f64 = counts.iter().sum();
            let bounds = BOUNDS_US.iter().map(|bound| Some(*bound as f64)).chain([None]);
            let buckets = bounds.zip(counts);
            (waits > 0.0).then(|| EventHistogram {
                name: event.name.to_owned(),
                cut: false,
                waits: Some(Figure::exact(waits)),
                buckets: buckets.map(|(below_us, count)| Bucket { below_us, percent: 100.0 * count / waits }).collect(),
            })
        };
        listed.iter().filter_map(spread).collect()
    }

    /// All waits for buffers.
    pub(super) fn buffer_waits_count(&self) -> f64 {
        let total = |snapshot: &Snapshot| snapshot.class_waits.iter().map(|class| class.waits).sum::<u64>();
        since(total(self.end), total(self.begin))
    }

    fn buffer_waits(&self) -> Vec<BufferWait> {
        let mut lines = Vec::new();
        for class in &self.end.class_waits {
            let before = self.begin.class_waits.iter().find(|before| before.class == class.class);
            let waits = since(class.waits, before.map_or(0, |before| before.waits));
            let centiseconds = class.centiseconds - before.map_or(0.0, |before| before.centiseconds);
            if waits > 0.0 {
                lines.push(BufferWait {
                    class: class.class.clone(),
                    waits: Some(waits),
                    total_s: Some(Figure::exact(centiseconds / 100.0)),
                    average_ms: Some(Figure::exact(10.0 * centiseconds / waits)),
                });
            }
        }
        descending(&mut lines, |line| seconds(line.total_s), |line| line.waits.unwrap_or(0.0), |line| &line.class);
        lines
    }

    fn enqueues(&self) -> Vec<Enqueue> {
        let mut lines = Vec::new();
        for lock in &self.end.enqueues {
            let same = |before: &&EnqueueStatistics| before.kind == lock.kind && before.reason == lock.reason;
            let before = self.begin.enqueues.iter().find(same).cloned().unwrap_or_default();
            let waits = since(lock.waits, before.waits);
            if waits == 0.0 {
                continue;
            }
            let reason = match lock.reason.as_str() {
                "contention" | "-" | "" => String::new(),
                reason => format!(" ({reason})"),
            };
            let milliseconds = lock.milliseconds - before.milliseconds;
            lines.push(Enqueue {
                name: format!("{}-{}{reason}", lock.kind, lock.name),
                requests: Some(since(lock.requests, before.requests)),
                gets: Some(since(lock.gets, before.gets)),
                failed: Some(since(lock.failed, before.failed)),
                waits: Some(waits),
                total_s: Some(Figure::exact(milliseconds / 1e3)),
                average_ms: Some(Figure::exact(milliseconds / waits)),
            });
        }
        descending(&mut lines, |line| seconds(line.total_s), |line| line.waits.unwrap_or(0.0), |line| &line.name);
        lines
    }

    fn latches(&self) -> Vec<Latch> {
        let mut lines = Vec::new();
        for latch in &self.end.latches {
            let before =
                self.begin.latches.iter().find(|before| before.name == latch.name).cloned().unwrap_or_default();
            let gets = since(latch.gets, before.gets);
            let misses = since(latch.misses, before.misses);
            let nowait_misses = since(latch.immediate_misses, before.immediate_misses);
            let nowait = since(latch.immediate_gets, before.immediate_gets);
            // A miss is counted before the get that it becomes: a snapshot may lie between them.
            if gets + misses + nowait + nowait_misses == 0.0 {
                continue;
            }
            let of_missed = |value: f64| (misses > 0.0).then_some(value);
            lines.push(Latch {
                name: latch.name.clone(),
                gets: Some(gets),
                miss_percent: percent(misses, gets),
                misses: of_missed(misses),
                sleeps: of_missed(since(latch.sleeps, before.sleeps)),
                spin_gets: of_missed(since(latch.spin_gets, before.spin_gets)),
                wait_s: Some(since(latch.wait_us, before.wait_us) / 1e6),
                nowait_gets: Some(nowait),
                nowait_miss_percent: percent(nowait_misses, nowait),
            });
        }
        lines.sort_by(|one, other| one.name.cmp(&other.name));
        lines
    }

    fn latch_misses(&self) -> Vec<LatchMiss> {
        let mut lines = Vec::new();
        for place in &self.end.latch_misses {
            let mut earlier = self.begin.latch_misses.iter();
            let before = earlier.find(|before| before.latch == place.latch && before.place == place.place);
            let before = before.cloned().unwrap_or_default();
            let sleeps = since(place.sleeps, before.sleeps);
            if sleeps > 0.0 {
                lines.push(LatchMiss {
                    latch: place.latch.clone(),
                    place: place.place.clone(),
                    nowait_misses: Some(since(place.nowait_misses, before.nowait_misses)),
                    sleeps: Some(sleeps),
                    waiter_sleeps: Some(since(place.waiter_sleeps, before.waiter_sleeps)),
                });
            }
        }
        lines.sort_by(|one, other| {
            let most = other.sleeps.unwrap_or(0.0).total_cmp(&one.sleeps.unwrap_or(0.0));
            one.latch.cmp(&other.latch).then(most).then_with(|| one.place.cmp(&other.place))
        });
        lines
    }
}

fn seconds(figure: Option<Figure>) -> f64 {
    figure.map_or(0.0, |figure| figure.value)
}

fn by_time(lines: &mut [Event]) {
    descending(
        lines,
        |event| seconds(event.total_s),
        |event| event.waits.map_or(0.0, |waits| waits.value),
        |event| &event.name,
    );
}
