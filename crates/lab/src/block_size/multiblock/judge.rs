//! Judges the measured figures: a function for each expectation of the data file.
//!
//! An expectation is undecided when a table of another size cannot show it: its extents are another mixture of sizes.

use common::{Error, Result};
use serde_json::{Value, json};

use super::measured::{Scan, Table, whole_read};
use super::work::{COUNTED_BYTES, Work};
use super::{BLOCK_BYTES, Comparison, Known, setting};
use crate::experiment::declaration::Judge;
use crate::experiment::expectation::{ExpectationSpec, Finding, Tally};
use crate::text::grouped;

/// A table whose number of rows is within this share of the published one counts as the published table.
const SAME_ROWS: f64 = 0.01;

pub(super) static JUDGES: [(&str, Judge<Work>); 6] = [
    ("segment_size", segment_size),
    ("read_size", read_size),
    ("whole_reads", whole_reads),
    ("gets", gets),
    ("count_zero", count_zero),
    ("scan_time", scan_time),
];

/// Sizes are compared at the published rows only. Reads that are whole in a small table are whole in a large one. The
/// converse depends on the extents of the large table: the first ones are too small for a read of 1 MB.
pub(super) fn qualify(spec: &ExpectationSpec, of: &Comparison, found: Finding) -> Finding {
    let (theirs, mine) = (of.published.paper.rows, of.measured.rest.flat.rows);
    let other_rows = (mine as f64 / theirs as f64 - 1.0).abs() > SAME_ROWS;
    let open = spec.id == "segment_size" || spec.id == "whole_reads" && found.holds == Some(false);
    if !other_rows || !open {
        return found;
    }
    let (theirs, mine) = (grouped(theirs), grouped(mine));
    found.undecided(format!(
        "the published table had {theirs} rows and this one {mine}: its extents are smaller, and so are reads within them"
    ))
}

/// One arm's last scan, with its published figures.
struct Read<'a> {
    block_bytes: u32,
    /// `8 KB`.
    name: String,
    scan: &'a Scan,
    table: Table,
    known: &'a Known,
}

/// The last scan of each arm.
fn reads(of: &Comparison) -> impl Iterator<Item = Result<Read<'_>>> {
    of.measured.arms.iter().map(|arm| {
        let (scan, known) = (arm.last()?, of.published.arm(arm.setting)?);
        let block_bytes = arm.setting.number(&BLOCK_BYTES);
        Ok(Read { block_bytes, name: arm.setting.name(), scan, table: of.measured.rest.table(arm.setting), known })
    })
}

fn segment_size(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let most = spec.most()?;
    let mut tally = Tally::new();
    for read in reads(of) {
        let Read { name, table, known, .. } = read?;
        let theirs = known.segment_mb as f64;
        let mine = table.segment_bytes as f64 / f64::from(1 << 20);
        let words = format!("{name}: {mine:.0} MB ({theirs:.0})");
        tally.add(json!(theirs), json!(mine), words, (mine / theirs - 1.0).abs() <= most);
    }
    Ok(tally.finding("published in brackets; "))
}

fn read_size(_: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let mut tally = Tally::new();
    for read in reads(of) {
        let Read { block_bytes, name, scan, .. } = read?;
        let (largest, most) = (scan.largest_read(), whole_read(block_bytes));
        let measured = json!({"block_bytes": block_bytes, "largest_blocks": largest, "blocks_of_1_mb": most});
        let words = format!("{name}: {} of {} blocks", grouped(largest), grouped(most));
        tally.add(Value::Null, measured, words, largest <= most);
    }
    Ok(tally.finding("the largest read; "))
}

fn whole_reads(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let least = spec.least()?;
    let mut tally = Tally::new();
    for read in reads(of) {
        let Read { block_bytes, name, scan, known, .. } = read?;
        let (share, requests) = (scan.share_of(whole_read(block_bytes)), scan.direct_requests());
        let words = format!(
            "{name}: {:.1} % in whole reads, {} reads ({})",
            share * 100.0,
            grouped(requests),
            grouped(known.direct_path_reads)
        );
        let published = json!({"direct_path_reads": known.direct_path_reads});
        tally.add(published, json!({"whole_share": share, "direct_path_reads": requests}), words, share >= least);
    }
    Ok(tally.finding("published in brackets; "))
}

fn gets(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let most = spec.most()?;
    let mut tally = Tally::new();
    for read in reads(of) {
        let Read { name, scan, known, .. } = read?;
        let (gets, due) = (scan.consistent_gets, scan.gets_due());
        let off = gets as f64 / due - 1.0;
        let (mine, rounded) = (grouped(gets), grouped(due.round() as u64));
        let words = format!("{name}: {mine}, due {rounded} ({:+.2} %)", off * 100.0);
        let measured = json!({"consistent_gets": gets, "due": due});
        tally.add(json!(known.consistent_gets), measured, words, off.abs() <= most);
    }
    Ok(tally.finding(""))
}

fn count_zero(_: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let unset = of.measured.arm(setting(COUNTED_BYTES))?.last()?;
    let set = |count: u64| of.measured.rest.counts.iter().find(|(set, _)| *set == count).map(|(_, scan)| scan);
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

fn scan_time(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let most = spec.most()?;
    let times: Vec<f64> = of.measured.arms.iter().filter_map(|arm| arm.median(|scan| scan.elapsed_s)).collect();
    let theirs: Vec<f64> = of.published.arms.iter().map(|arm| arm.known.elapsed_s).collect();
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
