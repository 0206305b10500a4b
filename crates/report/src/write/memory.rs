//! The PGA and the library cache.

use std::io::{Result, Write};

use super::layout::{Column, Page, count, left, number, right, text};
use super::number::bytes;

pub(super) fn pga(page: &mut Page<'_, impl Write>) -> Result<()> {
    const WORK: [Column; 3] =
        [right(&["PGA Cache Hit %"], 15), right(&["W/A MB Processed"], 16), right(&["Extra W/A MB Read/Written"], 25)];
    const TARGETS: [Column; 9] = [
        left(&[], 1),
        right(&["PGA Aggr", "Target(M)"], 9),
        right(&["Auto PGA", "Target(M)"], 9),
        right(&["PGA Mem", "Alloc(M)"], 10),
        right(&["W/A PGA", "Used(M)"], 10),
        right(&["%PGA", "W/A", "Mem"], 6),
        right(&["%Auto", "W/A", "Mem"], 6),
        right(&["%Man", "W/A", "Mem"], 6),
        right(&["Global Mem", "Bound(K)"], 10),
    ];
    let report = page.report;
    page.title("PGA Aggr Target Stats")?;
    page.line("-> B: Begin snap   E: End snap (rows identified with B or E contain data")?;
    page.line("   which is absolute i.e. not diffed over the interval)")?;
    page.line("")?;
    if report.pga_work.is_none() && report.pga_targets.is_none() {
        page.nothing()?;
    }
    if let Some(work) = &report.pga_work {
        let row = vec![number(work.cache_hit_percent, 1), number(work.processed_mb, 2), number(work.extra_mb, 2)];
        page.table(&WORK, &[row])?;
        page.line("")?;
    }
    if let Some(targets) = &report.pga_targets {
        let rows: Vec<Vec<_>> = targets
            .iter()
            .map(|target| {
                vec![
                    text(target.which.clone()),
                    number(target.target_mb, 1),
                    number(target.automatic_target_mb, 1),
                    number(target.allocated_mb, 2),
                    number(target.work_areas_mb, 2),
                    number(target.work_areas_percent, 1),
                    number(target.automatic_percent, 1),
                    number(target.manual_percent, 1),
                    number(target.global_bound_kb, 0),
                ]
            })
            .collect();
        page.table(&TARGETS, &rows)?;
    }
    page.end()?;
    histogram(page)
}

/// Printed where work areas were told apart by their size.
fn histogram(page: &mut Page<'_, impl Write>) -> Result<()> {
    const COLUMNS: [Column; 6] = [
        right(&["Low", "Optimal"], 7),
        right(&["High", "Optimal"], 7),
        right(&["Total Execs"], 14),
        right(&["Optimal Execs"], 13),
        right(&["1-Pass Execs"], 12),
        right(&["M-Pass Execs"], 12),
    ];
    let Some(lines) = page.report.pga_histogram.as_deref().filter(|lines| !lines.is_empty()) else { return Ok(()) };
    let rows: Vec<Vec<_>> = lines
        .iter()
        .map(|line| {
            vec![
                text(bytes(line.low_bytes, 7)),
                text(bytes(line.high_bytes, 7)),
                count(line.executions),
                count(line.optimal),
                count(line.one_pass),
                count(line.multi_pass),
            ]
        })
        .collect();
    let notes = ["-> Optimal Executions are purely in-memory operations".to_owned()];
    page.section("PGA Aggr Target Histogram", &notes, &COLUMNS, &rows)
}

pub(super) fn library_cache(page: &mut Page<'_, impl Write>) -> Result<()> {
    const COLUMNS: [Column; 7] = [
        left(&["Namespace"], 15),
        right(&["Get", "Requests"], 12),
        right(&["Pct", "Miss"], 6),
        right(&["Pin", "Requests"], 14),
        right(&["Pct", "Miss"], 6),
        right(&["Reloads"], 10),
        right(&["Invali-", "dations"], 8),
    ];
    let lines = page.report.library_cache.iter().flatten();
    let rows: Vec<Vec<_>> = lines
        .map(|line| {
            vec![
                text(line.namespace.clone()),
                count(line.gets),
                number(line.get_miss_percent, 1),
                count(line.pins),
                number(line.pin_miss_percent, 1),
                count(line.reloads),
                count(line.invalidations),
            ]
        })
        .collect();
    let notes = ["->\"Pct Misses\"  should be very low".to_owned()];
    page.section("Library Cache Activity", &notes, &COLUMNS, &rows)
}
