//! The report as text: its layout, and that reading it gives the report back.

use std::path::PathBuf;

use proptest::prelude::*;
use report::model::Report;
use report::statspack::difference;
use serde_json::Value;

use super::{example, made_up};

fn read(text: &str) -> Report {
    let documents = report::grid::text::documents(text);
    assert_eq!(documents.len(), 1);
    assert!(!documents[0].cut);
    report::read::report(&documents[0])
}

/// The tolerance of a figure against the printed one: half the last digit that its place has where it fits. Counts
/// are exact to four digits.
fn tolerance(path: &str, value: f64) -> f64 {
    let field = path.rsplit(['.', '[']).find(|name| !name.ends_with(']')).unwrap_or(path);
    // Shares of what is less than they are, and counts in columns of four characters, are printed in thousands or
    // millions.
    let narrow = field.contains("percent")
        || matches!(field, "write_complete_waits" | "buffer_wait_ms")
        || path.contains("read_ms")
        || path.contains("histograms[") && path.ends_with("waits.value");
    let thousands = if value.abs() >= 1000.0 { value.abs() * if narrow { 0.05 } else { 0.0005 } } else { 0.0 };
    let digits: f64 = match field {
        _ if path.contains("histograms") && field == "percent" => 0.11,
        _ if path.contains("efficiencies") => 0.005_001,
        "reads_per_s" | "writes_per_s" | "per_second" | "per_transaction" | "per_execution" | "per_call" => 0.005_001,
        "load_begin" | "load_end" if path.contains("host") => 0.005_001,
        "user_percent" | "system_percent" | "idle_percent" | "io_wait_percent" if !path.contains("details") => {
            0.005_001
        }
        "value" if path.contains("average_ms") || path.contains("read_ms") => 0.000_501,
        "value" if path.contains("_s") || path.contains("seconds") || path.contains("_mb") => 0.005_001,
        "percent" if path.contains(".sql") => 0.005_001,
        "timeouts_percent" => 0.501,
        "retention_min_s" | "retention_max_s" => 3.001,
        "begin" | "end" if path.contains(".memory") => 0.005_001,
        "buffer_wait_ms" | "blocks_per_read" | "cursors_per_session" | "load" => 0.050_001,
        _ if field.contains("percent") || field == "waits_per_transaction" => 0.050_001,
        _ if path.contains(".pga") => 0.51,
        "wait_s" | "db_time_s" | "db_cpu_s" => 0.005_001,
        _ => 0.0,
    };
    // A figure that fills its column has lost decimals: a hundredth of a percent of it.
    digits.max(thousands).max(value.abs() * 0.000_51)
}

/// Not printed in the section: what it is made of, or how exact it is.
fn is_skipped(path: &str, name: &str) -> bool {
    match name {
        "sections" | "warnings" | "step" => true,
        "cut" => path.contains(".sql"),
        "cpu_s" | "elapsed_s" => path.contains(".by_executions"),
        // The remark is cut at the width of its column.
        _ => false,
    }
}

/// The first place where the report that was read differs from the one that was written.
fn first_difference(path: &str, one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(fields), Value::Object(others)) => {
            let by_executions = fields.get("order").is_some_and(|order| order == "executions");
            let path = if by_executions { &format!("{path}.by_executions") } else { path };
            let unknown = others.keys().find(|name| !fields.contains_key(*name) && !others[*name].is_null());
            let differing = fields.iter().find_map(|(name, value)| {
                if is_skipped(path, name) {
                    return None;
                }
                first_difference(&format!("{path}.{name}"), value, &other[name])
            });
            differing.or_else(|| unknown.map(|name| format!("{path}.{name}: only in the text")))
        }
        (Value::Array(ones), Value::Array(others)) if ones.len() == others.len() => {
            let pairs = ones.iter().zip(others).enumerate();
            pairs.into_iter().find_map(|(at, (one, other))| first_difference(&format!("{path}[{at}]"), one, other))
        }
        (Value::Number(first), Value::Number(second)) => {
            let (first, second) = (first.as_f64()?, second.as_f64()?);
            ((first - second).abs() > tolerance(path, first) + 1e-9).then(|| format!("{path}: {first} {second}"))
        }
        _ => (one != other).then(|| format!("{path}: {one} {other}")),
    }
}

/// The section of the text that a difference is in, for a failing test's message.
fn same(written: &Report, text: &str) -> Result<(), String> {
    let back = read(text);
    let warnings = back.warnings.join("; ");
    let differing =
        first_difference("", &serde_json::to_value(written).unwrap(), &serde_json::to_value(&back).unwrap());
    match differing {
        None if warnings.is_empty() => Ok(()),
        None => Err(warnings),
        Some(found) => Err(format!("{found}; {warnings}")),
    }
}

/// Titles with long names of database and instance, and the six counts at the end of a line of undo.
fn may_be_longer(line: &str) -> bool {
    line.contains("  DB/Inst: ") || line.rsplit(' ').next().is_some_and(|last| last.matches('/').count() == 5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_report_reads_back(seed in any::<u64>()) {
        let (begin, end) = made_up::pair(seed);
        let written = difference(&begin, &end).unwrap();
        let text = super::printed(&begin, &end);
        let found = same(&written, &text);
        prop_assert!(found.is_ok(), "{}\n{text}", found.unwrap_err());
    }

    #[test]
    fn no_line_is_longer_than_eighty_characters(seed in any::<u64>()) {
        let (begin, end) = made_up::pair(seed);
        let text = super::printed(&begin, &end);
        let long = text.lines().find(|line| line.chars().count() > 80 && !may_be_longer(line));
        prop_assert_eq!(long, None);
    }
}

#[test]
fn the_example_reads_back() {
    let (begin, end) = example::pair();
    let found = same(&difference(&begin, &end).unwrap(), &super::printed(&begin, &end));
    assert_eq!(found, Ok(()));
}

/// The sections in Statspack's order, but for statements by elapsed time, which stand before those by CPU.
#[test]
fn sections_stand_in_the_order_of_statspack() {
    let (begin, end) = made_up::pair(5);
    let text = super::printed(&begin, &end);
    let mut at = 0;
    for title in [
        "STATSPACK report for",
        "Cache Sizes ",
        "Load Profile ",
        "Instance Efficiency Indicators",
        "Top 5 Timed Events ",
        "Host CPU ",
        "Instance CPU",
        "Memory Statistics ",
        "Time Model System Stats ",
        "Foreground Wait Events ",
        "Background Wait Events ",
        "Wait Events (fg and bg) ",
        "Wait Event Histogram  DB",
        "SQL ordered by Elapsed time ",
        "SQL ordered by CPU ",
        "SQL ordered by Gets ",
        "SQL ordered by Reads ",
        "SQL ordered by Executions ",
        "SQL ordered by Parse Calls ",
        "Instance Activity Stats ",
        "OS Statistics ",
        "OS Statistics - detail ",
        "Tablespace IO Stats ",
        "File IO Stats ",
        "File Read Histogram Stats ",
        "Buffer Pool Statistics ",
        "Buffer wait Statistics ",
        "PGA Aggr Target Stats ",
        "Enqueue activity ",
        "Undo Segment Summary ",
        "Undo Segment Stats ",
        "Latch Activity ",
        "Latch Sleep breakdown ",
        "Latch Miss Sources ",
        "Segments by Logical Reads ",
        "Segments by Physical Reads ",
        "Segments by Row Lock Waits ",
        "Segments by ITL Waits ",
        "Segments by Buffer Busy Waits ",
        "Library Cache Activity ",
        "init.ora Parameters ",
        "End of Report",
    ] {
        let found = text[at..].find(&format!("\n{title}")).or_else(|| text.starts_with(title).then_some(0));
        at += found.unwrap_or_else(|| panic!("{title} is not behind what stands before it"));
    }
}

/// Names are cut or wrapped at the widths of their columns, and come back whole.
#[test]
fn every_event_and_statistic_of_the_engine_comes_back_with_its_name() {
    let mut report = Report::new(report::model::Kind::Statspack);
    let waited = |name: &str| report::model::Event {
        name: name.to_owned(),
        waits: Some(report::figure::Figure::exact(1.0)),
        total_s: Some(report::figure::Figure::exact(1.0)),
        ..Default::default()
    };
    let events: Vec<report::model::Event> = waits::Event::ALL.iter().map(|event| waited(event.name())).collect();
    let mut statistics: Vec<&str> = waits::Statistic::ALL.iter().map(|statistic| statistic.name()).collect();
    statistics.sort_unstable();
    let counted = |name: &&str| report::model::Statistic {
        name: (*name).to_owned(),
        total: Some(1.0),
        per_second: Some(1.0),
        ..Default::default()
    };
    report.top_events = Some(events.clone());
    report.background_events = Some(events.clone());
    report.foreground_events = Some(events);
    report.statistics = Some(statistics.iter().map(counted).collect());
    let mut text = Vec::new();
    report::write::statspack(&report, &mut text).unwrap();
    let back = read(std::str::from_utf8(&text).unwrap());
    let names = |events: &Option<Vec<report::model::Event>>| {
        events.iter().flatten().map(|event| event.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&back.foreground_events), names(&report.foreground_events));
    assert_eq!(names(&back.top_events), names(&report.top_events));
    let read_statistics: Vec<String> = back.statistics.into_iter().flatten().map(|line| line.name).collect();
    assert_eq!(read_statistics, statistics);
}

#[test]
fn a_report_as_printed() {
    let (begin, end) = example::pair();
    let text = super::printed(&begin, &end);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/statspack.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap(), "UPDATE_GOLDEN=1 writes {}", path.display());
}
