//! Buffer busy waits by class, undo and rollbacks, offload, multiblock reads, continued rows.

use report::figure::Figure;
use report::model::{FileIo, Report, SegmentOrder, SqlSection, StorageCell, UndoSummary};

use super::made_up::{Change, busy, found, parameter, plain, segment, sql, the, verdict};
use crate::analysis::Confidence;
use crate::findings::examine;

fn data_blocks(report: Report, waits: f64, seconds: f64) -> Report {
    report.with(|report| {
        report.buffer_waits = Some(vec![busy("data block", waits, seconds), busy("undo header", 30.0, 0.0)])
    })
}

fn inserting(report: Report, text: &str) -> Report {
    report.with(|report| {
        report.sql = Some(vec![SqlSection { statements: vec![sql("iii", text, 7_200.0)], ..SqlSection::default() }]);
    })
}

#[test]
fn reads_by_other_sessions_are_taken_out_of_the_class_table_first() {
    // All waits of the class table are read by other session; the sessions insert, and there is no contention.
    let report = data_blocks(plain(), 30_000.0, 800.0).waiting("read by other session", 29_900.0, 799.8).waiting(
        "buffer busy waits",
        100.0,
        0.2,
    );
    let report = inserting(report, "insert into t values (1)");
    let analysis = examine(&report);
    assert!(verdict(&analysis, "freelist-contention").starts_with("out: buffer busy waits: 0.2 s"));
    assert!(analysis.figures["data_block_busy_s"] < 1.0);
}

#[test]
fn data_blocks_alone_are_no_freelist_problem() {
    let report = data_blocks(plain(), 90_000.0, 900.0).waiting("buffer busy waits", 90_000.0, 900.0);
    let analysis = examine(&inserting(report, "update t set x = x + 1"));
    assert!(analysis.findings.iter().all(|finding| finding.id != "freelist-contention"));
    let why = verdict(&analysis, "freelist-contention");
    assert!(why.contains("no INSERT that several sessions run at once"), "{why}");
}

#[test]
fn data_blocks_and_a_concurrent_insert_are_one_of_low_confidence() {
    let report = data_blocks(plain(), 90_000.0, 900.0).waiting("buffer busy waits", 90_000.0, 900.0);
    let analysis = examine(&inserting(report, "/* load */ insert into t values (:1)"));
    let finding = the(&analysis, "freelist-contention");
    assert_eq!(finding.confidence, Confidence::Low);
    assert!(finding.evidence.iter().any(|line| line.text.contains("INSERT iii: 2 sessions")), "{:?}", finding.evidence);
}

#[test]
fn bitmap_classes_mean_automatic_management() {
    let report = plain().waiting("buffer busy waits", 90_000.0, 900.0).with(|report| {
        report.buffer_waits = Some(vec![
            busy("1st level bmb", 40_000.0, 500.0),
            busy("segment header", 1_000.0, 100.0),
            busy("data block", 9_000.0, 300.0),
        ]);
    });
    let analysis = examine(&inserting(report, "insert into t values (1)"));
    the(&analysis, "bitmap-block-contention");
    assert!(verdict(&analysis, "freelist-contention").contains("space is managed automatically"));
}

#[test]
fn on_a_cluster_busy_blocks_of_other_instances_are_added() {
    let report = data_blocks(plain(), 90_000.0, 700.0)
        .waiting("buffer busy waits", 40_000.0, 300.0)
        .waiting("gc buffer busy acquire", 30_000.0, 400.0)
        .waiting("gc buffer busy release", 20_000.0, 200.0);
    let analysis = examine(&report);
    assert!((analysis.figures["buffer_busy_s"] - 900.0).abs() < 1e-6);
}

#[test]
fn an_index_that_buffers_are_waited_for_is_told_from_a_freelist() {
    let report = data_blocks(plain(), 90_000.0, 900.0)
        .waiting("buffer busy waits", 90_000.0, 900.0)
        .counting("leaf node splits", 1_000.0)
        .counting("leaf node 90-10 splits", 980.0)
        .with(|report| report.segments = Some(vec![segment(SegmentOrder::BufferBusyWaits, "T_PK", "INDEX", 80_000.0)]));
    let analysis = examine(&report);
    let finding = the(&analysis, "right-hand-index");
    assert!(finding.evidence.iter().any(|line| line.text.contains("U.T_PK")));
}

#[test]
fn rollbacks_are_those_of_transactions_not_calls() {
    let report = plain()
        .waiting("enq: US - contention", 5_000.0, 700.0)
        .counting("transaction rollbacks", 12.0)
        .counting("user rollbacks", 40_000.0);
    let analysis = examine(&report);
    assert!((analysis.figures["transaction_rollbacks"] - 12.0).abs() < 1e-9);
    let said: Vec<_> = the(&analysis, "undo-pressure").evidence.iter().map(|line| line.text.clone()).collect();
    assert!(
        said.iter()
            .any(|text| text.starts_with("12 transactions rolled back") && text.contains("40,000 rollback calls")),
        "{said:?}"
    );
}

#[test]
fn errors_for_want_of_undo_are_told_with_the_longest_query_and_the_retention() {
    let report = plain().with(|report| {
        report.undo = Some(UndoSummary {
            snapshot_too_old: Some(2.0),
            out_of_space: Some(0.0),
            longest_query_s: Some(4_000.0),
            retention_min_s: Some(900.0),
            unexpired_stolen: Some(7.0),
            ..UndoSummary::default()
        });
    });
    let analysis = examine(&report);
    let finding = the(&analysis, "undo-too-old");
    assert_eq!(finding.severity, None);
    assert!(finding.evidence[0].text.contains("longest query 4,000 s, least tuned retention 900 s"));
    assert!(finding.evidence[1].text.starts_with("7 attempts to take unexpired extents"));
}

#[test]
fn offload_says_what_came_back_and_from_which_cell() {
    let report = plain()
        .waiting("cell smart table scan", 500_000.0, 1_000.0)
        .counting("cell physical IO bytes eligible for predicate offload", 1e12)
        .counting("cell physical IO interconnect bytes returned by smart scan", 0.9e12)
        .counting("cell blocks returned for chained rows", 7_000.0)
        .counting("cell blocks returned for undo", 90_000.0)
        .counting("cell physical IO bytes pushed back due to excessive CPU on cell", 3e9)
        .with(|report| {
            let cell = |name: &str, scans, received_mb| StorageCell {
                cell: name.to_owned(),
                scans: Some(scans),
                received_mb: Some(Figure::exact(received_mb)),
                ..StorageCell::default()
            };
            report.storage_cells = Some(vec![cell("cell01", 4_000.0, 1_024.0), cell("cell02", 0.0, 3.0)]);
        });
    let analysis = examine(&report);
    let evidence = format!("{:?}", the(&analysis, "poor-offload").evidence);
    assert!(evidence.contains("90,000 for undo, 7,000 for rows that go on elsewhere"), "{evidence}");
    assert!(evidence.contains("2.79 GB sent back because a cell's processors were busy"), "{evidence}");
    assert!(evidence.contains("cell01: 4,000 requests for scans, 1 GB received"), "{evidence}");
    assert!(!evidence.contains("cell02"), "{evidence}");
}

#[test]
fn offload_can_save_less_than_nothing() {
    let report = plain()
        .waiting("cell smart table scan", 500_000.0, 1_000.0)
        .counting("cell physical IO bytes eligible for predicate offload", 1e12)
        .counting("cell physical IO interconnect bytes returned by smart scan", 1.2e12);
    let analysis = examine(&report);
    assert!((analysis.figures["offload_saved_share"] + 0.2).abs() < 1e-9);
    assert!(the(&analysis, "poor-offload").title.contains("-20 %"));
    let good = report.counting("cell physical IO interconnect bytes returned by smart scan", 1e10);
    assert_eq!(found(&good), Vec::<&str>::new());
}

#[test]
fn multiblock_reads_are_counted_even_where_the_statistic_is_zero() {
    let report = plain()
        .waiting("direct path read", 500_000.0, 1_000.0)
        .counting("physical reads", 800_000.0 + 84_000_000.0)
        .counting("physical read IO requests", 800_000.0 + 10_500_000.0)
        .counting("physical read total multi block requests", 0.0);
    let few = |count: &'static str| {
        let report = report.clone();
        report.with(move |report| report.parameters = Some(vec![parameter("db_file_multiblock_read_count", count)]))
    };
    assert!((examine(&few("8")).figures["blocks_per_multiblock_read"] - 8.0).abs() < 1e-9);
    // Reads are as large as configured, and the configured size is small.
    assert!(the(&examine(&few("8")), "small-multiblock-reads").title.contains("are set to 8 blocks"));
    // Less than configured.
    assert!(the(&examine(&few("128")), "small-multiblock-reads").title.contains("128 are configured"));
    // A megabyte a read is fine.
    let large = few("128").counting("physical reads", 800_000.0 + 84_000_000.0 * 16.0);
    assert!(verdict(&examine(&large), "small-multiblock-reads").contains("128 blocks on average, 128 are configured"));
}

#[test]
fn few_continued_rows_among_many_gets_are_nothing() {
    let report =
        plain().counting("table fetch continued row", 1_400_000.0).counting("session logical reads", 350_000_000.0);
    assert!(
        verdict(&examine(&report), "row-migration")
            .starts_with("out: 1,400,000 continued rows, 0.4 % of the buffer gets")
    );
}

#[test]
fn the_waits_of_the_class_table_are_corrected_with_its_seconds() {
    // Half of the table's waits and half of its seconds are read by other session; the rest is contention of an UPDATE.
    let report = data_blocks(plain(), 60_000.0, 1_600.0).waiting("read by other session", 30_000.0, 800.0).waiting(
        "buffer busy waits",
        30_000.0,
        800.0,
    );
    let analysis = examine(&report);
    assert!((analysis.figures["data_block_busy_s"] - 800.0).abs() < 1e-6);
    let why = verdict(&analysis, "freelist-contention");
    assert!(why.contains("data block 30,000 waits 800 s"), "{why}");
}

/// Buffer busy waits of 2,000 s: nine tenths of them of undo.
fn busy_undo() -> Report {
    plain().waiting("buffer busy waits", 90_000.0, 2_000.0).with(|report| {
        report.buffer_waits = Some(vec![busy("undo header", 80_000.0, 1_800.0), busy("data block", 10_000.0, 200.0)]);
        report.segments = Some(vec![segment(SegmentOrder::BufferBusyWaits, "T", "TABLE", 9_000.0)]);
    })
}

#[test]
fn waits_for_undo_are_not_those_of_a_segment_too() {
    let analysis = examine(&busy_undo());
    assert!((the(&analysis, "undo-pressure").seconds.unwrap_or_default() - 1_800.0).abs() < 1e-6);
    let why = verdict(&analysis, "hot-segment");
    assert!(why.starts_with("out: U.T: 91 % of the buffer busy waits captured") && why.contains("182 s"), "{why}");
    // The sum can be followed.
    let sum = analysis.sums.iter().find(|sum| sum.name == "undo_wait_s").unwrap();
    assert!(sum.inputs.iter().any(|input| input.name == "undo header" && (input.value - 1_800.0).abs() < 1e-9));
}

#[test]
fn findings_of_busy_buffers_do_not_claim_the_same_seconds() {
    for (object_type, text) in [
        ("TABLE", "insert into t values (1)"),
        ("TABLE", "update t set x = 1"),
        ("INDEX", "insert into t values (1)"),
        ("INDEX", "update t set x = 1"),
    ] {
        let report = plain().waiting("buffer busy waits", 90_000.0, 4_000.0).with(|report| {
            report.buffer_waits = Some(vec![
                busy("undo header", 20_000.0, 800.0),
                busy("segment header", 20_000.0, 800.0),
                busy("data block", 50_000.0, 2_400.0),
            ]);
            report.segments = Some(vec![segment(SegmentOrder::BufferBusyWaits, "T", object_type, 50_000.0)]);
        });
        let analysis = examine(&inserting(report, text));
        let ids =
            ["undo-pressure", "hot-segment", "right-hand-index", "freelist-contention", "bitmap-block-contention"];
        let claimed: f64 =
            analysis.findings.iter().filter(|finding| ids.contains(&finding.id)).filter_map(|one| one.seconds).sum();
        assert!((1_600.0..=4_000.0 + 1e-6).contains(&claimed), "{object_type}, {text}: {claimed}");
    }
}

#[test]
fn who_waits_for_a_buffer_waits_for_another_session_and_no_storage_shortens_that() {
    let report = |report: Report| {
        report.with(|report| {
            report.tablespaces = Some(vec![FileIo {
                tablespace: "UNDOTBS1".to_owned(),
                reads: Some(Figure::exact(100_000.0)),
                read_ms: Some(Figure::new(9.0, 0.1)),
                ..FileIo::default()
            }]);
        })
    };
    assert_eq!(the(&examine(&report(busy_undo())), "undo-pressure").saving, None);
    let named = report(plain().waiting("enq: US - contention", 5_000.0, 700.0));
    assert_eq!(the(&examine(&named), "undo-pressure").saving.clone().and_then(|saving| saving.high_s), Some(700.0));
    // Nor is there one of a latency that is not known.
    let unknown = plain().waiting("enq: US - contention", 5_000.0, 700.0).timing("DB time", 20_000.0);
    assert_eq!(the(&examine(&unknown), "undo-pressure").saving, None);
}

#[test]
fn a_share_of_a_list_is_of_all_that_was_captured_as_printed() {
    let report = plain().waiting("enq: TX - row lock contention", 900.0, 4_000.0).with(|report| {
        let mut list = segment(SegmentOrder::RowLockWaits, "T", "TABLE", 900.0);
        list.segments[0].percent = Some(56.9);
        report.segments = Some(vec![list]);
    });
    let analysis = examine(&report);
    let finding = the(&analysis, "hot-segment");
    assert!(finding.title.contains("57 % of the row lock waits captured by segment"), "{}", finding.title);
    assert!((finding.seconds.unwrap_or_default() - 0.569 * 4_000.0).abs() < 1e-6);
}

#[test]
fn buffer_gets_are_no_time() {
    let report = plain()
        .with(|report| report.segments = Some(vec![segment(SegmentOrder::LogicalReads, "T", "TABLE", 40_000_000.0)]));
    let analysis = examine(&report);
    let finding = the(&analysis, "hot-segment");
    assert_eq!((finding.severity, finding.seconds, finding.confidence), (None, None, Confidence::Low));
    assert!(finding.title.contains("80 % of the logical reads"), "{}", finding.title);
}

#[test]
fn busy_buffers_of_the_background_are_not_those_of_sessions() {
    let report = |behind: f64| {
        plain()
            .waiting("buffer busy waits", 40_000.0, 1_000.0)
            .in_background("buffer busy waits", 20_000.0, behind)
            .with(|report| {
                report.buffer_waits =
                    Some(vec![busy("undo header", 30_000.0, 1_500.0), busy("data block", 30_000.0, 500.0)]);
            })
    };
    // 1,000 s of the 2,000 s are of background processes: of the 1,500 s for undo between 500 s and 1,000 s are of
    // sessions.
    let analysis = examine(&report(1_000.0));
    let finding = the(&analysis, "undo-pressure");
    assert!((finding.seconds.unwrap_or_default() - 500.0).abs() < 1e-6);
    assert!(finding.doubts.iter().any(|doubt| doubt.contains("background processes waited 1,000 s")));
    assert!(!analysis.figures.contains_key("undo_wait_s"));
    assert!(analysis.notes.iter().any(|note| note.contains("500 s to 1,000 s for undo")), "{:?}", analysis.notes);
    // All of it may have been of the background.
    let analysis = examine(&report(1_500.0));
    assert!(verdict(&analysis, "undo-pressure").starts_with("cannot tell"), "{}", verdict(&analysis, "undo-pressure"));
}

#[test]
fn more_reads_by_other_sessions_than_the_class_table_has_waits_are_said() {
    let report = data_blocks(plain(), 55.0, 3.0).waiting("read by other session", 114.0, 0.5).waiting(
        "buffer busy waits",
        47.0,
        4.0,
    );
    let analysis = examine(&report);
    assert!(!analysis.figures.contains_key("data_block_busy_s"));
    assert!(analysis.notes.iter().any(|note| note.contains("55 waits are for data blocks and 114")));
}

#[test]
fn undo_among_the_writes_says_among_which() {
    let report = plain()
        .counting("DBWR undo block writes", 3_000.0)
        .counting("physical writes from cache", 12_000.0)
        .counting("physical writes", 300_000.0);
    let why = verdict(&examine(&report), "undo-pressure");
    assert!(why.contains("undo is 25 % of the blocks written from the cache, 1 % of all written"), "{why}");
}

#[test]
fn reads_of_temp_are_no_multiblock_reads() {
    let report = plain()
        .waiting("direct path read", 500_000.0, 1_000.0)
        .counting("physical reads", 800_000.0 + 400_000.0)
        .counting("physical reads cache", 800_000.0)
        .counting("physical reads direct", 400_000.0)
        .counting("physical reads direct temporary tablespace", 390_000.0)
        .counting("physical read IO requests", 800_000.0 + 50_000.0);
    let analysis = examine(&report);
    assert!(!analysis.figures.contains_key("blocks_per_multiblock_read"), "{:?}", analysis.figures);
    let without = report.counting("physical reads direct temporary tablespace", 0.0);
    assert!((examine(&without).figures["blocks_per_multiblock_read"] - 8.0).abs() < 1e-9);
}
