//! Pairs of snapshots that make no report.

use report::statspack::records::SystemStatistic;
use report::statspack::{LocalTime, Snapshot, difference};

use super::made_up;

fn refused(begin: &Snapshot, end: &Snapshot) -> String {
    difference(begin, end).unwrap_err().to_string()
}

#[test]
fn the_instance_was_started_between_them() {
    let (begin, mut end) = made_up::pair(1);
    end.header.startup = LocalTime(end.header.time.0 - 1);
    assert_eq!(
        refused(&begin, &end),
        "ORA-20200: the instance was shut down between snapshots 41 and 42: its counters began anew"
    );
}

/// Two starts within a second have one time: what was counted tells of the second.
#[test]
fn the_instance_was_started_again_within_a_second() {
    let (mut begin, mut end) = made_up::pair(1);
    for snapshot in [&mut begin, &mut end] {
        snapshot.header.log_sequence += 10;
        snapshot.time_model.iter_mut().for_each(|line| line.micros += 10);
        for event in &mut snapshot.events {
            event.waits += 10;
            event.micros += 10;
        }
    }
    let fell = |change: fn(&mut Snapshot), counter: &str| {
        let mut end = end.clone();
        change(&mut end);
        let expected = format!("ORA-20200: the instance was shut down between snapshots 41 and 42: {counter} fell");
        assert_eq!(refused(&begin, &end), expected);
    };
    fell(
        |snapshot| snapshot.time_model.iter_mut().find(|line| line.name == "DB CPU").unwrap().micros = 0,
        "\"DB CPU\"",
    );
    fell(|snapshot| snapshot.events.retain(|event| event.event != "log file sync"), "the waits for \"log file sync\"");
    fell(
        |snapshot| snapshot.events.iter_mut().find(|event| event.event == "log file sync").unwrap().micros = 0,
        "the waits for \"log file sync\"",
    );
    fell(|snapshot| snapshot.header.log_sequence = 0, "the number of the current log");
}

/// A level may fall, and so may the counters of a statement that left the cursor cache.
#[test]
fn figures_that_may_fall_are_accepted() {
    let (begin, mut end) = made_up::pair(1);
    for line in &mut end.statistics {
        if line.name == "logons current" || line.name == "session pga memory" {
            line.value = 0;
        }
    }
    end.sql.iter_mut().for_each(|statement| statement.executions = 0);
    assert!(difference(&begin, &end).is_ok());
}

#[test]
fn one_and_the_same() {
    let (begin, _) = made_up::pair(1);
    assert_eq!(refused(&begin, &begin), "ORA-20200: begin and end are the same snapshot, 41: a report needs two");
}

#[test]
fn in_the_wrong_order() {
    let (mut begin, end) = made_up::pair(1);
    assert_eq!(refused(&end, &begin), "ORA-20200: the end snapshot, 41, was taken before the begin snapshot, 42");
    begin.header.utc_s = end.header.utc_s + 1;
    assert_eq!(refused(&begin, &end), "ORA-20200: the clock was set back between snapshots 41 and 42");
}

#[test]
fn of_two_databases_or_instances() {
    let (begin, end) = made_up::pair(1);
    let expected = "ORA-20200: snapshots 41 and 42 are not of the same database and instance";
    assert_eq!(refused(&begin, &Snapshot { database_id: 7, ..end.clone() }), expected);
    assert_eq!(refused(&begin, &Snapshot { instance_number: 2, ..end }), expected);
}

#[test]
fn with_a_statistic_that_only_one_has() {
    let (mut begin, mut end) = made_up::pair(1);
    end.statistics.push(SystemStatistic { name: "parcels lost".to_owned(), value: 1 });
    assert_eq!(
        refused(&begin, &end),
        "ORA-20200: snapshot 41 has no statistic \"parcels lost\", which snapshot 42 has"
    );
    begin
        .statistics
        .extend(["parcels lost", "parcels found"].map(|name| SystemStatistic { name: name.to_owned(), value: 1 }));
    assert_eq!(
        refused(&begin, &end),
        "ORA-20200: snapshot 42 has no statistic \"parcels found\", which snapshot 41 has"
    );
}

#[test]
fn within_one_second_nothing_is_divided_by_zero() {
    let (begin, mut end) = made_up::pair(1);
    end.header.utc_s = begin.header.utc_s;
    end.header.time = begin.header.time;
    let report = difference(&begin, &end).unwrap();
    assert!(report.load_profile.unwrap().iter().all(|line| line.per_second.is_none()));
    let text = super::printed(&begin, &end);
    assert!(!text.contains("inf") && !text.contains("NaN"), "{text}");
}

#[test]
fn snapshots_without_anything_make_a_report_that_says_so() {
    let begin = Snapshot { id: 1, ..Snapshot::default() };
    let end = Snapshot { id: 2, ..Snapshot::default() };
    let text = super::printed(&begin, &end);
    assert!(text.matches("No data exists for this section of the report.").count() > 30, "{text}");
    assert!(!text.contains("inf") && !text.contains("NaN"), "{text}");
}

/// Nothing happened: what is counted is 0, what is divided by it is nothing.
#[test]
fn two_snapshots_alike_make_a_report_of_nothing() {
    let (begin, _) = made_up::pair(1);
    let mut end = begin.clone();
    end.id += 1;
    end.header.utc_s += 60;
    end.header.time = LocalTime(end.header.time.0 + 60);
    let report = difference(&begin, &end).unwrap();
    assert!(report.load_profile.iter().flatten().all(|line| line.per_second == Some(0.0)));
    assert!(report.load_profile.iter().flatten().all(|line| line.per_transaction.is_none()));
    assert_eq!(report.efficiencies, None);
    assert_eq!((report.all_events, report.latches, report.sql), (None, None, None));
    let text = super::printed(&begin, &end);
    assert!(!text.contains("inf") && !text.contains("NaN"), "{text}");
}
