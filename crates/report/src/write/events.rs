//! Time model, wait events and their histograms.

use std::io::{Result, Write};

use super::layout::{Column, Page, figure, left, number, right, rounded};
use crate::model::{Event, EventHistogram};

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    let report = page.report;
    let rows: Vec<Vec<String>> = report
        .time_model
        .iter()
        .flatten()
        .map(|line| vec![line.name.clone(), figure(line.seconds, 2), number(line.percent, 1)])
        .collect();
    const TIME_MODEL: [Column; 3] = [left(&["Statistic"], 35), right(&["Time (s)"], 20), right(&["% DB time"], 9)];
    page.section("Time Model System Stats", &TIME_MODEL, &rows)?;
    events(page, "Foreground Wait Events", report.foreground_events.as_deref())?;
    events(page, "Background Wait Events", report.background_events.as_deref())?;
    events(page, "Wait Events (fg and bg)", report.all_events.as_deref())?;
    histograms(page, report.histograms.as_deref().unwrap_or_default())
}

fn events(page: &mut Page<'_, impl Write>, title: &str, events: Option<&[Event]>) -> Result<()> {
    const COLUMNS: [Column; 7] = [
        left(&["Event"], 28),
        right(&["Waits"], 12),
        right(&["%Tim", "out"], 4),
        right(&["Total Wait", "Time (s)"], 10),
        right(&["Avg", "wait", "(ms)"], 6),
        right(&["Waits", "/txn"], 8),
        right(&["%Total", "Call", "Time"], 6),
    ];
    let rows: Vec<Vec<String>> = events
        .unwrap_or_default()
        .iter()
        .map(|event| {
            vec![
                event.name.clone(),
                figure(event.waits, 0),
                number(event.timeouts_percent, 0),
                figure(event.total_s, 2),
                figure(event.average_ms, 3),
                number(event.waits_per_transaction, 1),
                number(event.percent, 1),
            ]
        })
        .collect();
    page.section(title, &COLUMNS, &rows)
}

/// Every bound that some event has is a column.
fn histograms(page: &mut Page<'_, impl Write>, histograms: &[EventHistogram]) -> Result<()> {
    let mut bounds: Vec<f64> =
        histograms.iter().flat_map(|histogram| &histogram.buckets).filter_map(|bucket| bucket.below_us).collect();
    bounds.sort_by(f64::total_cmp);
    bounds.dedup();
    let Some(last) = bounds.last().copied() else { return Ok(()) };
    // Bounds of powers of two begin below a millisecond; decimal ones at a whole millisecond.
    let units = if bounds.iter().all(|bound| bound % 1000.0 == 0.0) {
        Units::Decimal
    } else if bounds.iter().any(|bound| *bound < 1024.0) {
        Units::Binary
    } else {
        Units::Microseconds
    };
    let mut headings = vec!["Event".to_owned(), "Total Waits".to_owned()];
    headings.extend(bounds.iter().map(|bound| format!("<{}", units.name(*bound))));
    headings.push(format!(">={}", units.name(last)));
    let rows: Vec<Vec<String>> = histograms
        .iter()
        .map(|histogram| {
            let share = |below: Option<f64>| {
                let bucket = histogram.buckets.iter().find(|bucket| bucket.below_us == below);
                bucket
                    .filter(|bucket| bucket.percent != 0.0)
                    .map_or(String::new(), |bucket| number(Some(bucket.percent), 1))
            };
            let mut row = vec![histogram.name.clone(), rounded(histogram.waits)];
            row.extend(bounds.iter().map(|bound| share(Some(*bound))));
            row.push(share(None));
            row
        })
        .collect();
    page.title("Wait Event Histogram")?;
    let widths: Vec<usize> = headings
        .iter()
        .enumerate()
        .map(|(at, heading)| {
            let cells = rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
            cells.max(heading.chars().count()).max(if at == 0 { 26 } else { 5 })
        })
        .collect();
    let write = |cells: &[String]| {
        let text: Vec<String> = cells
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(at, (cell, width))| if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") })
            .collect();
        text.join(" ")
    };
    page.line(&write(&headings))?;
    let ruler: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    page.line(&ruler.join(" "))?;
    for row in &rows {
        page.line(&write(row))?;
    }
    page.end()
}

/// How the bounds of a report are named.
#[derive(Clone, Copy)]
enum Units {
    Decimal,
    Binary,
    Microseconds,
}

impl Units {
    fn name(self, bound: f64) -> String {
        let scales: &[(&str, f64)] = match self {
            Units::Decimal => &[("s", 1_024_000.0), ("ms", 1000.0)],
            Units::Binary => &[("s", 1_048_576.0), ("ms", 1024.0)],
            Units::Microseconds => &[],
        };
        let fitting = scales.iter().find(|(_, factor)| bound % factor == 0.0);
        match fitting {
            Some((unit, factor)) => format!("{}{unit}", bound / factor),
            None => format!("{bound}us"),
        }
    }
}
