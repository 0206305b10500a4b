//! `analyze` over files of traces and of TKPROF's output: a missing figure is absent, never zero.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;

use advisor::files::{Options, analyze};
use serde_json::Value;

/// The one file of the JSON over this text.
fn file(text: &str) -> Value {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, text).unwrap();
    let mut out = Vec::new();
    let outcome =
        analyze(&[path], &Options { json: true, ..Options::default() }, &mut out, &mut |line| panic!("{line}"))
            .unwrap();
    assert_eq!((outcome.analysed, outcome.failed), (1, 0));
    let all: Value = serde_json::from_slice(&out).unwrap();
    all["files"][0].clone()
}

fn notes(file: &Value) -> Vec<&str> {
    file["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect()
}

/// The output of TKPROF over ten executions of 0.6 s together, and so many whole seconds, or none.
fn tkprof(elapsed: Option<u32>) -> String {
    let row = "\
call     count       cpu    elapsed       disk      query    current        rows\n------- ------  -------- ---------- ---------- ---------- ----------  ----------\n\
Parse        1      0.00       0.00          0          0          0           0\nExecute     10      0.50       0.60          0         20         30          10\n\
Fetch        0      0.00       0.00          0          0          0           0\n";
    let waits = "\nElapsed times include waiting on following events:\n  Event waited on                             Times   Max. Wait  Total Waited\n  SQL*Net message from client                    10        0.10          0.50\n";
    let rule = "*".repeat(80);
    let elapsed = elapsed.map_or_else(String::new, |elapsed| format!("   {elapsed}  elapsed seconds in trace file.\n"));
    format!(
        "TKPROF: Release 10.2.0.4.0\n\nTrace file: toy.trc\n{rule}\ncount    = calls\n{rule}\n\nUPDATE T SET D = SYSDATE\n\n{row}{waits}{rule}\nOVERALL TOTALS FOR ALL NON-RECURSIVE STATEMENTS\n\n{row}{waits}\n{rule}\nTrace file: toy.trc\n{elapsed}"
    )
}

#[test]
fn tkprof_has_no_transactions_and_no_time_that_it_does_not_print() {
    // The calls and the client took 1.1 s: the printed time is cut to whole seconds.
    let short = file(&tkprof(Some(1)));
    assert!(short["work"]["transactions"].is_null(), "{}", short["work"]);
    assert_eq!(short["work"]["executions"], 10.0);
    assert!(short["figures"].get("unaccounted_between_calls_s").is_none(), "{}", short["figures"]);
    // One name is one figure.
    assert_eq!(short["figures"]["elapsed_s"], short["window"]["elapsed_s"]);
    assert!((short["figures"]["calls_and_client_s"].as_f64().unwrap() - 1.1).abs() < 1e-9);
    assert!(notes(&short).iter().any(|note| note.contains("whole seconds")), "{:?}", notes(&short));

    let long = file(&tkprof(Some(9)));
    assert!((long["figures"]["unaccounted_between_calls_s"].as_f64().unwrap() - 7.9).abs() < 1e-9);
    assert_eq!(long["figures"]["elapsed_s"], 9.0);

    let none = file(&tkprof(None));
    assert!(none["figures"].get("elapsed_s").is_none() && none["figures"].get("unaccounted_between_calls_s").is_none());
    assert!(notes(&none).iter().any(|note| note.contains("no elapsed time of the trace is printed")));
}

const HEADER: &str = "Dump file toy.trc\nOracle Database 11g Enterprise Edition Release 11.2.0.4.0 - Production\nSystem name:\tLinux\nInstance name: toy\n\n";

/// A trace of 40 s with these times of day.
fn trace(header: &str, stamps: [&str; 2]) -> String {
    let mut text = format!("{header}*** SESSION ID:(1.2) {}\n", stamps[0]);
    text += "PARSING IN CURSOR #1 len=8 dep=0 uid=50 oct=3 lid=50 tim=1000000 hv=1 ad='a' sqlid='0000000000001'\nselect 1\nEND OF STMT\n";
    text += &format!("\n*** {}\n", stamps[1]);
    text += "EXEC #1:c=40000000,e=40000000,p=0,cr=2,cu=3,mis=0,r=1,dep=0,og=1,plh=1,tim=41000000\n";
    text
}

#[test]
fn a_trace_ends_where_its_clock_says_or_nobody_knows() {
    let end = |stamps| file(&trace(HEADER, stamps))["window"]["end"]["time"].clone();
    // One time of day: it is no end.
    assert!(end(["2015-01-01 00:00:00.000"; 2]).is_null());
    // 35 s follow the last one.
    assert!(end(["2015-01-01 00:00:00.000", "2015-01-01 00:00:05.000"]).is_null());
    assert_eq!(end(["2015-01-01 00:00:00.000", "2015-01-01 00:00:40.000"]), "2015-01-01 00:00:40.000");
}

#[test]
fn a_trace_without_a_header_has_an_assumed_unit() {
    let assumed = |header: &str| {
        let file = file(&trace(header, ["2015-01-01 00:00:00.000"; 2]));
        notes(&file).iter().any(|note| note.contains("taken for microseconds"))
    };
    assert!(assumed(""));
    assert!(!assumed(HEADER));
}

/// The messages about this text.
fn said(text: &str) -> Vec<String> {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, text).unwrap();
    let (mut out, mut said) = (Vec::new(), Vec::new());
    analyze(&[path], &Options::default(), &mut out, &mut |line| said.push(line.to_owned())).unwrap();
    assert!(!String::from_utf8(out).unwrap().contains("cut"), "said once");
    said
}

#[test]
fn a_cut_file_has_one_warning_with_the_line_of_the_cut() {
    let whole = trace(HEADER, ["2015-01-01 00:00:00.000"; 2]);
    let lines = whole.lines().count();
    let said_of_trace = said(&(whole + "WAIT #1: nam='log fi"));
    assert!(
        matches!(said_of_trace.as_slice(), [one] if one.contains(&format!("line {}: the trace ends within this line", lines + 1))),
        "{said_of_trace:?}"
    );
    let report = "STATSPACK report for\n\nDatabase  DB Id    Instance     Inst Num Release     RAC Host\n-------- ------- ------------ -------- ----------- --- ----------------\nSHOP     1029384 shop1               1 10.2.0.4.0  NO  tillhost\n\n\
        Wait Events  DB/Inst: SHOP/shop1  Snaps: 1-2\n\n                                                   Total Wait   wait    Waits\nEvent                            Waits  Timeouts   Time (s)   (ms)     /txn\n---------------------------- ------------ ------ ---------- ------ --------\n\
        log file sync                       10      0          1    100      1.0\nlog file parallel write             10      0          1    100      1.0\n";
    let last = report.lines().count();
    let said_of_report = said(report);
    let cut: Vec<&String> = said_of_report.iter().filter(|line| line.contains("cut")).collect();
    assert!(
        matches!(cut.as_slice(), [one] if one.contains(&format!("line {last}: the report is cut here, in Wait Events"))),
        "{said_of_report:?}"
    );
}
