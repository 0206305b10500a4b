//! A report over what the engine's own meters have counted.

use std::sync::Arc;

use common::{BlockClass, Clock, SystemClock};
use report::model::{Event as Line, Report};
use report::statspack::{LocalTime, Snapshot, difference};
use waits::{Event, Meter, Statistic, SystemMeter};

fn snapshot(id: u64, system: &SystemMeter, background: &Meter) -> Snapshot {
    let mut snapshot = Snapshot { id, database_id: 1, instance_number: 1, ..Snapshot::default() };
    snapshot.header.utc_s = 1_709_460_000 + 10 * id as i64;
    snapshot.header.time = LocalTime(snapshot.header.utc_s);
    let background = background.snapshot();
    snapshot.set_meters(&system.snapshot(), &background);
    snapshot
}

fn wait(meter: &Meter, event: Event, micros: u64) {
    meter.waited(event, [0; 3], -1, micros);
}

fn listed(lines: &Option<Vec<Line>>) -> Vec<(&str, f64, f64)> {
    let lines = lines.iter().flatten();
    lines.map(|line| (line.name.as_str(), line.waits.unwrap().value, line.total_s.unwrap().value)).collect()
}

#[test]
fn the_report_agrees_with_the_meters() {
    let system = SystemMeter::new();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let background = Meter::new(&system, Arc::clone(&clock), 1, 1);
    let session = Meter::new(&system, Arc::clone(&clock), 7, 1);
    let ended = Meter::new(&system, clock, 8, 1);
    wait(&session, Event::BufferBusyWaits, 5_000_000);
    session.count(Statistic::UserCommits, 100);
    let begin = snapshot(1, &system, &background);
    for _ in 0..3 {
        wait(&session, Event::BufferBusyWaits, 2_000_000);
        session.buffer_wait(BlockClass::SegmentHeader, 2_000_000);
    }
    session.timed_out(Event::BufferBusyWaits);
    wait(&background, Event::LogFileParallelWrite, 600);
    wait(&background, Event::BufferBusyWaits, 1_000_000);
    background.buffer_wait(BlockClass::Data, 1_000_000);
    wait(&session, Event::SqlNetMessageFromClient, 9_000_000);
    // A wait of more than half an hour is in the last bucket.
    wait(&ended, Event::LogFileSync, 3_600_000_000);
    ended.count(Statistic::UserCommits, 20);
    // Times are counted in microseconds.
    ended.count(Statistic::CpuUsedByThisSession, 2_340_000);
    drop(ended);
    let end = snapshot(2, &system, &background);
    let report: Report = difference(&begin, &end).unwrap();
    assert_eq!(
        listed(&report.all_events),
        [("log file sync", 1.0, 3600.0), ("buffer busy waits", 4.0, 7.0), ("SQL*Net message from client", 1.0, 9.0),]
    );
    assert_eq!(
        listed(&report.foreground_events),
        [("log file sync", 1.0, 3600.0), ("buffer busy waits", 3.0, 6.0), ("SQL*Net message from client", 1.0, 9.0),]
    );
    // Less than a millisecond is not listed.
    assert_eq!(listed(&report.background_events), [("buffer busy waits", 1.0, 1.0)]);
    let busy = report.all_events.as_ref().unwrap().iter().find(|line| line.name == "buffer busy waits").unwrap();
    assert_eq!(busy.timeouts_percent, Some(25.0));
    let classes: Vec<(&str, f64, f64)> = report
        .buffer_waits
        .iter()
        .flatten()
        .map(|line| (line.class.as_str(), line.waits.unwrap(), line.total_s.unwrap().value))
        .collect();
    assert_eq!(classes, [("segment header", 3.0, 6.0), ("data block", 1.0, 1.0)]);
    assert_eq!(report.statistic("user commits"), Some(20.0));
    assert_eq!(report.statistic("CPU used by this session"), Some(234.0));
    let bucket = |event: &str, bound: Option<f64>| {
        let histogram = report.histograms.iter().flatten().find(|histogram| histogram.name == event).unwrap();
        histogram.buckets.iter().find(|bucket| bucket.below_us == bound).unwrap().percent
    };
    assert_eq!(bucket("log file parallel write", Some(1024.0)), 100.0);
    assert_eq!(bucket("log file sync", None), 100.0);
    assert_eq!(bucket("buffer busy waits", Some(1_048_576.0)), 25.0);
    assert_eq!(bucket("buffer busy waits", None), 75.0);
}

/// The names that the formulas ask for are names of the engine's.
#[test]
fn the_engine_has_the_statistics_of_the_formulas() {
    for name in [
        "user commits",
        "user rollbacks",
        "CPU used by this session",
        "redo size",
        "redo entries",
        "redo log space requests",
        "session logical reads",
        "db block changes",
        "consistent gets from cache",
        "db block gets from cache",
        "recovery block gets from cache",
        "physical reads",
        "physical reads cache",
        "physical writes",
        "user calls",
        "parse count (total)",
        "parse count (hard)",
        "parse time cpu",
        "parse time elapsed",
        "execute count",
        "logons cumulative",
        "workarea executions - optimal",
        "workarea executions - onepass",
        "workarea executions - multipass",
    ] {
        assert!(Statistic::from_name(name).is_some(), "{name}");
    }
}
