//! Measures by which two windows, or the intervals of a time line, are compared.

use serde::Serialize;

use crate::files::{Facts, Side, Subject};

/// Waits below which an average says little.
pub(crate) const FEWEST_WAITS: f64 = 100.0;

/// Statistics that are compared beside the amounts of work, as V$SYSSTAT names them.
const STATISTICS: [&str; 14] = [
    "parse count (total)",
    "parse count (hard)",
    "logons cumulative",
    "db block changes",
    "table scans (long tables)",
    "table fetch continued row",
    "sorts (disk)",
    "physical reads direct temporary tablespace",
    "physical writes direct temporary tablespace",
    "redo wastage",
    "redo log space requests",
    "undo change vector size",
    "transaction rollbacks",
    "bytes sent via SQL*Net to client",
];

/// The quantity that a measure counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum What {
    /// Seconds that foreground processes spent.
    Time,
    /// Things done, or bytes.
    Amount,
    /// Milliseconds a wait.
    Latency,
}

/// One measure of one window: a total for times and amounts, an average for latencies.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Measure {
    pub(crate) name: String,
    pub(crate) what: What,
    pub(crate) value: f64,
    /// Seconds behind a latency; the value itself of a time.
    pub(crate) seconds: Option<f64>,
}

/// Everything that can be compared, under names that are the same in every report.
pub(crate) fn measures(subject: &Subject) -> Vec<Measure> {
    let facts = &subject.facts;
    let mut measures = Vec::new();
    let mut add = |name: &str, what: What, value: Option<f64>, seconds: Option<f64>| {
        if let Some(value) = value {
            measures.push(Measure { name: name.to_owned(), what, value, seconds });
        }
    };
    let cpu = facts.window.db_cpu_s.or_else(|| subject.analysis.db_time.as_ref()?.cpu_s);
    add("DB time", What::Time, facts.window.db_time_s, facts.window.db_time_s);
    add("CPU", What::Time, cpu, cpu);
    for event in &facts.events {
        if event.side != Side::Background {
            add(&event.name, What::Time, event.total_s, event.total_s);
        }
    }
    for (name, value) in amounts(facts) {
        add(name, What::Amount, value, None);
    }
    if let Some(report) = &subject.report {
        for name in STATISTICS {
            add(name, What::Amount, report.statistic(name), None);
        }
    }
    for (name, event) in latencies(facts) {
        add(name, What::Latency, event.average_ms, event.total_s);
    }
    measures
}

/// Requests to the database and the data it moved.
pub(crate) fn amounts(facts: &Facts) -> [(&'static str, Option<f64>); 7] {
    let work = &facts.work;
    [
        ("transactions", work.transactions),
        ("executions", work.executions),
        ("user calls", work.user_calls),
        ("logical reads", work.logical_reads),
        ("physical reads", work.physical_reads),
        ("physical writes", work.physical_writes),
        ("redo bytes", work.redo_bytes),
    ]
}

/// The I/O and commit events whose average is known, each once: as foreground processes see it, otherwise in the
/// background.
pub(crate) fn latencies(facts: &Facts) -> Vec<(&str, &crate::files::EventLine)> {
    let mut found: Vec<(&str, &crate::files::EventLine)> = Vec::new();
    for background in [false, true] {
        for event in &facts.events {
            let io = matches!(event.class.as_deref(), Some("User I/O" | "System I/O" | "Commit"));
            let enough = event.waits.is_some_and(|waits| waits >= FEWEST_WAITS)
                // Printed as 0: the waits were too short to tell.
                && event.average_ms.is_some_and(|average| average > 0.0);
            let seen = found.iter().any(|(name, _)| *name == event.name);
            if io && enough && !seen && (event.side == Side::Background) == background {
                found.push((&event.name, event));
            }
        }
    }
    found
}
