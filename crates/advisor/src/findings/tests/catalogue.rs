//! Every finding once from a report made up for it; every file is in the catalogue; every report gets an answer for
//! every id.

use std::collections::BTreeSet;

use report::model::{Kind, Report};

use super::made_up::{Change, enqueue, event, found, plain, the};
use crate::findings::{catalogue, examine, ids};
use crate::judge::About;

/// Reports that show one finding each.
pub(super) fn shown() -> Vec<(&'static str, Report)> {
    catalogue(|about| about.place.report).into_iter().map(|about| (about.id, (about.made_up)())).collect()
}

#[test]
fn each_finding_is_found_in_the_report_made_up_for_it() {
    for (id, report) in shown() {
        let analysis = examine(&report);
        let finding = the(&analysis, id);
        assert!(!finding.evidence.is_empty() && finding.evidence.iter().all(|line| !line.section.is_empty()), "{id}");
        assert!(!finding.doubts.is_empty() || finding.confidence >= crate::analysis::Confidence::Medium, "{id}");
        assert!(!finding.advice.is_empty() && finding.experiment.is_some(), "{id}");
        if let Some(severity) = finding.severity {
            let seconds = finding.seconds.unwrap_or(f64::NAN);
            assert!((severity - seconds / 14_400.0).abs() < 1e-9, "{id}: severity is foreground seconds over DB time");
        }
        if let Some(saving) = &finding.saving {
            assert!(
                saving.low_s >= 0.0 && saving.high_s.is_none_or(|high| high >= saving.low_s && high <= 14_400.0),
                "{id}: {saving:?}"
            );
            assert!(!saving.assumption.is_empty(), "{id}");
        }
    }
}

#[test]
fn a_busy_database_without_trouble_gets_silence() {
    let report = plain();
    assert_eq!(found(&report), Vec::<&str>::new());
    let analysis = examine(&report);
    assert!(
        analysis.ruled_out.iter().all(|out| out.reason.chars().any(|letter| letter.is_ascii_digit())
            || out.id == "poor-offload"
            || out.id == "hot-segment"),
        "{:?}",
        analysis.ruled_out
    );
}

#[test]
fn every_id_gets_exactly_one_answer_from_any_report() {
    let mut reports: Vec<Report> = shown().into_iter().map(|(_, report)| report).collect();
    reports.push(Report::new(Kind::Statspack));
    // Parts of a report, as a cut leaves them.
    reports.push(plain().with(|report| report.foreground_events = None));
    reports.push(plain().with(|report| report.time_model = None));
    reports.push(plain().with(|report| {
        report.statistics = None;
        report.cut = true;
    }));
    for report in reports {
        let analysis = examine(&report);
        let mut answered: Vec<&str> = analysis.findings.iter().map(|finding| finding.id).collect();
        answered.extend(analysis.ruled_out.iter().map(|out| out.id));
        answered.extend(analysis.cannot_tell.iter().map(|unknown| unknown.id));
        answered.sort_unstable();
        let mut all: Vec<&str> = ids().collect();
        all.sort_unstable();
        assert_eq!(answered, all);
    }
}

#[test]
fn each_file_of_this_folder_is_a_finding_of_its_own_place() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/findings");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".rs")?.replace('_', "-")))
        .filter(|name| name != "mod")
        .collect();
    assert_eq!(files, ids().map(str::to_owned).collect());
    let places = |place: fn(&About) -> u16| catalogue(place).into_iter().map(place).collect::<BTreeSet<_>>();
    assert_eq!(places(|about| about.place.report).len(), files.len());
    assert_eq!(places(|about| about.place.trace).len(), files.len());
    for about in catalogue(|about| about.place.report) {
        assert!(
            !about.thresholds.is_empty() && !about.refuted_by.is_empty(),
            "{}: its page has an empty part",
            about.id
        );
    }
}

#[test]
fn findings_are_worst_first_and_those_without_foreground_time_last() {
    let report = plain()
        .waiting("free buffer waits", 9_000.0, 900.0)
        .waiting("log buffer space", 9_000.0, 1_900.0)
        .with(|report| {
            report.window.elapsed_s = Some(10_000.0);
        });
    assert_eq!(found(&report), ["log-buffer", "buffer-pool", "interval-too-long"]);
}

#[test]
fn old_releases_tell_enqueues_apart_in_their_own_section() {
    let report = plain().waiting("enqueue", 2_000.0, 1_000.0).with(|report| {
        report.identity.release = Some("9.2.0.8.0".to_owned());
        report.enqueues =
            Some(vec![enqueue("TX-Transaction", 900.0, 900.0), enqueue("HW-Segment High Water Mark", 50.0, 5.0)]);
    });
    assert_eq!(found(&report), ["row-lock"]);
    let without = plain().waiting("enqueue", 2_000.0, 1_000.0).with(|report| report.enqueues = None);
    let analysis = examine(&without);
    assert!(analysis.findings.is_empty());
    assert!(analysis.cannot_tell.iter().any(|unknown| unknown.id == "row-lock"));
}

#[test]
fn an_excerpt_of_the_first_screen_rules_nothing_out_that_it_does_not_show() {
    let report = Report::new(Kind::Statspack).with(|report| {
        report.top_events = Some(vec![event("CPU time", 0.0, 900.0), event("log file sync", 1_000.0, 100.0)]);
        report.window.elapsed_s = Some(600.0);
    });
    let analysis = examine(&report);
    assert!(
        analysis.ruled_out.iter().all(|out| out.id != "row-lock" && out.id != "log-switch"),
        "{:?}",
        analysis.ruled_out
    );
    assert!(analysis.cannot_tell.iter().any(|unknown| unknown.id == "row-lock"));
    the(&analysis, "cpu-bound");
    // A commit wait that is not on the first screen may still be one.
    let report = report.with(|report| {
        report
            .top_events
            .iter_mut()
            .flatten()
            .for_each(|event| event.name = event.name.replace("log file sync", "latch free"))
    });
    assert!(super::made_up::verdict(&examine(&report), "commit-wait").starts_with("cannot tell"));
}
