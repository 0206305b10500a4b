//! The findings over real reports, where they are at hand (`../shared/samples` beside the project): each was checked by
//! hand against its file. Nothing of their content stands here but ids and figures.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests; what is skipped is said")]

use std::path::PathBuf;

use advisor::analysis::{Analysis, Finding};
use advisor::examine;
use report::input::{self, Content};

/// The analysis of a sample's report; None, and a line that says so, when the samples are not there.
fn analysis(path: &str) -> Option<Analysis> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples").join(path);
    if !file.exists() {
        println!("skipped: {path} is not there");
        return None;
    }
    let mut analyses = Vec::new();
    input::open(&file, &mut |piece| {
        if let Content::Report(document) = piece.content {
            analyses.push(examine(&report::read::report(&document)));
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(analyses.len(), 1, "{path}");
    analyses.pop()
}

fn ids(analysis: &Analysis) -> Vec<&'static str> {
    analysis.findings.iter().map(|finding| finding.id).collect()
}

fn finding<'a>(analysis: &'a Analysis, id: &str) -> &'a Finding {
    analysis.findings.iter().find(|finding| finding.id == id).unwrap()
}

fn reason(analysis: &Analysis, id: &str) -> String {
    analysis.ruled_out.iter().find(|out| out.id == id).unwrap().reason.clone()
}

/// Equal within a share of the first.
fn near(one: f64, other: f64, within: f64) -> bool {
    (one - other).abs() <= within * one.abs()
}

#[test]
fn the_same_fifteen_minutes_three_ways_give_the_same_findings() {
    let ways =
        ["statspack/top14_sp_1830_1845.txt", "awr_text/top14_awr_1830_1845.txt", "awr_html/top14_awr_1830_1845.html"];
    let Some(analyses) = ways.into_iter().map(analysis).collect::<Option<Vec<_>>>() else { return };
    let [statspack, text, html] = analyses.as_slice() else { return };
    // AWR text and HTML: the same figures. Statspack took its snapshots 35 seconds later.
    for name in [
        "redo_ms_per_write",
        "log_file_parallel_write_ms",
        "log_file_sync_ms",
        "redo_bytes_per_transaction",
        "redo_wastage_share",
    ] {
        assert!(near(text.figures[name], html.figures[name], 1e-9), "{name}");
        assert!(near(text.figures[name], statspack.figures[name], 0.013), "{name}");
    }
    // 10 x 5,260 cs / 178,894 writes; 39 s / 178,859 waits, printed as an average of 0.
    assert!(near(0.294, text.figures["redo_ms_per_write"], 0.002));
    assert!(near(0.218, text.figures["log_file_parallel_write_ms"], 0.002));
    assert!(near(0.514, text.figures["log_file_sync_ms"], 0.002));
    for other in [statspack, html] {
        assert_eq!(ids(other), ids(text));
        for (one, other) in text.findings.iter().zip(&other.findings) {
            assert!(near(one.severity.unwrap(), other.severity.unwrap(), 0.005), "{}", one.id);
            assert_eq!(one.confidence, other.confidence, "{}", one.id);
        }
        let answers = |analysis: &Analysis| {
            let out: Vec<_> = analysis.ruled_out.iter().map(|out| out.id).collect();
            let unknown: Vec<_> = analysis.cannot_tell.iter().map(|unknown| unknown.id).collect();
            (out, unknown)
        };
        assert_eq!(answers(other), answers(text));
    }
    // 4,568 s of db file sequential read and 27 s of read by other session in 6,404 s; the first statement has 1,863 s
    // of it.
    assert_eq!(ids(text), ["many-reads", "sql-concentration"]);
    assert!(near(0.7175, finding(text, "many-reads").severity.unwrap(), 0.001));
    assert!(near(0.2909, finding(text, "sql-concentration").severity.unwrap(), 0.001));
    assert!(reason(text, "slow-reads").contains("8.78 ms"));
    // The class table's 27 s on data blocks are the 27 s of read by other session.
    assert!(text.figures["data_block_busy_s"] < 1.0);
}

#[test]
fn an_idle_production_database_gets_silence() {
    // 0.26 active sessions on 22 CPUs; 938 s of CPU in 920 s of DB time; the top five are led by idle redo workers.
    let Some(analysis) = analysis("statspack/jasmin_sp_70371_70372.txt") else { return };
    assert_eq!(ids(&analysis), Vec::<&str>::new());
    assert!(near(5.94, analysis.figures["redo_ms_per_write"], 0.002));
    assert!(near(5.93, analysis.figures["log_file_parallel_write_ms"], 0.01));
    assert!(reason(&analysis, "redo-device-latency").contains("idle: 0.256 active sessions"));
    assert!(analysis.notes.iter().any(|note| note.contains("a share above 1 is refused")));
    assert!(analysis.db_time.unwrap().classes.iter().all(|(_, time)| *time < 60.0));
}

#[test]
fn much_that_is_neither_cpu_nor_a_wait_and_parses_that_cannot_share() {
    // 3,974 s = 1,235 s CPU + 100 s waits + 2,639 s; 777 s of hard parses, 588 s of them because a cursor could not be
    // shared; 23,314 logons of 7.5 ms.
    let Some(analysis) = analysis("awr_text/jasmin_awrrpt_1_2668_2669.txt") else { return };
    assert_eq!(ids(&analysis), ["unaccounted-time", "hard-parsing", "logon-storm"]);
    let host = analysis.cannot_tell.iter().find(|unknown| unknown.id == "host-starved").unwrap();
    assert!(host.missing.contains("4,577 s") && host.missing.contains("40 CPUs (5 cores, 5 virtual processors)"));
    assert!(near(0.664, finding(&analysis, "unaccounted-time").severity.unwrap(), 0.001));
    assert!(finding(&analysis, "unaccounted-time").doubts[0].contains("4,577 s in its run queue"));
    assert!(near(776.7, finding(&analysis, "hard-parsing").seconds.unwrap(), 1e-9));
    // The release prints 604 s of redo synch time overhead beside 29 s of redo synch time.
    assert!(!analysis.figures.contains_key("commit_wake_up_s"));
}

#[test]
fn a_test_of_physical_reads_is_one_statement_that_reads() {
    let Some(analysis) = analysis("awr_html/kevinc_awr.html") else { return };
    assert_eq!(ids(&analysis), ["sql-concentration", "unaccounted-time", "many-reads", "small-multiblock-reads"]);
    // 82,096 s = 490 s CPU + 26,367 s waits + 55,240 s: no saving has an upper end, and direct path reads measure no
    // latency.
    assert!(analysis.findings.iter().all(|finding| finding.saving.is_none()));
    // 83.9 million blocks in 10.5 million requests, eight configured; the statistic of multiblock requests is 0.
    assert!(near(7.96, analysis.figures["blocks_per_multiblock_read"], 0.001));
    assert!(near(55_240.0, finding(&analysis, "unaccounted-time").seconds.unwrap(), 0.001));
}

#[test]
fn a_starved_host_is_not_slow_redo_storage() {
    let Some(analysis) = analysis("awr_html/pcam_awrrpt_1_18175_18176.html") else { return };
    assert_eq!(ids(&analysis)[0], "host-starved");
    assert!(near(44.1, analysis.figures["redo_ms_per_write"], 0.001));
    assert!(near(1.12, analysis.figures["log_file_parallel_write_ms"], 0.001));
    assert!(reason(&analysis, "redo-device-latency").contains("of a commit wait of 133 ms"));
    let writer = finding(&analysis, "redo-writer-not-device");
    assert!(writer.saving.is_none());
    assert!(writer.evidence.iter().any(|line| line.text.contains("gather 12.5 ms")));
    let host = finding(&analysis, "host-starved");
    assert!(host.title.contains("137 at the end, on 32 CPUs") && host.title.contains("no swap left"), "{}", host.title);
    // Findings about waits there have low confidence, or are measured against the device.
    for id in ["logon-storm", "library-cache", "hot-segment"] {
        assert_eq!(finding(&analysis, id).confidence, advisor::analysis::Confidence::Low, "{id}");
    }
    // 2,851 s of 4,737 s CPU are one statement's.
    assert!(finding(&analysis, "sql-concentration").title.contains("60 % of the CPU"));
    assert_eq!(analysis.findings.len(), 7, "{:?}", ids(&analysis));
    // The seconds in neither CPU nor waits are counted once, and gets are no time.
    assert_eq!(host.severity, None);
    assert_eq!(finding(&analysis, "hot-segment").severity, None);
    assert!(!analysis.figures.contains_key("undo_wait_s") && !analysis.figures.contains_key("data_block_busy_s"));
    assert!(!analysis.figures.contains_key("blocks_per_multiblock_read"));
    assert!(reason(&analysis, "hard-parsing").contains("failed parse elapsed time 933 s"));
    // 24.8 million seconds of one background process are in no class.
    assert!(analysis.db_time.unwrap().classes.iter().map(|(_, time)| time).sum::<f64>() < 2_800.0);
}
