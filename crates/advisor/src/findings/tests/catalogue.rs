//! Every finding once from a report made up for it; every id has its page; every report gets an answer for every id.

use std::collections::BTreeSet;
use std::path::PathBuf;

use report::model::{BufferPool, Kind, Report, SegmentOrder, UndoSummary};

use super::made_up::{Change, busy, enqueue, event, file, found, parameter, plain, segment, sql, the};
use crate::findings::{examine, ids};

/// Reports that show one finding each.
pub(super) fn shown() -> Vec<(&'static str, Report)> {
    vec![
        ("host-starved", plain().with(|report| report.host.load_end = Some(60.0))),
        ("unaccounted-time", plain().waiting("resmgr:cpu quantum", 9_000.0, 3_000.0)),
        ("cpu-bound", plain().timing("DB CPU", 12_000.0).waiting("resmgr:cpu quantum", 10.0, 1_000.0)),
        ("commit-wait", plain().waiting("log file sync", 300_000.0, 1_500.0)),
        ("redo-device-latency", slow_log()),
        (
            "redo-writer-not-device",
            plain().waiting("log file sync", 20_000.0, 1_000.0).counting("redo write time", 1_000_000.0).in_background(
                "log file parallel write",
                250_000.0,
                250.0,
            ),
        ),
        ("log-switch", plain().waiting("log file switch (checkpoint incomplete)", 400.0, 1_000.0)),
        ("log-buffer", plain().waiting("log buffer space", 4_000.0, 900.0)),
        ("slow-reads", plain().waiting("db file sequential read", 100_000.0, 2_500.0)),
        ("many-reads", plain().waiting("db file sequential read", 1_000_000.0, 4_000.0)),
        ("small-multiblock-reads", small_reads()),
        ("poor-offload", offload(0.9)),
        ("temp-spill", plain().waiting("direct path read temp", 50_000.0, 900.0)),
        ("undo-pressure", plain().waiting("enq: US - contention", 5_000.0, 700.0)),
        (
            "undo-too-old",
            plain().with(|report| {
                report.undo = Some(UndoSummary {
                    snapshot_too_old: Some(3.0),
                    out_of_space: Some(0.0),
                    ..UndoSummary::default()
                });
            }),
        ),
        (
            "freelist-contention",
            plain().waiting("buffer busy waits", 90_000.0, 900.0).with(|report| {
                report.buffer_waits =
                    Some(vec![busy("segment header", 80_000.0, 800.0), busy("data block", 10_000.0, 100.0)]);
            }),
        ),
        (
            "bitmap-block-contention",
            plain().waiting("buffer busy waits", 90_000.0, 900.0).with(|report| {
                report.buffer_waits =
                    Some(vec![busy("1st level bmb", 80_000.0, 800.0), busy("data block", 10_000.0, 100.0)]);
            }),
        ),
        ("right-hand-index", plain().waiting("enq: TX - index contention", 9_000.0, 900.0)),
        ("itl-wait", plain().waiting("enq: TX - allocate ITL entry", 900.0, 900.0)),
        ("hw-enqueue", plain().waiting("enq: HW - contention", 9_000.0, 900.0)),
        ("row-lock", plain().waiting("enq: TX - row lock contention", 900.0, 900.0)),
        (
            "row-migration",
            plain().counting("table fetch continued row", 6_000_000.0).counting("session logical reads", 50_000_000.0),
        ),
        (
            "buffer-pool",
            plain().waiting("free buffer waits", 9_000.0, 900.0).with(|report| {
                report.buffer_pools = Some(vec![BufferPool {
                    name: "D".to_owned(),
                    free_buffer_waits: Some(9_000.0),
                    ..BufferPool::default()
                }]);
            }),
        ),
        (
            "hot-segment",
            plain().waiting("enq: TX - row lock contention", 900.0, 2_000.0).with(|report| {
                report.segments = Some(vec![segment(SegmentOrder::RowLockWaits, "T", "TABLE", 900.0)]);
            }),
        ),
        (
            "file-skew",
            plain().waiting("db file sequential read", 800_000.0, 1_400.0).with(|report| {
                report.files = Some(vec![
                    file("a.dbf", 100_000.0, 9.0),
                    file("b.dbf", 300_000.0, 0.5),
                    file("c.dbf", 400_000.0, 0.5),
                ]);
            }),
        ),
        ("hard-parsing", plain().timing("hard parse elapsed time", 1_000.0).timing("parse time elapsed", 1_100.0)),
        ("library-cache", plain().waiting("library cache: mutex X", 90_000.0, 900.0)),
        (
            "logon-storm",
            plain().timing("connection management call elapsed time", 900.0).counting("logons cumulative", 50_000.0),
        ),
        (
            "sql-concentration",
            plain().with(|report| {
                report
                    .sql
                    .iter_mut()
                    .flatten()
                    .for_each(|section| section.statements.push(sql("ccc", "select 2", 9_000.0)));
            }),
        ),
        (
            "interval-too-long",
            plain().with(|report| {
                report.window.elapsed_s = Some(10_000.0);
            }),
        ),
    ]
}

fn slow_log() -> Report {
    plain()
        .waiting("log file sync", 300_000.0, 3_000.0)
        .in_background("log file parallel write", 250_000.0, 2_000.0)
        .counting("redo write time", 205_000.0)
}

fn small_reads() -> Report {
    plain()
        .waiting("direct path read", 500_000.0, 1_000.0)
        .counting("physical reads", 800_000.0 + 6_400_000.0)
        .counting("physical read IO requests", 800_000.0 + 800_000.0)
        .counting("physical read total multi block requests", 0.0)
        .with(|report| report.parameters = Some(vec![parameter("db_file_multiblock_read_count", "128")]))
}

fn offload(returned: f64) -> Report {
    plain()
        .waiting("cell smart table scan", 500_000.0, 1_000.0)
        .counting("cell physical IO bytes eligible for predicate offload", 1e12)
        .counting("cell physical IO interconnect bytes returned by smart scan", returned * 1e12)
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
    let made_up: BTreeSet<_> = shown().into_iter().map(|(id, _)| id).collect();
    assert_eq!(made_up, ids().collect::<BTreeSet<_>>());
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
fn each_finding_has_its_page_and_each_page_its_finding() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings");
    let headings =
        ["## What it looks at", "## Formula", "## Thresholds", "## What refutes it", "## What to do", "## Experiment"];
    for id in ids() {
        let page = std::fs::read_to_string(folder.join(format!("{id}.md"))).unwrap_or_default();
        assert!(page.starts_with(&format!("# {id}\n")), "docs/findings/{id}.md");
        for heading in headings {
            assert!(page.contains(heading), "docs/findings/{id}.md lacks {heading}");
        }
    }
    let pages: BTreeSet<String> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.strip_suffix(".md").map(str::to_owned)))
        .filter(|name| name != "README")
        .collect();
    assert_eq!(pages, ids().map(str::to_owned).collect::<BTreeSet<_>>());
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
