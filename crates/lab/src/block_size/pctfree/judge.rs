//! Judges the measured figures: a function for each expectation of the data file.
//!
//! Blocks of another number of rows than the published are compared with the arithmetic that the published ones follow.
//! An expectation about a time that rises with the rows is undecided below the published number of rows.

use common::{Error, Result};
use serde_json::{Value, json};

use super::measured::Run;
use super::setting::{self, HIGH, LOW, SIZES};
use super::work::Work;
use super::{Comparison, arithmetic};
use crate::experiment::declaration::Judge;
use crate::experiment::expectation::{ExpectationSpec, Finding, Tally};
use crate::experiment::setting::Setting;
use crate::text::grouped;

pub(super) static JUDGES: [(&str, Judge<Work>); 6] = [
    ("rows_a_block", rows_a_block),
    ("blocks_before", |_, of| Ok(blocks(of, setting::published(), 0)?.finding(&blocks_of(of)))),
    ("grows_in_place", grows_in_place),
    ("migrates", migrates),
    ("update_time", update_time),
    ("legacy_search", legacy_search),
];

/// The legacy search asks the same blocks again more often, the more blocks there are.
pub(super) fn qualify(spec: &ExpectationSpec, of: &Comparison, found: Finding) -> Finding {
    let (theirs, mine) = (of.published.paper.rows, of.measured.rest.rows);
    if spec.id != "legacy_search" || mine >= theirs || found.holds != Some(false) {
        return found;
    }
    let (theirs, mine) = (grouped(theirs), grouped(mine));
    found.undecided(format!("it was published for {theirs} rows, and this run had {mine}"))
}

fn run(of: &Comparison, setting: Setting) -> Result<&Run> {
    of.measured.arm(setting)?.last()
}

fn seconds(of: &Comparison, setting: Setting) -> Result<f64> {
    let found = of.measured.arm(setting)?.median(|run| run.update_s);
    found.ok_or_else(|| Error::bug(format!("'{}' was not run", setting.name())))
}

fn rows_a_block(_: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let mut tally = Tally::new();
    for setting in setting::published() {
        let (due, rows) = (arithmetic::capacity(setting), run(of, setting)?.rows_a_block);
        let measured = json!({"arm": setting.all_json(), "rows": rows, "arithmetic": due});
        let words = format!("{}: {} ({})", setting.name(), grouped(rows), grouped(due));
        tally.add(Value::Null, measured, words, due == rows);
    }
    Ok(tally.finding("by arithmetic in brackets; "))
}

/// Blocks of some arms before (0) or after (1) the update, compared with the published; with other rows, with the
/// arithmetic.
fn blocks(of: &Comparison, settings: impl Iterator<Item = Setting>, when: usize) -> Result<Tally> {
    let rows = of.measured.rest.rows;
    let mut tally = Tally::new();
    for setting in settings {
        let (known, blocks) = (of.published.arm(setting)?.blocks[when], run(of, setting)?.blocks[when]);
        let due = match (rows == of.published.paper.rows, when) {
            (true, _) => known,
            (false, 0) => arithmetic::blocks_before(setting, rows),
            (false, _) => arithmetic::blocks_after(setting, rows),
        };
        let arm = setting.all_json();
        let published = json!({"arm": arm, "blocks": known});
        let words = format!("{}: {} ({})", setting.name(), grouped(blocks), grouped(due));
        tally.add(published, json!({"arm": arm, "blocks": blocks, "due": due}), words, due == blocks);
    }
    Ok(tally)
}

/// Explains the figures in brackets.
fn blocks_of(of: &Comparison) -> String {
    let (mine, theirs) = (of.measured.rest.rows, of.published.paper.rows);
    if mine == theirs {
        return "published in brackets; ".to_owned();
    }
    format!("by arithmetic for {} rows in brackets, published for {}; ", grouped(mine), grouped(theirs))
}

fn grows_in_place(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let most = of.measured.rest.rows as f64 * spec.most()?;
    let mut tally = Tally::new();
    for setting in SIZES.map(|bytes| setting::plain(bytes, HIGH)) {
        let run = run(of, setting)?;
        let measured = json!({"arm": setting.all_json(), "blocks": run.blocks, "migrated": run.migrated});
        let ([before, after], migrated) = (run.blocks.map(grouped), grouped(run.migrated));
        let words = format!("{}: {before} and {after} blocks, {migrated} rows migrated", setting.name());
        tally.add(Value::Null, measured, words, run.blocks[0] == run.blocks[1] && run.migrated as f64 <= most);
    }
    Ok(tally.finding(""))
}

fn migrates(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let most = spec.most()?;
    let settings = SIZES.map(|bytes| setting::plain(bytes, LOW));
    let mut found = blocks(of, settings.into_iter(), 1)?.finding(&blocks_of(of));
    let mut words = Vec::new();
    for setting in settings {
        let migrated = run(of, setting)?.migrated;
        let due = arithmetic::migrating(setting, of.measured.rest.rows);
        let within = migrated.abs_diff(due) as f64 <= due as f64 * most;
        found.holds = found.holds.map(|holds| holds && within);
        words.push(format!("{} ({})", grouped(migrated), grouped(due)));
    }
    found.figures = format!("{}; rows migrated, by arithmetic in brackets: {}", found.figures, words.join(", "));
    Ok(found)
}

fn update_time(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let most = spec.most()?;
    let mut tally = Tally::new();
    for bytes in SIZES {
        let [low, high] = [LOW, HIGH].map(|pctfree| setting::plain(bytes, pctfree));
        let ratio = seconds(of, high)? / seconds(of, low)?;
        let theirs = of.published.arm(high)?.update_s / of.published.arm(low)?.update_s;
        let words = format!("{} KB {ratio:.2} ({theirs:.2})", bytes / 1024);
        tally.add(json!(theirs), json!(ratio), words, ratio < most);
    }
    Ok(tally.finding("published in brackets; "))
}

fn legacy_search(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let (times, alike) = spec.bounds()?;
    let [small, large] = [8192, 16384].map(|bytes| setting::plain(bytes, LOW));
    let theirs = of.published.arm(large)?.update_s / of.published.arm(small)?.update_s;
    let with = seconds(of, setting::legacy(16384))? / seconds(of, setting::legacy(8192))?;
    let without = seconds(of, large)? / seconds(of, small)?;
    Ok(Finding::new(
        json!(theirs),
        json!({"with": with, "without": without}),
        format!("with the legacy search {with:.1} (published {theirs:.1}), without it {without:.2}"),
        with >= times && (1.0 / alike..=alike).contains(&without),
    ))
}
