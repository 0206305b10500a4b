//! I/O by tablespace and file, buffer pools. A row takes two lines: the names, and below them the figures.

use std::io::{Result, Write};

use super::layout::{Column, Page, count, figure, left, number, right, widths};
use crate::model::FileIo;

const FIGURES: [Column; 8] = [
    right(&["Reads"], 14),
    right(&["Av", "Reads/s"], 7),
    right(&["Av", "Rd(ms)"], 6),
    right(&["Av", "Blks/Rd"], 7),
    right(&["Writes"], 12),
    right(&["Av", "Writes/s"], 8),
    right(&["Buffer", "Waits"], 10),
    right(&["Av Buf", "Wt(ms)"], 6),
];

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    let report = page.report;
    const TABLESPACE: [Column; 1] = [left(&["Tablespace"], 30)];
    const FILE: [Column; 2] = [left(&["Tablespace"], 24), left(&["Filename"], 52)];
    files(page, "Tablespace IO Stats", &TABLESPACE, report.tablespaces.as_deref())?;
    files(page, "File IO Stats", &FILE, report.files.as_deref())?;
    const POOLS: [Column; 9] = [
        left(&["P"], 3),
        right(&["Number of", "Buffers"], 10),
        right(&["Pool", "Hit%"], 4),
        right(&["Buffer", "Gets"], 14),
        right(&["Physical", "Reads"], 12),
        right(&["Physical", "Writes"], 11),
        right(&["Free", "Buffer", "Waits"], 7),
        right(&["Writ", "Comp", "Wait"], 4),
        right(&["Buffer", "Busy", "Waits"], 10),
    ];
    let pools: Vec<Vec<String>> = report
        .buffer_pools
        .iter()
        .flatten()
        .map(|pool| {
            vec![
                pool.name.clone(),
                count(pool.buffers),
                count(pool.hit_percent),
                count(pool.gets),
                count(pool.reads),
                count(pool.writes),
                count(pool.free_buffer_waits),
                count(pool.write_complete_waits),
                count(pool.buffer_busy_waits),
            ]
        })
        .collect();
    page.section("Buffer Pool Statistics", &POOLS, &pools)
}

fn files(page: &mut Page<'_, impl Write>, title: &str, names: &[Column], lines: Option<&[FileIo]>) -> Result<()> {
    let Some(lines) = lines.filter(|lines| !lines.is_empty()) else { return Ok(()) };
    let name_cells: Vec<Vec<String>> =
        lines.iter().map(|line| vec![line.tablespace.clone(), line.file.clone().unwrap_or_default()]).collect();
    let figure_cells: Vec<Vec<String>> = lines.iter().map(figures).collect();
    let name_widths = widths(names, &name_cells);
    let figure_widths = widths(&FIGURES, &figure_cells);
    page.title(title)?;
    page.heading(names, &name_widths)?;
    page.heading(&FIGURES, &figure_widths)?;
    for (name, figures) in name_cells.iter().zip(&figure_cells) {
        page.row(names, &name_widths, name)?;
        page.row(&FIGURES, &figure_widths, figures)?;
    }
    page.end()
}

fn figures(line: &FileIo) -> Vec<String> {
    vec![
        figure(line.reads, 0),
        number(line.reads_per_s, 2),
        figure(line.read_ms, 3),
        number(line.blocks_per_read, 1),
        figure(line.writes, 0),
        number(line.writes_per_s, 2),
        count(line.buffer_waits),
        number(line.buffer_wait_ms, 1),
    ]
}
