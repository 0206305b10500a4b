//! Whether what was measured is what has to come out: a function for each expectation of the data file.
//!
//! Undecided is what was published for another number of rows.

use common::{Error, Result};
use serde_json::{Value, json};

use super::super::published::Pctfree;
use super::measured::{Measured, Run};
use super::setting::{BLOCK_BYTES, HIGH, LOW, Setting};
use crate::expectation::{Expectation, ExpectationSpec, Finding};
use crate::text::grouped;

/// Bytes of an empty block under bitmaps that no row can take: headers, two ITL slots, directories, tail (docs/formats/heap-block.md).
const FIXED_BYTES: u32 = 20 + 24 + 2 * 24 + 8 + 14 + 4 + 4;
/// A row with one number of eight digits: three bytes of header, a length, five of the number; and its entry in the directory.
const ROW_BYTES: u32 = 3 + 1 + 5 + 2;

/// What the second number adds to it.
const GROWTH_BYTES: u32 = 1 + 5;

/// Judges every expectation of the data file.
///
/// # Errors
/// ORA-00600 when the data file has an expectation that no judge knows, or figures lack an arm.
pub fn judge(published: &Pctfree, measured: &Measured) -> Result<Vec<Expectation>> {
    published.expectations.iter().map(|spec| judge_one(spec, published, measured)).collect()
}

fn judge_one(spec: &ExpectationSpec, published: &Pctfree, measured: &Measured) -> Result<Expectation> {
    let of_rows = matches!(spec.id.as_str(), "blocks_before" | "migrates" | "legacy_search");
    let found = match spec.id.as_str() {
        "rows_a_block" => rows_a_block(measured)?,
        "blocks_before" => blocks_before(published, measured)?,
        "grows_in_place" => grows_in_place(spec, measured)?,
        "migrates" => migrates(spec, published, measured)?,
        "update_time" => update_time(spec, published, measured)?,
        "legacy_search" => legacy_search(spec, published, measured)?,
        _ => return Err(spec.unknown()),
    };
    Ok(spec.judged(if of_rows && measured.rows != published.rows {
        let (theirs, mine) = (grouped(published.rows), grouped(measured.rows));
        found.undecided(format!("it was published for {theirs} rows, and this run had {mine}"))
    } else {
        found
    }))
}

fn run(measured: &Measured, setting: Setting) -> Result<&Run> {
    let found = measured.arm(setting).and_then(|arm| arm.last());
    found.ok_or_else(|| Error::bug(format!("the arm '{}' was not run", setting.name())))
}

fn seconds(measured: &Measured, setting: Setting) -> Result<f64> {
    let found = measured.arm(setting).and_then(|arm| arm.update_s());
    found.ok_or_else(|| Error::bug(format!("the arm '{}' was not run", setting.name())))
}

/// Rows that a block of this arm takes by insertion: as many as leave PCTFREE of the whole block free.
fn capacity(setting: Setting) -> u64 {
    let hundredths = (setting.block_bytes - FIXED_BYTES) * 100 - setting.block_bytes * u32::from(setting.pctfree);
    u64::from(hundredths / (ROW_BYTES * 100))
}

/// Rows that migrate if each grows by as much as a number of eight digits takes: of each block those that its free bytes have no room for. The last block, which
/// is not full, is filled up by rows that migrate before its own rows grow.
fn migrating(setting: Setting, rows: u64) -> u64 {
    let full = capacity(setting);
    let free = u64::from(setting.block_bytes - FIXED_BYTES) - full * u64::from(ROW_BYTES);
    let in_place = free / u64::from(GROWTH_BYTES);
    rows / full * full.saturating_sub(in_place) + (rows % full).saturating_sub(in_place)
}

fn rows_a_block(measured: &Measured) -> Result<Finding> {
    let (mut found, mut words, mut holds) = (Vec::new(), Vec::new(), true);
    for setting in Setting::published() {
        let (due, rows) = (capacity(setting), run(measured, setting)?.rows_a_block);
        holds &= due == rows;
        found.push(json!({"arm": setting, "rows": rows, "arithmetic": due}));
        words.push(format!("{}: {} ({})", setting.name(), grouped(rows), grouped(due)));
    }
    Ok(Finding::new(Value::Null, json!(found), format!("by arithmetic in brackets; {}", words.join("; ")), holds))
}

fn blocks_before(published: &Pctfree, measured: &Measured) -> Result<Finding> {
    blocks(published, measured, Setting::published(), 0)
}

/// Blocks of some arms before (0) or after (1) the update, beside the published.
fn blocks(
    published: &Pctfree,
    measured: &Measured,
    settings: impl Iterator<Item = Setting>,
    when: usize,
) -> Result<Finding> {
    let (mut before, mut after, mut words, mut holds) = (Vec::new(), Vec::new(), Vec::new(), true);
    for setting in settings {
        let (due, blocks) = (published.arm(setting)?.blocks[when], run(measured, setting)?.blocks[when]);
        holds &= due == blocks;
        before.push(json!({"arm": setting, "blocks": due}));
        after.push(json!({"arm": setting, "blocks": blocks}));
        words.push(format!("{}: {} ({})", setting.name(), grouped(blocks), grouped(due)));
    }
    Ok(Finding::new(json!(before), json!(after), format!("published in brackets; {}", words.join("; ")), holds))
}

fn grows_in_place(spec: &ExpectationSpec, measured: &Measured) -> Result<Finding> {
    let most = spec.high.ok_or_else(|| Error::bug("the expectation has no upper end"))?;
    let (mut found, mut words, mut holds) = (Vec::new(), Vec::new(), true);
    for bytes in BLOCK_BYTES {
        let setting = Setting::new(bytes, HIGH);
        let run = run(measured, setting)?;
        holds &= run.blocks[0] == run.blocks[1] && run.migrated as f64 <= measured.rows as f64 * most;
        found.push(json!({"arm": setting, "blocks": run.blocks, "migrated": run.migrated}));
        let [before, after] = run.blocks.map(grouped);
        words.push(format!("{}: {before} and {after} blocks, {} rows migrated", setting.name(), grouped(run.migrated)));
    }
    Ok(Finding::new(Value::Null, json!(found), words.join("; "), holds))
}

fn migrates(spec: &ExpectationSpec, published: &Pctfree, measured: &Measured) -> Result<Finding> {
    let most = spec.high.ok_or_else(|| Error::bug("the expectation has no upper end"))?;
    let settings = || BLOCK_BYTES.into_iter().map(|bytes| Setting::new(bytes, LOW));
    let mut found = blocks(published, measured, settings(), 1)?;
    let mut words = Vec::new();
    for setting in settings() {
        let migrated = run(measured, setting)?.migrated;
        let due = migrating(setting, measured.rows);
        let within = migrated.abs_diff(due) as f64 <= due as f64 * most;
        found.holds = found.holds.map(|holds| holds && within);
        words.push(format!("{} ({})", grouped(migrated), grouped(due)));
    }
    found.figures = format!("{}; rows migrated, by arithmetic in brackets: {}", found.figures, words.join(", "));
    Ok(found)
}

fn update_time(spec: &ExpectationSpec, published: &Pctfree, measured: &Measured) -> Result<Finding> {
    let most = spec.high.ok_or_else(|| Error::bug("the expectation has no upper end"))?;
    let (mut before, mut after, mut words, mut holds) = (Vec::new(), Vec::new(), Vec::new(), true);
    for bytes in BLOCK_BYTES {
        let [low, high] = [LOW, HIGH].map(|pctfree| Setting::new(bytes, pctfree));
        let ratio = seconds(measured, high)? / seconds(measured, low)?;
        let theirs = published.arm(high)?.update_s / published.arm(low)?.update_s;
        holds &= ratio < most;
        before.push(theirs);
        after.push(ratio);
        words.push(format!("{} KB {ratio:.2} ({theirs:.2})", bytes / 1024));
    }
    Ok(Finding::new(json!(before), json!(after), format!("published in brackets; {}", words.join(", ")), holds))
}

fn legacy_search(spec: &ExpectationSpec, published: &Pctfree, measured: &Measured) -> Result<Finding> {
    let (times, alike) = spec.low.zip(spec.high).ok_or_else(|| Error::bug("the expectation has no range"))?;
    let theirs = published.arm(Setting::new(16384, LOW))?.update_s / published.arm(Setting::new(8192, LOW))?.update_s;
    let with = seconds(measured, Setting::legacy(16384))? / seconds(measured, Setting::legacy(8192))?;
    let without = seconds(measured, Setting::new(16384, LOW))? / seconds(measured, Setting::new(8192, LOW))?;
    Ok(Finding::new(
        json!(theirs),
        json!({"with": with, "without": without}),
        format!("with the legacy search {with:.1} (published {theirs:.1}), without it {without:.2}"),
        with >= times && (1.0 / alike..=alike).contains(&without),
    ))
}
