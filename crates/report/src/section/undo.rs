//! Undo: the window's summary and its intervals of ten minutes.

use std::io::Result;

use super::column::Field::{Other, Text};
use super::column::{Column, column, count, of, rows};
use super::{Layout, Section, print};
use crate::grid::view::{self, Line, View};
use crate::model::{Report, UndoInterval, UndoSummary};
use crate::page::digits::fit;
use crate::page::{self, Cell, Page};

const TABLESPACE: Column<UndoInterval> = column(&["undots#"], count(of!(UndoInterval.figures.tablespace_number)));
const BLOCKS: Column<UndoInterval> = column(&["numundoblocks", "undoblocks"], count(of!(UndoInterval.figures.blocks)));
/// Where a table has both, the thousands win: so this column stands after [`BLOCKS`].
const THOUSANDS_OF_BLOCKS: Column<UndoInterval> = column(
    &["numundoblocksk", "undoblocksk"],
    Other {
        read: |undo: &mut UndoInterval, line, column| {
            undo.figures.blocks = line.number(Some(column)).map(|blocks| blocks * 1000.0).or(undo.figures.blocks);
        },
        cell: |undo, _| page::number(undo.figures.blocks.map(|blocks| blocks / 1000.0), 3),
    },
);
const TRANSACTIONS: Column<UndoInterval> =
    column(&["numtrans", "numtransactions"], count(of!(UndoInterval.figures.transactions)));
const LONGEST_QUERY: Column<UndoInterval> = column(&["maxquerylens"], count(of!(UndoInterval.figures.longest_query_s)));
const CONCURRENT: Column<UndoInterval> =
    column(&["maxtxconcurcy", "maxtxconcurrency"], count(of!(UndoInterval.figures.concurrent_transactions_max)));
/// Least and most minutes.
const RETENTION: Column<UndoInterval> = column(
    &["minmaxtrmins"],
    Other {
        read: |undo: &mut UndoInterval, line, column| {
            let (least, most) = pair(line, column);
            undo.figures.retention_min_s = least.map(|minutes| minutes * 60.0);
            undo.figures.retention_max_s = most.map(|minutes| minutes * 60.0);
        },
        cell: |undo, _| {
            let minutes = [undo.figures.retention_min_s, undo.figures.retention_max_s];
            slashed(&minutes.map(|seconds| seconds.map(|seconds| seconds / 60.0)), 1, 4)
        },
    },
);
const TUNED_RETENTION: Column<UndoInterval> = column(
    &["tunretmins", "tunedretmins"],
    Other {
        read: |undo: &mut UndoInterval, line, column| {
            let tuned = line.number(Some(column)).map(|minutes| minutes * 60.0);
            let figures = &mut undo.figures;
            figures.retention_min_s = figures.retention_min_s.or(tuned);
            figures.retention_max_s = figures.retention_max_s.or(tuned);
        },
        cell: |undo, _| page::number(undo.figures.retention_min_s.map(|seconds| seconds / 60.0), 1),
    },
);
/// Some releases print the two counts of errors in columns of their own.
const TOO_OLD: Column<UndoInterval> =
    column(&["snapshottooold", "snaptooold"], count(of!(UndoInterval.figures.snapshot_too_old)));
const OUT_OF_SPACE: Column<UndoInterval> = column(&["outofspace"], count(of!(UndoInterval.figures.out_of_space)));
const ERRORS: Column<UndoInterval> = column(
    &[],
    Other {
        read: |undo: &mut UndoInterval, line, column| {
            let (too_old, out_of_space) = pair(line, column);
            undo.figures.snapshot_too_old = too_old.or(undo.figures.snapshot_too_old);
            undo.figures.out_of_space = out_of_space.or(undo.figures.out_of_space);
        },
        cell: |undo, _| slashed(&[undo.figures.snapshot_too_old, undo.figures.out_of_space], 0, 6),
    },
)
.left(&["STO/", "OOS"], 5);
/// Blocks stolen, released and reused, unexpired and expired.
const STEALS: Column<UndoInterval> = column(
    &["usuruusereu"],
    Other {
        read: |undo: &mut UndoInterval, line, column| {
            let found = line.slashed(column);
            for (field, value) in steals(&mut undo.figures).into_iter().zip(found) {
                *field = value;
            }
        },
        cell: |undo, _| slashed(&steals(&mut undo.figures.clone()).map(|value| *value), 0, 6),
    },
)
.left(&["uS/uR/uU/", "eS/eR/eU"], 11);

fn steals(undo: &mut UndoSummary) -> [&mut Option<f64>; 6] {
    [
        &mut undo.unexpired_stolen,
        &mut undo.unexpired_released,
        &mut undo.unexpired_reused,
        &mut undo.expired_stolen,
        &mut undo.expired_released,
        &mut undo.expired_reused,
    ]
}

/// "24.2/39.8", "0/0".
fn pair(line: Line<'_>, column: view::Column) -> (Option<f64>, Option<f64>) {
    match line.slashed(column).as_slice() {
        [one, other] => (*one, *other),
        _ => (None, None),
    }
}

/// Six counts in eleven characters hold no more than one digit each: such a cell may be longer than its column.
fn slashed(values: &[Option<f64>], decimals: usize, width: usize) -> Cell {
    let texts =
        values.iter().map(|value| value.map_or(String::new(), |value| fit(value, decimals, width).replace(',', "")));
    Cell::Long(texts.collect::<Vec<_>>().join("/"))
}

const SUMMARY: &[Column<UndoInterval>] = &[
    TABLESPACE.right(&["Undo", " TS#"], 4),
    BLOCKS,
    THOUSANDS_OF_BLOCKS.right(&["Num Undo", "Blocks (K)"], 10),
    TRANSACTIONS.right(&["Number of", "Transactions"], 15),
    LONGEST_QUERY.right(&["Max Qry", "Len (s)"], 8),
    CONCURRENT.right(&["Max Tx", "Concy"], 10),
    RETENTION.left(&["Min/Max", "TR (mins)"], 9),
    TUNED_RETENTION,
    TOO_OLD,
    OUT_OF_SPACE,
    ERRORS,
    STEALS,
];

pub(crate) static UNDO_INTERVALS: Section<UndoInterval> = Section::new(
    "Undo Segment Stats",
    &["-> Most recent 35 Undostat rows, ordered by End Time desc"],
    &[
        column(&[], Text(of!(UndoInterval.end))).key().left(&["End Time"], 12),
        TABLESPACE,
        BLOCKS.right(&["Num Undo", "Blocks"], 11),
        THOUSANDS_OF_BLOCKS,
        TRANSACTIONS.right(&["Number of", "Transactions"], 12),
        LONGEST_QUERY.right(&["Max Qry", "Len (s)"], 7),
        CONCURRENT.right(&["Max Tx", "Concy"], 7),
        RETENTION,
        TUNED_RETENTION.right(&["Tun Ret", "(mins)"], 7),
        TOO_OLD,
        OUT_OF_SPACE,
        ERRORS,
        STEALS,
    ],
    of!(Report.undo_intervals),
)
.keep(has_figures);

fn has_figures(undo: &UndoInterval) -> bool {
    undo.figures.blocks.is_some() || undo.figures.transactions.is_some()
}

/// Several undo tablespaces are summed: their counts add up. The longest query, the most transactions at once and the
/// longest retention are the greatest, the shortest retention is the least.
pub(crate) fn read_undo(report: &mut Report, view: &View<'_>) -> bool {
    let mut found = rows(SUMMARY, view, false).unwrap_or_default();
    found.retain(has_figures);
    for UndoInterval { figures, .. } in &found {
        match &mut report.undo {
            Some(sum) => add(sum, figures),
            None => report.undo = Some(figures.clone()),
        }
    }
    !found.is_empty()
}

fn add(sum: &mut UndoSummary, undo: &UndoSummary) {
    if sum.tablespace_number != undo.tablespace_number {
        sum.tablespace_number = None;
    }
    for (field, value) in [
        (&mut sum.blocks, undo.blocks),
        (&mut sum.transactions, undo.transactions),
        (&mut sum.snapshot_too_old, undo.snapshot_too_old),
        (&mut sum.out_of_space, undo.out_of_space),
    ] {
        combine(field, value, |one, other| one + other);
    }
    for (field, value) in steals(sum).into_iter().zip(steals(&mut undo.clone())) {
        combine(field, *value, |one, other| one + other);
    }
    combine(&mut sum.longest_query_s, undo.longest_query_s, f64::max);
    combine(&mut sum.concurrent_transactions_max, undo.concurrent_transactions_max, f64::max);
    combine(&mut sum.retention_min_s, undo.retention_min_s, f64::min);
    combine(&mut sum.retention_max_s, undo.retention_max_s, f64::max);
}

fn combine(field: &mut Option<f64>, value: Option<f64>, with: impl Fn(f64, f64) -> f64) {
    *field = match (*field, value) {
        (Some(one), Some(other)) => Some(with(one, other)),
        (one, other) => one.or(other),
    };
}

pub(crate) fn write_undo(page: &mut Page<'_>) -> Result<()> {
    let notes = [
        "-> Min/Max TR (mins) - Min and Max Tuned Retention (minutes)",
        "-> STO - Snapshot Too Old count,  OOS - Out Of Space count",
        "-> Undo segment block stats:",
        "   uS - unexpired Stolen,   uR - unexpired Released,   uU - unexpired reUsed",
        "   eS - expired   Stolen,   eR - expired   Released,   eU - expired   reUsed",
    ];
    let rows = page.report.undo.iter().map(|undo| UndoInterval { end: String::new(), figures: undo.clone() });
    let rows: Vec<UndoInterval> = rows.collect();
    print(page, "Undo Segment Summary", &notes, SUMMARY, Layout::Line, &rows)
}
