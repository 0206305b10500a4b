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
    assert_eq!(refused(&begin, &end), "ORA-20200: The instance was shutdown between snapshots 41 and 42");
}

#[test]
fn one_and_the_same() {
    let (begin, _) = made_up::pair(1);
    assert_eq!(refused(&begin, &begin), "ORA-20200: Begin and end are the same snapshot, 41");
}

#[test]
fn in_the_wrong_order() {
    let (begin, end) = made_up::pair(1);
    assert_eq!(
        refused(&end, &begin),
        "ORA-20200: End Snapshot Id 41 must be greater than Begin Snapshot Id 42, and taken later"
    );
}

#[test]
fn of_two_databases() {
    let (begin, mut end) = made_up::pair(1);
    end.database_id += 1;
    assert_eq!(refused(&begin, &end), "ORA-20200: Snapshots 41 and 42 are not of the same database and instance");
}

#[test]
fn with_a_statistic_that_only_one_has() {
    let (begin, mut end) = made_up::pair(1);
    end.statistics.push(SystemStatistic { name: "parcels lost".to_owned(), value: 1 });
    assert_eq!(
        refused(&begin, &end),
        "ORA-20200: Snapshot 41 has no statistic \"parcels lost\", which snapshot 42 has"
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
