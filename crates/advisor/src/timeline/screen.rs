//! The time line for a person: a line an interval, then the outliers.

use std::fmt::Write as _;

use super::{Interval, Timeline};
use crate::screen::number::{duration, number, percent};
use crate::screen::{Terminal, wrapped};

/// Things in which one interval stands out that are shown.
const SHOWN: usize = 4;
/// Width of the bar of average active sessions.
const BAR: usize = 12;

pub(crate) fn screen(timeline: &Timeline, terminal: Terminal) -> String {
    let mut out = String::new();
    let mut database = None;
    for (at, interval) in timeline.intervals.iter().enumerate() {
        if database != Some(&interval.database) {
            database = Some(&interval.database);
            let _ = writeln!(out, "{}{}", if at == 0 { "" } else { "\n" }, terminal.strong(&interval.database));
        }
        let most = timeline
            .intervals
            .iter()
            .filter(|other| other.database == interval.database)
            .filter_map(active)
            .fold(0.0, f64::max);
        let _ = writeln!(out, "  {}", line(interval, most, terminal));
        for text in outstanding(interval) {
            let _ = writeln!(out, "      {}", wrapped(&text, terminal.width - 6, 2));
        }
    }
    if !timeline.notes.is_empty() {
        out.push('\n');
    }
    for note in &timeline.notes {
        let _ = writeln!(out, "{}", wrapped(&format!("! {note}"), terminal.width, 2));
    }
    out
}

fn active(interval: &Interval) -> Option<f64> {
    interval.measures.get("average_active_sessions").copied()
}

fn line(interval: &Interval, most: f64, terminal: Terminal) -> String {
    let begin = interval.begin.as_deref().unwrap_or("time not known");
    let length = interval.elapsed_s.map(duration).unwrap_or_default();
    let sessions = active(interval);
    let cells =
        sessions.map_or(0, |sessions| if most > 0.0 { (sessions / most * BAR as f64).round() as usize } else { 0 });
    let bar = format!("{:<BAR$}", "#".repeat(cells.min(BAR)));
    let sessions = sessions.map(number).unwrap_or_else(|| "-".to_owned());
    let mark = if interval.stands_out.is_empty() { ' ' } else { '*' };
    let worst = interval.worst.as_ref().map_or_else(String::new, |worst| match worst.severity {
        Some(severity) => format!("{} {}", worst.id, percent(severity)),
        None => worst.id.to_owned(),
    });
    let text = format!("{mark} {begin:<20} {length:<13} {sessions:>7} {bar} {worst}");
    let path = match interval.part {
        Some(part) => format!("{} ({part})", interval.path),
        None => interval.path.clone(),
    };
    format!("{}\n      {}", text.trim_end(), terminal.faint(&path))
}

/// The measures in which it stands out, in words.
pub(crate) fn outstanding(interval: &Interval) -> Vec<String> {
    let mut lines: Vec<String> = interval
        .stands_out
        .iter()
        .take(SHOWN)
        .map(|out| {
            let word = if out.value > out.median { "high" } else { "low" };
            format!("{} {word}: {}, median {}", words(&out.measure), number(out.value), number(out.median))
        })
        .collect();
    let more = interval.stands_out.len().saturating_sub(SHOWN);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// A measure's name for people: `executions_per_s` is "executions a second".
pub(crate) fn words(measure: &str) -> String {
    if let Some(event) = measure.strip_suffix("_ms") {
        return format!("{event} (ms a wait)");
    }
    match measure.strip_suffix("_per_s") {
        Some(what) => format!("{} a second", what.replace('_', " ")),
        None => measure.replace('_', " "),
    }
}
