//! Statistics of the instance and of the operating system.

use std::io::{Result, Write};

use super::layout::{Column, Page, count, left, name, number, right, text};
use crate::names::Names;

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    const TITLE: &str = "Instance Activity Stats";
    let report = page.report;
    const DIFFERENCES: [Column; 4] =
        [left(&["Statistic"], 33), right(&["Total"], 18), right(&["per Second"], 14), right(&["per Trans"], 12)];
    const VALUES: [Column; 3] = [left(&["Statistic"], 33), right(&["Begin Value"], 15), right(&["End Value"], 15)];
    const COUNTS: [Column; 3] = [left(&["Statistic"], 33), right(&["Total"], 18), right(&["per Hour"], 9)];
    let differences: Vec<Vec<_>> = report
        .statistics
        .iter()
        .flatten()
        .map(|line| {
            let rates = [number(line.per_second, 2), number(line.per_transaction, 2)];
            [name(Names::Statistics, &line.name), count(line.total)].into_iter().chain(rates).collect()
        })
        .collect();
    page.section(TITLE, &[], &DIFFERENCES, &differences)?;
    let values: Vec<Vec<_>> = report
        .absolute_statistics
        .iter()
        .flatten()
        .map(|line| vec![name(Names::Statistics, &line.name), count(line.begin), count(line.total)])
        .collect();
    let notes = ["-> Statistics with absolute values (should not be diffed)".to_owned()];
    page.section(TITLE, &notes, &VALUES, &values)?;
    // The rate an hour is what tells this table from the first.
    let hours = report.window.elapsed_s.filter(|seconds| *seconds > 0.0).map(|seconds| seconds / 3600.0);
    let counts: Vec<Vec<_>> = report
        .thread_activity
        .iter()
        .flatten()
        .map(|line| {
            let rate = line.total.zip(hours).map(|(total, hours)| total / hours);
            vec![name(Names::Statistics, &line.name), count(line.total), number(rate, 2)]
        })
        .collect();
    let notes = ["-> Statistics identified by '(derived)' come from sources other than SYSSTAT".to_owned()];
    page.section(TITLE, &notes, &COUNTS, &counts)?;
    system(page)
}

fn system(page: &mut Page<'_, impl Write>) -> Result<()> {
    const SYSTEM: [Column; 3] = [left(&["Statistic"], 25), right(&["Total"], 22), right(&["End Value"], 22)];
    const DETAIL: [Column; 8] = [
        right(&["Snap", "Id"], 6),
        left(&["Snapshot", "Day Time"], 15),
        right(&["Load"], 6),
        right(&["%Busy"], 6),
        right(&["%User"], 6),
        right(&["%System"], 7),
        right(&["%WIO"], 6),
        right(&["%WCPU"], 6),
    ];
    let host = &page.report.host;
    let rows: Vec<Vec<_>> = host
        .statistics
        .iter()
        .flatten()
        .map(|line| vec![text(line.name.clone()), count(line.value), count(line.end)])
        .collect();
    // Where nothing changed there is no second column.
    let columns = if rows.iter().all(|row| row[2].is_empty()) { &SYSTEM[..2] } else { &SYSTEM };
    let notes = ["-> ordered by statistic type (CPU use, Virtual Memory, Hardware Config), Name".to_owned()];
    page.section("OS Statistics", &notes, columns, &rows)?;
    let window = &page.report.window;
    let details = host.details.as_deref().unwrap_or_default();
    // One a snapshot, where there are as many as there are ends of the window.
    let ids = if details.len() == 2 { [window.begin.id, window.end.id] } else { [None, None] };
    let rows: Vec<Vec<_>> = details
        .iter()
        .zip(ids.into_iter().chain(std::iter::repeat(None)))
        .map(|(detail, id)| {
            vec![
                text(id.map_or(String::new(), |id| id.to_string())),
                text(detail.time.clone()),
                number(detail.load, 1),
                number(detail.busy_percent, 1),
                number(detail.user_percent, 1),
                number(detail.system_percent, 1),
                number(detail.io_wait_percent, 1),
                number(None, 1),
            ]
        })
        .collect();
    page.section("OS Statistics - detail", &[], &DETAIL, &rows)
}
