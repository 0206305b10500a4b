//! The PGA: its targets at both ends of the window, and work areas by size.

use std::io::Result;

use super::column::Field::{Bytes, Text};
use super::column::{Column, column, count, number, of, printed, rows};
use super::{AnySection, Section};
use crate::grid::view::View;
use crate::model::{PgaHistogramLine, PgaTarget, PgaWork, Report};
use crate::page::Page;

/// Two lines, marked B and E.
const PGA_TARGET: &[Column<PgaTarget>] = &[
    column(&[], Text(of!(PgaTarget.which))).first().key_if(|which| matches!(which, "B" | "E")).left(&[], 1),
    column(&["pgaaggregatetargetm", "pgatargetm"], number(1, of!(PgaTarget.target_mb)))
        .needed()
        .right(&["PGA Aggr", "Target(M)"], 9),
    column(&[], number(1, of!(PgaTarget.automatic_target_mb))).right(&["Auto PGA", "Target(M)"], 9),
    column(&[], number(2, of!(PgaTarget.allocated_mb))).right(&["PGA Mem", "Alloc(M)"], 10),
    column(&[], number(2, of!(PgaTarget.work_areas_mb))).right(&["W/A PGA", "Used(M)"], 10),
    column(&[], number(1, of!(PgaTarget.work_areas_percent))).right(&["%PGA", "W/A", "Mem"], 6),
    column(&[], number(1, of!(PgaTarget.automatic_percent))).right(&["%Auto", "W/A", "Mem"], 6),
    column(&[], number(1, of!(PgaTarget.manual_percent))).right(&["%Man", "W/A", "Mem"], 6),
    column(&[], number(0, of!(PgaTarget.global_bound_kb))).right(&["Global Mem", "Bound(K)"], 10),
];

/// One line, over the window.
const PGA_WORK: &[Column<PgaWork>] = &[
    column(&[], number(1, of!(PgaWork.cache_hit_percent))).needed().right(&["PGA Cache Hit %"], 15),
    column(&[], number(2, of!(PgaWork.processed_mb))).right(&["W/A MB Processed"], 16),
    column(&[], number(2, of!(PgaWork.extra_mb))).right(&["Extra W/A MB Read/Written"], 25),
];

/// Statspack has targets, work and work areas under one title.
pub(crate) fn read_pga(report: &mut Report, view: &View<'_>) -> bool {
    if let Some(targets) = rows(PGA_TARGET, view, false).filter(|targets| !targets.is_empty()) {
        report.pga_targets.get_or_insert_default().extend(targets);
        return true;
    }
    if PGA_HISTOGRAM.read(report, view) {
        return true;
    }
    let work = rows(PGA_WORK, view, false).and_then(|lines| lines.into_iter().next());
    let work = work.filter(|work| *work != PgaWork::default());
    let is_read = work.is_some();
    report.pga_work = work.or(report.pga_work.take());
    is_read
}

pub(crate) fn write_pga(page: &mut Page<'_>) -> Result<()> {
    let report = page.report;
    page.title("PGA Aggr Target Stats")?;
    page.line("-> B: Begin snap   E: End snap (rows identified with B or E contain data")?;
    page.line("   which is absolute i.e. not diffed over the interval)")?;
    page.line("")?;
    if report.pga_work.is_none() && report.pga_targets.is_none() {
        page.nothing()?;
    }
    if report.pga_work.is_some() {
        let (columns, rows) = printed(PGA_WORK, report, &report.pga_work);
        page.table(&columns, &rows)?;
        page.line("")?;
    }
    if let Some(targets) = &report.pga_targets {
        let (columns, rows) = printed(PGA_TARGET, report, targets);
        page.table(&columns, &rows)?;
    }
    page.end()?;
    PGA_HISTOGRAM.write(page)
}

/// Printed where work areas were told apart by their size.
static PGA_HISTOGRAM: Section<PgaHistogramLine> = Section::new(
    "PGA Aggr Target Histogram",
    &["-> Optimal Executions are purely in-memory operations"],
    &[
        column(&[], Bytes(of!(PgaHistogramLine.low_bytes))).needed().right(&["Low", "Optimal"], 7),
        column(&[], Bytes(of!(PgaHistogramLine.high_bytes))).right(&["High", "Optimal"], 7),
        column(&["totalexecutions"], count(of!(PgaHistogramLine.executions))).needed().right(&["Total Execs"], 14),
        column(&[], count(of!(PgaHistogramLine.optimal))).right(&["Optimal Execs"], 13),
        column(&[], count(of!(PgaHistogramLine.one_pass))).right(&["1-Pass Execs"], 12),
        column(&[], count(of!(PgaHistogramLine.multi_pass))).right(&["M-Pass Execs"], 12),
    ],
    of!(Report.pga_histogram),
)
.keep(|line| line.executions.is_some())
.left_out_without_data();
