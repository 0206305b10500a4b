//! Undo: the window's summary and its intervals.

use std::io::{Result, Write};

use super::layout::{Cell, Column, Page, count, left, number, right, text};
use super::number::fit;
use crate::model::UndoSummary;

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    summary(page)?;
    intervals(page)
}

fn minutes(seconds: Option<f64>) -> Option<f64> {
    seconds.map(|seconds| seconds / 60.0)
}

fn summary(page: &mut Page<'_, impl Write>) -> Result<()> {
    const COLUMNS: [Column; 8] = [
        right(&["Undo", " TS#"], 4),
        right(&["Num Undo", "Blocks (K)"], 10),
        right(&["Number of", "Transactions"], 15),
        right(&["Max Qry", "Len (s)"], 8),
        right(&["Max Tx", "Concy"], 10),
        left(&["Min/Max", "TR (mins)"], 9),
        left(&["STO/", "OOS"], 5),
        left(&["uS/uR/uU/", "eS/eR/eU"], 11),
    ];
    let rows: Vec<Vec<_>> = page
        .report
        .undo
        .iter()
        .map(|undo| {
            let mut row = vec![
                count(undo.tablespace_number),
                number(undo.blocks.map(|blocks| blocks / 1000.0), 3),
                count(undo.transactions),
                count(undo.longest_query_s),
                count(undo.concurrent_transactions_max),
                slashed(&[minutes(undo.retention_min_s), minutes(undo.retention_max_s)], 1, 4),
            ];
            row.extend(steals(undo));
            row
        })
        .collect();
    let notes = [
        "-> Min/Max TR (mins) - Min and Max Tuned Retention (minutes)",
        "-> STO - Snapshot Too Old count,  OOS - Out Of Space count",
        "-> Undo segment block stats:",
        "   uS - unexpired Stolen,   uR - unexpired Released,   uU - unexpired reUsed",
        "   eS - expired   Stolen,   eR - expired   Released,   eU - expired   reUsed",
    ];
    page.section("Undo Segment Summary", &notes.map(str::to_owned), &COLUMNS, &rows)
}

fn intervals(page: &mut Page<'_, impl Write>) -> Result<()> {
    const COLUMNS: [Column; 8] = [
        left(&["End Time"], 12),
        right(&["Num Undo", "Blocks"], 11),
        right(&["Number of", "Transactions"], 12),
        right(&["Max Qry", "Len (s)"], 7),
        right(&["Max Tx", "Concy"], 7),
        right(&["Tun Ret", "(mins)"], 7),
        left(&["STO/", "OOS"], 5),
        left(&["uS/uR/uU/", "eS/eR/eU"], 11),
    ];
    let rows: Vec<Vec<_>> = page
        .report
        .undo_intervals
        .iter()
        .flatten()
        .map(|interval| {
            let undo = &interval.figures;
            let mut row = vec![
                text(interval.end.clone()),
                count(undo.blocks),
                count(undo.transactions),
                count(undo.longest_query_s),
                count(undo.concurrent_transactions_max),
                number(minutes(undo.retention_min_s), 1),
            ];
            row.extend(steals(undo));
            row
        })
        .collect();
    let notes = ["-> Most recent 35 Undostat rows, ordered by End Time desc".to_owned()];
    page.section("Undo Segment Stats", &notes, &COLUMNS, &rows)
}

/// "24.2/39.8".
fn slashed(values: &[Option<f64>], decimals: usize, width: usize) -> Cell {
    let texts =
        values.iter().map(|value| value.map_or(String::new(), |value| fit(value, decimals, width).replace(',', "")));
    Cell::Long(texts.collect::<Vec<_>>().join("/"))
}

/// "Snapshot too old" and "out of space"; blocks stolen, released and reused, unexpired and expired.
fn steals(undo: &UndoSummary) -> [Cell; 2] {
    // Six counts in eleven characters hold no more than one digit each: these cells may be longer than their columns.
    let blocks = [
        undo.unexpired_stolen,
        undo.unexpired_released,
        undo.unexpired_reused,
        undo.expired_stolen,
        undo.expired_released,
        undo.expired_reused,
    ];
    [slashed(&[undo.snapshot_too_old, undo.out_of_space], 0, 6), slashed(&blocks, 0, 6)]
}
