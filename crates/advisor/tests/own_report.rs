//! The findings over a report of this engine: five sessions that insert into a table of one free list. The typed report
//! and its text must lead to the same findings.
#![allow(clippy::unwrap_used, reason = "a test")]

use advisor::analysis::Analysis;
use advisor::examine;
use report::statspack::records::*;
use report::statspack::{LocalTime, Snapshot, difference};

const INSERT: &str = "7a45d99hz4b1y";

/// The instance after this many seconds of five sessions, each of which waits for two thirds of its time.
fn snapshot(id: u64, seconds: u64) -> Snapshot {
    let name = str::to_owned;
    let begin = 1_709_460_000;
    let mut snapshot = Snapshot { id, database_id: 1, instance_number: 1, ..Snapshot::default() };
    snapshot.header = Header {
        time: LocalTime(begin + seconds as i64),
        utc_s: begin + seconds as i64,
        startup: LocalTime(begin - 60),
        sessions: 6,
        ..Header::default()
    };
    snapshot.instance.database = name("SHELVES");
    snapshot.instance.instance = name("shelves");
    snapshot.instance.release = name("11.2.0.0.0");
    let second = 1_000_000 * seconds;
    for (line, micros) in
        [("DB time", 5 * second), ("DB CPU", 3 * second / 2), ("sql execute elapsed time", 5 * second)]
    {
        snapshot.time_model.push(TimeModel { name: name(line), micros });
    }
    for (statistic, rate) in [
        ("CPU used by this session", 150),
        ("execute count", 10_000),
        ("parse count (hard)", 0),
        ("parse count (total)", 10),
        ("physical reads", 1),
        ("redo entries", 20_000),
        ("redo size", 5_000_000),
        ("redo writes", 900),
        ("session logical reads", 80_000),
        ("user calls", 10),
        ("user commits", 10_000),
        ("user rollbacks", 0),
    ] {
        snapshot.statistics.push(SystemStatistic { name: name(statistic), value: rate * seconds });
    }
    for (event, rate, micros, foreground) in
        [("buffer busy waits", 30_000, 10 * second / 3, true), ("log file parallel write", 900, second / 4, false)]
    {
        let waits = rate * seconds;
        let by = u64::from(foreground);
        snapshot.events.push(SystemEvent {
            event: name(event),
            waits,
            micros,
            foreground_waits: waits * by,
            foreground_micros: micros * by,
            ..SystemEvent::default()
        });
        if !foreground {
            snapshot.background_events.push(BackgroundEvent { event: name(event), waits, timeouts: 0, micros });
        }
        snapshot.event_histograms.push(EventHistogram { event: name(event), below_us: 128, waits });
    }
    for (class, waits, share) in [("data block", 20_000, 0.6), ("segment header", 10_000, 0.4)] {
        let centiseconds = share * 1000.0 * seconds as f64 / 3.0;
        snapshot.class_waits.push(ClassWaits { class: name(class), waits: waits * seconds, centiseconds });
    }
    snapshot.sql.push(SqlStatement {
        sql_id: name(INSERT),
        command: 2,
        executions: 10_000 * seconds,
        gets: 79_000 * seconds,
        rows: 10_000 * seconds,
        cpu_us: second,
        elapsed_us: 4 * second + second / 2,
        ..SqlStatement::default()
    });
    snapshot.sql_texts = SqlText::pieces(INSERT, "INSERT INTO PARCELS VALUES (:B1 ) RETURNING ROWID INTO :O0");
    snapshot.segments.push(SegmentStatistics {
        object: 7,
        data_object: 7,
        buffer_busy_waits: 30_000 * seconds,
        ..SegmentStatistics::default()
    });
    snapshot.segment_objects.push(SegmentObject {
        object: 7,
        data_object: 7,
        owner: name("SHOP"),
        name: name("PARCELS"),
        kind: name("TABLE"),
        tablespace: name("USERS"),
        ..SegmentObject::default()
    });
    snapshot
}

fn ids(analysis: &Analysis) -> Vec<&'static str> {
    analysis.findings.iter().map(|finding| finding.id).collect()
}

#[test]
fn sessions_that_insert_into_one_free_list_are_found_out() {
    let report = difference(&snapshot(1, 60), &snapshot(2, 660)).unwrap();
    let of_snapshots = examine(&report);
    // The finding of the waiting statement stands before that of its wait: it takes more time.
    assert_eq!(ids(&of_snapshots)[..2], ["sql-concentration", "freelist-contention"], "{:?}", of_snapshots.findings);
    let mut text = Vec::new();
    report::write::statspack(&report, &mut text).unwrap();
    let documents = report::grid::text::documents(std::str::from_utf8(&text).unwrap());
    let of_text = examine(&report::read::report(&documents[0]));
    assert_eq!(ids(&of_text), ids(&of_snapshots));
    for (one, other) in of_text.findings.iter().zip(&of_snapshots.findings) {
        let close = match (one.severity, other.severity) {
            (Some(one), Some(other)) => (one - other).abs() < 0.01,
            (one, other) => one == other,
        };
        assert!(close, "{}: {:?} in the text, {:?} in the snapshots", one.id, one.severity, other.severity);
    }
    // Five sessions for 600 s wait 2,000 s of 3,000 s, for blocks of this table.
    let contention = &of_snapshots.findings[1];
    assert!((contention.severity.unwrap() - 2.0 / 3.0).abs() < 1e-9);
    assert!(contention.evidence.iter().any(|evidence| evidence.text.starts_with("SHOP.PARCELS:")));
}
