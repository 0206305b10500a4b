//! Facts that the screen, the page, the JSON and the time line need, of a report or of a trace.

use report::model::{EventHistogram, Identity, Report, Scope, Window};
use serde::Serialize;

use crate::sums::class;
use crate::sums::host::most_load;
use crate::sums::idle::is_idle;

/// One report or trace, for showing.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Facts {
    pub scope: Scope,
    pub identity: Identity,
    pub window: Window,
    pub host: Machine,
    /// DB time over elapsed time.
    pub average_active_sessions: Option<f64>,
    /// Non-idle waits, most time first; foreground ones before the others of equal time.
    pub events: Vec<EventLine>,
    pub histograms: Vec<EventHistogram>,
    /// Files, or tablespaces where the report has no files; most reads and writes first.
    pub files: Vec<FileLine>,
    /// The work done in the window.
    pub work: Work,
}

/// The machine, as far as the first screen shows it.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Machine {
    pub name: Option<String>,
    pub platform: Option<String>,
    pub cpus: Option<f64>,
    pub cores: Option<f64>,
    pub memory_bytes: Option<f64>,
    /// Run queue at the window's ends, and the longest seen within it.
    pub load_begin: Option<f64>,
    pub load_end: Option<f64>,
    pub load_most: Option<f64>,
    pub busy_percent: Option<f64>,
    pub swap_free_begin_bytes: Option<f64>,
    pub swap_free_end_bytes: Option<f64>,
    /// Paged in and out during the window.
    pub paged_in_bytes: Option<f64>,
    pub paged_out_bytes: Option<f64>,
}

/// The processes that waited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    Foreground,
    Background,
    /// The report does not tell them apart.
    Both,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EventLine {
    pub name: String,
    pub side: Side,
    pub class: Option<String>,
    pub waits: Option<f64>,
    pub total_s: Option<f64>,
    pub average_ms: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FileLine {
    pub tablespace: String,
    pub file: Option<String>,
    pub reads: Option<f64>,
    pub read_ms: Option<f64>,
    pub writes: Option<f64>,
    pub write_ms: Option<f64>,
}

/// Requests to the database, in totals over the window.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Work {
    pub transactions: Option<f64>,
    pub executions: Option<f64>,
    pub user_calls: Option<f64>,
    pub logical_reads: Option<f64>,
    pub physical_reads: Option<f64>,
    pub physical_writes: Option<f64>,
    pub redo_bytes: Option<f64>,
}

impl Facts {
    /// The facts of a report.
    #[must_use]
    pub fn of_report(report: &Report) -> Self {
        let average_active_sessions = match (report.window.db_time_s, report.window.elapsed_s) {
            (Some(db_time), Some(elapsed)) if elapsed > 0.0 => Some(db_time / elapsed),
            _ => None,
        };
        Self {
            scope: report.scope,
            identity: report.identity.clone(),
            window: report.window.clone(),
            host: Machine::of_report(report),
            average_active_sessions,
            events: events(report),
            histograms: report.histograms.clone().unwrap_or_default(),
            files: files(report),
            work: Work::of_report(report),
        }
    }
}

impl Machine {
    fn of_report(report: &Report) -> Self {
        let host = &report.host;
        let begin = |name: &str| host.statistic(name).and_then(|line| line.value);
        let end = |name: &str| host.statistic(name).and_then(|line| line.end.or(line.value));
        let samples = host.details.iter().flatten();
        let load_begin = host.load_begin.or_else(|| begin("LOAD"));
        let load_end = host.load_end.or_else(|| end("LOAD"));
        let load_most = most_load(load_begin, load_end, samples.filter_map(|sample| sample.load));
        let busy_percent = host.idle_percent.map(|idle| 100.0 - idle).or_else(|| {
            let (busy, idle) = (begin("BUSY_TIME")?, begin("IDLE_TIME")?);
            (busy + idle > 0.0).then(|| 100.0 * busy / (busy + idle))
        });
        Self {
            name: host.name.clone(),
            platform: host.platform.clone(),
            cpus: host.cpus,
            cores: host.cores,
            memory_bytes: host.memory_bytes.or_else(|| begin("PHYSICAL_MEMORY_BYTES")),
            load_begin,
            load_end,
            load_most,
            busy_percent,
            swap_free_begin_bytes: begin("SWAP_FREE_BYTES"),
            swap_free_end_bytes: end("SWAP_FREE_BYTES"),
            paged_in_bytes: begin("VM_IN_BYTES"),
            paged_out_bytes: begin("VM_OUT_BYTES"),
        }
    }
}

impl Work {
    fn of_report(report: &Report) -> Self {
        let transactions = match (report.statistic("user commits"), report.statistic("user rollbacks")) {
            (Some(commits), Some(rollbacks)) => Some(commits + rollbacks),
            (Some(commits), None) => Some(commits),
            _ => None,
        };
        // The load profile has rates only; a statistic that is missing is had from them.
        let profile = |names: &[&str]| {
            let lines = report.load_profile.as_ref()?;
            let line = lines.iter().find(|line| names.iter().any(|name| line.name.eq_ignore_ascii_case(name)))?;
            Some(line.per_second? * report.window.elapsed_s?)
        };
        let total = |statistic: &str, names: &[&str]| report.statistic(statistic).or_else(|| profile(names));
        Self {
            transactions: transactions.or_else(|| profile(&["Transactions"])),
            executions: total("execute count", &["Executes", "Executes (SQL)"]),
            user_calls: total("user calls", &["User calls"]),
            logical_reads: total("session logical reads", &["Logical reads", "Logical read (blocks)"]),
            physical_reads: total("physical reads", &["Physical reads", "Physical read (blocks)"]),
            physical_writes: total("physical writes", &["Physical writes", "Physical write (blocks)"]),
            redo_bytes: total("redo size", &["Redo size", "Redo size (bytes)"]),
        }
    }
}

fn events(report: &Report) -> Vec<EventLine> {
    let lists = [
        (Side::Foreground, &report.foreground_events),
        (Side::Background, &report.background_events),
        (Side::Both, &report.all_events),
    ];
    let mut lines = Vec::new();
    for (side, list) in lists {
        // Both together only where nothing tells them apart.
        if side == Side::Both && report.foreground_events.is_some() {
            continue;
        }
        for event in list.iter().flatten() {
            if is_idle(event) {
                continue;
            }
            let printed = event.class.as_deref().map(|printed| class::full(printed).unwrap_or(printed));
            let class = Some(printed.unwrap_or_else(|| waits::event_class(&event.name)).to_owned());
            lines.push(EventLine {
                name: event.name.clone(),
                side,
                class,
                waits: event.waits.map(|figure| figure.value),
                total_s: event.seconds().map(|figure| figure.value),
                average_ms: event.milliseconds().map(|figure| figure.value),
            });
        }
    }
    lines.sort_by(|a, b| b.total_s.unwrap_or(-1.0).total_cmp(&a.total_s.unwrap_or(-1.0)));
    lines
}

fn files(report: &Report) -> Vec<FileLine> {
    let listed = report.files.as_ref().or(report.tablespaces.as_ref());
    let mut lines: Vec<FileLine> = listed
        .into_iter()
        .flatten()
        .map(|file| FileLine {
            tablespace: file.tablespace.clone(),
            file: file.file.clone(),
            reads: file.reads.map(|figure| figure.value),
            read_ms: file.read_ms.map(|figure| figure.value),
            writes: file.writes.map(|figure| figure.value),
            write_ms: file.write_ms.map(|figure| figure.value),
        })
        .collect();
    let requests = |line: &FileLine| line.reads.unwrap_or(0.0) + line.writes.unwrap_or(0.0);
    lines.sort_by(|a, b| requests(b).total_cmp(&requests(a)));
    lines
}
