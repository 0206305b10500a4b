//! Speed of the readers of reports: `cargo run --release -p report --example report_speed [MEGABYTES [KIND]]`, 120 of
//! each kind by default. Kinds: html, awr, statspack, trace.
//!
//! The reports are made up, in the layouts of 19c, as full as those of a busy instance. Each reader must find every row
//! that was written, so that no reader is fast by giving up. Times are of the CPU, of one core. Traces have a benchmark
//! of their own, `trace_speed`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark")]

mod made_up;

use std::io::Write;
use std::path::Path;

use made_up::{Form, Written};
use report::grid::{Document, html, text};
use report::input::{self, Content};
use report::{read, tkprof};

/// Seconds of CPU time, in user and system mode, and the peak of resident memory in MiB.
fn usage() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks: f64 = after.split_ascii_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok()).sum();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.split_ascii_whitespace().next()?.parse::<f64>().ok());
    (ticks / 100.0, peak.unwrap_or_default() / 1024.0)
}

/// Runs `work` and prints its result; returns megabytes a second.
fn measure(name: &str, bytes: usize, work: impl FnOnce() -> String) {
    let (before, _) = usage();
    let result = work();
    let (after, peak) = usage();
    let (megabytes, seconds) = (bytes as f64 / 1e6, (after - before).max(0.01));
    println!("{name:<34} {megabytes:>7.1} {seconds:>7.2} {:>7.0} {peak:>9.1}  {result}", megabytes / seconds);
}

fn rows(document: &Document) -> usize {
    document.sections.iter().flat_map(|section| &section.tables).map(|table| table.rows.len()).sum()
}

/// Reads each report for itself, to tables and then to the model.
fn reports(name: &str, written: &[Written], documents: fn(&str) -> Vec<Document>) {
    let bytes = written.iter().map(|report| report.text.len()).sum();
    measure(&format!("{name} to tables"), bytes, || {
        let mut found = 0;
        for report in written {
            let documents = documents(&report.text);
            assert_eq!(documents.len(), 1);
            assert!(!documents[0].cut);
            let rows = rows(&documents[0]);
            assert_eq!(rows, report.rows, "rows of a table are lost or made up");
            found += rows;
        }
        format!("{found} rows of {} reports", written.len())
    });
    measure(&format!("{name} to the model"), bytes, || {
        let mut events = 0;
        let mut statistics = 0;
        for report in written {
            let model = read::report(&documents(&report.text)[0]);
            events += model.foreground_events.map_or(0, |events| events.len());
            statistics += model.statistics.map_or(0, |statistics| statistics.len());
        }
        assert_eq!(events, written.iter().map(|report| report.foreground_events).sum::<usize>());
        assert_eq!(statistics, written.iter().map(|report| report.statistics).sum::<usize>());
        format!("{events} events, {statistics} statistics")
    });
}

/// Reads a file of joined reports as the command line does.
fn file(name: &str, path: &Path, written: &[Written]) {
    let bytes = written.iter().map(|report| report.text.len()).sum();
    measure(name, bytes, || {
        let mut found = 0;
        let mut pieces = 0;
        input::open(path, &mut |piece| {
            if let Content::Report(document) = piece.content {
                pieces += 1;
                found += rows(&document);
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(pieces, written.len());
        assert_eq!(found, written.iter().map(|report| report.rows).sum::<usize>());
        format!("{found} rows of {pieces} reports")
    });
}

fn main() {
    let megabytes: usize = std::env::args().nth(1).and_then(|argument| argument.parse().ok()).unwrap_or(120);
    let make = |form: Form| {
        let mut written = Vec::new();
        let mut bytes = 0;
        while bytes < megabytes * 1_000_000 {
            let report = made_up::report(form, written.len() as u64);
            bytes += report.text.len();
            written.push(report);
        }
        written
    };
    let only = std::env::args().nth(2);
    let wanted = |kind: &str| only.as_deref().is_none_or(|only| only == kind);
    println!("{:<34} {:>7} {:>7} {:>7} {:>9}", "", "MB", "s CPU", "MB/s", "peak MiB");

    if wanted("html") {
        pages(&make(Form::Html));
    }
    if wanted("awr") {
        reports("AWR text", &make(Form::AwrText), text::documents);
    }
    if wanted("statspack") {
        reports("Statspack", &make(Form::Statspack), text::documents);
    }
    if wanted("trace") {
        traces(megabytes * 1_000_000);
    }
}

/// Each page for itself, and all of them as one file, packed and not.
fn pages(pages: &[Written]) {
    reports("AWR HTML", pages, html::documents);
    let folder = tempfile::tempdir().unwrap();
    let joined = folder.path().join("joined.html");
    let packed = folder.path().join("joined.html.gz");
    let mut plain = std::io::BufWriter::new(std::fs::File::create(&joined).unwrap());
    let level = flate2::Compression::fast();
    let mut gzip = flate2::write::GzEncoder::new(std::fs::File::create(&packed).unwrap(), level);
    for page in pages {
        plain.write_all(page.text.as_bytes()).unwrap();
        gzip.write_all(page.text.as_bytes()).unwrap();
    }
    plain.flush().unwrap();
    gzip.finish().unwrap();
    file("one file of HTML reports", &joined, pages);
    file("the same, gzip", &packed, pages);
}

/// A trace, and its TKPROF report.
fn traces(bytes: usize) {
    let mut trace = Vec::new();
    made_up::trace(&mut trace, bytes);
    let mut summary = None;
    measure("trace, summed up as TKPROF", trace.len(), || {
        let read = tkprof::summarise(&trace[..], &tkprof::Options::default()).unwrap();
        let result = format!("{} statements", read.statements.len());
        summary = Some(read);
        result
    });
    drop(trace);
    let mut printed = Vec::new();
    tkprof::print(&summary.unwrap(), &tkprof::Options::default(), &mut printed).unwrap();
    let printed = String::from_utf8(printed).unwrap();
    let rounds = 1 + bytes / printed.len();
    measure("TKPROF output", rounds * printed.len(), || {
        let mut statements = 0;
        for _ in 0..rounds {
            statements += tkprof::read(&printed).unwrap().report.statements.len();
        }
        format!("{statements} statements")
    });
}
