//! Each statistic is counted somewhere, or is listed here with the reason why it is not.
//!
//! A statistic is counted where a source file of any crate, tests aside, has `count(Statistic::Name`, or chooses it as
//! the value of a branch, `{ Statistic::Name }`, and counts something; it is a sum where counters.rs makes it one. Any
//! other mention of it counts nothing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use waits::{Meter, Statistic, SystemMeter};

/// Statistics that nothing counts. They are kept because reports of this engine and of others are computed from them.
const NEVER: [(Statistic, &str); 6] = [
    (Statistic::RedoOrderingMarks, "printed by a paper; one log thread never has to raise an SCN"),
    (Statistic::WorkareaMemoryAllocated, "memory of sorts and hash tables is not metered by session yet"),
    (
        Statistic::WorkareaExecutionsOptimal,
        "sorts and hash joins are not told apart yet; Statspack's formulas need the name",
    ),
    (Statistic::WorkareaExecutionsOnepass, "as optimal"),
    (Statistic::WorkareaExecutionsMultipass, "as optimal"),
    (Statistic::SessionCursorCacheCount, "there is no cache of closed cursors; Statspack lists it among the levels"),
];

/// Sources of all crates, without tests and without spaces and line ends.
fn sources() -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
        collect(&entry.unwrap().path().join("src"), &mut found);
    }
    found
}

fn collect(directory: &Path, found: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            collect(&path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && !path.ends_with("waits/src/counters.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            found.push(code.flat_map(|line| line.split_whitespace()).collect());
        }
    }
}

/// Whether a source file counts a statistic.
fn counts(source: &str, statistic: Statistic) -> bool {
    let word = format!("Statistic::{statistic:?}");
    source.match_indices(&word).any(|(at, _)| {
        let behind = &source[at + word.len()..];
        // `SegmentStatistic::PhysicalReads` is another one, and ends with another letter before it.
        let before = source[..at].trim_end_matches("waits::");
        let counted = before.ends_with("count(") && behind.starts_with(',');
        let chosen = before.ends_with('{') && behind.starts_with('}') && source.contains("count(");
        counted || chosen
    })
}

/// What is wrong with the statistics, by what counts them in `sources`.
fn wrong(sources: &[String]) -> Vec<(Statistic, &'static str)> {
    let judge = |statistic: Statistic| {
        let counted = is_sum(statistic) || sources.iter().any(|source| counts(source, statistic));
        match (counted, NEVER.iter().any(|(never, _)| *never == statistic)) {
            (false, false) => Some((statistic, "nothing counts it")),
            (true, true) => Some((statistic, "it is counted, and listed as one that is not")),
            _ => None,
        }
    };
    Statistic::ALL.into_iter().filter_map(judge).collect()
}

/// Whether a meter makes the statistic of others: it rises though nobody has counted it.
fn is_sum(statistic: Statistic) -> bool {
    use waits::{Enqueue, Event, GetMode};
    let clock = std::sync::Arc::new(common::SystemClock::default());
    let meter = Meter::new(&SystemMeter::new(), clock, 1, 1);
    for mode in [GetMode::Current, GetMode::Consistent] {
        meter.get(common::BlockClass::Data, mode);
    }
    for event in Event::ALL {
        meter.waited(event, [0; 3], -1, 1);
    }
    for enqueue in Enqueue::ALL {
        meter.enqueue(enqueue, false);
    }
    for counted in Statistic::ALL.into_iter().filter(|other| *other != statistic) {
        meter.count(counted, 1);
    }
    meter.value(statistic) > 0
}

#[test]
fn every_statistic_is_counted_or_said_not_to_be() {
    let wrong = wrong(&sources());
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A statistic that loses its counter, and one that is listed and gets one, are found.
#[test]
fn a_statistic_without_its_counter_is_found() {
    let without = |source: String| source.replace("count(Statistic::UserCommits,", "value(Statistic::UserCommits,");
    let mut sources: Vec<String> = sources().into_iter().map(without).collect();
    assert_eq!(wrong(&sources), [(Statistic::UserCommits, "nothing counts it")]);
    sources.push("meter.count(Statistic::UserCommits,1);meter.count(Statistic::RedoOrderingMarks,1);".to_owned());
    assert_eq!(wrong(&sources), [(Statistic::RedoOrderingMarks, "it is counted, and listed as one that is not")]);
}

#[test]
fn the_totals_of_requests_and_bytes_are_those_of_datafiles_and_the_log() {
    let clock = std::sync::Arc::new(common::SystemClock::default());
    let meter = Meter::new(&SystemMeter::new(), clock, 1, 1);
    for (statistic, n) in [
        (Statistic::PhysicalReadIoRequests, 3),
        (Statistic::PhysicalReadBytes, 24_576),
        (Statistic::PhysicalWriteIoRequests, 2),
        (Statistic::PhysicalWriteBytes, 16_384),
        (Statistic::RedoWrites, 1),
        (Statistic::RedoBlocksWritten, 4),
    ] {
        meter.count(statistic, n);
    }
    let snapshot = meter.snapshot();
    for (statistic, n) in [
        (Statistic::PhysicalReadTotalIoRequests, 3),
        (Statistic::PhysicalReadTotalBytes, 24_576),
        (Statistic::PhysicalWriteTotalIoRequests, 3),
        (Statistic::PhysicalWriteTotalBytes, 18_432),
    ] {
        assert_eq!((meter.value(statistic), snapshot.value(statistic)), (n, n), "{statistic}");
    }
}
