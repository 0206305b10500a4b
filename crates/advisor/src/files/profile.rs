//! The facts of a trace's profile, in the form that reports have.

use report::figure::Figure;
use report::model::{Bucket, EventHistogram, Identity, Snapshot, Window};
use report::profile::{EventProfile, Histogram, Profile, event_class, is_idle};
use report::read::printed_seconds;
use report::tkprof;
use report::trace::Header;

use super::facts::{EventLine, Facts, Machine, Side, Work};

/// In a second.
const NANOSECONDS: f64 = 1e9;
const MICROSECONDS: f64 = 1e6;

impl Facts {
    /// The facts of a trace. A trace has no snapshots, no sessions beside its own, and no host except its name.
    #[must_use]
    pub fn of_profile(profile: &Profile) -> Self {
        let time = |text: Option<&String>| Snapshot { time: text.cloned(), ..Snapshot::default() };
        let elapsed_s = profile.elapsed_ns as f64 / NANOSECONDS;
        let header = &profile.summary.header;
        Self {
            identity: identity(header),
            window: Window {
                begin: time(profile.began.as_ref()),
                end: time(profile.ended.as_ref().filter(|ended| is_end(profile.began.as_deref(), ended, elapsed_s))),
                elapsed_s: Some(elapsed_s),
                db_cpu_s: Some(profile.cpu_ns() as f64 / NANOSECONDS),
                ..Window::default()
            },
            host: machine(header),
            events: sorted(profile.events.iter().filter(|event| !event.idle).map(line).collect()),
            histograms: profile.events.iter().filter(|event| !event.idle).map(histogram).collect(),
            work: work(&profile.summary),
            ..Self::default()
        }
    }

    /// The facts of TKPROF's output: the same without histograms, and with elapsed time only if it was printed.
    #[must_use]
    pub fn of_tkprof(report: &tkprof::Report) -> Self {
        let mut events: Vec<EventLine> = Vec::new();
        for waits in report.non_recursive.waits.iter().chain(&report.recursive.waits) {
            if is_idle(&waits.event) {
                continue;
            }
            let (count, total_s) = (waits.count as f64, waits.total as f64 / MICROSECONDS);
            match events.iter_mut().find(|event| event.name == waits.event) {
                Some(event) => {
                    let (all, sum) = (event.waits.unwrap_or(0.0) + count, event.total_s.unwrap_or(0.0) + total_s);
                    (event.waits, event.total_s) = (Some(all), Some(sum));
                }
                None => events.push(EventLine {
                    name: waits.event.clone(),
                    side: Side::Foreground,
                    class: Some(event_class(&waits.event).to_owned()),
                    waits: Some(count),
                    total_s: Some(total_s),
                    average_ms: None,
                }),
            }
        }
        for event in &mut events {
            event.average_ms = match (event.total_s, event.waits) {
                (Some(total), Some(waits)) if waits > 0.0 => Some(total / waits * 1e3),
                _ => None,
            };
        }
        Self {
            identity: identity(&report.header),
            window: Window { elapsed_s: report.elapsed.map(|time| time as f64 / MICROSECONDS), ..Window::default() },
            host: machine(&report.header),
            events: sorted(events),
            // The tables have no ends of transactions.
            work: Work { transactions: None, ..work(report) },
            ..Self::default()
        }
    }
}

/// True: the last printed time of day is the end of the trace. A trace prints one when a call begins after a pause, so
/// calls after the last one may have taken long.
fn is_end(began: Option<&str>, ended: &str, elapsed_s: f64) -> bool {
    let Some(began) = began.filter(|began| *began != ended) else { return false };
    match (printed_seconds(began), printed_seconds(ended)) {
        (Some(begin), Some(end)) => ((end - begin) as f64 - elapsed_s).abs() <= (elapsed_s * 0.01).max(1.0),
        _ => false,
    }
}

fn identity(header: &Header) -> Identity {
    Identity {
        instance: header.instance_name.clone(),
        release: header.release.as_ref().map(ToString::to_string),
        ..Identity::default()
    }
}

fn machine(header: &Header) -> Machine {
    let platform = [&header.system_name, &header.machine].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ");
    Machine {
        name: header.node_name.clone(),
        platform: (!platform.is_empty()).then_some(platform),
        ..Machine::default()
    }
}

fn sorted(mut events: Vec<EventLine>) -> Vec<EventLine> {
    events.sort_by(|a, b| b.total_s.unwrap_or(0.0).total_cmp(&a.total_s.unwrap_or(0.0)));
    events
}

fn line(event: &EventProfile) -> EventLine {
    EventLine {
        name: event.name.clone(),
        side: Side::Foreground,
        class: Some(event.class.to_owned()),
        waits: Some(event.waits.count as f64),
        total_s: Some(event.waits.total_ns as f64 / NANOSECONDS),
        average_ms: event.waits.average_ms(),
    }
}

fn histogram(event: &EventProfile) -> EventHistogram {
    let all = event.waits.count.max(1) as f64;
    let buckets = event.histogram.used().map(|(bucket, count, _)| Bucket {
        below_us: Histogram::below_us(bucket).map(|bound| bound as f64),
        percent: 100.0 * count as f64 / all,
    });
    EventHistogram {
        name: event.name.clone(),
        cut: false,
        waits: Some(Figure::exact(event.waits.count as f64)),
        buckets: buckets.collect(),
    }
}

fn work(summary: &tkprof::Report) -> Work {
    let (own, recursive) = (&summary.non_recursive, &summary.recursive);
    let calls = [own, recursive].map(|totals| totals.parse.plus(&totals.execute).plus(&totals.fetch));
    let ended = &summary.transactions;
    Work {
        transactions: Some(ended.commits.saturating_add(ended.rollbacks).saturating_sub(ended.read_only) as f64),
        executions: Some((own.execute.count + recursive.execute.count) as f64),
        logical_reads: Some(calls.iter().map(|calls| (calls.query + calls.current) as f64).sum()),
        physical_reads: Some(calls.iter().map(|calls| calls.disk as f64).sum()),
        ..Work::default()
    }
}
