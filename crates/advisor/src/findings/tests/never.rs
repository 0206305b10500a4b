//! Claims that are never made, whatever the figures look like.

use report::model::{Kind, Report};

use super::made_up::{Change, found, plain, sql, the, verdict};
use crate::findings::{examine, ids};

#[test]
fn no_saving_from_a_device_that_no_foreground_waits_for() {
    // 18 ms a redo write all the hour long, and a job that commits without waiting.
    let report = plain()
        .waiting("log file sync", 18.0, 0.2)
        .in_background("log file parallel write", 190_000.0, 3_420.0)
        .counting("redo writes", 190_000.0)
        .counting("redo write time", 345_000.0);
    let analysis = examine(&report);
    assert!(analysis.findings.iter().all(|finding| finding.saving.is_none()), "{:?}", analysis.findings);
    let why = verdict(&analysis, "redo-device-latency");
    assert!(
        why.starts_with("out: log file parallel write averages 18 ms") && why.contains("0.2 s of 14,400 s"),
        "{why}"
    );
    // The same for undo and temp: the database writes much, no session waits.
    let report =
        plain().counting("DBWR undo block writes", 190_000.0).counting("physical writes from cache", 200_000.0);
    assert_eq!(found(&report), Vec::<&str>::new());
    assert!(verdict(&examine(&report), "undo-pressure").contains("95 % of the blocks written"));
    let report = plain()
        .counting("physical reads direct temporary tablespace", 700_000.0)
        .counting("physical writes direct temporary tablespace", 190_000.0);
    assert_eq!(found(&report), Vec::<&str>::new());
    assert!(verdict(&examine(&report), "temp-spill").contains("89 % of the blocks read and written"));
}

#[test]
fn no_slow_storage_from_log_file_sync_alone() {
    let waits = plain().waiting("log file sync", 300_000.0, 5_000.0);
    // The write itself is fast.
    let analysis = examine(&waits);
    the(&analysis, "commit-wait");
    assert!(verdict(&analysis, "redo-device-latency").starts_with("out: log file parallel write averages 0.4 ms"));
    // The write is not in the report at all.
    let analysis = examine(&waits.with(|report| report.background_events = None));
    assert!(the(&analysis, "commit-wait").saving.is_none());
    let why = verdict(&analysis, "redo-device-latency");
    assert!(why.starts_with("cannot tell: log file parallel write"), "{why}");
}

#[test]
fn no_commit_waits_from_the_number_of_commits() {
    // A PL/SQL loop of a million commits waits for none of them.
    let report = plain().counting("user commits", 1_000_000.0).waiting("log file sync", 2.0, 0.01);
    assert_eq!(found(&report), Vec::<&str>::new());
    assert!(verdict(&examine(&report), "commit-wait").starts_with("out: log file sync: 10 ms"));
}

#[test]
fn not_healthy_where_sections_are_missing() {
    let analysis = examine(&Report::new(Kind::AwrHtml));
    assert!(analysis.findings.is_empty());
    assert!(analysis.ruled_out.is_empty(), "{:?}", analysis.ruled_out);
    assert_eq!(analysis.cannot_tell.len(), ids().count());
    assert!(analysis.cannot_tell.iter().all(|unknown| !unknown.missing.is_empty()));
}

#[test]
fn no_redo_problem_of_an_idle_database() {
    // 35 ms a redo write, commits that wait 40 ms: a quarter of next to nothing.
    let report = plain()
        .timing("DB time", 400.0)
        .timing("DB CPU", 250.0)
        .waiting("log file sync", 2_500.0, 100.0)
        .waiting("resmgr:cpu quantum", 1.0, 20.0)
        .waiting("db file sequential read", 1_000.0, 25.0)
        .in_background("log file parallel write", 3_000.0, 105.0)
        .counting("redo writes", 3_000.0)
        .counting("redo write time", 10_600.0);
    let analysis = examine(&report);
    assert!(analysis.findings.is_empty(), "{:?}", analysis.findings);
    let why = verdict(&analysis, "redo-device-latency");
    assert!(
        why.starts_with("out: log file parallel write averages 35 ms") && why.contains("0.111 active sessions"),
        "{why}"
    );
    assert!((analysis.figures["redo_ms_per_write"] - 35.33).abs() < 0.01);
}

#[test]
fn a_report_without_redo_statistics_gets_cannot_tell() {
    let report = plain().with(|report| {
        report.statistics = None;
        report.background_events = None;
    });
    let analysis = examine(&report);
    for id in ["redo-device-latency", "redo-writer-not-device"] {
        assert!(verdict(&analysis, id).starts_with("cannot tell"), "{id}");
    }
    assert!(!analysis.figures.contains_key("redo_ms_per_write"));
}

#[test]
fn padding_never_means_that_logs_are_too_large() {
    let report = plain().counting("redo wastage", 8e9).waiting("log file sync", 300_000.0, 1_500.0);
    let analysis = examine(&report);
    assert!(analysis.figures["redo_wastage_share"] > 0.5);
    assert_eq!(found(&report), ["commit-wait"]);
    let said: String = the(&analysis, "commit-wait").evidence.iter().map(|line| line.text.as_str()).collect();
    assert!(said.contains("no sign of logs that are too large"));
}

#[test]
fn a_share_above_one_is_refused_and_said() {
    let report = plain().timing("DB CPU", 15_000.0).with(|report| {
        report.sql.iter_mut().flatten().for_each(|section| section.statements.push(sql("ddd", "select 3", 20_000.0)));
    });
    let analysis = examine(&report);
    assert!(analysis.findings.iter().all(|finding| finding.severity.is_none_or(|severity| severity <= 1.0)));
    assert!(verdict(&analysis, "cpu-bound").contains("a share above 1 is refused"));
    assert!(verdict(&analysis, "sql-concentration").contains("a share above 1 is refused"));
    assert!(analysis.notes.iter().any(|note| note.contains("DB CPU of 15,000 s is more than DB time of 14,400 s")));
}

#[test]
fn printed_percentages_are_not_taken() {
    let report = plain().with(|report| {
        report.foreground_events.iter_mut().flatten().for_each(|event| event.percent = Some(99.0));
        report.time_model.iter_mut().flatten().for_each(|line| line.percent = Some(99.0));
    });
    assert_eq!(found(&report), Vec::<&str>::new());
}
