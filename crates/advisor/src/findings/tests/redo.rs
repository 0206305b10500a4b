//! The published redo systems as reports: their sums, and the conclusions that the judges draw and do not draw.

use report::figure::Figure;
use report::model::{Event, Kind, Report};

use super::made_up::{Change, event, found, plain, statistic, the, verdict};
use crate::analysis::Confidence;
use crate::findings::{Options, examine, examine_with};

/// The "heart" report of the paper: its first screen and its background waits.
fn heart() -> Report {
    Report::new(Kind::Statspack).with(|report| {
        report.top_events = Some(vec![
            event("log file sync", 21_470_106.0, 125_416.0),
            event("CPU time", 0.0, 68_364.0),
            event("db file sequential read", 35_725_749.0, 46_269.0),
            event("db file scattered read", 10_201_389.0, 45_346.0),
            event("log file parallel write", 11_649_482.0, 43_993.0),
            event("Replication Dequeue", 3_534_856.0, 19_297.0),
        ]);
        report.background_events = Some(vec![
            event("log file parallel write", 11_649_477.0, 43_993.0),
            event("db file sequential read", 13_869.0, 5.0),
        ]);
        report.statistics =
            Some(vec![statistic("redo writes", 11_649_440.0), statistic("redo write time", 1_241_800.0)]);
    })
}

#[test]
fn the_heart_report_is_said_as_a_range_with_low_confidence() {
    let analysis = examine(&heart());
    let figure = |name: &str| analysis.figures[name];
    assert!((figure("redo_ms_per_write") - 1.07).abs() < 0.005);
    assert!((figure("log_file_parallel_write_ms") - 3.78).abs() < 0.005);
    assert!((figure("log_file_sync_ms") - 5.84).abs() < 0.005);
    assert!((figure("redo_write_share_of_commit_low") - 0.18).abs() < 0.005);
    assert!((figure("redo_write_share_of_commit_high") - 0.65).abs() < 0.005);
    let finding = the(&analysis, "redo-device-latency");
    assert_eq!(finding.confidence, Confidence::Low);
    assert!(finding.title.contains("18 % to 65 %"), "{}", finding.title);
    assert!(
        finding.evidence.iter().any(|line| line.text.contains("18 % to 65 % of the average commit wait of 5.84 ms"))
    );
    assert!(
        finding.doubts.iter().any(|doubt| doubt.contains("3.54 times") && doubt.contains("not proved")),
        "{:?}",
        finding.doubts
    );
    let commit = the(&analysis, "commit-wait");
    assert!(commit.evidence.iter().any(|line| line.text.contains("18 % to 65 %")));
    // Half a write to two of them, and never more than the wait itself.
    let saving = finding.saving.clone().map(|saving| (saving.low_s, saving.high_s));
    let (low, high) = saving.unwrap_or_default();
    assert!((low - 21_470_106.0 * (3.7764 - 0.1) / 1000.0 * 0.5).abs() < 20.0, "{low}");
    assert_eq!(high, Some(125_416.0));
    // The release prints no DB time: severity stands on CPU and waits, and says so.
    assert!(analysis.notes.iter().any(|note| note.contains("no DB time in this report")));
}

/// The paper's redo test on its disks: 48 million rows, a commit every ninth.
fn disks() -> Report {
    plain().with(|report| {
        report.window.elapsed_s = Some(139.68 * 60.0);
        report.time_model = None;
        report.window.db_time_s = Some(173.88 * 60.0);
        report.window.db_cpu_s = Some(7_891.0);
        report.sql = None;
        report.foreground_events = Some(vec![
            event("PX qref latch", 28_408_603.0, 399.0),
            event("log file switch (checkpoint incomplete)", 22_219.0, 385.0),
            event("PX Deq: reap credit", 3_621_380.0, 205.0),
            event("log file switch completion", 2_239.0, 122.0),
            event("log file sync", 18.0, 0.234),
        ]);
        report.background_events = Some(vec![event("log file parallel write", 405_691.0, 7_247.0)]);
        report.statistics = Some(vec![
            statistic("redo size", 21_697_424_708.0),
            statistic("redo wastage", 101_846_820.0),
            statistic("redo write time", 757_698.0),
            statistic("redo writes", 405_691.0),
            statistic("user commits", 5_359_847.0),
        ]);
    })
}

#[test]
fn the_published_systems_come_out() {
    let analysis = examine(&disks());
    assert!((analysis.figures["redo_ms_per_write"] - 18.7).abs() < 0.03);
    assert!((analysis.figures["redo_bytes_per_transaction"] - 4_048.0).abs() < 1.0);
    let accelerator = disks().with(|report| {
        report.statistics = Some(vec![statistic("redo write time", 55_447.0), statistic("redo writes", 5_313_254.0)]);
        report.background_events = Some(vec![event("log file parallel write", 5_313_254.0, 495.0)]);
    });
    let fast = examine(&accelerator);
    assert!((fast.figures["redo_ms_per_write"] - 0.104).abs() < 0.0005);
    assert!((fast.figures["log_file_parallel_write_ms"] - 0.0932).abs() < 0.0005);
}

#[test]
fn eighteen_milliseconds_that_nobody_waits_for_are_no_finding_but_the_switches_are() {
    let analysis = examine(&disks());
    let why = verdict(&analysis, "redo-device-latency");
    assert!(why.starts_with("out: log file parallel write averages 17.9 ms"), "{why}");
    let switches = the(&analysis, "log-switch");
    assert!((switches.seconds.unwrap_or_default() - 507.0).abs() < 0.1);
    assert!(switches.advice.iter().any(|advice| advice.contains("not in the datafiles")));
    assert!(the(&analysis, "cpu-bound").severity.unwrap_or_default() > 0.7);
    the(&analysis, "interval-too-long");
}

#[test]
fn a_starved_host_is_not_slow_redo_storage() {
    let report = plain()
        .with(|report| {
            report.host.cpus = Some(32.0);
            report.host.load_begin = Some(28.0);
            report.host.load_end = Some(137.0);
        })
        .timing("DB CPU", 3_000.0)
        .waiting("resmgr:cpu quantum", 10.0, 100.0)
        .waiting("log file sync", 4_000.0, 500.0)
        .in_background("log file parallel write", 11_538.0, 12.92)
        .in_background("LGWR any worker group", 600.0, 130.0)
        .counting("redo writes", 11_600.0)
        .counting("redo write time", 51_150.0)
        .counting("redo write gather time", 144_000_000.0)
        .counting("redo write total time", 677_000_000.0);
    let analysis = examine(&report);
    assert_eq!(analysis.findings[0].id, "host-starved");
    let why = verdict(&analysis, "redo-device-latency");
    assert!(why.contains("even two of them are 1.8 % of a commit wait of 125 ms"), "{why}");
    let writer = the(&analysis, "redo-writer-not-device");
    assert!(writer.title.contains("44.1 ms") && writer.title.contains("1.12 ms"), "{}", writer.title);
    assert!(writer.evidence.iter().any(|line| line.text.contains("gather 12.4 ms, total 58.4 ms")));
    assert!(writer.evidence.iter().any(|line| line.text.starts_with("LGWR any worker group")));
    assert!(writer.doubts.iter().any(|doubt| doubt.contains("host-starved")));
}

#[test]
fn a_write_that_takes_longer_than_the_commit_wait_is_no_contradiction() {
    // Commits join writes that are under way: 2 ms of wait against 3 ms of write.
    let report = plain()
        .waiting("log file sync", 500_000.0, 1_000.0)
        .in_background("log file parallel write", 250_000.0, 750.0)
        .counting("redo write time", 80_000.0);
    let analysis = examine(&report);
    let saving = the(&analysis, "redo-device-latency").saving.clone();
    let (low, high) = saving.map(|saving| (saving.low_s, saving.high_s)).unwrap_or_default();
    assert!((low - 500_000.0 * 0.0029 * 0.5).abs() < 1.0, "{low}");
    assert_eq!(high, Some(1_000.0));
    assert!(!analysis.figures.contains_key("redo_write_share_of_commit_low"), "a share above 1 is refused");
}

#[test]
fn the_latency_to_move_to_is_an_option_and_is_said() {
    let report = plain()
        .waiting("log file sync", 300_000.0, 3_000.0)
        .in_background("log file parallel write", 250_000.0, 2_000.0)
        .counting("redo write time", 205_000.0);
    let at = |storage_ms: f64| {
        let analysis = examine_with(&report, &Options { storage_ms });
        the(&analysis, "redo-device-latency")
            .saving
            .clone()
            .map(|saving| (saving.low_s, saving.assumption))
            .unwrap_or_default()
    };
    let (fast, said) = at(0.1);
    assert!(said.contains("answers in 0.1 ms") && said.contains("0.5 to 2"), "{said}");
    assert!((fast - 300_000.0 * 0.0079 * 0.5).abs() < 1.0);
    let (slower, said) = at(4.0);
    assert!(said.contains("answers in 4 ms"), "{said}");
    assert!((slower - 300_000.0 * 0.004 * 0.5).abs() < 1.0);
    // Slower than the present device: no saving, and no negative one.
    let analysis = examine_with(&report, &Options { storage_ms: 20.0 });
    assert!(verdict(&analysis, "redo-device-latency").contains("would save 0 s"));
}

#[test]
fn the_upper_end_is_unknown_where_much_of_db_time_is() {
    let report = plain()
        .waiting("resmgr:cpu quantum", 10.0, 100.0)
        .waiting("log file sync", 300_000.0, 3_000.0)
        .in_background("log file parallel write", 250_000.0, 2_000.0)
        .counting("redo write time", 205_000.0);
    let analysis = examine(&report);
    the(&analysis, "unaccounted-time");
    let saving = the(&analysis, "redo-device-latency").saving.clone();
    assert!(
        saving.is_some_and(|saving| saving.high_s.is_none()
            && saving.low_s > 0.0
            && saving.assumption.contains("unknown"))
    );
}

#[test]
fn the_wake_up_time_counts_only_where_it_can_be() {
    let report = plain().counting("redo synch time (usec)", 210e6).counting("redo synch time overhead (usec)", 20e6);
    assert!((examine(&report).figures["commit_wake_up_s"] - 20.0).abs() < 1e-9);
    let analysis = examine(&report.counting("redo synch time overhead (usec)", 603e6));
    assert!(!analysis.figures.contains_key("commit_wake_up_s"));
    assert!(analysis.notes.iter().any(|note| note.contains("redo synch time overhead")));
}

#[test]
fn a_zero_average_gives_way_to_the_total_and_the_count() {
    let mut written = event("log file parallel write", 178_406.0, 39.0);
    written.total_s = Some(Figure::new(39.0, 1.0));
    written.average_ms = Some(Figure::new(0.0, 1.0));
    let report = plain().with(|report| report.background_events = Some(vec![written]));
    assert!((examine(&report).figures["log_file_parallel_write_ms"] - 0.2186).abs() < 0.0001);
    assert_eq!(found(&report), Vec::<&str>::new());
}

#[test]
fn a_write_that_takes_longer_than_the_wait_for_it_is_refused_and_said() {
    // 0.5 ms a commit; 0.4 ms a write by its event, 4 ms by the formula.
    let report = plain().waiting("log file sync", 1_000_000.0, 500.0).counting("redo write time", 100_000.0);
    let analysis = examine(&report);
    assert!((analysis.figures["redo_write_share_of_commit_low"] - 0.8).abs() < 1e-9);
    assert!(!analysis.figures.contains_key("redo_write_share_of_commit_high"));
    let said = "a redo write of 4 ms takes longer than the average commit wait of 0.5 ms: a share above 1 is refused";
    assert!(analysis.notes.iter().any(|note| note.starts_with(said)), "{:?}", analysis.notes);
    assert!(the(&analysis, "commit-wait").evidence.iter().all(|line| !line.text.contains("800 %")));
}

#[test]
fn a_writer_that_is_a_little_slower_than_its_device_is_said_to_be_so() {
    let why = verdict(&examine(&plain()), "redo-writer-not-device");
    assert!(why.ends_with("the writer's cycle is less than 1.5 times its device's time"), "{why}");
}

#[test]
fn the_first_screen_may_have_more_digits_of_the_same_waits() {
    let report = |top_waits: f64| {
        plain().with(|report| {
            let waits = |waits: f64, average_ms: Figure| Event {
                name: "log file sync".to_owned(),
                waits: Some(Figure::exact(waits)),
                total_s: Some(Figure::new(0.0, 1.0)),
                average_ms: Some(average_ms),
                ..Event::default()
            };
            let list = report.foreground_events.get_or_insert_default();
            list.retain(|event| event.name != "log file sync");
            list.push(waits(2.0, Figure::new(0.0, 1.0)));
            report.top_events = Some(vec![waits(top_waits, Figure::new(0.482, 1e-5))]);
        })
    };
    assert!((examine(&report(2.0)).figures["log_file_sync_ms"] - 0.482).abs() < 1e-9);
    assert!(examine(&report(3.0)).figures["log_file_sync_ms"] < 1e-9);
}
