//! Buffer waits by class, enqueues, undo, latches.

use std::io::{Result, Write};

use super::layout::{Column, Page, count, figure, left, number, right, widths};
use crate::model::UndoSummary;

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    buffer_waits(page)?;
    enqueues(page)?;
    undo(page)?;
    latches(page)
}

fn buffer_waits(page: &mut Page<'_, impl Write>) -> Result<()> {
    const COLUMNS: [Column; 4] = [
        left(&["Class"], 22),
        right(&["Waits"], 11),
        right(&["Total Wait Time (s)"], 19),
        right(&["Avg Time (ms)"], 13),
    ];
    let lines = page.report.buffer_waits.iter().flatten();
    let rows: Vec<Vec<String>> = lines
        .map(|line| vec![line.class.clone(), count(line.waits), figure(line.total_s, 2), figure(line.average_ms, 2)])
        .collect();
    page.section("Buffer wait Statistics", &COLUMNS, &rows)
}

fn enqueues(page: &mut Page<'_, impl Write>) -> Result<()> {
    const NAME: [Column; 1] = [left(&["Enqueue Type (Request Reason)"], 78)];
    const FIGURES: [Column; 6] = [
        right(&["Requests"], 12),
        right(&["Succ Gets"], 12),
        right(&["Failed Gets"], 11),
        right(&["Waits"], 11),
        right(&["Wt Time (s)"], 12),
        right(&["Av Wt Time(ms)"], 14),
    ];
    let report = page.report;
    let Some(lines) = report.enqueues.as_deref().filter(|lines| !lines.is_empty()) else { return Ok(()) };
    let names: Vec<Vec<String>> = lines.iter().map(|line| vec![line.name.clone()]).collect();
    let figures: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            vec![
                count(line.requests),
                count(line.gets),
                count(line.failed),
                count(line.waits),
                figure(line.total_s, 2),
                figure(line.average_ms, 2),
            ]
        })
        .collect();
    let (name_widths, figure_widths) = (widths(&NAME, &names), widths(&FIGURES, &figures));
    page.title("Enqueue activity")?;
    page.heading(&NAME, &name_widths)?;
    page.heading(&FIGURES, &figure_widths)?;
    for (name, figures) in names.iter().zip(&figures) {
        page.row(&NAME, &name_widths, name)?;
        page.row(&FIGURES, &figure_widths, figures)?;
    }
    page.end()
}

fn undo(page: &mut Page<'_, impl Write>) -> Result<()> {
    const SUMMARY: [Column; 8] = [
        right(&["Undo", " TS#"], 4),
        right(&["Num Undo", "Blocks (K)"], 10),
        right(&["Number of", "Transactions"], 15),
        right(&["Max Qry", "Len (s)"], 8),
        right(&["Max Tx", "Concy"], 10),
        left(&["Min/Max", "TR (mins)"], 9),
        left(&["STO/", "OOS"], 5),
        left(&["uS/uR/uU/", "eS/eR/eU"], 11),
    ];
    let minutes = |seconds: Option<f64>| number(seconds.map(|seconds| seconds / 60.0), 2).replace(',', "");
    let report = page.report;
    let rows: Vec<Vec<String>> = report
        .undo
        .iter()
        .map(|undo| {
            let mut row = vec![
                "1".to_owned(),
                number(undo.blocks.map(|blocks| blocks / 1000.0), 3),
                count(undo.transactions),
                count(undo.longest_query_s),
                count(undo.concurrent_transactions_max),
                format!("{}/{}", minutes(undo.retention_min_s), minutes(undo.retention_max_s)),
            ];
            row.extend(steals(undo));
            row
        })
        .collect();
    page.section("Undo Segment Summary", &SUMMARY, &rows)?;
    const INTERVALS: [Column; 8] = [
        left(&["End Time"], 12),
        right(&["Num Undo", "Blocks"], 11),
        right(&["Number of", "Transactions"], 12),
        right(&["Max Qry", "Len (s)"], 7),
        right(&["Max Tx", "Concy"], 7),
        right(&["Tun Ret", "(mins)"], 7),
        left(&["STO/", "OOS"], 5),
        left(&["uS/uR/uU/", "eS/eR/eU"], 11),
    ];
    let rows: Vec<Vec<String>> = report
        .undo_intervals
        .iter()
        .flatten()
        .map(|interval| {
            let undo = &interval.figures;
            let mut row = vec![
                interval.end.clone(),
                count(undo.blocks),
                count(undo.transactions),
                count(undo.longest_query_s),
                count(undo.concurrent_transactions_max),
                minutes(undo.retention_min_s),
            ];
            row.extend(steals(undo));
            row
        })
        .collect();
    page.section("Undo Segment Stats", &INTERVALS, &rows)
}

/// "Snapshot too old" and "out of space"; blocks stolen, released and reused, unexpired and expired.
fn steals(undo: &UndoSummary) -> [String; 2] {
    let join = |values: &[Option<f64>]| {
        let texts: Vec<String> = values.iter().map(|value| count(*value).replace(',', "")).collect();
        texts.join("/")
    };
    [
        join(&[undo.snapshot_too_old, undo.out_of_space]),
        join(&[
            undo.unexpired_stolen,
            undo.unexpired_released,
            undo.unexpired_reused,
            undo.expired_stolen,
            undo.expired_released,
            undo.expired_reused,
        ]),
    ]
}

fn latches(page: &mut Page<'_, impl Write>) -> Result<()> {
    const ACTIVITY: [Column; 4] = [
        left(&["Latch"], 24),
        right(&["Get", "Requests"], 14),
        right(&["Pct", "Get", "Miss"], 6),
        right(&["Wait", "Time", "(s)"], 6),
    ];
    const SLEEPS: [Column; 5] = [
        left(&["Latch Name"], 26),
        right(&["Get", "Requests"], 15),
        right(&["Misses"], 12),
        right(&["Sleeps"], 11),
        right(&["Spin", "Gets"], 11),
    ];
    let latches = page.report.latches.as_deref().unwrap_or_default();
    let rows: Vec<Vec<String>> = latches
        .iter()
        .map(|latch| {
            vec![latch.name.clone(), count(latch.gets), number(latch.miss_percent, 1), number(latch.wait_s, 2)]
        })
        .collect();
    page.section("Latch Activity", &ACTIVITY, &rows)?;
    let rows: Vec<Vec<String>> = latches
        .iter()
        .filter(|latch| latch.misses.is_some() || latch.sleeps.is_some() || latch.spin_gets.is_some())
        .map(|latch| {
            vec![
                latch.name.clone(),
                count(latch.gets),
                count(latch.misses),
                count(latch.sleeps),
                count(latch.spin_gets),
            ]
        })
        .collect();
    page.section("Latch Sleep breakdown", &SLEEPS, &rows)
}
