//! The comparison for a person.

use std::fmt::Write as _;

use super::measure::What;
use super::{Comparison, Difference, OneSide, Weight};
use crate::screen::number::{milliseconds, number, percent, seconds};
use crate::screen::{Terminal, wrapped};

/// Differences of each kind that are shown.
const SHOWN: usize = 12;
/// Changes that are shown.
const CHANGES: usize = 30;

pub(crate) fn screen(comparison: &Comparison, terminal: Terminal) -> String {
    let mut out = String::new();
    for (name, side) in [("before", &comparison.before), ("after ", &comparison.after)] {
        let _ = writeln!(out, "{name}  {}", wrapped(&side_line(side), terminal.width - 8, 8));
    }
    let loads: Vec<String> = comparison
        .load
        .iter()
        .map(|load| {
            let (before, after) = (number(load.before_per_s), number(load.after_per_s));
            format!("{} {before} to {after} a second ({})", load.measure, times(load.ratio))
        })
        .collect();
    if !loads.is_empty() {
        let _ = writeln!(out, "load    {}", wrapped(&loads.join(", "), terminal.width - 8, 8));
    }
    let title = "More or less than the load explains";
    let _ = writeln!(out, "\n{}", terminal.strong(title));
    let mut none = true;
    for what in [What::Time, What::Latency, What::Amount] {
        let lines = comparison.differences.iter().filter(|line| line.exceeds_load && line.what == what);
        for line in lines.clone().take(SHOWN) {
            none = false;
            let _ = writeln!(out, "  {}", wrapped(&words(line), terminal.width - 2, 4));
        }
        let more = lines.count().saturating_sub(SHOWN);
        if more > 0 {
            let _ = writeln!(out, "  {}", terminal.faint(&format!("and {more} more (--json has them)")));
        }
    }
    if none {
        let _ = writeln!(out, "  nothing");
    }
    let _ = writeln!(out, "\n{}", terminal.strong("What else changed"));
    for change in comparison.changed.iter().take(CHANGES) {
        let side = |text: &Option<String>| text.clone().unwrap_or_else(|| "not set".to_owned());
        let text = format!("{}: {} -> {}", change.what, side(&change.before), side(&change.after));
        let _ = writeln!(out, "  {}", wrapped(&text, terminal.width - 2, 4));
    }
    match comparison.changed.len() {
        0 => out.push_str("  nothing that both reports show\n"),
        count if count > CHANGES => {
            let _ = writeln!(out, "  {}", terminal.faint(&format!("and {} more (--json has them)", count - CHANGES)));
        }
        _ => {}
    }
    if !comparison.findings.is_empty() {
        let _ = writeln!(out, "\n{}", terminal.strong("Findings before and after"));
    }
    for finding in &comparison.findings {
        let text = format!("{}: {} -> {}", finding.id, share(finding.before), share(finding.after));
        let _ = writeln!(out, "  {}", wrapped(&text, terminal.width - 2, 4));
    }
    out.push('\n');
    for note in &comparison.notes {
        let _ = writeln!(out, "{}", wrapped(&format!("! {note}"), terminal.width, 2));
    }
    out
}

pub(crate) fn side_line(side: &OneSide) -> String {
    let parts = [
        Some(side.database.clone()),
        side.window.clone(),
        side.average_active_sessions.map(|sessions| format!("{} average active sessions", number(sessions))),
        Some(side.path.clone()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// One difference in words: "log file sync: 1.2 s to 4.8 s a minute (4 times), …".
pub(crate) fn words(line: &Difference) -> String {
    let ratio = line.ratio.map_or_else(|| "none before".to_owned(), times);
    match line.what {
        What::Latency => {
            let (before, after) = (milliseconds(line.before.value), milliseconds(line.after.value));
            format!("{}: {before} to {after} a wait ({ratio})", line.measure)
        }
        What::Time | What::Amount => {
            let show: fn(f64) -> String = if line.what == What::Time { seconds } else { number };
            let pair = |before: Option<f64>, after: Option<f64>| Some(format!("{} to {}", show(before?), show(after?)));
            let mut text = line.measure.clone();
            if let Some(pair) = pair(line.before.per_second, line.after.per_second) {
                let _ = write!(text, ": {pair} a second ({ratio})");
            }
            if let Some(pair) = pair(line.before.per_transaction, line.after.per_transaction) {
                let _ = write!(text, ", {pair} a transaction");
                if let Some(ratio) = line.ratio_per_transaction {
                    let _ = write!(text, " ({})", times(ratio));
                }
            }
            if let Some(excess) = line.excess_s {
                let word = if excess >= 0.0 { "more" } else { "less" };
                let _ = write!(text, ": {} {word} than the load explains", seconds(excess.abs()));
            }
            text
        }
    }
}

pub(crate) fn times(ratio: f64) -> String {
    if (0.995..1.005).contains(&ratio) { "the same".to_owned() } else { format!("x {}", number(ratio)) }
}

/// A finding's share of the time, in words.
pub(crate) fn share(weight: Option<Weight>) -> String {
    match weight {
        None => "not found".to_owned(),
        Some(Weight { severity: Some(severity), .. }) => percent(severity),
        Some(Weight { seconds: Some(spent), .. }) => seconds(spent),
        Some(_) => "found".to_owned(),
    }
}
