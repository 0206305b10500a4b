//! `--csv`: one line a report.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::files::{Side, Subject};

/// Columns that every file has, in their order.
const COLUMNS: [&str; 22] = [
    "path",
    "part",
    "kind",
    "database",
    "instance",
    "release",
    "begin",
    "end",
    "elapsed_s",
    "sessions_begin",
    "sessions_end",
    "db_time_s",
    "average_active_sessions",
    "transactions",
    "executes",
    "logical_reads",
    "physical_reads",
    "physical_writes",
    "redo_bytes",
    "worst_finding",
    "worst_severity",
    "findings",
];

/// Writes a header and a line each; after the fixed columns one with the average of each I/O event that any of them
/// has, in milliseconds: `NAME_ms` as foreground processes saw it (or all, where the report does not tell them apart),
/// `NAME_background_ms` as the others did.
///
/// # Errors
///
/// Those of the writer.
pub(crate) fn csv(subjects: &[Subject], out: &mut dyn Write) -> io::Result<()> {
    let events: BTreeSet<String> =
        subjects.iter().flat_map(|subject| io_events(subject).into_iter().map(|(column, _)| column)).collect();
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS.iter().map(|&column| column.to_owned()).chain(events.iter().cloned()))?;
    for subject in subjects {
        let averages = io_events(subject);
        let mut record = fixed(subject);
        for event in &events {
            let average = averages.iter().find(|(column, _)| column == event).map(|(_, average)| *average);
            record.push(figure(average));
        }
        writer.write_record(record)?;
    }
    writer.flush()
}

fn fixed(subject: &Subject) -> Vec<String> {
    let (facts, window) = (&subject.facts, &subject.facts.window);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let worst = subject.analysis.findings.first();
    let ids: Vec<&str> = subject.analysis.findings.iter().map(|finding| finding.id).collect();
    vec![
        subject.path.clone(),
        subject.part.map(|part| part.to_string()).unwrap_or_default(),
        subject.source.id().to_owned(),
        text(&facts.identity.database),
        text(&facts.identity.instance),
        text(&facts.identity.release),
        text(&window.begin.time),
        text(&window.end.time),
        figure(window.elapsed_s),
        figure(window.begin.sessions),
        figure(window.end.sessions),
        figure(window.db_time_s),
        figure(facts.average_active_sessions),
        figure(facts.work.transactions),
        figure(facts.work.executions),
        figure(facts.work.logical_reads),
        figure(facts.work.physical_reads),
        figure(facts.work.physical_writes),
        figure(facts.work.redo_bytes),
        worst.map(|finding| finding.id.to_owned()).unwrap_or_default(),
        figure(worst.and_then(|finding| finding.severity)),
        ids.join(" "),
    ]
}

/// Each I/O and commit event's column and average wait, once a side. One that is printed as 0, of a total of 0, is not
/// known: the waits were too short.
fn io_events(subject: &Subject) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    for event in &subject.facts.events {
        let io = matches!(event.class.as_deref(), Some("User I/O" | "System I/O" | "Commit"));
        let side = if event.side == Side::Background { "_background" } else { "" };
        let column = format!("{}{side}_ms", event.name);
        let known = event.average_ms.filter(|average| *average > 0.0 || event.total_s.is_some_and(|total| total > 0.0));
        if let Some(average) = known
            && io
            && !found.iter().any(|(name, _)| *name == column)
        {
            found.push((column, average));
        }
    }
    found
}

/// With six digits that matter; empty where it is not known.
fn figure(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value.abs() >= 1e6 || value == value.trunc() => format!("{value:.0}"),
        Some(value) => {
            let digits = (5 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
            let text = format!("{value:.digits$}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{Side, Subject, csv};
    use crate::analysis::Analysis;
    use crate::files::{EventLine, Facts, Source};

    fn event(name: &str, side: Side, total_s: f64, average_ms: f64) -> EventLine {
        let name = name.to_owned();
        let class = Some("System I/O".to_owned());
        EventLine { name, side, class, waits: Some(500.0), total_s: Some(total_s), average_ms: Some(average_ms) }
    }

    #[test]
    fn each_side_has_a_column_and_what_is_below_the_printed_digits_has_no_average() {
        let events = vec![
            event("control file sequential read", Side::Background, 10.0, 20.0),
            event("control file sequential read", Side::Foreground, 1.0, 2.0),
            event("log file sequential read", Side::Foreground, 0.0, 0.0),
            event("log file parallel write", Side::Both, 3.0, 6.0),
        ];
        let subject = Subject {
            path: "a".to_owned(),
            part: None,
            source: Source::AwrText,
            facts: Facts { events, ..Facts::default() },
            analysis: Analysis::default(),
            report: None,
            warnings: Vec::new(),
        };
        let mut out = Vec::new();
        csv(&[subject], &mut out).unwrap();
        let mut reader = ::csv::Reader::from_reader(out.as_slice());
        let columns: Vec<String> =
            reader.headers().unwrap().iter().skip(super::COLUMNS.len()).map(str::to_owned).collect();
        assert_eq!(
            columns,
            [
                "control file sequential read_background_ms",
                "control file sequential read_ms",
                "log file parallel write_ms"
            ]
        );
        let line = reader.records().next().unwrap().unwrap();
        assert_eq!(line.iter().skip(super::COLUMNS.len()).collect::<Vec<_>>(), ["20", "2", "6"]);
    }
}
