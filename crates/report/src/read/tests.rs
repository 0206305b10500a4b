//! Documents made by hand, in the layouts of several releases, through the readers.
#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests compare printed digits")]

use super::report;
use crate::figure::Figure;
use crate::grid::{Document, Row, Section, Table};
use crate::model::{Kind, SectionState, SqlOrder};

fn table(columns: &[&str], rows: &[&[&str]]) -> Table {
    Table {
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        caption: String::new(),
        rows: rows
            .iter()
            .enumerate()
            .map(|(at, cells)| Row {
                cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
                line: at + 1,
                text: Vec::new(),
            })
            .collect(),
    }
}

fn section(title: &str, tables: Vec<Table>) -> Section {
    Section { title: title.to_owned(), line: 1, tables, notes: Vec::new(), empty: false }
}

fn document(kind: Kind, sections: Vec<Section>) -> Document {
    Document { kind, sections, cut: false }
}

fn snapshots() -> Section {
    section(
        "WORKLOAD REPOSITORY report for",
        vec![
            table(
                &["DB Name", "DB Id", "Instance", "Inst Num", "Startup Time", "Release", "RAC"],
                &[&["PROD", "1234567890", "prod1", "1", "01-Feb-20 03:00", "11.2.0.4.0", "YES"]],
            ),
            table(
                &["Host Name", "Platform", "CPUs", "Cores", "Sockets", "Memory(GB)"],
                &[&["db01", "Linux x86 64-bit", "16", "8", "2", "31.25"]],
            ),
            table(
                &["", "Snap Id", "Snap Time", "Sessions", "Curs/Sess"],
                &[
                    &["Begin Snap:", "10", "01-Feb-20 10:00:00", "40", "1.5"],
                    &["End Snap:", "11", "01-Feb-20 11:00:07", "42", "1.6"],
                    &["Elapsed:", "", "60.12 (mins)", "", ""],
                    &["DB Time:", "", "30.00 (mins)", "", ""],
                ],
            ),
        ],
    )
}

#[test]
fn the_header_of_an_instance() {
    let report = report(&document(Kind::AwrText, vec![snapshots()]));
    assert_eq!(report.identity.database.as_deref(), Some("PROD"));
    assert_eq!(report.identity.database_id, Some(1_234_567_890));
    assert_eq!(report.identity.rac, Some(true));
    assert_eq!(report.identity.major_release(), Some(11));
    assert_eq!(report.host.cpus, Some(16.0));
    assert_eq!(report.host.memory_bytes, Some(31.25 * 1024.0 * 1024.0 * 1024.0));
    assert_eq!(report.window.begin.id, Some(10));
    assert_eq!(report.window.elapsed_s, Some(3607.0));
    assert_eq!(report.window.db_time_s, Some(1800.0));
    assert_eq!(report.sections[0].state, SectionState::Read);
}

#[test]
fn events_keep_the_way_that_has_more_digits() {
    let events = section(
        "Background Wait Events",
        vec![table(
            &["Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait (ms)", "Waits /txn", "% bg time"],
            &[
                &["log file parallel write", "98,213", "0", "21", "0", "1.0", "35.2"],
                &["enq: TX - row lock contentio", "3", "", "", "####", "", ""],
            ],
        )],
    );
    let report = report(&document(Kind::AwrText, vec![events]));
    let event = report.background_event("log file parallel write").unwrap();
    assert_eq!(event.waits, Some(Figure::exact(98_213.0)));
    assert!((event.milliseconds().unwrap().value - 0.2138).abs() < 1e-4);
    // Not printed is not zero.
    let lock = report.background_event("enq: TX - row lock contention").unwrap();
    assert_eq!((lock.timeouts_percent, lock.total_s, lock.average_ms), (None, None, None));
    assert!(report.warnings[0].contains("####"), "{:?}", report.warnings);
}

#[test]
fn averages_with_units_of_their_own() {
    let events = section(
        "Top 10 Foreground Events by Total Wait Time",
        vec![table(
            &["Event", "Waits", "Total Wait Time (sec)", "Avg Wait", "% DB time", "Wait Class"],
            &[
                &["direct path read", "5,120,044", "18.3K", "3.57ms", "32.1", "User I/O"],
                &["DB CPU", "", "512.3", "", ".6", ""],
                &["log file sync", "12", "0", "401.25us", ".0", "Commit"],
            ],
        )],
    );
    let report = report(&document(Kind::AwrHtml, vec![events]));
    let top = report.top_events.as_ref().unwrap();
    assert_eq!(top[0].total_s, Some(Figure::new(18_300.0, 100.0)));
    assert!((top[0].average_ms.unwrap().value - 3.57).abs() < 1e-9);
    // 5.1 million waits of 3.57 ms: the count times the average has more digits.
    assert!((top[0].seconds().unwrap().value - 18_278.56).abs() < 0.1);
    assert_eq!(top[1].waits, None);
    assert!((top[2].average_ms.unwrap().value - 0.40125).abs() < 1e-9);
}

#[test]
fn timeouts_counted_in_old_releases_and_times_in_centiseconds() {
    let events = section(
        "Wait Events for DB: OLD",
        vec![table(
            &["Event", "Waits", "Timeouts", "Total Wait Time (cs)", "Avg wait (ms)", "Waits /txn"],
            &[&["free buffer waits", "200", "50", "1,250", "63", "0.1"]],
        )],
    );
    let report = report(&document(Kind::Statspack, vec![events]));
    let event = report.event("free buffer waits").unwrap();
    assert_eq!(event.timeouts_percent, Some(25.0));
    assert_eq!(event.total_s.unwrap().value, 12.5);
    assert!(report.all_events.is_some() && report.foreground_events.is_none());
}

#[test]
fn german_numbers_are_read_by_the_files_own_evidence() {
    let statistics = section(
        "Instance Activity Stats",
        vec![table(
            &["Statistic", "Total", "per Second", "per Trans"],
            &[&["redo size", "1.234", "0,3", "12,5"], &["redo writes", "1.234.567", "342,9", "1,0"]],
        )],
    );
    let report = report(&document(Kind::AwrText, vec![statistics]));
    assert_eq!(report.statistic("redo size"), Some(1234.0));
    assert_eq!(report.statistics.as_ref().unwrap()[0].per_transaction, Some(12.5));
}

#[test]
fn a_total_that_did_not_fit_comes_from_its_rate() {
    let statistics = section(
        "Instance Activity Stats",
        vec![table(&["Statistic", "Total", "per Second", "per Trans"], &[&["redo size", "####", "1,000.5", "1.0"]])],
    );
    let report = report(&document(Kind::AwrText, vec![snapshots(), statistics]));
    assert_eq!(report.statistic("redo size"), Some(1000.5 * 3607.0));
}

#[test]
fn tables_of_one_title_are_told_apart_by_their_columns() {
    let tables = vec![
        table(&["Statistic", "Total", "per Second", "per Trans"], &[&["user commits", "7", "0.1", "1.0"]]),
        table(&["Statistic", "Begin Value", "End Value"], &[&["logons current", "58", "59"]]),
        table(&["Statistic", "Total", "per Hour"], &[&["log switches (derived)", "11", "36.10"]]),
    ];
    let report = report(&document(Kind::Statspack, vec![section("Instance Activity Stats", tables)]));
    assert_eq!(report.statistic("user commits"), Some(7.0));
    let absolute = &report.absolute_statistics.as_ref().unwrap()[0];
    assert_eq!((absolute.begin, absolute.total), (Some(58.0), Some(59.0)));
    assert_eq!(report.thread_activity.as_ref().unwrap()[0].total, Some(11.0));
}

#[test]
fn histograms_of_several_ranges_become_one() {
    let main = section(
        "Wait Event Histogram",
        vec![table(
            &[
                "Event",
                "Total Waits",
                "% of Total Waits <8us",
                "% of Total Waits <16us",
                "% of Total Waits <512us",
                "% of Total Waits >=512us",
            ],
            &[&["log file sync", "1000", "", "10.0", "60.0", "30.0"]],
        )],
    );
    let detail = section(
        "Wait Event Histogram (up to 32 ms)",
        vec![table(
            &["Event", "Waits 1ms to 32ms", "<512", "<1ms", "<32ms", ">=32m"],
            &[&["log file sync", "300", "70.0", "20.0", "9.5", ".5"]],
        )],
    );
    let report = report(&document(Kind::AwrText, vec![main, detail]));
    let histogram = &report.histograms.as_ref().unwrap()[0];
    let buckets: Vec<(Option<f64>, f64)> =
        histogram.buckets.iter().map(|bucket| (bucket.below_us, bucket.percent)).collect();
    assert_eq!(
        buckets,
        [
            (Some(8.0), 0.0),
            (Some(16.0), 10.0),
            (Some(512.0), 60.0),
            (Some(1024.0), 20.0),
            (Some(32_768.0), 9.5),
            (None, 0.5)
        ]
    );
}

#[test]
fn a_count_whose_suffix_was_cut_takes_it_from_the_events_line() {
    let events = section(
        "Foreground Wait Events",
        vec![table(&["Event", "Waits", "Total Wait Time (s)"], &[&["db file sequential read", "610,311", "5,002"]])],
    );
    let columns = &["Event", "Total Waits", "<1ms", "<2ms", ">1s"];
    let histogram = section(
        "Wait Event Histogram",
        vec![table(
            columns,
            &[&["db file sequential read", "611.9", "2.1", "97.9", ""], &["log file sync", "190.7", "100.0", "", ""]],
        )],
    );
    let report = report(&document(Kind::AwrText, vec![events, histogram]));
    let histograms = report.histograms.as_ref().unwrap();
    assert_eq!(histograms[0].waits.unwrap().value, 611_900.0);
    // The other event's name is unknown: better absent than wrong.
    assert_eq!(histograms[1].waits, None);
}

#[test]
fn undo_of_several_tablespaces_is_summed() {
    let columns = &[
        "Undo TS#",
        "Num Undo Blocks (K)",
        "Number of Transactions",
        "Max Qry Len (s)",
        "Max Tx Concurcy",
        "Min/Max TR (mins)",
        "STO/ OOS",
        "uS/uR/uU/ eS/eR/eU",
    ];
    let undo = section(
        "Undo Segment Summary",
        vec![table(
            columns,
            &[
                &["2", "14.31", "120,044", "812", "20", "18.2/31.4", "0/1", "1/2/3/4/5/6"],
                &["5", "1.00", "25", "1,200", "3", "15/20", "2/0", "0/0/0/0/0/0"],
            ],
        )],
    );
    let report = report(&document(Kind::AwrHtml, vec![undo]));
    let undo = report.undo.unwrap();
    assert_eq!(undo.blocks, Some(15_310.0));
    assert_eq!(undo.longest_query_s, Some(1200.0));
    assert_eq!(undo.retention_min_s, Some(900.0));
    assert_eq!((undo.snapshot_too_old, undo.out_of_space, undo.expired_reused), (Some(2.0), Some(1.0), Some(6.0)));
}

#[test]
fn statements_take_their_module_and_their_folded_text() {
    let mut sql = table(
        &[
            "Elapsed Time (s)",
            "Executions",
            "Elap per Exec (s)",
            "%Total",
            "CPU Time (s)",
            "Physical Reads",
            "Old Hash Value",
        ],
        &[&["1412.36", "90,112", "0.01", "24.7", "41.18", "151,208", "2718281828"]],
    );
    sql.rows[0].text = vec!["Module: app".into(), "x".repeat(64), "y = 1".into()];
    let mut section = section("SQL ordered by Elapsed time for DB: A Instance: B", vec![sql]);
    section.notes = vec!["-> Captured SQL accounts for   93.1% of Total DB Time".into()];
    let report = report(&document(Kind::Statspack, vec![section]));
    let sections = report.sql.unwrap();
    assert_eq!(sections[0].order, SqlOrder::Elapsed);
    assert_eq!(sections[0].captured_percent, Some(93.1));
    let statement = &sections[0].statements[0];
    assert_eq!(statement.module.as_deref(), Some("app"));
    assert_eq!(statement.text, format!("{}y = 1", "x".repeat(64)));
    assert!(!statement.cut);
    assert_eq!(statement.hash_value, Some(2_718_281_828));
    assert_eq!(statement.reads, Some(151_208.0));
}

#[test]
fn pairs_of_the_first_screen() {
    let efficiencies = section(
        "Instance Efficiency Percentages (Target 100%)",
        vec![table(&["", ""], &[&["Buffer  Hit   %:", "98.71"], &["Soft Parse %:", "-3.10"]])],
    );
    let caches = section(
        "Cache Sizes",
        vec![
            table(&["", "Begin", "End"], &[&["Buffer Cache:", "640M", "656M"]]),
            table(&["", ""], &[&["Std Block Size:", "8K"], &["Log Buffer:", "6,144K"]]),
        ],
    );
    let report = report(&document(Kind::Statspack, vec![efficiencies, caches]));
    assert_eq!(report.efficiencies.unwrap(), [("Buffer Hit %".to_owned(), 98.71), ("Soft Parse %".to_owned(), -3.1)]);
    assert_eq!(report.caches.buffer_cache_bytes, Some(640.0 * 1_048_576.0));
    assert_eq!(report.caches.buffer_cache_end_bytes, Some(656.0 * 1_048_576.0));
    assert_eq!(report.caches.block_bytes, Some(8192.0));
    assert_eq!(report.caches.log_buffer_bytes, Some(6144.0 * 1024.0));
}

#[test]
fn sections_are_listed_with_what_became_of_them() {
    let mut empty = section("SQL ordered by Version Count", Vec::new());
    empty.empty = true;
    let strange = section("Enqueue Activity", vec![table(&["Something", "Else"], &[&["a", "b"]])]);
    let other = section("Java Pool Advisory", vec![table(&["Size"], &[&["1"]])]);
    let report = report(&document(Kind::AwrHtml, vec![empty, strange, other]));
    let states: Vec<SectionState> = report.sections.iter().map(|section| section.state).collect();
    assert_eq!(states, [SectionState::Empty, SectionState::NotUnderstood, SectionState::Unused]);
    assert!(report.warnings[0].starts_with("line 1: Enqueue Activity"), "{:?}", report.warnings);
    assert!(report.sql.is_none() && report.enqueues.is_none());
}

#[test]
fn functions_and_file_types() {
    let columns = &[
        "Function Name",
        "Reads: Data",
        "Reqs per sec",
        "Data per sec",
        "Writes: Data",
        "Reqs per sec",
        "Data per sec",
        "Waits: Count",
        "Avg Tm(ms)",
    ];
    let by_function = section(
        "IOStat by Function summary",
        vec![table(
            columns,
            &[
                &["LGWR", "5M", "0.4", ".004321", "702M", "310.5", ".778812", "140.2K", "0.1"],
                &["TOTAL:", "4G", "1", "1", "2.9G", "1", "1", "1", "1"],
            ],
        )],
    );
    let report = report(&document(Kind::AwrText, vec![by_function]));
    let lines = report.io_by_function.unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].write_bytes.unwrap().value, 702.0 * 1_048_576.0);
    assert_eq!((lines[0].reads_per_s, lines[0].writes_per_s), (Some(0.4), Some(310.5)));
    assert_eq!(lines[0].waits.unwrap().value, 140_200.0);
}

#[test]
fn moved_clocks_leave_the_printed_minutes() {
    let mut header = snapshots();
    header.tables[2].rows[1].cells[2] = "01-Feb-20 12:00:07".to_owned();
    let report = report(&document(Kind::AwrText, vec![header]));
    assert!((report.window.elapsed_s.unwrap() - 60.12 * 60.0).abs() < 1e-9);
    assert!(report.warnings[0].contains("apart"), "{:?}", report.warnings);
}
