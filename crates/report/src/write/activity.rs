//! Statistics of the instance and of the operating system.

use std::io::{Result, Write};

use super::layout::{Column, Page, count, left, number, right};

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    let report = page.report;
    const DIFFERENCES: [Column; 4] =
        [left(&["Statistic"], 33), right(&["Total"], 18), right(&["per Second"], 14), right(&["per Trans"], 12)];
    const VALUES: [Column; 3] = [left(&["Statistic"], 33), right(&["Begin Value"], 15), right(&["End Value"], 15)];
    const COUNTS: [Column; 3] = [left(&["Statistic"], 33), right(&["Total"], 18), right(&["per Hour"], 9)];
    const SYSTEM: [Column; 3] = [left(&["Statistic"], 25), right(&["Total"], 22), right(&["End Value"], 22)];
    let differences: Vec<Vec<String>> = report
        .statistics
        .iter()
        .flatten()
        .map(|line| {
            vec![line.name.clone(), count(line.total), number(line.per_second, 2), number(line.per_transaction, 2)]
        })
        .collect();
    page.section("Instance Activity Stats", &DIFFERENCES, &differences)?;
    let values: Vec<Vec<String>> = report
        .absolute_statistics
        .iter()
        .flatten()
        .map(|line| vec![line.name.clone(), count(line.begin), count(line.total)])
        .collect();
    page.section("Instance Activity Stats", &VALUES, &values)?;
    // The rate an hour is what tells this table from the first.
    let hours = report.window.elapsed_s.map(|seconds| seconds / 3600.0);
    let counts: Vec<Vec<String>> = report
        .thread_activity
        .iter()
        .flatten()
        .map(|line| {
            let rate = line.total.zip(hours).map(|(total, hours)| total / hours);
            vec![line.name.clone(), count(line.total), number(rate, 2)]
        })
        .collect();
    page.section("Instance Activity Stats", &COUNTS, &counts)?;
    let system: Vec<Vec<String>> = report
        .host
        .statistics
        .iter()
        .flatten()
        .map(|line| vec![line.name.clone(), count(line.value), count(line.end)])
        .collect();
    page.section("OS Statistics", &SYSTEM, &system)
}
