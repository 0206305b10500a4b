//! The binary's interface: exit codes, one line on stderr.

#![expect(clippy::unwrap_used, reason = "tests may")]

use std::path::Path;
use std::process::{Command, Output};

fn highwater(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A trace in the smallest form that has a statement, its calls and a wait.
const TRACE: &str = "\
*** 2026-01-02 03:04:05.678
=====================
PARSING IN CURSOR #1 len=20 dep=0 uid=5 oct=3 lid=5 tim=1000 hv=1 ad='1' sqlid='0000000000001'
select * from source
END OF STMT
PARSE #1:c=1000,e=2000,p=0,cr=0,cu=0,mis=1,r=0,dep=0,og=1,plh=1,tim=3000
EXEC #1:c=0,e=10,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=3100
WAIT #1: nam='db file sequential read' ela= 500 file#=4 block#=130 blocks=1 obj#=7 tim=3700
FETCH #1:c=0,e=900,p=1,cr=3,cu=0,mis=0,r=1,dep=0,og=1,plh=1,tim=4000
";

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    for arguments in [
        &["nosuch"][..],
        &["tkprof"],
        &["tkprof", "--nosuch"],
        &["tkprof", "a", "b", "c"],
        &["tkprof", "a", "sort=nosuch"],
        &["reproduce"],
        &["reproduce", "nosuch"],
        &["reproduce", "nosuch", "--freelists", "1,2"],
        &["reproduce", "freelists", "--sessions", "0"],
        &["reproduce", "freelists", "--sessions", "8..1"],
        &["reproduce", "freelists", "--sessions", "1001"],
        &["reproduce", "freelists", "--minutes", "many"],
        &["reproduce", "freelists", "--minutes", "0"],
        &["reproduce", "freelists", "--minutes", "-1"],
        &["reproduce", "freelists", "--repetitions", "0"],
        &["reproduce", "freelists", "--freelists", "0,1"],
        &["reproduce", "freelists", "--freelists", "102"],
        &["reproduce", "freelists", "--source", "tpch:lineitem"],
        &["reproduce", "insert-gets", "--minutes", "1"],
        &["reproduce", "insert-gets", "--sessions", "5"],
        &["reproduce", "insert-gets", "--sessions", "1,5"],
        &["reproduce", "insert-gets", "--freelists", "1"],
        &["bench", "nosuch"],
        &["generate"],
        &["generate", "tpcds"],
        &["generate", "tpcc", "--scale", "1"],
        &["generate", "tpcds", "--scale", "1", "--table", "lineitem"],
        &["generate", "tpch", "--scale", "-1", "--table", "nation"],
        &["help", "nosuch"],
        &["help", "ORA-00943"],
        &["help", "HW-9999"],
    ] {
        let output = highwater(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(stderr(&output).trim_end().lines().count(), 1, "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
    assert_eq!(highwater(&[]).status.code(), Some(2));
}

#[test]
fn help_and_version_go_to_stdout() {
    for argument in ["--help", "--version"] {
        let output = highwater(&[argument]);
        assert_eq!(output.status.code(), Some(0));
        assert!(!output.stdout.is_empty() && output.stderr.is_empty());
    }
}

#[test]
fn help_is_of_a_command_or_of_the_number_of_an_error() {
    let help = |arguments: &[&str]| {
        let output = highwater(&[&["help"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        assert!(output.stderr.is_empty());
        String::from_utf8(output.stdout).unwrap()
    };
    for number in [&["ORA-00942"][..], &["ora-942"], &["ORA", "942"], &["942"]] {
        let page = help(number);
        assert!(page.starts_with("ORA-00942: ") && page.contains("Cause: ") && page.contains("Action: "), "{page}");
    }
    assert!(help(&["HW-0001"]).starts_with("HW-0001: ") && help(&["sp2-0310"]).starts_with("SP2-0310: "));
    assert_eq!(help(&["verify"]).as_bytes(), highwater(&["verify", "--help"]).stdout);
    assert_eq!(help(&[]).as_bytes(), highwater(&["--help"]).stdout);
    let nearest = stderr(&highwater(&["help", "ORA-00943"]));
    assert!(nearest.starts_with("HW-0003: ") && nearest.contains("ORA-00942"), "{nearest}");
}

#[test]
fn a_trace_becomes_a_report() {
    let directory = tempfile::tempdir().unwrap();
    let trace = directory.path().join("x.trc");
    std::fs::write(&trace, TRACE).unwrap();
    let trace = trace.to_str().unwrap();
    let printed = highwater(&["tkprof", trace]);
    assert_eq!(printed.status.code(), Some(0), "{}", stderr(&printed));
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.contains("select * from source") && printed.contains("db file sequential read"), "{printed}");

    let out = directory.path().join("x.prf");
    let written = highwater(&["tkprof", trace, out.to_str().unwrap(), "waits=no"]);
    assert_eq!(written.status.code(), Some(0));
    assert!(written.stdout.is_empty());
    assert!(!std::fs::read_to_string(&out).unwrap().contains("db file sequential read"));

    let json = highwater(&["tkprof", trace, "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["statements"][0]["sql"], "select * from source");
    assert_eq!(json["statements"][0]["fetch"]["query"], 3);
}

#[test]
fn a_bad_trace_is_one_line_and_exit_code_1() {
    let directory = tempfile::tempdir().unwrap();
    let empty = directory.path().join("empty.trc");
    std::fs::write(&empty, "").unwrap();
    let trace = directory.path().join("x.trc");
    std::fs::write(&trace, TRACE).unwrap();
    for arguments in [
        &["tkprof", "nosuch.trc"][..],
        &["tkprof", empty.to_str().unwrap()],
        &["tkprof", directory.path().to_str().unwrap()],
        &["tkprof", trace.to_str().unwrap(), "nosuch/directory/x.prf"],
    ] {
        let output = highwater(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_eq!(stderr(&output).trim_end().lines().count(), 1, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).starts_with("HW-"));
    }
    let over = highwater(&["tkprof", trace.to_str().unwrap(), trace.to_str().unwrap()]);
    assert_eq!(over.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&trace).unwrap(), TRACE);
}

/// Traces of real databases, which do not belong to the project.
#[test]
fn oracle_traces_are_summed_up() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/trc10046");
    let Ok(entries) = std::fs::read_dir(&samples) else {
        eprintln!("skipped: {} is not here", samples.display());
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let output = highwater(&["tkprof", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}: {}", path.display(), stderr(&output));
        assert!(String::from_utf8_lossy(&output.stdout).contains("Execute"), "{}", path.display());
    }
}

#[test]
fn analyze_reads_reports_and_traces_packed_or_not() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/fixtures");
    let fixture = |name: &str| fixtures.join(name).display().to_string();
    let output = highwater(&["analyze", "--json", &fixture("statspack_8i.txt.xz"), &fixture("11g.trc")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let kinds: Vec<_> = json["files"].as_array().unwrap().iter().map(|file| file["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["statspack", "trace"]);
    let output = highwater(&["analyze", "nosuch.txt", &fixture("11g.trc")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("nosuch.txt"), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("11g.trc"));
    assert_eq!(highwater(&["analyze"]).status.code(), Some(2));
    let script = highwater(&["completions", "bash"]);
    let script = String::from_utf8_lossy(&script.stdout).into_owned();
    assert!(script.contains("analyze") && !script.contains("durability-process"));
}

#[test]
fn tkprof_adds_the_profile_when_it_is_asked_for() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/fixtures");
    let trace = fixtures.join("11g.trc").display().to_string();
    let plain = highwater(&["tkprof", &trace]);
    let profile = highwater(&["tkprof", &trace, "--profile", "--profile-sort", "waits"]);
    assert_eq!((plain.status.code(), profile.status.code()), (Some(0), Some(0)));
    assert!(profile.stdout.starts_with(&plain.stdout) && profile.stdout.len() > plain.stdout.len());
}

#[test]
fn a_sweep_writes_csv_a_page_and_json_where_it_is_told_to() {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(["reproduce", "freelists", "--freelists", "1,2", "--minutes", "0.017", "--repetitions", "1"])
        .args(["--out", "sweep/here", "--json", "sweep.json"])
        .current_dir(home.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("manual, freelists 2") && printed.contains("sweep/here/sweep.csv"), "{printed}");
    let csv = std::fs::read_to_string(home.path().join("sweep/here/sweep.csv")).unwrap();
    assert_eq!(csv.lines().count(), 4, "{csv}");
    let page = std::fs::read_to_string(home.path().join("sweep/here/sweep.html")).unwrap();
    assert!(page.contains("<svg ") && page.contains("</html>"));
    let json = std::fs::read_to_string(home.path().join("sweep.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["sweep"].as_array().unwrap().len(), 3);
}
