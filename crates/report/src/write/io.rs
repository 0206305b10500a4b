//! I/O by tablespace and file, buffer pools. A row of files takes two lines: the names, and below them the figures.

use std::io::{Result, Write};

use super::layout::{Block, Cell, Column, Page, count, figure, heading_lines, left, number, right, row_lines, text};
use crate::model::FileIo;

const FILE: [Column; 2] = [left(&["Tablespace"], 24), left(&["Filename"], 52)];

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    tablespaces(page)?;
    files(page)?;
    file_histograms(page)?;
    buffer_pools(page)
}

/// The lines of a row of two kinds of columns.
fn two_lines(first: &[Column], names: &[Cell], second: &[Column], figures: &[Cell]) -> Block {
    let mut block = row_lines(first, names);
    block.extend(row_lines(second, figures));
    block
}

fn two_headings(first: &[Column], second: &[Column]) -> Vec<String> {
    let mut lines = heading_lines(first);
    lines.extend(heading_lines(second));
    lines
}

fn tablespaces(page: &mut Page<'_, impl Write>) -> Result<()> {
    const NAME: [Column; 1] = [left(&["Tablespace"], 30)];
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
    let lines = page.report.tablespaces.iter().flatten();
    let blocks: Vec<Block> = lines
        .map(|line| {
            let [reads, rate, time, blocks, writes, write_rate, waits, wait_time] = figures(line);
            let figures = [reads, rate, time, blocks, writes, write_rate, waits, wait_time];
            two_lines(&NAME, &[text(line.tablespace.clone())], &FIGURES, &figures)
        })
        .collect();
    let notes = ["->ordered by IOs (Reads + Writes) desc".to_owned()];
    page.blocks("Tablespace IO Stats", &notes, &two_headings(&NAME, &FIGURES), &blocks)
}

fn figures(line: &FileIo) -> [Cell; 8] {
    [
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

fn files(page: &mut Page<'_, impl Write>) -> Result<()> {
    const FIGURES: [Column; 9] = [
        right(&["Reads"], 14),
        right(&["Av", "Reads/s"], 7),
        right(&["Av", "Rd", "(ms)"], 5),
        right(&["Mx", "Rd", "Bkt"], 3),
        right(&["Av", "Blks/Rd"], 7),
        right(&["Writes"], 12),
        right(&["Av", "Writes/s"], 8),
        right(&["Buffer", "Waits"], 10),
        right(&["Av", "BufWt", "(ms)"], 6),
    ];
    let report = page.report;
    let slowest = |line: &FileIo| {
        let mut files = report.file_histograms.iter().flatten();
        let file = files.find(|file| file.tablespace == line.tablespace && Some(&file.file) == line.file.as_ref())?;
        let at = file.reads.iter().rposition(|reads| reads.is_some_and(|reads| reads > 0.0))?;
        Some(["2", "4", "8", "16", "32", "32+"][at])
    };
    let lines = report.files.iter().flatten();
    let blocks: Vec<Block> = lines
        .map(|line| {
            let [reads, rate, time, blocks, writes, write_rate, waits, wait_time] = figures(line);
            let bucket = text(slowest(line).unwrap_or_default());
            let figures = [reads, rate, time, bucket, blocks, writes, write_rate, waits, wait_time];
            let names = [text(line.tablespace.clone()), text(line.file.clone().unwrap_or_default())];
            let mut block = two_lines(&FILE, &names, &FIGURES, &figures);
            block.push(String::new());
            block
        })
        .collect();
    let notes = ["->Mx Rd Bkt: Max bucket time for single block read", "->ordered by Tablespace, File"];
    page.blocks("File IO Stats", &notes.map(str::to_owned), &two_headings(&FILE, &FIGURES), &blocks)
}

/// Printed where reads were told apart by their time.
fn file_histograms(page: &mut Page<'_, impl Write>) -> Result<()> {
    const FIGURES: [Column; 6] = [
        right(&["0 - 2 ms"], 12),
        right(&["2 - 4 ms"], 12),
        right(&["4 - 8 ms"], 12),
        right(&["8 - 16 ms"], 12),
        right(&["16 - 32 ms"], 12),
        right(&["32+ ms"], 12),
    ];
    let report = page.report;
    let lines = report.file_histograms.iter().flatten();
    let blocks: Vec<Block> = lines
        .map(|line| {
            let names = [text(line.tablespace.clone()), text(line.file.clone())];
            let mut block = two_lines(&FILE, &names, &FIGURES, &line.reads.map(count));
            block.push(String::new());
            block
        })
        .collect();
    if blocks.is_empty() {
        return Ok(());
    }
    let notes = ["->Number of single block reads in each time range", "->ordered by Tablespace, File"];
    page.blocks("File Read Histogram Stats", &notes.map(str::to_owned), &two_headings(&FILE, &FIGURES), &blocks)
}

fn buffer_pools(page: &mut Page<'_, impl Write>) -> Result<()> {
    const POOLS: [Column; 9] = [
        left(&["P"], 3),
        right(&["Buffers"], 7),
        right(&["Pool", "Hit%"], 4),
        right(&["Buffer", "Gets"], 14),
        right(&["Physical", "Reads"], 12),
        right(&["Physical", "Writes"], 11),
        right(&["Free", "Buffer", "Waits"], 7),
        right(&["Writ", "Comp", "Wait"], 4),
        right(&["Buffer", "Busy", "Waits"], 10),
    ];
    let pools: Vec<Vec<_>> = page
        .report
        .buffer_pools
        .iter()
        .flatten()
        .map(|pool| {
            vec![
                text(pool.name.clone()),
                count(pool.buffers),
                number(pool.hit_percent, 1),
                count(pool.gets),
                count(pool.reads),
                count(pool.writes),
                count(pool.free_buffer_waits),
                count(pool.write_complete_waits),
                count(pool.buffer_busy_waits),
            ]
        })
        .collect();
    let notes = [
        "-> Standard block size Pools  D: default,  K: keep,  R: recycle",
        "-> Default Pools for other block sizes: 2k, 4k, 8k, 16k, 32k",
        "-> Buffers: the number of buffers.  Units of K, M, G are divided by 1000",
    ];
    page.section("Buffer Pool Statistics", &notes.map(str::to_owned), &POOLS, &pools)
}
