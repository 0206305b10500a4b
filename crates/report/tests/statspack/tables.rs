//! Snapshots as rows of tables.

use std::collections::BTreeMap;

use proptest::prelude::*;
use report::statspack::{ColumnType, KEY_COLUMNS, LocalTime, Snapshot, TABLES, Table, Taken, Value};

use super::made_up::{self, Numbers};

/// Columns that hold fractions, and columns of two answers.
const FRACTIONS: [&str; 6] =
    ["STATS$OSSTAT.VALUE", "READTIM", "WRITETIM", "TIME", "CUM_WAIT_TIME", "STATS$WAITSTAT.TIME"];
const ANSWERS: [&str; 2] = ["IDLE", "ISDEFAULT"];

fn value(numbers: &mut Numbers, table: &Table, column: &str, kind: ColumnType, key: Option<u64>) -> Value {
    let full = format!("{}.{column}", table.name);
    match kind {
        _ if ANSWERS.contains(&column) => Value::Text(if numbers.below(2) == 0 { "Y" } else { "N" }.to_owned()),
        ColumnType::Number if FRACTIONS.iter().any(|name| *name == column || *name == full) => {
            Value::Real(numbers.below(1 << 40) as f64 / 1024.0)
        }
        ColumnType::Number => Value::Number(key.unwrap_or_else(|| numbers.below(i64::MAX as u64))),
        ColumnType::Date => Value::Date(LocalTime(key.unwrap_or_else(|| numbers.below(1 << 40)) as i64)),
        ColumnType::Varchar2(most) => {
            let text =
                key.map_or_else(|| "naïve £ text ".repeat(numbers.below(40) as usize), |key| format!("{key:02}"));
            let cut = &text[..text.floor_char_boundary(most)];
            if cut.is_empty() { Value::Null } else { Value::Text(cut.to_owned()) }
        }
    }
}

/// Rows of all tables: those of one row have one, the others any number, each with a key of its own.
fn rows(seed: u64) -> Vec<(String, Vec<Vec<Value>>)> {
    let mut numbers = Numbers(seed);
    let mut tables = Vec::new();
    for table in TABLES {
        let count = if table.own.iter().any(|column| column.key) { numbers.below(6) } else { 1 };
        let mut rows = Vec::new();
        for at in 0..count {
            let keys = [7, 1 << 40, 2].map(Value::Number);
            let own = table
                .own
                .iter()
                .map(|column| value(&mut numbers, table, column.name, column.kind, column.key.then_some(at)));
            rows.push(keys.into_iter().chain(own).collect());
        }
        // As a query without an order gives them.
        rows.reverse();
        tables.push((table.name.to_owned(), rows));
    }
    tables.reverse();
    tables
}

fn sorted(tables: &[(String, Vec<Vec<Value>>)]) -> BTreeMap<String, Vec<String>> {
    let lines = |rows: &Vec<Vec<Value>>| {
        let mut lines: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
        lines.sort();
        lines
    };
    tables.iter().map(|(name, rows)| (name.clone(), lines(rows))).collect()
}

fn again(snapshot: &Snapshot) -> Vec<(String, Vec<Vec<Value>>)> {
    snapshot.to_rows().into_iter().map(|table| (table.table.to_owned(), table.rows)).collect()
}

proptest! {
    #[test]
    fn a_snapshot_out_of_its_rows_is_the_same(seed in any::<u64>()) {
        let rows = rows(seed);
        let snapshot = Snapshot::from_rows(&rows).unwrap();
        prop_assert_eq!(snapshot.id, 7);
        let back = again(&snapshot);
        prop_assert_eq!(sorted(&rows), sorted(&back));
        prop_assert_eq!(Snapshot::from_rows(&back).unwrap(), snapshot);
    }

    #[test]
    fn a_made_up_snapshot_too(seed in any::<u64>()) {
        let (begin, end) = made_up::pair(seed);
        prop_assert_eq!(&Snapshot::from_rows(&again(&begin)).unwrap(), &begin);
        prop_assert_eq!(&Snapshot::from_rows(&again(&end)).unwrap(), &end);
    }
}

#[test]
fn numbers_come_back_whatever_kind_the_database_reads_them_as() {
    let (_, end) = made_up::pair(3);
    let mut rows = again(&end);
    for value in rows.iter_mut().flat_map(|(_, rows)| rows).flatten() {
        *value = match &*value {
            Value::Number(number) if *number < 1 << 53 => Value::Real(*number as f64),
            Value::Real(real) if real.fract() == 0.0 && *real >= 0.0 => Value::Number(*real as u64),
            other => other.clone(),
        };
    }
    assert_eq!(Snapshot::from_rows(&rows).unwrap(), end);
}

#[test]
fn rows_that_are_no_snapshot() {
    let (_, end) = made_up::pair(3);
    let whole = again(&end);
    let error = |rows: &[(String, Vec<Vec<Value>>)]| Snapshot::from_rows(rows).unwrap_err().to_string();
    let missing = "rows of all tables are needed, and";
    assert_eq!(error(&whole[1..]), format!("HW-0831: {missing} STATS$SNAPSHOT is not among them"));
    assert_eq!(error(&whole[..4]), format!("HW-0831: {missing} STATS$PGASTAT is not among them"));
    let mut none = whole.clone();
    none.iter_mut().for_each(|(_, rows)| rows.clear());
    assert_eq!(error(&none), "HW-0831: a snapshot has one row in STATS$SNAPSHOT, not 0");
    let mut half = whole.clone();
    half[1].1.clear();
    assert_eq!(error(&half), "HW-0831: a snapshot has one row in STATS$DATABASE_INSTANCE, not 0");
    let mut other = whole.clone();
    other[2].1[0][0] = Value::Number(41);
    assert_eq!(error(&other), "HW-0831: STATS$PARAMETER: a row belongs to snapshot 41, not 42");
    let mut text = whole.clone();
    let statistics = text.iter_mut().find(|(name, _)| name == "STATS$SYSSTAT").unwrap();
    statistics.1[0][4] = Value::Text("many".to_owned());
    assert_eq!(error(&text), "HW-0831: STATS$SYSSTAT.VALUE holds Text(\"many\"), which a snapshot cannot have there");
    let mut short = whole.clone();
    short[2].1[0].pop();
    assert_eq!(error(&short), "HW-0831: STATS$PARAMETER: a row has not as many values as the table has columns");
    let mut unknown = whole;
    unknown.push(("STATS$PARCELS".to_owned(), Vec::new()));
    assert_eq!(error(&unknown), "HW-0831: STATS$PARCELS is not a table of snapshots");
}

#[test]
fn tables_are_told_apart_and_have_keys() {
    let mut names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), TABLES.len());
    for table in TABLES {
        assert!(table.name.starts_with("STATS$") && table.about.ends_with('.'), "{}", table.name);
        let mut columns: Vec<&str> = table.columns().map(|column| column.name).collect();
        assert_eq!(columns[..3], KEY_COLUMNS.map(|column| column.name));
        columns.sort_unstable();
        columns.dedup();
        assert_eq!(columns.len(), table.own.len() + 3, "{}", table.name);
        assert!(table.own.iter().all(|column| !column.about.is_empty()), "{}", table.name);
    }
}

fn table(name: &str) -> &'static Table {
    TABLES.iter().find(|table| table.name == name).unwrap()
}

#[test]
fn statements_create_fill_read_and_purge_a_table() {
    let statistics = table("STATS$SYSSTAT");
    assert_eq!(
        statistics.create_statement("PERFSTAT"),
        "create table PERFSTAT.STATS$SYSSTAT (SNAP_ID NUMBER, DBID NUMBER, INSTANCE_NUMBER NUMBER, NAME VARCHAR2(64), VALUE NUMBER, \
         primary key (SNAP_ID, DBID, INSTANCE_NUMBER, NAME))"
    );
    assert_eq!(
        statistics.insert_statement("PERFSTAT"),
        "insert into PERFSTAT.STATS$SYSSTAT (SNAP_ID, DBID, INSTANCE_NUMBER, NAME, VALUE) values (:1, :2, :3, :4, :5)"
    );
    assert_eq!(
        statistics.select_statement("PERFSTAT"),
        "select SNAP_ID, DBID, INSTANCE_NUMBER, NAME, VALUE from PERFSTAT.STATS$SYSSTAT where SNAP_ID = :1 and DBID = :2 and INSTANCE_NUMBER = :3"
    );
    assert_eq!(
        statistics.delete_statement("PERFSTAT"),
        "delete from PERFSTAT.STATS$SYSSTAT where SNAP_ID = :1 and DBID = :2 and INSTANCE_NUMBER = :3"
    );
}

/// A table without a key of its own has one row a snapshot.
#[test]
fn the_tables_of_one_row_are_keyed_by_the_snapshot() {
    let single: Vec<&str> =
        TABLES.iter().filter(|table| table.own.iter().all(|column| !column.key)).map(|table| table.name).collect();
    assert_eq!(single, ["STATS$SNAPSHOT", "STATS$DATABASE_INSTANCE"]);
    assert!(
        table("STATS$SNAPSHOT").create_statement("PERFSTAT").ends_with("primary key (SNAP_ID, DBID, INSTANCE_NUMBER))")
    );
}

#[test]
fn a_row_of_snapshots_says_when_it_was_taken() {
    let (begin, _) = made_up::pair(3);
    let rows = again(&begin);
    let (_, header) = rows.iter().find(|(name, _)| name == "STATS$SNAPSHOT").unwrap();
    let taken = Taken::from_row(&header[0]).unwrap();
    assert_eq!((taken.id, taken.database_id, taken.instance_number), (41, 2_532_911_053, 1));
    assert_eq!(taken.header, begin.header);
    let error = Taken::from_row(&header[0][1..]).unwrap_err().to_string();
    assert_eq!(
        error,
        "HW-0831: STATS$SNAPSHOT.INSTANCE_NUMBER holds Date(LocalTime(1709463600)), which a snapshot cannot have there"
    );
    let error = Taken::from_row(&[]).unwrap_err().to_string();
    assert_eq!(error, "HW-0831: STATS$SNAPSHOT: a row has no SNAP_ID");
}
