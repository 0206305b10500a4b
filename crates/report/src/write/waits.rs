//! Buffer waits by class, enqueues, latches.

use std::io::{Result, Write};

use super::layout::{Block, Column, Page, count, figure, heading_lines, left, name, number, right, row_lines, text};
use crate::model::Latch;
use crate::names::Names;

pub(super) fn buffer_waits(page: &mut Page<'_, impl Write>) -> Result<()> {
    const COLUMNS: [Column; 4] = [
        left(&["Class"], 22),
        right(&["Waits"], 11),
        right(&["Total Wait Time (s)"], 19),
        right(&["Avg Time (ms)"], 13),
    ];
    let lines = page.report.buffer_waits.iter().flatten();
    let rows: Vec<Vec<_>> = lines
        .map(|line| {
            vec![text(line.class.clone()), count(line.waits), figure(line.total_s, 2), figure(line.average_ms, 3)]
        })
        .collect();
    let notes = ["-> ordered by wait time desc, waits desc".to_owned()];
    page.section("Buffer wait Statistics", &notes, &COLUMNS, &rows)
}

pub(super) fn enqueues(page: &mut Page<'_, impl Write>) -> Result<()> {
    const NAME: [Column; 1] = [left(&["Enqueue Type (Request Reason)"], 78)];
    const FIGURES: [Column; 6] = [
        right(&["Requests"], 12),
        right(&["Succ Gets"], 12),
        right(&["Failed Gets"], 11),
        right(&["Waits"], 11),
        right(&["Wt Time (s)"], 12),
        right(&["Av Wt Time(ms)"], 14),
    ];
    let lines = page.report.enqueues.iter().flatten();
    let blocks: Vec<Block> = lines
        .map(|line| {
            let figures = [
                count(line.requests),
                count(line.gets),
                count(line.failed),
                count(line.waits),
                figure(line.total_s, 2),
                figure(line.average_ms, 3),
            ];
            let mut block = row_lines(&NAME, &[text(line.name.clone())]);
            block.extend(row_lines(&FIGURES, &figures));
            block
        })
        .collect();
    let mut heading = heading_lines(&NAME);
    heading.extend(heading_lines(&FIGURES));
    let notes = ["-> only enqueues with waits are shown", "-> ordered by Wait Time desc, Waits desc"];
    page.blocks("Enqueue activity", &notes.map(str::to_owned), &heading, &blocks)
}

pub(super) fn latches(page: &mut Page<'_, impl Write>) -> Result<()> {
    let latches = page.report.latches.as_deref().unwrap_or_default();
    activity(page, latches)?;
    sleeps(page, latches)?;
    const PLACES: [Column; 5] = [
        left(&["Latch Name"], 24),
        left(&["Where"], 26),
        right(&["NoWait", "Misses"], 7),
        right(&["Sleeps"], 10),
        right(&["Waiter", "Sleeps"], 8),
    ];
    let places = page.report.latch_misses.iter().flatten();
    let rows: Vec<Vec<_>> = places
        .map(|place| {
            vec![
                name(Names::Latches, &place.latch),
                text(place.place.clone()),
                count(place.nowait_misses),
                count(place.sleeps),
                count(place.waiter_sleeps),
            ]
        })
        .collect();
    let notes = ["-> only latches with sleeps are shown", "-> ordered by name, sleeps desc"];
    page.section("Latch Miss Sources", &notes.map(str::to_owned), &PLACES, &rows)
}

fn activity(page: &mut Page<'_, impl Write>, latches: &[Latch]) -> Result<()> {
    const COLUMNS: [Column; 7] = [
        left(&["Latch"], 24),
        right(&["Get", "Requests"], 14),
        right(&["Pct", "Get", "Miss"], 6),
        right(&["Avg", "Slps", "/Miss"], 6),
        right(&["Wait", "Time", "(s)"], 6),
        right(&["NoWait", "Requests"], 12),
        right(&["Pct", "NoWait", "Miss"], 6),
    ];
    let rows: Vec<Vec<_>> = latches
        .iter()
        .map(|latch| {
            let missed = latch.sleeps.zip(latch.misses).filter(|(_, misses)| *misses > 0.0);
            vec![
                name(Names::Latches, &latch.name),
                count(latch.gets),
                number(latch.miss_percent, 1),
                number(missed.map(|(sleeps, misses)| sleeps / misses), 1),
                number(latch.wait_s, 2),
                count(latch.nowait_gets),
                number(latch.nowait_miss_percent, 1),
            ]
        })
        .collect();
    let notes = [
        "->\"Get Requests\", \"Pct Get Miss\" and \"Avg Slps/Miss\" are statistics for",
        "  willing-to-wait latch get requests",
        "->\"NoWait Requests\", \"Pct NoWait Miss\" are for no-wait latch get requests",
        "->\"Pct Misses\" for both should be very close to 0.0",
    ];
    page.section("Latch Activity", &notes.map(str::to_owned), &COLUMNS, &rows)
}

fn sleeps(page: &mut Page<'_, impl Write>, latches: &[Latch]) -> Result<()> {
    const COLUMNS: [Column; 5] = [
        left(&["Latch Name"], 26),
        right(&["Get", "Requests"], 15),
        right(&["Misses"], 12),
        right(&["Sleeps"], 11),
        right(&["Spin", "Gets"], 11),
    ];
    let mut missed: Vec<&Latch> = latches
        .iter()
        .filter(|latch| latch.misses.is_some() || latch.sleeps.is_some() || latch.spin_gets.is_some())
        .collect();
    missed.sort_by(|one, other| other.misses.unwrap_or(0.0).total_cmp(&one.misses.unwrap_or(0.0)));
    let rows: Vec<Vec<_>> = missed
        .into_iter()
        .map(|latch| {
            vec![
                name(Names::Latches, &latch.name),
                count(latch.gets),
                count(latch.misses),
                count(latch.sleeps),
                count(latch.spin_gets),
            ]
        })
        .collect();
    page.section("Latch Sleep breakdown", &["-> ordered by misses desc".to_owned()], &COLUMNS, &rows)
}
