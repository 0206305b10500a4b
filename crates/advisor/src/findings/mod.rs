//! The catalogue: thirty findings, a file and a page under docs/findings/ each.
//!
//! Every judge answers for every report: found, ruled out with its figure, or cannot tell and what is missing. Nothing is left unsaid, so silence means
//! that all thirty were looked for.

mod bitmap_block_contention;
mod buffer_pool;
mod commit_wait;
mod cpu_bound;
mod file_skew;
mod freelist_contention;
mod hard_parsing;
mod host_starved;
mod hot_segment;
mod hw_enqueue;
mod interval_too_long;
mod itl_wait;
mod library_cache;
mod log_buffer;
mod log_switch;
mod logon_storm;
mod many_reads;
mod poor_offload;
mod redo_device_latency;
mod redo_writer_not_device;
mod right_hand_index;
mod row_lock;
mod row_migration;
mod slow_reads;
mod small_multiblock_reads;
mod sql_concentration;
mod temp_spill;
#[cfg(test)]
mod tests;
mod unaccounted_time;
mod undo_pressure;
mod undo_too_old;
mod verdict;

use report::model::Report;

use crate::analysis::{Analysis, CannotTell, Confidence, Finding, RuledOut};
use crate::sums::{Ledger, Sums};
use verdict::{Case, Verdict};

/// What the reader of the findings may choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Latency of the storage that redo, temp and undo would move to, in milliseconds. Savings are computed for it and say so.
    pub storage_ms: f64,
}

impl Default for Options {
    /// 0.1 ms: what the write-accelerator paper's device took for a redo write (55,447 cs / 5,313,254 writes) and for a temp read.
    fn default() -> Self {
        Self { storage_ms: 0.1 }
    }
}

type Judge = fn(&Case<'_>) -> Verdict;

/// All ids, in the order in which they are listed where severity does not decide.
const CATALOGUE: &[(&str, Judge)] = &[
    (host_starved::ID, host_starved::judge),
    (unaccounted_time::ID, unaccounted_time::judge),
    (cpu_bound::ID, cpu_bound::judge),
    (commit_wait::ID, commit_wait::judge),
    (redo_device_latency::ID, redo_device_latency::judge),
    (redo_writer_not_device::ID, redo_writer_not_device::judge),
    (log_switch::ID, log_switch::judge),
    (log_buffer::ID, log_buffer::judge),
    (slow_reads::ID, slow_reads::judge),
    (many_reads::ID, many_reads::judge),
    (small_multiblock_reads::ID, small_multiblock_reads::judge),
    (poor_offload::ID, poor_offload::judge),
    (temp_spill::ID, temp_spill::judge),
    (undo_pressure::ID, undo_pressure::judge),
    (undo_too_old::ID, undo_too_old::judge),
    (freelist_contention::ID, freelist_contention::judge),
    (bitmap_block_contention::ID, bitmap_block_contention::judge),
    (right_hand_index::ID, right_hand_index::judge),
    (itl_wait::ID, itl_wait::judge),
    (hw_enqueue::ID, hw_enqueue::judge),
    (row_lock::ID, row_lock::judge),
    (row_migration::ID, row_migration::judge),
    (buffer_pool::ID, buffer_pool::judge),
    (hot_segment::ID, hot_segment::judge),
    (file_skew::ID, file_skew::judge),
    (hard_parsing::ID, hard_parsing::judge),
    (library_cache::ID, library_cache::judge),
    (logon_storm::ID, logon_storm::judge),
    (sql_concentration::ID, sql_concentration::judge),
    (interval_too_long::ID, interval_too_long::judge),
];

/// The ids of all findings, as docs/findings/ has a page for each.
pub fn ids() -> impl Iterator<Item = &'static str> {
    CATALOGUE.iter().map(|(id, _)| *id)
}

/// The sums and findings of one Statspack or AWR report.
#[must_use]
pub fn examine(report: &Report) -> Analysis {
    examine_with(report, &Options::default())
}

/// The same for storage of a given latency.
#[must_use]
pub fn examine_with(report: &Report, options: &Options) -> Analysis {
    let mut ledger = Ledger::default();
    let sums = Sums::of(report, &mut ledger);
    let case = Case { report, sums: &sums, options };
    let mut analysis = Analysis { db_time: sums.db_time.shown(), ..Analysis::default() };
    for (id, judge) in CATALOGUE {
        match judge(&case) {
            Verdict::Found(finding) => analysis.findings.push(*finding),
            Verdict::RuledOut(reason) => analysis.ruled_out.push(RuledOut { id, reason }),
            Verdict::CannotTell(missing) => analysis.cannot_tell.push(CannotTell { id, missing }),
        }
    }
    if sums.db_time.unsure {
        for finding in analysis.findings.iter_mut().filter(|finding| finding.severity.is_some()) {
            finding.confidence = finding.confidence.min(Confidence::Medium);
            finding.doubts.push(
                "neither the release nor DB time is in the report: a release from 10g on may have much of it in neither CPU nor waits, and the share is then smaller".to_owned(),
            );
        }
    }
    sort(&mut analysis.findings);
    analysis.figures = ledger.figures;
    analysis.sums = ledger.sums;
    analysis.notes = ledger.notes;
    analysis
}

/// Worst first; those without foreground time last, in the order of the catalogue. A starved host stands before all others: it puts them in doubt.
fn sort(findings: &mut [Finding]) {
    findings.sort_by(|one, other| match (one.severity, other.severity) {
        (Some(one), Some(other)) => other.total_cmp(&one),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => std::cmp::Ordering::Equal,
    });
    findings.sort_by_key(|finding| finding.id != host_starved::ID);
}
