//! DB time accounted for, idle events, releases without DB time, the host.

use report::figure::Figure;
use report::model::{Kind, OsDetail, OsStatistic, Report, UndoSummary};

use super::made_up::{Change, event, found, plain, statistic, the, verdict};
use crate::findings::examine;

#[test]
fn db_time_is_cpu_and_waits_and_what_is_in_neither() {
    let analysis = examine(&plain());
    let db_time = analysis.db_time.unwrap_or_default();
    let classes: f64 = db_time.classes.iter().map(|(_, time)| time).sum();
    let sum = db_time.cpu_s.unwrap_or_default() + classes + db_time.unaccounted_s.unwrap_or_default();
    assert!((sum - db_time.total_s).abs() < 1e-6);
    assert!((db_time.unaccounted_s.unwrap_or_default() - 190.0).abs() < 1e-6);
    assert_eq!(db_time.classes.first().map(|(class, _)| class.as_str()), Some("Scheduler"));
    let sum = analysis.sums.iter().find(|sum| sum.name == "unaccounted_s");
    assert!(sum.is_some_and(|sum| sum.inputs.len() == 3 && sum.inputs.iter().all(|input| !input.section.is_empty())));
}

#[test]
fn idle_events_are_in_no_sum_whatever_the_report_says_of_them() {
    let report = plain().with(|report| {
        let list = report.foreground_events.get_or_insert_default();
        for name in [
            "LGWR worker group idle",
            "AQPC idle",
            "heartbeat redo informer",
            "lreg timer",
            "class slave wait",
            "PX Deq: reap credit",
        ] {
            list.push(event(name, 5_000.0, 6_885.0));
        }
    });
    assert_eq!(examine(&report).db_time, examine(&plain()).db_time);
    assert_eq!(found(&report), Vec::<&str>::new());
}

#[test]
fn a_wait_that_no_number_of_sessions_can_have_waited_is_refused_and_said() {
    let report = plain().with(|report| {
        report.foreground_events.get_or_insert_default().push(event("latch free", 5_000.0, 24_800_000.0));
    });
    let analysis = examine(&report);
    assert!(
        analysis.notes.iter().any(|note| note.starts_with("latch free") && note.contains("refused")),
        "{:?}",
        analysis.notes
    );
    assert_eq!(analysis.db_time, examine(&plain()).db_time);
}

#[test]
fn before_10g_cpu_and_waits_less_those_of_the_background_stand_for_db_time() {
    let report = Report::new(Kind::Statspack).with(|report| {
        report.identity.release = Some("9.2.0.8.0".to_owned());
        report.window.elapsed_s = Some(900.0);
        report.all_events = Some(vec![
            event("db file sequential read", 100_000.0, 1_500.0),
            event("log file parallel write", 9_000.0, 200.0),
            event("SQL*Net message from client", 9_000.0, 90_000.0),
        ]);
        report.background_events = Some(vec![
            event("db file sequential read", 10_000.0, 500.0),
            event("log file parallel write", 9_000.0, 200.0),
        ]);
        report.statistics = Some(vec![statistic("CPU used by this session", 100_000.0)]);
    });
    let analysis = examine(&report);
    let db_time = analysis.db_time.clone().unwrap_or_default();
    assert!((db_time.total_s - 2_000.0).abs() < 0.01, "{db_time:?}");
    assert_eq!(db_time.unaccounted_s, None);
    assert!(verdict(&analysis, "unaccounted-time").starts_with("cannot tell"));
    let slow = the(&analysis, "slow-reads");
    assert!(slow.title.contains("11.1 ms"), "{}", slow.title);
}

#[test]
fn no_swap_counts_only_where_memory_is_used_up() {
    let line = |name: &str, value: f64| OsStatistic { name: name.to_owned(), value: Some(value), end: None };
    let host = |free: f64| {
        plain().with(|report| {
            report.host.statistics = Some(vec![
                line("PHYSICAL_MEMORY_BYTES", 1e11),
                line("FREE_MEMORY_BYTES", free),
                line("SWAP_FREE_BYTES", 0.0),
            ]);
        })
    };
    assert_eq!(found(&host(2e10)), Vec::<&str>::new());
    assert_eq!(found(&host(3e8)), ["host-starved"]);
}

#[test]
fn waiting_in_a_run_queue_that_looks_idle_is_said_of_unaccounted_time() {
    let report = plain().waiting("resmgr:cpu quantum", 9_000.0, 100.0).with(|report| {
        let queue = OsStatistic { name: "OS_CPU_WAIT_TIME".to_owned(), value: Some(800_000.0), end: None };
        report.host.statistics = Some(vec![queue]);
    });
    let analysis = examine(&report);
    let finding = the(&analysis, "unaccounted-time");
    assert!(finding.doubts.iter().any(|doubt| doubt.contains("8,000 s in its run queue")), "{:?}", finding.doubts);
}

#[test]
fn a_cut_name_of_an_event_is_known_by_its_beginning() {
    let report = plain().with(|report| {
        let mut cut = event("enq: TX - allocate ITL ent", 900.0, 900.0);
        cut.cut = true;
        report.foreground_events.get_or_insert_default().push(cut);
    });
    assert!(found(&report).contains(&"itl-wait"));
}

#[test]
fn before_10g_temp_is_in_the_direct_path_waits_and_that_is_said() {
    let report = plain().waiting("direct path write", 9_000.0, 900.0).with(|report| {
        report.identity.release = Some("9.2.0.8.0".to_owned());
    });
    let analysis = examine(&report);
    let finding = the(&analysis, "temp-spill");
    assert_eq!(finding.confidence, crate::analysis::Confidence::Low);
    assert!(finding.doubts.iter().any(|doubt| doubt.contains("before 10g")));
    assert!(
        !found(&report.with(|report| report.identity.release = Some("19.0.0.0.0".to_owned()))).contains(&"temp-spill")
    );
}

#[test]
fn a_block_is_named_only_where_none_of_its_statements_is_large() {
    let with = |own: f64| {
        plain().with(move |report| {
            let statements = report.sql.iter_mut().flatten().flat_map(|section| [&mut section.statements]);
            for list in statements {
                list.push(super::made_up::sql("plsql", "begin load; end;", 9_000.0));
                list.push(super::made_up::sql("own", "select 4", own));
            }
        })
    };
    assert!(the(&examine(&with(8_000.0)), "sql-concentration").title.ends_with(": own"));
    let analysis = examine(&with(100.0));
    let finding = the(&analysis, "sql-concentration");
    assert!(finding.title.ends_with(": plsql") && finding.doubts.iter().any(|doubt| doubt.contains("PL/SQL block")));
}

#[test]
fn a_db_time_of_nothing_is_an_idle_database() {
    let report = plain().timing("DB time", 0.0).timing("DB CPU", 0.0).with(|report| {
        report.foreground_events = Some(Vec::new());
        report.sql = None;
    });
    let analysis = examine(&report);
    assert!(analysis.findings.is_empty(), "{:?}", analysis.findings);
    assert!(verdict(&analysis, "commit-wait").contains("idle: 0 active sessions"));
    assert!(verdict(&analysis, "unaccounted-time").starts_with("cannot tell"));
}

#[test]
fn from_10g_on_nothing_stands_for_a_db_time_that_cannot_be_read() {
    let report = |release: Option<&str>| {
        plain().with(|report| {
            report.identity.release = release.map(str::to_owned);
            report.time_model = None;
            report.statistics.get_or_insert_default().push(statistic("CPU used by this session", 900_000.0));
        })
    };
    let analysis = examine(&report(Some("19.0.0.0.0")));
    assert_eq!(analysis.db_time, None);
    assert!(analysis.findings.iter().all(|finding| finding.severity.is_none()), "{:?}", analysis.findings);
    assert!(verdict(&analysis, "cpu-bound").starts_with("cannot tell: DB time"), "{}", verdict(&analysis, "cpu-bound"));
    assert!(analysis.notes.iter().any(|note| note.contains("could not be read here")));
    // Before 10g a report has no DB time; for an excerpt without its release this is unknown.
    assert_eq!(the(&examine(&report(Some("9.2.0.8.0"))), "cpu-bound").confidence, crate::analysis::Confidence::High);
    let unsure = examine(&report(None));
    let finding = the(&unsure, "cpu-bound");
    assert_eq!(finding.confidence, crate::analysis::Confidence::Medium);
    assert!(finding.doubts.iter().any(|doubt| doubt.contains("neither the release nor DB time")));
}

#[test]
fn what_a_cut_report_does_not_hold_is_not_printed_as_nothing() {
    let report = plain().timing("hard parse elapsed time", 0.0).with(|report| {
        report.statistics = None;
        report.time_model.iter_mut().for_each(|model| model.retain(|line| !line.name.starts_with("hard parse")));
    });
    let why = verdict(&examine(&report), "hard-parsing");
    assert!(why.starts_with("out: all parsing takes 40 s") && !why.contains("hard parses"), "{why}");
    let analysis = examine(&report.waiting("library cache: mutex X", 90_000.0, 900.0));
    let said = &the(&analysis, "library-cache").evidence;
    assert!(said.iter().all(|line| !line.text.contains("hard parses")), "{said:?}");
    // Cut between commits and rollbacks: transactions are not known.
    let report = plain().with(|report| {
        report.cut = true;
        report.statistics.iter_mut().for_each(|lines| lines.retain(|line| line.name != "user rollbacks"));
    });
    assert!(!examine(&report).figures.contains_key("redo_bytes_per_transaction"));
    // Nor is temp the half of it.
    let half = plain().counting("physical reads direct temporary tablespace", 700_000.0);
    assert!(!examine(&half).figures.contains_key("temp_io_share"));
    // No failed space request is ruled out where only ORA-01555 is counted.
    let undo = plain().with(|report| {
        report.undo = Some(UndoSummary { snapshot_too_old: Some(0.0), ..UndoSummary::default() });
    });
    assert!(verdict(&examine(&undo), "undo-too-old").starts_with("cannot tell"));
}

#[test]
fn parsing_that_is_no_hard_parse_is_told() {
    let report = plain()
        .timing("hard parse elapsed time", 300.0)
        .timing("parse time elapsed", 1_400.0)
        .timing("failed parse elapsed time", 400.0);
    let why = verdict(&examine(&report), "hard-parsing");
    assert!(why.contains("parse time elapsed 1,400 s (9.7 %), failed parse elapsed time 400 s (2.8 %)"), "{why}");
    let analysis = examine(&report.waiting("library cache: mutex X", 90_000.0, 900.0));
    let first = &the(&analysis, "library-cache").evidence[0].text;
    assert!(first.starts_with("parse time elapsed 1,400 s, hard parses 300 s, failed parses 400 s"), "{first}");
}

#[test]
fn virtual_processors_that_look_idle_with_a_long_run_queue_rule_no_starved_host_out() {
    let line = |name: &str, value: f64| OsStatistic { name: name.to_owned(), value: Some(value), end: None };
    let report = |queue: f64| {
        plain().waiting("resmgr:cpu quantum", 9_000.0, 100.0).with(|report| {
            report.host.statistics = Some(vec![
                line("OS_CPU_WAIT_TIME", queue),
                line("NUM_VCPUS", 1.0),
                line("NUM_CPU_CORES", 2.0),
                line("BUSY_TIME", 100_000.0),
                line("IDLE_TIME", 900_000.0),
                line("IOWAIT_TIME", 250_000.0),
            ]);
        })
    };
    let why = verdict(&examine(&report(800_000.0)), "host-starved");
    assert!(why.starts_with("cannot tell") && why.contains("8,000 s in its run queue"), "{why}");
    assert!(why.contains("8 CPUs (2 cores, 1 virtual processors)") && why.contains("25 % idle with I/O"), "{why}");
    let analysis = examine(&report(1_000.0));
    assert!(verdict(&analysis, "host-starved").starts_with("out: "));
    // The host's activity stands beside the unaccounted time.
    assert!(the(&analysis, "unaccounted-time").evidence.iter().any(|line| line.text.contains("(IOWAIT)")));
}

#[test]
fn seconds_that_are_in_neither_are_counted_once() {
    let report = plain().waiting("resmgr:cpu quantum", 9_000.0, 100.0).with(|report| report.host.load_end = Some(60.0));
    let analysis = examine(&report);
    assert_eq!(analysis.findings[0].id, "host-starved");
    assert_eq!((analysis.findings[0].severity, analysis.findings[0].seconds), (None, None));
    assert!(analysis.findings[0].evidence.iter().all(|line| !line.text.contains("could not run")));
    assert!(the(&analysis, "unaccounted-time").severity.is_some_and(|share| share > 0.4));
}

#[test]
fn a_sampled_load_that_is_more_by_its_rounding_alone_is_not_the_most() {
    let report = |sample: f64| {
        plain().with(|report| {
            report.host.load_begin = Some(7.07);
            report.host.load_end = Some(5.0);
            report.host.details = Some(vec![OsDetail { load: Some(sample), ..OsDetail::default() }]);
        })
    };
    assert!((examine(&report(7.1)).figures["host_load_max"] - 7.07).abs() < 1e-9);
    assert!((examine(&report(7.2)).figures["host_load_max"] - 7.2).abs() < 1e-9);
    let shown = |sample: f64| crate::files::Facts::of_report(&report(sample)).host.load_most;
    assert_eq!((shown(7.1), shown(7.2), shown(4.0)), (Some(7.07), Some(7.2), Some(7.07)));
}

#[test]
fn the_statement_with_most_of_the_cpu_is_named() {
    let report = |cpu: f64| {
        plain().with(|report| {
            let mut line = super::made_up::sql("ccc", "select 5", 3_500.0);
            line.elapsed_s = Some(Figure::new(3_500.0, 0.01));
            line.cpu_s = Some(Figure::new(cpu, 0.01));
            report.time_model.iter_mut().flatten().filter(|line| line.name == "DB CPU").for_each(|line| {
                line.seconds = Some(Figure::new(5_000.0, 0.1));
            });
            report.sql.iter_mut().flatten().for_each(|section| section.statements.push(line.clone()));
        })
    };
    let analysis = examine(&report(3_000.0));
    let finding = the(&analysis, "sql-concentration");
    assert!(finding.title.contains("60 % of the CPU: ccc"), "{}", finding.title);
    assert!(finding.severity.is_some_and(|share| (share - 3_500.0 / 14_400.0).abs() < 1e-6));
    assert!(verdict(&examine(&report(2_000.0)), "sql-concentration").starts_with("out: SELECT ccc"));
    // More CPU than time is of parallel servers.
    assert!(verdict(&examine(&report(3_800.0)), "sql-concentration").starts_with("out: SELECT ccc"));
}

#[test]
fn latches_of_redo_have_the_classes_of_the_database() {
    assert_eq!(waits::event_class("latch: redo allocation"), "Other");
    assert_eq!(waits::event_class("latch: redo copy"), "Configuration");
}
