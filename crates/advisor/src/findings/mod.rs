//! The findings, a file each: its page under docs/findings, its judges for a report and for a trace, and a report made
//! up to show it.
//!
//! Every judge answers for every file: found, ruled out with its figure, or cannot tell with the missing input. No
//! answer is left out: a file without findings was examined for all of them.

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

use report::model::Report;
use report::profile::Profile;
use report::tkprof;

use crate::analysis::{Analysis, CannotTell, Confidence, Finding, RuledOut};
pub use crate::judge::Options;
use crate::judge::{About, Case, NotFound, Observed, View};
use crate::sums::{Ledger, Sums};

/// Each file of this folder, by name (build.rs).
const CATALOGUE: &[&About] = include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// All findings in the order of `place`.
pub(crate) fn catalogue(place: impl Fn(&About) -> u16) -> Vec<&'static About> {
    let mut all = CATALOGUE.to_vec();
    all.sort_by_key(|about| place(about));
    all
}

/// The ids of all findings, as docs/findings/ has a page for each.
pub fn ids() -> impl Iterator<Item = &'static str> {
    catalogue(|about| about.place.report).into_iter().map(|about| about.id)
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
    let mut analysis = Analysis { db_time: sums.db_time.shown(), ..Analysis::default() };
    let starved = !host_starved::symptoms(&sums.host).is_empty();
    answer(&Observed::Report(Case { report, sums: &sums, options, starved }), &mut analysis);
    if sums.db_time.unsure {
        for finding in analysis.findings.iter_mut().filter(|finding| finding.severity.is_some()) {
            finding.confidence = finding.confidence.min(Confidence::Medium);
            finding.doubts.push(
                "neither the release nor DB time is in the report: a release from 10g on may have much of it in neither CPU nor waits, and the share is then smaller".to_owned(),
            );
        }
    }
    analysis.figures = ledger.figures;
    analysis.sums = ledger.sums;
    analysis.notes = ledger.notes;
    analysis
}

/// The findings of a trace's profile.
#[must_use]
pub fn examine_trace(profile: &Profile) -> Analysis {
    examine_view(View::of_profile(profile))
}

/// The findings of TKPROF's report of a trace: the same, as far as its tables go. They have no objects, blocks or
/// classes.
#[must_use]
pub fn examine_tkprof(report: &tkprof::Report) -> Analysis {
    examine_view(View::of_tkprof(report))
}

fn examine_view(view: View<'_>) -> Analysis {
    let mut analysis = Analysis {
        figures: view.figures(),
        sums: view.sums(),
        db_time: view.time(),
        notes: view.notes(),
        ..Analysis::default()
    };
    answer(&Observed::Trace(view), &mut analysis);
    analysis
}

/// One answer of each finding.
fn answer(observed: &Observed<'_>, analysis: &mut Analysis) {
    for about in catalogue(|about| observed.place(about)) {
        match observed.judged(about) {
            Ok(finding) => analysis.findings.push(finding),
            Err(NotFound::RuledOut(reason)) => analysis.ruled_out.push(RuledOut { id: about.id, reason }),
            Err(NotFound::CannotTell(missing)) => analysis.cannot_tell.push(CannotTell { id: about.id, missing }),
        }
    }
    sort(&mut analysis.findings);
}

/// Worst first; those without foreground time last, in the order of the catalogue. A starved host stands before all
/// others: it puts them in doubt.
fn sort(findings: &mut [Finding]) {
    findings.sort_by(|one, other| match (one.severity, other.severity) {
        (Some(one), Some(other)) => other.total_cmp(&one),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => std::cmp::Ordering::Equal,
    });
    findings.sort_by_key(|finding| finding.id != host_starved::ABOUT.id);
}
