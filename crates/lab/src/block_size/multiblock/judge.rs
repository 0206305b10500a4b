//! Whether what was measured is what has to come out: a function for each expectation of the data file.
//!
//! Undecided is what a table of another size cannot show: its extents are another mixture of sizes.

use common::{Error, Result};
use serde_json::{Value, json};

use super::super::published::Multiblock;
use super::measured::{Arm, Measured, Scan};
use super::work::COUNTED_BYTES;
use crate::expectation::{Expectation, ExpectationSpec, Finding};
use crate::text::grouped;

/// As many rows as published, within this share, are the published table.
const SAME_ROWS: f64 = 0.01;

/// Judges every expectation of the data file.
///
/// # Errors
/// ORA-00600 when the data file has an expectation that no judge knows, or figures lack an arm.
pub fn judge(published: &Multiblock, measured: &Measured) -> Result<Vec<Expectation>> {
    published.expectations.iter().map(|spec| judge_one(spec, published, measured)).collect()
}

fn judge_one(spec: &ExpectationSpec, published: &Multiblock, measured: &Measured) -> Result<Expectation> {
    let found = match spec.id.as_str() {
        "segment_size" => segment_size(spec, published, measured)?,
        "read_size" => read_size(measured)?,
        "whole_reads" => whole_reads(spec, published, measured)?,
        "gets" => gets(spec, published, measured)?,
        "count_zero" => count_zero(measured)?,
        "scan_time" => scan_time(spec, published, measured)?,
        _ => return Err(spec.unknown()),
    };
    let (theirs, mine) = (published.rows, measured.flat.rows);
    let other_rows = (mine as f64 / theirs as f64 - 1.0).abs() > SAME_ROWS;
    // Sizes are compared at the published rows only. Reads that are whole in a small table are so in a large one; the other way round it depends on its
    // extents, of which the first are too small for a read of 1 MB.
    let open = match spec.id.as_str() {
        "segment_size" => true,
        "whole_reads" => found.holds == Some(false),
        _ => false,
    };
    Ok(spec.judged(if other_rows && open {
        let (theirs, mine) = (grouped(theirs), grouped(mine));
        found.undecided(format!(
            "the published table had {theirs} rows and this one {mine}: its extents are smaller, and so are reads within them"
        ))
    } else {
        found
    }))
}

fn last(arm: &Arm) -> Result<&Scan> {
    arm.last().ok_or_else(|| Error::bug(format!("blocks of {} bytes were not read", arm.block_bytes)))
}

fn most(spec: &ExpectationSpec) -> Result<f64> {
    spec.high.ok_or_else(|| Error::bug(format!("the expectation '{}' has no upper end", spec.id)))
}

fn segment_size(spec: &ExpectationSpec, published: &Multiblock, measured: &Measured) -> Result<Finding> {
    let most = most(spec)?;
    let (mut before, mut after, mut words, mut holds) = (Vec::new(), Vec::new(), Vec::new(), true);
    for arm in &measured.arms {
        let theirs = published.arm(arm.block_bytes)?.segment_mb as f64;
        let mine = arm.segment_bytes as f64 / f64::from(1 << 20);
        holds &= (mine / theirs - 1.0).abs() <= most;
        before.push(theirs);
        after.push(mine);
        words.push(format!("{} KB: {mine:.0} MB ({theirs:.0})", arm.block_bytes / 1024));
    }
    Ok(Finding::new(json!(before), json!(after), format!("published in brackets; {}", words.join("; ")), holds))
}

fn read_size(measured: &Measured) -> Result<Finding> {
    let (mut after, mut words, mut holds) = (Vec::new(), Vec::new(), true);
    for arm in &measured.arms {
        let (largest, most) = (last(arm)?.largest_read(), arm.whole_read());
        holds &= largest <= most;
        after.push(json!({"block_bytes": arm.block_bytes, "largest_blocks": largest, "blocks_of_1_mb": most}));
        words.push(format!("{} KB: {} of {} blocks", arm.block_bytes / 1024, grouped(largest), grouped(most)));
    }
    Ok(Finding::new(Value::Null, json!(after), format!("the largest read; {}", words.join("; ")), holds))
}

fn whole_reads(spec: &ExpectationSpec, published: &Multiblock, measured: &Measured) -> Result<Finding> {
    let least = spec.least()?;
    let (mut before, mut after, mut words, mut holds) = (Vec::new(), Vec::new(), Vec::new(), true);
    for arm in &measured.arms {
        let (scan, theirs) = (last(arm)?, published.arm(arm.block_bytes)?);
        let share = scan.share_of(arm.whole_read());
        holds &= share >= least;
        let requests = scan.direct_requests();
        before.push(json!({"direct_path_reads": theirs.direct_path_reads}));
        after.push(json!({"whole_share": share, "direct_path_reads": requests}));
        words.push(format!(
            "{} KB: {:.1} % in whole reads, {} reads ({})",
            arm.block_bytes / 1024,
            share * 100.0,
            grouped(requests),
            grouped(theirs.direct_path_reads)
        ));
    }
    Ok(Finding::new(json!(before), json!(after), format!("published in brackets; {}", words.join("; ")), holds))
}

fn gets(spec: &ExpectationSpec, published: &Multiblock, measured: &Measured) -> Result<Finding> {
    let most = most(spec)?;
    let (mut before, mut after, mut words, mut holds) = (Vec::new(), Vec::new(), Vec::new(), true);
    for arm in &measured.arms {
        let (scan, theirs) = (last(arm)?, published.arm(arm.block_bytes)?);
        let off = scan.consistent_gets as f64 / scan.gets_due() - 1.0;
        holds &= off.abs() <= most;
        before.push(theirs.consistent_gets);
        after.push(json!({"consistent_gets": scan.consistent_gets, "due": scan.gets_due()}));
        words.push(format!(
            "{} KB: {}, due {} ({:+.2} %)",
            arm.block_bytes / 1024,
            grouped(scan.consistent_gets),
            grouped(scan.gets_due().round() as u64),
            off * 100.0
        ));
    }
    Ok(Finding::new(json!(before), json!(after), words.join("; "), holds))
}

fn count_zero(measured: &Measured) -> Result<Finding> {
    let unset = measured.arm(COUNTED_BYTES).map(last).transpose()?;
    let unset = unset.ok_or_else(|| Error::bug("the table whose read count is set was not read"))?;
    let set = |count: u64| measured.counts.iter().find(|(set, _)| *set == count).map(|(_, scan)| scan);
    let (zero, one) = set(0).zip(set(1)).ok_or_else(|| Error::bug("no scan with a read count that is set"))?;
    let alike = zero.direct_reads == unset.direct_reads && zero.cached_reads == unset.cached_reads;
    let figures =
        |scan: &Scan| format!("{} reads, the largest of {}", grouped(scan.direct_requests()), scan.largest_read());
    Ok(Finding::new(
        Value::Null,
        json!({"unset": unset.direct_reads, "zero": zero.direct_reads, "one": one.direct_reads}),
        format!("not set: {}; 0: {}; 1: {}", figures(unset), figures(zero), figures(one)),
        alike && one.largest_read() == 1,
    ))
}

fn scan_time(spec: &ExpectationSpec, published: &Multiblock, measured: &Measured) -> Result<Finding> {
    let most = most(spec)?;
    let times: Vec<f64> = measured.arms.iter().filter_map(Arm::elapsed_s).collect();
    let theirs: Vec<f64> = published.arms.iter().map(|arm| arm.elapsed_s).collect();
    let spread = |times: &[f64]| {
        let (least, greatest) = times.iter().fold((f64::MAX, 0.0_f64), |(low, high), s| (low.min(*s), high.max(*s)));
        greatest / least - 1.0
    };
    let words: Vec<_> = times.iter().map(|time| format!("{time:.2}")).collect();
    Ok(Finding::new(
        json!(spread(&theirs)),
        json!({"seconds": times, "spread": spread(&times)}),
        format!(
            "{} s: {:.1} % apart (published {:.1} %)",
            words.join(", "),
            spread(&times) * 100.0,
            spread(&theirs) * 100.0
        ),
        times.len() == theirs.len() && spread(&times) <= most,
    ))
}
