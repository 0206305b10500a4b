//! Reports with made-up figures. The plain one is of a busy database without trouble: an hour, 8 CPUs, four active
//! sessions on average.

use report::figure::Figure;
use report::model::{
    BufferWait, Enqueue, Event, FileIo, Kind, Parameter, Report, Segment, SegmentOrder, SegmentSection, SqlLine,
    SqlOrder, SqlSection, Statistic, TimeModelLine, UndoSummary,
};

use crate::analysis::{Analysis, Finding};
use crate::findings::examine;

pub(in crate::findings) fn event(name: &str, waits: f64, seconds: f64) -> Event {
    Event {
        name: name.to_owned(),
        waits: Some(Figure::exact(waits)),
        total_s: Some(Figure::new(seconds, 0.001)),
        ..Event::default()
    }
}

pub(in crate::findings) fn statistic(name: &str, total: f64) -> Statistic {
    Statistic { name: name.to_owned(), total: Some(total), ..Statistic::default() }
}

fn line(name: &str, seconds: f64) -> TimeModelLine {
    TimeModelLine { name: name.to_owned(), seconds: Some(Figure::new(seconds, 0.1)), percent: None }
}

/// Busy and without trouble: 14,400 s of DB time, 40 % of it CPU, the rest spread over many waits that are each small …
/// and client messages.
pub(in crate::findings) fn plain() -> Report {
    let mut report = Report::new(Kind::AwrText);
    report.identity.release = Some("19.0.0.0.0".to_owned());
    report.window.elapsed_s = Some(3600.0);
    report.window.begin.sessions = Some(200.0);
    report.window.end.sessions = Some(200.0);
    report.host.cpus = Some(8.0);
    report.host.load_begin = Some(3.0);
    report.host.load_end = Some(3.5);
    report.host.idle_percent = Some(60.0);
    report.caches.block_bytes = Some(8192.0);
    report.time_model = Some(vec![
        line("DB time", 14_400.0),
        line("DB CPU", 7_000.0),
        line("parse time elapsed", 40.0),
        line("hard parse elapsed time", 10.0),
        line("connection management call elapsed time", 5.0),
    ]);
    report.foreground_events = Some(vec![
        event("resmgr:cpu quantum", 9_000.0, 6_600.0),
        event("db file sequential read", 800_000.0, 400.0),
        event("log file sync", 300_000.0, 210.0),
        event("SQL*Net message from client", 3_000_000.0, 500_000.0),
    ]);
    report.background_events = Some(vec![event("log file parallel write", 250_000.0, 100.0)]);
    report.statistics = Some(vec![
        statistic("redo writes", 250_000.0),
        statistic("redo write time", 11_000.0),
        statistic("redo size", 2e9),
        statistic("redo wastage", 6e7),
        statistic("user commits", 300_000.0),
        statistic("user rollbacks", 0.0),
        statistic("session logical reads", 50_000_000.0),
        statistic("table fetch by rowid", 9_000_000.0),
        statistic("table fetch continued row", 100.0),
        statistic("physical reads", 800_000.0),
        statistic("physical writes", 200_000.0),
        statistic("physical read IO requests", 800_000.0),
        statistic("logons cumulative", 40.0),
    ]);
    report.buffer_waits = Some(vec![busy("data block", 10.0, 0.0)]);
    report.enqueues = Some(Vec::new());
    report.undo = Some(UndoSummary { snapshot_too_old: Some(0.0), out_of_space: Some(0.0), ..UndoSummary::default() });
    report.segments = Some(Vec::new());
    report.files =
        Some(vec![file("a.dbf", 100_000.0, 0.5), file("b.dbf", 300_000.0, 0.5), file("c.dbf", 400_000.0, 0.5)]);
    report.sql = Some(vec![SqlSection {
        order: SqlOrder::Elapsed,
        captured_percent: None,
        statements: vec![sql("aaa", "select 1", 900.0), sql("bbb", "update t set x = 1", 800.0)],
    }]);
    report
}

pub(in crate::findings) fn sql(id: &str, text: &str, elapsed_s: f64) -> SqlLine {
    SqlLine {
        sql_id: Some(id.to_owned()),
        text: text.to_owned(),
        elapsed_s: Some(Figure::new(elapsed_s, 0.01)),
        executions: Some(10_000.0),
        ..SqlLine::default()
    }
}

pub(in crate::findings) fn busy(class: &str, waits: f64, seconds: f64) -> BufferWait {
    BufferWait {
        class: class.to_owned(),
        waits: Some(waits),
        total_s: Some(Figure::new(seconds, 1.0)),
        average_ms: None,
    }
}

pub(in crate::findings) fn file(name: &str, reads: f64, read_ms: f64) -> FileIo {
    FileIo {
        tablespace: "USERS".to_owned(),
        file: Some(name.to_owned()),
        reads: Some(Figure::exact(reads)),
        read_ms: Some(Figure::new(read_ms, 0.1)),
        blocks_per_read: Some(1.0),
        ..FileIo::default()
    }
}

pub(in crate::findings) fn segment(order: SegmentOrder, name: &str, object_type: &str, value: f64) -> SegmentSection {
    let segment = |name: &str, value: f64| Segment {
        owner: "U".to_owned(),
        object: name.to_owned(),
        object_type: object_type.to_owned(),
        value: Some(value),
        ..Segment::default()
    };
    SegmentSection { order, segments: vec![segment(name, value), segment("OTHER", value / 10.0)] }
}

pub(in crate::findings) fn enqueue(name: &str, waits: f64, seconds: f64) -> Enqueue {
    Enqueue {
        name: name.to_owned(),
        waits: Some(waits),
        total_s: Some(Figure::new(seconds, 1.0)),
        ..Enqueue::default()
    }
}

/// Changes to the figures of the plain report.
pub(in crate::findings) trait Change {
    fn waiting(self, name: &str, waits: f64, seconds: f64) -> Self;
    fn in_background(self, name: &str, waits: f64, seconds: f64) -> Self;
    fn counting(self, name: &str, total: f64) -> Self;
    fn timing(self, name: &str, seconds: f64) -> Self;
    fn with(self, change: impl FnOnce(&mut Report)) -> Self;
}

fn put(list: &mut Option<Vec<Event>>, changed: Event) {
    let list = list.get_or_insert_default();
    list.retain(|event| event.name != changed.name);
    list.push(changed);
}

impl Change for Report {
    /// A foreground wait; the time is taken from that for CPU, so that DB time still adds up.
    fn waiting(mut self, name: &str, waits: f64, seconds: f64) -> Self {
        put(&mut self.foreground_events, event(name, waits, seconds));
        let spare = self.foreground_events.iter_mut().flatten().find(|event| event.name == "resmgr:cpu quantum");
        if let Some(spare) = spare.filter(|spare| spare.name != name) {
            let left = spare.total_s.map_or(0.0, |total| total.value) - seconds;
            spare.total_s = Some(Figure::new(left.max(0.0), 0.001));
        }
        self
    }

    fn in_background(mut self, name: &str, waits: f64, seconds: f64) -> Self {
        put(&mut self.background_events, event(name, waits, seconds));
        self
    }

    fn counting(mut self, name: &str, total: f64) -> Self {
        let list = self.statistics.get_or_insert_default();
        list.retain(|line| line.name != name);
        list.push(statistic(name, total));
        self
    }

    fn timing(mut self, name: &str, seconds: f64) -> Self {
        let list = self.time_model.get_or_insert_default();
        list.retain(|line| line.name != name);
        list.push(line(name, seconds));
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Report)) -> Self {
        change(&mut self);
        self
    }
}

pub(in crate::findings) fn parameter(name: &str, value: &str) -> Parameter {
    Parameter { name: name.to_owned(), value: value.to_owned(), ..Parameter::default() }
}

/// The ids that were found, worst first.
pub(in crate::findings) fn found(report: &Report) -> Vec<&'static str> {
    examine(report).findings.iter().map(|finding| finding.id).collect()
}

/// The finding of that id; a failed test says which findings there are instead.
pub(in crate::findings) fn the<'a>(analysis: &'a Analysis, id: &str) -> &'a Finding {
    let found = analysis.findings.iter().find(|finding| finding.id == id);
    assert!(found.is_some(), "{id} is not found, but {:?}; {:?}", ids(analysis), verdict(analysis, id));
    found.unwrap_or(&analysis.findings[0])
}

fn ids(analysis: &Analysis) -> Vec<&'static str> {
    analysis.findings.iter().map(|finding| finding.id).collect()
}

/// The reason why an id was not found: `out: …` or `cannot tell: …`.
pub(in crate::findings) fn verdict(analysis: &Analysis, id: &str) -> String {
    let out = analysis.ruled_out.iter().find(|out| out.id == id).map(|out| format!("out: {}", out.reason));
    let missing = analysis.cannot_tell.iter().find(|unknown| unknown.id == id);
    out.or_else(|| missing.map(|unknown| format!("cannot tell: {}", unknown.missing)))
        .unwrap_or_else(|| "found".to_owned())
}
