//! `analyze` from files to its output: one report, two, a folder, masked, and unreadable parts.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "support/made_up.rs"]
mod made_up;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use advisor::files::{Options, Outcome, analyze};
use advisor::screen::Terminal;
use made_up::MadeUp;
use serde_json::Value;
use tempfile::TempDir;

/// A run's output, its messages, and its exit code.
struct Run {
    out: String,
    said: Vec<String>,
    outcome: Outcome,
}

fn run(paths: &[&Path], options: &Options) -> Run {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    let (mut out, mut said) = (Vec::new(), Vec::new());
    let outcome = analyze(&paths, options, &mut out, &mut |line| said.push(line.to_owned())).unwrap();
    Run { out: String::from_utf8(out).unwrap(), said, outcome }
}

fn json(paths: &[&Path], mask: bool) -> Value {
    let options = Options { json: true, mask, ..Options::default() };
    serde_json::from_str(&run(paths, &options).out).unwrap()
}

fn written(folder: &TempDir, name: &str, report: &MadeUp) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, report.html()).unwrap();
    path
}

#[test]
fn one_report_on_the_screen() {
    let folder = TempDir::new().unwrap();
    let path = written(&folder, "nine.html", &MadeUp::default());
    let terminal = Terminal { width: 80, colour: false };
    let run = run(&[&path], &Options { terminal, ..Options::default() });
    assert_eq!(run.outcome, Outcome { analysed: 1, failed: 0 }, "{:?}", run.said);
    for part in [
        "TILL (instance till1)",
        "release 19.0.0.0.0",
        "on tillhost",
        "1 h: 10-Feb-26 09:00:00",
        "212 to 230 sessions",
        "on 16 CPUs",
        "run queue 3.1 to 4.25",
        "2 GB of swap free",
        "DB time",
    ] {
        let flat = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(part), "{part} is not in\n{}", run.out);
    }
    assert!(!run.out.contains('\u{1b}'), "colours without a terminal");
    let long: Vec<&str> = run.out.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn json_has_the_outer_shape() {
    let folder = TempDir::new().unwrap();
    let path = written(&folder, "nine.html", &MadeUp::default());
    let output = json(&[&path], false);
    let file = &output["files"][0];
    assert_eq!(file["path"], path.display().to_string());
    assert_eq!(file["kind"], "awr-html");
    assert_eq!(file["identity"]["database"], "TILL");
    assert_eq!(file["identity"]["release"], "19.0.0.0.0");
    let redo = file["figures"]["redo_ms_per_write"].as_f64().unwrap();
    assert!((redo - 9.2).abs() < 0.01, "{redo}");
    assert!((file["figures"]["log_file_sync_ms"].as_f64().unwrap() - 14.0).abs() < 0.01);
    let findings = file["findings"].as_array().unwrap();
    assert!(!findings.is_empty());
    for finding in findings {
        assert!(finding["id"].is_string() && finding["confidence"].is_string());
        assert!(finding["severity"].as_f64().is_none_or(|severity| (0.0..=1.0).contains(&severity)), "{finding}");
        for evidence in finding["evidence"].as_array().unwrap() {
            assert!(evidence["section"].is_string() && evidence["text"].is_string());
        }
        let saving = &finding["saving"];
        assert!(
            saving.is_null() || saving["low"].is_number() && (saving["high"].is_number() || saving["high"].is_null())
        );
    }
}

#[test]
fn a_slower_device_is_a_difference_that_the_load_does_not_explain() {
    let folder = TempDir::new().unwrap();
    let before = written(&folder, "before.html", &MadeUp { sync_ms: 3.0, redo_write_ms: 1.5, ..MadeUp::default() });
    let after = MadeUp {
        hour: 14,
        transactions: 90.0,
        startup: "10-Feb-26 12:01",
        release: "19.3.0.0.0",
        cache_mb: 1024,
        ..MadeUp::default()
    };
    let after = written(&folder, "after.html", &after);
    let output = json(&[&before, &after], false);
    let comparison = &output["comparison"];
    let load = comparison["load"][0]["ratio"].as_f64().unwrap();
    assert!((load - 1.5).abs() < 0.01, "{load}");
    let difference = |name: &str, what: &str| {
        let list = comparison["differences"].as_array().unwrap();
        list.iter().find(|line| line["measure"] == name && line["what"] == what).cloned().unwrap_or(Value::Null)
    };
    let sync = difference("log file sync", "time");
    assert_eq!(sync["exceeds_load"], true, "{sync}");
    // 90 a second x 3600 s x 14 ms, less one and a half times the time of 60 a second at 3 ms.
    let excess = sync["excess_s"].as_f64().unwrap();
    assert!((excess - (4536.0 - 648.0 * 1.5)).abs() < 5.0, "{excess}");
    assert_eq!(difference("log file parallel write", "latency")["exceeds_load"], true);
    // A value that grew as the load did is no difference.
    for (name, what) in [("CPU", "time"), ("physical reads", "amount"), ("db file sequential read", "time")] {
        assert_eq!(difference(name, what)["exceeds_load"], false, "{name}");
    }
    let changed: Vec<&str> =
        comparison["changed"].as_array().unwrap().iter().map(|change| change["kind"].as_str().unwrap()).collect();
    for kind in ["restart", "release", "memory", "parameter"] {
        assert!(changed.contains(&kind), "{kind} is not in {changed:?}");
    }
}

#[test]
fn the_same_window_twice_differs_in_nothing() {
    let folder = TempDir::new().unwrap();
    let one = written(&folder, "one.html", &MadeUp::default());
    let two = written(&folder, "two.html", &MadeUp::default());
    let output = json(&[&one, &two], false);
    let differences = output["comparison"]["differences"].as_array().unwrap();
    assert!(!differences.is_empty());
    assert!(differences.iter().all(|line| line["exceeds_load"] == false));
    assert_eq!(output["comparison"]["changed"].as_array().unwrap().len(), 0);
}

#[test]
fn a_folder_is_a_time_line_in_which_the_odd_hour_stands_out() {
    let folder = TempDir::new().unwrap();
    for hour in 8..16 {
        let odd = hour == 12;
        let report = MadeUp {
            hour,
            transactions: 60.0 + f64::from(hour % 3),
            read_ms: if odd { 40.0 } else { 8.0 + f64::from(hour % 4) / 10.0 },
            ..MadeUp::default()
        };
        // Names in another order than the hours.
        written(&folder, &format!("r{}.html", 99 - hour), &report);
    }
    fs::write(folder.path().join("notes.txt"), "not a report").unwrap();
    let run = run(&[folder.path()], &Options { json: true, ..Options::default() });
    assert_eq!(run.outcome, Outcome { analysed: 8, failed: 0 });
    assert_eq!(run.outcome.exit_code(), 0);
    assert!(run.said.iter().any(|line| line.contains("notes.txt")), "{:?}", run.said);
    let output: Value = serde_json::from_str(&run.out).unwrap();
    let intervals = output["timeline"]["intervals"].as_array().unwrap();
    let begins: Vec<i64> = intervals.iter().map(|interval| interval["begin_s"].as_i64().unwrap()).collect();
    assert!(begins.is_sorted(), "{begins:?}");
    for interval in intervals {
        let odd = interval["begin"].as_str().unwrap().contains(" 12:");
        let measures: Vec<&str> =
            interval["stands_out"].as_array().unwrap().iter().map(|out| out["measure"].as_str().unwrap()).collect();
        assert_eq!(odd, measures.contains(&"db file sequential read_ms"), "{interval}");
    }
}

#[test]
fn csv_has_a_line_a_report() {
    let folder = TempDir::new().unwrap();
    for hour in [8, 9] {
        written(&folder, &format!("{hour}.html"), &MadeUp { hour, ..MadeUp::default() });
    }
    let run = run(&[folder.path()], &Options { csv: true, ..Options::default() });
    let mut reader = csv::Reader::from_reader(run.out.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let column = |name: &str| columns.iter().position(|column| column == name).unwrap();
    let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(lines.len(), 2);
    let figure = |name: &str| lines[0][column(name)].parse::<f64>().unwrap();
    assert_eq!(figure("elapsed_s"), 3600.0);
    assert_eq!(figure("executes"), 60.0 * 3600.0 * 14.0);
    assert!((figure("log file parallel write_background_ms") - 9.2).abs() < 0.01);
    assert!((figure("db file sequential read_ms") - 8.4).abs() < 0.01);
}

/// Everything in a made-up report that must not be seen by others.
const SECRETS: [&str; 14] = [
    "till",
    "cashier",
    "receipts",
    "articles",
    "oradata",
    "4012345678",
    "netprice",
    "vatcode",
    "eancode",
    "shopname",
    "control01",
    "tilldata",
    "tillindex",
    "till-server",
];

#[test]
fn no_name_survives_the_mask() {
    let folder = TempDir::new().unwrap();
    let before = written(&folder, "till_before.html", &MadeUp { transactions: 40.0, ..MadeUp::default() });
    let after = written(&folder, "till_after.html", &MadeUp { hour: 14, release: "19.3.0.0.0", ..MadeUp::default() });
    let page = folder.path().join("page.html");
    let mut printed = Vec::new();
    for paths in [vec![&*before], vec![&*before, &*after], vec![folder.path()]] {
        for options in [
            Options { mask: true, html: Some(page.clone()), ..Options::default() },
            Options { mask: true, json: true, ..Options::default() },
            Options { mask: true, csv: true, ..Options::default() },
        ] {
            fs::write(&page, "").unwrap();
            printed.push(run(&paths, &options).out);
            printed.push(fs::read_to_string(&page).unwrap());
            fs::remove_file(&page).unwrap();
        }
    }
    for text in &printed {
        let lower = text.to_lowercase();
        for word in lower.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$' | '-')) {
            assert!(!SECRETS.contains(&word), "{word} is in\n{text}");
        }
        // Names that are no ordinary words must not even be part of another.
        for secret in [
            "tillhost",
            "cashier",
            "receipts",
            "oradata",
            "4012345678",
            "control01",
            "tilldata",
            "netprice",
            "shopname",
        ] {
            assert!(!lower.contains(secret), "{secret} is in\n{text}");
        }
    }
    // The names would be there without it.
    let open = run(&[&before], &Options { json: true, ..Options::default() }).out.to_lowercase();
    assert!(open.contains("tillhost"));
}

#[test]
fn a_mask_changes_no_finding_and_no_figure() {
    let folder = TempDir::new().unwrap();
    let path = written(&folder, "nine.html", &MadeUp::default());
    let (open, masked) = (json(&[&path], false), json(&[&path], true));
    let (open, masked) = (&open["files"][0], &masked["files"][0]);
    assert_eq!(open["figures"], masked["figures"]);
    let findings = |file: &Value| -> Vec<(Value, Value)> {
        let list = file["findings"].as_array().unwrap();
        list.iter().map(|finding| (finding["id"].clone(), finding["severity"].clone())).collect()
    };
    assert_eq!(findings(open), findings(masked));
    assert_ne!(open["identity"]["database"], masked["identity"]["database"]);
}

#[test]
fn the_page_needs_nothing_beside_it() {
    let folder = TempDir::new().unwrap();
    let path = written(&folder, "nine.html", &MadeUp::default());
    let page = folder.path().join("page.html");
    run(&[&path], &Options { html: Some(page.clone()), ..Options::default() });
    let page = fs::read_to_string(page).unwrap();
    for part in ["src=", "href=\"http", "@import", "url(", "<script", "<link"] {
        assert!(!page.contains(part), "{part}");
    }
    assert!(page.matches("<svg ").count() >= 6, "{}", page.matches("<svg ").count());
    for part in [
        "prefers-color-scheme:dark",
        "name=\"viewport\"",
        "Read latency by file",
        "log file parallel write",
        "Evidence",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn the_page_does_not_overwrite_a_report() {
    let folder = TempDir::new().unwrap();
    let path = written(&folder, "nine.html", &MadeUp::default());
    let options = Options { html: Some(folder.path().join("./nine.html")), ..Options::default() };
    let error = analyze(std::slice::from_ref(&path), &options, &mut Vec::new(), &mut |_| {}).unwrap_err();
    assert!(error.text.contains("overwrite"), "{error}");
    assert_eq!(fs::read_to_string(path).unwrap(), MadeUp::default().html());
}

#[test]
fn a_narrow_terminal_is_no_trouble() {
    let folder = TempDir::new().unwrap();
    let path = written(&folder, "nine.html", &MadeUp::default());
    for width in [0, 1, 40] {
        let terminal = Terminal { width, colour: true };
        assert!(run(&[&path], &Options { terminal, ..Options::default() }).out.contains('\u{1b}'));
    }
}

#[test]
fn markup_in_a_report_stays_text() {
    let folder = TempDir::new().unwrap();
    let report = MadeUp { host: "<script>alert(1)</script>", ..MadeUp::default() }.html();
    let report = report.replace("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
    let path = folder.path().join("x.html");
    fs::write(&path, report).unwrap();
    let page = folder.path().join("page.html");
    run(&[&path], &Options { html: Some(page.clone()), ..Options::default() });
    let page = fs::read_to_string(page).unwrap();
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;alert(1)"));
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_analysed() {
    let folder = TempDir::new().unwrap();
    let good = written(&folder, "good.html", &MadeUp::default());
    let not_a_report = folder.path().join("letter.txt");
    fs::write(&not_a_report, "Dear colleague,\n").unwrap();
    let missing = folder.path().join("nowhere.txt");
    let run = run(&[&not_a_report, &missing, &good], &Options { json: true, ..Options::default() });
    assert_eq!(run.outcome, Outcome { analysed: 1, failed: 2 });
    assert_eq!(run.outcome.exit_code(), 1);
    assert!(run.said.iter().any(|line| line.contains("letter.txt")), "{:?}", run.said);
    assert!(run.said.iter().any(|line| line.contains("nowhere.txt")), "{:?}", run.said);
    let output: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(output["files"].as_array().unwrap().len(), 1);
}

/// A trace of one query that waited twice; none of a real database.
const TRACE: &str = "\
Trace file /u01/till/trace/till1_ora_4711.trc
Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production
System name:\tLinux
Node name:\ttillhost
Instance name: till1

*** 2026-02-10T09:00:00.000000+01:00
=====================
PARSING IN CURSOR #1 len=45 dep=0 uid=101 oct=3 lid=101 tim=1000000 hv=1 ad='0' sqlid='7t1ll0aaaa111'
SELECT netprice FROM articles WHERE eancode=1
END OF STMT
PARSE #1:c=100,e=120,p=0,cr=0,cu=0,mis=1,r=0,dep=0,og=1,plh=1,tim=1000120
EXEC #1:c=50,e=60,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1000200
WAIT #1: nam='db file sequential read' ela= 900000 file#=4 block#=171 blocks=1 obj#=7001 tim=1900300
WAIT #1: nam='db file sequential read' ela= 1100000 file#=4 block#=172 blocks=1 obj#=7001 tim=3000400
FETCH #1:c=800,e=2001000,p=2,cr=5,cu=0,mis=0,r=1,dep=0,og=1,plh=1,tim=3001300
";

#[test]
fn a_trace_has_a_first_screen_and_a_page_too() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("till1_ora_4711.trc");
    fs::write(&path, TRACE).unwrap();
    let page = folder.path().join("page.html");
    let run = run(&[&path], &Options { html: Some(page.clone()), ..Options::default() });
    assert_eq!(run.outcome, Outcome { analysed: 1, failed: 0 }, "{:?}", run.said);
    for part in ["till1", "release 19.0.0.0.0", "on tillhost", "elapsed time 2 s", "u User I/O 2 s"] {
        assert!(run.out.contains(part), "{part} is not in\n{}", run.out);
    }
    assert!(fs::read_to_string(page).unwrap().contains("db file sequential read"));
    let masked = self::run(&[&path], &Options { json: true, mask: true, ..Options::default() }).out.to_lowercase();
    for secret in ["till1", "tillhost", "4711", "netprice", "articles", "eancode"] {
        assert!(!masked.contains(secret), "{secret} is in\n{masked}");
    }
}

#[test]
fn a_corrupt_line_of_a_trace_is_said_with_its_place() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("corrupt.trc");
    fs::write(&path, TRACE.replace("WAIT #1: nam='db file sequential read' ela= 900000", "WAIT #1: nam=")).unwrap();
    let run = run(&[&path], &Options { json: true, ..Options::default() });
    assert_eq!(run.outcome, Outcome { analysed: 1, failed: 0 }, "{:?}", run.said);
    let line = 1 + TRACE.lines().position(|line| line.starts_with("WAIT")).unwrap();
    assert!(run.said.iter().any(|said| said.contains(&format!("corrupt.trc: line {line}: "))), "{:?}", run.said);
}

#[test]
fn a_damaged_archive_is_analysed_up_to_the_damage() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("nine.html.gz");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(MadeUp::default().html().as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    fs::write(&path, &packed).unwrap();
    assert_eq!(run(&[&path], &Options::default()).outcome, Outcome { analysed: 1, failed: 0 });
    fs::write(&path, &packed[..packed.len() / 2]).unwrap();
    let run = run(&[&path], &Options::default());
    assert_eq!(run.outcome, Outcome { analysed: 1, failed: 1 }, "{:?}", run.said);
    assert!(run.said.iter().any(|line| line.contains("nine.html.gz")), "{:?}", run.said);
}

#[test]
fn an_archive_may_hold_other_things() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("reports.zip");
    let mut archive = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    let plain = zip::write::SimpleFileOptions::default();
    for (name, content) in [("may/nine.html", MadeUp::default().html()), ("readme.txt", "Reports of May.".to_owned())] {
        archive.start_file(name, plain).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
    let run = run(&[&path], &Options { json: true, ..Options::default() });
    assert_eq!(run.outcome, Outcome { analysed: 1, failed: 0 });
    assert!(run.said.iter().any(|line| line.contains("readme.txt")), "{:?}", run.said);
    assert!(run.out.contains("reports.zip: may/nine.html"), "{}", run.out);
}

#[test]
fn two_reports_in_one_file_are_two() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("both.html");
    fs::write(&path, MadeUp::default().html() + &MadeUp { hour: 10, ..MadeUp::default() }.html()).unwrap();
    let output = json(&[&path], false);
    let parts: Vec<u64> =
        output["files"].as_array().unwrap().iter().map(|file| file["part"].as_u64().unwrap()).collect();
    assert_eq!(parts, [1, 2]);
}

#[test]
fn a_report_cut_anywhere_is_analysed_as_far_as_it_goes() {
    let folder = TempDir::new().unwrap();
    let whole = MadeUp::default().html();
    for tenth in 1..10 {
        let path = folder.path().join(format!("cut{tenth}.html"));
        fs::write(&path, &whole[..whole.len() * tenth / 10]).unwrap();
        let run = run(&[&path], &Options { json: true, ..Options::default() });
        assert_eq!(run.outcome.analysed, 1, "{tenth}: {:?}", run.said);
        assert!(run.said.iter().any(|line| line.contains("cut")), "{tenth}: {:?}", run.said);
    }
}
