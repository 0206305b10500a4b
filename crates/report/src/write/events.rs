//! Time model and wait events.

use std::io::{Result, Write};

use super::layout::{Column, Page, figure, left, name, number, right};
use crate::model::Event;
use crate::names::Names;

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    let report = page.report;
    let rows: Vec<Vec<_>> = report
        .time_model
        .iter()
        .flatten()
        .map(|line| vec![name(Names::TimeModel, &line.name), figure(line.seconds, 2), number(line.percent, 1)])
        .collect();
    const TIME_MODEL: [Column; 3] = [left(&["Statistic"], 35), right(&["Time (s)"], 20), right(&["% DB time"], 9)];
    let notes = ["-> Ordered by % of DB time desc, Statistic name".to_owned()];
    page.section("Time Model System Stats", &notes, &TIME_MODEL, &rows)?;
    events(page, "Foreground Wait Events", report.foreground_events.as_deref())?;
    events(page, "Background Wait Events", report.background_events.as_deref())?;
    events(page, "Wait Events (fg and bg)", report.all_events.as_deref())
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
    let rows: Vec<Vec<_>> = events
        .unwrap_or_default()
        .iter()
        .map(|event| {
            vec![
                name(Names::Events, &event.name),
                figure(event.waits, 0),
                number(event.timeouts_percent, 0),
                figure(event.total_s, 2),
                figure(event.average_ms, 3),
                number(event.waits_per_transaction, 1),
                number(event.percent, 1),
            ]
        })
        .collect();
    let notes = [
        "-> Only events with Total Wait Time (s) >= .001 are shown",
        "-> ordered by Total Wait Time desc, Waits desc (idle events last)",
    ];
    page.section(title, &notes.map(str::to_owned), &COLUMNS, &rows)
}
