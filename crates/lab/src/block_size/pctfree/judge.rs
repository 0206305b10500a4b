//! Whether what was measured is what has to come out: a function for each expectation of the data file.
//!
//! Blocks of another number of rows than the published are held against the arithmetic that the published ones follow. Undecided
//! is what a time that rises with the rows leaves open below their published number.

use common::{Error, Result};
use serde_json::{Value, json};

use super::super::published::Pctfree;
use super::arithmetic;
use super::measured::{Measured, Run};
use super::setting::{BLOCK_BYTES, HIGH, LOW, Setting};
use crate::expectation::{Expectation, ExpectationSpec, Finding};
use crate::text::grouped;

/// Judges every expectation of the data file.
///
/// # Errors
/// ORA-00600 when the data file has an expectation that no judge knows, or figures lack an arm.
pub fn judge(published: &Pctfree, measured: &Measured) -> Result<Vec<Expectation>> {
    published.expectations.iter().map(|spec| judge_one(spec, published, measured)).collect()
}

/// One expectation of the data file.
#[cfg(test)]
pub(super) fn judge_by_id(id: &str, published: &Pctfree, measured: &Measured) -> Result<Expectation> {
    let spec = published.expectations.iter().find(|spec| spec.id == id);
    judge_one(spec.ok_or_else(|| Error::bug(format!("no expectation '{id}'")))?, published, measured)
}

fn judge_one(spec: &ExpectationSpec, published: &Pctfree, measured: &Measured) -> Result<Expectation> {
    let found = match spec.id.as_str() {
        "rows_a_block" => rows_a_block(measured)?,
        "blocks_before" => blocks_before(published, measured)?,
        "grows_in_place" => grows_in_place(spec, measured)?,
        "migrates" => migrates(spec, published, measured)?,
        "update_time" => update_time(spec, published, measured)?,
        "legacy_search" => legacy_search(spec, published, measured)?,
        _ => return Err(spec.unknown()),
    };
    // How often the legacy search asks the same blocks again rises with their number.
    let few = spec.id == "legacy_search" && measured.rows < published.rows && found.holds == Some(false);
    Ok(spec.judged(if few {
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

fn rows_a_block(measured: &Measured) -> Result<Finding> {
    let (mut found, mut words, mut holds) = (Vec::new(), Vec::new(), true);
    for setting in Setting::published() {
        let (due, rows) = (arithmetic::capacity(setting), run(measured, setting)?.rows_a_block);
        holds &= due == rows;
        found.push(json!({"arm": setting, "rows": rows, "arithmetic": due}));
        words.push(format!("{}: {} ({})", setting.name(), grouped(rows), grouped(due)));
    }
    Ok(Finding::new(Value::Null, json!(found), format!("by arithmetic in brackets; {}", words.join("; ")), holds))
}

fn blocks_before(published: &Pctfree, measured: &Measured) -> Result<Finding> {
    blocks(published, measured, Setting::published(), 0)
}

/// Blocks of some arms before (0) or after (1) the update, beside the published; with other rows, beside what arithmetic says.
fn blocks(
    published: &Pctfree,
    measured: &Measured,
    settings: impl Iterator<Item = Setting>,
    when: usize,
) -> Result<Finding> {
    let same_rows = measured.rows == published.rows;
    let (mut before, mut after, mut words, mut holds) = (Vec::new(), Vec::new(), Vec::new(), true);
    for setting in settings {
        let (known, blocks) = (published.arm(setting)?.blocks[when], run(measured, setting)?.blocks[when]);
        let due = match (same_rows, when) {
            (true, _) => known,
            (false, 0) => arithmetic::blocks_before(setting, measured.rows),
            (false, _) => arithmetic::blocks_after(setting, measured.rows),
        };
        holds &= due == blocks;
        before.push(json!({"arm": setting, "blocks": known}));
        after.push(json!({"arm": setting, "blocks": blocks, "due": due}));
        words.push(format!("{}: {} ({})", setting.name(), grouped(blocks), grouped(due)));
    }
    let of = if same_rows {
        "published in brackets".to_owned()
    } else {
        format!(
            "by arithmetic for {} rows in brackets, published for {}",
            grouped(measured.rows),
            grouped(published.rows)
        )
    };
    Ok(Finding::new(json!(before), json!(after), format!("{of}; {}", words.join("; ")), holds))
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
        let due = arithmetic::migrating(setting, measured.rows);
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
